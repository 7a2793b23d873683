"""The vocabulary of a reference: all names of its classes, parts and states, whether they occur in it or not.

What organizers give is checked and copied. Kinds that they do not give are those that everybody knows, and
otherwise those that occur in the reference, which participants then see in messages.
"""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from organizer.files import json_bytes, write_durable
from people_in_video.references.preparation import names_of_reference
from scoring_program.scoring import AnyLoaded
from scoring_program.signature import VOCABULARY_FILE
from scoring_program.task import Vocabulary
from scoring_program.vocabulary_file import parse_vocabulary, read_vocabulary
from validator.findings import Findings, Note
from validator.strict_yaml import load_strict
from validator.texts import counted, quote, some_words

_YAML_ENDINGS = (".yaml", ".yml")


def copy_vocabulary(path: Path, folder: Path) -> None:
    """Check a vocabulary, a YAML or JSON file, and write it into a reference folder. Raises Refused."""
    if not path.is_file():
        Findings().refuse("E-REF-VOCABULARY", "there is no such file", "check the path", file=str(path))
    data = path.read_bytes()
    if path.suffix in _YAML_ENDINGS:
        data = _yaml_as_json(path)
    write_durable(folder / VOCABULARY_FILE, _encode(parse_vocabulary(data)))


def _yaml_as_json(path: Path) -> bytes:
    """Return the content of a YAML file as JSON. Raises Refused."""
    try:
        content = load_strict(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1} column {mark.column + 1}" if mark else ""
        remedy = 'write lines like "state: [none, touch]"'
        problem = "this is not valid YAML"
        Findings().refuse("E-REF-VOCABULARY", problem, remedy, file=str(path), where=where)
    return json.dumps(content, default=str).encode()


def check_kinds(loaded: AnyLoaded, folder: Path, file_name: str) -> None:
    """Refuse names that a reference folder was given and that its task would ignore. Raises Refused.

    ``file_name`` is that of the organizers' file.
    """
    kinds = names_of_reference(loaded.task, loaded.reference).keys()
    fixed_names = {} if kinds else loaded.public.vocabulary
    with Findings.collect() as findings:
        for kind, names in read_vocabulary(folder).items():
            if kind in kinds or names == list(fixed_names.get(kind, ())):
                continue
            problem = "this task takes no names from a file: they belong to it"
            remedy = "leave them out; other names need another task, see docs/new_task.md"
            if kinds:
                problem = "there is no such kind of names"
                remedy = f"kinds of this task are {', '.join(kinds)}: correct it or leave it out"
            place = {"file": file_name, "where": f"/{quote(kind)}", "rule": kind}
            findings.add("E-REF-VOCABULARY", problem, remedy, **place)


def complete_vocabulary(loaded: AnyLoaded, folder: Path) -> list[Note]:
    """Write the vocabulary of a reference with all kinds of names into ``folder``. Raises Refused.

    A name of the reference that the vocabulary lacks is a problem: messages would call it unknown.
    """
    reference_names = names_of_reference(loaded.task, loaded.reference)
    vocabulary = loaded.public.vocabulary
    _check_names(vocabulary, reference_names)
    notes = []
    for kind, names in _missing_kinds(vocabulary, loaded).items():
        text = f"{VOCABULARY_FILE} lists the {counted(len(names), 'name')} of kind {kind} that occur in "
        text += "the reference, which messages show to participants. Give all names with --vocabulary"
        notes.append(Note("N-REF-VOCABULARY", text))
    content = vocabulary_file(loaded)
    if content:
        write_durable(folder / VOCABULARY_FILE, content)
    return notes


def vocabulary_file(loaded: AnyLoaded) -> bytes:
    """Return ``vocabulary.json`` with all kinds of names of a reference, b"" if there are none.

    Raises Refused.
    """
    vocabulary = {**loaded.public.vocabulary, **_missing_kinds(loaded.public.vocabulary, loaded)}
    return _encode(vocabulary) if vocabulary else b""


def _missing_kinds(vocabulary: Vocabulary, loaded: AnyLoaded) -> dict[str, list[str]]:
    """Return the names that occur in the reference of each kind that a vocabulary lacks."""
    missing_names = {}
    for kind, names in names_of_reference(loaded.task, loaded.reference).items():
        if kind not in vocabulary and names:
            missing_names[kind] = sorted(names)
    return missing_names


def _check_names(vocabulary: Vocabulary, reference_names: Vocabulary) -> None:
    """Refuse a vocabulary that lacks names of the reference."""
    with Findings.collect() as findings:
        for kind in sorted(vocabulary.keys() & reference_names.keys()):
            missing_names = sorted(set(reference_names[kind]).difference(vocabulary[kind]))
            if missing_names:
                words = [f"'{quote(name)}'" for name in missing_names]
                problem = f"names of the reference are missing: {some_words(words)}"
                remedy = "add or correct them"
                findings.add(
                    "E-REF-VOCABULARY", problem, remedy, file=VOCABULARY_FILE, where=f"/{kind}", rule=kind
                )


def _encode(vocabulary: Vocabulary) -> bytes:
    """Return a vocabulary as JSON, each kind on a line."""
    return json_bytes({kind: list(names) for kind, names in vocabulary.items()})
