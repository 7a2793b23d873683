"""The differences between the outputs of this version and those of 1.2.0 that are intended.

`quality.same` compares two checkouts apart from these. The first four are between any two checkouts: the
version, the clock, and the place of a checkout and of its lines.
"""

from __future__ import annotations

from typing import NamedTuple


class AllowedDifference(NamedTuple):
    """A difference that is intended: what ``pattern`` matches is replaced in the outputs of both.

    ``outputs`` matches in the names of the outputs that it is about; without it that is all of them.
    """

    reason: str
    pattern: str
    replacement: str = ""
    outputs: str = ""


# The recorded submissions to ChaLearn that hold files of sequences that the reference does not have.
_UNKNOWN_SEQUENCES = (
    r"248a329d48|35ce9a49c8|3cfd458496|52df2d991b|5fe98eec69|6dc52f9a45|760de08197|"
    r"80e7dbeb0a|819ad4f742|9b92400d6a|a0de36c414|a2f7b8791d|b82bb3da43|c88efade50|"
    r"cc5e751c72|db2a0d233d|dc2de7798e|e0b2a7dd78|e6ac5a91da|ea82c73606|f1e563dd4c|"
    r"f72b469c5e|fuzz1122|fuzz11259|fuzz1328|fuzz45|fuzz694|fuzz7850|fuzz9907"
)
ALLOWED_DIFFERENCES = (
    AllowedDifference("version", r"version:\d+\.\d+\.\d+", "version:N"),
    AllowedDifference("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$'),
    AllowedDifference("folder of a checkout", r"/[\w./-]*?/(?=output/|prepared/)"),
    AllowedDifference("place in our code", r"in \w+\.py line \d+ in \w+", "in our code"),
    AllowedDifference(
        "round thresholds beside the axis of AP",
        r'<span class="x" style="left:[\d.]+%">[\d.]+</span>',
        outputs=r"/densepose/.*/detailed_results\.html$",
    ),
    AllowedDifference("the page of messages is made from tables", r"(?s).+", outputs=r"/docs/messages\.md$"),
    AllowedDifference(
        "words for damaged PNGs, which Pillow finds",
        r"(?:the PNG (?:does not end with|is cut off|is damaged|holds less)"
        r"|\d+ bytes? after the end of the PNG"
        r"|other chunks interrupt the image data of the PNG"
        r"|the chunk \w+ at byte \d+ of the PNG)[^\";<\n]*",
        "the PNG is damaged",
    ),
    AllowedDifference(
        "a PNG with an unknown chunk beside whole pixels is accepted",
        r"(?s).+",
        outputs=r"/(?:E-DP-PNG-fuzz2668|E-JSON-SCHEMA-fuzz155)/",
    ),
    AllowedDifference(
        "videos with equal scores stand in ascending order on the page, not in that of the reference",
        r"(?s).+",
        outputs=r"/(?:boundary-iou|empty-and-missing-frames|humans-compete|np-split)/evaluate-\w+/detailed_results",
    ),
    AllowedDifference(
        "sums over videos in ascending order differ in their last digit, which one shown share rounds",
        r"no box 0\.0(?:49|50)",
        "no box 0.05",
        outputs=r"/psc-on-threshold/evaluate-\w+/detailed_results\.html$",
    ),
    AllowedDifference(
        "a submission without any known video is refused",
        r"(?s).+",
        outputs=r"/(?:kinetics_tps|anet_entities_g\w+)/mistake-videos-with(?:out-v-)?[\w-]*/",
    ),
    AllowedDifference(
        "videos that the reference does not have are noted by the first one, on the page and in the log",
        r"(?s).+",
        outputs=r"/(?:outside-the-split|random-\d[\w-]*|denominator-counts-all-submitted-segments)/[\w-]+/"
        r"(?:detailed_results\.\w+|stdout)$",
    ),
    AllowedDifference(
        "sequences that the reference does not have are noted, or refused where there is no other",
        r"(?s).+",
        outputs=rf"-(?:{_UNKNOWN_SEQUENCES})/(?:evaluate-published|score)/(?:detailed_results\.\w+|stderr)$",
    ),
    AllowedDifference(
        "pages and kits say that unknown items are ignored; the bill of materials lists msgspec",
        r"(?s).+",
        outputs=r"^bundle/dist/.*(?:/pages/\w+\.md|/starting_kit\.zip/(?:README|formats/\w+)\.md|sbom\.cdx\.json)$",
    ),
    AllowedDifference(
        "marks and the vocabulary beside a reference are in no signature", r"\bref:[0-9a-f]{12}", "ref:N"
    ),
    AllowedDifference(
        "marks and a vocabulary are written beside a prepared reference",
        r"(?s).+",
        outputs=r"^reference/\w+/(?:marks|vocabulary)\.json$",
    ),
    AllowedDifference(
        "marks stand beside a score",
        r"^mark: .*\n|^ \"marks\": .*\n|<div class=\"interval\">.*?</div>(?=</header>|<div class=\"key\">)"
        r"|<div class=\"key\">.*?</div>(?=</header>)",
        outputs=r"/(?:stdout|detailed_results\.\w+)$",
    ),
    AllowedDifference(
        "problems are put in other words, with remedies of the challenge and their places last",
        r"^(?:\d+\. E-|and ).*\n|^ \"(?:problems|more_problems)\": .*\n|^ +\"(?:problem|hint)\": .*\n"
        r"|<h1>Not scored: .*?</h1>|<section id=\"run-problems\">.*?</section>",
        outputs=r"/(?:stdout|stderr|detailed_results\.\w+)$",
    ),
    AllowedDifference(
        "numbers of boxes and states are compared beside values of another type, too",
        r",\n  \{\n   \"code\": \"E-PART-LENGTH\",\n[^}]*\}",
        outputs=r"/kinetics_tps/[\w-]+/check/stdout$",
    ),
    AllowedDifference(
        "notes tell of repairs, and those of likely mistakes come first",
        r"^(?:note|likely mistake) N-.*\n|^ \"notes\": .*\n|^ +\"text\": .*\n"
        r"|<section id=\"run-(?:notes|mistakes)\".*?</section>"
        r"|<li><a href=\"#run-(?:notes|mistakes)\">.*?</li>"
        r"|<strong class=\"(?:good|warn)\">Valid and scored.*?</strong>"
        r"|These are the costs of the submission as it was read[^<]*?first\.\s?"
        r"|No (?:type of error costs anything|single repair helps)[^<]*",
        outputs=r"/(?:stdout|stderr|detailed_results\.\w+)$",
    ),
    AllowedDifference(
        "pages have colors for likely mistakes and marks",
        r"(?s)<style>.*?</style>",
        outputs=r"/detailed_results\.html$",
    ),
    AllowedDifference(
        "no interval is given where all halves of the items score the same: both ends were the score",
        r"^score_low: (?P<end>[\d.]+)\nscore_high: (?P=end)\n"
        r"|,\n \"score_low\": (?P<json_end>[\d.]+),\n \"score_high\": (?P=json_end)(?=\n)"
        r"|, \"score_low\": (?P<detail_end>[\d.]+), \"score_high\": (?P=detail_end)(?=\})"
        r"|^ \"interval\": (?:null|\{[^}]*\"standard_error\": 0\.0,[^}]*\}),?\n",
        outputs=r"/(?:scores\.(?:txt|json)|detailed_results\.json)$",
    ),
    AllowedDifference(
        "the command that scores at home prints the score, notes and costs alone",
        r"(?s).+",
        outputs=r"/evaluate-\w+/stdout$",
    ),
    AllowedDifference(
        "kits hold one package, which is the same in all of them",
        r"(?s).+",
        outputs=r"^bundle/dist/.*/starting_kit\.zip/.*$",
    ),
    AllowedDifference(
        "a zip is judged as the folder that the site makes of it, and by its sizes alone",
        r"(?s).+",
        outputs=r"/(?:E-ZIP-BOMB-(?:fuzz(?:58|100|18|141)|190b96d9fe)|E-ZIP-NESTED-fuzz(?:3|74|105|20|221)"
        r"|E-FILE-RESERVED-2be089ab63)/",
    ),
    AllowedDifference(
        "items that the reference does not have are ignored; a submission without any other is refused",
        r"(?s).+",
        outputs=r"/(?:chalearn_action/N-FILE-IGNORED-fuzz(?:1122|9907)|densepose/mistake-image-ids-one-too-high"
        r"|kinetics_tps/mistake-videos-(?:in-capitals|of-another-split))/",
    ),
    AllowedDifference(
        "names that begin like a formula are quoted in tables of the kit",
        r"(?s).+",
        outputs=r"/kinetics_tps/random-a/evaluate-\w+/per_item\.csv$",
    ),
    AllowedDifference(
        "a damaged zip that ended as a fault of the program is refused",
        r"(?s).+",
        outputs=r"/chalearn_gesture/N-FILE-IGNORED-fuzz10668/",
    ),
)
