"""Runs: doing with submissions what the platform does."""
