"""metrics.steps: AL times the expected steps are the tokens that they emit, and after T steps none of the T is left (Wald)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, x
from proofs_check.metrics._walk import begin, c, n, states, walk
from simspec.claims.metrics.steps import STEPS

ENDS = "no step is made when nothing is left"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every law of the tokens of a step, every number of tokens.

    Equality exactly when no text ends in the middle of a step: with steps of k tokens, T a multiple of k.
    """
    wk = walk(d, sign=sign)
    w, mass = wk.law
    all_, then = wk.still
    ends = d.domain(ENDS, le((1 - wk.open_[c]) * wk.left[c], 0))
    rest_bound = le(wk.R[n, c], sp.Max(wk.left[c] - n, 0))
    first = d.derive("at first", rest_bound.replace({n: 0}), all_)
    before = d.suppose("the rest after n steps", rest_bound)
    there = d.instantiate("where a step leads", before, {c: wk.fol[c, x]})
    tail_bound = wk.open_[c] * w[x] * sp.Max(wk.left[c] - n - 1, 0)
    per_length = d.derive(
        "a step emits one at least",
        le(wk.open_[c] * w[x] * wk.R[n, wk.fol[c, x]], tail_bound),
        *(there, wk.goes, wk.shorter, wk.bit),
        by="smt",
    )
    per_length = d.sum("over the lengths", per_length, x)
    step = d.derive("one step more", rest_bound.replace({n: n + 1}), then, per_length, mass, ends, wk.bit, by="smt")
    short = d.induction("for every number of steps", rest_bound, n, first, step)
    tokens = sp.Symbol("tokens", integer=True, nonnegative=True)
    enough = d.domain("as many steps as tokens", eq(wk.left[begin], tokens))
    wald = d.instantiate("of the whole text", wk.wald, {n: tokens, c: begin})
    short = d.instantiate("of the whole text", short, {n: tokens, c: begin})
    none = d.derive("nothing is left", le(wk.R[tokens, begin], 0), short, enough)
    d.qed(
        d.derive(
            "the tokens that the steps emit",
            ge(constant * wk.E[tokens, begin], constant**2 * tokens / wk.mean),
            *(wald, none, enough, wk.positive),
            by="smt",
        )
    )


def _values(w: Any, tokens: int) -> dict[str, Any]:
    return {**states(w, tokens), "tokens": tokens}


PROOF = Proof(STEPS, prove, drop=ENDS, bind=_values)
