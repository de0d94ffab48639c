"""relaxed.sglang-acceptance: the coins that take a child are those below the largest sum over the threshold."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq
from proofs_check.relaxed._node import SURE, bind, n, node, size
from simspec.claims.relaxed.sglang_acceptance import SGLANG_ACCEPTANCE


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every law, every number of different candidates in every order, every threshold up to 1."""
    it = node(d, sign, constant)
    accepted_share = d.instantiate("of all children", it.taken, {n: size})
    product = d.instantiate("of all children", it.product, {n: size})
    d.qed(d.smt("in all", eq(it.A[size], sp.Min(1, it.G[size])), accepted_share, product))


PROOF = Proof(SGLANG_ACCEPTANCE, prove, drop=SURE, bind=bind)
