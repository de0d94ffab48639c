"""block.never-worse: by induction from the last draft, a block of weight r goes on to keep r times what its tokens do."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._tree import TEST, c, kept, n, root, size, tree, values
from proofs_check.language import Derivation, Proof, eq, ge, total, x
from simspec.claims.block.never_worse import NEVER_WORSE
from simspec.laws import Array

KEEP = "a draft alone is kept with probability min(1, p/q)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts.

    Attained by p = q, and wherever no draft of ratio above one follows one of ratio below one.
    """
    t = tree(d)
    k = kept(d, t)
    M, S, keep = (sp.IndexedBase(name, real=True) for name in ("M", "S", "keep"))
    after = t.child[c, x]
    none, block_step = d.recursion(
        "how many drafts after c the block keeps, on average",
        eq(M[0, c], 0),
        eq(M[n + 1, c], total(t.q[c, x] * (k.A[n, after] + sign * M[n, after]), x)),
    )
    alone = d.domain(KEEP, eq(t.q[c, x] * keep[c, x], constant * sp.Min(t.p[c, x], t.q[c, x])))
    zero, single_step = d.recursion(
        "how many are kept one by one",
        eq(S[0, c], 0),
        eq(S[n + 1, c], total(t.q[c, x] * keep[c, x] * (1 + S[n, after]), x)),
    )
    some = ge(S[n, c], 0)
    before = d.suppose("not fewer than none", some)
    there = d.instantiate("after a token", before, {c: after})
    term = d.smt("of each token", ge(t.q[c, x] * keep[c, x] * (1 + S[n, after]), 0), there, alone, *_signs(d))
    some = d.inductive("never fewer than none", some, n, [zero], [single_step, d.sum("over the tokens", term, x)])
    some = d.instantiate("after each token", some, {c: after})
    statement = ge(M[n, c], t.r[c] * S[n, c])
    before = d.suppose("the block keeps r times as many", statement)
    there = d.instantiate("after a token of both", before, {c: after})
    reach = d.instantiate("it is kept", k.reach, {c: after})
    low = t.r[c] * sp.Min(t.p[c, x], t.q[c, x])
    fewer = d.smt(
        "r p or q is at least r min(p, q)", ge(t.q[c, x] * t.r[after], low), t.step, t.least, t.most, *_signs(d)
    )
    grown = d.smt(
        "weighed by what follows", ge(t.q[c, x] * t.r[after] * (1 + S[n, after]), low * (1 + S[n, after])), fewer, some
    )
    block = d.smt(
        "what the block keeps",
        ge(t.q[c, x] * (k.A[n, after] + M[n, after]), t.q[c, x] * t.r[after] * (1 + S[n, after])),
        *(there, reach, *_signs(d)),
    )
    term = d.smt(
        "of each token of both",
        ge(t.q[c, x] * (k.A[n, after] + M[n, after]), t.r[c] * (t.q[c, x] * keep[c, x] * (1 + S[n, after]))),
        *(block, grown, alone),
    )
    term = d.sum("over the tokens of both", term, x)
    for_every_n = d.inductive(
        "for every number of drafts", statement, n, [none, zero], [block_step, single_step, term, before]
    )
    begin = d.domain("the empty prefix is always kept", eq(t.r[root], 1))
    for_every_n = d.instantiate("from the beginning", for_every_n, {c: root, n: size})
    d.qed(d.derive("of the whole block", ge(M[size, root], S[size, root]), for_every_n, begin))


def _signs(d: Derivation) -> list[Any]:
    """No mass is negative."""
    p, q = (sp.IndexedBase(name, nonnegative=True) for name in ("p", "q"))
    return [d.derive("a mass", ge(law[c, x], 0)) for law in (p, q)]


def _values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    bindings = values(p, q, gamma)
    keep = [
        [min(a, b) / b if b else 1 for a, b in zip(*laws, strict=True)]
        for laws in zip(bindings["p"], bindings["q"], strict=True)
    ]
    return {**bindings, "keep": keep}


PROOF = Proof(NEVER_WORSE, prove, drop=TEST, bind=_values)
