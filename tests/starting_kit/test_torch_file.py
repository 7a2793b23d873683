"""Reading files of `torch.save` without torch: what torch wrote, and files that no torch would write."""

from __future__ import annotations

import collections
import io
import os
import pickle
import random
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.tools.torch_file import Record, Tensor, TorchFile, TorchFileError, is_torch_file
from tests.helpers import is_nightly

# Written by make.py in this folder.
FILES = Path(__file__).parent / "torch_files"
CHART_RESULT = "densepose.structures.chart_result."
RECORDS = {
    f"{CHART_RESULT}DensePoseChartResult",
    f"{CHART_RESULT}DensePoseChartResultWithConfidences",
    f"{CHART_RESULT}DensePoseChartResultQuantized",
}
FUZZED_FILES = 10_000 if is_nightly() else 200


def read(name):
    """Return the content of a file of torch with arrays in place of tensors and records."""
    with TorchFile(FILES / name, RECORDS) as file:
        return with_arrays(file.content)


def with_arrays(value):
    if isinstance(value, Tensor):
        return value.read()
    if isinstance(value, Record):
        return with_arrays(value.fields)
    if isinstance(value, dict):
        return {key: with_arrays(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(with_arrays, value))
    return value


@pytest.mark.interpreters
def test_tensors_have_the_type_the_shape_and_the_numbers_that_they_had():
    content = read("tensors.pt")
    types = [array.dtype.name for array in content["types"]]
    assert types == ["float64", "float16", "int64", "int32", "int16", "int8", "uint8"]
    assert all(array.tolist() == [0, 1, 2] for array in content["types"])
    assert content["is_true"].dtype == bool
    assert content["is_true"].tolist() == [True, False]
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    for key, expected in {
        "base": base,
        "column": base[:, 2],
        "transposed": base.T,
        "window": base[1:3, 2:5],
        "scalar": np.array(7.5, np.float32),
        "empty": np.zeros((0, 4), np.float32),
        "parameter": np.ones(2, np.float32),
    }.items():
        assert content[key].dtype == np.float32
        assert content[key].shape == expected.shape
        assert np.array_equal(content[key], expected)
    assert content["plain"] == (None, True, -3, 2**40, 0.5, "text", [1, (2, 3)], {"a": {}})


@pytest.mark.interpreters
def test_records_of_classes_that_the_caller_names_are_read():
    (first, *_) = read("coco_densepose_predictions.pth")
    array = first["densepose"]["labels_uv_uint8"]
    assert (array.dtype, array.shape, array[0].max()) == (np.uint8, (3, 20, 12), 2)
    with TorchFile(FILES / "coco_densepose_predictions.pth", RECORDS) as file:
        assert file.content[0]["densepose"].name == f"{CHART_RESULT}DensePoseChartResultQuantized"
    with pytest.raises(TorchFileError, match="DensePoseChartResultQuantized"):
        TorchFile(FILES / "coco_densepose_predictions.pth")


def test_weights_of_a_module_are_read():
    assert {name: array.shape for name, array in read("state_dict.pt").items()} == {
        "weight": (1, 2),
        "bias": (1,),
    }


@pytest.mark.parametrize(("name", "word"), [("older.pth", "before version 1.6"), ("bfloat16.pt", "BFloat16")])
def test_what_torch_writes_otherwise_is_refused(name, word):
    with pytest.raises(TorchFileError, match=word):
        read(name)


def test_files_of_torch_are_recognized(tmp_path):
    names = {path.name for path in FILES.iterdir() if path.suffix != ".py" and path.is_file()}
    assert {name for name in names if is_torch_file(FILES / name)} == names
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([1]))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("submission.json", "{}")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04broken")
    (tmp_path / "empty").write_bytes(b"")
    for path in tmp_path.iterdir():
        assert not is_torch_file(path)
        with pytest.raises(TorchFileError):
            TorchFile(path)


class StorageName:
    """Pickled as torch names a storage."""

    def __init__(self, kind="FloatStorage", key="0", length=6):
        self.identifier = ("storage", _Global("torch", kind), key, "cpu", length)


class _Global:
    def __init__(self, module, name):
        self.names = module, name


class Call:
    """Pickled as a call of a function of torch."""

    def __init__(self, module, name, *arguments):
        self.function = _Global(module, name)
        self.arguments = arguments


def pickled(value):
    """Return a pickle of protocol 2, with names that are never imported."""
    return b"\x80\x02" + _instructions(value) + b"."


def _instructions(value):
    if isinstance(value, _Global):
        return "c{}\n{}\n".format(*value.names).encode()
    if isinstance(value, Call):
        return _instructions(value.function) + _instructions(tuple(value.arguments)) + b"R"
    if isinstance(value, StorageName):
        return _instructions(value.identifier) + b"Q"
    if isinstance(value, (tuple, list)):
        inner = b"".join(map(_instructions, value))
        return b"(" + inner + b"t" if isinstance(value, tuple) else b"](" + inner + b"e"
    return pickle.dumps(value, 2)[2:-1]


def tensor(offset=0, shape=(2, 3), strides=(3, 1), **storage):
    arguments = (StorageName(**storage), offset, shape, strides, False, ())
    return Call("torch._utils", "_rebuild_tensor_v2", *arguments)


def write(path, content, storages=None, compression=zipfile.ZIP_STORED):
    """Write a file as torch does, with a pickle of `content`, or with bytes as the pickle."""
    storages = {"0": np.arange(6, dtype="<f4").tobytes()} if storages is None else storages
    data = content if isinstance(content, bytes) else pickled(content)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("archive/data.pkl", data)
        archive.writestr("archive/byteorder", "little")
        for key, storage in storages.items():
            archive.writestr(f"archive/data/{key}", storage)
    return path


def test_a_file_that_is_built_by_hand_is_read(tmp_path):
    with TorchFile(write(tmp_path / "a.pt", [tensor(), tensor(1, (2,), (3,))])) as file:
        first, second = with_arrays(file.content)
    assert first.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert second.tolist() == [1, 4]


def test_numbers_of_the_other_byte_order_are_turned(tmp_path):
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled(tensor()))
        archive.writestr("archive/byteorder", "big")
        archive.writestr("archive/data/0", np.arange(6, dtype=">f4").tobytes())
    with TorchFile(path) as file:
        array = file.content.read()
    assert array.dtype.isnative
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


class Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


@pytest.mark.interpreters
@pytest.mark.parametrize(
    "content",
    [
        tensor(shape=(7,), strides=(1,)),
        tensor(offset=1),
        tensor(strides=(4, 1)),
        tensor(offset=2**62),
        tensor(offset=-1),
        tensor(strides=(-3, 1)),
        tensor(shape=(2**40,), strides=(0,)),
        tensor(shape=(2**20, 2**20, 2**20), strides=(0, 0, 0)),
        tensor(shape=(2, 3), strides=(1,)),
        tensor(shape=(1,) * 40, strides=(1,) * 40),
        tensor(shape=[2, 3]),
        tensor(shape=(True, True)),
        tensor(shape=(2.0, 3.0)),
        tensor(length=7),
        tensor(length=5),
        tensor(length=-6),
        tensor(key="1"),
        tensor(key="../data.pkl"),
        tensor(kind="DoubleStorage"),
        tensor(kind="ComplexFloatStorage"),
        [tensor(), tensor(kind="ByteStorage", length=24)],
        Call("torch._utils", "_rebuild_tensor_v2"),
        Call("torch._utils", "_rebuild_tensor_v2", 1, 0, (1,), (1,)),
        Call("torch._utils", "_rebuild_parameter", 1, True, {}),
        Call("torch.storage", "_load_from_bytes", b"evil"),
        Call("os", "system", "touch pwned"),
        Call("builtins", "eval", "1"),
        Call("collections", "OrderedDict", [(1, 2)]),
        Call(f"{CHART_RESULT[:-1]}", "DensePoseChartResult", "argument"),
        _Global("os", "system\nR"),
        pickle.dumps(Evil(), 2),
        pickle.dumps(Evil(), 4),
        pickle.dumps(collections.Counter("a"), 2),
        pickle.dumps(b"bytes", 2),
        pickle.dumps({1, 2}, 4),
        pickle.dumps([1], 0),
        b"",
        b".",
        b"\x80\x02(.",
        b"\x80\x02]q\x00h\x01.",
        b"\x80\x02K\x01a.",
        b"\x80\x02}]K\x01s.",
        b"\x80\x02K\x01",
        b"\x80\x02]K\x01R.",
        b"\x80\x02K\x01}b.",
    ],
)  # fmt: skip
def test_what_torch_does_not_write_is_refused(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "a.pt", content)
    with pytest.raises(TorchFileError):
        TorchFile(path, RECORDS)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.pt"]


def test_compressed_and_missing_storages_are_refused(tmp_path):
    with pytest.raises(TorchFileError, match="compressed"):
        TorchFile(write(tmp_path / "a.pt", tensor(), {"0": bytes(24)}, zipfile.ZIP_DEFLATED))
    with pytest.raises(TorchFileError, match="is missing"):
        TorchFile(write(tmp_path / "b.pt", tensor(), {}))


def test_a_compressed_pickle_is_refused_before_it_is_read(tmp_path):
    path = write(tmp_path / "a.pt", [1], {}, zipfile.ZIP_DEFLATED)
    with pytest.raises(TorchFileError, match="compressed"):
        TorchFile(path)


@pytest.mark.parametrize("offset", [10_000, 2**63 + 5])
def test_a_storage_beyond_the_end_of_the_file_is_refused(offset, tmp_path):
    """A storage is where the list of the zip says it is, in a further field if that is far away."""
    path = tmp_path / "a.pt"
    member = zipfile.ZipInfo("archive/data/0")
    member.extra = struct.pack("<HHQ", 1, 8, offset)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled(tensor()))
        archive.writestr(member, bytes(24))
    data = path.read_bytes()
    place_in_list = data.rindex(b"PK\x01\x02") + 42
    path.write_bytes(data[:place_in_list] + b"\xff" * 4 + data[place_in_list + 4 :])
    with pytest.raises(TorchFileError, match="damaged"):
        TorchFile(path)


def test_a_list_in_itself_and_a_deep_one_end_at_once(tmp_path):
    with TorchFile(write(tmp_path / "a.pt", b"\x80\x02]q\x00h\x00a.")) as file:
        assert file.content[0] is file.content
    deep = b"\x80\x02" + b"](" * 100_000 + b"e" * 100_000 + b"."
    with TorchFile(write(tmp_path / "b.pt", deep)) as file:
        assert isinstance(file.content, list)


def test_a_file_that_ends_early_is_refused(tmp_path):
    n_numbers = 100_000
    content = tensor(shape=(n_numbers,), strides=(1,), length=n_numbers)
    path = write(tmp_path / "a.pt", content, {"0": bytes(4 * n_numbers)})
    with TorchFile(path) as file:
        os.truncate(path, 1000)
        with pytest.raises(TorchFileError, match="ends before"):
            file.content.read()


@given(
    st.lists(st.integers(0, 4), max_size=4),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.integers(0, 40),
    st.integers(0, 60),
)
def test_a_tensor_is_the_view_of_its_storage_or_refused(tmp_path_factory, shape, strides, offset, length):
    """A tensor of any sizes, strides and offset is what numpy makes of them, if it lies in its storage."""
    numbers = np.arange(length, dtype="<i2")
    made = tensor(offset, tuple(shape), tuple(strides[: len(shape)]), kind="ShortStorage", length=length)
    path = write(tmp_path_factory.mktemp("made") / "a.pt", made, {"0": numbers.tobytes()})
    positions = np.array(offset)
    for size, stride in zip(shape, strides):
        positions = positions[..., None] + stride * np.arange(size)
    is_within = positions.size == 0 or positions.max() < length
    try:
        with TorchFile(path) as file:
            array = file.content.read()
    except TorchFileError:
        assert not is_within or positions.size > length
    else:
        assert is_within
        assert array.shape == tuple(shape)
        assert np.array_equal(array, numbers[positions.astype(int)] if positions.size else array)


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_everything(data):
    """Read a file and all its tensors; a file that is refused is fine."""
    try:
        with TorchFile(data, RECORDS) as file:
            values = [file.content]
            seen = set()
            while values:
                value = values.pop()
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if isinstance(value, Tensor):
                    value.read()
                elif isinstance(value, Record):
                    values.append(value.fields)
                elif isinstance(value, dict):
                    values += value.values()
                elif isinstance(value, (list, tuple)):
                    values += value
    except TorchFileError:
        pass


@pytest.mark.parametrize("name", ["coco_densepose_predictions.pth", "results.pkl", "tensors.pt"])
def test_changed_pickles_are_read_or_refused(name, tmp_path):
    """Nothing but the one error is raised, whatever bytes of the pickle are changed."""
    random_numbers = random.Random(name)
    content = members(FILES / name)
    (pickle_name,) = [member for member in content if member.endswith("/data.pkl")]
    original = content[pickle_name]
    for _ in range(FUZZED_FILES // 3):
        changed = bytearray(original)
        for _ in range(random_numbers.choice([1, 1, 2, 5])):
            changed[random_numbers.randrange(len(changed))] = random_numbers.randrange(256)
        if random_numbers.random() < 0.1:
            del changed[random_numbers.randrange(len(changed)) :]
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for member, data in {**content, pickle_name: bytes(changed)}.items():
                archive.writestr(member, data)
        path = tmp_path / "changed.pt"
        path.write_bytes(stream.getvalue())
        read_everything(path)


def test_changed_zips_are_read_or_refused(tmp_path):
    random_numbers = random.Random(1)
    original = (FILES / "coco_densepose_predictions.pth").read_bytes()
    path = tmp_path / "changed.pt"
    for _ in range(FUZZED_FILES):
        changed = bytearray(original)
        for _ in range(random_numbers.choice([1, 2, 8])):
            # The directory at the end of the zip is changed as often as all before it.
            begin = random_numbers.choice([0, max(0, len(changed) - 900)])
            changed[random_numbers.randrange(begin, len(changed))] = random_numbers.randrange(256)
        path.write_bytes(bytes(changed))
        read_everything(path)
