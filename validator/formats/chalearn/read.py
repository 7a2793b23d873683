"""ChaLearn LAP 2014, both tracks: a CSV file for each sequence, without a header."""

from __future__ import annotations

from collections.abc import Mapping

from validator.archive import Source, open_submission
from validator.arrays import Ints
from validator.csv_files import CsvRows, read_csv_files
from validator.files import choose_items
from validator.findings import Findings, Read
from validator.formats.rules import Format, Rules
from validator.hints import EMPTY, label_hints
from validator.messages import Note


def read(path: Source, rules: Rules, last_frames: Mapping[str, int] | None = None) -> Read[CsvRows]:
    """Check a submission and return the rows of all files.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's files; or their content by name.
    rules : Rules
        Those of the track.
    last_frames : mapping of str to int, optional
        The sequences of the reference and their numbers of frames; files of other sequences are checked and
        left out. Without it (a participant at home) every sequence is accepted.

    Raises
    ------
    Refused
        With all problems of all files.
    """
    (csv,) = rules.csv
    known: list[tuple[str, str, bytes]] = []
    unknown: list[tuple[str, str, bytes]] = []
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        chosen, of_names = choose_items(submission, csv, last_frames)
        # Predictions in memory may be none.
        if path:
            findings.extend(of_names)
        for key, name in chosen.items():
            with findings.part():
                files = known if last_frames is None or key in last_frames else unknown
                files.append((key, name, submission.read(name)))
        # A participant at home, who does not know the sequences, gets the same verdict.
        with findings.part():
            findings.take(read_csv_files(unknown, csv))
        with findings.part():
            rows = findings.take(read_csv_files(known, csv, last_frames))
    return Read(rows, findings.notes)


def hints(rows: CsvRows) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    # The class is the column before the frames.
    return class_hints(rows.values[:, -3])


def class_hints(labels: Ints) -> list[Note]:
    """Return a note if there are no rows, or all have the same class; int, shape (n_rows,)."""
    ends = {int(labels.min()), int(labels.max())} if len(labels) else ()
    return label_hints(len(labels), ends, "class") if ends else [EMPTY]


FORMAT = Format(read, hints)
