"""Figures that judge a draft or a rule on SmolLM2 draw its own answers; those of the shape of logits say that they pool."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Rows
from simspec.figures.data import SMOLLM2, bank_of, cells, document, pair
from simspec.figures.gallery import figures, rows
from simspec.logits.bank import open_bank
from simspec.studies.pairs import bank_laws

TOGETHER = "answers and corpus texts together"
SHAPES = {"rdk.logit-statistics", "rdk.logit-quantiles", "rdk.probability-histogram", "rdk.probability-quantiles"}
COUNTED = {"rdk.token-frequency", "rdk.affinity"}
"""Figures of what is counted on corpus texts beforehand."""


@pytest.mark.parametrize("name", list(SMOLLM2))
def test_a_cell_of_smollm2_reads_the_answers(name) -> None:
    (cell,) = cells((name,), 1000, 1, 300)
    answers = open_bank("smollm2").of_kind("answers").with_draft(cell["draft"])
    assert (bank_of(cell).kind, bank_of(cell).draft_number) == ("answers", answers.draft_number)
    assert cell["rows"] == answers.contexts < open_bank("smollm2").contexts
    some = Rows(0, range(5, 7))
    assert document(cell, some).tolist() == answers.documents[5:7].tolist()
    assert all(map(np.array_equal, pair(cell, some), bank_laws(answers, slice(5, 7))))


def test_every_caption_says_which_kind_of_text_a_figure_draws() -> None:
    of_bank = {name: figure.data for name, figure in figures().items() if "bank smollm2" in figure.data}
    of_bank |= {name: figure.data for name, figure in figures().items() if "banks smollm2" in figure.data}
    assert {name for name, words in of_bank.items() if TOGETHER in words} == SHAPES
    assert len(of_bank) > 12
    for name, words in of_bank.items():
        assert name in COUNTED or "answers" in words, name


@pytest.mark.parametrize("name", ["rdk.real-pruning", "rdk.model-pruning", "all.drafted"])
def test_pruned_drafts_and_drafted_tokens_are_judged_on_answers(name) -> None:
    """The stored rows hold as many contexts of SmolLM2 as there are answers with whole rows."""
    assert "39 whole rows" in figures()[name].data
    study = figures()[name].study()
    key = "pair" if name == "all.drafted" else "data"
    of_smollm2 = {cell["rows"] for cell in study.grid if cell.get(key) in (*SMOLLM2, "SmolLM2, 4-bit draft")}
    assert of_smollm2 == {open_bank("smollm2").of_kind("answers").contexts}


def test_pictured_acceptance_is_that_of_the_answers() -> None:
    """The unpruned 4-bit draft, on every panel of SmolLM2: the mean over answers, and not over all contexts."""
    bank = open_bank("smollm2").with_draft("quantised:4")
    p, q = bank_laws(bank.of_kind("answers"))
    over_answers = np.minimum(p, q).sum(axis=-1).mean()
    drawn = [point.y for point in rows("rdk.real-pruning").of(series="unpruned") if point.panel.startswith("SmolLM2")]
    assert len(drawn) == 6 and np.allclose(drawn, over_answers, atol=1e-5)
    p, q = bank_laws(bank)
    assert abs(over_answers - np.minimum(p, q).sum(axis=-1).mean()) > 1e-3
