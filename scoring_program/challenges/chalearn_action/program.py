"""ChaLearn LAP 2014, track 2: actions. Rows are ``actor,action,first frame,last frame``."""

from scoring_program.families.chalearn.files import Track
from scoring_program.families.chalearn.program import TrackProgram

CLASSES = (
    *("wave", "point", "clap", "crouch", "jump"),
    *("walk", "run", "shake hands", "hug", "kiss"),
    "fight",
)
TRACK = Track("chalearn_action", "action", CLASSES, n_actors=2)
PROGRAM = TrackProgram(TRACK)
