"""Rules at equal numbers of drafted tokens: by hand, by enumeration, and whatever the rows are called in."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.laws import exact
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier import by_rows, outcomes
from simspec.studies.joint import budgets
from simspec.studies.joint.budgets import (
    RULES,
    TREES_DRAWN,
    child_rates,
    drafted_on_bank,
    drafted_tokens,
    path_drafts,
    rates_by_depth,
    traversal_drafts,
)

THIRDS = np.array([[[1 / 3, 2 / 3]]]), np.array([[[2 / 3, 1 / 3]]])
"""The worked example of block verification: 10/9 accepted drafts of two by tokens, 11/9 by the block."""


def test_the_papers_example_by_token_and_by_block() -> None:
    p, q = THIRDS
    found = budgets.drafts_by_rule(p, q, 2, {}, {}, Rows(3, range(1)))
    assert found["token"] == pytest.approx([10 / 9])
    many = path_drafts(*THIRDS, 2, Rows(3, range(1)), paths=20_000)
    assert many["block"] == pytest.approx([11 / 9], abs=5 * 0.5 / 20_000**0.5)  # false alarm below 1e-6
    assert many["hsd-naive"] == pytest.approx([2 / 3 + 2 / 3], abs=5 / 20_000**0.5)  # prefixes keep min(P, Q)
    assert abs(many["block"][0] - 10 / 9) > 0.05 and many["hsd-naive"][0] - many["block"][0] > 0.05


def test_block_drafts_are_those_of_the_rule_itself_with_laws_by_level() -> None:
    p, q = np.array([[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]]), np.array([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]])
    rows = [[F(x).limit_denominator(100) for x in law] for law in (*p[0], p[0, 0])]
    told = [[F(x).limit_denominator(100) for x in law] for law in q[0]]
    found = outcomes(block_verifier(), by_rows([exact(r) for r in rows]), by_rows([exact(r) for r in told]), 2)
    wanted = float(sum(o.probability * o.accepted for o in found))
    kept = path_drafts(p, q, 2, Rows(1, range(1)), 20_000)
    assert kept["block"] == pytest.approx([wanted], abs=5 / 20_000**0.5)
    first = np.minimum(p[0, 0], q[0, 0]).sum()
    both = np.minimum(np.outer(p[0, 0], p[0, 1]), np.outer(q[0, 0], q[0, 1])).sum()  # mass min(P, Q) of the prefixes
    assert kept["hsd-naive"] == pytest.approx([first + both], abs=5 / 20_000**0.5)


def test_spechub_is_a_rule_for_two_drafts() -> None:
    p, q = np.array([[[0.5, 0.25, 0.25]]]), np.array([[[0.25, 0.5, 0.25]]])
    kept = [float(budgets.drafts_by_rule(p, q, k, {}, {}, Rows(3, range(1)))["spechub"][0]) for k in (1, 2, 4)]
    assert kept == pytest.approx([0.75, 1, 1])  # the printed example: certain with two


def test_traversal_of_a_chain_is_the_block_and_couplings_by_hand() -> None:
    p, q = np.repeat(THIRDS, 200, axis=1)
    chain = traversal_drafts(p, q, (((),),), True, Rows(3, range(200)), trees=50)
    assert chain.mean() == pytest.approx(11 / 9, abs=5 * 0.5 / 10_000**0.5)  # false alarm below 1e-6
    found = budgets.drafts_by_rule(*THIRDS, 2, {}, {}, Rows(3, range(1)))
    assert found["minhash"] == pytest.approx([1 / 2 + 1 / 4])  # (1 - TV)/(1 + TV) = 1/2
    assert found["gumbel"] == pytest.approx(found["token"])  # of two tokens that coupling loses nothing
    assert traversal_drafts(p, q, (), True, Rows(3, range(200))).tolist() == [0] * 200


def test_children_by_hand() -> None:
    p, q = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]])
    assert child_rates("rrsw", p, q, [0], 2).sum() == pytest.approx(1)
    assert child_rates("top", p, q, [0], 4).tolist() == [[0.25, 0.75]]


def test_depth_is_weighted_by_what_reaches_it() -> None:
    rates = np.array([[[0.5, 0.25]] * 2, [[0.0, 1.0]] * 2])
    assert rates_by_depth(rates).tolist() == [[0.25, 0.625], [0.5, 0.25]]
    assert rates_by_depth(np.zeros((2, 3, 1))).tolist() == [[0.0], [0.0], [0.0]]


def test_order_of_the_rules_on_synthetic_laws() -> None:
    study = drafted_tokens()
    cell = next(c for c in study.grid if c["rho"] == 0.9 and c["budget"] == 4 and c["contexts"] == "one a call")
    found = study.simulate({**cell, "vocab": 64}, Rows(1, range(6)), "cpu")
    assert set(found) == set(RULES)
    assert (found["rrs"] <= found["best, drawn with replacement"] + 1e-9).all()
    assert (found["rrsw"] <= found["best, without"] + 0.05).all()
    assert found["block"].mean() > found["token"].mean() > found["match"].mean()
    assert found["tree, rrs"].mean() > found["rrs"].mean()
    assert (found["gumbel list"] <= found["best, drawn with replacement"] + 1e-6).all()
    assert (found["minhash"] <= found["gumbel"] + 1e-9).all() and (found["gumbel"] <= found["token"] + 1e-9).all()
    assert found["tree, traversal"].mean() > found["tree, rrs"].mean()


def test_a_row_is_the_same_whatever_rows_it_is_asked_for_with() -> None:
    study = drafted_tokens()
    for contexts in ("one a call", "one a level"):
        cell = {**study.grid[1], "contexts": contexts, "vocab": 16}
        whole, part = (study.simulate(cell, Rows(1, numbers), "cpu") for numbers in (range(4), range(2, 4)))
        assert all((whole[rule][2:] == part[rule]).all() for rule in RULES)


def test_on_a_bank_one_draft_is_one_draft() -> None:
    results = gather(drafted_on_bank(open_bank("stories"), contexts=3))
    one = next(r for r in results if r.cell["budget"] == 1)
    token = one.values["token"]
    for rule in ("rrs", "rrsw", "k-seq", "greedy drafts", "best, drawn with replacement", "tree, rrs"):
        assert one.values[rule] == pytest.approx(token, abs=1e-9)
    drawn = 5 * 0.5 / TREES_DRAWN**0.5  # false alarm below 1e-6
    assert one.values["tree, traversal"] == pytest.approx(token, abs=drawn)


def test_a_bank_without_a_tuning_pair_is_told() -> None:
    with pytest.raises(MissingPart, match="tuning"):
        drafted_on_bank(open_bank("gpt2"))
