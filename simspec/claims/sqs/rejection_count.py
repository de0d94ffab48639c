"""The expected number of rejections is the sum of expected total variations over all verified tokens.

`sqs.rejection-count`, with its correction and its sharper form: SQS, Eqs. 10–16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Broken, F, identity, law, other_claim
from simspec.claims.claim import Printed
from simspec.claims.sqs.texts import FULL, budgeted_texts, distances_everywhere, rejected_drafts, some_texts, text_of
from simspec.laws import tv
from simspec.methods.block import Prefix

COUNT = identity(
    name="sqs.rejection-count",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E_{X \sim p}\, \mathrm{TV}(\hat q_n, p_n)$, $T$ counting all verified "
    r"tokens",
    reference="SQS, Eqs. 10–16",
    instances=lambda draw: some_texts(draw, widest=2, longest=2),
    lhs=rejected_drafts,
    rhs=distances_everywhere,
    sources=("exact",),
    within=(FULL,),
    corrected_by=("sqs.rejection-count-corrected", "sqs.rejection-count-sharp"),
    note="A batch whose L drafts are all accepted ends with a token that the target writes alone: no draft stands at that "
    "position, nothing is rejected there, but T and the sum count it. (Eq. 15 prints X ~ q; Eq. 16 has p, which "
    "emitted tokens follow.)",
    printed=Printed(
        place="SQS A.2, before Eq. 16",
        text="Therefore, the expected number of rejections satisfies …",
        read="The number of rejections as a sum over all verified tokens.",
    ),
)


def _tested(gamma: int, length: int, **instance: Any) -> Any:
    """Sum over texts, and over how many drafts of the batch stand before, of the chance to get there, times TV if a
    draft is tested there."""
    text = text_of(instance)
    total = F(0)
    states: dict[tuple[Prefix, int], Any] = {((), 0): F(1)}
    for _ in range(length):
        after: dict[tuple[Prefix, int], Any] = {}
        for (prefix, ago), mass in states.items():
            start = len(prefix) - ago
            p = text.target(prefix)
            if ago == gamma or text.stop(prefix[:start], prefix[start:]):
                moves = [(0, p)]
            else:
                d = text.sent(prefix)
                total = total + mass * tv(d, p)
                moves = [(ago + 1, np.minimum(p, d)), (0, np.maximum(p - d, 0))]
            for now, masses in moves:
                for token, token_mass in enumerate(masses.tolist()):
                    if token_mass:
                        key = ((*prefix, token), now)
                        after[key] = after.get(key, F(0)) + mass * token_mass
        states = after
    return total


COUNT_CORRECTED = identity(
    name="sqs.rejection-count-corrected",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E\big[D_n\, \mathrm{TV}(\hat q_n, p_n)\big]$, $D_n = 1$ where a draft is "
    r"tested at position $n$ and $0$ where the target writes alone, for any length of batches, fixed or by a bit budget",
    reference="correction of SQS Eqs. 10–16",
    instances=budgeted_texts,
    lhs=rejected_drafts,
    rhs=_tested,
    sources=("exact",),
    note="Whether a draft is tested at n is settled by what stands before n; given that, sqs.rejection applies. The mean is "
    "over the run itself: its text follows p (sqs.lossless), but D_n depends on the coins too.",
    broken=[Broken("the printed right side", lambda _: {"rhs": other_claim("sqs.rejection-count").rhs})],
)

# the draft is right about the first token, wrong about the second, which no draft reaches in a batch of one
_SECOND: dict[str, Any] = {"p": np.stack([law(1, 0)] * 3), "q": np.stack([law(1, 0), law(0, 1), law(0, 1)]), "k": 1}
_SECOND |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None, "length": 2}

COUNT_SHARP = identity(
    name="sqs.rejection-count-sharp",
    statement=r"$E[N_{\mathrm{rej}}] = \sum_{n \le T} E_{X \sim p}\, \mathrm{TV}(\hat q_n, p_n)$ when no batch ends before "
    r"position $T$ with all drafts accepted: $L^t \ge T$",
    reference="own statement: the condition under which SQS Eqs. 10–16 are exact",
    instances=lambda draw: {**(drawn := some_texts(draw)), "gamma": drawn["length"], "budget": None},
    assumes={
        "every batch may hold T drafts": lambda gamma, length: gamma >= length,
        "no bit budget ends a batch": lambda budget: budget is None,
    },
    lhs=rejected_drafts,
    rhs=distances_everywhere,
    sources=("exact",),
    outside={
        "every batch may hold T drafts": {**_SECOND, "gamma": 1, "budget": None},
        "no bit budget ends a batch": {**_SECOND, "gamma": 2, "budget": 1},
    },
    note="Then D_n = 1 at every position up to T (a rejection opens a new batch that again reaches beyond T).",
    broken=[
        Broken(
            "distributions outside the assumption",
            lambda _: {"assumes": {}, "instances": other_claim("sqs.rejection-count").instances},
        )
    ],
)
