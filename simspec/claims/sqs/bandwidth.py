"""Sparsifying the draft distribution lowers the bits that are sent.

`sqs.bandwidth`, with its existential reading, its correction and its sharper form: SQS 1, 2, Eqs. 2 and 5.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, bound, broken, identity, shifted, swapped
from simspec.claims.claim import Evidence, Printed
from simspec.claims.deciding.data import Data
from simspec.claims.sqs.parts import lattice_points, numbers, small_lattice, subsets
from simspec.methods.sqs.payload import lattice_log2, payload_log2


def _sparse(vocab: int, k: int, resolution: int) -> Any:
    """Pairs (subset, lattice point on it) that the printed code tells apart."""
    return F(len(subsets(vocab, k)) * len(lattice_points(k, resolution)))


def _dense(vocab: int, resolution: int) -> Any:
    return F(comb(resolution + vocab - 1, vocab - 1))


def _paper_setting(data: Data) -> list[Evidence]:
    """Largest K whose payload is below the dense one at the paper's resolution, for the paper's vocabulary."""
    vocab = 50_257
    resolution = 100
    k = np.arange(1, vocab)
    dense = float(lattice_log2(np.array(vocab), np.array(resolution)))
    payload = payload_log2(vocab, k, np.array(resolution))
    saves = payload < dense
    last = int(k[~saves][0]) - 1
    control = {"dense payload, bits": dense, "payload at K + 1, bits": float(payload[last])}
    return [
        Evidence(f"largest K that saves bits, V = {vocab:,}, ℓ = {resolution}", None, vocab - 1, last, control=control)
    ]


BANDWIDTH = bound(
    name="sqs.bandwidth",
    statement=r"Sparsifying lowers the payload: $\log_2 \binom{V}{K} + \log_2 \binom{\ell + K - 1}{K - 1} \le "
    r"\log_2 \binom{\ell + V - 1}{V - 1}$ for every $K < V$ (compared without the logarithms)",
    reference="SQS 1, 2, Eqs. 2 and 5",
    instances=small_lattice,
    lhs=lambda vocab, k, resolution: _sparse(vocab, k, resolution),
    rhs=lambda vocab, resolution: _dense(vocab, resolution),
    sources=("exact",),
    evidence=_paper_setting,
    within="at V = 50,257 and ℓ = 100 every K from 81 on, by whole numbers (its evidence): too many code words to list",
    corrected_by=("sqs.bandwidth-corrected", "sqs.bandwidth-sharp", "sqs.bandwidth-support", "sqs.bandwidth.some"),
    note="Counts of zero are coded twice, by the subset and by the point. V = 3, K = 2, ℓ = 1: six code words for three laws. "
    "At V = 50,257 and ℓ = 100 the code saves bits only up to K = 80. Equality is let pass here; “below” fails already "
    "at V = 2, K = 1, ℓ = 1.",
    printed=Printed(
        place="SQS 1",
        text="improving quantization resolution and reducing uplink cost",
        read="The payload of a sparse law is at most that of the whole one, by Eqs. 2 and 5.",
    ),
)


def _codes(vocab: int, k: int, resolution: int) -> int:
    """Code words of the printed code for one size K."""
    return comb(vocab, k) * comb(resolution + k - 1, k - 1)


def _near_square(draw: Draw) -> Instance:
    vocab = draw.integer(2, 8)
    near = (vocab - 1) ** 2 + draw.integer(-2, 2)
    return {"vocab": vocab, "resolution": max(1, near) if draw.integer(0, 1) else draw.integer(1, 60)}


BANDWIDTH_CORRECTED = identity(
    name="sqs.bandwidth-corrected",
    statement=r"$\binom{V}{K} \binom{\ell + K - 1}{K - 1} \le \binom{\ell + V - 1}{V - 1}$ for every $K < V$ exactly when "
    r"$\ell \ge (V - 1)^2$, and $<$ for every $K < V$ exactly when $\ell > (V - 1)^2$",
    reference="correction of SQS 1, 2",
    instances=_near_square,
    lhs=lambda vocab, resolution: numbers(
        all(_codes(vocab, k, resolution) <= _dense(vocab, resolution) for k in range(1, vocab)),
        all(_codes(vocab, k, resolution) < _dense(vocab, resolution) for k in range(1, vocab)),
    ),
    rhs=lambda vocab, resolution: numbers(resolution >= (vocab - 1) ** 2, resolution > (vocab - 1) ** 2),
    sources=("exact",),
    note="R(K), the left side over the right, has R(K+1)/R(K) = (V−K)(ℓ+K)/((K+1)K), which falls in K, so R rises, then "
    "falls, to R(V) = 1. Where R(V−1) = V(V−1)/(ℓ+V−1) is at most 1, R has not fallen on its last step and is below 1 before; "
    "where it exceeds 1, K = V − 1 fails. At ℓ = 100 that is V ≤ 11.",
    broken=[
        broken(
            "ℓ + 1 in place of ℓ",
            rhs=lambda vocab, resolution: numbers(resolution + 1 >= (vocab - 1) ** 2, resolution > (vocab - 1) ** 2),
        ),
        broken(
            "≥ in place of >",
            rhs=lambda vocab, resolution: numbers(resolution >= (vocab - 1) ** 2, resolution >= (vocab - 1) ** 2),
        ),
    ],
)

BANDWIDTH_SHARP = bound(
    name="sqs.bandwidth-sharp",
    statement=r"The $K$ whose printed code is no longer than the dense one are $1, \dots, K^*$ (and $V$): if the code of $K$ "
    r"is longer, so is that of every $K'$ with $K < K' < V$",
    reference="own statement: which K save bits in SQS Eqs. 2 and 5",
    instances=lambda draw: small_lattice(draw, 12, 12),
    lhs=lambda vocab, k, resolution: numbers(
        *(_codes(vocab, j, resolution) <= _dense(vocab, resolution) for j in range(k, vocab))
    ),
    rhs=lambda vocab, k, resolution: F(_codes(vocab, k, resolution) <= _dense(vocab, resolution)),
    sources=("exact",),
    tight=({"vocab": 3, "k": 1, "resolution": 1},),
    note="R of sqs.bandwidth-corrected rises, then falls to R(V) = 1: once above 1 it stays there up to V − 1.",
    broken=[swapped()],
)


BANDWIDTH_SOME = bound(
    name="sqs.bandwidth.some",
    statement=r"For every $V \ge 2$ and $\ell$ some $K < V$ saves bits, $K = 1$: $V \le \binom{\ell + V - 1}{V - 1}$, and from "
    r"$\ell = 2$ on $V + 1 \le \binom{\ell + V - 1}{V - 1}$",
    reference="SQS 1, 2, Eqs. 2 and 5, read as: some K",
    instances=lambda draw: {"vocab": draw.integer(2, 6), "resolution": draw.integer(1, 6)},
    lhs=lambda vocab, resolution: _sparse(vocab, 1, resolution) + min(resolution - 1, 1),
    rhs=lambda vocab, resolution: _dense(vocab, resolution),
    sources=("exact",),
    tight=({"vocab": 2, "resolution": 1}, {"vocab": 2, "resolution": 2}),
    note="A range of K saves bits, 1 to K* of sqs.bandwidth-sharp; it ends at V - 1 exactly from ℓ = (V - 1)² on "
    "(sqs.bandwidth-corrected), and at K = 80 for the paper's ℓ and a vocabulary of 50,257.",
    broken=[shifted(1)],
)
