"""The settings of one competition: an optional ``settings.yaml`` in the reference folder.

Every task knows the common settings; its ``<task>.yaml`` declares others in the same form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from validator.findings import Findings
from validator.strict_yaml import YamlValue, load_strict
from validator.texts import folded, quote

SETTINGS_FILE = "settings.yaml"
PROTOCOLS = ("published", "released")
MARK_TEXTS: Mapping[str, str] = {
    "empty": "nothing predicted",
    "random": "random answers",
    "most frequent": "the most frequent answer everywhere",
    "one class": "all right but one class for all",
}
"""Plain answers whose scores are marks to compare a score with: what each is, by its name."""
# From this similarity on, another name is taken for a misspelled one.
_NEAR = 0.8
# Of the type of its default, once it is checked.
SettingValue = Any
# A value for every setting.
Settings = Mapping[str, SettingValue]


class Setting(NamedTuple):
    """The declaration of one setting; ``signed`` says that it can move a score and is in the signature.

    A setting with ``keys`` may be a mapping of all of them to values of these types; one with a ``length`` is
    a list of so many numbers from ``min`` to ``max``, or empty.
    """

    name: str
    default: SettingValue
    description: str
    choices: Sequence[SettingValue] = ()
    min: float | None = None
    max: float | None = None
    signed: bool = True
    keys: Mapping[str, type] = MappingProxyType({})
    length: int = 0


_unsigned = partial(Setting, signed=False)
_GROUPS = "CSV file of items that depend on each other: item,group; none if empty"
_SHARES = "reference folder of an earlier phase that may hold items of this one; none if empty"
_WINNER = "what the winner must reach: a baseline, and by which share its score must be exceeded"
_COUNTS = "which submission of a team counts in a ranking"
COMMON = (
    Setting("protocol", "published", "the published text, or the released script", PROTOCOLS),
    _unsigned("detail", "summary", "how much the detail page shows", ("none", "summary", "full")),
    _unsigned("score_decimals", 10, "decimals of every number that leaves a run", min=1, max=10),
    _unsigned("interval", True, "whether an interval of the score is computed"),
    _unsigned("item_groups", "", _GROUPS),
    _unsigned("shares_items_with", "", _SHARES),
    _unsigned("marks", [], "plain answers whose scores are shown unless detail is full", tuple(MARK_TEXTS)),
    _unsigned("counts", "best", _COUNTS, ("best", "last", "chosen"), keys={"best_in": str}),
    _unsigned("winner_rule", {}, _WINNER, keys={"baseline": str, "relative_gain": float}),
    _unsigned("notes", True, "whether to say what looks like a mistake"),
    _unsigned("time_limit", 570.0, "seconds that a run may take", min=0.1, max=86400.0),
    _unsigned("memory_limit", 8000.0, "MB of address space that a run may use", min=300.0, max=1e6),
)


def declared(data: Mapping[str, Mapping[str, YamlValue]]) -> tuple[Setting, ...]:
    """Return the common settings and those of the declaration of a task."""
    settings_of_task = [Setting(name, **value) for name, value in data.items()]
    return (*COMMON, *settings_of_task)


def read_settings(folder: Path, known_settings: tuple[Setting, ...]) -> Settings:
    """Return the value of every setting, the default where the file has none. Raises Refused."""
    defaults = {setting.name: setting.default for setting in known_settings}
    path = folder / SETTINGS_FILE
    with Findings.collect() as findings:
        for name in _misspelled_names(folder):
            problem = f"only {SETTINGS_FILE} is read, and this file is named like it"
            remedy = f"rename it to {SETTINGS_FILE}, or take it away"
            findings.add("E-SETTINGS-NAME", problem, remedy, file=name)
        findings.refuse_problems()
        if not path.is_file():
            return defaults
        values = allowed(_read_mapping(path), known_settings, SETTINGS_FILE)
    return {**defaults, **values}


def _read_mapping(path: Path) -> Mapping[YamlValue, SettingValue]:
    """Return the content of a file of settings, empty if it holds nothing. Raises Refused."""
    findings = Findings()
    try:
        content = load_strict(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1} column {mark.column + 1}" if mark else ""
        reason = str(getattr(error, "problem", None) or getattr(error, "reason", ""))
        problem = f"this is not valid YAML: {quote(reason)}"
        findings.refuse("E-SETTINGS-YAML", problem, "correct it", file=SETTINGS_FILE, where=where)
    if content is None:
        return {}
    if not isinstance(content, dict):
        remedy = 'write lines like "protocol: published"'
        findings.refuse("E-SETTINGS-YAML", "this is not a mapping", remedy, file=SETTINGS_FILE)
    return content


def _misspelled_names(folder: Path) -> list[str]:
    """Return the files that look like misspelled settings, ``settings.yml`` for one."""
    names = {path.name for path in folder.iterdir()} - {SETTINGS_FILE}
    visible_names = sorted(name for name in names if not name.startswith("."))
    return [name for name in visible_names if _looks_like_settings(folded(name))]


def _looks_like_settings(name: str) -> bool:
    stem = Path(SETTINGS_FILE).stem
    if name.split(".")[0] in (stem, stem.removesuffix("s")):
        return True
    # The most that `difflib` can find in names of these lengths; it takes long where there are many files.
    if 2 * min(len(name), len(SETTINGS_FILE)) < _NEAR * (len(name) + len(SETTINGS_FILE)):
        return False
    import difflib

    return bool(difflib.get_close_matches(SETTINGS_FILE, [name], cutoff=_NEAR))


def allowed(
    values: Mapping[YamlValue, SettingValue], known_settings: tuple[Setting, ...], file: str
) -> Settings:
    """Return values chosen for settings if all are allowed. Raises Refused, with places in ``file``."""
    value_of_name: dict[str, SettingValue] = {}
    setting_of_name = {setting.name: setting for setting in known_settings}
    with Findings.collect() as findings:
        for name, value in values.items():
            where = f"/{quote(str(name))}"
            setting = setting_of_name.get(name)
            if setting is None:
                import difflib

                close = difflib.get_close_matches(str(name), list(setting_of_name), 1)
                names = ", ".join(setting_of_name)
                remedy = f"did you mean {close[0]}?" if close else f"known settings are {names}"
                problem = "there is no setting of this name"
                findings.add("E-SETTINGS-KEY", problem, remedy, file=file, where=where, rule=where)
            elif not _is_allowed(setting, value):
                remedy = f"it must be {_allowed_values(setting)}"
                problem = f"the value {quote(repr(value))} is not allowed"
                findings.add("E-SETTINGS-VALUE", problem, remedy, file=file, where=where, rule=where)
            else:
                value_of_name[setting.name] = float(value) if isinstance(setting.default, float) else value
    return value_of_name


# For the type of a default: the types of values, and what they are called.
_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
    list: ((list,), "a list of names"),
}


def _is_allowed(setting: Setting, value: SettingValue) -> bool:
    if isinstance(setting.default, list):
        return isinstance(value, list) and _is_allowed_list(setting, value)
    if setting.choices or setting.keys:
        is_choice = any(value == choice and type(value) is type(choice) for choice in setting.choices)
        return is_choice or _is_mapping(setting, value)
    return _is_in_range(setting, value, type(setting.default))


def _is_allowed_list(setting: Setting, values: Sequence[SettingValue]) -> bool:
    if setting.choices:
        return all(name in setting.choices for name in values)
    if setting.length:
        are_in_range = all(_is_in_range(setting, number, float) for number in values)
        return len(values) in (0, setting.length) and are_in_range
    return bool(values) and all(isinstance(name, str) for name in values)


def _is_mapping(setting: Setting, value: SettingValue) -> bool:
    """Return whether a value is a mapping of all keys of the setting, each to a value of its type."""
    if not setting.keys or not isinstance(value, dict) or value.keys() != setting.keys.keys():
        return False
    return all(_is_of(value[key], kind) for key, kind in setting.keys.items())


def _allowed_values(setting: Setting) -> str:
    """Return in words what values a setting may have."""
    choices = ", ".join(map(str, setting.choices))
    if setting.choices and isinstance(setting.default, list):
        return f"a list of names: {choices}"
    if setting.choices or setting.keys:
        members = [f"{key}: {_KINDS[kind][1]}" for key, kind in setting.keys.items()]
        one_choice = f"one of {choices}" if setting.choices else ""
        mapping = f"a mapping of {', '.join(members)}" if members else ""
        return ", or ".join(filter(None, (one_choice, mapping)))
    _, kind_text = _KINDS[type(setting.default)]
    if setting.length:
        kind_text = f"a list of {setting.length} numbers"
    if setting.min is None or setting.max is None:
        return kind_text
    return f"{kind_text} from {setting.min} to {setting.max}"


def _is_of(value: SettingValue, kind: type) -> bool:
    """Return whether a value is of the types that go with that of a default."""
    types, _ = _KINDS[kind]
    # A bool is an int for Python.
    return isinstance(value, types) and isinstance(value, bool) == (bool in types)


def _is_in_range(setting: Setting, value: SettingValue, kind: type) -> bool:
    """Return whether a value is of a kind, and in the range of a setting that has one."""
    if setting.min is None or setting.max is None:
        return _is_of(value, kind)
    return _is_of(value, kind) and setting.min <= value <= setting.max
