"""Some images of DensePose."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scoring_program.challenges.densepose.reference import Persons, Reference
from scoring_program.metrics.pairs import select_ranges


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
