"""`sqs.rejection`: SQS, Eq. 14."""

from __future__ import annotations

from simspec.claims.sqs.parts import scheme
from simspec.claims.sqs.texts import ELSEWHERE, TOLD, one_step
from simspec.claims.words import identity
from simspec.laws import tv
from simspec.methods.step import acceptance_rate

REJECTION = identity(
    name="sqs.rejection",
    statement=r"$P(\text{reject at } n) = \mathrm{TV}(\hat q_n, p_n)$ for a draft drawn from $\hat q_n$",
    reference="SQS, Eq. 14",
    instances=one_step,
    assumes={TOLD: lambda drawn: drawn is None},
    lhs=lambda p, q, k, resolution, threshold, drawn: (
        1 - acceptance_rate(scheme(k, resolution, threshold), p, q, drawn)
    ),
    rhs=lambda p, q, k, resolution, threshold: tv(scheme(k, resolution, threshold).propose(q), p),
    outside={TOLD: ELSEWHERE},
    note="Σ(q̂ − p)₊ = 1 − Σmin(p, q̂), for K-SQS and for C-SQS alike. A draft drawn from q but told as q̂ is rejected at "
    "another rate: quantise first, then sample.",
)
