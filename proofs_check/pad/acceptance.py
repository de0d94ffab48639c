"""pad.acceptance: whatever is kept of a draft is min(p, q) or all of it, so that no context accepts less than SD."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._gain_and_price import emitted, gained, residual
from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.pad.acceptance import _LIMITS_OVERRIDES, ACCEPTANCE, ACCEPTANCE_SHARP
from simspec.laws import Array
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, flags and limits, both guardrails where the second rejects nothing.

    The factor 1 is the largest: with every token flagged PAD is SD. What it gains is pad.acceptance-sharp.
    """
    p = d.weights("p")
    q = d.weights("q")
    f = d.weights("f")
    g = d.weights("g")
    guards = d.number("every", low=0)
    flag = d.domain("a token is flagged or not", le(f[x], 1))
    low = d.domain("a token is below the limit or not", le(g[x], 1))
    spared = d.assume(_LIMITS_OVERRIDES, eq(guards * g[x], 0))
    free = (1 - f[x]) * (1 - g[x])
    overlap = sp.Min(p[x], q[x])
    k = sp.IndexedBase("k", real=True)
    accept_rule = d.define(
        "kept: min(p, q) of what is flagged or below the limit, all of the rest, and nothing that the guardrail rejects",
        k[x],
        (1 - guards * g[x]) * ((1 - free) * overlap + free * (overlap + sign * sp.Max(q[x] - p[x], 0))),
    )
    free_nonnegative = d.smt("what is neither flagged nor below the limit", ge(free, 0), flag, low)
    gain = d.smt("its overrides", ge(free * sp.Max(q[x] - p[x], 0), 0), free_nonnegative)
    mass = d.derive("the mass kept", eq(k[x], overlap + sign * free * sp.Max(q[x] - p[x], 0)), accept_rule, spared)
    token = d.derive("at least min(p, q)", ge(k[x], constant * overlap), mass, gain)
    d.qed(d.sum("over the vocabulary", token, x))


def _values(p: Array, q: Array, flags: Array, limit: Fraction, every: bool) -> dict[str, Any]:
    return {
        **{"p": p, "q": q, "V": len(p), "every": F(int(every))},
        **{"f": [int(v) for v in flags], "g": [int(v < limit) for v in p]},
    }


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and flags; that no rule accepts more at that distance is ears.best-tradeoff."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    f = d.weights("f")
    flag = d.domain("a token is flagged or not", le(f[x], 1))
    residue = residual(d, p[x], q[x])
    override = (1 - f[x]) * sp.Max(q[x] - p[x], 0)
    overlap = sp.Min(p[x], q[x])
    accepted = f[x] * overlap + (1 - f[x]) * q[x]
    beyond = d.derive("min(p, q) and the override", eq(accepted, overlap + override))
    output = emitted(d, "the law of the emitted token", "o", overlap + sign * override, residue[0])
    some = d.smt("a part of what the draft has beyond", ge(override, 0), flag)
    within_surplus = d.smt("and no more", le(override, sp.Max(q[x] - p[x], 0)), flag)
    premises = [some, within_surplus]
    distance = gained(d, (p[x], q[x]), override, (mass_p, mass_q), residue, output, *premises)
    rate = d.sum("over the vocabulary", beyond, x)
    gain = eq(total(accepted, x) - total(overlap, x), constant * total(override, x))
    d.qed(d.derive("gained over SD", gain, rate), distance)


PROOFS = (
    Proof(ACCEPTANCE, prove, drop="a token is flagged or not", bind=_values),
    Proof(
        ACCEPTANCE_SHARP,
        prove_sharp,
        drop="p sums to one",
        bind=lambda p, q, flags: {
            **{"p": p, "q": q, "V": len(p), "r": SD.residual(p, q)},
            **{"f": [int(v) for v in flags]},
        },
    ),
)
