"""Blocks along runs of positions: by hand, beside their two ends, and on the runs that the bank smollm2 holds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.studies.sd.measured_lengths import lengths
from simspec.studies.sd.measured_runs import along, measured_runs, runs

ANSWERS = ("chat", "code", "arithmetic")


def test_tokens_of_a_block_are_those_of_all_outcomes_of_its_uniforms() -> None:
    alpha = np.array([0.25, 0.75, 0.5])
    tokens = 0.0
    for accepted in product((True, False), repeat=3):
        probability = np.prod(np.where(accepted, alpha, 1 - alpha))
        tokens += probability * (1 + np.argmin([*accepted, False]))
    assert along(alpha[None], (3,)) == pytest.approx(np.array([[tokens]]))


def test_a_run_that_never_changes_is_a_block_that_stays_in_one_context() -> None:
    alpha = np.array([0.2, 0.9])
    assert along(np.tile(alpha[:, None], 12), (1, 5, 12)) == pytest.approx(lengths(alpha, (1, 5, 12)))


def test_a_block_longer_than_a_run_is_refused() -> None:
    with pytest.raises(ValueError, match="gammas: 4; expected at most 3 drafts, the positions of a run"):
        along(np.ones((1, 3)), (1, 4))


def test_runs_hold_the_stored_acceptance_of_consecutive_positions() -> None:
    bank = open_bank("smollm2").with_draft("quantised:4")
    alpha, document = runs(bank, ANSWERS)
    assert alpha.shape == (84, 12)
    index = bank.cut.index
    for row in (0, 40, 83):
        at = np.flatnonzero(index.document == document[row])
        at = at[np.argsort(index.position[at])]
        assert (np.diff(index.position[at]) == 1).all()
        assert alpha[row].tolist() == np.clip(bank.cut.overlap[at], 0, 1).tolist()


def test_each_draft_has_a_cell_and_the_finer_one_is_accepted_more() -> None:
    coarse, fine = gather(measured_runs(open_bank("smollm2"), ANSWERS, limit=10))
    assert [result.cell["draft"] for result in (coarse, fine)] == ["quantised:3", "quantised:4"]
    assert coarse.values["alpha"].shape == (10, 12)
    assert (coarse.values["document"] == fine.values["document"]).all()
    assert coarse.values["alpha"].mean() + 0.2 < fine.values["alpha"].mean()


def test_a_bank_without_runs_is_named() -> None:
    with pytest.raises(MissingPart, match="bank: 'wiki' has no cut rows; expected a bank of consecutive positions"):
        runs(open_bank("wiki"), ANSWERS)
    with pytest.raises(ValueError, match="kinds: nothing; expected runs of consecutive positions, one a document"):
        runs(open_bank("smollm2"), ("nothing",))
