"""folk.block-prefix: a test of a block is conditional on the failure of all longer prefixes; two drafts, every way added up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, total, x, y
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.folk.block_prefix import PREFIX, PREFIX_CORRECTED
from simspec.claims.folk.parts import rest_of_p
from simspec.laws.unchecked import normalise, ratio

TEST = "the first prefix passes with Z/(Z + 1 − r)"
RATIO = "r is min(1, p/q) on what is drafted"
SECOND = "what is left of the second token"
FIRST = "what is left of the first"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Two drafts, every vocabulary size, all laws of the first token and all laws of the second by the first."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    P = d.weights("P", x, y)
    Q = d.weights("Q", x, y)
    mass = d.domain("P sums to one", eq(total(P[x, y], y), 1))
    r = d.weights("r")
    h = d.weights("h")
    Z = d.weights("Z")
    second = d.weights("second", x, y)
    first = d.weights("first")
    ratio_ = d.domain(RATIO, eq(q[x] * r[x], sp.Min(p[x], q[x])))
    both_accepted = sp.Min(Q[x, y], r[x] * P[x, y])
    over = sp.Max(r[x] * P[x, y] - Q[x, y], 0)
    residual_rules = d.domain(SECOND, eq(Z[x], total(over, y)), eq(second[x, y] * Z[x], over))
    rest = total(sp.Max(p[x] - q[x], 0), x)
    beyond = sp.Max(p[x] - q[x], 0)
    redraw = d.domain(FIRST, eq(first[x] * rest, beyond))
    test = d.domain(TEST, eq(h[x] * (Z[x] + 1 - constant * r[x]), Z[x]))
    parts = d.derive("both kept, or beyond the draft", eq(both_accepted, r[x] * P[x, y] - over))
    keeps = d.sum("over the second token", parts, y)
    keeps = d.derive("the second test passes", eq(total(both_accepted, y), r[x] - Z[x]), keeps, mass, residual_rules[0])
    fails = q[x] * (1 - total(both_accepted, y))
    only_first = d.derive("only the first is kept", eq(fails * h[x], q[x] * Z[x]), keeps, test, by="smt")
    none = d.derive("none is kept", eq(fails * (1 - h[x]), q[x] * (1 - r[x])), keeps, test, by="smt")
    refused = d.derive("as without a second", eq(q[x] * (1 - r[x]), q[x] - sp.Min(p[x], q[x])), ratio_)
    refused = d.derive("of each draft", eq(fails * (1 - h[x]), q[x] - p[x] + beyond), none, refused, by="smt")
    lost = d.sum("over the drafts", refused, x)
    lost = d.derive("all refused drafts", eq(total(fails * (1 - h[x]), x), rest), lost, mass_q, mass_p)
    again = d.derive(
        "a second token in its place",
        eq(fails * h[x] * second[x, y], q[x] * over),
        only_first,
        residual_rules[1],
        by="smt",
    )
    path = d.derive(
        "from the draft", eq(q[x] * both_accepted + q[x] * over, sp.Min(p[x], q[x]) * P[x, y]), parts, ratio_
    )
    new = d.derive("a first token in its place", eq(rest * first[x] * P[x, y], beyond * P[x, y]), redraw)
    split = d.derive("both ways", eq(sp.Min(p[x], q[x]) * P[x, y] + beyond * P[x, y], p[x] * P[x, y]))
    emitted = (
        q[x] * both_accepted + sign * fails * h[x] * second[x, y] + total(fails * (1 - h[x]), x) * first[x] * P[x, y]
    )
    d.qed(d.derive("all ways", eq(emitted, p[x] * P[x, y]), again, path, new, split, lost, by="smt"))


def _values(p: Any, q: Any, after: Any, draft_after: Any) -> dict[str, Any]:
    r = exact(ratio(np.minimum(p, q), q))
    over = exact(np.maximum(r[:, None] * after - draft_after, 0))
    Z = over.sum(axis=-1)
    return {
        **{"p": p, "q": q, "P": after, "Q": draft_after, "r": r, "Z": Z, "h": ratio(Z, Z + 1 - r, otherwise=1)},
        **{"second": normalise(over, otherwise=after), "first": rest_of_p(p, q), "V": len(p)},
    }


def by_size() -> Iterator[Instance]:
    """Laws over two tokens: of the first with masses in halves, of the second certain."""
    halves = list(laws(2, 2))
    sure = list(laws(2, 1))
    for p, q in product(halves, repeat=2):
        for P, Q in product(product(sure, repeat=2), repeat=2):
            yield {"p": p, "q": q, "after": np.stack(P), "draft_after": np.stack(Q)}


def _alike() -> Iterator[Instance]:
    """The same where draft and target agree on the first token."""
    return (i for i in by_size() if (i["p"] == i["q"]).all())


PROOFS = (
    Refutation(
        PREFIX,
        by_size,
        scope="the first with two tokens, masses of the first in halves and the second certain by the first",
        repaired={"p = q at the first token": _alike, "the longest that passes": PREFIX_CORRECTED},
    ),
    Proof(PREFIX_CORRECTED, prove, drop=TEST, bind=_values),
)
