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
from validator.findings import Note, counted
from validator.formats.anet_entities.read import Grounding

_MODES = {"all": False, "loc": True}
_MISSING = "; they lower f1_all, f1_loc, and the coverage, not the score"
_OUTSIDE = "; they stay in the averages per sentence, with 0"
_LEFT_OUT = "; they are left out of the averages per sentence (subset)"


class Joined(NamedTuple):
    """A submission in the reference's numbering.

    Attributes
    ----------
    objects : Objects
        Those in annotated segments.
    submitted : bool array of shape (n_segments,)
        Which annotated segments are in the submission.
    classes, named : list of str, set of str
        The classes of the reference, then those of the submission alone; those that the submission names.
    n_videos : int
        Number of videos with an annotated segment.
    segment_video : int array of shape (n_segments,)
        Index of the video of each annotated segment.
    submitted_of_video, n_submitted : int array of shape (n_videos,), int
        Number of submitted segments of each video, and of all, annotated or not.
    notes : list of Note
    """

    objects: grounding.Objects
    submitted: Bools
    classes: list[str]
    named: set[str]
    n_videos: int
    segment_video: Ints
    submitted_of_video: Ints
    n_submitted: int
    notes: list[Note]


def join(reference: Reference, submission: Grounding, effects: tuple[str, str] = ("; ignored", "")) -> Joined:
    """Bring a submission into the reference's numbering, without objects in other segments.

    ``effects`` say what segments do that are not annotated, and those that are not submitted, for the notes.
    """
    position = {segment: number for number, segment in enumerate(reference.segments)}
    number = np.array([position.get(segment, -1) for segment in submission.segments], dtype=np.int64)
    submitted = np.zeros(len(reference.segments), dtype=bool)
    submitted[number[number >= 0]] = True
    classes = {name: code for code, name in enumerate(reference.classes)}
    of_submission = [classes.setdefault(name, len(classes)) for name in submission.classes]
    codes = np.array(of_submission or [0], dtype=np.int64)
    segment = number[submission.segment] if len(submission.segment) else np.zeros(0, np.int64)
    kept = np.flatnonzero(segment >= 0)
    # Without classes (allowed in sub-task I) the number does not matter.
    label = codes[np.maximum(submission.label[kept], 0)]
    videos = reference.annotated_videos()
    video_number = {video: index for index, video in enumerate(videos)}
    of_video = [video_number[video] for video, _ in submission.segments if video in video_number]
    return Joined(
        grounding.Objects(segment[kept], submission.index[kept], label, submission.box[kept]),
        submitted,
        list(classes),
        set(submission.classes),
        len(videos),
        np.array([video_number[video] for video, _ in reference.segments], dtype=np.int64),
        np.bincount(np.array(of_video, dtype=np.int64), minlength=len(videos)),
        len(submission.segments),
        _notes(int((number < 0).sum()), submitted, effects),
    )


def _annotated_only(joined: Joined) -> Joined:
    """Return a submission without the segments that are not annotated."""
    videos = joined.segment_video[joined.submitted]
    of_video = np.bincount(videos, minlength=joined.n_videos)
    return joined._replace(n_submitted=len(videos), submitted_of_video=of_video)


def _notes(outside: int, submitted: Bools, effects: tuple[str, str]) -> list[Note]:
    notes = []
    if outside:
        text = f"{counted(outside, 'submitted segment')} not annotated in the chosen splits"
        notes.append(Note("N-SEGMENTS-OUTSIDE", f"{text}{effects[0]}"))
    missing = "N-SEGMENTS-MISSING", "nothing submitted", ~submitted, "annotated segment"
    return [*notes, *missing_notes(*missing, effects[1])]


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
    joined, words = join(reference, submission), reference.words
    correct, predicted = grounding.words_correct(joined.objects, words)
    video = joined.segment_video[words.segment]
    return WordStatistics(
        item_scores=group_means(correct, video, joined.n_videos),
        item_submitted=joined.submitted_of_video > 0,
        item_weights=np.bincount(video, minlength=joined.n_videos),
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
    words, subset = reference.words, settings["subset"]
    joined = join(reference, submission, (_LEFT_OUT if subset else _OUTSIDE, _MISSING))
    joined = _annotated_only(joined) if subset else joined
    skipped = _not_penalized(reference, joined, lemmas)
    judged = grounding.judge_generated(joined.objects, words, skipped, len(joined.classes))
    _, f1 = _per_sentence(judged, words, joined)
    n, empty = joined.n_videos, joined.submitted & np.isnan(f1)
    weights = joined.submitted_of_video - np.bincount(joined.segment_video[empty], minlength=n)
    return SentenceStatistics(
        item_scores=means(_f1_sums(joined, f1), weights),
        item_submitted=joined.submitted_of_video > 0,
        item_weights=weights,
        notes=[*joined.notes, *_lemma_notes(reference, joined, lemmas, min_group(settings["detail"]))],
        f1=f1,
        judged=judged,
        words=words,
        joined=joined,
    )


def _f1_sums(joined: Joined, f1: Floats) -> Floats:
    sums = np.bincount(joined.segment_video, np.nan_to_num(f1), joined.n_videos)
    return np.asarray(sums, np.float64)


def generated_score(statistics: SentenceStatistics, weights: Floats) -> Floats:
    """Return the mean F1 of the submitted sentences.

    Those of videos that are not items have the mean weight of the items, 1 if there is none.
    """
    sums = _f1_sums(statistics.joined, statistics.f1)
    mean_weight = weights.mean(axis=1) if statistics.joined.n_videos else np.ones(len(weights))
    number = weights @ statistics.item_weights + statistics.outside_weight() * mean_weight
    return np.where(number > 0, weights @ sums / np.where(number > 0, number, 1), 0.0)


def generated_scores(statistics: SentenceStatistics) -> dict[str, float]:
    """Return F1 per sentence and over classes, in the modes all and loc, with precision and recall."""
    judged, words, joined = statistics.judged, statistics.words, statistics.joined
    n = len(joined.classes)
    sides, submitted = (judged, joined.objects, words), joined.submitted
    averages = {mode: grounding.per_class(*sides, submitted, n, is_loc) for mode, is_loc in _MODES.items()}
    for mode, is_loc in _MODES.items():
        averages[f"{mode}_per_sent"], _ = _per_sentence(judged, words, joined, is_loc)
    f1 = {f"f1_{name}": averages[name].f1 for name in ("all_per_sent", "loc_per_sent", "all", "loc")}
    scores = {"score": f1["f1_all_per_sent"], "coverage": grounding.share(submitted), **f1}
    for name, numbers in averages.items():
        scores[f"precision_{name}"], scores[f"recall_{name}"] = numbers.precision, numbers.recall
    return scores


def generated_error_costs(statistics: SentenceStatistics) -> dict[str, float]:
    """Return the score without segments that are not annotated, without hallucinated objects, without missed
    words, and with the right boxes."""
    judged, joined = statistics.judged, statistics.joined
    known, predicted = judged.object_annotated, judged.word_predicted
    boxes = judged._replace(object_correct=judged.object_correct | known)
    corrected = {
        "not_annotated": (judged, _annotated_only(joined)),
        "hallucinated": (judged._replace(object_skipped=~known), joined),
        "missed_words": (judged._replace(word_correct=judged.word_correct | ~predicted), joined),
        "boxes": (boxes._replace(word_correct=judged.word_correct | predicted), joined),
    }
    return {key: _per_sentence(now, statistics.words, of)[0].f1 for key, (now, of) in corrected.items()}


def _per_sentence(
    judged: grounding.Generated, words: grounding.Words, joined: Joined, is_loc: bool = False
) -> tuple[grounding.PrecisionRecall, Floats]:
    submitted, n = joined.submitted, joined.n_submitted
    return grounding.per_sentence(judged, joined.objects, words, submitted, n, is_loc)


def _not_penalized(reference: Reference, joined: Joined, lemmas: Lemmas) -> Bools:
    """Return for each object whether an unannotated token of its segment has the lemma of its class."""
    codes: dict[str, int] = {}
    of_tokens = [codes.setdefault(lemmas(token), len(codes)) for token in reference.tokens]
    of_token = np.array(of_tokens or [0], dtype=np.int64)
    used = np.unique(joined.objects.label).tolist()
    of_class = np.zeros(len(joined.classes), dtype=np.int64)
    for code in used:
        of_class[code] = codes.setdefault(lemmas(joined.classes[code]), len(codes))
    n = len(codes) + 1
    present = reference.token_segment * n + of_token[reference.token]
    return np.isin(joined.objects.segment * n + of_class[joined.objects.label], present)


def _lemma_notes(reference: Reference, joined: Joined, lemmas: Lemmas, minimum: int) -> list[Note]:
    """Return a note if the fallback gave predicted classes the lemmas of enough unannotated tokens."""
    of_tokens = {lemmas(reference.tokens[code]) for code in np.unique(reference.token).tolist()}
    asked = lemmas.missing & joined.named
    if len(of_tokens & {lemmas(name) for name in asked}) < max(minimum, 1):
        return []
    # How many of them did is left out: each is a question about the words of the reference.
    classes = f"{counted(len(asked), 'predicted class', 'predicted classes')} not in the table of lemmas"
    text = f"some of {classes} got the lemma of an unannotated word {lemmas.means}"
    return [Note("N-LEMMAS", f"{text}; the released script may differ")]
