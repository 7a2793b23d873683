"""The software bill of materials of the programs, in CycloneDX."""

from __future__ import annotations

import json
from email import message_from_bytes

from organizer.bundle.wheels import LOCKS, locked_hashes, vendored_files
from scoring_program.signature import VERSION

SBOM = "sbom.cdx.json"
_PROJECT = "people-in-video-scoring"
_LICENSE = "Apache-2.0"
Json = dict[str, object]


def sbom() -> bytes:
    """Return what the programs are made of: this project and its vendored packages, with licenses and hashes.

    The format is CycloneDX 1.5 (ECMA-424) in JSON, without a date and a serial number, so that equal builds
    have equal bytes. Hashes are those of the wheels, which the lock files pin.
    """
    project: Json = {
        "type": "application",
        "name": _PROJECT,
        "version": VERSION,
        "licenses": [_license(_LICENSE)],
    }
    hashes: dict[str, list[str]] = {}
    for lock in LOCKS.glob("vendor*.lock"):
        hashes |= locked_hashes(lock)
    components = [
        _component(metadata, hashes)
        for path, metadata in sorted(vendored_files().items())
        if path.endswith(".dist-info/METADATA")
    ]
    bill: Json = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": project},
        "components": components,
    }
    return json.dumps(bill, indent=2).encode()


def _component(metadata: bytes, hashes: dict[str, list[str]]) -> Json:
    """Return the entry of a package, from the metadata in its wheel."""
    package = message_from_bytes(metadata)
    name, version = str(package["Name"]), str(package["Version"])
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [_license(str(package["License-Expression"] or package["License"]))],
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in sorted(hashes[name])],
    }


def _license(name: str) -> Json:
    return {"license": {"id": name}}
