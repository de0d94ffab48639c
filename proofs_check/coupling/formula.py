"""coupling.formula: the two races in the share v of their times, over the pieces between the shares p/(p + q) of the tokens.

X = x and Y = y for x ≠ y have together the density q_x p_y / M(v)² at every v between the shares of x and y, with M(v) = Σ max(q
v, p (1 − v)); a token of mass p_y wins both with p_y q_y / Σ max(p_x q_y, q_x p_y).  A token has begun where v is at its share or
beyond.  No share lies inside a piece from v to v', so that M is linear there, and ∫ 1/M² is (v' − v) / (M(v) M(v')): this is what
the name of the integral over a piece is defined to be.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coupling._race import quotient, sums, values
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x, y
from simspec.claims.coupling.formula import FORMULA

BEGUN = "where a token has begun a piece starts at its share or beyond, and where it has not it ends there or before"
WINS = "1/Σ max(p_i/p_j, q_i/q_j), as a quotient"
LEVEL = "1/M at the ratio of y"
n, N = sp.symbols("n N", integer=True, nonnegative=True)
M, Q, P, w, W, gone, come, D = (
    sp.IndexedBase(name, real=True) for name in ("M", "Q", "P", "w", "W", "gone", "come", "D")
)


class Pieces(NamedTuple):
    """Laws, ends of pieces, marks of what has begun, and what is known of them by name."""

    p: Any
    q: Any
    v: Any
    on: Any
    facts: dict[str, Fact]

    def larger(self, at: Any) -> Any:
        """What a token adds to M at an end."""
        return sp.Max(self.q[x] * self.v[at], self.p[x] * (1 - self.v[at]))

    def linear(self, at: Any) -> Any:
        """The same on the piece n, by what has begun there."""
        return self.on[x, n] * self.q[x] * self.v[at] + (1 - self.on[x, n]) * self.p[x] * (1 - self.v[at])

    def get(self, *names: str) -> tuple[Fact, ...]:
        """Facts by name."""
        return tuple(self.facts[name] for name in names)

    def add(self, d: Derivation, name: str, fact: Fact) -> Fact:
        """Keep a fact about the piece n or the end n, and the same at the next one."""
        self.facts.update({name: fact, f"next {name}": d.instantiate("at the next end", fact, {n: n + 1})})
        return fact


def pieces(d: Derivation) -> Pieces:
    """Definitions: ends, marks, the race's M at an end, and the masses that have begun and have not."""
    (p, mass_p) = d.law("p")
    (q, mass_q) = d.law("q")
    v = d.weights("v", n)
    on = d.weights("on", x, n)
    s = Pieces(p, q, v, on, {"mass p": mass_p, "mass q": mass_q})
    ends_at_most, grow, low, high = d.domain(
        "ends of pieces are shares in their order, from 0 to 1",
        le(v[n], 1),
        ge(v[n + 1], v[n]),
        eq(v[0], 0),
        eq(v[N], 1),
    )
    begun_bit, later = d.domain(
        BEGUN,
        ge(on[x, n] * (q[x] * v[n] - p[x] * (1 - v[n])), 0),
        ge((1 - on[x, n]) * (p[x] * (1 - v[n + 1]) - q[x] * v[n + 1]), 0),
    )
    flag, stays = d.domain(
        "has begun, or has not; and stays so", eq(on[x, n] ** 2, on[x, n]), ge(on[x, n + 1], on[x, n])
    )
    none, all_begun = d.domain("no token has begun at first, and every one at last", eq(on[x, 0], 0), eq(on[x, N], 1))
    s.facts.update(grow=grow, low=low, high=high, later=later, stays=stays, none=none, every=all_begun)
    for name, fact in {"most": ends_at_most, "begun": begun_bit, "flag": flag}.items():
        s.add(d, name, fact)
    level = s.add(d, "level", d.define("M at an end", M[n], total(s.larger(n), x)))
    s.facts.update(Q=d.define("what has begun", Q[n], total(q[x] * on[x, n], x)))
    s.facts.update(P=d.define("what has not", P[n], total(p[x] * (1 - on[x, n]), x)))
    at_least_v = d.summed("M is at least v", ge(s.larger(n), q[x] * v[n]), by="smt")
    at_least_complement = d.summed("and 1 − v", ge(s.larger(n), p[x] * (1 - v[n])), by="smt")
    positive = d.smt("so it is positive", gt(M[n], 0), at_least_v, at_least_complement, level, mass_p, mass_q)
    s.add(d, "positive", positive)
    s.add(
        d, "gone", d.define("(1 − v)/M, which is 1/M in the ratio of the times", gone[n], (1 - v[n]) / M[n], positive)
    )
    s.add(d, "come", d.define("v/M, which is u/M in the ratio u", come[n], v[n] / M[n], positive))
    s.add(d, "gone M", d.derive("times M", eq(gone[n] * M[n], 1 - v[n]), s.facts["gone"], positive))
    s.add(d, "come M", d.derive("times M", eq(come[n] * M[n], v[n]), s.facts["come"], positive))
    return s


def along(d: Derivation, s: Pieces, sign: int) -> tuple[Fact, Fact]:
    """On a piece 1/M falls by what has begun, and u/M rises by what has not, each times the integral: M is linear there."""
    v = s.v
    premises = s.get("flag", "begun", "later", "grow", "next most")
    starts = d.summed("M where the piece starts", eq(s.larger(n), s.linear(n)), *premises, by="smt")
    stops = d.summed("and where it ends", eq(s.larger(n + 1), s.linear(n + 1)), *premises, by="smt")
    masses = s.get("Q", "P")
    starts = d.smt("in short", eq(M[n], Q[n] * v[n] + P[n] * (1 - v[n])), starts, s.facts["level"], *masses)
    stops = d.smt(
        "in short", eq(M[n + 1], Q[n] * v[n + 1] + P[n] * (1 - v[n + 1])), stops, s.facts["next level"], *masses
    )
    positive = s.get("positive", "next positive")
    integral = d.define("∫ 1/M² over a piece", w[n], (v[n + 1] - sign * v[n]) / (M[n] * M[n + 1]), *positive)
    falls = eq(Q[n] * (v[n + 1] - v[n]), (1 - v[n]) * M[n + 1] - (1 - v[n + 1]) * M[n])
    falls = d.derive("how (1 − v)/M falls, times both M", falls, starts, stops)
    rises = eq(P[n] * (v[n + 1] - v[n]), v[n + 1] * M[n] - v[n] * M[n + 1])
    rises = d.derive("how v/M rises, times both M", rises, starts, stops)
    fall = eq(Q[n] * w[n], gone[n] - gone[n + 1])
    rise = eq(P[n] * w[n], come[n + 1] - come[n])
    return (
        d.smt("1/M falls by what has begun", fall, falls, integral, *s.get("gone", "next gone"), *positive),
        d.smt("u/M rises by what has not", rise, rises, integral, *s.get("come", "next come"), *positive),
    )


def begins(d: Derivation, s: Pieces, at: Any, level: Fact, short: Fact) -> tuple[Fact, Fact]:
    """Where y begins, at the next end, is its share: there 1/M is at[y], if y has mass, and q u/M is p at[y]."""
    p = s.p
    q = s.q
    v = s.v
    on = s.on
    starts = (1 - on[x, n]) * on[x, n + 1]
    share = eq(starts * (q[x] * v[n + 1] - p[x] * (1 - v[n + 1])), 0)
    share = d.smt("it begins at its share", share, *s.get("next begun", "later", "flag", "next flag"))
    share, flag, flag_after = (d.instantiate("of y", f, {x: y}) for f in (share, *s.get("flag", "next flag")))
    starts = starts.subs(x, y)
    mass = p[y] + q[y]
    value_at_start = eq(starts * mass * s.larger(n + 1), starts * sp.Max(p[x] * q[y], q[x] * p[y]))
    value_at_start = d.summed(
        "M there, token by token", value_at_start, share, flag, flag_after, s.facts["next most"], by="smt"
    )
    meets = d.smt("M there", eq(starts * mass * M[n + 1], starts * D[y]), value_at_start, s.facts["next level"], short)
    apart = starts * mass * (at[y] - gone[n + 1])
    positive = s.facts["next positive"]
    level_product = d.smt("at[y] M there", eq(starts * mass * M[n + 1] * at[y], starts * q[y]), meets, level)
    remaining_product = d.smt("what is left of v there", eq(starts * mass * (1 - v[n + 1]), starts * q[y]), share)
    same = eq(starts * mass * gone[n + 1] * M[n + 1], starts * q[y])
    remaining_product = d.smt("1/M there, times M", same, remaining_product, s.facts["next gone M"])
    first = d.derive("their difference", eq(apart * M[n + 1], 0), level_product, remaining_product, by="smt")
    first = d.smt("1/M there", eq(apart, 0), first, positive)
    second = eq(starts * (q[y] * come[n + 1] - p[y] * gone[n + 1]) * M[n + 1], 0)
    second = d.smt("u/M there, times M", second, share, *s.get("next gone M", "next come M"))
    last = eq(starts * (q[y] * come[n + 1] - p[y] * at[y]), 0)
    last = d.smt("u/M there", last, second, first, positive, flag, flag_after)
    return d.smt("where p has y", eq(starts * p[y] * (at[y] - gone[n + 1]), 0), first, flag, flag_after), last


def outer(d: Derivation, s: Pieces) -> tuple[Fact, Fact]:
    """1/M is 1 at the first end, and u/M is 1 at the last one."""
    first = d.summed("at share 0 the target's law", eq(s.larger(sp.S.Zero), s.p[x]), s.facts["low"], by="smt")
    level, over = (d.instantiate("at first", f, {n: 0}) for f in s.get("level", "gone M"))
    first = d.smt("M at first", eq(M[0], 1), level, first, s.facts["mass p"])
    first = d.smt("1/M at first", eq(gone[0], 1), over, first, s.facts["low"])
    last = d.summed("at share 1 the draft's law", eq(s.larger(N), s.q[x]), s.facts["high"], by="smt")
    level, over = (d.instantiate("at last", f, {n: N}) for f in s.get("level", "come M"))
    last = d.smt("M at last", eq(M[N], 1), level, last, s.facts["mass q"])
    return first, d.smt("u/M at last", eq(come[N], 1), over, last, s.facts["high"])


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, from the joint density of the races, of which the integral over a piece is defined."""
    s = pieces(d)
    p = s.p
    q = s.q
    on = s.on
    at = d.weights("at", x)
    larger = total(sp.Max(p[x] * q[y], q[x] * p[y]), x)
    level = d.domain(LEVEL, eq(at[y] * larger, q[y]))
    wins = quotient(d, "wins", WINS, p[y] * q[y], larger, p, q)
    short = d.define("the sum of the larger products", D[y], larger)
    level, *quotients = (
        d.derive("in short", f.relation.replace({larger: D[y]}), f, short, by="smt") for f in (level, *wins.facts)
    )
    same = d.smt("both races", eq(p[y] * at[y], wins.m[y]), level, *quotients)

    fall, rise = along(d, s, sign)
    target_begins, draft_begins = begins(d, s, at, level, short)
    first, last = outer(d, s)
    none, next_piece = d.recursion(
        "the integral of 1/M² over those of the first n pieces where x has begun and y has not",
        eq(W[0, x, y], 0),
        eq(W[n + 1, x, y], W[n, x, y] + constant * on[x, n] * (1 - on[y, n]) * w[n]),
    )
    row, column = (lambda m: total(p[y] * W[m, x, y], y)), (lambda m: total(q[x] * W[m, x, y], x))

    row_step = eq(p[y] * W[n + 1, x, y], p[y] * W[n, x, y] + p[y] * on[x, n] * (1 - on[y, n]) * w[n])
    step = d.summed("a piece more, over y", row_step, next_piece, over=y)
    step = d.smt("y after x", eq(row(n + 1), row(n) + on[x, n] * (come[n + 1] - come[n])), step, s.facts["P"], rise)
    start = d.summed("no piece", eq(p[y] * W[0, x, y], 0), none, over=y)
    begin = d.instantiate("of x", draft_begins, {y: x})
    law = eq(q[x] * row(n), on[x, n] * (q[x] * come[n] - p[x] * at[x]))
    law_ = d.inductive(
        "from its share on",
        law,
        n,
        [start, s.facts["none"]],
        [step, begin, *s.get("flag", "next flag", "stays")],
        by="smt",
    )
    in_all = d.instantiate("over all pieces", law_, {n: N})
    row_ = eq(q[x] * row(N) + p[x] * at[x], q[x])
    row_ = d.smt("times q, and both races", row_, in_all, last, s.facts["every"])

    row_step = eq(q[x] * W[n + 1, x, y], q[x] * W[n, x, y] + q[x] * on[x, n] * (1 - on[y, n]) * w[n])
    step = d.summed("a piece more, over x", row_step, next_piece, over=x)
    row_step = eq(column(n + 1), column(n) + (1 - on[y, n]) * (gone[n] - gone[n + 1]))
    step = d.smt("x before y", row_step, step, s.facts["Q"], fall)
    start = d.summed("no piece", eq(q[x] * W[0, x, y], 0), none, over=x)
    of_y = {
        name: d.instantiate("of y", s.facts[name], {x: y}) for name in ("none", "every", "flag", "next flag", "stays")
    }
    law = eq(p[y] * column(n), p[y] * ((1 - on[y, n]) * (1 - gone[n]) + on[y, n] * (1 - at[y])))
    steps = [step, target_begins, of_y["flag"], of_y["next flag"], of_y["stays"]]
    law_ = d.inductive("up to its share", law, n, [start, of_y["none"], first], steps, by="smt")
    in_all = d.instantiate("over all pieces", law_, {n: N})
    column_ = eq(p[y] * column(N) + p[y] * at[y], p[y])
    d.qed(same, row_, d.smt("times p, and both races", column_, in_all, of_y["every"]))


def _values(p: Any, q: Any) -> dict[str, Any]:
    shares = [a / (a + b) if a + b else F(0) for a, b in zip(p, q, strict=True)]
    ends = [F(0), *sorted({F(0), *shares, F(1)})]
    last = len(ends) - 1
    return {
        **values(p, q),
        "v": lambda end: ends[min(end, last)],
        "on": lambda token, end: int(end >= last or (end > 0 and shares[token - 1] <= ends[end])),
        "at": [b / m if m else 0 for b, m in zip(q, sums(p, q), strict=True)],
        "N": last,
        "ranges": {"n": range(last + 2)},
    }


PROOF = Proof(FORMULA, prove, drop=BEGUN, bind=_values)
