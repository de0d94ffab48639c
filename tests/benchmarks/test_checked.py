"""Predictions beside counts: both loops on tiny models, a target that drafts for itself, a wrong prediction, and the record."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import checked
from simspec.engine.estimates.intervals import Interval
from simspec.logits.capture import drafts
from simspec.logits.capture.models import LanguageModel, load_model
from tests.logits import tiny
from tests.requirements import require

ROOT = Path(__file__).parents[2]
PROMPTS = [[number, number + 1, number + 2] for number in range(5, 35, 3)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, LanguageModel]:
    require("torch")
    folder = tmp_path_factory.mktemp("models")
    target = load_model(tiny.chat(folder / "target"), "target", "cpu")
    return target, drafts.named_draft("quantised:3", target)


@pytest.mark.parametrize("loop", checked.LOOPS)
def test_a_target_that_drafts_for_itself_keeps_every_draft(models, loop) -> None:
    target, _ = models
    tokens, steps = checked.LOOPS[loop](target, target, PROMPTS[0], 1.0, 30, np.random.default_rng(0))
    assert tokens <= 30 + checked.GAMMA + 1
    assert steps == -(-tokens // (checked.GAMMA + 1))


def test_both_loops_count_what_is_predicted_and_a_wrong_prediction_differs(models, monkeypatch) -> None:
    """Intervals that hold together at 95 %: a run in twenty of ours would fail, and this one has its seed."""
    monkeypatch.setattr(checked, "LENGTH", 12)
    rows = list(checked.rows_of(models[0], [("other", models[1])], PROMPTS, tokens=100))
    assert [(row["temperature"], row["loop"]) for row in rows] == [
        (heat, loop) for heat in checked.TEMPERATURES for loop in checked.LOOPS
    ]
    assert all(row["agree"] and row["tokens"] >= 100 for row in rows)
    assert {row["counted"].level for row in rows} == {0.9875}
    count = rows[0]["counted"]
    assert 1.2 < count.estimate < checked.GAMMA + 1
    wrong = Interval(count.high + 2, count.high + 1.5, count.high + 2.5, count.level)
    assert checked.agree(wrong, count) is False
    again = list(checked.rows_of(models[0], [("other", models[1])], PROMPTS, tokens=100, done=rows[:2]))
    assert [row["temperature"] for row in again] == [checked.TEMPERATURES[1]] * 2


def test_the_command_records_and_goes_on(models, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(checked, "RECORD", tmp_path / "checked.json")
    monkeypatch.setattr(checked, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(checked, "LENGTH", 6)
    monkeypatch.setattr(checked, "load_model", lambda name, role: models[0])
    monkeypatch.setattr(drafts, "load_model", lambda name, role: models[1])
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text("\n".join(json.dumps({"prompt": f"{number} + 1"}) for number in range(6)))
    monkeypatch.setattr(checked, "PROMPTS", prompts)
    (tmp_path / "page.md").write_text("<!-- checked:begin -->\n<!-- checked:end -->\n")
    assert checked.main(["other", "--tokens", "20"]) == 0
    assert capsys.readouterr().err.count("other, temperature") == 4
    page = (tmp_path / "page.md").read_text()
    assert page.count("| other |") == 4 and "Target: " in page
    assert checked.main(["other", "--tokens", "20"]) == 0
    assert capsys.readouterr().err == "" and (tmp_path / "page.md").read_text() == page


def test_the_page_has_its_place() -> None:
    page = (ROOT / "docs" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert page.count("<!-- checked:begin -->") == page.count("<!-- checked:end -->") == 1
