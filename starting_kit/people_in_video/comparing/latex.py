"""Tables for LaTeX, with the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from validator.texts import visible

NEEDED_PACKAGE = r"Needs \usepackage{booktabs}."
_WORDS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPES = str.maketrans({**_WORDS, **{sign: f"\\{sign}" for sign in "&%$#_{}"}})


def escape_latex(text: str) -> str:
    r"""Return text with all characters that LaTeX treats as commands escaped.

    Examples
    --------
    >>> print(escape_latex("50 % of a_b"))
    50 \% of a\_b
    """
    return visible(text).translate(_ESCAPES)


def latex_table(
    comments: Sequence[str], alignment: str, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """Return a table: a line for each comment, then a ``tabular``.

    The header is text; the cells of rows are LaTeX, in which text was escaped by `escape_latex`.
    """
    lines = [
        *(f"% {visible(comment)}" for comment in comments),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _row([escape_latex(title) for title in header]),
        r"\midrule",
        *(_row(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
