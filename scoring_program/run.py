"""One run: load the reference, read and score a submission, write the outputs.

`run` is the one place where a run ends, however it ends: it catches, and it writes every output once. `main`
is the command line of ``score.py``: INPUT holds ``ref/`` (the hidden reference) and ``res/`` (the
submission). Exit codes: 0 scored; 1 the submission is invalid; 2 the organizer's side is broken; 3, at home
only: the submission is valid, and nothing in the reference matches it.
"""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from scoring_program.disclosure import shown_seconds
from scoring_program.report import outputs, page
from scoring_program.result import FULL, SUMMARY, Result, Shown
from scoring_program.scoring import AnyLoaded, load_reference, place_of
from scoring_program.settings import Settings
from scoring_program.task import PACKAGES_OF_IMAGE, Task, load_task, missing_packages, task_ids
from validator import console, hidden_log, limits
from validator.findings import Findings, Note, Refused, note_lines, watch_collections
from validator.items import ITEMS_NONE
from validator.limits import shortage_of
from validator.submission import Source
from validator.texts import counted

SCORED, INVALID, BROKEN, NOTHING_TO_SCORE = 0, 1, 2, 3
_NEAR = 0.8
# Bytes that every run needs besides its libraries, which take about 100 MB, and more on many cores.
_LEAST_MEMORY = 100 << 20
# Stages in which a time-out or a lack of memory is the organizer's.
_ORGANIZERS_STAGES = ("start", "reference")
_USAGE = "usage: score.py INPUT OUTPUT --task ID; where there is one task alone, without it. Tasks:"
# What the first line of the log says in words.
_IN_WORDS = ("score_low", "score_high")


@dataclass(frozen=True)
class Outcome:
    """How a run ended: ``name`` is scored, invalid, time, memory, broken, or nothing_to_score.

    ``result`` is None unless the submission was scored, and then has a ``signature``; ``findings`` hold
    nothing of the reference; ``times`` says in a line how long each stage took.
    """

    name: str
    exit_code: int
    result: Result | None = None
    findings: Findings = field(default_factory=Findings)
    signature: str = ""
    times: str = ""


class _Clock:
    """The stages of a run: ``stage`` is the present one; ``loaded`` is set once the reference is read.

    ``at_home`` is that of `run`.
    """

    def __init__(self, at_home: bool) -> None:
        self.stage = "start"
        self.loaded: AnyLoaded | None = None
        self.at_home = at_home
        self._seconds_of_stage: dict[str, float] = {}
        self._run_began = self._stage_began = time.perf_counter()

    def begin(self, stage: str) -> None:
        """End the stage before and begin this one."""
        now = time.perf_counter()
        self._seconds_of_stage[self.stage] = now - self._stage_began
        self.stage = stage
        self._stage_began = now

    @property
    def is_organizers(self) -> bool:
        """Whether what goes wrong now is not due to the submission."""
        return self.stage in _ORGANIZERS_STAGES

    @property
    def fault(self) -> str:
        """Whose fault it is if a run fails now for no fault of the submission."""
        if not self.at_home:
            return page.ORGANIZERS_SIDE
        return page.UNUSABLE if self.is_organizers else page.FAILED

    @property
    def detail(self) -> str:
        """The level of detail; until the reference is read, that of hidden data."""
        return SUMMARY if self.loaded is None else self.loaded.settings["detail"]

    @property
    def total(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._run_began

    def seconds(self) -> dict[str, float]:
        """Return the seconds until now as they may be shown, of each stage or in total."""
        stage_seconds = time.perf_counter() - self._stage_began
        seconds_of_stage = {**self._seconds_of_stage, self.stage: stage_seconds}
        return shown_seconds(seconds_of_stage, self.detail)

    def line(self) -> str:
        """Return the seconds as text."""
        times = [f"{stage} {_seconds_text(seconds)}" for stage, seconds in self.seconds().items()]
        return "time: " + ", ".join(times)


def _seconds_text(seconds: float) -> str:
    return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.2f} s"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    task_id, inputs, output = _read_command(sys.argv[1:] if arguments is None else arguments)
    limits.watch_termination()
    # Which line warns may depend on hidden labels.
    warnings.simplefilter("ignore")
    return run(
        partial(load_folder, task_id, inputs / "ref", is_limited=True), inputs / "res", output
    ).exit_code


def _read_command(arguments: Sequence[str]) -> tuple[str, Path, Path]:
    """Return the task, and the folders of the input and the output, or exit with the usage."""
    words = list(arguments)
    ids = task_ids()
    if "--task" in words:
        place = words.index("--task")
        ids = [task_id for task_id in ids if task_id in words[place + 1 : place + 2]]
        del words[place : place + 2]
    if len(words) == 2 and len(ids) == 1:
        return ids[0], Path(words[0]), Path(words[1])
    console.say(f"{_USAGE} {', '.join(task_ids())}", to=sys.stderr)
    raise SystemExit(BROKEN)


def load_folder(
    task_id: str, folder: Path, overrides: Settings | None = None, is_limited: bool = False
) -> AnyLoaded:
    """Read a reference folder for a run. Raises Refused, with its content only if the detail level is full.

    It is refused as well if a package is missing that the task needs.

    ``overrides`` replace settings of the folder, for practice at home; ``is_limited`` says whether to set the
    limits of the settings for this process, and to discard what an evaluator of hidden data prints.
    """
    _require_packages(task_id)
    task = load_task(task_id)
    settings = task.settings(folder, overrides)
    if is_limited:
        limits.start(settings["time_limit"], settings["memory_limit"])
        # The linear algebra of numpy ends the process where it cannot have its buffers.
        limits.require_memory(_LEAST_MEMORY)
        if task.evaluator and settings["detail"] != FULL:
            console.mute()
    try:
        return load_reference(task, folder, settings)
    except Refused as refused:
        if settings["detail"] == FULL:
            raise
        _refuse_hidden(task, refused.findings)


def _require_packages(task_id: str) -> None:
    """Raise Refused if a package is missing that the task needs besides those that ``score.py`` asks for."""
    missing_names = missing_packages(task_id)
    if missing_names:
        problem = f"this interpreter cannot import {', '.join(missing_names)}"
        image = "docker_image: codalab/codalab-legacy:py312"
        if not PACKAGES_OF_IMAGE.issuperset(missing_names):
            image = "docker_image to one that has what the task needs"
        remedy = f"on the platform, set {image} in competition.yaml; at home, "
        remedy += "install the starting kit with python -m pip install . in its folder"
        Findings().refuse("E-PYTHON", problem, remedy)


def _refuse_hidden(task: Task, findings: Findings) -> NoReturn:
    """Refuse a reference with these problems, without a word on its content."""
    codes = ", ".join(sorted({problem.code for problem in findings.problems}))
    problem = f"{codes}: the reference data has {counted(findings.total, 'problem')}"
    command = f"python -m organizer prepare {task.id} --source DIR --output DIR"
    Findings().refuse("E-REF", problem, f"the organizers see them with {command}")


def run(
    load: Callable[[], AnyLoaded],
    submission: Source,
    output: Path,
    at_home: bool = False,
) -> Outcome:
    """Score one submission and write all outputs; scores only if the exit code is 0.

    ``load`` returns the task with its reference, or raises Refused; ``submission`` is a zip file, a folder
    with its files or with a single zip, or its files in memory; ``output`` is made if needed; ``at_home``
    says that the reference is the participant's, and that the caller prints what was scored.
    """
    clock = _Clock(at_home)
    with watch_collections() as unfinished:
        try:
            outputs.begin(output, page.running_page())
            outcome = _score(load, submission, clock)
            _publish(outcome, clock, output)
            outcome = replace(outcome, times=clock.line())
        except (Exception, limits.StoppedError) as error:
            outcome = _end_after(error, unfinished, clock, output)
        finally:
            limits.finish()
    return outcome


def _score(load: Callable[[], AnyLoaded], submission: Source, clock: _Clock) -> Outcome:
    """Load, read, and score; the clock runs along."""
    clock.begin("reference")
    try:
        clock.loaded = loaded = load()
    except Refused as refused:
        return Outcome("broken", BROKEN, findings=refused.findings)
    clock.begin("submission")
    try:
        reading = loaded.read(submission)
    except Refused as refused:
        findings = loaded.explain(refused.findings)
        if clock.at_home and any(problem.code == ITEMS_NONE for problem in findings.problems):
            return Outcome("nothing_to_score", NOTHING_TO_SCORE, findings=findings)
        return Outcome("invalid", INVALID, findings=findings)
    result = loaded.score(reading, clock.begin)
    clock.begin("report")
    time_limit = loaded.settings["time_limit"]
    if clock.total > _NEAR * time_limit:
        text = f"the run came near its time limit of {time_limit:g} s"
        result = replace(result, notes=[*result.notes, Note("N-LIMIT-TIME", text)])
    return Outcome("scored", SCORED, result, signature=loaded.signature)


def _end_after(error: BaseException, unfinished: Sequence[Findings], clock: _Clock, output: Path) -> Outcome:
    """Report why a run ended without a result; ``unfinished`` holds what its readers had found until then."""
    if isinstance(error, console.OutputError):
        return _end_unwritten(error, output)
    is_stopped = isinstance(error, limits.StoppedError) or limits.is_out_of_memory(error)
    if is_stopped:
        limits.release(error)
        outcome = _stopped(error, unfinished, clock)
    else:
        outcome = _broken(error, clock)
    is_terminated = isinstance(error, limits.TerminatedError)
    try:
        _publish(outcome, clock, output, with_times=is_stopped and not is_terminated)
    except console.OutputError as unwritten:
        return _end_unwritten(unwritten, output)
    except MemoryError:  # not even the page of a failure fits
        _remove_scores(output)
        raise
    return outcome


def _broken(error: BaseException, clock: _Clock) -> Outcome:
    """Say what the machine lacks, or that the program is wrong, and where if nothing is hidden.

    Which line fails may depend on hidden labels.
    """
    findings = Findings()
    shortage = shortage_of(error)
    if isinstance(error, Refused):
        # An evaluator of one's own failed.
        findings = error.findings
    elif shortage is not None:
        findings.add(*shortage)
    elif clock.at_home or clock.detail == FULL:
        findings.add("E-INTERNAL", place_of(error), "report it to the maintainers of the scoring program")
    else:
        hidden_log.write(hidden_log.exception_text(error))
        findings.add("E-INTERNAL", "the scoring program failed", "organizers: dry-run and rescore say where")
    return Outcome("broken", BROKEN, findings=findings)


def _end_unwritten(error: console.OutputError, output: Path) -> Outcome:
    """Say on the log alone that the outputs cannot be written."""
    console.report(error)
    _remove_scores(output)
    return Outcome("broken", BROKEN)


def _remove_scores(output: Path) -> None:
    with contextlib.suppress(console.OutputError):
        outputs.remove_scores(output)


def _stopped(error: BaseException, unfinished: Sequence[Findings], clock: _Clock) -> Outcome:
    """Say which limit ended the run. A submission that cannot be scored within it is invalid."""
    findings = Findings()
    if isinstance(error, limits.TerminatedError):
        problem = f"the platform ended the run in the stage {clock.stage}"
        findings.add("E-STOPPED", problem, "submit again")
        return Outcome("broken", BROKEN, findings=findings)
    outcome, code, excess = "time", "E-LIMIT-TIME", "takes longer"
    if limits.is_out_of_memory(error):
        outcome, code, excess = "memory", "E-LIMIT-MEMORY", "needs more memory"
    setting = f"{outcome}_limit in settings.yaml"
    problem = f"the run {excess} than is allowed (stage {clock.stage})"
    if clock.is_organizers:
        findings.add(code, problem, f"raise {setting}, or the limits of the container")
        return Outcome("broken", BROKEN, findings=findings)
    ask = f"if your submission is of ordinary size, write to the organizers ({setting})"
    findings.add(code, problem, f"submit less; {ask}")
    for collection in unfinished:
        findings.extend(collection)
    return Outcome(outcome, INVALID, findings=findings)


def _publish(outcome: Outcome, clock: _Clock, output: Path, with_times: bool = False) -> None:
    """Write the outputs of a run, and print its log. Raises OutputError.

    The times of a run that was stopped stay out of the outputs, which are then the same in every run.
    """
    loaded, result = clock.loaded, outcome.result
    if loaded is not None and result is not None:
        html = page.result_page(loaded.task, result.shown, result.notes)
        detail = outputs.result_json(result.shown, result.notes, clock.seconds())
        log = [] if clock.at_home else _log_of_result(loaded.task, result.shown, result.notes, clock)
        limits.finish()
        outputs.write_scored(output, html, detail, result.scores)
        if log:
            console.say(*log)
        return
    findings = outcome.findings
    detail = outputs.failed_json(outcome.name, outcome.exit_code, findings, clock.seconds())
    html, head = _page_of_failure(outcome, clock)
    log = [head, *note_lines(findings.notes), *findings.lines()]
    if with_times:
        log.insert(0, clock.line())
    limits.finish()
    outputs.write_failed(output, html, detail)
    console.say(*log, to=sys.stderr)


def _page_of_failure(outcome: Outcome, clock: _Clock) -> tuple[str, str]:
    """Return the page of a run without a score, and the first line of its log."""
    task = clock.loaded.task if clock.loaded else None
    if task is not None and outcome.exit_code == INVALID:
        head = f"The submission to {task.id} is invalid and was not scored:"
        return page.invalid_page(task, outcome.findings), head
    fault = page.NO_MATCH if outcome.exit_code == NOTHING_TO_SCORE else clock.fault
    title = task.title if task else page.NO_TASK
    return page.broken_page(outcome.findings.lines(), title, fault), f"{fault}, nothing was scored:"


def _log_of_result(task: Task, shown: Shown, notes: Sequence[Note], clock: _Clock) -> list[str]:
    scores = [
        f"{key}: {outputs.plain_number(score)}" for key, score in shown.scores.items() if key not in _IN_WORDS
    ]
    scores += [f"mark: {mark.text} {outputs.plain_number(mark.score)}" for mark in shown.marks]
    costs = [f"error cost: {title} {points}" for title, points in page.cost_rows(task, shown)]
    if costs and any(note.is_mistake for note in notes):
        costs.insert(0, page.COSTS_AS_READ)
    score_line = page.score_line(task, shown)
    return [shown.signature, score_line, *scores, *note_lines(notes), *costs, clock.line()]


if __name__ == "__main__":
    sys.exit(main())
