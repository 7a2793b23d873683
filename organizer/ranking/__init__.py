"""Rankings: who won, how sure that is, and the files and pages that say so."""
