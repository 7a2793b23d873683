"""Evaluators in training loops: items in several calls, repeats, processes, tensors, and what a score shows."""

from __future__ import annotations

import csv
import json
import multiprocessing
import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from people_in_video import Evaluator, SubmissionError, sample_predictions, score
from people_in_video.__main__ import main
from people_in_video.densepose.writer import DensePoseWriter
from scoring_program.run import SCORED
from tests.helpers import PUBLISHED, one_of_each_challenge, scaled, slow_for
from tests.starting_kit.predictions import BOXES, HUMAN, PREDICTIONS, first_item, sample


def evaluator_with(task, calls):
    evaluator = Evaluator(task)
    for call in calls:
        evaluator.update(*call)
    return evaluator


def in_parts(task, calls):
    """Return the same predictions in more calls: one for each row, word, frame, and detection."""
    parts: list[Any] = []
    for call in calls:
        if task.startswith("chalearn"):
            sequence, rows = call
            parts += [(sequence, [row]) for row in rows] or [call]
        elif task.startswith("anet"):
            video, segment, classes, words, boxes = call
            for word in sorted(set(words)):
                chosen = [position for position, other in enumerate(words) if other == word]
                names = [classes[position] for position in chosen]
                parts.append((video, segment, names, [word] * len(chosen), boxes[chosen]))
            parts.append((video, segment, [], [], []))
        elif task == "kinetics_tps":
            video, action, frames = call
            parts.append((video, action))
            parts += [(video, None, {frame: humans}) for frame, humans in frames.items()]
        else:
            image, detections = call
            parts += [(image, [detection]) for detection in detections] or [call]
    return parts


@pytest.mark.parametrize("task", slow_for("densepose", "kinetics_tps", of=one_of_each_challenge(PUBLISHED)))
def test_an_item_in_several_calls_batches_and_processes_gives_one_number(task):
    """Calls are cut into parts, of which some come twice, in any order, in two processes."""
    calls = PREDICTIONS[task]
    if task == "densepose":
        # Equal scores: what is kept, and how it is ordered, must not depend on the order of calls.
        calls = [(image, [(box, 0.5, iuv) for box, _, iuv in entries]) for image, entries in calls]
    expected = evaluator_with(task, calls).compute()
    parts = in_parts(task, calls)

    @given(
        st.randoms(use_true_random=False),
        st.lists(st.integers(0, len(parts) - 1), max_size=5),
        st.integers(0, len(parts)),
    )
    @settings(max_examples=scaled(10), deadline=None)
    def check(random, repeated, n_first):
        shuffled = [*parts, *(parts[index] for index in repeated)]
        random.shuffle(shuffled)
        first, second = Evaluator(task), Evaluator(task)
        for evaluator, some in ((first, shuffled[:n_first]), (second, shuffled[n_first:])):
            for part in some:
                evaluator.update(*part)
        second.merge(pickle.loads(pickle.dumps(first)), repeats="join")  # noqa: S301
        assert second.compute() == expected

    check()


@pytest.mark.slow
def test_equal_scores_of_more_than_20_detections_score_as_the_file_that_is_written(tmp_path):
    image, detections = max(PREDICTIONS["densepose"], key=lambda call: len(call[1]))
    many = []
    for box, _, iuv in detections:
        for shift in range(15):
            changed = iuv.copy()
            changed[1:] = np.roll(iuv[1:], shift, axis=-1)
            many.append((box, [0.5, 0.25][shift % 2], changed))
    assert len(many) > 20
    with DensePoseWriter(tmp_path / "my.zip") as writer:
        for detection in many:
            writer.add(image, *detection)
    expected = score("densepose", tmp_path / "my.zip", notes=False)
    evaluator = Evaluator("densepose", notes=False)
    for detection in reversed(many):
        evaluator.update(image, [detection])
    assert evaluator.compute().scores == expected.scores
    assert score("densepose", {image: many}, notes=False).scores == expected.scores


@pytest.mark.parametrize("task", one_of_each_challenge(PUBLISHED))
def test_a_call_that_comes_again_changes_nothing(task):
    calls = PREDICTIONS[task]
    evaluator = evaluator_with(task, calls)
    expected = evaluator.compute()
    evaluator.update(*calls[0])
    evaluator.update(*calls[-1])
    evaluator.merge(evaluator)
    assert evaluator.compute() == expected
    assert evaluator_with(task, [calls[0], *calls]).compute() == expected


OTHER_HUMAN = ([10, 20, 91, 200], {})


@pytest.mark.parametrize(
    ("task", "first", "second"),
    [
        ("anet_entities_gt", ("x", ["man"], [3], BOXES), ("x", ["man"], [3], BOXES + 1)),
        ("anet_entities_gen", ("x", ["man"], [3], BOXES), ("x", ["dog", "ball"], [3, 4], np.repeat(BOXES, 2, axis=0))),
        ("kinetics_tps", ("run", {6: [HUMAN]}), (None, {1: [HUMAN], 6: [OTHER_HUMAN]})),
        ("kinetics_tps", ("run", {6: [HUMAN]}), (None, {6: [HUMAN, HUMAN]})),
        ("kinetics_tps", ("run",), ("jump", {1: [HUMAN]})),
    ],
)  # fmt: skip
def test_another_prediction_for_the_same_is_refused_and_names_both_calls(task, first, second):
    evaluator = Evaluator(task)
    evaluator.update(*PREDICTIONS[task][1])
    evaluator.update(first_item(task), *first)
    expected = evaluator.compute()
    with pytest.raises(SubmissionError) as caught:
        evaluator.update(first_item(task), *second)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where[:16]) == ("E-ARGUMENT", "call 3, update('")
    assert f"call 2, update({first_item(task)!r}" in problem.problem + problem.remedy
    assert evaluator.compute() == expected


def test_words_of_one_call_are_no_repeats_and_other_words_are_added():
    both = np.concatenate([BOXES, BOXES + 1])
    video = first_item("anet_entities_gt")
    twice = score("anet_entities_gt", [(video, "0", ["man", "man"], [3, 3], both)])
    evaluator = Evaluator("anet_entities_gt")
    evaluator.update(video, "0", ["man", "man"], [3, 3], both)
    evaluator.update(video, "0", ["man", "man"], [3, 3], both)
    assert evaluator.compute() == twice


def test_a_video_without_class_is_named_when_all_is_scored():
    evaluator = Evaluator("kinetics_tps")
    video = first_item("kinetics_tps")
    evaluator.update(video, frames={1: [HUMAN]})
    with pytest.raises(SubmissionError) as caught:
        evaluator.compute()
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("E-ARGUMENT", f"call 1, update({video!r})")
    evaluator.update(video, "run")
    evaluator.update(video, "run", {6: []})
    assert evaluator.compute() == score("kinetics_tps", [(video, "run", {6: [], 1: [HUMAN]})])


def nearly(task, call):
    """Return a call whose numbers differ a little, as those of another size of batch do."""
    if task.startswith("anet"):
        video, segment, classes, words, boxes = call
        return video, segment, classes, words, boxes + 1e-8
    if task == "kinetics_tps":
        video, action, frames = call
        changed = {}
        for frame, humans in frames.items():
            changed[frame] = [([x + 1e-8 for x in box], parts) for box, parts in humans]
        return video, action, changed
    image, detections = call
    return image, [(box, certainty + 1e-8, iuv) for box, certainty, iuv in detections]


NUMERIC = [task for task in PUBLISHED if not task.startswith("chalearn")]


@pytest.mark.parametrize("task", slow_for("densepose", of=NUMERIC))
def test_items_that_several_processes_have_are_scored_once(task):
    """Samplers repeat items so that all processes have as many; other batches change the last digits."""
    calls = PREDICTIONS[task]
    expected = evaluator_with(task, calls).compute()
    first = evaluator_with(task, [*calls[::2], calls[1]])
    second = evaluator_with(task, [*calls[1::2], nearly(task, calls[0])])
    before = pickle.dumps(first)
    with pytest.raises(ValueError, match="by two processes") as caught:
        first.merge(second, repeats="error")
    assert str(caught.value).count("call ") == 2
    unchanged = pickle.loads(before)  # noqa: S301
    assert unchanged.compute() == first.compute()
    first.merge(second)
    found = first.compute()
    assert found.scores == expected.scores
    assert [note.code for note in found.notes].count("N-PROCESSES") == 1
    first.merge(second)
    assert first.compute() == found


def test_rows_of_a_sequence_in_two_processes_are_kept_of_one_or_joined():
    sequence, rows = PREDICTIONS["chalearn_gesture"][0]
    halves = [evaluator_with("chalearn_gesture", [(sequence, rows[part::2])]) for part in (0, 1)]
    joined = Evaluator("chalearn_gesture")
    joined.merge(*halves, repeats="join")
    assert joined.compute() == score("chalearn_gesture", [(sequence, rows)])
    first = Evaluator("chalearn_gesture")
    first.merge(*halves)
    assert first.compute().scores == halves[0].compute().scores


class FakeProcesses:
    """A module torch.distributed in which processes take turns."""

    def __init__(self, states):
        self.states = states

    def is_available(self):
        return True

    def is_initialized(self):
        return bool(self.states)

    def get_world_size(self, group):
        return len(self.states)

    def all_gather_object(self, gathered, state, group):
        gathered[:] = pickle.loads(pickle.dumps(self.states))  # noqa: S301


def synced(evaluators, monkeypatch, **options):
    """Return evaluators after each was synced with all; a single one is in a process without others."""
    states = [(evaluator._loaded.signature, evaluator._gathered.state) for evaluator in evaluators]
    module = FakeProcesses(states if len(states) > 1 else [])
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(distributed=module))
    monkeypatch.setitem(sys.modules, "torch.distributed", module)
    return [evaluator.sync(**options) for evaluator in evaluators]


def test_sync_gives_each_process_the_predictions_of_all_and_again_nothing_new(monkeypatch):
    calls = PREDICTIONS["kinetics_tps"]
    expected = evaluator_with("kinetics_tps", calls).compute()
    evaluators = [
        evaluator_with("kinetics_tps", [*calls[::2], calls[1]]),
        evaluator_with("kinetics_tps", [nearly("kinetics_tps", calls[2]), *calls[1::2]]),
    ]
    for _ in range(2):
        evaluators = synced(evaluators, monkeypatch)
        first, second = (evaluator.compute() for evaluator in evaluators)
        assert first == second
        assert first.scores == expected.scores
        assert [note.code for note in first.notes].count("N-PROCESSES") == 1


def test_sync_that_is_refused_or_has_no_other_process_changes_nothing(monkeypatch):
    calls = PREDICTIONS["kinetics_tps"]
    evaluators = [
        evaluator_with("kinetics_tps", calls[:2]),
        evaluator_with("kinetics_tps", [nearly("kinetics_tps", calls[1])]),
    ]
    before = evaluators[1].compute()
    with pytest.raises(ValueError, match="by two processes"):
        synced(evaluators[::-1], monkeypatch, repeats="error")
    assert synced(evaluators[1:], monkeypatch) == evaluators[1:]
    assert evaluators[1].compute() == before


def test_a_process_that_scores_its_own_predictions_is_told_to_sync(monkeypatch):
    calls = PREDICTIONS["kinetics_tps"]
    evaluators = [evaluator_with("kinetics_tps", half) for half in (calls[:1], calls[1:])]
    evaluators = synced(evaluators, monkeypatch)
    assert "N-SYNC" not in [note.code for note in evaluators[0].compute().notes]
    alone = evaluator_with("kinetics_tps", calls[:1])
    note = alone.compute().notes[0]
    assert note.code == "N-SYNC"
    assert "one of 2 processes" in note.text
    assert "sync()" in note.text
    # With all items there is nothing that others could add.
    everything = evaluator_with("kinetics_tps", sample_predictions("kinetics_tps")).compute()
    assert "N-SYNC" not in [note.code for note in everything.notes]
    monkeypatch.undo()
    assert "N-SYNC" not in [note.code for note in alone.compute().notes]


def run_process(rank, port, task, queue):
    """Predict the items of a padded sampler in one of two processes of gloo."""
    import torch.distributed as distributed

    distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    calls = PREDICTIONS[task]
    mine = calls[rank::2]
    if len(calls) % 2 and rank:
        mine = [*mine, nearly(task, calls[0])]
    evaluator = evaluator_with(task, [*mine, nearly(task, calls[0])] if rank else mine)
    numbers = [evaluator.sync().compute().scores["score"] for _ in range(2)]
    queue.put((rank, numbers))
    distributed.barrier()
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_of_gloo_give_the_number_of_one():
    pytest.importorskip("torch")
    task = "kinetics_tps"
    context = multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    processes = [context.Process(target=run_process, args=(rank, 29_617, task, queue)) for rank in (0, 1)]
    for process in processes:
        process.start()
    numbers = dict(queue.get(timeout=300) for _ in processes)
    for process in processes:
        process.join(60)
    expected = evaluator_with(task, PREDICTIONS[task]).compute().scores["score"]
    assert numbers == {0: [expected] * 2, 1: [expected] * 2}


class FakeTensor:
    """A tensor as far as it is asked: it has a gradient, and is on another device."""

    def __init__(self, array, dtype="float32", state="grad"):
        self._array = np.asarray(array)
        self.dtype = f"torch.{dtype}"
        self._state = state

    def detach(self):
        return FakeTensor(self._array, self.dtype.rpartition(".")[2], "detached")

    def cpu(self):
        assert self._state == "detached"
        return FakeTensor(self._array, self.dtype.rpartition(".")[2], "cpu")

    def float(self):
        return FakeTensor(self._array.astype(np.float32), "float32", self._state)

    def numpy(self):
        if self._state != "cpu" or self.dtype == "torch.bfloat16":
            raise TypeError("this tensor cannot be an array")
        return self._array

    def __array__(self, *arguments, **named):
        raise RuntimeError("call detach first")

    def __iter__(self):
        return (FakeTensor(entry, self.dtype.rpartition(".")[2], self._state) for entry in self._array)

    def __len__(self):
        return len(self._array)

    def __hash__(self):
        return id(self)


def tensor_makers():
    """Return what makes a tensor of an array: the stand-in, and torch where it is installed."""
    makers = [pytest.param(FakeTensor, id="stand-in")]
    try:
        import torch
    except ImportError:
        return makers

    def make(array, dtype=None):
        tensor = torch.tensor(np.array(array))
        if dtype is not None:
            tensor = tensor.to(getattr(torch, dtype))
        return tensor.requires_grad_() if tensor.is_floating_point() else tensor

    return [*makers, pytest.param(make, id="torch")]


def with_tensors(task, call, make):
    """Return a call with tensors wherever there are numbers, keys of dicts and lists of them included."""
    if task.startswith("chalearn"):
        sequence, rows = call
        return sequence, make(np.asarray(rows).reshape(-1, 4 if task.endswith("action") else 3))
    if task.startswith("anet"):
        video, segment, classes, words, boxes = call
        return video, segment, classes, [make(word) for word in words], [make(box) for box in boxes]
    if task == "kinetics_tps":
        video, action, frames = call
        changed = {}
        for frame, humans in frames.items():
            people = []
            for box, parts in humans:
                tensors = {
                    name: (make(np.asarray(boxes, float)), states) for name, (boxes, states) in parts.items()
                }
                people.append((make(np.asarray(box, float)), tensors))
            changed[make(np.asarray(frame))] = people
        return video, action, changed
    image, detections = call
    boxed = [(make(np.asarray(box, float)), make(certainty), make(iuv)) for box, certainty, iuv in detections]
    return make(np.asarray(image)), boxed


@pytest.mark.parametrize("make", tensor_makers())
@pytest.mark.parametrize("task", slow_for("densepose", "kinetics_tps"))
def test_tensors_score_as_lists_do(task, make):
    calls = PREDICTIONS[task]
    expected = evaluator_with(task, calls).compute()
    changed = [with_tensors(task, call, make) for call in calls]
    assert evaluator_with(task, changed).compute() == expected


@pytest.mark.parametrize("make", tensor_makers())
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_is_taken_with_a_note(make, dtype):
    evaluator = Evaluator("anet_entities_gen")
    video = first_item("anet_entities_gen")
    boxes = np.round(BOXES)
    with pytest.warns(UserWarning, match=rf"N-HALF call 1, update\({video!r}.*{dtype}"):
        evaluator.update(video, "0", ["man"], [1], make(boxes, dtype))
    notes = evaluator.compute().notes
    (text,) = [note.text for note in notes if note.code == "N-HALF"]
    assert dtype in text


@pytest.mark.parametrize(
    ("task", "arguments", "place"),
    [
        ("anet_entities_gt", ("0", ["man"], [1], np.where(np.arange(40).reshape(1, 10, 4) == 13, np.nan, BOXES)), "boxes[0][3][1]"),
        ("anet_entities_gt", ("0", ["man"], [1], [[[1, 2, 3, None]] * 10]), "boxes[0][0][3]"),
        ("kinetics_tps", ("run", {6: [([1, 2, np.inf, 4], {})]}), "frames[6][0]: the box of the human[2]"),
        ("densepose", ([([1, 2, 8, 6], np.nan, np.zeros((3, 6, 8), np.uint8))],), "detections[0]: the score"),
        ("chalearn_gesture", ([[1, 2, 5], [1, np.nan, 5]],), "row 1: start frame is nan"),
    ],
)  # fmt: skip
def test_nan_is_refused_with_its_place(task, arguments, place):
    with pytest.raises(SubmissionError) as caught:
        Evaluator(task).update(first_item(task), *arguments)
    (problem,) = caught.value.problems
    assert problem.code == "E-ARGUMENT"
    assert place in problem.problem


def test_columns_and_rows_of_data_frames_are_taken():
    pandas = pytest.importorskip("pandas")
    calls = PREDICTIONS["chalearn_action"]
    expected = evaluator_with("chalearn_action", calls).compute()
    evaluator = Evaluator("chalearn_action")
    for sequence, rows in calls:
        frame = pandas.DataFrame(np.asarray(rows), columns=["actor", "class", "start", "end"])
        frame["score"] = 0.5
        evaluator.update(sequence, frame)
        evaluator.update(sequence, frame[["actor", "class", "start", "end"]].itertuples(index=False))
    assert evaluator.compute() == expected
    with pytest.raises(SubmissionError, match="the column start is missing"):
        evaluator.update(calls[0][0], frame.drop(columns="start"))
    calls = PREDICTIONS["anet_entities_gen"]
    expected = evaluator_with("anet_entities_gen", calls).compute()
    evaluator = Evaluator("anet_entities_gen")
    for video, segment, classes, words, boxes in calls:
        evaluator.update(
            video, segment, pandas.Series(classes, dtype=str), pandas.Series(words, dtype=int), boxes
        )
    assert evaluator.compute() == expected


@pytest.mark.parametrize("task", one_of_each_challenge(PUBLISHED))
def test_a_mapping_of_items_scores_as_its_calls(task):
    calls = PREDICTIONS[task]
    expected = score(task, calls)
    n_keys = 2 if task.startswith("anet") else 1
    names = {
        "anet": ("classes", "word_indexes", "boxes"),
        "kine": ("action", "frames"),
        "chal": ("rows",),
        "dens": ("detections",),
    }[task[:4]]
    by_position, by_name = {}, {}
    for call in calls:
        item = call[:n_keys] if n_keys > 1 else call[0]
        rest = tuple(call[n_keys:])
        by_position[item] = rest if len(rest) > 1 else rest[0]
        by_name[item] = dict(zip(names, rest))
    assert score(task, by_position) == expected
    assert score(task, by_name) == expected


def test_a_mapping_with_other_values_says_what_it_wants():
    good = first_item("kinetics_tps")
    with pytest.raises(SubmissionError) as caught:
        score("kinetics_tps", {good: ("run", {}), "v": "run", "w": {"class": "run"}})
    first, second = caught.value.problems
    assert (first.code, first.where) == ("E-ARGUMENT", "predictions['v']")
    assert "(action, frames)" in first.remedy
    assert second.where == "predictions['w']"


def test_a_score_prints_in_two_lines_and_has_its_numbers_by_their_keys(result):
    first, second = repr(result).splitlines()
    assert first.startswith("chalearn_gesture: ")
    assert f"{result.scores['score']:.4f}" in first
    assert f"{len(result.notes)} note" in second
    assert len(repr(Evaluator("chalearn_gesture").compute()).splitlines()) == 2
    assert result.score == result["score"] == result.scores["score"]
    assert result["coverage"] == 1
    with pytest.raises(KeyError, match="nothing"):
        result["nothing"]


@pytest.mark.parametrize("task", slow_for("densepose", "kinetics_tps"))
def test_a_notebook_shows_the_page_without_its_styles(task, tmp_path):
    found = score(task, sample(task))
    markup = found._repr_html_()
    assert markup.startswith("<iframe srcdoc=")
    assert markup.count("<") == 2
    path = found.page(tmp_path / "pages" / "page.html")
    assert path == tmp_path / "pages" / "page.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_tables_become_data_frames_and_files(result, tmp_path, monkeypatch):
    def as_tuple(rows, columns=None):
        return columns, rows

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=as_tuple))
    columns, rows = result.to_frame("classes")
    assert columns == [column["title"] for column in result.tables["classes"]["columns"]]
    assert rows == result.tables["classes"]["rows"]
    assert result.to_frame() == (None, result.items)
    with pytest.raises(KeyError, match="classes"):
        result.to_frame("moon")
    paths = result.write_tables(tmp_path / "tables")
    assert tmp_path / "tables" / "classes.csv" in paths
    lines = (tmp_path / "tables" / "classes.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(rows)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas"):
        result.to_frame()


def test_the_command_writes_each_table(tmp_path):
    arguments = ["score", "chalearn_gesture", str(sample("chalearn_gesture")), "--output", str(tmp_path)]
    assert main(arguments) == SCORED
    detailed = json.loads((tmp_path / "detailed_results.json").read_text(encoding="utf-8"))
    classes = detailed["tables"]["classes"]
    with (tmp_path / "tables" / "classes.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == [column["title"] for column in classes["columns"]]
    assert len(rows) == len(classes["rows"])
