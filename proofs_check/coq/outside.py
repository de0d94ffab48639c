"""Derivations of a user's own proof file, written out for Coq and read by it; the answers stand in the record beside the file.

The text that Coq reads is made of a derivation that is compared with its claim here, and that says what the record says of it.
Such a record can be written by hand: whoever counts an answer has Coq read the script again, as
`simspec.claims.deciding.outside` does.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from proofs_check.checking.about import compared
from proofs_check.checking.check import described
from proofs_check.checking.outside import proofs_of, record_of
from proofs_check.checking.proof import Proof
from proofs_check.checking.unchanged import held, watched
from proofs_check.coq.check import PRELUDE, Harder, asked_of, prepared, stamp, traced, version
from proofs_check.coq.terms import NotExported
from proofs_check.rules.derivation import Unproved
from simspec.claims.deciding.in_coq import answer_of_record
from simspec.loading import blame

__all__ = ["asked_again", "with_answers"]

SAME = ("kind", "whole", "for", "declared", "uses", "cites", "steps")
"""What of an entry the derivation that is written out has to say, too."""


def with_answers(
    record: Mapping[str, Any],
    file: Path,
    on_answer: Callable[[str, dict[str, Any]], None] | None = None,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The record of a proof file, each of its derivations with Coq's answer under ``"coq"``.

    Parameters
    ----------
    record : what `recorded_outside` gives of the file now.
    file : with the proofs.
    on_answer : called with the id of a claim and the answer about a derivation of it.
    known : an earlier record of the same file; Coq is asked about what it was said to accept whole, and nothing else.

    Raises
    ------
    OSError
        where there is no Coq.
    Unproved
        where the derivation that is written out is another than the one on record.
    ValueError
        for code of the file that fails.
    """
    coq = version()
    originals = held(file.resolve().parent)
    answered: dict[str, list[dict[str, Any]]] = {name: [*entries] for name, entries in record["proofs"].items()}
    with tempfile.TemporaryDirectory() as name:
        folder = prepared(Path(name))
        for proof, claim_name, place in _placed(file):
            recorded = answer_of_record(known, claim_name, place) if known is not None else {}
            if not isinstance(proof, Proof) or recorded is None or (known is not None and not recorded.get("whole")):
                continue
            entry = answered[claim_name][place]
            with watched(originals, claim_name):
                answer = {"coq": coq, **_answer(folder, file, proof, entry, recorded)}
            answered[claim_name][place] = {**entry, "coq": answer}
            if on_answer is not None:
                on_answer(claim_name, answer)
    return {**record, "proofs": answered}


def asked_again(file: Path, record: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """`with_answers` about what an earlier record says that Coq accepts whole.

    Raises
    ------
    OSError
        where there is no Coq.
    ValueError
        for a file whose derivation is another when it is written out, and for code of it that fails.
    """
    try:
        return with_answers(record, file, known=known)
    except Unproved as error:
        raise ValueError(f"{record_of(file).name} says that Coq accepts {file.name}: {error}") from None


def _placed(file: Path) -> Iterator[tuple[Any, str, int]]:
    """Proofs and refutations of a file, each with its claim and its place among the entries of that claim."""
    numbers: dict[str, int] = {}
    for proof in proofs_of(file):
        place = numbers.get(proof.claim.name, 0)
        numbers[proof.claim.name] = place + 1
        yield proof, proof.claim.name, place


def _answer(
    folder: Path, file: Path, proof: Proof, entry: Mapping[str, Any], recorded: Mapping[str, Any]
) -> dict[str, Any]:
    """Coq's answer about a derivation; a file that is loaded anew may hold another one, which the claim and the entry tell."""
    name = proof.claim.name
    harder = Harder(tuple(recorded.get("further", ())), tuple(recorded.get("deeper", ())))
    try:
        d = traced(proof)
        compared(proof, d)
        description = described(proof, d)
        if different := next((key for key in SAME if description.get(key) != entry.get(key)), None):
            raise Unproved(f"{name}: the derivation for Coq is another than the one that was checked: {different}")
        about = {"prelude": stamp((folder / PRELUDE).read_text(encoding="utf-8"))}
        return {**about, **asked_of(folder, {}, d, re.sub(r"[^a-z0-9]", "_", name), harder)}
    except NotExported as error:
        return {"not": str(error)}
    except (Unproved, ValueError, OSError):
        raise
    except Exception as error:  # of the user's own code
        raise ValueError(f"proof: {name} fails ({blame(error, file)})") from error
