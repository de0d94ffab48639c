"""Softmax is Lipschitz in ℓ1 norm with constant one half.

`rdk.softmax-lipschitz`, with its sharper form and where that is attained: RDK, Theorem 5.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, identity, law, other_claim
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Printed
from simspec.claims.rdk.softmax import moved_by, not_negative, perturbed_logits, two_logits
from simspec.laws import Scalar


def _size1(ratio: Array, spare: Scalar) -> Any:
    """ε of the theorem: ‖δ‖₁ and something to spare."""
    return log(np.maximum(ratio, 1 / ratio)).sum(axis=-1) + enclose(spare)


def _most(ratio: Array, spare: Scalar) -> Any:
    """2 tanh(ε/4)."""
    return 2 * np.tanh(_size1(ratio, spare) / 4)


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
    printed=Printed(
        place="RDK, Theorem 5.2",
        text="Let … be a vector of logits, and let … be a noise vector with …",
        read="Both errors in the ℓ1 norm, with the factor one half.",
        restored="the hypothesis and the conclusion, from the sentence before the theorem and from B.3",
    ),
    broken=[
        broken(
            "the sum is not updated after the logits move",
            lhs=lambda w, ratio: enclose(abs(w / sum(w) - w * ratio / sum(w)).sum()),
        )
    ],
)

SOFTMAX_LIPSCHITZ_SHARP = bound(
    name="rdk.softmax-lipschitz-sharp",
    statement=r"$\lVert\delta\rVert_1 \le \varepsilon$ implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le 2\tanh(\varepsilon/4)$",
    reference="own statement, sharpening RDK Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL1: not_negative},
    lhs=moved_by,
    rhs=_most,
    tight=tuple({"w": law(1, root), "ratio": law(root * root, 1), "spare": F(0)} for root in (2, 3, 10)),
    outside={SMALL1: {**_ONE_LOGIT, "spare": F(-1)}},
    note="Only the range of δ counts, and it is at most ‖δ‖₁; tilting a law by a range R moves at most tanh(R/4) in total "
    "variation. No smaller function of ε will do: rdk.softmax-lipschitz-sharp.attained.",
    broken=[
        broken("half of the bound", rhs=lambda ratio, spare: other_claim("rdk.softmax-lipschitz").rhs(ratio, spare) / 2)
    ],
)

SOFTMAX_LIPSCHITZ_ATTAINED = identity(
    name="rdk.softmax-lipschitz-sharp.attained",
    statement=r"Two tokens with logits $-\varepsilon/4$ and $\varepsilon/4$, of which the first rises by $\varepsilon$: "
    r"$\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 = 2\tanh(\varepsilon/4)$, for every "
    r"$\varepsilon \ge 0$",
    reference="own statement, the extremal case of rdk.softmax-lipschitz-sharp",
    instances=lambda draw: {"odds": 1 + draw.number(0, 4)},
    lhs=lambda odds: moved_by(**two_logits(odds, 2, 0)),
    rhs=lambda odds: _most(two_logits(odds, 2, 0)["ratio"], F(0)),
    sources=("exact",),
    note="The odds e^(ε/2) of the two tokens are turned round. On the right stands the bound of rdk.softmax-lipschitz-sharp "
    "itself, its ε the sum of |δ_j|.",
    broken=[broken("logits three steps apart", lhs=lambda odds: moved_by(**two_logits(odds, 3, 0)))],
)
