"""Lemmas of many words at once, each word by itself: from Stanford CoreNLP, or from the rules of lemminflect."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from validator.findings import Findings

_VERSION = re.compile(r"stanford-corenlp-(\d+)\.(\d+)\.(\d+)\.jar")
_KINDS = ("NOUN", "VERB", "AUX", "ADJ", "ADV")


def lemmatize(
    words: Iterable[str], corenlp: Path | None, forced: bool, findings: Findings
) -> tuple[dict[str, str], str]:
    """Return a table of lemmas and the name of the lemmatizer.

    Parameters
    ----------
    words : iterable of str
        Distinct words as written.
    corenlp : Path, optional
        The unpacked folder of Stanford CoreNLP 3.9.x; java must be on the PATH. Without it lemminflect is used.
    forced : bool
        Whether another version of CoreNLP is accepted. From 4.0 on hyphenated words are split.
    findings : Findings
        Gets a problem if CoreNLP cannot be run.
    """
    ordered = sorted(set(words))
    if corenlp is None:
        return _by_rules(ordered)
    jars = [found for path in sorted(corenlp.glob("*.jar")) if (found := _VERSION.fullmatch(path.name))]
    if not jars:
        hint = "give the unpacked folder of CoreNLP 3.9.x"
        findings.add("E-CORENLP", "there is no stanford-corenlp-X.Y.Z.jar", hint, file=str(corenlp))
        return {}, ""
    version = ".".join(jars[0].groups())
    if not version.startswith("3.9.") and not forced:
        hint = "use 3.9.x, or add --force-corenlp"
        findings.add(
            "E-CORENLP", f"this is CoreNLP {version}; its lemmas differ from the challenge's", hint, str(corenlp)
        )
        return {}, ""
    return _by_corenlp(ordered, corenlp, findings), f"corenlp-{version}"


def _by_rules(words: list[str]) -> tuple[dict[str, str], str]:
    import lemminflect

    table = {}
    for word in words:
        lower = word.lower()
        found = lemminflect.getAllLemmas(lower)
        lemmas = [found[kind][0] for kind in _KINDS if kind in found]
        # A word that one part of speech changes is an inflected form: "dogs", "running".
        table[word] = next((lemma for lemma in lemmas if lemma != lower), lower)
    return table, f"lemminflect-{lemminflect.__version__}"


def _by_corenlp(words: list[str], folder: Path, findings: Findings) -> dict[str, str]:
    """Annotate one word a line in a single run; each line is a sentence of its own, so no word sees another."""
    starts, offset = [], 0
    for word in words:
        starts.append(offset)
        offset += _utf16_length(word) + 1
    with tempfile.TemporaryDirectory() as work:
        text = Path(work) / "words.txt"
        text.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        command = ["java", "-mx3g", "-cp", f"{folder}/*", "edu.stanford.nlp.pipeline.StanfordCoreNLP"]
        command += ["-annotators", "tokenize,ssplit,pos,lemma", "-ssplit.eolonly", "true", "-encoding", "UTF-8"]
        command += ["-outputFormat", "json", "-file", str(text), "-outputDirectory", work]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except FileNotFoundError:
            findings.add("E-CORENLP", "java is not on the PATH", "install a Java runtime", file=str(folder))
            return {}
        except subprocess.CalledProcessError as error:
            last = error.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            findings.add("E-CORENLP", f"it failed: {' '.join(last)}", "see its documentation", file=str(folder))
            return {}
        found = json.loads((Path(work) / "words.txt.json").read_text(encoding="utf-8"))
    first: dict[int, str] = {}
    for sentence in found["sentences"]:
        token = sentence["tokens"][0]
        first[token["characterOffsetBegin"]] = token["lemma"]
    # A word of spaces alone has no token; it stays as it is.
    return {word: first.get(start, word) for word, start in zip(words, starts)}


def _utf16_length(word: str) -> int:
    return len(word.encode("utf-16-le")) // 2
