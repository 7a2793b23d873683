"""Mistakes in submissions to this track."""

from quality.chalearn.mistakes import MISTAKES, files, honest

__all__ = ["MISTAKES", "files", "honest"]
