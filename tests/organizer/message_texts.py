"""The words of the messages that only organizers meet, one text for each code.

It goes on with ``tests/message_texts.py``, which holds those of the validator. A text is that of the first case
of its code in a table of cases, which the line above names; ``with_texts`` puts both together. Other tests
compare the code, the file and the place of a message, and the values in it that matter to the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Of test_start.py.
START_ERRORS = {
    "E-START": "git has no clean state of pages/terms.md; commit first, or add --replace",
}
# Of CASES in test_codes.py.
COMMAND_ERRORS = {
    "E-CORENLP": "there is no stanford-corenlp-X.Y.Z.jar; give the unpacked folder of CoreNLP 3.9.1",
    "E-NEW": "'Birds' is not an ID; write small letters, digits and _, a letter first",
    "E-REF-MISSING": "there is no such folder; check the path",
    "E-REF-OTHER": "this file is not of this command; move it away, or add --replace to lose it",
    "E-REF-SAMPLE": "kinetics_tps_sample.zip is the sample of no task in this folder; the names are chalearn_gesture_sample.zip",
    "E-REF-UNKNOWN": "there is no such folder; check the path",
    "E-SPLIT-EMPTY": "a part would be empty: 12 groups found; choose other SHARES, or smaller groups",
    "L-COMPETITION": "there is no competition.yaml at the root of the zip; zip the content of folder, not the folder",
    "L-YAML": "this is not a mapping; see competition.yaml of this project",
    "L-ZIP": "there is no such file; build it with: make bundle",
}
# Of PROBLEMS in data/test_codes.py.
REFERENCE_ERRORS = {
    "E-REF-CLASS": "the class 'zeppelin' is not in the vocabulary; add or correct it",
    "E-REF-EMPTY": "no segment of the splits validation is annotated; the split file holds validation (0 videos); choose with splits in settings.yaml",
    "E-REF-IMAGE": "id, height and width must be whole numbers, and none negative or a side of 0; correct it",
    "E-REF-LEMMAS": "this is not a mapping of words to lemmas; prepare it again",
    "E-REF-MAT": "it cannot be read (ValueError); take the official file",
    "E-REF-NONE": "the file is missing; put it into the reference folder",
    "E-REF-PAIR": "{Id}_data.csv is missing; each sequence needs both",
    "E-REF-PERSON": "this is not a box of 4 numbers; write [x, y, width, height]",
    "E-REF-PREPARED": "the prepared reference cannot be read; prepare it again",
    "E-REF-SEGMENT": "the parallel lists differ in length: 2 frame_ind, 3 process_clss, 3 process_idx, 3 process_bnd_box; correct them",
    "E-REF-SHAPE": "there is no mapping of annotations; see the format page",
    "E-REF-SPLIT": "there is no split 'moon'; choose from validation",
    "E-REF-TEMPLATE": "U or V is not in 0..1; take the official file",
    "E-SETTINGS-KEY": "there is no setting of this name; did you mean protocol?",
    "E-SETTINGS-NAME": "only settings.yaml is read, and this file is named like it; rename it to settings.yaml, or take it away",
    "E-SETTINGS-VALUE": "the value is not allowed; it must be a whole number from 1 to 10",
    "E-SETTINGS-YAML": "this is not valid YAML: expected ',' or ']', but got '<stream end>'; correct it",
}
# Of NOTES in data/test_codes.py.
REFERENCE_NOTES = {
    "N-LEMMAS-MISSING": "1 word not in the table of lemmas got a lemma by a rule: 'zeppelinish'",
    "N-LEMMAS-NO-TOKEN": "left 1 word of only spaces and invisible characters unchanged; CoreNLP finds no token there, and the released script stops",
    "N-REF-LEMMAS": "119 lemmas by corenlp-3.9.1-table+0",
}
# Of SPOILED in data/test_content.py.
REFERENCE_WARNINGS = {
    "R-BOX": "the box of the part is far outside of its human; compare it with the source of the annotations",
    "R-CUT": "the row ends after the last frame of its sequence, and is cut there; compare it with the source of the annotations",
    "R-EMPTY": "no row is in it; give its labels, or take the sequence out",
    "R-FRAMES": "the video has no frame: its PSC is 1 for nothing; compare it with the source of the annotations",
    "R-LEFT-OUT": "1 file left out: more.json; correct the names if they belong to the reference",
    "R-NAME": "the class 'play_drum' (1) is nearly 'play_drums' (3); write both alike, if they are one",
    "R-OVERLAP": "the row overlaps another one of its class and actor; compare it with the source of the annotations",
    "R-RANGE": "the area of the person is less than a pixel; compare it with the source of the annotations",
    "R-REPEATED": "the row repeats an earlier one; compare it with the source of the annotations",
    "R-SAME": "its annotations are exactly those of DemoSeq0003; keep one, or correct it",
    "R-SPLIT": "1 video of the data in no split; the first is v_demo000015; correct the split or the data",
}
# Of ERRORS in bundle/test_lint.py.
LINTER_ERRORS = {
    "L-BOARD": "no column has the index 0; number the columns from 0; the leaderboard breaks otherwise",
    "L-CLASH": "there are both a folder starting_kit/ and a file starting_kit.zip; rename one: the server zips the folder over the file",
    "L-COLUMN": "no scoring program writes Coverage; they write COLUMNS",
    "L-DATE": 'there is no such day or time: soon; write it in UTC, in the form "YYYY-MM-DD HH:MM:SS"',
    "L-DEMO": "the reference data is synthetic and the title does not say so; build with REFERENCE=DIR before you open the competition",
    "L-FACTS": "the key b differs from the question's name, a; key and name must be equal: use b for both",
    "L-FILE": "nothing.png is not in the bundle; add it",
    "L-IMAGE": "without docker_image every run fails: the platform takes codalab/codalab-legacy:py37, whose Python is too old; write docker_image: codalab/codalab-legacy:py312",
    "L-KEY": "my queue is no queue that a server gives out (a UUID of version 4); copy it from the site",
    "L-LEAK": "it shows 1 file of chalearn_gesture_reference.zip: S1_labels.csv; take them out; it is /pages/2/file of competition.yaml",
    "L-LOGO": "the logo is not a PNG, JPEG, GIF or WebP image that can be read; convert it to PNG (an SVG fails)",
    "L-METADATA": "there is no metadata.yaml: such a program hangs; add one",
    "L-OVERVIEW": "it is an overview, which shows the hidden reference; remove it",
    "L-PATH": "an empty path means the whole bundle; name a file",
    "L-PHASE": "the phase has no end; write one: all phases but the last need an end",
    "L-REFERENCE": "the task has no reference data, so every run fails; name a zip",
    "L-REFERENCE E-REF-NONE": "there is no such file; put a {Id}_labels.csv and a {Id}_data.csv there for each sequence",
    "L-SCHEMA": "there is no version 3; write version: 2",
    "L-SHARED": "it has 1 sequence in common with chalearn_gesture_reference.zip of an earlier phase: S1; give other items, or write shares_items_with: chalearn_gesture into its settings.yaml",
    "L-TASK": "there is no task with index 7; the indexes are 0",
    "L-TEXT": "the page is not UTF-8; save it as plain UTF-8",
    "L-TWICE": "the index 0 occurs more than once; make them differ",
    "L-UNKNOWN": "the platform ignores the key max_submissions_per_dya; the nearest known key is max_submissions_per_day",
}
# Of WARNINGS in bundle/test_lint.py.
LINTER_WARNINGS = {
    "L-BOARD": "the platform uses the first leaderboard only; keep one",
    "L-DATE": 'a date without quotes loses its time of day; write "2027-12-31 23:59:59", with the quotes',
    "L-DEMO": "the reference data is synthetic; build with REFERENCE=DIR before you open the competition",
    "L-DETAIL": "detail: full shows annotations next to predictions to all who see detail pages or logs; write detail: summary into its settings.yaml, unless the reference is public",
    "L-FACTS": 'the platform reads True as no; write "true", with the quotes',
    "L-IMAGE": "an image is not the name of an image; write docker_image: codalab/codalab-legacy:py312",
    "L-KEY": "only the server knows whether the queue exists; look it up on the site",
    "L-LIMIT": "the default queue allows 600 s for each step; use a queue of your own, or a lower limit",
    "L-LINK": "the page links to images/plot.png, which the site does not have: it stores only the text of pages; write a whole address that begins with https://",
    "L-METADATA": "there is no shell, but the command holds its characters: python3 x > y; write one plain command",
    "L-MIGRATION": "submissions to several tasks are not migrated, and one to a single task runs on all tasks of this phase; offer one task in both phases, or submit again by hand",
    "L-NAME": 'the platform calls a solution without a name "solution @ date"; give it a name',
    "L-PHASE": "only some phases have an index; give an index to all of them or to none",
    "L-RUN": "no submission runs by itself: each waits until an organizer starts it on the site; remove the key, or expect that work",
    "L-RULE": "with Add, participants put each result on the leaderboard by hand; use a rule that begins with Force to show all results",
    "L-SHARED": "an earlier phase has scored submissions with chalearn_gesture_reference.zip, too; give a final phase other items; a phase after it may stay so",
    "L-SORTING": "score of chalearn_gesture sorts the other way; correct it",
    "L-TASK": "the index is text; write a number",
    "L-TEXT": "pages is missing; add it: participants see the competition without it",
    "L-TWICE": "the index 0 occurs more than once; make them differ",
    "L-UNKNOWN": "the platform ignores the key color; the known keys here are accepts_only_result_submissions, auto_migrate_to_this_phase, description, end, execution_time_limit, hide_output, hide_prediction_output, hide_score_output, index, max_submissions, max_submissions_per_day, name, public_data, start, starting_kit, tasks",
}


def with_texts(cases: Sequence[tuple[Any, ...]], texts: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Return the cases, each with the text of its message, or None if it is not the first one of its code."""
    codes = [case[0] for case in cases]
    assert set(codes) == texts.keys()
    return [
        (*case, None if case[0] in codes[:number] else texts[case[0]]) for number, case in enumerate(cases)
    ]
