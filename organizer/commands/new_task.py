"""Write a new task that works at once."""

from __future__ import annotations

import argparse
from typing import Any

import yaml

from organizer.commands.options import existing_path
from organizer.new_task import new_task
from validator.strict_yaml import load_strict


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("task_id", metavar="ID", help="a name in small letters, digits and _")
    parser.add_argument("--title", metavar="TEXT", help="1 to 60 characters; default: the id in words")
    help_text = "the noun for what is scored by itself, such as recording; default: item"
    parser.add_argument("--item", default="item", metavar="NOUN", help=help_text)
    help_text = "what an item has: label, number, columns, labels, segments or boxes; default: label"
    parser.add_argument("--kind", metavar="KIND", help=help_text)
    help_text = "csv or json; default: csv where a table can hold it"
    parser.add_argument("--format", dest="form", metavar="FORMAT", help=help_text)
    help_text = "a module of scoring_program/metrics; default: the first for the kind"
    parser.add_argument("--metric", metavar="NAME", help=help_text)
    help_text = "words separated by spaces; default: first second third"
    parser.add_argument("--labels", type=str.split, metavar="WORDS", help=help_text)
    help_text = "names of columns of numbers, separated by spaces; default: first second"
    parser.add_argument("--columns", type=str.split, metavar="WORDS", help=help_text)
    help_text = (
        "of IoU, separated by spaces, where predictions have scores; default: 0.5 to 0.95 in steps of 0.05"
    )
    parser.add_argument("--thresholds", type=_numbers, metavar="NUMBERS", help=help_text)
    help_text = (
        'further words of what an item has, as YAML: "{key: clip, column: species}"; see docs/new_task.md'
    )
    parser.add_argument("--values", type=_words, metavar="YAML", help=help_text)
    help_text = "a script with a function evaluate(truth, predicted), which returns numbers by name"
    parser.add_argument("--evaluator", type=existing_path, metavar="FILE", help=help_text)
    help_text = (
        "an example of the ground truth, which becomes public: a JSON object from the key of each item "
        "to its value, or a folder with a CSV file for each item"
    )
    parser.add_argument("--truth", type=existing_path, metavar="PATH", help=help_text)
    help_text = "the same of a submission"
    parser.add_argument("--prediction", type=existing_path, metavar="PATH", help=help_text)
    parser.add_argument("--score", metavar="KEY", help="the number of the evaluator that ranks")
    help_text = "asc if less is better; default: desc"
    parser.add_argument("--sorting", metavar="ORDER", help=help_text)
    help_text = "packages that the evaluator imports besides numpy, separated by spaces"
    parser.add_argument("--needs", type=str.split, metavar="WORDS", help=help_text)


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is not numbers separated by spaces') from None


def _words(text: str) -> dict[str, Any]:
    try:
        words = load_strict(text)
    except yaml.YAMLError as error:
        raise argparse.ArgumentTypeError(f"this is no YAML: {error}") from None
    if not isinstance(words, dict):
        raise argparse.ArgumentTypeError("write a mapping: {key: clip}")
    return words


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return new_task(**vars(options))
