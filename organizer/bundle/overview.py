"""The overview of the references in a built bundle."""

from __future__ import annotations

from pathlib import Path

from organizer.bundle import COMPETITION
from organizer.bundle.build import reference_in
from organizer.bundle.competition import LintReport, entries_of, form_of, read_competition, refused
from organizer.bundle.cut import task_id_of
from organizer.data.overview import SUFFIX, review_reference
from organizer.files import DAMAGED, read_zip
from scoring_program.report.images import Images, Size
from validator.findings import Refused, printable


def overview_command(bundle: Path, images: Path | None, image_size: Size | None) -> int:
    """Print what the references of a bundle hold, and write a page beside it for each."""
    report = LintReport()
    try:
        files = read_zip(bundle)
        data = read_competition(files[COMPETITION], report)
    except (*DAMAGED, KeyError):
        raise refused("no zip", problem="there is no bundle that can be read") from None
    if data is None:
        raise Refused(report.errors)
    entries = [entry for _, entry in entries_of(data, "tasks" if form_of(data) == "v2" else "phases")]
    for number, entry in enumerate(entries):
        if task_id := task_id_of(entry):
            print(f"{task_id}: {printable(str(entry.get('reference_data')))}")
            overview = review_reference(task_id, reference_in(files, entry))
            name = bundle.stem if len(entries) == 1 else f"{bundle.stem}.{number}_{task_id}"
            page = overview.write(bundle.with_name(f"{name}{SUFFIX}"), Images(images, image_size))
            lines = [*overview.lines(), page]
            print(*(f"  {printable(line)}" for line in lines), sep="\n")
    return 0
