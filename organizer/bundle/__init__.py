"""Bundles: building them and checking them before they are uploaded.

`cut` cuts competition.yaml for one task, `parts` makes the zips, `plan` puts them together, `build` writes
them. `lint` runs all checks: `rules` for competition.yaml, `contents` for the zips that it names.
"""

from organizer import ROOT

COMPETITION = "competition.yaml"
DEMO_TITLE = "[DEMO DATA] "
DIST = ROOT / "dist"
SOURCE = ROOT
"""The folder of competition.yaml, and of the files that it names."""
