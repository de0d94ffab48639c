"""Claims that are not of this package: where they are written, and the proofs of them that count.

``python -m proofs_check mine_proof.py`` checks a proof file and keeps its record beside it, in ``mine_proof.checked.json``.
A proof counts for a claim while both stand in one folder and the proof file, all that it imports from there, the rules and
the code of the claim's formulas are those that were checked.  Anybody can write such a record by hand: so the proof is checked
again, once in a process, before it counts; the record says only what to check.  So it is with Coq's answers of
``python -m proofs_check --coq mine_proof.py``: where the record has one that accepts a derivation whole, Coq reads its script
again, once in a process.  Where there is no Coq the answer is shown as one of record, and the claim is derived by the rules.
"""

from __future__ import annotations

import ast
import hashlib
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from simspec.checks import missing
from simspec.claims.claim import Claim, Verdict
from simspec.claims.deciding import proved
from simspec.claims.deciding.in_coq import SHOWN, answer_of_record, answered, word
from simspec.files import read_json, undigested
from simspec.loading import file_of, line_of, space_of
from simspec.provenance.files import closure, imports, text_hash
from simspec.provenance.walk import code_of, hash_of_file

__all__ = ["RECORD", "entries", "home_of", "outside_fingerprint", "place_of_id", "shows", "written_at"]

RECORD = ".checked.json"
"""What the name of a record of proofs ends in; before it stands the name of the proof file."""
_PACKAGE = Path(__file__).resolve().parents[2]


def home_of(claim: Claim) -> tuple[Path | None, dict[str, Any]]:
    """File outside of this package that the first function of a claim is written in, and the names of that file.

    (None, {}) for a claim whose functions are all of this package.

    >>> from simspec.claims import find
    >>> home_of(find(["sd.acceptance"])[0])
    (None, {})
    """
    study = claim.finding.study if claim.finding else None
    for function in (*proved.roles(claim).values(), study):
        file = file_of(function)
        if file is not None and not file.resolve().is_relative_to(_PACKAGE):
            return file, space_of(function) or {}
    return None, {}


def written_at(claim: Claim) -> str | None:
    """File and line at which a claim of a user's is written: that of its id, or of its first function.

    None for a claim of this package.

    >>> from simspec.claims import find
    >>> written_at(find(["sd.acceptance"])[0]) is None
    True
    """
    home, _ = home_of(claim)
    if home is None:
        return None
    if place := place_of_id(home, claim.name):
        return place
    return next(filter(None, map(line_of, proved.roles(claim).values())), home.name)


def place_of_id(file: Path, name: str) -> str | None:
    """File and first line in which an id stands between quotes; None where there is none.

    >>> place_of_id(Path("nowhere.py"), "own.power") is None
    True
    """
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    quoted = (f'"{name}"', f"'{name}'")
    number = next((n for n, line in enumerate(lines, 1) if any(text in line for text in quoted)), None)
    return None if number is None else f"{file.name}:{number}"


def entries(claim: Claim) -> list[dict[str, Any]]:
    """Recorded proofs of a claim that are still about its formulas: those that ship, or those beside its file.

    Raises
    ------
    ValueError
        for a record that was altered, or is none; for one of what the check refuses.

    Examples
    --------
    >>> from simspec.claims import find
    >>> all(e["file"] == "sd/acceptance.py" for e in entries(find(["sd.acceptance"])[0]))
    True
    """
    home, _ = home_of(claim)
    if home is None:
        return [{**answered(claim.name, e), "checked_now": False} for e in proved.entries_of(claim)]
    proofs: list[dict[str, Any]] = []
    for file, print_of_proof in _recorded(claim, home.resolve().parent):
        checked = _checked_again(file, print_of_proof)["proofs"].get(claim.name, ())
        proofs += [
            {**answered(claim.name, e), "coq": _answer(file, claim.name, place, print_of_proof), "checked_now": True}
            for place, e in enumerate(checked)
            if e["hash"] == print_of_proof
        ]
    return proofs


def _answer(file: Path, name: str, place: int, print_of_proof: str) -> dict[str, Any] | None:
    """Coq's answer about a proof of a user's: given in this process, or the one of record as such; None where there is none."""
    record = file.with_name(f"{file.stem}{RECORD}")
    recorded = answer_of_record(_read_record(record), name, place) if record.is_file() else None
    if recorded is None:
        return None
    if recorded.get("whole"):
        entries_now = _asked_again(file, print_of_proof, record, hash_of_file(record)).get(name, ())
        if place < len(entries_now) and (now := entries_now[place].get("coq")):
            return {"coq": now["coq"], **{key: now[key] for key in SHOWN if key in now}, "asked_now": True}
    return {"coq": recorded["coq"], "recorded": {key: recorded[key] for key in SHOWN if key in recorded}}


@cache
def _asked_again(
    file: Path, print_of_proof: str, path: Path, hash_of_record: str
) -> Mapping[str, list[dict[str, Any]]]:
    """The proofs of a file with what Coq answers now, of those whose record says that it accepts them; none without Coq.

    As with `_checked_again` they are asked about once, while neither the proofs nor their record changes.

    Raises
    ------
    ValueError
        for a file whose derivation is another when it is written out.
    """
    if shutil.which("coqc") is None:
        return {}
    try:
        asking = import_module("proofs_check.coq.outside")  # a layer above, as below
    except ImportError:  # what writes scripts for Coq needs SciPy too
        return {}
    record = asking.asked_again(file, _checked_again(file, print_of_proof), _read_record(path))
    return dict(record["proofs"])


def _read_record(path: Path) -> dict[str, Any]:
    return undigested(read_json(path, "proofs", "a record of `python -m proofs_check FILE.py`"), needed=True)


def shows(name: str, record: Mapping[str, Any]) -> bool:
    """Whether a record of what was decided can be what it says: anybody can write one.

    It has one of the verdicts; of a claim that ships it has no other words and assumptions than the claim, and where the verdict
    is `proved` or `derived` the proofs on record show it.  Of a claim of one's own no record shows that.

    >>> shows("sd.speedup", {"verdict": "holds", "statement": "all is well"}), shows("own.claim", {"verdict": "proved"})
    (False, False)
    >>> shows("own.claim", {"verdict": "holds"})
    True
    """
    from simspec.claims import registry  # which holds all claims

    verdict = record.get("verdict")
    if type(verdict) is not str or verdict not in get_args(Verdict):
        return False
    if name not in registry():
        return verdict not in {"proved", "derived"}
    claim = registry()[name]
    words = {
        "id": name,
        "kind": claim.kind,
        "source": claim.reference,
        "statement": claim.statement,
        "note": claim.note or None,
    }
    if any(record.get(key, text) != text for key, text in words.items()):
        return False
    if {*(record.get("assumes", claim.assumes) or ())} != {*claim.assumes}:
        return False
    return verdict not in {"proved", "derived"} or word(entries(claim)) == verdict


def _recorded(claim: Claim, folder: Path) -> list[tuple[Path, str]]:
    """Proof files beside a claim whose records say that they prove it as it stands, each with its fingerprint."""
    files: dict[Path, str] = {}
    for path in sorted(folder.glob(f"*{RECORD}")):
        for entry in _read_record(path)["proofs"].get(claim.name, ()):
            file = path.with_name(entry["file"])
            if entry["hash"] == outside_fingerprint(claim, file):
                files[file] = entry["hash"]
    return [*files.items()]


@cache
def _checked_again(file: Path, print_of_proof: str) -> dict[str, Any]:
    """What the check of a proof file gives now; of one file, as long as nothing that it rests on changes.

    Raises
    ------
    ValueError
        for a record of what the check refuses, and where what checks proofs is not installed.
    """
    try:
        checking = import_module("proofs_check.checking.outside")  # a layer above, which is asked only here
        return dict(checking.recorded_outside(file))
    except ImportError as error:
        raise ValueError(f"{missing('checking a proof of your own', error)}; or delete {file.stem}{RECORD}") from None
    except Exception as error:
        if type(error).__name__ != "Unproved":
            raise
        raise ValueError(f"{file.stem}{RECORD} says that {file.name} is a proof, and its check says: {error}") from None


def outside_fingerprint(claim: Claim, proof: Path) -> str | None:
    """Hash of a proof file from outside, of what it imports from its folder and from the rules, and of the claim's code.

    None where the proof file, or the package of the rules, is missing.

    >>> from simspec.claims import find
    >>> outside_fingerprint(find(["sd.acceptance"])[0], Path("nowhere.py")) is None
    True
    """
    if not proof.is_file():
        return None
    proof = proof.resolve()
    own_files = sorted(map(Path, closure(str(proof), _beside)))
    rules = {name for path in own_files for name in proved.reached(str(path))} - {str(path) for path in own_files}
    if not rules:
        return None
    digest = hashlib.sha256()
    digest.update(proved.deciding_hash().encode())
    for path in own_files:
        written = text_hash(path.read_text(encoding="utf-8"), _package_of(path))
        digest.update(f"\n{path.relative_to(_root(proof)).as_posix()} {written} {proved.used_by(str(path))}".encode())
    for name in sorted(rules):
        digest.update(f"\n{name} {proved.written_hash(name)} {proved.used_by(name)}".encode())
    functions = proved.roles(claim)
    digest.update(f"\n{[*functions]} {code_of([*functions.values()], is_whole=True)['fingerprint']}".encode())
    return digest.hexdigest()[:24]


def _root(file: Path) -> Path:
    """Folder from which a file can be imported: its own, or the one above the package that it is in."""
    folder = file.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _packages(file: Path) -> Iterator[Path]:
    """The `__init__.py` of each package that a file is in: Python runs them before the file."""
    folder = file.parent
    while (folder / "__init__.py").is_file():
        yield folder / "__init__.py"
        folder = folder.parent


def _package_of(file: Path) -> str:
    return ".".join(file.parent.relative_to(_root(file)).parts)


def _beside(file: str) -> Iterator[str]:
    """What a file may import from its folder or package, and the packages that it is in."""
    path = Path(file)
    yield from (str(place) for place in (*_imports(path), *_packages(path)) if place.is_file())


def _imports(file: Path) -> Iterator[Path]:
    """Places in the folder or the package of a file that its imports may be about."""
    formatted = ast.unparse(ast.parse(file.read_text(encoding="utf-8")))
    for module, names in imports(formatted):
        base = module.lstrip(".")
        level = len(module) - len(base)
        folders = [file.parents[level - 1]] if level else list(dict.fromkeys((file.parent, _root(file))))
        for dotted in filter(None, (base, *(f"{base}.{name}".lstrip(".") for name in names))):
            for folder in folders:
                place = folder.joinpath(*dotted.split("."))
                yield from (place.with_name(f"{place.name}.py"), place / "__init__.py")
