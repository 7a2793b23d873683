"""The pages of a competition: what is in them of which tasks, phases and protocols."""

from __future__ import annotations

import re
import shutil

import pytest

from organizer.bundle.cut import one_task
from organizer.bundle.lint import _FENCED, _FORMULA
from organizer.bundle.parts import Parts
from organizer.bundle.plan import plan_bundles
from organizer.bundle.source import load_competition
from organizer.bundle.texts import cut_text, fill_page, wrong_marks
from organizer.files import read_zip
from organizer.new_task import NewTask, task_files
from quality.competition import write_source
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES

NOUNS = {load_task(task_id).item for task_id in PUBLISHED}
PLACEHOLDER = re.compile(r"<!--|\{[a-z]+\}")
SHARED = ("overview", "evaluation", "data")


def pages_of(bundle):
    """Return the pages of a bundle without the data of pictures."""
    files = read_zip(bundle)
    texts = {name[6:-3]: files[name].decode() for name in files if name.startswith("pages/")}
    return {name: re.sub(r"\(data:[^)]*\)", "()", text) for name, text in texts.items()}


@pytest.fixture(scope="module")
def competition(tmp_path_factory):
    return load_competition(write_source(tmp_path_factory.mktemp("source")))


@pytest.mark.parametrize(
    ("text", "n_wrong"),
    [
        ("<!-- only several json -->\nx\n<!-- end -->\n<!-- a comment -->\n<!-- the end of it -->", 0),
        ("<!-- only chalearn_action nope -->\r\nx\r\n<!-- end -->", 0),
        ("<!-- only gestures -->\nx\n<!-- end -->\n", 1),
        ("<!-- only several -->\nx\n", 1),
        ("x\n<!-- end -->\n", 1),
        ("<!-- only one --> x <!-- end -->\n", 2),
        ("<!-- only one -->\n<!-- only json -->\nx\n<!-- end -->\n<!-- end -->\n", 2),
    ],
)
def test_marks_that_do_not_do_what_was_meant_are_named(text, n_wrong):
    assert len(wrong_marks(text)) == n_wrong


@pytest.mark.slow
def test_wrong_marks_of_a_page_are_notes_of_the_build(tmp_path):
    source = write_source(tmp_path)
    page = source / "pages" / "overview.md"
    page.write_bytes(page.read_bytes() + b"<!-- only gestures -->\nx\n<!-- end -->\n")
    notes = plan_bundles(load_competition(source), Parts({}, True, source), "v2").notes
    assert any("pages/overview.md" in note and "gestures" in note for note in notes)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_paragraphs_are_cut_whatever_lines_end_with(ending):
    text = ending.join(
        ["a", "<!-- only several -->", "b", "<!-- end -->", "<!-- only one -->", "c", "<!-- end -->"]
    )
    assert cut_text(text, ["chalearn_action"]) == f"a{ending}c{ending}"


def kinetics_tps(competition):
    data = one_task(competition, load_task("kinetics_tps"))
    assert data is not None
    return {**data}


@pytest.mark.parametrize("task_id", PUBLISHED)
def test_pages_of_one_task_are_about_it_alone(bundles, task_id):
    pages = pages_of(bundles / f"{task_id}.zip")
    assert pages.keys() == {*SHARED, task_id, "terms"}
    text = "\n".join(pages.values())
    assert not PLACEHOLDER.search(text)
    assert not [name for name, page in pages.items() if _FORMULA.search(_FENCED.sub("", page))]
    assert [other for other in PUBLISHED if other != task_id and re.search(rf"\b{other}\b", text)] == []
    commands = re.findall(r"people-in-video (?:check|score|compare) (\S+)", text)
    assert {*commands} == {task_id}
    assert "pip install ." in pages["overview"]
    assert "pip install ." in pages["evaluation"]
    assert f"\n    {task_id}|protocol:published|" in pages["evaluation"]
    item = load_task(task_id).item
    shared = "".join(pages[page].replace("people-in-video", "") for page in SHARED)
    words = {noun for noun in NOUNS if re.search(rf"\b{noun}s?\b", shared)}
    assert words == {item}
    # There is one phase, and no reference of the script's protocol.
    assert not re.search(
        r"several phases|two protocols|released protocol|protocol: released|`released`", text, re.I
    )


def test_pages_of_several_tasks_name_all_of_them(bundles):
    pages = pages_of(bundles / "competition.zip")
    assert not PLACEHOLDER.search("\n".join(pages.values()))
    assert all(f"`{task_id}`" in pages["overview"] for task_id in PUBLISHED)
    assert "people-in-video check ID my.zip" in pages["evaluation"]
    assert "of sequences, videos or images" in pages["evaluation"]


@pytest.mark.parametrize(
    ("n_phases", "protocols", "words"),
    [
        (1, ["published"], []),
        (2, ["published"], ["phases"]),
        (1, ["released"], ["released"]),
        (2, PROTOCOLS, ["phases", "released", "protocols"]),
    ],
)
def test_paragraphs_on_phases_and_protocols_stand_where_there_are_some(
    competition, n_phases, protocols, words
):
    data = kinetics_tps(competition)
    data["phases"] = data["phases"] * n_phases
    text = "".join(
        f"<!-- only {word} -->\n{word}\n<!-- end -->\n" for word in ("phases", "released", "protocols")
    )
    assert fill_page(text, data, protocols).split() == words


def test_the_protocol_is_that_of_the_reference(kept_parts, tmp_path):
    source = write_source(tmp_path / "source")
    reference = shutil.copytree(REFERENCES / "kinetics_tps", tmp_path / "kinetics_tps")
    (reference / "settings.yaml").write_text("protocol: released\n")
    data = kinetics_tps(load_competition(source))
    plan = plan_bundles(data, Parts({"kinetics_tps": reference}, demo=True, source=source), "v2")
    pages = plan.bundles["kinetics_tps.zip"].files
    assert b"## The released protocol" in pages["pages/kinetics_tps.md"]
    assert b"\n    kinetics_tps|protocol:released|" in pages["pages/evaluation.md"]


def test_a_dollar_in_names_of_a_new_task_begins_no_formula(competition):
    wanted = NewTask("coins", title="From $1 to $2", kind="label", labels=["$1", "$2"])
    page = task_files(wanted)["pages/coins.md"].decode()
    assert page.startswith("# From &#36;1 to &#36;2\n")
    assert not _FORMULA.search(_FENCED.sub("", page))
    data = {**kinetics_tps(competition), "title": "$1 or $2", "description": "$$"}
    assert fill_page("{title} {description}", data, ["published"]) == "&#36;1 or &#36;2 &#36;&#36;"
