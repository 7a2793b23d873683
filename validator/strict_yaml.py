"""Reading YAML without its traps: a duplicate key is an error, not a silent choice."""

from __future__ import annotations

from typing import Any

import yaml

# A value that was read from YAML.
YamlValue = Any

# A megabyte of YAML takes seconds to read, and no file of ours comes near this size.
_MOST_CHARACTERS = 1 << 17
# Versions of Python differ in how many digits they read.
_LARGEST_INTEGER = 2**63


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, refusing duplicate keys and values that cannot be read."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> YamlValue:
        """Return the value of a node; a problem has the place of the node."""
        try:
            value = super().construct_object(node, deep)  # type: ignore[no-untyped-call]
            if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
                raise ValueError
        # 2020-99-99 and !!int abc, a list as a key, !!bool abc, !!timestamp abc
        except (ValueError, TypeError, KeyError, AttributeError):
            raise yaml.constructor.ConstructorError(
                None, None, "this value cannot be read", node.start_mark
            ) from None
        return value


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[YamlValue, YamlValue]:
    seen = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} occurs twice", key_node.start_mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_strict(text: str) -> YamlValue:
    """Return the data of a YAML text.

    Raises
    ------
    yaml.YAMLError
        The text is too long, not YAML, or nested too deep, has a value that cannot be read, or names a key
        twice.
    """
    if len(text) > _MOST_CHARACTERS:
        raise yaml.MarkedYAMLError(problem=f"it has more than {_MOST_CHARACTERS:,} characters")
    try:
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of SafeLoader
    except RecursionError:
        raise yaml.constructor.ConstructorError(None, None, "it is nested too deep") from None
