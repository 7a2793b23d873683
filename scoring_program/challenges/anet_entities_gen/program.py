"""ActivityNet-Entities, sub-task II: grounding the objects of generated sentences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring_program.families.anet_entities import grounded as anet
from scoring_program.families.anet_entities import reference as anet_reference
from scoring_program.families.anet_entities.lemmas import TABLE, Lemmas, lemmas_from_table
from scoring_program.result import Result
from validator.findings import Findings, quote
from validator.formats.anet_entities import Grounding

REFERENCE_FILES = anet.REFERENCE_FILES


@dataclass(frozen=True)
class ReferenceWithLemmas:
    """The reference, the table of lemmas, and the name of the lemmatizer that made it."""

    annotated: anet_reference.Reference
    table: dict[str, str]
    lemmatizer: str


def load_reference(folder: Path, settings: dict[str, Any], findings: Findings) -> ReferenceWithLemmas | None:
    """Read the reference of the chosen splits and its lemmas, or make them at home; None after a problem."""
    annotated = anet.load_reference(folder, settings, findings)
    if annotated is None:
        return None
    if TABLE.is_file() and not (folder / anet_reference.LEMMAS_FILE).is_file():
        # At home, with annotations that nobody prepared.
        made = lemmas_from_table(*_words(annotated), settings["lemma_fallback"], findings)
        return ReferenceWithLemmas(annotated, *made)
    table = anet_reference.load_lemmas(folder, findings)
    return ReferenceWithLemmas(annotated, table, anet_reference.lemmatizer(folder)) if findings.ok else None


def _words(annotated: anet_reference.Reference) -> tuple[set[str], list[str]]:
    """Return all words whose lemmas a reference needs, and its unannotated tokens."""
    return {*annotated.tokens, *annotated.classes, *annotated.vocab}, annotated.tokens


def check_reference(
    folder: Path, settings: dict[str, Any], reference: ReferenceWithLemmas, findings: Findings
) -> None:
    """Add mistakes of organizers that do not stop a run."""
    anet.check_reference(folder, settings, reference.annotated, findings)
    # The platform does not have the table that `load_reference` falls back to.
    anet_reference.load_lemmas(folder, findings)
    lacking = [token for token in reference.annotated.tokens if token not in reference.table]
    if settings["lemma_fallback"] == "lower":
        # Then a missing word is its own lemma on purpose.
        if lacking:
            findings.note("N-REF-LEMMAS", f"{len(lacking)} tokens are not in the table and become lower case")
        return
    for token in lacking:
        problem = f"the token {quote(token)!r} is missing in the table"
        findings.add("E-REF-LEMMAS", problem, "prepare the reference anew", anet_reference.LEMMAS_FILE)


def signature_parts(reference: ReferenceWithLemmas) -> dict[str, str]:
    """Return what beside the settings moves the score."""
    return {"lemmas": reference.lemmatizer}


def read_submission(path: Path, reference: ReferenceWithLemmas, findings: Findings) -> Grounding | None:
    """Check the submission; None after a problem."""
    return anet.read_submission("anet_entities_gen", path, findings)


def score(reference: ReferenceWithLemmas, submission: Grounding, settings: dict[str, Any]) -> Result:
    """Score a submission; both protocols are the same."""
    lemmas = Lemmas(reference.table, settings["lemma_fallback"])
    return anet.score_generated(reference.annotated, submission, settings, lemmas)


def prepare_reference(
    source: Path, output: Path, settings: dict[str, Any], options: dict[str, Any], findings: Findings
) -> None:
    """Write the reference as arrays, and the lemmas of all tokens and classes.

    A ``lemmas.json`` of the source is taken as it is. ``options["lemmatize"]`` may replace `lemmas_from_table`.
    """
    whole = anet.prepare_reference(source, output, settings, options, findings)
    if whole is None:
        return
    own = source / anet_reference.LEMMAS_FILE
    if own.is_file():
        table, maker = anet_reference.load_lemmas(source, findings), anet_reference.lemmatizer(source)
    else:
        lemmatize = options.get("lemmatize", lemmas_from_table)
        table, maker = lemmatize(*_words(whole), settings["lemma_fallback"], findings)
    if findings.ok:
        text = json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True)
        (output / anet_reference.LEMMAS_FILE).write_text(text + "\n", encoding="utf-8")
        (output / anet_reference.LEMMATIZER_FILE).write_text(maker + "\n", encoding="utf-8")
        findings.note("N-REF-LEMMAS", f"{len(table):,} lemmas by {maker}")
