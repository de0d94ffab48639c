"""Acceptance, lengths and advice of a pair whose laws are known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.engine.estimates.intervals import Interval
from simspec.logits.bank import open_bank
from simspec.logits.capture.pair import pair_bank
from simspec.tools.advise.running import Run
from simspec.tools.pair.acceptance import ALL, SETTINGS, acceptance
from simspec.tools.pair.lengths import lengths
from simspec.tools.pair.speed import advised, beside, sentence
from simspec.tools.reading import load
from tests.logits.bank.cut_banks import write_cut_bank


@pytest.fixture
def bank(tmp_path):
    """Six documents of two contexts; a draft is accepted with 3/4 at the first and with 1/2 at the second."""
    p = np.tile([[0.5, 0.5, 0.0], [0.5, 0.25, 0.25]], (6, 1))
    q = np.tile([[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]], (6, 1))
    document = np.repeat(np.arange(6), 2)
    position = np.tile([0, 1], 6)
    shuffled = np.random.default_rng(0).permutation(12)
    arrays = {"p": p, "q": q, "document": document, "position": position}
    return pair_bank(
        {name: array[shuffled] for name, array in arrays.items()}, tmp_path / "b.safetensors", storage="float32"
    )


def test_acceptance_by_hand(bank) -> None:
    table = acceptance(bank)
    column = SETTINGS.index((1.0, 1.0))
    assert np.allclose(table["positions"][column], [0.75, 0.5] * 6, atol=1e-6)
    row = next(row for row in table["rows"] if (row["temperature"], row["top_p"]) == (1, 1))
    assert row["kind"] == ALL and row["contexts"] == 12 and row["answers"] == 6
    estimate, low, high = row["acceptance"]
    assert estimate == pytest.approx(0.625, abs=1e-6) and 0 < low < 0.625 < high < 1
    greedy = table["positions"][SETTINGS.index((0.0, 1.0))]
    # at temperature 0 the tied largest tokens share the mass: 1/2 of the first, nothing of the second
    assert np.allclose(greedy, [0.5, 0.0] * 6, atol=1e-6)


def test_lengths_by_hand(bank) -> None:
    rows = lengths(bank, acceptance(bank))["rows"]
    row = next(r for r in rows if (r["temperature"], r["top_p"], r["gamma"]) == (1, 1, 1))
    assert row["independent"] == pytest.approx(1.625, abs=1e-6)
    assert row["lasting"] == pytest.approx(1 / np.mean([1 / 1.75, 1 / 1.5]), abs=1e-6)
    # a step begins at a position unless the one before began there and kept its draft: y = 1 - 0.75 x, x = 1 - 0.5 y
    x, y = np.linalg.solve([[1, 0.5], [0.75, 1]], [1, 1])
    # a lap of twelve positions forgets where the chain began but for (0.75 * 0.5)^6
    assert row["tokens"][0] == pytest.approx(1 / np.mean([x, y]), abs=1e-3)


def test_of_a_bank_with_cut_rows_all_contexts_count_with_what_was_stored(tmp_path) -> None:
    """Two contexts are cut, of which the second has its whole row too: tools that need laws say that they read that alone."""
    bank = open_bank(write_cut_bank(tmp_path / "cut.safetensors"))
    table = acceptance(bank)
    assert {row["contexts"] for row in table["rows"]} == {2}
    assert np.allclose(table["positions"][SETTINGS.index((1.0, 1.0))], [6 / 16, 1])
    assert np.allclose(acceptance(bank.with_draft("far"))["positions"][SETTINGS.index((1.0, 1.0))], [5 / 16, 5 / 16])
    row = next(r for r in lengths(bank, table)["rows"] if (r["temperature"], r["top_p"], r["gamma"]) == (1, 1, 1))
    assert row["independent"] == pytest.approx(1 + (6 / 16 + 1) / 2)
    pairs = load(tmp_path / "cut.safetensors")
    assert pairs.p.shape == (1, 5) and pairs.source == "own, whole rows"
    assert Data.describe(bank) == "target / draft: 1 contexts, 1 documents, whole rows"
    assert Data.describe(open_bank("stories")).endswith("300 contexts, 300 documents")


def test_the_best_number_of_drafts_depends_on_the_cost() -> None:
    accepted, document = [0.8] * 60, np.repeat(np.arange(6), 10).tolist()
    tokens = [sum(0.8**i for i in range(gamma + 1)) for gamma in range(1, 9)]
    for cost in (0.0, 0.05, 0.5):
        speeds = [t / (1 + gamma * cost) for gamma, t in enumerate(tokens, 1)]
        row = advised(accepted, document, cost, 0.0)
        assert row["gamma"] == 1 + int(np.argmax(speeds)) and row["speedup"][0] == pytest.approx(max(speeds))
        assert row["speeds"] == pytest.approx(speeds)
    dear = advised(accepted, document, 1.5, 0.0)
    machine = {"temperature": 1.0, "machine": dear, "engine": dear}
    assert "do not draft. On an engine" in sentence([machine], {"cost": 1.5, "counted": 1.5})


def test_a_run_that_differs_is_said_to_differ() -> None:
    def around(x: float) -> Interval:
        return Interval(x, 0.98 * x, 1.02 * x, 0.95)

    accepted, document = [0.5, 0.52] * 30, np.repeat(np.arange(6), 10).tolist()
    for counted, agrees in ((1.51, True), (2.0, False)):
        ran = Run(around(counted), around(1.2), around(0.5), 6, 40, 1.0, 1.0, around(1.25), around(0.2), around(0.05))
        row = beside(ran, accepted, document, 1)
        assert row["tokens"]["agree"] is agrees and row["tokens"]["measured"][0] == counted
    few = Run(
        *[Interval(1.5, float("nan"), float("nan"), 0.95)] * 3, 2, 4, 1.0, 1.0, around(1.0), around(0.2), around(0.0)
    )
    assert beside(few, accepted, document, 1)["tokens"]["agree"] is None
