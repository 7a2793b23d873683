"""Reading competition.yaml of either form, Codabench's v2 or v1.5 of classic CodaLab, and reporting on it."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from organizer.bundle import COMPETITION
from organizer.bundle.words import ERRORS, WARNINGS
from validator.findings import Findings, Refused
from validator.strict_yaml import load_plain, load_strict
from validator.texts import counted, quote, some_words

TASK_DATA = ("scoring_program", "reference_data", "input_data", "ingestion_program")
DATA_KEYS = ("starting_kit", "public_data", "path", *TASK_DATA)
# The keys of files that the platform reads; it ignores them elsewhere.
_FILE_KEYS = {
    "pages": ("file",),
    "tasks": TASK_DATA,
    "phases": ("starting_kit", "public_data"),
    "solutions": ("path",),
}
LIMITS = ("max_submissions_per_day", "max_submissions")
DEFAULT_STEP = 600
# A line with a text that is not quoted and has a comment after it; the comment is the second group.
_COMMENT = re.compile(r"[\s-]*(title|name|description|reward): +[^\s\"'|>#][^#]*\s(#\S.*)")
# Words of PyYAML, and what to do.
_YAML_REMEDIES = (
    ("\\t", "write blanks instead of the tab"),
    ("it has more than", "put long texts on pages"),
    (
        "python/",
        "take out the tags that begin with !!python/: Python 2 wrote them, and nothing needs them",
    ),
    ("tag:yaml.org,2002:value", "put the = in quotes"),
    ("but found '<scalar>'", "put the whole text in quotes; in single quotes a ' is written ''"),
    ("found unknown escape character", "use single quotes, or write \\\\ for \\"),
    ("could not determine a constructor for the tag", "take out the tag, which begins with !"),
    ("expected a single document", "keep one document: take out the line --- and what does not belong here"),
    ("expected '<document start>'", "keep one document, with all keys at the same indent"),
    ("special characters are not allowed", "take out the control character"),
    ("an alias is in what it names", "take out the alias, which begins with *"),
    ("cannot start any token", "put the text that begins with this sign in quotes"),
    ("unexpected end of stream", "close the quote"),
)
_PYTHON_TAGS = (("!!", "python/unicode"), ("!!", "python/str"))
_ODD_NUMBER = re.compile(r"[-+]?(?:0[0-9_]+|0[xb][0-9a-fA-F_]+|[0-9_]+(?::[0-9]+)+(?:\.[0-9_]*)?)")
_YAML_REMEDY = 'correct the YAML; text with ": " or " #" in it, or a sign at its start, needs quotes'
# To YAML a no-break space, as copied from a page, is no blank.
_KEY_WITHOUT_BLANK = re.compile(r"[\s-]*[\w-]+:(?!//)[\S\xa0]")
_CONFLICT = "<<<<<<<"
_FORMS = {"2": "v2", "1": "v1.5", "1.5": "v1.5"}

# A mapping of competition.yaml, and the whole file.
Entry = Mapping[str, Any]
Competition = Entry


def load_schema(name: str) -> Entry:
    """Return the data of a file of ``schemas/``."""
    text = (Path(__file__).parent / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    schema: Entry = json.loads(text)
    return schema


@dataclass
class LintReport:
    """Errors make an upload or a run fail, warnings are about what is unwise."""

    errors: Findings = field(default_factory=Findings)
    warnings: Findings = field(default_factory=Findings)

    def add(self, rule: str, where: str = "", file: str = COMPETITION, **fields: object) -> None:
        """Record what breaks a rule in the words that `words` has for it, filled with fields.

        ``where`` is a JSON Pointer into competition.yaml or a place in another file.
        """
        findings = self.errors if rule in ERRORS else self.warnings
        words = ERRORS[rule] if rule in ERRORS else WARNINGS[rule]
        problem, remedy = words.problem.format(**fields), words.remedy.format(**fields)
        # Each value has a message of its own; places with the same one share it.
        findings.add(words.code, problem, remedy, file=file, where=where, rule=f"{problem}; {remedy}")

    def lines(self) -> list[str]:
        """Return all errors, then all warnings, numbered."""
        return [*(f"error {line}" for line in self.errors.lines(most=None)), *self.warning_lines()]

    def warning_lines(self, codes: tuple[str, ...] = ("",)) -> list[str]:
        """Return the warnings whose codes begin so, numbered."""
        problems = [
            problem
            for problem in self.warnings.summary().problems(None)
            if problem.first.code.startswith(codes)
        ]
        return [f"warning {number}. {problem.line()}" for number, problem in enumerate(problems, start=1)]


def refused(rule: str, where: str = "", file: str = COMPETITION, **fields: object) -> Refused:
    """Return the exception for one error; the parameters are those of `LintReport.add`."""
    report = LintReport()
    report.add(rule, where, file, **fields)
    return Refused(report.errors)


def no_yaml(error: Exception) -> Refused:
    """Return the exception for a competition.yaml that a YAML library cannot read."""
    return refused("no YAML", position_of(error), problem=yaml_problem(error), remedy=yaml_remedy(error))


class BoardColumn(NamedTuple):
    """A column of the leaderboard; ``sorting_key`` is the key of its order."""

    where: str
    key: str
    data: Entry
    sorting_key: str
    computed: bool


def is_key(text: object) -> bool:
    """Return whether a text is a key that a server gives to what it holds: a random UUID."""
    try:
        return uuid.UUID(str(text)).version == 4
    except ValueError:
        return False


def yes(value: object) -> bool:
    """Return how the platform reads a flag of competition.yaml; a missing one (None) is no."""
    return str(value).lower() in ("true", "t", "yes", "y", "on", "1")


def number(value: object) -> int:
    """Return an integer of competition.yaml, which may be text."""
    return int(float(str(value)))


def step_limit(phase: Entry) -> int:
    """Return the seconds that a step of a run may take; 0 is not unlimited."""
    return number(phase.get("execution_time_limit") or 0) or DEFAULT_STEP


def read_competition(text: bytes, report: LintReport) -> Competition | None:
    """Return the data of a competition.yaml, None if it cannot be read."""
    try:
        yaml_text = text.decode("utf-8")
        for number_of_line, line in enumerate(yaml_text.splitlines(), start=1):
            text_with_comment = _COMMENT.match(line)
            if text_with_comment:
                comment = quote(text_with_comment[2])
                report.add("comment in text", f"line {number_of_line}", comment=comment)
        yaml_text = _without_python_tags(yaml_text, report)
        try:
            data = load_strict(yaml_text)
        except yaml.constructor.ConstructorError as error:
            data = load_plain(yaml_text)  # as the platform does: the last of two equal keys wins
            report.add("key twice", position_of(error), problem=error.problem)
        for position, text_of_number, number_read in _odd_numbers(yaml_text):
            report.add("odd number", position, text=text_of_number, number=number_read)
    except UnicodeDecodeError:
        report.add("not UTF-8")
    except yaml.YAMLError as error:
        report.add("no YAML", position_of(error), problem=yaml_problem(error), remedy=yaml_remedy(error))
    else:
        if isinstance(data, dict):
            return data
        report.add("no mapping")
    return None


def _without_python_tags(text: str, report: LintReport) -> str:
    """Return YAML without the tags of texts that Python 2 wrote into dumps, which are reported once."""
    if "!!python/" not in text:
        return text
    try:
        tokens = [token for token in yaml.scan(text) if isinstance(token, yaml.TagToken)]
    except yaml.YAMLError:
        return text
    tags = [token for token in tokens if token.value in _PYTHON_TAGS]
    if tags:
        position = f"line {tags[0].start_mark.line + 1} column {tags[0].start_mark.column + 1}"
        problem = f"{counted(len(tags), 'text has a tag', 'texts have a tag')} that the site cannot read, "
        problem += f"as !!{tags[0].value[1]}"
        report.add("no YAML", position, problem=problem, remedy=_remedy_of_problem("python/"))
    for token in reversed(tags):
        text = text[: token.start_mark.index] + text[token.end_mark.index :]
    return text


@lru_cache(maxsize=8)
def _odd_numbers(text: str) -> list[tuple[str, str, object]]:
    """Return what YAML 1.1 reads as a number that nobody meant, with its place: 1:30 is 90, 010 is 8."""
    odd_numbers: list[tuple[str, str, object]] = []
    pending = [yaml.compose(text)]
    seen_ids: set[int] = set()
    while pending:
        node = pending.pop()
        if node is None or id(node) in seen_ids:
            continue
        seen_ids.add(id(node))
        if isinstance(node, yaml.MappingNode):
            pending += [value for _, value in reversed(node.value)]
        elif isinstance(node, yaml.SequenceNode):
            pending += reversed(node.value)
        elif isinstance(node, yaml.ScalarNode) and _ODD_NUMBER.fullmatch(node.value) and node.style is None:
            number_read = yaml.safe_load(node.value)
            if not isinstance(number_read, str):
                position = f"line {node.start_mark.line + 1} column {node.start_mark.column + 1}"
                odd_numbers.append((position, node.value, number_read))
    return odd_numbers


def yaml_problem(error: Exception) -> str:
    """Return what a YAML library found wrong."""
    # The second line of the error of a reader is the position.
    problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
    # "expected a single document in the stream" is its context.
    return f"{getattr(error, 'context', '')} {problem}" if problem.startswith("but ") else problem


def yaml_remedy(error: Exception) -> str:
    """Return what to do about a text that is no YAML, from what PyYAML found wrong."""
    problem = yaml_problem(error)
    if "could not find expected ':'" in problem:
        lines, _ = _lines_to(getattr(error, "context_mark", None))
        if lines and lines[-1].startswith(_CONFLICT):
            return f"settle the conflict that git has marked from line {len(lines)} on"
        return _remedy_of_colon(lines) or _YAML_REMEDY
    if "mapping values are not allowed" in problem:
        lines, column = _lines_to(getattr(error, "problem_mark", None))
        if lines and ": " in lines[-1][:column]:
            return 'put the text with ": " in it in quotes'
        return (
            _remedy_of_colon(lines[:-1])
            or 'indent a key as the others, and put text with ": " in it in quotes'
        )
    return _remedy_of_problem(problem)


def _remedy_of_colon(lines: Sequence[str]) -> str:
    """Return what to do if the last of several lines has no colon, or no blank after its colon, else ""."""
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    if not filled:
        return ""
    number = filled[-1]
    line = lines[number - 1]
    if ":" not in line:
        return f"write a colon after the key in line {number}, or indent it if it goes on with a text"
    return f"write a plain blank after the colon in line {number}" if _KEY_WITHOUT_BLANK.match(line) else ""


def _lines_to(mark: yaml.Mark | None) -> tuple[list[str], int]:
    """Return the lines of a text up to that of a mark, and the mark's column."""
    return ((mark.buffer or "").splitlines()[: mark.line + 1], mark.column) if mark else ([], 0)


def _remedy_of_problem(problem: str) -> str:
    return next((remedy for sign, remedy in _YAML_REMEDIES if sign in problem), _YAML_REMEDY)


def position_of(error: Exception) -> str:
    """Return the place of an error of a YAML library, "" if it has none; of a quote, where it opens."""
    is_open_quote = getattr(error, "context", None) == "while scanning a quoted scalar"
    mark = getattr(error, "context_mark" if is_open_quote else "problem_mark", None)
    if mark:
        return f"line {mark.line + 1} column {mark.column + 1}"
    position = getattr(error, "position", None)
    return "" if position is None else f"character {position + 1}"


def form_of(data: Competition) -> str | None:
    """Return ``v2`` or ``v1.5``, None if the platform knows no such version."""
    return _FORMS.get(str(data.get("version", "1")))


def entries_of(data: Competition, group: str) -> list[tuple[str, Entry]]:
    """Return (JSON Pointer, entry) of a list of a competition, which v1.5 writes as a mapping."""
    entries = data.get(group) or []
    pairs = entries.items() if isinstance(entries, dict) else enumerate(entries)
    return [(f"/{group}/{key}", entry) for key, entry in pairs]


def task_entries(data: Competition) -> list[tuple[str, Entry]]:
    """Return (JSON Pointer, entry) of what names programs and references: tasks, in v1.5 the phases."""
    return entries_of(data, "tasks" if form_of(data) == "v2" else "phases")


def sorted_phases(data: Competition) -> list[tuple[str, Entry]]:
    """Return (JSON Pointer, phase) of a competition in the platform's order."""
    phases = entries_of(data, "phases")
    key = "index" if form_of(data) == "v2" else "phasenumber"
    values = [phase.get(key) for _, phase in phases]
    positions = range(len(phases))
    if all(isinstance(value, str) for value in values):
        # Text in its order: "10" comes before "9".
        order = sorted(positions, key=lambda position: str(values[position]))
    else:
        numbers = [position if value is None else number(value) for position, value in enumerate(values)]
        order = sorted(positions, key=lambda position: numbers[position])
    return [phases[position] for position in order]


def named_files(data: Competition) -> Iterator[tuple[str, str, str]]:
    """Yield (JSON Pointer, name of the file, key that names it) of every file of competition.yaml."""
    for key in ("image", "terms"):
        if key in data:
            yield f"/{key}", data[key], key
    for key, name in data.get("html", {}).items():
        yield f"/html/{key}", name, "file"
    for group, keys in _FILE_KEYS.items():
        if group == "phases" and form_of(data) == "v1.5":
            keys = (*keys, *TASK_DATA)
        for where, entry in entries_of(data, group):
            for key in keys:
                if key in entry:
                    yield f"{where}/{key}", entry[key], key


def check_unique(rule: str, values: Sequence[Hashable], where: str, name: str, report: LintReport) -> None:
    """Report values that occur more than once, by a rule of `words`."""
    repeated_values = [str(value) for value, count in Counter(values).items() if count > 1]
    if repeated_values:
        report.add(rule, where, name=name, value=some_words(repeated_values))


def check_types(values: Sequence[object], where: str, name: str, report: LintReport) -> None:
    """Report values that the platform sorts by and that are numbers in some places and text in others."""
    if len({isinstance(value, str) for value in values}) > 1:
        report.add("types of an order", where, name=name)
