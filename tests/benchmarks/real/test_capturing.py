"""A capture is timed beside the forward passes that it needs, and what it records is compared with what was never stored."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.real import capturing, skipped
from benchmarks.real.capturing import Case
from tests.logits import tiny
from tests.requirements import require

CASE = Case(6, 2, 24)


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    require("torch")
    from simspec.logits.capture.models import load_model

    return load_model(tiny.chat(tmp_path_factory.mktemp("target")), "target", "cpu")


def test_a_capture_is_right_and_its_speed_is_of_the_tokens_that_models_read(target, monkeypatch):
    done = capturing.measure(CASE, 0, 1, target)
    assert done.right and [r["status"] for r in done.about["results"]] == ["ok", "ok", "ok"]
    ours, passes, limit = (r["median"] for r in done.about["results"])
    seconds = {"simspec": ours, capturing.ROOF: passes, capturing.LIMIT: limit}
    speeds = {name: done.about["tokens"] / median for name, median in seconds.items()}
    assert done.about["tokens a second"] == pytest.approx(speeds)
    assert done.about["share"] == pytest.approx(passes / ours)
    assert set(done.about["memory"]) == seconds.keys()


def test_the_passes_are_those_of_a_capture(target, tmp_path, monkeypatch):
    """The same inputs as those that recording gives the models: counted at the models themselves."""
    from simspec.logits.capture import record

    prepared = capturing._prepared(CASE, 0, tmp_path, target)
    seen = []
    hooks = [
        loaded.model.register_forward_pre_hook(
            lambda module, args, kwargs: seen.append(
                (
                    kwargs["input_ids"].tolist(),
                    kwargs["logits_to_keep"].tolist() if "logits_to_keep" in kwargs else None,
                )
            ),
            with_kwargs=True,
        )
        for loaded in (prepared.target, prepared.draft)
    ]
    try:
        record(prepared, tmp_path / "bank.safetensors", progress=False)
        recorded = list(seen)
        seen.clear()
        capturing.forward_passes(prepared, has_whole_head=False)
        limit = list(seen)
        seen.clear()
        capturing.forward_passes(prepared)
    finally:
        for hook in hooks:
            hook.remove()
    assert limit == recorded and len(limit) >= 2
    assert seen == [(ids, None) for ids, _ in recorded]
    windows = prepared.chosen
    assert prepared.tokens == 2 * sum(len(window.target) for window in windows)


def test_rows_in_another_order_fail(target, monkeypatch):
    """The planted fault: the draft's rows stand under the target's."""
    from simspec.logits.capture import passes

    right = passes.draft_logits
    monkeypatch.setattr(passes, "draft_logits", lambda draft, windows: right(draft, windows)[::-1].copy())
    monkeypatch.setattr(capturing, "TOLERANCE", 1e-6)
    done = capturing.measure(CASE, 0, 1, target)
    assert not done.right and done.about["results"][0]["status"].startswith("wrong by")


def test_probabilities_by_hand():
    logits = np.log([[1.0, 1.0, 2.0], [3.0, 1.0, 0.0001]])
    np.testing.assert_allclose(capturing.probabilities(logits, np.array([2, 0])), [0.5, 3 / 4.0001])


def test_without_the_model_it_is_skipped_with_a_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SIMSPEC_SMOLLM2", str(tmp_path / "nowhere.gguf"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    path = tmp_path / "real.json"
    assert benchmarks.main(["real", "--quick", "--case", "capture", "--json", str(path)]) == 0
    (case,) = json.loads(path.read_text())["cases"]
    assert case["results"][0]["status"] == "skipped: SmolLM2 is not on this machine; run `make smollm2`"
    assert "run `make smollm2`" in " ".join(capsys.readouterr().out.split())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else object())
    assert skipped.missing_model() == "torch missing; install the extra `capture`"
