"""Some images of DensePose."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scoring_program.challenges.densepose.reference import Persons, Reference
from validator.arrays import Bools, Ints


def select_images(persons: Persons, image_ids: Collection[str]) -> Persons:
    """Return the persons of some images, which are all that remain."""
    is_selected = np.array([str(image_id) in image_ids for image_id in persons.image_id.tolist()], dtype=bool)
    is_theirs = is_selected[persons.image]
    point_start, is_point_theirs = select_ranges(persons.point_start, is_theirs)
    run_start, is_run_theirs = select_ranges(persons.run_start, is_theirs)
    new_image = np.cumsum(is_selected) - 1
    return Persons(
        image_id=persons.image_id[is_selected],
        image_size=persons.image_size[is_selected],
        category=persons.category,
        image=new_image[persons.image[is_theirs]],
        box=persons.box[is_theirs],
        area=persons.area[is_theirs],
        crowd=persons.crowd[is_theirs],
        dense=persons.dense[is_theirs],
        point_start=point_start,
        x=persons.x[is_point_theirs],
        y=persons.y[is_point_theirs],
        part=persons.part[is_point_theirs],
        vertex=persons.vertex[is_point_theirs],
        mask_place=persons.mask_place[is_theirs],
        run_start=run_start,
        run=persons.run[is_run_theirs],
    )


def select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some images."""
    return reference._replace(persons=select_images(reference.persons, items))


def select_ranges(starts: Ints, is_selected: Bools) -> tuple[Ints, Bools]:
    """Return where the elements of the selected items begin, and which elements are theirs.

    Parameters
    ----------
    starts : int array of shape (n + 1,)
        The elements of item i are those from ``starts[i]`` up to ``starts[i + 1]``.
    is_selected : bool array of shape (n,)

    Returns
    -------
    selected_starts : int array of shape (n_selected + 1,)
    is_theirs : bool array of shape (n_elements,)

    Examples
    --------
    >>> select_ranges(np.array([0, 2, 3]), np.array([False, True]))
    (array([0, 1]), array([False, False,  True]))
    """
    sizes = np.diff(starts)
    selected_starts = np.concatenate([[0], np.cumsum(sizes[is_selected])]).astype(np.int64)
    return selected_starts, np.repeat(is_selected, sizes)
