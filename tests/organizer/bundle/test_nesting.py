"""Packages that are moved below another one: which imports change, and which do not."""

from __future__ import annotations

import pytest

from organizer.bundle.nesting import nest_imports

CODE = '''"""Reads what validator says: ``from validator import files``."""
from __future__ import annotations

import sys
from collections import abc
from validator import (
    files,
)
from validator.formats.x import read as validator
from validators import other
from . import scoring_program
if sys.argv:  # ä
    from scoring_program.run import main  # from validator import files
def f(): from validator import files; from scoring_program import run
TEXT = "from validator import files"
'''


def test_imports_of_the_packages_alone_are_changed():
    nested = nest_imports(CODE.encode(), ["validator", "scoring_program"], "kit").decode()
    changed = [line for line, before in zip(nested.splitlines(), CODE.splitlines()) if line != before]
    assert changed == [
        "from kit.validator import (",
        "from kit.validator.formats.x import read as validator",
        "    from kit.scoring_program.run import main  # from validator import files",
        "def f(): from kit.validator import files; from kit.scoring_program import run",
    ]


@pytest.mark.parametrize("code", ["import validator.choose", "import sys, validator as v"])
def test_an_import_that_would_bind_another_name_is_refused(code):
    with pytest.raises(ValueError, match=r"from \.\.\. import"):
        nest_imports(code.encode(), ["validator"], "kit")
