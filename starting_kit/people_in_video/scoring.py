"""Scoring, checking and converting a submission at home, from Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from people_in_video.errors import ReferenceProblemsError, SubmissionError, submission_error
from people_in_video.gathering import Arguments, Gathered, named_calls
from people_in_video.home_loaded import AnyHomeLoaded
from people_in_video.public_data import PublicData, check_with_public_data, load_public_data
from people_in_video.references.loading import HOME_SETTINGS, check_task, load_items, require_path
from people_in_video.result import Score, make_score
from people_in_video.tools.conversion import (
    LAST_NUMBER,
    UNITS,
    ConversionOptions,
    convert_file,
    is_table,
    read_tool_file,
)
from scoring_program.settings import SettingValue
from validator.checking import check_submission
from validator.findings import Findings, Note, Refused


def score(
    task: str,
    submission: str | Path | Iterable[Arguments],
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    items: Iterable[str] | None = None,
    **settings: SettingValue,
) -> Score:
    """Check and score a submission; a second call with the same reference does not read it again.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path, data frame, mapping, or iterable of tuple or dict
        A zip file, or a folder with its files; a file or a table of another tool that `convert` takes; or
        predictions in memory: each the arguments of one call of `Evaluator.update`, or a mapping of items to
        the other arguments of their calls.
    reference : path, optional
        A folder with ground truth in the organizers' file formats; by default the demo reference of the kit.
    cache : path, optional
        Where references that need preparing are kept; by default the user's cache folder.
    items : iterable of str, optional
        The only items of the reference that are scored; the signature says so.
    **settings
        Replace those of the reference folder, as ``protocol="released"``.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why, and of predictions which argument.
    NothingToScoreError
        The submission is valid, and nothing in the reference matches it.
    ReferenceProblemsError
        The reference or a setting is not valid; ``problems`` lists why.
    FileNotFoundError
        There is no such submission, or no such reference.
    ValueError
        There is no such task, or no such item.
    """
    loaded = load_items(task, reference, cache, items, {**HOME_SETTINGS, **settings})
    try:
        if isinstance(submission, (str, Path)) or is_table(submission):
            return _score_file(loaded, submission)
        return _score_in_memory(loaded, submission)
    except Refused as refused:
        raise submission_error(loaded.explain(refused.findings)) from None


def check(task: str, submission: str | Path, public: str | Path | None = None) -> list[Note]:
    """Check that a submission is well-formed, and return notes on it.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path
        A zip file, or a folder with its files.
    public : path, optional
        The public data of the task, a zip file or a folder: ids, frames, sizes and names are compared with
        it. Without it they are not checked.

    Raises
    ------
    SubmissionError
        The submission is not valid; ``problems`` lists why.
    ReferenceProblemsError
        The public data cannot be read, or is that of another task.
    FileNotFoundError
        There is no such submission, or no such public data.
    ValueError
        There is no such task.
    """
    check_task(task)
    require_path(Path(submission))
    if public is None:
        findings = check_submission(task, Path(submission))
    else:
        findings = check_with_public_data(load_public(task, public), Path(submission))
    if not findings.ok:
        raise SubmissionError(findings)
    return findings.notes


def load_public(task: str, public: str | Path) -> PublicData:
    """Return the public data of a task. Raises ReferenceProblemsError, FileNotFoundError."""
    require_path(Path(public))
    try:
        return load_public_data(task, Path(public))
    except Refused as refused:
        raise ReferenceProblemsError(refused.findings) from None


def _score_file(loaded: AnyHomeLoaded, source: Any) -> Score:
    """Return the score of a submission, or of what another tool wrote. Raises Refused."""
    source = Path(source) if isinstance(source, str) else source
    if isinstance(source, Path):
        require_path(source)
    with read_tool_file(loaded.task.id, source) as submission:
        result = loaded.score_path(submission.path)
    return make_score(loaded, replace(result, notes=[*submission.notes, *result.notes]))


def _score_in_memory(loaded: AnyHomeLoaded, submission: Any) -> Score:
    """Return the score of predictions in memory. Raises Refused."""
    gathered = Gathered(loaded)
    with Findings.collect() as findings:
        for call in named_calls(gathered.predictions, submission, findings):
            with findings.part():
                gathered.update(*call)
    return make_score(loaded, gathered.result())


def convert(
    task: str,
    source: str | Path | Any,
    output: str | Path,
    unit: str = UNITS[0],
    public: str | Path | None = None,
    image_id: str = LAST_NUMBER,
) -> list[Note]:
    """Write the submission that a file or a table of another tool is; return what was left out or assumed.

    Nothing is left at ``output`` if it is not valid.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    source : path, or data frame
        What the other tool wrote.
    output : path
        The zip file to write.
    unit : str
        In what starts and ends are given: ``frames``, counted from 1, both included; or ``seconds``.
    public : path, optional
        The public data of the task, a folder or a zip file, which has the frame rates that seconds need.
    image_id : str
        A regular expression whose first group is the id of an image in the name of its file.

    Raises
    ------
    SubmissionError
        The file cannot be converted, or the submission would not be valid; ``problems`` lists why.
    OSError
        The file cannot be read, or nothing can be written there.
    ValueError
        There is no such task, or no such unit.
    """
    check_task(task)
    if unit not in UNITS:
        raise ValueError(f"the unit is {unit!r}; it must be one of {', '.join(UNITS)}")
    options = ConversionOptions(unit, None if public is None else Path(public), image_id)
    source = Path(source) if isinstance(source, str) else source
    try:
        return convert_file(task, source, Path(output), options)
    except Refused as refused:
        raise SubmissionError(refused.findings) from None
