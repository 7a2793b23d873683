"""ActivityNet-Entities: from objects and annotated words to the statistics of each video."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.anet_entities.lemmas import Lemmas
from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.disclosure import min_group
from scoring_program.metrics import grounding
from scoring_program.metrics.pairs import group_means, means
from scoring_program.result import Statistics, missing_notes
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note
from validator.formats.anet_entities.read import Grounding
from validator.texts import counted

# The modes of sub-task II, and whether they judge localization alone.
_MODES = {"all": False, "loc": True}


class Effects(NamedTuple):
    """What segments do to the score, for notes: those outside of the reference, and those not submitted."""

    outside: str
    missing: str


_GIVEN = Effects(outside="; ignored", missing="")
_GENERATED = Effects(
    outside="; they stay in the averages per sentence, with 0",
    missing="; they lower f1_all, f1_loc, and the coverage, not the score",
)
_GENERATED_SUBSET = _GENERATED._replace(outside="; they are left out of the averages per sentence (subset)")


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
    submitted_classes : set of str
        The classes that the submission names.
    n_videos : int
        Number of videos with an annotated segment.
    segment_video : int array of shape (n_segments,)
        Index of the video of each annotated segment, among the sorted videos.
    submitted_of_video : int array of shape (n_videos,)
        Number of submitted segments of each video, annotated or not.
    n_submitted : int
        Number of all submitted segments, those of other videos too.
    notes : list of Note
    """

    objects: grounding.Objects
    submitted: Bools
    classes: list[str]
    submitted_classes: set[str]
    n_videos: int
    segment_video: Ints
    submitted_of_video: Ints
    n_submitted: int
    notes: list[Note]


def join(reference: Reference, submission: Grounding, effects: Effects = _GIVEN) -> Joined:
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
        submitted_classes=set(submission.classes),
        n_videos=len(videos),
        segment_video=np.array(segment_video, dtype=np.int64),
        submitted_of_video=np.bincount(np.array(submitted_videos, dtype=np.int64), minlength=len(videos)),
        n_submitted=len(submission.segments),
        notes=_notes(reference, submission, submitted, effects),
    )


def _objects(submission: Grounding, true_segment: Ints, number_of_class: dict[str, int]) -> grounding.Objects:
    """Return the objects in annotated segments, with the numbers of the reference.

    ``true_segment`` (n_submitted_segments,) is the number of each submitted segment in the reference, or -1.
    """
    segment = true_segment[submission.segment]
    kept = np.flatnonzero(segment >= 0)
    # Without classes (allowed in sub-task I) the number does not matter.
    true_label = np.array([number_of_class[name] for name in submission.classes] or [0], dtype=np.int64)
    return grounding.Objects(
        segment=segment[kept],
        index=submission.index[kept],
        label=true_label[np.maximum(submission.label[kept], 0)],
        box=submission.box[kept],
    )


def _annotated_only(joined: Joined) -> Joined:
    """Return a submission without the segments that are not annotated."""
    videos = joined.segment_video[joined.submitted]
    submitted_of_video = np.bincount(videos, minlength=joined.n_videos)
    return joined._replace(n_submitted=len(videos), submitted_of_video=submitted_of_video)


def _notes(reference: Reference, submission: Grounding, submitted: Bools, effects: Effects) -> list[Note]:
    """Return notes on segments that are not annotated, and on annotated ones that are not submitted."""
    notes = []
    n_outside = len(submission.segments) - int(submitted.sum())
    if n_outside:
        from validator.names import explain_unknown_members

        text = f"{counted(n_outside, 'submitted segment')} not annotated in the chosen splits"
        explanation = explain_unknown_members(submission.segments, reference.segments, "video")
        explains: tuple[str, ...] = ()
        if explanation:
            text += f" ({explanation})"
            explains = codes_explained_outside(n_outside, int((~submitted).sum()))
        notes.append(Note("N-SEGMENTS-OUTSIDE", f"{text}{effects.outside}", explains))
    code, nothing, thing = "N-SEGMENTS-MISSING", "nothing submitted", "annotated segment"
    return notes + missing_notes(code, nothing, ~submitted, thing, effects.missing)


def codes_explained_outside(n_outside: int, n_missing: int) -> tuple[str, ...]:
    """Return the codes of notes that say no more where other names explain the segments outside."""
    from validator.names import EXPLAINED_BY_NAMES

    return (*EXPLAINED_BY_NAMES, "N-SEGMENTS-MISSING") if n_outside >= n_missing else EXPLAINED_BY_NAMES


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

    def outside_weight(self) -> int:
        """Return the number of submitted segments of videos that are not items."""
        return self.joined.n_submitted - int(self.joined.submitted_of_video.sum())


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
        notes=joined.notes,
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
    lemmas = Lemmas(reference.lemmas, settings["lemma_fallback"])
    if settings["subset"]:
        joined = _annotated_only(join(reference, submission, _GENERATED_SUBSET))
    else:
        joined = join(reference, submission, _GENERATED)
    words = reference.words
    not_penalized = _not_penalized(reference, joined, lemmas)
    judged = grounding.judge_generated(joined.objects, words, not_penalized, len(joined.classes))
    _, f1 = _per_sentence(judged, words, joined)
    # A submitted sentence in which no word is annotated does not count.
    empty_video = joined.segment_video[joined.submitted & np.isnan(f1)]
    weights = joined.submitted_of_video - np.bincount(empty_video, minlength=joined.n_videos)
    f1_sums = _f1_sums(joined, f1)
    lemma_notes = _lemma_notes(reference, joined, lemmas, min_group(settings["detail"]))
    return SentenceStatistics(
        item_scores=means(f1_sums, weights),
        item_submitted=joined.submitted_of_video > 0,
        item_weights=weights,
        # Segments outside of the annotated ones have a weight and no F1.
        item_perfect=f1_sums == weights,
        notes=[*joined.notes, *lemma_notes],
        f1=f1,
        judged=judged,
        words=words,
        joined=joined,
    )


def _f1_sums(joined: Joined, f1: Floats) -> Floats:
    """Return the sum of the F1 of the counting segments of each video; shape (n_videos,)."""
    sums = np.bincount(joined.segment_video, np.nan_to_num(f1), joined.n_videos)
    return np.asarray(sums, np.float64)


def generated_score(statistics: SentenceStatistics, weights: Floats) -> Floats:
    """Return the mean F1 of the submitted sentences.

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
        averages[f"{mode}_per_sent"], _ = _per_sentence(judged, words, joined, is_loc)
    scores = {"score": averages["all_per_sent"].f1, "coverage": grounding.share(submitted)}
    for name in ("all_per_sent", "loc_per_sent", "all", "loc"):
        scores[f"f1_{name}"] = averages[name].f1
    for name, average in averages.items():
        scores[f"precision_{name}"] = average.precision
        scores[f"recall_{name}"] = average.recall
    return scores


def generated_error_costs(statistics: SentenceStatistics) -> dict[str, float]:
    """Return the score without segments that are not annotated, without hallucinated objects, without missed
    words, and with the right boxes."""
    judged, words, joined = statistics.judged, statistics.words, statistics.joined
    annotated, predicted = judged.object_annotated, judged.word_predicted
    without_hallucinated = judged._replace(object_skipped=~annotated)
    with_missed_words = judged._replace(word_correct=judged.word_correct | ~predicted)
    with_right_boxes = judged._replace(
        object_correct=judged.object_correct | annotated, word_correct=judged.word_correct | predicted
    )
    averages = {
        "not_annotated": _per_sentence(judged, words, _annotated_only(joined)),
        "hallucinated": _per_sentence(without_hallucinated, words, joined),
        "missed_words": _per_sentence(with_missed_words, words, joined),
        "boxes": _per_sentence(with_right_boxes, words, joined),
    }
    return {error_type: average.f1 for error_type, (average, _) in averages.items()}


def _per_sentence(
    judged: grounding.Generated, words: grounding.Words, joined: Joined, is_loc: bool = False
) -> tuple[grounding.PrecisionRecall, Floats]:
    """Return F1 over the submitted sentences in a mode, and that of each segment."""
    objects, submitted, n_submitted = joined.objects, joined.submitted, joined.n_submitted
    return grounding.per_sentence(judged, objects, words, submitted, n_submitted, is_loc)


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


def _lemma_notes(reference: Reference, joined: Joined, lemmas: Lemmas, minimum: int) -> list[Note]:
    """Return a note if the fallback gave predicted classes the lemmas of enough unannotated tokens."""
    token_lemmas = {lemmas(reference.tokens[number]) for number in np.unique(reference.token).tolist()}
    missing_classes = lemmas.missing & joined.submitted_classes
    class_lemmas = {lemmas(name) for name in missing_classes}
    if len(token_lemmas & class_lemmas) < max(minimum, 1):
        return []
    # How many of them did is left out: each is a question about the words of the reference.
    classes = counted(len(missing_classes), "predicted class", "predicted classes")
    text = f"some of {classes} not in the table of lemmas got the lemma of an unannotated word {lemmas.means}"
    return [Note("N-LEMMAS", f"{text}; the released script may differ")]
