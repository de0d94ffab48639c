"""coupling.attains: a token cannot match more often than either law has it, and with two tokens both do that often."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.coupling._race import WINS, race, values
from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, gt, le, y
from simspec.claims.coupling.attains import ANY, ANY_CORRECTED, TWO_TOKENS


def prove_any(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Equality where p/q takes at most two values on the tokens of either law.
    """
    r = race(d, constant)
    of_q, of_p = r.at_least_one(d)
    at_most_p = d.smt("no more than p", le(r.wins.m[y], sign * r.p[y]), of_q, *r.wins.facts)
    at_most_q = d.smt("no more than q", le(r.wins.m[y], r.q[y]), of_p, *r.wins.facts)
    at_most_either = d.smt("than either", le(r.wins.m[y], sp.Min(r.p[y], r.q[y])), at_most_p, at_most_q)
    d.qed(d.sum("over the tokens", at_most_either, y))


def prove_two(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All pairs of laws of two tokens, a and 1 − a, b and 1 − b."""
    a = d.number("a", 0, 1)
    b = d.number("b", 0, 1)
    masses = []
    for name, mass_p, mass_q in (("first", a, b), ("second", 1 - a, 1 - b)):
        m = sp.Symbol(name, real=True)
        over = sp.Symbol(f"over_{name}", real=True)
        conclusion = mass_p * mass_q + sp.Max((1 - mass_p) * mass_q, (1 - mass_q) * mass_p)
        facts = d.domain(
            f"{name}: {WINS}",
            eq(m * over, constant * mass_p * mass_q),
            gt(over, 0),
            eq(mass_p * (over - conclusion), 0),
            eq(mass_q * (over - conclusion), 0),
        )
        larger = d.smt("with two tokens, the larger mass", eq(conclusion, sp.Max(mass_p, mass_q)))
        masses.append(d.smt("so the smaller one is left", eq(m, sp.Min(mass_p, mass_q)), larger, *facts))
    relations = [f.relation for f in masses]
    conclusion = eq(relations[0].lhs + sign * relations[1].lhs, relations[0].rhs + relations[1].rhs)
    d.qed(d.derive("both tokens", conclusion, *masses))


def _two(p: Any, q: Any) -> dict[str, Any]:
    bindings = values(p, q)
    return {
        **{"a": p[0], "b": q[0], "first": bindings["wins"][0], "second": bindings["wins"][1]},
        **{"over_first": bindings["over_wins"][0], "over_second": bindings["over_wins"][1]},
    }


PROOFS = (
    Refutation(
        ANY,
        lambda: by_size((1, 2, 3), 2),
        scope="the first by vocabulary and denominator: three tokens, of which the laws share one",
        repaired={
            "two tokens": lambda: by_size((1, 2), 6),
            "at most that": ANY_CORRECTED,
        },
    ),
    Proof(ANY_CORRECTED, prove_any, drop=WINS, bind=values),
    Proof(TWO_TOKENS, prove_two, drop=f"first: {WINS}", bind=_two),
)
