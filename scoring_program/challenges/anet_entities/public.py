"""What is public of ActivityNet-Entities: videos, segments, classes; what they say of a submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scoring_program.challenges.anet_entities.reference import Reference
from scoring_program.task import Vocabulary
from scoring_program.vocabulary import count_names, name_notes
from validator.arrays import Ints
from validator.findings import Note, Read
from validator.formats.anet_entities import read as submissions
from validator.formats.anet_entities.read import Grounding
from validator.formats.rules import Rules
from validator.hints import missing_notes
from validator.submission import Source
from validator.texts import counted, quote

Segment = tuple[str, str]
# A segment, and the index of a word of its sentence.
Word = tuple[Segment, int]


class PublicSegments(NamedTuple):
    """The videos of the scored splits, their segments, and the names of classes.

    Attributes
    ----------
    videos : frozenset of str
    segments : sequence of (video, segment), optional
        All segments; None where they are not known, as of references that earlier versions prepared.
    asked : sequence of (video, segment)
        Those that submissions should have: of given sentences those with words, which are public, too.
    vocabulary : mapping of str to sequence of str
    words : frozenset of (segment, index)
        Of given sentences the words to find; none of generated ones, where they are hidden.
    """

    videos: frozenset[str]
    segments: Sequence[Segment] | None
    asked: Sequence[Segment]
    vocabulary: Vocabulary
    words: frozenset[Word] = frozenset()

    @property
    def items(self) -> frozenset[str]:
        """The videos."""
        return self.videos


def given_public(reference: Reference) -> PublicSegments:
    """Return the videos of the scored splits with all of their segments, and which words of these to find."""
    return PublicSegments(
        videos=reference.chosen_videos,
        segments=_all_segments(reference),
        asked=sorted(reference.segments),
        vocabulary=_vocabulary(reference),
        words=frozenset(words_of(reference.segments, reference.words.segment, reference.words.index)),
    )


def generated_public(reference: Reference) -> PublicSegments:
    """Return the videos of the scored splits with all of their segments: which have words is hidden."""
    segments = _all_segments(reference)
    return PublicSegments(
        videos=reference.chosen_videos,
        segments=segments,
        asked=segments or (),
        vocabulary=_vocabulary(reference),
    )


def words_of(segments: Sequence[Segment], segment: Ints, index: Ints) -> Iterator[Word]:
    """Yield words, by the number of the segment and the index of each."""
    return zip((segments[number] for number in segment.tolist()), index.tolist())


def _all_segments(reference: Reference) -> list[Segment] | None:
    """Return all segments of the scored videos, annotated or not; None if they are not known."""
    if reference.segments_of_video is None:
        return None
    segments: list[Segment] = []
    for video in sorted(reference.chosen_videos):
        segments += [(video, name) for name in reference.segments_of_video.get(video, ())]
    return segments


def _vocabulary(reference: Reference) -> Vocabulary:
    """Return the names of classes that the annotations declare, or the folder lists."""
    declared_names = {"class": reference.vocab} if reference.vocab else {}
    return {**declared_names, **reference.vocabulary}


def read_submission(rules: Rules, source: Source, public: PublicSegments, keep: object) -> Read[Grounding]:
    """Check and read the JSON file. Raises Refused."""
    return submissions.read(source, rules, public.videos)


def given_notes(submission: Grounding, public: PublicSegments) -> list[Note]:
    """Return notes on unknown and missing segments, and likely mistakes."""
    return [
        *_segment_notes(submission.segments, public),
        *_word_notes(submission, public),
        *submissions.given_hints(submission),
    ]


def generated_notes(submission: Grounding, public: PublicSegments) -> list[Note]:
    """Return the same notes, and those on unknown classes."""
    return [
        *_segment_notes(submission.segments, public),
        *name_notes(submitted_names(submission), public.vocabulary),
        *submissions.generated_hints(submission),
    ]


def submitted_names(submission: Grounding) -> dict[str, dict[str, int]]:
    """Return the classes of all objects, with how often each is used."""
    return {"class": count_names(submission.classes, submission.label)}


def _segment_notes(submitted_segments: Sequence[Segment], public: PublicSegments) -> list[Note]:
    """Return a note on segments of known videos that are unknown, and one on those not submitted."""
    submitted = set(submitted_segments)
    is_missing = np.array([segment not in submitted for segment in public.asked], dtype=bool)
    missing_segments = missing_notes("N-SEGMENTS-MISSING", "nothing submitted", is_missing, "segment")
    if public.segments is None:
        return missing_segments
    known_segments = set(public.segments)
    unknown_segments = [
        segment
        for segment in submitted_segments
        if segment[0] in public.videos and segment not in known_segments
    ]
    unknown_notes = _unknown_notes(
        unknown_segments, submitted_segments, public.segments, int(is_missing.sum())
    )
    return [*unknown_notes, *missing_segments]


def _word_notes(submission: Grounding, public: PublicSegments) -> list[Note]:
    """Return a note if word indexes become all those to find by a shift, as if they were counted from 1."""
    submitted_words = set(words_of(submission.segments, submission.segment, submission.index))
    n_unknown = len(submitted_words - public.words)
    if not n_unknown:
        return []
    from validator.names import EXPLAINED_BY_NAMES, explain_unknown_members

    submitted_segments = {segment for segment, _ in submitted_words}
    known_words = [word for word in public.words if word[0] in submitted_segments]
    explanation = explain_unknown_members(_members(submitted_words), _members(known_words))
    if not explanation:
        return []
    indexes = counted(len(submitted_words), "word index", "word indexes")
    text = f"{n_unknown:,} of {indexes} name no word to find"
    return [Note("N-WORDS-OUTSIDE", f"{text}; {explanation}", EXPLAINED_BY_NAMES)]


def _members(words: Iterable[Word]) -> list[tuple[str, str]]:
    """Return the indexes of words as names that belong to a segment."""
    return [(f"{video} {segment}", str(index)) for (video, segment), index in sorted(words)]


def _unknown_notes(
    unknown_segments: Sequence[Segment],
    submitted_segments: Sequence[Segment],
    public_segments: Sequence[Segment],
    n_missing: int,
) -> list[Note]:
    if not unknown_segments:
        return []
    from validator.names import EXPLAINED_BY_NAMES, explain_unknown_members

    video, name = unknown_segments[0]
    number = counted(len(unknown_segments), "submitted segment")
    text = f"{number} not in the public data; the first is '{quote(name)}' of '{quote(video)}'"
    explanation = explain_unknown_members(submitted_segments, public_segments)
    if not explanation:
        return [Note("N-SEGMENTS-OUTSIDE", text)]
    explains: tuple[str, ...] = EXPLAINED_BY_NAMES
    if len(unknown_segments) >= n_missing:
        explains += ("N-SEGMENTS-MISSING",)
    return [Note("N-SEGMENTS-OUTSIDE", f"{text}; {explanation}", explains)]
