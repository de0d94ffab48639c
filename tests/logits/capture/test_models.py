"""Models that read on from what they have read, under either name that transformers has given its cache."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.logits.capture.models import load_model
from tests.logits import tiny
from tests.requirements import require


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    tiny.gpt2(folder / "target")
    return load_model(str(folder / "target"), "target", "cpu")


def test_reading_on_is_reading_at_once(loaded) -> None:
    import torch

    ids = torch.tensor([[1, 2, 3, 4]])
    with torch.inference_mode():
        whole, _ = loaded.read_on(ids)
        _, cache = loaded.read_on(ids[:, :3])
        last, _ = loaded.read_on(ids[:, 3:], cache)
        alone, _ = loaded.read_on(ids[:, 3:])
    assert np.allclose(last[0, -1], whole[0, -1], atol=1e-5)
    assert not np.allclose(alone[0, -1], whole[0, -1], atol=1e-5)


def test_an_earlier_transformers_calls_it_past_key_values(loaded) -> None:
    class Earlier:
        def forward(self, input_ids, past_key_values=None, use_cache=False):
            return SimpleNamespace(logits=input_ids, past_key_values=(past_key_values, use_cache))

        __call__ = forward

    assert replace(loaded, model=Earlier()).read_on("ids", "read") == ("ids", ("read", True))
