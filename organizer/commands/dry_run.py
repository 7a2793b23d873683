"""Run a built program on one submission."""

from __future__ import annotations

import argparse
from dataclasses import replace

from organizer import ROOT
from organizer.commands.options import (
    UsageError,
    add_phase,
    add_reference,
    add_task_id,
    existing_path,
    given_path,
)
from organizer.runs import built
from organizer.runs.dry_run import dry_run
from organizer.runs.worker import container_engine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    help_text = "the zip of a participant, or a folder"
    parser.add_argument("submission", type=existing_path, metavar="SUBMISSION", help=help_text)
    add_reference(parser, "the one in the bundle")
    add_phase(parser)
    help_text = "default: out/dry-run"
    parser.add_argument(
        "--output", type=given_path, default=ROOT / "out" / "dry-run", metavar="DIR", help=help_text
    )
    help_text = "the container image; default: docker_image of competition.yaml"
    parser.add_argument("--image", type=_image, metavar="IMAGE", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code. Raises UsageError."""
    engine = container_engine()
    if options.image and not engine:
        raise UsageError("argument --image: no docker or podman runs here; start its daemon")
    task = built.built_task(options.task_id, options.reference, options.phase)
    task = replace(task, image=options.image or task.image)
    return dry_run(task, options.submission, options.output, engine)


def _image(text: str) -> str:
    if not text or text.startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of an image")
    return text
