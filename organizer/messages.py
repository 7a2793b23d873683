"""Pages of messages: `docs/messages.md` of all, and that of kits, made from the tables of codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from organizer import ROOT
from organizer.files import write_durable
from validator.codes import CodeTable, MessageCode, code_tables
from validator.findings import LIKELY_MISTAKES

PAGE = ROOT / "docs" / "messages.md"
_INTRODUCTION = """\
# Messages

Every message begins with a code. `E-` is an error: nothing was scored. `N-` is a note: something was
accepted, or looks like a mistake. `R-` is a warning about the content of a reference. `L-` comes from the
linter of bundles. A line of a log says what is wrong, how to fix it, and then where: one problem in many
places, or in many files, is one line with their number and the first of them.

`.venv/bin/python -m organizer messages` writes this page from the tables in the packages, each a `codes.py`.
"""
_INTRODUCTION_OF_KITS = """\
# Messages

Every message begins with a code. `E-` is an error: nothing was scored. `N-` is a note: something was
accepted, or looks like a mistake. A line says what is wrong, how to fix it, and then where: one problem in
many places, or in many files, is one line with their number and the first of them.

`people-in-video explain CODE` prints what a code means.
"""
_MISTAKES = "These report a likely mistake. Logs and pages show them first, set off from the others.\n"
_OTHER_NOTES = "The others say what was accepted, left out, or counted.\n"
# For each part of the tables: its title, and a paragraph or "".
_PARTS = {
    "submission_errors": ("Errors in a submission", ""),
    "other_errors": ("Errors of the reference, the settings or the platform", ""),
    "reference_warnings": (
        "Warnings about the content of a reference",
        "Warnings do not stop a command. `prepare`, `bundle`, `lint-bundle`, `dry-run` and the overview\n"
        "show them to the organizer.\n",
    ),
    "notes": ("Notes", ""),
    "linter": ("The linter of bundles", ""),
}
# Warnings about references and the linter are for organizers.
_PARTS_OF_KITS = ("submission_errors", "notes", "other_errors")


def messages_command() -> int:
    """Write the page of all messages; return the exit code."""
    write_durable(PAGE, messages_page())
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


def messages_page() -> str:
    """Return the page of all messages, in Markdown."""
    return _page(_INTRODUCTION, code_tables().values(), CodeTable._fields)


def kit_messages_page(challenges: Iterable[str]) -> str:
    """Return the page of the messages that participants meet in tasks of these challenges, in Markdown."""
    places = {f".{challenge}." for challenge in challenges}
    tables = []
    for module, table in code_tables().items():
        package, *inside = module.split(".")
        is_of_all_tasks = len(inside) == 1
        if package != "organizer" and (is_of_all_tasks or any(place in module for place in places)):
            tables.append(table)
    return _page(_INTRODUCTION_OF_KITS, tables, _PARTS_OF_KITS)


def _page(introduction: str, tables: Iterable[CodeTable], parts: Sequence[str]) -> str:
    tables = list(tables)
    paragraphs = [introduction]
    for part in parts:
        title, introduction_of_part = _PARTS[part]
        codes = _codes_of_part(tables, part)
        mistakes = [code for code in codes if code.code in LIKELY_MISTAKES]
        paragraphs += [f"## {title}\n", introduction_of_part]
        if mistakes:
            paragraphs += [_MISTAKES, _markdown_table(mistakes), _OTHER_NOTES]
        paragraphs.append(_markdown_table([code for code in codes if code not in mistakes]))
    return "\n".join(filter(None, paragraphs))


def _codes_of_part(tables: Iterable[CodeTable], part: str) -> list[MessageCode]:
    """Return the codes of one part of tables, in ascending order."""
    codes: list[MessageCode] = []
    for table in tables:
        codes += getattr(table, part)
    return sorted(codes)


def _markdown_table(codes: list[MessageCode]) -> str:
    rows = [f"| `{code.code}` | {code.meaning} | {code.remedy} |" for code in codes]
    return "\n".join(["| code | what it means | what to do |", "|---|---|---|", *rows, ""])
