"""multi.subset: the selection whose law is nearest to p. What it has too much of is held by nothing but sets of such tokens.

Were it not so, some of that mass could be selected elsewhere, and a little of it would bring the law nearer to p.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, le, total, x
from simspec.laws import Array
from simspec.methods.multi.optimum import Sets, optimum

__all__ = ["CLOSEST", "D", "N", "Nearest", "at", "c", "e", "f", "g", "ins", "k", "nearest", "selection", "values"]

c = index("c")
k = index("k")
at = index("at")
N = sp.Symbol("N", integer=True, positive=True)
D, e, g, ins, f, to = (sp.IndexedBase(name, real=True) for name in ("D", "e", "g", "ins", "f", "to"))
load, moved, back, gone, gain, other, after = (
    sp.IndexedBase(name, real=True) for name in ("load", "moved", "back", "gone", "gain", "other", "after")
)
slope, square, step = (sp.IndexedBase(name, real=True) for name in ("slope", "square", "step"))
CLOSEST = "no selection has a law nearer to p"


class Moved(NamedTuple):
    """What is selected elsewhere, in a step: how each name is defined, and what is known of it.

    Attributes
    ----------
    taken, got, lost, change : moved[c], back[x], gone[x] and gain[x], as defined
    mass, left : moved[c] and gone[x] are not negative
    better : to first order the step brings the law nearer to p, at each token by no less than what is lost above p
    above : that is not negative
    """

    taken: Fact
    got: Fact
    lost: Fact
    mass: Fact
    left: Fact
    change: Fact
    better: Fact
    above: Fact


class Nearest:
    """The selection f[c, x] of tokens x from sets c, and the tokens `at` of which its law, load[x], has more than p.

    Attributes
    ----------
    low, rows, member : what a selection is
    named : load[x] = Σ f[c, x]
    over, under : load[x] is above p[x] at the tokens `at`, and nowhere else
    apart : nothing is selected there from sets that hold other tokens too
    """

    def __init__(self, d: Derivation, p: sp.IndexedBase, bits: tuple[Fact, Fact], sign: int) -> None:
        """State what a selection and the tokens it has too much of are; derive `apart`, as no selection is nearer to p."""
        self.d, self.p = d, p
        self.bit, self.inside = (d.instantiate("of the tokens it has too much of", b, {k: at}) for b in bits)
        self.low, self.rows, self.member = d.domain(
            "one token is selected from each set",
            ge(f[c, x], 0),
            eq(total(f[c, x], x), D[c]),
            eq(f[c, x] * (1 - e[c, x]), 0),
        )
        self.named = d.define("law of what is selected", load[x], total(f[c, x], c, upto=N))
        self.over, self.under = d.domain(
            "the tokens that it has too much of",
            gt(g[at, x] * (load[x] - p[x]) + 1 - g[at, x], 0),
            le((1 - g[at, x]) * (load[x] - p[x]), 0),
        )
        self.free = d.domain(
            "a set that does not lie in them holds others",
            ge(to[c, x], 0),
            eq(total(to[c, x], x), 1 - ins[at, c]),
            eq(to[c, x] * (1 - e[c, x]), 0),
            eq(to[c, x] * g[at, x], 0),
        )
        self.apart = self.closest(sign)

    def shift(self) -> Moved:
        """What could be selected elsewhere: back[x] more of tokens outside, gone[x] less of the others."""
        d = self.d
        p = self.p
        (low, _, _, apart) = self.free
        set_rule = d.define("of a set", moved[at, c], total(g[at, x] * f[c, x], x))
        got = d.define("a token gets", back[at, x], total(to[c, x] * moved[at, c], c, upto=N))
        lost = d.define("a token loses, in them", gone[at, x], total((1 - ins[at, c]) * f[c, x], c, upto=N))
        mass = d.sum("over tokens", d.smt("of each", ge(g[at, x] * f[c, x], 0), self.low, self.bit), x)
        mass = d.derive("a mass", ge(moved[at, c], 0), mass, set_rule)
        some = d.sum("over sets", d.smt("of each", ge(to[c, x] * moved[at, c], 0), mass, low), c, upto=N)
        some = d.derive("a mass", ge(back[at, x], 0), some, got)
        none = d.sum("over sets", d.derive("outside", eq(g[at, x] * to[c, x] * moved[at, c], 0), apart), c, upto=N)
        none = d.derive("it gets nothing in them", eq(g[at, x] * back[at, x], 0), got, none)
        loss_nonnegative = d.smt("of each", ge((1 - ins[at, c]) * f[c, x], 0), self.low, self.inside)
        loss_nonnegative = d.derive("a mass", ge(gone[at, x], 0), d.sum("over sets", loss_nonnegative, c, upto=N), lost)
        change = d.define("in all", gain[at, x], back[at, x] - g[at, x] * gone[at, x])
        excess = g[at, x] * (load[x] - p[x]) * gone[at, x]
        better = d.smt(
            "it is towards p", ge((p[x] - load[x]) * gain[at, x], excess), some, none, self.under, self.bit, change
        )
        above = d.smt("by what is above p", ge(excess, 0), loss_nonnegative, self.over, self.bit)
        return Moved(
            taken=set_rule,
            got=got,
            lost=lost,
            mass=mass,
            left=loss_nonnegative,
            change=change,
            better=better,
            above=above,
        )

    def closest(self, sign: int) -> Fact:
        """A step of that kind is no better than none, so there is nothing to move."""
        d = self.d
        p = self.p
        it = self.shift()
        first = d.define("to first order", slope[at], total((p[x] - load[x]) * gain[at, x], x))
        second = d.define("to second order", square[at], total(gain[at, x] ** 2, x))
        better = d.sum("over the vocabulary", it.better, x)
        better = d.derive("in all", ge(slope[at], total(it.above.relation.lhs, x)), better, first)
        signs = self.not_negative(it, better, second)
        share, share_facts = self.share(signs)
        per_token = eq(
            (after[at, x] - p[x]) ** 2,
            (load[x] - p[x]) ** 2
            + sign * 2 * step[at] * (load[x] - p[x]) * gain[at, x]
            + step[at] ** 2 * gain[at, x] ** 2,
        )
        per_token = d.summed("of each token", per_token, self.stepped(it, *share_facts))
        best = d.domain(CLOSEST, ge(total((after[at, x] - p[x]) ** 2, x), total((load[x] - p[x]) ** 2, x)))
        turn = ge(step[at] ** 2 * square[at], 2 * step[at] * slope[at])
        turn = d.derive("no nearer", turn, per_token, best, first, second)
        short = d.smt("so the step is none", le(step[at] ** 2, 0), turn, share, signs[0], share_facts[0])
        short = d.smt("so the step is none", le(step[at], 0), short)
        still = d.smt("nothing is gained", le(slope[at], 0), short, share, *signs)
        none = d.smt(
            "no mass is there to be moved",
            eq(g[at, x] * gone[at, x], 0),
            *(d.term("of each token", it.above, x), better, still, it.above, it.left, self.over, self.bit),
        )
        none = d.derive("so", eq(g[at, x] * total((1 - ins[at, c]) * f[c, x], c, upto=N), 0), it.lost, none)
        return d.sum("over the vocabulary", none, x)

    def not_negative(self, it: Moved, better: Fact, second: Fact) -> tuple[Fact, Fact]:
        """What a step gains to first and loses to second order is not negative."""
        d = self.d
        rise = d.derive("no loss", ge(slope[at], 0), better, d.sum("over the vocabulary", it.above, x), by="smt")
        squared = d.sum("over the vocabulary", d.derive("a square", ge(gain[at, x] ** 2, 0)), x)
        return rise, d.derive("a sum of squares", ge(square[at], 0), squared, second)

    def share(self, signs: tuple[Fact, Fact]) -> tuple[Fact, tuple[Fact, Fact]]:
        """A step that is small enough: its size, and that it is between 0 and 1."""
        d = self.d
        some = d.smt("no zero", ge(1 + slope[at] + square[at], 1), *signs)
        size = d.define("a step", step[at], slope[at] / (1 + slope[at] + square[at]), some)
        size = d.derive("of this size", eq(step[at] * (1 + slope[at] + square[at]), slope[at]), size, some)
        low, high = (d.smt("a share", r, size, *signs) for r in (ge(step[at], 0), le(step[at], 1)))
        return size, (low, high)

    def stepped(self, it: Moved, *share_facts: Fact) -> Fact:
        """What is selected after the step is a selection; its law."""
        d = self.d
        (low, all_, member, _) = self.free
        change = to[c, x] * moved[at, c] - (1 - ins[at, c]) * g[at, x] * f[c, x]
        named = d.define("the selection after it", other[at, c, x], f[c, x] + step[at] * change)
        some = d.smt("of each", ge(step[at] * to[c, x] * moved[at, c], 0), it.mass, low, *share_facts)
        rest = d.smt("a share", le(step[at] * (1 - ins[at, c]) * g[at, x], 1), *share_facts, self.bit, self.inside)
        rest = d.smt("of each", ge((1 - step[at] * (1 - ins[at, c]) * g[at, x]) * f[c, x], 0), rest, self.low)
        d.derive("it is not negative", ge(other[at, c, x], 0), named, some, rest)
        d.derive("of the set's tokens", eq(other[at, c, x] * (1 - e[c, x]), 0), named, self.member, member, by="smt")
        rows = d.sum("over tokens", named, x)
        d.derive("one of each set", eq(total(other[at, c, x], x), D[c]), rows, all_, it.taken, self.rows)
        law = d.define("its law", after[at, x], total(other[at, c, x], c, upto=N))
        step_sum = d.sum("over sets", named, c, upto=N)
        return d.derive(
            "moved by the step",
            eq(after[at, x], load[x] + step[at] * gain[at, x]),
            *(law, step_sum, self.named, it.change, it.got, it.lost),
        )


def nearest(p: Array, sets: Sets) -> list[Any]:
    """The law nearest to p (least Σ (law − p)²) of a draft selected from each set: the greatest excess first, exactly.

    A set H of tokens gets at least the mass of the drafts that lie in it; where that most exceeds p(H) for each token, all
    of its tokens get as much above p, and the others what is left.

    >>> from simspec.laws import exact
    >>> print(*nearest(exact([0.5, 0.25, 0.25]), {frozenset({0, 1}): exact(1), frozenset({2}): exact(0)}))
    5/8 3/8 0
    """
    law = list(p)
    remaining = list(range(len(p)))
    while remaining:
        open_ = {drafts & set(remaining): 0 * p[0] for drafts in sets}
        for drafts, mass in sets.items():
            open_[drafts & set(remaining)] += mass
        some = [frozenset(some) for size in range(1, len(remaining) + 1) for some in combinations(remaining, size)]
        surplus = {h: sum(m for o, m in open_.items() if o and o <= h) - sum(p[token] for token in h) for h in some}
        best = max(some, key=lambda h: (surplus[h] / len(h), len(h)))
        for token in best:
            law[token] = p[token] + surplus[best] / len(best)
        remaining = [token for token in remaining if token not in best]
    return law


def selection(p: Array, sets: Sets) -> list[list[Any]]:
    """Of each set what is selected as each token, by the law nearest to p.

    >>> from simspec.laws import exact
    >>> selected = selection(exact([0.5, 0.25, 0.25]), {frozenset({0, 1}): exact(1), frozenset({2}): exact(0)})
    >>> [" ".join(map(str, row)) for row in selected]
    ['5/8 3/8 0', '0 0 0']
    """
    flow = optimum(nearest(p, sets), sets).flow
    return [[flow.get((draft_set, token), 0 * p[0]) for token in range(len(p))] for draft_set in sets]


def values(p: Array, sets: Sets, f: list[list[Any]], every: list[frozenset[int]]) -> dict[str, Any]:
    """What the symbols of `Nearest` are for a selection f: the tokens that it has too much of, as a number in `every`."""
    vocab = range(len(p))
    much = frozenset(token for token in vocab if sum(row[token] for row in f) > p[token])
    outside = [draft_set - much for draft_set in sets]
    return {
        "f": f,
        "to": [[Fraction(token in some, max(1, len(some))) for token in vocab] for some in outside],
        "at": every.index(much) + 1,
    }
