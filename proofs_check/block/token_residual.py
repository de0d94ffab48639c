"""block.token-residual: where one token at most is likelier under the target, both residuals are that token."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._laws import by_size
from proofs_check.block._tree import c, tree
from proofs_check.block.lossless import texts, with_texts
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, total, x
from simspec.claims.block.token_residual import ONE_MORE, TOKEN_RESIDUAL, TOKEN_RESIDUAL_CORRECTED
from simspec.laws import Array

MARK = "m marks a token, of masses a and b"
DRAWN = "after c a token is drawn from (p − q)₊ over its sum"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of that kind in every context, every number of drafts; all texts of γ + 1 tokens."""
    t = tree(d, constant)
    m = d.weights("m", c, x)
    a, b, e, F, T = (sp.IndexedBase(name, real=True) for name in ("a", "b", "e", "F", "T"))
    bit, at_most_one, of_p, of_q = d.domain(
        MARK,
        eq(m[c, x] * (1 - m[c, x]), 0),
        eq(total(m[c, x], x), 1),
        eq(m[c, x] * t.p[c, x], m[c, x] * a[c]),
        eq(m[c, x] * t.q[c, x], m[c, x] * b[c]),
    )
    beyond = sp.Max(t.p[c, x] - t.q[c, x], 0)
    only = d.assume(ONE_MORE, eq((1 - m[c, x]) * beyond, 0))
    resampling = d.domain(DRAWN, eq(e[c, x] * total(beyond, x), beyond))
    mass = d.derive("a mass", ge(t.p[c, x], 0))
    some = d.sum("over the tokens", d.derive("of the marked token", ge(m[c, x] * a[c], 0), of_p, mass, by="smt"), x)
    some = d.derive("its mass", ge(a[c], 0), some, at_most_one)
    of_block = d.define("missing there", F[c], sp.Max(t.r[c] * a[c] - b[c], 0))
    of_token = d.define("beyond the draft there", T[c], sp.Max(a[c] - b[c], 0))
    facts = (bit, of_p, of_q, only, mass, t.least, t.most)
    block = d.smt("missing at the marked token only", eq(t.over, m[c, x] * F[c]), *facts, of_block)
    token = d.smt("beyond at the marked token only", eq(beyond, m[c, x] * T[c]), *facts, of_token)
    Z = d.derive("all that is missing", eq(t.Z[c], F[c]), d.sum("missing", block, x), at_most_one, t.missing, by="smt")
    all_ = d.derive("all that is beyond", eq(total(beyond, x), T[c]), d.sum("beyond", token, x), at_most_one)
    no_less_beyond = d.smt(
        "missing only where some is beyond", ge(T[c], F[c]), of_block, of_token, some, t.least, t.most
    )
    fixed = d.smt("the residual where some is beyond", eq(e[c, x] * T[c], m[c, x] * T[c]), resampling, all_, token)
    nonnegative = d.smt("not negative", ge(F[c], 0), of_block)
    same = d.smt(
        "so the residual is the block's", eq(e[c, x] * F[c], m[c, x] * F[c]), fixed, no_less_beyond, nonnegative
    )
    residual = d.derive("by its name", eq(e[c, x] * t.Z[c], t.over), same, Z, block, by="smt")
    texts(d, t, e, residual, sign)


def _values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    bindings = with_texts(p, q, gamma)
    rows = list(zip(bindings["p"], bindings["q"], strict=True))
    beyond = [[max(s - u, 0) for s, u in zip(*laws, strict=True)] for laws in rows]
    top = [row.index(max(row)) for row in beyond]
    return {
        **bindings,
        **{"m": [[int(y == at) for y in range(len(row))] for at, row in zip(top, beyond, strict=True)]},
        **{"a": [law[at] for at, (law, _) in zip(top, rows, strict=True)]},
        **{"b": [law[at] for at, (_, law) in zip(top, rows, strict=True)]},
        **{"e": [[g / sum(row) for g in row] if sum(row) else row for row in beyond]},
    }


PROOFS = (
    Refutation(
        TOKEN_RESIDUAL,
        lambda: by_size(vocab=3, finest=4),
        scope="the first by the denominator of the laws over three tokens, two drafts, the same laws in every context",
        repaired={"two tokens": lambda: by_size(), ONE_MORE: TOKEN_RESIDUAL_CORRECTED},
    ),
    Proof(TOKEN_RESIDUAL_CORRECTED, prove, drop=ONE_MORE, bind=_values),
)
