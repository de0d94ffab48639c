"""Laws of texts: a text of n + 1 tokens is a token and a text of n; sums over all N[n] texts from a state.

Texts are numbered from 1, the first token counting fastest: `first[c]` and `rest[c]` take one apart, `child[n, c, x]` adds
token x to the first n tokens of c.  `step[s, x]` is the state after token x in state s.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._gain_and_price import emitted, residual, rows
from proofs_check.ears.gamma_scaling import NONNEGATIVE
from proofs_check.language import Derivation, Fact, V, eq, ge, index, le, total, x
from simspec.claims.ears.parts import tolerance
from simspec.laws import Array
from simspec.methods import SD

__all__ = [
    *(
        "N",
        "Product",
        "Step",
        "Texts",
        "backward",
        "c",
        "distance",
        "law_of_step",
        "longer",
        "n",
        "product",
        "regrouped",
        "s",
        "start",
    ),
    *("texts", "values", "within"),
]

s = index("s")
c = index("c")
start = index("start")
n = sp.Symbol("n", integer=True, nonnegative=True)
N = sp.IndexedBase("N", integer=True, nonnegative=True)
"""Number of texts of n tokens."""


class Texts(NamedTuple):
    """How texts are taken apart."""

    step: Any
    first: Any
    rest: Any
    joined: Any
    empty: Fact
    """N[0] = 1."""
    longer: Fact
    """N[n + 1] = V N[n]."""
    digits: list[Fact]
    """`first` and `rest` of `joined[c, x]` are x and c."""


class Step(NamedTuple):
    """One step of EARS in a state: laws, what is pardoned, residual, emitted law, and their facts."""

    p: Any
    q: Any
    g: Any
    t: Any
    o: Any
    residue: tuple[Any, Fact, Fact]
    law: Fact
    mass_p: Fact
    mass_q: Fact
    mass_o: Fact
    positive: Fact
    some: Fact
    part: Fact
    back: Fact


class Product(NamedTuple):
    """A product of weights along a text: its symbol W[n, s, c], its two equations, and its sum over texts."""

    W: Any
    none: Fact
    more: Fact
    summed: Fact


class Backward(NamedTuple):
    """A sum over texts by recursion over states: its symbol B[n, s] and its two equations."""

    B: Any
    none: Fact
    more: Fact


def texts(d: Derivation) -> Texts:
    number = d.recursion("texts of n tokens, the empty one first", eq(N[0], 1), eq(N[n + 1], V * N[n]))
    text = "a text's number holds its first token and the number of the rest"
    (first, rest, joined), digits = d.digits(text, c, "first", "rest", "joined")
    return Texts(d.map("step"), first, rest, joined, *number, digits)


def law_of_step(d: Derivation) -> Step:
    """EARS in every state: the emitted law is a law."""
    p, mass_p = rows(d, "p", s)
    q, mass_q = rows(d, "q", s)
    pair = (p[s, x], q[s, x])
    residue = residual(d, *pair, s)
    r, mass_r, _ = residue
    t = sp.IndexedBase("t", real=True)[s]
    allowed = d.domain(NONNEGATIVE, ge(t, 0))
    g = sp.Min(sp.Max(q[s, x] - p[s, x], 0), t * q[s, x])
    some = d.smt("a pardon is not negative", ge(g, 0), allowed, d.derive("q is a law", ge(q[s, x], 0)))
    within_surplus = d.derive("and no more than the draft has beyond", le(g, sp.Max(q[s, x] - p[s, x], 0)))
    accepted = sp.Min(*pair) + g
    o, law = emitted(d, "the law of the emitted token", "o", accepted, r, s)
    at_most_drafted = d.summed("no more is kept than drafted", le(accepted, q[s, x]))
    rest = d.smt("what is rejected", ge(1 - total(accepted, x), 0), at_most_drafted, mass_q)
    parts = [d.smt("min(p, q)", ge(sp.Min(*pair), 0)), d.derive("r is a law", ge(r, 0))]
    back = d.smt("what replaces it", ge((1 - total(accepted, x)) * r, 0), rest, parts[1])
    positive = d.smt("the emitted law", ge(o, 0), law, parts[0], some, back)
    mass_o = d.derive("has mass one", eq(total(o, x), 1), d.sum("over the vocabulary", law, x), mass_r)
    return Step(
        p=p[s, x],
        q=q[s, x],
        g=g,
        t=t,
        o=o,
        residue=residue,
        law=law,
        mass_p=mass_p,
        mass_q=mass_q,
        mass_o=mass_o,
        positive=positive,
        some=some,
        part=within_surplus,
        back=back,
    )


def regrouped(d: Derivation, body: Any, tx: Texts) -> Fact:
    """Σ over texts of n + 1 tokens of f(first, rest) = Σ over tokens and texts of n: by the digits of a text's number."""
    split = body(tx.first[c], tx.rest[c])
    groups = d.grouped("texts of n + 1 tokens in groups with one rest", split, c, tx.joined, tx.longer)
    split = split.subs(c, tx.joined[c, x])
    parts = d.summed("their digits", eq(split, body(x, c)), *tx.digits, then="over the first token")
    parts = d.sum("over the rests", parts, c, upto=N[n])
    goal = eq(total(body(tx.first[c], tx.rest[c]), c, upto=N[n + 1]), total(total(body(x, c), c, upto=N[n]), x))
    return d.derive("a text of n + 1 tokens is a token and a text of n", goal, groups, parts)


def product(d: Derivation, text: str, name: str, weight: sp.Expr, tx: Texts, mass: Fact | Backward) -> Product:
    """The product of a weight along a text, and its sum over texts.

    `mass`: that the weight sums to one, or a recursion over states that the sum follows.
    """
    W = sp.IndexedBase(name, real=True)
    (step, first, rest, _, empty, *_) = tx
    here = weight.subs(x, first[c])
    after = step[s, first[c]]
    none, recursion_step = d.recursion(text, eq(W[0, s, c], 1), eq(W[n + 1, s, c], here * W[n, after, rest[c]]))
    value, at_end, law = (sp.S.One, [], mass) if isinstance(mass, Fact) else (mass.B[n, s], [mass.none], mass.more)
    statement = eq(total(W[n, s, c], c, upto=N[n]), value)
    base = d.sum("the empty text", none, c, upto=N[0])
    again = regrouped(d, lambda token, tail: weight.subs(x, token) * W[n, step[s, token], tail], tx)
    there = d.instantiate("in the next state", d.suppose(f"the sum of {name}", statement), {s: step[s, x]})
    times = eq(weight * total(W[n, step[s, x], c], c, upto=N[n]), weight * value.subs(s, step[s, x]))
    tails = d.summed("texts after a token", times, there)
    heads = d.sum("over the texts", recursion_step, c, upto=N[n + 1])
    return Product(
        W,
        none,
        recursion_step,
        d.inductive("for every n", statement, n, [base, empty, *at_end], [heads, again, tails, law]),
    )


def distance(one: sp.Expr, other: sp.Expr, length: sp.Expr) -> sp.Expr:
    """Total-variation distance of two laws of texts of some length."""
    return total(sp.Abs(one - other), c, upto=N[length]) / 2


def values(p: Array, q: Array, beta: Fraction, length: int) -> dict[str, Any]:
    """What the symbols stand for: state 1 before the text, state x + 1 after token x."""
    vocab = p.shape[-1]
    return {
        **{"p": p, "q": q, "t": tolerance(p, beta)[:, 0], "r": SD.residual(p, q), "V": vocab, "start": 1},
        "step": lambda s, x: x + 1,
        "N": lambda n: vocab**n,
        **{"now": lambda n, c: (c - 1) % vocab + 2 if n else 1},
        **{"ranges": {"s": range(1, len(p) + 1), "c": range(1, vocab**length + 1), "n": range(length)}},
    }


def backward(d: Derivation, text: str, name: str, weight: sp.Expr, tx: Texts) -> Backward:
    """B[n, s] = Σ_x weight · B[n − 1, next state], B[0, s] = 1."""
    B = sp.IndexedBase(name, real=True)
    return Backward(B, *d.recursion(text, eq(B[0, s], 1), eq(B[n + 1, s], total(weight * B[n, tx.step[s, x]], x))))


def within(
    d: Derivation, text: str, tx: Texts, weight: Fact, smaller: Product, larger: Product | None = None, *using: Fact
) -> Fact:
    """One product is not negative, or at most another one, along every text, from the same of the weights.

    `weight`: the statement about the weights; `using`: that the smaller product and weight are not negative.
    """
    W = smaller.W
    tail = {s: tx.step[s, tx.first[c]], c: tx.rest[c]}
    if larger is None:
        statement = ge(W[n, s, c], 0)
        rules = [smaller]
    else:
        statement = le(W[n, s, c], larger.W[n, s, c])
        rules = [smaller, larger]
    base = d.derive("the empty text", statement.replace({n: 0}), *(r.none for r in rules))
    there = d.instantiate("the rest of a text", d.suppose(text, statement), tail)
    here = d.instantiate("its first token", weight, {x: tx.first[c]})
    assumptions = [d.instantiate("the rest", using[0], tail)] if using else []
    assumptions += [d.instantiate("the first token", f, {x: tx.first[c]}) for f in using[1:]]
    facts = (*(r.more for r in rules), there, here, *assumptions)
    step = d.smt("a token more", statement.replace({n: n + 1}), *facts)
    return d.induction(f"{text}, whatever the text", statement, n, base, step)


def longer(d: Derivation, tx: Texts, w: Step) -> Fact:
    """The distance of the laws of n tokens is at most that of n + 1 tokens: here texts are taken apart at their last token.

    `first` of a number is then the last token, `rest` the text before it; `now` is the state after a text.
    """
    now = d.map("now")
    sides = []
    for label, name, weight, mass in (("P", "the target", w.p, w.mass_p), ("O", "EARS", w.o, w.mass_o)):
        W = sp.IndexedBase(f"{label}_last", real=True)
        before = tx.rest[c]
        last = tx.first[c]
        step = W[n, before] * weight.subs({s: now[n, before], x: last}, simultaneous=True)
        rule = d.recursion(f"chance of a text under {name}, by its last token", eq(W[0, c], 1), eq(W[n + 1, c], step))
        mass = d.instantiate("after a text", mass, {s: now[n, c]})
        mass = d.derive("the last token summed away", eq(W[n, c] * mass.relation.lhs, W[n, c]), mass)
        sides.append((W, weight, rule[1], mass))
    (P, p, more_p, mass_p), (output_product, o, more_o, mass_o) = sides

    def body(token: Any, text: Any) -> sp.Expr:
        here = [e.subs({s: now[n, text], x: token}, simultaneous=True) for e in (p, o)]
        return sp.Abs(P[n, text] * here[0] - output_product[n, text] * here[1])

    heads = eq(sp.Abs(P[n + 1, c] - output_product[n + 1, c]), body(tx.first[c], tx.rest[c]))
    heads = d.summed("a token more", heads, more_p, more_o, over=c, upto=N[n + 1])
    target_term, output_term = (W[n, c] * e.subs(s, now[n, c]) for W, e in ((P, p), (output_product, o)))
    up = d.summed(
        "from above", le(target_term - output_term, sp.Abs(target_term - output_term)), then="over the last token"
    )
    down = d.summed(
        "from below", le(output_term - target_term, sp.Abs(target_term - output_term)), then="over the last token"
    )
    merged = le(sp.Abs(P[n, c] - output_product[n, c]), total(body(x, c), x))
    facts = (up, down, mass_p, mass_o)
    merged = d.summed("the triangle inequality", merged, *facts, over=c, upto=N[n], by="smt")
    distances = [distance(P[k, c], output_product[k, c], k) for k in (n, n + 1)]
    return d.smt("one token more", le(*distances), merged, heads, regrouped(d, body, tx))
