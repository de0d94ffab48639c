"""Hugging Face transformers' `generate` from end to end: lossless where it is, and faults planted in its parts are found."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import Pair, Verdict
from simspec.audit.adapters import FORMS
from simspec.audit.adapters.generation import ALL_OPTIONS, options_of
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.adapters.tables import table_model
from simspec.audit.evidence import log_wealth, text_law
from simspec.audit.processors import processor_of
from tests.requirements import require

HAND = Pair("by hand", np.array([[1, 3], [3, 1]]) / 4, np.array([[3, 1]]) / 4)
THREE = Pair("three tokens", np.array([[4, 3, 1], [1, 4, 3]]) / 8, np.array([[1, 1, 6]]) / 8)
CALLS = 250


@pytest.fixture
def mixin():
    require("torch")
    from transformers.generation.utils import GenerationMixin

    return GenerationMixin


def judged(form, generation, pair=HAND, processor=None):
    """250 calls on one pair; they bound TV by 0.4 where no bias is found.  False alarm 1e-6."""
    asked = Asked(pairs=[pair], calls=CALLS, tv_limit=0.4, processor=processor)
    return judge(Subject(form, None, FORMS[form](generation), {}), asked)


def test_a_table_model_has_its_law_with_and_without_a_cache(mixin) -> None:
    """On a tree: after the prompt (2,) and the text (1,) the law is that of the prefix (1,)."""
    import torch
    from transformers import DynamicCache

    tree = (np.array([0.25, 0.75]), np.array([[0.5, 0.5], [1.0, 0.0]]))
    model = table_model(mixin, tree, (2,))
    ids = torch.tensor([[2, 1, 0]])
    expected = np.array([[0.25, 0.75, 0], [1, 0, 0], [1, 0, 0]])
    with torch.inference_mode():
        whole = model(ids).logits.softmax(-1)[0].numpy()
        past = DynamicCache()
        parts = [model(ids[:, :2], cache=past), model(ids[:, 2:], cache=past)]
    assert np.allclose(whole, expected)
    assert np.allclose(torch.cat([part.logits for part in parts], dim=1).softmax(-1)[0].numpy(), expected)


class OtherDraftLaw:
    """Candidates as they are, with uniform logits in place of those they were drawn from."""

    def _get_candidate_generator(self, *positional, **named):
        candidates = super()._get_candidate_generator(*positional, **named)
        draw = candidates.get_candidates

        def get_candidates(ids, **others):
            drafted, logits = draw(ids, **others)
            return drafted, None if logits is None else logits * 0

        candidates.get_candidates = get_candidates
        return candidates


class Flattened:
    """All tokens that the target can say are alike to the verifier."""

    def _get_logits_processor(self, *positional, **named):
        processors = super()._get_logits_processor(*positional, **named)
        processors.append(lambda ids, scores: scores.clamp(max=-1e3))
        return processors


@pytest.mark.parametrize(
    ("form", "fault"), [("transformers-generate", OtherDraftLaw), ("transformers-lookup", Flattened)]
)
def test_assisted_generation_and_lookup_are_lossless_and_a_fault_in_them_is_found(mixin, form, fault) -> None:
    assert judged(form, mixin).verdict is Verdict.LOSSLESS
    report = judged(form, type("Faulty", (fault, mixin), {}))
    assert report.verdict is Verdict.BIASED


def test_options_are_judged_by_the_processed_law(mixin) -> None:
    """All options together; raw rows are the negative control: their law is another one."""
    assert judged("transformers-options", mixin, THREE).verdict is Verdict.LOSSLESS

    class Raw(mixin):
        def _get_logits_processor(self, *positional, **named):
            return type(super()._get_logits_processor(*positional, **named))()

    assert judged("transformers-options", Raw, THREE).verdict is Verdict.BIASED


def test_another_processor_becomes_other_options(mixin) -> None:
    """By hand: at temperature 1/2, 1/4 : 3/4 are 1 : 9."""
    report = judged("transformers-generate", mixin, processor="temperature:0.5")
    assert report.verdict is Verdict.LOSSLESS and np.allclose(report.tried[0].pair.p[0], [0.1, 0.9])
    with pytest.raises(ValueError, match=r"'presence'; transformers' generate has repetition, temperature"):
        judged("transformers-generate", mixin, processor="presence:1")


@pytest.mark.parametrize("name", ["temperature:0.5+repetition:2", "top-k:2+top-k:2"])
def test_options_are_in_the_order_of_the_package(name) -> None:
    with pytest.raises(ValueError, match="applies them in the order"):
        options_of(name)


def test_the_processed_law_is_that_of_the_packages_own_processors(mixin) -> None:
    """`ALL_OPTIONS` on three rows, with a token in the text: masses as float32 has them."""
    import torch
    from transformers import GenerationConfig

    model = table_model(mixin, THREE.p, (3,))
    config = GenerationConfig(do_sample=True, **options_of(ALL_OPTIONS))
    rows = np.array([[4, 3, 1], [1, 4, 3], [2, 5, 1]]) / 8
    texts = np.array([[1], [1], [2]])
    model._prepare_special_tokens(config, False)
    processors = model._get_logits_processor(generation_config=config, input_ids_seq_length=1)
    theirs = processors(torch.tensor(texts), torch.log(torch.tensor(rows, dtype=torch.float32))).softmax(-1).numpy()
    ours = processor_of(ALL_OPTIONS)(rows, texts)
    assert np.allclose(ours / ours.sum(axis=1, keepdims=True), theirs, atol=1e-6)


def test_universal_assisted_generation_reports_permuted_probabilities(mixin, monkeypatch) -> None:
    """By hand: q = (3/4, 1/4) is reported as (1/4, 3/4) = p, so every draft is kept, and the first token has the law q.

    With the translator's repair the same call is lossless.
    """
    from transformers.generation import candidate_generator

    from tests.audit.adapters.test_translation import repaired

    report = judged("transformers-universal", mixin)
    assert report.verdict is Verdict.BIASED and report.shown.tv[0] <= 0.5 <= report.shown.tv[1]
    translator = candidate_generator.AssistantToTargetTranslator
    monkeypatch.setattr(candidate_generator, "AssistantToTargetTranslator", repaired(translator))
    assert judged("transformers-universal", mixin).verdict is Verdict.LOSSLESS


def test_seeded_transformers_with_the_law_that_their_own_logits_say(mixin) -> None:
    """Two small Llamas of random weights: texts of three tokens by assisted generation against all 27 probabilities.

    The wealth against a true law exceeds 1e6 with probability 1e-6; against the draft's law it does, as the control shows.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    models = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        config = LlamaConfig(
            vocab_size=3,
            hidden_size=16,
            intermediate_size=8,
            num_hidden_layers=2,
            num_attention_heads=2,
            initializer_range=1.0,
            pad_token_id=0,
            bos_token_id=None,
            eos_token_id=None,
        )
        models.append(LlamaForCausalLM(config).eval())
    laws = [_law(model) for model in models]
    target, draft = models
    draft.generation_config.num_assistant_tokens = 2
    draft.generation_config.num_assistant_tokens_schedule = "constant"
    draft.generation_config.assistant_confidence_threshold = 0.0
    counts = np.zeros((3, 3, 3), dtype=np.int64)
    ids = torch.tensor([[0]])
    asked = {"do_sample": True, "top_k": 0, "max_new_tokens": 3, "attention_mask": torch.ones_like(ids)}
    torch.manual_seed(2)
    for _ in range(CALLS):
        text = target.generate(ids, assistant_model=draft, **asked)[0, 1:]
        counts[tuple(text.tolist())] += 1
    assert log_wealth(counts, laws[0]) < np.log(1e6) < log_wealth(counts, laws[1])
    assert np.abs(text_law(laws[0]) - text_law(laws[1])).sum() / 2 > 0.2


def _law(model):
    """Levels of a tree: the law after each text of up to two tokens."""
    import torch

    levels = []
    for length in range(3):
        texts = torch.tensor(list(np.ndindex((3,) * length)), dtype=torch.int64).reshape(3**length, length)
        with torch.inference_mode():
            rows = model(torch.cat([torch.zeros(len(texts), 1, dtype=torch.int64), texts], dim=1)).logits[:, -1]
        levels.append(rows.double().softmax(-1).numpy().reshape((3,) * (length + 1)))
    return tuple(levels)
