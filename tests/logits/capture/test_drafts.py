"""Drafts made of the target are what their specification says, and cost what is counted by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.laws import softmax
from simspec.logits.bank import open_bank
from simspec.logits.capture import capture
from simspec.logits.capture.drafts import bytes_read, counted_cost, make_draft, parse_draft, round_groups
from simspec.logits.capture.models import load_model
from simspec.logits.capture.ngrams import NGrams
from tests.logits import tiny
from tests.requirements import require

IDS = [[5, 40, 61, 7, 99, 12]]
AT = [np.arange(6)]
LAYER = 32 * 32 + 2 * (32 * 16) + 32 * 32 + 3 * (32 * 64) + 2 * 32
"""Weights of a layer of `tiny.chat`: q, k and v, o, the three of the MLP, two norms."""


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    require("torch")
    return load_model(tiny.chat(tmp_path_factory.mktemp("chat")), "target", "cpu")


def made(target, text, texts=None):
    return make_draft(parse_draft(text), target, texts)


def test_rounding_by_hand() -> None:
    weights = np.array([[-1.0, 0.4, 0.6, 2.0]], dtype=np.float32)
    assert round_groups(weights, 1, 4).tolist() == [[-1, -1, 2, 2]]
    assert round_groups(weights, 2, 4).tolist() == [[-1, 0, 1, 2]]
    assert round_groups(np.array([[3.0, 3.0, 1.0]], dtype=np.float32), 2, 2).tolist() == [[3, 3, 1]]
    random = np.random.default_rng(0).standard_normal((5, 70)).astype(np.float32)
    errors = [np.abs(round_groups(random, bits) - random).max() for bits in (1, 2, 4, 8)]
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.02 < 1 < errors[0]


def test_rounded_weights_take_few_values_and_the_target_stays(target) -> None:
    before = target.logits(IDS, AT)
    draft = made(target, "quantised:2")
    weight = draft.model.model.layers[0].mlp.up_proj.weight.detach().numpy()
    assert max(len(np.unique(group)) for group in weight.reshape(-1, 32)) == 4
    assert np.array_equal(target.logits(IDS, AT), before) and not np.allclose(draft.logits(IDS, AT), before)
    fine = made(target, "quantised:8").logits(IDS, AT)
    assert np.abs(fine - before).max() < np.abs(draft.logits(IDS, AT) - before).max() / 10
    head = draft.model.get_output_embeddings().weight
    assert head is draft.model.get_input_embeddings().weight  # tied, as the target's


def test_first_layers_are_the_hidden_state_after_them(target) -> None:
    import torch

    draft = made(target, "layers:2")
    with torch.no_grad():
        inner = target.model.model
        hidden = target.model(torch.tensor(IDS), output_hidden_states=True).hidden_states[2]
        expected = target.model.lm_head(inner.norm(hidden))[0].numpy()
    assert np.allclose(draft.logits(IDS, AT), expected, atol=1e-4)
    with torch.inference_mode():
        whole, _ = draft.read_on(torch.tensor(IDS))
        _, cache = draft.read_on(torch.tensor([IDS[0][:5]]))
        last, _ = draft.read_on(torch.tensor([IDS[0][5:]]), cache)
    assert np.allclose(whole[0, -1], last[0, -1], atol=1e-4)
    assert len(target.model.model.layers) == 3 and target.model.config.num_hidden_layers == 3
    weights = target.model.model.layers[0].mlp.up_proj.weight
    assert draft.model.model.layers[0].mlp.up_proj.weight is weights  # no memory of its own


def test_a_pruned_head_gives_other_tokens_no_mass(target) -> None:
    draft = made(target, "pruned:0.02:frequency", [[9, 9, 9, 8, 8, 7, 7], [6, 5, 6, 5]])
    assert draft.token_mask.sum() == round(0.02 * target.vocab) and draft.token_mask[[5, 6, 7, 8, 9]].all()
    p = softmax(target.logits(IDS, AT))
    q = softmax(draft.logits(IDS, AT))
    assert (q[:, ~draft.token_mask] == 0).all()
    assert np.allclose(
        q[:, draft.token_mask], p[:, draft.token_mask] / p[:, draft.token_mask].sum(axis=-1, keepdims=True), atol=1e-6
    )


def test_n_gram_laws_by_hand(target) -> None:
    grams = NGrams([[0, 1, 0, 1, 0, 2]], 2, 3)
    unigram = [4 / 9, 3 / 9, 2 / 9]  # counts 3, 2, 1 and three parts of the uniform law
    assert np.allclose(grams.law([]), unigram)
    assert np.allclose(grams.law([1, 0]), [2 / 5 * 4 / 9, (2 + 2 * 3 / 9) / 5, (1 + 2 * 2 / 9) / 5])
    assert np.allclose(grams.law([2]), unigram)  # nothing follows it
    draft = made(target, "ngram:3", [[4, 5, 6] * 9])
    import torch

    q = softmax(draft.logits([[4, 5]], [np.arange(2)]))
    assert q[1].argmax() == 6 and np.allclose(q.sum(axis=-1), 1)
    whole, _ = draft.read_on(torch.tensor([[4, 5, 6]]))
    _, cache = draft.read_on(torch.tensor([[4, 5, 9]]))
    cache.crop(-1)
    last, _ = draft.read_on(torch.tensor([[6]]), cache)
    assert np.array_equal(whole[0, -1], last[0, -1])


def test_costs_are_counted(target) -> None:
    head = target.vocab * 32
    whole = 3 * LAYER + 32 + head  # the tied embedding is read as the head, once
    assert target.bits == 32 and bytes_read(target) == 4 * whole
    assert counted_cost(made(target, "quantised:3"), target) == 4 / 32
    assert counted_cost(made(target, "layers:1"), target) == (LAYER + 32 + head) / whole
    pruned = made(target, "pruned:0.5:frequency", [[1, 2]])
    assert counted_cost(pruned, target) == (3 * LAYER + 32 + pruned.token_mask.sum() * 32) / whole
    assert counted_cost(made(target, "ngram:2", [[1, 2]]), target) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quantised:0", "draft: 'quantised:0'; expected a whole number of bits from 1 to 8, as in quantised:4"),
        ("quantised:9", "from 1 to 8"),
        ("quantised:3.5", "a whole number of bits"),
        ("quantised:", "a whole number of bits"),
        ("layers:0", "draft: 'layers:0'; expected a whole number of layers of at least 1"),
        ("layers:99", "draft: 'layers:99'; the target has 3 layers: expected 1 to 2, as in layers:2"),
        ("layers:3", "expected 1 to 2"),
        ("pruned:2:frequency", "draft: 'pruned:2:frequency'; expected a share of the vocabulary above 0, at most 1"),
        ("pruned:2", "draft: 'pruned:2'; expected a share"),
        ("pruned:nan:frequency", "expected a share"),
        ("pruned:0.5", "expected frequency after the share, as in pruned:0.5:frequency"),
        (
            "pruned:0.5:frequency",
            "'pruned:0.5:frequency' counts tokens in texts, and there are none; expected --statistics-text",
        ),
        ("ngram:0", "draft: 'ngram:0'; expected a whole number of tokens from 1 to 5, as in ngram:3"),
        ("ngram:2", "counts tokens in texts"),
    ],
)
def test_specifications_out_of_range_are_refused(target, text, message) -> None:
    with pytest.raises(ValueError) as error:
        made(target, text)
    assert message in str(error.value)


def test_other_text_names_a_model() -> None:
    assert [parse_draft(text) for text in ("gpt2", "org/name", "quantised", "C:models")] == [None] * 4


@pytest.mark.parametrize("draft", ["quantised:3", "layers:1", "pruned:0.25:frequency", "ngram:2"])
def test_a_capture_takes_a_specification(target, draft, tmp_path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(tiny.text(12, 60)))
    (tmp_path / "b.json").write_text(json.dumps(tiny.text(12, 60, seed=1)))
    texts = {"text": [tmp_path / "a.json"], "statistics_text": [tmp_path / "b.json"]}
    capture(target, draft, **texts, out=tmp_path / "b.safetensors", contexts=10, window=40, progress=False)
    bank = open_bank(tmp_path / "b.safetensors")
    assert bank.provenance["models"]["draft"]["name"].endswith(f", {draft}")
    q = softmax(bank.draft())
    assert q.shape == (10, target.vocab) and np.isfinite(bank.draft()).all()
    share = 0.25 if draft.startswith("pruned") else 1
    assert bank.shared.sum() == round(share * target.vocab) and (q[:, ~bank.shared] == 0).all()
