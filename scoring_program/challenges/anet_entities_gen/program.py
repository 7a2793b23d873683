"""ActivityNet-Entities, sub-task II: are the objects of generated sentences the right ones, in the right
boxes?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scoring_program.challenge import Settings
from scoring_program.families.anet_entities.files import Reference
from scoring_program.families.anet_entities.joining import Joined, join
from scoring_program.families.anet_entities.lemmas import TABLE, Lemmas, lemmas_from_table
from scoring_program.families.anet_entities.program import EntitiesProgram

from scoring_program.disclosure import fewest
from scoring_program.families.anet_entities import files
from scoring_program.metrics import grounding
from scoring_program.result import Statistics
from validator.arrays import Bools, Floats
from validator.findings import Findings, Note, counted, quote
from validator.formats.anet_entities import Grounding

_MODES = {"all": False, "loc": True}


@dataclass(frozen=True)
class ReferenceWithLemmas:
    """The reference, the table of lemmas, and the name of the lemmatizer that made it."""

    annotated: Reference
    table: dict[str, str]
    lemmatizer: str


@dataclass(frozen=True)
class SentenceStatistics(Statistics):
    """What became of the objects and words of each sentence.

    Attributes
    ----------
    f1 : float64 array of shape (n_segments,)
        F1 of each annotated segment in mode all, NaN where it does not count.
    judged : Generated
    words : Words
    joined : Joined
    """

    f1: Floats
    judged: grounding.Generated
    words: grounding.Words
    joined: Joined


class GeneratedSentences(EntitiesProgram[ReferenceWithLemmas, SentenceStatistics]):
    """The program of sub-task II; both protocols are the same."""

    challenge_id = "anet_entities_gen"
    prepared_file = files.LEMMAS_FILE

    def load_reference(
        self, folder: Path, settings: Settings, findings: Findings
    ) -> ReferenceWithLemmas | None:
        """Read the annotations of the chosen splits and their lemmas, or make the lemmas at home."""
        annotated = files.load(folder, settings, findings)
        if annotated is None:
            return None
        if TABLE.is_file() and not (folder / files.LEMMAS_FILE).is_file():
            # At home, with annotations that were not prepared.
            made = lemmas_from_table(*_words(annotated), settings["lemma_fallback"], findings)
            return ReferenceWithLemmas(annotated, *made)
        table = files.load_lemmas(folder, findings)
        return ReferenceWithLemmas(annotated, table, files.lemmatizer(folder)) if findings.ok else None

    def check_reference(
        self, folder: Path, settings: Settings, reference: ReferenceWithLemmas, findings: Findings
    ) -> None:
        """Add mistakes of organizers that do not stop a run."""
        files.check(settings, reference.annotated, findings)
        # The platform does not have the table that `load_reference` falls back to.
        files.load_lemmas(folder, findings)
        missing = [token for token in reference.annotated.tokens if token not in reference.table]
        if settings["lemma_fallback"] == "lower":
            # Then a missing word is its own lemma on purpose.
            if missing:
                text = f"{counted(len(missing), 'token')} not in the table, taken in lower case"
                findings.note("N-REF-LEMMAS", text)
            return
        for token in missing:
            problem = f"the token {quote(token)!r} is missing in the table"
            findings.add("E-REF-LEMMAS", problem, "prepare the reference again", file=files.LEMMAS_FILE)

    def prepare_reference(
        self, source: Path, output: Path, settings: Settings, options: Mapping[str, Any], findings: Findings
    ) -> bool:
        """Write the reference as arrays, and the lemmas of all tokens and classes.

        A ``lemmas.json`` of the source is taken as it is. ``options["lemmatize"]`` may replace
        `lemmas_from_table`.
        """
        whole = files.prepare(source, output, settings, findings)
        if whole is None:
            return True
        if (source / files.LEMMAS_FILE).is_file():
            table, maker = files.load_lemmas(source, findings), files.lemmatizer(source)
        else:
            lemmatize = options.get("lemmatize", lemmas_from_table)
            table, maker = lemmatize(*_words(whole), settings["lemma_fallback"], findings)
        if findings.ok:
            text = json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True)
            (output / files.LEMMAS_FILE).write_text(text + "\n", encoding="utf-8")
            (output / files.LEMMATIZER_FILE).write_text(maker + "\n", encoding="utf-8")
            findings.note("N-REF-LEMMAS", f"{counted(len(table), 'lemma')} by {maker}")
        return True

    def signature_parts(self, reference: ReferenceWithLemmas) -> dict[str, str]:
        """Return the name of the lemmatizer."""
        return {"lemmas": reference.lemmatizer}

    def measure(
        self, reference: ReferenceWithLemmas, submission: Grounding, settings: Settings
    ) -> SentenceStatistics:
        """Compare the objects of each sentence with the annotated words of its segment."""
        annotated = reference.annotated
        lemmas = Lemmas(reference.table, settings["lemma_fallback"])
        joined, words = join(annotated, submission), annotated.words
        skipped = _not_penalized(annotated, joined, lemmas)
        judged = grounding.judge_generated(joined.objects, words, skipped, len(joined.classes))
        _, f1 = _per_sentence(judged, words, joined)
        n = len(joined.videos)
        segments = np.bincount(joined.segment_video, minlength=n)
        means = np.bincount(joined.segment_video, np.nan_to_num(f1), n) / np.maximum(segments, 1)
        item_scores = np.where(joined.submitted_of_video > 0, means, np.nan)
        notes = [*joined.notes, *_lemma_notes(annotated, joined, lemmas, fewest(settings["detail"]))]
        return SentenceStatistics(joined.videos, item_scores, notes, f1, judged, words, joined)

    def reduce(self, statistics: SentenceStatistics, weights: Floats) -> Floats:
        """Return the mean F1 of the submitted sentences."""
        joined, f1 = statistics.joined, statistics.f1
        n = len(joined.videos)
        counting = ~np.isnan(f1)
        sums = np.bincount(joined.segment_video[counting], f1[counting], n)
        empty = np.bincount(joined.segment_video[joined.submitted & ~counting], minlength=n)
        outside = joined.n_submitted - joined.submitted_of_video.sum()
        number = weights @ (joined.submitted_of_video - empty) + outside
        return np.where(number > 0, weights @ sums / np.where(number > 0, number, 1), 0.0)

    def scores(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return F1 per sentence and over classes, in the modes all and loc, with precision and recall."""
        judged, words, joined = statistics.judged, statistics.words, statistics.joined
        n = len(joined.classes)
        averages = {
            mode: grounding.per_class(judged, joined.objects, words, joined.submitted, n, localization)
            for mode, localization in _MODES.items()
        }
        for mode, localization in _MODES.items():
            averages[f"{mode}_per_sent"], _ = _per_sentence(judged, words, joined, localization)
        f1 = {f"f1_{name}": averages[name].f1 for name in ("all_per_sent", "loc_per_sent", "all", "loc")}
        scores = {"score": f1["f1_all_per_sent"], "coverage": grounding.share(joined.submitted), **f1}
        for name, numbers in averages.items():
            scores[f"precision_{name}"], scores[f"recall_{name}"] = numbers.precision, numbers.recall
        return scores

    def losses(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return the score without hallucinated objects, without missed words, and with the right boxes."""
        judged = statistics.judged
        known, predicted = judged.object_known, judged.word_predicted
        fixed = {
            "hallucinated": replace(judged, object_skipped=~known),
            "missed_words": replace(judged, word_correct=judged.word_correct | ~predicted),
            "boxes": replace(
                judged,
                object_correct=judged.object_correct | known,
                word_correct=judged.word_correct | predicted,
            ),
        }
        return {
            fix: _per_sentence(now, statistics.words, statistics.joined)[0].f1 for fix, now in fixed.items()
        }


def _per_sentence(
    judged: grounding.Generated, words: grounding.Words, joined: Joined, localization: bool = False
) -> tuple[grounding.PrecisionRecall, Floats]:
    return grounding.per_sentence(
        judged, joined.objects, words, joined.submitted, joined.n_submitted, localization
    )


def _words(annotated: Reference) -> tuple[set[str], list[str]]:
    """Return all words whose lemmas a reference needs, and its unannotated tokens."""
    return {*annotated.tokens, *annotated.classes, *annotated.vocab}, annotated.tokens


def _not_penalized(reference: Reference, joined: Joined, lemmas: Lemmas) -> Bools:
    """Return for each object whether an unannotated token of its segment has the lemma of its class."""
    codes: dict[str, int] = {}
    of_token = np.array(
        [codes.setdefault(lemmas(t), len(codes)) for t in reference.tokens] or [0], dtype=np.int64
    )
    used = np.unique(joined.objects.label).tolist()
    of_class = np.zeros(len(joined.classes), dtype=np.int64)
    for code in used:
        of_class[code] = codes.setdefault(lemmas(joined.classes[code]), len(codes))
    n = len(codes) + 1
    present = reference.token_segment * n + of_token[reference.token]
    return np.isin(joined.objects.segment * n + of_class[joined.objects.label], present)


def _lemma_notes(reference: Reference, joined: Joined, lemmas: Lemmas, floor: int) -> list[Note]:
    """Return a note if the fallback gave predicted classes the lemmas of enough unannotated tokens."""
    of_tokens = {lemmas(reference.tokens[code]) for code in np.unique(reference.token).tolist()}
    asked = lemmas.missing & joined.named
    if len(of_tokens & {lemmas(name) for name in asked}) < max(floor, 1):
        return []
    # How many of them did is left out: each is a question about the words of the reference.
    classes = f"{counted(len(asked), 'predicted class', 'predicted classes')} not in the table of lemmas"
    text = f"some of {classes} got the lemma of an unannotated word {lemmas.means}"
    return [Note("N-LEMMAS", f"{text}; the released script may differ")]


PROGRAM = GeneratedSentences()
