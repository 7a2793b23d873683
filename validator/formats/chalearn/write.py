r"""Encoding of rows for ChaLearn LAP 2014: a CSV file for each sequence, without a header.

>>> encode_files({"Sample0001": [[7, 13, 81], [2, 90, 120]]})
{'Sample0001_prediction.csv': b'7,13,81\n2,90,120\n'}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.checking import Format
from validator.formats.chalearn.read import hints, read

_ENDING = "_prediction.csv"


def encode_files(rows_of_sequence: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, bytes]:
    """Return the files of a submission by name.

    Rows are ``actor, action, start frame, end frame`` or ``gesture, start frame, end frame``; all count from
    1, and the end frame is included.
    """
    files = {}
    for sequence, rows in rows_of_sequence.items():
        files[prediction_name(sequence)] = encode_rows(rows)
    return files


def encode_rows(rows: Iterable[Sequence[int]]) -> bytes:
    """Return the content of the file of a sequence, of predictions or labels."""
    lines = []
    for row in rows:
        lines.append(",".join(map(str, row)) + "\n")
    return "".join(lines).encode("ascii")


def prediction_name(sequence: str) -> str:
    """Return the name of the file of a sequence.

    >>> prediction_name("Sample0001")
    'Sample0001_prediction.csv'
    """
    return f"{sequence}{_ENDING}"


def sequence_of(name: str) -> str:
    """Return the sequence of a file, from its name."""
    return name.removesuffix(_ENDING)


def decode_predictions(files: Mapping[str, bytes]) -> Iterator[tuple[str, list[list[int]]]]:
    """Yield each sequence and its rows, from the files of a valid submission.

    >>> list(decode_predictions(encode_files({"Sample0001": [[7, 13, 81]]})))
    [('Sample0001', [[7, 13, 81]])]
    """
    for name, data in files.items():
        yield sequence_of(name), decode_rows(data)


def decode_rows(data: bytes) -> list[list[int]]:
    """Return the rows of a file of predictions or labels."""
    lines = data.decode("ascii").splitlines()
    return [[int(number) for number in line.split(",")] for line in lines]


FORMAT = Format(read, lambda submission, rules: hints(submission.rows))
