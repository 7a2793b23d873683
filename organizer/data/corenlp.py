"""Lemmas from Stanford CoreNLP itself, for words missing from the table of its lemmas."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn

from people_in_video.references import lemmas
from people_in_video.references.lemmas import TABLE_VERSION, LemmaTable, load_table
from scoring_program.challenges.anet_entities.lemmas import Lemmas
from validator.findings import Findings, Note

_JAR = re.compile(r"stanford-corenlp-(\d+\.\d+\.\d+)\.jar")
# Other words can be split or quoted differently when they have neighbors.
_PLAIN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def lemmatize(
    folder: Path, forced: bool, words: Collection[str], tokens: Collection[str], fallback: str
) -> LemmaTable:
    """Return the lemmas that scoring needs. Raises Refused if CoreNLP cannot be run.

    Plain words (letters, digits and inner hyphens) are asked in one run. Each of the others comes from the
    table of CoreNLP 3.9.1 or is asked in a run of its own.

    Parameters
    ----------
    folder : Path
        The unpacked folder of Stanford CoreNLP 3.9.1; java must be on the PATH.
    forced : bool
        Whether another version of CoreNLP is accepted. The table of 3.9.1 is not used then.
    words, tokens, fallback
        As for `people_in_video.references.lemmas.lemmas_from_table`.
    """
    version, notes = _version(folder, forced)
    lookup = Lemmas(load_table() if version == TABLE_VERSION else {}, fallback)
    plain_words = sorted(word for word in set(words) if _PLAIN.fullmatch(word))
    lemma_of = _ask_plain(plain_words, folder)
    for word in sorted(set(words) - set(lemma_of)):
        if word in lookup.table:
            lemma_of[word] = lookup.table[word]
            continue
        sentences = _annotate([word], folder)
        if sentences:
            lemma_of[word] = sentences[0]["tokens"][0]["lemma"]
    notes += lemmas.notes_on_words_without_token(set(words) - set(lemma_of))
    lemma_of_all = {word: lemma_of.get(word, word) for word in words}
    return LemmaTable(
        lemmas=lemmas.with_other_words(lemma_of_all, tokens, lookup),
        lemmatizer=f"corenlp-{version}",
        notes=notes,
    )


def _version(folder: Path, forced: bool) -> tuple[str, list[Note]]:
    """Return the version of CoreNLP in a folder, and a note on another one. Raises Refused."""
    names_of_jars = [_JAR.fullmatch(path.name) for path in sorted(folder.glob("*.jar"))]
    versions = [match.group(1) for match in names_of_jars if match]
    if not versions:
        remedy = f"give the unpacked folder of CoreNLP {TABLE_VERSION}"
        _refuse("there is no stanford-corenlp-X.Y.Z.jar", remedy, folder)
    version = versions[0]
    if version == TABLE_VERSION:
        return version, []
    problem = (
        f"this is CoreNLP {version}; the challenge used {TABLE_VERSION}, and other versions differ: "
        "3.9.2 on 20 of the 5,891 words of the test sets, and from 4.0 on hyphenated words are split"
    )
    if not forced:
        _refuse(problem, f"use {TABLE_VERSION}, or add --force-corenlp", folder)
    return version, [Note("N-CORENLP", problem)]


def _refuse(problem: str, remedy: str, folder: Path) -> NoReturn:
    Findings().refuse("E-CORENLP", problem, remedy, file=str(folder))


def _ask_plain(words: Sequence[str], folder: Path) -> dict[str, str]:
    """Annotate one word a line in a single run; each line is a sentence, so no word sees another."""
    if not words:
        return {}
    word_at = {}
    offset = 0
    for word in words:
        word_at[offset] = word
        # Java counts UTF-16 units; 1 is the end of the line.
        offset += len(word.encode("utf-16-le")) // 2 + 1
    lemma_of = {}
    for sentence in _annotate(words, folder):
        token = sentence["tokens"][0]
        begin = token["characterOffsetBegin"]
        # A word that does not begin with its token is left out and asked alone.
        if begin in word_at:
            lemma_of[word_at[begin]] = token["lemma"]
    return lemma_of


def _annotate(lines: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Return CoreNLP's sentences of a text. Raises Refused."""
    with tempfile.TemporaryDirectory() as work:
        text = Path(work) / "words.txt"
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = ["java", "-mx3g", "-cp", f"{folder}/*", "edu.stanford.nlp.pipeline.StanfordCoreNLP"]
        command += ["-annotators", "tokenize,ssplit,pos,lemma", "-ssplit.eolonly", "true"]
        command += ["-encoding", "UTF-8", "-outputFormat", "json"]
        command += ["-file", str(text), "-outputDirectory", work]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except FileNotFoundError:
            _refuse("java is not on the PATH", "install a Java runtime", folder)
        except subprocess.CalledProcessError as error:
            last_line = error.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            _refuse(f"it failed: {' '.join(last_line)}", "see its documentation", folder)
        return json.loads((Path(work) / "words.txt.json").read_text(encoding="utf-8"))["sentences"]
