"""Samplers of litgpt, dflash and economize, where they are installed; and the forms on functions that are written here."""

from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspec.audit import Pair, Verdict
from simspec.audit.adapters import FORMS, targets_of
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.processors import processor_of
from tests.requirements import require

HAND = Pair("by hand", np.array([[1, 3], [3, 1]]) / 4, np.array([[3, 1]]) / 4)


def judged(adapted, exact=False):
    """Of a black box 700 calls, at false alarm 1e-6; a lossless one is then known to be within TV 0.3."""
    asked = Asked(pairs=[HAND], calls=700, tv_limit=0.3, exact=exact, more={"diagnose": False})
    return judge(Subject("mine", None, adapted, {"confirmed": 100}), asked)


def installed(name):
    require(name.partition(".")[0])
    (target,) = targets_of(name)
    return target.adapted()


def test_litgpt_is_lossless_as_it_is_biased_at_temperature_0_and_raises_with_top_p() -> None:
    """By hand: at temperature 0 the draft 0 of mass 3/4 is kept with 1/4 : 3/4 = 1/3; the target always says 1."""
    assert judged(installed("litgpt.plain")).verdict is Verdict.LOSSLESS
    report = judged(installed("litgpt.greedy"))
    assert report.verdict is Verdict.BIASED and report.first.tv[0] <= 1 / 3 <= report.first.tv[1]
    report = judged(installed("litgpt.top-p"))
    assert report.verdict is Verdict.BROKEN and "RuntimeError" in report.shown.fault


@pytest.mark.parametrize("name", ["dflash", "economize"])
@pytest.mark.parametrize("exact", [True, False])
def test_rejection_sampling_is_lossless(name, exact) -> None:
    assert judged(installed(name), exact).verdict is Verdict.LOSSLESS


torch: Any = None
"""PyTorch where a test has put it: adapters exchange the global name of a function."""
SCALE = 1.0


@pytest.fixture
def with_torch(monkeypatch):
    require("torch")
    monkeypatch.setattr(sys.modules[__name__], "torch", import_module("torch"))


# --- forms, on functions of their signatures --------------------------------------------------------------------------


def _decoding(is_faulty):
    """Speculative decoding in the signature of litgpt; the fault keeps every draft."""

    def speculative_decoding(draft_model, target_model, token, input_pos, input_pos_maxp1, speculative_k, **options):
        places = input_pos + torch.arange(speculative_k + 1)
        if options.get("temperature") == 0:
            return target_model(token[None], places, input_pos_maxp1)[0].argmax(-1)
        q = draft_model(token[None], places[:-1], input_pos_maxp1)[0].softmax(-1)
        p = target_model(token[None], places, input_pos_maxp1)[0].softmax(-1)
        tokens = []
        for i, law in enumerate(q):
            x = torch.multinomial(law, 1)
            if not is_faulty and torch.rand(1) * law[x] >= p[i, x]:
                return torch.cat([*tokens, torch.multinomial((p[i] - law).clamp_min(0), 1)])
            tokens.append(x)
        return torch.cat([*tokens, torch.multinomial(p[-1], 1)])

    return speculative_decoding


def test_the_form_litgpt(with_torch) -> None:
    assert judged(FORMS["litgpt"](_decoding(False))).verdict is Verdict.LOSSLESS
    assert judged(FORMS["litgpt"](_decoding(True))).verdict is Verdict.BIASED
    assert judged(FORMS["litgpt-greedy"](_decoding(False))).verdict is Verdict.LOSSLESS
    with pytest.raises(ValueError, match="litgpt is audited with one of temperature, top-k, top-p"):
        FORMS["litgpt"](_decoding(False)).with_options("min-p:0.5")


def _sample_probs(probs):
    return torch.multinomial(probs, 1)[:, 0]


def _rejection_sample(draft_tokens, target_probs, draft_probs):
    x = draft_tokens[0]
    places = torch.arange(len(x))
    kept = torch.rand_like(draft_probs[0, :, 0]) * SCALE * draft_probs[0, places, x] < target_probs[0, places, x]
    accepted = int(kept.int().cumprod(0).sum())
    left = target_probs[:, accepted].clone()
    if accepted < len(x):
        left = (left - draft_probs[:, accepted]).clamp_min(0)
    return accepted, _sample_probs(left)[0]


def test_the_form_dflash(with_torch, monkeypatch) -> None:
    """A uniform that is half as large keeps too many drafts."""
    for scale, verdict in ((1.0, Verdict.LOSSLESS), (0.5, Verdict.BIASED)):
        monkeypatch.setattr(sys.modules[__name__], "SCALE", scale)
        assert judged(FORMS["dflash"](_rejection_sample), exact=True).verdict is verdict


def test_the_form_economize(with_torch, monkeypatch) -> None:
    """A stand-in for the package: what the form passes is what the verifier needs."""
    from simspec.audit.adapters import economize

    class Verifier:
        def __init__(self, config):
            self.config = config

        def verify_batch(self, logits, draft, selector, seq, ends):
            p = logits.softmax(-1)
            accepted = torch.zeros(len(p), dtype=torch.int64)
            x = draft.tokens[:, :1]
            keep = torch.rand(len(p), 1) * draft.probs[:, 0].gather(1, x) < p[:, 0].gather(1, x)
            accepted += keep[:, 0]
            left = torch.where(keep, p[:, 1], (p[:, 0] - draft.probs[:, 0]).clamp_min(0))
            return accepted, torch.multinomial(left, 1)[:, 0]

    package = SimpleNamespace(
        DecodeConfig=lambda **named: named,
        Draft=lambda tokens, lengths, probs: SimpleNamespace(tokens=tokens, lengths=lengths, probs=probs),
        TopPSampler=lambda seed: seed,
    )
    monkeypatch.setattr(economize, "import_module", lambda name: package)
    assert judged(FORMS["economize"](Verifier), exact=True).verdict is Verdict.LOSSLESS


def test_temperature_0_is_the_likeliest_token() -> None:
    assert processor_of("temperature:0")(np.array([[0.25, 0.75], [0.5, 0.5]]), np.zeros((2, 0))).tolist() == [
        [0, 1],
        [1, 0],
    ]
