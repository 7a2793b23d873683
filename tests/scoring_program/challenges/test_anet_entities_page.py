"""Every section of the pages of ActivityNet-Entities, for a case whose numbers are worked out by hand."""

from __future__ import annotations

import json

import pytest

from validator.formats.anet_entities.write import encode_submission, segment_objects


def square(side):
    return [0, 0, side - 1, side - 1]


def segment(tokens, words):
    """Return an annotated segment; ``words`` are (index, class, box, frame)."""
    indexes, classes, boxes, frames = zip(*words)
    return {
        "tokens": tokens,
        "timestamps": [0, 1],
        "process_idx": [[index] for index in indexes],
        "process_clss": [[name] for name in classes],
        "process_bnd_box": list(boxes),
        "frame_ind": list(frames),
    }


# Sides of 32, 10, 192 and 96 pixels; the class man has ten words, the others one.
ANNOTATIONS = {
    "vA": {"0": segment(["a", "man", "holds", "a", "cup"], [(1, "man", square(32), 0), (4, "cup", square(10), 3)]),
           "1": segment(["man"] * 9, [(index, "man", square(192), 3) for index in range(9)])},
    "vB": {"0": segment(["a", "dog"], [(1, "dog", square(96), 9)])},
}  # fmt: skip
REFERENCE = {
    "reference.json": json.dumps(
        {
            "annotations": {video: {"segments": segments} for video, segments in ANNOTATIONS.items()},
            "vocab": ["man", "cup", "dog"],
        }
    ),
    "split.json": json.dumps({"validation": ["vA", "vB"]}),
    "lemmas.json": json.dumps({word: word for word in ("a", "holds", "man", "cup", "dog", "zebra")}),
}
MEN = ", ".join(["man"] * 9)
NOT_THERE = "not in the annotated sentence"


def objects(*predicted):
    """Return the objects of a segment from (index, class, box of all frames)."""
    indexes, classes, boxes = zip(*predicted)
    return segment_objects(list(classes), list(indexes), [[box] * 10 for box in boxes])


def tables_of(run, task, results, reference=REFERENCE, detail="full"):
    submission = encode_submission(results, "gen" if task.endswith("gen") else "GT")
    outcome = run(task, reference, submission, detail=detail, at_home=True, splits=["validation"])
    tables = outcome.detail["tables"]
    rows = {key: table["rows"] for key, table in tables.items() if "rows" in table}
    return {**rows, **{key: table["drawings"] for key, table in tables.items() if "drawings" in table}}


def drawn(tables):
    """Remove the drawings of tables; return the title of each, and its objects with what became of them."""
    drawings = tables.pop("drawings")
    return {
        entry["title"]: [(own["label"], own["outcome"]) for own in entry["objects"]] for entry in drawings
    }


def about(rows):
    return [
        [pytest.approx(cell, abs=1e-9) if isinstance(cell, float) else cell for cell in row] for row in rows
    ]


def test_sections_of_given_sentences(run):
    """One man of two words, then three of nine, are right; the cup is elsewhere, and vB is missing."""
    right = [(index, "man", square(192)) for index in range(3)]
    results = {
        "vA": {"0": objects((1, "man", square(32)), (4, "cup", [50, 50, 59, 59])), "1": objects(*right)}
    }
    tables = tables_of(run, "anet_entities_gt", results)
    men = [(f"man (word {word})", "right, IoU 1.00" if word < 3 else "no prediction") for word in range(9)]
    # What is right is not drawn alone, and what is not submitted comes last.
    assert list(drawn(dict(tables)).items()) == [
        ("vA, segment 1, frame 3", men),
        ("vA, segment 0, frame 3", [("cup (word 4)", "IoU 0.00, needs more than 0.5")]),
        ("vB, segment 0, frame 9", [("dog (word 1)", "no prediction")]),
    ]
    first = tables.pop("drawings")[0]
    assert (first["size"], first["files"]) == ([200, 200], ["vA_segment_01/04"])
    assert [shape["role"] for shape in first["objects"][0]["shapes"]] == ["ground truth", "prediction"]
    assert first["objects"][0]["shapes"][0]["box"] == [0, 0, 192, 192]
    assert tables == {
        "classes": [["cup", 1, 0.0], ["dog", 1, 0.0], ["man", 10, 4 / 10]],
        "frequency": about([["1 to below 10", 2, 0.0], ["10 to below 30", 10, 4 / 10]]),
        "box_size": about(
            [["0 to below 32", 1, 0.0], ["32 to below 96", 1, 1.0], ["96 to below 192", 1, 0.0], ["192 or more", 9, 3 / 9]]
        ),
        "frame": about([["0", 1, 1.0], ["3", 10, 3 / 10], ["9", 1, 0.0]]),
        "segments": about(
            [["vB", "0", 0.0, "missing", None, "dog"], ["vA", "1", 3 / 9, "yes", 1.0, MEN],
             ["vA", "0", 1 / 2, "yes", 1 / 2, "man, cup"]]
        ),
    }  # fmt: skip


def test_sections_of_generated_sentences(run):
    """A man and two zebras, which no vocabulary has; then a man for all nine words, and two dogs that are not there."""
    zebra, dog = (0, "zebra", square(32)), (1, "dog", square(192))
    results = {
        "vA": {
            "0": objects((1, "man", square(32)), zebra, zebra),
            "1": objects((0, "man", square(192)), dog, dog),
        }
    }
    tables = tables_of(run, "anet_entities_gen", results)
    assert drawn(tables) == {
        "vA, segment 0, frame 3": [("cup (word 4)", "no prediction"), *2 * [("zebra", NOT_THERE)]],
        "vB, segment 0, frame 9": [("dog (word 1)", "no prediction")],
    }
    assert tables == {
        "classes": about([["cup", 1, 0.0], ["dog", 1, 0.0], ["man", 10, 1.0]]),
        # Segments, precision of the first object, accuracy where predicted.
        "predicted_classes": about([["dog", 1, 0.0, 0.0], ["man", 2, 1.0, 1.0]]),
        "frequency": about([["1 to below 10", 2, 0.0], ["10 to below 30", 10, 1.0]]),
        "box_size": about(
            [["0 to below 32", 1, 0.0], ["32 to below 96", 1, 1.0], ["96 to below 192", 1, 0.0], ["192 or more", 9, 1.0]]
        ),
        "frame": about([["0", 1, 1.0], ["3", 10, 9 / 10], ["9", 1, 0.0]]),
        "hallucinated": [["dog", 1], ["zebra", 1]],
        # F1 of a third and a half, and of a third and one.
        "segments": about(
            [["vB", "0", 0.0, "missing", None, "dog"], ["vA", "0", 2 / 5, "yes", 1.0, "man, cup"],
             ["vA", "1", 1 / 2, "yes", 1.0, MEN]]
        ),
    }  # fmt: skip


@pytest.mark.parametrize("detail", ["full", "summary"])
def test_a_bin_counts_all_words_where_rare_classes_make_it_smaller(run, detail):
    """Nine men, who are right, and five classes of one word each are in one bin of frequency."""
    rare = ["cup", "dog", "cat", "hat", "car"]
    words = [
        *((index, "man", square(32), 0) for index in range(9)),
        *((9 + k, name, square(32), 0) for k, name in enumerate(rare)),
    ]
    tokens = ["man"] * 9 + rare
    content = {"annotations": {"vA": {"segments": {"0": segment(tokens, words)}}}, "vocab": ["man", *rare]}
    reference = {
        **REFERENCE,
        "reference.json": json.dumps(content),
        "split.json": json.dumps({"validation": ["vA"]}),
    }
    results = {"vA": {"0": objects(*((index, "man", square(32)) for index in range(9)))}}
    rows = tables_of(run, "anet_entities_gt", results, reference, detail)["frequency"]
    assert rows == [["1 to below 10", 14, pytest.approx(9 / 14, abs=0.005)]]
