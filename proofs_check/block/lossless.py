"""block.lossless: what is kept at c and what is drawn in its place make up r[c] times the target's law of every text after c."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.block._tree import TEST, Tree, c, kept, n, root, size, tree, values
from proofs_check.language import Derivation, Fact, Proof, eq, index, x
from simspec.claims.block.lossless import LOSSLESS
from simspec.laws import Array

__all__ = ["RESIDUAL", "drawn_from", "texts", "with_texts"]

RESIDUAL = "after c a token is drawn from (r p − q)₊ over its sum"
w = index("w")


def drawn_from(d: Derivation, t: Tree) -> tuple[Any, Fact]:
    """What is drawn after a kept prefix."""
    e = sp.IndexedBase("e", real=True)
    return e, d.domain(RESIDUAL, eq(e[c, x] * t.Z[c], t.over))


def texts(d: Derivation, t: Tree, e: sp.IndexedBase, residual: Fact, sign: int = 1, stops: bool = False) -> None:
    """L[n, c, w]: c or more is kept, and the text w follows c; U[n, c, w]: the target says n + 1 tokens of w after c."""
    k = kept(d, t, stops=stops)
    L, U = (sp.IndexedBase(name, real=True) for name in ("L", "U"))
    token = d.map("token")
    rest = d.map("rest")
    after = t.child[c, token[w]]
    end, on = d.recursion(
        "the target's law of a text",
        eq(U[0, c, w], t.p[c, token[w]]),
        eq(U[n + 1, c, w], t.p[c, token[w]] * U[n, after, rest[w]]),
    )
    stays = t.h[c] * (1 - sp.Add(k.ahead.relation.lhs))
    goes_on = t.q[c, token[w]] * L[n, after, rest[w]] + sign * stays * e[c, token[w]] * U[n, after, rest[w]]
    last_draft, next_draft = d.recursion(
        "c is kept, or a longer prefix, and the text follows",
        eq(L[0, c, w], t.r[c] * t.p[c, token[w]]),
        eq(L[n + 1, c, w], k.stop * t.r[c] * U[n + 1, c, w] + (1 - k.stop) * goes_on),
    )
    statement = eq(L[n, c, w], t.r[c] * U[n, c, w])
    before = d.suppose("texts with n more drafts", statement)
    there = d.instantiate("after the text's token", before, {c: after, w: rest[w]})
    step = d.instantiate("its token", t.step, {x: token[w]})
    drafted = d.derive(
        "the text's token is drafted, and kept",
        eq(
            t.q[c, token[w]] * L[n, after, rest[w]],
            sp.Min(t.q[c, token[w]], t.r[c] * t.p[c, token[w]]) * U[n, after, rest[w]],
        ),
        *(there, step),
        by="smt",
    )
    here = d.smt("c is kept, and no more", eq(stays, t.Z[c]), k.ahead, t.tested)
    resampled = d.derive("the token in its place", eq(stays * e[c, x], t.over), here, residual, by="smt")
    resampled = d.instantiate("the text's token in its place", resampled, {x: token[w]})
    drafted_and_resampled = d.derive("both", eq(goes_on, t.r[c] * U[n + 1, c, w]), drafted, resampled, on, by="smt")
    first = d.derive("at the last draft", statement.replace({n: 0}), last_draft, end)
    then = d.derive("one draft more", statement.replace({n: n + 1}), next_draft, drafted_and_resampled)
    for_every_n = d.induction("for every number of drafts", statement, n, first, then)
    begin = d.domain("the empty prefix is always kept", eq(t.r[root], 1))
    for_every_n = d.instantiate("from the beginning", for_every_n, {c: root, n: size})
    d.qed(d.derive("the law of γ + 1 tokens", eq(L[size, root, w], U[size, root, w]), for_every_n, begin))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts; all texts of γ + 1 tokens."""
    t = tree(d, constant)
    texts(d, t, *drawn_from(d, t), sign)


def with_texts(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """The tree, and every text of γ + 1 tokens; without its first token it goes on with that one."""
    bindings = values(p, q, gamma)
    texts = list(product(range(bindings["V"]), repeat=gamma + 1))
    number = {text: at for at, text in enumerate(texts, 1)}
    residuals = [
        [max(r * a - b, 0) for a, b in zip(*laws, strict=True)]
        for r, *laws in zip(*map(bindings.get, "rpq"), strict=True)
    ]
    e = [[m / sum(row) for m in row] if sum(row) else law for row, law in zip(residuals, bindings["p"], strict=True)]
    shifted = [number[(*text[1:], text[0])] for text in texts]
    ranges = {**bindings["ranges"], "w": range(1, len(texts) + 1)}
    return {**bindings, "e": e, "token": [text[0] + 1 for text in texts], "rest": shifted, "ranges": ranges}


PROOF = Proof(LOSSLESS, prove, drop=TEST, bind=with_texts)
