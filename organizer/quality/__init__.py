"""Quality: measuring and attacking the built programs."""
