"""A draft with another tokenizer: it reads the target's text in its own tokens, and drafts tokens of the target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.laws import normalise, softmax, uniform
from simspec.logits.bank.vocabularies import on_target, read_on_target, shared_tokens
from simspec.logits.capture.align import draft_to_target
from simspec.logits.capture.models import load_model
from simspec.logits.capture.reread import Reader, leading_tokens
from simspec.methods import SD
from simspec.methods.relaxed.reading import match
from simspec.tools.advise.decoders import Decoder, RereadingDecoder, Setting, Translated, decoder_of
from simspec.tools.advise.running import decode, run
from tests.logits import tiny
from tests.requirements import require

PROMPTS = {(1, 40, 41): [1, 262, 263], (1, 50): [1]}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("decoders")
    target = load_model(tiny.chat(folder / "target", scale=0.6), "target", "cpu")
    return target, load_model(tiny.llama(folder / "draft"), "draft", "cpu")


@pytest.fixture(scope="module")
def translated(models):
    """By the shared tokens, as TLI drafts, and by the first token of a drafted text, as SLEM and SLRS draft."""
    target, draft = models
    roles = (target.roles, draft.roles)
    table = draft_to_target(target.strings, draft.strings, target.special, draft.special, roles)
    first = leading_tokens(target, draft)

    def shared(q):
        return normalise(on_target(q, table, target.vocab), uniform(shared_tokens(table, target.vocab), like=q))

    def read(q):
        return normalise(read_on_target(q, first, target.vocab), uniform(shared_tokens(first, target.vocab), like=q))

    return {name: Translated(target, draft, to, PROMPTS) for name, to in (("shared", shared), ("read", read))}


def test_laws_are_those_of_the_text_read_from_its_beginning(models, translated) -> None:
    """Texts that grow and lose their ends, as in decoding, with halves of characters; the cache never shows."""
    target, draft = models
    reader = Reader(target, draft)
    rng = np.random.default_rng(0)
    whole = [*target.encode("the cat — ☃ sat café"), target.roles["eos"], *target.encode("on")]
    for prompt, begins in PROMPTS.items():
        decoder = decoder_of(translated["shared"], prompt)
        decoder.prefill(prompt)
        for end in [*rng.integers(0, len(whole) + 1, 20), 0, len(whole), len(whole)]:
            decoder.forget(len(prompt) + int(end))
            law = decoder.laws([*prompt, *whole[:end]], Setting(temperature=0.7))
            ids = [*begins, *reader(whole[:end])]
            (z,) = draft.logits([ids], [np.array([len(ids) - 1])])
            alone = translated["shared"].translate(softmax(z.astype(float), 0.7)[None])
            assert law.shape == (1, target.vocab) and np.allclose(law, alone, atol=1e-5)
    assert isinstance(decoder_of(target, (1,)), Decoder) and isinstance(decoder, RereadingDecoder)
    with pytest.raises(ValueError, match="rows: 2; expected 1"):
        decoder.laws(list(prompt), Setting(), 2)


def test_of_a_text_that_is_too_long_the_end_is_read(models, translated) -> None:
    target, draft = models
    short = replace(translated["shared"], draft=replace(draft, limit=5))
    prompt = (1, 40, 41)
    text = target.encode("the cat sat on the mat")
    decoder = decoder_of(short, prompt)
    for end in (0, 1, 4, 9, len(text)):
        law = decoder.laws([*prompt, *text[:end]], Setting())
        ids = [*PROMPTS[prompt], *Reader(target, draft)(text[:end])][-5:]
        (z,) = draft.logits([ids], [np.array([len(ids) - 1])])
        assert np.allclose(law, short.translate(softmax(z.astype(float))[None]), atol=1e-5)


@pytest.mark.parametrize("name", ["shared", "read"])
def test_at_temperature_zero_the_target_writes_what_it_writes_alone(models, translated, name) -> None:
    cold = Setting(SD if name == "shared" else match(), gamma=3, temperature=0)
    for prompt in PROMPTS:
        alone, _ = decode(models[0], None, prompt, 24, cold, np.random.default_rng(0))
        written, counts = decode(models[0], translated[name], prompt, 24, cold, np.random.default_rng(0))
        shorter = min(len(alone), len(written))
        assert written[:shorter] == alone[:shorter] and shorter >= min(24, len(alone))
        assert counts.tested >= counts.calls


@pytest.mark.parametrize("name", ["shared", "read"])
def test_drafts_are_kept_as_often_as_their_laws_promise(models, translated, name) -> None:
    """Freedman's inequality: a false alarm in less than one of 10^5 runs."""
    expected = tested = kept = 0.0
    rng = np.random.default_rng(3)

    def accept(p, d):
        nonlocal expected
        k = SD.accept(p, d)
        expected += k.sum()
        return k

    for _ in range(5):
        for prompt in PROMPTS:
            setting = Setting(replace(SD, accept=accept), 3, temperature=4.0)
            _, counts = decode(models[0], translated[name], prompt, 20, setting, rng)
            tested, kept = tested + counts.tested, kept + counts.accepted
    assert abs(kept - expected) < 6 * expected**0.5
    assert 25 < expected < 0.8 * tested


def test_a_run_with_a_translated_draft(models, translated) -> None:
    ran = run((models[0], translated["shared"]), [list(prompt) for prompt in PROMPTS] * 3, 6, Setting(gamma=2))
    assert ran.prompts == 6 and ran.calls >= 6 * 2 and 1 <= ran.tokens.estimate <= 3
    with pytest.raises(
        ValueError, match=r"--run: the draft 'draft' has another tokenizer than the target 'target' \(\d+ and"
    ):
        run(models, [[1, 2]] * 2, 6, Setting())
