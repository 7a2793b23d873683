"""The two tasks of ActivityNet-Entities: sub-task I, given sentences, and II, generated sentences."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from scoring_program.challenges.anet_entities import evidence
from scoring_program.challenges.anet_entities.lemmas import TABLE, lemmas_from_table
from scoring_program.challenges.anet_entities.measure import (
    SentenceStatistics,
    WordStatistics,
    generated_error_costs,
    generated_score,
    generated_scores,
    given_error_costs,
    given_score,
    given_scores,
    measure_generated,
    measure_given,
)
from scoring_program.challenges.anet_entities.page import (
    generated_sections,
    generated_segments,
    given_sections,
    given_segments,
)
from scoring_program.challenges.anet_entities.reference import (
    LEMMAS_FILE,
    LEMMATIZER_FILE,
    Reference,
    check_reference,
    load_lemmas,
    load_reference,
    prepare_reference,
    select_videos,
)
from scoring_program.repairs.search import Comparison
from scoring_program.result import Section, Sections, Statistics
from scoring_program.settings import Settings
from scoring_program.task import Notes, Options, Task, declared_tasks
from scoring_program.vocabulary import Vocabulary, count_names
from scoring_program.vocabulary_file import read_vocabulary
from validator.arrays import Floats
from validator.findings import Findings, Note, Read
from validator.formats.anet_entities import read as submissions
from validator.formats.anet_entities.read import Grounding
from validator.formats.rules import load_rules
from validator.submission import Source
from validator.texts import counted, quote

StatisticsT = TypeVar("StatisticsT", bound=Statistics)


class EntitiesTask(Task[Reference, Grounding, StatisticsT]):
    """Reads submissions and prepares the annotations; a subclass says what it measures."""

    def items(self, reference: Reference) -> list[str]:
        """Return the videos with an annotated segment."""
        return reference.annotated_videos()

    def select_items(self, reference: Reference, items: Collection[str]) -> Reference:
        """Return some videos."""
        return select_videos(reference, items)

    def select_predictions(self, submission: Grounding, items: Collection[str]) -> Grounding:
        """Return the segments of some videos: those of others would count in averages per sentence."""
        return submissions.select_videos(submission, items)

    def known_items(self, reference: Reference) -> frozenset[str]:
        """Return the videos of the splits that are scored."""
        return reference.chosen_videos

    def read_submission(self, path: Source, reference: Reference) -> Read[Grounding]:
        """Check and read the JSON file."""
        return submissions.read(path, load_rules(self.id), self.known_items(reference))

    def names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the classes of all words, in ascending order."""
        return {"class": sorted({*reference.classes, *reference.vocab})}

    def public_names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the vocabulary that the annotations declare, which the challenge publishes."""
        return {"class": reference.vocab} if reference.vocab else {}

    def other_names(self, reference: Reference) -> list[str]:
        """Return all videos, of other splits and without annotations, too."""
        return reference.videos

    def source_files(self, source: Path, settings: Settings) -> list[str]:
        """Return the two files that the settings name."""
        return [settings["reference_file"], settings["split_file"]]

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Write the annotations as arrays."""
        prepare_reference(source, output, settings)
        return []


class GivenSentences(EntitiesTask[WordStatistics]):
    """Sub-task I; both protocols are the same."""

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the annotations of the chosen splits."""
        return load_reference(folder, settings)

    def check_reference(self, folder: Path, settings: Settings, reference: Reference) -> list[Note]:
        """Look for empty splits, and for classes outside of the vocabulary."""
        return check_reference(folder, settings, reference)

    def measure(self, reference: Reference, submission: Grounding, settings: Settings) -> WordStatistics:
        """Judge the words of all segments."""
        return measure_given(reference, submission, settings)

    def reduce(self, statistics: WordStatistics, weights: Floats) -> Floats:
        """Return the localization accuracy for each row of weights."""
        return given_score(statistics, weights)

    def scores(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the numbers of the leaderboard."""
        return given_scores(statistics)

    def error_costs(self, statistics: WordStatistics) -> dict[str, float]:
        """Return the score without the errors of each type."""
        return given_error_costs(statistics)

    def sections(self, reference: Reference, submission: Grounding, statistics: WordStatistics) -> Sections:
        """Return the sections of the detail page."""
        return given_sections(reference, submission, statistics)

    def drawings(
        self, reference: Reference, submission: Grounding, statistics: WordStatistics, number: int
    ) -> list[Section]:
        """Return the worst frames of the worst segments."""
        from scoring_program.challenges.anet_entities import drawings

        segments = given_segments(reference, statistics)
        hallucinated = np.zeros(len(statistics.joined.objects.label), dtype=bool)
        return drawings.drawings(segments, number, hallucinated)

    def hints(self, reference: Reference, submission: Grounding) -> Notes:
        """Return notes on empty, constant and counted predictions, and on boxes in 0..1."""
        return submissions.given_hints(submission)

    def comparisons(self, reference: Reference, submission: Grounding) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.given_comparisons(reference, submission)


class GeneratedSentences(EntitiesTask[SentenceStatistics]):
    """Sub-task II; both protocols are the same."""

    prepared_file = LEMMAS_FILE

    def load_vocabulary(self, folder: Path, reference: Reference) -> Vocabulary:
        """Return the vocabulary of the folder, otherwise that of the annotations."""
        return {**self.public_names(reference), **read_vocabulary(folder)}

    def submitted_names(self, submission: Grounding) -> dict[str, dict[str, int]]:
        """Return the classes of all objects, with how often each is used."""
        return {"class": count_names(submission.classes, submission.label)}

    def rename(self, submission: Grounding, new_names: Mapping[str, Mapping[str, str]]) -> Grounding:
        """Return a submission with other classes."""
        new_classes = new_names.get("class", {})
        return replace(submission, classes=[new_classes.get(name, name) for name in submission.classes])

    def source_files(self, source: Path, settings: Settings) -> list[str]:
        """Return the same and the files of lemmas, which are kept."""
        return [*super().source_files(source, settings), LEMMAS_FILE, LEMMATIZER_FILE]

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the annotations of the chosen splits and their lemmas, or make the lemmas at home."""
        annotated = load_reference(folder, settings)
        if TABLE.is_file() and not (folder / LEMMAS_FILE).is_file():
            # At home, with annotations that were not prepared.
            words, fallback = _words_to_lemmatize(annotated), settings["lemma_fallback"]
            lemmas, lemmatizer, _ = lemmas_from_table(words, annotated.tokens, fallback)
        else:
            lemmas, lemmatizer = load_lemmas(folder)
        return annotated._replace(lemmas=lemmas, lemmatizer=lemmatizer)

    def check_reference(self, folder: Path, settings: Settings, reference: Reference) -> list[Note]:
        """Look for empty splits, classes outside of the vocabulary, and tokens without a lemma."""
        with Findings.collect() as findings:
            with findings.part():
                check_reference(folder, settings, reference)
            with findings.part():
                # The platform does not have the table that `load_reference` falls back to.
                load_lemmas(folder)
            _check_lemmas(reference, settings["lemma_fallback"], findings)
        return findings.notes

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Write the reference as arrays, and the lemmas of all tokens and classes.

        A ``lemmas.json`` of the source is kept. ``options["lemmatize"]`` may replace `lemmas_from_table`.
        """
        with Findings.collect() as findings:
            annotated = prepare_reference(source, output, settings)
            if (source / LEMMAS_FILE).is_file():
                lemmas, lemmatizer = load_lemmas(source)
            else:
                lemmatize = options.get("lemmatize", lemmas_from_table)
                words, fallback = _words_to_lemmatize(annotated), settings["lemma_fallback"]
                lemmas, lemmatizer, notes = lemmatize(words, annotated.tokens, fallback)
                findings.notes += notes
            text = json.dumps(lemmas, ensure_ascii=False, indent=0, sort_keys=True)
            (output / LEMMAS_FILE).write_text(text + "\n", encoding="utf-8")
            (output / LEMMATIZER_FILE).write_text(lemmatizer + "\n", encoding="utf-8")
            findings.note("N-REF-LEMMAS", f"{counted(len(lemmas), 'lemma')} by {lemmatizer}")
        return findings.notes

    def signature_parts(self, reference: Reference, settings: Settings) -> dict[str, str]:
        """Return the name of the lemmatizer."""
        return {"lemmas": reference.lemmatizer}

    def measure(self, reference: Reference, submission: Grounding, settings: Settings) -> SentenceStatistics:
        """Judge the objects and words of all segments."""
        return measure_generated(reference, submission, settings)

    def reduce(self, statistics: SentenceStatistics, weights: Floats) -> Floats:
        """Return the F1 per sentence for each row of weights."""
        return generated_score(statistics, weights)

    def scores(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return the numbers of the leaderboard."""
        return generated_scores(statistics)

    def error_costs(self, statistics: SentenceStatistics) -> dict[str, float]:
        """Return the score without the errors of each type."""
        return generated_error_costs(statistics)

    def sections(
        self, reference: Reference, submission: Grounding, statistics: SentenceStatistics
    ) -> Sections:
        """Return the sections of the detail page."""
        return generated_sections(reference, submission, statistics)

    def drawings(
        self, reference: Reference, submission: Grounding, statistics: SentenceStatistics, number: int
    ) -> list[Section]:
        """Return the worst frames of the worst segments."""
        from scoring_program.challenges.anet_entities import drawings

        judged = statistics.judged
        hallucinated = ~judged.object_annotated & ~judged.object_skipped
        segments = generated_segments(reference, statistics)
        return drawings.drawings(segments, number, hallucinated)

    def hints(self, reference: Reference, submission: Grounding) -> Notes:
        """Return notes on empty, constant and repeated predictions, and on boxes in 0..1."""
        return submissions.generated_hints(submission)

    def comparisons(self, reference: Reference, submission: Grounding) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.generated_comparisons(reference, submission)


def _words_to_lemmatize(annotated: Reference) -> set[str]:
    """Return all words whose lemmas a reference needs."""
    return {*annotated.tokens, *annotated.classes, *annotated.vocab}


def _check_lemmas(reference: Reference, fallback: str, findings: Findings) -> None:
    """Look for tokens without a lemma; with the fallback to lower case they are left out on purpose."""
    missing = [token for token in reference.tokens if token not in reference.lemmas]
    if fallback == "rule":
        for token in missing:
            problem = f"the token {quote(token)!r} is missing in the table"
            remedy = "prepare the reference again"
            findings.add("E-REF-LEMMAS", problem, remedy, file=LEMMAS_FILE, rule="token")
    elif missing:
        text = f"{counted(len(missing), 'token')} not in the table, taken in lower case"
        findings.note("N-REF-LEMMAS", text)


TASKS = declared_tasks(
    __file__, {"anet_entities_gt": GivenSentences, "anet_entities_gen": GeneratedSentences}
)
