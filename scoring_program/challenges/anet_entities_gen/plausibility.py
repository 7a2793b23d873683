"""The other readings of a submission to sub-task II."""

from __future__ import annotations

from scoring_program.challenges.anet_entities_gen.program import ReferenceWithLemmas
from scoring_program.families.anet_entities import plausibility as anet
from scoring_program.plausibility import Facet
from validator.formats.anet_entities import Grounding

facts = anet.facts


def facets(reference: ReferenceWithLemmas, submission: Grounding) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    return anet.facets(reference.annotated, submission, generated=True)
