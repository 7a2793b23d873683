"""Reading pickles as data: their instructions are followed, and nothing that they name is imported or called.

A pickle is a program for a small machine with a stack and a memo. `load` knows the instructions that build
containers, strings and numbers. Names of classes and functions stay names; what a pickle builds with them is
up to a `Builder`, which refuses all that it does not know.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol


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

    Each method raises PickleProgramError for what it does not know.
    """

    def call(self, name: GlobalName, arguments: tuple[Any, ...]) -> object:
        """Return what stands for the result of calling a function or class."""

    def persistent(self, identifier: object) -> object:
        """Return what stands for an object outside of the pickle."""

    def set_state(self, instance: object, state: object) -> None:
        """Set the attributes of what `call` returned."""


def load(data: bytes, builder: Builder) -> object:
    """Return the content of a pickle. Raises PickleProgramError."""
    machine = _Machine(builder)
    stream = io.BytesIO(data)
    code = b""
    try:
        while code != pickle.STOP:
            code = stream.read(1)
            if not code:
                raise PickleProgramError("its pickle is damaged (it has no end)")
            instruction = _INSTRUCTIONS.get(code)
            if instruction is None:
                raise PickleProgramError(f"its pickle holds the instruction {code!r}")
            instruction.run(machine, instruction.read_argument(stream))
    except (UnicodeDecodeError, struct.error):
        raise PickleProgramError("its pickle is damaged (an instruction has a wrong argument)") from None
    return machine.pop()


_KEY_TYPES = (str, bytes, int, float, type(None))


class _Mark:
    """Where the entries of a container begin on the stack."""


_MARK = _Mark()


class _Machine:
    """The stack and the memo of a pickle that is read."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def push(self, value: object) -> None:
        self._stack.append(value)

    def pop(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise PickleProgramError("its pickle is damaged (a value is missing)")
        return self._stack.pop()

    def pop_to_mark(self) -> list[Any]:
        """Return the values after the last mark."""
        values = []
        while self._stack and self._stack[-1] is not _MARK:
            values.append(self._stack.pop())
        if not self._stack:
            raise PickleProgramError("its pickle is damaged (a mark is missing)")
        self._stack.pop()
        return values[::-1]

    def _top(self, kind: type[Any]) -> Any:
        """Return the last value, which stays and must be of a kind."""
        value = self.pop()
        self.push(value)
        if not isinstance(value, kind):
            raise PickleProgramError(f"its pickle is damaged (a {kind.__name__} is missing)")
        return value

    def keep(self, number: int) -> None:
        """Keep the last value in the memo under a number."""
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
        """Set items, keys and values in turn, of the dict before them."""
        items = self._top(dict)
        for key, value in zip(values[::2], values[1::2]):
            if not _is_key(key):
                raise PickleProgramError(f"its pickle is damaged (a key is a {type(key).__name__})")
            items[key] = value

    def name_global(self, module: object, name: object) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleProgramError("its pickle is damaged (a class has no name)")
        self.push(GlobalName(module, name))

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


def _is_key(value: object) -> bool:
    """Return whether a value can be the key of a dict. Deep tuples are none: hashing one is recursive."""
    if isinstance(value, tuple):
        return all(isinstance(entry, _KEY_TYPES) for entry in value)
    return isinstance(value, _KEY_TYPES)


def _read_nothing(stream: io.BytesIO) -> None:
    """Return that an instruction has no argument."""


def _read_number(layout: str) -> Callable[[io.BytesIO], Any]:
    """Return a reader of a number that has a layout of `struct`."""
    number = struct.Struct(layout)
    return lambda stream: number.unpack(stream.read(number.size))[0]


def _read_sized(size_layout: str) -> Callable[[io.BytesIO], bytes]:
    """Return a reader of bytes, which come after their number; it raises struct.error if they are fewer."""
    read_size = _read_number(size_layout)

    def read(stream: io.BytesIO) -> bytes:
        size = read_size(stream)
        data = stream.read(size)
        if len(data) < size:
            raise struct.error
        return data

    return read


def _read_names(stream: io.BytesIO) -> tuple[str, str]:
    """Return the two lines that name a module and what is in it."""
    module = stream.readline().decode("utf-8")
    name = stream.readline().decode("utf-8")
    return module.rstrip("\n"), name.rstrip("\n")


class _Instruction(NamedTuple):
    """How the argument of an instruction is read, and what the instruction does."""

    read_argument: Callable[[io.BytesIO], Any]
    run: Callable[[_Machine, Any], None]


def _does(run: Callable[[_Machine], None]) -> _Instruction:
    """Return an instruction without an argument."""
    return _Instruction(_read_nothing, lambda machine, argument: run(machine))


def _passes_over(read_argument: Callable[[io.BytesIO], Any]) -> _Instruction:
    """Return an instruction that carries no data."""
    return _Instruction(read_argument, lambda machine, argument: None)


def _pushes(read_argument: Callable[[io.BytesIO], Any]) -> _Instruction:
    """Return an instruction that pushes its argument."""
    return _Instruction(read_argument, lambda machine, argument: machine.push(argument))


def _pushes_text(size_layout: str) -> _Instruction:
    """Return an instruction that pushes a string. As in `pickle`, halves of surrogate pairs may be in it."""
    read = _read_sized(size_layout)
    return _pushes(lambda stream: read(stream).decode("utf-8", "surrogatepass"))


def _pushes_long(size_layout: str) -> _Instruction:
    """Return an instruction that pushes a whole number of any size."""
    read = _read_sized(size_layout)
    return _pushes(lambda stream: int.from_bytes(read(stream), "little", signed=True))


def _keeps(read_argument: Callable[[io.BytesIO], int]) -> _Instruction:
    """Return an instruction that keeps the last value in the memo."""
    return _Instruction(read_argument, lambda machine, number: machine.keep(number))


def _recalls(read_argument: Callable[[io.BytesIO], int]) -> _Instruction:
    """Return an instruction that pushes a value of the memo."""
    return _Instruction(read_argument, lambda machine, number: machine.recall(number))


_INSTRUCTIONS = {
    pickle.PROTO: _passes_over(_read_number("<B")),
    pickle.FRAME: _passes_over(_read_number("<Q")),
    pickle.STOP: _passes_over(_read_nothing),
    pickle.NONE: _does(lambda machine: machine.push(None)),
    pickle.NEWTRUE: _does(lambda machine: machine.push(True)),
    pickle.NEWFALSE: _does(lambda machine: machine.push(False)),
    pickle.BININT: _pushes(_read_number("<i")),
    pickle.BININT1: _pushes(_read_number("<B")),
    pickle.BININT2: _pushes(_read_number("<H")),
    pickle.LONG1: _pushes_long("<B"),
    pickle.BINFLOAT: _pushes(_read_number(">d")),
    pickle.BINUNICODE: _pushes_text("<I"),
    pickle.SHORT_BINUNICODE: _pushes_text("<B"),
    pickle.MARK: _does(lambda machine: machine.push(_MARK)),
    pickle.EMPTY_TUPLE: _does(lambda machine: machine.push(())),
    pickle.EMPTY_LIST: _does(lambda machine: machine.push([])),
    pickle.EMPTY_DICT: _does(lambda machine: machine.push({})),
    pickle.TUPLE: _does(lambda machine: machine.push(tuple(machine.pop_to_mark()))),
    pickle.TUPLE1: _does(lambda machine: machine.push_tuple(1)),
    pickle.TUPLE2: _does(lambda machine: machine.push_tuple(2)),
    pickle.TUPLE3: _does(lambda machine: machine.push_tuple(3)),
    pickle.APPEND: _does(lambda machine: machine.append([machine.pop()])),
    pickle.APPENDS: _does(lambda machine: machine.append(machine.pop_to_mark())),
    pickle.SETITEM: _does(lambda machine: machine.set_items([machine.pop(), machine.pop()][::-1])),
    pickle.SETITEMS: _does(lambda machine: machine.set_items(machine.pop_to_mark())),
    pickle.BINPUT: _keeps(_read_number("<B")),
    pickle.LONG_BINPUT: _keeps(_read_number("<I")),
    pickle.MEMOIZE: _does(lambda machine: machine.keep_next()),
    pickle.BINGET: _recalls(_read_number("<B")),
    pickle.LONG_BINGET: _recalls(_read_number("<I")),
    pickle.GLOBAL: _Instruction(_read_names, lambda machine, names: machine.name_global(*names)),
    pickle.STACK_GLOBAL: _does(lambda machine: machine.name_global_of_stack()),
    pickle.BINPERSID: _does(lambda machine: machine.push_persistent()),
    pickle.REDUCE: _does(lambda machine: machine.call()),
    pickle.NEWOBJ: _does(lambda machine: machine.call()),
    pickle.BUILD: _does(lambda machine: machine.set_state()),
}
