"""The two sub-tasks of ActivityNet-Entities."""
