"""The functions of ChaLearn LAP 2014's own evaluation module, by the scoring code of this kit.

``evalAction(predictionDir, truthDir)`` and ``evalGesture`` return the mean Jaccard index;
``exportGT_Action(dataPath, outputPath)`` and ``exportGT_Gesture`` write ground truth from sample zips.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path, PurePosixPath
from typing import Union

from people_in_video.scoring import score
from scoring_program.report.outputs import replacing

_Path = Union[str, "os.PathLike[str]"]


def exportGT_Action(dataPath: _Path, outputPath: _Path) -> None:
    """Write ``{Id}_labels.csv`` and ``{Id}_data.csv`` of each sample zip in ``dataPath`` to ``outputPath``.

    Raises FileNotFoundError if there are no zips in ``dataPath``, or one has no labels or data file.
    """
    samples = sorted(Path(dataPath).glob("*.zip"))
    if not samples:
        raise FileNotFoundError(f"there are no sample zips (SeqXX.zip) in {dataPath}")
    output = Path(outputPath)
    output.mkdir(parents=True, exist_ok=True)
    for sample in samples:
        for suffix in ("labels", "data"):
            content = read_member(sample, suffix)
            with replacing(output / f"{sample.stem}_{suffix}.csv") as temporary:
                temporary.write_bytes(content)


exportGT_Gesture = exportGT_Action


def read_member(sample: Path, suffix: str) -> bytes:
    """Return ``{Id}_{suffix}.csv`` of a sample zip. Raises FileNotFoundError without it."""
    member_name = f"{sample.stem}_{suffix}.csv"
    with zipfile.ZipFile(sample) as archive:
        for name in archive.namelist():
            if PurePosixPath(name).name == member_name:
                return archive.read(name)
    raise FileNotFoundError(f"{sample} does not hold {member_name}")


def evalAction(predictionDir: _Path, truthDir: _Path, protocol: str = "published") -> float:
    """Return the mean Jaccard index of the action predictions in a folder.

    Parameters
    ----------
    predictionDir : path
        A folder with ``{Id}_prediction.csv`` files, or a zip of them.
    truthDir : path
        A folder with ``{Id}_labels.csv`` and ``{Id}_data.csv`` files.
    protocol : str
        ``published`` (the text of the challenge) or ``released`` (the number of its script).

    Raises
    ------
    ValueError
        Files are malformed; the message lists what, where, and how to fix it.
    """
    return _evaluate("chalearn_action", predictionDir, truthDir, protocol)


def evalGesture(predictionDir: _Path, truthDir: _Path, protocol: str = "published") -> float:
    """Return the mean Jaccard index of the gesture predictions in a folder; parameters as `evalAction`."""
    return _evaluate("chalearn_gesture", predictionDir, truthDir, protocol)


def _evaluate(task: str, predictions: _Path, ground_truth: _Path, protocol: str) -> float:
    result = score(
        task, Path(predictions), Path(ground_truth), protocol=protocol, detail="none", interval=False
    )
    return float(result.scores["score"])
