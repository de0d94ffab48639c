"""rdk.small-overlap: TLI drafts on I only, so min(p, t) is at most p there; what q has on I is divided out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, laws, le, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.claim import Instance
from simspec.claims.rdk.small_overlap import DRAFT, DRAFT_CORRECTED, TARGET


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, draft and shared vocabulary.

    Attained by every draft whose TLI law is at least p on I (rdk.tli-ceiling-sharp).
    """
    p = d.weights("p")
    q = d.weights("q")
    s = shared(d)
    t = tli(d, s, q)
    off = d.derive("nothing outside I", eq((1 - s.mask[x]) * t.law[x], 0), t.meaning, *t.empty, s.flag, s.some)
    token = le(sp.Min(p[x], t.law[x]), sign * constant * s.mask[x] * p[x])
    d.qed(d.sum("over the vocabulary", d.derive("at most p on a shared token", token, off, s.flag), x))


def prove_draft(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1, sure: int = 1) -> None:
    """Every positive mass and every acceptance; two tokens, one of them shared."""
    mass = d.number("mass", 0)
    accepted = d.number("a", 0, 1)
    law = sp.Symbol("t", real=True)
    some = d.domain("the draft has mass on I", gt(mass, 0))
    means = d.define("what TLI drafts", law, sign * constant * mass / mass, some)
    d.qed(
        d.derive(
            "it is accepted as often as the target says the token",
            eq(sp.Min(sure * accepted, law), accepted),
            means,
            some,
        )
    )


def by_size() -> Iterator[Instance]:
    """Pairs of laws over two tokens in halves, the first shared."""
    for p in laws(2, 2):
        for q in laws(2, 2):
            yield {"p": p, "q": q, "shared": np.array([True, False])}


PROOFS = (
    Proof(
        TARGET,
        prove,
        drop="I is 1 on shared tokens, else 0",
        change={"constant": sp.S.Half},
        bind=lambda p, q, shared: {"p": p, "q": q, "I": shared, "none_t": nothing(q, shared), "V": len(p)},
    ),
    Refutation(
        DRAFT,
        by_size,
        scope="two tokens, the first shared, laws in halves",
        repaired={
            "all draft mass on I": lambda: (c for c in by_size() if c["q"][0] == 1),
            "the target's mass in place of the draft's": (TARGET, by_size),
        },
    ),
    Proof(
        DRAFT_CORRECTED,
        prove_draft,
        drop={"sure": 0},
        change={"constant": sp.S.Half},
        bind=lambda mass, accepted: {"mass": mass, "a": accepted},
    ),
)
