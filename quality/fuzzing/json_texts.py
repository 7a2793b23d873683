"""JSON as careless and hostile programs write it: odd white space, escapes, additional and repeated keys, extreme numbers."""

from __future__ import annotations

import json
import random
from typing import Any

_BLANKS = (" ", "\n", "\t", "\r\n", "  ")
_NO_BLANKS = ("\x0b", "\x0c", "\xa0", "\ufeff", "\0", "//\n")
_NUMBERS = (
    "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e999", "1e-400", "5e-324", "-0", "-0.0",
    "0e0", "1E+2", "1.0", "9007199254740993", "9" * 308, "9" * 309, "1" + "0" * 400, "0." + "0" * 400 + "1", "-1",
    "4294967296", "18446744073709551616", "1e2", "NaN", "Infinity", "-Infinity", "01", "1.", ".5", "+1", "0x1", "1_0",
    "1e", "--1", "-", "١", "１",
)  # fmt: skip
_STRINGS = (
    '""', '":"', '"a\\"b"', '"a\\": "', '"\\u0061"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00\\ud800"', '"\\x"', '"\\u00g1"',
    '"\\u12"', '"\\', '"a\tb"', '"\x7f"', '"é"', "'a'", '"\\u0000"', '"\\/"', '"[{"', '"\ud800"', '"\u2028"',
)  # fmt: skip
_WORDS = (
    "true", "false", "null", "True", "nul", "", "{}", "[]", "[1,]", '{"a":1,}', '{"a":1,"a" :2}', '{"a" 1}', "[1 2]", "]",
)  # fmt: skip
_KEYS = ("x", "box", "number", "humans", "a:b", "", "é", 'q"', "uv_data", "clss", "eval_mode")
_DEEPEST = 64
_RARE = 0.01


def odd_json(rng: random.Random, value: Any, oddity: float = _RARE, depth: int = 0) -> str:
    """Return ``value`` as JSON text that is valid in most places.

    ``oddity`` is the chance that a value becomes another one, that a key is repeated or added, and, a tenth of it,
    that a blank is none for JSON. ``depth`` is that of the value.
    """
    if rng.random() < oddity:
        return _odd_value(rng, depth)
    if isinstance(value, str):
        return _string(rng, value)
    if isinstance(value, list):
        return f"[{_joined(rng, [odd_json(rng, child, oddity, depth + 1) for child in value], oddity)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    pairs = list(value.items())
    if pairs and rng.random() < oddity:
        pairs.insert(rng.randrange(len(pairs) + 1), rng.choice(pairs))
    if rng.random() < oddity:
        pairs.insert(
            rng.randrange(len(pairs) + 1), (rng.choice(_KEYS), rng.choice([1, "x", ":", None, [], {"a": 1}]))
        )
    texts = [
        f"{_string(rng, key)}{_blank(rng, oddity)}:{_blank(rng, oddity)}{odd_json(rng, child, oddity, depth + 1)}"
        for key, child in pairs
    ]
    return f"{{{_joined(rng, texts, oddity)}}}"


def _joined(rng: random.Random, texts: list[str], oddity: float) -> str:
    return ",".join(f"{_blank(rng, oddity)}{text}{_blank(rng, oddity)}" for text in texts) or _blank(
        rng, oddity
    )


def _blank(rng: random.Random, oddity: float) -> str:
    chance = rng.random()
    if chance < oddity / 10:
        return rng.choice(_NO_BLANKS)
    return rng.choice(_BLANKS) if chance > 1 - 5 * oddity else ""


def _string(rng: random.Random, text: str) -> str:
    written = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if text and text[0].isalnum() and rng.random() < _RARE:
        return f'"\\u{ord(text[0]):04x}{written[2:]}' if written[1] == text[0] else written
    return written


def _odd_value(rng: random.Random, depth: int) -> str:
    choice = rng.randrange(5)
    if choice == 0:
        return rng.choice(_STRINGS)
    if choice == 1:
        return rng.choice(_WORDS)
    if choice == 2:
        levels = max(_DEEPEST - depth + rng.choice([-1, 0, 1, 5]), 0)
        left, right = rng.choice([("[", "]"), ('{"a":', "}")])
        return left * levels + "1" + right * levels
    return rng.choice(_NUMBERS)
