"""``make baselines``: submissions made of a reference, which say what scores mean.

``baselines.json`` in the folder of the zips has the score of each with its interval, for rankings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from organizer import ROOT
from organizer.bundle.build import load_competition, task_names
from organizer.challenges import Annotations, Empty, MostFrequent, Perfect, Random, annotations_of
from organizer.data.references import task_folder
from organizer.files import zip_bytes
from scoring_program.result import Result
from scoring_program.task import AnyLoaded, load_task
from validator.archive import BASELINE_FILE
from validator.findings import counted, printable

NOISE = 0.3
RESULTS_FILE = "baselines.json"
_SEED = 27
_TOLERANCE = 1e-9
_SHOWN_ITEMS = 10
_BLOCK = 256
_TEXT = "{name} baseline of {id}\nIt was made from a hidden reference: show it to nobody who takes part.\n"


def baselines_command(task_id: str, reference: Path, output: Path | None) -> int:
    """Write the baselines of a reference and their scores, and say what keeps a perfect submission from its
    usual score."""
    folder, task = task_folder(task_id, reference, task_names(load_competition())), load_task(task_id)
    annotations, output = annotations_of(task_id), output or ROOT / "out" / "baselines" / task_id
    loaded = task.load(folder, task.settings(folder, {"interval": True, "notes": False}))
    loaded.check()
    output.mkdir(parents=True, exist_ok=True)
    results = {}
    for name, prediction in _predictions(annotations, loaded.reference):
        text = _TEXT.format(name=name, id=task_id).encode()
        path = output / f"{name.replace(' ', '_')}.zip"
        path.write_bytes(zip_bytes({**annotations.files(prediction), BASELINE_FILE: text}))
        results[name] = loaded.score_path(path)
        interval = results[name].interval
        shown = f"  {interval.low:.4f} to {interval.high:.4f}" if interval else ""
        print(f"{name:13}  {results[name].scores['score']:.6f}{shown:20}  {path}")
    usual = annotations.perfect_scores[loaded.settings["protocol"] == "released"]
    causes = _causes(loaded, annotations, results["perfect"], usual)
    _print_causes(task.item, results["perfect"].scores["score"], usual, causes)
    content = _as_json(loaded, results, usual, causes)
    (output / RESULTS_FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"scores and intervals: {output / RESULTS_FILE}")
    return 0


def _predictions(annotations: Annotations[Any, Any], reference: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and the prediction of each baseline."""
    pools = annotations.pools(reference)
    guesses = {"perfect": Perfect(), "empty": Empty(), "most frequent": MostFrequent(pools)}
    guesses["random"] = Random(np.random.default_rng(_SEED), pools)
    for name, guess in guesses.items():
        yield name, annotations.predicted(reference, guess)
    yield "noisy", annotations.noisy(reference, np.random.default_rng(_SEED), NOISE)


def _causes(
    loaded: AnyLoaded, annotations: Annotations[Any, Any], perfect: Result, usual: float
) -> list[dict[str, Any]]:
    """Return the items on which a perfect submission scores less than usual, with the score and the reasons."""
    if perfect.scores["score"] >= usual - _TOLERANCE:
        return []
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


def _print_causes(item: str, score: float, usual: float, causes: list[dict[str, Any]]) -> None:
    if score >= usual - _TOLERANCE:
        print(f"a perfect submission scores {usual:g}, as usual")
        return
    print(
        f"a perfect submission scores {score:.6f}, usually {usual:g}: {counted(len(causes), item)} cost that"
    )
    for cause in causes[:_SHOWN_ITEMS]:
        why = "; ".join(cause["reasons"]) or "no known reason"
        print(f"  {printable(cause['item'])} {cause['score']:.4f}: {why}")
    if len(causes) > _SHOWN_ITEMS:
        print(f"  and {len(causes) - _SHOWN_ITEMS:,} more, see {RESULTS_FILE}")
    if unknown := sum(not cause["reasons"] for cause in causes) or not causes:
        where = counted(unknown, item) if causes else "no single item"
        code, remedy = "R-CEILING", "look at the annotations of these items"
        print(f"warning {code}: {where} cost a perfect submission points for no known reason; {remedy}")


def _as_json(
    loaded: AnyLoaded, results: Mapping[str, Result], usual: float, causes: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the content of the file of results."""
    baselines = []
    for name, result in results.items():
        interval = result.interval
        ends = {"low": round(interval.low, 6), "high": round(interval.high, 6)} if interval else {}
        baselines.append({"name": name, "score": result.scores["score"], **ends})
    perfect = {"usual": usual, "causes": causes}
    return {"task": loaded.task.id, "signature": loaded.signature, "baselines": baselines, "perfect": perfect}
