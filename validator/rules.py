"""Reading the rules file of a challenge: what its submissions must look like, declared as data.

A rules file is at ``validator/rules/<id>.yaml``; ``load_rules`` is the only reader. Adding a challenge
means adding such a file: the ids are those of the files that exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from validator.archive import Limits
from validator.strict_yaml import YamlValue, load_strict

RULES_FOLDER = Path(__file__).parent / "rules"


@dataclass(frozen=True)
class Column:
    """An integer column: its name as messages use it, and its range (both ends allowed)."""

    name: str
    min: int
    max: int | None = None


@dataclass(frozen=True)
class CsvRules:
    """Rules of a family of CSV files, one an ``item``: ``name`` holds ``{key}``, as ``{key}_prediction.csv``.

    ``order`` lists pairs of column names, left <= right in each row. ``first_and_last`` names the two columns
    that span frames: the first must be within the item's frames, the last is cut to them.
    """

    name: str
    columns: tuple[Column, ...]
    item: str = "item"
    also_named: tuple[str, ...] = ()
    order: tuple[tuple[str, str], ...] = ()
    first_and_last: tuple[str, str] | None = None
    extra_columns: bool = False

    def index(self, column: str) -> int:
        """Return the position of the column of this name."""
        return [known.name for known in self.columns].index(column)


@dataclass(frozen=True)
class JsonRules:
    """JSON files that a submission must hold, and the module of ``validator/formats`` that reads them.

    A name may hold ``*``. With ``any_single`` a submission with one JSON file of another name is accepted. A
    file has at most as many ``entries`` (videos, detections), and as many ``values`` at all depths if it is
    read at once. ``mode`` and ``schema`` (a file of ``validator/schemas``) are for formats that several
    challenges use.
    """

    format: str
    files: tuple[str, ...]
    entries: int
    values: int | None = None
    any_single: bool = False
    mode: str = ""
    schema: str = ""


@dataclass(frozen=True)
class TableColumn:
    """A column of a CSV file with a header.

    ``type`` is ``text``, ``integer`` or ``decimal``, the numbers with a range (both ends allowed). A column
    with ``labels`` holds one of these in each row.
    """

    name: str
    type: str = "text"
    labels: tuple[str, ...] = ()
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class TableRules:
    """Rules of one CSV file with a header: the name of its first column is that of the key.

    Commas and line ends together may be as many as ``values``.
    """

    file: str
    columns: tuple[TableColumn, ...]
    values: int = 20_000_000

    @property
    def key(self) -> str:
        """The name of the key column."""
        return self.columns[0].name


@dataclass(frozen=True)
class Rules:
    """Everything that a submission to one challenge is checked against: ``csv``, ``tables`` or ``json`` is
    there."""

    id: str
    limits: Limits
    csv: CsvRules | None = None
    tables: tuple[TableRules, ...] = ()
    json: JsonRules | None = None

    @property
    def named_files(self) -> Sequence[str]:
        """The files that a submission must hold, unless they are one for each item (``csv``)."""
        return self.json.files if self.json else [table.file for table in self.tables]


def known_ids() -> list[str]:
    """Return the ids of the challenges that have a rules file."""
    return sorted(path.stem for path in RULES_FOLDER.glob("*.yaml"))


def load_rules(challenge_id: str) -> Rules:
    """Read the rules of a challenge. Raises FileNotFoundError for an unknown id."""
    data = load_strict((RULES_FOLDER / f"{challenge_id}.yaml").read_text(encoding="utf-8"))
    limits = Limits(**data["limits"])
    if "csv" in data:
        return Rules(challenge_id, limits, csv=parse_csv_rules(data["csv"]))
    if "tables" in data:
        return Rules(challenge_id, limits, tables=tuple(map(_table_rules, data["tables"])))
    files = tuple(data["json"].pop("files"))
    return Rules(challenge_id, limits, json=JsonRules(**data["json"], files=files))


def load_csv_rules(challenge_id: str) -> CsvRules:
    """Read the CSV rules of a challenge that has some."""
    rules = load_rules(challenge_id).csv
    if rules is None:
        raise ValueError(f"{challenge_id} has no CSV files")
    return rules


def parse_csv_rules(data: dict[str, YamlValue]) -> CsvRules:
    """Turn the ``csv`` part of a rules file into `CsvRules`. Raises TypeError for an unknown key."""
    columns = tuple(Column(**column) for column in data.pop("columns"))
    also_named, order = tuple(data.pop("also_named", ())), tuple(map(tuple, data.pop("order", ())))
    first_and_last = tuple(data.pop("first_and_last", ())) or None
    return CsvRules(
        columns=columns, also_named=also_named, order=order, first_and_last=first_and_last, **data
    )


def _table_rules(data: dict[str, YamlValue]) -> TableRules:
    columns = [
        TableColumn(**{**column, "labels": tuple(column.get("labels", ()))}) for column in data["columns"]
    ]
    for column in columns:
        if column.type not in ("text", "integer", "decimal"):
            raise ValueError(
                f"{data['file']}: there is no type {column.type}; write text, integer or decimal"
            )
    if columns[0].labels or columns[0].type != "text":
        raise ValueError(f"{data['file']}: the first column is the key, so it is text")
    return TableRules(**{**data, "columns": tuple(columns)})
