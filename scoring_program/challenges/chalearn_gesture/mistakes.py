"""Mistakes in submissions to this track."""

from scoring_program.families.chalearn.mistakes import MISTAKES, files, honest

__all__ = ["MISTAKES", "files", "honest"]
