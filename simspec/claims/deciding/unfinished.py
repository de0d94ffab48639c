"""What a run that was stopped had decided: kept beside its report, for the same run when it goes on.

Records count only for the same arguments, bank, Python and code of this package; claims from outside and crashed checks are
decided again.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from simspec.claims.chosen import Chosen
from simspec.files import digested, read_json, undigested, write_json

__all__ = ["NAME", "keep", "kept", "run_key"]

NAME = "unfinished.json"
"""The file, in the folder of the report."""
_PACKAGE = Path(__file__).resolve().parents[2]


def run_key(bank: str | None, effort: str, seed: int) -> str:
    """What tells two runs apart: arguments, the bank's file, versions, and every file of code and records of this package.

    >>> run_key(None, "quick", 0) == run_key(None, "quick", 0) != run_key(None, "quick", 1)
    True
    """
    digest = blake2b(f"{effort} {seed} {platform.python_version()} {np.__version__}".encode(), digest_size=16)
    if bank is not None:
        path = Path(bank)
        digest.update(
            f"{path.absolute()} {(path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else 0}".encode()
        )
    for folder in (_PACKAGE, _PACKAGE.with_name("proofs_check")):
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".json")):
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def keep(folder: Path, key: str, records: Sequence[Mapping[str, Any]]) -> int:
    """Write what has been decided; returns how many records are worth it (without any, nothing is written).

    >>> keep(Path("nowhere"), "key", [])
    0
    """
    worth = [r for r in records if "place" not in r and r["verdict"] != "error"]
    if worth:
        write_json(digested({"run": key, "claims": worth}), folder / NAME)
    return len(worth)


def kept(folder: Path, key: str, chosen: Sequence[Chosen]) -> dict[str, dict[str, Any]]:
    """Records of these claims that the same run, when it was stopped, had made; none where there are none.

    >>> kept(Path("nowhere"), "key", [])
    {}
    """
    path = folder / NAME
    if not path.is_file():
        return {}
    try:
        found = undigested(read_json(path, "unfinished", "what a stopped run has decided"), needed=True)
    except (ValueError, AttributeError):  # altered, or not ours: everything is decided anew
        return {}
    wanted = {c.claim.name for c in chosen if not c.outside}
    return {r["id"]: r for r in found["claims"] if found["run"] == key and r["id"] in wanted}
