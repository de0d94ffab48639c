"""No lattice point is nearer to a law than the one that Algorithm 2 returns: an exchange argument with one price per unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, lt, total, x, y
from proofs_check.sqs._algorithm_two import Rounded
from proofs_check.sqs._kept_tokens import Sparse


def other(d: Derivation, r: Rounded, name: str, base: sp.IndexedBase, source: str = "") -> tuple[Any, tuple[Fact, ...]]:
    """Any lattice point: its counts minus those of Algorithm 2 (w), whole numbers that sum to zero."""
    w = base[x] - r.counts
    all_ = d.domain(source or f"{name} is a lattice point", eq(total(base[x], x), r.resolution))
    up, down = d.domain(f"the counts of {name} are whole", ge(w * (w - 1), 0), ge(w * (w + 1), 0))
    size = d.summed("its moves", eq(w, w))
    zero = d.derive("they sum to zero", eq(total(w, x), 0), size, all_, r.whole, r.number)
    return w, (up, down, zero)


def price(d: Derivation, s: Sparse, r: Rounded) -> tuple[Any, tuple[Fact, ...]]:
    """The largest fractional part that is rounded down: those rounded down have no larger one, those rounded up no smaller."""
    f = r.f
    up = r.up
    u = s.u
    theta, bound, attained = d.extremum("the largest part that is rounded down", "theta", (u[x] - up[x]) * f[x], x)
    at = sp.Symbol("theta_at", integer=True)
    premises = [bound, r.inside, r.low, s.flag, r.flag, r.kept]
    down = d.smt("parts rounded down", le(f[x] * (1 - up[x]), theta), *premises)
    order = d.instantiate("with the largest", r.order, {y: at})
    flag_there = d.instantiate("the same there", r.flag, {x: at})
    two = d.instantiate("the same there", s.flag, {x: at})
    nonnegative_there = d.instantiate("the same there", r.low, {x: at})
    below_one_there = d.instantiate("the same there", r.high, {x: at})
    raised_are_kept = d.instantiate("the same there", r.kept, {x: at})
    above = d.smt(
        "parts rounded up", ge(up[x] * (f[x] - theta), 0), *(order, attained, flag_there, two),
        *(raised_are_kept, nonnegative_there, r.flag, r.low)
    )  # fmt: skip
    premises = [attained, flag_there, two, raised_are_kept, nonnegative_there, below_one_there]
    inside = d.smt(
        "a price between 0 and 1",
        ge(theta * (1 - theta), 0),
        *premises,
    )
    below = d.smt("so too as a product", ge((1 - up[x]) * (theta - f[x]), 0), down, r.flag, r.low, inside)
    return theta, (below, above, inside)


class Gap(NamedTuple):
    """ℓ|q̃ − b/ℓ| and ℓ|q̃ − o/ℓ| of a token, b of Algorithm 2 and o another lattice point."""

    mine: Any
    theirs: Any
    mine_law: Fact
    theirs_law: Fact
    mine_meaning: Fact
    theirs_meaning: Fact


def gaps(d: Derivation, s: Sparse, r: Rounded, base: sp.IndexedBase, name: str) -> Gap:
    """Both distances in units of 1/ℓ."""
    f = r.f
    up = r.up
    own_gaps, theirs = (sp.IndexedBase(f"{who}_{name}", real=True) for who in ("mine", "theirs"))
    b = d.define("a token's distance, in units", own_gaps[x], sp.Abs(f[x] - up[x]))
    o = d.define("of the other point", theirs[x], sp.Abs(f[x] + r.n[x] - base[x]))
    return Gap(
        own_gaps,
        theirs,
        d.smt("over ℓ", eq(sp.Abs(s.law - r.law), r.unit * own_gaps[x]), b, r.parts, r.one),
        d.smt("over ℓ", eq(sp.Abs(s.law - r.unit * base[x]), r.unit * theirs[x]), o, r.parts, r.one),
        b,
        o,
    )


def cheaper(
    d: Derivation,
    r: Rounded,
    base: sp.IndexedBase,
    g: Gap,
    moves: tuple[Fact, ...],
    prices: Any,
    square: bool = False,
    two: int = 2,
) -> Fact:
    """Σ |ℓq̃ − b| ≤ Σ |ℓq̃ − o|, or the same of squares."""
    theta, bounds = prices
    w = base[x] - r.counts
    power = 2 if square else 1
    premises = [g.mine_meaning, g.theirs_meaning, *bounds, r.flag, r.low, r.high, *moves[:2]]
    per_token = d.smt(
        "a move by w costs at least (1 − 2θ) w",
        ge(g.theirs[x] ** power, g.mine[x] ** power + (1 - two * theta) * w),
        *premises,
    )  # fmt: skip
    per_token = d.sum("over the vocabulary", per_token, x)
    size = d.summed("the moves", eq(w, w))
    cost = d.smt("moves sum to zero", eq((1 - two * theta) * total(w, x), 0), moves[2], size)
    return d.smt(
        "so no point is nearer", le(total(g.mine[x] ** power, x), total(g.theirs[x] ** power, x)), per_token, cost
    )


def no_further(
    d: Derivation, s: Sparse, r: Rounded, base: sp.IndexedBase, g: Gap, moves: tuple[Fact, ...], sign: int = 1
) -> tuple[Any, Any, Fact]:
    """max |ℓq̃ − b| ≤ max |ℓq̃ − o|: their symbols, and the fact."""
    up = r.up
    w = base[x] - r.counts
    farthest, _, attained = d.extremum("Algorithm 2 at its worst", "farthest", g.mine[x], x)
    others, bound, _ = d.extremum("the other point at its worst", "others", g.theirs[x], x)
    at = sp.Symbol("farthest_at", integer=True)

    def there(*facts: Fact) -> list[Fact]:
        return [d.instantiate("there", fact, {x: at}) for fact in facts]

    order = [d.instantiate("the pair", r.order, {y: at}), d.instantiate("the pair", r.order, {x: at, y: x})]
    here = [r.flag, s.flag, r.low, r.high, r.kept, r.inside, g.theirs_meaning, bound, *moves[:2]]
    near = there(r.flag, s.flag, r.low, r.high, r.kept, r.inside, g.mine_meaning)
    suppose = d.case("the other point is nearer", lt(others, farthest))
    side = sign * (1 - 2 * up[at])
    same = d.smt("then all moves go one way", ge(side * w, 0), suppose, attained, *order, *here, *near)
    move_of_x = d.term("one of them", same, x, at)
    same_side = d.smt(
        "and the worst token moves that way", ge(side * w.subs(x, at), 1), suppose, attained, *near,
        *there(g.theirs_meaning, bound, *moves[:2]),
    )  # fmt: skip
    size = d.summed("the moves", eq(w, w))
    none = d.smt("but they sum to zero", eq(side * total(w, x), 0), moves[2], size)
    goal = le(farthest, others)
    yes = d.smt("a contradiction", goal, move_of_x, same_side, none)
    otherwise = d.case("it is not", ge(others, farthest))
    return farthest, others, d.cases("so it is not", d.smt("as supposed", goal, otherwise), yes)
