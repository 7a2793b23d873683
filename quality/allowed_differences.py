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
    note = rf'\{{\s*"code": "{code}",\s*"text": {_JSON_TEXT}\s*\}}'
    return AllowedDifference(
        reason,
        rf"^(?:likely mistake|note) {code}: .*\n"
        rf"|(?<=\[)\s*(?:{note},\s*)+|(?:,\s*)?{note}|(?<=\[)\s+|\s+(?=\])"
        rf"|<li>{code}: [^<]*</li>"
        rf'|(?:, )?"{code}: (?:[^"\\]|\\.)*"'
        r'|<section id="run-(?:mistakes|notes)"[^>]*><h2>[^<]*</h2><ul>|</ul></section>'
        r'|<li><a href="#run-(?:mistakes|notes)">[^<]*</a></li>'
        r'|<strong class="(?:good|warn)">Valid and scored[^<]*</strong>'
        rf"|^{_COSTS_AS_READ}\n| ?{_COSTS_AS_READ} ?",
        outputs,
    )


def _table(reason: str, key: str, outputs: str) -> AllowedDifference:
    """Return the row of tables that one of the versions has, with their lines among the contents."""
    section = key.replace("_", "-")
    return AllowedDifference(
        reason,
        rf'(?:, )?"{key}": \{{"kind": "Table"[^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*\}}'
        rf'|<section id="{section}">.*?</section>|<li><a href="#{section}">[^<]*</a></li>',
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
    AllowedDifference("folder of a prepared reference", r"(?<=-)[0-9a-f]{16}(?= \()", r"/stderr$"),
    AllowedDifference("what takes long", r"^\.\.\. .*\n", r"/stderr$"),
    AllowedDifference("place in our code", r"(?<=in )\w+\.py line \d+ in \w+"),
)
_PAGES = (
    AllowedDifference(
        "the page of a refused submission lists what to fix by file; its JSON is compared",
        r'<section id="run-problems(?:-\d+)?">.*?</section>'
        r'|<li><a href="#run-problems(?:-\d+)?">[^<]*</a></li>',
        r"/(?:program|score-\w+)/detailed_results\.html$|/ranking/rescore/files/details/[\w-]+\.html$",
    ),
    AllowedDifference(
        "pages at home name the file with the scores of items",
        r" per_item\.csv beside this page has the score of each [^<]*(?=</p>)",
        r"/score-\w+/detailed_results\.html$",
    ),
    AllowedDifference(
        "the axis of a score ends where its interval and the marks do; equal marks are one",
        r'<div class="interval">.*?</div>(?:<div class="key">.*?</div>)?|(?<=\S):(?= \d\.\d+</span>)'
        r'|<svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="fill-[b-e]">'
        r"</rect></svg>"
        r"(?=[^<]*\d\.\d+</span>)",
        r"\.html$",
    ),
    AllowedDifference(
        "counts in matrices have separators of thousands",
        r"(?<=[\d]),(?=\d{3}\b)",
        r"/score-\w+/detailed_results\.html$",
    ),
    AllowedDifference(
        "a table of one row is a line",
        r'<div class="scroll"[^>]*><table><thead><tr>(?:(?!<tr).)*</thead><tbody><tr>(?:(?!<tr).)*</tbody>'
        r"</table></div>"
        r"|<p>[^<:]+: (?:[^<·]+|<a [^>]*>[^<]*</a>) · [^<]*</p>",
        r"\.html$",
    ),
    AllowedDifference(
        "a bar chart has an axis in place of a number on each bar",
        r'<line class="grid"[^>]*></line>|<span class="(?:value|y)[^"]*" style="[^"]*">[^<]*</span>',
        r"\.html$",
    ),
    AllowedDifference(
        "the worst points are the darkest",
        r'(?<=style="--s:)\d\.\d\d|(?<=point similarity: )[01]<span class="scale"></span>[01]',
        r"\.html$",
        task="densepose",
    ),
    AllowedDifference(
        "labels of drawn boxes are above all boxes, a little smaller; none lies on another",
        r'<text [^>]*class="number-\w+(?: claim)?">[^<]*</text>',
        r"\.html$",
    ),
    *(
        AllowedDifference(
            "at home tables show how rows lie to the instances of their class",
            _EVERYTHING,
            r"/tables/borders\.csv$",
        ),
        _table(
            "at home tables show how rows lie to the instances of their class",
            "borders",
            r"/score-\w+/detailed_results\.",
        ),
    ),
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
    _words("an archive of another kind is to be unpacked before its files are packed", ["E-ZIP-NOT"]),
    _words("ignored files of the system are named", ["N-JUNK"]),
    _notes(
        "a file in a folder in a folder is told of once",
        ["N-FOLDER"],
        r"/E-FILE-PLACE-[^/]+/[\w-]+" + _MESSAGES,
    ),
    _words(
        "what is wrong with a file of a zip is mended at the file",
        ["E-ZIP-NAME", "E-ZIP-NESTED", "E-ZIP-SPECIAL", "E-ZIP-TWICE"],
    ),
    _words(
        "what is wrong in boxes and arrays is shown beside what is allowed",
        ["E-BOX-ORDER", "E-DP-BOX", "E-DP-PART"],
    ),
    _words("an empty file of any task has the same words", ["E-JSON-SYNTAX"]),
    _words("the reader of PNGs walks their chunks", ["E-DP-PNG"]),
    _words("what may be empty says what to write", ["E-JSON-SCHEMA"]),
    _words("a file under another name says what it is", ["E-FILE-NONE", "E-ZIP-CASE", "E-ZIP-LINK"]),
    _words("what is to be written has the same words everywhere", ["N-FILE-SPELLING", "E-JSON-NUMBER"]),
    AllowedDifference(
        "names are written without a star", r"densepose_(?:\*|<name>|&lt;name&gt;)_results\.json"
    ),
    _notes(
        "of a submission that is refused no files and rows are noted again", ["N-FILE-IGNORED", "N-CSV-CUT"]
    ),
    AllowedDifference(
        "the log of a submission that is refused has its notes, too",
        r"^(?:likely mistake|note) N-[A-Z-]+: .*\n",
        r"/(?:program|score-\w+)/stderr$",
    ),
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
        "E-CSV-ENCODING-fuzz(?:18|6)|E-CSV-INTEGER-fuzz1230|E-FILE-NONE-fuzz1793|E-JSON-ENCODING-fuzz(?:32|8|9)"
        "|E-JSON-SYNTAX-b3851972c0|N-FILE-IGNORED-fuzz(?:136|144|210|3520)",
    ),
    _cases("of a file without the right columns nothing is noted", "E-CSV-HEADER-fuzz54"),
    AllowedDifference(
        "the number of submissions stands apart from the rule that they break",
        r"(?<=submissions to look at \()[^)]*(?=\))",
        r"/ranking/rescore/(?:stdout|files/index\.html)$",
    ),
    AllowedDifference(
        "files of ChaLearn have less together", r"(?<=at most )[\d,]+(?= are allowed)", _MESSAGES
    ),
    _cases(
        "names of items are compared before files are unpacked",
        "E-ZIP-DAMAGED-f1e563dd4c|N-FILE-IGNORED-fuzz7850",
    ),
    AllowedDifference(
        "files named metadata are refused, before other problems",
        _EVERYTHING,
        r"/E-(?:FILE-RESERVED-(?:2be089ab63|fuzz124|fuzz3|fuzz82)|ZIP-NAME-fuzz165)/",
    ),
    _cases(
        "JSON nested too deeply has no place, and what is wrong before comes first",
        "E-JSON-DEPTH-(?:e8c1afd353|fuzz20|fuzz3)|E-JSON-SCHEMA-fuzz(?:203|308)|E-JSON-SYNTAX-1b5e79ad54"
        "|N-FILE-SPELLING-fuzz265",
    ),
    _cases("a text with a NUL that is not UTF-16 is wrong at its place", "E-JSON-ENCODING-fuzz303"),
    _cases("what is wrong before a syntax error is listed, too", "E-JSON-SYNTAX-fuzz(?:109|239|36|76)"),
    _cases(
        "problems of JSON are listed entry by entry, and a number in place of another type is one problem",
        "E-JSON-NUMBER-fuzz(?:1194|197|2288|322|491|827)"
        "|E-JSON-SCHEMA-fuzz(?:1095|112|1157|1167|1220|1293|1346|1359|1458|1489|1893|2133|2139|2549|288|4362|4375|56"
        "|757|765|859)",
    ),
    _cases("a damaged file of a zip is said to be empty no more", "E-JSON-SYNTAX-fuzz274"),
    _cases(
        "what only begins like a number is wrong from its start", "E-JSON-SYNTAX-fuzz[27]|N-FOLDER-fuzz227"
    ),
    _cases("a list of other values is one problem, its length", "E-JSON-SCHEMA-fuzz(?:209|279|3040|601|640)"),
    _cases(
        "places of syntax errors in DensePose's list are line and column; what comes after is not read",
        "E-JSON-ENCODING-36d78b1980|E-JSON-SCHEMA-fuzz(?:1041|173|1794|1858|2399|2436|3064|349|4070|483)"
        "|E-JSON-SYNTAX-(?:34d7b3157a|4797a8359c|77891dcce7|8fd68029c4|981c60fa69|c4051f18f1"
        "|fuzz(?:127|128|13|1678|203|331|343|819))|N-FILE-SPELLING-fuzz571",
    ),
    _cases(
        "entries beyond the limit are one more problem, and a byte order mark is noted before problems",
        "E-JSON-SCHEMA-(?:aa7f876e36|fuzz55)",
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
        r"(?:, and|; rough:) fewer than \d+ of \d+ \w+ have [^<\n]*"
        r'|, "few_items": \{[^}]*\}',
        "/program" + _MESSAGES,
    ),
    _notes("programs do not count what is annotated", ["N-IMAGES-MISSING"], "/program" + _MESSAGES),
    _notes("that no person of a size is annotated is said to organizers", ["N-AREA-EMPTY"]),
    AllowedDifference(
        "that no person of a size is annotated is said to organizers",
        r"^warning \d+\. R-AREA-EMPTY .*\n|<li>R-AREA-EMPTY [^<]*</li>"
        r"|<p>Nothing looks like a mistake\.</p>|</?ol>",
        r"^densepose/references/",
    ),
    _notes(
        "frames that are unknown are explained only if all others are met",
        ["N-FRAMES-MISSING", "N-LOW"],
        "/mistake-frames-[\\w-]+/(?:program|score-published)" + _MESSAGES,
    ),
    _words(
        "frames are counted against public ones",
        ["N-CLASSES-MISSING", "N-FRAMES-MISSING", "N-FRAMES-UNKNOWN"],
    ),
    AllowedDifference(
        "segments are counted against public ones",
        r"(?<=segments); they lower [^<\n\"]*| annotated(?= segments)",
        _MESSAGES,
    ),
    _notes("segments are counted against public ones", ["N-SEGMENTS-OUTSIDE"]),
    _notes("word indexes that are off by one are noted", ["N-WORDS-OUTSIDE"]),
    _notes(
        "programs note boxes outside, as checks with public data did",
        ["N-BOXES-OUTSIDE"],
        "/program" + _MESSAGES,
    ),
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
    _words("notes state facts and ask no questions", ["N-PARTS-COARSE", "N-ANET-EXTERNAL"]),
    _notes(
        "at home the search finds mistakes in some items, and reshaped boxes",
        ["N-LOOKS", "N-LOOKS-NAMED"],
        r"/mistake-(?:actor-1-everywhere-and-frame-rate-times-0-75|boxes-of-half-of-the-videos-of-half-size"
        r"|boxes-of-a-segment-reshaped-[\w-]+|rows-of-the-sequence-before-in-the-second-half"
        r"|action-classes-[\w-]+|boxes-as-y1-x1-y2-x2-in-0-1|boxes-in-0-1|boxes-of-half-[\w-]+|half-of-the-videos-[\w-]+"
        r"|states-of-the-next-part-of-the-human|words-counted-from-1|boxes-of-humans-sorted-their-parts-not"
        r"|arrays-of-[\w-]+|parts-of-the-next-human-of-the-frame)/score-",
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
    _words("the spelling of names is shown by an example", ["N-NAMES-UNKNOWN"]),
    _words(
        "at home the search says how many items agree, the first three, and what the score would be",
        ["N-LOOKS"],
        r"/(?:score|compare)-\w+" + _MESSAGES,
    ),
    AllowedDifference(
        "with a note more, the list of notes is folded at another place",
        r"</?(?:li|ul|details)>|<summary>\d+ more</summary>",
        r"/np-split/program/detailed_results\.html$",
    ),
)
_PREPARED = (
    AllowedDifference(
        "the mean distances of a body template are printed",
        r"(?<=comparable with this template only); the means of its distances are .*$",
        r"^densepose/references/.*/stdout$",
    ),
    AllowedDifference(
        "a warning about a reference is one line for each kind",
        r"^warning \d+\. R-EMPTY.*\n|<li>R-EMPTY[: ][^<]*</li>",
        r"/references/.*/(?:stdout|prepared\.overview\.html)$",
    ),
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
_BUNDLES = (
    AllowedDifference(
        "bundles hold the hashes of what they were built from", _EVERYTHING, r"/sources\.json$", task="bundle"
    ),
    AllowedDifference("kits have no pickles", _EVERYTHING, r"/detections\.pkl$", task="bundle"),
    AllowedDifference(
        "kits hold the tasks of their competition alone, with a guide, and no picture",
        _EVERYTHING,
        r"/starting_kit\.zip/(?:guide\.md|kit\.json|page\.png)$",
        task="bundle",
    ),
    AllowedDifference(
        "the version of a kit names its tasks, what a task needs is an extra, and msgspec is not needed",
        _EVERYTHING,
        r"/starting_kit\.zip/pyproject\.toml$",
        task="bundle",
    ),
    AllowedDifference(
        "sites have an overview",
        r"^- title: Overview\n  file: pages/overview\.md\n|^  overview_1: pages/overview\.md\n",
        r"/competition\.yaml$",
        task="bundle",
    ),
    AllowedDifference(
        "pages are written anew: they are about the tasks of their site, and name every column",
        _EVERYTHING,
        r"/(?:pages|formats)/\w+\.md$|/starting_kit\.zip/README\.md$",
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
        r"/references/.*/(?:reference\.npz|marks\.json|stdout|prepared\.overview\.html)$",
        task=_GENERATED,
    ),
    AllowedDifference(
        "published averages over all segments of the data",
        r'^ ?"?(?:score|score_low|score_high|\w+_per_sent)"?: .*\n|^[\w()]+,(?:true|false),[\d.]*,\d+\n',
        r"/(?:program|score-published)/(?:scores\.(?:txt|json)|per_item\.csv)$",
        task=_GENERATED,
    ),
    AllowedDifference(
        "published averages over all segments of the data, with other costs, on pages and in logs",
        _EVERYTHING,
        r"/(?:program|score-published|compare-\w+)/(?:stdout|(?:detailed_results|comparison)\.\w+)$",
        task=_GENERATED,
    ),
    AllowedDifference(
        "missed words cost precision, too, and pages say what is averaged over",
        _EVERYTHING,
        r"/score-released/(?:stdout|detailed_results\.\w+)$",
        task=_GENERATED,
    ),
)
_KINETICS = (
    AllowedDifference(
        "pages and logs show four decimals of the score; all are in the files of scores",
        r"(?:^|(?<=<h1>))Avg video accuracy \d\.\d+",
        r"/(?:stdout|detailed_results\.html)$",
        task="kinetics_tps",
    ),
    AllowedDifference(
        "one human is drawn at a time",
        _EVERYTHING,
        r"/detailed_results_files/drawings-\d+\.html$",
        task="kinetics_tps",
    ),
    AllowedDifference(
        "one human is drawn at a time, on the page and in its JSON",
        r'<section id="drawings">.*?</section>|<li><a href="#drawings">[^<]*</a></li>'
        r'|, "drawings": \{"kind": "Drawings".*(?=\},$)'
        r'|<a href="#drawing-\d+">|(?<=\w)</a>(?=</td>)|<div>(?=<section)|(?<=</section>)</div>'
        r'|(?<=<td) class="text"(?=>–)',
        r"/detailed_results\.\w+$",
        task="kinetics_tps",
    ),
    AllowedDifference(
        "what is confused is shown once, as a table",
        r'<section id="(?:class|state)-matrix">.*?</section>'
        r'|<li><a href="#(?:class|state)-matrix">[^<]*</a></li>'
        r'|, "(?:class|state)_matrix": \{"kind": "Matrix"[^{}]*\}',
        r"/detailed_results\.\w+$",
        task="kinetics_tps",
    ),
    _notes(
        "notes on frames come after that on the zip",
        ["N-FOUND-ZIP"],
        r"^kinetics_tps/mistake-frames-[\w-]+/program/detailed_results\.\w+$",
    ),
    AllowedDifference(
        "videos in which all parts have one state are warned of",
        r"^warning \d+\. R-CONSTANT .*\n|<li>R-CONSTANT [^<]*</li>"
        r"|<p>Nothing looks like a mistake\.</p>|</?ol>",
        r"^kinetics_tps/references/",
    ),
    AllowedDifference(
        "preparing is a command with options",
        r"(?<=Give all names with )(?:VOCABULARY=|--vocabulary)",
        r"^kinetics_tps/references/",
    ),
)
_COMPARISONS = (
    AllowedDifference(
        "comparisons draw the items that differ most",
        r'<section id="item-pairs">.*?</section>|<li><a href="#item-pairs">[^<]*</a></li>'
        r'|<a href="#pair-\d+">|(?<=\w)</a>(?=</td>)',
        r"/comparison\.html$",
    ),
    AllowedDifference(
        "differences by item are bars, and equal items are not drawn",
        r'<svg class="forest (?:swarm|strip)".*?</svg>|(?<=have a score are )[^<]*',
        r"/comparison\.html$",
    ),
    AllowedDifference(
        "comparisons tell of wrong times, too",
        r'<section id="notes"><h2>Notes</h2><ul>(?:<li>\w+: N-BORDERS: [^<]*</li>)*</ul></section>'
        r'|<li><a href="#notes">[^<]*</a></li>|<nav aria-label="Contents">(?:<ul>)?|(?:</ul>)?</nav>',
        r"^chalearn_\w+/samples/compare-\w+/comparison\.html$",
    ),
)
_RANKINGS = (
    AllowedDifference(
        "submissions that were made outside of the phase are warned of",
        r"^warning \| none of \d+ scored submissions was made during the phase .*\n",
        r"/ranking/rescore/stdout$",
    ),
    AllowedDifference(
        "an overview is in the folder of its reference", r"^overview: .*$", r"/references/.*/stdout$"
    ),
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
        "pages have fewer kinds of charts, and may have no contents", r"(?s)<style>.*?</style>", r"\.html$"
    ),
    AllowedDifference(
        "a ranking is stored in one file, and a report says what it was made of",
        _EVERYTHING,
        r"/(?:rescore/files/ranking|report/files/facts)\.json$",
    ),
    AllowedDifference(
        "below a ranking stands one sentence; all others are in its method",
        r'<ul class="after">.*?</ul>|<p>[^<]*<a href="#method">How to read this</a>\.</p>'
        r"|<small>the best of [^<]*</small>|(?<=<h2>Method</h2>)<ul>.*?</ul>",
        r"/ranking/.*\.html$",
    ),
    AllowedDifference(
        "far worse teams do not squeeze the axes of a ranking",
        r'<svg class="forest".*?</svg>|<div class="forest axis-x">.*?</div>'
        r"|<small>An arrow: beyond the axis\.</small>",
        r"/ranking/.*\.html$",
    ),
    AllowedDifference(
        "a table for mails has scores, and ranks and scores before",
        _EVERYTHING,
        r"/report/files/teams\.csv$",
    ),
)
_HOME = (
    AllowedDifference(
        "at home, a valid submission of which nothing is in the reference ends with 3, and says so",
        r'^[13]$|^ "outcome": "(?:invalid|nothing_to_score)",\n "exit_code": [13],$'
        r"|^The submission to \w+ is invalid and was not scored:$"
        r"|^Nothing in the reference matches the submission, nothing was scored:$"
        r'|<h1>Not scored: 1 problem</h1><p><strong class="bad">Invalid submission</strong></p>'
        r"|<h1>Not scored: nothing in the reference matches the submission</h1>"
        r'|<section id="run-home">.*?</section>',
        r"/score-\w+/(?:exit_code|stderr|detailed_results\.\w+)$",
    ),
    AllowedDifference(
        "at home, files are read before items are compared, as by check, whose outputs are compared",
        _EVERYTHING,
        r"/E-[\w-]+/score-\w+/(?:stderr|detailed_results\.\w+)$",
    ),
)
ALLOWED_DIFFERENCES = (
    *_VERSION_CLOCK_AND_PLACE,
    *_COMPARISONS,
    *_PAGES,
    *_PROBLEMS,
    *_HIDDEN_DATA,
    *_NOTES,
    *_PREPARED,
    *_BUNDLES,
    *_SENTENCES,
    *_KINETICS,
    *_RANKINGS,
    *_HOME,
)
