"""rdk.never-worse: M may move accepted mass; RDK gains what reaches tokens in want and loses what it takes too much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, i, j, laws, le
from proofs_check.rdk._stochastic_maps import image, stochastic
from simspec.claims.claim import Instance
from simspec.claims.rdk.never_worse import NEVER_WORSE, NEVER_WORSE_CORRECTED, NEVER_WORSE_SHARP
from simspec.claims.rdk.parts import ROWS
from simspec.laws import Array, restrict

KERNEL_ONLY = "M moves drafter-kernel mass only"


def by_size(vocabularies: range = range(1, 4), denominators: range = range(1, 3)) -> Iterator[Instance]:
    """Targets, drafts and matrices with small denominators, by vocabulary and then by denominator; all tokens shared."""
    for vocab, denominator in product(vocabularies, denominators):
        if vocab == 3 and denominator == 2:
            return
        all_laws = list(laws(vocab, denominator))
        for rows in product(all_laws, repeat=vocab):
            for p, q in product(all_laws, repeat=2):
                yield {"p": p, "q": q, "shared": np.ones(vocab, dtype=bool), "M": np.stack(rows)}


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, target, draft and matrix; of the rows of M only that no entry is negative is used.

    Nothing can be added on the right: equality whenever the mass moved reaches no token in want. How much is gained
    otherwise is rdk.gain.
    """
    p = d.weights("p")
    q = d.weights("q")
    M = sp.IndexedBase("M", real=True)
    signs, _ = d.assume(ROWS, *stochastic(M))
    kernel = d.assume(KERNEL_ONLY, le(q[j] * (1 - M[j, j]), constant * sp.Max(q[j] - p[j], 0)))
    arrives = d.derive("what arrives is not negative", ge(sign * q[i] * M[i, j], 0), signs)
    keeps = d.term("a token has at least what it keeps", arrives, i, j)
    r = image(q, M)(j)
    enough = d.derive("and it keeps min(p, q')", ge(r, sp.Min(p[j], q[j])), keeps, kernel)
    token = d.derive("no token loses overlap", ge(sp.Min(p[j], r), sp.Min(p[j], q[j])), enough)
    d.qed(d.sum("over the vocabulary", token, j))


def prove_sharp(d: Derivation, sign: int = 1, surplus: bool = True, constant: int = 1) -> None:
    """Every vocabulary, target, draft and matrix; even where they are no laws."""
    p, q, M = (sp.IndexedBase(n, real=True) for n in ("p", "q", "M"))
    r = sp.IndexedBase("r", real=True)
    d.define("what RDK drafts from", r[j], image(q, M)(j))
    gain = sp.Min(sp.Max(p[j] - q[j], 0), constant * sp.Max(r[j] - q[j], 0))
    free = sp.Max(q[j] - p[j], 0) if surplus else 0
    loss = sp.Max(sp.Max(q[j] - r[j], 0) - free, 0)
    change = sp.Min(p[j], r[j]) - sp.Min(p[j], q[j])
    token = d.derive("at each token, whatever the order of p, q' and r", eq(change, gain - sign * loss))
    d.qed(d.sum("over the vocabulary", token, j))


def _values(p: Array, q: Array, shared: Array, M: Array) -> dict[str, Any]:
    return {"p": p, "q": restrict(q, shared), "M": M, "V": len(p)}


PROOFS = (
    Refutation(
        NEVER_WORSE,
        by_size,
        scope="the first of all targets, drafts and matrices with entries in multiples of 1, then ½, by vocabulary: no smaller "
        "vocabulary has one, for with V = 1 nothing can move",
        repaired={KERNEL_ONLY: NEVER_WORSE_CORRECTED, "V = 1": lambda: by_size(range(1, 2))},
    ),
    Proof(NEVER_WORSE_CORRECTED, prove_corrected, drop=KERNEL_ONLY, bind=_values),
    Proof(NEVER_WORSE_SHARP, prove_sharp, drop={"surplus": False}, bind=_values),
)
