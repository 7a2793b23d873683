"""Runs: scoring submissions as the platform does."""
