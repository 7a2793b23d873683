"""The classes of ChaLearn LAP 2014's own sample module, without video, depth and skeleton."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Union

from ChalearnLAPEvaluation import evalAction, evalGesture, read_member
from people_in_video.chalearn.writer import FIELDS, whole_rows
from people_in_video.writing import checked_file
from validator.formats.chalearn.write import encode_rows, prediction_name

_Path = Union[str, "os.PathLike[str]"]


class _Sample:
    """One sequence, from its zip ``{Id}.zip`` with ``{Id}_labels.csv`` and ``{Id}_data.csv``."""

    _task_id: str
    _evaluation: Callable[[_Path, _Path, str], float]

    def __init__(self, fileName: _Path) -> None:
        self._path = Path(fileName)
        if not self._path.is_file():
            raise FileNotFoundError(f"there is no sample {fileName}")
        self._exported: bytes | None = None

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("get"):
            raise AttributeError(f"{name} is not offered: this kit reads labels and frame counts, no video")
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def getNumFrames(self) -> int:
        """Return the number of frames of the sequence."""
        lines = read_member(self._path, "data").decode("utf-8-sig").split()
        return int(lines[-1].split(",")[0])

    def exportPredictions(self, prediction: Sequence[Sequence[int]], predPath: _Path) -> None:
        """Write ``{Id}_prediction.csv`` to the folder ``predPath``, which is made if needed, and check it.

        Raises ValueError if a row is not the fields of the track in whole numbers, or the file is not valid.
        """
        rows = encode_rows(whole_rows(prediction, FIELDS[self._task_id]))
        with checked_file(Path(predPath, prediction_name(self._path.stem)), self._task_id) as work:
            work.write_bytes(rows)
        self._exported = rows

    def evaluate(self, gtPath: _Path, protocol: str = "published") -> float:
        """Return the mean Jaccard index of this sequence against the ground truth in the folder ``gtPath``.

        The rows exported last are scored, or, before any export, the labels in the sample's own zip. Raises
        ValueError for malformed files and FileNotFoundError for missing ones.
        """
        name, rows = self._path.stem, self._exported
        if rows is None:
            rows = read_member(self._path, "labels")
        with tempfile.TemporaryDirectory() as folder:
            ground_truth, prediction = Path(folder, "ground_truth"), Path(folder, "prediction")
            ground_truth.mkdir()
            prediction.mkdir()
            for suffix in ("labels", "data"):
                shutil.copy(Path(gtPath, f"{name}_{suffix}.csv"), ground_truth)
            (prediction / prediction_name(name)).write_bytes(rows)
            return type(self)._evaluation(prediction, ground_truth, protocol)

    def _labels(self) -> list[list[int]]:
        text = read_member(self._path, "labels").decode("utf-8-sig")
        lines = [line for line in text.splitlines() if line.strip()]
        return [[int(value) for value in line.split(",")] for line in lines]


class ActionSample(_Sample):
    """A sequence of track 2; rows are ``[ActorID, ActionID, StartFrame, EndFrame]``."""

    _task_id = "chalearn_action"
    _evaluation = staticmethod(evalAction)

    def getActions(self) -> list[list[int]]:
        """Return the rows of the labels file."""
        return self._labels()


class GestureSample(_Sample):
    """A sequence of track 3; rows are ``[GestureID, StartFrame, EndFrame]``."""

    _task_id = "chalearn_gesture"
    _evaluation = staticmethod(evalGesture)

    def getGestures(self) -> list[list[int]]:
        """Return the rows of the labels file."""
        return self._labels()
