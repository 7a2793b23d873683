"""The task of Kinetics-TPS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from scoring_program.challenges.kinetics_tps import evidence, page
from scoring_program.challenges.kinetics_tps.measure import (
    VideoStatistics,
    average_areas,
    compute_error_costs,
    compute_scores,
    measure_videos,
)
from scoring_program.challenges.kinetics_tps.reference import (
    CLASSES_FILE,
    PARTS_FILE,
    PREPARED_FILE,
    Reference,
    load_reference,
    read_reference,
    save_reference,
    select_videos,
)
from scoring_program.repairs.search import Comparison
from scoring_program.result import Section
from scoring_program.settings import Settings
from scoring_program.task import Notes, Options, Task, declared_tasks
from scoring_program.vocabulary import Vocabulary, count_names
from scoring_program.vocabulary_file import read_vocabulary
from validator.findings import Read
from validator.formats.kinetics_tps import read as submissions
from validator.formats.kinetics_tps.read import KineticsSubmission, frames_of_videos
from validator.formats.rules import load_rules
from validator.submission import Source


class KineticsTPS(Task[Reference, KineticsSubmission, VideoStatistics]):
    """Average video accuracy conditioned on Part State Correctness."""

    measure = staticmethod(measure_videos)
    reduce = staticmethod(average_areas)
    scores = staticmethod(compute_scores)
    error_costs = staticmethod(compute_error_costs)
    sections = staticmethod(page.sections)

    def load_reference(self, folder: Path, settings: Settings) -> Reference:
        """Read the organizers' two JSON files, or the arrays that were prepared from them."""
        return load_reference(folder, load_rules(self.id))

    def items(self, reference: Reference) -> list[str]:
        """Return the videos, in ascending order."""
        return reference.parts.videos

    def select_items(self, reference: Reference, items: Collection[str]) -> Reference:
        """Return some videos."""
        numbers = [number for number, video in enumerate(reference.parts.videos) if video in items]
        return select_videos(reference, np.array(numbers, dtype=np.int64))

    def names(self, reference: Reference) -> dict[str, list[str]]:
        """Return the classes, parts, and states."""
        return {
            "class": sorted(set(reference.classes)),
            "part": sorted(reference.parts.names),
            "state": sorted(reference.parts.states),
        }

    def load_vocabulary(self, folder: Path, reference: Reference) -> Vocabulary:
        """Return the vocabulary of the folder."""
        return read_vocabulary(folder)

    def submitted_names(self, submission: KineticsSubmission) -> dict[str, dict[str, int]]:
        """Return the classes, parts, and states, with how often each is used."""
        parts = submission.parts
        return {
            "class": dict(Counter(submission.classes.values())),
            "part": count_names(parts.names, parts.part_name),
            "state": count_names(parts.states, parts.proposal_state),
        }

    def rename(
        self, submission: KineticsSubmission, new_names: Mapping[str, Mapping[str, str]]
    ) -> KineticsSubmission:
        """Return a submission with other classes, parts, and states."""
        new_classes, new_parts, new_states = (new_names.get(kind, {}) for kind in ("class", "part", "state"))
        classes = {video: new_classes.get(name, name) for video, name in submission.classes.items()}
        parts = submission.parts._replace(
            names=[new_parts.get(name, name) for name in submission.parts.names],
            states=[new_states.get(state, state) for state in submission.parts.states],
        )
        return KineticsSubmission(classes, parts)

    def source_files(self, source: Path, settings: Settings) -> list[str]:
        """Return the prepared file if there is one, which is read alone, or the organizers' two."""
        is_prepared = (source / PREPARED_FILE).is_file()
        return [PREPARED_FILE] if is_prepared else [CLASSES_FILE, PARTS_FILE]

    def prepare_reference(self, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
        """Check the organizers' files and write them as arrays, which load fast."""
        # In the order of the files, as ever: the signature holds a hash of what is written.
        reference = read_reference(source, load_rules(self.id))
        save_reference(reference, output / PREPARED_FILE)
        return []

    def read_submission(self, path: Source, reference: Reference) -> Read[KineticsSubmission]:
        """Check and read both JSON files."""
        return submissions.read(path, load_rules(self.id), frames_of_videos(reference.parts))

    def drawings(
        self, reference: Reference, submission: KineticsSubmission, statistics: VideoStatistics, number: int
    ) -> list[Section]:
        """Return the worst frames of the worst videos."""
        from scoring_program.challenges.kinetics_tps import drawings

        return drawings.drawings(statistics, number)

    def hints(self, reference: Reference, submission: KineticsSubmission) -> Notes:
        """Return notes on empty, constant and repeated predictions, and on boxes in 0..1."""
        return submissions.hints(submission)

    def comparisons(self, reference: Reference, submission: KineticsSubmission) -> list[Comparison]:
        """Return what the search for repairs compares."""
        return evidence.comparisons(reference, submission)


TASKS = declared_tasks(__file__, {"kinetics_tps": KineticsTPS})
