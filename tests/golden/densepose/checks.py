"""How the golden cases of DensePose are compared: with each measure, and the matrices of each pair."""

import numpy as np
import pytest

_KEYS = {"AP": "ap", "APm": "ap_medium", "APl": "ap_large", "AR": "ar", "ARm": "ar_medium", "ARl": "ar_large"}
MORE = ("pairs",)
_MEASURES = {"GPSm": "gpsm", "GPS": "gps", "IOU": "iou"}


def check(name, score, expected):
    for measure, numbers in expected.items():
        scores = score(measure=_MEASURES[measure], kappa=0.0).scores
        for key, number in numbers.items():
            ours = scores[_KEYS.get(key, key.lower())]
            assert ours == pytest.approx(max(number, 0.0), abs=1e-12), (measure, key)


def check_more(score, case):
    """Compare the matrices of GPS, mask IoU and box IoU."""
    result = score(measure="gpsm", kappa=0.0)
    pairing = result.statistics.pairing
    image_of_pair = pairing.detections.image[pairing.pairs.detection]
    for image_id, wanted in case["pairs"].items():
        of_image = image_of_pair == result.items.index(image_id)
        ours = {"gps": pairing.gps, "mask_iou": pairing.mask_iou, "box_iou": pairing.overlap}
        for key, values in ours.items():
            expected = np.array(wanted[key], dtype=float).ravel()
            assert values[of_image] == pytest.approx(expected, abs=1e-12), (image_id, key)
