"""`ears.other-uncertainty`: cases by hand."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

from simspec.claims.authoring import law, matrix
from simspec.claims.deciding.data import Data
from simspec.claims.draw import ExactDraw
from simspec.claims.ears.other_uncertainty import (
    _CONTEXTS,
    _fresh_signal,
    _measured,
    _paid,
    _signal,
    _tolerance_for,
    _two_signals,
    _variance_pairs,
)
from simspec.laws import tv
from simspec.methods import acceptance_rate, bias
from tests import strategies
from tests.claims.cases import counterexample, get
from tests.claims.ears.cases import plain_step, plain_tv


def _plain_means(found, again: bool) -> list[tuple[F, F]]:
    """Mean bias and mean acceptance of EARS and of the other signal, in loops."""
    means = []
    for tolerances in ([found["beta"] * (1 - max(p)) for p in found["p"].tolist()], found["u"].tolist()):
        paid, kept = F(0), F(0)
        for p, q, t in zip(found["p"].tolist(), found["q"].tolist(), tolerances, strict=True):
            standard, pardon, residual, fresh = plain_step(p, q, None, t)
            paid += plain_tv(fresh if again else residual, p) / 2
            kept += sum(standard + pardon, F(0)) / 2
        means.append((paid, kept))
    return means


def test_fresh_signals_by_hand() -> None:
    """p = (1/2, 1/2, 0), q = (1, 0, 0) and p = (1, 0, 0), q = (0, 1, 0). EARS at β = 1 has t = (1/2, 0): TV (1/2, 0),
    acceptance (1, 0). The signal with t = (0, 1/4): TV (1/4, 1/4), acceptance (1/2, 1/4), an eighth less in the mean."""
    instance = {**_CONTEXTS, "u": law(0, "1/4")}
    assert _plain_means(instance, True) == [(F(1, 4), F(1, 2)), (F(1, 4), F(3, 8))]
    assert get("ears.other-uncertainty.fresh-sharp").sides(instance) == (F(1, 8), F(1, 8))


def test_counterexample_with_the_residual() -> None:
    """Equal bias, another signal, and the same acceptance: never more."""
    found = counterexample("ears.other-uncertainty")
    plain, other = _plain_means(found, False)
    assert plain == other and found["u"].tolist() != [found["beta"] * (1 - max(p)) for p in found["p"]]


@pytest.mark.parametrize("seed", range(6))
def test_variance_with_a_fresh_draw(seed) -> None:
    """p = (3/4, 1/4) and (1/2, 1/2), q = (1, 0), EARS at β = 1/2 against 5/11 of the variance (and a pair the other way):
    equal bias, and more (or less) acceptance."""
    found = _variance_pairs(ExactDraw(rng=np.random.default_rng(seed)))
    plain, other = _plain_means(found, True)
    assert plain[0] == other[0] and (other[1] > plain[1] if found["more"] else other[1] < plain[1])
    assert other[1] - plain[1] == (F(1, 88) if found["more"] else -F(1, 84))


@given(strategies.pairs(low=2), strategies.shares())
def test_tolerances_for_a_bias(pair, share) -> None:
    """The tolerance found for a bias has that bias, in both readings."""
    p, q = pair
    for again, method in ((False, _signal), (True, _fresh_signal)):
        least = _paid(p, q, F(0), again)
        wanted = least + share * (tv(p, q) - least)
        t = _tolerance_for(p, q, wanted, again)
        assert bias(method(np.array([t], dtype=object)), p[None], q[None]).tolist() == [wanted]


def test_measured_signals() -> None:
    """On real laws, at one mean TV: the same acceptance with the residual, nearly the same with a fresh draw."""
    for reading, room in (("residual", 1e-7), ("fresh", 0.05)):
        found = _measured(reading)(Data(effort="quick"))
        assert len(found) == 3 and len({e.data for e in found}) == 3
        tvs = [dict(e.control or {})["mean TV"] for e in found]
        assert max(tvs) - min(tvs) < 1e-6
        assert max(abs(e.estimate - found[0].estimate) for e in found) < room


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("again", [False, True])
def test_two_signals_of_one_mean_bias(seed, again) -> None:
    instance = _two_signals(again)(ExactDraw(rng=np.random.default_rng(seed)))
    plain, other = _plain_means(instance, again)
    assert plain[0] == other[0]


def test_moving_bias_moves_no_acceptance() -> None:
    """Two contexts with disjoint drafts: all of the bias in one or in the other."""
    p, q = matrix("1/2 1/2 0", "1/4 3/4 0"), matrix("0 0 1", "0 0 1")
    rates = [acceptance_rate(_signal(law(*u)), p, q).sum() for u in (("1/2", 0), (0, "1/2"))]
    assert rates == [F(1, 2), F(1, 2)]


def test_tokens_per_call_by_hand() -> None:
    """Rates 3/4 and 1/4; an eighth of acceptance moved to the first: 1 + 7/8 + 49/64 and 1 + 1/8 + 1/64, against
    1 + 3/4 + 9/16 and 1 + 1/4 + 1/16: 5/64 more in the mean, 1/8 · (1/2 + 1/8)."""
    claim = get("ears.other-uncertainty.throughput")
    (case,) = claim.tight
    assert _plain_means(case, False)[0] == _plain_means(case, False)[1]
    assert claim.sides(case) == (F(5, 64), F(5, 64))
    left, right = get("ears.other-uncertainty.same-tokens").sides(case)
    assert left - right == F(5, 64)


def test_the_best_of_all_signals_gives_no_more() -> None:
    """Some signal, not every: the one shown, or one that spends all it can in the first context."""
    (case,) = get("ears.other-uncertainty.throughput").tight
    assert get("ears.other-uncertainty").slack(case) == -1
    spent = {**case, "u": law(0, 0), "beta": F(0)}
    assert get("ears.other-uncertainty").slack({**spent, "u": law("1/2", 0)}) == 0  # more TV, and more acceptance
