"""Normalizers and the body template that they belong to."""

from __future__ import annotations

from itertools import combinations

import pytest
import yaml

from scoring_program.challenges.densepose.reference import CHALLENGE_VERTICES, load_prepared_folder
from scoring_program.metrics.geodesic import MEAN_DISTANCES
from scoring_program.scoring import load_reference
from scoring_program.task import load_task
from tests.helpers import REFERENCES, SAMPLES, refused
from tests.plain import densepose as plain

ID = "densepose"
OF_THE_CHALLENGE = MEAN_DISTANCES[1:].tolist()


@pytest.fixture
def prepared(prepared_densepose):
    """Return the folder of the prepared demo reference, whose template is a small one, and the notes."""
    return prepared_densepose


def scored(folder, **settings):
    """Return the score of the weak sample and the signature, with settings in place of those of the folder."""
    task = load_task(ID)
    loaded = load_reference(task, folder, task.settings(folder, settings))
    return loaded.score_path(SAMPLES / ID / "weak").scores["score"], loaded.signature


@pytest.mark.slow
def test_another_template_is_noted_and_named_in_the_signature(prepared):
    folder, notes = prepared
    template = load_prepared_folder(folder, {}).template
    assert template.n_vertices != CHALLENGE_VERTICES
    assert "N-REF-TEMPLATE" in [note.code for note in notes]
    _, signature = scored(folder)
    assert f"|template:{template.distances_hash[:12]}|" in signature


@pytest.mark.slow
def test_the_note_on_another_template_has_the_means_of_its_distances(prepared):
    (text,) = [note.text for note in prepared[1] if note.code == "N-REF-TEMPLATE"]
    printed = yaml.safe_load(text.rpartition("mean_distances:")[2])
    template = plain.Template(REFERENCES / ID)
    coarse_parts = [plain.COARSE[part] for part in template.part]
    expected = []
    for part in range(1, 9):
        vertices = sorted({int(v) for v, coarse in zip(template.unique, coarse_parts) if coarse == part})
        distances = [template.distance(*pair) for pair in combinations(vertices, 2)]
        expected.append(sum(distances) / len(distances))
    assert printed == pytest.approx(expected, rel=1e-5)
    assert "template:" not in scored(prepared[0], mean_distances=printed)[1]


@pytest.mark.parametrize("settings", [{"mean_distances": OF_THE_CHALLENGE}, {"kappa": 0.255}])
def test_declared_normalizers_need_no_such_name(prepared, settings):
    _, signature = scored(prepared[0], **settings)
    assert "template:" not in signature


def test_signature_names_normalizers_only_where_they_are_declared(prepared):
    assert "mean_distances" not in scored(prepared[0])[1]
    assert "|mean_distances:0.2," in scored(prepared[0], mean_distances=[0.2] * 8)[1]


def test_declared_normalizers_are_used(prepared):
    folder, _ = prepared
    score, _ = scored(folder)
    assert scored(folder, mean_distances=OF_THE_CHALLENGE)[0] == score
    assert scored(folder, mean_distances=[0.255] * 8)[0] == scored(folder, kappa=0.255)[0]
    assert scored(folder, mean_distances=[0.01] * 8)[0] < score


@pytest.mark.parametrize("value", [[0.1] * 7, [0.1] * 7 + [0.0], [0.1] * 7 + ["a"], 0.1, [True] * 8])
def test_normalizers_of_another_form_are_refused(prepared, value):
    task = load_task(ID)
    findings = refused(task.settings, prepared[0], {"mean_distances": value})
    assert [problem.code for problem in findings.problems] == ["E-SETTINGS-VALUE"]
