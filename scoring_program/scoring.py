"""One run, from the folders of the platform to the outputs: ``score_folder`` and the command line of
``score.py``.

It knows the platform's folders and nothing about any metric. INPUT holds ``ref/`` (the hidden reference) and
``res/`` (the submission). Exit codes: 0 scored; 1 the submission is invalid; 2 the organizer's side is
broken.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program import plausibility
from scoring_program.challenge import AnyProgram, Challenge, Settings, challenge_ids, load_challenge
from scoring_program.disclosure import disclosed, rounded
from scoring_program.metrics import resampling
from scoring_program.metrics.arrays import Floats
from scoring_program.report import data, files, page
from scoring_program.result import Interval, Loss, Result, Statistics
from scoring_program.settings import read_settings
from scoring_program.signature import reference_hash, signature
from validator import console, limits
from validator.findings import Findings, Note, counted

HERE = Path(__file__).resolve().parent
SCORED, INVALID, BROKEN = 0, 1, 2
_NEAR = 0.8
# Of intervals and losses: so many are equal on every machine.
_DECIMALS = 6


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    parser = argparse.ArgumentParser(
        description="Score INPUT/res against INPUT/ref and write the scores to OUTPUT."
    )
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
    reference, submission = options.input / "ref", options.input / "res"
    return score_folder(
        options.challenge, reference, submission, options.output, options=Options(limited=True)
    )


@dataclass(frozen=True)
class Loaded:
    """A reference folder that was read once, to score several submissions with it."""

    settings: Settings
    ground_truth: Any
    signature: str


def load_reference(
    challenge: Challenge, folder: Path, settings: Settings, findings: Findings
) -> Loaded | None:
    """Read a reference folder; None after a problem, which goes to ``findings``."""
    program = challenge.program()
    ground_truth = program.load_reference(folder, settings, findings)
    if not findings.ok:
        return None
    return Loaded(settings, ground_truth, run_signature(challenge, folder, ground_truth, settings))


def run_settings(
    challenge: Challenge, folder: Path, overrides: Settings, findings: Findings
) -> dict[str, Any]:
    """Return a value for every setting: those of the reference folder, replaced by ``overrides``."""
    if not folder.is_dir():
        findings.add(
            "E-REF-MISSING", "there is no reference folder", "the organizers must attach the reference data"
        )
        return {}
    return {**read_settings(folder, challenge.settings, findings), **overrides}


@dataclass(frozen=True)
class Options:
    """How a run is done.

    Attributes
    ----------
    limited : bool
        Whether to set the limits of the settings for this process.
    strict : bool
        Whether to refuse a reference with a mistake that makes scoring pointless.
    on_result : callable, optional
        Called with the result of a scored submission, for printing more of it.
    """

    limited: bool = False
    strict: bool = False
    on_result: Callable[[Result], None] | None = None


_DEFAULT_OPTIONS = Options()


def score_folder(
    challenge_id: str,
    reference: Path | Loaded,
    submission: Path,
    output: Path,
    overrides: Settings | None = None,
    options: Options = _DEFAULT_OPTIONS,
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
    options : Options

    Returns
    -------
    int
        The exit code. Scores are written only if it is 0.
    """
    run = _Run(challenge_id, output, dict(overrides or {}), options)
    try:
        files.make_folder(output)
        files.remove_scores(output)
        files.write_atomic(output / files.DETAIL_HTML, page.running_page(run.challenge))
        result = run.score(reference, submission)
        if result is not None and options.on_result:
            options.on_result(result)
        return run.exit_code
    except console.OutputError as error:
        return _unwritable(output, error)
    except (Exception, limits.StoppedError) as error:
        try:
            return _explain(run, error)
        except console.OutputError as unwritable:
            return _unwritable(output, unwritable)
    finally:
        limits.finish()


def _explain(run: _Run, error: BaseException) -> int:
    """Say why a run ended with an exception."""
    if isinstance(error, limits.StoppedError) or limits.is_out_of_memory(error):
        limits.release(error)
        return run.stopped(error)
    # The message of an exception may hold reference data; its type and our own line do not.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    for entry in traceback.extract_tb(error.__traceback__):
        if Path(entry.filename).resolve().is_relative_to(HERE):
            frame = entry
    problem = f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"
    findings = Findings()
    findings.add("E-INTERNAL", problem, "report it to the maintainers of the scoring program")
    return run.broken(findings)


def _unwritable(output: Path, error: console.OutputError) -> int:
    """Report in one line what cannot be written, and remove any scores."""
    console.complain(error)
    with contextlib.suppress(console.OutputError):
        files.remove_scores(output)
    return BROKEN


def scored_result(
    challenge: Challenge,
    reference: Any,
    submission: Any,
    settings: Settings,
    notes: Sequence[Note] = (),
    begin: Callable[[str], None] = lambda stage: None,
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
    begin : callable
        Called with the name of each stage as it begins.
    """
    program, detail = challenge.program(), settings["detail"]
    begin("score")
    statistics = program.measure(reference, submission, settings)
    scores = program.scores(statistics)
    begin("interval")
    replicates = _replicates(program, statistics) if settings["interval"] else np.zeros(0)
    interval = _interval(replicates, scores["score"], len(statistics.items))
    if interval:
        scores |= {"score_low": round(interval.low, _DECIMALS), "score_high": round(interval.high, _DECIMALS)}
    begin("notes")
    mistakes = plausibility.notes(challenge.plausibility(), reference, submission, settings, scores["score"])
    begin("losses")
    hidden = detail == "none"
    losses = [] if hidden else _losses(program, statistics, scores["score"])
    begin("report")
    sections = [] if hidden else disclosed(challenge.sections()(reference, submission, statistics), detail)
    all_notes = [*mistakes, *notes, *statistics.notes]
    result = Result(scores, statistics, replicates, interval, losses, sections, all_notes)
    # All outputs have at most 10 decimals anyway.
    return (
        rounded(result, settings["score_decimals"]) if settings["score_decimals"] < files.DECIMALS else result
    )


def run_signature(challenge: Challenge, folder: Path, reference: Any, settings: Settings) -> str:
    """Return the signature of scores against a reference that was loaded from ``folder``."""
    program = challenge.program()
    digest = program.reference_digest(reference) or reference_hash(folder)
    return signature(challenge.id, settings, challenge.settings, digest, program.signature_parts(reference))


def _replicates(program: AnyProgram, statistics: Statistics) -> Floats:
    n = len(statistics.items)
    blocks = resampling.draw_blocks(n) if n else ()
    return np.concatenate([np.zeros(0), *(program.reduce(statistics, weights) for weights in blocks)])


def _interval(replicates: Floats, score: float, n_items: int) -> Interval | None:
    if not len(replicates):
        return None
    low, high = resampling.percentile_interval(replicates) if n_items > 1 else (score, score)
    return Interval(low, high, len(replicates), n_items)


def _losses(program: AnyProgram, statistics: Statistics, score: float) -> list[Loss]:
    """Return what each kind of error costs, the largest loss first."""
    # Rounded, because the last bits must not decide the order or show a loss of -0.0; adding zero makes that
    # 0.0.
    fixed = program.losses(statistics).items()
    losses = [Loss(fix, value, round(value - score, files.DECIMALS) + 0.0) for fix, value in fixed]
    return sorted(losses, key=lambda loss: -loss.points)


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
    """One run: what it writes and prints, however it ends."""

    def __init__(self, challenge_id: str, output: Path, overrides: Settings, options: Options) -> None:
        self.exit_code = SCORED
        self._challenge_id = challenge_id
        self._output, self._overrides, self._options = output, overrides, options
        self._stages = _Stages()

    @cached_property
    def challenge(self) -> Challenge:
        """The challenge, loaded when it is first asked for: a run may be stopped while that happens."""
        return load_challenge(self._challenge_id)

    def score(self, reference: Path | Loaded, submission: Path) -> Result | None:
        """Score a submission and write the outputs; None, after saying why, if it could not be scored."""
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
        begin, ground_truth = self._stages.begin, loaded.ground_truth
        result = scored_result(self.challenge, ground_truth, prediction, settings, findings.notes, begin)
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
        if loaded and self._options.strict:
            self.challenge.program().check_reference(folder, settings, loaded.ground_truth, organizer)
        if not organizer.ok:
            in_full = settings["detail"] == "full"
            self.broken(organizer if in_full else _without_places(self.challenge, organizer))
            return None
        return loaded

    def _limit(self, settings: Settings) -> None:
        if self._options.limited:
            limits.start(settings["time_limit"], settings["memory_limit"])

    def stopped(self, error: BaseException) -> int:
        """Say which limit ended the run. A submission that cannot be scored within it is invalid."""
        stage, findings = self._stages.now, Findings()
        if isinstance(error, limits.TerminatedError):
            findings.add("E-STOPPED", f"the platform ended the run in the stage {stage}", "submit again")
            return self.broken(findings)
        if limits.is_out_of_memory(error):
            outcome, code, setting = "memory", "E-LIMIT-MEMORY", "memory_limit"
            problem = f"the run needs more memory than is allowed (stage {stage})"
        else:
            outcome, code, setting = "time", "E-LIMIT-TIME", "time_limit"
            problem = f"the run takes longer than is allowed (stage {stage})"
        # The times stay out of the outputs, which are then the same in every run.
        console.say(self._stages.line(), to=sys.stderr)
        ask = f"if your submission is of ordinary size, tell the organizers ({setting} in settings.yaml)"
        findings.add(code, problem, f"submit less; {ask}")
        return self.broken(findings) if stage in ("start", "reference") else self._invalid(outcome, findings)

    def broken(self, findings: Findings) -> int:
        """Say what is wrong on the organizer's side."""
        self._write_failed(
            "broken", BROKEN, findings, page.broken_page(self.challenge.title, findings.lines())
        )
        console.say("The organizer's side is broken, nothing was scored:", *findings.lines(), to=sys.stderr)
        return self.exit_code

    def _invalid(self, outcome: str, findings: Findings) -> int:
        self._write_failed(outcome, INVALID, findings, page.invalid_page(self.challenge, findings))
        head = f"The submission to {self.challenge.id} is invalid and was not scored:"
        console.say(head, *findings.lines(), to=sys.stderr)
        return self.exit_code

    def _write_failed(self, outcome: str, exit_code: int, findings: Findings, html: str) -> None:
        self.exit_code = exit_code
        files.remove_scores(self._output)
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
        scores = [f"{key}: {files.plain_number(value)}" for key, value in result.scores.items()]
        notes = [f"note {note.line()}" for note in result.notes]
        losses = [
            f"loss {loss.fix}: {files.plain_number(round(loss.points, _DECIMALS))}" for loss in result.losses
        ]
        console.say(line, *scores, *notes, *losses, self._stages.line())


def _without_places(challenge: Challenge, organizer: Findings) -> Findings:
    """Return the problems of a reference without anything that it holds."""
    codes = ", ".join(sorted({problem.code for problem in organizer.problems}))
    findings = Findings()
    problem = f"{codes}: the reference data has {counted(organizer.total, 'problem')}"
    hint = (
        f"the organizers see them with python -m organizer prepare {challenge.id} --source DIR --output DIR"
    )
    findings.add("E-REF", problem, hint)
    return findings
