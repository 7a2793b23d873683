"""Scoring, checking and converting a submission at home, from Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from people_in_video.demo_data import demo_reference
from people_in_video.errors import ReferenceProblemsError, SubmissionError, submission_error
from people_in_video.gathering import Gathered, named_calls
from people_in_video.home_loaded import HomeLoaded
from people_in_video.public_data import check_with_public_data, load_public_data
from people_in_video.references.loading import check_task, load_items, require_path
from people_in_video.result import Score, make_score
from people_in_video.tools.conversion import (
    UNITS,
    ConversionOptions,
    Purpose,
    convert_file,
    is_converted,
    read_submission,
)
from scoring_program.result import Result
from scoring_program.settings import SettingValue
from scoring_program.task import Public
from validator.checking import check_submission
from validator.findings import Findings, Note, Refused

# What `score`, `check`, `compare` and `convert` take of a file of another tool.
_CONVERSION = ConversionOptions._fields


def score(
    task: str,
    submission: Any,
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    items: Iterable[str] | None = None,
    **options: Any,
) -> Score:
    """Check and score a submission; a second call with the same reference does not read it again.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path, data frame, mapping, or iterable of tuple or dict
        A zip file, or a folder with its files; a file, a table or a list of another tool that `convert`
        takes; or predictions in memory: each the arguments of one call of `Evaluator.update`, or a mapping of
        items to the other arguments of their calls.
    reference : path, optional
        A folder with ground truth in the organizers' file formats; by default the demo reference of the kit.
    cache : path, optional
        Where references that need preparing are kept; by default the user's cache folder.
    items : iterable of str, optional
        The only items of the reference that are scored; the signature says so.
    **options
        Those of `convert`; seconds become frames with the frame rates of the reference, unless ``public`` is
        given. ``drawings`` is how many of the worst items are drawn, on the page of the score in a notebook.
        Others are settings that replace those of the reference folder, as ``protocol="released"``.

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
    conversion, settings = split_options(options)
    loaded = load_items(task, reference, cache, items, settings)
    try:
        result = result_of(loaded, submission, conversion, reference)
    except Refused as refused:
        raise submission_error(loaded.explain(refused.findings)) from None
    return make_score(loaded, result)


def split_options(options: dict[str, Any]) -> tuple[ConversionOptions, dict[str, SettingValue]]:
    """Return the options of conversion, and the settings beside them. Raises ValueError as `convert`."""
    conversion = {name: value for name, value in options.items() if name in _CONVERSION}
    settings = {name: value for name, value in options.items() if name not in _CONVERSION}
    return conversion_options(**conversion), settings


def conversion_options(**values: Any) -> ConversionOptions:
    """Return options of conversion; paths may be strings. Raises ValueError as `convert`."""
    for name in ("public", "sizes"):
        if values.get(name) is not None:
            values[name] = Path(values[name])
            require_path(values[name])
    options = ConversionOptions(**values)
    if options.unit not in UNITS:
        raise ValueError(f"the unit is {options.unit!r}; it must be one of {', '.join(UNITS)}")
    if options.first_class not in (0, 1):
        raise ValueError(f"first_class is {options.first_class!r}; it must be 0 or 1")
    return options


def result_of(
    loaded: HomeLoaded,
    submission: Any,
    options: ConversionOptions,
    reference: str | Path | None,
) -> Result:
    """Return the result of a submission in any form that `score` takes. Raises Refused, and as `score`."""
    source = Path(submission) if isinstance(submission, str) else submission
    if not isinstance(source, Path) and not is_converted(loaded.task.id, source):
        if not isinstance(source, Iterable):
            kind = type(source).__name__
            raise ValueError(f"the submission is a {kind}; give a path, a table, or predictions in memory")
        return _result_in_memory(loaded, source)
    if isinstance(source, Path):
        require_path(source)
    folder = Path(reference) if reference else demo_reference(loaded.task.id)
    with read_submission(loaded.task.id, source, options, folder) as readable:
        return replace(loaded, conversion_notes=readable.notes).score_path(readable.path)


def _result_in_memory(loaded: HomeLoaded, submission: Any) -> Result:
    """Return the result of predictions in memory. Raises Refused."""
    gathered = Gathered(loaded)
    with Findings.collect() as findings:
        for call in named_calls(gathered.predictions, submission, findings):
            with findings.part():
                gathered.update(*call)
    return gathered.result()


def check(task: str, submission: Any, public: str | Path | None = None, **options: Any) -> list[Note]:
    """Check that a submission is well-formed, and return notes on it.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    submission : path, data frame, or list of dict
        A zip file, or a folder with its files; or what `convert` takes.
    public : path, optional
        The public data of the task, a zip file or a folder: ids, frames, sizes and names are compared with
        it. Without it they are not checked.
    **options
        Those of `convert`.

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
    conversion = conversion_options(public=public, **options)
    source = Path(submission) if isinstance(submission, str) else submission
    if isinstance(source, Path):
        require_path(source)
    try:
        findings = check_source(task, source, conversion)
    except Refused as refused:
        raise SubmissionError(refused.findings) from None
    if not findings.ok:
        raise SubmissionError(findings)
    return findings.notes


def check_source(task: str, source: Any, options: ConversionOptions) -> Findings:
    """Return what is found in a submission, beside public data if options name it.

    Raises Refused if it cannot be converted, and ReferenceProblemsError.
    """
    public = None if options.public is None else load_public(task, options.public)
    with read_submission(task, source, options) as readable:
        if public is None:
            findings = check_submission(task, readable.path)
        else:
            findings = check_with_public_data(task, public, readable.path)
    findings.notes[:0] = readable.notes
    return findings


def load_public(task: str, public: str | Path) -> Public:
    """Return the public data of a task. Raises ReferenceProblemsError, FileNotFoundError."""
    require_path(Path(public))
    try:
        return load_public_data(task, Path(public))
    except Refused as refused:
        raise ReferenceProblemsError(refused.findings) from None


def convert(
    task: str,
    source: str | Path | Any,
    output: str | Path,
    unit: str = UNITS[0],
    public: str | Path | None = None,
    reference: str | Path | None = None,
    **options: Any,
) -> list[Note]:
    """Write the submission that a file of another tool is; return what was left out or assumed.

    Nothing is left at ``output`` if it is not valid.

    Parameters
    ----------
    task : str
        The id of the task, as on the command line.
    source : path, data frame, or list of dict
        What the other tool wrote.
    output : path
        The zip file to write.
    unit : str
        In what starts and ends are given: ``frames``, counted from 1, both included; or ``seconds``.
    public, reference : path, optional
        The public data of the task, or a reference, which has the frame rates that seconds need.
    **options
        ``min_score``, ``first_class``, ``boxes`` and ``sizes``, as `ConversionOptions` describes them.

    Raises
    ------
    SubmissionError
        The file cannot be converted, or the submission would not be valid; ``problems`` lists why.
    ReferenceProblemsError
        The reference cannot be read.
    OSError
        The file cannot be read, or nothing can be written there.
    ValueError
        There is no such task, or no such unit.
    """
    check_task(task)
    conversion = conversion_options(unit=unit, public=public, **options)
    purpose = Purpose(None if reference is None else Path(reference))
    source = Path(source) if isinstance(source, str) else source
    try:
        return convert_file(task, source, Path(output), conversion, purpose)
    except Refused as refused:
        raise SubmissionError(refused.findings) from None
