"""The challenges: one folder each, found by looking. No list of ids is kept anywhere."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from scoring_program.result import Result
from scoring_program.settings import Setting, declared
from validator.findings import Findings

CHALLENGES_FOLDER = Path(__file__).resolve().parent / "challenges"


@dataclass(frozen=True)
class ScoreColumn:
    """A number that the scoring program writes, as the leaderboard and the detail page show it."""

    key: str
    title: str
    description: str
    sorting: str = "desc"
    precision: int = 4
    leaderboard: bool = True


class Program(Protocol):
    """What ``challenges/<id>/program.py`` offers; only it knows the challenge's file formats."""

    REFERENCE_FILES: tuple[str, ...]
    """Glob patterns of the files that make up a reference folder, settings.yaml aside."""

    def load_reference(self, folder: Path, settings: dict[str, Any], findings: Findings) -> Any:
        """Return the reference data as arrays; what is wrong with the files goes to ``findings``."""

    def read_submission(self, path: Path, reference: Any, findings: Findings) -> Any:
        """Return the validated submission as arrays; what is wrong with it goes to ``findings``."""

    def score(self, reference: Any, submission: Any, settings: dict[str, Any]) -> Result:
        """Score a valid submission."""


class Demo(Protocol):
    """What ``challenges/<id>/demo.py`` offers: synthetic data. It never goes into a bundle."""

    def write_reference(self, folder: Path) -> None:
        """Write a small demo reference."""

    def write_samples(self, reference: Path, folder: Path) -> None:
        """Write sample submissions, a folder each: ``good`` and ``weak``."""

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write ``ref/`` and ``res/`` of the real challenge's size, times ``scale``."""


@dataclass(frozen=True)
class Challenge:
    """The declaration of a challenge, from its ``challenge.yaml``, and its program."""

    id: str
    title: str
    summary: str
    columns: Sequence[ScoreColumn]
    settings: tuple[Setting, ...]
    kit_files: Sequence[str]
    """Files of ``starting_kit/`` for this task alone."""
    kit_data: Sequence[str]
    """Files of the repository that starting kits carry and scoring programs do not."""

    @property
    def folder(self) -> Path:
        """The challenge's own folder."""
        return CHALLENGES_FOLDER / self.id

    def program(self) -> Program:
        """Import the challenge's program."""
        return importlib.import_module(f"scoring_program.challenges.{self.id}.program")  # type: ignore[return-value]

    def demo(self) -> Demo:
        """Import the challenge's generator of synthetic data."""
        return importlib.import_module(f"scoring_program.challenges.{self.id}.demo")  # type: ignore[return-value]


def challenge_ids() -> list[str]:
    """Return the ids of all challenges that exist here."""
    return sorted(path.parent.name for path in CHALLENGES_FOLDER.glob("*/challenge.yaml"))


def load_challenge(challenge_id: str) -> Challenge:
    """Read the declaration of a challenge. Raises FileNotFoundError for an unknown id."""
    path = CHALLENGES_FOLDER / challenge_id / "challenge.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Challenge(
        id=challenge_id,
        title=data["title"],
        summary=data["summary"],
        columns=[ScoreColumn(**column) for column in data["columns"]],
        settings=declared(data.get("settings", {})),
        kit_files=data.get("kit_files", []),
        kit_data=data.get("kit_data", []),
    )
