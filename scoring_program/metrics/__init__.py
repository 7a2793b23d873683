"""Metrics as pure functions: arrays in, numbers out. No files, no JSON, no platform words."""
