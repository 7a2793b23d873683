"""The same as for the other track."""

from tests.golden.chalearn_action.checks import check  # noqa: F401
