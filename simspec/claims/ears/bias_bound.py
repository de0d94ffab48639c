"""`ears.bias-bound`, with its readings, its correction and its sharper form: not printed; EARS, open question 2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import HALF, PRINTED, fresh_ears, some_step, tolerance
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate, bias, ears

SENTENCE = Printed(
    place="EARS, open question 2",
    text="Does the pardon path induce a distribution shift that violates theoretical guarantee of "
    "sampling strictly from target model’s distribution?",
    read="Not printed: that the shift is at most the tolerance.",
)

BOUND_FRESH = bound(
    name="ears.bias-bound.fresh",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \beta(1 - \max p)$ (rejected: a fresh draw from $p$)",
    reference="not printed; EARS, open question 2",
    instances=some_step,
    lhs=lambda p, q, beta: bias(fresh_ears(beta), p, q),
    rhs=lambda p, q, beta: tolerance(p, beta)[..., 0],
    within=(PRINTED,),
    corrected_by=("ears.bias-bound.fresh-corrected",),
    note="At β = 0 the right side is 0 and the output is still biased (ears.beta-zero.fresh).",
    printed=SENTENCE,
)

BOUND_FRESH_CORRECTED = bound(
    name="ears.bias-bound.fresh-corrected",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \alpha_{\mathrm{EARS}} (1 - \alpha_{\mathrm{SD}}) \le "
    r"(\alpha_{\mathrm{SD}} + t)(1 - \alpha_{\mathrm{SD}})$ (rejected: a fresh draw from $p$)",
    reference="correction of ears.bias-bound.fresh",
    instances=some_step,
    lhs=lambda p, q, beta: np.stack([bias(fresh_ears(beta), p, q), acceptance_rate(ears(beta), p, q) * tv(p, q)]),
    rhs=lambda p, q, beta: np.stack(
        [
            acceptance_rate(fresh_ears(beta), p, q) * (1 - overlap(p, q)),
            (overlap(p, q) + tolerance(p, beta)[..., 0]) * tv(p, q),
        ]
    ),
    tight=({"p": HALF, "q": law(1, 0), "beta": F(0)}, {"p": HALF, "q": law(1, 0), "beta": F(1)}),
    note="TV = κ TV(k/κ, p) = κ(1 − Σ min(k/κ, p)), and Σ min(k/κ, p) ≥ Σ min(k, p) = α_SD. At β = 0 it is α(1 − α), "
    "up to a quarter.",
)

BOUND_RESIDUAL = bound(
    name="ears.bias-bound.residual",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \beta(1 - \max p)$ (rejected: the residual)",
    reference="not printed; EARS, open question 2",
    instances=some_step,
    lhs=lambda p, q, beta: bias(ears(beta), p, q),
    rhs=lambda p, q, beta: tolerance(p, beta)[..., 0],
    tight=({"p": law("1/2", "1/2", 0), "q": law(0, 0, 1), "beta": F(1)},),
    corrected_by=("ears.bias-bound.residual-sharp",),
    note="G ≤ t Σ q. The constant is reached by a draft that shares no token with the target.",
    printed=SENTENCE,
)

BOUND_RESIDUAL_SHARP = bound(
    name="ears.bias-bound.residual-sharp",
    statement=r"$\mathrm{TV}(\text{output}, p) \le \min\big(\mathrm{TV}(p, q),\; t\, q\{q > p\}\big)$ (rejected: the "
    r"residual)",
    reference="own statement, sharpening ears.bias-bound.residual",
    instances=some_step,
    lhs=lambda p, q, beta: bias(ears(beta), p, q),
    rhs=lambda p, q, beta: np.minimum(tv(p, q), tolerance(p, beta)[..., 0] * np.where(q > p, q, 0).sum(axis=-1)),
    tight=(
        {"p": law("1/2", "1/2"), "q": law(1, 0), "beta": F(2)},
        {"p": law("1/2", "1/4", "1/4"), "q": law("1/4", 0, "3/4"), "beta": F(1, 2)},
    ),
    note="A sum of minima is at most either sum, and (q − p)₊ adds up to TV(p, q) over {q > p}. Both sides of the "
    "minimum are reached.",
)
