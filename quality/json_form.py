"""How the JSON files of a task are written by hand, so that any mistake can be made in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

NUMBER, TEXT = "440.25", "look"
"""A number and a text in each unit, in which mistakes are made."""
BOX = f"[101.25,102.5,330.75,{NUMBER}]"


class JsonForm(NamedTuple):
    """How a JSON file of a task is written, of entries that hold equal units.

    Attributes
    ----------
    file : str
        Its name.
    head, tail : str
        What stands before and after the entries.
    unit : callable
        Makes a unit, without braces, of its number.
    number, holder : str
        The JSON Pointer of `NUMBER` in an object of a unit, and that of this object in an entry, with braces
        for the number of the unit.
    required : str
        A member that this object must have, with the comma before it.
    container : str
        The pointer of what holds the entries.
    unread : pair of str
        A member whose value nobody reads, and the same with a value that cannot be read.
    wrapper, place_of_wrapped : str
        The key that people put around the whole file, and the pointer of this mistake.
    classes_file : str
        The name of a file with a class for each entry.
    is_list : bool
        Whether the entries are a list, with one unit each, rather than an object.
    """

    file: str
    head: str
    tail: str
    unit: Callable[[int], str]
    holder: str
    number: str
    required: str
    container: str = ""
    unread: tuple[str, str] = ("", "")
    wrapper: str = ""
    place_of_wrapped: str = ""
    classes_file: str = ""
    is_list: bool = False
