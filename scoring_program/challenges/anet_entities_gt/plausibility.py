"""The other readings of a submission to sub-task I."""

from __future__ import annotations

from scoring_program.families.anet_entities import plausibility as anet
from scoring_program.families.anet_entities.files import Reference
from scoring_program.plausibility import Facet
from validator.formats.anet_entities import Grounding

facts = anet.facts


def facets(reference: Reference, submission: Grounding) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    return anet.facets(reference, submission, generated=False)
