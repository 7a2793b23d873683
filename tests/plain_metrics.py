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


THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def detection_ap(truth, predicted, thresholds=THRESHOLDS):
    labels = {instance["label"] for instances in truth.values() for instance in instances}
    scores = [label_ap(truth, predicted, label, threshold) for label in labels for threshold in thresholds]
    return sum(scores) / len(scores)


def label_ap(truth, predicted, label, threshold):
    """Return the average precision of a label: predictions one after another, then the sum over all points."""
    free = {key: [one for one in instances if one["label"] == label] for key, instances in truth.items()}
    n_true = sum(map(len, free.values()))
    ranked = [
        (-one["score"], key, place, one)
        for key in truth
        for place, one in enumerate(predicted.get(key, []))
        if one["label"] == label
    ]
    outcomes = []
    for _, key, _, prediction in sorted(ranked, key=lambda row: row[:3]):
        best = max(free[key], key=lambda instance: region_iou(instance, prediction), default=None)
        is_right = best is not None and region_iou(best, prediction) >= threshold
        if is_right:
            free[key].remove(best)
        outcomes.append(is_right)
    precisions = [sum(outcomes[: end + 1]) / (end + 1) for end in range(len(outcomes))]
    return sum(max(precisions[place:]) for place, is_right in enumerate(outcomes) if is_right) / n_true


def region_iou(first, second):
    shared = first_size = second_size = 1
    corners = [one["box"] for one in (first, second)]
    n_axes = len(corners[0]) // 2
    for axis in range(n_axes):
        (start, end), (other_start, other_end) = ((one[axis], one[axis + n_axes]) for one in corners)
        shared *= max(min(end, other_end) - max(start, other_start), 0)
        first_size *= end - start
        second_size *= other_end - other_start
    return shared / (first_size + second_size - shared)
