"""An error of at most ε in every logit changes the softmax by at most ε/2 in ℓ1 norm.

`rdk.perturbed-target`, with its correction, its sharper form and where that is attained: RDK, text before Theorem 5.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, identity, law, other_claim
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Printed
from simspec.claims.rdk.softmax import moved_by, not_negative, perturbed_logits, two_logits
from simspec.laws import Scalar


def _size_max(ratio: Array, spare: Scalar) -> Any:
    """The same with the largest |δ_j| in place of the sum."""
    return log(np.maximum(ratio, 1 / ratio).max(axis=-1)) + enclose(spare)


def _most(ratio: Array, spare: Scalar) -> Any:
    """2 tanh(ε/2)."""
    return 2 * np.tanh(_size_max(ratio, spare) / 2)


SMALL_MAX = "‖δ‖_∞ ≤ ε"

_TWO_LOGITS: dict[str, Any] = {"w": law(1, 3), "ratio": law(3, "1/3")}

PERTURBED_TARGET = bound(
    name="rdk.perturbed-target",
    statement=r"“Any approximation error in the logits translates to only a half”: $\lVert\delta\rVert_\infty \le \varepsilon$ "
    r"implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 \le \varepsilon/2$",
    reference="RDK, text before Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL_MAX: not_negative},
    lhs=moved_by,
    rhs=lambda ratio, spare: _size_max(ratio, spare) / 2,
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    within=({"w": law(1, 1), "ratio": law("9/10", "10/9"), "spare": F(0)},),
    corrected_by=("rdk.perturbed-target-corrected", "rdk.perturbed-target-sharp"),
    note="Theorem 5.2 measures δ in ℓ1, a sum over the vocabulary. An error of ε in every logit can move twice as much, for "
    "one logit may rise while another falls.",
    printed=Printed(
        place="RDK 5.1, before Theorem 5.2",
        text="any approximation error in the logits translates to only a half (or less) of the error in the "
        "probability distribution",
        read="Any error: the largest entry of the error bounded, not their sum.",
    ),
)

PERTURBED_TARGET_CORRECTED = bound(
    name="rdk.perturbed-target-corrected",
    statement=r"$\lVert\delta\rVert_\infty \le \varepsilon$ implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le \varepsilon$",
    reference="correction of RDK, text before Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL_MAX: not_negative},
    lhs=moved_by,
    rhs=_size_max,
    tight=({"w": law(1, 2), "ratio": law(1, 1), "spare": F(0)},),
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    corrected_by=("rdk.perturbed-target-sharp",),
    note="The range of δ is at most 2ε, and 2 tanh(ε/2) ≤ ε. In total variation the error is at most ε/2.",
    broken=[
        broken("the printed right side", rhs=lambda ratio, spare: other_claim("rdk.perturbed-target").rhs(ratio, spare))
    ],
)

PERTURBED_TARGET_SHARP = bound(
    name="rdk.perturbed-target-sharp",
    statement=r"$\lVert\delta\rVert_\infty \le \varepsilon$ implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le 2\tanh(\varepsilon/2)$",
    reference="own statement, sharpening RDK, text before Theorem 5.2",
    instances=perturbed_logits,
    assumes={SMALL_MAX: not_negative},
    lhs=moved_by,
    rhs=_most,
    tight=tuple({"w": law(1, e), "ratio": law(e, F(1, e)), "spare": F(0)} for e in (2, 3, 10)),
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    note="The range argument of rdk.softmax-lipschitz-sharp with R = 2ε. No smaller function of ε will do: "
    "rdk.perturbed-target-sharp.attained.",
    broken=[
        broken(
            "a hyperbolic tangent of half the bound, doubled",
            rhs=lambda ratio, spare: 2 * np.tanh(other_claim("rdk.perturbed-target").rhs(ratio, spare) / 2),
        )
    ],
)

PERTURBED_TARGET_ATTAINED = identity(
    name="rdk.perturbed-target-sharp.attained",
    statement=r"Two tokens with logits $-\varepsilon/2$ and $\varepsilon/2$, perturbed by $\delta = (\varepsilon, "
    r"-\varepsilon)$: $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 = 2\tanh(\varepsilon/2)$, "
    r"for every $\varepsilon \ge 0$",
    reference="own statement, the extremal case of rdk.perturbed-target-sharp",
    instances=lambda draw: {"odds": 1 + draw.number(0, 4)},
    lhs=lambda odds: moved_by(**two_logits(odds, 1, 1)),
    rhs=lambda odds: _most(two_logits(odds, 1, 1)["ratio"], F(0)),
    sources=("exact",),
    note="The odds e^ε of the two tokens are turned round. On the right stands the bound of rdk.perturbed-target-sharp itself, "
    "its ε the largest |δ_j|.",
    broken=[broken("logits one step apart", lhs=lambda odds: moved_by(**two_logits(odds, 1, 0)))],
)
