"""The sections of the detail page."""

from functools import partial

from scoring_program.challenges.chalearn_action.program import TRACK
from scoring_program.families.chalearn.detail import track_sections

sections = partial(track_sections, TRACK)
