"""`rdk.softmax-lipschitz`, with its sharper form: RDK, Theorem 5.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.balls import enclose, log
from simspec.claims.rdk.softmax import moved_by, not_negative, perturbed_logits
from simspec.claims.words import Array, F, bound, law


def _size1(ratio: Array, spare: Any) -> Any:
    """ε of the theorem: ‖δ‖₁ and something to spare."""
    return log(np.maximum(ratio, 1 / ratio)).sum(axis=-1) + enclose(spare)


SMALL1 = "‖δ‖₁ ≤ ε"

_ONE_LOGIT: dict[str, Any] = {"w": law(1, 2), "ratio": law(4, 1)}

SOFTMAX_LIPSCHITZ = bound(
    name="rdk.softmax-lipschitz",
    statement=r"$\lVert\delta\rVert_1 \le \varepsilon$ implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le \varepsilon/2$",
    reference="RDK, Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL1: not_negative},
    lhs=moved_by,
    rhs=lambda ratio, spare: _size1(ratio, spare) / 2,
    tight=({"w": law(1, 2), "ratio": law(1, 1), "spare": F(0)},),
    outside={SMALL1: {**_ONE_LOGIT, "spare": F(-1)}},
    corrected_by=("rdk.softmax-lipschitz-sharp",),
    note="A column of softmax's Jacobian has ℓ1 norm 2p(1 − p) ≤ ½. The bound is approached as ε → 0 and never attained. Here "
    "z = log w, δ = log ratio and ε = ‖δ‖₁ + spare.",
)

SOFTMAX_LIPSCHITZ_SHARP = bound(
    name="rdk.softmax-lipschitz-sharp",
    statement=r"$\lVert\delta\rVert_1 \le \varepsilon$ implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le 2\tanh(\varepsilon/4)$, attained for every $\varepsilon$",
    reference="own statement, sharpening RDK Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL1: not_negative},
    lhs=moved_by,
    rhs=lambda ratio, spare: 2 * np.tanh(_size1(ratio, spare) / 4),
    tight=tuple({"w": law(1, root), "ratio": law(root * root, 1), "spare": F(0)} for root in (2, 3, 10)),
    outside={SMALL1: {**_ONE_LOGIT, "spare": F(-1)}},
    note="Only the range of δ counts, and it is at most ‖δ‖₁; tilting a law by a range R moves at most tanh(R/4) in total "
    "variation. Attained by two tokens of odds e^(−ε/2) whose one logit rises by ε.",
)
