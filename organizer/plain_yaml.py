"""Reading YAML as platforms do: of equal keys the last one counts."""

from __future__ import annotations

import yaml

from validator.strict_yaml import StrictLoader, YamlValue, load_strict


class _PlainLoader(StrictLoader):
    """The strict loader, which takes keys that occur twice."""


def _mapping(loader: _PlainLoader, node: yaml.MappingNode) -> dict[YamlValue, YamlValue]:
    return loader.construct_mapping(node, deep=True)


_PlainLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_plain(text: str) -> YamlValue:
    """Return the data of a YAML text. Raises yaml.YAMLError as `load_strict`."""
    return load_strict(text, _PlainLoader)
