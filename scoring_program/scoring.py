"""One run, from the folders of the platform to the outputs: ``score_folder`` and the command line of ``score.py``.

Knows the platform's folders and nothing of any metric. INPUT holds ``ref/`` (the hidden reference) and
``res/`` (the submission). Exit codes: 0 scored; 1 the submission is invalid; 2 the organizer's side is broken.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring_program.challenge import Challenge, challenge_ids, load_challenge
from scoring_program.report import files, page
from scoring_program.result import Result
from scoring_program.settings import read_settings
from scoring_program.signature import reference_hash, signature
from validator import console, limits
from validator.findings import Findings

HERE = Path(__file__).resolve().parent
SCORED, INVALID, BROKEN = 0, 1, 2
_NEAR = 0.8


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
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


def score_folder(
    challenge_id: str,
    reference: Path,
    submission: Path,
    output: Path,
    overrides: Mapping[str, Any] | None = None,
    on_result: Callable[[Result], None] | None = None,
    limited: bool = False,
) -> int:
    """Score one submission and write all outputs.

    Parameters
    ----------
    challenge_id : str
        The challenge.
    reference : Path
        The reference folder.
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
    stages = _Stages()
    try:
        files.make_folder(output)
        challenge = load_challenge(challenge_id)
        files.write_atomic(output / files.DETAIL_HTML, page.running_page(challenge))
        return _score(challenge, reference, submission, output, dict(overrides or {}), on_result, stages, limited)
    except console.OutputError as error:
        return _unwritable(output, error)
    except (Exception, limits.StoppedError) as error:
        try:
            return _explain(challenge_id, output, error, stages)
        except console.OutputError as unwritable:
            return _unwritable(output, unwritable)
    finally:
        limits.finish()


def _explain(challenge_id: str, output: Path, error: BaseException, stages: _Stages) -> int:
    """Say why a run ended with an exception."""
    if isinstance(error, limits.StoppedError) or limits.is_out_of_memory(error):
        limits.release(error)
        files.remove_scores(output)
        return _stopped(load_challenge(challenge_id), output, error, stages)
    # The message of an exception may hold reference data; its type and our own line do not.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    for entry in traceback.extract_tb(error.__traceback__):
        if Path(entry.filename).resolve().is_relative_to(HERE):
            frame = entry
    place = f"{Path(frame.filename).name} line {frame.lineno} in {frame.name}"
    files.remove_scores(output)
    return _broken(challenge_id, output, [f"E-INTERNAL: {type(error).__name__} in {place}"])


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

    def line(self) -> str:
        """Return the seconds of all stages as text."""
        seconds = {**self._seconds, self.now: time.perf_counter() - self._since}
        return "time: " + ", ".join(f"{stage} {spent:.2f} s" for stage, spent in seconds.items())


def _score(
    challenge: Challenge,
    reference: Path,
    submission: Path,
    output: Path,
    overrides: dict[str, Any],
    on_result: Callable[[Result], None] | None,
    stages: _Stages,
    limited: bool,
) -> int:
    program = challenge.program()
    organizer = Findings()
    if not reference.is_dir():
        organizer.add(
            "E-REF-MISSING", "there is no reference folder", "the organizers must attach the reference data"
        )
        return _broken(challenge.title, output, organizer.lines())
    settings = {**read_settings(reference, challenge.settings, organizer), **overrides}
    if not organizer.ok:
        return _broken(challenge.title, output, organizer.lines())
    if limited:
        limits.start(settings["time_limit"], settings["memory_limit"])
    stages.begin("reference")
    ground_truth = program.load_reference(reference, settings, organizer)
    if not organizer.ok:
        return _broken(challenge.title, output, _reference_lines(challenge, organizer, settings["detail"] == "full"))
    stages.begin("submission")
    findings = Findings()
    prediction = program.read_submission(submission, ground_truth, findings)
    if not findings.ok:
        return _invalid(challenge, output, findings)
    stages.begin("score")
    result = program.score(ground_truth, prediction, settings)
    stages.begin("report")
    # Some programs have a part of their own in the signature.
    parts = getattr(program, "signature_parts", None)
    further = parts(ground_truth) if parts else {}
    digest = getattr(program, "reference_digest", None)
    hashed = digest(ground_truth) if digest else ""
    line = signature(challenge.id, settings, challenge.settings, hashed or reference_hash(reference), further)
    if stages.total > _NEAR * settings["time_limit"]:
        text = f"the run came near its time limit of {settings['time_limit']:g} s; {stages.line()}"
        findings.note("N-LIMIT-TIME", text)
    html = page.result_page(challenge, result, line, findings)
    limits.finish()
    files.write_atomic(output / files.DETAIL_HTML, html)
    files.write_scores(output, result.scores)
    scores = [f"{key}: {files.plain_number(value)}" for key, value in result.scores.items()]
    notes = [f"note {note}" for note in [*(note.line() for note in findings.notes), *result.notes]]
    console.say(line, *scores, *notes, stages.line())
    if on_result:
        on_result(result)
    return SCORED


def _stopped(challenge: Challenge, output: Path, error: BaseException, stages: _Stages) -> int:
    """Say which limit ended the run. A submission that cannot be scored within it is invalid."""
    if isinstance(error, limits.TerminatedError):
        return _broken(challenge.title, output, [f"E-STOPPED: the platform ended the run in the stage {stages.now}"])
    if limits.is_out_of_memory(error):
        code, setting = "E-LIMIT-MEMORY", "memory_limit"
        problem = f"the run needs more memory than is allowed (stage {stages.now})"
    else:
        code, setting = "E-LIMIT-TIME", "time_limit"
        problem = f"the run takes longer than is allowed; {stages.line()}"
    findings = Findings()
    hint = f"submit less; if your submission is of ordinary size, tell the organizers ({setting} in settings.yaml)"
    findings.add(code, problem, hint)
    if stages.now in ("start", "reference"):
        return _broken(challenge.title, output, findings.lines())
    return _invalid(challenge, output, findings)


def _invalid(challenge: Challenge, output: Path, findings: Findings) -> int:
    files.write_atomic(output / files.DETAIL_HTML, page.invalid_page(challenge, findings))
    head = f"The submission to {challenge.id} is invalid and was not scored:"
    console.say(head, *findings.lines(), to=sys.stderr)
    return INVALID


def _reference_lines(challenge: Challenge, findings: Findings, in_full: bool) -> list[str]:
    if in_full:
        return findings.lines()
    codes = ", ".join(sorted({problem.code for problem in findings.problems}))
    return [
        f"{codes}: the reference data has {findings.total} problems; the organizers see them with "
        f"python -m organizer prepare {challenge.id} --source DIR --output DIR"
    ]


def _broken(title: str, output: Path, lines: list[str]) -> int:
    files.write_atomic(output / files.DETAIL_HTML, page.broken_page(title, lines))
    console.say("The organizer's side is broken, nothing was scored:", *lines, to=sys.stderr)
    return BROKEN


def _unwritable(output: Path, error: console.OutputError) -> int:
    """Say in one line what cannot be written; no scores are left that nobody was told of."""
    console.complain(error)
    with contextlib.suppress(console.OutputError):
        files.remove_scores(output)
    return BROKEN
