"""A model read step by step: what it remembers has one name in some versions of transformers and another in others."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.logits.capture.models import LanguageModel
from tests.logits import tiny
from tests.requirements import require


class Old:
    """Takes and returns its memory, which is all tokens read, under the name that it had until transformers 5.40."""

    def forward(self, input_ids, past_key_values=None, use_cache=True, **more):
        read = [*(past_key_values or []), *input_ids]
        return {"past_key_values": read} | more

    def __call__(self, **given):
        return Answer(self.forward(**given))


class New(Old):
    """Under the name that it has since."""

    def forward(self, input_ids, cache=None, use_cache=True):
        assert use_cache
        return {"cache": [*(cache or []), *input_ids]}


class Answer(dict):
    logits = "logits"


@pytest.mark.parametrize("model", [Old(), New()], ids=["old", "new"])
def test_the_memory_goes_in_under_the_model_s_own_name(model) -> None:
    fields = dict.fromkeys(LanguageModel.__dataclass_fields__)
    loaded = LanguageModel(**{**fields, "model": model})
    said, memory = loaded.step([5])
    assert (said, memory) == ("logits", [5])
    assert loaded.step([7, 9], memory) == ("logits", [5, 7, 9])


def test_steps_say_what_the_whole_text_says(tmp_path) -> None:
    """And without a warning of a name that is going out, which is an error here."""
    require("torch")
    import torch

    from simspec.logits.capture.models import load_model

    tiny.gpt2(tmp_path / "model", scale=0.6)
    loaded, text = load_model(str(tmp_path / "model"), "target", "cpu"), [5, 9, 30, 4]
    whole = loaded.logits([text], [np.arange(4)])
    with torch.inference_mode():
        first, memory = loaded.step(torch.tensor([text[:3]]))
        last, _ = loaded.step(torch.tensor([text[3:]]), memory)
    np.testing.assert_allclose(torch.cat([first, last], dim=1)[0].numpy(), whole, atol=1e-5)
