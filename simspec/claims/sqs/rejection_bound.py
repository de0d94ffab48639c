"""The expected number of rejections is bounded by the mismatch of the models and the distortion.

`sqs.rejection-bound`, with its sharper form: SQS, Theorem 1.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.authoring import Broken, bound, broken, law
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import sizes, worst_rounding
from simspec.claims.sqs.texts import budgeted_texts, distances_everywhere, rejected_drafts, text_of
from simspec.laws import tv
from simspec.methods.block import Prefix
from simspec.methods.sqs.quantised import dropped_mass


def _theorem_1(length: int, **instance: Any) -> Any:
    text = text_of(instance)

    def term(x: Prefix) -> Any:
        q = text.draft(x)
        support = text.kept(x)
        return tv(q, text.target(x)) + dropped_mass(q, support) + sizes(support, q) / (4 * text.resolution)

    return text.mean(length, term)


def _sharper(length: int, **instance: Any) -> Any:
    text = text_of(instance)

    def term(x: Prefix) -> Any:
        q = text.draft(x)
        support = text.kept(x)
        dropped = dropped_mass(q, support)
        rounding = worst_rounding(sizes(support, q), text.resolution)
        return tv(q, text.target(x)) + dropped + (1 - dropped) * rounding

    return text.mean(length, term)


_UNSENT: dict[str, Any] = {"p": np.stack([law(1, 0)] * 3), "q": np.stack([law("1/2", "1/2")] * 3), "k": 2}
_UNSENT |= {"resolution": 1, "threshold": None, "step_size": None, "dropped_target": None, "budget": None}
_WRONG = {**_UNSENT, "p": np.stack([law(0, 1)] * 3), "q": np.stack([law(1, 0)] * 3), "k": 1}

BOUND = bound(
    name="sqs.rejection-bound",
    statement=r"$E[N_{\mathrm{rej}}] \le \sum_{n \le T} E_p\, \mathrm{TV}(q_n, p_n) + \sum_{n \le T} \big(\alpha_n + "
    r"K_n/(4\ell_n)\big)$, for batches of any length, fixed or by a bit budget, K-SQS and C-SQS",
    reference="SQS, Theorem 1",
    instances=budgeted_texts,
    lhs=rejected_drafts,
    rhs=_theorem_1,
    sources=("exact",),
    tight=({**_UNSENT, "gamma": 1, "length": 1},),
    corrected_by=("sqs.rejection-bound-sharp",),
    proof_steps=("sqs.rejection-count", "sqs.rejection", "sqs.rejection.drawn-from-q", "sqs.total-distortion"),
    note="sqs.rejection-count-corrected with D_n ≤ 1, then sqs.total-distortion: the sum counts positions without a draft "
    "too, which only helps. α_n and K_n are means over texts of p.",
    printed=Printed(
        place="SQS, Theorem 1",
        text="The expected number of rejected tokens can be upper bounded as …",
        read="As printed, token by token, by the mismatch of the models and the distortion.",
    ),
    broken=[
        broken(
            "the first position's total variation for all positions", rhs=lambda p, q, length: tv(p[0], q[0]) * length
        )
    ],
)

BOUND_SHARP = bound(
    name="sqs.rejection-bound-sharp",
    statement=r"$E[N_{\mathrm{rej}}] \le \sum_{n \le T} E_p\, \mathrm{TV}(\hat q_n, p_n) \le \sum_{n \le T} E_p "
    r"\Big[\mathrm{TV}(q_n, p_n) + \delta_n + (1 - \delta_n) \frac{m_n (K_n - m_n)}{K_n \ell_n}\Big]$ with $\delta_n$ the "
    r"dropped mass and $m_n = \min(\ell_n, \lfloor K_n/2 \rfloor)$",
    reference="own statement, sharpening SQS Theorem 1",
    instances=budgeted_texts,
    lhs=lambda **text: np.array([rejected_drafts(**text), distances_everywhere(**text)]),
    rhs=lambda **text: np.array([distances_everywhere(**text), _sharper(**text)]),
    sources=("exact",),
    tight=({**_WRONG, "gamma": 3, "length": 3},),
    note="D_n ≤ 1 in sqs.rejection-count-corrected, then sqs.total-distortion-sharp in place of its printed form. It gains most "
    "for K = 1, where nothing is rounded, and for ℓ far below K.",
    broken=[Broken("7/8 of the bound", lambda claim: {"rhs": lambda **text: claim.rhs(**text) * F(7, 8)})],
)
