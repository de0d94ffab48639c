"""Trees as machines: a state is a node with the children that are left, and what those refused have left of its laws.

At a state s a child x is drawn with S[s, x].  If it is refused the state is ref[s, x], else the text goes on at acc[s, x].
Texts are numbered: b[t, x] is 1 where t begins with x or is empty, and tail[t] is what follows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x, y

__all__ = ["DRAWN", "REFUSED", "SAME", "WEIGHED", "N", "Step", "Texts", "n", "s", "start", "step", "t", "texts", "w"]

s, t, start, w = (index(name) for name in ("s", "t", "start", "w"))
n, N = sp.symbols("n N", integer=True, nonnegative=True)
REFUSED = "after a refusal M is what is left of the target"
WEIGHED = "after a refusal a is Z/(Z + 1 − a)"
DRAWN = "a child is drawn where children are left"
SAME = "the context stays after a refusal, and grows by a token that is kept"


class Step(NamedTuple):
    """Symbols of a state, and what one child does: its kept mass is min(S, aM), and the rest of aM comes after a refusal."""

    M: Any
    S: Any
    omega: Any
    left: Any
    """Weight of a refused child: S(1 − kept)."""
    weights: Fact
    """Σ left (1 − a′) = ω (1 − a)."""
    drawn: Fact
    """min(S, aM) + Σ left a′ M′ + (1 − ω) a M = a M."""


def step(
    d: Derivation,
    ref: Any,
    a: Any,
    after: Any,
    accept_rate: Any,
    range_facts: tuple[Fact, ...],
    kept_is: Fact,
    constant: int = 1,
) -> Step:
    """One child at every state.

    Parameters
    ----------
    ref : map to the state after a refusal
    a, after : weights of the state s, and of ref[s, x]
    accept_rate : probability that the child x is not refused
    range_facts : that these are between 0 and 1
    kept_is : S·kept = min(S, aM)
    """
    M, S, omega = (sp.IndexedBase(name, real=True) for name in ("M", "S", "omega"))
    law = d.domain("M is a law", eq(total(M[s, x], x), 1), ge(M[s, x], 0), le(M[s, x], 1))
    draws = d.domain(DRAWN, eq(total(S[s, x], x), omega[s]), ge(S[s, x], 0), eq(omega[s] * (1 - omega[s]), 0))
    over = sp.Max(a * M[s, x] - S[s, x], 0)
    over_y = over.subs(x, y)
    overlap = sp.Min(S[s, x], a * M[s, x])
    Z = total(over, x)
    refused_mass = S[s, x] * (1 - accept_rate)
    rest = d.domain(REFUSED, eq(S[s, x] * M[ref[s, x], y] * Z, S[s, x] * over_y))
    weight = [d.domain(WEIGHED, eq(S[s, x] * after * (Z + 1 - a), constant * S[s, x] * Z))] if after != 1 else []
    split = d.derive("kept, or beyond the draft", eq(overlap + over, a * M[s, x]))
    split_sum = d.sum("over the vocabulary", split, x)
    refused = d.summed("refused is what is not kept", eq(refused_mass, S[s, x] - overlap), kept_is)
    B = total(refused_mass, x)
    A = total(refused_mass * after, x)
    all_ = d.derive("all that is refused", eq(B, omega[s] - a + Z), refused, split_sum, draws[0], law[0])
    some = d.smt("a refused child has a weight", ge(refused_mass, 0), draws[1], *range_facts)
    fewer = d.smt("no more than it was drawn with", ge(S[s, x] - refused_mass, 0), draws[1], *range_facts)
    some_after = d.smt("after it some is left", ge(refused_mass * after, 0), some, *range_facts)
    bounds = [some, fewer]
    if after != 1:
        bounds += [some_after, d.smt("and no more", ge(refused_mass - refused_mass * after, 0), some, *range_facts)]
    sums = [d.sum("all of it", f, x) for f in bounds]
    none = d.derive("a part is not negative", ge(over, 0))
    sums.append(d.sum("nor are all", none, x))
    scaled = d.smt("each with its weight", eq(refused_mass * after * (Z + 1 - a), refused_mass * Z), *weight)
    scaled = d.sum("over refused children", scaled, x)
    kinds = [draws[0], draws[2], all_, *sums, *range_facts]
    weights = d.smt("refused for good", eq(B - A, omega[s] * (1 - a)), scaled, *kinds)
    share = refused_mass * after * M[ref[s, x], y]
    mass, at_most = (d.instantiate("a mass after it", f, {s: ref[s, x], x: y}) for f in law[1:])
    least_share = d.smt("its share", ge(share, 0), some_after, mass)
    most_share = d.smt("is a part", ge(refused_mass * after - share, 0), some_after, at_most)
    shares = [d.sum("all shares", f, x) for f in (least_share, most_share)]
    share_sum = d.smt("each share is of what is left", eq(share * (Z + 1 - a), refused_mass * over_y), *weight, rest)
    share_sum = d.sum("over refused children", share_sum, x)
    term_of_rest = d.term("one token of what is left", none, x, y)
    child = d.term("one child of all", draws[1], x, y)
    at = [d.instantiate("at this token", f, {x: y}) for f in (split, law[1], draws[1])]
    token_law = d.smt(
        "kept, drawn again, or at a leaf",
        eq(overlap.subs(x, y) + total(share, x) + (1 - omega[s]) * a * M[s, y], a * M[s, y]),
        *(share_sum, *shares, term_of_rest, child, *at, *kinds),
    )
    return Step(M, S, omega, refused_mass, weights, token_law)


class Texts(NamedTuple):
    """Texts, and the target's probability of beginning with one."""

    b: Any
    tail: Any
    T: Any
    c: Any
    law: Fact
    """T[s, t] = Σ M[s, x] c[s, x, t]."""
    stays: Fact
    """c[ref[s, x], y, t] = c[s, y, t] for children that are drawn."""
    grows: Fact
    """S[s, x] b[t, x] T[acc[s, x], tail[t]] = S[s, x] c[s, x, t]."""


def texts(d: Derivation, M: Any, S: Any, acc: Any, ref: Any) -> Texts:
    """The target's texts from every state on; c[s, x, t] is the probability of t given that x comes first."""
    T, c, b = (sp.IndexedBase(name, real=True) for name in ("T", "c", "b"))
    tail = d.map("tail")
    law = d.domain("the target's texts", eq(T[s, t], total(M[s, x] * c[s, x, t], x)))
    stays, grows = d.domain(
        SAME,
        eq(S[s, x] * c[ref[s, x], y, t], S[s, x] * c[s, y, t]),
        eq(S[s, x] * b[t, x] * T[acc[s, x], tail[t]], S[s, x] * c[s, x, t]),
    )
    return Texts(b, tail, T, c, law, stays, grows)
