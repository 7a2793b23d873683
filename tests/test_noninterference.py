"""On hidden data a run says what ``check --public`` says of the same submission, and numbers.

What is not a number may depend on the submission and on what is public of the reference alone. So (1) messages are
those of ``check --public``; (2) two references with the same public part give the same messages; and (3) they give the
same bytes, log and page and all, where one shows the numbers of the other. The note N-LOW follows from the score that
is shown, and some notes end with what errors cost, which is shown, too.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from organizer.data.prepare import prepare, reference_files
from organizer.data.public_data import reference_vocabulary
from organizer.files import folder_files, write_files
from organizer.new_task import NewTask
from organizer.public_data import PublicSource, make_public_data
from people_in_video.public_data import check_with_public_data
from people_in_video.scoring import load_public
from scoring_program import scoring
from scoring_program.result import Shown
from scoring_program.run import load_folder, run
from scoring_program.scoring import load_reference
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, ROOT, SAMPLES, is_nightly, scaled
from tests.item_cases import LABELS, declared, declared_with_evaluator, known_tasks

ACTION, GESTURE, KINETICS, DENSEPOSE = "chalearn_action", "chalearn_gesture", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
# Tasks of one's own: detections with scores, and the same data with an evaluator of one's own.
DETECTIONS, WRAPPED = "own_detections", "own_wrapped"
TASKS = [*PUBLISHED, DETECTIONS, WRAPPED]
HIDDEN = ("none", "summary")
Files = Mapping[str, bytes]
_COST = re.compile(r"; this costs -?[0-9.]+$")
_TIMES = re.compile(r'(?m)^time: .*\n|(?<=^ "stages": ).*')


class Messages(NamedTuple):
    """What a participant is told beside numbers."""

    exit_code: int
    problems: list[dict[str, Any]]
    notes: list[tuple[str, str]]
    log: list[str]
    files: list[str]


def public_part(task: str, source: Path) -> Files:
    """Return the public data of the files of a reference."""
    declared = load_task(task)
    vocabulary = lambda: reference_vocabulary(task, source)  # noqa: E731
    return make_public_data(PublicSource(task, source, declared.settings(source), vocabulary)).files


def without_numbers(notes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(code, _COST.sub("", text)) for code, text in notes if code != "N-LOW"]


class Run(NamedTuple):
    """All that a run leaves, times apart: texts by the names of files and of the two logs."""

    exit_code: int
    texts: dict[str, str]
    shown: Shown | None

    def messages(self) -> Messages:
        """Return what is said beside numbers."""
        detail = json.loads(self.texts["detailed_results.json"])
        notes = [(note["code"], note["text"]) for note in detail["notes"]]
        return Messages(
            exit_code=self.exit_code,
            problems=detail.get("problems", []),
            notes=without_numbers(notes),
            log=self.texts["stderr"].splitlines(),
            files=sorted(self.texts.keys() - {"stdout", "stderr"}),
        )


def run_of(
    task: str, reference: Path, submission: Files, other_shown: Shown | None = None, **changed: Any
) -> Run:
    """Score a submission as the platform does; with ``other_shown`` it shows these numbers, not its own."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        write_files(submission, folder / "res")
        if other_shown is not None:
            patch.setattr(scoring, "disclosed", lambda *numbers: other_shown)
        with redirect_stdout(stdout), redirect_stderr(stderr):
            outcome = run(lambda: load_folder(task, reference, changed), folder / "res", folder / "out")
        texts = {path.name: path.read_text(encoding="utf-8") for path in (folder / "out").iterdir()}
    texts = {**texts, "stdout": stdout.getvalue(), "stderr": stderr.getvalue()}
    return Run(
        exit_code=outcome.exit_code,
        texts={
            place: _TIMES.sub("{}" if place.endswith(".json") else "", text) for place, text in texts.items()
        },
        shown=outcome.result.shown if outcome.result else None,
    )


def messages_of_run(task: str, reference: Path, submission: Files, **changed: Any) -> Messages:
    return run_of(task, reference, submission, **changed).messages()


def messages_of_check(task: str, public: Path, submission: Files) -> Messages:
    """Check a submission at home with public data; return what is said."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "res")
        write_files(submission, folder)
        findings = check_with_public_data(task, load_public(task, public), folder)
    problems = [problem.as_dict() for problem in findings.summary().problems()]
    notes = without_numbers([(note.code, note.text) for note in findings.notes])
    is_valid = findings.ok
    log = [] if is_valid else [f"The submission to {task} is invalid and was not scored:", *findings.lines()]
    names = ["detailed_results.html", "detailed_results.json"]
    return Messages(
        exit_code=0 if is_valid else 1,
        problems=problems,
        notes=notes,
        log=log,
        files=sorted([*names, "scores.json", "scores.txt"] if is_valid else names),
    )


# Changes of submissions: some are valid, some are refused.
Change = Callable[[Any, np.random.Generator], Any]


def of_json(change: Change, pattern: str = "json") -> Callable[..., Files]:
    """Return a change of the files with such names."""

    def change_files(files: Files, rng: np.random.Generator) -> Files:
        changed = dict(files)
        for name in files:
            if re.search(pattern, name):
                changed[name] = json.dumps(change(json.loads(files[name]), rng)).encode()
        return changed

    return change_files


def of_items(change: Change) -> Change:
    """Return a change of what a file holds for items."""

    def change_content(content: Any, rng: np.random.Generator) -> Any:
        if isinstance(content, dict) and "results" in content:
            return {**content, "results": change(content["results"], rng)}
        return change(content, rng)

    return change_content


def deepen(change: Change) -> Change:
    """Return a change of what is in each item: its frames or segments."""
    return of_items(lambda items, rng: {key: change(value, rng) for key, value in items.items()})


def each(change: Callable[[Any], object], share: float = 0.3) -> Change:
    """Return a change in place of some entries of a list, or values of a mapping."""

    def change_some(entries: Any, rng: np.random.Generator) -> Any:
        for entry in entries.values() if isinstance(entries, dict) else entries:
            if rng.random() < share:
                change(entry)
        return entries

    return change_some


def drop_some(entries: Any, rng: np.random.Generator) -> Any:
    """Leave out some entries of a list or mapping, but not all."""
    if isinstance(entries, list):
        return [entry for entry in entries if rng.random() < 0.7] or entries[:1]
    kept = {key: value for key, value in entries.items() if rng.random() < 0.7}
    return kept or dict(list(entries.items())[:1])


def rename_some(entries: Any, rng: np.random.Generator) -> Any:
    return {(f"x{key}" if rng.random() < 0.3 else key): value for key, value in entries.items()}


def of_boxes(change: Callable[[list[float]], list[float]]) -> Callable[[Any], None]:
    """Return a change of the boxes of humans in a frame."""

    def change_boxes(frame: Any) -> None:
        for human in frame["humans"]:
            human["box"] = change(human["box"])

    return change_boxes


def of_tracks(change: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a change of the boxes of all objects in a segment."""

    def change_boxes(segment: Any) -> None:
        segment["bbox_for_all_frames"] = change(np.array(segment["bbox_for_all_frames"])).tolist()

    return change_boxes


def other_classes(segment: Any) -> None:
    segment["clss"] = [f"{name}x" for name in segment["clss"]]


def move_right(detection: Any) -> None:
    detection["bbox"][0] += 700


def labels_of_items(instances: Any, rng: np.random.Generator) -> Any:
    return each(lambda instance: instance.update(label=str(rng.choice(["robin", "owl", "seal"]))))(
        instances, rng
    )


def of_rows(change: Callable[[str, np.random.Generator], str]) -> Callable[..., Files]:
    def change_files(files: Files, rng: np.random.Generator) -> Files:
        return {name: change(data.decode(), rng).encode() for name, data in files.items()}

    return change_files


def rename_files(files: Files, rng: np.random.Generator) -> Files:
    return {(name if rng.random() < 0.7 else f"X{name}"): data for name, data in files.items()}


def change_last_frame(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines()
    if lines and rng.random() < 0.4:
        lines[0] = ",".join([*lines[0].split(",")[:-1], "999999"])
    return "".join(f"{line}\n" for line in lines)


def drop_lines(text: str, rng: np.random.Generator) -> str:
    return "".join(line for line in text.splitlines(True) if rng.random() < 0.5)


def as_it_is(files: Files, rng: np.random.Generator) -> Files:
    return files


CHALEARN = [as_it_is, drop_some, rename_files, of_rows(change_last_frame), of_rows(drop_lines)]
SEGMENTS = [
    as_it_is,
    of_json(of_items(drop_some)),
    of_json(deepen(rename_some)),
    of_json(deepen(drop_some)),
    of_json(deepen(each(other_classes))),
    of_json(deepen(each(of_tracks(lambda boxes: np.add(boxes, [0, 0, 900, 0]))))),
    of_json(deepen(each(of_tracks(lambda boxes: boxes[:, :9])))),
]
OWN = [
    as_it_is,
    of_json(of_items(drop_some)),
    of_json(of_items(rename_some)),
    of_json(deepen(labels_of_items)),
    of_json(deepen(each(lambda instance: instance.pop("score"), share=0.1))),
    of_json(deepen(lambda instances, rng: [instance for instance in instances if rng.random() < 0.3])),
    of_json(lambda content, rng: {"results": {}} if "results" in content else {}),
]
CHANGES: dict[str, list[Callable[..., Files]]] = {
    DETECTIONS: OWN,
    WRAPPED: OWN,
    ACTION: CHALEARN,
    GESTURE: CHALEARN,
    KINETICS: [
        as_it_is,
        of_json(drop_some),
        of_json(deepen(rename_some), "part"),
        of_json(deepen(drop_some), "part"),
        of_json(lambda classes, rng: {video: f"{name}x" for video, name in classes.items()}, "vid"),
        of_json(deepen(each(of_boxes(lambda box: [box[2] + 9, *box[1:]]))), "part"),
        of_json(deepen(each(of_boxes(lambda box: [0, 0, 0, 0]))), "part"),
    ],
    GIVEN: SEGMENTS,
    GENERATED: SEGMENTS,
    DENSEPOSE: [
        as_it_is,
        of_json(drop_some),
        of_json(each(lambda detection: detection.update(image_id=detection["image_id"] + 1000))),
        of_json(each(lambda detection: detection.update(category_id=2))),
        of_json(each(move_right, share=0.5)),
        of_json(each(lambda detection: detection.update(score="high"), share=0.2)),
    ],
}


# References with the same public part. About half of the labels stay, so that submissions are right about some.


def other_rows(files: Files, rng: np.random.Generator) -> Files:
    """Return ChaLearn's reference with other labels in each sequence, perhaps none."""
    changed = dict(files)
    for name, data in files.items():
        if name.endswith("_labels.csv") and rng.random() < 0.5:
            n_frames = int(files[name.replace("_labels", "_data")].decode().splitlines()[-1].split(",")[0])
            n_columns = len(data.decode().splitlines()[0].split(","))
            lines = []
            for _ in range(int(rng.integers(0, 6))):
                start = int(rng.integers(1, n_frames))
                end = int(rng.integers(start, n_frames + 1))
                label = int(rng.integers(1, 12))
                actor = [int(rng.integers(1, 3))] if n_columns == 4 else []
                lines.append(",".join(map(str, [*actor, label, start, end])))
            changed[name] = "".join(f"{line}\n" for line in lines).encode()
    return changed


def other_humans(files: Files, rng: np.random.Generator) -> Files:
    """Return Kinetics' reference with other classes, and the humans of some frames in others, or nowhere.

    The last frame of a video stays, because those before it are public.
    """
    classes = json.loads(files["gt_vid_result.json"])
    names = json.loads(files["vocabulary.json"])["class"]
    classes = {
        video: name if rng.random() < 0.5 else str(rng.choice(names)) for video, name in classes.items()
    }
    parts = json.loads(files["gt_part_result.json"])
    for frames in parts.values():
        contents = list(frames.values())
        is_moved = rng.random() < 0.5
        order = rng.permutation(len(contents)) if is_moved else np.arange(len(contents))
        for number, name in enumerate(list(frames)):
            frames[name] = contents[order[number]]
            if is_moved and rng.random() < 0.3 and number < len(contents) - 1:
                frames[name] = {"humans": []}
                if rng.random() < 0.5:
                    del frames[name]
    return {
        **files,
        "gt_vid_result.json": json.dumps(classes).encode(),
        "gt_part_result.json": json.dumps(parts).encode(),
    }


def _moved_boxes(segment: dict[str, Any], rng: np.random.Generator) -> None:
    if rng.random() < 0.5:
        return
    n = len(segment["process_bnd_box"])
    corner = rng.integers(0, 300, (n, 2))
    segment["process_bnd_box"] = np.concatenate(
        [corner, corner + rng.integers(5, 400, (n, 2))], axis=1
    ).tolist()
    segment["frame_ind"] = rng.integers(0, 10, n).tolist()


def other_boxes(files: Files, rng: np.random.Generator) -> Files:
    """Return the reference of given sentences with other boxes and frames."""
    reference = json.loads(files["reference.json"])
    for video in reference["annotations"].values():
        for segment in video["segments"].values():
            _moved_boxes(segment, rng)
    return {**files, "reference.json": json.dumps(reference).encode()}


def other_sentences(files: Files, rng: np.random.Generator) -> Files:
    """Return the reference of generated sentences with others in its segments, some without a box."""
    reference = json.loads(files["reference.json"])
    segments = [
        segment for video in reference["annotations"].values() for segment in video["segments"].values()
    ]
    keys = ("tokens", "process_clss", "process_idx", "process_bnd_box", "frame_ind", "crowds")
    contents = [{key: segment[key] for key in keys} for segment in segments]
    for number, segment in zip(rng.permutation(len(segments)).tolist(), segments):
        if rng.random() < 0.5:
            segment.update(json.loads(json.dumps(contents[number])))
        _moved_boxes(segment, rng)
        if rng.random() < 0.3:
            segment.update({key: [] for key in keys if key != "tokens"})
    return {**files, "reference.json": json.dumps(reference).encode()}


def other_persons(files: Files, rng: np.random.Generator) -> Files:
    """Return DensePose's reference with some of its persons: few, because each takes long to read."""
    content = json.loads(files["annotations.json"])
    annotations = content["annotations"]
    is_kept = rng.random(len(annotations)) < 0.2
    is_kept[int(rng.integers(len(annotations)))] = True
    content["annotations"] = [entry for entry, kept in zip(annotations, is_kept) if kept]
    return {**files, "annotations.json": json.dumps(content).encode()}


def other_instances(files: Files, rng: np.random.Generator) -> Files:
    """Return the reference of detections with others, of some of the labels, in each item, perhaps none."""
    truth: dict[str, Any] = {}
    present_labels = rng.permutation(LABELS)[: int(rng.integers(1, 4))]
    for item, instances in json.loads(files["truth.json"]).items():
        if truth and rng.random() < 0.5:
            truth[item] = [instance for instance in instances if instance["label"] in present_labels]
            continue
        starts = rng.uniform(0, 50, int(rng.integers(0, 4)) if truth else 1).round(1).tolist()
        labels = rng.choice(present_labels, len(starts)).tolist()
        truth[item] = [
            {"label": label, "segment": [start, start + 5]} for label, start in zip(labels, starts)
        ]
    return {**files, "truth.json": json.dumps(truth).encode()}


REDRAWN: dict[str, Callable[[Files, np.random.Generator], Files]] = {
    DETECTIONS: other_instances,
    WRAPPED: other_instances,
    ACTION: other_rows,
    GESTURE: other_rows,
    KINETICS: other_humans,
    GIVEN: other_boxes,
    GENERATED: other_sentences,
    DENSEPOSE: other_persons,
}


@pytest.fixture(scope="module", autouse=True)
def _own_tasks(tmp_path_factory):
    """Declare the tasks of one's own, with a reference and samples as those of the others."""
    folder = tmp_path_factory.mktemp("own")
    detections = declared(folder, NewTask(DETECTIONS, metric="detection_ap", labels=LABELS))
    detections.made_up.write_reference(folder / DETECTIONS)
    reference = folder_files(folder / DETECTIONS)
    write_files(reference, folder / WRAPPED)
    for number, sample in enumerate(("good", "weak")):
        rng = np.random.default_rng(number)
        predicted = detections.made_up.correct_prediction(folder / DETECTIONS, rng, 0.2 + 0.5 * number)
        write_files(detections.made_up.files(predicted), folder / "samples" / DETECTIONS / sample)
        content = json.dumps(predicted).encode()
        write_files({f"{WRAPPED}.json": content}, folder / "samples" / WRAPPED / sample)
    wanted = NewTask(
        WRAPPED,
        evaluator=ROOT / "tests" / "wrapped" / "eval_detection.py",
        truth=folder / WRAPPED / "truth.json",
        prediction=folder / "samples" / WRAPPED / "good" / f"{WRAPPED}.json",
        score="Average-mAP",
        needs=["scipy"],
    )
    with pytest.MonkeyPatch.context() as patch:
        wrapped = declared_with_evaluator(folder, wanted, patch)
        # An evaluator is called for each half: what is said does not depend on how many there are.
        wrapped = wrapped._replace(task=replace(wrapped.task, half_samples=2))
        with known_tasks(folder, detections, wrapped):
            FOLDERS.update(dict.fromkeys((DETECTIONS, WRAPPED), folder))
            yield


# Where references and samples of tasks of one's own are.
FOLDERS: dict[str, Path] = {}


def reference_of(task: str) -> Path:
    return FOLDERS[task] / task if task in FOLDERS else REFERENCES / task


def sample_of(task: str, sample: str) -> Path:
    return (FOLDERS[task] / "samples" if task in FOLDERS else SAMPLES) / task / sample


@cache
def demo(task: str) -> tuple[Path, Path]:
    """Return folders with the demo reference as programs read it, and with its public data."""
    folder = Path(tempfile.mkdtemp(prefix="public-"))
    write_files(reference_files(task, reference_of(task)), folder / "ref")
    write_files(public_part(task, reference_of(task)), folder / "public")
    return folder / "ref", folder / "public"


@pytest.fixture(scope="module", autouse=True)
def _remove_folders(_own_tasks):
    yield
    for task in TASKS:
        shutil.rmtree(demo(task)[0].parent, ignore_errors=True)
    demo.cache_clear()


def submission_of(task: str, sample: str, change: int, seed: int) -> Files:
    files = folder_files(sample_of(task, sample))
    return CHANGES[task][change](files, np.random.default_rng(seed))


CASES = [
    pytest.param(task, change, id=f"{task}-{change}")
    for task in TASKS
    for change in range(len(CHANGES[task]))
]


@pytest.mark.parametrize(("task", "change"), CASES)
@pytest.mark.parametrize("detail", [pytest.param("none", marks=pytest.mark.slow), "summary"])
def test_a_run_says_what_a_check_with_public_data_says(task, change, detail):
    protocol = ["published", "released"][change % 2]
    reference, public = demo(task)
    submission = submission_of(task, "weak", change, seed=change)
    said = messages_of_run(task, reference, submission, detail=detail, protocol=protocol)
    assert said == messages_of_check(task, public, submission)


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=scaled(24 if is_nightly() else 8))
@given(data=st.data())
def test_references_with_the_same_public_part_give_the_same_messages(task, data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    change = data.draw(st.integers(0, len(CHANGES[task]) - 1))
    protocol = data.draw(st.sampled_from(["published", "released"]))
    score_decimals = data.draw(st.sampled_from([1, 3, 10]))
    rng = np.random.default_rng(seed)
    source = folder_files(reference_of(task))
    submission = submission_of(task, data.draw(st.sampled_from(["good", "weak"])), change, seed)
    with tempfile.TemporaryDirectory() as name:
        folder, other_folder = Path(name, "one"), Path(name, "other")
        for place in (folder, other_folder):
            write_files(REDRAWN[task](source, rng), place / "source")
            prepare(task, place / "source", place / "ref")
        assert public_part(task, folder / "source") == public_part(task, other_folder / "source")
        for detail in HIDDEN:
            chosen = {"detail": detail, "protocol": protocol, "score_decimals": score_decimals}
            one = run_of(task, folder / "ref", submission, **chosen)
            other = run_of(task, other_folder / "ref", submission, **chosen)
            other_with_numbers_of_one = run_of(task, other_folder / "ref", submission, one.shown, **chosen)
            assert one.messages() == other.messages()
            assert one.texts == other_with_numbers_of_one.texts


def test_a_reference_that_an_earlier_version_prepared_is_read(tmp_path):
    """It lacks the names of segments without boxes: then unknown segments are not told."""
    prepare(GIVEN, REFERENCES / GIVEN, tmp_path / "ref")
    submission = submission_of(GIVEN, "good", 2, seed=1)
    codes = [code for code, _ in messages_of_run(GIVEN, tmp_path / "ref", submission, detail="none").notes]
    assert "N-SEGMENTS-OUTSIDE" in codes
    signature = load_reference(
        load_task(GIVEN), tmp_path / "ref", load_task(GIVEN).settings(tmp_path / "ref")
    )
    (tmp_path / "ref" / "public.json").unlink()
    said = messages_of_run(GIVEN, tmp_path / "ref", submission, detail="none")
    assert said.exit_code == 0
    assert "N-SEGMENTS-OUTSIDE" not in [code for code, _ in said.notes]
    without = load_reference(load_task(GIVEN), tmp_path / "ref", load_task(GIVEN).settings(tmp_path / "ref"))
    assert without.signature == signature.signature
