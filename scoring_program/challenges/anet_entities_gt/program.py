"""ActivityNet-Entities, sub-task I: grounding the words of given sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring_program.families.anet_entities import grounded as anet
from scoring_program.families.anet_entities.reference import Reference
from validator.findings import Findings
from validator.formats.anet_entities import Grounding

REFERENCE_FILES = anet.REFERENCE_FILES
load_reference = anet.load_reference
check_reference = anet.check_reference
score = anet.score_given


def read_submission(path: Path, reference: Reference, findings: Findings) -> Grounding | None:
    """Check the submission; None after a problem."""
    return anet.read_submission("anet_entities_gt", path, findings)


def prepare_reference(
    source: Path, output: Path, settings: dict[str, Any], options: dict[str, Any], findings: Findings
) -> None:
    """Write the reference as arrays."""
    anet.prepare_reference(source, output, settings, options, findings)
