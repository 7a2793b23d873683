"""How many labels of single items a participant can work out from some runs, beyond what their totals reveal.

The attacker is as strong as can be: it knows the program, its submissions, and all of the reference but a few labels
of two values. It scores the submissions against every reference that it thinks possible and keeps those that give what
it sees, in all runs together. A label is revealed if it is the same in all that are left. The hash of the reference is
left out: it depends on a key that the attacker does not know (`tests/organizer/data/test_key.py`).
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from math import log2
from pathlib import Path
from typing import Any

from scoring_program.run import SCORED, run
from scoring_program.scoring import Loaded
from tests.helpers import loaded, make_zip

N_LABELS = 4
# More than that, in one submission with two decimals, is for ``detail: full``.
MOST_BITS = 2.0
# How many labels have a value: the row of a class holds the size of the class, which is the reference's own.
COUNT_BITS = 2.04
Labels = tuple[bool, ...]
Files = Mapping[str, str]
ALL = list(itertools.product([False, True], repeat=N_LABELS))
# Half of the labels have either value: a number of items that are right reveals no single one of them.
BALANCED = [labels for labels in ALL if sum(labels) == N_LABELS // 2]


@dataclass(frozen=True)
class Attack:
    """Submissions and the references that they may be scored against, as files or loaded; and how runs must end."""

    task: str
    reference: Callable[[Labels], Files | Loaded[Any, Any, Any]]
    submissions: Sequence[Mapping[str, str | bytes]]
    exit_code: int = SCORED


@dataclass(frozen=True)
class Seen:
    """What a participant sees of runs: their totals (scores, interval, error costs, and what they are made of), all,
    and the sections by key."""

    totals: str
    everything: str
    sections: Mapping[str, str]


def look(attack: Attack, labels: Labels, **settings: object) -> Seen:
    """Score the submissions and return what is seen, apart from the hash of the reference and times."""
    reference = attack.reference(labels)
    with tempfile.TemporaryDirectory() as name:
        if not isinstance(reference, Loaded):
            reference = load(attack.task, reference, Path(name) / "ref", settings)
        else:
            reference = replace(reference, settings={**reference.settings, **settings})
        zips = [make_zip(files) for files in attack.submissions]
        # Equal submissions are scored once.
        looks = {data: _look(reference, data, attack.exit_code) for data in dict.fromkeys(zips)}
        runs = [looks[data] for data in zips]
    keys = dict.fromkeys(key for run in runs for key in run.sections)
    return Seen(
        "\n".join(run.totals for run in runs),
        "\n".join(run.everything for run in runs),
        {key: "\n".join(run.sections.get(key, "") for run in runs) for key in keys},
    )


def _look(reference: Loaded[Any, Any, Any], submission: bytes, exit_code: int) -> Seen:
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), StringIO()
        (folder / "s.zip").write_bytes(submission)
        with redirect_stdout(log), redirect_stderr(log):
            outcome = run(lambda: reference, folder / "s.zip", folder / "out")
        assert outcome.exit_code == exit_code, log.getvalue()
        page = (folder / "out" / "detailed_results.html").read_text(encoding="utf-8")
        data = json.loads((folder / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    del data["stages"]
    shares = [table for table in data["tables"].values() if table["kind"] == "StackedBar"]
    totals = json.dumps(
        [data["exit_code"], *(data[key] for key in ("scores", "interval", "error_costs")), shares]
    )
    everything = "\n".join([page, json.dumps(data), *log.getvalue().splitlines()])
    sections = {key: json.dumps(table) for key, table in data["tables"].items()}
    everything = re.sub(r"ref:[0-9a-f]+|\ntime: .*", "", everything)
    return Seen(totals, everything, {**sections, "notes": json.dumps(data["notes"])})


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
    totals = {labels: run.totals for labels, run in seen.items()}
    everything = {labels: run.everything for labels, run in seen.items()}
    gained = [_n_revealed(everything, truth) - _n_revealed(totals, truth) for truth in BALANCED]
    return Gain(max(gained), bits(totals), bits(everything))


def bits_by_section(attack: Attack, **settings: object) -> dict[str, float]:
    """Return how many bits each section, and the notes, reveal about the labels beyond the totals; print them."""
    seen = {labels: look(attack, labels, **settings) for labels in ALL}
    totals = bits({labels: run.totals for labels, run in seen.items()})
    keys = dict.fromkeys(key for run in seen.values() for key in run.sections)
    bits_of_section = {
        key: bits({labels: run.totals + run.sections.get(key, "") for labels, run in seen.items()}) - totals
        for key in keys
    }
    told = ", ".join(f"{key} {value / len(attack.submissions):.2f}" for key, value in bits_of_section.items())
    print(f"{attack.task}, bits a submission of {len(attack.submissions)}: {told}")
    return bits_of_section


def _n_revealed(seen: Mapping[Labels, str], truth: Labels) -> int:
    left = [labels for labels, text in seen.items() if text == seen[truth]]
    return sum(len(set(values)) == 1 for values in zip(*left))


def bits(seen: Mapping[Labels, str]) -> float:
    """Return the mutual information of the labels, each as likely as the other value, and what is seen."""
    return sum(count * log2(len(seen) / count) for count in Counter(seen.values()).values()) / len(seen)
