"""Reading pickles as data: their instructions are followed, and nothing that they name is imported or called.

A pickle is a program for a small machine with a stack and a memo. `load` knows the instructions that build
containers, strings and numbers. Names of classes and functions stay names; what a pickle builds with them is
up to a `Builder`, which refuses all that it does not know.

Each instruction takes time and memory in proportion to its bytes, so that a small file is read, or refused,
soon. What is read may still be deep or hold the same list many times: walk it with a bound.
"""

from __future__ import annotations

import codecs
import pickle
import re
import struct
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple, Protocol

from validator import limits

_KEY_TYPES = (str, bytes, int, float, type(None))
# More than any key has. A tuple is hashed anew for each dict.
_LONGEST_KEY = 16
_LEAST_INTEGER = -(1 << 63)
_LARGEST_INTEGER = (1 << 64) - 1
# More than numbers of 64 bits have in base 10; long ones take Python the square of their length.
_MOST_DIGITS = 40
# The module `re` keeps something for each repetition.
_LONGEST_RUN = 1000


class PickleProgramError(Exception):
    """A pickle is damaged, or holds what the reader does not know; the message says what."""


class GlobalName(NamedTuple):
    """The name of a class or function, as a pickle writes it."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Builder(Protocol):
    """What a pickle may build besides containers, strings and numbers.

    Each method raises PickleProgramError for what it does not know. A pickle may call one with the same large
    value again and again, so that none should copy its arguments without counting.
    """

    def call(self, name: GlobalName, arguments: tuple[Any, ...]) -> object:
        """Return what stands for the result of calling a function or class."""

    def persistent(self, identifier: object) -> object:
        """Return what stands for an object outside of the pickle."""

    def set_state(self, instance: object, state: object) -> None:
        """Set the attributes of what `call` returned."""


def load(data: bytes, builder: Builder) -> object:
    """Return the content of a pickle. Raises PickleProgramError.

    Strings of Python 2 are read as Latin-1.
    """
    machine = _Machine(data, builder)
    try:
        with limits.collector_off():
            return machine.run()
    except (ValueError, struct.error):
        # UnicodeDecodeError is a ValueError.
        raise PickleProgramError("its pickle is damaged (an instruction has a wrong argument)") from None


class _Machine:
    """A pickle that is read: its position, its stack and its memo.

    A mark on the stack begins a new stack, until an instruction takes all the values after the mark.
    """

    def __init__(self, data: bytes, builder: Builder) -> None:
        self.data = data
        self.position = 0
        self.stack: list[Any] = []
        self._stacks_before_marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._builder = builder

    def run(self) -> object:
        """Follow all instructions and return the last value."""
        data = self.data
        stop = pickle.STOP[0]
        while self.position < len(data):
            code = data[self.position]
            self.position += 1
            if code == stop:
                return self.pop()
            instruction = _INSTRUCTIONS.get(code)
            if instruction is None:
                raise PickleProgramError(f"its pickle holds the instruction {bytes([code])!r}")
            instruction(self)
        raise PickleProgramError("its pickle is damaged (it has no end)")

    def read(self, size: int) -> bytes:
        """Return the next bytes of the pickle."""
        end = self.position + size
        if end > len(self.data):
            raise PickleProgramError("its pickle is damaged (it ends within an instruction)")
        argument = self.data[self.position : end]
        self.position = end
        return argument

    def read_line(self) -> bytes:
        """Return the next bytes of the pickle until the end of the line, without it."""
        line = self.read(self.data.find(b"\n", self.position) + 1 - self.position)
        if not line:
            raise PickleProgramError("its pickle is damaged (it ends within a line)")
        return line[:-1]

    def push(self, value: object) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        if not self.stack:
            raise PickleProgramError("its pickle is damaged (a value is missing)")
        return self.stack.pop()

    def push_mark(self) -> None:
        self._stacks_before_marks.append(self.stack)
        self.stack = []

    def pop_to_mark(self) -> list[Any]:
        """Return the values after the last mark."""
        if not self._stacks_before_marks:
            raise PickleProgramError("its pickle is damaged (a mark is missing)")
        values = self.stack
        self.stack = self._stacks_before_marks.pop()
        return values

    def _top(self, kind: type[Any]) -> Any:
        """Return the last value, which stays and must be of a kind."""
        value = self.pop()
        self.push(value)
        if not isinstance(value, kind):
            raise PickleProgramError(f"its pickle is damaged (a {kind.__name__} is missing)")
        return value

    def keep(self, number: int) -> None:
        """Keep the last value in the memo under a number, which counts values so far."""
        if not 0 <= number <= self.position:
            raise PickleProgramError(
                f"its pickle is damaged (it keeps a value as number {number:,} too soon)"
            )
        self._memo[number] = self._top(object)

    def keep_next(self) -> None:
        """Keep the last value in the memo under the next number."""
        self.keep(len(self._memo))

    def recall(self, number: int) -> None:
        if number not in self._memo:
            raise PickleProgramError("its pickle is damaged (a reference leads nowhere)")
        self.push(self._memo[number])

    def push_tuple(self, size: int) -> None:
        """Replace the last values by a tuple of them."""
        values = [self.pop() for _ in range(size)]
        self.push(tuple(values[::-1]))

    def append(self, values: list[Any]) -> None:
        """Append values to the list before them."""
        self._top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        """Set items of the dict before them."""
        _set_items(self._top(dict), values)

    def push_dict(self, values: list[Any]) -> None:
        """Push a dict of items, keys and values in turn."""
        items: dict[Any, Any] = {}
        _set_items(items, values)
        self.push(items)

    def name_global(self, module: object, name: object) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleProgramError("its pickle is damaged (a class has no name)")
        self.push(GlobalName(module, name))

    def name_global_of_lines(self) -> None:
        module = self.read_line().decode("utf-8")
        name = self.read_line().decode("utf-8")
        self.name_global(module, name)

    def name_global_of_stack(self) -> None:
        name = self.pop()
        module = self.pop()
        self.name_global(module, name)

    def call(self) -> None:
        """Replace a name and its arguments by what the builder makes of them."""
        arguments = self.pop()
        name = self.pop()
        if not isinstance(name, GlobalName) or not isinstance(arguments, tuple):
            raise PickleProgramError("its pickle calls what is no function")
        self.push(self._builder.call(name, arguments))

    def push_persistent(self) -> None:
        self.push(self._builder.persistent(self.pop()))

    def set_state(self) -> None:
        state = self.pop()
        self._builder.set_state(self._top(object), state)


def _set_items(items: dict[Any, Any], values: list[Any]) -> None:
    """Set items of a dict, keys and values in turn."""
    for key, value in zip(values[::2], values[1::2]):
        if not _is_key(key):
            raise PickleProgramError(f"its pickle is damaged (a key is a {type(key).__name__})")
        items[key] = value


def _is_key(value: object) -> bool:
    """Return whether a value can be the key of a dict, which is hashed and compared with others.

    Deep tuples are none, because hashing one is recursive. NaNs are none, which no dict finds again.
    """
    if type(value) is str:
        return True
    if isinstance(value, tuple):
        return len(value) <= _LONGEST_KEY and all(map(_is_simple_key, value))
    return _is_simple_key(value)


def _is_simple_key(value: object) -> bool:
    return isinstance(value, _KEY_TYPES) and value == value


_Instruction = Callable[[_Machine], None]
_ReadArgument = Callable[[_Machine], Any]


def _read_number(layout: str) -> _ReadArgument:
    """Return a reader of a number that has a layout of `struct`."""
    number = struct.Struct(layout)
    return lambda machine: number.unpack(machine.read(number.size))[0]


def _read_sized(size_layout: str) -> _ReadArgument:
    """Return a reader of bytes, which come after their number."""
    read_size = _read_number(size_layout)
    return lambda machine: machine.read(read_size(machine))


def _read_text(size_layout: str) -> _ReadArgument:
    """Return a reader of a string. As in `pickle`, halves of surrogate pairs may be in it."""
    read = _read_sized(size_layout)
    return lambda machine: read(machine).decode("utf-8", "surrogatepass")


def _read_text_of_python_2(size_layout: str) -> _ReadArgument:
    """Return a reader of a string of Python 2."""
    read = _read_sized(size_layout)
    return lambda machine: read(machine).decode("latin-1")


def _read_integer(size_layout: str) -> _ReadArgument:
    """Return a reader of a whole number of any size, which must fit into 64 bits."""
    read = _read_sized(size_layout)
    return lambda machine: _checked_integer(int.from_bytes(read(machine), "little", signed=True))


def _checked_integer(number: int) -> int:
    """Return a whole number. Larger ones than 64 bits can be hashed, and printed, only slowly."""
    if not _LEAST_INTEGER <= number <= _LARGEST_INTEGER:
        raise PickleProgramError("it holds a whole number beyond 64 bits")
    return number


def _integer_of_line(machine: _Machine) -> int:
    line = machine.read_line()
    if len(line) > _MOST_DIGITS:
        raise PickleProgramError("it holds a whole number beyond 64 bits")
    return _checked_integer(int(line.rstrip(b"L")))


def _integer_or_bool_of_line(machine: _Machine) -> int:
    begin = machine.position
    number = _integer_of_line(machine)
    booleans = {b"00\n": False, b"01\n": True}
    return booleans.get(machine.data[begin : machine.position], number)


def _float_of_line(machine: _Machine) -> float:
    line = machine.read_line()
    if len(line) > _MOST_DIGITS:
        raise PickleProgramError("it holds a number with too many digits")
    return float(line)


def _text_of_line(machine: _Machine) -> str:
    return machine.read_line().decode("raw-unicode-escape")


def _text_of_python_2_of_line(machine: _Machine) -> str:
    """Return a string that is written with quotation marks and escapes."""
    line = machine.read_line()
    if len(line) < 2 or line[0] != line[-1] or line[:1] not in (b"'", b'"'):
        raise PickleProgramError("its pickle is damaged (a string has no end)")
    # Python's own `pickle` uses this function, too, which has no documentation.
    content: bytes = codecs.escape_decode(line[1:-1])[0]  # type: ignore[attr-defined]
    return content.decode("latin-1")


def _passes_over(read_argument: _ReadArgument) -> _Instruction:
    """Return an instruction that carries no data."""

    def pass_over(machine: _Machine) -> None:
        read_argument(machine)

    return pass_over


def _pushes(read_argument: _ReadArgument) -> _Instruction:
    """Return an instruction that pushes its argument."""
    return lambda machine: machine.stack.append(read_argument(machine))


def _pushes_run(code: bytes, layout: str) -> _Instruction:
    """Return an instruction that pushes a number, and at once all numbers of the same kind that follow.

    Arrays may be written as lists: then nearly all instructions are in such runs.
    """
    number = struct.Struct(f"{layout[0]}x{layout[1:]}")
    run = re.compile(b"(?:%b.{%d}){1,%d}" % (re.escape(code), number.size - 1, _LONGEST_RUN), re.DOTALL)

    def push_run(machine: _Machine) -> None:
        begin = machine.position - 1
        match = run.match(machine.data, begin)
        if match is None:
            raise PickleProgramError("its pickle is damaged (it ends within a number)")
        machine.position = match.end()
        machine.stack.extend(chain.from_iterable(number.iter_unpack(match[0])))

    return push_run


def _keeps(read_argument: _ReadArgument) -> _Instruction:
    """Return an instruction that keeps the last value in the memo."""
    return lambda machine: machine.keep(read_argument(machine))


def _recalls(read_argument: _ReadArgument) -> _Instruction:
    """Return an instruction that pushes a value of the memo."""
    return lambda machine: machine.recall(read_argument(machine))


_INSTRUCTION_OF_CODE: dict[bytes, _Instruction] = {
    pickle.PROTO: _passes_over(_read_number("<B")),
    pickle.FRAME: _passes_over(_read_number("<Q")),
    pickle.NONE: lambda machine: machine.push(None),
    pickle.NEWTRUE: lambda machine: machine.push(True),
    pickle.NEWFALSE: lambda machine: machine.push(False),
    pickle.INT: _pushes(_integer_or_bool_of_line),
    pickle.BININT: _pushes_run(pickle.BININT, "<i"),
    pickle.BININT1: _pushes_run(pickle.BININT1, "<B"),
    pickle.BININT2: _pushes_run(pickle.BININT2, "<H"),
    pickle.LONG: _pushes(_integer_of_line),
    pickle.LONG1: _pushes(_read_integer("<B")),
    pickle.LONG4: _pushes(_read_integer("<I")),
    pickle.FLOAT: _pushes(_float_of_line),
    pickle.BINFLOAT: _pushes_run(pickle.BINFLOAT, ">d"),
    pickle.UNICODE: _pushes(_text_of_line),
    pickle.SHORT_BINUNICODE: _pushes(_read_text("<B")),
    pickle.BINUNICODE: _pushes(_read_text("<I")),
    pickle.BINUNICODE8: _pushes(_read_text("<Q")),
    pickle.STRING: _pushes(_text_of_python_2_of_line),
    pickle.SHORT_BINSTRING: _pushes(_read_text_of_python_2("<B")),
    pickle.BINSTRING: _pushes(_read_text_of_python_2("<I")),
    pickle.SHORT_BINBYTES: _pushes(_read_sized("<B")),
    pickle.BINBYTES: _pushes(_read_sized("<I")),
    pickle.BINBYTES8: _pushes(_read_sized("<Q")),
    pickle.BYTEARRAY8: _pushes(_read_sized("<Q")),
    pickle.MARK: _Machine.push_mark,
    pickle.EMPTY_TUPLE: lambda machine: machine.push(()),
    pickle.EMPTY_LIST: lambda machine: machine.push([]),
    pickle.EMPTY_DICT: lambda machine: machine.push({}),
    pickle.TUPLE: lambda machine: machine.push(tuple(machine.pop_to_mark())),
    pickle.TUPLE1: lambda machine: machine.push_tuple(1),
    pickle.TUPLE2: lambda machine: machine.push_tuple(2),
    pickle.TUPLE3: lambda machine: machine.push_tuple(3),
    pickle.LIST: lambda machine: machine.push(machine.pop_to_mark()),
    pickle.DICT: lambda machine: machine.push_dict(machine.pop_to_mark()),
    pickle.APPEND: lambda machine: machine.append([machine.pop()]),
    pickle.APPENDS: lambda machine: machine.append(machine.pop_to_mark()),
    pickle.SETITEM: lambda machine: machine.set_items([machine.pop(), machine.pop()][::-1]),
    pickle.SETITEMS: lambda machine: machine.set_items(machine.pop_to_mark()),
    pickle.PUT: _keeps(_integer_of_line),
    pickle.BINPUT: _keeps(_read_number("<B")),
    pickle.LONG_BINPUT: _keeps(_read_number("<I")),
    pickle.MEMOIZE: _Machine.keep_next,
    pickle.GET: _recalls(_integer_of_line),
    pickle.BINGET: _recalls(_read_number("<B")),
    pickle.LONG_BINGET: _recalls(_read_number("<I")),
    pickle.GLOBAL: _Machine.name_global_of_lines,
    pickle.STACK_GLOBAL: _Machine.name_global_of_stack,
    pickle.BINPERSID: _Machine.push_persistent,
    pickle.REDUCE: _Machine.call,
    pickle.NEWOBJ: _Machine.call,
    pickle.BUILD: _Machine.set_state,
}
# An entry of bytes is a number.
_INSTRUCTIONS = {code[0]: instruction for code, instruction in _INSTRUCTION_OF_CODE.items()}
