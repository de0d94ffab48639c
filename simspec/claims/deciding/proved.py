"""The record of machine-checked proofs, and whether it still is about this code.

``python -m proofs_check`` writes ``proofs.json``.  An entry counts only while what decided it is what it was: the proof's
files and the checking code that they and the comparison with the claim import, and the code of the claim's formulas.  What
only writes the record, or reads it, does not count: no hash of a proof holds the text of `simspec.provenance`.

Of code the canonical text counts (`simspec.provenance.syntax`): a comment or the name of a local variable makes no entry stale.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import types
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any, NamedTuple

from simspec.claims.claim import Claim
from simspec.files import undigested
from simspec.provenance.files import closure, imports, text_hash
from simspec.provenance.walk import code_of

__all__ = [
    "ENTRY",
    "as_written",
    "bytes_hash",
    "deciding_hash",
    "entries_of",
    "files_of",
    "fingerprint",
    "folder_hash",
    "reached",
    "record",
    "roles",
    "stands_in",
    "text_of",
    "texts_in",
    "used_by",
    "whole",
    "written_files",
    "written_hash",
]

PROOFS = "proofs_check"
DECIDING = ("checking/about.py", "checking/plain.py", "checking/stated.py")
"""Files that decide a proof beside those that its own file imports: whether it is about its claim, and what it may not do."""
ENTRY = ("kind", "scope", "whole", "uses", "seconds", "file", "place", "versions")
"""What of an entry of the record ``verdicts.json`` shows."""


@cache
def record() -> dict[str, Any]:
    """The content of ``proofs.json``; empty where there is none.

    Raises
    ------
    ValueError
        where it is not as it was written.
    """
    return as_written("proofs.json") or {"versions": {}, "proofs": {}}


def as_written(name: str, text: str | None = None) -> dict[str, Any]:
    """The content of a record of this package, without its digest, which is compared; empty where there is no such file.

    A digest tells of what was changed by hand, not of whoever computes a digest too: docs/soundness.md prints those of the
    records that ship, and only a new check, by Coq and by the rules, tells more.

    >>> as_written("proofs.json", '{"proofs": {}}')
    Traceback (most recent call last):
        ...
    ValueError: proofs.json: altered: it has no digest; expected one, as every file of its kind has; install simspec again, \
or check anew: make proofs; make coq

    Raises
    ------
    ValueError
        where the digest is another, or missing.
    """
    file = resources.files("simspec.claims").joinpath(name)
    if text is None and not file.is_file():
        return {}
    content = json.loads(file.read_text(encoding="utf-8") if text is None else text)
    try:
        return undigested(content, needed=True)
    except ValueError as error:
        raise ValueError(f"{name}: {error}; install simspec again, or check anew: make proofs; make coq") from None


def entries_of(claim: Claim) -> list[dict[str, Any]]:
    """Recorded proofs of a claim that ships which are still about its formulas.

    >>> from simspec.claims import find
    >>> all(e["file"] == "sd/acceptance.py" for e in entries_of(find(["sd.acceptance"])[0]))
    True
    """
    recorded = record()["proofs"].get(claim.name, [])
    return [entry for entry in recorded if entry["hash"] == fingerprint(claim, entry["file"])]


def files_of(name: str) -> list[str]:
    """Files with the recorded proofs of a claim, from the root of the repository; none where it has no proof.

    >>> files_of("sd.acceptance")
    ['proofs_check/sd/acceptance.py']
    """
    return sorted({f"{PROOFS}/{entry['file']}" for entry in record()["proofs"].get(name, ())})


def whole(proofs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those entries that prove the whole statement (a counterexample is no proof of it)."""
    return [dict(e) for e in proofs if e.get("whole") is True and e.get("kind") != "counterexample"]


def fingerprint(claim: Claim, file: str, anew: bool = False) -> str | None:
    """Hash of a proof file, of the code that checks it, and of the code of the claim's formulas.

    None when the proof file is not installed.  With `anew` the record is asked for nothing, as whoever writes it needs.

    >>> from simspec.claims import find
    >>> fingerprint(find(["sd.acceptance"])[0], "sd/nowhere.py") is None
    True
    """
    if _read(file) is None:
        return None
    digest = hashlib.sha256()
    digest.update(deciding_hash(anew).encode())
    for name in reached(file):
        digest.update(f"\n{name} {written_hash(name, anew)} {used_by(name)}".encode())
    functions = roles(claim)
    digest.update(f"\n{[*functions]} {code_of([*functions.values()], is_whole=True)['fingerprint']}".encode())
    return digest.hexdigest()[:24]


def roles(claim: Claim) -> dict[str, Any]:
    """The functions of a claim, by what they are there for.

    >>> from simspec.claims import find
    >>> list(roles(find(["sd.acceptance"])[0]))
    ['lhs', 'rhs', 'relation', 'instances']
    """
    assumes = {f"assumes: {name}": holds for name, holds in claim.assumes.items()}
    return {"lhs": claim.lhs, "rhs": claim.rhs, "relation": claim.relation, "instances": claim.instances, **assumes}


# --- the proof's own files --------------------------------------------------------------------------------------------


@cache
def _folder() -> Path | None:
    spec = importlib.util.find_spec(PROOFS)  # finds the folder, runs nothing
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


def folder_hash(folder: str, ending: str) -> str:
    """Hash of all files of a folder of the proofs with an ending: of their names and bytes.

    >>> folder_hash("coq/nowhere", ".v") == folder_hash("coq/nowhere", ".py") != folder_hash("coq/algorithm", ".v")
    True
    """
    root = _folder()
    files = sorted((root / folder).glob(f"*{ending}")) if root else []
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:24]


def stands_in(file: str, text: str) -> bool:
    """Whether a text stands in a file of the proofs, of whatever kind; False where there is no such file.

    >>> stands_in("coq/algorithm/lossless.v", "Theorem sd_lossless "), stands_in("coq/algorithm/nowhere.v", "")
    (True, False)
    """
    root = _folder()
    return root is not None and (root / file).is_file() and text in (root / file).read_text(encoding="utf-8")


def texts_in(folder: str, ending: str) -> dict[str, str]:
    """Texts of the files of a folder of the proofs whose names have an ending, by what stands before it.

    >>> "lossless" in texts_in("coq/algorithm", ".v"), texts_in("coq/nowhere", ".v")
    (True, {})
    """
    root = _folder()
    files = sorted((root / folder).glob(f"*{ending}")) if root else []
    return {file.name.removesuffix(ending): file.read_text(encoding="utf-8") for file in files}


class _Read(NamedTuple):
    """A file of the proofs: its text, the names it imports by module."""

    text: str
    imports: tuple[tuple[str, tuple[str, ...]], ...]


@cache
def _read(file: str) -> _Read | None:
    folder = _folder()
    if folder is None or not (folder / file).is_file():
        return None
    text = (folder / file).read_text(encoding="utf-8")
    return _Read(text, tuple(imports(text)))


@cache
def deciding_hash(anew: bool = False) -> str:
    """Hash of the files that decide a proof and that no proof file imports: by their own text alone.

    >>> len(deciding_hash()) > 0
    True
    """
    return " ".join(f"{name} {written_hash(name, anew)}" for name in DECIDING)


def text_of(file: str) -> str:
    """Text of a file of the proofs; empty where there is none.

    >>> text_of("sd/nowhere.py")
    ''
    """
    return getattr(_read(file), "text", "")


def bytes_hash(file: str) -> str:
    """Hash of a file of the proofs as it is written, comments included.

    >>> len(bytes_hash("sd/nowhere.py"))
    24
    """
    return hashlib.sha256(text_of(file).encode()).hexdigest()[:24]


def written_files(files: Iterable[str]) -> dict[str, str]:
    """For the record: hashes of the bytes and of the canonical text of the files that these proof files rest on.

    >>> written_files([])["checking/about.py"].split()[1] == written_hash("checking/about.py")
    True
    """
    names = sorted({*DECIDING}.union(*map(reached, files)))
    return {name: f"{bytes_hash(name)} {written_hash(name, anew=True)}" for name in names}


@cache
def written_hash(file: str, anew: bool = False) -> str:
    """Hash of the canonical text of a file of the proofs.

    The record holds it of every file (``"files"``) beside that of its bytes: while these are the same nothing is parsed.  With
    `anew` the record is not asked; that is how it is written.

    >>> written_hash("sd/nowhere.py") == written_hash("sd/nowhere.py", anew=True)
    True
    """
    known = record().get("files", {}).get(file, "").split()
    if not anew and known and known[0] == bytes_hash(file):
        return known[1]
    return text_hash(text_of(file))


@cache
def reached(file: str) -> tuple[str, ...]:
    """A proof file and what it imports from the proofs' package, directly or not; nothing where it is not installed.

    A file that is not of that package is named by its whole path.

    >>> reached("sd/nowhere.py")
    ()
    """
    return tuple(sorted(name for name in closure(file, _imported) if _read(name) is not None))


def _imported(file: str) -> list[str]:
    """Files of the proofs that a file of them may import."""
    read = _read(file)
    places: list[str] = []
    for module, names in read.imports if read else ():
        if module.split(".")[0] == PROOFS:
            places += [module, *(f"{module}.{name}" for name in names)]
    return [place.removeprefix(PROOFS).lstrip(".").replace(".", "/") + ".py" for place in places]


@cache
def used_by(file: str) -> str:
    """Fingerprint of what a file of the proofs takes from this package, and of what that calls; claims stand for themselves.

    >>> used_by("sd/nowhere.py")
    ''
    """
    read = _read(file)
    things = [
        getattr(import_module(module), name, None)
        for module, names in (read.imports if read else ())
        if module.split(".")[0] == "simspec"
        for name in names
    ]
    formulas = [thing for thing in things if not isinstance(thing, (Claim, types.ModuleType, type(None)))]
    return str(code_of(formulas, is_whole=True)["fingerprint"]) if formulas else ""
