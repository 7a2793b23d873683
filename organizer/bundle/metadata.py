"""The command in the metadata of a program: whether the platform can run it.

Docker splits it as a shell splits words, but no shell runs it; it starts in ``/app/program``, and no file
there may be executed.
"""

from __future__ import annotations

import difflib
import posixpath
import re
import shlex
from collections.abc import Collection, Iterator, Sequence

import yaml

from organizer.bundle.competition import position_of, yaml_problem, yaml_remedy
from validator.strict_yaml import YamlValue, load_plain
from validator.submission import PLATFORM_FILES, is_junk
from validator.texts import quote, some_words

Broken = tuple[str, dict[str, str]]
"""A rule of `words`, and the fields of its words."""
_TAGS = re.compile(r"!!python/(?:unicode|str)\b")
_NEARLY_METADATA = re.compile(r"metadata\.(yml|yaml|json|txt)(\.\w+)?", re.I)
# A key needs an ASCII blank behind its colon.
_NO_BLANK = re.compile(r"^ *command:[^ \t\r\n]", re.M)
_PROGRAM = "/app/program"
_OUR_SCRIPT = "score.py"
_PYTHONS = ("python", "python3")
_NEAR = 0.75
# What classic CodaLab calls the folders.
_VARIABLE = re.compile(r"\$(program|input|output|shared|ingestion_program|submission_program|hidden)\b")
_OWN_IMAGE = re.compile(r"codalab/codalab-legacy:py3(?P<minor>\d+)")
_PYTHON = re.compile(r"(?:.*/)?python(?P<version>\d(?:\.\d+)?)?")
# Also behind a quote that is none for a shell.
_LIKE_PYTHON = re.compile(r"(?!python)(?i:python)[\d.]*|(?i:python)[\d.]*\.exe|[\u2018-\u201f`]python\S*")
_SHELLS = ("sh", "bash", "dash")
_BUILT_INTO_SHELLS = ("cd", "exec", "export", "source", ".", "set", "ulimit", "eval")
_NOT_IN_IMAGES = (
    "uv", "uvx", "conda", "mamba", "micromamba", "poetry", "pipenv", "pixi", "node", "npm", "java", "Rscript",
    "julia", "ruby", "go", "cargo", "docker", "pypy", "pypy3", "ipython", "jupyter", "py", "sudo", "pdm",
)  # fmt: skip
_OPERATORS = re.compile(r"[&|;<>]+|\d>&?\d?|[&|;<>].*")
# Options of Python that take a word.
_WITH_A_WORD = ("-X", "-W", "--check-hash-based-pycs")
_WRAPPERS = ("timeout", "nice", "env", "nohup", "stdbuf", "setsid", "time")


def metadata_problems(
    text: bytes | None, names: Collection[str], image: str, is_ours: bool
) -> Iterator[Broken]:
    """Yield what is wrong with the metadata of a program; each field ``script`` is what a command should run.

    Parameters
    ----------
    text : bytes or None
        The content of the file, None if there is none.
    names : collection of str
        The files of the program.
    image : str
        The name of the image that it runs in.
    is_ours : bool
        Whether the program is one of this project, whose arguments are known.
    """
    script = _likely_script(names)
    for rule, fields in _problems(text, names, image, is_ours):
        yield rule, {**fields, "script": script}


def _likely_script(names: Collection[str]) -> str:
    """Return the script that a program is started by, words in its place where there are several."""
    scripts = [name for name in names if name.endswith(".py") and "/" not in name and not is_junk(name)]
    if _OUR_SCRIPT in scripts:
        return _OUR_SCRIPT
    return scripts[0] if len(scripts) == 1 else "YOUR_SCRIPT.py"


def _problems(text: bytes | None, names: Collection[str], image: str, is_ours: bool) -> Iterator[Broken]:
    """Yield what `metadata_problems` does, without the script."""
    if text is None:
        yield _missing_metadata(names)
        return
    # The worker knows these tags, which Python 2 wrote.
    try:
        yaml_text = _TAGS.sub("", text.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError:
        yield "metadata is not UTF-8", {}
        return
    try:
        content = load_plain(yaml_text)
    except (yaml.YAMLError, ValueError) as error:
        if _NO_BLANK.search(yaml_text):
            yield "no blank after command", {}
            return
        yield (
            "metadata is no YAML",
            {
                "place": position_of(error),
                "problem": yaml_problem(error),
                "remedy": yaml_remedy(error),
            },
        )
        return
    command = content.get("command") if isinstance(content, dict) else None
    if isinstance(command, str) and command.strip():
        yield from command_problems(command, names, image, is_ours)
    elif isinstance(content, str) and _NO_BLANK.search(yaml_text):
        yield "no blank after command", {}
    elif command:
        yield "command is no text", {"command": quote(str(command))}
    else:
        yield "no command", {"content": _content_words(content)}


def _content_words(content: YamlValue) -> str:
    """Return what there is in place of a command."""
    if isinstance(content, dict) and "command" not in content:
        return f"; the keys are {some_words([quote(str(key)) for key in content])}"
    if isinstance(content, list):
        return "; this is a list, not a mapping"
    if isinstance(content, str):
        return f"; this is a text, not a mapping: {quote(content)}"
    return ""


def _missing_metadata(names: Collection[str]) -> Broken:
    """Return why there is no metadata at the root of a program."""
    plain_names = [name for name in names if not is_junk(name)]
    deep_names = sorted(name for name in plain_names if re.fullmatch(r".+[/\\]metadata(\.yaml)?", name))
    if any("\\" in name for name in deep_names):
        return "program with backslashes", {}
    if deep_names:
        folders = dict.fromkeys(posixpath.dirname(name) for name in deep_names)
        return "program in a folder", {"folder": " or ".join(folders), "metadata": deep_names[-1]}
    for name in sorted(plain_names):
        if _NEARLY_METADATA.fullmatch(name) or name.lower() in PLATFORM_FILES:
            return "misspelled metadata", {"name": name}
    if len(plain_names) == 1 and plain_names[0].lower().endswith(".zip"):
        return "program in a zip", {"name": plain_names[0]}
    return "no metadata", {}


def command_problems(command: str, names: Collection[str], image: str, is_ours: bool) -> Iterator[Broken]:
    """Yield what is wrong with a command; the parameters are those of `metadata_problems`."""
    try:
        words = shlex.split(command)
    except ValueError:
        yield "open quote", {"command": quote(command)}
        return
    words = [_VARIABLE.sub(lambda match: f"/app/{match[1]}", word) for word in words]
    if "\n" in command.strip():
        yield "command of several lines", {}
    words, in_shell = _unwrapped(words)
    if not words:
        yield "no command", {"content": ""}
        return
    problem = _problem_of_executable(words[0], names, image)
    if problem:
        yield problem
        return
    needs_shell = not in_shell and any(map(_OPERATORS.fullmatch, words))
    if needs_shell:
        yield "shell in our command" if is_ours else "command for a shell", {"command": quote(command)}
    is_known = is_ours and not in_shell and not needs_shell
    for rule, fields in _script_problems(words, names, is_known, in_shell):
        yield rule, {**fields, "slashes": ", with / in paths" if "\\" in command else ""}


def _unwrapped(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the words that a command runs in the end, and whether a shell runs them."""
    words, in_shell = list(words), False
    while len(words) > 1:
        name = posixpath.basename(words[0])
        inner = _text_for_shell(words) if name in _SHELLS else ""
        if inner:
            try:
                words, in_shell = shlex.split(inner), True
            except ValueError:
                return words, in_shell
            # Of several commands, the one that runs Python is looked at.
            starts = [place for place, word in enumerate(words) if _PYTHON.fullmatch(word)]
            words = words[starts[0] :] if starts else words
        elif name in _WRAPPERS:
            words = _without_options(words[1:], has_number=name == "timeout")
        else:
            break
    return words, in_shell


def _text_for_shell(words: Sequence[str]) -> str:
    """Return the text that a shell gets with the option ``-c``, also as in ``-lc``; "" if there is none."""
    for place, word in enumerate(words[1:-1], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[place + 1]
        if not word.startswith("-"):
            break
    return ""


def _without_options(words: list[str], has_number: bool) -> list[str]:
    """Return the words behind the options, assignments and numbers of a wrapper."""
    while words and (words[0].startswith("-") or re.fullmatch(r"\w+=.*|\d+", words[0])):
        words = words[1:]
    if has_number and words and re.fullmatch(r"[\d.]+[smhd]?", words[0]):
        words = words[1:]
    return words


def _problem_of_executable(word: str, names: Collection[str], image: str) -> Broken | None:
    """Return what is wrong with the first word of a command."""
    own_image = _OWN_IMAGE.search(image)
    python = _PYTHON.fullmatch(word)
    if re.match(r"\w+=", word):
        return "assignment in a command", {"word": word}
    if word in _BUILT_INTO_SHELLS:
        return "command of a shell", {"word": word}
    if python and (python["version"] or "").startswith("2"):
        return "old Python", {"word": word}
    if python and own_image and "." in (python["version"] or ""):
        if python["version"] != f"3.{own_image['minor']}":
            return "no such executable", {"word": word, "image": image}
        return None
    is_misspelled = not python and "/" not in word and difflib.get_close_matches(word, _PYTHONS, cutoff=_NEAR)
    is_like_python = _LIKE_PYTHON.fullmatch(word) or is_misspelled
    if own_image and (posixpath.basename(word) in _NOT_IN_IMAGES or is_like_python):
        return "no such executable", {"word": word, "image": image}
    path = _path_in_program(word)
    if path is not None and ("/" in word or word in names):
        rule = "file is not executable" if path in names else "program is missing"
        return rule, {"word": word, "slashes": ""}
    if word.startswith("~") or "\\" in word or re.match(r"[A-Za-z]:", word):
        return "program is missing", {"word": word, "slashes": ""}
    return None


def _path_in_program(word: str) -> str | None:
    """Return the path of a file of the program, None of one elsewhere; relative ones start there."""
    path = posixpath.normpath(posixpath.join(_PROGRAM, word))
    return path[len(_PROGRAM) + 1 :] if path.startswith(f"{_PROGRAM}/") else None


def _script_problems(
    words: Sequence[str], names: Collection[str], is_known: bool, in_shell: bool
) -> Iterator[Broken]:
    """Yield what is wrong with the script that Python or a shell runs, and with its arguments.

    ``is_known`` says that the words are those of one of our programs, and no shell changes them.
    """
    interpreter = posixpath.basename(words[0])
    if not _PYTHON.fullmatch(words[0]) and interpreter not in _SHELLS:
        if is_known:
            yield "command of another program", {"word": quote(words[0])}
        return
    place = 1
    while place < len(words) and words[place].startswith("-") and words[place] != "-":
        if words[place] in ("-c", "-m"):
            return
        place += 2 if words[place] in _WITH_A_WORD else 1
    if place >= len(words):
        yield "no script", {"command": quote(" ".join(words))}
        return
    script = words[place]
    path = _path_in_program(script)
    if path is None:
        # The script of another program may be in its image.
        is_missing = is_known or (script.startswith("/app/") and not _is_other_folder(script))
    else:
        # A shell may have changed the folder.
        is_missing = path not in names and (not in_shell or script.startswith("/"))
    if is_missing:
        yield "program is missing", {"word": script}
    elif path == _OUR_SCRIPT and is_known:
        yield from _argument_problems(words[place + 1 :])


def _is_other_folder(path: str) -> bool:
    """Return whether a path is in a folder of a run other than that of the program."""
    return path.startswith(("/app/input", "/app/ingestion_program", "/app/ingested_program", "/app/shared"))


def _argument_problems(arguments: Sequence[str]) -> Iterator[Broken]:
    """Yield what is wrong with the arguments of our programs: the folders of the input and of the output."""
    folders = [
        posixpath.normpath(posixpath.join(_PROGRAM, word)) for word in arguments if not word.startswith("-")
    ]
    options = {word for word in arguments if word.startswith("-")}
    if "--task" in options:
        return
    if folders != ["/app/input", "/app/output"]:
        yield "wrong arguments", {"arguments": quote(" ".join(arguments)) or "nothing"}
