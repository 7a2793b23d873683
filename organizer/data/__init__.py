"""Data: reference folders from the files of the organizers, lemmas, synthetic data."""
