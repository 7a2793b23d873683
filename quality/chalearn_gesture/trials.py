"""What tests and tools try on this track."""

from quality.chalearn.trials import TrackTrials

TRIALS = TrackTrials("", 20)
