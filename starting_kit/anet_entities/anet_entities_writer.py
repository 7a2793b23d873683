"""The writer by its earlier name; programs use ``people_in_video.anet_entities.writer``."""

from people_in_video.anet_entities.writer import AnetEntitiesWriter

__all__ = ["AnetEntitiesWriter"]
