"""The differences between the outputs of this version and those of 1.3.0 that are intended.

`quality.same` compares two checkouts apart from these. A change that is intended adds its row, with its
reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class AllowedDifference(NamedTuple):
    """A difference that is intended: what ``pattern`` matches is left out of the outputs of both.

    Lines begin at ``^`` and end at ``$``. ``outputs`` matches in the names of the outputs that it is about,
    and ``task`` is their first folder, the id of a task or ``bundle``; without them it is about all.
    """

    reason: str
    pattern: str
    outputs: str = ""
    task: str = ""


_EVERYTHING = r"(?s).+"
# The files that hold messages: those of checks, of scoring at home, of programs, and of comparisons.
_MESSAGES = r"/(?:stdout|stderr|(?:detailed_results|comparison)\.\w+)$"
_COSTS_AS_READ = r"These are the costs of the submission as it was read; look at the likely mistake first\."
_JSON_TEXT = r'"(?:[^"\\]|\\.)*"'


def _words(reason: str, codes: Sequence[str], outputs: str = _MESSAGES) -> AllowedDifference:
    """Return the row of messages that say the same in other words.

    In JSON what is around the words is compared: code, file, place and number.
    """
    code = "|".join(codes)
    in_json = "|".join(f'(?<="code": "{code}",)' for code in codes)
    return AllowedDifference(
        reason,
        rf'(?:{in_json})\s+"(?:problem|text)": {_JSON_TEXT}(?:,\s+"hint": {_JSON_TEXT})?'
        rf"|^(?:\d+\. |likely mistake |note )(?:{code})[: ].*\n"
        rf"|<li>(?:[^<:]+: )?(?:{code})[: ][^<]*",
        outputs,
    )


def _notes(reason: str, codes: Sequence[str], outputs: str = _MESSAGES) -> AllowedDifference:
    """Return the row of notes that one of the versions gives, with what is said because of them."""
    code = f"(?:{'|'.join(codes)})"
    note = rf'\{{"code": "{code}", "text": {_JSON_TEXT}\}}'
    return AllowedDifference(
        reason,
        rf"^(?:likely mistake|note) {code}: .*\n"
        rf"|(?<=\[)(?:{note}, )+|(?:, )?{note}"
        rf"|<li>{code}: [^<]*</li>"
        r'|<section id="run-(?:mistakes|notes)"[^>]*><h2>[^<]*</h2><ul>|</ul></section>'
        r'|<li><a href="#run-(?:mistakes|notes)">[^<]*</a></li>'
        r'|<strong class="(?:good|warn)">Valid and scored[^<]*</strong>'
        rf"|^{_COSTS_AS_READ}\n| ?{_COSTS_AS_READ} ?",
        outputs,
    )


def _cases(reason: str, names: str) -> AllowedDifference:
    """Return the row of recorded submissions whose problems differ in code, number, place or order."""
    return AllowedDifference(reason, _EVERYTHING, rf"/(?:{names})/(?:check|score-\w+|program){_MESSAGES}")


# Between any two checkouts.
_VERSION_CLOCK_AND_PLACE = (
    AllowedDifference("version", r"(?<=version:)\d+\.\d+\.\d+"),
    AllowedDifference("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$'),
    AllowedDifference("folder of a checkout", r"/[\w./-]*?/(?=output/|cache/)"),
    AllowedDifference("place in our code", r"(?<=in )\w+\.py line \d+ in \w+"),
)
_PROBLEMS = (
    _words("values of CSV files are quoted; exponents and long numbers are named", ["E-CSV-INTEGER"]),
    _words(
        "what is wrong in CSV files is shown beside what is allowed; causes are not guessed",
        ["E-CSV-RANGE", "E-CSV-FRAME", "E-CSV-SEPARATOR", "E-CSV-COLUMNS"],
    ),
    _words(
        "names are shown beside those of the data unless a repair is certain",
        ["E-ITEMS-NONE", "E-FILE-CASE", "N-ITEMS-UNKNOWN"],
    ),
    _words("methods of zips that cannot be read are named", ["E-ZIP-METHOD"]),
    _words("what may be empty says what to write", ["E-JSON-SCHEMA"]),
    _words("a file under another name says what it is", ["E-FILE-NONE"]),
    _words("files named metadata are refused, whatever is in them", ["E-FILE-RESERVED"]),
    _cases(
        "each wrong field of a row is named, and problems are listed by file, then by column",
        "E-CSV-ENCODING-fuzz0|E-CSV-INTEGER-fuzz(?:1466|1534|23|237|241|250|2607|292|4|41|49|549|600|79|124)"
        "|E-FILE-CASE-fuzz(?:218|29)|E-ZIP-NAME-fuzz546|N-CSV-READ-fuzz56"
        "|N-FILE-IGNORED-fuzz(?:11330|1667|5550|7411|7690)",
    ),
    _cases(
        "a CSV file with a control character is refused for that alone, at its column",
        "E-CSV-ENCODING-fuzz171|E-CSV-INTEGER-fuzz17|N-FILE-IGNORED-fuzz37",
    ),
    _cases(
        "a file that is not what its name says has a code of its own",
        "E-CSV-ENCODING-fuzz(?:18|6)|E-CSV-INTEGER-fuzz1230|E-JSON-ENCODING-fuzz(?:32|8)"
        "|N-FILE-IGNORED-fuzz(?:136|144|3520)",
    ),
    _cases(
        "names of items are compared before files are unpacked",
        "E-ZIP-DAMAGED-f1e563dd4c|N-FILE-IGNORED-fuzz7850",
    ),
    AllowedDifference(
        "files named metadata are refused, before other problems",
        _EVERYTHING,
        r"/E-FILE-RESERVED-(?:2be089ab63|fuzz124|fuzz82)/",
    ),
    _cases(
        "JSON nested too deeply has no place, and what is wrong before comes first",
        "E-JSON-DEPTH-fuzz(?:20|3)|N-FILE-SPELLING-fuzz265",
    ),
    _cases("what is wrong before a syntax error is listed, too", "E-JSON-SYNTAX-fuzz(?:109|239|36|76)"),
    _cases(
        "problems of JSON are listed entry by entry, and a number in place of another type is one problem",
        "E-JSON-NUMBER-fuzz(?:1194|197|2288|491)|E-JSON-SCHEMA-fuzz(?:1095|1157|1293|1458|2133|4375|859)",
    ),
)
_HIDDEN_DATA = (
    _notes(
        "programs say nothing that compares with hidden labels, and that a score is low by the score alone",
        ["N-LOOKS", "N-LOOKS-NAMED", "N-LOW"],
        "/program" + _MESSAGES,
    ),
    AllowedDifference(
        "programs do not say that few items have a score or errors",
        r', and fewer than \d+ of \d+ \w+ have [^<\n]*|, "few_items": \{[^}]*\}',
        "/program" + _MESSAGES,
    ),
    AllowedDifference(
        "segments are counted against public ones",
        r"(?<=segments); they lower [^<\n\"]*| annotated(?= segments)",
        _MESSAGES,
    ),
    _notes("segments are counted against public ones", ["N-SEGMENTS-OUTSIDE"]),
    _notes(
        "programs note boxes outside, as checks with public data did",
        ["N-BOXES-OUTSIDE"],
        "/program" + _MESSAGES,
    ),
    AllowedDifference(
        "programs have no tables by sampled frame and box size",
        r'(?:, )?"(?:box_size|frame)": \{"kind": "Table"[^{}]*(?:\{[^{}]*\}[^{}]*)*\}'
        r'|<section id="(?:box-size|frame)">.*?</section>|<li><a href="#(?:box-size|frame)">[^<]*</a></li>',
        r"^anet_entities_\w+/[^/]+/program/detailed_results\.",
    ),
)
_NOTES = (
    _notes(
        "rows that end early are noted in frames, in place of seconds by a guess",
        ["N-CSV-EARLY", "N-CSV-SECONDS"],
    ),
    _words("notes state facts and ask no questions", ["N-LOOKS-CONSTANT"]),
    _notes(
        "at home the search finds mistakes in some items, and reshaped boxes",
        ["N-LOOKS", "N-LOOKS-NAMED"],
        r"/mistake-(?:actor-1-everywhere-and-frame-rate-times-0-75|boxes-of-half-of-the-videos-of-half-size"
        r"|boxes-of-a-segment-reshaped-[\w-]+|rows-of-the-sequence-before-in-the-second-half"
        r"|words-counted-from-1)/score-",
    ),
    _words(
        "at home the search says how many items agree, the first three, and what the score would be",
        ["N-LOOKS"],
        r"/(?:score|compare)-\w+" + _MESSAGES,
    ),
)
_PREPARED = (
    AllowedDifference(
        "the names of all segments, which are public, lie beside a prepared reference",
        _EVERYTHING,
        r"^anet_entities_\w+/references/.*/public\.json$",
    ),
    AllowedDifference(
        "a reference in which nothing is annotated is refused before the task has a title",
        r"<title>[^<]*</title>|<header><p>[^<]*</p>",
        r"/nothing-annotated/score-\w+/detailed_results\.html$",
    ),
)
_RANKINGS = (
    AllowedDifference(
        "rankings have no pictures of how stable they are, and no times",
        _EVERYTHING,
        r"/ranking/.*/(?:stability\.csv|timing\.csv|ranking\.svg)$",
    ),
    AllowedDifference(
        "pages and methods of rankings say nothing about stability and progress",
        r'<section id="(?:stability|progress)">.*?</section>'
        r'|<li><a href="#(?:stability|progress)">[^<]*</a></li>'
        r"|(?:<li>|(?<=\. ))[^<.]* is first on both halves of the reference in [^<.]*\.(?:</li>| )",
        r"/ranking/",
    ),
    AllowedDifference(
        "the style of rankings has no charts", r"(?s)<style>.*?</style>", r"/ranking/.*\.html$"
    ),
    AllowedDifference("a ranking is stored in one file", _EVERYTHING, r"/rescore/files/ranking\.json$"),
)
ALLOWED_DIFFERENCES = (
    *_VERSION_CLOCK_AND_PLACE,
    *_PROBLEMS,
    *_HIDDEN_DATA,
    *_NOTES,
    *_PREPARED,
    *_RANKINGS,
)
