"""ActivityNet-Entities at the border: mistakes of organizers and participants, the kit's old command line."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from organizer.data.prepare import prepare
from organizer.files import write_files
from people_in_video.__main__ import run_command
from people_in_video.anet_entities.writer import AnetEntitiesWriter
from people_in_video.csv_table import item_rows
from scoring_program.run import INVALID, SCORED
from tests.helpers import (
    CODE_FOLDERS,
    GOLDEN,
    REFERENCES,
    SAMPLES,
    loaded,
    refused,
    run_folder,
    text_of,
    values_of,
)
from validator.formats.anet_entities.write import encode_submission, no_objects, segment_objects

GT, GEN = "anet_entities_gt", "anet_entities_gen"


def documents(folder):
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


def texts(folder):
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in folder.iterdir()
        if path.suffix in (".json", ".txt")
    }


REFERENCE = {name: texts(REFERENCES / name) for name in (GT, GEN)}
GOOD = {name: documents(SAMPLES / name / "good") for name in (GT, GEN)}


def files(found):
    return {name: json.dumps(document) for name, document in found.items()}


def submission(name):
    return copy.deepcopy(GOOD[name]), f"submission_{name[14:]}.json"


def first_segment(document):
    video = next(iter(document["results"].values()))
    return next(iter(video.values()))


def place_of_first_segment(document):
    name, video = next(iter(document["results"].items()))
    return f"/results/{name}/{next(iter(video))}"


@pytest.mark.parametrize("name", [GT, GEN])
@pytest.mark.parametrize(
    ("change", "code", "place", "values"),
    [
        (lambda d: d.pop("eval_mode"), "E-JSON-SCHEMA", "/", ["'eval_mode'"]),
        (lambda d: first_segment(d)["bbox_for_all_frames"][0].pop(), "E-JSON-SCHEMA", "SEGMENT/bbox_for_all_frames/0", ["9", "10"]),
        (lambda d: first_segment(d)["bbox_for_all_frames"][0][3].pop(), "E-JSON-SCHEMA", "SEGMENT/bbox_for_all_frames/0/3", ["3", "4"]),
        (lambda d: first_segment(d)["idx_in_sent"].__setitem__(0, -1), "E-JSON-SCHEMA", "SEGMENT/idx_in_sent/0", ["-1", "0"]),
        (lambda d: first_segment(d)["idx_in_sent"].__setitem__(0, 10**30), "E-JSON-SCHEMA", "SEGMENT/idx_in_sent/0", ["1" + "0" * 22, "1000000"]),
        (lambda d: first_segment(d)["clss"].__setitem__(0, 7), "E-JSON-SCHEMA", "SEGMENT/clss/0", ["7"]),
        (lambda d: d.update(results=[]), "E-JSON-SCHEMA", "/results", []),
    ],
)  # fmt: skip
def test_bad_submissions_are_located(run, name, change, code, place, values):
    found, file = submission(name)
    place = place.replace("SEGMENT", place_of_first_segment(found[file]))
    change(found[file])
    outcome = run(name, REFERENCE[name], files(found))
    assert outcome.code == INVALID
    (problem,) = outcome.detail["problems"]
    assert (problem["code"], problem["file"], problem["where"]) == (code, file, place)
    assert values_of(problem["problem"]) == values


@pytest.mark.parametrize("name", [GT, GEN])
def test_segments_named_with_many_or_other_digits_are_scored(run, name):
    changed, file = submission(name)
    video = next(iter(changed[file]["results"].values()))
    first_segment = next(iter(video.values()))
    for digits in ("1" * 9, "1" * 4301, "1" * 20_000, "\u0661", "\u00b2"):
        video[digits] = first_segment
    outcome = run(name, REFERENCE[name], files(changed))
    assert outcome.code == SCORED
    assert "N-INTERNAL" not in outcome.out


@pytest.mark.parametrize("name", [GT, GEN])
def test_order_of_videos_does_not_matter(run, name):
    found, file = submission(name)
    first = run(name, REFERENCE[name], files(found)).scores
    found[file]["results"] = dict(reversed(found[file]["results"].items()))
    assert run(name, REFERENCE[name], files(found)).scores == pytest.approx(first, abs=1e-12)


@pytest.mark.slow
def test_submitting_only_sure_segments_raises_the_released_score_and_lowers_coverage(run):
    found, file = submission(GEN)
    reference = {**REFERENCE[GEN], "settings.yaml": "protocol: released\n"}
    first = run(GEN, reference, files(found)).scores
    result = first
    for video in list(found[file]["results"]):
        for segment in list(found[file]["results"][video]):
            fewer = copy.deepcopy(found)
            del fewer[file]["results"][video][segment]
            outcome = run(GEN, reference, files(fewer)).scores
            if outcome["score"] > result["score"]:
                found, result = fewer, outcome
    assert result["score"] > first["score"]
    assert result["coverage"] < first["coverage"]
    assert result["f1_all"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [GT, GEN])
def test_prepared_reference_gives_the_same_scores(run, name, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for file, text in REFERENCE[name].items():
        (source / file).write_text(text, encoding="utf-8")
    prepare(name, source, tmp_path / "prepared")
    plain = run(name, REFERENCE[name], files(GOOD[name]))
    outcome = run_folder(name, tmp_path / "prepared", tmp_path / "res", tmp_path / "out2")
    assert outcome.exit_code == SCORED
    assert json.loads((tmp_path / "out2" / "scores.json").read_text()) == plain.scores


def segment_of(reference):
    return next(iter(next(iter(reference["annotations"].values()))["segments"].values()))


@pytest.mark.parametrize(
    ("change", "code", "keyword"),
    [
        (lambda r, s: segment_of(r)["frame_ind"].__setitem__(0, 10), "E-REF-SEGMENT", "10 is not in 0..9"),
        (lambda r, s: segment_of(r)["process_idx"][0].__setitem__(0, 99), "E-REF-SEGMENT", "word index"),
        (lambda r, s: segment_of(r)["process_clss"][0].__setitem__(0, None), "E-REF-SEGMENT", "list of strings"),
        (lambda r, s: segment_of(r)["process_idx"][0].__setitem__(0, "0"), "E-REF-SEGMENT", "whole numbers"),
        (lambda r, s: segment_of(r)["process_idx"][0].append(0), "E-REF-SEGMENT", "equal length"),
        (lambda r, s: s.update(val=s.pop("validation")), "E-REF-SPLIT", "'validation'"),
        (lambda r, s: s.update(validation=[video[2:] for video in s["validation"]]), "E-REF-SPLIT", "correct the split"),
    ],
)  # fmt: skip
def test_organizers_mistakes_are_found(tmp_path, change, code, keyword):
    reference, split = (json.loads(REFERENCE[GT][name]) for name in ("reference.json", "split.json"))
    change(reference, split)
    (tmp_path / "reference.json").write_text(json.dumps(reference))
    (tmp_path / "split.json").write_text(json.dumps(split))
    problem, *_ = refused(prepare, GT, tmp_path, tmp_path / "out").problems
    assert problem.code == code
    assert keyword in text_of(problem)
    assert not (tmp_path / "out").exists()


def test_segments_without_boxes_are_left_out_as_in_the_real_files(tmp_path):
    reference = json.loads(REFERENCE[GT]["reference.json"])
    segment_of(reference).update(frame_ind=[], process_bnd_box=[], crowds=[])
    (tmp_path / "reference.json").write_text(json.dumps(reference))
    (tmp_path / "split.json").write_text(REFERENCE[GT]["split.json"])
    prepare(GT, tmp_path, tmp_path / "out")
    n_all, n_kept = (
        len(loaded(GT, folder).reference.segments) for folder in (REFERENCES / GT, tmp_path / "out")
    )
    assert n_kept == n_all - 1


def test_writer_makes_a_zip_that_scores(run, tmp_path):
    writer = AnetEntitiesWriter("GT")
    video = next(iter(GOOD[GT]["submission_gt.json"]["results"]))
    writer.add_segment(video, 0, ["man"], [1], np.zeros((1, 10, 4)))
    writer.save(tmp_path / "my.zip")
    assert run(GT, REFERENCE[GT], {"my.zip": (tmp_path / "my.zip").read_bytes()}).code == SCORED


def test_names_of_the_challenges_own_command_line_work(tmp_path, capsys):
    sample = SAMPLES / GEN / "good" / "submission_gen.json"
    options = ["--eval_mode", "gen", "--loc_mode", "all", "-v"]
    assert run_command("score", ["-s", str(sample), *options, "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "mode all\nf1_all_per_sent: " in out
    head, row, *_ = out.partition("\nClasses:\n")[2].splitlines()
    assert head.split()[:3] == ["Class", "Words", "Recall"]
    assert len(row.split()) == len(head.split())


def test_the_number_of_mode_loc_comes_first(tmp_path, capsys):
    sample = str(SAMPLES / GEN / "good" / "submission_gen.json")
    arguments = ["-s", sample, "--loc_mode", "loc", "--output", str(tmp_path), "--drawings", "0"]
    assert run_command("score", arguments) == 0
    first_line = capsys.readouterr().out.splitlines()[0]
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert first_line == f"F1_loc per sentence {scores['f1_loc_per_sent']:.4f}"
    assert f"<h1>{first_line}</h1>" in (tmp_path / "detailed_results.html").read_text()
    assert run_command("score", [*arguments, "-q"]) == 0
    assert float(capsys.readouterr().out) == scores["f1_loc_per_sent"]


@pytest.mark.slow
def test_evaluate_asks_for_what_is_missing(capsys):
    with pytest.raises(SystemExit):
        run_command("score", ["-s", "x.json"])
    assert "x.json" in capsys.readouterr().err
    done = subprocess.run(
        [sys.executable, "-m", "people_in_video", "score", GT],
        env={**os.environ, "PYTHONPATH": CODE_FOLDERS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "zip" in done.stderr


def two_classes(n_annotated, n_named):
    """Return files of sub-task II: "cat" is in eight segments, "dog" in the first ones, objects are in the last."""
    videos = [f"v{number}" for number in range(8)]
    box = [0, 0, 9, 9]

    def segment(names):
        lists = {"process_clss": [names], "process_idx": [list(range(len(names)))], "process_bnd_box": [box]}
        return {"0": {**lists, "frame_ind": [0], "tokens": names}}

    annotations = {
        video: {"segments": segment(["cat", "dog"] if place < n_annotated else ["cat"])}
        for place, video in enumerate(videos)
    }
    objects = segment_objects(["cat", "dog"], [0, 1], [[box] * 10] * 2)
    results = {video: {"0": objects} for video in videos[-n_named:]}
    reference = {
        "reference.json": {"vocab": ["dog", "cat"], "annotations": annotations},
        "split.json": {"validation": videos},
        "lemmas.json": {"dog": "dog", "cat": "cat"},
    }
    return files(reference), encode_submission(results, "gen")


@pytest.mark.parametrize(("n_annotated", "n_named", "shown"), [(8, 8, True), (5, 0, True), (4, 8, False)])
def test_a_class_is_shown_if_enough_words_are_annotated(run, n_annotated, n_named, shown):
    outcome = run(GEN, *two_classes(n_annotated, n_named))
    assert (
        any(row[0] == "dog" for row in outcome.detail["tables"].get("classes", {"rows": []})["rows"]) == shown
    )


def write_case(folder, reference, submission):
    """Write the documents of a reference below ``ref``, and the files of a submission below ``res``."""
    write_files({name: text.encode() for name, text in files(reference).items()}, folder / "ref")
    write_files(submission, folder / "res")


def test_a_video_without_words_has_no_score_of_its_own(tmp_path):
    lists = {"process_clss": [[]], "process_idx": [[]], "process_bnd_box": [[0, 0, 9, 9]], "frame_ind": [0]}
    reference = {
        "reference.json": {
            "vocab": [],
            "annotations": {"v": {"segments": {"0": {**lists, "tokens": ["a"]}}}},
        },
        "split.json": {"validation": ["v"]},
    }
    write_case(tmp_path, reference, encode_submission({"v": {"0": no_objects()}}, "GT"))
    result = loaded(GT, tmp_path / "ref").score_path(tmp_path / "res")
    assert result.items == ["v"]
    assert item_rows(result) == [{"item": "v", "submitted": True, "score": None, "weight": 0}]


def test_sentences_without_words_and_objects_count_for_no_weight(tmp_path):
    word = {
        "process_clss": [["man"]],
        "process_idx": [[0]],
        "process_bnd_box": [[0, 0, 9, 9]],
        "frame_ind": [0],
    }
    none = {"process_clss": [[]], "process_idx": [[]], "process_bnd_box": [[0, 0, 9, 9]], "frame_ind": [0]}
    man = segment_objects(["man"], [0], [[[0, 0, 9, 9]] * 10])
    segments = {"v": {"0": word, "1": none, "2": none}, "w": {"0": word}}
    annotations = {
        video: {"segments": {key: {**lists, "tokens": ["man"]} for key, lists in of_video.items()}}
        for video, of_video in segments.items()
    }
    results = {"v": {"0": man, "1": no_objects(), "2": no_objects()}, "w": {"0": no_objects()}}
    reference = {
        "reference.json": {"vocab": ["man"], "annotations": annotations},
        "split.json": {"validation": ["v", "w"]},
        "lemmas.json": {"man": "man"},
    }
    write_case(tmp_path, reference, encode_submission(results, "gen"))
    task = loaded(GEN, tmp_path / "ref", splits=["validation"])
    result = task.score_path(tmp_path / "res")
    # Of four submitted sentences two count: one is right, one says nothing.
    assert result.scores["score"] == pytest.approx(0.5)
    weights = np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 3.0], [0.0, 2.0]])
    assert task.task.reduce(result.statistics, weights) == pytest.approx([0.5, 2 / 3, 0.25, 0.0])


@pytest.mark.parametrize(("protocol", "score"), [("published", 1 / 3), ("released", 0.5)])
def test_sentences_that_are_not_submitted_do_not_raise_the_score(run, protocol, score):
    box = [0, 0, 9, 9]
    word = {"process_clss": [["man"]], "process_idx": [[0]], "process_bnd_box": [box], "frame_ind": [0]}
    no_word = {**word, "process_clss": [[]], "process_idx": [[]]}
    annotated = {"right": word, "says nothing": word, "not submitted": no_word}
    segments = {name: {**lists, "tokens": ["man"]} for name, lists in annotated.items()}
    reference = {
        "reference.json": {"vocab": ["man"], "annotations": {"v": {"segments": segments}}},
        "split.json": {"validation": ["v"]},
        "lemmas.json": {"man": "man"},
    }
    man = segment_objects(["man"], [0], [[box] * 10])
    results = {"v": {"right": man, "says nothing": no_objects()}}
    texts = {**files(reference), "settings.yaml": f"protocol: {protocol}\n"}
    outcome = run(GEN, texts, encode_submission(results, "gen"))
    assert outcome.scores["score"] == pytest.approx(score, abs=1e-10)
    assert outcome.scores["f1_all_per_sent"] == pytest.approx(score, abs=1e-10)


def annotated_man(boxes, tokens):
    """Return a segment in which a word, the last of two, is annotated with boxes on different frames."""
    n = len(boxes)
    lists = {"process_clss": [["man"]] * n, "process_idx": [[1]] * n, "process_bnd_box": boxes}
    return {**lists, "frame_ind": list(range(n)), "tokens": tokens}


THREE_SEGMENTS = {
    "w": {"segments": {"0": annotated_man([[0, 0, 9, 9], [1, 1, 9, 9]], ["tall", "man"])}},
    "v": {
        "segments": {
            "10": annotated_man([[2, 2, 9, 9]], ["old", "man"]),
            "9": annotated_man([[3, 3, 9, 9], [4, 4, 9, 9], [5, 5, 9, 9]], ["tall", "man"]),
        }
    },
}


def check_three_segments(folder):
    """Check what belongs to each segment, with both videos and with one of them."""
    reference = loaded(GT, folder, splits=["train", "validation"]).reference
    assert reference.segments == [("w", "0"), ("v", "10"), ("v", "9")]
    assert reference.annotated_videos() == ["v", "w"]
    assert reference.words.segment.tolist() == reference.words.mention_word.tolist() == [0, 1, 2]
    assert reference.words.box_start.tolist() == [0, 2, 3, 6]
    assert reference.words.box[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    one_video = loaded(GT, folder, splits=["validation"]).reference
    assert one_video.segments == [("v", "10"), ("v", "9")]
    assert one_video.words.segment.tolist() == one_video.words.mention_word.tolist() == [0, 1]
    assert one_video.words.index.tolist() == [1, 1]
    assert one_video.words.box_start.tolist() == [0, 1, 4]
    assert one_video.words.box[:, 0].tolist() == [2, 3, 4, 5]
    assert one_video.words.frame.tolist() == [0, 0, 1, 2]
    assert one_video.token_segment.tolist() == [0, 1]
    assert [one_video.tokens[number] for number in one_video.token.tolist()] == ["old", "tall"]


def test_segments_of_the_chosen_splits_are_loaded_with_all_that_belongs_to_them(tmp_path):
    documents = {
        "reference.json": {"vocab": ["man"], "annotations": THREE_SEGMENTS},
        "split.json": {"train": ["w"], "validation": ["v"]},
    }
    write_files({name: text.encode() for name, text in files(documents).items()}, tmp_path)
    check_three_segments(tmp_path)
    prepare(GT, tmp_path, tmp_path / "prepared")
    check_three_segments(tmp_path / "prepared")


def write_prepared_by_version_1(folder):
    texts = {
        "form": 2,
        "segments": [["w", "0"], ["v", "10"], ["v", "9"]],
        "classes": ["man"],
        "tokens": ["tall", "old"],
        "splits": {"train": ["w"], "validation": ["v"]},
        "vocab": ["man"],
        "videos": ["w", "v"],
    }
    corners = [[0, 0, 9, 9], [1, 1, 9, 9], [2, 2, 9, 9], [3, 3, 9, 9], [4, 4, 9, 9], [5, 5, 9, 9]]
    np.savez(
        folder / "reference.npz",
        text=np.frombuffer(json.dumps(texts).encode(), np.uint8),
        segment=np.arange(3),
        index=np.ones(3, np.int64),
        label=np.zeros(3, np.int64),
        mention_word=np.arange(3),
        mention_label=np.zeros(3, np.int64),
        box_start=np.array([0, 2, 3, 6]),
        box=np.array(corners, np.float32),
        frame=np.array([0, 1, 0, 0, 1, 2]),
        token_segment=np.arange(3),
        token=np.array([0, 1, 0]),
    )


def test_references_prepared_by_version_1_are_loaded(tmp_path):
    write_prepared_by_version_1(tmp_path)
    check_three_segments(tmp_path)


def test_references_prepared_by_version_1_do_not_know_over_which_sentences_published_averages(run, tmp_path):
    write_prepared_by_version_1(tmp_path)
    (tmp_path / "lemmas.json").write_text("{}")
    (tmp_path / "settings.yaml").write_text("lemma_fallback: lower\n")
    submission = encode_submission({"v": {"9": segment_objects(["man"], [1], [[[3, 3, 9, 9]] * 10])}}, "gen")
    write_files(submission, tmp_path / "res")
    (problem,) = refused(loaded, GEN, tmp_path).problems
    assert (problem.code, problem.file) == ("E-REF-PREPARED", "reference.npz")
    result = loaded(GEN, tmp_path, protocol="released").score_path(tmp_path / "res")
    assert result.scores["score"] == 1


@pytest.mark.parametrize("protocol", ["published", "released"])
def test_the_signature_says_over_which_sentences_published_averages(protocol):
    signature = loaded(GEN, REFERENCES / GEN, protocol=protocol).signature
    assert ("|sentences:all|" in signature) == (protocol == "published")
    assert "|sentences:" not in loaded(GT, REFERENCES / GT, protocol=protocol).signature


def test_submitting_the_other_segments_empty_raises_mode_loc_alone(run):
    case = GOLDEN / GEN / "one-sentence-submitted"
    reference = {**texts(case / "ref"), "settings.yaml": "lemma_fallback: lower\n"}
    found = documents(case / "res")
    results = found["submission_gen.json"]["results"]
    before = run(GEN, reference, files(found)).scores
    for video, content in json.loads(reference["reference.json"])["annotations"].items():
        for segment, annotated in content["segments"].items():
            if annotated["frame_ind"]:
                results.setdefault(video, {}).setdefault(segment, no_objects())
    after = run(GEN, reference, files(found)).scores
    assert (before["score"], before["f1_loc_per_sent"]) == pytest.approx((0.0625, 0.0625))
    assert (after["score"], after["f1_loc_per_sent"]) == pytest.approx((0.0625, 1 / 3))
