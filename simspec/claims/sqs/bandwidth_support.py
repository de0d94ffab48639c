"""`sqs.bandwidth-support`: own statement, in place of SQS 1, 2."""

from __future__ import annotations

from simspec.claims.authoring import F, bound
from simspec.claims.sqs.parts import lattice_points, small_lattice, subsets

BANDWIDTH_SUPPORT = bound(
    name="sqs.bandwidth-support",
    statement=r"Sending the support of $\hat q$ and positive counts on it never takes more than the dense code: "
    r"$\binom{V}{K} \binom{\ell - 1}{K - 1} \le \binom{\ell + V - 1}{V - 1}$ for every $K$ and $\ell$",
    reference="own statement, in place of SQS 1, 2",
    instances=small_lattice,
    lhs=lambda vocab, k, resolution: F(len(subsets(vocab, k)) * sum(min(b) > 0 for b in lattice_points(k, resolution))),
    rhs=lambda vocab, resolution: F(len(lattice_points(vocab, resolution))),
    sources=("exact",),
    tight=({"vocab": 3, "k": 1, "resolution": 1},),
    note="These are the dense lattice points with exactly K positive counts; summed over K they are all of them "
    "(Vandermonde). The size K, where it must be told, comes on top: ⌈log2 V⌉ bits.",
)
