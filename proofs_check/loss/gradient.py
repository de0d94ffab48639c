"""loss.gradient: tokens that the draft gives too little change by what the softmax gives them; the others do not count."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Proof, eq, ge, gt, total, x
from proofs_check.relaxed._certificates import hot
from simspec.claims.loss.gradient import APART, GRADIENT, raised
from simspec.laws import Array

MARKS = "b marks the token of mass Q, g the tokens that have less than the target"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every step of one logit after which no token has crossed the target's mass."""
    p, q, s = (d.weights(name) for name in ("p", "q", "s"))
    b = d.weights("b")
    g = d.weights("g")
    Q = d.number("Q", 0)
    t = d.number("t", positive=True)
    G = d.number("G", 0)
    bit, mass_b, lacking, bit_g, one_b = d.domain(
        MARKS,
        *(eq(b[x] * (1 - b[x]), 0), eq(b[x] * q[x], b[x] * Q), eq(b[x] * g[x], b[x] * G), eq(g[x] * (1 - g[x]), 0)),
        eq(total(b[x], x), 1),
    )
    rule = d.domain("s is q after the step", eq(s[x] * (1 + t * Q), q[x] * (1 + t * b[x])))
    low, low_s, high, high_s = d.assume(
        APART,
        *(ge(g[x] * (p[x] - q[x]), 0), ge(g[x] * (p[x] - s[x]), 0)),
        *(ge((1 - g[x]) * (q[x] - p[x]), 0), ge((1 - g[x]) * (s[x] - p[x]), 0)),
    )
    size = d.derive("positive", gt(1 + t * Q, 0))
    before = d.smt("before", eq(sp.Min(p[x], q[x]), p[x] + g[x] * (q[x] - p[x])), low, high, bit_g)
    after = d.smt("after", eq(sp.Min(p[x], s[x]), p[x] + g[x] * (s[x] - p[x])), low_s, high_s, bit_g)
    gain = eq((1 + t * Q) * g[x] * (s[x] - q[x]), t * (b[x] * G * Q - sign * Q * g[x] * q[x]))
    gain = d.smt("what a token that lacks mass gains", gain, rule, mass_b, lacking, bit)
    gain = d.sum("over the vocabulary", gain, x)
    before, after = (d.sum("over the vocabulary", fact, x) for fact in (before, after))
    gained = total(sp.Min(p[x], s[x]), x) - total(sp.Min(p[x], q[x]), x)
    goal = eq(gained, constant * t / (1 + t * Q) * Q * (G - total(g[x] * q[x], x)))
    d.qed(d.smt("together", goal, before, after, gain, one_b, size))


def _values(p: Array, q: Array, token: int, growth: Any) -> dict[str, Any]:
    return {
        **{"p": p, "q": q, "s": raised(q, token, growth), "b": hot(len(p), token), "g": flags(q < p), "V": len(p)},
        **{"Q": q[token], "t": growth, "G": int(q[token] < p[token])},
    }


PROOF = Proof(GRADIENT, prove, drop=MARKS, bind=_values)
