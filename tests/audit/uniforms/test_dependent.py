"""Rows that depend on each other where uniforms are arguments: a verdict of its own, with the law of single rows beside it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, exact
from simspec.audit.calling import CallMonitor
from simspec.audit.evidence import tv_radius
from simspec.audit.handing import spread
from simspec.audit.trial import Plan, Trial
from simspec.audit.zoo.forms import verified

PAIR = Pair("two tokens", np.array([[1, 3], [3, 1]]) / 4, np.array([[3, 1]]) / 4)
SETTINGS = {"uniforms": 2, "confirmed": 2000}


def verify(p, q, drafts, uniforms):
    n = len(drafts)
    rows_p, rows_q = (np.broadcast_to(laws, (n, *laws.shape)) for laws in (p, q))
    return verified(rows_p, rows_q, drafts, uniforms[:, :-1], uniforms[:, -1])


def by_rows(choice):
    """The verifier, where row i gets the uniforms of row choice(n)[i]."""
    return lambda p, q, drafts, uniforms: verify(p, q, drafts, uniforms[choice(len(drafts))])


SHARED = {
    "one row for the batch": lambda n: np.zeros(n, dtype=int),
    "equal in pairs": lambda n: np.arange(n) // 2 * 2,
    "halves": lambda n: np.arange(n) % ((n + 1) // 2),
    "the row before": lambda n: np.arange(n) - 1,
}


@pytest.mark.parametrize("name", SHARED)
def test_shared_uniforms_are_dependent_and_single_rows_are_not_biased(name) -> None:
    report = exact(by_rows(SHARED[name]), pairs=[PAIR], **SETTINGS)
    assert (report.verdict, report.exit_status) == (Verdict.DEPENDENT, 1)
    assert report.words().startswith("dependent: rows of a batch depend on each other, on the pair “two tokens”")
    assert "certain, since only other rows were changed" in report.words()
    assert report.shown.tv[0] == 0 < report.shown.tv[1] < 1
    assert report.diagnosis.part == "uniforms" and 0 < report.dependence.seen <= 1 and report.dependence.expected == 0
    assert json.loads(json.dumps(report.plain(), allow_nan=False))["dependence"]["log_wealth"] == "inf"


def test_a_bias_of_dependent_rows_is_a_bias() -> None:
    def biased(p, q, drafts, uniforms):
        return verify(p[[1, 1]], q, drafts, uniforms[np.zeros(len(drafts), dtype=int)])

    report = exact(biased, pairs=[PAIR], **SETTINGS)
    assert report.verdict is Verdict.BIASED and report.shown.tv[0] > 0
    assert "rows of a batch depend on each other, too" in report.words()


def test_a_number_of_a_row_is_no_dependence() -> None:
    """Negative controls: an honest sampler is lossless; one that looks at the number of a row is broken, as before."""
    assert exact(verify, pairs=[PAIR], **SETTINGS).verdict is Verdict.LOSSLESS

    def by_number(p, q, drafts, uniforms):
        return verify(p, q, drafts, (uniforms + np.arange(len(drafts))[:, None] / 7) % 1)

    report = exact(by_number, pairs=[PAIR], **SETTINGS)
    assert report.verdict is Verdict.BROKEN and "in another order" in report.shown.fault


def test_rows_of_a_large_vocabulary_and_of_a_step() -> None:
    pair = spread(Pair("large", PAIR.p, PAIR.q), (0, 99), 100)
    assert exact(by_rows(SHARED["equal in pairs"]), pairs=[pair], **SETTINGS).verdict is Verdict.DEPENDENT


@pytest.mark.parametrize("level", [0.05])
def test_the_interval_by_launch_holds_where_all_rows_of_a_launch_are_alike(level) -> None:
    """TV is 0; in 200 runs of 64 launches of 8 equal rows at level 0.05 at most 10 + 5 sigmas are off (below 1e-6).

    Negative control: an interval that takes the rows for independent is off in more runs than that.
    """
    pair = Pair("a coin", np.array([[0.5, 0.5]]), np.zeros((0, 2)))
    limit = 200 * level + 5 * (200 * level * (1 - level)) ** 0.5
    wrong = naive = 0
    for seed in range(200):
        plan = Plan(lambda p, q, n, rng: np.full((n, 1), rng.integers(2)), CallMonitor(), 512, level, 0.0, seed)
        trial = Trial(plan, pair, 1)
        trial.look_by_launch(64, 8)
        low, high = trial.tv_by_launch()
        tv = abs(trial.counts[0] / trial.counts.sum() - 0.5)
        wrong += low > 0
        naive += tv > tv_radius(512, 2, trial.error / 2)
        assert low <= tv <= high
    assert wrong <= limit < naive
