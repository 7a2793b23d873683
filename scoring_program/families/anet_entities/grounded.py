"""What the two sub-tasks of ActivityNet-Entities share: from both sides to scores and sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scoring_program.families.anet_entities import reference as anet_reference
from scoring_program.families.anet_entities.lemmas import Lemmas
from scoring_program.families.anet_entities.reference import Reference
from scoring_program.metrics import grounding as gr
from scoring_program.result import FULL, LEVELS, SUMMARY, Column, Result, Section, Table
from validator.check import check_submission
from validator.findings import Findings
from validator.formats.anet_entities import Grounding
from validator.rules import load_rules

REFERENCE_FILES = ("*.json", anet_reference.PREPARED_FILE, anet_reference.LEMMATIZER_FILE)
_FREQUENCIES = (1, 10, 30, 100, 300)
_SIDES = (0, 32, 96, 192)
_HALLUCINATED_SHOWN = 20
# So that no row says whether a single word is right.
_FEWEST_IN_BIN = 5
_SEGMENTS_SHOWN = 500
_OTHER = "(classes that the submission never names)"


@dataclass(frozen=True)
class Joined:
    """A submission in the reference's numbering; classes that the reference lacks have numbers behind its own."""

    objects: gr.Objects
    submitted: np.ndarray
    n_submitted: int
    classes: list[str]
    own_classes: set[str]
    notes: list[str]


def load_reference(folder: Path, settings: dict[str, Any], findings: Findings) -> Reference | None:
    """Read the reference of the chosen splits; None after a problem."""
    return anet_reference.load(folder, settings, findings)


def check_reference(folder: Path, settings: dict[str, Any], reference: Reference, findings: Findings) -> None:
    """Add mistakes of organizers that do not stop a run."""
    anet_reference.check(settings, reference, findings)


def prepare_reference(
    source: Path, output: Path, settings: dict[str, Any], options: dict[str, Any], findings: Findings
) -> Reference | None:
    """Write the reference as arrays."""
    whole = anet_reference.load_whole(source, settings, findings)
    if whole is None:
        return None
    anet_reference.save(whole, output / anet_reference.PREPARED_FILE)
    n_words, n_segments = len(whole.words.segment), len(whole.segments)
    findings.note("N-REF-PREPARED", f"{n_words:,} words in {n_segments:,} annotated segments were prepared")
    return whole


def read_submission(challenge_id: str, path: Path, findings: Findings) -> Grounding | None:
    """Check a submission; None after a problem."""
    return check_submission(path, load_rules(challenge_id), findings)


def join(reference: Reference, submission: Grounding) -> Joined:
    """Bring a submission into the reference's numbering; objects in segments that are not annotated are left out."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    number = np.array([position.get(segment, -1) for segment in submission.segments], dtype=np.int64)
    submitted = np.zeros(len(reference.segments), dtype=bool)
    submitted[number[number >= 0]] = True
    classes = {name: code for code, name in enumerate(reference.classes)}
    codes = np.array([classes.setdefault(name, len(classes)) for name in submission.classes] or [0], dtype=np.int64)
    own = number[submission.segment] if len(submission.segment) else np.zeros(0, np.int64)
    kept = np.flatnonzero(own >= 0)
    # Without classes (allowed in sub-task I) the number does not matter.
    label = codes[np.maximum(submission.label[kept], 0)]
    objects = gr.Objects(own[kept], submission.index[kept], label, submission.box[kept])
    notes = []
    outside = int((number < 0).sum())
    if outside:
        notes.append(f"{outside} submitted segments are not annotated in the chosen splits.")
    missing = int((~submitted).sum())
    if missing:
        notes.append(f"{missing} of {len(submitted)} annotated segments are not submitted.")
    return Joined(objects, submitted, len(submission.segments), list(classes), set(submission.classes), notes)


def score_given(reference: Reference, submission: Grounding, settings: dict[str, Any]) -> Result:
    """Score sub-task I: is each word of the given sentences in the right box?"""
    joined = join(reference, submission)
    words = reference.words
    correct, predicted = gr.words_correct(joined.objects, words)
    accuracy = gr.localization_accuracy(correct, words.label, len(reference.classes))
    scores = {
        "score": accuracy,
        "coverage": _share(predicted),
        "localization_accuracy": accuracy,
        "word_accuracy": _share(correct),
    }
    items = {
        "segment": np.array([f"{video} {segment}" for video, segment in reference.segments]),
        "words": np.bincount(words.segment, minlength=len(reference.segments)),
        "correct": np.bincount(words.segment, correct, len(reference.segments)),
    }
    sections: list[Section] = []
    levels = LEVELS[settings["detail"]]
    if SUMMARY in levels:
        columns = [("Words", "count"), ("Accuracy", "share")]
        means, counts = gr.class_means(correct, words.label, len(joined.classes))
        rows = [(name, int(counts[code]), float(means[code])) for code, name in enumerate(joined.classes)]
        sections += [_class_table(joined, counts, columns, rows), *_word_tables(reference, correct)]
    if FULL in levels:
        share = items["correct"] / np.maximum(items["words"], 1)
        sections.append(_segment_table(reference, "Accuracy", share, joined.submitted))
    return Result(scores, items, sections, joined.notes)


def score_generated(reference: Reference, submission: Grounding, settings: dict[str, Any], lemmas: Lemmas) -> Result:
    """Score sub-task II: F1 of the objects in generated sentences, in the modes all and loc."""
    joined = join(reference, submission)
    words, objects = reference.words, joined.objects
    n_classes = len(joined.classes)
    judged = gr.judge_generated(objects, words, _not_penalised(reference, joined, lemmas), n_classes)
    by_class, by_sentence, sentence_f1 = {}, {}, {}
    for mode, localization in (("all", False), ("loc", True)):
        by_class[mode] = gr.per_class(judged, objects, words, joined.submitted, n_classes, localization)
        by_sentence[mode], sentence_f1[mode] = gr.per_sentence(
            judged, objects, words, joined.submitted, joined.n_submitted, localization
        )
    scores = {
        "score": by_sentence["all"].f1,
        "coverage": _share(joined.submitted),
        "f1_all_per_sent": by_sentence["all"].f1,
        "f1_loc_per_sent": by_sentence["loc"].f1,
        "f1_all": by_class["all"].f1,
        "f1_loc": by_class["loc"].f1,
    }
    for name, found in (
        ("all", by_class["all"]),
        ("loc", by_class["loc"]),
        ("all_per_sent", by_sentence["all"]),
        ("loc_per_sent", by_sentence["loc"]),
    ):
        scores[f"precision_{name}"], scores[f"recall_{name}"] = found.precision, found.recall
    items = {
        "segment": np.array([f"{video} {segment}" for video, segment in reference.segments]),
        "f1": sentence_f1["all"],
    }
    sections: list[Section] = []
    levels = LEVELS[settings["detail"]]
    if SUMMARY in levels:
        sections += _generated_sections(reference, joined, judged)
    if FULL in levels:
        sections.append(_segment_table(reference, "F1", np.nan_to_num(items["f1"]), joined.submitted))
    notes = list(joined.notes)
    guessed = _guessed_lemmas(reference, joined, lemmas)
    if len(set(guessed)) >= _FEWEST_IN_BIN or (guessed and FULL in levels):
        text = f"{len(guessed)} predicted classes are not in the table of lemmas"
        notes.append(
            f"{text} and got the lemma of an unannotated word {lemmas.means}; the released script may differ."
        )
    return Result(scores, items, sections, notes)


def _not_penalised(reference: Reference, joined: Joined, lemmas: Lemmas) -> np.ndarray:
    """Return for each object whether an unannotated token of its segment has the lemma of its class."""
    codes: dict[str, int] = {}
    of_token = np.array([codes.setdefault(lemmas(t), len(codes)) for t in reference.tokens] or [0], dtype=np.int64)
    used = np.unique(joined.objects.label).tolist()
    of_class = np.zeros(len(joined.classes), dtype=np.int64)
    for code in used:
        of_class[code] = codes.setdefault(lemmas(joined.classes[code]), len(codes))
    n = len(codes) + 1
    present = reference.token_segment * n + of_token[reference.token]
    return np.isin(joined.objects.segment * n + of_class[joined.objects.label], present)


def _guessed_lemmas(reference: Reference, joined: Joined, lemmas: Lemmas) -> list[str]:
    """Return the lemmas that the fallback gave to predicted classes and that some unannotated token has."""
    of_tokens = {lemmas(reference.tokens[code]) for code in np.unique(reference.token).tolist()}
    return [lemma for name in lemmas.missing & joined.own_classes if (lemma := lemmas(name)) in of_tokens]


def _share(hits: np.ndarray) -> float:
    return float(hits.mean()) if len(hits) else 0.0


def _class_table(
    joined: Joined,
    weights: np.ndarray,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[tuple[Any, ...]],
) -> Table:
    """Return a table of the classes that the submission names; the others are one row, so that none is told."""
    shown = [row for row in rows if row[0] in joined.own_classes]
    other = [
        (row, weights[code]) for code, row in enumerate(rows) if row[0] not in joined.own_classes and weights[code]
    ]
    if other:
        total = sum(int(weight) for _, weight in other)
        merged: list[Any] = [_OTHER]
        for place, (_, kind) in enumerate(columns, start=1):
            values = [row[place] for row, _ in other]
            merged.append(sum(values) if kind == "count" else float(np.mean(values)))
        if total:
            shown.append(tuple(merged))
    shown.sort(key=lambda row: (row[0] == _OTHER, -row[1], row[0]))
    named = [Column("Class"), *(Column(title, kind) for title, kind in columns)]
    note = "Classes that the submission names. Each class weighs the same, however often it occurs."
    return Table("Classes", note, named, shown, SUMMARY)


def _word_tables(reference: Reference, correct: np.ndarray) -> list[Section]:
    """Return accuracy against class frequency, box size and frame."""
    words = reference.words
    frequency = np.bincount(words.label, minlength=len(reference.classes))[words.label]
    box = words.box[words.box_start[:-1]].astype(np.float64)
    with np.errstate(all="ignore"):
        area = np.nan_to_num((box[:, 2] - box[:, 0] + 1) * (box[:, 3] - box[:, 1] + 1))
    side = np.sqrt(np.maximum(area, 0))
    frame = words.frame[words.box_start[:-1]]
    return [
        _binned("Accuracy against class frequency", "Words of the class", _FREQUENCIES, frequency, correct),
        _binned("Accuracy against box size", "Square root of the box area", _SIDES, side, correct),
        _binned("Accuracy against frame", "Sampled frame", tuple(range(gr.FRAMES)), frame, correct),
    ]


def _binned(title: str, what: str, edges: tuple[int, ...], values: np.ndarray, correct: np.ndarray) -> Table:
    place = np.searchsorted(edges, values, "right") - 1
    rows = []
    for number, low in enumerate(edges):
        here = place == number
        last = number + 1 == len(edges)
        whole = last or edges[number + 1] == low + 1
        name = (
            str(low)
            if whole and not (last and len(edges) < gr.FRAMES)
            else f"{low} to below {edges[number + 1]}"
            if not last
            else f"{low} or more"
        )
        rows.append((name, int(here.sum()), _share(correct[here]) if here.sum() >= _FEWEST_IN_BIN else None))
    return Table(
        title,
        f"Words grounded right; a dash where there are fewer than {_FEWEST_IN_BIN}.",
        [Column(what), Column("Words", "count"), Column("Accuracy", "share")],
        rows,
        SUMMARY,
    )


def _generated_sections(reference: Reference, joined: Joined, judged: gr.Generated) -> list[Section]:
    words, objects = reference.words, joined.objects
    n = len(joined.classes)
    counted = ~judged.object_skipped
    precision, n_objects = gr.class_means(judged.object_correct[counted], objects.label[counted], n)
    recall, n_words = gr.class_means(judged.word_correct, words.label, n)
    predicted, _ = gr.class_means(judged.word_correct[judged.word_predicted], words.label[judged.word_predicted], n)
    rows = [
        (
            name,
            int(n_words[code]),
            int(n_objects[code]),
            float(precision[code]),
            float(recall[code]),
            float(predicted[code]),
        )
        for code, name in enumerate(joined.classes)
    ]
    columns = [("Words", "count"), ("Objects", "count"), ("Precision", "share"), ("Recall", "share")]
    columns.append(("Accuracy where predicted", "share"))
    wrong = counted & ~judged.object_known
    hallucinated = np.bincount(objects.label[wrong], minlength=n)
    order = np.argsort(-hallucinated, kind="stable")[:_HALLUCINATED_SHOWN].tolist()
    sections: list[Section] = [_class_table(joined, n_words + n_objects, columns, rows)]
    sections += _word_tables(reference, judged.word_correct)
    sections.append(
        Table(
            "Hallucinated classes",
            "Predicted most often in segments whose sentence does not have them.",
            [Column("Class"), Column("Objects", "count")],
            [(joined.classes[code], int(hallucinated[code])) for code in order if hallucinated[code]],
            SUMMARY,
        )
    )
    return sections


def _segment_table(reference: Reference, title: str, values: np.ndarray, submitted: np.ndarray) -> Table:
    labels: list[list[str]] = [[] for _ in reference.segments]
    for segment, label in zip(reference.words.segment.tolist(), reference.words.label.tolist()):
        labels[segment].append(reference.classes[label])
    rows = [
        (*reference.segments[i], ", ".join(labels[i]), "yes" if submitted[i] else "missing", float(values[i]))
        for i in np.argsort(values, kind="stable")[:_SEGMENTS_SHOWN].tolist()
    ]
    columns = [Column("Video"), Column("Segment"), Column("Ground-truth classes"), Column("Submitted")]
    return Table(
        "Segments", f"The worst first, at most {_SEGMENTS_SHOWN}.", [*columns, Column(title, "share")], rows, FULL
    )
