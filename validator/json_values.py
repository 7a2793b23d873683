"""The values of a long JSON list that another tool wrote, one by one, without a schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from validator.findings import Findings
from validator.json_columns import JsonValue
from validator.json_list_reader import ListReader
from validator.json_reader import ANYTHING, Budget, Cursor


def iter_list(stream: Callable[[int], bytes], name: str) -> Iterator[JsonValue]:
    """Yield the values of a list that another tool wrote, without a schema.

    ``stream`` is that of `read_list`. Raises Refused as `strict_loads`.
    """
    with Findings.collect() as findings:
        reader = _ValueReader(Cursor(stream, name, findings), name, ANYTHING, Budget(), findings)
        yield from reader.values_of_list()


class _ValueReader(ListReader):
    """Reads the values of a list whatever they are."""

    def values_of_list(self) -> Iterator[JsonValue]:
        """Yield the values of a list without a schema. Raises Refused."""
        try:
            for entry in self.items_of_file():
                value = self._marked_value(entry, f"/{entry.key}", None)
                self._findings.refuse_problems()
                yield value
        except (json.JSONDecodeError, RecursionError) as error:
            self._refuse(error)
