"""The page of the models that decide: verdicts are those on record, differences are explained, numbers are computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.deciding.evidence import CONTROL_PASSES, decided_on
from simspec.logits.bank import open_bank
from simspec.report.models import MODELS, differing, kind_rows, page, weakest


def row(estimate: float, half: float, limit: float, data: str = "a bank", model: str = "SmolLM2") -> dict[str, Any]:
    interval = (estimate - half, estimate + half)
    control = {"must exceed": limit}
    return {
        **{"data": data, "model": model, "n": 9, "estimate": estimate},
        **{"interval": interval, "level": 0.95, "control": control},
    }


def record(verdict: str, *rows: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": verdict, "evidence": list(rows) or None, "message": None}


def test_the_weakest_row_fails_first_then_is_open_then_has_the_least_room() -> None:
    good, better, doubtful, bad = row(0.6, 0.05, 0.5), row(0.9, 0.05, 0.5), row(0.5, 0.1, 0.5), row(0.3, 0.1, 0.5)
    for rows, expected_row in (((better, good), good), ((good, doubtful), doubtful), ((doubtful, bad, good), bad)):
        found = weakest(record("any", *rows))
        assert found is not None and found.estimate == expected_row["estimate"]
    assert weakest(record("inconclusive")) is None
    assert weakest(record("inconclusive", row(0.3, 0.1, 0.5, data="beside: a bank"))) is None


NAME, OTHER = "ears.calibration", "rdk.figure7-value"


def runs(small_verdict: str) -> dict[str, dict[str, dict[str, Any]]]:
    good, bad = record("supported", row(0.9, 0.05, 0.8)), record(small_verdict, row(0.7, 0.05, 0.8, model="small"))
    beside = row(0.7, 0.05, 0.8, data="beside: small", model="small")
    shipped = {NAME: record("supported", row(0.9, 0.05, 0.8), beside), OTHER: record("inconclusive")}
    parts = {part: {NAME: good} for part in ("files", "fewer")}
    return {"shipped": shipped, "wiki": {NAME: bad}, "stories": {NAME: good}, **parts}


def test_a_page_by_hand() -> None:
    text = page(runs("unsupported"), [["a", "b", "1", "1", "0", "0", "0"]])
    assert (
        f"| [`{NAME}`](#earscalibration) | Qwen3-32B, its draft not named | supported | unsupported | supported |"
        in text
    )
    assert (
        "- SmolLM2: supported; 1 of 1 cell holds. Weakest: a bank: 0.9 [0.85, 0.95] at 0.95, n = 9; must exceed 0.8"
        in text
    )
    assert (
        "Why they differ:\n\n- wiki: 1 cell is judged differently: it is the model" in text
        and "beside: small" not in text
    )
    assert "- stories: 1 cell" not in text
    assert f"| `{OTHER}` |" in text.split("## Decided on other data (1 claims)")[1]
    assert differing(runs("unsupported")) == [NAME] and differing(runs("supported")) == []
    assert "Why they differ" not in page(runs("supported"), [])


def test_what_a_sentence_cannot_be_about_is_not_comparable_with_the_reason() -> None:
    """Neither the cell nor the line says a verdict, and no difference is looked for."""
    apart = row(0.7, 0.05, 0.8, data="not comparable: V = 9, too few: small", model="small")
    measured = runs("inconclusive")
    measured["wiki"] = {NAME: record("inconclusive", apart)}
    measured["shipped"][NAME]["verdict"] = measured["stories"][NAME]["verdict"] = "inconclusive"
    text = page(measured, [])
    assert f"| [`{NAME}`](#earscalibration) | Qwen3-32B, its draft not named | inconclusive | not comparable | " in text
    assert "- wiki: not comparable: V = 9, too few: small: 0.7 [0.65, 0.75], n = 9\n" in text
    assert differing(measured) == []


@pytest.mark.parametrize(("passing", "outcome"), [(0.99, "so that the test tells nothing"), (0.3, "and so fails")])
def test_a_control_that_must_fail_stands_in_the_line(passing, outcome) -> None:
    good = row(0.9, 0.05, 0.8)
    good["control"] = {**good["control"], "a normal": 0.25, CONTROL_PASSES: passing}
    measured = runs("supported")
    measured["shipped"][NAME] = record("inconclusive", good)
    words = f"must exceed 0.8; beside: a normal 0.25, the control that must fail passes at most {passing}, {outcome}\n"
    assert words in page(measured, [])


def test_a_claim_that_no_bank_moves_is_not_said_to_be_decided_on_a_small_pair() -> None:
    """Its rows are of SmolLM2 whatever the bank is: it stands among those decided on other data."""
    measured = {**runs("unsupported")}
    measured["wiki"] = {NAME: record("supported", row(0.9, 0.05, 0.8))}
    text = page(measured, [])
    assert "(0 claims)" in text and f"| `{NAME}` | Qwen3-32B, its draft not named | supported | SmolLM2 |" in text
    assert differing(measured) == []


def test_what_decides_is_named_once() -> None:
    assert decided_on(record("supported", row(0.9, 0.1, 0.5), row(0.9, 0.1, 0.5, data="another"))) == "SmolLM2"
    made_up = record("inconclusive", row(0.9, 0.1, 0.5, data="made up here: needle", model="synthetic"))
    assert decided_on(made_up) == "families made up here; synthetic"
    assert decided_on(record("inconclusive")) == "nothing"


def test_model_and_text_are_parted_by_what_the_banks_hold() -> None:
    bank, small = open_bank("smollm2"), open_bank("wiki")
    rows = kind_rows(bank, small)
    text = page({"shipped": {}, "wiki": {}, "stories": {}}, rows)
    assert all(f"| {' | '.join(columns)} |" in text for columns in rows)
    chat = next(columns for columns in rows if columns[:2] == ["SmolLM2", "chat answers"])
    there = bank.cut.corpus == "chat"
    assert chat[2:4] == ["336", "28"] and chat[4].startswith(f"{bank.cut.entropy[there].mean():.2f} [")
    assert f"quantised:3 {bank.cut.overlap[there].mean():.3f} [" in chat[5]
    labels = [columns[1] for columns in rows if columns[0] == "wiki-target"]
    assert set(labels) == {"texts of wiki", *np.unique(small.corpus)} <= {c[1] for c in rows if c[0] == "SmolLM2"}


@pytest.mark.parametrize("prefix", MODELS)
def test_models_of_papers_belong_to_claims_that_there_are(prefix) -> None:
    assert any(name == prefix or name.startswith(f"{prefix}.") for name in registry())
