"""``make baselines``: submissions made of a reference, which say what scores mean.

``baselines.json`` in the folder of the zips has the score of each with its interval, for rankings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from organizer import ROOT
from organizer.bundle.build import load_competition, task_names
from organizer.challenges import Annotations, Guess, annotations_of
from organizer.data.references import task_folder
from organizer.files import zip_bytes
from scoring_program.result import Result
from scoring_program.task import AnyLoaded, load_task
from validator.archive import BASELINE_FILE
from validator.texts import counted, printable

# An item, the score of a perfect submission on it, and known reasons.
Cause = dict[str, Any]
NOISE = 0.3
RESULTS_FILE = "baselines.json"
_SEED = 27
_TOLERANCE = 1e-9
_LEAST_SHARE = 0.9
_SHOWN_ITEMS = 10
_BLOCK = 256
_TEXT = "{name} baseline of {id}\nIt was made from a hidden reference: show it to nobody who takes part.\n"


def baselines_command(task_id: str, reference: Path, output: Path | None) -> int:
    """Write the baselines of a reference and their scores; print what a perfect submission cannot reach."""
    folder, task = task_folder(task_id, reference, task_names(load_competition())), load_task(task_id)
    annotations, output = annotations_of(task_id), output or ROOT / "out" / "baselines" / task_id
    loaded = task.load(folder, task.settings(folder, {"interval": True, "notes": False}))
    loaded.check()
    output.mkdir(parents=True, exist_ok=True)
    usual = annotations.perfect_scores[loaded.settings["protocol"] == "released"]
    found, causes = list[dict[str, Any]](), list[Cause]()
    for name, prediction in _predictions(annotations, loaded.reference):
        text = _TEXT.format(name=name, id=task_id).encode()
        path = output / f"{name.replace(' ', '_')}.zip"
        path.write_bytes(zip_bytes({**annotations.files(prediction), BASELINE_FILE: text}))
        result = loaded.score_path(path)
        score, interval = result.scores["score"], result.interval
        ends = {"low": round(interval.low, 6), "high": round(interval.high, 6)} if interval else {}
        found.append({"name": name, "score": score, **ends})
        shown = "{low:.4f} to {high:.4f}".format(**ends) if ends else ""
        print(f"{name:13}  {score:.6f}  {shown:16}  {path}")
        if name == "perfect" and score < usual - _TOLERANCE:
            causes = _causes(loaded, annotations, result, usual)
    _print_perfect(task.item, found[0]["score"], usual, causes)
    perfect = {"usual": usual, "causes": causes}
    content = {"task": task_id, "signature": loaded.signature, "baselines": found, "perfect": perfect}
    (output / RESULTS_FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"scores and intervals: {output / RESULTS_FILE}")
    return 0


def _predictions(annotations: Annotations[Any, Any], reference: Any) -> Iterator[tuple[str, Any]]:
    pools = annotations.pools(reference)
    for name in ("perfect", "empty", "most frequent", "random"):
        guess = Guess(name, pools, np.random.default_rng(_SEED), 0, np.zeros(4))
        yield name, annotations.predicted(reference, guess)
    yield "noisy", annotations.noisy(reference, np.random.default_rng(_SEED), NOISE)


def _causes(
    loaded: AnyLoaded, annotations: Annotations[Any, Any], perfect: Result, usual: float
) -> list[Cause]:
    """Return the items of which a perfect submission scores less than usual: score and reasons of each."""
    classes = annotations.classes(loaded.reference)
    counted_items = [index for index, item in enumerate(loaded.items) if classes.get(item)]
    reasons, causes = annotations.reasons(loaded.reference, loaded.settings), []
    for begin in range(0, len(counted_items), _BLOCK):
        block = np.array(counted_items[begin : begin + _BLOCK])
        alone = np.zeros((len(block), len(loaded.items)))
        alone[np.arange(len(block)), block] = 1
        for index, score in zip(block.tolist(), loaded.task.reduce(perfect.statistics, alone).tolist()):
            if score < usual - _TOLERANCE:
                item = loaded.items[index]
                known = [reason for reason, items in reasons.items() if item in items]
                causes.append({"item": item, "score": score, "reasons": known})
    return sorted(causes, key=lambda cause: (bool(cause["reasons"]), cause["score"]))


def _print_perfect(item: str, score: float, usual: float, causes: list[Cause]) -> None:
    if score >= usual - _TOLERANCE:
        print(f"a perfect submission scores {usual:g}, as usual")
        return
    cost = f"{counted(len(causes), item)} cost that"
    print(f"a perfect submission scores {score:.6f}, usually {usual:g}: {cost}")
    for cause in causes[:_SHOWN_ITEMS]:
        why = "; ".join(cause["reasons"]) or "no known reason"
        print(f"  {printable(cause['item'])} {cause['score']:.4f}: {why}")
    if len(causes) > _SHOWN_ITEMS:
        print(f"  and {len(causes) - _SHOWN_ITEMS:,} more, see {RESULTS_FILE}")
    unknown = sum(not cause["reasons"] for cause in causes)
    code, problem = "R-CEILING", ""
    if score < _LEAST_SHARE * usual:
        problem = f"known reasons cannot explain a score below {_LEAST_SHARE:g} of the usual one"
    elif unknown or not causes:
        problem = f"{counted(unknown, item)} without a known reason"
    if problem:
        print(f"warning {code}: {problem}; look at the annotations")
