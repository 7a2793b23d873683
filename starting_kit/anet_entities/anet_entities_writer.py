"""Build a submission to anet_entities_gt or anet_entities_gen from arrays.

writer = AnetEntitiesWriter("gen", external_data="")
writer.add_segment("v_abc", "0", ["man", "ball"], [1, 4], boxes)   # boxes: (2, 10, 4)
writer.save("my.zip")
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writing import ANY, FilePredictions, Key, corner_boxes, encode, steps, text, texts, whole

FRAMES = 10
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

    def __init__(self, eval_mode: str, external_data: str = "") -> None:
        if eval_mode not in ("GT", "gen"):
            raise ValueError(f"eval_mode is {eval_mode!r}; it must be GT or gen")
        super().__init__(f"anet_entities_{eval_mode.lower()}")
        self._mode = eval_mode
        self._external = external_data

    def add_segment(
        self,
        video: str,
        segment: str | int,
        classes: Sequence[str],
        word_indexes: Sequence[int],
        boxes: np.ndarray,
    ) -> None:
        """Set the objects of a segment.

        Parameters
        ----------
        video, segment : str
            As in the annotation file, for example ``v_abc`` and ``0``.
        classes : sequence of n str
        word_indexes : sequence of n int
            Positions of the words in the sentence, from 0.
        boxes : array of shape (n, 10, 4)
            ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames.

        Raises
        ------
        ValueError
            The three differ in length; classes are not a list of strings; a word index is not a whole number
            from 0; boxes have another shape, are not in pixels or have x2 < x1; the segment was set already.
        """
        names = texts(classes, "classes")
        words = [whole(index, f"word_indexes[{position}]", 0) for position, index in enumerate(word_indexes)]
        array = corner_boxes(boxes, (ANY, FRAMES, 4), "boxes")
        if not len(names) == len(words) == len(array):
            lengths = f"classes {len(names)}, word_indexes {len(words)}, boxes {len(array)}"
            raise ValueError(f"{lengths}: give equally many")
        key = segment if isinstance(segment, str) else str(whole(segment, "the segment", 0))
        objects = {"clss": names, "idx_in_sent": words, "bbox_for_all_frames": array.tolist()}
        self.put((text(video, "the video"), text(key, "the segment")), objects)

    update = add_segment

    def files(self) -> dict[str, bytes]:
        """Return the JSON file by its name."""
        results: dict[str, dict[str, object]] = {}
        for video, segment in sorted(self.entries):
            results.setdefault(video, {})[segment] = self.entries[video, segment]
        external = {"used": bool(self._external), "details": self._external}
        content = {"results": results, "eval_mode": self._mode, "external_data": external}
        return {f"submission_{self._mode.lower()}.json": encode(content)}

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return video and segment of a problem, and its argument."""
        _, video, segment, name, *indexes = steps(where)
        return (video, segment), _ARGUMENTS[name] + "".join(f"[{index}]" for index in indexes)


WRITERS = {
    "anet_entities_gt": lambda loaded: AnetEntitiesWriter("GT"),
    "anet_entities_gen": lambda loaded: AnetEntitiesWriter("gen"),
}
