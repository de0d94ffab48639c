"""tree.deterministic: to test a certain candidate is recursive rejection told a point mass; trees that are drawn are averaged."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof
from proofs_check.tree._listed import averaged, weighed
from proofs_check.tree._machine import REFUSED
from proofs_check.tree._top_down import emitted
from simspec.claims.tree.deterministic import DETERMINISTIC


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws by context, all trees, siblings in any order, drawn by any law; by induction on it."""
    d.qed(averaged(d, *emitted(d, sign, constant)))


PROOF = Proof(DETERMINISTIC, prove, drop=REFUSED, bind=weighed)
