"""Which tests need more than the packages of developers."""

from __future__ import annotations

from importlib.util import find_spec

# Dask is in requirements/scale.lock, with which .ci/run runs them.
collect_ignore = [] if find_spec("distributed") else ["test_cluster.py"]
