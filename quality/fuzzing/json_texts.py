"""JSON as careless and hostile programs write it: other values and keys, odd white space and escapes."""

from __future__ import annotations

import json
import random
from typing import Any

_BLANKS = (" ", "\n", "\t", "\r\n", "  ")
_NO_BLANKS = ("\x0b", "\x0c", "\xa0", "\ufeff", "\0", "//\n")
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e300, -1e300, 10**30, "", "x", "<img src=x onerror=alert(1)>",
    "\u202e\u0430", "é" * 50, [], {}, [[]], [None], {"": None}, {"a": 1}, [1] * 50, "a" * 5000,
)  # fmt: skip
ODD_NUMBERS = (
    "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e999", "1e-400", "5e-324", "-0",
    "-0.0", "0e0", "1E+2", "1.0", "9007199254740993", "9" * 308, "9" * 309, "1" + "0" * 400,
    "0." + "0" * 400 + "1", "-1", "4294967296", "18446744073709551616", "1e2", "NaN", "Infinity", "-Infinity",
    "01", "1.", ".5", "+1", "0x1", "1_0", "1e", "--1", "-", "١", "１",
)  # fmt: skip
_STRINGS = (
    '""', '":"', '"a\\"b"', '"a\\": "', '"\\u0061"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00\\ud800"',
    '"\\x"', '"\\u00g1"', '"\\u12"', '"\\', '"a\tb"', '"\x7f"', '"é"', "'a'", '"\\u0000"', '"\\/"', '"[{"',
    '"\ud800"', '"\u2028"',
)  # fmt: skip
_WORDS = (
    "true", "false", "null", "True", "nul", "", "{}", "[]", "[1,]", '{"a":1,}', '{"a":1,"a" :2}', '{"a" 1}',
    "[1 2]", "]",
)  # fmt: skip
_KEYS = (
    "x", "box", "number", "humans", "a:b", "", "é", 'q"', "<b>", "uv_data", "clss", "results", "eval_mode",
    "1", "٣", "²", "7" * 4301, "img_" + "7" * 4301,
)  # fmt: skip
_DEEPEST = 64
_RARE = 0.01


def odd_json(rng: random.Random, value: Any, oddity: float = _RARE, depth: int = 0) -> str:
    """Return ``value`` as JSON text that is valid in most places.

    ``oddity`` is the chance that a value becomes another one, that an entry is left out or repeated, that a
    key is added, and, a tenth of it, that a blank is none for JSON. ``depth`` is that of the value.
    """
    if rng.random() < oddity:
        return _odd_value(rng, depth)
    if isinstance(value, str):
        return _string(rng, value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    entries: list[Any] = list(value.items()) if isinstance(value, dict) else list(value)
    if entries and rng.random() < oddity:
        index = rng.randrange(len(entries))
        entries[index : index + 1] *= rng.choice([0, 2, 2, 30])
    if isinstance(value, list):
        texts = [odd_json(rng, child, oddity, depth + 1) for child in entries]
        return f"[{_joined(rng, texts, oddity)}]"
    if rng.random() < oddity:
        entries.insert(rng.randrange(len(entries) + 1), (rng.choice(_KEYS), rng.choice(_VALUES)))
    texts = []
    for key, child in entries:
        colon = f"{_blank(rng, oddity)}:{_blank(rng, oddity)}"
        name = rng.choice(_KEYS) if rng.random() < oddity / 2 else key
        texts.append(f"{_string(rng, name)}{colon}{odd_json(rng, child, oddity, depth + 1)}")
    return f"{{{_joined(rng, texts, oddity)}}}"


def _joined(rng: random.Random, texts: list[str], oddity: float) -> str:
    spaced_texts = []
    for text in texts or [""]:
        blank_before, blank_after = _blank(rng, oddity), _blank(rng, oddity)
        spaced_texts.append(f"{blank_before}{text}{blank_after}")
    return ",".join(spaced_texts)


def _blank(rng: random.Random, oddity: float) -> str:
    chance = rng.random()
    if chance < oddity / 10:
        return rng.choice(_NO_BLANKS)
    return rng.choice(_BLANKS) if chance > 1 - 5 * oddity else ""


def _string(rng: random.Random, text: str) -> str:
    json_text = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if text and text[0].isalnum() and json_text[1] == text[0] and rng.random() < _RARE:
        return f'"\\u{ord(text[0]):04x}{json_text[2:]}'
    return json_text


def _odd_value(rng: random.Random, depth: int) -> str:
    """Return another value; every second one is valid, if not here."""
    if rng.random() < 0.5:
        return json.dumps(rng.choice(_VALUES), ensure_ascii=rng.random() < 0.5)
    levels = max(_DEEPEST - depth + rng.choice([-1, 0, 1, 5]), 0)
    left, right = rng.choice([("[", "]"), ('{"a":', "}")])
    nested = left * levels + "1" + right * levels
    return rng.choice(rng.choice([_STRINGS, _WORDS, ODD_NUMBERS, ODD_NUMBERS, (nested,)]))
