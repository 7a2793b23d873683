"""Changed bundles: a bundle of ours with one small change, as Codabench was asked about it (``bundles.json``)."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import yaml

from organizer.files import read_zip, zip_files
from tests.helpers import with_flag_of_encryption

Case = dict[str, Any]
BASES = {
    "gesture": "chalearn_gesture.zip",
    "all": "competition.zip",
    "gesture-v1.5": "v1.5/chalearn_gesture.zip",
}
CASES: list[Case] = json.loads((Path(__file__).parent / "bundles.json").read_text(encoding="utf-8"))
"""What Codabench said to each (``platform_says``), and what a linter should say (``want``).

``error``: the platform refuses the bundle, or no run or board of it works. ``flag``: it is taken, but something goes
wrong: at least a warning. ``fine``: it works: no error. ``any``: not settled.
"""


def changed_bundle(case: Case, bundles: Path) -> bytes:
    """Return the zip of a case; ``bundles`` is the folder that `build_all` writes for both forms."""
    files = read_zip(bundles / BASES[case["base"]])
    files["competition.yaml"] = _changed_text(case, files["competition.yaml"].decode()).encode()
    for old_name, new_name in case.get("moved", {}).items():
        files[new_name] = files.pop(old_name)
    for name, folder in case.get("unpacked", {}).items():
        files.update({folder + inner: content for inner, content in zip_files(files.pop(name)).items()})
    for name in case.get("removed", []):
        files.pop(name, None)
    for name, content in case.get("files", {}).items():
        files[name] = base64.b64decode(content)
    for name, program in case.get("program", {}).items():
        kept = {
            inner: content
            for inner, content in zip_files(files[name]).items()
            if inner not in program["removed"]
        }
        files[name] = _packed(
            {**kept, **{inner: text.encode() for inner, text in program["written"].items()}}
        )
    for name, (text, times) in case.get("repeat", {}).items():
        files[name] = (text * times).encode()
    for name, folder in case.get("nest", {}).items():
        files[name] = _packed({folder + inner: content for inner, content in zip_files(files[name]).items()})
    for name, method in case.get("repack", {}).items():
        files[name] = _packed(zip_files(files[name]), method)
    for name, other in case.get("join", {}).items():
        files[name] = _packed({**zip_files(files[name]), **zip_files(files[other])})
    return _odd_zip(files, case.get("zip", {}))


def _changed_text(case: Case, text: str) -> str:
    if "text" in case:
        change = case["text"]
        return text.replace(*change["replace"]) if "replace" in change else text + change["append"]
    if "change" not in case:
        return text
    data = yaml.safe_load(text)
    for change in case["change"]:
        node = data
        *steps, last = change["at"]
        for step in steps:
            is_number = isinstance(node, dict) and step not in node and str(step).isdigit()
            node = node[int(step) if is_number else step]
        if change.get("delete"):
            node.pop(last, None)
        else:
            node[last] = change["set"]
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))


def _packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _odd_zip(files: dict[str, bytes], oddities: Case) -> bytes:
    """Return the zip of a bundle, odd in some ways."""
    files = {oddities.get("prefix", "") + name: content for name, content in files.items()}
    for number in range(oddities.get("many", 0)):
        files[f"extra/{number}.txt"] = b"x"
    links = oddities.get("symlink", {})
    packed = _packed(
        {name: content for name, content in files.items() if name not in links},
        oddities.get("method", zipfile.ZIP_DEFLATED),
    )
    stream = io.BytesIO(packed)
    with zipfile.ZipFile(stream, "a") as archive:
        for name, target in links.items():
            link = zipfile.ZipInfo(name)
            link.create_system, link.external_attr = 3, 0o120777 << 16
            archive.writestr(link, target)
        if name := oddities.get("twice"):
            archive.writestr(name, files[name].replace(b"Mean Jaccard\n", b"Mean Jaccard 2\n"))
    content = stream.getvalue()
    if oddities.get("encrypted"):
        content = with_flag_of_encryption(content)
    return (
        base64.b64decode(oddities.get("prepend", "")) + content + base64.b64decode(oddities.get("append", ""))
    )
