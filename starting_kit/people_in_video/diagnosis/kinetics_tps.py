"""What the search for the simplest repair compares for Kinetics-TPS: videos and frames, humans and parts, and
the names of parts, states and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from people_in_video.diagnosis.decision import Family
from people_in_video.diagnosis.regions import Regions
from people_in_video.diagnosis.samples import Ids, Kind, Names
from people_in_video.diagnosis.sampling import Spread
from people_in_video.diagnosis.search import Comparison, Repairs
from scoring_program.challenges.kinetics_tps.measure import translate
from scoring_program.challenges.kinetics_tps.public import submitted_names
from scoring_program.challenges.kinetics_tps.reference import Reference
from scoring_program.metrics.pairs import pairs_of_ranges
from validator.arrays import Bools, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates

_VIDEO = "Write the names of videos as the data has them, without folder, ending and times"
_FRAME = "Frames count from 1, and every fifth is scored: img_00001.json, img_00006.json, ..."
_BOX = "Write boxes as [x1, y1, x2, y2], in pixels of the original video"
_NAME = "Write names exactly as the list of the data does"
_OWN_VIDEO = "Write each prediction under the name of its own video"


def comparisons(reference: Reference, submission: KineticsSubmission) -> list[Comparison]:
    """Return what is compared, in the order of scoring."""
    evidence = _Evidence(reference, submission)
    return [
        Comparison(Kind.IDS, "videos", evidence.videos, _VIDEO),
        Comparison(Kind.IDS, "videos with a class", evidence.videos_with_class, _VIDEO),
        Comparison(Kind.IDS, "frames", evidence.frames, _FRAME),
        Comparison(Kind.BOXES, "humans", evidence.humans, _BOX, remedies={Family.ITEMS: _OWN_VIDEO}),
        Comparison(Kind.BOXES, "parts", evidence.parts, _BOX, remedies={Family.ITEMS: _OWN_VIDEO}),
        Comparison(Kind.NAMES, "part names", evidence.part_names, _NAME),
        Comparison(Kind.NAMES, "states", evidence.states, _NAME),
        Comparison(
            Kind.NAMES, "action classes", evidence.classes, _NAME, remedies={Family.ITEMS: _OWN_VIDEO}
        ),
    ]


class _Places(NamedTuple):
    """Where frames are: ``item`` is a video of the reference, ``slot`` the number of a frame's name; -1 where
    the reference has no such. Shapes: (n_frames,), (n_frames,), (n_true_frames,)."""

    item: Ints
    slot: Ints
    true_slot: Ints

    def choose_frames(self, spread: Spread) -> Ints:
        """Return sampled frames of the submission that are annotated."""
        frames = np.flatnonzero((self.item >= 0) & (self.slot >= 0))
        return frames[spread.choose(self.item[frames])]


class _Rows(NamedTuple):
    """Humans or parts of some frames, by their rows in `PartStates`, and what they belong to; (n,) each."""

    row: Ints
    frame: Ints
    human: Ints


class _NamesOfParts(NamedTuple):
    """Names or states of sampled parts (n,) and annotated ones (m,), as numbers of words."""

    predicted: Ints
    true: Ints
    words: Sequence[str]
    true_words: Sequence[str]


class _PartSample(NamedTuple):
    """Sampled parts: their boxes, names and states."""

    regions: Regions
    names: _NamesOfParts
    states: _NamesOfParts


class _Evidence:
    """Both sides, and what is compared of them."""

    def __init__(self, reference: Reference, submission: KineticsSubmission) -> None:
        self._reference = reference
        self._submission = submission
        self._true, self._predicted = reference.parts, submission.parts
        self._frame_places: _Places | None = None
        self._part_samples: dict[Spread, _PartSample | None] = {}

    def videos(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the videos that have frames."""
        return _known_videos(self._predicted.videos, self._true.videos)

    def videos_with_class(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the videos that have a class."""
        return _known_videos(list(self._submission.classes), self._true.videos)

    def frames(self, repairs: Repairs, spread: Spread) -> Ids | None:
        """Return the names of frames in sampled videos."""
        # A few videos with many frames show how frames are numbered.
        true_frames = Spread.DEEP.choose(self._true.frame_video)
        true_group = self._true.frame_video[true_frames]
        group = self._video_numbers(repairs)[self._predicted.frame_video]
        frames = np.flatnonzero(np.isin(group, true_group))
        if not len(frames):
            return None
        names = [self._predicted.frames[frame] for frame in frames.tolist()]
        all_true_frames = np.flatnonzero(np.isin(self._true.frame_video, true_group))
        return Ids(
            predicted=names,
            true=[self._true.frames[frame] for frame in true_frames.tolist()],
            group=group[frames],
            true_group=true_group,
            what="frames",
            is_in_reference=_are_frames_of(self._true, all_true_frames, group[frames], names),
        )

    def humans(self, repairs: Repairs, spread: Spread) -> Regions | None:
        """Return humans, whatever their parts."""
        places = self._places(repairs)
        frames = places.choose_frames(spread)
        if not len(frames):
            return None
        rows = _humans_of(self._predicted, frames)
        entries = rows.row[spread.choose(places.item[rows.frame])]
        frame = self._predicted.human_frame[entries]
        true_rows = _humans_of(self._true, self._true_frames(places.item[frame], spread))
        return Regions(
            columns=self._predicted.human_box[entries],
            item=places.item[frame],
            true_corners=self._true.human_box[true_rows.row],
            true_item=self._true.frame_video[true_rows.frame],
            n_items=len(self._true.videos),
            slot=places.slot[frame, None],
            true_slot=places.true_slot[true_rows.frame, None],
        )

    def parts(self, repairs: Repairs, spread: Spread) -> Regions | None:
        """Return the first proposals of parts, whatever their names."""
        sample = self._part_sample(repairs, spread)
        return None if sample is None else sample.regions

    def part_names(self, repairs: Repairs, spread: Spread) -> Names | None:
        """Return the names of parts that are on an annotated one."""
        sample = self._part_sample(repairs, spread)
        if sample is None:
            return None
        return _matched_names(sample.regions, repairs, sample.names, "part names")

    def states(self, repairs: Repairs, spread: Spread) -> Names | None:
        """Return the states of parts that are on an annotated one."""
        sample = self._part_sample(repairs, spread)
        if sample is None:
            return None
        return _matched_names(sample.regions, repairs, sample.states, "states")

    def classes(self, repairs: Repairs, spread: Spread) -> Names | None:
        """Return the classes of videos."""
        videos = self._meant_videos(list(self._submission.classes), repairs)
        number = translate(videos, self._true.videos)
        entries = np.flatnonzero(number >= 0)
        if not len(entries):
            return None
        entries = entries[np.argsort(number[entries], kind="stable")]
        entries = entries[spread.choose(number[entries])]
        predicted_classes = list(self._submission.classes.values())
        true_classes = self._reference.classes
        return Names(
            predicted=[predicted_classes[entry] for entry in entries.tolist()],
            true=[true_classes[video] for video in number[entries].tolist()],
            item=number[entries],
            vocabulary=sorted(set(true_classes)),
            true_of_item=true_classes,
            what="action classes",
        )

    def _meant_videos(self, videos: Sequence[str], repairs: Repairs) -> list[str]:
        """Return the names of videos with the repair of either file."""
        meant = [repairs.word("videos", video) for video in videos]
        return [repairs.word("videos with a class", video) for video in meant]

    def _video_numbers(self, repairs: Repairs) -> Ints:
        """Return the video of the reference that each video with frames is, -1 without one."""
        return translate(self._meant_videos(self._predicted.videos, repairs), self._true.videos)

    def _places(self, repairs: Repairs) -> _Places:
        """Return where frames are. Ids come first, so that their repair is known when this is asked for."""
        if self._frame_places is None:
            names = sorted(set(self._true.frames))
            true_slot = translate(self._true.frames, names)
            # Of many frames there are few different names.
            different_frames = sorted(set(self._predicted.frames))
            meant_frames = [repairs.word("frames", frame) for frame in different_frames]
            slot_of_frame = dict(zip(different_frames, translate(meant_frames, names).tolist()))
            slots = [slot_of_frame[frame] for frame in self._predicted.frames]
            self._frame_places = _Places(
                item=self._video_numbers(repairs)[self._predicted.frame_video],
                slot=np.array(slots, dtype=np.int64),
                true_slot=true_slot,
            )
        return self._frame_places

    def _true_frames(self, items: Ints, spread: Spread) -> Ints:
        """Return the annotated frames of the videos that a sample needs."""
        videos = spread.items_nearby(items, len(self._true.videos))
        return np.flatnonzero(np.isin(self._true.frame_video, videos))

    def _part_sample(self, repairs: Repairs, spread: Spread) -> _PartSample | None:
        if spread not in self._part_samples:
            self._part_samples[spread] = self._sample_parts(self._places(repairs), spread)
        return self._part_samples[spread]

    def _sample_parts(self, places: _Places, spread: Spread) -> _PartSample | None:
        true_parts, predicted = self._true, self._predicted
        rows = _parts_of(predicted, places.choose_frames(spread))
        if not len(rows.row):
            return None
        entries = spread.choose(places.item[rows.frame])
        part, frame, human = rows.row[entries], rows.frame[entries], rows.human[entries]
        proposal = np.searchsorted(predicted.proposal_part, part)
        true_rows = _parts_of(true_parts, self._true_frames(places.item[frame], spread))
        names = _NamesOfParts(
            predicted=predicted.part_name[part],
            true=true_parts.part_name[true_rows.row],
            words=predicted.names,
            true_words=true_parts.names,
        )
        states = _NamesOfParts(
            predicted=predicted.proposal_state[proposal],
            true=true_parts.proposal_state[true_rows.row],
            words=predicted.states,
            true_words=true_parts.states,
        )
        regions = Regions(
            columns=predicted.proposal_box[proposal],
            item=places.item[frame],
            true_corners=true_parts.proposal_box[true_rows.row],
            true_item=true_parts.frame_video[true_rows.frame],
            n_items=len(true_parts.videos),
            slot=places.slot[frame, None],
            true_slot=places.true_slot[true_rows.frame, None],
            label=translate(names.words, names.true_words)[names.predicted],
            true_label=names.true,
            parent=predicted.human_box[human],
        )
        return _PartSample(regions, names, states)


def _known_videos(predicted: Sequence[str], true: Sequence[str]) -> Ids | None:
    return Ids(predicted=predicted, true=true, what="videos") if predicted else None


def _are_frames_of(parts: PartStates, frames: Ints, video: Ints, names: Sequence[str]) -> Bools:
    """Return which names (n,) are of one of some frames of their video (n,)."""
    names_of_frames = [parts.frames[frame] for frame in frames.tolist()]
    keys = set(zip(parts.frame_video[frames].tolist(), names_of_frames))
    return np.array([key in keys for key in zip(video.tolist(), names)], dtype=bool)


def _humans_of(parts: PartStates, frames: Ints) -> _Rows:
    """Return the humans of frames."""
    human, frame = _rows_of_owners(parts.human_frame, frames)
    return _Rows(human, frame, human)


def _parts_of(parts: PartStates, frames: Ints) -> _Rows:
    """Return the parts of frames."""
    humans = _humans_of(parts, frames)
    part, human = _rows_of_owners(parts.part_human, humans.row)
    return _Rows(part, parts.human_frame[human], human)


def _rows_of_owners(owner: Ints, selection: Ints) -> tuple[Ints, Ints]:
    """Return the rows of some owners, and the owner of each; ``owner`` (n_rows,) ascends."""
    first = np.searchsorted(owner, selection)
    last = np.searchsorted(owner, selection, side="right")
    place, row, _ = pairs_of_ranges(first, last)
    return row, selection[place]


def _matched_names(regions: Regions, repairs: Repairs, names: _NamesOfParts, what: str) -> Names | None:
    """Return the names of parts that are on an annotated one."""
    item, nearest = repairs.match(Kind.BOXES, regions)
    matched = np.flatnonzero(nearest >= 0)
    if not len(matched):
        return None
    return Names(
        predicted=[names.words[number] for number in names.predicted[matched].tolist()],
        true=[names.true_words[number] for number in names.true[nearest[matched]].tolist()],
        item=item[matched],
        vocabulary=sorted(names.true_words),
        what=what,
    )


def rename(submission: KineticsSubmission, new_names: Mapping[str, Mapping[str, str]]) -> KineticsSubmission:
    """Return a submission with other classes, parts, and states; ``new_names`` are by kind."""
    new_classes, new_parts, new_states = (new_names.get(kind, {}) for kind in ("class", "part", "state"))
    classes = {video: new_classes.get(name, name) for video, name in submission.classes.items()}
    parts = submission.parts._replace(
        names=[new_parts.get(name, name) for name in submission.parts.names],
        states=[new_states.get(state, state) for state in submission.parts.states],
    )
    return KineticsSubmission(classes, parts)


COMPARISONS = {"kinetics_tps": comparisons}


SUBMITTED_NAMES = {"kinetics_tps": submitted_names}
