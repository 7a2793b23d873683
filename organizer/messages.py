"""The page of all messages, ``docs/messages.md``, made from the tables of codes of all packages."""

from __future__ import annotations

from organizer import ROOT
from organizer.files import write_durable
from validator.message_codes import CodeTable, MessageCode, code_tables

PAGE = ROOT / "docs" / "messages.md"
_INTRODUCTION = """\
# Messages

Every message begins with a code. `E-` is an error: nothing was scored. `N-` is a note: something was
accepted, or looks like a mistake. `R-` is a warning about the content of a reference. `L-` comes from the
linter of bundles. A line of a log says what is wrong, how to fix it, and then where: one problem in many
places, or in many files, is one line with their number and the first of them.

`.venv/bin/python -m organizer messages` writes this page from the tables in the packages, each a `codes.py`.
"""
_MISTAKES = "These tell of a likely mistake. Logs and pages show them first, set off from the others.\n"
_OTHER_NOTES = "The others tell what was accepted, left out, or counted.\n"
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


def messages_command() -> int:
    """Write the page of all messages; return the exit code."""
    write_durable(PAGE, messages_page())
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


def messages_page() -> str:
    """Return the page of all messages, in Markdown."""
    paragraphs = [_INTRODUCTION]
    for part in CodeTable._fields:
        title, introduction = _PARTS[part]
        codes = _codes_of_part(part)
        mistakes = [code for code in codes if code.is_mistake]
        paragraphs += [f"## {title}\n", introduction]
        if mistakes:
            paragraphs += [_MISTAKES, _markdown_table(mistakes), _OTHER_NOTES]
        paragraphs.append(_markdown_table([code for code in codes if not code.is_mistake]))
    return "\n".join(filter(None, paragraphs))


def _codes_of_part(part: str) -> list[MessageCode]:
    """Return the codes of all packages in one part, in ascending order."""
    codes: list[MessageCode] = []
    for table in code_tables().values():
        codes += getattr(table, part)
    return sorted(codes)


def _markdown_table(codes: list[MessageCode]) -> str:
    rows = [f"| `{code.code}` | {code.meaning} | {code.remedy} |" for code in codes]
    return "\n".join(["| code | what it means | what to do |", "|---|---|---|", *rows, ""])
