"""Reading YAML without its traps: a key that stands twice is an error, not a silent choice."""

from __future__ import annotations

from typing import Any

import yaml


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, refusing duplicate keys."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)  # type: ignore[no-untyped-call]
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} stands twice", key_node.start_mark)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_strict(text: str) -> Any:
    """Return the data of a YAML text.

    Raises
    ------
    yaml.YAMLError
        The text is not YAML, or a mapping names a key twice.
    """
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of SafeLoader
