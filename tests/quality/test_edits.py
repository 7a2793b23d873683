"""Random edits of competition.yaml that its schema allows: each builds and lints, or is refused with a located problem."""

from __future__ import annotations

import pytest

from organizer.bundle.parts import Parts
from quality.edits import FORMS, Counts, edits_command, try_edits, write_editable_source
from tests.helpers import only_at_night, scaled
from validator.findings import Findings, Refused

N_EDITS = scaled(40)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return a folder with all that competition.yaml may name."""
    return write_editable_source(tmp_path_factory.mktemp("competition") / "source")


@only_at_night()
@pytest.mark.slow
def test_every_edit_builds_and_lints_or_is_refused_with_its_place(kept_parts, source):
    counts = try_edits(range(N_EDITS), N_EDITS // 4, Parts(source=source), FORMS)
    assert not counts.failures
    assert counts.built > N_EDITS / 3
    assert counts.refused > N_EDITS / 10


def test_exceptions_and_problems_without_a_remedy_are_failures(source, monkeypatch):
    def refuse_without_a_file(data):
        findings = Findings()
        findings.add("L-FILE", "a problem", "a remedy")
        raise Refused(findings)

    monkeypatch.setattr("quality.edits.check_buildable", refuse_without_a_file)
    counts = try_edits(range(2), 0, Parts(source=source), FORMS)
    assert (counts.built, counts.refused, len(counts.failures)) == (0, 2, 2)
    monkeypatch.setattr("quality.edits.check_buildable", lambda data: data["nothing"])
    (failure,) = try_edits([7], 0, Parts(source=source), FORMS).failures
    assert failure.startswith("seed 7: Traceback")


def test_command_tells_how_many_edits_failed(monkeypatch, capsys):
    monkeypatch.setattr("quality.edits.try_edits", lambda *arguments: Counts(5, 3, ["seed 4: x"]))
    assert edits_command(9, 2, 1) == 1
    *failures, last_line = capsys.readouterr().out.splitlines()
    assert failures == ["FAILED seed 4: x"]
    assert "5 built" in last_line
