"""ears.sequence-bias: the smaller of two products is at least the product of the smaller factors, and what these miss adds up."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._block_texts import block_texts, block_values
from proofs_check.ears._gain_and_price import gained, shifted
from proofs_check.ears._text_laws import (
    Backward,
    N,
    Product,
    Step,
    Texts,
    backward,
    c,
    distance,
    law_of_step,
    longer,
    n,
    product,
    s,
    start,
    texts,
    values,
    within,
)
from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, le, total, x
from simspec.claims.ears.parts import tolerance
from simspec.claims.ears.sequence_bias import FOREIGN, SEQUENCE, SEQUENCE_ROOT, SEQUENCE_SHARP, _shared_roots
from simspec.laws import Array

e_ = index("e")
last, T = sp.symbols("last T", integer=True, nonnegative=True)


def _laws(d: Derivation, w: Step, tx: Texts) -> tuple[Product, Product, Product, Backward]:
    """Laws of texts under the target and under EARS, the agreement along a text, and Z by its recursion."""
    P = product(d, "chance of a text under the target", "P", w.p, tx, w.mass_p)
    output_product = product(d, "chance of a text under EARS", "O", w.o, tx, w.mass_o)
    agreement = sp.Min(w.p, w.o)
    Z = backward(d, "agreement from a state on", "Z", agreement, tx)
    return P, output_product, product(d, "agreement along a text", "m", agreement, tx, Z), Z


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, automaton, length T ≥ 1 and γ, all laws, every tolerance.

    The first four are equalities for one token (T = 1, β = 1, p = (1/2, 1/2, 0), q = (1/4, 1/4, 1/2)), and the second
    for every T where only tokens with p = 0 are pardoned (ears.sequence-bias-sharp).
    """
    w = law_of_step(d)
    tx = texts(d)
    P, output_product, m, Z = _laws(d, w, tx)
    agreement = sp.Min(w.p, w.o)
    law_p = d.derive("p is a law", ge(w.p, 0))
    positive = d.smt("min(p, o)", ge(agreement, 0), law_p, w.positive)
    below_p = d.derive("at most p", le(agreement, w.p))
    below_o = d.derive("at most o", le(agreement, w.o))
    some = within(d, "the agreement is not negative", tx, positive, m)
    signs = [some, positive]
    under = [
        within(d, f"the agreement is at most {law.W}", tx, f, m, law, *signs)
        for law, f in ((P, below_p), (output_product, below_o))
    ]
    apart = le(
        sp.Abs(P.W[n, s, c] - output_product.W[n, s, c]), P.W[n, s, c] + output_product.W[n, s, c] - 2 * m.W[n, s, c]
    )
    apart = d.summed("one text", apart, *under, over=c, upto=N[n], by="smt")
    tv = distance(P.W[n, s, c], output_product.W[n, s, c], n)
    coupled = d.smt("both laws have mass one", le(tv, 1 - Z.B[n, s]), apart, P.summed, output_product.summed, m.summed)
    # in blocks
    B, block, mass_b = block_texts(d, w, tx, m, some, positive)
    apart = le(sp.Abs(B - P.W[n, s, c]), P.W[n, s, c] + B - 2 * m.W[n, s, c])
    apart = d.summed("one text of blocks", apart, under[0], block, over=c, upto=N[n], by="smt")
    tv_b = distance(B, P.W[n, s, c], n)
    blocks = d.smt("both laws have mass one", le(tv_b, 1 - Z.B[n, s]), apart, P.summed, mass_b, m.summed)
    # a token more
    tv_more = longer(d, tx, w)
    # summed bias
    E = sp.IndexedBase("E", real=True)
    away = sp.IndexedBase("away", real=True)[s]
    bias = d.define("bias of a token", away, total(sp.Abs(w.o - w.p), x) / 2)
    none, recursion_step = d.recursion(
        "expected bias of the tokens to come, along texts of the target",
        eq(E[0, s], 0),
        eq(E[n + 1, s], away + total(w.p * E[n, tx.step[s, x]], x)),
    )
    next_ = {s: tx.step[s, x]}
    size = d.smt("not negative", ge(away, 0), bias, d.derive("distances", ge(total(sp.Abs(w.o - w.p), x), 0)))
    statement = ge(E[n, s], 0)
    there = d.instantiate("in the next state", d.suppose("summed bias is not negative", statement), next_)
    there = d.summed("a token", ge(w.p * E[n, next_[s]], 0), there, law_p, by="smt")
    plus = d.inductive("for every n", statement, n, [none], [recursion_step, there, size], by="smt")
    plus = d.instantiate("in the next state", plus, next_)
    shared_mass = d.summed("what both share", eq(agreement, (w.p + w.o - sp.Abs(w.o - w.p)) / 2))
    shared_mass = d.smt(
        "both laws have mass one", eq(total(agreement, x), 1 - away), shared_mass, bias, w.mass_p, w.mass_o
    )
    statement = le(1 - Z.B[n, s], sign * E[n, s])
    there = d.instantiate("in the next state", d.suppose("the first disagreement", statement), next_)
    token = le(agreement * (1 - Z.B[n, next_[s]]), w.p * E[n, next_[s]])
    token = d.summed("after a token", token, there, plus, positive, below_p, by="smt")
    union = d.inductive(
        "disagreements add up", statement, n, [Z.none, none], [Z.more, recursion_step, token, shared_mass], by="smt"
    )
    # against the largest tolerance
    top = sp.Symbol("top", real=True)
    largest = d.domain("top is the largest tolerance", le(w.t, top))
    pair = (w.p, w.q)
    premises = [w.some, w.part]
    tv_one = gained(d, pair, w.g, (w.mass_p, w.mass_q), w.residue, (w.o, w.law), *premises)
    cap = d.summed("a pardon", le(w.g, w.t * w.q))
    cap = d.smt("bias of a token", le(away, top), bias, tv_one, cap, w.mass_q, largest)
    statement = le(E[n, s], constant * n * top)
    there = d.instantiate("in the next state", d.suppose("the largest tolerance each time", statement), next_)
    token = d.summed("after a token", le(w.p * E[n, next_[s]], w.p * constant * n * top), there, law_p, by="smt")
    linear = d.inductive("for every n", statement, n, [none], [recursion_step, token, cap, w.mass_p], by="smt")
    ends = [d.instantiate("the text", f, {n: last + 1, s: start}) for f in (coupled, blocks, union, linear)]
    d.qed(d.instantiate("the text", tv_more, {n: last}), *ends)


def _values(p: Array, q: Array, beta: Fraction, length: int, gamma: int) -> Mapping[str, Any]:
    bindings = {**values(p, q, beta, length), "last": length - 1, "top": tolerance(p, beta).max()}
    return {**bindings, **block_values(gamma), "ranges": {**bindings["ranges"], **block_values(gamma)["ranges"]}}


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, automaton and length, all laws and tolerances under which no token of the target is pardoned."""
    w = law_of_step(d)
    tx = texts(d)
    foreign = d.assume(FOREIGN, eq(w.p * w.g, 0))
    P, output_product, m, Z = _laws(d, w, tx)
    law_p = d.derive("p is a law", ge(w.p, 0))
    gain = d.smt("all pardons", ge(total(w.g, x), 0), d.sum("over the vocabulary", w.some, x))
    away = shifted(d, (w.p, w.q), w.g, (w.mass_p, w.mass_q), w.residue, (w.o, w.law))
    law_r = d.derive("r is a law", ge(w.residue[0], 0))
    back = d.smt("what is replaced", ge(total(w.g, x) * w.residue[0], 0), gain, law_r)
    no_gain = eq(w.p * sp.Max(w.o - w.p, 0), 0)
    lost = d.derive("what a token loses", eq(w.p * (w.o - w.p), -w.p * total(w.g, x) * w.residue[0]), away, foreign)
    lost = d.smt("is not negative", le(w.p * (w.o - w.p), 0), lost, back, law_p)
    no_gain = d.smt("where the target can write, no token gains", no_gain, lost, law_p)
    some_p = within(d, "chances under the target are not negative", tx, law_p, P)
    some_o = within(d, "chances under EARS are not negative", tx, w.positive, output_product)
    tail = {s: tx.step[s, tx.first[c]], c: tx.rest[c]}
    head = {x: tx.first[c]}
    signs = [d.instantiate("the rest", f, tail) for f in (some_p, some_o)]
    signs += [d.instantiate("the first token", f, head) for f in (law_p, w.positive, no_gain)]
    text = P.W[n, s, c]
    output_chance = output_product.W[n, s, c]
    agree = m.W[n, s, c]
    statement = eq(text * sp.Max(output_chance - text, 0), 0)
    there = d.instantiate("the rest of a text", d.suppose("no text of the target gains", statement), tail)
    fewer = d.inductive(
        "no text that the target can write gains",
        statement,
        n,
        [P.none, output_product.none],
        [P.more, output_product.more, there, *signs],
        by="smt",
    )
    rest = d.instantiate("the rest of a text", fewer, tail)
    statement = eq(agree, sp.Min(text, output_chance))
    base = d.derive("the empty text", statement.replace({n: 0}), P.none, output_product.none, m.none)
    there = d.instantiate("the rest of a text", d.suppose("the smaller product", statement), tail)
    step = statement.replace({n: n + 1})
    premises = [P.more, output_product.more, m.more, there, rest, *signs]
    step = d.smt("a token more", step, *premises)
    same = d.induction("the product of the smaller factors is the smaller product", statement, n, base, step)
    apart = eq(sp.Abs(text - output_chance), text + output_chance - 2 * constant * agree)
    apart = d.summed("one text", apart, same, over=c, upto=N[n])
    text_distance = eq(distance(text, output_chance, n), 1 - sign * Z.B[n, s])
    text_distance = d.smt("both laws have mass one", text_distance, apart, P.summed, output_product.summed, m.summed)
    d.qed(d.instantiate("the text", text_distance, {n: T, s: start}))


class Roots(NamedTuple):
    """Products along a text of p, of o and of rho, the root of p o, and what is known of them."""

    P: Product
    ours: Product
    R: Product
    B: Backward
    """Root overlap: the sum of R over texts."""
    rho: Any
    square: Fact
    """rho² = p o."""
    positive: Fact
    """rho ≥ 0."""
    law_p: Fact
    some: list[Fact]
    """No product is negative, in the order P, O, R."""
    squared: Fact
    """R² = P O."""


def prove_root(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, automaton and length, all laws, every tolerance.

    All four are equalities at β = 0, where both laws of texts agree. Beyond that the first is one for disjoint steps (B
    = 0), the third for states with one root overlap; 2 T (1 − b) is the tangent of 1 − b^(2T) at b = 1.
    """
    w = law_of_step(d)
    tx = texts(d)
    r = rooted(d, w, tx)
    target_chance = r.P.W[n, s, c]
    output_chance = r.ours.W[n, s, c]
    root = r.R.W[n, s, c]
    small = sp.Min(target_chance, output_chance)
    large = sp.Max(target_chance, output_chance)
    tv = distance(target_chance, output_chance, n)
    low = d.summed("the smaller is at most the root", le(small, root), r.squared, *r.some, over=c, upto=N[n], by="smt")
    halves = [
        d.summed(
            "of two",
            eq(e, (target_chance + output_chance + k * sp.Abs(target_chance - output_chance)) / 2),
            over=c,
            upto=N[n],
        )
        for e, k in ((small, -1), (large, 1))
    ]
    halves = [
        d.derive("both laws have mass one", eq(total(e, c, upto=N[n]), 1 + k * tv), f, r.P.summed, r.ours.summed)
        for e, k, f in zip((small, large), (-1, 1), halves, strict=True)
    ]
    first_ = d.smt("Le Cam, from below", le(1 - sign * constant * r.B.B[n, s], tv), low, halves[0], r.R.summed)
    pairs = cauchy_schwarz(d, r)
    cs = le(r.B.B[n, s] ** 2, (1 - tv) * (1 + tv))
    cs = d.smt("Cauchy and Schwarz", cs, *pairs, *halves, r.R.summed)
    second = d.smt("Le Cam, from above", le(tv**2, 1 - r.B.B[n, s] ** 2), cs)
    third, fourth = by_least_overlap(d, w, tx, r)
    d.qed(
        *(d.instantiate("the text", f, {n: T, s: start}) for f in (first_, second, third)),
        d.instantiate("the text", fourth, {n: T}),
    )


def rooted(d: Derivation, w: Step, tx: Texts) -> Roots:
    """The root of the product of two laws along a text is the product of roots."""
    P = product(d, "chance of a text under the target", "P", w.p, tx, w.mass_p)
    output_product = product(d, "chance of a text under EARS", "O", w.o, tx, w.mass_o)
    roots = sp.IndexedBase("rho", real=True)[s, x]
    positive, square = d.domain("rho is the root of p o", ge(roots, 0), eq(roots**2, w.p * w.o))
    B = backward(d, "root overlap from a state on", "B", roots, tx)
    R = product(d, "root overlap along a text", "R", roots, tx, B)
    law_p = d.derive("p is a law", ge(w.p, 0))
    some = [
        within(d, f"{f.W} is not negative", tx, g, f)
        for f, g in ((P, law_p), (output_product, w.positive), (R, positive))
    ]
    statement = eq(R.W[n, s, c] ** 2, P.W[n, s, c] * output_product.W[n, s, c])
    tail = {s: tx.step[s, tx.first[c]], c: tx.rest[c]}
    there = d.instantiate("the rest of a text", d.suppose("a product under the root", statement), tail)
    here = d.instantiate("its first token", square, {x: tx.first[c]})
    squared = d.inductive(
        "the root of a product is the product of roots",
        statement,
        n,
        [P.none, output_product.none, R.none],
        [P.more, output_product.more, R.more, there, here],
    )
    return Roots(
        P=P,
        ours=output_product,
        R=R,
        B=B,
        rho=roots,
        square=square,
        positive=positive,
        law_p=law_p,
        some=some,
        squared=squared,
    )


def cauchy_schwarz(d: Derivation, r: Roots) -> list[Fact]:
    """2 r r′ ≤ a b′ + a′ b over pairs of texts, a ≤ b the two chances and r their root; then the sums of a, b and r."""
    target_chance = r.P.W[n, s, c]
    output_chance = r.ours.W[n, s, c]
    root = r.R.W[n, s, c]
    small = sp.Min(target_chance, output_chance)
    large = sp.Max(target_chance, output_chance)
    pair_product = d.derive("a product of two", eq(small * large, target_chance * output_chance))
    lower = d.smt("the smaller", ge(small, 0), *r.some)
    upper = d.smt("the larger", ge(large, 0), *r.some)
    a, b_, r_ = (sp.IndexedBase(name, real=True)[n, s, c] for name in ("small", "large", "root"))
    names = [d.define("smaller chance", a, small), d.define("larger chance", b_, large), d.define("root", r_, root)]
    facts = [
        d.derive("not negative", ge(a, 0), names[0], lower),
        d.derive("not negative", ge(b_, 0), names[1], upper),
        d.derive("not negative", ge(r_, 0), names[2], r.some[2]),
        d.smt("their product", eq(r_**2, a * b_), *names, r.squared, pair_product),
    ]
    swap = {c: e_}
    others = [d.instantiate("another text", f, swap) for f in facts]
    a2, b2, r2 = (v.subs(swap) for v in (a, b_, r_))
    pair = d.smt("two texts", le(2 * r_ * r2, a * b2 + a2 * b_), *facts, *others)
    pair = d.sum("over pairs of texts", pair, c, e_, upto=N[n])
    return [pair, *(d.sum("over the texts", f, c, upto=N[n]) for f in names)]


def by_least_overlap(d: Derivation, w: Step, tx: Texts, r: Roots) -> tuple[Fact, Fact]:
    """1 − B² ≤ 1 − b^(2n) ≤ 2 n (1 − b), with b the least root overlap of a state."""
    b = sp.Symbol("b", real=True)
    power = sp.IndexedBase("power", real=True)
    below_overlap, sign_b = d.domain("b is the least root overlap of a state", le(b, total(r.rho, x)), ge(b, 0))
    rule = d.recursion("powers of b", eq(power[0], 1), eq(power[n + 1], b * power[n]))
    up = d.inductive("powers", ge(power[n], 0), n, [rule[0]], [rule[1], sign_b], by="smt")
    B = r.B.B
    statement = ge(B[n, s], power[n])
    there = d.instantiate("in the next state", d.suppose("at least a power", statement), {s: tx.step[s, x]})
    token = d.summed("after a token", ge(r.rho * B[n, tx.step[s, x]], r.rho * power[n]), there, r.positive, by="smt")
    step_facts = [r.B.more, rule[1], token, below_overlap, up]
    above = d.inductive("each token keeps b at least", statement, n, [rule[0], r.B.none], step_facts, by="smt")
    third = d.smt("squared", le(1 - B[n, s] ** 2, 1 - power[n] ** 2), above, up)
    mean = le(r.rho, (w.p + w.o) / 2)
    mean = d.summed("a root is at most the mean", mean, r.square, r.positive, r.law_p, w.positive, by="smt")
    b_at_most_one = d.smt("b is at most 1", le(b, 1), below_overlap, mean, w.mass_p, w.mass_o)
    statement = le(1 - power[n] ** 2, 2 * n * (1 - b))
    step_facts = [rule[1], up, below_one(d, power, rule, up, b_at_most_one, sign_b), b_at_most_one, sign_b]
    return third, d.inductive("Bernoulli's inequality", statement, n, [rule[0]], step_facts, by="smt")


def below_one(d: Derivation, power: Any, rule: tuple[Fact, Fact], up: Fact, b_at_most_one: Fact, sign_b: Fact) -> Fact:
    """Powers of b are at most 1."""
    statement = le(power[n], 1)
    return d.inductive("powers of b", statement, n, [rule[0]], [rule[1], up, b_at_most_one, sign_b], by="smt")


def _roots(p: Array, q: Array, beta: Fraction, length: int) -> Mapping[str, Any]:
    _o, roots = _shared_roots(p, q, beta)
    b = min(roots.sum(axis=-1).tolist(), key=float)
    return {**values(p, q, beta, length), "T": length, "rho": roots, "b": b}


PROOFS = (
    Proof(SEQUENCE, prove, drop="q sums to one", change={"constant": sp.S.Half}, bind=_values),
    Proof(
        SEQUENCE_SHARP,
        prove_sharp,
        drop="q sums to one",
        bind=lambda p, q, beta, length: {**values(p, q, beta, length), "T": length},
    ),
    Proof(
        SEQUENCE_ROOT,
        prove_root,
        drop="b is the least root overlap of a state",
        change={"constant": sp.S.Half},
        bind=_roots,
    ),
)
