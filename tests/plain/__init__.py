"""A plain program for each task: its scores from its page, docs/conventions.md and docs/reference_files.md alone.

They read the organizers' own files and share no code with the product. Fractions take the place of floats where the text
does not ask for floats.
"""
