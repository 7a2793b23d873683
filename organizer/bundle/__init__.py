"""Bundles: building them and checking them before they are uploaded."""
