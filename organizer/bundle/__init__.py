"""Bundles: building them and checking them before they are uploaded.

`parts` makes the zips, `cut` cuts competition.yaml for one task, `build` puts them together. `lint` runs all
checks: `rules` and `schema` check competition.yaml, `contents` the zips that it names; `visibility` shows who
can see which result.
"""

from organizer import ROOT

COMPETITION = "competition.yaml"
DEMO_TITLE = "[DEMO DATA] "
DIST = ROOT / "dist"
