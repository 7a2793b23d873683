"""Bundles: building them and checking them before they are uploaded.

`parts` makes the zips, `cut` cuts competition.yaml for one task, `build` puts them together. `lint` runs all
checks: `rules` for competition.yaml, `contents` for the zips that it names.
"""

from organizer import ROOT

COMPETITION = "competition.yaml"
DEMO_TITLE = "[DEMO DATA] "
DIST = ROOT / "dist"
SOURCE = ROOT
"""The folder of competition.yaml, and of the files that it names."""
