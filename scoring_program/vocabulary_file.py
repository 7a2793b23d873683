"""Reading ``vocabulary.json`` of a reference folder, for organizers and tasks whose submissions are JSON."""

from __future__ import annotations

import io
from pathlib import Path

from scoring_program.signature import VOCABULARY_FILE
from validator.formats.rules import JsonFile
from validator.json_reader import as_dict, read_json

_SCHEMA = Path(__file__).with_name("vocabulary.schema.json")


def read_vocabulary(folder: Path) -> dict[str, list[str]]:
    """Return the names of each kind in a reference folder, none if it has no such file. Raises Refused."""
    path = folder / VOCABULARY_FILE
    return parse_vocabulary(path.read_bytes()) if path.is_file() else {}


def parse_vocabulary(data: bytes) -> dict[str, list[str]]:
    """Return the names of each kind in the content of the file. Raises Refused."""
    file = JsonFile(VOCABULARY_FILE, _SCHEMA)
    vocabulary, _ = read_json(io.BytesIO(data).read, VOCABULARY_FILE, file, as_dict).content
    return {kind: list(names) for kind, names in vocabulary.items()}
