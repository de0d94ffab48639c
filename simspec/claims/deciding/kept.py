"""What was decided before, kept beside the report: a claim whose inputs did not change is not decided again.

A record counts for the same seed, effort, bank, libraries and code.  Of code `simspec.provenance` says what counts: all that
the functions of the claim, and the functions that decide a claim, refer to.  The name of a local variable, or a comment,
makes no record stale; a changed operator, constant, callee or data file does.  Claims from outside and crashed checks are
decided again.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from simspec.claims import registry
from simspec.claims.chosen import Chosen
from simspec.claims.claim import Claim
from simspec.claims.deciding import proved
from simspec.claims.deciding.outside import shows
from simspec.files import digested, read_json, undigested, write_json
from simspec.provenance.walk import code_of

__all__ = ["NAME", "Keys", "claim_key", "keep", "pages_of", "run_key", "stored_records"]

NAME = "decided.json"
"""The file, in the folder of the report."""
_PACKAGE = Path(__file__).resolve().parents[2]
_RECORDS = ("coq.json", "counterexamples.json", "expected.json", "references.bib")
"""Files of `simspec.claims` that any claim may read; of the record of proofs only a claim's own entries count."""
_LIBRARIES = ("numpy", "numba", "llvmlite", "scipy", "python-flint", "scikit-learn", "tokenizers")

Keys = Callable[[str], str]
"""The key of the claim that ships under an id."""


def run_key(bank: str | None, effort: str, seed: int) -> Keys:
    """What tells the inputs of a claim apart: arguments, banks, versions, and the code that it rests on.

    >>> first = run_key(None, "quick", 0)
    >>> second = run_key(None, "quick", 1)
    >>> first("sd.acceptance") == first("sd.acceptance") != second("sd.acceptance")
    True
    """
    from simspec.claims.deciding.verify import verify_claim  # which imports what claims are measured with

    digest = blake2b(f"{effort} {seed} {platform.python_version()} {platform.machine()}".encode(), digest_size=16)
    digest.update(" ".join(map(_version, _LIBRARIES)).encode())
    banks = [Path(bank)] if bank is not None else sorted((_PACKAGE / "logits" / "data").glob("*.safetensors"))
    for path in banks:
        digest.update(f"{path.absolute()} {_state(path)}".encode())
    for name in _RECORDS:
        digest.update((_PACKAGE / "claims" / name).read_bytes())
    for name in sorted(_proof_files()):
        digest.update(f"\n{name} {proved.written_hash(name)}".encode())
    digest.update(code_of([verify_claim])["fingerprint"].encode())
    common = digest.hexdigest()
    return lambda name: blake2b(f"{common} {claim_key(registry()[name])}".encode(), digest_size=16).hexdigest()


def claim_key(claim: Claim) -> str:
    """What tells apart the code of a claim and the proofs of it, recorded and as they are now.

    >>> from simspec.claims import find
    >>> claim_key(find("sd.acceptance")[0]) != claim_key(find("sd.speedup")[0])
    True
    """
    recorded = proved.record()["proofs"].get(claim.name, [])
    current = [proved.fingerprint(claim, entry["file"]) for entry in recorded]
    return json.dumps([code_of([claim])["fingerprint"], recorded, current], sort_keys=True)


def _proof_files() -> Iterator[str]:
    """Files of the proofs, but for those that only write or replay Coq's scripts; none where they are not installed."""
    folder = _PACKAGE.with_name(proved.PROOFS)
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).as_posix()
        if not name.startswith("coq/"):
            yield name


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def _state(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else None


@cache
def _digest(file: str) -> bytes:
    """Of a file's place and content."""
    path = Path(file)
    return blake2b(path.relative_to(_PACKAGE.parent).as_posix().encode() + path.read_bytes(), digest_size=16).digest()


def pages_of(verdicts: Mapping[str, Any]) -> str:
    """What tells apart the pages that are made from verdicts: these, and the code that makes them.

    >>> pages_of({"claims": []}) == pages_of({"claims": []}) != pages_of({})
    True
    """
    folders = [_PACKAGE / name for name in ("report", "html", "claims")]
    files = sorted(str(p) for folder in folders for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc")
    content = json.dumps(verdicts, sort_keys=True).encode()
    return blake2b(b"".join([content, *map(_digest, files)]), digest_size=16).hexdigest()


def keep(folder: Path, keys: Keys, records: Sequence[Mapping[str, Any]]) -> int:
    """Write what has been decided beside what was kept of other claims; returns how many of these records are worth it.

    >>> keep(Path("nowhere"), str, [])
    0
    """
    worth = {r["id"]: {"key": keys(r["id"]), "record": r} for r in records if _worth(r)}
    if worth:
        write_json(digested({"claims": {**_read(folder), **worth}}), folder / NAME, indent=None)
    return len(worth)


def _worth(record: Mapping[str, Any]) -> bool:
    return "place" not in record and record["verdict"] != "error"


def stored_records(folder: Path, keys: Keys, chosen: Sequence[Chosen]) -> dict[str, dict[str, Any]]:
    """Records of these claims that were made from the same inputs; none where there are none.

    >>> stored_records(Path("nowhere"), str, [])
    {}
    """
    names = {c.claim.name for c in chosen if not c.outside}
    stored = _read(folder)
    fitting = {n: entry["record"] for n, entry in stored.items() if n in names and entry["key"] == keys(n)}
    return {n: record for n, record in fitting.items() if shows(n, record)}


def _read(folder: Path) -> dict[str, Any]:
    """What the file holds by id; nothing where it is altered, not ours, or not there: everything is decided anew then."""
    path = folder / NAME
    if not path.is_file():
        return {}
    try:
        stored = undigested(read_json(path, "decided", "what earlier runs have decided"), needed=True)["claims"]
        return stored if all({"key", "record"} <= set(entry) for entry in stored.values()) else {}
    except (ValueError, AttributeError, KeyError, TypeError):
        return {}
