"""Which modules of this repository a program needs, found by reading its imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from organizer import ROOT


def needed_modules(entry_modules: Iterable[str], root: Path = ROOT) -> dict[str, bytes]:
    """Return the code of the modules that entry modules need, directly or not, by their paths.

    With a module go the packages that it is in. What is imported from outside of the folder is left out.

    Parameters
    ----------
    entry_modules : iterable of str
        Dotted names, as ``validator.__main__``.
    root : Path
        The folder of the packages.
    """
    pending_names = list(entry_modules)
    code: dict[str, bytes] = {}
    while pending_names:
        name = pending_names.pop()
        path = _module_path(name, root)
        if path is None:
            continue
        relative_path = path.relative_to(root).as_posix()
        if relative_path in code:
            continue
        code[relative_path] = path.read_bytes()
        package = Path(relative_path).parent.parts
        pending_names += [*_packages_around(name), *imported_names(code[relative_path], package)]
    return code


def _packages_around(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words))]


def imported_names(code: bytes, package: Sequence[str] = (), *, has_tried: bool = True) -> list[str]:
    """Return the names that a module imports, those of attributes among them.

    Parameters
    ----------
    code : bytes
    package : sequence of str
        The words of the package that it is in, for relative imports.
    has_tried : bool
        Whether those are among them that it tries to import, and can do without.
    """
    names: list[str] = []
    for statement in import_statements(code, has_tried):
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
            continue
        words = package[: len(package) + 1 - statement.level] if statement.level else ()
        module = ".".join([*words, statement.module or ""]).strip(".")
        names += [module, *(f"{module}.{alias.name}".strip(".") for alias in statement.names)]
    return list(filter(None, names))


@cache
def import_statements(code: bytes, has_tried: bool, /) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return all imports of a module, those in functions among them, and unless wanted without tried ones.

    They are kept by both arguments: a build asks for those of a module many times, and parsing takes long.
    """
    statements: list[ast.Import | ast.ImportFrom] = []
    pending: list[ast.AST] = [ast.parse(code)]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            statements.append(node)
        # Expressions are most of a module, and hold no statements.
        elif not isinstance(node, ast.expr) and (has_tried or not isinstance(node, ast.Try)):
            pending += ast.iter_child_nodes(node)
    return tuple(statements)


@cache
def _module_path(name: str, root: Path) -> Path | None:
    """Return the file of a module or package in a folder, None if there is none."""
    base = root.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None
