"""Data: reference folders from the files of the organizers, and lemmas."""
