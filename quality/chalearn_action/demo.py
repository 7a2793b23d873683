"""Synthetic data for this track."""

from quality.chalearn.demo import ACTION as TRACK

write_reference = TRACK.write_reference
write_samples = TRACK.write_samples
write_full_size = TRACK.write_full_size
