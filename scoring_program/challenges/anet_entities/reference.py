"""The reference of ActivityNet-Entities: annotated words with boxes, from JSON or prepared."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from scoring_program.marks import MARKS_FILE
from scoring_program.metrics.grounding import FRAMES, Words
from scoring_program.metrics.pairs import pairs_of_ranges, rows_of_owners
from scoring_program.prepared import Arrays, Texts, load_prepared
from scoring_program.settings import Settings
from scoring_program.signature import PUBLIC_FILE, VOCABULARY_FILE
from scoring_program.task import Vocabulary
from scoring_program.vocabulary_file import read_vocabulary
from validator.arrays import Ints
from validator.findings import Findings, Read
from validator.json_columns import JsonValue
from validator.json_reader import strict_loads
from validator.texts import pointer_part, quote

PREPARED_FILE = "reference.npz"
LEMMAS_FILE = "lemmas.json"
LEMMATIZER_FILE = "lemmatizer.txt"
_FILES_NAMED = 5
TEXTS = ("segments", "classes", "tokens", "splits", "vocab", "videos")
# The place below a segment, the problem, what to do, and the rule.
_Problem = tuple[str, str, str, str]
_LISTS = ("frame_ind", "process_clss", "process_idx", "process_bnd_box")


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
    lemmas, lemmatizer : mapping of str to str, str
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
    lemmas: Mapping[str, str] = MappingProxyType({})
    lemmatizer: str = ""
    chosen_videos: frozenset[str] = frozenset()
    n_segments: dict[str, int] | None = None
    segments_of_video: Mapping[str, Sequence[str]] | None = None
    vocabulary: Vocabulary = MappingProxyType({})

    def annotated_videos(self) -> list[str]:
        """Return the videos with an annotated segment, in ascending order."""
        return sorted({video for video, _ in self.segments})


def load_reference(folder: Path, settings: Settings) -> Reference:
    """Read the reference and keep the segments of the chosen splits. Raises Refused."""
    prepared_path = folder / PREPARED_FILE
    if prepared_path.is_file():
        whole = load_prepared(prepared_path, _from_prepared)._replace(segments_of_video=_read_public(folder))
    else:
        whole = read_official(folder, settings)
    with Findings.collect() as findings:
        for split in settings["splits"]:
            if split not in whole.splits:
                remedy = f"choose from {', '.join(whole.splits)}"
                problem = f"there is no split {split!r}"
                findings.add(
                    "E-REF-SPLIT", problem, remedy, file=settings["split_file"], where="/", rule=split
                )
    chosen_videos = frozenset(video for split in settings["splits"] for video in whole.splits[split])
    return select_videos(whole, chosen_videos)._replace(vocabulary=read_vocabulary(folder))


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
    columns = {name: texts[name] for name in TEXTS}
    columns["segments"] = [(video, segment) for video, segment in texts["segments"]]
    return Reference(
        **columns,
        words=Words(**{field.name: arrays[field.name] for field in fields(Words)}),
        token_segment=arrays["token_segment"],
        token=arrays["token"],
        n_segments=texts.get("n_segments"),
    )


def _read_file(folder: Path, setting: str, name: str) -> Read[JsonValue]:
    """Return the content of a JSON file whose name is a setting. Raises Refused."""
    if (folder / name).is_file():
        return strict_loads((folder / name).read_bytes(), name)
    problem = "the file is missing in the reference folder"
    json_files = {path.name for path in folder.glob("*.json")} - {MARKS_FILE, VOCABULARY_FILE}
    other_names = sorted(map(quote, json_files))[:_FILES_NAMED]
    if other_names:
        problem += f"; there is {', '.join(other_names)}"
    remedy = f"put it there, or give its name as {setting} in settings.yaml"
    Findings().refuse("E-REF-NONE", problem, remedy, file=name)


def read_official(folder: Path, settings: Settings) -> Reference:
    """Return the reference in the organizers' files, with all splits, as it is ordered there."""
    reference_file = settings["reference_file"]
    split_file = settings["split_file"]
    with Findings.collect() as findings:
        contents = []
        for setting in ("reference_file", "split_file"):
            with findings.part():
                contents.append(findings.take(_read_file(folder, setting, settings[setting])))
        findings.refuse_problems()
        data, splits = contents
        _check_shape_of_splits(splits, split_file, findings)
        if not isinstance(data, dict) or not isinstance(data.get("annotations"), dict):
            problem = "there is no mapping of annotations"
            findings.refuse("E-REF-SHAPE", problem, "see the format page", file=reference_file)
        annotations = data["annotations"]
        segments: list[_Segment] = []
        for video, content in annotations.items():
            segments += _read_video(video, content, reference_file, findings)
    vocab = data.get("vocab", [])
    reference = _as_arrays(segments, splits, vocab if _is_list_of(vocab, str) else [], list(annotations))
    segments_of_video = {video: list(content["segments"]) for video, content in annotations.items()}
    n_segments = {video: len(names) for video, names in segments_of_video.items()}
    return reference._replace(segments_of_video=segments_of_video, n_segments=n_segments)


def _check_shape_of_splits(splits: JsonValue, file: str, findings: Findings) -> None:
    """Raise Refused unless ``splits`` maps each split to the names of its videos."""
    remedy = 'write {"validation": ["v_...", ...]}'
    if not isinstance(splits, dict):
        findings.refuse(
            "E-REF-SPLIT", "this is not a mapping of splits to videos", remedy, file=file, where="/"
        )
    for split, videos in splits.items():
        if not _is_list_of(videos, str):
            where = f"/{pointer_part(split)}"
            findings.add(
                "E-REF-SPLIT", "this is not a list of videos", remedy, file=file, where=where, rule="list"
            )
    findings.refuse_problems()


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


class _Box(NamedTuple):
    """An annotated box: its frame, the classes and word indexes of what it shows, and its corners."""

    frame: int
    classes: list[str]
    word_indexes: list[int]
    corners: list[float]


class _Segment(NamedTuple):
    """An annotated segment that was checked: its video and name, its boxes, and its sentence."""

    name: tuple[str, str]
    boxes: list[_Box]
    tokens: list[str]


def _read_video(video: str, content: object, file: str, findings: Findings) -> list[_Segment]:
    """Return the well-formed segments of a video that have annotated frames."""
    where = f"/annotations/{pointer_part(video)}"
    annotations = content.get("segments") if isinstance(content, dict) else None
    if not isinstance(annotations, dict):
        problem, remedy = "there is no mapping of segments", "see the format page"
        findings.add("E-REF-SHAPE", problem, remedy, file=file, where=where, rule="segments")
        return []
    segments = []
    for name, annotation in annotations.items():
        problems = list(_problems_of_segment(annotation))
        for place, problem, remedy, rule in problems:
            place = f"{where}/segments/{pointer_part(name)}{place}"
            findings.add("E-REF-SEGMENT", problem, remedy, file=file, where=place, rule=rule)
        if not problems and not _is_undrawn(annotation):
            boxes = [_Box(*values) for values in zip(*(annotation[key] for key in _LISTS))]
            segments.append(_Segment((video, name), boxes, annotation["tokens"]))
    return segments


def _is_undrawn(annotation: Mapping[str, JsonValue]) -> bool:
    """Return whether no box was drawn in a segment, whose classes and words may still be listed."""
    return not annotation["frame_ind"] and not annotation["process_bnd_box"]


def _problems_of_segment(annotation: object) -> Iterator[_Problem]:
    """Yield what is wrong with a segment, and with its boxes if it is well-formed otherwise."""
    if not isinstance(annotation, dict):
        yield "", "this is not an object", "see the format page", "object"
        return
    missing_keys = [key for key in _LISTS if not isinstance(annotation.get(key), list)]
    sizes = [len(annotation[key]) for key in _LISTS if key not in missing_keys]
    tokens: JsonValue = annotation.get("tokens")
    if missing_keys:
        yield "", f"{', '.join(missing_keys)} is missing", "see the format page", "missing"
    elif _is_undrawn(annotation):
        return
    elif len(set(sizes)) > 1:
        lengths = ", ".join(f"{size} {key}" for size, key in zip(sizes, _LISTS))
        yield "", f"the parallel lists differ in length: {lengths}", "correct them", "length"
    elif not _is_list_of(tokens, str):
        yield "", "tokens is not a list of strings", "correct it", "tokens"
    else:
        for index, values in enumerate(zip(*(annotation[key] for key in _LISTS))):
            for key, problem, remedy, rule in _problems_of_box(_Box(*values), len(tokens)):
                yield f"/{key}/{index}", problem, remedy, rule


def _problems_of_box(box: _Box, n_tokens: int) -> Iterator[_Problem]:
    """Yield what is wrong with a box, at the lists of its segment."""
    if type(box.frame) is not int or not 0 <= box.frame < FRAMES:
        yield "frame_ind", f"the frame {quote(repr(box.frame), 20)} is not in 0..9", "correct it", "frame"
    if not _is_list_of(box.classes, str):
        yield "process_clss", "the classes of the box are not a list of strings", "correct them", "classes"
    elif not _is_list_of(box.word_indexes, int):
        problem = "the word indexes of the box are not a list of whole numbers"
        yield "process_idx", problem, "correct them", "indexes"
    elif len(box.classes) != len(box.word_indexes):
        problem = "classes and word indexes of the box are not lists of equal length"
        yield "process_idx", problem, "correct them", "lists"
    elif any(not 0 <= word_index < n_tokens for word_index in box.word_indexes):
        problem = f"a word index is not in 0..{n_tokens - 1}"
        yield "process_idx", problem, "word indexes count the tokens from 0", "word"
    corners = box.corners if isinstance(box.corners, list) else []
    if len(corners) < 4 or not all(type(number) in (int, float) for number in corners):
        yield "process_bnd_box", "the box is not a list of 4 numbers", "correct it", "box"


def _boxes_of_words(segment: _Segment) -> dict[int, list[_Box]]:
    """Return the boxes of each annotated word of a sentence, by its index, in order."""
    boxes_of_word: dict[int, list[_Box]] = {}
    for box in segment.boxes:
        # A box may list a word several times.
        for word_index in dict.fromkeys(box.word_indexes):
            boxes_of_word.setdefault(word_index, []).append(box)
    return dict(sorted(boxes_of_word.items()))


def _classes_of_word(word_index: int, boxes: list[_Box]) -> list[str]:
    """Return the distinct classes that its boxes give a word."""
    names: list[str] = []
    for box in boxes:
        names += [name for index, name in zip(box.word_indexes, box.classes) if index == word_index]
    return list(dict.fromkeys(names))


def _as_arrays(
    segments: list[_Segment], splits: dict[str, list[str]], vocab: list[str], videos: list[str]
) -> Reference:
    """Return checked segments as arrays; classes and tokens have numbers in the order in which they occur."""
    classes: dict[str, int] = {}
    tokens: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    mentions: list[tuple[int, int]] = []
    token_pairs: list[tuple[int, int]] = []
    boxes: list[_Box] = []
    box_start = [0]
    for number, segment in enumerate(segments):
        boxes_of_word = _boxes_of_words(segment)
        for word_index, boxes_of_this in boxes_of_word.items():
            names = _classes_of_word(word_index, boxes_of_this)
            labels = [classes.setdefault(name, len(classes)) for name in names]
            mentions += [(len(rows), label) for label in labels]
            rows.append((number, word_index, labels[0]))
            boxes += boxes_of_this
            box_start.append(len(boxes))
        other_tokens = {
            token for index, token in enumerate(segment.tokens) if token and index not in boxes_of_word
        }
        token_pairs += [(number, tokens.setdefault(token, len(tokens))) for token in sorted(other_tokens)]
    word_segment, index, label = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    mention_word, mention_label = np.array(mentions, dtype=np.int64).reshape(-1, 2).T
    token_segment, token_number = np.array(token_pairs, dtype=np.int64).reshape(-1, 2).T
    corners = np.array([box.corners[:4] for box in boxes], dtype=np.float64).reshape(-1, 4)
    with np.errstate(over="ignore"):
        corners = corners.astype(np.float32)
    return Reference(
        segments=[segment.name for segment in segments],
        words=Words(
            segment=word_segment,
            index=index,
            label=label,
            mention_word=mention_word,
            mention_label=mention_label,
            box_start=np.array(box_start, dtype=np.int64),
            box=corners,
            frame=np.array([box.frame for box in boxes], dtype=np.int64),
        ),
        classes=list(classes),
        tokens=list(tokens),
        token_segment=token_segment,
        token=token_number,
        splits=splits,
        vocab=vocab,
        videos=videos,
    )


def select_videos(whole: Reference, videos: Collection[str]) -> Reference:
    """Return some videos, annotated or not, which are all that are scored."""
    return select_segments(whole, videos)._replace(chosen_videos=frozenset(videos))


def select_segments(whole: Reference, videos: Collection[str]) -> Reference:
    """Return the segments of some videos, in their order."""
    numbers = [number for number, (video, _) in enumerate(whole.segments) if video in videos]
    if len(numbers) == len(whole.segments):
        return whole
    segments = np.array(numbers, dtype=np.int64)
    words = whole.words
    segment, word = rows_of_owners(words.segment, segments)
    mentioned_word, mention = rows_of_owners(words.mention_word, word)
    _, box, box_start = pairs_of_ranges(words.box_start[word], words.box_start[word + 1])
    token_segment, token_row = rows_of_owners(whole.token_segment, segments)
    return whole._replace(
        segments=[whole.segments[number] for number in numbers],
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
