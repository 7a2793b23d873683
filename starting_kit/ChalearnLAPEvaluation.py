"""The names of ChaLearn LAP 2014's own evaluation module, as thin adapters over this kit's scoring code.

``evalAction(predictionDir, truthDir)`` and ``evalGesture`` return the mean Jaccard index;
``exportGT_Action(dataPath, outputPath)`` and ``exportGT_Gesture`` write ground truth from sample zips.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path, PurePosixPath
from typing import Union

import kit_path  # noqa: F401 - makes the next imports possible
from scoring_program.challenge import load_challenge
from validator.findings import Findings

_Path = Union[str, "os.PathLike[str]"]


def exportGT_Action(dataPath: _Path, outputPath: _Path) -> None:
    """Write ``{Id}_labels.csv`` and ``{Id}_data.csv`` of each sample zip in ``dataPath`` to ``outputPath``.

    Raises
    ------
    FileNotFoundError
        There are no zips in ``dataPath``, or one has no labels or data file.
    """
    samples = sorted(Path(dataPath).glob("*.zip"))
    if not samples:
        raise FileNotFoundError(f"there are no sample zips (SeqXX.zip) in {dataPath}")
    output = Path(outputPath)
    output.mkdir(parents=True, exist_ok=True)
    for sample in samples:
        for kind in ("labels", "data"):
            (output / f"{sample.stem}_{kind}.csv").write_bytes(read_member(sample, kind))


exportGT_Gesture = exportGT_Action


def read_member(sample: Path, kind: str) -> bytes:
    """Return the bytes of ``{Id}_{kind}.csv`` in a sample zip. Raises FileNotFoundError if it is not there."""
    wanted = f"{sample.stem}_{kind}.csv"
    with zipfile.ZipFile(sample) as archive:
        for name in archive.namelist():
            if PurePosixPath(name).name == wanted:
                return archive.read(name)
    raise FileNotFoundError(f"{sample} does not hold {wanted}")


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


def _evaluate(challenge_id: str, prediction: _Path, truth: _Path, protocol: str) -> float:
    if protocol not in ("published", "released"):
        raise ValueError(f"protocol is published or released, not {protocol!r}")
    settings = {"protocol": protocol, "detail": "none"}
    program = load_challenge(challenge_id).program()
    findings = Findings()
    reference = program.load_reference(Path(truth), settings, findings)
    if findings.ok:
        submission = program.read_submission(Path(prediction), reference, findings)
    if not findings.ok:
        raise ValueError("\n".join(findings.lines()))
    return float(program.scores(program.measure(reference, submission, settings))["score"])
