"""What public facts say of a submission that does not fit them: ids, names, numbers of frames, frame rates.

Nothing here looks at labels, so that it may be said of submissions that are refused, which no limit of the
platform counts. Each function takes lists or arrays and returns half a sentence for a message, "" if the
facts show nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.arrays import Floats, Ints
from validator.texts import counted

if TYPE_CHECKING:
    from validator.numbering import Member, Reading

# The codes of notes on low scores, which say nothing more where another spelling explains unknown names.
EXPLAINED_BY_NAMES = ("N-LOW",)
# Comparing more names of the data would take longer than reading them.
_MOST_NAMES = 20_000
# The change is searched on so many of the names of a submission, none of them longer.
_RUNS = 20
_RUN_LENGTH = 25
_LONGEST_NAME = 200
# Names that belong to others, as frames to videos, are compared in so many of these.
_GROUPS_COMPARED = 50
# Of many names, so many known ones need no explanation of the others.
_MANY_NAMES = 2_000
_MOSTLY_KNOWN = 0.9
_CLEARLY_MORE = 1.2
# Another spelling under which no more than this share of the unknown names is known may be chance.
_SHARE_OF_CHANCE = 1 / 2
# Other numbers of few names, or under which few are known, may be chance.
_LEAST_RENUMBERED = 3
_LEAST_SHARE_RENUMBERED = 1 / 2

# Frames a second that people count with; 1,000 are milliseconds.
_RATES = (24, 25, 30, 50, 60, 1000)
_LEAST_ITEMS = 3
# The last frame of a video may be counted twice; the last thing in it ends somewhat before it.
_MOST_OF_RATE = 1.02
_LEAST_OF_RATE = 0.85
_LEAST_MEDIAN_OF_RATE = 0.6
_LEAST_SHARE_AFTER_END = 0.2
# Seconds may be rounded up; of slower videos, frames could be meant.
_MOST_OF_SECONDS = 1.1
_LEAST_RATE = 5

_LEAST_BOXES = 5
# Boxes of detectors that are not cut at the border of the image reach beyond it, but not far.
_BEYOND = 1.1
_LEAST_SHARE_OUTSIDE = 0.1


def explain_unknown_names(names: Collection[str], known_names: Collection[str]) -> str:
    """Return the change of spelling or numbers that makes names known, "" if there is none.

    Parameters
    ----------
    names : collection of str
        What a submission names, each once; known and unknown ones.
    known_names : collection of str
        What the public data names.

    Examples
    --------
    >>> explain_unknown_names(["ab", "cd"], ["v_ab", "v_cd", "v_ef"])
    'with v_ in front of them, 2 of 2 are known'
    >>> explain_unknown_names(["2", "3", "4"], ["1", "2", "3"])
    'with n - 1 for n (numbers look one too high), 3 of 3 are known'
    """
    if max(len(names), len(known_names)) > _MOST_NAMES:
        return ""
    from validator.numbering import NAME_READINGS

    members = [("", name) for name in names]
    return _explain_members(members, [("", name) for name in known_names], NAME_READINGS)


def explain_unknown_members(
    members: Collection[Member], known_members: Collection[Member], group_noun: str
) -> str:
    """Return the change that makes names known which belong to something, as frames to videos, "" if none.

    Of what they belong to (a ``group_noun``, as "video"), some that both sides have are compared.

    Examples
    --------
    >>> frames, known_frames = [("v", "1"), ("v", "2"), ("v", "3")], [("v", "0"), ("v", "1"), ("v", "2")]
    >>> explain_unknown_members(frames, known_frames, "video")
    'with n - 1 for n (numbers look one too high), 3 of 3 are known'
    """
    groups = sorted({group for group, _ in members}.intersection(group for group, _ in known_members))
    step = -(-len(groups) // _GROUPS_COMPARED) or 1
    compared_groups = set(groups[::step])
    compared_members = [member for member in members if member[0] in compared_groups]
    compared_known_members = [member for member in known_members if member[0] in compared_groups]
    if max(len(compared_members), len(compared_known_members)) > _MOST_NAMES:
        return ""
    from validator.numbering import MEMBER_READINGS

    explanation = _explain_members(compared_members, compared_known_members, MEMBER_READINGS)
    if explanation and len(compared_groups) < len(groups):
        explanation += f" in {counted(len(compared_groups), group_noun)}"
    return explanation


def _explain_members(
    members: Sequence[Member], known_members: Collection[Member], readings: Sequence[Reading]
) -> str:
    """Return the change of spelling, or of numbers as the readings have them, that makes names known."""
    known = frozenset(known_members)
    n_as_is = len(known.intersection(members))
    if n_as_is in (len(known), len(set(members))) or _is_slip(n_as_is, members, known):
        return ""
    change = _best_change([member for member in members if _is_compared(member)], known, readings)
    if change is None or change.n_known(members, known) <= n_as_is:
        return ""
    n_known = sum(1 for member in members if _is_compared(member) and change.apply(member) in known)
    return f"{change.words}, {n_known:,} of {len(members):,} are known"


def _is_compared(member: Member) -> bool:
    return len(member[1]) <= _LONGEST_NAME


def _is_slip(n_known: int, members: Sequence[Member], known: Collection[Member]) -> bool:
    """Return whether so many of many names fit that no rule is to be found; searching takes long."""
    return len(members) > _MANY_NAMES and n_known > _MOSTLY_KNOWN * min(len(members), len(known))


class _WordedChange(NamedTuple):
    """A change of names and how a message speaks of it."""

    words: str
    new_name: Callable[[Member], str]

    def apply(self, member: Member) -> Member:
        """Return the member of the data that one of a submission stands for, or itself."""
        return member[0], self.new_name(member)

    def n_known(self, members: Iterable[Member], known: frozenset[Member]) -> int:
        """Return how many known members occur among the changed ones."""
        return len(known.intersection(self.apply(member) for member in members if _is_compared(member)))


def _best_change(
    members: list[Member], known: frozenset[Member], readings: Sequence[Reading]
) -> _WordedChange | None:
    """Return the change of spelling, or that of numbers if more names are known by it."""
    searched_members = _some_members(members)
    respelling = _respelling(searched_members, known)
    renumbering = _renumbering(searched_members, known, readings)
    if respelling is None or renumbering is None:
        return respelling or renumbering
    n_respelled = respelling.n_known(searched_members, known)
    is_clearly_more = renumbering.n_known(searched_members, known) > _CLEARLY_MORE * n_respelled
    return renumbering if is_clearly_more else respelling


def _respelling(members: Sequence[Member], known: frozenset[Member]) -> _WordedChange | None:
    """Return the change of spelling that makes most of the unknown names known, None if none does."""
    from validator.spelling import best_spelling

    names = dict.fromkeys(name for _, name in members)
    spelling = best_spelling(list(names), {name for _, name in known})
    if spelling is None:
        return None
    change_name = spelling.change
    change = _WordedChange(spelling.words, lambda member: change_name(member[1]))
    n_as_is = len(known.intersection(members))
    n_unknown = min(len(set(members)), len(known)) - n_as_is
    n_explained = change.n_known(members, known) - n_as_is
    return change if n_explained > _SHARE_OF_CHANCE * n_unknown else None


def _renumbering(
    members: Sequence[Member], known: frozenset[Member], readings: Sequence[Reading]
) -> _WordedChange | None:
    """Return the change of numbers that makes half of the names known, and not few; None if none does."""
    from validator.numbering import find_renumbering

    renumbering = find_renumbering(members, known, readings)
    if renumbering is None:
        return None
    change = _WordedChange(renumbering.words, renumbering.change)
    least = max(_LEAST_RENUMBERED, _LEAST_SHARE_RENUMBERED * len(members))
    return change if change.n_known(members, known) >= least else None


def _some_members(members: list[Member]) -> list[Member]:
    """Return all members, or runs of members that follow each other, evenly spread.

    Of numbered names, every fifth may mean another thing than the four between them.
    """
    if len(members) <= _RUNS * _RUN_LENGTH:
        return members
    starts = np.linspace(0, len(members) - _RUN_LENGTH, _RUNS).astype(np.int64).tolist()
    return [member for start in starts for member in members[start : start + _RUN_LENGTH]]


class LastFrames(NamedTuple):
    """The last frame that a submission names for each of some items, beside what is public of these.

    Attributes
    ----------
    item : int array of shape (n,)
        The positions of the items in the order of their names; each once.
    last_frame : int array of shape (n,)
        The largest frame of each that a submission names.
    n_frames : int array of shape (n_items,)
        The numbers of frames of all items.
    frames_a_second : float array of shape (n_items,), optional
        NaN where the rate is not known.
    """

    item: Ints
    last_frame: Ints
    n_frames: Ints
    frames_a_second: Floats | None = None


def explain_late_frames(facts: LastFrames, noun: str) -> str:
    """Return why frames are after the end of their items: rows of a neighbor, or another rate; "" if unclear.

    Examples
    --------
    >>> item, n_frames = np.arange(4), np.array([1000, 1200, 800, 900])
    >>> last_frame = np.array([1240, 1400, 950, 1100])
    >>> explain_late_frames(LastFrames(item, last_frame, n_frames, np.full(4, 20.0)), "sequence")
    'the last frames look as if counted at 25 frames a second; the videos have 20: multiply all by 20/25'
    """
    return _explain_neighbors(facts, noun) or _explain_rate(facts)


def _explain_neighbors(facts: LastFrames, noun: str) -> str:
    """Return that the rows of each item fit the next item, or the one before, if they do."""
    n_late = int((facts.last_frame > facts.n_frames[facts.item]).sum())
    if n_late < max(_LEAST_ITEMS, _LEAST_SHARE_AFTER_END * len(facts.item)):
        return ""
    for shift, direction, height in ((-1, "before", "high"), (1, "after", "low")):
        neighbor = facts.item + shift
        has_neighbor = (neighbor >= 0) & (neighbor < len(facts.n_frames))
        n_frames = facts.n_frames[neighbor[has_neighbor]]
        if (facts.last_frame[has_neighbor] <= n_frames).all():
            move = f"write the rows of each {noun} into the file of the one {direction}"
            return f"ids look one too {height}: {move}"
    return ""


def _explain_rate(facts: LastFrames) -> str:
    """Return at which frame rate frames look as if counted, if the last ones of most items show one."""
    if facts.frames_a_second is None:
        return ""
    true_rate = facts.frames_a_second[facts.item]
    has_rate = np.isfinite(true_rate)
    true_rate = true_rate[has_rate]
    if len(true_rate) < _LEAST_ITEMS:
        return ""
    counted_rate = facts.last_frame[has_rate] / facts.n_frames[facts.item[has_rate]] * true_rate
    fastest = float(counted_rate.max())
    # Videos that were read with every frame twice.
    rates = sorted({*_RATES, round(2 * float(np.median(true_rate)))})
    rate = next((rate for rate in rates if fastest <= _MOST_OF_RATE * rate), None)
    is_late = counted_rate > true_rate
    if rate is None or fastest < _LEAST_OF_RATE * rate or is_late.mean() < 1 / 2:
        return ""
    if float(np.median(counted_rate)) < _LEAST_MEDIAN_OF_RATE * rate:
        return ""
    videos, true_factor = _rate_texts(true_rate)
    factor = f"{true_factor}/{rate}"
    looks = f"the last frames look as if counted at {counted(rate, 'frame')} a second"
    if rate == _RATES[-1]:
        looks = "the frames look like milliseconds"
        return f"{looks}; the videos have {videos} frames a second: multiply all by {factor}"
    return f"{looks}; the videos have {videos}: multiply all by {factor}"


def explain_seconds(facts: LastFrames) -> str:
    """Return that frames look like seconds, if none is after the seconds that its item has; "" otherwise.

    Examples
    --------
    >>> last_frame, n_frames = np.array([49, 57, 38]), np.array([1000, 1200, 800])
    >>> explain_seconds(LastFrames(np.arange(3), last_frame, n_frames, np.full(3, 20.0)))
    'the last frames look like seconds; the videos have 20 frames a second: multiply all by 20'
    """
    if facts.frames_a_second is None:
        return ""
    true_rate = facts.frames_a_second[facts.item]
    has_rate = np.isfinite(true_rate) & (true_rate > _LEAST_RATE)
    if has_rate.sum() < _LEAST_ITEMS:
        return ""
    true_rate = true_rate[has_rate]
    counted_rate = facts.last_frame[has_rate] / facts.n_frames[facts.item[has_rate]] * true_rate
    if counted_rate.max() > _MOST_OF_SECONDS or np.median(counted_rate) < _LEAST_MEDIAN_OF_RATE:
        return ""
    videos, factor = _rate_texts(true_rate)
    looks = "the last frames look like seconds"
    return f"{looks}; the videos have {videos} frames a second: multiply all by {factor}"


def _rate_texts(rates: Floats) -> tuple[str, str]:
    """Return the frame rates of videos, and what to multiply by each: "15 to 20" and "their own rate"."""
    slowest, fastest = f"{rates.min():g}", f"{rates.max():g}"
    return (slowest, slowest) if slowest == fastest else (f"{slowest} to {fastest}", "their own rate")


def explain_boxes_outside(boxes: Floats, sizes: Ints) -> str:
    """Return how far boxes reach beyond their images if many do, "" otherwise.

    Parameters
    ----------
    boxes : float array of shape (n, 4)
        ``x, y, width, height`` in pixels.
    sizes : int array of shape (n, 2)
        Height and width of the image of each.

    Examples
    --------
    >>> boxes = np.tile([500.0, 300.0, 600.0, 400.0], (5, 1))
    >>> explain_boxes_outside(boxes, np.tile([480, 640], (5, 1)))
    '5 of 5 boxes reach beyond their image, up to 1.72 times its width and 1.46 times its height'
    """
    if len(boxes) < _LEAST_BOXES:
        return ""
    ends = boxes[:, :2] + boxes[:, 2:]
    reach = ends / sizes[:, ::-1]
    is_outside = (reach > _BEYOND).any(axis=1)
    if is_outside.mean() < _LEAST_SHARE_OUTSIDE:
        return ""
    times_width, times_height = reach.max(axis=0).tolist()
    boxes_outside = f"{int(is_outside.sum()):,} of {counted(len(boxes), 'box', 'boxes')}"
    largest = f"up to {times_width:.3g} times its width and {times_height:.3g} times its height"
    return f"{boxes_outside} reach beyond their image, {largest}"
