"""What is public of Kinetics-TPS: the frames of each video, and names; and what that says of a submission."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.task import Vocabulary
from scoring_program.vocabulary import count_names, name_notes
from validator.findings import Note, Read
from validator.formats.kinetics_tps import read as submissions
from validator.formats.kinetics_tps.read import KineticsSubmission, frames_of_videos
from validator.formats.rules import Rules
from validator.submission import Source
from validator.texts import counted, quote

# The challenge samples img_00001.json, img_00006.json, ...
_STEP = 5
_NAME = re.compile(r"img_([0-9]{5,9})\.json")
# If so many frames are unknown, another spelling of theirs also explains which are missing.
_EXPLAINING_SHARE = 1 / 2


class PublicVideos(NamedTuple):
    """The frames of each video, whether anybody is in them or not, and the names of each kind."""

    frames_of_video: Mapping[str, Sequence[str]]
    vocabulary: Vocabulary

    @property
    def items(self) -> Mapping[str, Sequence[str]]:
        """The videos."""
        return self.frames_of_video


def public(reference: Reference) -> PublicVideos:
    """Return the frames of each video, ascending.

    Every fifth frame up to the last one of a video is among them, whether the reference has it or not: those
    that it lacks would tell where nobody is. Where a video has others, nobody knows which were sampled: its
    own frames are public.
    """
    frames_of_video = {}
    for video, frames in sorted(frames_of_videos(reference.parts).items()):
        frames_of_video[video] = _with_all_sampled(frames)
    return PublicVideos(frames_of_video, reference.vocabulary)


# Videos share the names of their frames.
@lru_cache(maxsize=10_000)
def sampled_number(frame: str) -> int:
    """Return the number of a frame that the challenge samples, 0 for others.

    Examples
    --------
    >>> sampled_number("img_00006.json"), sampled_number("img_00005.json")
    (6, 0)
    """
    match = _NAME.fullmatch(frame)
    number = int(match[1]) if match else 0
    return number if number % _STEP == 1 else 0


def _with_all_sampled(frames: Sequence[str]) -> list[str]:
    """Return the frames of a video and those sampled before the last of them, in ascending order; of a video
    with others, its own."""
    numbers = list(map(sampled_number, frames))
    if not all(numbers):
        return sorted(frames)
    sampled_frames = {f"img_{number:05d}.json" for number in range(1, max(numbers, default=0) + 1, _STEP)}
    return sorted(sampled_frames.union(frames))


def read_submission(
    rules: Rules, source: Source, public: PublicVideos, keep: object
) -> Read[KineticsSubmission]:
    """Check and read both JSON files. Raises Refused."""
    return submissions.read(source, rules, public.frames_of_video)


def submitted_names(submission: KineticsSubmission) -> dict[str, dict[str, int]]:
    """Return the classes, parts, and states of a submission, with how often each is used."""
    parts = submission.parts
    return {
        "class": dict(Counter(submission.classes.values())),
        "part": count_names(parts.names, parts.part_name),
        "state": count_names(parts.states, parts.proposal_state),
    }


def notes(submission: KineticsSubmission, public: PublicVideos) -> list[Note]:
    """Return notes on unknown and missing frames, unknown names, and likely mistakes."""
    return [
        *_frame_notes(submission, public),
        *name_notes(submitted_names(submission), public.vocabulary),
        *submissions.hints(submission),
    ]


def _frame_notes(submission: KineticsSubmission, public: PublicVideos) -> list[Note]:
    """Return a note on unknown frames of known videos, and one on what is not submitted."""
    submitted_frames = frames_of_videos(submission.parts)
    n_unknown = n_missing = 0
    for video, public_frames in public.frames_of_video.items():
        frames = submitted_frames.get(video, ())
        n_unknown += len(set(frames).difference(public_frames))
        n_missing += len(set(public_frames).difference(frames))
    unknown_notes = _unknown_notes(n_unknown, submission, public) if n_unknown else []
    return [*unknown_notes, *_missing_notes(submission, public, n_missing)]


def _unknown_notes(n_unknown: int, submission: KineticsSubmission, public: PublicVideos) -> list[Note]:
    from validator.names import EXPLAINED_BY_NAMES, explain_unknown_members

    submitted_frames = frames_of_videos(submission.parts)
    submitted_keys, public_keys = _keys(submitted_frames), _keys(public.frames_of_video)
    text = f"ignored what is not in this data: {counted(n_unknown, 'frame')} of the submission"
    explanation = explain_unknown_members(submitted_keys, public_keys)
    if not explanation:
        return [Note("N-FRAMES-UNKNOWN", f"{text}; {_frames_beside(submitted_frames, public)}")]
    explains: tuple[str, ...] = EXPLAINED_BY_NAMES
    if n_unknown >= _EXPLAINING_SHARE * len(submitted_keys):
        explains += ("N-FRAMES-MISSING",)
    return [Note("N-FRAMES-UNKNOWN", f"{text}; {explanation}", explains)]


def _frames_beside(submitted_frames: Mapping[str, Sequence[str]], public: PublicVideos) -> str:
    """Return the unknown frames of the first video that has any, and its frames of the data."""
    from validator.names import first_names

    for video, frames in submitted_frames.items():
        public_frames = public.frames_of_video.get(video, frames)
        unknown_frames = set(frames).difference(public_frames)
        if unknown_frames:
            names = f"they are {first_names(unknown_frames)}, the data's {first_names(public_frames)}"
            return f"in '{quote(video)}' {names}"
    return ""


def _keys(frames_of_video: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the video and the name of each frame."""
    return [(video, frame) for video, frames in frames_of_video.items() for frame in frames]


def _missing_notes(submission: KineticsSubmission, public: PublicVideos, n_missing: int) -> list[Note]:
    """Return one note on what is not submitted: it is fixed together, and has one cost."""
    n_videos = len(public.items)
    n_classes = sum(video not in submission.classes for video in public.items)
    missing_texts = []
    if n_classes:
        missing_texts.append(f"no class for {n_classes:,} of {counted(n_videos, 'video')}")
    if n_missing:
        n_frames = sum(map(len, public.frames_of_video.values()))
        missing_texts.append(f"no prediction for {n_missing:,} of {counted(n_frames, 'frame')} of the data")
    if not missing_texts:
        return []
    return [Note("N-CLASSES-MISSING" if n_classes else "N-FRAMES-MISSING", " and ".join(missing_texts))]
