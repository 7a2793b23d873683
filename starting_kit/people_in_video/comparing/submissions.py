"""Comparing submissions at home from Python: `compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from people_in_video.comparing import pairs as statistics
from people_in_video.comparing.comparison import Comparison, last_measure
from people_in_video.comparing.item_pairs import draw_item_pairs
from people_in_video.comparing.standings import Standings
from people_in_video.errors import SubmissionError
from people_in_video.home_loaded import AnyHomeLoaded
from people_in_video.references.loading import load_items, require_path
from people_in_video.result import without_large_arrays
from scoring_program.metrics.resampling import intervals
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import SettingValue
from validator.findings import Findings, Refused


def compare(
    task: str,
    submissions: Sequence[str | Path],
    reference: str | Path | None = None,
    cache: str | Path | None = None,
    items: Iterable[str] | None = None,
    baseline: str | Path | None = None,
    **settings: SettingValue,
) -> Comparison:
    """Score submissions on the same reference and compare each pair of them, or all with a baseline.

    Choose checkpoints of one model on other items than those that you report. The parameters are those of
    `people_in_video.score`, with a sequence of submissions, and the following. What is wrong with those that
    are not valid is in ``invalid`` of the result; the others are compared. Everything is shown, as with
    ``detail="full"``.

    Parameters
    ----------
    baseline : str or path, optional
        One of the submissions, by its path or its name without folder and ending. Each other one is compared
        with it alone, so that fewer differences are tested.

    Raises
    ------
    SubmissionError
        No submission is valid, or the baseline is not; ``problems`` lists why.
    ReferenceProblemsError
        The reference or a setting is not valid; ``problems`` lists why.
    FileNotFoundError
        There is no such submission, or no such reference.
    ValueError
        There is no such task or item, no submission, one is named twice, or the baseline is none of them.
    """
    path_of_name = name_submissions([Path(submission) for submission in submissions])
    baseline_name = None if baseline is None else find_name(baseline, path_of_name)
    for path in path_of_name.values():
        require_path(path)
    # Differences are tested with the halves that intervals need.
    settings = {"detail": "full", **settings, "interval": True}
    loaded = load_items(task, reference, cache, items, settings)
    results, invalid = dict[str, Result](), dict[str, Findings]()

    def score(part: AnyHomeLoaded, name: str) -> Result:
        """Return the result of a submission with all items, or with a part of them. Raises Refused."""
        return part.score_path(path_of_name[name])

    for name in path_of_name:
        try:
            results[name] = _without_large_parts(score(loaded, name))
        except Refused as refused:
            invalid[name] = loaded.explain(refused.findings)
    if not results:
        raise SubmissionError(_all_problems(invalid))
    if baseline_name in invalid:
        raise SubmissionError(_all_problems({baseline_name: invalid[baseline_name]}))
    comparison = _compare_results(loaded, results, invalid, baseline_name)
    return _with_item_pairs(comparison, loaded, score)


def _with_item_pairs(
    comparison: Comparison, loaded: AnyHomeLoaded, score: Callable[[AnyHomeLoaded, str], Result]
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


def name_submissions(paths: Sequence[Path]) -> dict[str, Path]:
    """Return submissions by their names without folder and ending; with their folder where two are equal."""
    if not paths:
        raise ValueError("name at least one submission")
    absolute_paths = [path.absolute() for path in paths]
    short_names = [path.name.removesuffix(".zip") for path in absolute_paths]
    names_with_folder = [f"{path.parent.name}/{name}" for path, name in zip(absolute_paths, short_names)]
    for names in (short_names, names_with_folder, [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return dict(zip(names, paths))
    repeated_paths = [path for path in paths if paths.count(path) > 1]
    raise ValueError(f"{repeated_paths[0]} is named twice; name each once")


def find_name(baseline: str | Path, path_of_name: Mapping[str, Path]) -> str:
    """Return the name of the submission that ``baseline`` is the name or the path of. Raises ValueError."""
    for name, path in path_of_name.items():
        if str(baseline) == name or Path(baseline) == path:
            return name
    raise ValueError(f"the baseline {baseline} is none of the submissions: {', '.join(path_of_name)}")


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
