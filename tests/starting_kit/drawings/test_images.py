"""The participant's images behind drawings: found by name, scaled, inlined, and on the right canvas."""

from __future__ import annotations

import base64
import io
import json
import os
import re
from argparse import ArgumentTypeError

import numpy as np
import pytest
from PIL import Image

from people_in_video.__main__ import run_command
from people_in_video.drawings import images
from people_in_video.drawings.scenes import GROUND_TRUTH, Drawing, DrawnObject, Shape
from people_in_video.drawings.svg import Drawings
from tests.helpers import REFERENCES, SAMPLES, one_of_each_challenge, one_task
from tests.scoring_program.report.test_page import parsed

BOX = DrawnObject("x", "y", True, [Shape(GROUND_TRUTH, [0.0, 0.0, 102.0, 50.0])])
DRAWING = Drawing("a", "", (110, 60), "Canvas: the extent.", [BOX], ["video/img_1", "other"])


def save(path, size=(1000, 500), color="red"):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, color).save(path)


def shown(folder, size=None, drawing=DRAWING):
    (section,) = images.with_images([Drawings("drawings", "", "", [drawing])], images.Images(folder, size))
    return section.drawings[0]


@pytest.mark.parametrize("name", ["video/img_1.jpg", "video/img_1.png", "other.jpeg"])
def test_image_is_scaled_inlined_and_its_size_taken(tmp_path, capsys, name):
    save(tmp_path / name)
    found = shown(tmp_path)
    inlined = Image.open(io.BytesIO(base64.b64decode(found.image.partition(",")[2])))
    assert (inlined.format, inlined.size) == ("JPEG", (480, 240))
    assert (found.size, found.extent) == ((1000, 500), "")
    assert "images: 1 of 1 from" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("own", "size", "canvas", "says"),
    [
        ((100, 50), None, (100, 50), False),
        ((99, 50), None, (99, 50), True),
        ((99, 50), (110, 60), (110, 60), False),
    ],
)
def test_boxes_that_leave_the_image_are_reported(tmp_path, own, size, canvas, says):
    save(tmp_path / "other.png", own)
    found = shown(tmp_path, size)
    assert found.size == canvas
    assert ("another size" in found.extent) == says


def test_known_size_of_a_canvas_stays(tmp_path):
    save(tmp_path / "other.png")
    found = shown(tmp_path, (7, 7), DRAWING._replace(extent=""))
    assert (found.size, found.extent) == ((110, 60), "")
    assert found.image


def test_missing_and_unreadable_images_leave_the_blank_canvas(tmp_path, capsys):
    (tmp_path / "other.png").write_bytes(b"no image")
    assert shown(tmp_path) == DRAWING
    assert "images: 0 of 1" in (text := capsys.readouterr().out)
    assert "missing or not readable, for example: video/img_1.jpg" in text


@pytest.mark.parametrize("name", ["../secret", "video/../../secret", "a\x00b"])
def test_images_are_looked_for_in_the_folder_only(tmp_path, name):
    save(tmp_path / "secret.png")
    (tmp_path / "images").mkdir()
    assert not shown(tmp_path / "images", None, DRAWING._replace(files=[name])).image


def test_hostile_images_neither_block_nor_warn(tmp_path, monkeypatch, recwarn):
    path = tmp_path / "other.png"
    os.mkfifo(path)
    assert not shown(tmp_path).image
    path.unlink()
    path.symlink_to(path.name)
    assert not shown(tmp_path).image
    path.unlink()
    # What a file is, its first bytes say: programs of other formats must not start for one of this ending.
    Image.new("RGB", (110, 60)).save(path, "EPS")
    assert not shown(tmp_path).image
    save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 110 * 60 - 1)
    assert not shown(tmp_path).image
    assert not recwarn.list


def test_damaged_metadata_of_an_image_print_nothing(tmp_path, recwarn):
    Image.new("RGB", (8, 8)).save(tmp_path / "other.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff")
    assert shown(tmp_path).image
    assert not recwarn.list


def test_images_beyond_what_a_page_holds_are_left_out(tmp_path):
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (300, 300, 3), np.uint8)).save(
        tmp_path / "other.png"
    )
    size = len(shown(tmp_path).image)
    drawings = Drawings("drawings", "", "", [DRAWING] * 3)
    (section,) = images.with_images([drawings], images.Images(tmp_path), most_bytes=2 * size)
    assert [bool(drawing.image) for drawing in section.drawings] == [True, True, False]


@pytest.mark.parametrize("text", ["", "12", "0x5", "axb", "1x2x3", "-1x5", "5x", "²x2", "1x" + "1" * 5000])
def test_wrong_sizes_are_refused(text):
    with pytest.raises(ArgumentTypeError, match="1280x720"):
        images.image_size(text)
    assert images.image_size("1280x720") == (1280, 720)


def run(tmp_path, *options, task="kinetics_tps"):
    arguments = [task, str(SAMPLES / task / "weak"), "--output", str(tmp_path / "out"), *options]
    code = run_command("score", arguments)
    page = tmp_path / "out" / "detailed_results.html"
    return code, page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_page_has_the_images(tmp_path, capsys):
    for video in json.loads((REFERENCES / "kinetics_tps" / "gt_part_result.json").read_text()):
        save(tmp_path / "frames" / video / "img_00001.jpg", (320, 240))
    _, text = run(tmp_path, "--images", str(tmp_path / "frames"), "--image-size", "640x480")
    section = parsed(text).find(".//section[@id='drawings']")
    shown = [found.tag.split("}")[-1] for found in section.iter()]
    assert 0 < shown.count("image") < 24
    assert set(re.findall(r'viewBox="([^"]+)"', text.partition('id="drawings"')[2])) == {
        "0 0 10 10",
        "0 0 640 480",
    }
    assert "images: " in capsys.readouterr().out
    assert not re.search(r"https?:|<script", text)
    detail = (tmp_path / "out" / "detailed_results.json").read_text(encoding="utf-8")
    assert "base64" not in detail


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", one_of_each_challenge(["kinetics_tps", "anet_entities_gt", "anet_entities_gen", "densepose"])
)
def test_number_of_drawings_is_chosen(tmp_path, task):
    _, text = run(tmp_path, "--drawings", "9", task=task)
    assert text.count('class="drawing"') == 9


def test_without_drawings_the_page_has_none(tmp_path):
    _, text = run(tmp_path, "--drawings", "0")
    assert 'class="drawing"' not in text


@pytest.mark.parametrize("task", one_task(["chalearn_action", "chalearn_gesture"]))
def test_timelines_are_the_drawings_of_sequences(tmp_path, task):
    _, text = run(tmp_path, "--drawings", "3", task=task)
    assert text.count('class="timeline"') == 3
