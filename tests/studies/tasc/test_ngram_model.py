"""A real (if tiny and random) language model as the target of n-gram drafters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.requirements import require

require("torch")

from simspec import laws  # noqa: E402
from simspec.engine.row_values import gather  # noqa: E402
from simspec.kernels import random as philox  # noqa: E402
from simspec.logits.capture.models import load_model  # noqa: E402
from simspec.studies.tasc.ngram_drafts import ngram_drafts  # noqa: E402
from simspec.studies.tasc.ngram_model import ModelBigrams, ModelTarget  # noqa: E402
from tests.logits.tiny import gpt2, llama  # noqa: E402
from tests.studies.tasc.test_ngram_drafts import CORPUS  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return load_model(gpt2(tmp_path_factory.mktemp("gpt2")), "target", "cpu")


def test_bigrams_are_the_laws_after_one_token_of_a_document(model):
    """The mark between documents comes first: a token at the first place, where no text had one, tells a model little."""
    end = model.roles["eos"]
    assert model.strings[end] == "<|endoftext|>"
    row = ModelBigrams(model).row([3, 7])
    law = laws.softmax(model.logits([[end, 7]], [np.array([1])]))[0]
    assert row.first == int(law.argmax()) and row.most == pytest.approx(float(law.max()))
    assert [row.mass(token) for token in range(5)] == pytest.approx(law[:5].tolist())


def test_begin_of_text_comes_first_where_the_tokenizer_puts_it(tmp_path):
    model = load_model(llama(tmp_path), "target", "cpu")
    law = laws.softmax(model.logits([[1, 7]], [np.array([1])]))[0]
    row = ModelBigrams(model).row([7])
    assert [row.mass(token) for token in range(model.vocab)] == pytest.approx(law.tolist(), abs=1e-6)


def test_texts_are_drawn_from_the_model(model):
    """Each token is where the model's law, computed anew on the whole text, passes its uniform."""
    target = ModelTarget(model, 6)
    prompt = target.encode("a dog ran")
    text = target.write(prompt, 8, key=9, row=4)
    uniforms = philox.uniform(9, [4], range(8))[0]
    for place, token in enumerate(text):
        before = [*prompt, *text[:place]]
        ends = np.cumsum(laws.softmax(model.logits([before], [np.array([len(before) - 1])]).astype(np.float64))[0])
        assert ends[token] > uniforms[place] - 1e-5 and (token == 0 or ends[token - 1] < uniforms[place] + 1e-5)


def test_each_text_is_told(model):
    told: list[int] = []
    target = ModelTarget(model, 6, notify=told.append)
    for row in range(3):
        target.write([1, 2], 4, key=0, row=row)
    assert told == [1, 2, 3]


def test_the_study_takes_a_model(model):
    reference, sampled = gather(ngram_drafts({"colours": CORPUS}, pairs=3, tuning=2, model=ModelTarget(model, 12)))
    assert (reference.values["tokens"] <= 12).all() and (sampled.values["tokens"] <= 24).all()
    assert (reference.values["mixed calls"] <= reference.values["tokens"]).all()


def test_models_that_cannot_serve(model):
    with pytest.raises(ValueError, match="no end-of-text token"):
        ModelTarget(replace(model, roles={}))
    with pytest.raises(ValueError, match=r"longest: 17; expected 4\.\.16"):
        ModelTarget(model, 17)
