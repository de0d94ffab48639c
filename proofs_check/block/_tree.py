"""The tree of all prefixes, with γ drafts at most: what block verification does at each, and what it keeps of it.

c is a prefix, child[c, x] the one after the token x; p and q are the laws after c, r[c] its probability to be kept at least.
A[n, c] is the probability that c or a longer prefix is kept, given that c was drafted and n more drafts may follow.
"""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x
from simspec.claims.texts import markov
from simspec.laws import Array

__all__ = ["STEP", "TEST", "Kept", "Tree", "c", "kept", "n", "nodes", "root", "size", "tree", "values"]

c = index("c")
root = index("root")
n, size = sp.symbols("n size", integer=True, nonnegative=True)
STEP = "r is multiplied by p/q and cut at one"
TEST = "a prefix passes with Z/(Z + 1 − r)"


class Tree(NamedTuple):
    """Names, and what is known of them."""

    p: Any
    q: Any
    r: Any
    h: Any
    Z: Any
    over: Any
    child: Any
    mass_p: Fact
    mass_q: Fact
    step: Fact
    least: Fact
    most: Fact
    missing: Fact
    tested: Fact


def tree(d: Derivation, constant: int = 1) -> Tree:
    """Laws, r and tests at every prefix."""
    p, mass_p = d.law("p", c)
    q, mass_q = d.law("q", c)
    r, h, Z = (sp.IndexedBase(name, real=True) for name in ("r", "h", "Z"))
    child = d.map("child")
    step = d.domain(STEP, eq(q[c, x] * r[child[c, x]], sp.Min(q[c, x], r[c] * p[c, x])))
    nonnegative, at_most_one = d.domain("r is a probability", ge(r[c], 0), le(r[c], 1))
    over = sp.Max(r[c] * p[c, x] - q[c, x], 0)
    missing = d.define("what is missing from the drafts after c", Z[c], total(over, x))
    tested = d.domain(TEST, eq(h[c] * (Z[c] + 1 - constant * r[c]), Z[c]))
    return Tree(
        p=p,
        q=q,
        r=r,
        h=h,
        Z=Z,
        over=over,
        child=child,
        mass_p=mass_p,
        mass_q=mass_q,
        step=step,
        least=nonnegative,
        most=at_most_one,
        missing=missing,
        tested=tested,
    )


class Kept(NamedTuple):
    """A, that A = r, that Σ q A = r − Z after c, and A's recursion; stop is the probability that the draft ends at c."""

    A: Any
    stop: Any
    reach: Fact
    ahead: Fact
    last: Fact


def kept(d: Derivation, t: Tree, sign: int = 1, stops: bool = False, tag: str = "") -> Kept:
    """P(τ ≥ |c|, given c) = r, by induction from the last draft."""
    A = sp.IndexedBase(f"A{tag}", real=True)
    stop = sp.IndexedBase("stop", real=True)[c] if stops else sp.S.Zero
    if stops:
        d.domain("a draft may end at any prefix", ge(stop, 0), le(stop, 1))
    later = total(t.q[c, x] * A[n, t.child[c, x]], x)
    here_or_later = t.h[c] + sign * (1 - t.h[c]) * later
    last, recursion_step = d.recursion(
        "the last drafted prefix is kept with r, another one if it passes or a longer one is kept",
        eq(A[0, c], t.r[c]),
        eq(A[n + 1, c], stop * t.r[c] + (1 - stop) * here_or_later),
    )
    statement = eq(A[n, c], t.r[c])
    before = d.suppose(f"with n more drafts{tag}", statement)
    ahead = _ahead(d, t, A, before)
    first = d.derive("at the last draft", statement.replace({n: 0}), last)
    passes = d.smt("the tests make up for each other", eq(t.h[c] + (1 - t.h[c]) * later, t.r[c]), ahead, t.tested)
    then = d.derive("one draft more", statement.replace({n: n + 1}), recursion_step, passes)
    reach = d.induction("for every number of drafts", statement, n, first, then)
    return Kept(A, stop, reach, _ahead(d, t, A, reach), last)


def _ahead(d: Derivation, t: Tree, A: sp.IndexedBase, before: Fact) -> Fact:
    """Σ q A = r − Z after c, where A = r after each token."""
    there = d.instantiate("after a token", before, {c: t.child[c, x]})
    per_token = d.derive(
        "a longer prefix", eq(t.q[c, x] * A[n, t.child[c, x]], t.r[c] * t.p[c, x] - t.over), there, t.step
    )
    per_token = d.sum("over the next draft", per_token, x)
    goal = eq(total(t.q[c, x] * A[n, t.child[c, x]], x), t.r[c] - t.Z[c])
    return d.derive("some longer prefix is kept", goal, per_token, t.mass_p, t.missing)


def nodes(vocab: int, gamma: int) -> list[tuple[int, ...]]:
    """All prefixes of at most γ tokens, the shorter first."""
    return [x for length in range(gamma + 1) for x in product(range(vocab), repeat=length)]


def values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """The tree of two models; after γ drafts nothing is drafted: there q is p and a prefix its own child."""
    prefixes = nodes(p.shape[-1], gamma)
    number = {prefix: at for at, prefix in enumerate(prefixes, 1)}
    target = markov(p)
    draft = markov(q)
    P = [target(prefix) for prefix in prefixes]
    Q = [draft(prefix) if len(prefix) < gamma else target(prefix) for prefix in prefixes]
    r: list[Any] = [F(1)]
    for prefix in prefixes[1:]:
        at = number[prefix[:-1]] - 1
        y = prefix[-1]
        r.append(min(F(1), r[at] * P[at][y] / Q[at][y]) if Q[at][y] else F(1))
    h = [_test(*laws) for laws in zip(r, P, Q, strict=True)]
    child = [[number.get((*prefix, y), at) for y in range(len(P[0]))] for at, prefix in enumerate(prefixes, 1)]
    return {
        **{"p": P, "q": Q, "r": r, "h": h, "child": child, "V": len(P[0]), "size": gamma},
        "ranges": {"c": range(1, len(prefixes) + 1), "root": [1], "n": range(gamma + 1)},
    }


def _test(r: Fraction, p: Array, q: Array) -> Any:
    Z = sum(max(r * a - b, 0) for a, b in zip(p, q, strict=True))
    return Z / (Z + 1 - r) if Z + 1 - r else F(1)
