"""What tests and tools try on this track."""

from scoring_program.families.chalearn.trials import TrackTrials

TRIALS = TrackTrials("", 20)
