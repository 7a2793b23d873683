"""The sections of the detail page."""

from functools import partial

from scoring_program.challenges.chalearn_gesture.program import TRACK
from scoring_program.families.chalearn.detail import track_sections

sections = partial(track_sections, TRACK)
