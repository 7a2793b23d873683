"""ChaLearn LAP 2014, track 3: gestures. Rows are ``gesture,first frame,last frame``."""

from scoring_program.families.chalearn.files import Track
from scoring_program.families.chalearn.program import TrackProgram

CLASSES = (
    *("vattene", "vieniqui", "perfetto", "furbo", "cheduepalle"),
    *("chevuoi", "daccordo", "seipazzo", "combinato", "freganiente"),
    *("ok", "cosatifarei", "basta", "prendere", "noncenepiu"),
    *("fame", "tantotempo", "buonissimo", "messidaccordo", "sonostufo"),
)
TRACK = Track("chalearn_gesture", "gesture", CLASSES, n_actors=1)
PROGRAM = TrackProgram(TRACK)
