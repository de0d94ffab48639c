"""PyTorch with its chance as an argument: coins in the order of the calls; logits of laws."""

from __future__ import annotations

import numpy as np

from simspec.audit.adapters.torches import CoinedTorch, logarithms
from tests.requirements import require


def test_coins_are_given_in_order() -> None:
    require("torch")
    torch = CoinedTorch(np.array([[0.5, 0.25]]))
    assert torch.rand(1).tolist() == [0.5]
    assert torch.multinomial(torch.tensor([[0.3, 0.7]]), num_samples=1).tolist() == [[0]]


def test_no_mass_is_an_infinite_logit() -> None:
    require("torch")
    import torch

    assert logarithms(np.array([1.0, 0.0]), torch.float32).tolist() == [0.0, -np.inf]
