"""The page of what the search for repairs finds, with a section for each task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# Correct submissions that are worse need not be free of repairs; better ones than the second get none.
LEAST_SCORE = 0.05
GOOD_SCORE = 0.1
_LEAST_RIGHT = 0.95
_MOST_ALARMS = 1 / 1000
# What a search may take, in seconds and of a run, and where it finds something.
_ALLOWED_SECONDS, _ALLOWED_SHARE = 0.06, 0.05
_ALLOWED_SECONDS_FOUND = 0.3
_TIMES_HEAD = "Processor time of the search"
_HEAD = """# How often repairs are right

`.venv/bin/python -m quality repairs` measures the search for the simplest repair and writes this page. The
measurement uses made-up data that is different from that of the samples. Mistakes are made in predictions of
four qualities (right answers, ones as good as the good samples, and two worse ones) for references of two
sizes; they are written as files, read, and scored.

- *data can show it*: submissions whose compared entries, changed with the true parameters of the mistake,
  pass the rules of a repair (`quality/cures.py`), or that get the right report. Facts that need no labels
  always show.
- *reported*: of these, those with any repair, note on a likely mistake, or problem; *right*: those with the
  expected family of repairs or the expected code.
- *instead*: what else was reported, in all submissions with this mistake.
- *false alarms*: repairs that were reported for submissions without a mistake. Correct ones have all
  qualities down to a score of 0.05.
"""


class Amount(NamedTuple):
    """How many submissions are measured: of each mistake and weak model, and correct ones."""

    n_mistakes: int
    n_correct: int


class MistakeRow(NamedTuple):
    """What was reported of the submissions with one mistake.

    Attributes
    ----------
    name : str
    expected : str
        The family or the code that is right.
    n_submissions, n_shown : int
        How many there are, and of how many the data can show the mistake.
    n_reported, n_right : int
        How many of those that show it get any report, and how many the right one.
    others : Counter of str
        What was reported instead.
    missed_seeds : list of int
        The seeds of those that show the mistake without the right report.
    """

    name: str
    expected: str
    n_submissions: int
    n_shown: int
    n_reported: int
    n_right: int
    others: Counter[str]
    missed_seeds: list[int]


class Alarm(NamedTuple):
    """A repair of a submission without a mistake."""

    seed: int
    score: float
    words: str


class HonestRow(NamedTuple):
    """The alarms of submissions without a mistake; ``scores`` are the lowest and the highest."""

    name: str
    n_submissions: int
    scores: tuple[float, float]
    alarms: list[Alarm]


class TimeRow(NamedTuple):
    """The processor time of one search, in seconds, and what it found."""

    name: str
    seconds: float
    words: str


class Times(NamedTuple):
    """The times of searches for submissions of a size.

    Attributes
    ----------
    scale : float
        Their size; 1 is that of the challenge.
    run_seconds : float
        The processor time of a run: reading, and scoring with a search.
    import_seconds : float
        The processor time of the import of scipy, which the first one-to-one map of a process needs.
    correct, with_mistakes : lists of TimeRow
        Searches for a correct submission, and for one with each mistake.
    """

    scale: float
    run_seconds: float
    import_seconds: float
    correct: list[TimeRow]
    with_mistakes: list[TimeRow]

    @property
    def allowed_seconds(self) -> float:
        """What the search for a correct submission may take."""
        return max(_ALLOWED_SECONDS, _ALLOWED_SHARE * self.run_seconds)

    def summary(self) -> str:
        """Return what is allowed and what is reached."""
        slowest = max(row.seconds for row in self.correct)
        text = f"Allowed for a correct submission: {_milliseconds(_ALLOWED_SECONDS)} or 5 % of a run "
        text += (
            f"({_milliseconds(self.run_seconds)}), whichever is more: {_milliseconds(self.allowed_seconds)}; "
        )
        text += f"reached: {_milliseconds(slowest)}."
        if self.with_mistakes:
            slowest = max(row.seconds for row in self.with_mistakes)
            text += f" Allowed where something is found: {_milliseconds(_ALLOWED_SECONDS_FOUND)}; "
            text += f"reached: {_milliseconds(slowest)}. In each process, the first search for a list in "
            import_time = _milliseconds(self.import_seconds)
            text += f"another order or for a map of items takes {import_time} more, because it imports scipy."
        return text


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f} ms"


class TaskRepairs(NamedTuple):
    """What was measured of the repairs of one task."""

    task_id: str
    mistakes: list[MistakeRow]
    correct: HonestRow
    weak_models: list[HonestRow]

    @property
    def is_good(self) -> bool:
        """Whether 95 % of each mistake get the right report, and correct submissions none: at most one of
        1,000, and none with a score above 0.1."""
        n_most = _MOST_ALARMS * self.correct.n_submissions
        return (
            all(row.n_right >= _LEAST_RIGHT * row.n_shown for row in self.mistakes)
            and len(self.correct.alarms) <= n_most
            and all(alarm.score <= GOOD_SCORE for alarm in self.correct.alarms)
        )


def write_page(page: Path, measured: TaskRepairs, times: Times, amount: Amount, seconds: float) -> None:
    """Write the section of a task into a page, in place of an older one of the same task."""
    lines = [*_section_lines(measured, amount, seconds), *_time_lines(times)]
    sections = _read_sections(page)
    sections[measured.task_id] = "\n".join(lines)
    _write_sections(page, sections)


def write_times(page: Path, task_id: str, times: Times) -> None:
    """Write the times of a task into its section of a page, in place of older ones; the rest stays."""
    sections = _read_sections(page)
    before_times, _, _ = sections.get(task_id, f"## {task_id}\n\n").partition(_TIMES_HEAD)
    sections[task_id] = before_times + "\n".join(_time_lines(times))
    _write_sections(page, sections)


def _write_sections(page: Path, sections: dict[str, str]) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    texts = [_HEAD, *(sections[task_id] for task_id in sorted(sections))]
    page.write_text("\n".join(texts), encoding="utf-8")


def _read_sections(page: Path) -> dict[str, str]:
    if not page.is_file():
        return {}
    _, *sections = re.split("^(?=## )", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {section.splitlines()[0].removeprefix("## "): f"{section.rstrip()}\n" for section in sections}


def _section_lines(measured: TaskRepairs, amount: Amount, seconds: float) -> Iterator[str]:
    yield f"## {measured.task_id}\n"
    yield f"{amount.n_mistakes} submissions with each mistake; {seconds:.0f} s of processor time in all.\n"
    yield from _table_head("mistake", "expected", "data can show it", "reported", "right", "instead")
    for row in measured.mistakes:
        yield _line(
            row.name,
            row.expected,
            f"{row.n_shown} of {row.n_submissions}",
            f"{row.n_reported} of {row.n_shown}",
            f"{row.n_right} of {row.n_shown}",
            _counts_text(row.others),
        )
    yield ""
    yield from _table_head("submissions", "number", "scores", "false alarms", "above a score of 0.1", "which")
    for honest in [measured.correct, *measured.weak_models]:
        lowest, highest = honest.scores
        yield _line(
            honest.name,
            f"{honest.n_submissions:,}",
            f"{lowest:.3f} to {highest:.3f}",
            str(len(honest.alarms)),
            str(sum(alarm.score > GOOD_SCORE for alarm in honest.alarms)),
            _counts_text(Counter(f"{alarm.words}, seed {alarm.seed}" for alarm in honest.alarms)),
        )
    yield ""


def _time_lines(times: Times) -> Iterator[str]:
    size = f"at {times.scale:g} times the full size"
    yield f"{_TIMES_HEAD} for a correct submission, {size}, and for submissions with a mistake:\n"
    yield from _table_head("search", "ms", "found")
    for row in [*times.correct, *times.with_mistakes]:
        yield _line(row.name, f"{1000 * row.seconds:.0f}", row.words or "nothing")
    yield f"\n{times.summary()}"
    yield ""


def _table_head(*titles: str) -> Sequence[str]:
    return [_line(*titles), "|---" * len(titles) + "|"]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _counts_text(counts: Counter[str], most: int = 4) -> str:
    texts = []
    for text, count in counts.most_common(most):
        texts.append(text if count == 1 else f"{text} ({count} times)")
    return "; ".join(texts)
