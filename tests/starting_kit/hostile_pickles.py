"""Small pickles that take endless time, endless memory, or the interpreter, unless they are read with care."""

from __future__ import annotations

import pickle
import struct

_PROTOCOL_2 = b"\x80\x02"
_BOX = b"](K\x01K\x01K\x09K\x09e"
_SCALAR = b"cnumpy.core.multiarray\nscalar\n"


def _text(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def _item(name, value):
    return _text(name) + value


def _detection(before=b"", bbox=_BOX, **further):
    """Return a pickle of a list of one detection, whose values are instructions."""
    values = {"image_id": b"K\x01", "score": b"G" + struct.pack(">d", 0.5), "bbox": bbox, **further}
    items = b"".join(_item(name, value) for name, value in values.items())
    return _PROTOCOL_2 + before + b"]}(" + items + b"ua."


def _repeated(levels, times):
    """Return instructions that keep, as number 0, a list of a list of a list…, each so many times."""
    innermost = b"](" + b"K\x01" * times + b"eq\x00"
    return innermost + (b"](" + b"h\x00" * times + b"eq\x00") * (levels - 1)


def _type(name):
    """Return instructions of a type of numpy in the order of bytes of most machines."""
    no_fields = b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    return b"cnumpy\ndtype\n(" + _text(name) + b"K\x00K\x01tR(K\x03" + _text("<") + no_fields


_DEEP_TUPLE = b")" + b"\x85" * 300_000
_DOUBLED_TUPLE = b")q\x00" + b"h\x00h\x00\x86q\x00" * 45
_DOUBLED_LIST = _repeated(27, 2)
_WIDE_LIST = _repeated(3, 3000)
_LONG_NAME = "1a" * 500_000

CONTAINERS = {
    "deep_key": _PROTOCOL_2 + b"}" + _DEEP_TUPLE + b"Ns.",
    "long_key": _PROTOCOL_2 + b"(" + b"N" * 200_000 + b"tq\x00}(" + b"h\x00N" * 200_000 + b"u.",
    "equal_hashes": _PROTOCOL_2
    + b"}("
    + b"".join(b"\x8a\x10" + (i * (2**61 - 1)).to_bytes(16, "little") + b"N" for i in range(50_000))
    + b"u.",
    "memo": _PROTOCOL_2 + b"Nr\x00\x00\x00\x08.",
    "deep_box": _detection(bbox=_DEEP_TUPLE),
    "deep_id": _detection(image_id=_DEEP_TUPLE),
    "doubled_box": _detection(_DOUBLED_LIST, bbox=b"h\x00"),
    "doubled_id": _detection(_DOUBLED_LIST, image_id=b"h\x00"),
    "doubled_file_name": _detection(_DOUBLED_LIST, file_name=b"h\x00", pred_densepose=b"N"),
    "wide_box": _detection(_WIDE_LIST, bbox=b"h\x00"),
    "wide_score": _detection(_WIDE_LIST, score=b"h\x00"),
    "wide_array": _detection(_WIDE_LIST, uv=b"h\x00"),
    "wide_labels": _detection(
        _WIDE_LIST, densepose=b"}(" + _item("labels", b"h\x00") + _item("uv", b"h\x00u")
    ),
    "wide_boxes": _detection(
        _WIDE_LIST, file_name=_text("1.jpg"), pred_densepose=b"]", pred_boxes_XYXY=b"h\x00", scores=b"h\x00"
    ),
    "long_texts": _detection(_text("a" * 500_000) + b"q\x00", uv=b"](" + b"h\x00" * 100_000 + b"e"),
    "long_file_name": _detection(file_name=_text(_LONG_NAME), pred_densepose=b"N"),
    "digits": _detection(category_id=b"\x8b" + struct.pack("<i", 4000) + b"\x7f" * 4000),
    "doubled_key": _PROTOCOL_2 + _DOUBLED_TUPLE + b"}h\x00Ns.",
}
"""Pickles without arrays, which may be in a file of `torch.save`, too."""

ARRAYS = {
    "no_character": _detection(name=_SCALAR + b"(" + _type("U1") + b"C\x04\xff\xff\xff\x7ftR"),
    "repeated_bytes": _PROTOCOL_2
    + b"B"
    + struct.pack("<I", 500_000)
    + bytes(500_000)
    + b"q\x00"
    + _type("S500000")
    + b"q\x01]("
    + (_SCALAR + b"h\x01h\x00\x86R") * 2000
    + b"e.",
    "text_of_digits": pickle.dumps([1], 0).replace(b"I1\n", b"L" + b"9" * 1_000_000 + b"L\n"),
}
"""Pickles of arrays of numpy, and of protocols that `torch.save` does not use."""
