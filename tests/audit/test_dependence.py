"""Rows of a launch that depend on each other: by hand, in samplers, and false alarms counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspec.audit import Verdict, audit, revealing
from simspec.audit.dependence import BETS, LAUNCHES, RowTest, bets_of, dependence_of
from simspec.audit.evidence import Evidence, gather
from simspec.audit.reference import speculative
from tests.audit import samplers

SIZES = [64, 64, *[16] * 8, 128]


def copies(sampler, arrange):
    """A sampler of half as many rows, each of which comes twice."""

    def twice(p, q, n, rng):
        return arrange(sampler(p, q, (n + 1) // 2, rng), rng)[:n]

    return twice


def one_seed(p, q, n, rng):
    """Every row alone is speculative decoding; those of a launch are alike."""
    return np.tile(speculative(p, q, 1, rng), (n, 1))


def shared_uniform(p, q, n, rng):
    """No draft is kept, and every second row takes its token by the one uniform of the launch; the others by their own."""
    uniforms = np.where(np.arange(n) % 2, rng.random(n), rng.random())
    tokens = np.full((n, len(p)), -1)
    tokens[:, 0] = (uniforms[:, None] >= p[0].cumsum()).sum(axis=1).clip(max=len(p[0]) - 1)
    return tokens


ARRANGED = {
    "neighbours": lambda rows, rng: np.repeat(rows, 2, axis=0),
    "halves": lambda rows, rng: np.concatenate([rows, rows]),
    "mirrored": lambda rows, rng: np.concatenate([rows, rows[::-1]]),
    "shuffled": lambda rows, rng: rng.permutation(np.repeat(rows, 2, axis=0)),
}


@pytest.mark.parametrize("calls", [250, 8000])
def test_one_seed_for_a_launch_is_dependent_and_not_biased(calls) -> None:
    """A verdict of its own, on laws with drafts, with an interval by launch; after one launch small ones are made."""
    report = audit(one_seed, calls=calls)
    assert (report.verdict, report.exit_status) == (Verdict.DEPENDENT, 1)
    assert report.first.pair.gamma == 2 and report.diagnosis.part == "uniforms"
    assert all(0 <= finding.tv[0] <= finding.tv[1] <= 1 for finding in [*report, report.shown])
    assert report.shown.tv[0] == 0
    words = report.words()
    assert words.startswith("dependent: rows of a batch depend on each other") and "biased" not in words.splitlines()[0]
    assert report.plain()["dependence"]["log_wealth"] > 14


@pytest.mark.parametrize("name", ARRANGED)
def test_rows_alike_in_pairs_are_dependent(name) -> None:
    """In whatever order the copies stand."""
    report = audit(copies(speculative, ARRANGED[name]), calls=4000, diagnose=False)
    assert report.verdict is Verdict.DEPENDENT
    expected = {"neighbours": "before them", "halves": "half a batch", "mirrored": "mirror", "shuffled": LAUNCHES}
    assert expected[name] in report.dependence.pattern
    assert report.shown.tv[0] == 0 and report.shown.tv[1] < 1


def test_a_shared_uniform_is_dependent_though_no_rows_are_copies() -> None:
    assert audit(shared_uniform, calls=4000, diagnose=False).verdict is Verdict.DEPENDENT


def test_a_bias_of_dependent_rows_is_a_bias() -> None:
    report = audit(copies(samplers.stale_row, ARRANGED["neighbours"]), calls=20_000)
    assert report.verdict is Verdict.BIASED and report.dependence is not None
    assert 0 < report.shown.tv[0] < report.shown.tv[1]
    assert "rows of a batch depend on each other, too" in report.words()


def stops_in_pairs(p, q, n, rng):
    """Two rows of a launch accept as many drafts as the one that accepts fewer, and both recover as if it had been refused."""
    x = np.array([rng.choice(len(row), n, p=row) for row in q]).reshape(len(q), n).T
    masses = [rows[np.arange(len(q)), x] for rows in (p[:-1], q)]
    accepted = np.cumprod(rng.random(x.shape) * masses[1] < masses[0], axis=1, dtype=np.int64).sum(axis=1)
    pairs = accepted[: n - n % 2].reshape(-1, 2)
    pairs[:] = pairs.min(axis=1, keepdims=True)
    tokens = np.full((n, len(p)), -1)
    for row, number in enumerate(accepted):
        tokens[row, :number] = x[row, :number]
        left = np.maximum(p[number] - q[number], 0) if number < len(q) else p[-1]
        weights = left if left.any() else p[number]
        tokens[row, number] = rng.choice(len(weights), p=weights / weights.sum())
    return tokens


def test_dependent_rows_of_a_wrong_law_have_the_cause_of_that_law() -> None:
    """Uniforms are the cause only where each row alone is right."""
    report = audit(stops_in_pairs, pairs=revealing(1, 3)[:2], calls=8000)
    assert (report.verdict, report.diagnosis.part) == (Verdict.BIASED, "stopping")
    assert report.diagnosis.lines[0] == report.dependence.words()
    report = audit(stops_in_pairs, pairs=revealing(1, 3)[:2], calls=8000, diagnose=False)
    assert report.diagnosis.part == "uniforms"


def test_independent_rows_are_not_dependent() -> None:
    """Negative control: honest or biased, frozen, or without chance; false alarm 1e-6 each."""
    assert audit(speculative, calls=4000, tv_limit=0.2).verdict is Verdict.LOSSLESS
    assert audit(samplers.stale_row, calls=4000).dependence is None
    assert audit(samplers.frozen, gamma=1, vocab=2, calls=250).dependence is None

    def sure(p, q, n, rng):
        return np.zeros((n, len(p)), dtype=int)

    assert audit(sure, calls=1000).dependence is None


@pytest.mark.parametrize("law", [[0.25] * 4, [0.7, 0.2, 0.09, 0.01]], ids=["even", "uneven"])
def test_false_alarms(law) -> None:
    """At level 0.05, 500 runs of independent rows of any law, three tests each: at most 5 % alarms and 5 sigmas (below 1e-6).

    Negative control: half of the rows copied from the row before them alarms in most runs.
    """
    level, runs, rng = 0.05, 500, np.random.default_rng(0)
    limit = level * runs + 5 * (level * (1 - level) * runs) ** 0.5

    def launched(copied):
        rows = rng.choice(len(law), p=law, size=sum(SIZES))
        again = np.flatnonzero(rng.random(len(rows)) < copied)
        rows[again[again > 0]] = rows[again[again > 0] - 1]
        return np.split(rows, np.cumsum(SIZES)[:-1])

    def alarms(copied, runs):
        total = 0
        for _ in range(runs):
            test, launches = RowTest(level), launched(copied)
            total += any(test.shown([launches[:end]]) is not None for end in (2, 10, 11))
        return total

    assert alarms(0.0, runs) <= limit
    assert alarms(0.5, 50) > 25


def test_wealth_is_fair_by_hand() -> None:
    """Over all orders of the rows 0, 0, 1, 1 in launches of two wealths have the mean 1; those of urns, which also bet on rows
    that are no more left, at most that."""
    orders = [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0), (1, 1, 0, 0)]
    wealths = [np.exp(bets_of([np.array(order[:2]), np.array(order[2:])])) for order in orders]
    assert (np.mean(wealths, axis=0) <= 1 + 1e-12).all()
    copies_only = [
        wealth for wealth, pattern in zip(np.mean(wealths, axis=0), BETS, strict=True) if pattern != LAUNCHES
    ]
    assert copies_only == pytest.approx([1] * len(copies_only))


def test_wealths_of_pairs_of_laws_multiply() -> None:
    alike = [np.full(20, row) for row in (0, 1, 2, 1)]
    assert np.allclose(2 * bets_of(alike), bets_of(alike) + bets_of([rows + 5 for rows in alike]))
    assert dependence_of([alike, alike]).log_wealth > dependence_of([alike]).log_wealth > math.log(1e6)
    assert dependence_of([]).log_wealth == pytest.approx(0) == dependence_of([[]]).log_wealth


def test_an_interval_is_never_empty() -> None:
    """Looks that contradict each other, as those of rows that depend on each other do: the last one counts."""
    p, evidence = np.array([[0.5, 0.5]]), Evidence()
    for counts in ([250, 0], [250, 250], [250, 750], [250, 7750], [8000, 8000]):
        evidence = gather(evidence, np.array(counts), p, 1e-6)
        tv = abs(counts[0] / sum(counts) - 0.5)
        assert 0 <= evidence.low <= tv <= evidence.high <= 1
