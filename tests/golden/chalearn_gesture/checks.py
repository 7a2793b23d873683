"""The same as for the other track."""

from golden.chalearn_action.checks import check  # noqa: F401
