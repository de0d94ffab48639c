"""Proofs of claims that do not ship: ``python -m proofs_check mine_proof.py``.

The file has ``PROOF`` or ``PROOFS``, as the files here have, about claims that it imports from its own folder.  What the
tests ask of a shipped proof is asked here before anything is recorded: that it agrees with its claim on exact instances,
that each assumption is needed, and that it fails under its three mutations.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from proofs_check.checking.about import TRIES, compared
from proofs_check.checking.check import described, versions
from proofs_check.checking.plain import without_texts
from proofs_check.checking.proof import (
    Proof,
    Refutation,
    check,
    check_refutation,
    counterexample_to_repaired,
    instances,
    narrowing,
    timed,
)
from proofs_check.checking.stores import allowed
from proofs_check.checking.unchanged import held, watched
from proofs_check.rules import smt
from proofs_check.rules.derivation import Derivation, Unproved
from simspec.claims import registry
from simspec.claims.balls import ball
from simspec.claims.claim import Claim
from simspec.claims.deciding import proved
from simspec.claims.deciding.outside import RECORD, home_of, outside_fingerprint
from simspec.claims.deciding.shrink import violated
from simspec.claims.rational import ratio
from simspec.files import digested, plain, write_json
from simspec.loading import blame, names
from simspec.provenance.walk import hash_of_file, texts_of

__all__ = ["examined", "proofs_of", "record_of", "recorded_outside", "write_record"]

HASTE_MS = 2_000
"""Milliseconds that a solver has for a query of a mutated proof: what it leaves open is no proof."""


def proofs_of(file: str | Path) -> tuple[Proof | Refutation, ...]:
    """Proofs and refutations of a file.

    Raises
    ------
    ValueError
        for a file that is missing, cannot be loaded, has no proof, or is not beside the claims that it is about; for a
        claim that ships or is in no file.

    Examples
    --------
    >>> proofs_of("nowhere.py")
    Traceback (most recent call last):
    ...
    ValueError: proof: no file nowhere.py; expected FILE.py:NAME
    """
    with without_texts():
        namespace = names(str(file), "proof")
    proofs = (namespace["PROOF"],) if "PROOF" in namespace else namespace.get("PROOFS", ())
    if not isinstance(proofs, tuple) or not proofs or not all(isinstance(p, (Proof, Refutation)) for p in proofs):
        raise ValueError(f"proof: {file} holds none; expected PROOF = Proof(…), or PROOFS with several")
    for proof in proofs:
        _check_place(proof.claim, Path(file))
    return proofs


def _check_place(claim: Claim, file: Path) -> None:
    if claim.name in registry():
        raise ValueError(f"proof: {claim.name!r} is the id of a claim that ships; expected one of your own")
    home, _ = home_of(claim)
    if home is None or home.resolve().parent != file.resolve().parent:
        where = f"{home} is elsewhere" if home else "its formulas are in no file of yours"
        raise ValueError(f"proof: {claim.name}: {where}; expected the proof beside the file of its claim")


def examined(proof: Proof | Refutation) -> tuple[dict[str, Any], float]:
    """What the record says of a proof that has passed, and how long it took.

    Raises
    ------
    Unproved
        where a step does not follow; where the proof is not about its claim's formulas and instances; where it does not
        fail though it should; where what it rests on is not proved.

    Examples
    --------
    >>> from proofs_check.sd.acceptance import PROOF
    >>> examined(PROOF)[0]["kind"]
    'symbolic'
    """
    if isinstance(proof, Refutation):
        return timed(lambda: _refuted(proof))
    return timed(lambda: _proved(proof))


def _refuted(refutation: Refutation) -> dict[str, Any]:
    instance = check_refutation(refutation)
    if not refutation.repaired:
        raise ValueError(f"{refutation.claim.name}: repaired is empty; expected what makes the claim true")
    for repair in refutation.repaired:
        try:
            counterexample = counterexample_to_repaired(refutation, repair)
        except Unproved:
            continue
        raise Unproved(f"{refutation.claim.name}: once {repair}, there still is {plain(dict(counterexample))}")
    found_at = {"kind": "counterexample", "scope": refutation.scope, "whole": True, "instance": plain(instance)}
    return found_at | {"repaired": list(refutation.repaired)}


def _proved(proof: Proof) -> dict[str, Any]:
    d = check(proof)
    compared(proof, d)
    _needing(proof, d)
    for name in proof.mutations:
        _must_fail(proof, name, f"the mutation {name!r} is not noticed")
    entry = described(proof, d)
    for used in entry["uses"]:
        if not proved.whole(proved.entries_of(registry()[used])):
            raise Unproved(f"{proof.claim.name}: it rests on {used}, of which no proof is on record")
    return entry


def _needing(proof: Proof, d: Derivation) -> None:
    """Without an assumption the proof fails, and an instance that breaks it alone breaks the claim."""
    claim = proof.claim
    for name in claim.assumes:
        if name not in d.assumed:
            raise Unproved(f"{claim.name}: the proof does not need the assumption {name!r}")
        _must_fail(proof, f"without {name}", f"the proof does not need the assumption {name!r}")
        if name in claim.outside:
            instance = claim.outside[name]
            if claim.broken_assumptions(instance) != [name] or not violated(claim.slack(instance)):
                raise Unproved(f"{claim.name}: the instance outside {name!r} does not break it alone, and the claim")
            if wrong := narrowing(proof, d, name):
                raise Unproved(f"{claim.name}: {wrong}, where nothing but {name!r} is broken")


def _must_fail(proof: Proof, mutation: str, otherwise: str) -> None:
    with _hasty():
        try:
            check(proof, mutation)
        except Unproved:
            return
    raise Unproved(f"{proof.claim.name}: {otherwise}")


@contextmanager
def _hasty() -> Iterator[None]:
    before = smt.TIMEOUT_MS
    smt.TIMEOUT_MS = HASTE_MS
    try:
        yield
    finally:
        smt.TIMEOUT_MS = before


# --- the record -------------------------------------------------------------------------------------------------------


def record_of(file: Path) -> Path:
    """Where the record of a proof file is kept.

    >>> record_of(Path("mine_proof.py")).name
    'mine_proof.checked.json'
    """
    return file.with_name(f"{file.stem}{RECORD}")


def recorded_outside(file: Path, on_proof: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Check every proof of a file; returns the content of its record.

    Raises
    ------
    Unproved
        for the first proof that fails.
    ValueError
        as `proofs_of`, and for code of the file that fails otherwise, with its line.
    """
    record: dict[str, Any] = {"versions": versions(), "proofs": {}}
    originals = held(file.resolve().parent)
    if file.is_file():  # what is not there, or no Python, is named when it is loaded
        _read_first(file)
    proofs = proofs_of(file)
    if twice := {p.claim.name for p in proofs if isinstance(p, Refutation)} & {
        p.claim.name for p in proofs if isinstance(p, Proof)
    }:
        raise Unproved(f"{min(twice)}: the claim is refuted; it has no proof")
    for proof in proofs:
        try:
            with watched(originals, proof.claim.name), _files_opened(file.resolve().parent) as opened:
                entry, seconds = examined(proof)
                _check_numbers(proof.claim)
            _check_data(proof.claim, opened)
        except (Unproved, ValueError):
            raise
        except Exception as error:  # of the user's own code
            raise ValueError(f"proof: {proof.claim.name} fails ({blame(error, file)})") from error
        about = {"seconds": round(seconds, 3), "file": file.name, "hash": outside_fingerprint(proof.claim, file)}
        record["proofs"].setdefault(proof.claim.name, []).append({**entry, **about, "versions": versions()})
        if on_proof is not None:
            on_proof(proof.claim.name)
    return record


_WATCHED: list[list[Path]] = []
"""Where files that are opened are noted, for each watch that is under way."""


@cache
def _watch() -> None:
    """Have Python say which files are opened, from now on and once: such a hook cannot be taken away."""

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and _WATCHED and isinstance(arguments[0], str):
            for files in _WATCHED:
                files.append(Path(arguments[0]))

    sys.addaudithook(note)


@contextmanager
def _files_opened(folder: Path) -> Iterator[list[Path]]:
    """Files of a folder that are opened meanwhile, code apart."""
    _watch()
    files: list[Path] = []
    opened: list[Path] = []
    _WATCHED.append(files)
    try:
        yield opened
    finally:
        _WATCHED.remove(files)
        resolved = {path.resolve() for path in files if path.suffix not in {".py", ".pyc"}}
        opened += sorted(path for path in resolved if path.is_relative_to(folder))


def _check_numbers(claim: Claim) -> None:
    """Refuse a claim whose sides are numbers of a class of its own: what these are equal to, they say themselves."""
    known_classes = {int, Fraction, type(ratio(1, 2)), type(ball(1))}
    for instance in instances(claim, TRIES):
        for side in claim.sides(instance):
            for number in np.ravel(np.asarray(side, dtype=object)).tolist():
                if type(number) not in known_classes:
                    raise Unproved(f"{claim.name}: {type(number).__name__}; expected a number of a known class")


def _ships(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).partition(".")[0] == "simspec"


def _check_data(claim: Claim, opened: Sequence[Path]) -> None:
    """Refuse a claim whose formulas read a file that its fingerprint does not hold: one that they name by no `Path` constant."""
    functions = sorted(proved.roles(claim).values(), key=_ships)
    texts = "\n".join(texts_of(functions)) if opened else ""
    if unnamed := [path for path in opened if hash_of_file(path) not in texts]:
        name = unnamed[0].name
        raise Unproved(
            f"{claim.name}: its formulas read {name}, which no hash holds; name it in a constant of the module, "
            f'DATA = Path(__file__).with_name("{name}"), and read DATA'
        )


def _read_first(file: Path) -> None:
    """Refuse a file that does what a proof may not, before it is run."""
    try:
        allowed(file.read_text(encoding="utf-8"), file.name, own=True)
    except (SyntaxError, UnicodeDecodeError):
        return


def write_record(record: Mapping[str, Any], file: Path) -> Path:
    """Keep the record of a proof file beside it, with a digest; returns its path."""
    path = record_of(file)
    write_json(digested(record), path)
    return path
