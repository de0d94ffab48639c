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


def test_the_head_runs_where_logits_are_wanted_and_gives_the_same(loaded) -> None:
    """By hand: positions 1 and 3 of one text, 3 and 2 of another; the head sees positions 1, 2 and 3 of both."""
    inputs = [[1, 2, 3, 4], [4, 3, 2, 1]]
    positions = [np.array([1, 3]), np.array([3, 2])]
    seen = []
    hook = loaded.model.lm_head.register_forward_hook(lambda module, args, output: seen.append(tuple(output.shape[:2])))
    try:
        told = loaded.logits(inputs, positions)
        untold = replace(loaded)
        vars(untold)["is_told_positions"] = False
        whole = untold.logits(inputs, positions)
    finally:
        hook.remove()
    assert seen == [(2, 3), (2, 4)]
    assert told.shape == whole.shape == (4, loaded.vocab)
    np.testing.assert_allclose(told, whole, atol=1e-5)


def test_a_model_that_is_told_no_positions_gives_all(loaded) -> None:
    class Earlier:
        def forward(self, input_ids, attention_mask=None, use_cache=False):
            import torch

            return SimpleNamespace(logits=torch.stack([input_ids, 10 * input_ids], dim=-1).float())

        __call__ = forward

    rows = replace(loaded, model=Earlier()).logits([[1, 2, 3], [4, 5]], [np.array([2]), np.array([0, 1])])
    assert rows.tolist() == [[3, 30], [4, 40], [5, 50]]
