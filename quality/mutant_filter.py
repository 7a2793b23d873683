"""A filter for sessions of cosmic-ray: it leaves a sample of a module's mutants, the same in every run.

It runs in the environment of cosmic-ray: ``python mutant_filter.py CONFIG SESSION NUMBER``.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path

NOT_SAMPLED = "not in the sample"


def divided(
    mutants: Sequence[tuple[str, str]], patterns: Sequence[str], number: int
) -> tuple[list[int], list[int]]:
    """Return the indices of the mutants that match a pattern, and of the others that are not in the sample.

    ``mutants`` are pairs of operator and changed line, ``number`` is the size of the sample.
    """
    excluded = re.compile("|".join(patterns))
    matching = [index for index, mutant in enumerate(mutants) if excluded.search(" ".join(mutant))]
    others = sorted({*range(len(mutants))}.difference(matching))
    sample = random.Random(1).sample(others, min(number, len(others)))
    return matching, sorted({*others}.difference(sample))


def main(config: str, session: str, number: str) -> None:
    """Mark mutants of a session as skipped, with the reason as their output."""
    from cosmic_ray.config import load_config
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    settings = load_config(config)
    lines = Path(settings["module-path"]).read_text(encoding="utf-8").splitlines()
    with use_db(session, WorkDB.Mode.open) as database:
        # Each work item has one mutation.
        items = [(item.job_id, *item.mutations) for item in database.pending_work_items]
        items.sort(key=lambda item: (item[1].operator_name, item[1].occurrence))
        mutants = [(mutation.operator_name, lines[mutation.start_pos[0] - 1]) for _, mutation in items]
        parts = divided(mutants, settings.sub("filters", "sample")["exclude"], int(number))
        for part, reason in zip(parts, ("excluded", NOT_SAMPLED)):
            result = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output=reason)
            database.set_multiple_results([items[index][0] for index in part], result)


if __name__ == "__main__":
    main(*sys.argv[1:])
