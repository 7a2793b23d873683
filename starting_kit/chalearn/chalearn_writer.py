"""The writer by its earlier name; programs use ``people_in_video.chalearn.writer``."""

from people_in_video.chalearn.writer import ChalearnWriter

__all__ = ["ChalearnWriter"]
