"""block.hsd-lossless.package: with two drafts or more the first one is kept whatever it is, where the laws differ.

A prefix has mass P under the target and Q under the draft model, and J is the mass of the texts that are emitted and begin with
it.  The laws p and q are the same after every prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.block._laws import by_size
from proofs_check.block._one_draft import one_draft
from proofs_check.block._tree import c, nodes, root
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, gt, index, total, x
from simspec.claims.block.hsd_lossless import PACKAGE, PACKAGE_CORRECTED
from simspec.claims.claim import Instance
from simspec.claims.folk.parts import rest_of_p
from simspec.claims.texts import markov
from simspec.laws import Array
from simspec.laws.unchecked import ratio
from simspec.methods.block.hierarchical import hierarchical_package
from simspec.methods.verifier.verifier import outcomes

JOINT = "P and Q are the joint laws of a prefix, which has one token more where something is drafted"
BEGIN = "before the text something is drafted, and every law is one"
SINGLE = "with one draft a text is the draft that is kept, or a token in its place"
ALIKE = "where q = p the whole draft is kept"
FIRST = "with two drafts or more the first token is the first draft where that is kept, or one in its place"
KEPT = "with two drafts or more the first one is kept, where p has more than q of any token"
FLAGS = "each flag is 1 or 0"
SAME = "l is 1 where q = p, and otherwise they differ"
SHARP = "g is 1 with one draft, or where q = p"
LAWFUL = "f is 1 where J = P, and otherwise they differ first at a token after b"
b = index("b")


class _Names(NamedTuple):
    """Masses of tokens and of prefixes, whether something is drafted after a prefix, what it becomes, and flags."""

    p: Any
    q: Any
    e: Any
    keeps: Any
    P: Any
    J: Any
    drafted: Any
    child: Any
    lossless: sp.Symbol
    alike: sp.Symbol
    single: sp.Symbol


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws that are the same after every text, every number of drafts; texts of γ tokens."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    emitted, is_target, e = one_draft(d, mass_p, sign, constant)
    keeps = d.weights("kept")
    P, Q, J = (d.weights(name, c) for name in "PQJ")
    f, g, alike, single = sp.symbols("f g l s", real=True)
    drafted = sp.IndexedBase("drafted", real=True)
    child = d.map("child")
    t = _Names(
        p=p, q=q, e=e, keeps=keeps, P=P, J=J, drafted=drafted, child=child, lossless=f, alike=alike, single=single
    )
    after = child[c, x]
    joint = d.domain(JOINT, *(eq(M[after], drafted[c] * M[c] * law[x]) for M, law in ((P, p), (Q, q))))
    begin = d.domain(BEGIN, eq(P[root], 1), eq(drafted[root], 1))
    bits = d.domain(FLAGS, *(eq(flag * (1 - flag), 0) for flag in (f, g, alike, single)))
    same = d.domain(SAME, eq(alike * (p[x] - q[x]), 0), gt(alike + total(sp.Abs(p[x] - q[x]), x), 0))
    sharp = d.domain(SHARP, eq(g, alike + single - alike * single))
    u = d.map("u")
    text = child[b, u[b]]
    lawful = d.domain(LAWFUL, eq(f * (J[c] - P[c]), 0), gt(f + sp.Abs(J[text] - P[text]), 0), eq(J[b], P[b]))
    rule = d.domain(SINGLE, eq(single * (J[after] - drafted[c] * P[c] * emitted), 0))
    single_target = d.derive(
        "with one draft the target's", eq(single * (J[after] - P[after]), 0), rule, is_target, joint[0], by="smt"
    )
    as_drafted_where_alike = d.domain(ALIKE, eq(alike * (J[c] - Q[c]), 0))
    there = {c: b, x: u[b]}
    single_there, target_there, draft_there = (
        d.instantiate("at the first text that differs", fact, there) for fact in (single_target, *joint)
    )
    same_there = d.instantiate("of its last token", same[0], {x: u[b]})
    alike_before, alike_there = (d.instantiate("all is kept", as_drafted_where_alike, {c: at}) for at in (b, text))
    facts = (alike_before, alike_there, same_there, target_there, draft_there, lawful[2])
    as_drafted = d.smt("where q = p the target's, too", eq(alike * (J[text] - P[text]), 0), *facts)
    goal = eq(g * (1 - f), 0)
    sufficient = d.smt("so it is lossless where g is 1", goal, single_there, as_drafted, lawful[1], sharp, *bits)
    necessary = _necessary(d, t, (lawful[0], joint[0], *begin, bits[0], *bits[2:]), (mass_p, mass_q, same[1]))
    necessary = d.smt("so g is 1 where it is lossless", eq(f * (1 - g), 0), necessary, sharp, *bits)
    d.qed(d.derive("together", eq(f, g), sufficient, necessary, by="smt"))


def _necessary(d: Derivation, t: _Names, facts: tuple[Fact, ...], laws: tuple[Fact, Fact, Fact]) -> Fact:
    """Where it is lossless with two drafts or more, q = p: f (1 − s) (1 − l) = 0."""
    lawful, joint, begin, is_drafted, f_bit, alike_bit, single_bit = facts
    mass_p, mass_q, differ = laws
    p, q, e, keeps = t.p[x], t.q[x], t.e[x], t.keeps[x]
    f = t.lossless
    several = 1 - t.single
    over = sp.Max(p - q, 0)
    excess = total(over, x)
    first = t.J[t.child[root, x]]
    rule = d.domain(FIRST, eq(several * (first - q * keeps - (1 - total(q * keeps, x)) * e), 0))
    always = d.domain(KEPT, eq(several * excess * q * (1 - keeps), 0))
    row = d.sum("over the first drafts", always, x)
    none_refused = d.derive(
        "no first draft is refused", eq(several * excess * (1 - total(q * keeps, x)), 0), row, mass_q
    )
    drafted = eq(several * excess * (first - q), 0)
    drafted = d.smt("the first token has the draft's law", drafted, rule, always, none_refused, single_bit)
    lawful = d.instantiate("and the target's", lawful, {c: t.child[root, x]})
    joint = d.instantiate("which is p", joint, {c: root})
    vanishes = d.smt("both", eq(f * several * excess * (p - q), 0), drafted, lawful, joint, begin, is_drafted)
    gap = sp.Abs(p - q)
    vanishes = d.derive("in either direction", eq(f * several * excess * gap, 0), vanishes, by="smt")
    vanishes = d.sum("over all tokens", vanishes, x)
    sides = d.derive("more or less", eq(gap, 2 * over - (p - q)))
    sides = d.sum("over the tokens", sides, x)
    sides = d.derive("twice what is more", eq(total(gap, x), 2 * excess), sides, mass_p, mass_q)
    facts = (vanishes, sides, differ, f_bit, alike_bit, single_bit)
    return d.smt("so q = p", eq(f * several * (1 - t.alike), 0), *facts)


def _values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """The tree, with a last prefix of no mass, where what follows γ drafts leads."""
    vocab = p.shape[-1]
    prefixes = nodes(vocab, gamma)
    number = {prefix: at for at, prefix in enumerate(prefixes, 1)}
    nowhere = len(prefixes) + 1
    ends = outcomes(hierarchical_package, markov(p), markov(q), gamma)
    zero = 0 * p[0, 0]
    emitted = dict.fromkeys(prefixes, zero)
    first_kept = [zero] * vocab
    for o in ends:
        for prefix in prefixes:
            if o.tokens[: len(prefix)] == prefix[: len(o.tokens)]:
                emitted[prefix] += o.probability * prod(p[0, token] for token in prefix[len(o.tokens) :])
        if o.accepted:
            first_kept[o.tokens[0]] += o.probability
    target, draft = ({x: prod((law[token] for token in x), start=zero + 1) for x in prefixes} for law in (p[0], q[0]))
    differing = [x for x in prefixes[1:] if emitted[x] != target[x]] or prefixes[1:]
    lossless, is_sharp = PACKAGE_CORRECTED.sides({"p": p, "q": q, "gamma": gamma})
    return {
        **{"V": vocab, "f": lossless, "g": is_sharp, "s": int(gamma == 1), "l": int((p == q).all())},
        **{"p": p[0], "q": q[0], "e": rest_of_p(p[0], q[0])},
        **{"keep": ratio(np.minimum(p[0], q[0]), q[0]), "kept": ratio(np.array(first_kept, dtype=object), q[0])},
        **{name: [*(of[x] for x in prefixes), zero] for name, of in zip("PQJ", (target, draft, emitted), strict=True)},
        **{"drafted": [*(int(len(x) < gamma) for x in prefixes), 0], "root": 1},
        **{"child": [*([number.get((*x, y), nowhere) for y in range(vocab)] for x in prefixes), [nowhere] * vocab]},
        **{"u": lambda at: differing[0][-1] + 1},
        "ranges": {"c": range(1, nowhere + 1), "b": [number[differing[0][:-1]]]},
    }


def _alike() -> Iterator[Instance]:
    return (i for i in by_size() if (i["p"] == i["q"]).all())


PROOFS = (
    Refutation(
        PACKAGE,
        by_size,
        scope="the first by the denominator of the laws over two tokens, two drafts",
        repaired={"one draft": lambda: by_size(gamma=1), "p = q": _alike},
    ),
    Proof(PACKAGE_CORRECTED, prove, drop=KEPT, bind=_values),
)
