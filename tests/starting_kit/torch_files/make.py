"""Write the files of `torch.save` that tests read: ``python make.py``, with torch and Pillow installed.

The classes stand in for those of detectron2's DensePose, under its names; no file comes from detectron2 itself.
"""

from __future__ import annotations

import base64
import io
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

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
Other = stand_in("elsewhere", "Other", "value")
Embedding = stand_in(CSE, "DensePoseEmbeddingPredictorOutput", "embedding", "coarse_segm")
OldResult = stand_in("densepose.structures", "DensePoseResult", "results", "boxes_xywh")


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


def old_dump():
    """Return a dump of 2019 or 2020: the results of an image are PNGs in base64, with their shapes."""
    pngs = []
    for array in (labels_uv(20, 12, 2), labels_uv(24, 16, 15)):
        stream = io.BytesIO()
        Image.fromarray(np.moveaxis(array.numpy(), 0, -1)).save(stream, format="png", optimize=True)
        pngs.append((tuple(array.shape), base64.encodebytes(stream.getvalue()).decode()))
    results = OldResult(pngs, [[30.25, 22.5, 12.5, 20.5], [50.0, 30.0, 16.0, 24.0]])
    return [{**dump()[0], "pred_densepose": results}]


def numpy_entries():
    """Return detections with arrays and numbers of numpy."""
    iuv = labels_uv(20, 12, 2).numpy()
    box = np.array([30.25, 22.5, 12.75, 20.5])
    return [{"image_id": np.int64(1), "bbox": box, "score": np.float32(0.875), "uv": iuv}]


def save(name, content, **options):
    torch.save(content, FOLDER / name, **options)


def main():
    save("coco_densepose_predictions.pth", predictions())
    save("results.pkl", dump())
    save("dump_2019.pkl", old_dump())
    save("numpy.pth", numpy_entries())
    save("older.pth", [torch.ones(2)], _use_new_zipfile_serialization=False)
    save("other_class.pth", [entry(1, [1.0, 2.0, 8.0, 6.0], 0.5, densepose=Other(1))])
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
