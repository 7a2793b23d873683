"""The command ``python -m validator ID submission.zip [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from validator import console, limits
from validator.check import check_submission, submission_facts
from validator.findings import Findings
from validator.rules import known_ids, load_rules

# What a run of the scoring program may take unless the organizers choose otherwise.
_SECONDS, _MEMORY_MB = 570.0, 8000.0


def main(arguments: list[str] | None = None) -> int:
    """Check a submission; print what was found; return 0 if it is valid, 1 if not, 2 if that cannot be
    determined."""
    console.prepare()
    try:
        return _main(arguments)
    except console.OutputError as error:
        console.complain(error)
        return 2


def _main(arguments: list[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m validator",
        description="Check that a submission is well-formed. Exit code 0: it is; 1: it is not.",
    )
    parser.add_argument("id", choices=known_ids(), help="the challenge")
    parser.add_argument("submission", type=Path, help="the zip file, or a folder with its files")
    parser.add_argument("--json", action="store_true", help="print everything found as JSON")
    options = parser.parse_args(arguments)
    findings = Findings()
    limits.start(_SECONDS, _MEMORY_MB)
    try:
        rules = load_rules(options.id)
        content = check_submission(options.submission, rules, findings)
        findings.notes += submission_facts(content, rules) if content is not None else []
    except (MemoryError, OSError, limits.TimeLimitError) as error:
        late = isinstance(error, limits.TimeLimitError)
        if not late and not limits.is_out_of_memory(error):
            raise
        limits.release(error)
        code, what = ("E-LIMIT-TIME", "takes longer") if late else ("E-LIMIT-MEMORY", "needs more memory")
        findings.add(code, f"the check {what} than is allowed", "submit less")
    finally:
        limits.finish()
    if options.json:
        console.say(json.dumps(findings.as_dict(), indent=1))
    else:
        notes = [f"note {note.line()}" for note in findings.notes]
        verdict = "valid" if findings.ok else f"invalid: {findings.told_total()}"
        console.say(*notes, *findings.lines(shown=None), verdict)
    return 0 if findings.ok else 1


if __name__ == "__main__":
    sys.exit(main())
