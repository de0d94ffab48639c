"""Surprisal of a text of a stationary Markov source: its mean, and by how much it deviates.

With φ − Mφ = E[surprisal of the next token] − h, surprisal less its mean plus φ of the last token is a martingale.  Its first
two moments on the texts that end in state c, A₁ and A₂, follow from those of the texts that are one token shorter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, index, total
from simspec.claims.tasc.typical_set import ERGODIC, STATIONARY

__all__ = ["S", "Source", "c", "e", "g", "n", "source", "states"]

n = sp.Symbol("n", integer=True, nonnegative=True)
S = sp.Symbol("S", integer=True, positive=True)
c = index("c")
e = index("e")
g = index("g")


def states(body: sp.Expr, *over: Any) -> Any:
    """Sum over states."""
    return total(body, *over, upto=S)


class Chain(NamedTuple):
    """A stationary Markov source, surprisals f of a token after a state and `first` of the first token, and φ."""

    start: Any
    M: Any
    f: Any
    first: Any
    phi: Any
    rate: Any
    entry: Any
    mass: Fact
    rows: Fact
    """The first token's law and the rows of M sum to one."""
    stationary: Fact
    entropy: Fact
    per_token: Fact
    """`entry` is the mean of `first`, `rate` that of f."""
    solved: Fact
    """φ − Mφ + E φ = M f − rate."""


class Moments(NamedTuple):
    """On the texts of n + 1 tokens that end in a state: mass `now`, surprisal b and its square q, each by a recursion."""

    now: Any
    b: Any
    q: Any
    of_now: tuple[Fact, Fact]
    of_b: tuple[Fact, Fact]
    of_q: tuple[Fact, Fact]
    same: Fact
    """now = start, for every n."""
    at: Fact
    """The same in state c."""
    means: Fact
    """Σ b = entry + n rate."""

    @property
    def begin(self) -> tuple[Fact, Fact]:
        """b and q of one token."""
        return self.of_b[0], self.of_q[0]


class Source(NamedTuple):
    """The martingale of a source: its steps D, its moments A1 and A2 on the texts that end in a state."""

    chain: Chain
    moments: Moments
    D: Any
    A1: Any
    A2: Any
    one: Fact
    two: Fact
    """A1 and A2 in terms of b, q and φ."""
    walk: Fact
    climb: Fact
    """A1 and A2 after one token more."""
    still: Fact
    """Steps have mean zero in every state."""


def chain(d: Derivation) -> Chain:
    """What is given of the source."""
    start = sp.IndexedBase("start", nonnegative=True)
    M = sp.IndexedBase("M", nonnegative=True)
    f, first, phi = (sp.IndexedBase(name, real=True) for name in ("f", "first", "phi"))
    rate = sp.Symbol("rate", real=True)
    entry = sp.Symbol("entry", real=True)
    mass = d.domain("the first token's law sums to one", eq(states(start[c], c), 1))
    rows = d.domain("rows of M sum to one", eq(states(M[c, e], e), 1))
    stationary = d.assume(STATIONARY, eq(states(start[c] * M[c, e], c), start[e]))
    entropy = d.define("entropy of the first token", entry, states(start[c] * first[c], c))
    per_token = d.define("entropy rate", rate, states(start[c] * M[c, e] * f[c, e], c, e))
    solved = d.assume(
        ERGODIC,
        eq(phi[c] - states(M[c, e] * phi[e], e) + states(start[g] * phi[g], g), states(M[c, e] * f[c, e], e) - rate),
    )
    return Chain(
        start=start,
        M=M,
        f=f,
        first=first,
        phi=phi,
        rate=rate,
        entry=entry,
        mass=mass,
        rows=rows,
        stationary=stationary,
        entropy=entropy,
        per_token=per_token,
        solved=solved,
    )


def centred(d: Derivation, s: Chain) -> Fact:
    """φ has mean zero."""
    start = s.start
    M = s.M
    f = s.f
    phi = s.phi
    weighted = d.smt(
        "the equation of φ, weighted",
        eq(
            start[c] * phi[c] - start[c] * states(M[c, e] * phi[e], e) + start[c] * states(start[g] * phi[g], g),
            start[c] * states(M[c, e] * f[c, e], e) - start[c] * s.rate,
        ),
        s.solved,
    )
    weighted = d.sum("over states", weighted, c, upto=S)
    stays_stationary = d.derive(
        "a stationary law", eq(phi[e] * states(start[c] * M[c, e], c), phi[e] * start[e]), s.stationary
    )
    stays_stationary = d.sum("over states", stays_stationary, e, upto=S)
    return d.smt(
        "φ has mean zero", eq(states(start[c] * phi[c], c), 0), weighted, stays_stationary, s.mass, s.per_token
    )


def moments(d: Derivation, s: Chain) -> Moments:
    """Token by token: the law of the last token stays the same, and surprisal grows by the rate in the mean."""
    start = s.start
    M = s.M
    f = s.f
    first = s.first
    now, b, q = (sp.IndexedBase(name, real=True) for name in ("now", "b", "q"))
    begins, goes = d.recursion(
        "law of the last token", eq(now[0, e], start[e]), eq(now[n + 1, e], states(now[n, c] * M[c, e], c))
    )
    begins_b, goes_b = d.recursion(
        "surprisal on the texts that end in a state",
        eq(b[0, e], start[e] * first[e]),
        eq(b[n + 1, e], states((b[n, c] + now[n, c] * f[c, e]) * M[c, e], c)),
    )
    of_q = d.recursion(
        "and its square",
        eq(q[0, e], start[e] * first[e] ** 2),
        eq(q[n + 1, e], states((q[n, c] + 2 * f[c, e] * b[n, c] + f[c, e] ** 2 * now[n, c]) * M[c, e], c)),
    )
    stays = eq(now[n, e], start[e])
    so_far = d.suppose("the law of the token n + 1", stays)
    here = d.instantiate("in every state", so_far, {e: c})
    law_step = d.summed("one step", eq(now[n, c] * M[c, e], start[c] * M[c, e]), here, over=c, upto=S)
    same = d.inductive("the law stays the same", stays, n, [begins], [goes, law_step, s.stationary])
    at = d.instantiate("in every state", same, {e: c})
    row = d.summed("a row sums to one", eq(b[n, c] * states(M[c, e], e), b[n, c]), s.rows, over=c, upto=S)
    adds = d.derive("one step adds", eq(now[n, c] * f[c, e] * M[c, e], start[c] * M[c, e] * f[c, e]), at)
    adds = d.sum("over states", adds, c, e, upto=S)
    growth_sum = d.sum("over states", goes_b, e, upto=S)
    mean = eq(states(b[n, c], c), s.entry + n * s.rate)
    base = [d.sum("over states", begins_b, e, upto=S), s.entropy]
    means = d.inductive("mean surprisal", mean, n, base, [growth_sum, row, adds, s.per_token], by="smt")
    return Moments(
        now=now, b=b, q=q, of_now=(begins, goes), of_b=(begins_b, goes_b), of_q=of_q, same=same, at=at, means=means
    )


def source(d: Derivation) -> Source:
    """Definitions, the mean, and the second moment of the martingale: Σ A₂ grows by σ² a token."""
    s = chain(d)
    level = centred(d, s)
    of = moments(d, s)
    start = s.start
    M = s.M
    f = s.f
    phi = s.phi
    now = of.now
    b = of.b
    q = of.q
    A1, A2, D = (sp.IndexedBase(name, real=True) for name in ("A1", "A2", "D"))
    gap = phi[c] - s.entry - n * s.rate
    jump = d.define("its steps", D[c, e], f[c, e] - s.rate + phi[e] - phi[c])
    first_moment = d.define("its mean on the texts that end in a state", A1[n, c], b[n, c] + gap * now[n, c])
    two = d.define("and its square", A2[n, c], q[n, c] + 2 * gap * b[n, c] + gap**2 * now[n, c])
    next_one = d.instantiate("after the next token", first_moment, {n: n + 1, c: e})
    next_two = d.instantiate("after the next token", two, {n: n + 1, c: e})
    late = phi[e] - s.entry - (n + 1) * s.rate
    per_state = d.derive(
        "one more token, after each state",
        eq(
            (b[n, c] + now[n, c] * f[c, e]) * M[c, e] + late * now[n, c] * M[c, e],
            (A1[n, c] + D[c, e] * now[n, c]) * M[c, e],
        ),
        *(first_moment, jump),
    )
    walk = d.smt(
        "the mean goes on",
        eq(A1[n + 1, e], states((A1[n, c] + D[c, e] * start[c]) * M[c, e], c)),
        *(next_one, d.sum("over states", per_state, c, upto=S), of.of_b[1], of.of_now[1]),
        *(weigh(d, of.at, D[c, e] * M[c, e], now, start),),
    )
    per_state = d.derive(
        "its square, after each state",
        eq(
            (q[n, c] + 2 * f[c, e] * b[n, c] + f[c, e] ** 2 * now[n, c]) * M[c, e]
            + 2 * late * (b[n, c] + now[n, c] * f[c, e]) * M[c, e]
            + late**2 * now[n, c] * M[c, e],
            (A2[n, c] + 2 * D[c, e] * A1[n, c] + D[c, e] ** 2 * now[n, c]) * M[c, e],
        ),
        *(first_moment, two, jump),
    )
    climb = d.smt(
        "the square goes on",
        eq(A2[n + 1, e], states((A2[n, c] + 2 * D[c, e] * A1[n, c] + D[c, e] ** 2 * start[c]) * M[c, e], c)),
        *(next_two, d.sum("over states", per_state, c, upto=S), of.of_q[1], of.of_b[1], of.of_now[1]),
        *(weigh(d, of.at, D[c, e] ** 2 * M[c, e], now, start),),
    )
    shift = d.derive("its steps, weighted", eq(M[c, e] * D[c, e], M[c, e] * (f[c, e] - s.rate + phi[e] - phi[c])), jump)
    shift = d.sum("over states", shift, e, upto=S)
    still = d.smt("have mean zero", eq(states(M[c, e] * D[c, e], e), 0), shift, s.solved, level, s.rows)
    return Source(
        chain=s, moments=of, D=D, A1=A1, A2=A2, one=first_moment, two=two, walk=walk, climb=climb, still=still
    )


def weigh(d: Derivation, same: Fact, weight: Any, now: Any, start: Any) -> Fact:
    """The law of the last token is the first token's, with a weight and over states."""
    weighted = d.derive("the law stays the same, weighted", eq(weight * now[n, c], weight * start[c]), same)
    return d.sum("over states", weighted, c, upto=S)
