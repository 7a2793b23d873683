"""The codes of messages of scoring programs and starting kits."""

from __future__ import annotations

from validator.codes import CodeTable, MessageCode

CODES = CodeTable(
    submission_errors=(
        MessageCode(
            "E-ARGUMENT",
            "An argument of `update`, or of an entry of predictions in memory, is not valid, or differs from "
            "what an earlier call gave for the same thing.",
            "Correct what the message names. Give each thing once, or with the same content again.",
        ),
        MessageCode(
            "E-TOOL-FILE",
            "A file of another tool cannot be converted to a submission.",
            "Do what the message says, or write the submission with the writer of the kit.",
        ),
    ),
    other_errors=(
        MessageCode(
            "E-EVALUATOR",
            "The evaluator of the task failed: it raised an error, returned no finite number below 1e10, or "
            "other numbers the second time. Which of these, where, and what it prints are shown where "
            "nothing is hidden, and to organizers by `dry-run` and `rescore`.",
            "Organizers: correct it.",
        ),
        MessageCode(
            "E-INTERNAL",
            "The scoring program failed. The message names the place in the code where nothing is hidden; "
            "`dry-run` and `rescore` name it to organizers.",
            "Report it to the maintainers.",
        ),
        MessageCode(
            "E-PYTHON",
            "The interpreter is too old, or lacks numpy or another package that the task needs.",
            "Set `docker_image` as documented.",
        ),
        MessageCode("E-REF", "The reference has problems.", "Organizers: `prepare` shows them."),
        MessageCode(
            "E-REF-EMPTY",
            "No annotation is in the part that is scored. Its labels may have been withheld.",
            "Choose other splits or the right file.",
        ),
        MessageCode(
            "E-REF-GROUPS",
            "The file of item groups (`item_groups`) is missing or has a wrong line.",
            "Write the header `item,group`, each item once, and at least two groups.",
        ),
        MessageCode(
            "E-REF-KEY",
            "`signature_key.txt` of the reference does not hold 32 hexadecimal digits, or cannot be read or "
            "written.",
            "Bring back your copy, or delete it: `bundle` writes a new one, and all signatures change. "
            "If it cannot be read, run as its owner, or let the user that runs this read it.",
        ),
        MessageCode("E-REF-MISSING", "There is no reference folder at the path.", "Check the path."),
        MessageCode("E-REF-NONE", "A file of the reference is missing.", "Add it."),
        MessageCode(
            "E-REF-PAIR",
            "An item is in only one of two files.",
            "Add what is missing, or remove the other.",
        ),
        MessageCode(
            "E-REF-PREPARED",
            "The prepared reference is damaged or of another version.",
            "Prepare it again.",
        ),
        MessageCode(
            "E-REF-SHAPE",
            "A reference file does not have the shape that the format page shows.",
            "Write it as that page does.",
        ),
        MessageCode(
            "E-SETTINGS-KEY",
            "There is no setting of this name.",
            "Correct its spelling, or remove it.",
        ),
        MessageCode(
            "E-SETTINGS-NAME",
            "The name of a file is similar to `settings.yaml`, such as `settings.yml`; only "
            "`settings.yaml` is read.",
            "Rename the file.",
        ),
        MessageCode(
            "E-SETTINGS-VALUE",
            "A setting does not have an allowed value.",
            "Write a value that the message names.",
        ),
        MessageCode(
            "E-SETTINGS-YAML",
            "`settings.yaml` is not a YAML mapping.",
            "Write lines like `protocol: published`.",
        ),
        MessageCode("E-STOPPED", "The platform ended the run.", "Submit again."),
    ),
    notes=(
        MessageCode(
            "N-CONVERTED",
            "A file of another tool was converted; the note says what was left out or assumed.",
        ),
        MessageCode(
            "N-HALF",
            "Numbers of predictions in memory are bfloat16 or float16, which have few digits.",
            "Turn boxes, scores and coordinates into float32 before the last step of the model.",
        ),
        MessageCode(
            "N-INTERNAL",
            "Notes, tables or error costs could not be computed, because of a fault of the program; "
            "the score is right.",
            "Report it to the maintainers.",
        ),
        MessageCode(
            "N-LIMIT-TIME",
            "The run came close to its time limit.",
            "Submit less, so that the next run does not end early.",
        ),
        MessageCode(
            "N-LOOKS",
            "Much more of the submission agrees with the reference if it is read in another way, such as "
            "boxes in another order of columns, resized frames, frames counted from 0, classes of another "
            "list, or predictions of the next item. Said at home, and to organizers.",
            "Write it as the note says.",
        ),
        MessageCode(
            "N-LOW",
            "The score is 0, or below 0.02 although more than half was predicted, and no other note explains "
            "it. At home the note names the step at which agreement with the reference is lost (items, names "
            "or places).",
            "Look for the usual causes, which the note lists; explain it at home on public data.",
        ),
        MessageCode(
            "N-NAMES-UNKNOWN",
            "Classes, parts or states have names that the data does not have; they count as wrong, or, where "
            "predictions have scores, not at all. The note "
            "quotes up to five, with the nearest names of the public vocabulary.",
            "Write names exactly as the vocabulary does.",
        ),
        MessageCode(
            "N-PROCESSES",
            "Several processes gave different predictions for the same thing, as for items that a sampler "
            "repeats in batches of another size. Those of the first process are scored.",
        ),
        MessageCode(
            "N-SYNC",
            "There are several processes of torch.distributed, and one scored its own predictions alone.",
            "Call `sync()` in each process before `compute()`.",
        ),
    ),
)
