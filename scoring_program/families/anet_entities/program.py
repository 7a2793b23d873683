"""What the programs of both sub-tasks share: reading both sides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from scoring_program.challenge import Program, Settings
from scoring_program.families.anet_entities import files
from scoring_program.result import Statistics
from validator.check import check_submission
from validator.findings import Findings
from validator.formats.anet_entities import Grounding
from validator.rules import load_rules

ReferenceT = TypeVar("ReferenceT")
StatisticsT = TypeVar("StatisticsT", bound=Statistics)


class EntitiesProgram(Program[ReferenceT, Grounding, StatisticsT], Generic[ReferenceT, StatisticsT]):
    """Reads and prepares the annotations; a subclass says what it measures."""

    reference_files = ("*.json", files.PREPARED_FILE, files.LEMMATIZER_FILE)
    challenge_id: str

    def read_submission(self, path: Path, reference: ReferenceT, findings: Findings) -> Grounding | None:
        """Check and read the JSON file."""
        return check_submission(path, load_rules(self.challenge_id), findings)  # type: ignore[no-any-return]

    def prepare_reference(
        self, source: Path, output: Path, settings: Settings, options: Mapping[str, Any], findings: Findings
    ) -> bool:
        """Write the annotations as arrays."""
        files.prepare(source, output, settings, findings)
        return True
