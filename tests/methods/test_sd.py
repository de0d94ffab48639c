"""Speculative decoding: the acceptance formula against the algorithm played out draft by draft."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, acceptance_rate, drafter_kernel, output_law
from tests import strategies as some


def test_by_hand() -> None:
    p = laws.exact(np.array([0.5, 0.25, 0.25]))
    q = laws.exact(np.array([0.25, 0.75, 0]))
    assert SD.propose(q) is q
    assert SD.accept(p, q).tolist() == [F(1, 4), F(1, 4), 0]
    assert SD.residual(p, q).tolist() == [F(1, 2), 0, F(1, 2)]
    assert drafter_kernel(p, q).tolist() == [0, F(1, 2), 0]
    assert acceptance_rate(SD, p, q) == F(1, 2)


@given(some.pairs())
def test_the_algorithm_played_out(pair) -> None:
    """Draw x from q, keep it with probability min(1, p/q), else draw from norm((p − q)₊): all cases added up."""
    p, q = pair
    accept = [min(F(1), a / b) if b else F(0) for a, b in zip(p, q, strict=True)]
    over = [max(F(0), a - b) for a, b in zip(p, q, strict=True)]
    kept = [b * a for a, b in zip(accept, q, strict=True)]
    rejected = 1 - sum(kept)
    emitted = [k + (rejected * o / sum(over) if sum(over) else 0) for k, o in zip(kept, over, strict=True)]
    assert acceptance_rate(SD, p, q) == sum(kept)
    assert output_law(SD, p, q).tolist() == emitted == p.tolist()


@given(some.pairs())
def test_the_drafter_kernel_is_what_is_never_accepted(pair) -> None:
    p, q = pair
    kernel = drafter_kernel(p, q)
    assert (kernel + SD.accept(p, q) == q).all()
    assert kernel.sum() == laws.tv(p, q) == 1 - acceptance_rate(SD, p, q)


def test_simulated_steps_follow_the_target_and_a_biased_rule_does_not() -> None:
    """40,000 simulated steps; a χ² test with a false-alarm rate of 1e-6 passes SD and catches a fresh redraw."""
    from scipy.stats import chi2

    rng = np.random.default_rng(20240607)
    p, q = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
    n = 40_000

    def statistic(residual: laws.Array) -> float:
        draft = rng.choice(4, n, p=q)
        kept = rng.random(n) * q[draft] < SD.accept(p, q)[draft]
        token = np.where(kept, draft, rng.choice(4, n, p=residual))
        return float(((np.bincount(token, minlength=4) - n * p) ** 2 / (n * p)).sum())

    limit = chi2.isf(1e-6, df=3)
    assert statistic(SD.residual(p, q)) < limit
    assert statistic(p) > limit


@given(st.data())
def test_no_rule_with_kept_mass_below_both_laws_accepts_more(data) -> None:
    p, q = data.draw(some.pairs())
    k = np.minimum(p, q) * np.array([data.draw(some.shares()) for _ in p])
    assert k.sum() <= acceptance_rate(SD, p, q)
