"""Names of what belongs to something, as frames to videos, that the data does not have."""

from __future__ import annotations

from collections.abc import Collection

from validator.names import REMEDY, Member, find_sure_change

# What does not explain the members of so many groups, as frames of videos, does not explain all.
_GROUPS_LOOKED_AT = 50


def explain_unknown_members(members: Collection[Member], known_members: Collection[Member]) -> str:
    """Return the one change with which all names are names of the data, no two the same; "" if none is sure.

    Only those of what both sides have are compared, and the number of a name may tell it alone.

    Examples
    --------
    >>> frames, known_frames = [("v", "1"), ("v", "2"), ("v", "3")], [("v", "0"), ("v", "1"), ("v", "2")]
    >>> explain_unknown_members(frames, known_frames)
    "write them as in the data, with n - 1 for n, as '0' for '1'"
    """
    known = set(known_members)
    unknown_groups = {group for group, name in members if (group, name) not in known}
    known_groups = {group for group, _ in known}
    few_groups = set(sorted(unknown_groups & known_groups)[:_GROUPS_LOOKED_AT])
    for groups in (few_groups, known_groups):
        some_members = [member for member in members if member[0] in groups]
        some_known = [member for member in known_members if member[0] in groups]
        change = find_sure_change(some_members, some_known, by_number=True)
        if change is None:
            return ""
        explanation = f"{REMEDY}{change.text()}"
    return explanation
