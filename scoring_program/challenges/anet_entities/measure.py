"""ActivityNet-Entities: from objects and annotated words to the statistics of each video."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.anet_entities.lemmas import Lemmas
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.metrics import grounding
from scoring_program.metrics.group_values import group_means, means
from scoring_program.result import Statistics
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.formats.anet_entities.read import Grounding

# The modes of sub-task II, and whether they judge localization alone.
_MODES = {"all": False, "loc": True}


class Joined(NamedTuple):
    """A submission in the reference's numbering.

    Attributes
    ----------
    objects : Objects
        Those in annotated segments.
    submitted : bool array of shape (n_segments,)
        Which annotated segments are in the submission.
    classes : list of str
        The classes of the reference, then those of the submission alone.
    n_videos : int
        Number of videos with an annotated segment.
    segment_video : int array of shape (n_segments,)
        Index of the video of each annotated segment, among the sorted videos.
    submitted_of_video : int array of shape (n_videos,)
        Number of submitted segments of each video, annotated or not.
    n_submitted : int
        Number of all submitted segments, those of other videos too.
    """

    objects: grounding.Objects
    submitted: Bools
    classes: list[str]
    n_videos: int
    segment_video: Ints
    submitted_of_video: Ints
    n_submitted: int


def join(reference: Reference, submission: Grounding) -> Joined:
    """Bring a submission into the reference's numbering, without objects in other segments."""
    number_of_segment = {segment: number for number, segment in enumerate(reference.segments)}
    true_segments = [number_of_segment.get(segment, -1) for segment in submission.segments]
    true_segment = np.array(true_segments, dtype=np.int64)
    is_annotated = true_segment >= 0
    submitted = np.zeros(len(reference.segments), dtype=bool)
    submitted[true_segment[is_annotated]] = True
    number_of_class = {name: number for number, name in enumerate(reference.classes)}
    for name in submission.classes:
        number_of_class.setdefault(name, len(number_of_class))
    videos = reference.annotated_videos()
    number_of_video = {video: number for number, video in enumerate(videos)}
    segment_video = [number_of_video[video] for video, _ in reference.segments]
    submitted_videos = [
        number_of_video[video] for video, _ in submission.segments if video in number_of_video
    ]
    return Joined(
        objects=_objects(submission, true_segment, number_of_class),
        submitted=submitted,
        classes=list(number_of_class),
        n_videos=len(videos),
        segment_video=np.array(segment_video, dtype=np.int64),
        submitted_of_video=np.bincount(np.array(submitted_videos, dtype=np.int64), minlength=len(videos)),
        n_submitted=len(submission.segments),
    )


def _objects(submission: Grounding, true_segment: Ints, number_of_class: dict[str, int]) -> grounding.Objects:
    """Return the objects in annotated segments, with the numbers of the reference.

    ``true_segment`` (n_submitted_segments,) is the number of each submitted segment in the reference, or -1.
    """
    segment = true_segment[submission.segment]
    annotated = np.flatnonzero(segment >= 0)
    # Without classes (allowed in sub-task I) the number does not matter.
    true_label = np.array([number_of_class[name] for name in submission.classes] or [0], dtype=np.int64)
    return grounding.Objects(
        segment=segment[annotated],
        index=submission.index[annotated],
        label=true_label[np.maximum(submission.label[annotated], 0)],
        box=submission.box[annotated],
    )


@dataclass(frozen=True)
class WordStatistics(Statistics):
    """What became of each annotated word; arrays of shape (n_words,).

    ``correct``: it is grounded right; ``predicted``: it has an object; ``submitted``: its segment is
    submitted; ``video``: its item.
    """

    correct: Bools
    predicted: Bools
    submitted: Bools
    label: Ints
    video: Ints
    joined: Joined


class Sentences(NamedTuple):
    """The sentences over which the averages per sentence run: ``number``, and of each item, (n_videos,)."""

    number: int
    of_video: Ints


class Protocol(NamedTuple):
    """What the two protocols of sub-task II do differently: over which sentences is averaged.

    Attributes
    ----------
    sentences : callable
        Returns the sentences of the reference, of the submission, or of both.
    error_costs : callable
        Returns the score if the sentences were those that are asked for, by the key of the error type.
    """

    sentences: Callable[[Reference, Joined], Sentences]
    error_costs: Callable[[SentenceStatistics], dict[str, float]]


@dataclass(frozen=True)
class SentenceStatistics(Statistics):
    """What became of the objects and words of each sentence.

    ``f1`` (n_segments,) is that of each annotated segment in mode all, NaN where it does not count.
    ``item_weights`` are the parts that the items have in the denominator of the score.
    """

    f1: Floats
    judged: grounding.Generated
    words: grounding.Words
    joined: Joined
    sentences: Sentences
    protocol: Protocol

    def outside_weight(self) -> int:
        """Return the number of sentences of videos that are not items."""
        return self.sentences.number - int(self.sentences.of_video.sum())

    def outside_submitted(self) -> bool:
        """Return whether segments of videos that are not items are submitted."""
        return self.joined.n_submitted > int(self.joined.submitted_of_video.sum())


def measure_given(reference: Reference, submission: Grounding, settings: Settings) -> WordStatistics:
    """Compare the object of each word with its reference boxes."""
    words = reference.words
    joined = join(reference, submission)
    correct, predicted = grounding.words_correct(joined.objects, words)
    video = joined.segment_video[words.segment]
    n_wrong = np.bincount(video[~correct], minlength=joined.n_videos)
    return WordStatistics(
        item_scores=group_means(correct, video, joined.n_videos),
        item_submitted=joined.submitted_of_video > 0,
        item_weights=np.bincount(video, minlength=joined.n_videos),
        item_perfect=n_wrong == 0,
        correct=correct,
        predicted=predicted,
        submitted=joined.submitted[words.segment],
        label=words.label,
        video=video,
        joined=joined,
    )


def given_score(statistics: WordStatistics, weights: Floats) -> Floats:
    """Return the mean over classes of their share of right words."""
    return grounding.weighted_class_mean(statistics.correct, statistics.label, statistics.video, weights)


def given_scores(statistics: WordStatistics) -> dict[str, float]:
    """Return the localization accuracy and what goes with it."""
    accuracy = _accuracy(statistics, statistics.correct)
    return {
        "score": accuracy,
        "coverage": grounding.share(statistics.predicted),
        "localization_accuracy": accuracy,
        "word_accuracy": grounding.share(statistics.correct),
    }


def given_error_costs(statistics: WordStatistics) -> dict[str, float]:
    """Return the score if words not submitted, those without an object, or those with one, were right."""
    correct, predicted = statistics.correct, statistics.predicted
    return {
        "not_submitted": _accuracy(statistics, correct | ~statistics.submitted),
        "objects_missing": _accuracy(statistics, correct | ~predicted),
        "boxes": _accuracy(statistics, correct | predicted),
    }


def _accuracy(statistics: WordStatistics, correct: Bools) -> float:
    return grounding.localization_accuracy(correct, statistics.label, len(statistics.joined.classes))


def measure_generated(reference: Reference, submission: Grounding, settings: Settings) -> SentenceStatistics:
    """Compare the objects of each sentence with the annotated words of its segment."""
    protocol = _protocol(settings)
    lemmas = Lemmas(reference.lemmas, settings["lemma_fallback"])
    joined = join(reference, submission)
    sentences = protocol.sentences(reference, joined)
    words = reference.words
    not_penalized = _not_penalized(reference, joined, lemmas)
    judged = grounding.judge_generated(joined.objects, words, not_penalized, len(joined.classes))
    _, f1 = grounding.per_sentence(
        judged, joined.objects.segment, words, joined.submitted, sentences.number, localization=False
    )
    # A submitted sentence in which no word is annotated does not count.
    empty_video = joined.segment_video[joined.submitted & np.isnan(f1)]
    weights = sentences.of_video - np.bincount(empty_video, minlength=joined.n_videos)
    f1_sums = _f1_sums(joined, f1)
    return SentenceStatistics(
        item_scores=means(f1_sums, weights),
        item_submitted=joined.submitted_of_video > 0,
        item_weights=weights,
        # Segments outside of the annotated ones have a weight and no F1.
        item_perfect=f1_sums == weights,
        f1=f1,
        judged=judged,
        words=words,
        joined=joined,
        sentences=sentences,
        protocol=protocol,
    )


def _sentences_of_reference(reference: Reference, joined: Joined) -> Sentences:
    """Return all sentences of the chosen videos, annotated or not."""
    n_segments = reference.n_segments or {}
    number = sum(n_segments.get(video, 0) for video in reference.chosen_videos)
    of_video = [n_segments[video] for video in reference.annotated_videos()]
    return Sentences(number, np.array(of_video, dtype=np.int64))


def _submitted_sentences(reference: Reference, joined: Joined) -> Sentences:
    """Return all submitted sentences, in or out of the reference."""
    return Sentences(joined.n_submitted, joined.submitted_of_video)


def _annotated_sentences(reference: Reference, joined: Joined) -> Sentences:
    """Return the submitted sentences that are annotated."""
    videos = joined.segment_video[joined.submitted]
    return Sentences(len(videos), np.bincount(videos, minlength=joined.n_videos))


def _f1_sums(joined: Joined, f1: Floats) -> Floats:
    """Return the sum of the F1 of the counting segments of each video; shape (n_videos,)."""
    sums = np.bincount(joined.segment_video, np.nan_to_num(f1), joined.n_videos)
    return np.asarray(sums, np.float64)


def generated_score(statistics: SentenceStatistics, weights: Floats) -> Floats:
    """Return the mean F1 of the sentences over which the protocol averages.

    Those of videos that are not items have the mean weight of the items, 1 if there is none.
    """
    mean_weight = weights.mean(axis=1) if statistics.joined.n_videos else np.ones(len(weights))
    f1_sum = weights @ _f1_sums(statistics.joined, statistics.f1)
    n_segments = weights @ statistics.item_weights + statistics.outside_weight() * mean_weight
    return np.where(n_segments > 0, f1_sum / np.where(n_segments > 0, n_segments, 1), 0.0)


def generated_scores(statistics: SentenceStatistics) -> dict[str, float]:
    """Return F1 per sentence and over classes, in the modes all and loc, with precision and recall."""
    judged, words, joined = statistics.judged, statistics.words, statistics.joined
    objects, submitted, n_classes = joined.objects, joined.submitted, len(joined.classes)
    averages: dict[str, grounding.PrecisionRecall] = {}
    for mode, is_loc in _MODES.items():
        averages[mode] = grounding.per_class(judged, objects, words, submitted, n_classes, is_loc)
    for mode, is_loc in _MODES.items():
        averages[f"{mode}_per_sent"], _ = grounding.per_sentence(
            judged, objects.segment, words, submitted, statistics.sentences.number, is_loc
        )
    scores = {"score": averages["all_per_sent"].f1, "coverage": grounding.share(submitted)}
    for name in ("all_per_sent", "loc_per_sent", "all", "loc"):
        scores[f"f1_{name}"] = averages[name].f1
    for name, average in averages.items():
        scores[f"precision_{name}"] = average.precision
        scores[f"recall_{name}"] = average.recall
    return scores


def generated_error_costs(statistics: SentenceStatistics) -> dict[str, float]:
    """Return the score with the sentences that are asked for, without hallucinated objects, without missed
    words, and with the right boxes."""
    judged, object_segment = statistics.judged, statistics.joined.objects.segment
    annotated, predicted = judged.object_annotated, judged.word_predicted
    without_hallucinated = judged._replace(object_skipped=~annotated)
    with_right_boxes = judged._replace(
        object_correct=judged.object_correct | annotated, word_correct=judged.word_correct | predicted
    )
    return {
        **statistics.protocol.error_costs(statistics),
        "hallucinated": _score_if_judged(statistics, without_hallucinated, object_segment),
        "missed_words": _score_with_missed_words(statistics),
        "boxes": _score_if_judged(statistics, with_right_boxes, object_segment),
    }


def _score_if_judged(
    statistics: SentenceStatistics, judged: grounding.Generated, object_segment: Ints
) -> float:
    """Return the score if objects and words were judged in another way, of objects in these segments."""
    joined = statistics.joined
    average, _ = grounding.per_sentence(
        judged, object_segment, statistics.words, joined.submitted, statistics.sentences.number, False
    )
    return average.f1


def _score_with_missed_words(statistics: SentenceStatistics) -> float:
    """Return the score if each annotated class that is not predicted had one right object."""
    judged, words = statistics.judged, statistics.words
    is_missed = ~judged.word_predicted
    missed_classes = np.stack([words.segment[is_missed], words.label[is_missed]])
    segment, _ = np.unique(missed_classes, axis=1)
    is_right = np.ones(len(segment), dtype=bool)
    with_missed_words = judged._replace(
        object_correct=np.append(judged.object_correct, is_right),
        object_annotated=np.append(judged.object_annotated, is_right),
        object_skipped=np.append(judged.object_skipped, ~is_right),
        word_correct=judged.word_correct | is_missed,
    )
    object_segment = np.append(statistics.joined.objects.segment, segment)
    return _score_if_judged(statistics, with_missed_words, object_segment)


def _cost_of_not_submitted(statistics: SentenceStatistics) -> dict[str, float]:
    """Return the score if all annotated sentences that are not submitted were right."""
    f1 = np.where(statistics.joined.submitted, statistics.f1, 1.0)
    return {"not_submitted": _mean_f1(statistics.joined, f1, statistics.sentences.number)}


def _cost_of_not_annotated(statistics: SentenceStatistics) -> dict[str, float]:
    """Return the score if only annotated sentences were submitted."""
    joined = statistics.joined
    return {"not_annotated": _mean_f1(joined, statistics.f1, int(joined.submitted.sum()))}


def _mean_f1(joined: Joined, f1: Floats, n_sentences: int) -> float:
    """Return the mean over sentences of the F1 of the annotated ones, (n_segments,), NaN without one."""
    has_f1 = ~np.isnan(f1)
    n_counting = n_sentences - int((joined.submitted & ~has_f1).sum())
    return float(f1[has_f1].sum()) / n_counting if n_counting > 0 else 0.0


_PROTOCOLS = {
    "published": Protocol(
        sentences=_sentences_of_reference,
        error_costs=_cost_of_not_submitted,
    ),
    "released": Protocol(
        sentences=_submitted_sentences,
        error_costs=_cost_of_not_annotated,
    ),
}


def _protocol(settings: Settings) -> Protocol:
    """Return the chosen protocol; ``released`` may leave out submitted segments that are not annotated."""
    protocol = _PROTOCOLS[settings["protocol"]]
    if settings["protocol"] == "published" or not settings["subset"]:
        return protocol
    return protocol._replace(sentences=_annotated_sentences)


def _not_penalized(reference: Reference, joined: Joined, lemmas: Lemmas) -> Bools:
    """Return for each object whether an unannotated token of its segment has the lemma of its class."""
    number_of_lemma: dict[str, int] = {}

    def lemma_number(word: str) -> int:
        return number_of_lemma.setdefault(lemmas(word), len(number_of_lemma))

    token_lemma = np.array([lemma_number(token) for token in reference.tokens] or [0], dtype=np.int64)
    class_lemma = np.zeros(len(joined.classes), dtype=np.int64)
    for label in np.unique(joined.objects.label).tolist():
        class_lemma[label] = lemma_number(joined.classes[label])
    n = len(number_of_lemma) + 1
    token_key = reference.token_segment * n + token_lemma[reference.token]
    object_key = joined.objects.segment * n + class_lemma[joined.objects.label]
    return np.isin(object_key, token_key)
