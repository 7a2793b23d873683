"""The other readings of a submission to sub-task II."""

from __future__ import annotations

import numpy as np

from scoring_program.challenges.anet_entities_gen.program import ReferenceWithLemmas
from scoring_program.families.anet_entities import plausibility as anet
from scoring_program.plausibility import Facet
from validator.findings import Note, counted
from validator.formats.anet_entities import Grounding

# A sentence may well speak of two dogs, but not many do.
_MOST_REPEATED = 0.1


def facts(submission: Grounding) -> list[Note]:
    """Return notes that need no reference."""
    return [*anet.facts(submission), *_repeated(submission)]


def _repeated(submission: Grounding) -> list[Note]:
    """Return a note if many objects have a class that their segment had before, which precision rewards."""
    n = len(submission.segment)
    repeated = n - np.unique(np.stack([submission.segment, submission.label]), axis=1).shape[1]
    if repeated <= _MOST_REPEATED * n:
        return []
    text = f"{counted(repeated, 'object')} of {n:,} repeat a class of their segment"
    return [Note("N-REPEATED", f"{text}. Precision counts each, recall the first only")]


def facets(reference: ReferenceWithLemmas, submission: Grounding) -> list[Facet]:
    """Return what to compare with the reference, in the order of scoring."""
    return anet.facets(reference.annotated, submission, generated=True)
