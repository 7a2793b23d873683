"""Comparing submissions at home from Python: `compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from people_in_video.comparing import pairs as statistics
from people_in_video.comparing.comparison import Comparison, last_measure
from people_in_video.comparing.item_pairs import draw_item_pairs
from people_in_video.comparing.standings import Standings
from people_in_video.errors import SubmissionError
from people_in_video.home_loaded import HomeLoaded
from people_in_video.references.loading import load_items, require_path
from people_in_video.result import Score, without_large_arrays
from people_in_video.scoring import result_of, split_options
from scoring_program.metrics.resampling import intervals
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded
from validator.findings import Findings, Refused

# Of submissions and of files of other tools; a folder may be named model_v1.2.
_ENDINGS = (".zip", ".json", ".csv", ".pth", ".pt", ".pkl")


def compare(
    task: str,
    submissions: Sequence[Any] | Mapping[str, Any],
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    items: Iterable[str] | None = None,
    baseline: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Score submissions on the same reference and compare each pair of them, or all with a baseline.

    Choose checkpoints of one model on other items than those that you report. What is wrong with submissions
    that are not valid is in ``invalid`` of the result; the others are compared. Everything is shown, as with
    ``detail="full"``.

    Parameters
    ----------
    task, reference, cache, items, **options
        As for `people_in_video.score`.
    submissions : sequence, or mapping of str
        Each what `people_in_video.score` takes, or what it returned. A mapping names them:
        ``{"ours": "a.zip", "theirs": predictions}``; others have the names of their files without ending.
    baseline : str or path, optional
        One of the submissions, by its path or its name. Each other one is compared with it alone, so that
        fewer differences are tested.

    Raises
    ------
    SubmissionError
        No submission is valid, or the baseline is not; ``problems`` lists why.
    ReferenceProblemsError
        The reference or a setting is not valid; ``problems`` lists why.
    FileNotFoundError
        There is no such submission, or no such reference.
    ValueError
        There is no such task or item, no submission, one is named twice, or the baseline is none of them; a
        score is of another reference, or of other settings.
    """
    submission_of_name = name_submissions(submissions)
    baseline_name = None if baseline is None else find_name(baseline, submission_of_name)
    for submission in submission_of_name.values():
        if isinstance(submission, Path):
            require_path(submission)
    conversion, settings = split_options(options)
    # Differences are tested with the halves that intervals need.
    loaded = load_items(task, reference, cache, items, {**settings, "interval": True})
    results, invalid = dict[str, Result](), dict[str, Findings]()

    def score(part: HomeLoaded, name: str) -> Result:
        """Return the result of a submission with all items, or with a part of them. Raises Refused."""
        return result_of(part, submission_of_name[name], conversion, reference)

    for name, submission in submission_of_name.items():
        try:
            is_score = isinstance(submission, Score)
            result = submission.comparable_result(name, loaded.signature) if is_score else score(loaded, name)
            results[name] = _without_large_parts(result)
        except Refused as refused:
            invalid[name] = loaded.explain(refused.findings)
    if not results:
        raise SubmissionError(_all_problems(invalid))
    if baseline_name in invalid:
        raise SubmissionError(_all_problems({baseline_name: invalid[baseline_name]}))
    comparison = _compare_results(loaded, results, invalid, baseline_name)
    # A score has no predictions to draw.
    has_predictions = not any(isinstance(submission, Score) for submission in submission_of_name.values())
    return _with_item_pairs(comparison, loaded, score) if has_predictions else comparison


def _with_item_pairs(
    comparison: Comparison, loaded: HomeLoaded, score: Callable[[HomeLoaded, str], Result]
) -> Comparison:
    """Return a comparison with drawings of the items in which the first two submissions differ most.

    ``score`` scores the submission of a name with some of the items: it is read again, as the whole of all
    would need too much memory.
    """
    base = comparison.standings.base_place
    other = next((place for place in comparison.places if place != base), None)
    if other is None:
        return comparison
    names = comparison.standings.names[base], comparison.standings.names[other]
    item_scores = comparison.values["items"].values[:, [base, other]]
    return replace(comparison, item_pairs=draw_item_pairs(loaded, names, item_scores, score))


def _without_large_parts(result: Result) -> Result:
    """Return what a comparison shows of a result: fifty whole ones need too much memory."""
    sections = [section for section in result.sections if last_measure(section)]
    small = without_large_arrays(result)
    return replace(small, shown=replace(small.shown, sections=sections))


def _name_in_submission(submission: str, file: str) -> str:
    return f"{submission}: {file}" if file else submission


def _all_problems(invalid: Mapping[str, Findings]) -> Findings:
    """Return the problems of several submissions, each with the name of its own before its file."""
    problems = Findings()
    for name, findings in invalid.items():
        problems.extend(findings.with_files(partial(_name_in_submission, name)))
    return problems


def name_submissions(submissions: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return submissions by name, paths as `Path`. Raises ValueError if there is none, or one is named twice.

    The name of a file is that without folder and ending, with the folder where two are equal; what is in
    memory is named by its place.
    """
    if isinstance(submissions, (str, Path)):
        raise ValueError(f"give a list of submissions, [{str(submissions)!r}, ...]")
    if not submissions:
        raise ValueError("name at least one submission")
    if isinstance(submissions, Mapping):
        return {str(name): _as_path(submission) for name, submission in submissions.items()}
    sources = [_as_path(submission) for submission in submissions]
    for name_of_path in (_short_name, _name_with_folder, str):
        names = []
        for number, source in enumerate(sources, start=1):
            names.append(name_of_path(source) if isinstance(source, Path) else f"submission {number}")
        if len(set(names)) == len(names):
            return dict(zip(names, sources))
    repeated_names = [name for name in names if names.count(name) > 1]
    raise ValueError(f"{repeated_names[0]} is named twice; name each once")


def _as_path(submission: Any) -> Any:
    return Path(submission) if isinstance(submission, str) else submission


def _short_name(path: Path) -> str:
    path = path.absolute()
    return path.stem if path.suffix in _ENDINGS else path.name


def _name_with_folder(path: Path) -> str:
    return f"{path.absolute().parent.name}/{_short_name(path)}"


def find_name(baseline: str | Path, submission_of_name: Mapping[str, Any]) -> str:
    """Return the name of the submission that ``baseline`` is the name or the path of. Raises ValueError."""
    for name, submission in submission_of_name.items():
        if str(baseline) == name or (isinstance(submission, Path) and Path(baseline) == submission):
            return name
    names = ", ".join(submission_of_name)
    raise ValueError(f"the baseline {baseline} is none of the submissions: {names}")


def _compare_results(
    loaded: AnyLoaded,
    results: Mapping[str, Result],
    invalid: Mapping[str, Findings],
    baseline: str | None,
) -> Comparison:
    """Return the comparison of the valid submissions, the best first, equal scores by name."""
    task = loaded.task
    sign = -1 if task.higher_is_better else 1
    halves_of_name = {name: result.halves for name, result in results.items() if result.halves}
    names = sorted(halves_of_name, key=lambda name: (sign * halves_of_name[name].score, name))
    halves = [halves_of_name[name] for name in names]
    ranked_results = [results[name] for name in names]
    baseline_place = None if baseline is None else names.index(baseline)
    main_column = task.columns[0]
    score_texts = [f"{result.scores[main_column.key]:.{main_column.precision}f}" for result in ranked_results]
    standings = Standings(
        task=task,
        names=names,
        score_texts=score_texts,
        scores=[half_scores.score for half_scores in halves],
        comparison=statistics.compare_distinct(halves, task.higher_is_better, baseline_place),
        intervals=intervals(halves, task.range) if halves[0].n_items > 1 else None,
        over=loaded.groups.count_text(task.item),
        unit="group" if loaded.groups.digest else task.item,
        baseline_place=baseline_place,
    )
    return Comparison(
        standings=standings,
        results=ranked_results,
        items=loaded.items,
        invalid=invalid,
        signature=loaded.signature,
    )
