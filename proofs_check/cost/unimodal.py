"""cost.unimodal: one more draft pays while α^(γ+1) (γc + 1) exceeds c (1 + … + α^γ), a difference that falls with γ and c."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.cost._powers import Powers, n, powers
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt
from simspec.claims.cost.unimodal import UNIMODAL, rises

DRAFTS = sp.Symbol("drafts", integer=True, nonnegative=True)


class Rise(NamedTuple):
    """Bits that say where S rises; where one is 1 a draft more pays, u > 0, and where it is 0 it does not, u ≤ 0."""

    bit: Any
    zero_one: Fact
    pays: Fact
    does_not: Fact


def _pays(alpha: Any, cost: Any, A: Any) -> Any:
    return alpha ** (n + 1) * (n * cost + 1) - cost * (A[n] + 1)


def _rise(d: Derivation, name: str, alpha: Any, cost: Any, sums: Powers) -> Rise:
    """Derive from the meaning of the bits that S rises with draft n + 1 exactly where u > 0."""
    A = sums.A
    bit = sp.IndexedBase(name, real=True)
    step = sp.IndexedBase(f"step_{name}", real=True)
    now = (A[n] + 1) / (n * cost + 1)
    then = (A[n + 1] + 1) / ((n + 1) * cost + 1)
    gain_definition = d.define("what one more draft gains", step[n], then - now)
    zero_one, up, down = d.domain(
        f"{name} says where S rises",
        eq(bit[n] * (1 - bit[n]), 0),
        gt(bit[n] * step[n] + (1 - bit[n]), 0),
        ge((bit[n] - 1) * step[n], 0),
    )
    u = _pays(alpha, cost, A)
    scale = (n * cost + 1) * ((n + 1) * cost + 1)
    gain = d.derive("over both times", eq(step[n], u / scale), gain_definition, sums.more)
    t = sp.IndexedBase(f"scale_{name}", positive=True)
    inverse_times = d.define("both times", t[n], 1 / scale)
    gain = d.derive("in short", eq(step[n], u * t[n]), gain, inverse_times)
    pays = d.smt("it pays", gt(bit[n] * u + (1 - bit[n]), 0), up, gain, zero_one)
    return Rise(bit, zero_one, pays, d.smt("it does not", ge((bit[n] - 1) * u, 0), down, gain, zero_one))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every pair of rates and of costs, every number of drafts.

    Equality wherever S rises, or does not, at both.
    """
    alpha = d.number("alpha", 0, 1)
    higher = d.number("more", 0, 1)
    cost = d.number("cost", 0)
    dearer = d.number("dearer", 0)
    rates = d.domain("the other rate is no smaller", ge(higher, alpha))
    costs = d.domain("the other cost is no smaller", ge(sign * dearer, sign * cost))
    A = powers(d, alpha)
    B = powers(d, higher, "B")
    own_rise, better, worse = (
        _rise(d, *names)
        for names in (("own", alpha, cost, A), ("better", higher, cost, B), ("worse", alpha, dearer, A))
    )
    u = _pays(alpha, cost, A.A)
    bit = own_rise.bit
    next_u = _pays(alpha, cost, A.A).subs(n, n + 1)
    loss = alpha ** (n + 1) * (1 - alpha) * ((n + constant) * cost + 1)
    falls = d.derive("from γ to γ + 1", eq(next_u, u - loss), A.more)
    falls = d.derive("so it never grows", ge(u, next_u), falls, d.derive("a loss", ge(loss, 0)))
    later = d.instantiate("at γ + 1", own_rise.pays, {n: n + 1})
    later_bit = d.instantiate("at γ + 1", own_rise.zero_one, {n: n + 1})
    once = d.smt(
        "what pays after γ drafts",
        ge(bit[n], bit[n + 1]),
        falls,
        later,
        later_bit,
        own_rise.does_not,
        own_rise.zero_one,
    )

    sums = [d.inductive("sums of powers", ge(s.A[n], 0), n, [s.none], [s.more]) for s in (A, B)]
    cross = ge(higher ** (n + 1) * (A.A[n] + 1), alpha ** (n + 1) * (B.A[n] + 1))
    crossed = d.inductive("by rates", cross, n, [A.none, B.none, rates], [A.more, B.more, rates, *sums], by="smt")
    last_term_bound = ge(A.A[n] + 1, (n + 1) * alpha**n)
    terms_bound = d.inductive("no term is smaller than the last", last_term_bound, n, [A.none], [A.more], by="smt")
    dearly = d.smt("dearer drafts gain less", ge(u, _pays(alpha, dearer, A.A)), terms_bound, costs)
    bits = [better.does_not, better.zero_one, own_rise.pays, own_rise.zero_one]
    facts = (
        once,
        d.smt("pays at the larger rate", ge(better.bit[n], bit[n]), crossed, *bits, *sums),
        d.smt(
            "pays at the smaller cost",
            ge(bit[n], worse.bit[n]),
            dearly,
            own_rise.does_not,
            own_rise.zero_one,
            worse.pays,
            worse.zero_one,
        ),
    )
    d.qed(*(d.instantiate("for every number of drafts", fact, {n: DRAFTS}) for fact in facts))


def _values(alpha: Any, more: Any, cost: Any, dearer: Any, most: int) -> dict[str, Any]:
    def bits(rate: Any, price: Any) -> Any:
        bits_list = rises(rate, price, most)
        return lambda at: bits_list[at]

    return {
        **{
            "alpha": alpha,
            "more": more,
            "cost": cost,
            "dearer": dearer,
            "ranges": {"n": range(most + 1), "drafts": range(most)},
        },
        **{"own": bits(alpha, cost), "better": bits(more, cost), "worse": bits(alpha, dearer)},
    }


PROOF = Proof(UNIMODAL, prove, drop="the other rate is no smaller", bind=_values)
