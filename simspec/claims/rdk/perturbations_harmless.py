"""A slight error of the logits is harmless by Theorem 5.2, with the vocabularies of the experiments.

`rdk.perturbations-harmless`, with its correction: RDK, after Theorem 5.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_most, bound, broken, law
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Printed
from simspec.claims.rdk.softmax import moved_by, not_negative, perturbed_logits
from simspec.laws import Scalar

VOCABULARIES = {"GPT-2": 50_257, "Llama 3.1": 128_256, "6.2": 200_000}
"""The vocabularies of the paper's experiments."""


def _fit(draw: Draw) -> Instance:
    """A vocabulary, and the mean error of its logits: from a ten-thousandth to a tenth."""
    return {"vocabulary": list(VOCABULARIES)[draw.integer(0, 2)], "error": F(1, 10 ** draw.integer(1, 4))}


PERTURBATIONS = bound(
    name="rdk.perturbations-harmless",
    statement=r"A slight error of the logits (in the mean over tokens from $10^{-4}$ to $10^{-1}$) is harmless by "
    r"Theorem 5.2: with "
    r"the vocabularies of the experiments its bound $\frac12 \lVert\delta\rVert_1$ is below 2, the distance of any two laws",
    reference="RDK, after Theorem 5.2",
    instances=_fit,
    lhs=lambda vocabulary, error: VOCABULARIES[vocabulary] * error / 2,
    rhs=lambda: F(2),
    relation=at_most,
    sources=("exact",),
    against=({"vocabulary": "GPT-2", "error": F(1, 10_000)},),
    within=({"vocabulary": "GPT-2", "error": F(1, 10_000)},),
    corrected_by=("rdk.perturbations-harmless-corrected",),
    note="The theorem's norm adds the errors of all tokens, and 4/V on each uses the bound up: 0.00008 at GPT-2's "
    "vocabulary. The "
    "conclusion is right for errors that are small at every token, which the other statement shows.",
    printed=Printed(
        place="RDK, after Theorem 5.2",
        text="the slight perturbations introduced by our parametric approximations do not compromise the "
        "validity of the empirical results",
        read="The bound of the theorem says something at the vocabularies of the experiments.",
    ),
)

EVERYWHERE = "no logit is off by more than ε"


def _largest(ratio: Array, spare: Scalar) -> Any:
    """max |δ| and something to spare."""
    return log(np.maximum(ratio, 1 / ratio).max(axis=-1)) + enclose(spare)


PERTURBATIONS_CORRECTED = bound(
    name="rdk.perturbations-harmless-corrected",
    statement=r"If no logit is off by more than $\varepsilon$, $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + "
    r"\delta)\rVert_1 \le 2\tanh(\varepsilon/2)$, whatever the vocabulary",
    reference="correction of RDK, after Theorem 5.2",
    instances=perturbed_logits,
    assumes={EVERYWHERE: not_negative},
    lhs=moved_by,
    rhs=lambda ratio, spare: 2 * np.tanh(_largest(ratio, spare) / 2),
    tight=tuple({"w": law(1, root), "ratio": law(root, F(1, root)), "spare": F(0)} for root in (2, 3, 10)),
    outside={EVERYWHERE: {"w": law(1, 2), "ratio": law(2, "1/2"), "spare": F(-1, 2)}},
    note="Only the range of δ counts, here at most 2ε. That is at most ε (rdk.perturbed-target-corrected), and "
    "attained for every ε (rdk.perturbed-target-sharp.attained). Acceptance moves by half of it at most.",
    broken=[
        broken("half of the logarithm", rhs=lambda ratio: log(np.maximum(ratio, 1 / ratio).max()) / 2),
        broken(
            "the sum over tokens, over nine, in place of the largest",
            rhs=lambda ratio: log(np.maximum(ratio, 1 / ratio).sum()) / 9,
        ),
    ],
)
