"""How many labels of single items a participant can work out from one run, beyond what its totals reveal.

The attacker is as strong as can be: it knows the program, its submission, and all of the reference but a few labels
of two values. It scores the submission against every reference that it thinks possible and keeps those that give what
it sees. A label is revealed if it is the same in all that are left.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import log2
from pathlib import Path
from typing import Any

from scoring_program.run import SCORED, run
from scoring_program.task import Loaded
from tests.helpers import loaded, make_zip

N_LABELS = 4
Labels = tuple[bool, ...]
Files = Mapping[str, str]
ALL = list(itertools.product([False, True], repeat=N_LABELS))
# Half of the labels have either value: a number of items that are right reveals no single one of them.
BALANCED = [labels for labels in ALL if sum(labels) == N_LABELS // 2]


@dataclass(frozen=True)
class Attack:
    """A submission and the references that it may be scored against, as files or loaded; and how the run must end."""

    task: str
    reference: Callable[[Labels], Files | Loaded[Any, Any, Any]]
    submission: Mapping[str, str | bytes]
    exit_code: int = SCORED


@dataclass(frozen=True)
class Seen:
    """What a participant sees of a run: its totals (scores, interval, error costs, and what they are made of), and
    all."""

    totals: str
    everything: str


def look(attack: Attack, labels: Labels, **settings: object) -> Seen:
    """Score the submission and return what its participant sees, apart from the hash of the reference and times."""
    reference = attack.reference(labels)
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), StringIO()
        (folder / "s.zip").write_bytes(make_zip(attack.submission))
        if not isinstance(reference, Loaded):
            reference = load(attack.task, reference, folder / "ref", settings)
        with redirect_stdout(log), redirect_stderr(log):
            outcome = run(lambda: reference, folder / "s.zip", folder / "out")
        assert outcome.exit_code == attack.exit_code, log.getvalue()
        page = (folder / "out" / "detailed_results.html").read_text(encoding="utf-8")
        data = json.loads((folder / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    del data["stages"]
    shares = [table for table in data["tables"].values() if table["kind"] == "StackedBar"]
    totals = json.dumps(
        [data["exit_code"], *(data[key] for key in ("scores", "interval", "error_costs")), shares]
    )
    everything = "\n".join([page, json.dumps(data), *log.getvalue().splitlines()])
    return Seen(totals, re.sub(r"ref:[0-9a-f]+|\ntime: .*", "", everything))


def load(task: str, reference: Files, folder: Path, settings: Mapping[str, object]) -> Loaded[Any, Any, Any]:
    """Write reference files into a folder and load them."""
    folder.mkdir()
    for name, text in reference.items():
        (folder / name).write_text(text, encoding="utf-8")
    return loaded(task, folder, **settings)


@dataclass(frozen=True)
class Gain:
    """What an attack reveals.

    ``labels`` are those that a run reveals beyond its totals, for the worst of the balanced references; ``bits`` is
    what all of it reveals about the labels together, and ``bits_of_totals`` what its totals do.
    """

    labels: int
    bits_of_totals: float
    bits: float


def gain(attack: Attack, **settings: object) -> Gain:
    """Return what an attack reveals."""
    seen = {labels: look(attack, labels, **settings) for labels in ALL}
    totals = {labels: own.totals for labels, own in seen.items()}
    everything = {labels: own.everything for labels, own in seen.items()}
    gained = [_n_revealed(everything, truth) - _n_revealed(totals, truth) for truth in BALANCED]
    return Gain(max(gained), _bits(totals), _bits(everything))


def _n_revealed(seen: Mapping[Labels, str], truth: Labels) -> int:
    left = [labels for labels, text in seen.items() if text == seen[truth]]
    return sum(len(set(values)) == 1 for values in zip(*left))


def _bits(seen: Mapping[Labels, str]) -> float:
    """Return the mutual information of the labels, each as likely as the other value, and what is seen."""
    return sum(count * log2(len(seen) / count) for count in Counter(seen.values()).values()) / len(seen)
