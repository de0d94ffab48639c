"""Theorem 2 and its lemmas hold at the parameters that the paper uses.

`csqs.paper-range`: Theorem 2, Lemmas 3 and 4 and Eq. 28 at the parameters of SQS 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, exact
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import READINGS, averages, distances, exact_token_counts
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import draft_thresholds

__all__ = ["ALPHA", "ETA"]

ETA = F(1, 1000)
ALPHA = F(1, 2000)
"""Step size and target of SQS 4."""


def _full_texts(draw: Draw) -> Instance:
    """One law or two over two tokens or more, each token with mass, and a start between 0 and 1."""
    vocab = draw.integer(2, 4)
    rows = [(draw.law(vocab) * (n := draw.integer(1, 40)) + exact(np.ones(vocab, dtype=int)) / vocab) / (n + 1)
            for _ in range(draw.integer(1, 2))]  # fmt: skip
    return {"q": np.stack(rows), "start": draw.number(0, 1), "step_size": ETA, "dropped_target": ALPHA}


def _sides(q: Array, start: Any, step_size: Scalar, dropped_target: Scalar) -> tuple[Array, Array]:
    """Left and right sides: Theorem 2, Lemma 3, Lemma 4 (read literally), Eq. 28."""
    eta = step_size
    alpha = dropped_target
    count: Array = exact_token_counts(q)
    paths = [draft_thresholds(q, start, eta, alpha, top) for top in READINGS]
    excess = (abs(start) + 1 + eta * alpha) / (eta * count)
    lhs = [averages(path.dropped) for path in paths]
    right = [alpha + excess] * 2
    for path in paths:
        steps_moved: Array = np.diff(path.thresholds)
        lhs = [*lhs, -steps_moved, steps_moved]
        right = [*right, 0 * steps_moved + eta * (1 - alpha), 0 * steps_moved + eta * alpha]
    later: Array = paths[0].thresholds[1:]
    lhs = [*lhs, -later, later]
    right = [*right, 0 * later + eta * (1 - alpha), 0 * later + 1 + eta * alpha]
    lhs += [distances(q, path).cumsum() for path in paths]
    right += [alpha * count + (abs(start) + 1 + eta) / eta] * 2
    return np.concatenate(lhs), np.concatenate(right)


PAPER_RANGE = bound(
    name="csqs.paper-range",
    statement=r"At the parameters of section 4, $\eta = 10^{-3}$ and $\alpha = 5 \cdot 10^{-4}$, two tokens or more, each with "
    r"mass, and $\beta_1$ in $[0, 1]$: Theorem 2, Lemma 3 and Eq. 28 hold in both readings of an empty set, Lemma 4 read "
    "literally",
    reference="SQS, Theorem 2, Lemmas 3 and 4, Eq. 28 and 4",
    instances=_full_texts,
    lhs=lambda q, start, step_size, dropped_target: _sides(q, start, step_size, dropped_target)[0],
    rhs=lambda q, start, step_size, dropped_target: _sides(q, start, step_size, dropped_target)[1],
    sources=("exact",),
    note="What is refuted in general fails here too, but for Theorem 2, which needs a larger step size: Lemma 2 (a threshold "
    "that rises), Lemma 4 keep-top (a law more certain than 1 − α lets β rise on), line 12 of Algorithm 1. At this step size "
    "the bounds say little before some two million tokens.",
    printed=Printed(
        place="SQS 4",
        text="we have used a fixed learning rate … and deviation parameter …",
        read="The printed bounds at these two numbers, over two tokens or more of full support.",
        restored=r"the numbers: $\eta = 0.001$, $\alpha = 0.0005$",
    ),
    broken=[
        Broken("a millionth less", lambda claim: {"rhs": lambda **x: claim.rhs(**x) - F(1, 10**6) * claim.rhs(**x)})
    ],
)
