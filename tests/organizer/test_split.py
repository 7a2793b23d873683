"""Parts of a reference: disjoint, stratified, and together worth what the whole is."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial

import numpy as np
import pytest
import yaml

from organizer import split as organizer_split
from organizer.__main__ import main
from organizer.bundle import source
from organizer.bundle.parts import Parts
from organizer.data.prepare import prepare
from organizer.files import folder_files
from organizer.public_data import find_leaks
from organizer.split import Division, divide, write_parts
from organizer.split_table import SPLIT_FILE, SplitTable
from organizer.tasks import annotations_of
from quality.competition import write_source
from scoring_program.task import load_task
from tests.helpers import (
    PUBLISHED,
    REFERENCES,
    SAMPLES,
    loaded,
    loaded_at_home,
    one_of_each_challenge,
    slow_for,
)

GESTURE = "chalearn_gesture"


@pytest.fixture(scope="module", autouse=True)
def short_competition(tmp_path_factory):
    """Split in a competition with the tasks alone: keeping the comments of a long one takes longer than splitting."""
    phase = {"index": 0, "name": "Main phase", "start": "2027-01-01 00:00:00", "end": "2027-12-31 23:59:59"}
    programs = [f"{task_id}_program.zip" for task_id in PUBLISHED]
    competition = {
        **{"version": 2, "title": "T", "image": "logo.png", "terms": "terms.md", "pages": []},
        "tasks": [
            {"index": index, "name": "N", "scoring_program": program}
            for index, program in enumerate(programs)
        ],
        "phases": [{**phase, "tasks": list(range(len(programs)))}],
        "leaderboards": [
            {"title": "L", "key": "l", "columns": [{"index": 0, "title": "Score", "key": "score"}]}
        ],
    }
    folder = tmp_path_factory.mktemp("short")
    (folder / "competition.yaml").write_text(yaml.safe_dump(competition), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for module in (organizer_split, source):
            patch.setattr(module, "SOURCE", folder)
        yield


@pytest.fixture(scope="module", params=slow_for("densepose", of=one_of_each_challenge(PUBLISHED)))
def split(request, tmp_path_factory):
    """Return a task, its prepared reference, and a folder with both parts and lists of items."""
    folder, name = tmp_path_factory.mktemp("split"), request.param
    prepare(name, REFERENCES / name, folder / "whole" / name)
    public = folder / "whole" / f"{name}_public"
    assert main(f"public-data {name} --source {REFERENCES / name} --output {public}".split()) == 0
    assert run_split(name, folder / "whole" / name, folder / "parts") == 0
    return name, folder / "whole" / name, folder / "parts"


def run_split(task_id, reference, output, more=""):
    """Divide a reference; return the exit code."""
    return main(f"split {task_id} --reference {reference} --output {output} {more}".split())


def items_of(parts, name):
    return (parts / f"{name}_ids.txt").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("sample", ["good", "weak"])
def test_one_submission_scores_on_each_part_as_its_items_did_in_the_whole(split, protocol, sample):
    name, whole, parts = split
    source = SAMPLES / name / sample
    of_all = loaded(name, whole, protocol=protocol, **annotations_of(name).part_settings)
    statistics = of_all.score_path(source).statistics
    covered = []
    for part in (name, f"{name}_2"):
        of_part = loaded(name, parts / part, protocol=protocol)
        result = of_part.score_path(source)
        chosen = np.isin(of_all.items, of_part.items)
        expected = of_all.task.reduce(statistics, chosen[None].astype(float))
        score = result.scores.get("average_video_accuracy_exact", result.scores["score"])
        assert expected == pytest.approx([score], abs=1e-12)
        halves = of_part.half_scores(result.statistics, 2)
        assert halves.n_items == int(chosen.sum()) == len(of_part.items)
        assert set(of_part.items) <= set(items_of(parts, part))
        assert "N-ITEMS-UNKNOWN" in [note.code for note in result.notes]
        covered += of_part.items
    assert sorted(covered) == sorted(of_all.items)


@pytest.mark.slow
def test_only_generated_sentences_need_a_setting(tmp_path):
    for name in ("anet_entities_gen", "anet_entities_gt"):
        assert run_split(name, REFERENCES, tmp_path / name) == 0
        for part in (name, f"{name}_2"):
            settings = load_task(name).settings(tmp_path / name / part)
            assert settings.get("subset", False) == (name == "anet_entities_gen")


def test_parts_know_the_number_of_segments_without_annotations(tmp_path):
    name = "anet_entities_gen"
    reference = tmp_path / "ref" / name
    shutil.copytree(REFERENCES / name, reference)
    document = json.loads((reference / "reference.json").read_text())
    lists = ("process_clss", "process_idx", "process_bnd_box", "frame_ind", "tokens")
    for video in document["annotations"].values():
        video["segments"]["77"] = {key: [] for key in lists}
    (reference / "reference.json").write_text(json.dumps(document))
    whole = loaded_at_home(name, reference)
    statistics = whole.score_path(SAMPLES / name / "good").statistics
    assert run_split(name, reference, tmp_path / "out") == 0
    for part in (name, f"{name}_2"):
        of_part = loaded(name, tmp_path / "out" / part)
        is_in_part = np.isin(whole.items, of_part.items)
        expected = whole.task.reduce(statistics, is_in_part[None].astype(float))
        for few in (of_part, whole.select_items(of_part.items)):
            score = few.score_path(SAMPLES / name / "good").scores["score"]
            assert expected == pytest.approx([score], abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "# mine\nsubset: false\nsplits: [validation] # chosen\n",
        pytest.param("splits: [validation]", marks=pytest.mark.slow),
        pytest.param("{splits: [validation], detail: full}\n", marks=pytest.mark.slow),
        "subset: true\n",
    ],
)
def test_setting_of_the_parts_is_added_to_those_of_the_organizers(tmp_path, text):
    name = "anet_entities_gen"
    reference = tmp_path / "ref" / name
    shutil.copytree(REFERENCES / name, reference)
    (reference / "settings.yaml").write_text(text)
    before = load_task(name).settings(reference)
    assert run_split(name, reference, tmp_path / "out") == 0
    for part in (name, f"{name}_2"):
        assert load_task(name).settings(tmp_path / "out" / part) == {**before, "subset": True}
    if "#" in text:
        assert "# chosen" in (tmp_path / "out" / name / "settings.yaml").read_text()


@pytest.mark.slow
def test_parts_hold_nothing_of_the_other_items(split):
    name, _, parts = split
    for part, other in ((name, f"{name}_2"), (f"{name}_2", name)):
        names = items_of(parts, other)
        files = folder_files(parts / part)
        inside = [*files, *(data.decode("latin-1") for data in files.values())]
        if name != "densepose":  # its items are numbers
            assert not [item for item in names for text in inside if item in text]
        assert set(loaded(name, parts / part).items).isdisjoint(names)


def test_each_part_has_public_data_of_its_items_alone(split):
    name, _, parts = split
    for part, other in ((name, f"{name}_2"), (f"{name}_2", name)):
        of_part = loaded(name, parts / part)
        public = Parts({part: parts / part}, demo=False).public_files(part, name)
        assert find_leaks(public, of_part) == []
        texts = [*public, *(data.decode() for data in public.values())]
        shown = re.findall(r"\w+", " ".join(texts).replace("_data.csv", ""))
        if name == "densepose":  # its items are numbers, and so are sizes
            shown = [str(image["id"]) for image in json.loads(public["images.json"])["images"]]
        assert [item for item in of_part.items if item not in shown] == []
        assert [item for item in items_of(parts, other) if item in shown] == []


def test_files_that_depend_on_no_item_are_linked(split):
    name, whole, parts = split
    for file in annotations_of(name).shared:
        if (whole / file).is_file():
            for part in (name, f"{name}_2"):
                assert (parts / part / file).samefile(whole / file)


def test_settings_of_a_part_are_its_own(tmp_path):
    reference = tmp_path / "ref" / GESTURE
    shutil.copytree(REFERENCES / GESTURE, reference)
    (reference / "settings.yaml").write_text("detail: full\n")
    assert run_split(GESTURE, reference, tmp_path / "out") == 0
    (tmp_path / "out" / GESTURE / "settings.yaml").write_text("detail: none\n")
    for folder in (reference, tmp_path / "out" / f"{GESTURE}_2"):
        assert (folder / "settings.yaml").read_text() == "detail: full\n"


@pytest.mark.slow
def test_official_files_give_the_same_parts(split, tmp_path):
    name, _, parts = split
    assert run_split(name, REFERENCES, tmp_path) == 0
    for part in (name, f"{name}_2"):
        mine, theirs = (folder_files(folder / part) for folder in (tmp_path, parts))
        mine.pop("SYNTHETIC.md")
        for file in annotations_of(name).shared:  # prepare writes a table of lemmas in its own style
            assert (file in mine) == (file in theirs)
            mine[file] = theirs.get(file, b"")
        assert mine == {**dict.fromkeys(annotations_of(name).shared, b""), **theirs}
        assert items_of(tmp_path, part) == items_of(parts, part)


def test_groups_stay_together_and_their_file_is_divided(tmp_path, capsys):
    reference = tmp_path / "ref" / GESTURE
    shutil.copytree(REFERENCES / GESTURE, reference)
    items = loaded(GESTURE, reference).items
    lines = [f"{item},{'abcdef'[number % 6]}\n" for number, item in enumerate(items)]
    (reference / "persons.csv").write_text("item,group\n" + "".join(lines))
    (reference / "settings.yaml").write_text("item_groups: persons.csv\n")
    assert run_split(GESTURE, reference, tmp_path / "a", "--shares 50 50") == 0
    groups = []
    for part in (GESTURE, f"{GESTURE}_2"):
        text = (tmp_path / "a" / part / "persons.csv").read_text()
        assert text.startswith("item,group\n")
        assert len(text.splitlines()) == 1 + len(items_of(tmp_path / "a", part))
        groups.append({line.split(",")[1] for line in text.splitlines()[1:]})
    assert groups[0].isdisjoint(groups[1])
    assert set.union(*groups) == set("abcdef")
    given = tmp_path / "two.csv"
    given.write_text("item,group\n" + "".join(f"{item},{number < 3}\n" for number, item in enumerate(items)))
    assert run_split(GESTURE, REFERENCES, tmp_path / "b", f"--groups {given}") == 0
    assert sorted(len(items_of(tmp_path / "b", part)) for part in (GESTURE, f"{GESTURE}_2")) == [3, 9]
    said = capsys.readouterr().out
    assert re.search(f"^warning [|] {GESTURE}_2: 6 sequences of 3 persons: .* 10 ", said, re.MULTILINE)
    assert re.search(f"^warning [|] {GESTURE}: 3 sequences of 1 two: .* 10 ", said, re.MULTILINE)


def test_part_with_ten_items_is_not_warned_of(tmp_path, capsys):
    assert run_split(GESTURE, REFERENCES, tmp_path, "--shares 1 5") == 0
    said = capsys.readouterr().out
    assert re.search(f"^warning [|] {GESTURE}: 2 sequences: .* 10 ", said, re.MULTILINE)
    assert f"\n{GESTURE}_2: 10 sequences\n" in said


def test_seed_chooses_the_parts_and_nothing_else_does(tmp_path):
    def public(more):
        assert run_split(GESTURE, REFERENCES, tmp_path, f"{more} --again") == 0
        return items_of(tmp_path, GESTURE)

    first = public("")
    assert public("--seed 1") != first
    assert public("--seed 0") == first


@pytest.mark.parametrize(
    ("code", "more"),
    [("E-SPLIT-EMPTY", "--shares 0.001 99"), ("E-REF-OTHER", ""), ("E-REF-GROUPS", "--groups {}/wrong.csv")],
)
def test_refused_split_writes_no_part(tmp_path, capsys, code, more):
    output = tmp_path / "out"
    if code == "E-REF-OTHER":
        (output / f"{GESTURE}_2").mkdir(parents=True)
        (output / f"{GESTURE}_2" / "notes.txt").write_text("mine")
    (tmp_path / "wrong.csv").write_text("item,group\nnobody,1\n")
    assert run_split(GESTURE, REFERENCES, output, more.format(tmp_path)) == 1
    assert capsys.readouterr().err.startswith(f"1. {code}")
    assert not (output / GESTURE).exists()


def test_a_part_is_not_divided_into_its_own_place(tmp_path, capsys):
    assert run_split(GESTURE, REFERENCES, tmp_path) == 0
    parts = folder_files(tmp_path)
    capsys.readouterr()
    assert run_split(GESTURE, tmp_path / GESTURE, tmp_path) == 1
    assert capsys.readouterr().err.startswith("1. E-OUTPUT ")
    assert folder_files(tmp_path) == parts


def test_classes_divide_as_the_shares_say():
    """1,000 items of 20 classes, the rarest with 10 instances: no part is off by more than one of them."""
    rng = np.random.default_rng(1)
    label = np.repeat(np.arange(20), np.linspace(10, 90, 20).astype(int))
    counts = np.zeros((len(label), 21))
    counts[np.arange(len(label)), rng.permutation(label)] = 1
    counts[:, -1] = 1
    part = divide(counts, np.array([0.3, 0.7]), seed=0)
    public = counts[part == 0].sum(axis=0)
    assert np.abs(public - 0.3 * counts.sum(axis=0)).max() <= 1
    assert (divide(counts, np.array([0.3, 0.7]), seed=0) == part).all()


def test_tables_of_classes_count_every_instance(tmp_path, capsys):
    task = load_task(GESTURE)
    table = SplitTable(tmp_path, GESTURE)
    part_of_item = write_parts(task, REFERENCES / GESTURE, tmp_path, Division((1, 1)), table)
    classes = annotations_of(GESTURE).classes(loaded(GESTURE, REFERENCES / GESTURE).reference)
    lines = capsys.readouterr().out.splitlines()
    cells = [line.replace("(", " ").replace(",", "").split() for line in lines[1:21]]
    assert sum(int(row[1]) for row in cells) == sum(map(len, classes.values()))
    own = sum(len(classes[item]) for item, part in part_of_item.items() if part == 0)
    assert sum(int(row[2]) for row in cells) == own


@pytest.fixture
def competition(tmp_path, monkeypatch):
    """Split in the competition of all tasks; return the path of its competition.yaml."""
    monkeypatch.setattr(organizer_split, "SOURCE", write_source(tmp_path / "source"))
    return tmp_path / "source" / "competition.yaml"


def test_final_phase_is_shown_or_written(tmp_path, capsys, competition):
    before = competition.read_text(encoding="utf-8")
    assert run_split(GESTURE, REFERENCES, tmp_path / "shown") == 0
    shown = [line[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("+ ")]
    assert competition.read_text(encoding="utf-8") == before
    assert run_split(GESTURE, REFERENCES, tmp_path / "written", "--write") == 0
    written = competition.read_text(encoding="utf-8").splitlines()
    assert [line for line in written if line not in before.splitlines()] == [
        line for line in shown if line not in before.splitlines()
    ]
    assert set(before.splitlines()) <= set(written)
    capsys.readouterr()
    for more in ("", "--write"):
        assert run_split(GESTURE, REFERENCES, tmp_path / "written", more) == 0
        out = capsys.readouterr().out
        assert [line for line in out.splitlines() if line.startswith(("+", "@@")) or "L-TASK" in line] == []
    assert competition.read_text(encoding="utf-8").splitlines() == written


@pytest.mark.slow
def test_another_number_of_parts_is_written_and_noted_but_not_added(tmp_path, capsys, competition):
    split = partial(run_split, GESTURE, REFERENCES, tmp_path / "out")
    assert split("--write") == 0
    written = competition.read_text(encoding="utf-8")
    capsys.readouterr()
    assert split("--shares 20 20 60") == 1
    assert "E-SPLIT-FILE" in capsys.readouterr().err
    assert split("--shares 20 20 60 --again") == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith("note | ")
    assert " L-TASK competition.yaml: " in last
    assert (tmp_path / "out" / f"{GESTURE}_3").is_dir()
    assert split("--write") == 1
    assert competition.read_text(encoding="utf-8") == written


def test_parts_are_replaced_but_not_what_others_put_there(tmp_path, capsys):
    reference = shutil.copytree(REFERENCES / GESTURE, tmp_path / "ref" / GESTURE)
    split = partial(run_split, GESTURE, reference, tmp_path / "out")
    assert split() == 0
    first, part = folder_files(tmp_path / "out"), tmp_path / "out" / GESTURE
    (part / "signature_key.txt").write_text("my key, which is secret\n")
    (part / ".gitignore").write_text("*.tmp\n")
    assert split() == 0
    again = folder_files(tmp_path / "out")
    assert again == {**first, f"{GESTURE}/signature_key.txt": b"my key, which is secret\n"}
    assert (part / ".gitignore").read_text() == "*.tmp\n"
    (part / "notes.txt").write_text("mine")
    assert split() == 1
    assert f"E-REF-OTHER {GESTURE}" in capsys.readouterr().err
    assert folder_files(tmp_path / "out") == {**again, f"{GESTURE}/notes.txt": b"mine"}
    assert split("--replace") == 0
    assert folder_files(tmp_path / "out") == again


def test_three_shares_make_three_parts(tmp_path, capsys):
    assert run_split(GESTURE, REFERENCES, tmp_path, "--shares 20 20 60") == 0
    names = [GESTURE, f"{GESTURE}_2", f"{GESTURE}_3"]
    parts = [items_of(tmp_path, name) for name in names]
    assert sorted(item for part in parts for item in part) == loaded(GESTURE, REFERENCES / GESTURE).items
    assert [loaded(GESTURE, tmp_path / name).items for name in names] == parts
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["class", "all", "development", "test", "final"]
    assert [line for line in out.splitlines() if "phase" in line and line.startswith("+")] != []


CLASSES = ("run", "jump", "clap", "wave", "hug", "kick")


def write_videos(folder, changes=None, n_videos=40):
    """Write a reference of Kinetics-TPS with videos of one frame and human, some with other classes.

    A class None takes the video out.
    """
    classes = {f"v{number:03d}": CLASSES[number * number % 6] for number in range(n_videos)}
    classes = {video: name for video, name in {**classes, **(changes or {})}.items() if name}
    videos = {}
    for number, video in enumerate(classes):
        parts = {"head": {"box": [30, 10, 60, 40 + number % 9], "verb": "look"}}
        videos[video] = {"img_00001.json": {"humans": [{"box": [10, 10, 90, 200 + number], "parts": parts}]}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gt_vid_result.json").write_text(json.dumps(classes))
    (folder / "gt_part_result.json").write_text(json.dumps(videos))


def split_videos(folder, more="", code=0):
    """Split the reference of `write_videos`; return the items of each part."""
    assert run_split("kinetics_tps", folder / "ref", folder / "parts", more) == code
    lists = sorted((folder / "parts").glob("*_ids.txt"))
    return {path.name[:-8]: path.read_text().split("\n")[:-1] for path in lists}


@pytest.mark.slow
def test_items_stay_where_they_are_after_a_correction(tmp_path, capsys):
    write_videos(tmp_path / "ref")
    parts = split_videos(tmp_path, "--shares 20 20 60")
    gone = parts["kinetics_tps_2"][0]
    write_videos(tmp_path / "ref", {"v017": "hug", gone: None})
    capsys.readouterr()
    expected = {name: [item for item in items if item != gone] for name, items in parts.items()}
    for more in ("--shares 20 20 60", "", "--seed 5"):
        assert split_videos(tmp_path, more) == expected
        out = capsys.readouterr().out
        assert f"1 video ({gone}): gone" in out
        assert ("not --shares" in out) == ("--shares" in more)
    write_videos(tmp_path / "ref")
    assert split_videos(tmp_path) == parts


def test_new_items_are_refused_until_their_part_is_given(tmp_path, capsys):
    write_videos(tmp_path / "ref", n_videos=38)
    parts = split_videos(tmp_path)
    before = folder_files(tmp_path / "parts")
    write_videos(tmp_path / "ref")
    capsys.readouterr()
    split_videos(tmp_path, code=1)
    assert re.match("1. E-SPLIT-NEW split.csv: v038, v039", capsys.readouterr().err)
    assert folder_files(tmp_path / "parts") == before
    split_videos(tmp_path, "--new-to final", code=1)
    assert "E-SPLIT-FILE" in capsys.readouterr().err
    later = split_videos(tmp_path, "--new-to kinetics_tps_2")
    assert later == {**parts, "kinetics_tps_2": [*parts["kinetics_tps_2"], "v038", "v039"]}
    assert "2 new videos (v038, v039): to kinetics_tps_2" in capsys.readouterr().out
    assert split_videos(tmp_path) == later


def test_new_items_go_to_the_part_of_their_group_and_no_group_is_in_two_parts(tmp_path, capsys):
    write_videos(tmp_path / "ref", n_videos=39)
    lines = [f"v{number:03d},g{number // 2}\n" for number in range(40)]
    (tmp_path / "g.csv").write_text("item,group\n" + "".join(lines[:39]))
    parts = split_videos(tmp_path, f"--groups {tmp_path / 'g.csv'}")
    part = next(name for name, items in parts.items() if "v038" in items)
    write_videos(tmp_path / "ref")
    (tmp_path / "g.csv").write_text("item,group\n" + "".join(lines))
    assert "v039" in split_videos(tmp_path, f"--groups {tmp_path / 'g.csv'}")[part]
    table = tmp_path / "parts" / SPLIT_FILE
    other = {"kinetics_tps": "kinetics_tps_2", "kinetics_tps_2": "kinetics_tps"}[part]
    table.write_text(table.read_text().replace(f"v039,{part}", f"v039,{other}"))
    capsys.readouterr()
    split_videos(tmp_path, f"--groups {tmp_path / 'g.csv'}", code=1)
    err = capsys.readouterr().err
    assert "E-SPLIT-GROUP split.csv" in err
    assert "v038" in err and "v039" in err


def test_items_are_dealt_again_on_request_alone(tmp_path, capsys):
    write_videos(tmp_path / "ref")
    parts = split_videos(tmp_path)
    capsys.readouterr()
    later = split_videos(tmp_path, "--again --seed 1")
    moved = set(parts["kinetics_tps"]) & set(later["kinetics_tps_2"])
    back = set(parts["kinetics_tps_2"]) & set(later["kinetics_tps"])
    assert moved
    out = capsys.readouterr().out
    assert f"\n{len(moved)} videos moved from kinetics_tps to kinetics_tps_2\n" in out
    assert f"\n{len(back)} videos moved from kinetics_tps_2 to kinetics_tps\n" in out
    assert split_videos(tmp_path) == later


def test_table_written_by_hand_is_the_split(tmp_path):
    write_videos(tmp_path / "ref")
    (tmp_path / "parts").mkdir()
    lists = {"kinetics_tps": ["v001", "v003"], "kinetics_tps_2": [], "kinetics_tps_3": []}
    for number in [0, 2, *range(4, 40)]:
        lists[f"kinetics_tps_{2 + number % 2}"].append(f"v{number:03d}")
    rows = [f"{item},{name}\r\n" for name, items in lists.items() for item in items]
    table = tmp_path / "parts" / SPLIT_FILE
    table.write_bytes(("item,part\r\nAct1,chalearn_action_2\r\n" + "".join(rows)).encode())
    before = table.read_bytes()
    assert split_videos(tmp_path) == lists
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("video,part\n", "line 1"),
        ("item,part\nv000\n", "line 2"),
        ("item,part\nv000,kinetics_tps\nv001,final\n", "line 3"),
        ("item,part\nv000,kinetics_tps\nv000,kinetics_tps_2\n", "line 3"),
    ],
)
def test_wrong_tables_are_refused_with_their_place(tmp_path, capsys, lines, place):
    write_videos(tmp_path / "ref")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / SPLIT_FILE).write_text(lines)
    split_videos(tmp_path, code=1)
    err = capsys.readouterr().err
    assert err.startswith("1. E-SPLIT-FILE split.csv")
    assert place in err
    assert not (tmp_path / "parts" / "kinetics_tps").exists()


@pytest.mark.parametrize("names", [["kinetics_tps"], ["kinetics_tps", "kinetics_tps_3"]])
def test_a_table_without_items_of_a_part_is_refused_with_its_name(tmp_path, capsys, names):
    write_videos(tmp_path / "ref")
    (tmp_path / "parts").mkdir()
    rows = [f"v{number:03d},{names[number % len(names)]}\n" for number in range(40)]
    (tmp_path / "parts" / SPLIT_FILE).write_text("item,part\n" + "".join(rows))
    split_videos(tmp_path, code=1)
    assert capsys.readouterr().err.startswith("1. E-SPLIT-EMPTY split.csv: no item is in kinetics_tps_2;")


@pytest.mark.slow
def test_three_parts_are_not_dealt_into_two_unless_it_is_said(tmp_path, capsys):
    write_videos(tmp_path / "ref")
    parts = split_videos(tmp_path, "--shares 20 20 60")
    capsys.readouterr()
    assert split_videos(tmp_path, "--again", code=1) == parts
    err = capsys.readouterr().err
    assert err.startswith("1. E-SPLIT-FILE split.csv: the items are in 3 parts")
    assert "--shares" in err
    assert len(split_videos(tmp_path, "--again --seed 1 --shares 20 20 60")) == 3


def test_two_tasks_have_their_parts_in_one_table(tmp_path):
    write_videos(tmp_path / "ref")
    parts = split_videos(tmp_path)
    assert run_split(GESTURE, REFERENCES, tmp_path / "parts") == 0
    with_both = (tmp_path / "parts" / SPLIT_FILE).read_text()
    assert len(with_both.splitlines()) == 1 + 40 + 12
    assert {**split_videos(tmp_path), **parts} == split_videos(tmp_path)
    assert sorted((tmp_path / "parts" / SPLIT_FILE).read_text().splitlines()) == sorted(
        with_both.splitlines()
    )


def test_parts_of_an_earlier_version_stay_as_their_lists_say(tmp_path):
    write_videos(tmp_path / "ref")
    parts = split_videos(tmp_path, "--seed 1")
    (tmp_path / "parts" / SPLIT_FILE).unlink()
    assert split_videos(tmp_path) == parts
    assert (tmp_path / "parts" / SPLIT_FILE).is_file()


@pytest.mark.slow
def test_parts_keep_their_settings_and_what_differs_is_printed(tmp_path, capsys):
    write_videos(tmp_path / "ref")
    (tmp_path / "ref" / "settings.yaml").write_text("detail: full\n")
    split_videos(tmp_path)
    settings = tmp_path / "parts" / "kinetics_tps_2" / "settings.yaml"
    settings.write_text("# the final\ndetail: none\n")
    write_videos(tmp_path / "ref", {"v017": "hug"})
    capsys.readouterr()
    for more in ("", "--replace", "--again"):
        split_videos(tmp_path, more)
        assert settings.read_text() == "# the final\ndetail: none\n"
        notes = [line for line in capsys.readouterr().out.splitlines() if "settings.yaml" in line]
        assert len(notes) == 1
        assert re.match(r"note \| kinetics_tps_2 .*detail: none \(the reference: full\)", notes[0])
    assert yaml.safe_load((tmp_path / "parts/kinetics_tps/settings.yaml").read_text()) == {"detail": "full"}
    settings.write_text("detail: no\n")
    capsys.readouterr()
    split_videos(tmp_path, code=1)
    assert " kinetics_tps_2/settings.yaml: " in capsys.readouterr().err
