"""The page of commands, `docs/commands.md`: made from the parsers and from the comments of the Makefile."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from importlib import import_module

from organizer.__main__ import COMMANDS
from organizer.files import write_durable
from people_in_video.__main__ import COMMANDS as KIT_COMMANDS
from quality import ROOT
from quality.__main__ import command_parsers

PAGE = ROOT / "docs" / "commands.md"
_HEAD = """\
# Commands

`.venv/bin/python -m quality commands` writes this page from the parsers and from the Makefile.

## Makefile

| command | what it does |
|---|---|
"""
_ORGANIZER = """
## For organizers

`organizer COMMAND` is short for `.venv/bin/python -m organizer COMMAND`; `make demo` installs what it needs.
Exit codes: 0 done; 1 the input is refused; 2 the command cannot be understood, or the disk, the memory or
another program does not do its part; 130 Ctrl-C.

| command | what it does |
|---|---|
"""
_KIT = """
## For participants

`people-in-video COMMAND`, or in this repository `.venv/bin/python -m people_in_video COMMAND`; `--help` shows
the options. The [README of the kit](../starting_kit/README.md) describes them. `.venv/bin/python -m validator
ID my.zip` checks a submission, too.

| command | what it does |
|---|---|
"""
_QUALITY = """
## For maintainers

Run these as `.venv/bin/python -m quality COMMAND`.

| command | what it does |
|---|---|
"""


def commands_command() -> int:
    """Write the page; return the exit code."""
    write_durable(PAGE, commands_page())
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


def commands_page() -> str:
    """Return the page in Markdown."""
    lines = [_HEAD + "\n".join(_makefile_rows())]
    lines.append(_ORGANIZER + "\n".join(_row(name, COMMANDS[name]) for name in COMMANDS))
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"organizer.commands.{name.replace('-', '_')}").add_options(parser)
        if arguments := _arguments_of(parser):
            lines.append("\n".join(_options_lines(name, arguments)))
    lines.append(_KIT + "\n".join(_row(name, text) for name, text in KIT_COMMANDS.items()))
    lines.append(_QUALITY + "\n".join(_quality_rows()))
    return "\n".join(lines) + "\n"


def _makefile_rows() -> Iterator[str]:
    """Yield a row for each comment ``# make TARGET [VARIABLE=...]: what it does`` of the Makefile."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for usage, description in re.findall(r"^# (make [^:\n]+): (.+)$", text, re.M):
        yield _row(usage, description)


def _arguments_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return what was added to a parser."""
    return [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]


def _options_lines(name: str, arguments: Sequence[argparse.Action]) -> Iterator[str]:
    """Yield the heading of a command, its usage, and a row for each argument."""
    yield f"\n### `organizer {name}`\n"
    yield f"`organizer {' '.join([name, *map(_usage, arguments)])}`\n"
    yield "| argument | what it is |\n|---|---|"
    for action in arguments:
        text = action.help or ""
        if action.choices and action.metavar is None:
            text = f"{', '.join(map(str, action.choices))}; {text}"
        yield _row(_value(action), text)


def _usage(action: argparse.Action) -> str:
    return _value(action) if action.required and action.nargs not in ("*", "?") else f"[{_value(action)}]"


def _value(action: argparse.Action) -> str:
    """Return an argument as it is typed: ``--name VALUE``."""
    value = action.metavar or action.dest.upper()
    if action.nargs == 0:
        return action.option_strings[0]
    text = f"{value} ..." if action.nargs in ("+", "*") else str(value)
    return " ".join([*action.option_strings[:1], text])


def _quality_rows() -> Iterator[str]:
    """Yield a row for each command of maintainers."""
    for name, parser in command_parsers().items():
        yield _row(" ".join([name, *map(_usage, _arguments_of(parser))]), parser.description or "")


def _row(command: str, description: str) -> str:
    cells = [f"`{command}`".replace("|", "\\|"), description.replace("|", "\\|").replace("%%", "%")]
    return f"| {' | '.join(cells)} |"
