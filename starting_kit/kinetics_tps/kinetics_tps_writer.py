"""The writer by its earlier name; programs use ``people_in_video.kinetics_tps.writer``."""

from people_in_video.kinetics_tps.writer import KineticsTPSWriter

__all__ = ["KineticsTPSWriter"]
