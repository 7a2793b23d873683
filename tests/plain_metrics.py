"""The generic metrics once more, item by item: what a task of `organizer new-task` is tested with. Keys map to values."""

import math


def accuracy(truth, predicted):
    return sum(predicted[key] == label for key, label in truth.items()) / len(truth)


def balanced_accuracy(truth, predicted):
    recalls = []
    for label in set(truth.values()):
        items = [key for key in truth if truth[key] == label]
        recalls.append(sum(predicted[key] == label for key in items) / len(items))
    return sum(recalls) / len(recalls)


def f1(truth, predicted):
    scores = []
    for key, labels in truth.items():
        own, other = set(labels), set(predicted[key])
        scores.append(2 * len(own & other) / (len(own) + len(other)) if own or other else 1.0)
    return sum(scores) / len(scores)


def macro_f1(truth, predicted):
    scores = []
    for label in {*truth.values(), *predicted.values()}:
        right = sum(truth[key] == predicted[key] == label for key in truth)
        scores.append(2 * right / sum((truth[key] == label) + (predicted[key] == label) for key in truth))
    return sum(scores) / len(scores)


def rmse(truth, predicted):
    return math.sqrt(sum((predicted[key] - truth[key]) ** 2 for key in truth) / len(truth))


def segment_f1(truth, predicted):
    scores = []
    for key, segments in truth.items():
        total = len(segments) + len(predicted[key])
        scores.append(2 * most_pairs(segments, predicted[key]) / total if total else 1.0)
    return sum(scores) / len(scores)


def most_pairs(segments, predicted):
    """Return how many segments can be paired, each once: the best of all ways to pair the first one."""
    if not segments:
        return 0
    first, *others = segments
    numbers = [most_pairs(others, predicted)]
    for index, segment in enumerate(predicted):
        if segment["label"] == first["label"] and temporal_iou(segment, first) >= 0.5:
            numbers.append(1 + most_pairs(others, predicted[:index] + predicted[index + 1 :]))
    return max(numbers)


def temporal_iou(first, second):
    shared = min(first["end"], second["end"]) - max(first["start"], second["start"])
    both = first["end"] - first["start"] + second["end"] - second["start"]
    return max(shared, 0) / (both - max(shared, 0))
