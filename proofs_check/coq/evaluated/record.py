"""``evaluated.json``: for each derivation, at how many places Coq and Python agree on both sides of its conclusions, or why none
is computed.

An entry is about the script that Coq has accepted (as ``coq.json`` names it) and about the claim's formulas; while both stay,
and Coq, and what it reads statements by, it is not asked again.  What it was asked has a hash of its own: where that is the same,
the answer stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofs_check.checking.listed import chosen
from proofs_check.checking.proof import Proof
from proofs_check.coq.bridge import stated
from proofs_check.coq.computed import NO_VALUE
from proofs_check.coq.evaluated.conclusions import At, at_instances, ends
from proofs_check.coq.evaluated.readings import Readings, agree, digest
from proofs_check.coq.terms import NotExported
from simspec.claims.balls import is_ball
from simspec.claims.deciding.in_coq import coq_record, formulas_hash
from simspec.claims.deciding.proved import as_written
from simspec.report.proofs import readable

__all__ = ["RECORD", "about", "answer", "asked", "kept", "outcome", "recorded", "script", "summary"]

RECORD = Path(__file__).resolve().parents[3] / "simspec" / "claims" / "evaluated.json"
KINDS = ("agree", "enclosed", "differ", "not")
"""What an entry may say: of fractions, of enclosures, of either, or why nothing."""
ENUMERATION = "an enumeration of cases"
Key = tuple[str, int]


def recorded() -> dict[Key, dict[str, Any]]:
    """Entries by file and place."""
    return {(e["file"], e["place"]): e for e in as_written(RECORD.name).get("derivations", ())}


def header(coq: str) -> dict[str, str]:
    """What all entries are about: Coq's version, and how statements are read."""
    return {"coq": coq, "readings": digest()}


def script(file: str, place: int) -> str | None:
    """The hash of the script of a derivation that Coq has answered; none where it has none.

    >>> len(script("sd/acceptance.py", 0)), script("sd/nowhere.py", 0)
    (24, None)
    """
    of_place = (e for e in coq_record()["derivations"] if (e["file"], e["place"]) == (file, place))
    return next((e.get("text") for e in of_place), None)


def about(proof: Any, file: str, place: int) -> dict[str, Any]:
    """Which derivation an entry is about, and what it is made of."""
    return {
        "claim": proof.claim.name,
        "file": file,
        "place": place,
        "script": script(file, place),
        "formulas": formulas_hash(proof.claim),
    }


def asked(proof: Any) -> list[At]:
    """The conclusions of a proof at instances of its claim.

    Raises
    ------
    NotExported
        where there are none, with the reason.
    """
    if not isinstance(proof, Proof) or proof.bind is None:
        raise NotExported(ENUMERATION)
    for entry in readable()["proofs"].get(proof.claim.name, ()):
        if "for" not in entry:
            continue
        try:
            d = stated(proof, entry["for"])
        except NotExported:
            continue
        try:
            return list(at_instances(proof, d))
        except NO_VALUE as error:
            raise NotExported(f"{type(error).__name__}: {error}") from None
    raise NotExported("no such derivation on record")


def text_digest(conclusions: Sequence[At]) -> str:
    """A hash of what Coq reads, and of what Python says that it is."""
    texts = [
        "\n".join([at.text, *(str(ends(n) if is_ball(n) else n) for n in (*at.values, *at.claimed))])
        for at in conclusions
    ]
    return sha256("\n".join(texts).encode()).hexdigest()[:24]


def answer(conclusions: Sequence[At], readings: Readings) -> dict[str, Any]:
    """How many conclusions agree, or are enclosed; or where they differ.

    "transfer" is the number of statements whose twin is proved to be the script's, or why one is not.

    Raises
    ------
    NotExported
        where Coq has no answer.
    """
    computed = readings.computed(conclusions)
    kind = "agree" if all(at.is_rational for at in conclusions) else "enclosed"
    differing = [
        f"{at.sides[0]} and {at.sides[1]}: in Coq {_shown(sides)}, in Python {at.values}, in the claim {at.claimed}"
        for at, sides in zip(conclusions, computed, strict=True)
        if not agree(sides, at)
    ]
    if differing:
        return {"differ": differing}
    try:
        transfer: int | str = readings.transferred(conclusions)
    except NotExported as error:
        transfer = str(error)
    return {kind: len(conclusions), "transfer": transfer}


def _shown(sides: Any) -> str:
    return " and ".join(str(low) if low == high else f"{float(low)} to {float(high)}" for low, high in sides)


def outcome(
    ids: Sequence[str], readings: Readings, earlier: Mapping[Key, Mapping[str, Any]], again: bool = False
) -> Iterator[dict[str, Any]]:
    """Entries of the derivations of some claims, or of all, that were not asked; of all of them with `again`."""
    for file, place, proof in chosen(ids):
        if not isinstance(proof, Proof):
            continue
        now = about(proof, file, place)
        old = earlier.get((file, place), {})
        if not again and all(old.get(key) == value for key, value in now.items()):
            continue
        text = ""
        try:
            conclusions = asked(proof)
            text = text_digest(conclusions)
            of_text = old if old.get("text") == text and not again else answer(conclusions, readings)
            outcome_now = {key: of_text[key] for key in (*KINDS, "transfer") if key in of_text}
        except NotExported as error:
            outcome_now = {"not": str(error)}
        yield {**now, **({"text": text} if text else {}), **outcome_now}


def kept(entries: Mapping[Key, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Entries in the order of files; those of proofs that are gone are left out."""
    places = {(file, place): proof.claim.name for file, place, proof in chosen() if isinstance(proof, Proof)}
    return [entries[key] for key in places if key in entries and entries[key]["claim"] == places[key]]


def summary(entries: Sequence[Mapping[str, Any]]) -> str:
    """How many derivations agree, are enclosed, differ, and are not computed.

    >>> summary([{"agree": 4}, {"agree": 2}, {"not": "an enumeration of cases"}])
    '2 agree as fractions, 0 within enclosures, 0 differ, 1 is not computed'
    """
    agreeing, enclosed, differing, others = (sum(kind in e for e in entries) for kind in KINDS)
    return (
        f"{agreeing} agree as fractions, {enclosed} within enclosures, {differing} differ, "
        f"{others} {'is' if others == 1 else 'are'} not computed"
    )
