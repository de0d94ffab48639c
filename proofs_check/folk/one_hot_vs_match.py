"""folk.one-hot-vs-match: min(p, b) of a mark b is p at the marked token, and what is left after a refusal is p without it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import MARK, residual, step, unlike
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, x, y
from simspec.claims.folk.one_hot_vs_match import ONE_HOT_VS_MATCH, ONE_HOT_VS_MATCH_CORRECTED
from simspec.claims.folk.parts import top

EMITTED = "a sample of the target is emitted, whether it is a or not"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target law and every draft that is certain."""
    s = step(d, "b", sign, constant)
    b = s.d
    p = s.p
    bit = d.domain(MARK, eq(b[x] * (1 - b[x]), 0))
    hit = d.weights("hit")
    miss = d.weights("miss")
    of_hit, of_miss = d.domain(EMITTED, eq(hit[x], b[x] * p[x]), eq(miss[x], (1 - b[x]) * p[x]))
    together = d.derive("in either case", eq(hit[x] + miss[x], p[x]), of_hit, of_miss)
    at_most_one = d.term("one of all", d.derive("a mass", ge(p[x], 0)), x, y)
    at_most_one = d.derive("no mass exceeds one", le(p[y], 1), at_most_one, s.mass)
    at_most_one = d.instantiate("of each", at_most_one, {y: x})
    overlap_at_mark = d.smt("kept is p at the mark", eq(sp.Min(p[x], b[x]), hit[x]), bit, at_most_one, of_hit)
    d.qed(
        d.derive("both emit p", eq(s.emitted, hit[x] + miss[x]), s.lossless, together),
        d.sum("over the vocabulary", overlap_at_mark, x),
    )


def _values(p: Any, q: Any) -> dict[str, Any]:
    hot = top(q)
    return residual(p, hot, "b") | {"hit": p * hot, "miss": p * (1 - hot)}


PROOFS = (
    Refutation(
        ONE_HOT_VS_MATCH,
        unlike,
        scope="the first pair of different laws over two tokens without zeros; by the corrected claim every pair is one",
        repaired={"equally often": ONE_HOT_VS_MATCH_CORRECTED},
    ),
    Proof(ONE_HOT_VS_MATCH_CORRECTED, prove, drop=MARK, bind=_values),
)
