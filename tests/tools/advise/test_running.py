"""Decoding for real with tiny random models: the cache, the counts, and that what is predicted is what is counted."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from simspec import cli
from simspec.engine.estimates.intervals import Interval
from simspec.laws import softmax
from simspec.methods import SD, ears
from simspec.tools.advise import running
from simspec.tools.advise.decoders import Decoder, Setting
from simspec.tools.advise.running import Checked, Run, agree, decode, run
from simspec.tools.advise.table import Advice, Row
from tests.logits import tiny
from tests.requirements import require

ONE = Interval(1.0, 0.5, 1.5, 0.95)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    tiny.gpt2(folder / "target", scale=0.6)
    tiny.gpt2(folder / "draft", seed=1, scale=0.5)
    (folder / "text.json").write_text(json.dumps(tiny.text(60, 130)))
    return folder


@pytest.fixture(scope="module")
def models(folder):
    from simspec.logits.capture.models import load_model

    return tuple(load_model(str(folder / name), name, "cpu") for name in ("target", "draft"))


def test_greedy_decoding_writes_what_the_target_writes_alone(models) -> None:
    """At temperature 0 the law is one token, so any fault of a cache shows: six drafts a call, most of them rejected."""
    target, draft = models
    cold, rng = Setting(gamma=6, temperature=0), np.random.default_rng(0)
    for prompt in ([5, 9, 30], [7], list(range(20, 32))):
        alone, slow = decode(target, None, prompt, 24, cold, rng)
        written, fast = decode(target, draft, prompt, 24, cold, rng)
        shorter = min(len(alone), len(written))
        assert written[:shorter] == alone[:shorter] and shorter >= min(24, len(alone))
        assert slow.calls == slow.tokens == len(alone) and fast.accepted <= fast.tested


def test_a_draft_that_is_the_target_is_always_kept(models) -> None:
    target, _ = models
    written, counts = decode(target, target, [5, 9, 30], 20, Setting(gamma=4), np.random.default_rng(0))
    assert counts.accepted == counts.tested and counts.calls == math.ceil(len(written) / 5)


def test_a_decoder_that_forgets_says_the_same_laws(models) -> None:
    target, _ = models
    decoder = Decoder(target)
    text = [5, 9, 30, 4, 8, 15]
    once = decoder.laws(text, Setting(), 3)
    decoder.forget(4)
    assert np.allclose(decoder.laws(text, Setting(), 2), once[1:], atol=1e-6) and decoder.read == 6
    assert np.allclose(Decoder(target).laws(text, Setting())[0], once[-1], atol=1e-6)
    cut = Decoder(target).laws(text, Setting(top_p=0.3))[0]
    assert (cut > 0).sum() < (once[-1] > 0).sum()


def test_a_setting_leaves_the_laws_of_a_model_as_they_are(models) -> None:
    """Where no temperature and no top-p is given, a law is the softmax of the model's own logits, of all tokens."""
    import torch

    target, _ = models
    text = [5, 9, 30, 4]
    with torch.inference_mode():
        logits, _ = target.read_on(torch.tensor([text]), None)
    own = softmax(logits[0, -1].double().numpy())
    assert np.allclose(Decoder(target).laws(text, Setting())[0], own, atol=1e-6)
    assert not np.allclose(Decoder(target).laws(text, Setting(temperature=0.5))[0], own, atol=1e-3)
    assert Setting() == (SD, 4, 1.0, 1.0)


def test_what_the_run_counts_is_what_its_laws_promise(models) -> None:
    """Drafts kept against the sum of exact acceptances at the places tested; 5 standard errors at least: below 1e-5."""
    target, draft = models
    expected = tested = kept = 0.0
    rng = np.random.default_rng(3)

    def accept(p, d):
        nonlocal expected
        k = SD.accept(p, d)
        expected += k.sum()
        return k

    for first in range(40, 48):
        _, counts = decode(target, draft, [first, 9], 20, Setting(replace(SD, accept=accept), 3), rng)
        tested, kept = tested + counts.tested, kept + counts.accepted
    assert abs(kept - expected) < 2.5 * tested**0.5
    assert 0.02 * tested < expected < 0.98 * tested


def test_models_and_texts_that_do_not_fit_are_refused(models) -> None:
    with pytest.raises(ValueError, match="a model takes at most 48"):
        run(models, [[1, 2]] * 2, 60, Setting())


def test_prompts_are_beginnings_of_what_was_chosen_and_written_on(folder, models) -> None:
    from simspec.logits.capture.prepared import Options, prepare
    from simspec.tools.advise.models import prompts, source, written

    asked = Options(contexts=6, neighbours=2, per_document=1, window=40)
    prepared = prepare(*models, text=[folder / "text.json"], settings=asked)
    given = prompts(prepared, 2, 8)
    assert len(given) == 2 and all(prepared.target.encode(prepared.documents[n][1].text)[0] for n in given)
    made = written(prepared, given, 5, Setting(temperature=0))
    for window, (document, prompt) in zip(made.chosen, given.items(), strict=True):
        assert window.document == document and window.target[:8] == prompt
        alone, _ = decode(models[0], None, prompt, 5, Setting(temperature=0), np.random.default_rng(0))
        assert window.following.tolist() == alone and window.positions[0] == 7
        assert window.target == window.draft == [*prompt, *alone[:-1]]  # what follows the last token is not asked for
    with pytest.raises(
        ValueError, match="--length: 60; prompt and text together have 68 tokens; the target takes at most 48"
    ):
        written(prepared, given, 60, Setting())
    assert callable(source(made, "nowhere.safetensors"))


def test_where_no_rule_can_be_run_the_fastest_is_named() -> None:
    """Rules that draft without a model, or verify jointly, are not run; the advice begins with the fastest."""
    from simspec.tools.advise.models import runnable

    rows = [
        Row(rule, 1.0, 1.0, ONE, 2, ONE, ONE, 1.0, 1.0, Interval(speed, speed, speed, 0.95), None, None)
        for rule, speed in (("block", 3.0), ("prompt-lookup", 2.0), ("sd", 1.0))
    ]
    lossless = [row._replace(tv=Interval(0.0, 0.0, 0.0, 0.95)) for row in rows]
    assert runnable(Advice(lossless)).rule == "sd"
    assert runnable(Advice(lossless[:2])).rule == "block"


def test_the_four_times_of_a_step_are_told_apart(models, monkeypatch) -> None:
    """A clock that each law of the draft takes forward by 1, each of the target by 10, and no other thing."""
    clock = [0.0]
    laws = Decoder.laws

    def timed(self, text, setting, number=1):
        clock[0] += (10 if self.loaded is models[0] else 1) * number
        return laws(self, text, setting, number)

    monkeypatch.setattr(Decoder, "laws", timed)
    monkeypatch.setattr(running.time, "perf_counter", lambda: clock[0])
    draft, step, verified, call = running._steps(models, [5, 9, 30], Setting(gamma=3), np.random.default_rng(0))
    assert (draft, step, verified) == (1, 10, 40) and call >= 40 + 3


def test_ends_of_intervals() -> None:
    near, far = Interval(2.4, 2.0, 2.8, 0.95), Interval(2.6, 2.0, 3.2, 0.95)
    assert agree(ONE, Interval(1.6, 1.2, 2.0, 0.95)) and not agree(ONE, near) and not agree(far, ONE)
    unknown = Interval(2.4, float("nan"), float("nan"), 0.95)
    assert agree(ONE, near) is False and agree(ONE, unknown) is agree(unknown, ONE) is None


def test_too_few_prompts_decide_nothing() -> None:
    unknown = Interval(1.0, float("nan"), float("nan"), 0.95)
    row = Row("sd", 1.0, 1.0, ONE, 2, ONE, ONE, 1.0, 1.0, ONE, None, None)
    checked = Checked(row, Run(unknown, unknown, unknown, 3, 10, 1.0, 2.0, unknown, unknown, unknown))
    said = checked.words()
    assert "THEY DIFFER" not in said and "they agree" not in said and "no intervals: 3 prompts are too few" in said
    assert json.loads(json.dumps(checked.plain(), allow_nan=False))["tokens"]["agree"] is None


def test_words_name_what_differs() -> None:
    row = Row("sd", 1.0, 1.0, ONE, 2, Interval(0.5, 0.45, 0.55, 0.95), ONE, 1.0, 1.0, ONE, None, None)
    cost, verify = Interval(0.25, 0.2, 0.3, 0.95), Interval(0.05, 0.01, 0.09, 0.95)
    drafts, call = Interval(0.7, 0.65, 0.75, 0.95), Interval(1.6, 1.2, 2.4, 0.95)
    ran = Run(ONE, ONE, drafts, 6, 10, 1.0, 2.0, call, cost, verify)
    said = Checked(row, ran).words()
    assert "sd, 2 draft tokens per target step, 6 prompts, 10 target steps" in said
    assert "0.70 (0.65 to 0.75) of the drafts accepted; predicted 0.50 (0.45 to 0.55): THEY DIFFER" in said
    assert "1.00 (0.50 to 1.50) tokens per target step; predicted 1.00 (0.50 to 1.50): they agree" in said
    told = Checked(row, ran).plain()["speedup"]["predicted"]
    errors = [
        (0.5**2 + ends**2) ** 0.5 for ends in (2.4 / 1.6 - 1, 1 - 1.2 / 1.6)
    ]  # of tokens and of a call, in quadrature
    assert told == pytest.approx([1 / 1.6, (1 - errors[0]) / 1.6, (1 + errors[1]) / 1.6])
    assert (
        "one step with drafts takes 1.60 (1.20 to 2.40) target steps; a draft token takes 0.25 (0.2 to 0.3), "
        "verifying it 0.05 (0.01 to 0.09)" in said
    )


@pytest.mark.parametrize(
    ("verify", "words"),
    [
        ((-0.01, -0.04, 0.02), "verifying it less than can be timed here (at most 0.02)"),
        ((-0.03, -0.04, -0.02), "verifying it less than can be timed here"),
        ((-0.01, math.nan, math.nan), "verifying it less than can be timed here"),
        ((0.01, math.nan, math.nan), "verifying it 0.01"),
        ((0.02, 0.01, 0.03), "verifying it 0.02 (0.01 to 0.03)"),
    ],
)
def test_a_time_below_the_noise_is_no_negative_number(verify, words) -> None:
    row = Row("sd", 1.0, 1.0, ONE, 2, ONE, ONE, 1.0, 1.0, ONE, None, None)
    ran = Run(ONE, ONE, ONE, 6, 10, 1.0, 2.0, ONE, ONE, Interval(*verify, 0.95))
    assert Checked(row, ran).words().endswith(words)
    low = None if math.isnan(verify[1]) else verify[1]
    assert Checked(row, ran).plain()["verify"][:2] == [verify[0], low]


def test_costs_of_a_run_by_hand() -> None:
    """Six prompts, gamma 2: a draft takes a quarter of a step; the target on two drafts takes half a step more or less."""
    columns = np.ones((6, 14))
    columns[:, 10] = 0.25
    columns[:, 12] = [0.5, 1.5, 0.5, 1.5, 0.5, 1.5]
    ran = running._run(columns, Setting(gamma=2), 0.95)
    assert ran.cost[:3] == pytest.approx((0.25, 0.25, 0.25))
    assert ran.verify.estimate == 0 and ran.verify.low < -0.1 and ran.verify.high > 0.1


def test_advise_decodes_for_real_and_agrees(folder, capsys) -> None:
    """Measured on one text that the target writes, counted on another.  The interval is at 95 %, the seeds fixed.

    Control: a rule that keeps more than it is said to is caught.
    """
    pair = [str(folder / "target"), str(folder / "draft"), "--text", str(folder / "text.json")]
    sizes = ["--window", "40", "--contexts", "48", "--neighbours", "8", "--run-prompts", "6", "--length", "16"]
    which = ["--rule", "sd", "--rule", "prompt-lookup", "--rule", "tasc", "--temperature", "1", "--top-p", "1"]
    words = ["advise", *pair, *sizes, *which, "--gamma", "2", "--cost", "0.1", "--verify-cost", "0", "--run"]
    assert cli.main([*words, "--json", "-"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [row["rule"] for row in made["rows"]] == ["sd", "prompt-lookup", "tasc"] and made["run"]["prompts"] == 6
    assert made["run"]["tokens"]["agree"] and made["run"]["acceptance"]["agree"]
    from simspec.logits.capture.models import load_model

    models = tuple(load_model(str(folder / name), name, "cpu") for name in ("target", "draft"))
    prompts = [[first, 9, 40, 41] for first in range(36, 48)]
    loose = run(models, prompts, 16, Setting(ears(1.0), 2))
    told = made["run"]["acceptance"]["predicted"]
    assert agree(Interval(*told, 0.95), loose.acceptance) is False
