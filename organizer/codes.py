"""The codes of messages that only organizers meet."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    other_errors=(
        (
            "E-CORENLP",
            "CoreNLP cannot be run, or is not version 3.9.1.",
            "Install Java and CoreNLP 3.9.1, or accept another version with `--force-corenlp`.",
        ),
        (
            "E-CRASHED",
            "The process of this submission was killed three times (`make rescore` only).",
            "Try the submission in a dry run.",
        ),
        (
            "E-NEW",
            "`organizer new-task` cannot use the given ID, title, kind, format, metric, labels or columns; "
            "or it did not write the task that `organizer undo-new-task` should put aside.",
            "Correct what the message names; nothing was changed.",
        ),
        (
            "E-NO-ANNOTATIONS",
            "The task has no baselines: what its items have is known to its evaluator alone.",
            "Make one of your own, and give it to `rescore` as `--baseline-zip`.",
        ),
        (
            "E-PUBLIC-SOURCE",
            "Public data cannot be made from a prepared reference, which lacks some of the public values.",
            "Give the folder with the organizers' own files.",
        ),
        (
            "E-REF-OTHER",
            "The output of `prepare` holds folders, or files that it did not write or that were edited.",
            "Move the files away, or give `--replace`; folders are never replaced: choose another output.",
        ),
        (
            "E-REF-SAMPLE",
            "The name of a sample next to the reference folders belongs to no task.",
            "Name it as the task: `ID_sample.zip`.",
        ),
        ("E-REF-UNKNOWN", "The name of a reference folder is not a task.", "Name it as a task."),
        (
            "E-REF-VOCABULARY",
            "The file of the vocabulary is not there, is not YAML, lacks names that the reference uses, or "
            "holds names that the task does not take from it.",
            "Give a file that maps each kind (class, part, state) to the list of all its names.",
        ),
        (
            "E-SPLIT-EMPTY",
            "A part of the reference would have no items.",
            "Choose other `--shares` or smaller groups, or write items of each part into `split.csv`.",
        ),
        (
            "E-SPLIT-FILE",
            "`split.csv` cannot be read, names an item twice or a part that is none, or has another number "
            "of parts than is asked for.",
            "Correct the line; `--again` with `--shares` deals all items anew.",
        ),
        (
            "E-SPLIT-GROUP",
            "`split.csv` has items of one group in two parts.",
            "Write one part for all of them, or correct the groups.",
        ),
        (
            "E-SPLIT-NEW",
            "The reference has items that `split.csv` lacks, and whose group is in no part.",
            "Give their part with `--new-to`, or write them into `split.csv`.",
        ),
        (
            "E-START",
            "`organizer start` would replace files with changes that are not committed to git.",
            "Commit them, or add `--replace`.",
        ),
        (
            "R-CEILING",
            "A perfect submission scores less than 0.9 of the usual score, or, where lower is better, more "
            "than usual.",
            "Look at the annotations of the listed items.",
        ),
    ),
    reference_warnings=(
        (
            "R-AREA-EMPTY",
            "No annotated person that counts has a size in one of the ranges; the score of that range is 0.",
            "Expect zeros in its columns, or leave them out of the leaderboard.",
        ),
        (
            "R-BOX",
            "A box has swapped corners, is empty, has no side of more than a pixel, is outside of its "
            "image or far outside of its human, has negative coordinates, or has an area of more than "
            "1,000 times or less than 1/1,000 of the median.",
            "Correct the box.",
        ),
        (
            "R-CONSTANT",
            "All items have the same label, list or number, or all parts of a video the same state.",
            "Check that the right column was written.",
        ),
        ("R-CUT", "A row ends after the last frame of its sequence; only the frames up to there are scored."),
        (
            "R-EMPTY",
            "A label file has no rows, a video no human in any frame, or a densely annotated person no known "
            "points.",
            "Check that nothing was lost.",
        ),
        (
            "R-FRAMES",
            "A video has no frames, so that its PSC is 1 whatever is predicted; or frames have other numbers "
            "than 1, 6, 11, …, so that the public list of their video is its own frames.",
            "Check that nothing was lost or renamed.",
        ),
        (
            "R-FREQUENT",
            "One number is in a column at least ten times as often as any other, as a 0 that stands for a "
            "missing number.",
            "Check that it does not stand where a number is missing.",
        ),
        (
            "R-LEFT-OUT",
            "Files of the source folder were not read.",
            "Correct their names if they belong to the reference.",
        ),
        (
            "R-NAME",
            "A class, part or state begins or ends with a blank, or looks like a misspelling of a more "
            "frequent one.",
            "Correct the name.",
        ),
        ("R-OVERLAP", "Rows of one class and actor overlap.", "Correct the frames, or join the rows."),
        (
            "R-RANGE",
            "Values of a person are in another range than documented: points in 0..1 or outside of the "
            "box, parts counted from 0, an area of less than a pixel, categories other than 1.",
            "Write them as documented.",
        ),
        ("R-REPEATED", "A row or an instance occurs twice.", "Keep one."),
        (
            "R-SAME",
            "Two items have exactly the same annotations; one may be a copy under a second id.",
            "Keep one, or correct it.",
        ),
        (
            "R-SIZE",
            "Boxes seem to be of another resolution than the public sizes: none reaches far into its "
            "picture, or none of many items, or some reach beyond the width of 720 pixels of "
            "ActivityNet-Entities.",
            "Give boxes in pixels of the public sizes.",
        ),
        (
            "R-SPLIT",
            "Videos are in the data only, in the splits only, or in several splits.",
            "Correct the splits, if this was not intended.",
        ),
        (
            "R-TIMES",
            "All rows of a sequence end within its first tenth, as times in seconds do, or end where they "
            "start.",
            "Write frames, counted from 1.",
        ),
    ),
    notes=(
        ("N-CORENLP", "The CoreNLP that was used."),
        (
            "N-REF-VOCABULARY",
            "The vocabulary lists the names that occur in the reference, because no other list was given.",
            "If participants must not see which names occur, list all names, with `--vocabulary`.",
        ),
    ),
    linter=(
        (
            "L-BOARD",
            "The leaderboard has columns or an index that the site cannot show, or is sorted by a column "
            "that can be raised without better predictions.",
            "Number columns from 0, show at least one, use precisions from 0 to 10.",
        ),
        (
            "L-CLASH",
            "A file and a folder have the same name, and the server overwrites the file.",
            "Rename one.",
        ),
        (
            "L-COLUMN",
            "A column gets no number from a program, or is computed from columns that do not exist.",
            "Name keys that the programs write.",
        ),
        (
            "L-COMPETITION",
            "`competition.yaml` is not at the root of the zip.",
            "Zip the content of the folder, not the folder.",
        ),
        (
            "L-DATE",
            "A date cannot be read, the server reads it otherwise or drops its zone, or a phase is over.",
            'Write `"2028-01-31 23:59:59"`, in UTC.',
        ),
        ("L-DEMO", "The reference is synthetic.", "Build with `REFERENCE` before you open the competition."),
        (
            "L-DETAIL",
            "`detail: full` shows the annotations of a reference on detail pages and in logs.",
            "Write `detail: summary`, unless the reference is public.",
        ),
        (
            "L-FACTS",
            "A question of the fact sheet has another `key` than its name, an unknown type, no selection, "
            "one that does not hold the answers, or a flag without quotes.",
            "Write what the message says.",
        ),
        (
            "L-FILE",
            "A file that is named is missing, empty, a symbolic link, one that the build writes itself, "
            "or not a zip where a worker needs one.",
            "Add it, or correct the name.",
        ),
        (
            "L-IMAGE",
            "The Docker image has no suitable Python, or is not known to have one with the packages that "
            "programs need.",
            "Keep `docker_image: codalab/codalab-legacy:py312`, unless your own evaluator needs another one.",
        ),
        (
            "L-KEY",
            "A `key` or `queue` is not one that a server gave out, or cannot be checked here.",
            "Copy it from the site.",
        ),
        (
            "L-LEAK",
            "Files of the reference are where participants can see them.",
            "Take them out, or build with the real reference.",
        ),
        (
            "L-LIMIT",
            "A time limit is 0 (which means 600 s) or above what the default queue allows, or the "
            "`time_limit` of a reference is not below that of its phase.",
            "Write at most 600, or use your own queue; write a smaller `time_limit` into the "
            "`settings.yaml` of the reference.",
        ),
        (
            "L-LINK",
            "A page shows a large picture or links to a page that is a file here; the site stores the text "
            "of pages only.",
            "Write a whole address.",
        ),
        ("L-LOGO", "The logo is not an image that the server takes.", "Convert it to PNG."),
        (
            "L-METADATA",
            "The metadata of a program cannot be read, or the platform cannot run its command.",
            "Write `command: python3 ...` into its `metadata.yaml`.",
        ),
        (
            "L-MIGRATION",
            "Migration into a phase leaves submissions behind or uses up its limit.",
            "See [Auto-migration](competition_yaml.md#what-may-be-edited).",
        ),
        (
            "L-NAME",
            "A name is missing, or so long that the site cuts it.",
            "Write a name of at most 35 characters.",
        ),
        ("L-NOTHING", "No bundle can be built.", "Add the missing folders to `REFERENCE`, or use `DEMO=1`."),
        (
            "L-OLD",
            "A bundle in `dist/` belongs to a task that does not exist (any more), or `competition.yaml`, a "
            "page or the logo has changed since it was built.",
            "Delete it, or build it again with `make bundle`.",
        ),
        (
            "L-OUTPUT",
            "A phase after the first does not hide outputs, so that teams may copy others.",
            "Write `hide_output: true`.",
        ),
        (
            "L-OVERVIEW",
            "A zip holds the overview of a reference, which shows the hidden reference.",
            "Take it out.",
        ),
        ("L-PATH", "A path is empty or leads out of the bundle.", "Use a plain name."),
        (
            "L-PHASE",
            "Phases overlap, have no end or no task, or differ in capitals and signs alone.",
            "Start each after the end of the previous one.",
        ),
        (
            "L-REFERENCE",
            "A task has no reference data, or data with the problem whose code follows.",
            "Prepare it and build again.",
        ),
        (
            "L-REGISTRATION",
            "A text in place of true or false makes organizers approve each participant.",
            "Write `true` or `false`, without quotes.",
        ),
        (
            "L-RULE",
            "The submission rule does not put results on the leaderboard as you may expect.",
            "Choose one that begins with `Force`.",
        ),
        (
            "L-RUN",
            "No submission runs by itself.",
            "Remove `auto_run_submissions: false`, or start each on the site.",
        ),
        (
            "L-SAMPLE",
            "A sample submission does not score, or was not run: programs of other builds run with `--run`.",
            "Make it again for this reference, or build the bundle again.",
        ),
        (
            "L-SCHEMA",
            "A value of `competition.yaml` is missing or of the wrong kind.",
            "Write what the message says.",
        ),
        (
            "L-SHARED",
            "The reference of a phase holds items of an earlier phase.",
            "Give other items, or write `shares_items_with` into its `settings.yaml`.",
        ),
        (
            "L-SORTING",
            "A column puts the worst scores of a task first, or is named like a measure and sorted the other "
            "way; all tasks of a leaderboard are sorted in the same order.",
            "Upload bundles of one task, or hide the column.",
        ),
        (
            "L-TASK",
            "There is no task, none with the index that is named, or one that no phase has.",
            "Add it or correct the index.",
        ),
        ("L-TEXT", "A page is empty, not UTF-8 or still holds `EDIT:`, or a text is missing.", "Write it."),
        ("L-TWICE", "A key or an index occurs twice.", "Make them differ."),
        (
            "L-UNKNOWN",
            "The platform ignores this key. A key that is nearly a known one is an error.",
            "Correct its spelling or remove it.",
        ),
        (
            "L-YAML",
            "`competition.yaml` cannot be read as YAML, or a text is taken for a comment or a number.",
            "Write the text in quotes.",
        ),
        (
            "L-ZIP",
            "There is no such bundle, or zips are damaged, too large, or too deep to be looked into.",
            "Build it again, or take out what the competition does not need.",
        ),
    ),
)
