"""ears.best-tradeoff.every-divergence: below a and above 1/ℓ no law has less excess; between, it costs acceptance."""

from __future__ import annotations

import sympy as sp

from proofs_check.ears._rivals import FILLING, bind, rivals
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from simspec.claims.ears.best_tradeoff import BEST_EVERY


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws, ℓ and η, every rival rule; that the divergences of x ↦ (x − η)₊ generate all
    f-divergences is the remark of the note and not used.

    Equality with the rule itself as rival, at every η: the minimum is attained.
    """
    it = rivals(d, sign)
    p = it.s.p
    o = it.best.o
    u = it.rival.o
    eta = d.number("eta", low=0)
    our_excess = sp.Max(o[x] - constant * eta * p[x], 0)
    theirs = sp.Max(u[x] - eta * p[x], 0)
    goal = le(total(our_excess, x), total(theirs, x))

    low = d.case("η is at most the level", le(eta, it.a))
    flat = d.smt("everywhere o ≥ a p ≥ η p", eq(our_excess, o[x] - eta * p[x]), it.clipped, low)
    difference_bound = d.derive("and an excess is no less than a difference", ge(theirs, u[x] - eta * p[x]))
    flat = d.sum("over the vocabulary", flat, x)
    difference_bound = d.sum("over the vocabulary", difference_bound, x)
    o_mass_is_one = d.sum("o is a law", it.best.law, x)
    u_mass_is_one = d.sum("and so is u", it.rival.law, x)
    laws = [it.mass_r, it.mass_s, it.best.rate, it.rival.rate, it.s.mass_p]
    both_exact = d.smt(
        "both are 1 − η at least, and o has just that",
        goal,
        flat,
        difference_bound,
        o_mass_is_one,
        u_mass_is_one,
        *laws,
    )

    high = d.case("η is above the level", gt(eta, it.a))
    top = d.case("η is at least c", ge(eta, it.c))
    none = d.smt("nowhere is o above c p", eq(our_excess, 0), it.clipped, it.rule, it.low, top)
    never = d.derive("an excess is not negative", ge(theirs, 0))
    none = d.sum("over the vocabulary", none, x)
    never = d.sum("over the vocabulary", never, x)
    zero = d.smt("o has no excess", goal, none, never)
    between = d.case("η is below c", le(eta, it.c))
    per_token = d.summed(
        "an excess that u saves on a token, it has kept less of: either k is all of q, or o = k = c p ≥ η p",
        ge(theirs - our_excess, it.h[x] - it.k[x]),
        *(it.clipped, it.rule, it.holds, it.part, high, between),
        by="smt",
    )
    traded = d.smt("and u accepts at least as often", goal, per_token, it.often)
    d.qed(d.cases("η and the level", d.cases("η and c", zero, traded), both_exact))


PROOF = Proof(
    BEST_EVERY,
    prove,
    drop=FILLING,
    change={"constant": sp.Rational(1, 2)},
    bind=lambda p, q, factor, o, eta: {**bind(p, q, factor, o), "eta": eta},
)
