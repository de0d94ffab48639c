"""`pad.cost-negligible`: PAD 3.3 and B."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_most, procedure
from simspec.claims.claim import Printed

__all__ = ["DRAFT", "TARGET", "Model", "classifier", "forward"]


class Model(NamedTuple):
    """Sizes of a transformer with gated feed-forward layers and grouped heads."""

    layers: int
    hidden: int
    heads: int
    groups: int
    head: int
    inner: int
    vocab: int


TARGET = Model(layers=36, hidden=4096, heads=32, groups=8, head=128, inner=12_288, vocab=151_936)
"""Qwen3-8B, the paper's target (Qwen3 technical report, arXiv 2505.09388)."""
DRAFT = Model(layers=28, hidden=1024, heads=16, groups=8, head=128, inner=3072, vocab=151_936)
"""Qwen3-0.6B, its draft."""


def forward(model: Model) -> int:
    """Multiplications of one token's matrix products, attention over the text left out: no fewer are needed.

    >>> forward(TARGET), forward(DRAFT)
    (7568097280, 595984384)
    """
    attention = 2 * model.hidden * model.head * (model.heads + model.groups)
    return model.layers * (attention + 3 * model.hidden * model.inner) + model.hidden * model.vocab


def classifier(width: int) -> int:
    """Multiplications of the perceptron: hidden state to `width` units; these, entropy and p(x) to two logits.

    >>> classifier(4096)
    16785412
    """
    return TARGET.hidden * width + 2 * (width + 2)


def _shares(width: int) -> Array:
    """400 and 35 times the classifier, for comparison with the target and with the draft."""
    return np.array([400 * classifier(width), 35 * classifier(width)], dtype=object)


WIDTH = "the classifier is no wider than the target's hidden state"


def _width(draw: Draw) -> Instance:
    return {"width": draw.integer(1, TARGET.hidden)}


COST_NEGLIGIBLE = procedure(
    name="pad.cost-negligible",
    statement="The classifier's cost is negligible: at any width up to the target's hidden state (4096) it takes at "
    "most 1/400 of the "
    "multiplications of the target for a token, and at most 1/35 of the draft's",
    reference="PAD 3.3 and B",
    instances=_width,
    assumes={WIDTH: lambda width: width <= TARGET.hidden},
    lhs=_shares,
    rhs=lambda: np.array([forward(TARGET), forward(DRAFT)], dtype=object),
    relation=at_most,
    sources=("exact",),
    outside={WIDTH: {"width": 8 * TARGET.hidden}},
    note="One classifier pass for each draft, though only the rejected need one. The paper prints the models and not "
    "the width; the "
    "bounds are for the widest, and 16 units take 250 times less. Of a draft that is itself small the widest is a thirty-fifth.",
    printed=Printed(
        place="PAD 3.3",
        text="The incremental cost is negligible: a single MLP forward pass on a fixed-size feature vector",
        read="Multiplications a token beside the two models named; the width is not printed.",
    ),
)
