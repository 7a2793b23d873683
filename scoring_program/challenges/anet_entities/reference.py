"""The reference of ActivityNet-Entities: annotated words with boxes, as arrays."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.grounding import Words
from scoring_program.metrics.pairs import pairs_of_ranges
from scoring_program.prepared import Arrays, Texts, load_prepared, require_files
from scoring_program.settings import Settings
from scoring_program.signature import PUBLIC_FILE
from scoring_program.vocabulary import Vocabulary
from scoring_program.vocabulary_file import read_vocabulary
from validator.arrays import Ints
from validator.findings import Findings
from validator.json_reader import strict_loads

PREPARED_FILE = "reference.npz"
LEMMAS_FILE = "lemmas.json"
LEMMATIZER_FILE = "lemmatizer.txt"
TEXTS = ("segments", "classes", "tokens", "splits", "vocab", "videos")


class Reference(NamedTuple):
    """Annotated segments and their words.

    Attributes
    ----------
    segments : list of (video, segment)
        In the order of the file, in which the segments of a video follow each other.
    words : Words
    classes : list of str
        The class of each number in ``words.label``.
    tokens : list of str
        Distinct tokens that are not annotated words.
    token_segment, token : int arrays of equal length, the segments ascending
        Which segment has which of these tokens.
    splits : dict of str to list of str
        Videos of each split.
    vocab : list of str
        What the reference declares; the metric does not use it.
    videos : list of str
        All videos, annotated or not.
    chosen_videos : frozenset of str
        The videos of the splits that are scored, annotated or not.
    n_segments : dict of str to int, optional
        For sub-task II: the number of all segments of each video, annotated or not; None if the reference was
        prepared by version 1.
    lemmas, lemmatizer : dict of str to str, str
        For sub-task II: the table of lemmas, and the name of the lemmatizer that made it.
    segments_of_video : mapping of str to sequence of str, optional
        The names of all segments of each video, annotated or not; None if an earlier version prepared it.
    vocabulary : mapping of str to sequence of str
        The public names of each kind that the folder lists.
    """

    segments: list[tuple[str, str]]
    words: Words
    classes: list[str]
    tokens: list[str]
    token_segment: Ints
    token: Ints
    splits: dict[str, list[str]]
    vocab: list[str]
    videos: list[str]
    lemmas: dict[str, str]
    lemmatizer: str
    chosen_videos: frozenset[str] = frozenset()
    n_segments: dict[str, int] | None = None
    segments_of_video: Mapping[str, Sequence[str]] | None = None
    vocabulary: Vocabulary = MappingProxyType({})

    def annotated_videos(self) -> list[str]:
        """Return the videos with an annotated segment, in ascending order."""
        return sorted({video for video, _ in self.segments})


def load_reference(folder: Path, settings: Settings) -> Reference:
    """Read the reference and keep the segments of the chosen splits. Raises Refused."""
    with Findings.collect() as findings:
        remedy = "give the official files, which are prepared then, or what was prepared of them"
        require_files(folder, (PREPARED_FILE,), remedy, findings)
        whole = load_prepared(folder / PREPARED_FILE, _from_prepared)
    whole = whole._replace(segments_of_video=_read_public(folder), vocabulary=read_vocabulary(folder))
    return choose_splits(whole, settings)


def choose_splits(whole: Reference, settings: Settings) -> Reference:
    """Return the videos of the chosen splits. Raises Refused."""
    with Findings.collect() as findings:
        for split in settings["splits"]:
            if split not in whole.splits:
                remedy = f"choose from {', '.join(whole.splits)}"
                problem = f"there is no split {split!r}"
                findings.add(
                    "E-REF-SPLIT", problem, remedy, file=settings["split_file"], where="/", rule=split
                )
    chosen_videos = frozenset(video for split in settings["splits"] for video in whole.splits[split])
    return select_videos(whole, chosen_videos)


def load_with_lemmas(folder: Path, settings: Settings) -> Reference:
    """Read the reference and its lemmas. Raises Refused."""
    annotated = load_reference(folder, settings)
    if settings["protocol"] == "published" and annotated.n_segments is None:
        problem = "it lacks the number of segments of each video, over which protocol: published averages"
        Findings().refuse("E-REF-PREPARED", problem, "prepare it again", file=PREPARED_FILE)
    lemmas, lemmatizer = load_lemmas(folder)
    return annotated._replace(lemmas=lemmas, lemmatizer=lemmatizer)


def items(reference: Reference) -> list[str]:
    """Return the videos with an annotated segment."""
    return reference.annotated_videos()


def all_videos(reference: Reference) -> list[str]:
    """Return all videos, of other splits and without annotations, too."""
    return reference.videos


def identity(reference: Reference, settings: Settings) -> dict[str, str]:
    """Return the lemmatizer, and over which sentences ``published`` averages since version 2."""
    parts = {"lemmas": reference.lemmatizer}
    if settings["protocol"] == "published":
        parts["sentences"] = "all"
    return parts


def _read_public(folder: Path) -> dict[str, list[str]] | None:
    """Return the names of the segments of each video, as preparing wrote them; None if there are none.

    Raises Refused.
    """
    path = folder / PUBLIC_FILE
    if not path.is_file():
        return None
    try:
        segments = json.loads(path.read_text(encoding="utf-8"))["segments"]
        return {video: list(map(str, names)) for video, names in segments.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        problem = "the public part of the reference cannot be read"
        Findings().refuse("E-REF-PREPARED", problem, "prepare it again", file=PUBLIC_FILE)


def load_lemmas(folder: Path) -> tuple[dict[str, str], str]:
    """Return the table of lemmas and the name of the lemmatizer that made it. Raises Refused."""
    path = folder / LEMMAS_FILE
    with Findings.collect() as findings:
        if not path.is_file():
            problem, remedy = "the table of lemmas is missing", "prepare the reference, which writes it"
            findings.refuse("E-REF-LEMMAS", problem, remedy, file=LEMMAS_FILE)
        table = findings.take(strict_loads(path.read_bytes(), LEMMAS_FILE))
        if not isinstance(table, dict) or not all(isinstance(lemma, str) for lemma in table.values()):
            problem = "this is not a mapping of words to lemmas"
            findings.add("E-REF-LEMMAS", problem, "prepare it again", file=LEMMAS_FILE)
    name = folder / LEMMATIZER_FILE
    return table, (name.read_text(encoding="utf-8").strip() if name.is_file() else "unnamed")


def _from_prepared(texts: Texts, arrays: Arrays) -> Reference:
    """Return the reference that `save_reference` wrote; its lemmas are files of their own."""
    words = Words(**{field.name: arrays[field.name] for field in fields(Words)})
    return Reference(
        segments=[(video, segment) for video, segment in texts["segments"]],
        words=words,
        classes=texts["classes"],
        tokens=texts["tokens"],
        token_segment=arrays["token_segment"],
        token=arrays["token"],
        splits=texts["splits"],
        vocab=texts["vocab"],
        videos=texts["videos"],
        lemmas={},
        lemmatizer="",
        n_segments=texts.get("n_segments"),
    )


def select_videos(whole: Reference, videos: Collection[str]) -> Reference:
    """Return some videos, annotated or not, which are all that are scored."""
    return select_segments(whole, videos)._replace(chosen_videos=frozenset(videos))


def select_segments(whole: Reference, videos: Collection[str]) -> Reference:
    """Return the segments of some videos, in their order."""
    numbers = [number for number, (video, _) in enumerate(whole.segments) if video in videos]
    if len(numbers) == len(whole.segments):
        return whole
    return _take_segments(whole, np.array(numbers, dtype=np.int64))


def _take_segments(whole: Reference, segments: Ints) -> Reference:
    """Return the segments of these numbers, which ascend, with all that belongs to them."""
    words = whole.words
    n_segments, n_words = len(whole.segments), len(words.segment)
    segment, word, _ = _rows_of(segments, words.segment, n_segments)
    mentioned_word, mention, _ = _rows_of(word, words.mention_word, n_words)
    _, box, box_start = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
    token_segment, token_row, _ = _rows_of(segments, whole.token_segment, n_segments)
    return whole._replace(
        segments=[whole.segments[number] for number in segments.tolist()],
        words=Words(
            segment=segment,
            index=words.index[word],
            label=words.label[word],
            mention_word=mentioned_word,
            mention_label=words.mention_label[mention],
            box_start=box_start,
            box=words.box[box],
            frame=words.frame[box],
        ),
        token_segment=token_segment,
        token=whole.token[token_row],
    )


def _rows_of(owners: Ints, owner_of_row: Ints, n_owners: int) -> tuple[Ints, Ints, Ints]:
    """Return the rows that belong to owners, in the order of these, as `pairs_of_ranges` does.

    ``owner_of_row`` (n_rows,) ascends and is less than ``n_owners``.
    """
    start = np.searchsorted(owner_of_row, np.arange(n_owners + 1))
    return pairs_of_ranges(start[owners], start[owners + 1])
