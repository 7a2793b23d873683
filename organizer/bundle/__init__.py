"""Bundles: building them and checking them before they are uploaded.

`parts` makes the zips, `cut` says what competition.yaml becomes for one task, `build` puts them together.
`competition` and `contents` check competition.yaml and the files that it names, `visibility` says who sees what,
`lint` runs them all.
"""

from organizer import ROOT

COMPETITION = "competition.yaml"
DEMO_TITLE = "[DEMO DATA] "
DIST = ROOT / "dist"
