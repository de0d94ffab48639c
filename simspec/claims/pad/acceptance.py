"""`pad.acceptance`, with its sharper form: PAD 3.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, identity, law, mask
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import flagged_step
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, output_law, pad


def _guarded(draw: Draw) -> Instance:
    return {**flagged_step(draw), "limit": draw.number(0, 1) if draw.exact else draw.number(0, 0.02), "every": False}


_STEP: dict[str, Any] = {"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "flags": mask("11"), "limit": F(1, 2)}
_LIMITS_OVERRIDES = "the guardrail rejects nothing that SD accepts"

ACCEPTANCE = bound(
    name="pad.acceptance",
    statement="At every context PAD accepts at least as often as SD, with or without a guardrail on overrides",
    reference="PAD 3.2",
    instances=_guarded,
    assumes={_LIMITS_OVERRIDES: lambda every, limit: not every or limit == 0},
    lhs=lambda p, q, flags, limit, every: acceptance_rate(pad(flags, limit, "every" if every else "override"), p, q),
    rhs=lambda p, q: overlap(p, q),
    relation=at_least,
    tight=({**_STEP, "every": False},),
    outside={_LIMITS_OVERRIDES: {**_STEP, "every": True}},
    corrected_by=("pad.acceptance-sharp",),
    note="Every mass that PAD keeps is min(p, d) or d. The guardrail on every token breaks it.",
    printed=Printed(
        place="PAD 3.2",
        text="always accepting tokens deemed not pivotal (…), leading to a higher token acceptance rate",
        read="At every context, no lower than that of speculative decoding.",
    ),
)


def _gain_and_bias(p: Array, q: Array, flags: Array) -> Array:
    method = pad(flags)
    return np.stack([acceptance_rate(method, p, q) - overlap(p, q), tv(output_law(method, p, q), p)])


ACCEPTANCE_SHARP = identity(
    name="pad.acceptance-sharp",
    statement=r"At every context PAD gains $\sum_{x\ \mathrm{not\ flagged}} (d(x) - p(x))_+$ of acceptance over SD, and its "
    r"output is exactly that far from $p$ in total variation: no rule accepts more at that distance",
    reference="own statement, sharpening PAD 3.2",
    instances=flagged_step,
    lhs=_gain_and_bias,
    rhs=lambda p, q, flags: np.stack([np.where(flags, 0, np.maximum(q - p, 0)).sum(axis=-1)] * 2),
    note="Output minus p is g − (Σg)·r: overrides g sit where d > p, the residual r where p > d. A rule with kept mass k has "
    "Σk ≤ Σmin(output, d) ≤ Σmin(p, d) + TV(output, p), so the exchange of bias for acceptance is one for one at best.",
)
