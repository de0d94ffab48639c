"""folk.block-gamma-two: the only test of one draft is min(1, p/q) in both; with two drafts the block's first test is another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, total, x
from simspec.claims.claim import Instance
from simspec.claims.folk.block_gamma_two import GAMMA_TWO, GAMMA_TWO_CORRECTED
from simspec.claims.folk.parts import rest_of_p
from simspec.laws.unchecked import ratio

TEST = "r is min(1, p/q) on what is drafted"
LAST = "the last position is tested with r"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws.

    The residual of the block is norm((r_0 p − q)₊) with r_0 = 1, that of token verification.
    """
    p, q, r, h, e = (d.weights(name) for name in ("p", "q", "r", "h", "e"))
    ratio_ = d.domain(TEST, eq(q[x] * r[x], sp.Min(q[x], constant * p[x])))
    last = d.domain(LAST, eq(h[x], r[x]))
    accepted = d.derive("kept by the block", eq(q[x] * h[x], sp.Min(p[x], q[x])), ratio_, last)
    all_ = d.sum("over the vocabulary", accepted, x)
    refused = 1 - sign * total(q[x] * h[x], x)
    d.qed(
        accepted, d.derive("drawn after a refusal", eq(refused * e[x], (1 - total(sp.Min(p[x], q[x]), x)) * e[x]), all_)
    )


def _values(p: Any, q: Any) -> dict[str, Any]:
    r = ratio(p.clip(max=q), q)
    return {"p": p, "q": q, "r": r, "h": r, "e": rest_of_p(p, q), "V": len(p)}


def _blocks() -> Iterator[Instance]:
    """One draft and then two, laws over two tokens by the denominator of their masses."""
    for gamma in (1, 2):
        yield from ({**pair, "gamma": gamma} for pair in by_size((2,)))


PROOFS = (
    Refutation(
        GAMMA_TWO,
        _blocks,
        scope="the first by the number of drafts and the denominator; the laws do not depend on the context",
        repaired={
            "one draft": GAMMA_TWO_CORRECTED,
            "p = q": lambda: (i for i in _blocks() if (i["p"] == i["q"]).all()),
        },
    ),
    Proof(GAMMA_TWO_CORRECTED, prove, drop=LAST, bind=_values),
)
