"""ChaLearn LAP 2014, track 2: actions. Rows are ``actor,action,first frame,last frame``."""

from challenges.chalearn import ACTION as TRACK

load_reference = TRACK.load_reference
read_submission = TRACK.read_submission
score = TRACK.score
REFERENCE_FILES = TRACK.reference_files
