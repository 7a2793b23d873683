"""The garbage collector while files are parsed; time, memory and signals are tested with whole runs."""

from __future__ import annotations

import gc

import pytest

from validator.limits import collector_off


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_as_before_afterwards(was_on):
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        with collector_off():
            assert not gc.isenabled()
        assert gc.isenabled() == was_on
    finally:
        (gc.enable if before else gc.disable)()
