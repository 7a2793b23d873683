"""One JSON object that maps the key of each item to a label or a number, as the schema of the rules says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.archive import Submission
from validator.findings import Findings
from validator.json_files import JsonForm, as_dict, load_schema, read_json
from validator.keys import match_keys
from validator.rules import Rules
from validator.strict_json import pointer_part
from validator.tables import Table, table_facts

VALUE = "value"


def labels(rules: Rules) -> tuple[str, ...]:
    """Return the labels that the schema allows, in its order; empty for numbers."""
    return tuple(load_schema(_form(rules).schema)["additionalProperties"].get("enum", ()))


def read(
    submission: Submission,
    files: dict[str, str],
    rules: Rules,
    findings: Findings,
    reference_keys: Sequence[str] | None = None,
    name_missing: bool = False,
) -> dict[str, Table | None]:
    """Read the one file of a submission; the last two arguments are those of `validator.keys.match_keys`."""
    ((declared, name),) = files.items()
    return {declared: read_object(submission.read(name), name, rules, findings, reference_keys, name_missing)}


def read_object(
    data: bytes,
    name: str,
    rules: Rules,
    findings: Findings,
    reference_keys: Sequence[str] | None = None,
    name_missing: bool = False,
) -> Table | None:
    """Return the column `VALUE` (labels as int64 numbers in the schema's order, or float64); None after a
    problem."""
    content = read_json(data, name, _form(rules), findings, as_dict)
    if content is None:
        return None
    entries, keys = content[0], list(content[0])
    number = {label: index for index, label in enumerate(labels(rules))}
    values = np.array([number[value] for value in entries.values()] if number else list(entries.values()))
    values = values.astype(np.int64 if number else np.float64)
    if reference_keys is None:
        return Table(keys, {VALUE: values})
    before = findings.total
    order = match_keys(
        keys, reference_keys, name, lambda index: f"/{pointer_part(keys[index])}", findings, name_missing
    )
    return Table(list(reference_keys), {VALUE: values[order]}) if findings.total == before else None


facts = table_facts


def _form(rules: Rules) -> JsonForm:
    assert rules.json is not None  # noqa: S101 - these rules are for JSON
    return JsonForm(rules.json.schema, "", rules.json.entries, rules.json.values)
