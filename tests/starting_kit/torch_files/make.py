"""Write the files of `torch.save` that tests read: ``python make.py``, with torch installed.

The classes stand in for those of detectron2's DensePose, under its names; no file comes from detectron2 itself.
"""

from __future__ import annotations

import collections
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).resolve().parent
CHART_RESULT = "densepose.structures.chart_result"
CSE = "densepose.structures.cse"


def stand_in(module, name, *fields):
    """Return a dataclass under the name that detectron2's has, so that it can be pickled."""
    made = dataclass(type(name, (), {"__module__": module, "__annotations__": dict.fromkeys(fields, Any)}))
    for package in ("densepose", "densepose.structures", module):
        sys.modules.setdefault(package, types.ModuleType(package))
    setattr(sys.modules[module], name, made)
    return made


Result = stand_in(CHART_RESULT, "DensePoseChartResult", "labels", "uv")
WithConfidences = stand_in(
    CHART_RESULT, "DensePoseChartResultWithConfidences", "labels", "uv", "sigma_1", "sigma_2"
)
Quantized = stand_in(CHART_RESULT, "DensePoseChartResultQuantized", "labels_uv_uint8")
Embedding = stand_in(CSE, "DensePoseEmbeddingPredictorOutput", "embedding", "coarse_segm")


def labels_uv(height, width, part):
    """Return bytes of parts, U and V of a detection: a frame of background around a part."""
    array = torch.zeros((3, height, width), dtype=torch.uint8)
    array[0, 1:-1, 1:-1] = part
    array[1, 1:-1, 1:-1] = torch.arange(width - 2, dtype=torch.uint8) * 9
    array[2, 1:-1, 1:-1] = 200
    return array


def entry(image_id, box, score, **further):
    return {"image_id": image_id, "category_id": 0, "bbox": box, "score": score, **further}


def predictions():
    """Return what DensePoseCOCOEvaluator saves: category 0, and a box that is narrower than a pixel."""
    segmentation = {"size": [80, 120], "counts": "0" * 20}
    first = Quantized(labels_uv(20, 12, 2))
    second = Quantized(labels_uv(24, 16, 15))
    narrow = Quantized(torch.zeros((3, 6, 1), dtype=torch.uint8))
    return [
        entry(1, [30.25, 22.5, 12.75, 20.5], 0.875, densepose=first, segmentation=segmentation),
        entry(1, [50.0, 30.0, 16.0, 24.0], 0.5, densepose=second, segmentation=segmentation),
        entry(1, [5.0, 6.0, 0.75, 6.0], 0.25, densepose=narrow, segmentation=segmentation),
        entry(2, [30.25, 22.5, 12.75, 20.5], 0.75, densepose=first, segmentation=segmentation),
    ]


def dump():
    """Return what ``apply_net.py dump`` saves: corners, labels and U, V apart, views into one batch."""
    uv = torch.linspace(-0.05, 1.03, 2 * 2 * 24 * 16).reshape(2, 2, 24, 16)
    labels = torch.zeros((2, 24, 16), dtype=torch.int64)
    labels[:, 2:-2, 2:-2] = torch.tensor([3, 24])[:, None, None]
    results = [WithConfidences(labels[0, :20, :12], uv[0, :, :20, :12], None, None), Result(labels[1], uv[1])]
    image = {
        "file_name": "datasets/coco/val2014/COCO_val2014_000000000001.jpg",
        "scores": torch.tensor([0.875, 0.5]),
        # In doubles the first would be 12 + 1 pixels wide.
        "pred_boxes_XYXY": torch.tensor([[30.25, 22.5, 42.75, 43.0], [50.0, 30.0, 66.0, 54.0]]),
        "pred_densepose": results,
    }
    return [image, {"file_name": "000000000002.jpg", "scores": torch.zeros(0)}]


def tensors():
    """Return tensors of all types that are read, views among them, and what carries them."""
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    types = [torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
    return collections.OrderedDict(
        types=[torch.arange(3).to(dtype) for dtype in types],
        is_true=torch.tensor([True, False]),
        base=base,
        column=base[:, 2],
        transposed=base.T,
        window=base[1:3, 2:5],
        scalar=torch.tensor(7.5),
        empty=torch.zeros((0, 4)),
        parameter=torch.nn.Parameter(torch.ones(2)),
        plain=(None, True, -3, 2**40, 0.5, "text", [1, (2, 3)], {"a": {}}),
    )


def save(name, content, **options):
    torch.save(content, FOLDER / name, **options)


def main():
    save("coco_densepose_predictions.pth", predictions())
    save("results.pkl", dump())
    save("tensors.pt", tensors())
    save("older.pth", [torch.ones(2)], _use_new_zipfile_serialization=False)
    save("bfloat16.pt", [torch.ones(2, dtype=torch.bfloat16)])
    save("state_dict.pt", torch.nn.Linear(2, 1).state_dict())
    save(
        "storage.pth",
        [{"image_id": 1, "category_id": 0, "bbox": [1.0] * 4, "score": 0.5, "record_id": 0, "rank": 0}],
    )
    cse = entry(
        1, [1.0, 2.0, 8.0, 6.0], 0.5, coarse_segm=torch.zeros(2, 4, 4), embedding=torch.zeros(16, 4, 4)
    )
    save("cse.pth", [cse])
    cse_image = {"file_name": "1.jpg", "scores": torch.ones(1), "pred_boxes_XYXY": torch.ones(1, 4)}
    embedding = Embedding(torch.zeros(1, 16, 4, 4), torch.zeros(1, 2, 4, 4))
    save("cse.pkl", [{**cse_image, "pred_densepose": embedding}])


if __name__ == "__main__":
    main()
