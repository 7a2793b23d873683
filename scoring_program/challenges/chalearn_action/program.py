"""ChaLearn LAP 2014, track 2: actions. Rows are ``actor,action,first frame,last frame``."""

from scoring_program.families.chalearn.track import ACTION as TRACK

load_reference = TRACK.load_reference
read_submission = TRACK.read_submission
score = TRACK.score
REFERENCE_FILES = TRACK.reference_files
