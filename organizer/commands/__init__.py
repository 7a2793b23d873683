"""The commands of organizers: a module each, with ``add_options`` and ``run``, named as the command."""
