"""What the search for the simplest repair compares for Kinetics-TPS: humans, parts, and the names of parts,
states and classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from people_in_video.diagnosis.samples import BOX_IOU, Names, Regions
from people_in_video.diagnosis.search import Comparison, Explanation, Measured, Sample
from people_in_video.diagnosis.trials import (
    LEAST_SHARE_OF_COMBINATION,
    Change,
    Family,
    Trial,
    agrees_well,
)
from scoring_program.challenges.kinetics_tps.measure import VideoStatistics, annotated_parts, translate
from scoring_program.challenges.kinetics_tps.public import submitted_names
from scoring_program.metrics.part_state import nearest_proposals
from validator.arrays import Floats, Ints
from validator.formats.kinetics_tps.read import KineticsSubmission

_BOX = "Write boxes as [x1, y1, x2, y2], in pixels of the original video"
_NAME = "Write names exactly as the list of the data does"
_OWN_VIDEO = "Write each prediction under the name of its own video"
_OWN_HUMAN = "Write the parts of a human with the box of that human"
# Humans of a frame are tried in so many orders, and the last first.
_MOST_SHIFTS = 4
_OWN_PART = "Write the states of a part with the boxes of that part"


def _regions(
    statistics: VideoStatistics,
    corners: tuple[Floats, Floats],
    frames: tuple[Ints, Ints],
    names: tuple[Ints, Ints] | None = None,
    parent: Floats | None = None,
) -> Regions:
    """Return sampled boxes: predicted and annotated corners, frames, and names."""
    true_parts = statistics.true_parts
    # A place in a video is the name of a frame, which other videos have, too.
    _, slot_of_frame = np.unique(true_parts.frames, return_inverse=True)
    frame, true_frame = frames
    label, true_label = names or (None, None)
    regions = Regions(
        corners=corners[0],
        item=true_parts.frame_video[frame],
        true_corners=corners[1],
        true_item=true_parts.frame_video[true_frame],
        n_items=len(true_parts.videos),
        slot=slot_of_frame[frame][:, None],
        true_slot=slot_of_frame[true_frame][:, None],
        label=label,
        true_label=true_label,
        parent=parent,
    )
    return regions.sampled()


def _humans(measured: Measured) -> Iterator[Regions]:
    """Yield humans, whatever their parts."""
    predicted, true_parts = measured.statistics.predicted, measured.statistics.true_parts
    corners = (predicted.human_box, true_parts.human_box)
    yield _regions(measured.statistics, corners, (predicted.human_frame, true_parts.human_frame))


def _parts(measured: Measured) -> Iterator[Regions]:
    """Yield the first proposals of parts, whatever their names."""
    predicted, true_parts = measured.statistics.predicted, measured.statistics.true_parts
    proposals = predicted.proposals
    first = np.flatnonzero(np.diff(proposals.part, prepend=-1))
    part = proposals.part[first]
    human = proposals.part_human[part]
    yield _regions(
        measured.statistics,
        corners=(proposals.box[first], true_parts.proposal_box),
        frames=(predicted.human_frame[human], true_parts.human_frame[true_parts.part_human]),
        names=(proposals.part_name[part], true_parts.part_name),
        parent=predicted.human_box[human],
    )


def _parts_of_humans(measured: Measured) -> Iterator[Trial]:
    """Yield the trial that the humans of frames have the parts of one another, as where lists were sorted
    beside others that were not."""
    statistics: VideoStatistics = measured.statistics
    true_parts, human_frame = statistics.true_parts, statistics.predicted.human_frame
    matched_human = statistics.matched_human[true_parts.part_human]
    entries = np.flatnonzero(matched_human >= 0)
    if not len(entries):
        return
    _, nearest_iou = statistics.nearest_proposals
    agrees_before = nearest_iou[entries] > BOX_IOU
    if agrees_well(agrees_before):
        return
    first = np.searchsorted(human_frame, human_frame)
    n_humans = np.searchsorted(human_frame, human_frame, "right") - first
    rank = np.arange(len(human_frame)) - first
    orders = [first + (rank + shift) % n_humans for shift in range(1, _MOST_SHIFTS)]
    orders.append(first + n_humans - 1 - rank)
    agreements = [agrees_before]
    for order in orders:
        human = np.where(matched_human >= 0, order[matched_human], -1)
        _, iou = nearest_proposals(human, annotated_parts(true_parts), statistics.predicted.proposals)
        agreements.append(iou[entries] > BOX_IOU)
    frame = human_frame[matched_human[entries]]
    n_agreeing = np.array([np.bincount(frame, agrees) for agrees in agreements])
    yield Trial(
        family=Family.ORDER,
        words="with the parts of the humans of each frame in another order",
        before=agrees_before,
        after=np.array(agreements)[n_agreeing.argmax(axis=0)[frame], np.arange(len(frame))],
        item=true_parts.frame_video[frame],
        least_share=LEAST_SHARE_OF_COMBINATION,
    )


def _part_names(measured: Measured) -> Iterator[Names]:
    """Yield the names of sampled parts that are on an annotated one."""
    for regions in _parts(measured):
        yield _in_order(regions.names(measured.statistics.true_parts.names, "part names"))


def _in_order(sample: Names) -> Names:
    """Return names by their places in a list that is in order, as the list of the data is."""
    vocabulary = sorted(sample.words)
    return replace(sample, vocabulary=vocabulary, true=translate(sample.words, vocabulary)[sample.true])


def _states(measured: Measured) -> Iterator[Sample]:
    """Yield the states of parts that are near the annotated one, and those of the next part of the human."""
    statistics: VideoStatistics = measured.statistics
    true_parts, proposals = statistics.true_parts, statistics.predicted.proposals
    nearest, iou = statistics.nearest_proposals
    true_part = np.flatnonzero(iou > BOX_IOU)
    proposal = nearest[true_part]
    item = true_parts.frame_video[true_parts.human_frame[true_parts.part_human[true_part]]]
    true = true_parts.proposal_state[true_part]
    states = true_parts.states
    names = Names(
        words=states,
        predicted=proposals.state[proposal],
        vocabulary=states,
        true=true,
        item=item,
        noun="states",
    )
    yield _in_order(names)
    if not len(proposal):
        return
    # The state of the first proposal of each part, and the place of the part among those of its human.
    first = np.flatnonzero(np.diff(proposals.part, prepend=-1))
    state = np.full(len(proposals.part_human), -1)
    state[proposals.part[first]] = proposals.state[first]
    _, first_part, inverse, n_parts = np.unique(
        proposals.part_human, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.arange(len(state)) - first_part[inverse]
    for shift, words in ((1, "later"), (-1, "earlier")):
        other = first_part[inverse] + (rank - shift) % n_parts[inverse]
        agrees_after = state[other][proposals.part[proposal]] == true
        yield Trial(
            family=Family.ITEMS,
            words=f"with the states of each human one part {words}",
            before=proposals.state[proposal] == true,
            after=agrees_after,
            item=item,
            least_share=0.5,
        )


def _classes(measured: Measured) -> Iterator[Names]:
    """Yield the classes of videos."""
    statistics: VideoStatistics = measured.statistics
    vocabulary = sorted(set(statistics.true_classes))
    video = np.array([name is not None for name in statistics.predicted_classes], dtype=bool).nonzero()[0]
    predicted = [name for name in statistics.predicted_classes if name is not None]
    words = sorted(set(predicted))
    true_of_item = translate(statistics.true_classes, vocabulary)
    yield Names(
        words=words,
        predicted=translate(predicted, words),
        vocabulary=vocabulary,
        true=true_of_item[video],
        item=video,
        true_of_item=true_of_item,
        noun="action classes",
    )


def _with_changed_boxes(of_parts_alone: bool, measured: Measured, change: Change) -> KineticsSubmission:
    """Return the submission with changed boxes, of parts alone or of humans, too, and videos."""
    submission: KineticsSubmission = measured.rows
    parts, videos = submission.parts, measured.reference.parts.videos
    video = translate(parts.videos, videos)[parts.frame_video]
    human_video = video[parts.human_frame]
    human_box = parts.human_box
    if not of_parts_alone:
        human_box = change.corners(human_box, human_video, None)
    proposal_box = parts.proposal_box
    (sampled_parts,) = _parts(measured)
    # They may come from another model, and be right as they are.
    if sampled_parts.changed(change).agrees.sum() >= sampled_parts.agrees.sum():
        human = parts.part_human[parts.proposal_part]
        proposal_box = change.corners(proposal_box, human_video[human], parts.human_box[human])
    changed_parts = parts._replace(human_box=human_box, proposal_box=proposal_box)
    return _with_changed_videos(measured._replace(rows=submission._replace(parts=changed_parts)), change)


def _with_changed_videos(measured: Measured, change: Change) -> KineticsSubmission:
    submission: KineticsSubmission = measured.rows
    videos = measured.reference.parts.videos
    rename = change.renames(videos)
    true_class_of_video = dict(zip(videos, measured.statistics.true_classes))

    def n_right(classes: Mapping[str, str]) -> int:
        return sum(true_class_of_video.get(video) == name for video, name in classes.items())

    classes = {rename(video): name for video, name in submission.classes.items()}
    # They are in a file of their own, whose videos may be right.
    if n_right(classes) < n_right(submission.classes):
        classes = submission.classes
    return KineticsSubmission(
        classes, submission.parts._replace(videos=[rename(video) for video in submission.parts.videos])
    )


def _with_changed_classes(measured: Measured, change: Change) -> KineticsSubmission:
    class_of_video = _with_changed_videos(measured, change).classes
    classes = {video: change.word(name) for video, name in class_of_video.items()}
    return KineticsSubmission(classes, measured.rows.parts)


def _with_changed_names(kind: str, measured: Measured, change: Change) -> KineticsSubmission:
    words = measured.rows.parts._asdict()[kind]
    parts = measured.rows.parts._replace(**{kind: [change.word(word) for word in words]})
    return KineticsSubmission(measured.rows.classes, parts)


def _boxes(noun: str, samples: Callable[[Measured], Iterator[Regions]], of_parts_alone: bool) -> Comparison:
    return Comparison(
        kind="places",
        noun=noun,
        samples=samples,
        remedy=_BOX,
        remedies={Family.ITEMS: _OWN_VIDEO},
        repaired=partial(_with_changed_boxes, of_parts_alone),
        explains=("N-LOOKS-NORMALIZED",),
    )


def rename(submission: KineticsSubmission, new_names: Mapping[str, Mapping[str, str]]) -> KineticsSubmission:
    """Return a submission with other classes, parts, and states; ``new_names`` are by kind."""
    new_classes = new_names.get("class", {})
    new_parts = new_names.get("part", {})
    new_states = new_names.get("state", {})
    classes = {video: new_classes.get(name, name) for video, name in submission.classes.items()}
    parts = submission.parts._replace(
        names=[new_parts.get(name, name) for name in submission.parts.names],
        states=[new_states.get(state, state) for state in submission.parts.states],
    )
    return KineticsSubmission(classes, parts)


EXPLANATIONS = {
    "kinetics_tps": Explanation(
        [
            _boxes("humans", _humans, of_parts_alone=False),
            _boxes("parts", _parts, of_parts_alone=True),
            Comparison("humans of parts", "parts of humans", _parts_of_humans, _OWN_HUMAN),
            Comparison(
                "part names", "part names", _part_names, _NAME, repaired=partial(_with_changed_names, "names")
            ),
            Comparison(
                kind="states",
                noun="states",
                samples=_states,
                remedy=_NAME,
                remedies={Family.ITEMS: _OWN_PART},
                repaired=partial(_with_changed_names, "states"),
            ),
            Comparison(
                kind="classes",
                noun="action classes",
                samples=_classes,
                remedy=_NAME,
                remedies={Family.ITEMS: _OWN_VIDEO},
                repaired=_with_changed_classes,
            ),
        ],
        submitted_names=submitted_names,
        rename=rename,
    )
}
