"""One run, from the folders of the platform to the outputs: ``score_folder`` and the command line of ``score.py``.

Knows the platform's folders and nothing of any metric. INPUT holds ``ref/`` (the hidden reference) and
``res/`` (the submission). Exit codes: 0 scored; 1 the submission is invalid; 2 the organizer's side is broken.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program import limits
from scoring_program.challenge import AnyProgram, Challenge, Settings, challenge_ids, load_challenge
from scoring_program.disclosure import disclosed
from scoring_program.metrics import resampling
from scoring_program.report import data, files, page
from scoring_program.result import Interval, Loss, Numbers, Result, Statistics
from scoring_program.settings import read_settings
from scoring_program.signature import reference_hash, signature
from validator.findings import Findings, Note

HERE = Path(__file__).resolve().parent
SCORED, INVALID, BROKEN = 0, 1, 2
_NEAR = 0.8


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description="Score INPUT/res against INPUT/ref and write the scores to OUTPUT.")
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    ids = challenge_ids()
    parser.add_argument(
        "--challenge",
        choices=ids,
        default=ids[0] if len(ids) == 1 else None,
        help="needed where several are present",
    )
    options = parser.parse_args(arguments)
    if options.challenge is None:
        parser.error(f"several challenges are present; add --challenge with one of {', '.join(ids)}")
    limits.watch_termination()
    return score_folder(options.challenge, options.input / "ref", options.input / "res", options.output, limited=True)


@dataclass(frozen=True)
class Loaded:
    """A reference folder that was read once, to score several submissions with it."""

    settings: Settings
    ground_truth: Any
    signature: str


def load_reference(challenge: Challenge, folder: Path, settings: Settings, findings: Findings) -> Loaded | None:
    """Read a reference folder; None after a problem, which goes to ``findings``."""
    program = challenge.program()
    ground_truth = program.load_reference(folder, settings, findings)
    if not findings.ok:
        return None
    digest = program.reference_digest(ground_truth) or reference_hash(folder)
    further = program.signature_parts(ground_truth)
    return Loaded(settings, ground_truth, signature(challenge.id, settings, challenge.settings, digest, further))


def run_settings(challenge: Challenge, folder: Path, overrides: Settings, findings: Findings) -> dict[str, Any]:
    """Return a value for every setting: those of the reference folder, replaced by ``overrides``."""
    if not folder.is_dir():
        findings.add("E-REF-MISSING", "there is no reference folder", "the organizers must attach the reference data")
        return {}
    return {**read_settings(folder, challenge.settings, findings), **overrides}


def score_folder(
    challenge_id: str,
    reference: Path | Loaded,
    submission: Path,
    output: Path,
    overrides: Settings | None = None,
    on_result: Callable[[Result], None] | None = None,
    limited: bool = False,
) -> int:
    """Score one submission and write all outputs.

    Parameters
    ----------
    challenge_id : str
        The challenge.
    reference : Path or Loaded
        The reference folder, or what `load_reference` made of it.
    submission : Path
        A zip file, or a folder with the submission's files or with a single zip.
    output : Path
        The folder for the outputs; it is made if needed.
    overrides : mapping, optional
        Settings that replace those of the reference folder, for practice at home.
    on_result : callable, optional
        Gets the result of a scored submission, for printing more of it.
    limited : bool
        Whether to set the limits of the settings for this process.

    Returns
    -------
    int
        The exit code. Scores are written only if it is 0.
    """
    output.mkdir(parents=True, exist_ok=True)
    files.remove_scores(output)
    run = _Run(challenge_id, output, dict(overrides or {}), limited)
    try:
        files.write_atomic(output / files.DETAIL_HTML, page.running_page(run.challenge))
        result = run.score(reference, submission)
    except (MemoryError, limits.StoppedError) as error:
        files.remove_scores(output)
        return run.stopped(error)
    except Exception as error:
        # The message of an exception may hold reference data; its type and our own line do not.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        for entry in traceback.extract_tb(error.__traceback__):
            if Path(entry.filename).resolve().is_relative_to(HERE):
                frame = entry
        files.remove_scores(output)
        problem = f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"
        findings = Findings()
        findings.add("E-INTERNAL", problem, "tell those who maintain the scoring program")
        return run.broken(findings)
    if result is None:
        return run.exit_code
    if on_result:
        on_result(result)
    return SCORED


def scored_result(
    challenge: Challenge,
    reference: Any,
    submission: Any,
    settings: Settings,
    notes: Sequence[Note] = (),
) -> Result:
    """Return the result of a submission that was read: statistics once, and all that is reduced from them.

    Parameters
    ----------
    challenge : Challenge
    reference, submission
        What the program of the challenge made of the files.
    settings : mapping
        A value for every setting.
    notes : sequence of Note
        What was found while reading.
    """
    program, detail = challenge.program(), settings["detail"]
    statistics = program.measure(reference, submission, settings)
    scores = program.scores(statistics)
    replicates = _replicates(program, statistics) if settings["interval"] else np.zeros(0)
    interval = _interval(replicates, scores["score"], len(statistics.items))
    if interval:
        scores |= {"score_low": round(interval.low, 6), "score_high": round(interval.high, 6)}
    hidden = detail == "none"
    return Result(
        scores,
        statistics,
        replicates,
        interval,
        [] if hidden else _losses(program, statistics, scores["score"]),
        [] if hidden else disclosed(challenge.sections()(reference, submission, statistics), detail),
        [*notes, *statistics.notes],
    )


def _replicates(program: AnyProgram, statistics: Statistics) -> Numbers:
    n = len(statistics.items)
    return program.reduce(statistics, resampling.draws(n)) if n else np.zeros(0)


def _interval(replicates: Numbers, score: float, n_items: int) -> Interval | None:
    if not len(replicates):
        return None
    low, high = resampling.percentile_interval(replicates) if n_items > 1 else (score, score)
    return Interval(low, high, len(replicates), n_items)


def _losses(program: AnyProgram, statistics: Statistics, score: float) -> list[Loss]:
    """Return what each kind of error costs, the largest loss first."""
    found = [Loss(fix, fixed, fixed - score) for fix, fixed in program.losses(statistics).items()]
    return sorted(found, key=lambda loss: -loss.points)


class _Stages:
    """The stages of a run and how long each took."""

    def __init__(self) -> None:
        self.now = "start"
        self._seconds: dict[str, float] = {}
        self._begin = self._since = time.perf_counter()

    def begin(self, stage: str) -> None:
        """End the stage before and begin this one."""
        now = time.perf_counter()
        self._seconds[self.now] = now - self._since
        self.now, self._since = stage, now

    @property
    def total(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._begin

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each stage until now."""
        return {**self._seconds, self.now: time.perf_counter() - self._since}

    def line(self) -> str:
        """Return the seconds of all stages as text."""
        return "time: " + ", ".join(f"{stage} {spent:.2f} s" for stage, spent in self.seconds.items())


class _Run:
    """One run: what it writes and prints, whatever its end."""

    def __init__(self, challenge_id: str, output: Path, overrides: dict[str, Any], limited: bool) -> None:
        self.exit_code = SCORED
        self._challenge_id = challenge_id
        self._output, self._overrides, self._limited = output, overrides, limited
        self._stages = _Stages()

    @cached_property
    def challenge(self) -> Challenge:
        """The challenge, loaded when it is first asked for: a run may be stopped while that happens."""
        return load_challenge(self._challenge_id)

    def score(self, reference: Path | Loaded, submission: Path) -> Result | None:
        """Score a submission and write the outputs; None if it could not be scored, which is then said."""
        if isinstance(reference, Loaded):
            self._limit(reference.settings)
        loaded = reference if isinstance(reference, Loaded) else self._load(reference)
        if loaded is None:
            return None
        settings = loaded.settings
        self._stages.begin("submission")
        findings = Findings()
        prediction = self.challenge.program().read_submission(submission, loaded.ground_truth, findings)
        if not findings.ok:
            self._invalid("invalid", findings)
            return None
        self._stages.begin("score")
        result = scored_result(self.challenge, loaded.ground_truth, prediction, settings, findings.notes)
        self._stages.begin("report")
        self._report(result, loaded.signature, settings["time_limit"])
        return result

    def _load(self, folder: Path) -> Loaded | None:
        organizer = Findings()
        settings = run_settings(self.challenge, folder, self._overrides, organizer)
        if not organizer.ok:
            self.broken(organizer)
            return None
        self._limit(settings)
        self._stages.begin("reference")
        loaded = load_reference(self.challenge, folder, settings, organizer)
        if loaded is None:
            in_full = settings["detail"] == "full"
            self.broken(organizer if in_full else _without_places(self.challenge, organizer))
        return loaded

    def _limit(self, settings: Settings) -> None:
        if self._limited:
            limits.start(settings["time_limit"], settings["memory_limit"])

    def stopped(self, error: BaseException) -> int:
        """Say which limit ended the run. A submission that cannot be scored within it is invalid."""
        limits.finish()
        stage, findings = self._stages.now, Findings()
        if isinstance(error, limits.TerminatedError):
            findings.add("E-STOPPED", f"the platform ended the run in the stage {stage}", "submit again")
            return self.broken(findings)
        if isinstance(error, MemoryError):
            outcome, code, setting = "memory", "E-LIMIT-MEMORY", "memory_limit"
            problem = f"the run needs more memory than is allowed (stage {stage})"
        else:
            outcome, code, setting = "time", "E-LIMIT-TIME", "time_limit"
            problem = f"the run takes longer than is allowed (stage {stage})"
        # The times stay out of the outputs, which are then the same in every run.
        print(self._stages.line(), file=sys.stderr)
        hint = (
            f"submit less; if your submission is of ordinary size, tell the organizers ({setting} in settings.yaml)"
        )
        findings.add(code, problem, hint)
        if stage in ("start", "reference"):
            return self.broken(findings)
        return self._invalid(outcome, findings)

    def broken(self, findings: Findings) -> int:
        """Say what is wrong on the organizer's side."""
        self._write_failed("broken", BROKEN, findings, page.broken_page(self.challenge.title, findings.lines()))
        print("The organizer's side is broken, nothing was scored:", *findings.lines(), sep="\n", file=sys.stderr)
        return self.exit_code

    def _invalid(self, outcome: str, findings: Findings) -> int:
        self._write_failed(outcome, INVALID, findings, page.invalid_page(self.challenge, findings))
        head = f"The submission to {self.challenge.id} is invalid and was not scored:"
        print(head, *findings.lines(), sep="\n", file=sys.stderr)
        return self.exit_code

    def _write_failed(self, outcome: str, exit_code: int, findings: Findings, html: str) -> None:
        self.exit_code = exit_code
        files.write_atomic(self._output / files.DETAIL_HTML, html)
        text = data.failed_json(outcome, exit_code, findings, self._stages.seconds)
        files.write_atomic(self._output / files.DETAIL_JSON, text)

    def _report(self, result: Result, line: str, time_limit: float) -> None:
        if self._stages.total > _NEAR * time_limit:
            text = f"the run came near its time limit of {time_limit:g} s"
            result = replace(result, notes=[*result.notes, Note("N-LIMIT-TIME", text)])
        html = page.result_page(self.challenge, result, line)
        text = data.result_json(result, line, self._stages.seconds)
        limits.finish()
        files.write_atomic(self._output / files.DETAIL_HTML, html)
        files.write_atomic(self._output / files.DETAIL_JSON, text)
        files.write_scores(self._output, result.scores)
        print(line)
        for key, value in result.scores.items():
            print(f"{key}: {files.plain_number(value)}")
        for note in result.notes:
            print(f"note {note.line()}")
        for loss in result.losses:
            print(f"loss {loss.fix}: {files.plain_number(round(loss.points, 6))}")
        print(self._stages.line())


def _without_places(challenge: Challenge, organizer: Findings) -> Findings:
    """Return the problems of a reference without anything that it holds."""
    codes = ", ".join(sorted({problem.code for problem in organizer.problems}))
    findings = Findings()
    problem = f"{codes}: the reference data has {organizer.total} problems"
    hint = f"the organizers see them with python -m organizer prepare {challenge.id} --source DIR --output DIR"
    findings.add("E-REF", problem, hint)
    return findings
