"""How many labels of single items a participant can work out from one run, beyond what its totals tell.

The attacker is as strong as can be: it knows the program, its submission, and all of the reference but a few labels
of two values. It scores the submission against every reference that it thinks possible and keeps those that give what
it sees. A label is told if it is the same in all that are left.
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

from scoring_program import scoring
from scoring_program.challenge import load_challenge
from scoring_program.scoring import Loaded
from tests.helpers import make_zip
from validator.findings import Findings

N_LABELS = 4
Labels = tuple[bool, ...]
Files = Mapping[str, str]
ALL = list(itertools.product([False, True], repeat=N_LABELS))
# Half of the labels have either value: a number of items that are right tells no single one of them.
BALANCED = [labels for labels in ALL if sum(labels) == N_LABELS // 2]


@dataclass(frozen=True)
class Attack:
    """A submission and the references that it may be scored against, as files or loaded; and how the run must end."""

    task: str
    reference: Callable[[Labels], Files | Loaded]
    submission: Mapping[str, str | bytes]
    exit_code: int = scoring.SCORED


@dataclass(frozen=True)
class Seen:
    """What a participant sees of a run: its totals (scores, interval, losses, and what they are made of), and all."""

    totals: str
    everything: str


def look(attack: Attack, labels: Labels, **overrides: object) -> Seen:
    """Score the submission and return what its participant sees, apart from the hash of the reference and times."""
    reference = attack.reference(labels)
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), StringIO()
        (folder / "s.zip").write_bytes(make_zip(attack.submission))
        loaded = (
            reference if isinstance(reference, Loaded) else load(attack.task, reference, folder, overrides)
        )
        with redirect_stdout(log), redirect_stderr(log):
            code = scoring.score_folder(attack.task, loaded, folder / "s.zip", folder / "out")
        assert code == attack.exit_code, log.getvalue()
        page = (folder / "out" / "detailed_results.html").read_text(encoding="utf-8")
        data = json.loads((folder / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    del data["stages"]
    shares = [table for table in data["tables"].values() if table["kind"] == "StackedBar"]
    totals = json.dumps([data["exit_code"], *(data[key] for key in ("scores", "interval", "losses")), shares])
    everything = "\n".join([page, json.dumps(data), *log.getvalue().splitlines()])
    return Seen(totals, re.sub(r"ref:[0-9a-f]+|\ntime: .*", "", everything))


def load(task: str, reference: Files, folder: Path, overrides: Mapping[str, object]) -> Loaded:
    """Write reference files into a folder and load them."""
    (folder / "ref").mkdir()
    for name, text in reference.items():
        (folder / "ref" / name).write_text(text, encoding="utf-8")
    challenge, findings = load_challenge(task), Findings()
    settings = scoring.run_settings(challenge, folder / "ref", overrides, findings)
    loaded = scoring.load_reference(challenge, folder / "ref", settings, findings)
    assert loaded, findings.lines()
    return loaded


@dataclass(frozen=True)
class Told:
    """What an attack gains.

    ``labels`` are those that a run tells beyond its totals, for the worst of the balanced references; ``bits`` is what
    all of it tells about the labels together, and ``bits_of_totals`` what its totals do.
    """

    labels: int
    bits_of_totals: float
    bits: float


def told(attack: Attack, **overrides: object) -> Told:
    """Return what an attack gains."""
    seen = {labels: look(attack, labels, **overrides) for labels in ALL}
    totals = {labels: own.totals for labels, own in seen.items()}
    everything = {labels: own.everything for labels, own in seen.items()}
    gained = [_n_told(everything, truth) - _n_told(totals, truth) for truth in BALANCED]
    return Told(max(gained), _bits(totals), _bits(everything))


def _n_told(seen: Mapping[Labels, str], truth: Labels) -> int:
    left = [labels for labels, text in seen.items() if text == seen[truth]]
    return sum(len(set(values)) == 1 for values in zip(*left))


def _bits(seen: Mapping[Labels, str]) -> float:
    """Return the mutual information of the labels, each as likely as the other value, and what is seen."""
    return sum(count * log2(len(seen) / count) for count in Counter(seen.values()).values()) / len(seen)
