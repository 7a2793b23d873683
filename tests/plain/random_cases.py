"""Random references and submissions as the organizers' and participants' files; small, so that ties and bounds are met."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Union

import h5py
import numpy as np
import scipy.io
from PIL import Image

from quality.densepose.synthetic import encode_counts
from tests.helpers import is_nightly

Files = dict[str, Union[str, bytes]]


def chalearn(rng: Random, n_actors: int) -> tuple[Files, Files]:
    """Return rows that overlap, repeat a class and run past the end; files that are missing, empty or unknown."""

    def rows(n_frames: int, beyond: int) -> str:
        lines = []
        for _ in range(rng.randrange(6)):
            start = rng.randint(1, n_frames)
            end = min(start + rng.choice([0, 0, 1, 3, n_frames]), n_frames + beyond)
            label = [rng.randint(1, n_actors)] * (n_actors > 1) + [rng.randint(1, 3)]
            lines.append(",".join(map(str, [*label, start, end])) + "\n")
        return "".join(lines)

    reference: Files = {}
    submission: Files = {}
    for number in range(rng.randint(1, 4)):
        n_frames = rng.randint(1, 12)
        reference[f"Seq{number}_data.csv"] = rng.choice(["", "99,20,2000\n"]) + f"{n_frames},20,2000\n"
        reference[f"Seq{number}_labels.csv"] = rows(n_frames, 2)
        if not number or rng.random() < 0.7:
            submission[f"Seq{number}_prediction.csv"] = rows(n_frames, 4)
    if rng.random() < 0.5:
        submission["Other_prediction.csv"] = rows(12, 0)
    return reference, submission


def kinetics_tps(rng: Random) -> tuple[Files, Files]:
    """Return videos with small boxes, in which ties and an IoU of exactly 0.3 and 0.5 are frequent."""
    parts, states, classes = ["head", "left_arm", "right_leg"], ["none", "hold", "bend"], ["run", "jump"]

    def box(near: Any = None) -> list[float]:
        if near and rng.random() < 0.8:
            left, top, right, bottom = near
            left, top = (number + rng.choice([0, 0, 0, 0, 1, -1, 0.5]) for number in (left, top))
            right, bottom = (number + rng.choice([0, 0, 1, 2, 3]) for number in (right, bottom))
            return [left, top, max(left, right), max(top, bottom)]
        left, top = rng.randrange(12), rng.randrange(12)
        return [left, top, left + rng.randrange(9), top + rng.randrange(9)]

    def true_human() -> dict[str, Any]:
        names = rng.sample(parts, rng.randrange(4))
        return {"box": box(), "parts": {name: {"box": box(), "verb": rng.choice(states)} for name in names}}

    def predicted_human(human: dict[str, Any]) -> dict[str, Any]:
        predicted = {}
        for name in rng.sample([*parts, "tail"], rng.randrange(5)):
            part = human["parts"].get(name, {"box": box(), "verb": "wave"})
            number = rng.choice([0, 1, 1, 1, 2, 3, 5])
            predicted[name] = {
                "box": [box(part["box"]) for _ in range(number)],
                "verb": [rng.choice([part["verb"], *states]) for _ in range(number)],
            }
        return {"box": box(human["box"]), "parts": predicted}

    true_class, true_parts, predicted_class, predicted_parts = {}, {}, {}, {}
    for video in [f"v{number}" for number in range(rng.randint(1, 4))]:
        true_class[video] = rng.choice(classes)
        if rng.random() < 0.9:
            predicted_class[video] = rng.choice(classes)
        names = [f"img_{5 * number + 1:05}.json" for number in range(rng.randint(1, 3))]
        true_parts[video] = {
            name: {"humans": [true_human() for _ in range(rng.randrange(4))]} for name in names
        }
        if rng.random() < 0.9:
            predicted_parts[video] = {}
        for name in names:
            if video not in predicted_parts or rng.random() < 0.15:
                continue
            humans = [human for human in true_parts[video][name]["humans"] if rng.random() < 0.85]
            humans = [predicted_human(human) for human in humans * rng.choice([1, 1, 2])]
            rng.shuffle(humans)
            predicted_parts[video][name] = {"humans": humans}
    reference = {"gt_vid_result.json": true_class, "gt_part_result.json": true_parts}
    submission = {"pred_vid_result.json": predicted_class, "pred_part_result.json": predicted_parts}
    return as_json(reference), as_json(submission)


def anet_entities(rng: Random, mode: str) -> tuple[Files, Files]:
    """Return segments without boxes, words with several boxes and classes, boxes without an area, and plurals."""
    classes = ["man", "dog", "cup", "tree"]
    tokens = ["", "a", "man", "dogs", "Cup", "trees", "runs"]

    def box(near: Any = None) -> list[float]:
        if near and rng.random() < 0.8:
            return [number + rng.choice([0, 0, 0, 1, -1, 0.25]) for number in near] + rng.choice([[], [0.9]])
        if rng.random() < 0.05:
            return rng.choice([[5, 5, 5, 5], [1e30, 1e30, -1e30, -1e30], [0, 0, 3e38, 3e38], [4, 4, 2, 2]])
        left, top = rng.randrange(12), rng.randrange(12)
        return [left, top, left + rng.randrange(9), top + rng.randrange(9)]

    def segment() -> dict[str, Any]:
        words = [rng.sample(range(6), rng.choice([0, 1, 1, 1, 1, 1, 2])) for _ in range(rng.randrange(5))]
        return {
            "timestamps": [0, 1],
            "tokens": [rng.choice(tokens) for _ in range(6)],
            "process_idx": words,
            "process_clss": [[rng.choice(classes[:3]) for _ in indexes] for indexes in words],
            "frame_ind": [rng.randrange(10) for _ in words],
            "process_bnd_box": [box() for _ in words],
            "crowds": [0] * len(words),
        }

    def objects(content: dict[str, Any]) -> dict[str, Any]:
        columns = zip(*(content[key] for key in ("process_idx", "process_clss", "process_bnd_box")))
        annotated = [(w, n, near) for words, names, near in columns for w, n in zip(words, names)]
        rows = [
            rng.choice([*annotated, (rng.randrange(8), rng.choice(classes), box())])
            for _ in range(rng.randrange(6))
        ]
        return {
            "idx_in_sent": [word for word, _, _ in rows],
            "clss": [name if rng.random() < 0.7 else rng.choice(classes) for _, name, _ in rows],
            "bbox_for_all_frames": [[box(near) for _ in range(10)] for _, _, near in rows],
        }

    videos: dict[str, Any] = {
        f"v_{number}": {
            "duration": 9.0,
            "segments": {str(key): segment() for key in range(rng.randint(1, 3))},
        }
        for number in range(rng.randint(1, 3))
    }
    results: dict[str, Any] = {}
    for video, content in videos.items():
        if video == "v_0" or rng.random() < 0.9:
            kept = {key: part for key, part in content["segments"].items() if rng.random() < 0.85}
            # Without any segment of the data the submission would be refused.
            kept = kept or {"0": content["segments"]["0"]}
            results[video] = {key: objects(part) for key, part in kept.items()}
        if video in results and rng.random() < 0.2:
            results[video]["99"] = objects({"process_idx": [], "process_clss": [], "process_bnd_box": []})
    n_scored = max(1, len(videos) - (rng.random() < 0.3))
    split = {"validation": list(videos)[:n_scored], "other": list(videos)[n_scored:]}
    lemmas = {"dogs": "dog", "Cup": "cup", "cup": "cup", "trees": "tree"}
    reference = {
        "reference.json": {"vocab": classes, "annotations": videos},
        "split.json": split,
        "lemmas.json": lemmas,
    }
    submission = {"results": results, "eval_mode": mode, "external_data": {"used": False, "details": ""}}
    return as_json(reference), as_json({f"submission_{mode.lower()}.json": submission})


def densepose(rng: Random) -> tuple[Files, Files]:
    """Return images with none to four persons, often near each other, and with up to 23 detections."""
    images = [{"id": 10 * number, "width": 120, "height": 100} for number in range(rng.randint(2, 5))]
    persons: list[dict[str, Any]] = []
    detections: list[dict[str, Any]] = []
    for image in images:
        of_image = [densepose_person(rng, image) for _ in range(rng.randrange(5))]
        persons += of_image
        detections += [densepose_detection(rng, image, of_image) for _ in range(rng.choice([0, 2, 5, 23]))]
    persons = persons or [densepose_person(rng, images[0])]
    for number, person in enumerate(persons, start=1):
        person["id"] = number
    rng.shuffle(images)
    # What is prepared of a template takes most of the time of a case, and is kept.
    template = densepose_template(rng if is_nightly() else Random(0))
    annotations = {"images": images, "annotations": persons, "categories": [{"id": 1, "name": "person"}]}
    return (
        {**template, **as_json({"annotations.json": annotations})},
        as_json({"densepose_x_results.json": detections}),
    )


def densepose_template(rng: Random) -> Files:
    """Return a template with U and V on a coarse grid, so that several vertices are equally near."""
    n_unique, n_parts = 30, 24
    vertices = range(4 * n_parts)
    columns = {
        "U_subdiv": [rng.randrange(6) / 5 for _ in vertices],
        "V_subdiv": [rng.randrange(6) / 5 for _ in vertices],
        "Part_ID_subdiv": [1 + vertex % n_parts for vertex in vertices],
    }
    unique = {"index": [1.0 + rng.randrange(n_unique) for _ in vertices]}
    n_pairs = n_unique * (n_unique - 1) // 2
    distances = [rng.choice([0.02, 0.1, 0.3, 1.0]) * rng.random() for _ in range(n_pairs)]
    files: Files = {}
    for name, arrays in (("SMPL_subdiv.mat", columns), ("SMPL_SUBDIV_TRANSFORM.mat", unique)):
        buffer = io.BytesIO()
        scipy.io.savemat(buffer, {key: np.array(values)[:, None] for key, values in arrays.items()})
        files[name] = buffer.getvalue()
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file["Pdist_matrix"] = np.array(distances, np.float32)[:, None]
    return {**files, "Pdist_matrix.mat": buffer.getvalue()}


def densepose_person(rng: Random, image: dict[str, Any]) -> dict[str, Any]:
    width, height = rng.choice([(9.7, 14.2), (33, 35.5), (60.25, 44), (101, 97.5)])
    left, top = (
        round(rng.uniform(-10, image[side] - 20), rng.choice([0, 2])) for side in ("width", "height")
    )
    person = {
        "image_id": image["id"],
        "category_id": 1,
        "bbox": [left, top, width, height],
        "iscrowd": int(rng.random() < 0.15),
        "area": rng.choice([width * height, width * height / 2, 1024.0, 9216.0]),
    }
    if rng.random() < 0.2:
        return person
    masks: list[Any] = [[] for _ in range(14)]
    for place in rng.sample(range(14), rng.randrange(4)):
        mask = np.zeros((256, 256), dtype=bool)
        row, column = rng.randrange(200), rng.randrange(200)
        mask[row : row + rng.randint(5, 200), column : column + rng.randint(5, 200)] = True
        masks[place] = {"size": [256, 256], "counts": encode_counts(mask)}
    points = range(rng.randint(2, 11))
    parts = [2.0 if rng.random() < 0.5 else float(rng.randrange(25)) for _ in points]
    if rng.random() < 0.1:
        # Counts without a point that does.
        parts = [0.0 for _ in points]
    return {
        **person,
        "dp_masks": masks if rng.random() < 0.9 else [],
        "dp_x": [round(rng.uniform(0, 255), 3) for _ in points],
        "dp_y": [round(rng.uniform(0, 255), 3) for _ in points],
        "dp_I": parts,
        "dp_U": [rng.randrange(11) / 10 for _ in points],
        "dp_V": [rng.randrange(11) / 10 for _ in points],
    }


def densepose_detection(rng: Random, image: dict[str, Any], persons: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a detection, often near a person and often right at its points."""
    if not persons or rng.random() < 0.2:
        box = [rng.uniform(-5, 80), rng.uniform(-5, 80), rng.uniform(1, 90), rng.uniform(1, 90)]
        pixels = np.zeros((int(box[3]), int(box[2]), 3), np.uint8)
        pixels[..., 0] = rng.randrange(25)
    else:
        person = rng.choice(persons)
        shift = rng.choice([0, 0, 0.4, 2.5])
        left, top, width, height = (number + rng.uniform(-shift, shift) for number in person["bbox"])
        box = [left, top, max(width, 1.0), max(height, 1.0)]
        pixels = np.zeros((int(box[3]), int(box[2]), 3), np.uint8)
        rows, columns = ((np.arange(side) + 0.5) / side for side in pixels.shape[:2])
        inside = np.add.outer((rows - 0.5) ** 2, (columns - 0.5) ** 2) < rng.choice([0.05, 0.2, 0.5])
        pixels[inside] = rng.choice([2, 2, 7]), 120, 30
        for x, y, part, u, v in zip(*(person.get(f"dp_{name}", []) for name in "xyIUV")):
            if rng.random() < 0.9:
                row, column = int(y * pixels.shape[0] / 256), int(x * pixels.shape[1] / 256)
                pixels[row, column] = int(part), round(255 * u), round(255 * v)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return {
        "image_id": image["id"],
        "category_id": 1,
        "bbox": box,
        "score": rng.choice([0.1, 0.5, rng.random()]),
        "uv_shape": [3, *pixels.shape[:2]],
        "uv_data": base64.b64encode(buffer.getvalue()).decode(),
    }


def as_json(documents: dict[str, Any]) -> Files:
    return {name: json.dumps(content) for name, content in documents.items()}


_CASES: dict[str, Callable[[Random], tuple[Files, Files]]] = {
    "chalearn_action": lambda rng: chalearn(rng, n_actors=2),
    "chalearn_gesture": lambda rng: chalearn(rng, n_actors=1),
    "kinetics_tps": kinetics_tps,
    "anet_entities_gt": lambda rng: anet_entities(rng, "GT"),
    "anet_entities_gen": lambda rng: anet_entities(rng, "gen"),
    "densepose": densepose,
}

SETTINGS: dict[str, dict[str, Any]] = {
    **{task_id: {} for task_id in _CASES},
    "anet_entities_gt": {"splits": ["validation"]},
    "anet_entities_gen": {"splits": ["validation"], "lemma_fallback": "lower"},
}
"""Settings of the random cases that are not the defaults, or that plain programs need."""


def write_random_case(task_id: str, rng: Random, folder: Path) -> tuple[Path, Path]:
    """Write a case into two new folders; return that of the reference and that of the submission."""
    folders = folder / "ref", folder / "res"
    for place, files in zip(folders, _CASES[task_id](rng)):
        place.mkdir()
        for name, content in files.items():
            (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folders
