"""Every rule over depth and siblings: by hand, against the rates of one step, and against drafts enumerated path by path."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.logits import open_bank
from simspec.logits.bank import MissingPart
from simspec.methods.names import SEVERAL
from simspec.methods.names import rule as named
from simspec.methods.stop.drafting import dropping_last, unseen
from simspec.studies.joint.drafted import side_by_side
from simspec.studies.joint.shapes import (
    LOSSLESS,
    RELAXED,
    SIBLINGS,
    STOPPING,
    WHOLE,
    chain_drafts,
    drafted_chains,
    drafted_siblings,
    sibling_drafts,
)
from simspec.studies.pairs import bank_laws
from simspec.studies.rates import Pairs, rates

P = np.array([[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]])
Q = np.array([[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]])
"""Laws of two levels."""
ROW = Rows(1, range(1))


def test_a_chain_by_hand() -> None:
    """Of two levels: 0.2 + 0.25 + 0.25 = 0.7 of the drafts are kept at the first, 0.1 + 0.1 + 0.1 at the second."""
    found = chain_drafts(P, Q, 2, ROW)
    assert found["sd"] == pytest.approx([0.7 + 0.7 * 0.3])
    assert found["greedy"] == pytest.approx([0.2 + 0.2 * 0.1])
    assert found["match"] == pytest.approx([0.3 + 0.3 * 0.17])
    assert found["p-min-rejected:0.3"] == pytest.approx([0.2 + 0.2 * 0.1])  # only the likeliest draft is tested
    assert found["drafted p-min-rejected:0.3"] == pytest.approx([1.5])  # half of the drafts end with the first token
    assert found["drafted top-stop:0.3"] == pytest.approx([2])
    assert found["lenience:0.8"] > found["sd"] and found["tv lenience:0.8"] > 0


@pytest.mark.parametrize("name", [*LOSSLESS, *STOPPING, *RELAXED])
def test_one_level_is_a_step(name) -> None:
    """As `simspec rates` measures it; and two levels are the product, where each has its own laws."""
    steps = [rates(Pairs(P[:, i], Q[:, i], np.array([0]), "by hand"), [name])[0].values for i in (0, 1)]
    first, second = (step["acceptance"].estimate for step in steps)
    assert chain_drafts(P[:, :1], Q[:, :1], 1, ROW)[name] == pytest.approx([first], abs=1e-12)
    assert chain_drafts(P, Q, 2, ROW)[name] == pytest.approx([first + first * second], abs=1e-12)
    if name in RELAXED:
        tvs = [step["tv"].estimate for step in steps]
        assert chain_drafts(P, Q, 2, ROW)[f"tv {name}"] == pytest.approx([np.mean(tvs)], abs=1e-12)
    else:
        assert max(step["tv"].estimate for step in steps) < 1e-12


@pytest.mark.parametrize("name", STOPPING)
def test_what_a_stopping_rule_drafts_path_by_path(name) -> None:
    def ends(q, path) -> bool:
        if name.startswith("p-min"):
            return q[path[-1]] < 0.3
        return max(q) < 0.3 if name.startswith("top") else 1 - np.sqrt(-0.2 * q @ np.log(q)) < 0.3

    flat = np.full(3, 1 / 3)
    laws = np.stack([Q[0, 0], flat, Q[0, 1]])[None]
    dropped = name.startswith("p-min")
    drafting = (dropping_last if dropped else unseen)(ends)
    counted = 0.0
    for weight, path in drafting(lambda prefix: laws[0, len(prefix)], 3):
        counted += weight * (len(path) + (dropped and len(path) < 3))
    found = chain_drafts(np.stack([flat] * 3)[None], laws, 3, ROW)[f"drafted {name}"]
    assert found == pytest.approx([counted])
    assert abs(counted - 3) > 0.1 or not dropped


def test_one_sibling_is_a_chain() -> None:
    many = Rows(1, range(400))
    p, q = (np.repeat(x, 400, axis=0) for x in (P, Q))
    found, chain = sibling_drafts(p, q, 1, 2, many), chain_drafts(p, q, 2, many)
    for name in ("rrs", "rrsw", "kseq", "spechub", "greedy-drafts"):
        assert found[name] == pytest.approx(chain["sd"])
    assert found["target-only"] == pytest.approx(chain["greedy"]) and found["sample"] == pytest.approx(chain["match"])
    for name in (
        "traversal",
        "traversal-swor",
    ):  # five standard errors of drawn trees and paths: false alarm below 1e-5
        assert found[name].mean() == pytest.approx(chain["block"].mean(), abs=5 * (0.5 / 3200**0.5 + 0.5 / 12800**0.5))


@pytest.mark.parametrize("name", [n for n in SIBLINGS if not n.startswith("traversal")])
def test_siblings_of_one_level_are_a_step(name) -> None:
    text = name if not SEVERAL[name][0] else f"{name}:2"
    step = named(text, several=True).accepts(P[:, 0], Q[:, 0])  # type: ignore[misc]
    assert sibling_drafts(P[:, :1], Q[:, :1], 2, 1, ROW)[name] == pytest.approx(step, abs=1e-12)


@pytest.mark.parametrize("name", [n for n in SIBLINGS if not n.startswith("traversal")])
def test_siblings_of_two_levels_are_the_calls_of_advice(name) -> None:
    """The text of two tokens whose laws are those of the levels, and a call that begins at the first."""
    text = name if not SEVERAL[name][0] else f"{name}:2"
    (call,) = side_by_side(named(text, several=True), Pairs(P[0], Q[0], np.array([0, 0]), "by hand"), [2])
    assert sibling_drafts(P, Q, 2, 2, ROW)[name] == pytest.approx([call.survived[0].sum()], abs=1e-12)


def test_deeper_calls_and_more_siblings_accept_more() -> None:
    laws = np.random.default_rng(3).dirichlet(np.full(6, 0.5), (2, 20, 1))
    many = Rows(2, range(20))
    chains = [chain_drafts(*laws, depth, many) for depth in (1, 2, 4)]
    for name in (*WHOLE, *LOSSLESS, *STOPPING, *RELAXED):
        assert all((less[name] <= more[name] + 1e-12).all() for less, more in pairwise(chains))
    sides = [sibling_drafts(*laws, k, 1, many) for k in (1, 2, 4)]
    for name in ("rrs", "rrsw", "kseq", "target-only", "sample"):
        assert all((less[name] <= more[name] + 1e-9).all() for less, more in pairwise(sides))


def test_on_a_bank() -> None:
    bank = open_bank("stories")
    for study, name in ((drafted_chains, "sd"), (drafted_siblings, "rrs")):
        made = study(bank, (1.0,), 2)
        results = gather(made)
        assert made.name.endswith("-on-bank") and len(results) == len(made.grid)
        shallow, deep = (
            next(
                r
                for r in results
                if r.cell["depth"] == d and r.cell.get("k", 1) == 1 and r.cell["contexts"] == "one a call"
            )
            for d in (1, 8)
        )
        assert (shallow.values[name] <= deep.values[name]).all() and len(shallow.values["document"]) == 2
    made = drafted_chains(bank, (1.0,), 3)
    (cell,) = (c for c in made.grid if c["contexts"] != "one a call" and c["depth"] == 2)
    p, q = (x[None] for x in bank_laws(bank, np.array([0, 37 % 3]), 1.0))  # level i of call n: context n + 37 i
    assert made.simulate(cell, ROW, "cpu")["sd"] == pytest.approx(chain_drafts(p, q, 2, ROW)["sd"])
    with pytest.raises(MissingPart, match="no draft"):
        drafted_chains(open_bank("gpt2"))
