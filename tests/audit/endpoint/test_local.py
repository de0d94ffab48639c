"""A model on this machine as the reference: its scores in both shapes, and what cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit.endpoint.local import LocalModel
from simspec.audit.endpoint.records import EndpointError
from tests.requirements import require

require("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small GPT-2 with seeded weights and a tokenizer of whole words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    path = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=12, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(path)
    tokenizer = Tokenizer(models.WordLevel({f"w{number}": number for number in range(12)}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(path)
    return path


def test_scores_are_the_models_in_both_shapes(folder) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    reference = LocalModel(folder)
    assert reference.tokens_of("w3 w1") == (3, 1)
    rows = reference.score((3, 1), (4, 1, 5), 4)
    alone = reference.score((3, 1), (4, 1, 5), 4, is_alone=True)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = model(torch.tensor([[3, 1, 4, 1]])).logits[0, 1:].double()
    expected = torch.log_softmax(logits, dim=-1).numpy()
    for place, row in enumerate(rows):
        order = np.argsort(-expected[place])[:4]
        assert [token for token, _ in row] == order.tolist() == [token for token, _ in alone[place]]
        assert np.allclose([logprob for _, logprob in row], expected[place][order], atol=1e-5)
        assert np.allclose([logprob for _, logprob in row], [logprob for _, logprob in alone[place]], atol=1e-5)


def test_what_is_no_model_is_refused(tmp_path) -> None:
    with pytest.raises(EndpointError, match="--reference: .* does not exist; expected a URL"):
        LocalModel(tmp_path / "missing")
    with pytest.raises(EndpointError, match="expected a causal language model"):
        LocalModel(tmp_path)


def test_the_law_under_options_is_that_of_generate(folder) -> None:
    """Of each option alone and of two together, beside the processed scores that `generate` returns at the same prefix."""
    import torch
    from transformers import AutoModelForCausalLM

    reference = LocalModel(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    for options in (
        {"temperature": 0.6},
        {"top_k": 3},
        {"top_p": 0.6},
        {"min_p": 0.95},
        {"temperature": 0.5, "top_p": 0.8},
    ):
        rows = reference.processed((3, 1), (4, 1, 5), 20, options)
        assert len(rows) == 3
        for place, row in enumerate(rows):
            prefix = torch.tensor([[3, 1, *(4, 1, 5)[:place]]])
            settings = {"do_sample": True, "top_k": 0, "pad_token_id": 0, "max_new_tokens": 1, **options}
            result = model.generate(prefix, output_scores=True, return_dict_in_generate=True, **settings)
            expected = torch.log_softmax(result.scores[0][0].double(), dim=-1).numpy()
            kept = [token for token in np.argsort(-expected) if expected[token] > -np.inf]
            assert [token for token, _ in row] == kept
            assert np.allclose([logprob for _, logprob in row], expected[kept], atol=1e-5)
            assert "temperature" in options or len(kept) < 12
