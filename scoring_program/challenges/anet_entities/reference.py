"""The reference of ActivityNet-Entities: annotated words with boxes, from JSON or prepared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.metrics.grounding import FRAMES, Words
from scoring_program.prepared import Arrays, Texts, load_prepared, save_prepared
from scoring_program.settings import Settings
from validator.arrays import Ints
from validator.findings import Findings, Note, Read, counted, quote
from validator.strict_json import JsonValue, pointer_part, strict_loads

PREPARED_FILE = "reference.npz"
LEMMAS_FILE = "lemmas.json"
LEMMATIZER_FILE = "lemmatizer.txt"
_FILES_NAMED = 5
_TEXTS = ("segments", "classes", "tokens", "splits", "vocab", "videos")
_LISTS = ("frame_ind", "process_clss", "process_idx", "process_bnd_box")


class Reference(NamedTuple):
    """Annotated segments and their words.

    Attributes
    ----------
    segments : list of (video, segment)
    words : Words
    classes : list of str
        The class of each number in ``words.label``.
    tokens : list of str
        Distinct tokens that are not annotated words.
    token_segment, token : int arrays of equal length
        Which segment has which of these tokens.
    splits : dict of str to list of str
        Videos of each split.
    vocab : list of str
        What the reference declares; the metric does not use it.
    videos : list of str
        All videos, annotated or not.
    lemmas, lemmatizer : dict of str to str, str
        For sub-task II: the table of lemmas, and the name of the lemmatizer that made it.
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

    def annotated_videos(self) -> list[str]:
        """Return the videos with an annotated segment, in ascending order."""
        return sorted({video for video, _ in self.segments})


def load_reference(folder: Path, settings: Settings) -> Reference:
    """Read the reference and keep the segments of the chosen splits. Raises Refused."""
    prepared = folder / PREPARED_FILE
    whole = load_prepared(prepared, _from_prepared) if prepared.is_file() else _load_json(folder, settings)
    with Findings.collect() as findings:
        for split in settings["splits"]:
            if split not in whole.splits:
                remedy = f"choose from {', '.join(whole.splits)}"
                problem = f"there is no split {split!r}"
                findings.add("E-REF-SPLIT", problem, remedy, file=settings["split_file"], rule=split)
    return _select(whole, {video for split in settings["splits"] for video in whole.splits[split]})


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


def check_reference(folder: Path, settings: Settings, reference: Reference) -> list[Note]:
    """Look for mistakes of organizers that make a run pointless or wrong. Raises Refused."""
    name = settings["reference_file"]
    with Findings.collect() as findings:
        if not len(reference.words.segment):
            chosen, splits = ", ".join(settings["splits"]), reference.splits.items()
            known = ", ".join(f"{quote(split)} ({counted(len(videos), 'video')})" for split, videos in splits)
            problem = f"no segment of the splits {chosen} is annotated; the split file holds {known}"
            findings.refuse("E-REF-EMPTY", problem, "choose with splits in settings.yaml", file=name)
        videos = set(reference.videos)
        for split in settings["splits"]:
            missing = [video for video in reference.splits[split] if video not in videos]
            if missing:
                named = f"{counted(len(missing), 'video')} of {split!r}, the first is {quote(missing[0])}"
                problem, file = f"the reference does not hold {named}", settings["split_file"]
                findings.add("E-REF-SPLIT", problem, "correct the split", file=file, rule=split)
        vocab = set(reference.vocab)
        for label in sorted(set(reference.classes) - vocab) if vocab else ():
            problem = f"the class {quote(label)!r} is not in the vocabulary"
            findings.add("E-REF-CLASS", problem, "add or correct it", file=name)
    return []


def _from_prepared(texts: Texts, arrays: Arrays) -> Reference:
    words = Words(**{field.name: arrays.pop(field.name) for field in fields(Words)})
    texts["segments"] = [(video, segment) for video, segment in texts["segments"]]
    content = {name: texts[name] for name in _TEXTS} | {"lemmas": {}, "lemmatizer": ""}
    return Reference(words=words, token_segment=arrays["token_segment"], token=arrays["token"], **content)


def prepare_reference(source: Path, output: Path, settings: Settings) -> Reference:
    """Read the organizers' JSON files and write them, with all splits, as arrays. Raises Refused."""
    whole = _load_json(source, settings)
    save_reference(whole, output)
    return whole


def save_reference(reference: Reference, output: Path) -> None:
    """Write a reference as arrays, which load fast."""
    arrays = {field.name: getattr(reference.words, field.name) for field in fields(Words)}
    arrays |= {"token_segment": reference.token_segment, "token": reference.token}
    save_prepared(output / PREPARED_FILE, {name: getattr(reference, name) for name in _TEXTS}, arrays)


def _read_file(folder: Path, setting: str, name: str) -> Read[JsonValue]:
    """Return the content of a JSON file whose name is a setting. Raises Refused."""
    if (folder / name).is_file():
        return strict_loads((folder / name).read_bytes(), name)
    others = ", ".join(sorted(quote(path.name) for path in folder.glob("*.json"))[:_FILES_NAMED])
    problem = "the file is missing in the reference folder" + (f"; there is {others}" if others else "")
    remedy = f"put it there, or give its name as {setting} in settings.yaml"
    Findings().refuse("E-REF-NONE", problem, remedy, file=name)


def _load_json(folder: Path, settings: Settings) -> Reference:
    contents = []
    with Findings.collect() as findings:
        for setting in ("reference_file", "split_file"):
            with findings.part():
                contents.append(findings.take(_read_file(folder, setting, settings[setting])))
        findings.refuse_problems()
        data, splits = contents
        name = settings["reference_file"]
        if not isinstance(splits, dict) or not all(_is_list_of(videos, str) for videos in splits.values()):
            problem = "this is not a mapping of splits to videos"
            remedy = 'write {"validation": ["v_...", ...]}'
            findings.refuse("E-REF-SPLIT", problem, remedy, file=settings["split_file"])
        if not isinstance(data, dict) or not isinstance(data.get("annotations"), dict):
            problem = "there is no mapping of annotations"
            findings.refuse("E-REF-SHAPE", problem, "see the format page", file=name)
        builder = _Builder(name, findings)
        for video, content in data["annotations"].items():
            builder.add_video(video, content, f"/annotations/{pointer_part(video)}")
    vocab = data.get("vocab", [])
    return builder.build(splits, vocab if _is_list_of(vocab, str) else [], list(data["annotations"]))


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


class _Box(NamedTuple):
    """An annotated box: its frame, the classes and word indexes of what it shows, and its corners."""

    frame: int
    classes: list[str]
    words: list[int]
    box: list[float]


class _Builder:
    """Collects the annotated words of segments."""

    def __init__(self, name: str, findings: Findings) -> None:
        self._name, self._findings = name, findings
        self._segments: list[tuple[str, str]] = []
        self._words: list[tuple[int, int, int]] = []
        self._starts, self._boxes, self._frames = [0], [], []  # type: ignore[var-annotated]
        self._mentions: list[tuple[int, int]] = []
        self._classes: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._token_pairs: list[tuple[int, int]] = []

    def _problem(self, problem: str, remedy: str, where: str, rule: str) -> None:
        self._findings.add("E-REF-SEGMENT", problem, remedy, file=self._name, where=where, rule=rule)

    def add_video(self, video: str, content: object, where: str) -> None:
        """Add the segments of a video."""
        segments = content.get("segments") if isinstance(content, dict) else None
        if not isinstance(segments, dict):
            problem, remedy = "there is no mapping of segments", "see the format page"
            self._findings.add("E-REF-SHAPE", problem, remedy, file=self._name, where=where, rule="segments")
            return
        for segment, annotated in segments.items():
            self._add((video, segment), annotated, f"{where}/segments/{pointer_part(segment)}")

    def _add(self, segment: tuple[str, str], annotated: object, where: str) -> None:
        """Add a segment; one without annotated frames is left out."""
        if not isinstance(annotated, dict):
            return self._problem("this is not an object", "see the format page", where, "object")
        if missing := [key for key in _LISTS if not isinstance(annotated.get(key), list)]:
            problem = f"{', '.join(missing)} is missing"
            return self._problem(problem, "see the format page", where, "missing")
        if not annotated["frame_ind"] and not annotated["process_bnd_box"]:
            # No box was drawn in this segment; its classes and words may still be listed.
            return None
        if len({len(annotated[key]) for key in _LISTS}) > 1:
            sizes = ", ".join(f"{len(annotated[key])} {key}" for key in _LISTS)
            problem = f"the parallel lists differ in length: {sizes}"
            return self._problem(problem, "correct them", where, "length")
        tokens: JsonValue = annotated.get("tokens")
        if not _is_list_of(tokens, str):
            return self._problem("tokens is not a list of strings", "correct it", where, "tokens")
        boxes = [_Box(*values) for values in zip(*(annotated[key] for key in _LISTS))]
        before = self._findings.total
        for index, box in enumerate(boxes):
            self._check(box, index, len(tokens), where)
        if self._findings.total == before:
            self._keep(segment, boxes, tokens)
        return None

    def _check(self, box: _Box, index: int, n_tokens: int, where: str) -> None:
        if type(box.frame) is not int or not 0 <= box.frame < FRAMES:
            problem = f"the frame {quote(repr(box.frame), 20)} is not in 0..9"
            self._problem(problem, "correct it", f"{where}/frame_ind/{index}", "frame")
        words = _is_list_of(box.classes, str) and _is_list_of(box.words, int)
        if not words or len(box.classes) != len(box.words):
            problem = "classes and word indexes of the box are not lists of equal length"
            self._problem(problem, "correct them", f"{where}/process_idx/{index}", "lists")
        elif any(not 0 <= word < n_tokens for word in box.words):
            problem = f"a word index is not in 0..{n_tokens - 1}"
            remedy = "word indexes count the tokens from 0"
            self._problem(problem, remedy, f"{where}/process_idx/{index}", "word")
        corners = box.box if isinstance(box.box, list) else []
        if len(corners) < 4 or not all(type(number) in (int, float) for number in corners):
            place = f"{where}/process_bnd_box/{index}"
            self._problem("the box is not a list of 4 numbers", "correct it", place, "box")

    def _keep(self, segment: tuple[str, str], boxes: list[_Box], tokens: list[str]) -> None:
        number = len(self._segments)
        self._segments.append(segment)
        boxes_of: dict[int, list[_Box]] = {}
        labels: dict[int, dict[str, None]] = {}
        for box in boxes:
            for name, word in zip(box.classes, box.words):
                labels.setdefault(word, {})[name] = None
            for word in dict.fromkeys(box.words):
                boxes_of.setdefault(word, []).append(box)
        for word in sorted(boxes_of):
            codes = [self._classes.setdefault(name, len(self._classes)) for name in labels[word]]
            self._mentions += [(len(self._words), code) for code in codes]
            self._words.append((number, word, codes[0]))
            self._boxes += [box.box[:4] for box in boxes_of[word]]
            self._frames += [box.frame for box in boxes_of[word]]
            self._starts.append(len(self._boxes))
        others = {token for index, token in enumerate(tokens) if token and index not in boxes_of}
        self._token_pairs += [(number, self._tokens.setdefault(t, len(self._tokens))) for t in sorted(others)]

    def build(self, splits: dict[str, list[str]], vocab: list[str], videos: list[str]) -> Reference:
        """Return what was collected."""
        words = np.array(self._words, dtype=np.int64).reshape(-1, 3).T
        mentions = np.array(self._mentions, dtype=np.int64).reshape(-1, 2).T
        pairs = np.array(self._token_pairs, dtype=np.int64).reshape(-1, 2).T
        with np.errstate(over="ignore"):
            boxes = np.array(self._boxes, dtype=np.float64).reshape(-1, 4).astype(np.float32)
        starts, frames = (np.array(values, dtype=np.int64) for values in (self._starts, self._frames))
        annotated = Words(words[0], words[1], words[2], mentions[0], mentions[1], starts, boxes, frames)
        classes, tokens = list(self._classes), list(self._tokens)
        content = annotated, classes, tokens, pairs[0], pairs[1]
        return Reference(self._segments, *content, splits, vocab, videos, {}, "")


def part_of_reference(whole: Reference, videos: Collection[str]) -> Reference:
    """Return the reference of some videos, in which nothing is left of the others."""
    chosen = _select(whole, videos)
    used, token = np.unique(chosen.token, return_inverse=True)
    return chosen._replace(
        tokens=[chosen.tokens[number] for number in used.tolist()],
        token=token,
        splits={split: [video for video in of if video in videos] for split, of in whole.splits.items()},
        videos=[video for video in whole.videos if video in videos],
    )


def _select(whole: Reference, videos: Collection[str]) -> Reference:
    """Keep the segments of some videos."""
    keep = np.array([video in videos for video, _ in whole.segments], dtype=bool)
    if keep.all():
        return whole
    number = np.cumsum(keep) - 1
    words = whole.words
    kept = keep[words.segment]
    sizes = np.diff(words.box_start)
    boxes, mentions, tokens = np.repeat(kept, sizes), kept[words.mention_word], keep[whole.token_segment]
    return whole._replace(
        segments=[segment for segment, stays in zip(whole.segments, keep.tolist()) if stays],
        words=Words(
            number[words.segment[kept]], words.index[kept], words.label[kept],
            (np.cumsum(kept) - 1)[words.mention_word[mentions]], words.mention_label[mentions],
            np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64), words.box[boxes],
            words.frame[boxes],
        ),
        token_segment=number[whole.token_segment[tokens]],
        token=whole.token[tokens],
    )  # fmt: skip
