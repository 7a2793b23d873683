"""Tasks of organizers' own: packages beside this one, which bring modules and data for its subpackages.

The package of a task is laid out as this one, as in ``people_in_video_ID/validator/formats/ID/read.py``,
without the ``__init__.py`` of packages that are here already. Its project names it as an entry point.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

ENTRY_POINTS = "people_in_video.tasks"
_PACKAGE_FOLDER = Path(__file__).resolve().parent
# The projects of tasks in the folder of a kit, where nothing needs to be installed.
_BESIDE = "people-in-video-*/people_in_video_*"


def add_task_packages() -> None:
    """Let the modules and data of all tasks be found below ``people_in_video``."""
    folder_of_package: dict[str, Path] = {}
    for folder in (*_PACKAGE_FOLDER.parent.glob(_BESIDE), *_installed_folders()):
        folder_of_package.setdefault(folder.name, folder)
    for _, folder in sorted(folder_of_package.items()):
        _extend(__package__, folder)


def _installed_folders() -> Iterable[Path]:
    """Yield the folders of the packages that projects name as entry points."""
    if sys.version_info >= (3, 10):
        entry_points = metadata.entry_points(group=ENTRY_POINTS)
    else:
        entry_points = metadata.entry_points().get(ENTRY_POINTS, ())
    for entry_point in entry_points:
        spec = find_spec(entry_point.value)
        if spec and spec.submodule_search_locations:
            yield Path(spec.submodule_search_locations[0])


def _extend(package: str, folder: Path) -> None:
    """Add a folder to those of a package, and its subfolders to those of the subpackages."""
    path = import_module(package).__path__
    subpackages = {init.parent.name for part in path for init in Path(part).glob("*/__init__.py")}
    path.append(str(folder))
    for subfolder in folder.iterdir():
        if subfolder.name in subpackages and not (subfolder / "__init__.py").is_file():
            _extend(f"{package}.{subfolder.name}", subfolder)
