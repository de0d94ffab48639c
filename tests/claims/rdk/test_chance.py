"""Claims on Gaussian logits: certified probabilities against SciPy, simulation and hand-computed cases."""

import math
from collections.abc import Mapping
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from simspec.claims.authoring import eye, law, matrix
from simspec.claims.rdk.gaussian_advantage import normal_cdf, not_worse, probability_beside_none, probability_not_worse
from simspec.claims.rdk.two_events import both_within
from tests.claims.cases import counterexample
from tests.claims.rdk.cases import phi


def test_printed_percentage_by_hand() -> None:
    assert float(both_within(None)) == pytest.approx(1 - 2 * math.erfc(3 / math.sqrt(2)), abs=1e-14)
    assert float(both_within(F(0))) == pytest.approx(math.erf(3 / math.sqrt(2)) ** 2, abs=1e-14)
    assert float(both_within(F(1))) == float(both_within(F(-1))) == pytest.approx(math.erf(3 / math.sqrt(2)), abs=1e-14)
    assert float(normal_cdf(3)) == pytest.approx(phi(3), abs=1e-14)


@pytest.mark.parametrize("rho", [F(-7, 8), F(-1, 4), F(1, 2), F(7, 8)])
def test_integral_against_scipy(rho) -> None:
    normal = multivariate_normal(cov=[[1, float(rho)], [float(rho), 1]])
    box = sum(sign * normal.cdf(corner) for sign, corner in ((1, (3, 3)), (-1, (-3, 3)), (-1, (3, -3)), (1, (-3, -3))))
    assert float(both_within(rho)) == pytest.approx(box, abs=1e-6)


def test_two_tokens_by_hand() -> None:
    """Draft certain of token b, half of it moved to a: better from p_a = 1/4 on, that is from z_a − z_b = −log 3 on."""
    d, M = law(0, 1), matrix("1 0", "1/2 1/2")
    assert not_worse(1, d, M) == [(F(1, 4), F(1))]
    probability = probability_not_worse(1, F(0), F(0), F(1), F(1), F(0), d, M)
    assert float(probability) == pytest.approx(phi(math.log(3) / math.sqrt(2)), abs=1e-14)


@pytest.mark.parametrize(("mean", "expected"), [(F(-2), 0), (F(-1), 1), (F(0), 1), (F(6), 1)])
def test_logits_that_move_together(mean, expected) -> None:
    """ρ = 1 and equal deviations: z_a − z_b is its mean, and RDK is no worse from −log 3 on."""
    found = probability_not_worse(1, mean, F(0), F(1), F(1), F(1), law(0, 1), matrix("1 0", "1/2 1/2"))
    assert found == expected


def simulated(instance: Mapping[str, Any], rows: int) -> int:
    """How often α of RDK is at least α of TLI, from drawn logits and the definitions."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, rows))
    rho = float(instance["rho"])
    z_a = float(instance["mu_a"]) + float(instance["sigma_a"]) * x
    z_b = float(instance["mu_b"]) + float(instance["sigma_b"]) * (rho * x + math.sqrt(1 - rho**2) * y)
    above, d, M = instance["above"], instance["d"].astype(float), instance["M"].astype(float)
    z = np.stack([z_a] * above + [z_b] * (len(d) - above), axis=1)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return int((np.minimum(p, d @ M).sum(axis=1) >= np.minimum(p, d).sum(axis=1) - 1e-12).sum())


CASES: list[dict[str, Any]] = [
    {"above": 1, "d": law(0, "1/2", "1/2"), "M": matrix("1 0 0", "0 1 0", "0 1/2 1/2")},
    {"above": 2, "d": law("1/4", "1/8", "5/8"), "M": matrix("0 1 0", "1/2 1/4 1/4", "1/4 0 3/4")},
    {"above": 1, "d": law("1/3", "2/3"), "M": matrix("1/2 1/2", "1/4 3/4")},
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_probability_against_simulation(case) -> None:
    """Exact binomial test at level 1e-6 a case; the control, a probability off by 0.02, must fail it."""
    from scipy.stats import binomtest

    rows = 100_000
    instance: dict[str, Any] = {"mu_a": F(1, 2), "mu_b": F(0), "sigma_a": F(1), "sigma_b": F(2), "rho": F(1, 2), **case}
    exact = float(probability_not_worse(**instance))
    hits = simulated(instance, rows)
    assert binomtest(hits, rows, min(exact, 1)).pvalue > 1e-6
    wrong = exact - 0.02 if exact > 0.5 else exact + 0.02
    assert binomtest(hits, rows, wrong).pvalue < 1e-6


def test_counterexample_recomputed() -> None:
    """Every pruned token is far above every shared one, and the acceptance still falls: in simulation too."""
    found = counterexample("rdk.gaussian-advantage")
    assert found["mu_a"] - 3 * found["sigma_a"] >= found["mu_b"] + 3 * found["sigma_b"]
    assert (found["M"].sum(axis=1) == 1).all() and (found["M"] >= 0).all()
    assert (found["d"][: found["above"]] == 0).all()
    exact = float(probability_not_worse(**found))
    assert exact < 0.9946
    # Hoeffding: P(|share − exact| > 0.03) ≤ 2 exp(−2 · 20,000 · 0.03²) < 1e-15
    assert abs(simulated(found, 20_000) / 20_000 - exact) < 0.03


def test_mass_moved_between_shared_tokens_never_helps() -> None:
    """The worst case by hand: two shared twins drafted equally, all sent to one of them: α falls from 2p_b to p_b."""
    instance: dict[str, Any] = {"mu_a": F(60), "mu_b": F(0), "sigma_a": F(1), "sigma_b": F(1), "rho": F(0), "above": 1}
    instance |= {"d": law(0, "1/2", "1/2"), "M": matrix("1 0 0", "0 1 0", "0 1 0")}
    assert float(probability_not_worse(**instance)) == 0


def test_identity_is_never_worse() -> None:
    assert not_worse(1, law("1/3", "2/3"), eye(2, True)) == [(F(0), F(1))]


def test_no_redistribution_by_hand() -> None:
    """d = (0, 1/2, 1/2), all of it sent to the last token: RDK keeps p_2; with half of the mass on I no redistribution keeps
    min(p_1, 1/4) + min(p_2, 1/4), twice as much wherever p_1 = p_2 ≤ 1/4."""
    d, M = law(0, "1/2", "1/2"), matrix("1 0 0", "0 0 1", "0 0 1")
    assert all(low == high for low, high in not_worse(1, d, M, F(1, 2)))
    assert not_worse(1, d, M, F(0)) == [(F(0), F(1))]
    case = counterexample("rdk.gaussian-advantage.vanilla")
    assert 0 < case["share"] <= 1
    assert float(probability_beside_none(**case)) < 0.9946
