"""The overview of a reference: what will be scored, for the organizer alone."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from organizer.__main__ import main
from organizer.bundle.build import build_all
from organizer.bundle.lint import lint_bundle
from organizer.data.content import Values, choose_evenly
from organizer.data.overview import SUFFIX, review_reference
from organizer.data.references import task_folders
from organizer.files import read_zip, zip_files
from scoring_program.task import task_ids
from tests.helpers import REFERENCES, ROOT, make_zip, places_of, refused

GESTURE, GIVEN, KINETICS = "chalearn_gesture", "anet_entities_gt", "kinetics_tps"
CAUTION = "do not publish"


DRAWN = {
    "chalearn_action": ("Sequences", "timeline"),
    GESTURE: ("Sequences", "timeline"),
    KINETICS: ("Frames", "drawing"),
    GIVEN: ("Frames", "drawing"),
    "anet_entities_gen": ("Frames", "drawing"),
    "densepose": ("Images", "drawing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("task", task_ids())
def test_prepare_prints_the_content_and_writes_the_page_beside_the_folder(task, tmp_path, capsys):
    output = tmp_path / "refs" / task
    assert main(["prepare", task, "--source", str(REFERENCES / task), "--output", str(output)]) == 0
    lines = capsys.readouterr().out.splitlines()
    page = output / SUFFIX
    assert f"written: {output}" in lines
    (overview_line,) = [line for line in lines if line.startswith("overview: ")]
    assert overview_line.startswith(f"overview: {page} ")
    assert CAUTION in overview_line
    assert len(lines) < 20
    assert sorted(path.name for path in (tmp_path / "refs").iterdir()) == [task, f"{task}_public"]
    text = page.read_text(encoding="utf-8")
    assert text.index(CAUTION) < text.index("<main>") < text.index("Likely mistakes")
    assert "<script" not in text and not re.search(r'(src|href)="(?!#)', text)
    assert task_folders(tmp_path / "refs", task_ids()) == {task: output}


@pytest.mark.parametrize("task", DRAWN)
def test_a_few_items_are_drawn_with_ground_truth_alone(task):
    things, kind = DRAWN[task]
    page = review_reference(task, REFERENCES / task).page()
    assert f"{things} with the most " in page
    assert page.count(f'class="{kind}"') == 6
    drawn = page[page.index(f"{things} with the most ") :]
    assert "ground truth" in drawn and "prediction" not in drawn and 'class="guess' not in drawn


@pytest.mark.slow
def test_drawings_say_what_is_annotated():
    page = review_reference(KINETICS, REFERENCES / KINETICS).page()
    parts = json.loads((REFERENCES / KINETICS / "gt_part_result.json").read_text())
    frames = [
        (sum(len(human["parts"]) for human in frame["humans"]), video, name, frame["humans"])
        for video, frames in parts.items()
        for name, frame in frames.items()
    ]
    _, video, name, humans = max(frames, key=lambda frame: frame[0])
    drawn = page[page.index(f"<h3>{video}, {name}</h3>") :].split("<h3>")[1]
    for number, human in enumerate(humans, 1):
        for part, annotated in human["parts"].items():
            assert f"<title>human {number}, {part}: {annotated['verb']}</title>" in drawn
    points = review_reference("densepose", REFERENCES / "densepose").page()
    assert points.count('class="limb point"') > 100
    assert re.search(r"person 1: \d+ points; person 2: \d+ points", points)
    assert "<title>person 1: part 8</title>" in points
    words = review_reference(GIVEN, REFERENCES / GIVEN).page()
    assert re.search(r"<p>\w+ \(word \d+\), \w+ \(word \d+\)", words)


@pytest.mark.parametrize("numbers", [[], [0, 0], [3, 0, 5], [1] * 100])
def test_things_without_annotations_are_not_drawn(numbers):
    shown = choose_evenly(np.array(numbers, dtype=np.int64))
    assert len(shown) == len(set(shown)) == min(6, np.count_nonzero(numbers))
    assert [numbers[i] for i in shown] == sorted((numbers[i] for i in shown), reverse=True)
    assert all(numbers[i] for i in shown)


@pytest.mark.slow
def test_images_are_drawn_behind_the_boxes_with_both_commands(bundles, tmp_path, capsys):
    frames = tmp_path / "frames"
    for video in json.loads((REFERENCES / KINETICS / "gt_part_result.json").read_text()):
        (frames / video).mkdir(parents=True)
        for name in ("img_00001", "img_00006"):
            Image.new("RGB", (320, 240)).save(frames / video / f"{name}.jpg")
    options = ["--images", str(frames), "--image-size", "640x480"]
    source, output = str(REFERENCES / KINETICS), str(tmp_path / "out")
    assert main(["prepare", KINETICS, "--source", source, "--output", output, *options]) == 0
    assert f"images: 6 of 6 from {frames}" in capsys.readouterr().out
    page = (tmp_path / "out" / SUFFIX).read_text(encoding="utf-8")
    assert page.count("<image ") == 6 and 'viewBox="0 0 640 480"' in page
    assert not list((tmp_path / "out").rglob("[!.]*.html"))
    shutil.copyfile(bundles / f"{KINETICS}.zip", tmp_path / "x.zip")
    assert main(["overview", str(tmp_path / "x.zip"), "--output", str(tmp_path / "pages"), *options]) == 0
    assert (tmp_path / "pages" / f"x{SUFFIX}").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_missing_images_leave_the_blank_canvas(tmp_path, capsys):
    arguments = ["prepare", "densepose", "--source", str(REFERENCES / "densepose")]
    assert main([*arguments, "--output", str(tmp_path / "out"), "--images", str(tmp_path / "none")]) == 0
    assert "images: 0 of 6 from" in capsys.readouterr().out
    assert "<image" not in (tmp_path / "out" / SUFFIX).read_text(encoding="utf-8")


def test_numbers_are_those_of_the_demo_data(tmp_path):
    overview = review_reference(GESTURE, REFERENCES / GESTURE)
    files = sorted((REFERENCES / GESTURE).glob("*_labels.csv"))
    rows = [tuple(map(int, row.split(","))) for file in files for row in file.read_text().split()]
    assert overview.content.counts == {"sequences": 12, "gestures": len(rows), "classes": 20}
    lengths = [last - first + 1 for _, first, last in rows]
    (line,) = (line for line in overview.lines() if line.startswith("frames of one gesture"))
    numbers = re.fullmatch(r"frames of one gesture: (\d+) \(.*\) to (\d+) \(.*\), median (.*)", line)
    assert numbers and [float(number) for number in numbers.groups()] == [
        min(lengths), max(lengths), sorted(lengths)[len(lengths) // 2 - 1] / 2 + sorted(lengths)[len(lengths) // 2] / 2
    ]  # fmt: skip
    assert sum(overview.content.names["class"].values()) == len(rows)


@pytest.mark.slow
def test_only_what_the_chosen_splits_hold_is_counted(tmp_path):
    folder = shutil.copytree(REFERENCES / GIVEN, tmp_path / GIVEN)
    splits = json.loads((folder / "split.json").read_text())
    videos = splits["validation"]
    (folder / "split.json").write_text(json.dumps({"public": videos[:6], "final": videos[6:]}))
    counts = {}
    for split in ("public", "final"):
        (folder / "settings.yaml").write_text(f"splits: [{split}]\n")
        overview = review_reference(GIVEN, folder)
        counts[split] = overview.content.counts
        assert f"settings: splits: ['{split}']." in overview.page().replace("&#x27;", "'")
    whole = review_reference(GIVEN, REFERENCES / GIVEN).content.counts
    assert (counts["public"]["videos"], counts["final"]["videos"]) == (6, 10)
    assert counts["public"]["words"] + counts["final"]["words"] == whole["words"]


def test_text_of_the_reference_never_becomes_markup(tmp_path, capsys):
    folder = shutil.copytree(REFERENCES / KINETICS, tmp_path / KINETICS)
    (folder / "vocabulary.json").unlink()
    name, red = "<script>alert(1)</script>", "\x1b[31mred"
    classes = json.loads((folder / "gt_vid_result.json").read_text())
    (folder / "gt_vid_result.json").write_text(json.dumps({**classes, "demo_00000": name, "demo_00001": red}))
    parts = json.loads((folder / "gt_part_result.json").read_text())
    for frame in parts["demo_00000"].values():
        frame["humans"] = 60 * [
            {**frame["humans"][0], "parts": {name: {"box": [1, 1, 99, 99], "verb": name}}}
        ]
    (folder / "gt_part_result.json").write_text(json.dumps(parts))
    assert main(["prepare", KINETICS, "--source", str(folder), "--output", str(tmp_path / "out")]) == 0
    assert "\x1b" not in capsys.readouterr().out
    page = (tmp_path / "out" / SUFFIX).read_text(encoding="utf-8")
    assert "<script" not in page and "\x1b" not in page and "&lt;script&gt;" in page
    assert f"<title>human 1, {html.escape(name)}: {html.escape(name)}</title>" in page


def test_overview_of_a_task_without_numbers_has_no_empty_table():
    assert "Smallest and largest" in review_reference(GESTURE, REFERENCES / GESTURE).page()
    text = page_with_numbers()
    assert "How many" in text and "Smallest and largest" not in text and "Nothing to show" not in text


def test_many_names_are_folded(tmp_path):
    folder = shutil.copytree(REFERENCES / KINETICS, tmp_path / KINETICS)
    classes = json.loads((folder / "gt_vid_result.json").read_text())
    changed = {video: f"{number:03} class" for number, video in enumerate(classes)}
    (folder / "gt_vid_result.json").write_text(json.dumps(changed))
    page = review_reference(KINETICS, folder).page()
    assert "16 more rows" in page


def test_overview_of_a_bundle_is_that_of_its_reference(bundles, tmp_path, capsys):
    shutil.copyfile(bundles / f"{GESTURE}.zip", tmp_path / "x.zip")
    assert main(["overview", str(tmp_path / "x.zip"), "--output", str(tmp_path / "pages")]) == 0
    assert capsys.readouterr().out.startswith(f"{GESTURE}: {GESTURE}_reference.zip\n  scored: sequences 12,")
    page = (tmp_path / "pages" / f"x{SUFFIX}").read_text(encoding="utf-8")
    assert page == review_reference(GESTURE, REFERENCES / GESTURE).page()


@pytest.mark.slow
def test_overview_of_a_bundle_of_all_tasks_is_a_page_for_each(bundles, tmp_path, capsys):
    shutil.copyfile(bundles / "competition.zip", tmp_path / "all.zip")
    assert main(["overview", str(tmp_path / "all.zip"), "--output", str(tmp_path / "pages")]) == 0
    pages = {path.name for path in (tmp_path / "pages").glob(f"*{SUFFIX}")}
    in_order = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert sorted(in_order) == task_ids()
    assert pages == {f"all.{number}_{task}{SUFFIX}" for number, task in enumerate(in_order)}


@pytest.mark.parametrize(
    "content", [None, b"no zip", make_zip({"a": "b"}), make_zip({"competition.yaml": "["})]
)
def test_overview_of_no_bundle_is_refused(content, tmp_path, capsys):
    if content is not None:
        (tmp_path / "x.zip").write_bytes(content)
    assert main(["overview", str(tmp_path / "x.zip"), "--output", str(tmp_path / "pages")]) == 1
    assert "1. L-" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["chalearn_gesture_reference.zip", "starting_kit.zip"])
def test_overview_in_a_zip_is_refused_by_the_linter(place, bundles, tmp_path):
    files = read_zip(bundles / f"{GESTURE}.zip")
    name = f"my{SUFFIX}".upper()
    files[place] = make_zip({**zip_files(files[place]), f"a/{name}": "<html>"})
    (tmp_path / "x.zip").write_bytes(make_zip(files))
    report, _ = lint_bundle(tmp_path / "x.zip")
    (problem,) = [problem for problem in report.errors.problems if problem.code == "L-OVERVIEW"]
    assert problem.file == place
    assert f" a/{name}, " in problem.problem


@pytest.mark.slow
def test_reference_folder_with_an_overview_is_not_built(kept_parts, tmp_path):
    folder = shutil.copytree(REFERENCES / GESTURE, tmp_path / "refs" / GESTURE)
    (folder / f"x{SUFFIX}").write_text("<html>")
    findings = refused(build_all, tmp_path / "refs", output=tmp_path / "dist", demo=True)
    assert places_of(findings) == [("L-OVERVIEW", f"{GESTURE}_reference.zip", "")]
    assert f" x{SUFFIX}, " in findings.problems[0].problem
    assert not (tmp_path / "dist").exists()


def test_overviews_and_references_are_ignored_by_git():
    paths = [
        "refs/chalearn_gesture/x_labels.csv",
        f"refs/x{SUFFIX}",
        f"dist/x{SUFFIX}",
        f"out/overview/x{SUFFIX}",
    ]
    done = subprocess.run(
        ["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == 128:
        pytest.skip("this is not a clone")
    assert done.stdout.split() == paths


def test_where_no_check_looked_for_mistakes_the_overview_says_so():
    overview = review_reference(GESTURE, REFERENCES / GESTURE)
    assert "Nothing looks like a mistake" in overview.page()
    unchecked = overview._replace(content=replace(overview.content, is_checked=False))
    assert "Nothing looks like a mistake" not in unchecked.page()
    for text in (unchecked.page(), unchecked.lines()[0]):
        assert "were not checked for mistakes" in text


def page_with_numbers(*columns):
    values = [Values("valence", np.array(numbers), str) for numbers in columns]
    overview = review_reference(GESTURE, REFERENCES / GESTURE)
    return overview._replace(content=replace(overview.content, values=values)).page()


def test_few_whole_numbers_have_a_bar_each():
    page = page_with_numbers([1, 3, 3, 4])
    assert re.findall(r"<title>(\d+): (\d+) item", page) == [("1", "1"), ("2", "0"), ("3", "2"), ("4", "1")]


def test_axes_of_distributions_say_what_is_counted():
    overview = review_reference("anet_entities_gt", REFERENCES / "anet_entities_gt")
    page = overview.page()
    for values in overview.content.values:
        assert f"{values.things}</div>" in page
    assert {values.things for values in overview.content.values} == {"segments", "words", "boxes"}
    assert re.findall(r": 1 (box\w*)<", page) == ["box"]


@pytest.mark.parametrize(
    ("numbers", "width"), [([-1.0, 0.25, 0.9], 0.25), ([1.0, 30.0, 90.0], 20), ([0.5] * 2, 1)]
)
def test_bins_of_fractions_are_finer_than_1(numbers, width):
    page = page_with_numbers(numbers)
    bins = re.findall(r"<title>(-?[\d.]+) to (-?[\d.]+)", page)
    assert bins
    assert {round(float(high) - float(low), 6) for low, high in bins} == {width}
