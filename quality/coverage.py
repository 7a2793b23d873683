"""How often intervals hold the score, and rank sets the true ranks: tables for the docs.

A large set of synthetic items represents all items that exist. Samples of it are scored as a reference would
be, and the interval of each either holds the score of the large set or does not.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from organizer.files import folder_files, write_files
from people_in_video.comparing import pairs as comparison
from quality.demo_data import load_against
from quality.task import quality_tasks
from scoring_program.disclosure import few_items
from scoring_program.metrics import resampling
from scoring_program.metrics.resampling import HalfScores
from scoring_program.result import Statistics
from scoring_program.task import Task
from validator.arrays import Floats, Ints
from validator.cores import usable_cores
from validator.texts import counted

_TEAMS = 10
# The noise of the predictions of all tied teams, and of graded teams.
_TIED = (0.3,)
_GRADED = tuple(np.linspace(0.2, 0.35, _TEAMS).tolist())
# The limits of good shares: of intervals that hold the score, of tied tournaments in which a pair differs
# significantly, and of graded ones in which the sets hold all ranks.
_COVERED = (0.93, 0.98)
_MOST_WRONG = 0.06
_LEAST_HELD = 0.94


class CoverageSizes(NamedTuple):
    """How much is sampled.

    Attributes
    ----------
    sample_items : tuple of int
        How many items the samples for intervals have.
    least_items, least_team_items : int
        How many items the large sets have at least: for intervals, and for tournaments.
    noises : tuple of float
        The noise of the submissions whose intervals are measured.
    team_items : int
        How many items a tournament has.
    tournaments_at_once : int
        How many tournaments a process holds at a time; each group begins with data of its own.
    """

    sample_items: tuple[int, ...] = (30, 100, 300)
    least_items: int = 1500
    noises: tuple[float, ...] = (0.01, 0.1, 0.3, 0.6, 1.5)
    team_items: int = 100
    least_team_items: int = 200
    tournaments_at_once: int = 100


_SIZES = CoverageSizes()


def share(hits: int, n: int, least: float, most: float) -> str:
    """Return a share of n trials in percent with Wilson's 95 % interval, marked if all of that is outside of
    the limits."""
    from scipy.stats import binomtest  # takes a second to import

    low, high = binomtest(hits, n).proportion_ci(method="wilson")
    interval_text = f"{100 * low:.1f} to {100 * high:.1f}"
    text = f"{100 * hits / n:.1f} ({interval_text})"
    is_outside = high < least or low > most
    return f"{text} **outside**" if is_outside else text


@dataclass(frozen=True)
class Population:
    """Submissions to a synthetic reference of ``n_items``, as a task measures them."""

    task: Task
    n_items: int
    submissions: Sequence[Statistics]

    def scores(self) -> Floats:
        """Return the score of each submission, with as many decimals as those of halves."""
        ones = np.ones((1, self.n_items))
        scores = [self.task.reduce(statistics, ones)[0] for statistics in self.submissions]
        return resampling.rounded(np.array(scores))

    def half_scores(self, number: int, sample: Ints) -> HalfScores:
        """Return the scores of a submission for a sample of items, some of them repeated, and for its halves.

        The halves are those of the sample's places.
        """
        order = np.argsort(sample, kind="stable")
        items, begin = np.unique(sample[order], return_index=True)

        def reduce(place_weights: Floats) -> Floats:
            weights = np.zeros((len(place_weights), self.n_items))
            weights[:, items] = np.add.reduceat(place_weights[:, order], begin, axis=1)
            return self.task.reduce(self.submissions[number], weights)

        return resampling.half_scores(reduce, np.arange(len(sample)), self.task.half_samples)

    def is_rough(self, number: int, sample: Ints) -> bool:
        """Return whether the interval of a submission for a sample of items is marked as rough."""
        statistics = self.submissions[number]
        reason = few_items(
            has_errors=~statistics.item_perfect[sample],
            has_score=statistics.item_scores[sample] > 0,
            starts_at_zero=self.task.higher_is_better and self.task.range[0] == 0,
        )
        return reason is not None


@cache
def population(
    task_id: str, n_least: int, noises: Sequence[float], copies: int = 1, variant: str = ""
) -> Population:
    """Measure a submission of each noise against at least ``n_least`` items.

    Each item stands there ``copies`` times, one after another, and each copy has a prediction of its own.
    """
    task = quality_tasks()[task_id]
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        smallest = work / "smallest"
        task.write_reference(smallest)
        n_items = len(load_against(task_id, smallest, smallest / "prepared").items)
        source = work / "source"
        prepared = work / "prepared"
        task.write_reference(source, size=math.ceil(n_least / n_items))
        if copies > 1:
            items = load_against(task_id, source, prepared).items
            copies_of_item = {item: [f"{item}{copy}" for copy in range(copies)] for item in items}
            files = task.repeated(folder_files(source), copies_of_item)
            shutil.rmtree(source)
            shutil.rmtree(prepared)
            write_files(files, source)
        task.variants[variant](source)
        loaded = load_against(task_id, source, prepared)
        submissions = []
        for number, noise in enumerate(noises, start=1):
            prediction = task.correct_prediction(source, np.random.default_rng(number), noise)
            folder = work / str(number)
            write_files(task.files(prediction), folder)
            submission = loaded.read(folder).content
            submissions.append(loaded.task.measure(loaded.reference, submission, loaded.settings))
    return Population(loaded.task, len(loaded.items), submissions)


def coverage_row(
    task_id: str, variant: str, noise: float, n_samples: int, sizes: CoverageSizes = _SIZES
) -> str:
    """Return how often the interval of a submission holds its score for all items, how wide it is, how many
    are marked as rough, and how often those hold the score that are not marked."""
    large = population(task_id, sizes.least_items, (noise,), variant=variant)
    (score,) = large.scores()
    cells = [task_id + variant, f"{score:.3f}"]
    for size in sizes.sample_items:
        rng = np.random.default_rng(size)
        samples = rng.integers(0, large.n_items, (n_samples, size))
        half_scores = [large.half_scores(0, sample) for sample in samples]
        intervals = resampling.intervals(half_scores, large.task.range)
        is_below = intervals.high < score
        is_above = intervals.low > score
        holds_score = ~is_below & ~is_above
        is_rough = np.array([large.is_rough(0, sample) for sample in samples])
        n_unmarked = int((~is_rough).sum())
        n_held_unmarked = int(holds_score[~is_rough].sum())
        unmarked = share(n_held_unmarked, n_unmarked, *_COVERED) if n_unmarked else "-"
        width = (intervals.high - intervals.low).mean()
        misses = f"{100 * is_below.mean():.1f} / {100 * is_above.mean():.1f}"
        held = share(int(holds_score.sum()), n_samples, *_COVERED)
        cells += [held, f"{width:.3f}", misses, f"{100 * is_rough.mean():.1f}", unmarked]
    return f"| {' | '.join(cells)} |"


def tournaments(
    task_id: str, is_tied: bool, seed: int, n: int, sizes: CoverageSizes = _SIZES
) -> tuple[int, int]:
    """Return in how many of n tournaments the sets hold all true ranks, and the number of significant pairs.

    Predictions of equal quality are dealt to tied teams anew for each item: the true rank of all is 1, and
    any significant pair makes the set of a team begin with 2.
    """
    noises = _TIED if is_tied else _GRADED
    copies = _TEAMS if is_tied else 1
    teams = population(task_id, sizes.least_team_items, noises, copies)
    higher_is_better = teams.task.higher_is_better
    rng = np.random.default_rng([is_tied, seed])
    true_ranks = np.ones(_TEAMS) if is_tied else comparison.ranks(teams.scores(), higher_is_better)
    n_held, n_pairs = 0, 0
    for _ in range(n):
        sample = rng.integers(0, teams.n_items // copies, (sizes.team_items, 1)) * copies
        # Each team has a copy of its own of each item, dealt at random.
        copy_of_team = rng.permuted(np.tile(np.arange(_TEAMS), (sizes.team_items, 1)), axis=1) % copies
        half_scores = []
        for team, items in enumerate((sample + copy_of_team).T):
            half_scores.append(teams.half_scores(team % len(noises), items))
        ranking = comparison.compare(half_scores, higher_is_better)
        is_low_enough = ranking.rank_low <= true_ranks
        is_high_enough = ranking.rank_high >= true_ranks
        n_held += bool((is_low_enough & is_high_enough).all())
        n_pairs += int(ranking.pairs.is_significant.sum())
    return n_held, n_pairs


def run_coverage(
    ids: Sequence[str], n_samples: int, n_tournaments: int, sizes: CoverageSizes = _SIZES
) -> int:
    """Print how often intervals hold the score, and how often rank sets of tournaments hold the true ranks.

    Without tournaments there is no second table.
    """
    # A process for each core; those that start anew read this.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(usable_cores(), get_context("spawn")) as pool:
        rows = _submit_rows(pool, ids, n_samples, sizes)
        tied_parts = {name: _submit_tournaments(pool, name, True, n_tournaments, sizes) for name in ids}
        graded_parts = {name: _submit_tournaments(pool, name, False, n_tournaments, sizes) for name in ids}
        _print_coverage(rows, sizes)
        if n_tournaments:
            _print_tournaments(tied_parts, graded_parts, n_tournaments)
    return 0


def _submit_rows(
    pool: ProcessPoolExecutor, ids: Sequence[str], n_samples: int, sizes: CoverageSizes
) -> list[Future[str]]:
    """Return the rows of the first table: one for each task, variant of its predictions, and noise."""
    rows = []
    for task_id in ids:
        for variant, noise in product(quality_tasks()[task_id].variants, sizes.noises):
            rows.append(pool.submit(coverage_row, task_id, variant, noise, n_samples, sizes))
    return rows


def _submit_tournaments(
    pool: ProcessPoolExecutor, task_id: str, is_tied: bool, n_tournaments: int, sizes: CoverageSizes
) -> list[Future[tuple[int, int]]]:
    """Return what `tournaments` returns for each group of them; groups are small enough for a process."""
    parts = []
    for begin in range(0, n_tournaments, sizes.tournaments_at_once):
        number = min(sizes.tournaments_at_once, n_tournaments - begin)
        parts.append(pool.submit(tournaments, task_id, is_tied, begin, number, sizes))
    return parts


def _print_coverage(rows: Sequence[Future[str]], sizes: CoverageSizes) -> None:
    titles = ["task", "score"]
    for size in sizes.sample_items:
        titles += [f"{counted(size, 'item')}, %", "width", "below / above, %", "rough, %", "others, %"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for row in rows:
        print(row.result(), flush=True)


def _print_tournaments(
    tied_parts: Mapping[str, Sequence[Future[tuple[int, int]]]],
    graded_parts: Mapping[str, Sequence[Future[tuple[int, int]]]],
    n_tournaments: int,
) -> None:
    """Print a row for each task: how often rank sets of tied and of graded teams hold the true ranks."""
    print("\n| task | tied, any pair, % | graded, all ranks, % | graded, pairs, % |\n|---|---|---|---|")
    n_all_pairs = n_tournaments * _TEAMS * (_TEAMS - 1) / 2
    for task_id, parts in tied_parts.items():
        n_tied_held, _ = np.sum([part.result() for part in parts], axis=0).tolist()
        n_graded_held, n_pairs = np.sum([part.result() for part in graded_parts[task_id]], axis=0).tolist()
        wrong_share = share(n_tournaments - n_tied_held, n_tournaments, 0, _MOST_WRONG)
        held_share = share(n_graded_held, n_tournaments, _LEAST_HELD, 1)
        print(f"| {task_id} | {wrong_share} | {held_share} | {100 * n_pairs / n_all_pairs:.0f} |", flush=True)
