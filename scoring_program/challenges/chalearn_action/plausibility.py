"""The other readings of a submission to this track."""

from scoring_program.families.chalearn import plausibility as chalearn

facts = chalearn.facts
facets = chalearn.facets
