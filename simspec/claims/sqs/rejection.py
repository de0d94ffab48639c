"""A draft is rejected with probability equal to the total variation of target and quantised draft.

`sqs.rejection`: SQS, Eq. 14.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Draw, F, Instance, broken, identity
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import scheme
from simspec.claims.sqs.texts import ELSEWHERE, FULL, TOLD, one_step, rejected_drafts, some_texts, text_of
from simspec.laws import tv
from simspec.methods.block import Prefix
from simspec.methods.method import acceptance_rate

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
    printed=Printed(
        place="SQS A.2, Eq. 14",
        text="By the rejection design of SD, we have …",
        read="A draft is rejected with probability the total variation of its law and the target’s.",
    ),
    broken=[broken("TV(p, q) alone", rhs=lambda p, q: tv(p, q))],
)


def _long_batches(draw: Draw) -> Instance:
    instance = some_texts(draw, widest=2)
    return {**instance, "gamma": instance["length"]}


def _under_draft(length: int, **instance: Any) -> Any:
    """Sum over positions of the mean of TV(q̂, p), texts drawn from the draft's own laws q."""
    text = text_of(instance)
    total = F(0)
    texts = dict[Prefix, Any]({(): F(1)})
    for _ in range(length):
        longer: dict[Prefix, Any] = {}
        for prefix, mass in texts.items():
            total = total + mass * tv(text.sent(prefix), text.target(prefix))
            for token, token_mass in enumerate(text.draft(prefix).tolist()):
                if token_mass:
                    longer[*prefix, token] = mass * token_mass
        texts = longer
    return total


DRAWN_FROM_Q = identity(
    name="sqs.rejection.drawn-from-q",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E_{X \sim q}\, \mathrm{TV}(\hat q_n, p_n)$: texts of the sum drawn from "
    r"the draft's laws $q$, as Eq. 15 prints, in batches of at least $T$ drafts",
    reference="SQS, Eq. 15",
    instances=_long_batches,
    lhs=rejected_drafts,
    rhs=_under_draft,
    sources=("exact",),
    within=({**FULL, "gamma": 2},),
    corrected_by=("sqs.rejection-count-sharp",),
    note="Verified tokens follow the target, whatever drafted them (sqs.lossless): Eq. 16 has p in place of q, and that holds.",
)
