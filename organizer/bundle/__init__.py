"""Bundles: building them and checking them before they are uploaded.

`parts` makes the zips, `cut` cuts competition.yaml for one task, `build` puts them together.
`competition` and `contents` check competition.yaml and the files that it names, `visibility` tells
who can see which result, `lint` runs all checks.
"""

from organizer import ROOT

COMPETITION = "competition.yaml"
DEMO_TITLE = "[DEMO DATA] "
DIST = ROOT / "dist"
