"""What was decided before, kept beside the report: a claim whose inputs did not change is not decided again.

A record counts for the same seed, effort, bank, libraries and code: every file that the claim's own module imports from
this package, directly or not, and all that every claim rests on.  Claims from outside and crashed checks are decided again.

Files count by their bytes here, not by their canonical text: parsing all of them would take longer than most checks, and a
record that an edited comment makes stale costs one run.
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

from simspec.claims import file_of
from simspec.claims.chosen import Chosen
from simspec.files import digested, read_json, undigested, write_json
from simspec.provenance.files import closure, imports

__all__ = ["NAME", "Keys", "keep", "kept", "pages_of", "reached", "run_key"]

NAME = "decided.json"
"""The file, in the folder of the report."""
_PACKAGE = Path(__file__).resolve().parents[2]
_APART = ("audit", "bench", "cli", "figures", "html", "report", "studies")
"""Folders that a claim rests on only where its module reaches them; so are the papers' folders of claims."""
_LIBRARIES = ("numpy", "numba", "llvmlite", "scipy", "python-flint", "scikit-learn", "tokenizers")

Keys = Callable[[str], str]
"""The key of the claim that ships under an id."""


def run_key(bank: str | None, effort: str, seed: int) -> Keys:
    """What tells the inputs of a claim apart: arguments, banks, versions, and the code that it rests on.

    >>> one, another = run_key(None, "quick", 0), run_key(None, "quick", 1)
    >>> one("sd.acceptance") == one("sd.acceptance") != another("sd.acceptance")
    True
    """
    digest = blake2b(f"{effort} {seed} {platform.python_version()} {platform.machine()}".encode(), digest_size=16)
    digest.update(" ".join(map(_version, _LIBRARIES)).encode())
    banks = [Path(bank)] if bank is not None else sorted((_PACKAGE / "logits" / "data").glob("*.safetensors"))
    for path in banks:
        digest.update(f"{path.absolute()} {_state(path)}".encode())
    everyone = frozenset(_everyone())
    for name in sorted(everyone):
        digest.update(_digest(name))
    common = digest.digest()

    def key(name: str) -> str:
        own_files = reached(str(_PACKAGE.parent / file_of(name))) - everyone
        return blake2b(b"".join([common, *map(_digest, sorted(own_files))]), digest_size=16).hexdigest()

    return key


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"


def _state(path: Path) -> tuple[int, int] | None:
    return (path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else None


def _everyone() -> Iterator[str]:
    """Files that every claim rests on: the layers below the studies, what decides, the proofs, and every record."""
    for folder in (_PACKAGE, _PACKAGE.with_name("proofs_check")):
        for path in folder.rglob("*"):
            parts = path.relative_to(folder).parts
            apart = folder == _PACKAGE and (parts[0] in _APART or (parts[0] == "claims" and len(parts) == 3))
            if path.suffix == ".json" or (path.suffix == ".py" and (not apart or "deciding" in parts)):
                yield str(path)


@cache
def _digest(file: str) -> bytes:
    """Of a file's place and content."""
    path = Path(file)
    return blake2b(path.relative_to(_PACKAGE.parent).as_posix().encode() + path.read_bytes(), digest_size=16).digest()


@cache
def _named(file: str) -> frozenset[str]:
    """Files of this package that a file imports anywhere: modules, packages, and modules named after a package.

    The package's own ``__init__`` leads everywhere and is not followed: what a claim takes from it is everyone's.
    """
    places: set[Path] = set()
    for module, names in imports(Path(file).read_text(encoding="utf-8")):
        if module.split(".")[0] == "simspec":
            for name in ("", *names):
                at = _PACKAGE.parent.joinpath(*module.split("."), *([name] if name else []))
                places |= {at.with_suffix(".py"), at / "__init__.py"}
    return frozenset(str(place) for place in places - {_PACKAGE / "__init__.py"} if place.is_file())


def reached(file: str) -> frozenset[str]:
    """A file and what it imports from this package, directly or not.

    >>> from simspec.claims.sd import acceptance
    >>> any(name.endswith("authoring.py") for name in reached(acceptance.__file__))
    True
    """
    return closure(file, _named)


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


def kept(folder: Path, keys: Keys, chosen: Sequence[Chosen]) -> dict[str, dict[str, Any]]:
    """Records of these claims that were made from the same inputs; none where there are none.

    >>> kept(Path("nowhere"), str, [])
    {}
    """
    names = {c.claim.name for c in chosen if not c.outside}
    stored = _read(folder)
    return {n: entry["record"] for n, entry in stored.items() if n in names and entry["key"] == keys(n)}


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
