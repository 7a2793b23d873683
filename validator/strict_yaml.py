"""Reading YAML without its traps: no large aliases, no deep nesting; a duplicate key is an error."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import yaml

# A value that was read from YAML.
YamlValue = Any

# A megabyte of YAML takes seconds to read, and no file of ours comes near this size.
_MOST_CHARACTERS = 1 << 17
# Versions of Python differ in how many digits they read.
_LARGEST_INTEGER = 2**63
# Every level takes several calls.
_DEEPEST = 50
# What aliases stand for: they multiply where they are nested.
_MOST_ALIASED = 10_000
# The tag of the key <<, whose value is merged into a mapping.
_MERGE_TAG = "tag:yaml.org,2002:merge"


class _PlainLoader(yaml.SafeLoader):
    """The safe loader, refusing aliases without end, deep nesting, and values that cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._nodes = self._aliased = 0
        self._nodes_of_anchor: dict[str, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        anchor = getattr(event, "anchor", None) or ""
        nodes_before = self._nodes
        if isinstance(event, yaml.events.AliasEvent):
            if anchor in self.anchors and anchor not in self._nodes_of_anchor:
                raise yaml.composer.ComposerError(None, None, "an alias is in what it names", mark)
            n_aliased = self._nodes_of_anchor.get(anchor, 0)
            self._nodes += n_aliased
            self._aliased += n_aliased
        if self._aliased > _MOST_ALIASED:
            raise yaml.composer.ComposerError(None, None, "its aliases stand for too much", mark)
        if self._depth > _DEEPEST:
            raise yaml.composer.ComposerError(None, None, "it is nested too deep", mark)
        self._depth += 1
        self._nodes += 1
        node: yaml.Node | None = super().compose_node(parent, index)  # type: ignore[no-untyped-call]
        self._depth -= 1
        if anchor:
            self._nodes_of_anchor.setdefault(anchor, self._nodes - nodes_before)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> YamlValue:
        """Return the value of a node; a problem has the place of the node."""
        try:
            value = super().construct_object(node, deep)  # type: ignore[no-untyped-call]
            if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
                raise ValueError
        # 2020-99-99 and !!int abc, a list as a key, !!bool abc, !!timestamp abc, !!int ""
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            raise _error("this value cannot be read", node) from None
        return value


def _error(problem: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


class _StrictLoader(_PlainLoader):
    """The same, refusing duplicate keys."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[YamlValue, YamlValue]:
    seen_keys = set()
    for key_node, _ in node.value:
        if key_node.tag == _MERGE_TAG:
            continue
        key = loader.construct_object(key_node, deep=True)
        if key in seen_keys:
            raise _error(f"the key {key!r} occurs twice", key_node)
        seen_keys.add(key)
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
    # Callers may change what they get.
    return copy.deepcopy(_load(text, _StrictLoader))


def load_plain(text: str) -> YamlValue:
    """Return the data of a YAML text as platforms read it: of equal keys the last one counts.

    Raises yaml.YAMLError as `load_strict`.
    """
    return copy.deepcopy(_load(text, _PlainLoader))


@lru_cache(maxsize=8)
def _load(text: str, loader: Any) -> YamlValue:
    """Return the data, which are kept: commands read a competition.yaml several times."""
    if len(text) > _MOST_CHARACTERS:
        raise yaml.MarkedYAMLError(problem=f"it has more than {_MOST_CHARACTERS:,} characters")
    return yaml.load(text, Loader=loader)  # noqa: S506 - a subclass of SafeLoader
