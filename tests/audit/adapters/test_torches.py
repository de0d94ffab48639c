"""PyTorch with its chance as an argument: uniforms in the order of the calls; logits of laws."""

from __future__ import annotations

import numpy as np

from simspec.audit.adapters.torches import TorchWithUniforms, logarithms
from tests.requirements import require


def test_uniforms_are_given_in_order() -> None:
    require("torch")
    torch = TorchWithUniforms(np.array([[0.5, 0.25]]))
    assert torch.rand(1).tolist() == [0.5]
    assert torch.multinomial(torch.tensor([[0.3, 0.7]]), num_samples=1).tolist() == [[0]]


def test_uniforms_are_rounded_down_to_what_their_type_holds() -> None:
    """The last uniform before 1 stays below it in single precision, where rounding to nearest gives 1; doubles are as given."""
    require("torch")
    import torch

    uniform = 1 - 2.0**-30
    single, double = (
        TorchWithUniforms(np.array([[uniform]])).rand(1, dtype=t).item() for t in (torch.float32, torch.float64)
    )
    assert (single, double) == (1 - 2.0**-24, uniform)
    assert TorchWithUniforms(np.array([[uniform]])).rand_like(torch.zeros(1)).item() == single


def test_no_mass_is_an_infinite_logit() -> None:
    require("torch")
    import torch

    assert logarithms(np.array([1.0, 0.0]), torch.float32).tolist() == [0.0, -np.inf]
