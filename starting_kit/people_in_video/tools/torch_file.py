"""Reading what `torch.save` wrote, without torch, and without running anything of the file.

A file of `torch.save` is a zip: ``data.pkl`` is a pickle in which each tensor names a storage, an offset,
sizes and strides, and ``data/0``, ``data/1``, … are the bytes of the storages.

    with TorchFile("results.pkl", {"my.module.Record"}) as file:
        boxes = file.content[0]["boxes"].read()       # a numpy array

The arrays of tensors are read when they are asked for, so that a file may be larger than memory.
"""

from __future__ import annotations

import math
import pickle
import struct
import zipfile
import zlib
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple

import numpy as np

from people_in_video.tools.pickle_program import Builder, GlobalName, PickleProgramError, load
from validator.texts import quote

# The pickle of a file with 100,000 detections has some 50 MB.
_LARGEST_PICKLE = 500_000_000
# What `torch.save` wrote before version 1.6 begins with this number in a pickle.
_OLDER_FORMAT = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_ZIP_BEGIN = b"PK\x03\x04"
# What comes before each member of a zip; the last two fields are the lengths of what follows.
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# What `zipfile` raises for damaged, encrypted or unusual zips that could be opened.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
_Members = dict[str, zipfile.ZipInfo]
ByteOrder = Literal["<", ">"]
_DTYPE_OF_STORAGE = {
    "DoubleStorage": "f8",
    "FloatStorage": "f4",
    "HalfStorage": "f2",
    "LongStorage": "i8",
    "IntStorage": "i4",
    "ShortStorage": "i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "u1",
}
# More than any tensor has; numpy has 32 or 64.
_MOST_DIMENSIONS = 16
_ORDERED_DICT = GlobalName("collections", "OrderedDict")
_TENSOR = GlobalName("torch._utils", "_rebuild_tensor_v2")
_PARAMETER = GlobalName("torch._utils", "_rebuild_parameter")


class TorchFileError(ValueError):
    """A file cannot be read; the message says why, and after a semicolon what to do."""


class Storage(NamedTuple):
    """The numbers that tensors are views of.

    Attributes
    ----------
    begin : int
        Where they begin in the file, in bytes.
    length : int
        How many numbers there are.
    dtype : numpy.dtype
    is_bool : bool
        Whether each number, a byte, is true or false.
    """

    begin: int
    length: int
    dtype: np.dtype[Any]
    is_bool: bool


@dataclass(frozen=True)
class Tensor:
    """A tensor whose numbers are in the file.

    Attributes
    ----------
    storage : Storage
    offset : int
        Where the tensor begins in its storage.
    shape, strides : tuple of int
        In numbers, not in bytes.
    """

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    _file: TorchFile = field(repr=False, compare=False)

    def read(self) -> np.ndarray:
        """Return the numbers as an array. Raises TorchFileError if the file ends before them."""
        return self._file.read_tensor(self)


@dataclass
class Record:
    """An object of a class that the caller of `TorchFile` named.

    Attributes
    ----------
    name : str
        The class with its module.
    fields : dict
        The attributes by their names.
    """

    name: str
    fields: dict[str, Any]


class TorchFile:
    """A file of `torch.save` that is open for reading.

    Parameters
    ----------
    path : path
    records : collection of str
        The classes, with their modules, whose objects become a `Record`; any other class is refused.

    Attributes
    ----------
    content : any
        What was saved: dicts, lists, tuples, strings and numbers, with a `Tensor` for each tensor.

    Raises
    ------
    TorchFileError
        The file is not of `torch.save`, is damaged, or holds anything else.
    OSError
        There is no such file, or it cannot be read.
    """

    def __init__(self, path: str | Path, records: Collection[str] = ()) -> None:
        self._path = Path(path)
        self._records = frozenset(records)
        self._storages: dict[str, Storage] = {}
        _check_format(self._path)
        self._members, program, self._byte_order = _read_archive(self._path)
        with ExitStack() as stack:
            self._stream = stack.enter_context(self._path.open("rb"))
            try:
                self.content: Any = _load(program, self)
            except PickleProgramError as error:
                remedy = "load it where it was made, and save lists and dicts of tensors and numbers only"
                raise TorchFileError(f"{error}; {remedy}") from None
            stack.pop_all()

    def __enter__(self) -> TorchFile:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; tensors cannot be read any more."""
        self._stream.close()

    def call(self, name: GlobalName, arguments: tuple[Any, ...]) -> object:
        """Return what stands for an object; see `people_in_video.tools.pickle_program.Builder`."""
        if name == _ORDERED_DICT and not arguments:
            return {}
        if name == _TENSOR:
            return self._tensor(arguments)
        if name == _PARAMETER and arguments and isinstance(arguments[0], Tensor):
            return arguments[0]
        if str(name) in self._records and not arguments:
            return Record(str(name), {})
        raise PickleProgramError(f"it holds {quote(str(name))}, which is no tensor or plain container")

    def persistent(self, identifier: object) -> Storage:
        """Return the storage that a pickle names; see `people_in_video.tools.pickle_program.Builder`."""
        if not isinstance(identifier, tuple) or len(identifier) != 5 or identifier[0] != "storage":
            raise PickleProgramError("it refers to something else than a storage")
        _, kind, key, _, length = identifier
        if not isinstance(kind, GlobalName) or kind.module != "torch":
            raise PickleProgramError("a storage has no type")
        if kind.name not in _DTYPE_OF_STORAGE:
            raise PickleProgramError(f"a tensor is a {quote(str(kind))}, whose numbers numpy cannot hold")
        if not isinstance(key, str) or not _is_size(length):
            raise PickleProgramError("a storage has no name or length")
        storage = self._storages.get(key)
        if storage is None:
            storage = self._open_storage(kind.name, key, length)
            self._storages[key] = storage
        dtype = np.dtype(_DTYPE_OF_STORAGE[kind.name])
        if (storage.length, storage.dtype.itemsize) != (length, dtype.itemsize):
            raise PickleProgramError(f"the storage {quote(key)} is named with two lengths")
        return storage

    def set_state(self, instance: object, state: object) -> None:
        """Set the attributes of a record; see `people_in_video.tools.pickle_program.Builder`."""
        if isinstance(instance, Record) and isinstance(state, dict):
            # Not a copy: a file can set the same attributes again and again.
            instance.fields = state
        elif not isinstance(instance, (dict, Tensor)):
            raise PickleProgramError("it sets attributes of something else than a record")

    def _open_storage(self, kind: str, key: str, length: int) -> Storage:
        """Return a storage of the zip, which must hold exactly its numbers."""
        dtype = np.dtype(_DTYPE_OF_STORAGE[kind]).newbyteorder(self._byte_order)
        member = self._members.get(f"data/{key}")
        if member is None:
            raise PickleProgramError(f"the storage {quote(key)} is missing")
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise PickleProgramError("its storages are compressed, which torch.save does not do")
        if member.file_size != length * dtype.itemsize:
            raise PickleProgramError(f"the storage {quote(key)} does not have the length that it should have")
        self._stream.seek(member.header_offset)
        header = self._stream.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or not header.startswith(_ZIP_BEGIN):
            raise PickleProgramError(f"the storage {quote(key)} is damaged")
        *_, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        begin = member.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        return Storage(begin, length, dtype, kind == "BoolStorage")

    def _tensor(self, arguments: tuple[Any, ...]) -> Tensor:
        """Return a tensor, which must lie within its storage."""
        if len(arguments) < 4 or not isinstance(arguments[0], Storage):
            raise PickleProgramError("a tensor has no storage")
        storage, offset, shape, strides = arguments[:4]
        are_numbers = _is_size(offset) and _are_sizes(shape) and _are_sizes(strides)
        if not are_numbers or len(shape) != len(strides):
            raise PickleProgramError("a tensor has no valid offset, sizes, and strides")
        tensor = Tensor(storage=storage, offset=offset, shape=shape, strides=strides, _file=self)
        n_numbers = math.prod(shape)
        if n_numbers and (offset + _span(tensor) > storage.length or n_numbers > storage.length):
            raise PickleProgramError("a tensor reaches beyond its storage")
        return tensor

    def read_tensor(self, tensor: Tensor) -> np.ndarray:
        """Return the numbers of a tensor of this file. Raises TorchFileError if the file ends before them."""
        storage = tensor.storage
        if math.prod(tensor.shape) == 0:
            return np.zeros(tensor.shape, storage.dtype)
        n_bytes = _span(tensor) * storage.dtype.itemsize
        self._stream.seek(storage.begin + tensor.offset * storage.dtype.itemsize)
        data = self._stream.read(n_bytes)
        if len(data) < n_bytes:
            raise TorchFileError("the file ends before the numbers of a tensor; copy or save it again")
        numbers = np.frombuffer(data, storage.dtype)
        byte_strides = [storage.dtype.itemsize * stride for stride in tensor.strides]
        view = np.lib.stride_tricks.as_strided(numbers, tensor.shape, byte_strides, writeable=False)
        if storage.is_bool:
            return view != 0
        return view.astype(storage.dtype.newbyteorder("="))


def is_torch_file(path: Path) -> bool:
    """Return whether `torch.save` may have written a file, in its present or its older format."""
    with path.open("rb") as stream:
        begin = stream.read(len(_OLDER_FORMAT))
    if begin == _OLDER_FORMAT:
        return True
    if not begin.startswith(_ZIP_BEGIN):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "data.pkl" in _members_by_name(archive, path)
    except _ZIP_ERRORS:
        return False


def _check_format(path: Path) -> None:
    """Raise TorchFileError if a file is no zip, or of the older format."""
    with path.open("rb") as stream:
        begin = stream.read(len(_OLDER_FORMAT))
    if begin == _OLDER_FORMAT:
        problem = "it has the format of torch.save before version 1.6"
        raise TorchFileError(f"{problem}; load it with torch and save it again, in the usual format")
    if not begin.startswith(_ZIP_BEGIN):
        raise TorchFileError("it is no file of torch.save; give the file that torch.save wrote")


def _read_archive(path: Path) -> tuple[_Members, bytes, ByteOrder]:
    """Return the members of a file by name, its pickle, and the order of bytes in its numbers."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members_by_name(archive, path)
            program = _read_member(archive, members, "data.pkl", _LARGEST_PICKLE)
            return members, program, _read_byte_order(archive, members)
    except TorchFileError:
        raise
    except _ZIP_ERRORS as error:
        raise TorchFileError(f"the zip is damaged ({error}); copy or save it again") from None


def _load(data: bytes, builder: Builder) -> object:
    """Return the content of a pickle of torch.save. Raises PickleProgramError."""
    if not data.startswith(pickle.PROTO):
        raise PickleProgramError("its pickle is damaged, or of a protocol that torch.save does not use")
    return load(data, builder)


def _members_by_name(archive: zipfile.ZipFile, path: Path) -> _Members:
    """Return the members of the one folder that torch.save writes, by their names in it."""
    members: _Members = {}
    file_size = path.stat().st_size
    for member in archive.infolist():
        _, _, name = member.filename.partition("/")
        if name in members:
            raise TorchFileError(f"the zip holds {quote(name)} twice; save it again")
        if not 0 <= member.header_offset < file_size:
            raise TorchFileError(f"the zip is damaged at {quote(name)}; copy or save it again")
        members[name] = member
    return members


def _read_member(archive: zipfile.ZipFile, members: _Members, name: str, largest: int) -> bytes:
    if name not in members:
        raise TorchFileError(f"it is no file of torch.save ({name} is missing); give that file")
    if members[name].compress_type != zipfile.ZIP_STORED:
        # A few kilobytes could become hundreds of megabytes.
        raise TorchFileError(
            f"its {name} is compressed, which torch.save does not do; give the file as it was"
        )
    if members[name].file_size > largest:
        raise TorchFileError(f"its {name} is larger than {largest:,} bytes; save less in one file")
    return archive.read(members[name])


def _read_byte_order(archive: zipfile.ZipFile, members: _Members) -> ByteOrder:
    """Return the order of bytes in numbers as numpy names it; older files do not say it."""
    if "byteorder" not in members:
        return "<"
    text = _read_member(archive, members, "byteorder", 100)
    if text not in (b"little", b"big"):
        raise TorchFileError("its order of bytes is neither little nor big; save it again")
    return "<" if text == b"little" else ">"


def _span(tensor: Tensor) -> int:
    """Return how many numbers there are from the first to the last of a tensor that is not empty."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides))


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48


def _are_sizes(values: object) -> bool:
    return isinstance(values, tuple) and len(values) <= _MOST_DIMENSIONS and all(map(_is_size, values))
