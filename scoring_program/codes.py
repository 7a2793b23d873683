"""The codes of messages of scoring programs and starting kits."""

from __future__ import annotations

from validator.codes import code_table

CODES = code_table(
    submission_errors=(
        (
            "E-ARGUMENT",
            "An argument of `update`, or of an entry of predictions in memory, is not valid, or differs from "
            "what an earlier call gave for the same thing.",
            "Correct what the message names. Give each thing once, or with the same content again.",
        ),
        (
            "E-TOOL-FILE",
            "A file of another tool cannot be converted to a submission.",
            "Do what the message says, or write the submission with the writer of the kit.",
        ),
    ),
    other_errors=(
        (
            "E-EVALUATOR",
            "The evaluator of the task failed: it raised an error, returned no finite number below 1e10, or "
            "other numbers the second time. Which of these, where, and what it prints are shown where "
            "nothing is hidden, and to organizers by `dry-run` and `rescore`.",
            "Organizers: correct it.",
        ),
        (
            "E-INTERNAL",
            "The scoring program failed. The message names the place in the code where nothing is hidden; "
            "`dry-run` and `rescore` name it to organizers.",
            "Report it to the maintainers.",
        ),
        (
            "E-PYTHON",
            "The interpreter is too old, or lacks numpy or another package that the task needs.",
            "Set `docker_image` as documented.",
        ),
        ("E-REF", "The reference has problems.", "Organizers: `prepare` shows them."),
        (
            "E-REF-EMPTY",
            "No annotation is in the part that is scored. Its labels may have been withheld.",
            "Choose other splits or the right file.",
        ),
        (
            "E-REF-GROUPS",
            "The file of item groups (`item_groups`) is missing or has a wrong line.",
            "Write the header `item,group`, each item once, and at least two groups.",
        ),
        (
            "E-REF-KEY",
            "`signature_key.txt` of the reference does not hold 32 hexadecimal digits, or cannot be read or "
            "written.",
            "Bring back your copy, or delete it: `bundle` writes a new one, and all signatures change. "
            "If it cannot be read, run as its owner, or let the user that runs this read it.",
        ),
        ("E-REF-MISSING", "There is no reference folder at the path.", "Check the path."),
        ("E-REF-NONE", "A file of the reference is missing.", "Add it."),
        ("E-REF-PAIR", "An item is in only one of two files.", "Add what is missing, or remove the other."),
        ("E-REF-PREPARED", "The prepared reference is damaged or of another version.", "Prepare it again."),
        (
            "E-REF-SHAPE",
            "A reference file does not have the shape that the format page shows.",
            "Write it as that page does.",
        ),
        ("E-SETTINGS-KEY", "There is no setting of this name.", "Correct its spelling, or remove it."),
        (
            "E-SETTINGS-NAME",
            "The name of a file is similar to `settings.yaml`, such as `settings.yml`; only "
            "`settings.yaml` is read.",
            "Rename the file.",
        ),
        (
            "E-SETTINGS-VALUE",
            "A setting does not have an allowed value.",
            "Write a value that the message names.",
        ),
        (
            "E-SETTINGS-YAML",
            "`settings.yaml` is not a YAML mapping.",
            "Write lines like `protocol: published`.",
        ),
        ("E-STOPPED", "The platform ended the run.", "Submit again."),
    ),
    notes=(
        ("N-CONVERTED", "A file of another tool was converted; the note says what was left out or assumed."),
        (
            "N-HALF",
            "Numbers of predictions in memory are bfloat16 or float16, which have few digits.",
            "Turn boxes, scores and coordinates into float32 before the last step of the model.",
        ),
        (
            "N-INTERNAL",
            "Notes, tables or error costs could not be computed, because of a fault of the program; "
            "the score is right.",
            "Report it to the maintainers.",
        ),
        (
            "N-LIMIT-TIME",
            "The run came close to its time limit.",
            "Submit less, so that the next run does not end early.",
        ),
        (
            "N-LOOKS",
            "Much more of the submission agrees with the reference if it is read in another way, such as "
            "boxes in another order of columns, resized frames, frames counted from 0, classes of another "
            "list, or predictions of the next item. Said at home, and to organizers.",
            "Write it as the note says.",
        ),
        (
            "N-LOW",
            "The score is 0, or below 0.02 although more than half was predicted, and no other note explains "
            "it. At home the note names the step at which agreement with the reference is lost (items, names "
            "or places).",
            "Look for the usual causes, which the note lists; explain it at home on public data.",
        ),
        (
            "N-NAMES-UNKNOWN",
            "Classes, parts or states have names that the data does not have; they count as wrong, or, where "
            "predictions have scores, not at all. The note "
            "quotes up to five, with the nearest names of the public vocabulary.",
            "Write names exactly as the vocabulary does.",
        ),
        (
            "N-PROCESSES",
            "Several processes gave different predictions for the same thing, as for items that a sampler "
            "repeats in batches of another size. Those of the first process are scored.",
        ),
        (
            "N-SYNC",
            "There are several processes of torch.distributed, and one scored its own predictions alone.",
            "Call `sync()` in each process before `compute()`.",
        ),
    ),
)
