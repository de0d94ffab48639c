"""Drafts without replacement beside independent ones: each refusal makes all other drafts likelier by one factor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, le, total, x, y
from simspec.claims.claim import Claim
from simspec.laws.unchecked import normalise

__all__ = ["proof"]

s = index("s")
start = index("start")
n, m, K = sp.symbols("n m K", integer=True, nonnegative=True)
P, Q, r, none, lam, F, c, e = (
    sp.IndexedBase(name, real=True) for name in ("P", "Q", "r", "none", "lam", "F", "c", "e")
)
Z, phi, w, G, H = (sp.IndexedBase(name, real=True) for name in ("Z", "phi", "w", "G", "H"))
CHILD = "a refusal makes the other drafts likelier"
NORMED = "the residual is (P − Q)₊ over its sum"


class Given(NamedTuple):
    """What is given of every state, and what is above and below the draft there."""

    child: Any
    posP: Fact
    posQ: Fact
    posr: Fact
    allP: Fact
    allQ: Fact
    allr: Fact
    flag: Fact
    empty: Fact
    over: Any
    under: Any
    normed: Fact
    left: Fact
    likelier: Fact
    factor: Fact
    size: Fact
    posZ: Fact


def _given(d: Derivation) -> Given:
    """State what is given of drafts without replacement: masses, laws, residuals, and the state after each refusal."""
    after = d.map("after")
    child = after[n, s, x]
    posP, posQ, posr = d.domain("masses", ge(P[n, s, x], 0), ge(Q[n, s, x], 0), ge(r[n, s, x], 0))
    allP, allQ, allr = d.domain(
        "laws", eq(total(P[n, s, x], x), 1), eq(total(Q[n, s, x], x), 1 - none[n, s]), eq(total(r[n, s, x], x), 1)
    )
    flag, empty = d.domain(
        "none is one where no token is left to draft",
        eq(none[n, s] * (1 - none[n, s]), 0),
        eq(none[n, s] * Q[n, s, x], 0),
    )
    over = sp.Max(P[n, s, x] - Q[n, s, x], 0)
    under = sp.Max(Q[n, s, x] - P[n, s, x], 0)
    normed = d.domain(NORMED, eq(r[n, s, x] * total(sp.Max(P[n, s, y] - Q[n, s, y], 0), y), over))
    refusal_rule, likelier, factor = d.domain(
        CHILD,
        eq(P[n, child, y], r[n + 1, s, y]),
        eq(r[n + 1, s, y] * (Q[n, child, y] - lam[n, s, x] * Q[n + 1, s, y]), 0),
        ge(lam[n, s, x], 1),
    )
    size = d.define("mass above the draft", Z[n, s], total(over, x))
    normed = d.derive("by its name", eq(r[n, s, x] * Z[n, s], over), normed, size)
    posZ = d.derive("a mass", ge(Z[n, s], 0), d.sum("all", d.derive("each", ge(over, 0)), x), size)
    return Given(
        child=child,
        posP=posP,
        posQ=posQ,
        posr=posr,
        allP=allP,
        allQ=allQ,
        allr=allr,
        flag=flag,
        empty=empty,
        over=over,
        under=under,
        normed=normed,
        left=refusal_rule,
        likelier=likelier,
        factor=factor,
        size=size,
        posZ=posZ,
    )


class Scales(NamedTuple):
    """Scales of recursive rejection in a state, and those of what it leaves: start, step, sign, and what is left by them."""

    zero: Fact
    more: Fact
    posc: Fact
    rest: Any
    first: Fact
    next: Fact
    pose: Fact
    part: Any


def _scales(d: Derivation) -> Scales:
    rest = sp.Max(P[n, s, x] - c[m, n, s] * Q[n, s, x], 0)
    zero, scale_step = d.recursion("scales", eq(c[0, n, s], 0), eq(c[m + 1, n, s], c[m, n, s] + total(rest, x)))
    posc = d.suppose("a scale", ge(c[m, n, s], 0))
    some = d.sum("all", d.derive("each", ge(rest, 0)), x)
    posc = d.inductive("scales are not negative", ge(c[m, n, s], 0), m, [zero], [scale_step, posc, some])
    other_rest = sp.Max(r[n + 1, s, y] - e[m, n, s] * Q[n + 1, s, y], 0)
    first, next_ = d.recursion(
        "scales of the rest", eq(e[0, n, s], 0), eq(e[m + 1, n, s], e[m, n, s] + total(other_rest, y))
    )
    pose = d.suppose("a scale of the rest", ge(e[m, n, s], 0))
    some_e = d.sum("all", d.derive("each", ge(other_rest, 0)), y)
    pose = d.inductive("nor are they", ge(e[m, n, s], 0), m, [first], [next_, pose, some_e])
    return Scales(zero=zero, more=scale_step, posc=posc, rest=rest, first=first, next=next_, pose=pose, part=other_rest)


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    P[n, s], Q[n, s] are what is left of target and draft in a state s with n drafts to come. With equality for p = q.
    """
    up = {n: n + 1}
    premises = _given(d)
    of = _scales(d)
    child = premises.child
    under = premises.under
    rest = of.rest
    other_rest = of.part
    signs = (premises.posP, premises.posQ, premises.posr, premises.normed, premises.posZ)
    posP1, posQ1, posr1, normed1, posZ1 = (d.instantiate("of n + 1", f, up) for f in signs)
    scaled = _scaled(d, of, (posP1, posQ1, posr1, normed1, posZ1), premises.allP, sign)
    above = _above(d, premises, of, posQ1, posr1)
    bound = _refusals(d, premises, constant)
    begin, refused = d.recursion(
        "all n are refused",
        eq(F[0, s], 1),
        eq(F[n + 1, s], total(under.subs(n, n + 1) * F[n, child], x) + none[n + 1, s]),
    )
    statement = le(F[n, s], total(rest.subs(m, n), x))
    before = d.suppose("n drafts", statement)
    there = d.instantiate("after a refusal", before, {s: child})
    there = d.derive("then", le(F[n, child], total(other_rest.subs(m, n), y)), there, d.instantiate("n", above, {m: n}))
    short = d.define("left by the rest", phi[m, n, s], total(other_rest, y))
    short_n = d.instantiate("n of it", short, {m: n})
    there = d.derive("in short", le(F[n, child], phi[n, n, s]), there, short_n)
    posunder = d.derive("a refusal has a mass", ge(under.subs(n, n + 1), 0))
    mass = d.define("of a refusal", w[n, s, x], under)
    mass1 = d.instantiate("of n + 1", mass, up)
    posunder = d.derive("in short", ge(w[n + 1, s, x], 0), posunder, mass1)
    per_refusal = d.smt(
        "of each refusal", le(w[n + 1, s, x] * F[n, child], w[n + 1, s, x] * phi[n, n, s]), there, posunder
    )
    per_refusal = d.sum("over the first", per_refusal, x)
    balance = d.summed("beyond and below", eq(premises.over, w[n, s, x] + P[n, s, x] - Q[n, s, x]), mass)
    balance = d.derive(
        "refused", eq(total(w[n, s, x], x), Z[n, s] - none[n, s]), balance, premises.allP, premises.allQ, premises.size
    )
    balance = d.instantiate("of n + 1", balance, up)
    bound = d.derive("in short", eq(none[n + 1, s] * phi[m, n, s], none[n + 1, s]), bound, short)
    bound = d.instantiate("n of it", bound, {m: n})
    same = d.derive("by its name", eq(under.subs(n, n + 1) * F[n, child], w[n + 1, s, x] * F[n, child]), mass1)
    same = d.sum("over the first", same, x)
    refused = d.derive(
        "by names", eq(F[n + 1, s], total(w[n + 1, s, x] * F[n, child], x) + none[n + 1, s]), refused, same
    )
    step = d.derive("so refused", le(F[n + 1, s], Z[n + 1, s] * phi[n, n, s]), refused, per_refusal, balance, bound)
    scaled = d.instantiate("n of it", scaled, {m: n})
    after_ = rest.subs({m: n + 1, n: n + 1}, simultaneous=True)
    step = d.derive("which is what is left", le(F[n + 1, s], total(after_, x)), step, scaled, short_n)
    base = d.derive(
        "at first",
        eq(rest.subs({m: 0, n: 0}, simultaneous=True), P[0, s, x]),
        *_at(d, of.zero, premises.posP),
        by="smt",
    )
    base = d.derive(
        "of none",
        le(F[0, s], total(rest.subs({m: 0, n: 0}, simultaneous=True), x)),
        begin,
        d.sum("all", base, x),
        d.instantiate("0", premises.allP, {n: 0}),
    )
    for_every_n = d.induction("for every n", statement, n, base, step)
    for_every_n = d.instantiate("from the start", d.instantiate("all", for_every_n, {n: K}), {s: start})
    last = rest.subs({m: K, n: K, s: start}, simultaneous=True)
    d.qed(d.derive("accepted", le(1 - total(last, x), 1 - F[K, start]), for_every_n))


def _at(d: Derivation, zero: Fact, posP: Fact) -> tuple[Fact, Fact]:
    return d.instantiate("of none", zero, {n: 0}), d.instantiate("of none", posP, {n: 0})


def _scaled(d: Derivation, of: Scales, signs: tuple[Fact, ...], allP: Fact, sign: int) -> Fact:
    """What m + 1 refusals leave is Z times what m leave of the rest."""
    posP, posQ, posr, normed, posZ = signs
    pose = of.pose
    zero, scale_step = (d.instantiate("of n + 1", f, {n: n + 1}) for f in (of.zero, of.more))
    C = c[m + 1, n + 1, s]
    E = e[m, n, s]
    z = Z[n + 1, s]
    statement = eq(C, 1 + sign * z * E)
    before = d.suppose("scales beside each other", statement)
    next_rest = sp.Max(P[n + 1, s, x] - C * Q[n + 1, s, x], 0)
    theirs = sp.Max(r[n + 1, s, x] - E * Q[n + 1, s, x], 0)
    premises = [before, normed, posQ, posr, posZ, pose]
    token = d.smt("of each token", eq(next_rest, z * theirs), *premises)
    token = d.sum("over the vocabulary", token, x)
    all_ = d.smt(
        "at first all is left",
        eq(sp.Max(P[n + 1, s, x] - c[0, n + 1, s] * Q[n + 1, s, x], 0), P[n + 1, s, x]),
        zero,
        posP,
    )
    first_scale = d.derive(
        "the first scale",
        eq(c[1, n + 1, s], 1),
        *(
            d.instantiate("first", scale_step, {m: 0}),
            zero,
            d.sum("all", all_, x),
            d.instantiate("n + 1", allP, {n: n + 1}),
        ),
    )
    base = d.derive("at first", statement.replace({m: 0}), first_scale, of.first)
    step = d.derive(
        "then", statement.replace({m: m + 1}), d.instantiate("next", scale_step, {m: m + 1}), before, token, of.next
    )
    for_every_m = d.induction("for every m", statement, m, base, step)
    premises = [for_every_m, normed, posQ, posr, posZ, pose]
    token = d.smt("of each token", eq(next_rest, z * theirs), *premises)
    return d.sum("over the vocabulary", token, x)


def _above(d: Derivation, premises: Given, of: Scales, posQ1: Fact, posr1: Fact) -> Fact:
    """What m independent drafts leave after a refusal is at most what they would leave with the draft's law as it was."""
    child = premises.child
    factor = premises.factor
    zero, scale_step, posc = (d.instantiate("after a refusal", f, {s: child}) for f in (of.zero, of.more, of.posc))
    posQ = d.instantiate("after a refusal", d.instantiate("of y", premises.posQ, {x: y}), {s: child})
    posQ1, posr1 = (d.instantiate("of y", f, {x: y}) for f in (posQ1, posr1))
    C = c[m, n, child]
    E = e[m, n, s]
    k = lam[n, s, x]
    independent_rest = sp.Max(P[n, child, y] - C * Q[n, child, y], 0)
    same = sp.Max(r[n + 1, s, y] - k * C * Q[n + 1, s, y], 0)
    theirs = sp.Max(r[n + 1, s, y] - E * Q[n + 1, s, y], 0)
    masses = [posQ, posQ1, posr1]
    equal = d.smt("of each token", eq(independent_rest, same), premises.left, premises.likelier, posc, *masses, factor)
    statement = ge(k * C, E)
    before = d.suppose("larger scales", statement)
    gain = d.smt("what a larger scale takes", le(theirs, same + (k * C - E) * Q[n + 1, s, y]), before, posQ1)
    gain = d.sum("over the vocabulary", gain, y)
    next_mass = d.instantiate("of n + 1", premises.allQ, {n: n + 1})
    flag1 = d.instantiate("of n + 1", premises.flag, {n: n + 1})
    low = d.smt("a flag", ge(none[n + 1, s], 0), flag1)
    size = d.define("left there", G[m, n, s, x], total(same, y))
    rest_sum = d.define("left here", H[m, n, s], total(theirs, y))
    gain = d.derive(
        "in all", le(H[m, n, s], G[m, n, s, x] + (k * C - E) * (1 - none[n + 1, s])), gain, next_mass, size, rest_sum
    )
    gain = d.smt("at most", le(H[m, n, s], G[m, n, s, x] + k * C - E), gain, before, low)
    posG = d.derive("a mass", ge(G[m, n, s, x], 0), d.sum("all", d.derive("each", ge(same, 0)), y), size)
    equal_sum = d.sum("over the vocabulary", equal, y)
    grow = d.derive("the next scale", eq(c[m + 1, n, child], C + G[m, n, s, x]), scale_step, equal_sum, size)
    next_ = d.derive("and of the rest", eq(e[m + 1, n, s], E + H[m, n, s]), of.next, rest_sum)
    step = d.smt("then", statement.replace({m: m + 1}), grow, next_, gain, posG, factor)
    base = d.smt("at first", statement.replace({m: 0}), zero, of.first)
    for_every_m = d.induction("for every m", statement, m, base, step)
    token = d.smt("so less is left", le(same, theirs), for_every_m, posQ1)
    token = d.derive("of each token", le(independent_rest, theirs), token, equal)
    return d.sum("over the vocabulary", token, y)


def _refusals(d: Derivation, premises: Given, constant: int) -> Fact:
    """Where no token is left to draft, all of the rest is left."""
    facts = (premises.empty, premises.flag, premises.posr, premises.allr)
    empty, flag, posr, allr = (d.instantiate("of n + 1", f, {n: n + 1}) for f in facts)
    other_rest = sp.Max(r[n + 1, s, x] - e[m, n, s] * Q[n + 1, s, x], 0)
    off = none[n + 1, s]
    per_token = d.smt("of each token", eq(off * other_rest, constant * off * r[n + 1, s, x]), empty, flag, posr)
    per_token = d.sum("over the vocabulary", per_token, x)
    return d.derive("all of it", eq(off * total(other_rest, x), off), per_token, allr)


def states(p: Any, q: Any, k: int) -> dict[str, Any]:
    """What is bound: on level n the states with n drafts to come; a refusal leads one level down."""
    levels: list[list[tuple[Any, Any]]] = [[(p, q)]]
    rests: list[list[Any]] = []
    children: list[list[list[tuple[int, Any]]]] = []
    for _ in range(k):
        below: list[tuple[Any, Any]] = []
        rests.append([])
        children.append([])
        for target_law, draft_law in levels[-1]:
            rest = normalise(np.maximum(target_law - draft_law, 0), otherwise=target_law)
            rests[-1].append(rest)
            places = []
            for token in range(len(p)):
                law = draft_law
                factor = 1 + 0 * q[0]
                if draft_law[token] > target_law[token]:
                    law = draft_law.copy()
                    law[token] = 0 * q[0]
                    factor = 1 / (1 - draft_law[token]) if draft_law[token] < 1 else factor
                    law = law * factor
                below.append((rest, law))
                places.append((len(below), factor))
            children[-1].append(places)
        levels.append(below)
    rests.append([normalise(np.maximum(a - b, 0), otherwise=a) for a, b in levels[-1]])
    # above the start a state of which it is the child: the facts of a level speak of the one above it too
    levels = [*levels[::-1], [(q, q)]]
    rests = [*rests[::-1], [p]]
    children = [*children[::-1], [[(1, 1)] * len(p)]]

    def at(table: Any) -> Any:
        return lambda n, state: table[n][(state - 1) % len(table[n])]

    laws = at(levels)
    rest = at(rests)
    child = at(children)
    return {
        "P": lambda n, state, token: laws(n, state)[0][token - 1],
        "Q": lambda n, state, token: laws(n, state)[1][token - 1],
        "r": lambda n, state, token: rest(n, state)[token - 1],
        "none": lambda n, state: 1 - sum(laws(n, state)[1]),
        "lam": lambda n, state, token: child(n, state)[token - 1][1],
        "after": lambda n, state, token: child(n, state)[token - 1][0],
        **{"K": k, "start": 1, "V": len(p)},
        "ranges": {"s": range(1, max(map(len, levels)) + 1), "n": range(k + 1), "m": range(k + 2)},
    }


def proof(claim: Claim) -> Proof:
    """The proof that drafts without replacement are accepted no less often."""
    return Proof(claim, _prove, drop=NORMED, bind=states)
