"""pad.labels-suffice: a flag takes effect only where q exceeds p."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, x
from simspec.claims.authoring import law
from simspec.claims.claim import Instance
from simspec.claims.pad.labels_suffice import AGREE, RECALL, RULE
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, target, draft, and two classifiers."""
    p = d.weights("p")
    q = d.weights("q")
    f = sp.IndexedBase("f", real=True)
    g = sp.IndexedBase("g", real=True)
    flags = d.domain("a flag is 0 or 1", eq(f[x] * (1 - f[x]), 0), eq(g[x] * (1 - g[x]), 0))
    same = d.assume(AGREE, eq((f[x] - g[x]) * sp.Max(q[x] - p[x], 0), 0))
    first_accepted = f[x] * sp.Min(p[x], q[x]) + (1 - f[x]) * q[x]
    second_accepted = g[x] * sp.Min(p[x], q[x]) + sign * (1 - g[x]) * constant * q[x]
    d.qed(d.smt("the same is kept", eq(first_accepted, second_accepted), same, *flags))


def bind(p: Array, q: Array, flags: Array, other: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "f": flags, "g": other, "V": len(p)}


def processes() -> Iterator[Instance]:
    """Texts of one token, which succeed or fail by it; laws of two tokens in halves."""
    step = np.array([[0, 1], [1, 1]])
    last = law(1, 0)
    for p, q in product(laws(2, 2), laws(2, 2)):
        shared = {"step": step, "utility": law(1, 0), "horizon": 1}
        yield {"target": np.stack([p, last]), "draft": np.stack([q, last]), **shared}


PROOFS = (
    Refutation(
        RECALL,
        processes,
        scope="texts of one token in halves, which succeed by the first of two tokens",
        repaired={
            "target and draft have no token in common": lambda: (
                i for i in processes() if not (i["draft"] * i["target"])[0].any()
            )
        },
    ),
    Proof(RULE, prove, drop=AGREE, bind=bind),
)
