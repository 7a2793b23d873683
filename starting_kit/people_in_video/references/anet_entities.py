"""Preparing and checking the references of ActivityNet-Entities: annotations as arrays, lemmas as a table."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from people_in_video.references.lemmas import lemmas_from_table
from people_in_video.references.preparation import Notes, Options, Preparation, save_prepared
from scoring_program.challenges.anet_entities.reference import (
    LEMMAS_FILE,
    LEMMATIZER_FILE,
    PREPARED_FILE,
    TEXTS,
    Reference,
    load_lemmas,
    read_official,
    select_videos,
)
from scoring_program.metrics.grounding import Words
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from scoring_program.signature import PUBLIC_FILE
from scoring_program.task import Task
from validator.findings import Findings
from validator.formats.anet_entities.read import Grounding
from validator.texts import counted, pointer_part, quote


def _given_sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the two files that the settings name."""
    return [settings["reference_file"], settings["split_file"]]


def _generated_sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the same and the files of lemmas, which are kept."""
    return [*_given_sources(task, source, settings), LEMMAS_FILE, LEMMATIZER_FILE]


def _write_given(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Write the annotations as arrays."""
    save_reference(read_official(source, settings)._replace(n_segments=None), output)
    return []


def _write_generated(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Write the reference as arrays, and the lemmas of all tokens and classes.

    A ``lemmas.json`` of the source is kept. ``options["lemmatize"]`` may replace `lemmas_from_table`.
    """
    with Findings.collect() as findings:
        annotated = read_official(source, settings)
        save_reference(annotated, output)
        if (source / LEMMAS_FILE).is_file():
            lemmas, lemmatizer = load_lemmas(source)
        else:
            lemmatize = options.get("lemmatize", lemmas_from_table)
            words = {*annotated.tokens, *annotated.classes, *annotated.vocab}
            lemmas, lemmatizer, notes = lemmatize(words, annotated.tokens, settings["lemma_fallback"])
            findings.notes += notes
        text = json.dumps(lemmas, ensure_ascii=False, indent=0, sort_keys=True)
        (output / LEMMAS_FILE).write_text(text + "\n", encoding="utf-8")
        (output / LEMMATIZER_FILE).write_text(lemmatizer + "\n", encoding="utf-8")
        findings.note("N-REF-LEMMAS", f"{counted(len(lemmas), 'lemma')} by {lemmatizer}")
    return findings.notes


def save_reference(reference: Reference, output: Path) -> None:
    """Write a reference as arrays, which load fast; of given sentences ``n_segments`` is None."""
    arrays = {field.name: getattr(reference.words, field.name) for field in fields(Words)}
    arrays |= {"token_segment": reference.token_segment, "token": reference.token}
    if reference.segments_of_video is not None:
        # Segments without boxes are not in the arrays.
        segments = {video: list(names) for video, names in sorted(reference.segments_of_video.items())}
        text = json.dumps({"segments": segments}, ensure_ascii=False)
        (output / PUBLIC_FILE).write_text(text + "\n", encoding="utf-8")
    texts = {name: getattr(reference, name) for name in TEXTS}
    if reference.n_segments is not None:
        texts["n_segments"] = reference.n_segments
    save_prepared(output / PREPARED_FILE, texts, arrays)


def _check_given(loaded: AnyLoaded) -> Notes:
    """Look for mistakes of organizers that make a run pointless or wrong. Raises Refused."""
    reference, settings = loaded.reference, loaded.settings
    with Findings.collect() as findings:
        _check_splits(reference, settings, findings)
        if findings.ok and not len(reference.words.segment):
            _refuse_empty(reference, settings, findings)
        _check_classes(reference, settings, findings)
    return []


def _refuse_empty(reference: Reference, settings: Settings, findings: Findings) -> NoReturn:
    """Refuse splits without an annotated segment, and say which splits there are."""
    sizes = [
        f"{quote(split)} ({counted(len(videos), 'video')})" for split, videos in reference.splits.items()
    ]
    chosen_splits = ", ".join(settings["splits"])
    problem = (
        f"no segment of the splits {chosen_splits} is annotated; the split file holds {', '.join(sizes)}"
    )
    remedy = "choose with splits in settings.yaml"
    findings.refuse("E-REF-EMPTY", problem, remedy, file=settings["reference_file"])


def _check_splits(reference: Reference, settings: Settings, findings: Findings) -> None:
    """Add a problem for each chosen split with videos that the reference lacks."""
    videos = set(reference.videos)
    for split in settings["splits"]:
        listed_videos = reference.splits[split]
        missing_indexes = [index for index, video in enumerate(listed_videos) if video not in videos]
        if missing_indexes:
            first = quote(listed_videos[missing_indexes[0]])
            examples = f"{counted(len(missing_indexes), 'video')} of {split!r}, the first is {first}"
            findings.add(
                "E-REF-SPLIT",
                f"the reference does not hold {examples}",
                "correct the split",
                file=settings["split_file"],
                where=f"/{pointer_part(split)}/{missing_indexes[0]}",
                rule=split,
            )


def _check_classes(reference: Reference, settings: Settings, findings: Findings) -> None:
    """Add a problem for each class that is blank, or outside of a vocabulary that the reference declares."""
    classes, vocab, file = set(reference.classes), set(reference.vocab), settings["reference_file"]
    blank = {name for name in classes if not name.strip()} | ({""} & vocab)
    for name in sorted(blank):
        problem, where = f"the class is {name!r}", _place_of_class(reference, name)
        findings.add("E-REF-CLASS", problem, "write the class", file=file, where=where, rule=name)
    for name in sorted(classes - vocab - blank) if vocab else ():
        problem = f"the class {quote(name)!r} is not in the vocabulary"
        where = _place_of_class(reference, name)
        findings.add("E-REF-CLASS", problem, "add or correct it", file=file, where=where, rule=name)


def _place_of_class(reference: Reference, name: str) -> str:
    """Return the JSON Pointer of the first segment that names a class, of the vocabulary if none does."""
    if name not in reference.classes:
        return "/vocab"
    words = reference.words
    is_named = words.mention_label == reference.classes.index(name)
    if not is_named.any():
        return "/vocab"
    first_word = words.mention_word[np.argmax(is_named)]
    video, segment = reference.segments[int(words.segment[first_word])]
    return f"/annotations/{pointer_part(video)}/segments/{pointer_part(segment)}"


def _check_generated(loaded: AnyLoaded) -> Notes:
    """Look for empty splits, classes outside of the vocabulary, and tokens without a lemma."""
    with Findings.collect() as findings:
        with findings.part():
            _check_given(loaded)
        _check_lemmas(loaded.reference, loaded.settings["lemma_fallback"], findings)
    return findings.notes


def _check_lemmas(reference: Reference, fallback: str, findings: Findings) -> None:
    """Look for tokens without a lemma; with the fallback to lower case they are left out on purpose."""
    missing_tokens = [token for token in reference.tokens if token not in reference.lemmas]
    if fallback == "rule":
        for token in missing_tokens:
            problem = f"the token {quote(token)!r} is missing in the table"
            remedy = "prepare the reference again"
            findings.add("E-REF-LEMMAS", problem, remedy, file=LEMMAS_FILE, rule="token")
    elif missing_tokens:
        text = f"{counted(len(missing_tokens), 'token')} not in the table, taken in lower case"
        findings.note("N-REF-LEMMAS", text)


def _names(reference: Reference) -> dict[str, list[str]]:
    """Return the classes of all words, in ascending order."""
    return {"class": sorted({*reference.classes, *reference.vocab})}


def _select_predictions(submission: Grounding, items: Collection[str]) -> Grounding:
    """Return the segments of some videos: those of others would count in averages per sentence."""
    is_selected = np.array([video in items for video, _ in submission.segments], dtype=bool)
    is_theirs = is_selected[submission.segment]
    new_segment = np.cumsum(is_selected) - 1
    return replace(
        submission,
        segments=[segment for segment in submission.segments if segment[0] in items],
        segment=new_segment[submission.segment[is_theirs]],
        label=submission.label[is_theirs],
        index=submission.index[is_theirs],
        box=submission.box[is_theirs],
    )


_GIVEN = Preparation(
    sources=_given_sources,
    write=_write_given,
    check=_check_given,
    names=_names,
    select_items=select_videos,
    select_predictions=_select_predictions,
)
PREPARATIONS = {
    "anet_entities_gt": _GIVEN,
    "anet_entities_gen": _GIVEN._replace(
        sources=_generated_sources, write=_write_generated, check=_check_generated
    ),
}
