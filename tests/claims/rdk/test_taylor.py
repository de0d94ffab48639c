"""Claims on the order of the linear-time forms in the temperature."""

import numpy as np

from simspec.laws import softmax


def test_second_derivative_bound() -> None:
    """What all constants rest on: ‖d²/dt² softmax(tx)‖₁ ≤ range(x)²/2, on a grid of t and random x."""
    x = np.random.default_rng(5).normal(size=(200, 1, 7))
    f = softmax(x * np.linspace(-6, 6, 121)[:, None])
    centred = x - (f * x).sum(axis=-1, keepdims=True)
    second = f * (centred**2 - (f * centred**2).sum(axis=-1, keepdims=True))
    assert (abs(second).sum(axis=-1).max(axis=1) <= np.ptp(x, axis=-1)[:, 0] ** 2 / 2).all()
