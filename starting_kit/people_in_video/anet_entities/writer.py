"""Build a submission to anet_entities_gt or anet_entities_gen from arrays.

writer = AnetEntitiesWriter("gen", external_data="")
writer.add_segment("v_abc", "0", ["man", "ball"], [1, 4], boxes, frame_size=(1280, 720))   # boxes: (2, 10, 4)
writer.save("my.zip")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from people_in_video.anet_entities.frame_sizes import frame_size_of, resized_boxes
from people_in_video.writing import (
    FilePredictions,
    Key,
    numbers,
    refuse_fractions,
    steps,
    text,
    texts,
    whole,
)
from validator.formats.anet_entities.read import FRAMES
from validator.formats.anet_entities.write import Results, add_object, encode_submission, no_objects

# As in the schema.
_LAST_WORD = 1_000_000
# Stands for the segment itself; it comes before all words.
_NO_WORD = -1
# The classes and the boxes of the objects of a word.
_Word = tuple[list[str], list[np.ndarray]]
# Without its size, pixels of the video would be read as those of the video resized to a width of 720.
_TO_PIXELS = "multiply x by the width and y by the height of the video, and give both as frame_size"
_ARGUMENTS = {"clss": "classes", "idx_in_sent": "word_indexes", "bbox_for_all_frames": "boxes"}


class AnetEntitiesWriter(FilePredictions):
    """Collects the objects of segments and writes the one JSON file in a zip.

    Parameters
    ----------
    eval_mode : str
        ``GT`` (given sentences) or ``gen`` (generated sentences).
    external_data : str
        What external data the method used; "" if none.
    """

    n_item_arguments = 2

    def __init__(self, eval_mode: str, external_data: str = "") -> None:
        if eval_mode not in ("GT", "gen"):
            raise ValueError(f"eval_mode is {eval_mode!r}; it must be GT or gen")
        super().__init__(f"anet_entities_{eval_mode.lower()}")
        self._mode = eval_mode
        self._external = external_data

    def add_segment(  # noqa: PLR0913 - the last two are alternatives
        self,
        video: str,
        segment: str | int,
        classes: Sequence[str],
        word_indexes: Sequence[int],
        boxes: np.ndarray,
        frame_size: Sequence[int] | None = None,
        sizes: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        """Add objects to a segment; words that an earlier call gave are dropped if they are the same.

        Parameters
        ----------
        video, segment : str
            As in the annotation file, for example ``v_abc`` and ``0``.
        classes : sequence of n str
        word_indexes : sequence of n int
            Positions of the words in the sentence, from 0.
        boxes : array of shape (n, 10, 4)
            ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames: of the video as it is if its size
            is given, otherwise of the video resized to a width of 720.
        frame_size : (width, height), optional
            The size of the video in pixels: x and y are multiplied by 720 / width.
        sizes : mapping of str to (width, height), optional
            The sizes of videos, this one among them, instead of ``frame_size``.

        Raises
        ------
        ValueError
            The three differ in length; classes are not a list of strings; a word index is not a whole number
            from 0; boxes have another shape, are not in pixels, or more than 1 of 100, and at least 10, end
            beyond the frame; an earlier call gave a word with another class or other boxes.
        """
        plain_value = self.values.of
        video, segment, indexes = plain_value(video), plain_value(segment), plain_value(word_indexes)
        names = texts(plain_value(classes), "classes")
        words = [whole(index, f"word_indexes[{position}]", 0) for position, index in enumerate(indexes)]
        for position, word in enumerate(words):
            if word > _LAST_WORD:
                raise ValueError(f"word_indexes[{position}] is {word}; words are 0 to {_LAST_WORD}")
        given_boxes = numbers(plain_value(boxes), (-1, FRAMES, 4), "boxes")
        refuse_fractions(given_boxes, "boxes", _TO_PIXELS)
        array = resized_boxes(given_boxes, plain_value(frame_size_of(video, frame_size, sizes)))
        if not len(names) == len(words) == len(array):
            lengths = f"classes {len(names)}, word_indexes {len(words)}, boxes {len(array)}"
            raise ValueError(f"{lengths}: give equally many")
        segment_name = segment if isinstance(segment, str) else str(whole(segment, "the segment", 0))
        place = (text(video, "the video"), text(segment_name, "the segment"))
        # A segment without objects is one, too.
        additions: dict[Key, _Word] = {(*place, _NO_WORD): ([], [])}
        for name, word, object_boxes in zip(names, words, array):
            names_of_word, boxes_of_word = additions.setdefault((*place, word), ([], []))
            names_of_word.append(name)
            boxes_of_word.append(object_boxes)
        self.put(additions)

    update = add_segment

    def files(self) -> dict[str, bytes]:
        """Return the JSON file by its name."""
        results: Results = {}
        for video, segment, word in sorted(self.entries):
            objects = results.setdefault(video, {}).setdefault(segment, no_objects())
            names, boxes = self.entries[video, segment, word]
            for name, object_boxes in zip(names, boxes):
                add_object(objects, name, word, object_boxes.tolist())
        return encode_submission(results, self._mode, self._external)

    def unit(self, key: Key) -> Key:
        """Return the segment of a word."""
        video, segment, _ = key
        return video, segment

    def name(self, key: Key) -> str:
        """Return how messages name a word."""
        video, segment, word = key
        return f"word {word} of segment {segment} of {video}"

    def item(self, key: Key) -> str:
        """Return the video of a segment."""
        video, _, _ = key
        return str(video)

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return video and segment of a problem, and its argument."""
        _, video, segment, name, *indexes = steps(where)
        subscripts = "".join(f"[{index}]" for index in indexes)
        return (video, segment, _NO_WORD), f"{_ARGUMENTS[name]}{subscripts}"


WRITERS = {
    "anet_entities_gt": lambda loaded: AnetEntitiesWriter("GT"),
    "anet_entities_gen": lambda loaded: AnetEntitiesWriter("gen"),
}
