"""rdk.project-logits: logits are z = log q + log Z, which Mᵀ adds up where Algorithm 1 adds masses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, i, total, x
from proofs_check.rdk._tilted_laws import at_least_one
from simspec.claims.authoring import law
from simspec.claims.balls import log
from simspec.claims.claim import Instance
from simspec.claims.rdk.project_logits import PROJECT_LOGITS, PROJECT_LOGITS_CORRECTED
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, all logits, every matrix; in instances M sends each token to one."""
    z, log_q, M = (sp.IndexedBase(name, real=True) for name in ("z", "log_q", "M"))
    log_Z = sp.Symbol("log_Z", real=True)
    normal = d.domain("z is log q and log Z", eq(z[i], log_q[i] + log_Z))
    row = d.summed(
        "what a token sends",
        eq(M[i, x] * z[i], M[i, x] * log_q[i] + sign * constant * M[i, x] * log_Z),
        normal,
        over=i,
        then="what arrives",
    )
    lhs = total(M[i, x] * z[i], i)
    rhs = total(M[i, x] * log_q[i], i) + log_Z * total(M[i, x], i)
    h, exponential_bound = at_least_one(d)
    above = d.derive("no less", ge(lhs - rhs, 0), row)
    below = d.derive("no more", ge(rhs - lhs, 0), row)
    above = d.instantiate("as a weight no less", exponential_bound, {h: lhs - rhs}, above)
    below = d.instantiate("as a weight no more", exponential_bound, {h: rhs - lhs}, below)
    d.qed(d.derive("so as weights", eq(sp.exp(lhs), sp.exp(rhs)), above, below))


def _values(w: Array, to: Array) -> dict[str, Any]:
    return {
        "z": log(w),
        "log_q": log(w / w.sum()),
        "log_Z": log(w.sum()),
        "h": 0,
        "M": np.eye(len(w), dtype=int)[to],
        "V": len(w),
    }


def maps(vocab: int) -> Iterator[Instance]:
    """Equal logits, and every map of tokens to tokens."""
    for to in product(range(vocab), repeat=vocab):
        yield {"w": law(*[1] * vocab), "to": np.array(to)}


PROOFS = (
    Refutation(
        PROJECT_LOGITS,
        lambda: (case for vocab in (1, 2) for case in maps(vocab)),
        scope="equal logits and maps that send each token to one: two tokens; with one token both are certain of it",
        repaired={
            "renaming maps": lambda: (
                c for vocab in (1, 2, 3) for c in maps(vocab) if len({*c["to"].tolist()}) == vocab
            ),
            "what projected logits are": PROJECT_LOGITS_CORRECTED,
        },
    ),
    Proof(PROJECT_LOGITS_CORRECTED, prove, drop="z is log q and log Z", bind=_values),
)
