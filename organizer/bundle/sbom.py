"""The software bill of materials of the programs in bundles, in CycloneDX."""

from __future__ import annotations

import json
import re
from email import message_from_bytes

from organizer import ROOT
from organizer.bundle.parts import vendored_files
from scoring_program.signature import VERSION

SBOM = "sbom.cdx.json"
_NAME = "people-in-video-scoring"


def sbom() -> bytes:
    """Return what the programs are made of: this project and its vendored packages, with licenses and hashes.

    The format is CycloneDX 1.5 (ECMA-424) in JSON, without a date and a serial number, so that equal builds
    have equal bytes. Hashes are those of the wheels, which the lock files pin.
    """
    own = {"type": "application", "name": _NAME, "version": VERSION, "licenses": [_license("Apache-2.0")]}
    locks = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "requirements").glob("vendor*.lock"))
    hashes = {
        name: re.findall("--hash=sha256:([0-9a-f]+)", rest)
        for name, rest in re.findall(r"^([\w.-]+)==(.*)$", locks, re.M)
    }
    components = []
    for path, data in sorted(vendored_files().items()):
        if path.endswith(".dist-info/METADATA"):
            package = message_from_bytes(data)
            name, version = str(package["Name"]), str(package["Version"])
            license_id = str(package["License-Expression"] or package["License"])
            components.append({
                "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
                "licenses": [_license(license_id)],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in sorted(hashes[name])],
            })  # fmt: skip
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    return json.dumps({**head, "metadata": {"component": own}, "components": components}, indent=2).encode()


def _license(name: str) -> dict[str, dict[str, str]]:
    return {"license": {"id": name}}
