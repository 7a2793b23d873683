"""Synthetic data for this sub-task."""

from functools import partial

from quality.anet_entities import demo as anet_demo

write_reference = partial(anet_demo.write_reference, generated=False)
write_samples = partial(anet_demo.write_samples, generated=False)
write_full_size = partial(anet_demo.write_full_size, generated=False)
