"""What looks like a mistake in the content of a reference: each kind in each task where it can occur."""

from __future__ import annotations

import copy
import re
import shutil
from collections import Counter
from functools import partial

import numpy as np
import pytest

from organizer.__main__ import main
from organizer.bundle.build import build_all
from organizer.bundle.lint import lint_bundle
from organizer.data.content import Values, check_columns, check_names
from organizer.data.overview import review_reference
from organizer.data.prepare import prepare
from organizer.files import folder_files, zip_bytes
from organizer.tasks import content_of
from scoring_program.task import task_ids
from tests.helpers import (
    GOLDEN,
    SAMPLES,
    every_fourth,
    loaded,
    one_of_each_challenge,
    places_of,
    printed_problem,
    printed_problems,
)
from tests.helpers import REFERENCES as DEMO
from tests.organizer.data.test_codes import annotated, both, changed_source, data, prepared, text
from tests.organizer.message_texts import REFERENCE_WARNINGS, with_texts
from validator.findings import Findings, Refused

ACTION, GESTURE, KINETICS, DENSEPOSE = "chalearn_action", "chalearn_gesture", "kinetics_tps", "densepose"
ENTITIES = ("anet_entities_gt", "anet_entities_gen")
VIDEOS, PARTS, ANNOTATIONS = "gt_vid_result.json", "gt_part_result.json", "annotations.json"


def first_human(content):
    return content["demo_00000"]["img_00001.json"]["humans"][0]


def with_human(edit):
    return data(PARTS, lambda content: edit(first_human(content)))


def with_part(edit):
    return data(PARTS, lambda content: edit(first_human(content)["parts"]["hip"]))


def with_words(edit):
    """Return a change of the first annotated segment."""
    return data("reference.json", lambda content: edit(annotated(content)[2]))


def with_person(edit):
    return data(ANNOTATIONS, lambda content: edit(content["annotations"][0]))


def with_class(name):
    """Return a change that gives the first word of the data another class, which the vocabulary has, too."""

    def edit(content):
        annotated(content)[2]["process_clss"][0] = [name]
        content["vocab"].append(name)

    return data("reference.json", edit)


def rename_part(human):
    human["parts"]["hips"] = human["parts"].pop("hip")


def rows(name, change):
    """Return a change of the rows of a label file."""

    def edit(folder):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        change(lines)
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")

    return edit


def copy_sequence(first, second):
    def edit(folder):
        for kind in ("labels", "data"):
            shutil.copyfile(folder / f"{first}_{kind}.csv", folder / f"{second}_{kind}.csv")

    return edit


def copy_video(content):
    content["demo_00001"] = copy.deepcopy(content["demo_00000"])


def copy_annotated(content):
    first, second, *_ = sorted(content["annotations"])
    content["annotations"][second] = copy.deepcopy(content["annotations"][first])


def copy_image(content):
    """Give image 2 the persons of image 1, under ids of their own."""
    others = [person for person in content["annotations"] if person["image_id"] != 2]
    copies = [
        {**person, "image_id": 2, "id": 900 + person["id"]} for person in others if person["image_id"] == 1
    ]
    content["annotations"] = others + copies


def repeat_box(segment):
    for key in ("process_clss", "process_idx", "process_bnd_box", "frame_ind", "crowds"):
        segment[key].append(copy.deepcopy(segment[key][0]))


def repeat_person(content):
    content["annotations"].append({**content["annotations"][0], "id": 999})


def forget_points(person):
    for key in ("dp_x", "dp_y", "dp_I", "dp_U", "dp_V"):
        person[key] = []


def every_point(key, change):
    """Return a change of one number of each point of all persons."""

    def edit(content):
        for person in content["annotations"]:
            person.update({key: [change(value) for value in person[key]]} if key in person else {})

    return data(ANNOTATIONS, edit)


def all_boxes_in_shares(content):
    for person in content["annotations"]:
        person["bbox"] = [value / 640 for value in person["bbox"]]


def set_box(*box):
    return lambda human: human.update(box=list(box))


def set_word_box(*box):
    return lambda segment: segment["process_bnd_box"].__setitem__(0, list(box))


# The videos of ActivityNet-Entities have names of their own for each task.
NAMES_OF_VIDEOS = {"anet_entities_gt": "v_demo0", "anet_entities_gen": "v_demo1"}


def in_both(code, change, place, values):
    """Return a case for each task of ActivityNet-Entities; {v} stands for how names of videos begin."""
    cases = []
    for task in ENTITIES:
        begin = NAMES_OF_VIDEOS[task]
        values_of_task = tuple(value.replace("{v}", begin) for value in values)
        cases.append((code, task, change, place.replace("{v}", begin), values_of_task))
    return cases


def count_frames_from_0(content):
    frames = content["demo_00000"]
    for number in (1, 6):
        frames[f"img_{number - 1:05d}.json"] = frames.pop(f"img_{number:05d}.json")


def forget_humans(content):
    for video in ("demo_00000", "demo_00004"):
        for frame in content[video].values():
            frame["humans"] = []


def set_states(content, count):
    for video in sorted(content)[:count]:
        for frame in content[video].values():
            for human in frame["humans"]:
                for part in human["parts"].values():
                    part["verb"] = "none"


def every_row(times):
    """Return a change of the first and last frame of each row of all label files."""

    def edit(folder):
        for path in folder.glob("*_labels.csv"):
            lines = []
            for line in path.read_text(encoding="utf-8").splitlines():
                *columns, first, last = line.split(",")
                lines.append(",".join([*columns, *map(str, times(int(first), int(last)))]))
            path.write_text("\n".join([*lines, ""]), encoding="utf-8")

    return edit


def halve_persons(content):
    for person in content["annotations"]:
        person["bbox"] = [value / 2 for value in person["bbox"]]


def halve_crowded_images(content):
    n_persons = Counter(person["image_id"] for person in content["annotations"])
    for person in content["annotations"]:
        if n_persons[person["image_id"]] > 2:
            person["bbox"] = [value / 2 for value in person["bbox"]]


def scale_words(content, factor, n_videos=None):
    for video in list(content["annotations"].values())[:n_videos]:
        for segment in video["segments"].values():
            boxes = segment["process_bnd_box"]
            segment["process_bnd_box"] = [[factor * value for value in box] for box in boxes]


LABELS = {ACTION: "DemoSeq0001_labels.csv", GESTURE: "DemoSequence0001_labels.csv"}
HUMAN, PERSON = "/demo_00000/img_00001.json/humans/0", "image 1 person 1"
WORD = "reference.json /annotations/{v}00000/segments/0 word 1 frame 4"
# The code, the task, what is spoiled; the file and the place in the warning, and what it names.
SPOILED = [
    ("R-EMPTY", ACTION, text(LABELS[ACTION], ""), "DemoSeq0001_labels.csv", ()),
    ("R-EMPTY", GESTURE, text(LABELS[GESTURE], ""), "DemoSequence0001_labels.csv", ()),
    ("R-EMPTY", DENSEPOSE, with_person(forget_points), f"{ANNOTATIONS} {PERSON}", ()),
    ("R-SAME", ACTION, copy_sequence("DemoSeq0003", "DemoSeq0004"), "DemoSeq0004", ("DemoSeq0003",)),
    ("R-SAME", GESTURE, copy_sequence("DemoSequence0003", "DemoSequence0013"), "DemoSequence0013", ("DemoSequence0003",)),
    ("R-SAME", KINETICS, data(PARTS, copy_video), "demo_00001", ("demo_00000",)),
    *in_both("R-SAME", data("reference.json", copy_annotated), "{v}00001", ("{v}00000",)),
    ("R-SAME", DENSEPOSE, data(ANNOTATIONS, copy_image), "image 2", ("image 1",)),
    ("R-REPEATED", ACTION, rows(LABELS[ACTION], lambda lines: lines.append(lines[0])), "DemoSeq0001_labels.csv line 13", ()),
    ("R-REPEATED", GESTURE, rows(LABELS[GESTURE], lambda lines: lines.append(lines[0])), "DemoSequence0001_labels.csv line 11", ()),
    ("R-REPEATED", KINETICS, data(PARTS, lambda content: content["demo_00000"]["img_00001.json"]["humans"].append(first_human(content))), f"{PARTS} /demo_00000/img_00001.json/humans/1", ()),
    *in_both("R-REPEATED", with_words(repeat_box), WORD, ()),
    ("R-REPEATED", DENSEPOSE, data(ANNOTATIONS, repeat_person), f"{ANNOTATIONS} image 1 person 3", ()),
    ("R-OVERLAP", ACTION, rows(LABELS[ACTION], lambda lines: lines.append("1,6,130,150")), "DemoSeq0001_labels.csv line 13", ()),
    ("R-OVERLAP", GESTURE, rows(LABELS[GESTURE], lambda lines: lines.append("7,1,14")), "DemoSequence0001_labels.csv line 1", ()),
    ("R-CUT", ACTION, rows(LABELS[ACTION], lambda lines: lines.append("1,6,2,9000")), "DemoSeq0001_labels.csv line 13", ()),
    ("R-CUT", GESTURE, rows(LABELS[GESTURE], lambda lines: lines.append("7,900,9000")), "DemoSequence0001_labels.csv line 11", ()),
    ("R-NAME", KINETICS, data(VIDEOS, lambda content: content.update(demo_00000="play_drum")), VIDEOS, ("'play_drum' (1)", "'play_drums' (3)")),
    ("R-NAME", KINETICS, data(VIDEOS, lambda content: content.update(demo_00000="Play drums")), VIDEOS, ("'Play drums' (1)", "'play_drums' (3)")),
    ("R-NAME", KINETICS, data(VIDEOS, lambda content: content.update(demo_00000=" play_drums")), f"{VIDEOS} /demo_00000", ("' play_drums'", "blank")),
    ("R-NAME", KINETICS, with_human(rename_part), PARTS, ("part 'hips' (1)", "'hip' (125)")),
    ("R-NAME", KINETICS, with_part(lambda part: part.update(verb="Swing")), PARTS, ("state 'Swing' (1)", "'swing' (140)")),
    ("R-NAME", KINETICS, with_part(lambda part: part.update(verb="tuch")), PARTS, ("state 'tuch' (1)", "'touch' (127)")),
    *in_both("R-NAME", with_class("womn"), "reference.json", ("'womn' (1)", "'woman' (11)")),
    ("R-BOX", KINETICS, with_part(set_box(400, 400, 430, 440)), f"{PARTS} {HUMAN}/parts/hip", ("outside of its human",)),
    ("R-BOX", KINETICS, with_human(set_box(-300, -300, -200, -100)), f"{PARTS} {HUMAN}", ("negative",)),
    ("R-BOX", KINETICS, with_part(set_box(118, 15, 118, 63)), f"{PARTS} {HUMAN}/parts/hip", ("no area",)),
    ("R-BOX", KINETICS, with_part(set_box(100, 2, 101, 3)), f"{PARTS} {HUMAN}/parts/hip", ("1/1,000",)),
    ("R-BOX", KINETICS, with_human(set_box(0, 0, 9000, 9000)), f"{PARTS} {HUMAN}", ("1,000 times",)),
    *in_both("R-BOX", with_words(set_word_box(424, 358, 245, 107)), WORD, ("x2 < x1",)),
    ("R-BOX", DENSEPOSE, with_person(lambda person: person.update(bbox=[600, 20, 117, 101])), f"{ANNOTATIONS} {PERSON}", ("outside of the image",)),
    ("R-BOX", DENSEPOSE, with_person(lambda person: person.update(bbox=[306, 20, 0, 101])), f"{ANNOTATIONS} {PERSON}", ("no area",)),
    ("R-FRAMES", KINETICS, data(PARTS, lambda content: content.update(demo_00003={})), f"{PARTS} /demo_00003", ()),
    ("R-FRAMES", KINETICS, data(PARTS, count_frames_from_0), PARTS, ("2 of ", "demo_00000 img_00000.json")),
    ("R-EMPTY", KINETICS, data(PARTS, forget_humans), PARTS, ("2 of 36 videos", "demo_00000")),
    ("R-CONSTANT", KINETICS, data(PARTS, partial(set_states, count=3)), PARTS, ("3 of 36 videos", "demo_00000")),
    ("R-CONSTANT", KINETICS, data(PARTS, partial(set_states, count=36)), PARTS, ("36 of 36 videos",)),
    ("R-NAME", KINETICS, data(VIDEOS, lambda content: content.update(demo_00007="play_drums ")), f"{VIDEOS} /demo_00007", ("'play_drums ' (1)",)),
    ("R-TIMES", ACTION, every_row(lambda first, last: (1 + first // 25, 1 + last // 25)), "{Id}_labels.csv", ("12 of 12 sequences", "first tenth", "DemoSeq0001")),
    ("R-TIMES", GESTURE, every_row(lambda first, last: (1 + first // 25, 1 + last // 25)), "{Id}_labels.csv", ("12 of 12 sequences", "first tenth")),
    ("R-TIMES", GESTURE, every_row(lambda first, last: (first, first)), "{Id}_labels.csv", ("12 of 12 sequences", "end where they start")),
    ("R-SIZE", DENSEPOSE, data(ANNOTATIONS, halve_persons), ANNOTATIONS, ("26 boxes", "49%")),
    ("R-SIZE", DENSEPOSE, data(ANNOTATIONS, halve_crowded_images), ANNOTATIONS, ("4 of 4 images",)),
    *in_both("R-SIZE", data("reference.json", partial(scale_words, factor=0.5)), "reference.json", ("none of",)),
    *in_both("R-SIZE", data("reference.json", partial(scale_words, factor=0.5, n_videos=5)), "reference.json", ("5 of 15 videos",)),
    *in_both("R-SIZE", data("reference.json", partial(scale_words, factor=16 / 9)), "reference.json", ("734",)),
    *in_both("R-SPLIT", data("split.json", lambda content: content["validation"].pop()), "split.json", ("in no split", "{v}00015")),
    *in_both("R-SPLIT", data("split.json", lambda content: content["validation"].append(min(content["validation"]))), "split.json", ("more than once", "{v}00000")),
    *in_both("R-SPLIT", data("split.json", lambda content: content.update(training=[content["validation"].pop(), "v_other"])), "split.json", ("split training", "v_other")),
    ("R-BOX", DENSEPOSE, data(ANNOTATIONS, all_boxes_in_shares), f"{ANNOTATIONS} {PERSON}, image 1 person 2, image 2 person 1", ("pixel", "26")),
    ("R-BOX", KINETICS, with_human(set_box(0.1, 0.2, 0.3, 0.9)), f"{PARTS} {HUMAN}", ("pixel",)),
    ("R-RANGE", DENSEPOSE, with_person(lambda person: person.update(area=0)), f"{ANNOTATIONS} {PERSON}", ("area",)),
    ("R-RANGE", DENSEPOSE, both(every_point("dp_x", lambda x: x / 255), every_point("dp_y", lambda y: y / 255)), f"{ANNOTATIONS} {PERSON}, image 1 person 2, image 2 person 1", ("in 0..1", "26")),
    ("R-RANGE", DENSEPOSE, every_point("dp_x", lambda x: 3 * x), f"{ANNOTATIONS} {PERSON}, image 1 person 2, image 2 person 1", ("outside of the box", "26")),
    ("R-RANGE", DENSEPOSE, with_person(lambda person: person.update(category_id=0)), ANNOTATIONS, ("categories 0, 1",)),
    ("R-RANGE", DENSEPOSE, every_point("dp_I", lambda part: part - 1), ANNOTATIONS, ("24",)),
    *[("R-LEFT-OUT", task, text("more.json", ""), task, ("1 file", "more.json")) for task in (ACTION, GESTURE, KINETICS, *ENTITIES, DENSEPOSE)],
]  # fmt: skip


def warnings(lines):
    return [printed_problem(line) for line in lines if line.startswith("warning ")]


def place_of(problem):
    return f"{problem.file} {problem.where}".strip()


# By day the two tasks of ActivityNet-Entities, whose references are read by the same code, are tried as one. The first
# case of each code, which has the text of its message, is quick.
TRIED = [
    pytest.param(*case, id=f"{case[0]}-{case[1]}", marks=() if case[-1] else pytest.mark.slow)
    for case in with_texts(SPOILED, REFERENCE_WARNINGS)
    if case[1] not in ENTITIES or case[1] in one_of_each_challenge(ENTITIES)
]


@pytest.mark.parametrize(("code", "task", "change", "place", "values", "message"), TRIED)
def test_spoiled_reference_is_warned_of_with_its_place(code, task, change, place, values, message, tmp_path):
    # Without the marks and the public data of the command, which take longer than all else.
    overview, _ = prepare(task, changed_source(task, change, tmp_path), tmp_path / "output")
    placed = [
        problem
        for problem in warnings(overview.lines())
        if (problem.code, place_of(problem)) == (code, place)
    ]
    (fitting,) = [
        problem
        for problem in placed
        if all(value in f"{problem.text} {problem.count_text}" for value in values)
    ]
    assert message in (None, fitting.text)
    page = overview.page()
    assert code in page and "Nothing looks" not in page


def test_sequences_without_rows_are_one_warning(tmp_path):
    source = changed_source(GESTURE, text(LABELS[GESTURE], ""), tmp_path)
    (source / "DemoSequence0003_labels.csv").write_text("")
    overview, _ = prepare(GESTURE, source, tmp_path / "output")
    (problem,) = warnings(overview.lines())
    assert problem.code == "R-EMPTY"
    assert "2 places" in problem.count_text


@pytest.mark.slow
@pytest.mark.parametrize("task", task_ids())
def test_demo_reference_has_no_warning(task, tmp_path, capsys):
    exit_code, lines = prepared(task, lambda folder: None, tmp_path, capsys)
    assert (exit_code, warnings(lines)) == (0, [])
    page = (tmp_path / "output" / ".overview.html").read_text(encoding="utf-8")
    assert "Nothing looks" in page and not re.search(r"\bR-[A-Z]", page)


# Golden references that are unusual on purpose, by what they are about. All others have no warning.
UNUSUAL = {
    "R-EMPTY": {
        *("b-empty-and-missing", "empty-and-missing", "empty-and-missing-frames", "empty-frames-and-videos"),
        "random-2",
    },
    "R-CONSTANT": {
        *("absent-video", "boundary-iou", "empty-and-missing-frames", "empty-frames-and-videos"),
        *("exactly-on-the-thresholds", "humans-compete", "missing-video", "one-prediction-two-humans"),
        *("psc-on-the-grid", "psc-on-threshold"),
    },
    "R-OVERLAP": {"b-overlapping-and-repeated", "b-overlapping-same-class", "random-1", "random-2"},
    "R-BOX": {
        *("not-a-number-spreads", "random-1", "random-5-not-a-number", "thin-boxes-and-one-pixel-boxes", "zero-area"),
        "one-sentence-submitted",
        *("boundary-iou", "humans-compete", "np-split", "masks-cut-at-the-border"),
    },
    "R-FRAMES": {"empty-and-missing-frames"},
    "R-NAME": {"np-split"},
    "R-REPEATED": {"order-of-candidates", "second-pass-equal-boxes"},
    "R-SAME": {
        *("b-end-frame", "b-false-positive-class", "b-one-frame", "b-overlapping-and-repeated"),
        *("b-overlapping-same-class", "absent-video", "boundary-iou", "empty-and-missing-frames", "humans-compete"),
        *("missing-video", "np-split", "psc-on-the-grid", "psc-on-threshold", "areas-on-the-bounds"),
        *("images-out-of-order", "label-map-resize", "outside-background-wrong-part", "second-pass-box-iou-0.8"),
        *("similarity-exactly-on-the-thresholds",),
    },
}  # fmt: skip
CASES = sorted(path for task in task_ids() for path in (GOLDEN / task).glob("*/ref") if path.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", every_fourth(CASES), ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}"
)
def test_golden_reference_has_warnings_only_if_it_is_unusual(folder):
    try:
        warnings = content_of(loaded(folder.parent.parent.name, folder)).warnings
    except Refused as refused:
        assert refused.findings.problems[0].code == "E-REF-EMPTY"
        assert folder.parent.name in ("nothing-annotated", "nothing-to-average")
        return
    # Few persons are of few sizes.
    codes = {problem.code for problem in warnings.problems} - {"R-AREA-EMPTY"}
    assert codes <= {code for code, cases in UNUSUAL.items() if folder.parent.name in cases}, warnings.lines()


# Pairs of classes of the public test set of ActivityNet-Entities, with their numbers.
REAL = {"she": 1301, "shoe": 106, "boy": 405, "body": 31, "toy": 12, "glass": 85, "class": 8, "bench": 15,
        "bunch": 1, "dart": 2, "darts": 25, "man": 2810, "pan": 26, "shirt": 146, "t-shirt": 27}  # fmt: skip


def names_found(counts, words=()):
    findings = Findings()
    check_names("class", counts, "x.json", findings, words)
    return [re.findall(r"'(.*?)'", problem.problem) for problem in findings.problems]


def test_known_words_are_no_misspellings():
    assert names_found(REAL, set(REAL)) == []
    assert ["bunch", "bench"] in names_found(REAL)
    assert names_found({**REAL, "benhc": 1, "bensh": 1}, set(REAL)) == [["bensh", "bench"]]


@pytest.mark.parametrize(
    ("counts", "pairs"),
    [
        ({"wave": 30, "wve": 3}, [["wve", "wave"]]),
        ({"wave": 30, "wve": 4}, []),
        ({"wave": 2, "wve": 1}, [["wve", "wave"]]),
        ({"wave": 1, "wve": 1}, []),
        ({"wave": 30, "waves": 1}, [["waves", "wave"]]),
        ({"wave": 30, "wake": 1}, [["wake", "wave"]]),
        ({"wave": 30, "waev": 1}, []),
        ({"step 1": 30, "step 2": 1, "step 10": 1}, []),
        ({"left_arm": 30, "Left-arm": 30, "leftarm": 20}, [["left_arm", "Left-arm"], ["leftarm", "Left-arm"], ["leftarm", "left_arm"]]),
        ({"wave": 3, "wave\t": 3}, [["wave\\t"]]),
        ({"": 1, "a": 30}, [["", "a"]]),
    ],
)  # fmt: skip
def test_near_names(counts, pairs):
    assert names_found(counts) == pairs


@pytest.mark.parametrize(
    ("task", "change"),
    [
        (ACTION, lambda folder: [path.write_text("") for path in folder.glob("*_labels.csv")]),
        (GESTURE, lambda folder: [path.write_text("") for path in folder.glob("*_labels.csv")]),
        (KINETICS, data(PARTS, lambda content: [frame.update(humans=[]) for video in content.values() for frame in video.values()])),
        *[(task, data("reference.json", lambda content: [segment.update(frame_ind=[], process_bnd_box=[]) for video in content["annotations"].values() for segment in video["segments"].values()])) for task in ENTITIES],
        (DENSEPOSE, data(ANNOTATIONS, lambda content: [person.pop(key) for person in content["annotations"] for key in list(person) if key.startswith("dp_")])),
    ],
)  # fmt: skip
def test_reference_without_any_annotation_is_refused(task, change, tmp_path, capsys):
    exit_code, lines = prepared(task, change, tmp_path, capsys)
    assert exit_code == 1
    assert "E-REF-EMPTY" in lines[0]
    assert not (tmp_path / "output").exists()


@pytest.mark.slow
@pytest.mark.parametrize("task", [GESTURE, KINETICS, "anet_entities_gt", DENSEPOSE])
def test_prepared_reference_gives_the_same_overview_as_its_source(task, tmp_path):
    prepare(task, DEMO / task, tmp_path / "out")
    assert review_reference(task, tmp_path / "out").page() == review_reference(task, DEMO / task).page()
    zipped = zip_bytes(folder_files(tmp_path / "out"))
    assert review_reference(task, zipped).page() == review_reference(task, DEMO / task).page()


@pytest.fixture
def spoiled(tmp_path):
    """Return the folder of a reference with an empty label file."""
    folder = shutil.copytree(DEMO / GESTURE, tmp_path / "refs" / GESTURE)
    (folder / LABELS[GESTURE]).write_text("")
    return folder


def test_bundle_and_linter_show_warnings_of_the_reference(kept_parts, spoiled, tmp_path, capsys):
    build_all(spoiled, output=tmp_path / "dist")
    place = ("L-REFERENCE R-EMPTY", f"{GESTURE}_reference.zip", LABELS[GESTURE])
    printed = [problem[:3] for problem in printed_problems(capsys.readouterr().out)]
    assert printed.count(place) == 1
    report, _ = lint_bundle(tmp_path / "dist" / f"{GESTURE}.zip")
    assert report.errors.ok
    assert place in places_of(report.warnings)


@pytest.mark.slow
def test_dry_run_shows_warnings_of_the_reference_and_why_it_is_broken(spoiled, tmp_path, capsys):
    sample = tmp_path / "my.zip"
    sample.write_bytes(zip_bytes(folder_files(SAMPLES / GESTURE / "good")))
    arguments = [
        "dry-run",
        GESTURE,
        str(sample),
        "--reference",
        str(spoiled),
        "--output",
        str(tmp_path / "o"),
    ]
    assert main(arguments) == 0
    printed = [problem[:3] for problem in printed_problems(capsys.readouterr().out)]
    assert ("R-EMPTY", "", LABELS[GESTURE]) in printed
    (spoiled / LABELS[GESTURE]).write_text("99,1,2\n")
    assert main(arguments) == 2
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith("reference | 1. ")
    assert printed_problem(last)[:3] == ("E-CSV-RANGE", LABELS[GESTURE], "line 1 column 1")


def column_warnings(*columns):
    """Return the code, the file and the place of each warning of columns of numbers."""
    names = [f"item_{number}" for number in range(len(columns[0]))]
    values = [
        Values(title, np.array(numbers), names.__getitem__)
        for title, numbers in zip(("valence", "arousal"), columns)
    ]
    warnings = Findings()
    check_columns(values, "truth.csv", warnings)
    return places_of(warnings)


FINE = [number / 7 for number in range(40)]
RATINGS = [number % 5 for number in range(40)]


@pytest.mark.parametrize(
    ("columns", "codes"),
    [
        ([FINE], []),
        ([FINE, FINE[::-1]], []),
        ([RATINGS, RATINGS], []),
        ([[0.0] * 38 + [1.0, 2.0]], []),
        ([[1.5]], []),
        ([[1.5, 1.5]], [("R-CONSTANT", "truth.csv", "")]),
        ([FINE, [2.0] * 40], [("R-CONSTANT", "truth.csv", "")]),
        ([[*FINE[:20], *[0.1] * 10]], [("R-FREQUENT", "truth.csv", "")]),
        ([[*FINE[:20], *[0.1] * 9]], []),
        ([[*FINE, FINE[3]], [*FINE, FINE[3]]], [("R-SAME", "truth.csv", "item_40")]),
        ([[*FINE, FINE[3]], [*RATINGS, RATINGS[3]]], [("R-SAME", "truth.csv", "item_40")]),
        ([[*FINE, FINE[3]]], []),
    ],
)
def test_columns_of_numbers_are_checked(columns, codes):
    assert column_warnings(*columns) == codes


def test_ranges_of_sizes_without_a_person_are_a_warning(tmp_path):
    source = shutil.copytree(DEMO / DENSEPOSE, tmp_path / "source")

    def grow(content):
        for person in content["annotations"]:
            person["area"] = 50_000

    data(ANNOTATIONS, grow)(source)
    prepare(DENSEPOSE, source, tmp_path / "reference")
    warnings = content_of(loaded(DENSEPOSE, tmp_path / "reference")).warnings
    assert "R-AREA-EMPTY" in {problem.code for problem in warnings.problems}
