"""Temporal action localization, as an organizer's script: it prints, sorts in place, and needs scipy."""

import sys

import numpy as np
from scipy import interpolate  # noqa: F401 - a package besides numpy
from tiou import segment_iou

THRESHOLDS = np.linspace(0.5, 0.95, 10)


def evaluate(truth, predicted):
    print("evaluating", len(truth), "videos of", sorted({r["label"] for v in truth.values() for r in v}))
    rows = []
    for video in predicted:
        for place, entry in enumerate(predicted[video]):
            entry.update(video=video, place=place)
            rows.append(entry)
    rows.sort(key=lambda entry: (-entry["score"], entry["video"], entry["place"]))
    labels = sorted({entry["label"] for entries in truth.values() for entry in entries})
    ap = np.zeros((len(THRESHOLDS), len(labels)))
    for number, label in enumerate(labels):
        ap[:, number] = average_precision(truth, [row for row in rows if row["label"] == label], label)
        sys.stderr.write("%s: %.4f\n" % (label, ap[:, number].mean()))
    result = {"Average-mAP": ap.mean()}
    for threshold, value in zip(THRESHOLDS, ap.mean(axis=1)):
        result["mAP@%.2f" % threshold] = value
    return result


def average_precision(truth, predictions, label):
    instances = {
        video: [r["segment"] for r in entries if r["label"] == label] for video, entries in truth.items()
    }
    n_instances = sum(len(segments) for segments in instances.values())
    right = np.zeros((len(THRESHOLDS), len(predictions)))
    taken = {(t, video): set() for t in range(len(THRESHOLDS)) for video in truth}
    for index, prediction in enumerate(predictions):
        segments = instances[prediction["video"]]
        if not segments:
            continue
        overlap = segment_iou(np.array(prediction["segment"]), np.array(segments))
        for t, threshold in enumerate(THRESHOLDS):
            for candidate in np.argsort(-overlap, kind="stable"):
                if overlap[candidate] < threshold:
                    break
                if candidate not in taken[t, prediction["video"]]:
                    taken[t, prediction["video"]].add(candidate)
                    right[t, index] = 1
                    break
    ap = np.zeros(len(THRESHOLDS))
    for t in range(len(THRESHOLDS)):
        hits = np.cumsum(right[t])
        recall = hits / n_instances
        precision = hits / np.arange(1, len(predictions) + 1)
        precision = np.maximum.accumulate(np.hstack([precision, [0]])[::-1])[::-1]
        steps = np.diff(np.hstack([[0], recall]))
        ap[t] = (steps * precision[:-1]).sum()
    return ap
