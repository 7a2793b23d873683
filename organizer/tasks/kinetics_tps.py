"""Annotations of Kinetics-TPS: classes of videos, humans, and states of their parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from organizer.data import content
from organizer.data.content import Content, Values
from organizer.files import Files, json_bytes
from organizer.public_data import (
    Leak,
    PublicData,
    PublicPart,
    PublicSource,
    differing_files,
    expected_vocabulary,
)
from organizer.tasks import Annotations, BaselineKind, Guess, Pools
from people_in_video.drawings.kinetics_tps import canvas
from people_in_video.drawings.scenes import GROUND_TRUTH, Drawing, DrawnObject, shapes
from people_in_video.references.kinetics_tps import save_reference
from scoring_program.challenges.kinetics_tps.public import public, sampled_number
from scoring_program.challenges.kinetics_tps.reference import (
    CLASSES_FILE,
    PARTS_FILE,
    PREPARED_FILE,
    Reference,
    select_videos,
)
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.result import Section
from scoring_program.scoring import AnyLoaded
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings, Read
from validator.formats.kinetics_tps.read import (
    KineticsSubmission,
    PartStates,
    human_place,
    part_place,
    rows_of_owner,
)
from validator.formats.kinetics_tps.write import (
    MOST_HUMANS,
    MOST_PARTS,
    Json,
    encode_submission,
    frame_entry,
    human_entry,
    part_entry,
)
from validator.texts import counted

VIDEOS_FILE = "videos.json"
# So many parts of a video differ in their states.
_MANY_PARTS = 10
# Kinds of labels, and of boxes.
_CLASS, _STATE, _HUMAN, _PART = "class", "state", "human", "part"


class Prediction(NamedTuple):
    """A prediction: the class of each video, and its frames as the file has them."""

    classes: dict[str, str]
    videos: Json


class KineticsAnnotations(Annotations[Reference, Prediction]):
    """The annotations of the task."""

    # A perfect video lacks half a step of 10,000; the released sum has 9,999 steps.
    perfect_scores = (0.99995, 0.9999)

    def pools(self, reference: Reference) -> Pools:
        """Return the annotated classes and states, and the boxes of humans and parts."""
        parts = reference.parts
        n_of_class = dict(sorted(Counter(reference.classes).items()))
        n_of_state = dict(sorted(_count_words(parts.states, parts.proposal_state).items()))
        labels = {_CLASS: Counter(n_of_class), _STATE: Counter(n_of_state)}
        return Pools(labels, {_HUMAN: parts.human_box, _PART: parts.proposal_box})

    def predicted(self, reference: Reference, guess: Guess) -> Prediction:
        """Return a class for each video, and what is predicted for each annotated human."""
        parts = reference.parts
        kept_frames = [frame for frame in range(len(parts.frames)) if guess.keeps()]
        videos: Json = {}
        for frame in kept_frames:
            humans = rows_of_owner(parts.human_frame, frame)[:MOST_HUMANS]
            entries = [_predict_human(parts, human, guess) for human in humans if guess.keeps()]
            video = parts.videos[parts.frame_video[frame]]
            videos.setdefault(video, {})[parts.frames[frame]] = frame_entry(entries)
        classes = {}
        for video, true_class in zip(parts.videos, reference.classes):
            if predicted_class := guess.label(true_class, _CLASS):
                classes[video] = predicted_class
        return Prediction(classes, videos)

    def files(self, prediction: Prediction) -> Files:
        """Return both JSON files."""
        return encode_submission(prediction.classes, prediction.videos)

    def rows(self, loaded: AnyLoaded, guess: Guess) -> Read[KineticsSubmission]:
        """Return the arrays of a prediction without noise, which take a tenth of the time of files."""
        parts = loaded.reference.parts
        if guess.baseline is BaselineKind.NOISY or _has_too_many(parts):
            return super().rows(loaded, guess)
        return Read(_plain_rows(loaded.reference, self.pools(loaded.reference), guess), [])

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each video."""
        class_of_video = dict(zip(reference.parts.videos, reference.classes))
        return {video: [class_name] for video, class_name in class_of_video.items()}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the arrays of some videos."""
        is_kept = np.array([video in names for video in reference.parts.videos], dtype=bool)
        part = select_videos(reference, np.flatnonzero(is_kept))
        save_reference(part, output / PREPARED_FILE)


def _predict_human(parts: PartStates, human: int, guess: Guess) -> Json:
    """Return the prediction for an annotated human and its parts."""
    part_entries = {}
    for part in rows_of_owner(parts.part_human, human)[:MOST_PARTS]:
        state = guess.label(parts.states[parts.proposal_state[part]], _STATE)
        box = guess.box(parts.proposal_box[part].tolist(), _PART)
        part_entries[parts.names[parts.part_name[part]]] = part_entry([box], [state])
    return human_entry(guess.box(parts.human_box[human].tolist(), _HUMAN), part_entries)


def _plain_rows(reference: Reference, pools: Pools, guess: Guess) -> KineticsSubmission:
    """Return what `KineticsAnnotations.predicted` predicts without noise."""
    parts = reference.parts
    if guess.baseline is BaselineKind.EMPTY:
        return KineticsSubmission({}, select_videos(reference, np.zeros(0, dtype=np.int64)).parts)
    if guess.baseline is BaselineKind.RANDOM:
        return _random_rows(reference, pools, guess)
    if guess.baseline is BaselineKind.MOST_FREQUENT:
        parts = parts._replace(
            human_box=np.tile(pools.median_boxes[_HUMAN], (len(parts.human_box), 1)),
            proposal_box=np.tile(pools.median_boxes[_PART], (len(parts.proposal_box), 1)),
            proposal_state=np.zeros_like(parts.proposal_state),
            states=[guess.label("", _STATE)],
        )
    classes = [guess.label(true_class, _CLASS) for true_class in reference.classes]
    return KineticsSubmission(dict(zip(parts.videos, classes)), parts)


def _random_rows(reference: Reference, pools: Pools, guess: Guess) -> KineticsSubmission:
    """Return random states, boxes and classes, drawn in the order of files: for each human the state and the
    box of each part, then its own box; then the classes."""
    parts = reference.parts
    n_parts, n_humans, n_videos = len(parts.part_human), len(parts.human_box), len(parts.videos)
    state_draw = 2 * np.arange(n_parts) + parts.part_human
    parts_until = np.searchsorted(parts.part_human, np.arange(n_humans), side="right")
    human_draw = 2 * parts_until + np.arange(n_humans)
    n_choices = np.zeros(2 * n_parts + n_humans + n_videos, dtype=np.int64)
    n_choices[state_draw] = len(pools.labels[_STATE])
    n_choices[state_draw + 1] = len(pools.boxes[_PART])
    n_choices[human_draw] = len(pools.boxes[_HUMAN])
    n_choices[2 * n_parts + n_humans :] = len(pools.labels[_CLASS])
    drawn_places = guess.places(n_choices)
    random_parts = parts._replace(
        human_box=pools.boxes[_HUMAN][drawn_places[human_draw]],
        proposal_box=pools.boxes[_PART][drawn_places[state_draw + 1]],
        proposal_state=drawn_places[state_draw],
        states=list(pools.labels[_STATE]),
    )
    names = list(pools.labels[_CLASS])
    classes = [names[place] for place in drawn_places[2 * n_parts + n_humans :].tolist()]
    return KineticsSubmission(dict(zip(parts.videos, classes)), random_parts)


def _has_too_many(parts: PartStates) -> bool:
    """Return whether a frame has more humans, or a human more parts, than a submission may hold."""
    most_humans = np.bincount(parts.human_frame, minlength=1).max()
    most_parts = np.bincount(parts.part_human, minlength=1).max()
    return bool(most_humans > MOST_HUMANS or most_parts > MOST_PARTS)


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: videos, frames, humans and parts."""
    reference: Reference = loaded.reference
    parts, warnings = reference.parts, Findings()
    classes = dict(Counter(reference.classes))
    names = _count_words(parts.names, parts.part_name)
    states = _count_words(parts.states, parts.proposal_state)
    video_of_class = dict(zip(reversed(reference.classes), reversed(parts.videos)))
    content.check_names(
        "class", classes, CLASSES_FILE, warnings, place_of_name=lambda name: f"/{video_of_class[name]}"
    )
    part_of_state = partial(_first_part_of_state, parts)
    content.check_names("part", names, PARTS_FILE, warnings)
    content.check_names("state", states, PARTS_FILE, warnings, place_of_name=part_of_state)
    _check_boxes(parts, warnings)
    _check_equal_videos(parts, warnings)
    _check_empty_videos(parts, warnings)
    _check_frames(parts, warnings)
    _check_states(parts, warnings)
    return Content(
        n_instances=len(parts.part_name),
        counts=_count_things(reference),
        names={"class": classes, "part": names, "state": states},
        values=_values(parts),
        warnings=warnings,
        draw=_drawings_of(reference),
    )


def _count_things(reference: Reference) -> dict[str, int]:
    """Return how many videos, frames, humans, parts and classes there are."""
    parts = reference.parts
    part_frame = parts.human_frame[parts.part_human]
    n_frames_with_parts = len(np.unique(part_frame))
    n_videos_with_parts = len(np.unique(parts.frame_video[part_frame]))
    return {
        "videos": len(parts.videos),
        "videos without parts": len(parts.videos) - n_videos_with_parts,
        "frames": len(parts.frames),
        "frames without parts": len(parts.frames) - n_frames_with_parts,
        "humans": len(parts.human_box),
        "parts": len(parts.part_name),
        "classes": len(set(reference.classes)),
    }


def _values(parts: PartStates) -> list[Values]:
    """Return the sizes of videos, frames and humans."""
    n_humans = len(parts.human_box)
    width_and_height = parts.human_box[:, 2:] - parts.human_box[:, :2] + 1
    human_size = np.sqrt(width_and_height.prod(axis=1))
    frames_of_video = np.bincount(parts.frame_video, minlength=len(parts.videos))
    humans_of_frame = np.bincount(parts.human_frame, minlength=len(parts.frames))
    parts_of_human = np.bincount(parts.part_human, minlength=n_humans)

    def name_video(video: int) -> str:
        return parts.videos[video]

    def name_frame(frame: int) -> str:
        return f"{parts.videos[parts.frame_video[frame]]} {parts.frames[frame]}"

    name_human = partial(human_place, parts)
    return [
        Values("frames of a video", frames_of_video, name_video, "videos"),
        Values("humans in a frame", humans_of_frame, name_frame, "frames"),
        Values("parts of a human", parts_of_human, name_human, "humans"),
        Values("size of a human (root of the area, pixels)", human_size, name_human, "humans"),
    ]


def _drawings_of(reference: Reference) -> Callable[[], Sequence[Section]]:
    """Return the function that draws a few frames."""
    parts = reference.parts
    part_frame = parts.human_frame[parts.part_human]
    parts_of_frame = np.bincount(part_frame, minlength=len(parts.frames))
    return partial(content.drawings, "Frames", parts_of_frame, partial(_draw_frame, reference))


def _draw_frame(reference: Reference, frame: int) -> Drawing:
    """Return the drawing of a frame with its annotated humans and parts."""
    parts, objects = reference.parts, list[DrawnObject]()
    for number, human in enumerate(rows_of_owner(parts.human_frame, frame), start=1):
        human_label = f"human {number}"
        objects.append(_draw_object(human_label, "annotated", parts.human_box[human]))
        for part in rows_of_owner(parts.part_human, human):
            label = f"{human_label}, {parts.names[parts.part_name[part]]}"
            state = parts.states[parts.proposal_state[part]]
            objects.append(_draw_object(label, state, parts.proposal_box[part]))
    blank = canvas(parts, frame, parts.human_box[:0], parts.human_frame[:0])
    text = f"Class of the video: {reference.classes[parts.frame_video[frame]]}."
    return blank._replace(text=text, objects=objects)


def _draw_object(label: str, text: str, true_box: Floats) -> DrawnObject:
    """Return an annotated box with its words."""
    return DrawnObject(label, text, False, shapes(GROUND_TRUTH, true_box))


def _count_words(words: Sequence[str], numbers: Ints) -> dict[str, int]:
    """Return how often each word occurs, without those that never do; ``numbers`` are places in ``words``."""
    counts = np.bincount(numbers, minlength=len(words)).tolist()
    return {word: count for word, count in zip(words, counts) if count}


def _check_boxes(parts: PartStates, warnings: Findings) -> None:
    """Warn of unlikely boxes of humans and parts."""
    human_at = (PARTS_FILE, partial(human_place, parts))
    part_at = (PARTS_FILE, partial(part_place, parts))
    content.check_boxes("human", parts.human_box, human_at, warnings)
    content.check_boxes("part", parts.proposal_box, part_at, warnings)
    humans = np.column_stack([parts.human_frame, parts.human_box])
    problem = "the box of the human repeats an earlier one"
    content.warn_where(content.repeated(humans), "R-REPEATED", problem, human_at, warnings)
    problem = "the box of the part is far outside of its human"
    content.warn_where(_is_far_outside(parts), "R-BOX", problem, part_at, warnings)


def _is_far_outside(parts: PartStates) -> Bools:
    """Return which parts reach out of the box of their human by more than half its size."""
    human_box = parts.human_box[parts.part_human]
    margin = (human_box[:, 2:] - human_box[:, :2]) / 2
    is_before = parts.proposal_box[:, 2:] < human_box[:, :2] - margin
    is_behind = parts.proposal_box[:, :2] > human_box[:, 2:] + margin
    return np.any(is_before | is_behind, axis=1)


def _check_equal_videos(parts: PartStates, warnings: Findings) -> None:
    """Warn of videos with the same boxes and states."""
    human_video = parts.frame_video[parts.human_frame]
    part_video = human_video[parts.part_human]
    part_rows = np.column_stack([parts.part_name, parts.proposal_state, parts.proposal_box])
    content.check_same(parts.videos, [(human_video, parts.human_box), (part_video, part_rows)], warnings)


def _check_empty_videos(parts: PartStates, warnings: Findings) -> None:
    """Warn of videos without a frame."""
    n_frames = np.bincount(parts.frame_video, minlength=len(parts.videos))
    video_at = (PARTS_FILE, lambda video: f"/{parts.videos[video]}")
    problem = "the video has no frame: its PSC is 1 for nothing"
    content.warn_where(n_frames == 0, "R-FRAMES", problem, video_at, warnings)
    n_humans = np.bincount(parts.frame_video[parts.human_frame], minlength=len(parts.videos))
    problem = "have no human in any frame: their PSC is 1 whatever is predicted"
    is_lost = (n_frames > 0) & (n_humans == 0)
    content.warn_of_share(is_lost, "R-EMPTY", problem, (PARTS_FILE, "video", parts.videos), warnings)


def _check_frames(parts: PartStates, warnings: Findings) -> None:
    """Warn of frames that the challenge does not sample."""
    is_other = np.array([not sampled_number(frame) for frame in parts.frames], dtype=bool)
    names = [f"{parts.videos[video]} {frame}" for video, frame in zip(parts.frame_video, parts.frames)]
    problem = "are not named img_00001.json, img_00006.json, ...: "
    problem += "the public list of such a video is its own frames, nothing is added"
    content.warn_of_share(is_other, "R-FRAMES", problem, (PARTS_FILE, "frame", names), warnings)


def _check_states(parts: PartStates, warnings: Findings) -> None:
    """Warn of videos with one state for all of their parts, where these are many, or all are alike."""
    part_video = parts.frame_video[parts.human_frame[parts.part_human[parts.proposal_part]]]
    n_parts = np.bincount(part_video, minlength=len(parts.videos))
    pairs = np.unique(np.column_stack([part_video, parts.proposal_state]), axis=0)
    n_states = np.bincount(pairs[:, 0], minlength=len(parts.videos))
    is_constant = (n_states == 1) & (n_parts >= _MANY_PARTS)
    if len(np.unique(parts.proposal_state)) == 1 and len(part_video) > 1:
        is_constant = n_parts > 0
    problem = "have the same state for all of their parts"
    content.warn_of_share(is_constant, "R-CONSTANT", problem, (PARTS_FILE, "video", parts.videos), warnings)


def _first_part_of_state(parts: PartStates, state: str) -> str:
    """Return the place of the first part with a state."""
    proposal = int(np.flatnonzero(parts.proposal_state == parts.states.index(state))[0])
    return part_place(parts, int(parts.proposal_part[proposal]))


def _public_files(source: PublicSource) -> PublicData:
    """Return the names of the sampled frames of each video, and the vocabulary. Raises Refused."""
    reference: Reference = TASKS[source.task_id].load(source.folder, source.settings)
    frames_of_video = public(reference).frames_of_video
    n_added = sum(map(len, frames_of_video.values())) - len(reference.parts.frames)
    remarks = []
    if n_added:
        remarks.append(
            f"{counted(n_added, 'frame')} that the reference lacks between those of its videos: added"
        )
    return PublicData({VIDEOS_FILE: json_bytes(frames_of_video), **source.vocabulary_file()}, remarks)


def _public_files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return the frames of some videos, and all names."""
    frames_of_video = json.loads(files[VIDEOS_FILE])
    frames_of_part = {video: frames for video, frames in frames_of_video.items() if video in items}
    return {**files, VIDEOS_FILE: json_bytes(frames_of_part)}


def _find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    videos = json_bytes(public(loaded.reference).frames_of_video)
    yield from differing_files(files, {VIDEOS_FILE: videos, **expected_vocabulary(loaded)})


ANNOTATIONS = {task_id: KineticsAnnotations() for task_id in TASKS}
PUBLIC_DATA = PublicPart(
    make=_public_files,
    find_leaks=_find_leaks,
    prepared_file=PREPARED_FILE,
    of_items=_public_files_of_items,
)


def labelled_items(name: str, data: bytes) -> set[str]:
    """Return the videos whose classes or parts a file holds, none of other files."""
    if name not in (CLASSES_FILE, PARTS_FILE):
        return set()
    return set(dict(json.loads(data)))
