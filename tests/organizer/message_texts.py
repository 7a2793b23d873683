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
    "E-NEW": "'Birds' is not an ID; write 2 to 40 small letters, digits and _, a letter first",
    "E-REF-MISSING": "there is no such folder; check the path",
    "E-REF-OTHER": "this file is not of this command; move it away, or add --replace to lose it",
    "E-REF-SAMPLE": "kinetics_tps_sample.zip is the sample of no task in this folder; the names are chalearn_gesture_sample.zip",
    "E-REF-UNKNOWN": "there is no such folder; check the path",
    "E-SPLIT-EMPTY": "a part would be empty: 12 groups found; choose other --shares, or smaller groups",
    "E-SPLIT-FILE": "the first line is 'video,part', not 'item,part'; write a row for each item: its name, and the name of the folder of its part",
    "E-SPLIT-NEW": "DemoSequence0001, DemoSequence0002, DemoSequence0003, DemoSequence0004, DemoSequence0005, …: new, and in no part; add --new-to PART, or write them into the table",
    "L-COMPETITION": "there is no competition.yaml at the root of the zip; zip the content of folder, not the folder",
    "L-YAML": "this is not a mapping; see competition.yaml of this project",
    "L-ZIP": "there is no such file; check the path",
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
    "E-SETTINGS-VALUE": "the value 11 is not allowed; it must be a whole number from 1 to 10",
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
    "R-CONSTANT": "3 of 36 videos have the same state for all of their parts; the first is demo_00000; compare with the source of the annotations",
    "R-CUT": "the row ends after the last frame of its sequence, and is cut there; compare it with the source of the annotations",
    "R-EMPTY": "the sequence has no row; give its labels, or take it out",
    "R-FRAMES": "the video has no frame: its PSC is 1 for nothing; compare it with the source of the annotations",
    "R-LEFT-OUT": "1 file left out: more.json; correct the names if they belong to the reference, whose files are *_labels.csv, *_data.csv",
    "R-NAME": "the class 'play_drum' (1) is nearly 'play_drums' (3); write both alike, if they are one",
    "R-OVERLAP": "the row overlaps another one of its class and actor; compare it with the source of the annotations",
    "R-RANGE": "the area of the person is less than a pixel; compare it with the source of the annotations",
    "R-REPEATED": "the row repeats an earlier one; compare it with the source of the annotations",
    "R-SAME": "its annotations are exactly those of DemoSeq0003; keep one, or correct it",
    "R-SIZE": "none of 26 boxes reaches beyond 49% of the width or height; check that boxes and sizes are of the same resolution",
    "R-SPLIT": "1 video of the data in no split; the first is v_demo000015; correct the split or the data",
    "R-TIMES": "12 of 12 sequences have rows that all end in the first tenth: they may be in seconds, not in frames; the first is DemoSeq0001; compare with the source of the annotations",
}


def with_texts(cases: Sequence[tuple[Any, ...]], texts: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Return the cases, each with the text of its message, or None if it is not the first one of its code."""
    codes = [case[0] for case in cases]
    assert set(codes) == texts.keys()
    return [
        (*case, None if case[0] in codes[:number] else texts[case[0]]) for number, case in enumerate(cases)
    ]
