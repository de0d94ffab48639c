"""Evidence: by hand, and its false alarms counted on many runs, beside a test that must raise too many."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from simspec.audit.evidence import (
    CONCENTRATIONS,
    Evidence,
    gather,
    log_repeat,
    log_repeat_of_any,
    log_wealth,
    text_law,
    tv_radius,
)

P = np.array([[0.5, 0.25, 0.25], [0.125, 0.875, 0.0]])


def test_the_law_of_a_text_by_hand() -> None:
    assert text_law(P).tolist() == [[0.0625, 0.4375, 0], [0.03125, 0.21875, 0], [0.03125, 0.21875, 0]]


def test_wealth_by_hand() -> None:
    """One text (0,) from a fair uniform: any law around it has probability 1/2, so nothing is won or lost; two of it win."""
    fair = np.array([[0.5, 0.5]])
    assert log_wealth(np.array([1, 0]), fair) == pytest.approx(0, abs=1e-9)
    wins = [(a / 2 * (a / 2 + 1)) / (a * (a + 1)) * 4 for a in CONCENTRATIONS]
    assert log_wealth(np.array([2, 0]), fair) == pytest.approx(math.log(np.mean(wins)))


def test_a_text_that_the_target_never_says_ends_it() -> None:
    counts = np.zeros((3, 3), dtype=int)
    counts[1, 2] = 1
    assert log_wealth(counts, P) == np.inf
    counts[1, 2], counts[1, 1] = 0, 1
    assert np.isfinite(log_wealth(counts, P))


def test_the_wealth_does_not_grow_on_average() -> None:
    """The expectation over all 3 texts of 4 calls, each with its probability, is exactly 1."""
    p = np.array([[0.5, 0.375, 0.125]])
    total = 0.0
    for a in range(5):
        for b in range(5 - a):
            n = np.array([a, b, 4 - a - b])
            ways = math.exp(special.gammaln(5) - special.gammaln(n + 1).sum())
            total += ways * float(np.prod(p[0] ** n)) * math.exp(float(log_wealth(n, p)))
    assert total == pytest.approx(1, abs=1e-9)


def paths(law, runs, looks, seed):
    """Counts after each look, doubling the calls: (looks, runs, 3, 3)."""
    rng = np.random.default_rng(seed)
    sizes = [8 * 2 ** max(look - 1, 0) for look in range(looks)]
    shape = (runs, *law.shape)
    return np.cumsum([rng.multinomial(n, law.ravel(), runs).reshape(shape) for n in sizes], axis=0)


def test_false_alarms() -> None:
    """At level 0.05, 20,000 lossless runs of 9 looks: at most 5 % alarms, plus 5 sigmas (a chance below 1e-6).

    Negative control: chi-square at 5 % at each look alarms more often than that, so the test could fail.
    """
    runs, level = 20_000, 0.05
    limit = level + 5 * math.sqrt(level * (1 - level) / runs)
    counts = paths(text_law(P), runs, 9, 1)
    alarms = (log_wealth(counts, P) >= -math.log(level)).any(axis=0).mean()
    assert 0 < alarms <= limit
    law = text_law(P)
    expected = counts.sum(axis=(-1, -2), keepdims=True) * law
    seen = law > 0
    chi = ((counts - expected) ** 2)[..., seen] / expected[..., seen]
    naive = (chi.sum(axis=-1) >= stats.chi2.ppf(1 - level, seen.sum() - 1)).any(axis=0).mean()
    assert naive > limit


def test_a_bias_is_seen() -> None:
    law = text_law(P).copy()
    law[0, 0] += 0.03
    law[0, 1] -= 0.03
    counts = paths(law, 50, 12, 2)
    assert (log_wealth(counts[-1], P) >= -math.log(1e-6)).all()


def test_the_interval_for_tv_holds_and_could_fail() -> None:
    """At error 0.05: of 100 runs of 8 looks around the true TV 0.1 at most 5 % + 5 sigmas are missed.

    Negative control: counts of 8 calls said to be 64 are missed more often.
    """
    law = text_law(P).copy()
    law[0, 1] -= 0.1
    law[1, 2] += 0.1
    most = 100 * 0.05 + 5 * math.sqrt(100 * 0.05 * 0.95)
    missed = 0
    for run in np.moveaxis(paths(law, 100, 8, 3), 1, 0):
        found = Evidence()
        for counts in run:
            found = gather(found, counts, P, 0.05)
        missed += not found.low <= 0.1 <= found.high
    assert missed <= most
    shrunk = [gather(Evidence(), 8 * run, P, 0.05) for run in paths(law, 100, 1, 3)[-1]]
    assert sum(not e.low <= 0.1 <= e.high for e in shrunk) > most


def test_each_look_has_its_share_of_the_error() -> None:
    """By hand: TV 1/4 at both looks, each with a radius of its own; the second look is the narrower one."""
    fair = np.array([[0.5, 0.5]])
    first = gather(Evidence(), np.array([750, 250]), fair, 0.01)
    assert (first.low, first.high) == pytest.approx(
        (0.25 - tv_radius(1000, 2, 0.005), 0.25 + tv_radius(1000, 2, 0.005))
    )
    second = gather(first, np.array([1500, 500]), fair, 0.01)
    radius = tv_radius(2000, 2, 0.01 / 6)
    assert (second.low, second.high) == pytest.approx((0.25 - radius, 0.25 + radius))
    assert (second.calls, second.looks) == (2000, 2)


def test_repeats_pay_what_they_should() -> None:
    """The chance of a repeat times what it pays, over all second batches of one call, is 1 where calls emit whole texts."""
    p = P[:, :2] / P[:, :2].sum(axis=1, keepdims=True)
    first = np.array([[0, 1]])
    paid = [text_law(p)[text] * math.exp(log_repeat(first, np.array([text]), p)) for text in np.ndindex(2, 2)]
    assert sum(paid) == pytest.approx(1)
    assert log_repeat(np.array([[2, 2]]), np.array([[2, 2]]), P) == math.inf
    found = gather(Evidence(), np.array([4, 4]), np.array([[0.5, 0.5]]), 1e-6, log_other=100.0)
    assert found.log_wealth == pytest.approx(100 - math.log(2))


def test_a_vocabulary_of_one_is_known() -> None:
    found = gather(Evidence(), np.full((1, 1), 10), np.ones((2, 1)), 1e-6)
    assert (found.log_wealth, found.low, found.high) == (pytest.approx(0, abs=1e-9), 0, 0)
    assert tv_radius(1, 2, 0.5) == pytest.approx(math.sqrt(math.log(4) / 2))


def test_a_repeated_batch_of_any_law_is_no_evidence_on_average() -> None:
    """The expectation over all batches of three calls of any law, two endings of probabilities 1/8 and 7/8, is at most 1."""
    for mass in (0.125, 0.5, 1.0):
        total = 0.0
        for batch in itertools.product((0, 1), repeat=3):
            tokens = np.array(batch)[:, None]
            twice = float(np.prod([mass if one else 1 - mass for one in batch])) ** 2
            total += twice * math.exp(log_repeat_of_any(tokens, tokens)) if twice else 0.0
        assert 0 < total <= 1 + 1e-12
    assert log_repeat_of_any(np.array([[0], [1]]), np.array([[1], [0]])) == -math.inf
    assert log_repeat_of_any(np.array([[0], [1]]), np.array([[0], [1]])) == pytest.approx(math.log(3))
