"""folk.same-token-or: a refused draft that the sample repeats stays, and is missed where the residual would have drawn."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.folk._one_step import NORMED, by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x, y
from simspec.claims.folk.parts import rest_of_p
from simspec.claims.folk.same_token_or import SAME_TOKEN_OR, SAME_TOKEN_OR_CORRECTED


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    r, mass_is_one = d.law("r")
    over = sp.Max(p[x] - q[x], 0)
    under = sp.Max(q[x] - p[x], 0)
    Z = total(over, x)
    normed = d.domain(NORMED, eq(r[x] * Z, over))
    again = p[x] * under
    accepted = sp.Min(p[x], q[x]) + again
    E = total(again, x)
    smaller = d.derive("the smaller of the two", eq(sp.Min(p[x], q[x]), p[x] - over))
    small = d.sum("over the vocabulary", smaller, x)
    equal = d.summed("beyond and below", eq(over, under + p[x] - q[x]))
    equal = d.derive("equally much", eq(Z, total(under, x)), equal, mass, mass_q)
    refused = d.derive("refused in the end", eq(1 - total(accepted, x), Z - E), small, mass)
    emitted = accepted + (1 - total(accepted, x)) * r[x]
    e, z = sp.symbols("e z", real=True)
    named = d.define("in short", e, E), d.define("in short", z, Z)
    gain = d.derive(
        "what is gained and missed", eq(emitted - p[x], again - e * r[x]), refused, normed, smaller, *named, by="smt"
    )
    # where a draft is refused the residual has nothing, unless nothing at all is left
    term = d.derive("of one token", ge(under, 0))
    some = d.term("one of all", term, x, y)
    some = d.derive("below is at most Z", le(sp.Max(q[y] - p[y], 0), Z), some, equal)
    some = d.instantiate("of each", some, {y: x})
    some = d.derive("in short", le(under, z), some, named[1])
    positive = d.sum("nothing is negative", d.derive("of each", ge(again, 0)), x)
    positive = d.derive("in short", ge(e, 0), positive, named[0])
    mass_at = d.term("one of all", d.derive("a mass", ge(p[x], 0)), x, y)
    mass_at = d.derive("at most one", le(p[y], 1), mass_at, mass)
    mass_at = d.instantiate("of each", mass_at, {y: x})
    gain_bound = d.summed("a part of each", le(again, under), mass_at)
    gain_bound = d.derive("in short", le(e, z), gain_bound, equal, *named)
    norm = d.derive("in short", eq(r[x] * z, over), normed, named[1])
    apart = d.smt("never both", eq(again * e * r[x], 0), norm, some, positive, gain_bound)
    size = d.smt("so both count", eq(sp.Abs(again - e * r[x]), again + sign * e * r[x]), apart, positive)
    size = d.derive("in the law", eq(sp.Abs(emitted - p[x]), again + e * r[x]), size, gain, by="smt")
    all_ = d.sum("over the vocabulary", size, x)
    d.qed(d.derive("half of it", eq(total(sp.Abs(emitted - p[x]), x) / 2, constant * E), all_, mass_is_one, named[0]))


def _values(p: Any, q: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "r": rest_of_p(p, q), "V": len(p)}


PROOFS = (
    Refutation(
        SAME_TOKEN_OR,
        by_size,
        scope="the first pair by vocabulary and denominator",
        repaired={
            "nothing is refused that the target says": lambda: (
                i for i in by_size() if sum(i["p"] * (i["q"] - i["p"]).clip(min=0)) == 0
            ),
            "up to Σ p (q − p)₊": SAME_TOKEN_OR_CORRECTED,
        },
    ),
    Proof(SAME_TOKEN_OR_CORRECTED, prove, drop=NORMED, bind=_values),
)
