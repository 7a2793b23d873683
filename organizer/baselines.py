"""``organizer baselines``: submissions made of a reference, which say what scores mean.

``baselines.json`` in the folder of the zips has the score of each with its interval, for rankings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from organizer import ROOT
from organizer.bundle.source import load_competition, task_names
from organizer.data.references import task_folder
from organizer.files import Files, keep_out_of_git, write_durable, zip_bytes
from organizer.tasks import Annotations, BaselineKind, annotations_of, plain_guess
from people_in_video.comparing.pairs import compare
from people_in_video.references.preparation import check_reference, load_any
from scoring_program.metrics.resampling import LEAST_ITEMS, intervals
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded
from scoring_program.task import Declaration, load_task
from validator.findings import Findings, Note
from validator.submission import BASELINE_FILE
from validator.texts import counted, printable

# An item, and the score of a perfect submission on it.
Cause = dict[str, Any]
NOISE = 0.3
RESULTS_FILE = "baselines.json"
_SEED = 27
_SECOND_SEED = 28
_TOLERANCE = 1e-9
_LEAST_SHARE = 0.9
_SHOWN_ITEMS = 10
# The most decimals that are printed; the setting score_decimals may allow fewer.
_SCORE_DECIMALS = 6
_INTERVAL_DECIMALS = 4
_STORED_DECIMALS = 6
_BLOCK = 256
_TEXT = "{name} baseline of {id}\nIt was made from a hidden reference: show it to nobody who takes part.\n"


class Uncertainty(NamedTuple):
    """What is expected of the scores of submissions to a reference.

    Attributes
    ----------
    half_width : float
        Half of the 95 % interval of a score.
    visible_difference : float
        The smallest difference of two submissions that is significant.
    """

    half_width: float
    visible_difference: float


def baselines_command(task_id: str, reference: Path, output: Path | None) -> int:
    """Write the baselines of a reference and their scores; print what a perfect submission cannot reach."""
    task = load_task(task_id)
    folder = task_folder(task_id, reference, task_names(load_competition()))
    annotations = annotations_of(task_id)
    if not annotations.baselines:
        problem = f"{task_id} has no baselines: what its items have is known to its evaluator alone"
        remedy = "make one of your own, and give it to rescore as --baseline-zip"
        Findings().refuse("E-NO-ANNOTATIONS", problem, remedy)
    output = output or ROOT / "out" / "baselines" / task_id
    loaded = load_any(task, folder, task.settings(folder, {"interval": True, "notes": False}))
    check_reference(loaded)
    output.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(output)
    results: dict[BaselineKind, Result] = {}
    for baseline, prediction in predict_baselines(annotations, loaded.reference):
        path = output / f"{baseline.value.replace(' ', '_')}.zip"
        write_durable(path, _baseline_zip(task_id, baseline, annotations.files(prediction)))
        results[baseline] = loaded.score_path(path)
        _print_baseline(baseline, results[baseline], path)
    published, released = annotations.perfect_scores
    usual = released if loaded.settings["protocol"] == "released" else published
    perfect = results[BaselineKind.PERFECT]
    is_worse = _is_worse(perfect.scores["score"], usual, task.higher_is_better)
    causes = find_causes(loaded, annotations, perfect, usual) if is_worse else []
    _print_perfect(task, perfect, usual, causes)
    uncertainty = _uncertainty(loaded, annotations, results[BaselineKind.NOISY])
    print(*_uncertainty_lines(loaded, uncertainty), sep="\n")
    content = {
        "task": task_id,
        "signature": loaded.signature,
        "baselines": [_summary(baseline, result) for baseline, result in results.items()],
        "perfect": {"usual": usual, "causes": causes},
        "expected": uncertainty._asdict() if uncertainty else None,
    }
    write_durable(output / RESULTS_FILE, json.dumps(content, indent=1) + "\n")
    print(f"scores and intervals: {output / RESULTS_FILE}")
    return 0


def predict_baselines(
    annotations: Annotations[Any, Any], reference: Any
) -> Iterator[tuple[BaselineKind, Any]]:
    """Yield each baseline with its prediction."""
    pools = annotations.pools(reference)
    for baseline in BaselineKind:
        if baseline in annotations.baselines and baseline is not BaselineKind.NOISY:
            yield baseline, annotations.predicted(reference, plain_guess(baseline, pools))
    yield BaselineKind.NOISY, _predict_noisy(annotations, reference, _SEED)


def _predict_noisy(annotations: Annotations[Any, Any], reference: Any, seed: int) -> Any:
    return annotations.noisy(reference, np.random.default_rng(seed), NOISE)


def _uncertainty(
    loaded: AnyLoaded, annotations: Annotations[Any, Any], noisy_result: Result
) -> Uncertainty | None:
    """Return how sure scores will be, as the noisy baseline and another one like it show.

    The half-width is the mean of both intervals. None with too few items to compare submissions, or where all
    halves of the items score the same.
    """
    if noisy_result.halves is None:
        return None
    other_prediction = _predict_noisy(annotations, loaded.reference, _SECOND_SEED)
    submission = loaded.read(annotations.files(other_prediction)).content
    statistics = loaded.task.measure(loaded.reference, submission, loaded.settings)
    submissions = [noisy_result.halves, loaded.half_scores(statistics)]
    visible_difference = compare(submissions, loaded.task.higher_is_better).visible
    # NaN with too few items.
    if not visible_difference > 0:
        return None
    both_intervals = intervals(submissions, loaded.task.range)
    half_width = float((both_intervals.high - both_intervals.low).mean()) / 2
    return Uncertainty(round(half_width, _STORED_DECIMALS), round(visible_difference, _STORED_DECIMALS))


def _uncertainty_lines(loaded: AnyLoaded, uncertainty: Uncertainty | None) -> list[str]:
    """Return in words how sure scores will be."""
    size = loaded.groups.count_text(loaded.task.item)
    if uncertainty is None:
        least = counted(LEAST_ITEMS, "group" if loaded.groups.digest else loaded.task.item)
        reason = f"that takes {least}, and halves of the reference that score differently"
        return [f"how sure scores will be over {size} cannot be said: {reason}"]
    decimals = min(_INTERVAL_DECIMALS, loaded.settings["score_decimals"])
    half_width = f"{uncertainty.half_width:.{decimals}f}"
    difference = f"{uncertainty.visible_difference:.{decimals}f}"
    return [
        f"to expect over {size}: a 95 % interval of about {half_width} on each side of a score",
        f"two submissions with independent errors can be told apart if they differ by about {difference}; "
        "the errors of real teams are more alike, so smaller differences can be seen",
    ]


def _baseline_zip(task_id: str, baseline: BaselineKind, files: Files) -> bytes:
    """Return the zip of a baseline, with a file that says what it is."""
    text = _TEXT.format(name=baseline.value, id=task_id)
    return zip_bytes({**files, BASELINE_FILE: text.encode()})


def _print_baseline(baseline: BaselineKind, result: Result, path: Path) -> None:
    interval = ""
    if result.interval:
        decimals = min(_INTERVAL_DECIMALS, result.shown.decimals)
        interval = f"{result.interval.low:.{decimals}f} to {result.interval.high:.{decimals}f}"
    score = f"{result.scores['score']:.{min(_SCORE_DECIMALS, result.shown.decimals)}f}"
    print(f"{baseline.value:13}  {score}  {interval:16}  {path}")


def _summary(baseline: BaselineKind, result: Result) -> dict[str, Any]:
    """Return what `RESULTS_FILE` holds of a baseline: its name, score, and interval."""
    summary = {"name": baseline.value, "score": result.scores["score"]}
    if result.interval:
        summary["low"] = round(result.interval.low, _STORED_DECIMALS)
        summary["high"] = round(result.interval.high, _STORED_DECIMALS)
    return summary


def _is_worse(score: float, usual: float, higher_is_better: bool) -> bool:
    return score < usual - _TOLERANCE if higher_is_better else score > usual + _TOLERANCE


def find_causes(
    loaded: AnyLoaded, annotations: Annotations[Any, Any], perfect: Result, usual: float
) -> list[Cause]:
    """Return the items of which a perfect submission scores less than usual, and the score of each."""
    classes = annotations.classes(loaded.reference)
    scored_items = [index for index, item in enumerate(loaded.items) if classes.get(item)]
    causes: list[Cause] = []
    for index, score in _scores_of_items(loaded, perfect, scored_items):
        if _is_worse(score, usual, loaded.task.higher_is_better):
            causes.append({"item": loaded.items[index], "score": score})
    return sorted(causes, key=lambda cause: cause["score"], reverse=not loaded.task.higher_is_better)


def _scores_of_items(loaded: AnyLoaded, result: Result, items: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield each item with the score that it has alone."""
    n_all_items = len(loaded.items)
    for begin in range(0, len(items), _BLOCK):
        block = items[begin : begin + _BLOCK]
        # A row for each item of the block, in which it alone counts.
        weights = np.zeros((len(block), n_all_items))
        rows = np.arange(len(block))
        weights[rows, block] = 1
        scores = loaded.task.reduce(result.statistics, weights)
        yield from zip(block, scores.tolist())


def _print_perfect(task: Declaration, perfect: Result, usual: float, causes: list[Cause]) -> None:
    """Print what a perfect submission scores, and what it cannot reach."""
    score = perfect.scores["score"]
    if not _is_worse(score, usual, task.higher_is_better):
        print(f"a perfect submission scores {usual:g}, as usual")
        return
    cost = f"{counted(len(causes), task.item)} cost that"
    decimals = min(_SCORE_DECIMALS, perfect.shown.decimals)
    print(f"a perfect submission scores {score:.{decimals}f}, usually {usual:g}: {cost}")
    for cause in causes[:_SHOWN_ITEMS]:
        print(f"  {printable(cause['item'])} {cause['score']:.{min(_INTERVAL_DECIMALS, decimals)}f}")
    if len(causes) > _SHOWN_ITEMS:
        print(f"  and {len(causes) - _SHOWN_ITEMS:,} more, see {RESULTS_FILE}")
    if not task.higher_is_better or score < _LEAST_SHARE * usual:
        problem = f"{score:.{decimals}f} is far from the usual score, {usual:g}; look at the listed items"
        print(f"warning {Note('R-CEILING', problem).line()}")
