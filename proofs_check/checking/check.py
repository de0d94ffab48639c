"""Checking proofs, and the record of it that `simspec verify` reads."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from proofs_check.checking import archive
from proofs_check.checking.about import DEEP_TRIES, TRIES, compared
from proofs_check.checking.evasion import SEEN
from proofs_check.checking.listed import PAPERS, chosen, listed, refuted
from proofs_check.checking.opinion import opinions
from proofs_check.checking.processes import in_processes
from proofs_check.checking.proof import Proof, Refutation, check, check_refutation, timed
from proofs_check.checking.stores import allowed
from proofs_check.rules.derivation import Derivation, Unproved
from simspec.claims import registry
from simspec.claims.deciding.in_coq import answered
from simspec.claims.deciding.proved import fingerprint, reached, text_of, written_files
from simspec.files import DIGEST, digested, plain, write_file, write_json
from simspec.html.formulas import mathml
from simspec.report.proofs import READABLE, readable, with_steps

__all__ = [
    "CERTIFICATES",
    "RECORD",
    "checked",
    "checked_now",
    "cited",
    "described",
    "differences",
    "entry",
    "merged",
    "number",
    "recorded",
    "save",
    "versions",
]

RECORD = Path(__file__).resolve().parents[2] / "simspec" / "claims" / "proofs.json"
STEPS = Path(__file__).resolve().parents[2] / "simspec" / "report" / READABLE
LONG = ("steps", "for", "declared")
"""What of an entry is only read, by people: kept apart, compressed."""
CERTIFICATES = Path(__file__).resolve().parents[2] / "docs" / "proofs" / "certificates.zip"


def entry(
    file: str, place: int, second_opinion: bool = False, derived: Derivation | None = None
) -> tuple[dict[str, Any], str]:
    """Check one proof anew: its entry in the record, and the text of its SMT certificates (empty where it needs none).

    A derivation that was checked just now may be handed over.

    Raises
    ------
    Unproved
        where a step does not follow; where the proof is not about its claim, or not about all of it though it says so;
        where its file does what a proof may not; where the claim is refuted.
    """
    proof = listed()[file][place]
    if isinstance(proof, Proof) and proof.claim.name in refuted():
        raise Unproved(f"{proof.claim.name}: the claim is refuted; it has no proof")
    _fair(file)
    if isinstance(proof, Refutation):
        instance, seconds = timed(lambda: check_refutation(proof))
        record = {"kind": "counterexample", "scope": proof.scope, "whole": True, "instance": plain(instance)}
        record |= {"repaired": list(proof.repaired)}
        text = ""
    else:
        d, seconds = timed(lambda: derived or check(proof))
        compared(proof, d, DEEP_TRIES if second_opinion else TRIES)
        record = described(proof, d)
        text = "(reset)\n".join(d.certificates)
        if second_opinion and text:
            record["opinions"] = _opinions(d)
            if "sat" in record["opinions"]:
                raise Unproved(
                    f"{proof.claim.name}: {record['opinions']['solver']} has a model of the negation of a step"
                )
    record |= {
        "seconds": round(seconds, 3),
        "file": file,
        "place": place,
        "hash": fingerprint(proof.claim, file, anew=True),
        "versions": versions(),
    }
    return record, text


def _fair(file: str) -> None:
    """Refuse files that reach into the checker."""
    for name in reached(file):
        if name.split("/")[0] in PAPERS:
            allowed(text_of(name), f"proofs_check/{name}")


def described(proof: Proof, d: Derivation) -> dict[str, Any]:
    """What the record says of a proof that was checked: how, what exactly, from what, and every step.

    >>> from proofs_check.sd.acceptance import PROOF
    >>> described(PROOF, check(PROOF))["whole"]
    True
    """
    kinds = {_kind(step.how) for step in d.steps} - {""}
    return {
        "kind": ", ".join(k for k in ("symbolic", "SMT", "enumeration", "ball arithmetic") if k in kinds) or "symbolic",
        "scope": proof.scope,
        "whole": proof.whole,
        "for": {
            name: [r.latex for r in relations]
            for name, relations in d.givens.items()
            if name not in d.supposed and name not in d.theorems
        },
        "declared": sorted(d.declarations),
        "uses": cited(proof, d),
        "cites": sorted(set(d.cited)),
        "steps": [list(s) for s in d.steps if not s.text.endswith((": condition", ": at the start"))],
        "sharp": proof.sharp,
        "mutations": list(proof.mutations),
    }


def cited(proof: Proof, d: Derivation) -> list[str]:
    """The claims that a proof cites: the names of what it is given say "(see ID)".

    Raises
    ------
    Unproved
        where there is no claim of that id, or it is the one that is proved.
    """
    citations = sorted({name for label in d.givens for name in SEEN.findall(label)})
    for name in citations:
        if name not in registry() or name == proof.claim.name:
            raise Unproved(f"{proof.claim.name}: what is given cites {name!r}; expected another claim that is listed")
    return citations


def _kind(how: str) -> str:
    if how.startswith("SMT"):
        return "SMT"
    if how.startswith("exact enumeration"):
        return "enumeration"
    if how == "definition" or how.startswith("theorem"):
        return ""
    return "ball arithmetic" if how == "ball arithmetic" else "symbolic"


def _opinions(d: Derivation) -> dict[str, Any]:
    """How many queries a second solver answers in which way; the record names its version."""
    answers = opinions(d.certificates)
    return {"solver": f"cvc5 {version('cvc5')}", **{a: answers.count(a) for a in sorted(set(answers))}}


def _task(task: tuple[str, int, bool]) -> tuple[str, int, dict[str, Any] | None, str]:
    file, place, second_opinion = task
    try:
        return (file, place, *entry(file, place, second_opinion))
    except Unproved as error:
        return file, place, None, str(error)


def checked(
    names: Sequence[str] = (),
    deep: bool = False,
    workers: int = 2,
    on_proof: Callable[[str], None] | None = None,
    on_failure: Callable[[str, str], None] | None = None,
) -> dict[str, list[tuple[dict[str, Any], str]]]:
    """Check proofs on several processes.

    Parameters
    ----------
    names : ids or prefixes of claims; all when empty
    deep : also those that are slow, and every SMT certificate by a second solver
    workers : processes
    on_proof : called with the claim's id as each is done
    on_failure : called with the claim's id and the reason where a proof fails; without it the first failure is raised

    Returns
    -------
    {claim id: [(entry of the record, text of its certificates), ...]}, in the order of the files

    Raises
    ------
    Unproved
        naming the claim, for the first proof that fails.
    """
    tasks = [(file, n, p) for file, n, p in chosen(names) if deep or not p.deep]
    entries: dict[tuple[str, int], tuple[dict[str, Any], str]] = {}
    for file, n, result, text in in_processes(_task, [(file, n, deep) for file, n, _ in tasks], workers):
        name = listed()[file][n].claim.name
        if result is not None:
            entries[file, n] = result, text
        elif on_failure is None:
            raise Unproved(text)
        else:
            on_failure(name, text)
        if on_proof is not None:
            on_proof(name)
    out: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for file, n, proof in tasks:
        if (file, n) in entries:
            out.setdefault(proof.claim.name, []).append(entries[file, n])
    return out


def number(names: Sequence[str] = (), deep: bool = False) -> int:
    """How many proofs `checked` would check."""
    return sum(1 for _, _, p in chosen(names) if deep or not p.deep)


def checked_now(
    names: Sequence[str], workers: int, on_proof: Callable[[str], None], on_failure: Callable[[str, str], None]
) -> dict[str, list[dict[str, Any]]]:
    """Entries for `simspec verify`, slow proofs and second opinions included; a proof that fails gives none."""
    entries_by_claim = checked(names, True, workers, on_proof, on_failure)
    return {
        name: [{**answered(name, e), "checked_now": True} for e, _ in entries]
        for name, entries in entries_by_claim.items()
    }


def versions() -> dict[str, str]:
    """Of the libraries that decide whether a step follows."""
    return {name: version(name) for name in ("sympy", "z3-solver", "python-flint")}


def merged(made: dict[str, list[tuple[dict[str, Any], str]]], old: dict[str, Any], everything: bool) -> dict[str, Any]:
    """The record with new entries; what was checked only under ``--effort deep`` is kept where it still holds."""
    proofs = {} if everything else dict(old.get("proofs", {}))
    for name, found in made.items():
        proofs[name] = [e for e, _ in found]
    slow_proofs = {(file, p.claim.name): p for file, _, p in chosen() if p.deep}
    for name, entries in old.get("proofs", {}).items():
        still_valid = [
            e
            for e in entries
            if (e["file"], name) in slow_proofs
            and e["hash"] == fingerprint(registry()[name], e["file"], anew=True)
            and not any(n["file"] == e["file"] and n["scope"] == e["scope"] for n in proofs.get(name, []))
        ]
        if still_valid:
            proofs[name] = proofs.get(name, []) + still_valid
    order = [name for name in registry() if name in proofs]
    files = {e["file"] for name in order for e in proofs[name]}
    return {"versions": versions(), "files": written_files(files), "proofs": {name: proofs[name] for name in order}}


def formulas(record: dict[str, Any], ready: dict[str, str]) -> dict[str, str]:
    """MathML of every formula of a record, so that the report needs no time to translate them."""
    latex = sorted({s[2] for entries in record["proofs"].values() for e in entries for s in e.get("steps", []) if s[2]})
    return {text: ready.get(text) or mathml(text) for text in latex}


def save(
    record: dict[str, Any], entries_by_claim: dict[str, list[tuple[dict[str, Any], str]]], everything: bool
) -> None:
    """Write the record, the certificates and the formulas."""
    texts = {name: "(reset)\n".join(t for _, t in entries if t) for name, entries in entries_by_claim.items()}
    previous = {} if everything else archive.read(CERTIFICATES)
    archive.write({name: text for name, text in (previous | texts).items() if text}, CERTIFICATES)
    light = {
        name: [{k: v for k, v in e.items() if k not in LONG} for e in entries]
        for name, entries in record["proofs"].items()
    }
    long = {name: [{k: e[k] for k in LONG if k in e} for e in entries] for name, entries in record["proofs"].items()}
    write_json(digested({**{k: v for k, v in record.items() if k != DIGEST}, "proofs": light}), RECORD)
    readable_steps = {"proofs": long, "formulas": formulas(record, readable()["formulas"])}
    write_file(
        STEPS, lzma.compress(json.dumps(readable_steps, ensure_ascii=False).encode(), preset=9 | lzma.PRESET_EXTREME)
    )


def differences(entries_by_claim: dict[str, list[tuple[dict[str, Any], str]]], old: dict[str, Any]) -> list[str]:
    """One line for each claim whose fresh entries or certificates are not those of the record, apart from times."""
    lines = []
    certificates = archive.read(CERTIFICATES)
    for name, entries in entries_by_claim.items():
        fresh = [_timeless(e) for e, _ in entries]
        slow = any(p.deep for _, _, p in chosen([name]))  # what is not checked now may stand in the record
        before = [_timeless(e) for e in old.get("proofs", {}).get(name, [])]
        if not (
            all(e in before for e in fresh) if slow else sorted(map(_written, fresh)) == sorted(map(_written, before))
        ):
            lines.append(f"{name}: its record is not what the check gives now; run python -m proofs_check {name}")
        text = "(reset)\n".join(t for _, t in entries if t)
        before_text = certificates.get(name, "")
        if certificates and sorted(text.split("(reset)\n")) != sorted(
            before_text.split("(reset)\n")
        ):  # conditions come in any order
            lines.append(f"{name}: the certificate in {CERTIFICATES.name} is not the one that was checked now")
    return lines


def _written(e: dict[str, Any]) -> str:
    return json.dumps(e, sort_keys=True)


def _timeless(e: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps({k: v for k, v in e.items() if k not in {"seconds", "opinions", "versions"}}))


def recorded() -> dict[str, Any]:
    """The record as it is on disk; empty where there is none."""
    return with_steps(json.loads(RECORD.read_text(encoding="utf-8"))) if RECORD.is_file() else {}
