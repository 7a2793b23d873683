"""The differences between the outputs of two checkouts that are intended.

`quality.same` compares two checkouts apart from these. Those of one version must be equal. Of two versions
scores, tables, and the codes, files and places of messages are compared in JSON and CSV, not words and pages.
A change that is intended adds its row, with its reason; a release takes out those of the version before.
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
_JSON_TEXT = r'"(?:[^"\\]|\\.)*"'


def _notes(reason: str, codes: Sequence[str], outputs: str = _MESSAGES) -> AllowedDifference:
    """Return the row of notes that one of the versions gives."""
    code = f"(?:{'|'.join(codes)})"
    note = rf'\{{\s*"code": "{code}",\s*"text": {_JSON_TEXT}\s*\}}'
    return AllowedDifference(
        reason,
        rf"(?<=\[)\s*(?:{note},\s*)+|(?:,\s*)?{note}|(?<=\[)\s+|\s+(?=\])"
        rf'|(?:, )?"{code}: (?:[^"\\]|\\.)*"',
        outputs,
    )


def _table(reason: str, key: str, outputs: str) -> AllowedDifference:
    """Return the row of tables that one of the versions has."""
    pattern = rf'(?:, )?"{key}": \{{"kind": "Table"[^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*\}}'
    return AllowedDifference(reason, pattern, outputs)


BETWEEN_CHECKOUTS = (
    AllowedDifference("version", r"(?<=version:)\d+\.\d+\.\d+"),
    AllowedDifference("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$'),
    AllowedDifference("folder of a checkout", r"/[\w./-]*?/(?=output/|cache/)"),
    AllowedDifference("folder of a prepared reference", r"(?<=-)[0-9a-f]{16}(?= \()", r"/stderr$"),
    AllowedDifference("what takes long", r"^\.\.\. .*\n", r"/stderr$"),
    AllowedDifference("place in our code", r"(?<=in )\w+\.py line \d+ in \w+"),
)
"""What differs between any two checkouts."""
_COSTS_AS_READ = r"These are the costs of the submission as it was read; look at the likely mistake first\."
# Codes are compared, with what is around the words, in JSON; a lookbehind has a fixed width.
_AFTER_CODE = "|".join(rf'(?<="code": "[\w-]{{{width}}}",)' for width in range(4, 24))
_WORDS = (
    AllowedDifference(
        "the words of a message in JSON",
        rf'(?:{_AFTER_CODE})\s+"(?:problem|text)": {_JSON_TEXT}(?:,\s+"hint": {_JSON_TEXT})?',
        _MESSAGES,
    ),
    AllowedDifference(
        "the words of a note of a comparison",
        r'(?<=[A-Z]{2}): (?:[^"\\]|\\.)*(?=")',
        r"/comparison\.json$",
    ),
    AllowedDifference(
        "the messages of a log, which are in its JSON",
        r"^(?:\d+\. |likely mistake |note )[EN]-[A-Z-]+[: ].*\n"
        rf"|^{_COSTS_AS_READ}\n| {_COSTS_AS_READ}",
        _MESSAGES,
    ),
)
_TABLES = (
    AllowedDifference(
        "at home tables show how rows lie to the instances of their class",
        _EVERYTHING,
        r"/tables/borders\.csv$",
    ),
    _table(
        "at home tables show how rows lie to the instances of their class",
        "borders",
        r"/score-\w+/detailed_results\.json$",
    ),
)
# Recorded submissions, by the beginnings and the ends of their names.
_OTHER_PROBLEMS = {
    "E-CSV-ENCODING": "fuzz(?:0|18|171|6)",
    "E-CSV-HEADER": "fuzz54",
    "E-CSV-INTEGER": "fuzz(?:1230|124|1466|1534|17|23|237|241|250|2607|292|4|41|49|549|600|79)",
    "E-FILE-CASE": "fuzz(?:218|29)",
    "E-FILE-NONE": "fuzz1793",
    "E-JSON-DEPTH": "e8c1afd353|fuzz(?:20|3)",
    "E-JSON-ENCODING": "36d78b1980|fuzz(?:303|32|8|9)",
    "E-JSON-NUMBER": "fuzz(?:1194|197|2288|322|491|827)",
    "E-JSON-SCHEMA": "aa7f876e36|fuzz(?:1041|1095|112|1157|1167|1220|1293|1346|1359|1458|1489|173|1794|1858"
    "|1893|203|209|2133|2139|2399|2436|2549|279|288|3040|3064|308|349|4070|4362|4375|483|55|56|601|640|757|765"
    "|859)",
    "E-JSON-SYNTAX": "1b5e79ad54|34d7b3157a|4797a8359c|77891dcce7|8fd68029c4|981c60fa69|b3851972c0|c4051f18f1"
    "|fuzz(?:109|127|128|13|1678|2|203|239|274|331|343|36|7|76|819)",
    "E-ZIP-DAMAGED": "f1e563dd4c",
    "E-ZIP-NAME": "fuzz546",
    "N-CSV-READ": "fuzz56",
    "N-FILE-IGNORED": "fuzz(?:11330|136|144|1667|210|3520|37|5550|7411|7690|7850)",
    "N-FILE-SPELLING": "fuzz(?:265|571)",
    "N-FOLDER": "fuzz227",
}
_PROBLEMS = (
    AllowedDifference(
        "the place of a whole file is /",
        r'(?<="where": ")/?(?=")|(?<="first": ")/?(?=")',
        r"/E-JSON-SCHEMA-\w+/\w+/(?:stdout|detailed_results\.json)$",
    ),
    AllowedDifference(
        "a file that is no object is one problem",
        _EVERYTHING,
        r"/E-JSON-SCHEMA-fuzz138/(?:check/stdout|program/detailed_results\.json)$",
        task="kinetics_tps",
    ),
    *(
        AllowedDifference(
            "problems are listed by file, column and entry, at their own places, also those before a syntax "
            "error; a file that is not what its name says has a code of its own",
            _EVERYTHING,
            rf"/{code}-(?:{endings})/(?:check|score-\w+|program){_MESSAGES}",
        )
        for code, endings in _OTHER_PROBLEMS.items()
    ),
    AllowedDifference(
        "files named metadata are refused, before other problems",
        _EVERYTHING,
        r"/E-(?:FILE-RESERVED-(?:2be089ab63|fuzz124|fuzz3|fuzz82)|ZIP-NAME-fuzz165)/",
    ),
    _notes(
        "a file in a folder in a folder is told of once",
        ["N-FOLDER"],
        r"/E-FILE-PLACE-[^/]+/[\w-]+" + _MESSAGES,
    ),
    _notes(
        "of a submission that is refused no files and rows are noted again", ["N-FILE-IGNORED", "N-CSV-CUT"]
    ),
    AllowedDifference("names are written without a star", r"densepose_(?:\*|<name>)_results\.json"),
)
_HIDDEN_DATA = (
    _notes(
        "programs say nothing that compares with hidden labels, and that a score is low by the score alone",
        ["N-LOOKS", "N-LOOKS-NAMED", "N-LOW"],
        "/program" + _MESSAGES,
    ),
    AllowedDifference(
        "programs do not say that few items have a score or errors",
        r"(?:, and|; rough:) fewer than \d+ of \d+ \w+ have .*"
        r'|, "few_items": \{[^}]*\}',
        "/program" + _MESSAGES,
    ),
    _notes("programs do not count what is annotated", ["N-IMAGES-MISSING"], "/program" + _MESSAGES),
    _notes("that no person of a size is annotated is said to organizers", ["N-AREA-EMPTY"]),
    _notes(
        "frames that are unknown are explained only if all others are met",
        ["N-FRAMES-MISSING", "N-LOW"],
        "/mistake-frames-[\\w-]+/(?:program|score-published)" + _MESSAGES,
    ),
    _notes("segments are counted against public ones", ["N-SEGMENTS-OUTSIDE"]),
    *(
        _table(
            "programs have no tables by sampled frame and box size",
            key,
            r"^anet_entities_\w+/[^/]+/program/detailed_results\.",
        )
        for key in ("box_size", "frame")
    ),
)
_NOTES = (
    _notes(
        "rows that end early are noted in frames, in place of seconds by a guess",
        ["N-CSV-EARLY", "N-CSV-SECONDS"],
    ),
    _notes(
        "at home the search finds mistakes in some items, and reshaped boxes",
        ["N-LOOKS", "N-LOOKS-NAMED"],
        r"/mistake-(?:actor-1-everywhere-and-frame-rate-times-0-75|boxes-of-half-of-the-videos-of-half-size"
        r"|boxes-of-a-segment-reshaped-[\w-]+|rows-of-the-sequence-before-in-the-second-half"
        r"|action-classes-[\w-]+|boxes-as-y1-x1-y2-x2-in-0-1|boxes-in-0-1|boxes-of-half-[\w-]+|half-of-the-videos-[\w-]+"
        r"|states-of-the-next-part-of-the-human|words-counted-from-1|boxes-of-humans-sorted-their-parts-not"
        r"|arrays-of-[\w-]+|parts-of-the-next-human-of-the-frame|left-and-right-swapped-in-[\w-]+)/score-",
    ),
    _notes(
        "at home states as numbers are unknown names alone, and scores in reverse order are found",
        ["N-LOOKS"],
        r"/(?:mistake-states-as-numbers|areas-on-the-bounds)/score-",
    ),
    _notes(
        "a fault while looking for hints is mended, so that the repeated box is noted",
        ["N-INTERNAL", "N-REPEATED"],
        r"/proposals-dilute/",
    ),
    _notes(
        "what a submission shows by itself is noted",
        [
            "N-BOXES-FIRST",
            "N-BOXES-ORDER",
            "N-PARTS-NONE",
            "N-PLACES-EMPTY",
            "N-ROWS-GAPLESS",
            "N-ROWS-OVERLAP",
        ],
    ),
    _notes("wrong times are counted at home", ["N-BORDERS"], r"/(?:score|compare)-\w+" + _MESSAGES),
    _notes(
        "what a submission shows by itself is noted in more cases, as facts, and without the data, too",
        ["N-BOXES-OUTSIDE", "N-LOOKS-CONSTANT", "N-LOOKS-NORMALIZED", "N-REPEATED"],
        r"/(?:check|[\w-]+/(?:program|score-\w+))" + _MESSAGES,
    ),
    _notes(
        "how low scores come about is said at home, unless another note explains them",
        ["N-LOW"],
        r"/score-\w+" + _MESSAGES,
    ),
    _notes(
        "at home unknown names are not listed where the search explains them",
        ["N-NAMES-UNKNOWN"],
        r"/mistake-(?:action-)?classes-[\w-]+/score-\w+" + _MESSAGES,
    ),
)
_PREPARED = (
    AllowedDifference("what prepare prints", _EVERYTHING, r"/references/.*/stdout$"),
    AllowedDifference(
        "the names of all segments, which are public, lie beside a prepared reference",
        _EVERYTHING,
        r"^anet_entities_\w+/references/.*/public\.json$",
    ),
)
_BUNDLES = (
    AllowedDifference(
        "texts and projects of kits are about their tasks alone, pages about those of their site; kits have "
        "no pickles, and bundles the hashes of what they were built from",
        _EVERYTHING,
        r"/(?:(?:pages|formats)/\w+\.md|detections\.pkl|sources\.json"
        r"|starting_kit\.zip/(?:README\.md|guide\.md|kit\.json|page\.png|pyproject\.toml))$",
        task="bundle",
    ),
    AllowedDifference(
        "sites have an overview",
        r"^- title: Overview\n  file: pages/overview\.md\n|^  overview_1: pages/overview\.md\n",
        r"/competition\.yaml$",
        task="bundle",
    ),
)
_GENERATED = "anet_entities_gen"
_SENTENCES = (
    AllowedDifference(
        "the signature of generated sentences says that all sentences count",
        r"(?<=\|)sentences:all\||(?<=\|ref:)[0-9a-f]{12}",
        task=_GENERATED,
    ),
    AllowedDifference(
        "a prepared reference holds the number of all segments of each video",
        _EVERYTHING,
        r"/references/.*/(?:reference\.npz|marks\.json)$",
        task=_GENERATED,
    ),
    AllowedDifference(
        "published averages over all segments of the data",
        r'^ ?"?(?:score|score_low|score_high|\w+_per_sent)"?: .*\n|^[\w()]+,(?:true|false),[\d.]*,\d+\n',
        r"/(?:program|score-published)/(?:scores\.(?:txt|json)|per_item\.csv)$",
        task=_GENERATED,
    ),
    AllowedDifference(
        "averages and costs of sentences are over all segments; missed words cost precision, too",
        _EVERYTHING,
        r"/(?:program|score-\w+|compare-\w+)/(?:stdout|(?:detailed_results|comparison)\.\w+)$",
        task=_GENERATED,
    ),
)
_KINETICS = (
    AllowedDifference(
        "proposals are counted for the parts whose human is matched",
        _EVERYTHING,
        r"/tables/parts\.csv$",
        task="kinetics_tps",
    ),
    _table(
        "proposals are counted for the parts whose human is matched",
        "parts",
        r"^kinetics_tps/.*/detailed_results\.json$",
    ),
    AllowedDifference(
        "logs show four decimals of the score; all are in the files of scores",
        r"^Avg video accuracy \d\.\d+",
        r"/stdout$",
        task="kinetics_tps",
    ),
    AllowedDifference(
        "one human is drawn at a time",
        r', "drawings": \{"kind": "Drawings".*(?=\},$)',
        r"/detailed_results\.json$",
        task="kinetics_tps",
    ),
    AllowedDifference(
        "what is confused is shown once, as a table",
        r', "(?:class|state)_matrix": \{"kind": "Matrix"[^{}]*\}',
        r"/detailed_results\.\w+$",
        task="kinetics_tps",
    ),
    _notes(
        "notes on frames come after that on the zip",
        ["N-FOUND-ZIP"],
        r"^kinetics_tps/mistake-frames-[\w-]+/program/detailed_results\.\w+$",
    ),
)
_RANKINGS = (
    AllowedDifference("what rescore prints", _EVERYTHING, r"/ranking/rescore/stdout$"),
    AllowedDifference(
        "a ranking is stored in one file, without times and stability, and a report says what it was made "
        "of; a table for mails has scores, and ranks and scores before",
        _EVERYTHING,
        r"/ranking/.*/(?:stability\.csv|timing\.csv|ranking\.svg|ranking\.json|facts\.json|teams\.csv)$",
    ),
    AllowedDifference(
        "methods of rankings say nothing about stability and progress",
        r"(?<=\. )[^<.]* is first on both halves of the reference in [^<.]*\. ",
        r"/ranking/",
    ),
)
_DENSEPOSE = (
    AllowedDifference(
        "a crowd that several detections match counts once on pages",
        _EVERYTHING,
        r"/crowd-takes-many/[\w-]+/(?:detailed_results\.json|per_item\.csv)$",
        task="densepose",
    ),
)
_HOME = (
    AllowedDifference(
        "at home, a valid submission of which nothing is in the reference ends with 3, and says so",
        r'^[13]$|^ "outcome": "(?:invalid|nothing_to_score)",\n "exit_code": [13],$'
        r"|^The submission to \w+ is invalid and was not scored:$"
        r"|^Nothing in the reference matches the submission, nothing was scored:$",
        r"/score-\w+/(?:exit_code|stderr|detailed_results\.\w+)$",
    ),
    AllowedDifference(
        "at home, files are read before items are compared, as by check, whose outputs are compared",
        _EVERYTHING,
        r"/E-[\w-]+/score-\w+/(?:stderr|detailed_results\.\w+)$",
    ),
)
ALLOWED_DIFFERENCES = (
    AllowedDifference("a page: what it says is in its JSON or CSV", _EVERYTHING, r"\.html$"),
    *BETWEEN_CHECKOUTS,
    *_TABLES,
    *_PROBLEMS,
    *_HIDDEN_DATA,
    *_NOTES,
    *_PREPARED,
    *_BUNDLES,
    *_SENTENCES,
    *_KINETICS,
    *_DENSEPOSE,
    *_RANKINGS,
    *_HOME,
    # Last: others look for whole messages.
    *_WORDS,
)
