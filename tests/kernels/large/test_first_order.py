"""The linear part of a row in its small tokens: mean zero, a derivative, within its bounds; and its tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special

from simspec.kernels.large import Pairs, cut_at
from simspec.kernels.large.first_order import ROOM, Sums, bounded, first_order, slip
from simspec.kernels.large.reference import RATIOS, powers

KINDS = [Pairs(1000, math.inf, 1.0, 0.8, 0.2), Pairs(1000, 5.0, 0.3, 0.5, 0.2)]


def _rows(pairs, cut, count, key=0):
    """Large tokens of rows, and the sums of all."""
    rng = np.random.default_rng(key)
    for _ in range(count):
        z, e = (
            rng.standard_t(pairs.df, pairs.vocab) if pairs.df < math.inf else rng.standard_normal(pairs.vocab)
            for _ in "ab"
        )
        x, y = powers(pairs, z, e)
        large = (z > cut.target) | (e > cut.noise)
        yield x[large], y[large], Sums(x.sum(), y.sum(), lambda r, x=x, y=y: float(np.minimum(x, r * y).sum()))


@pytest.mark.parametrize("pairs", KINDS)
def test_its_mean_is_zero_and_with_wrong_means_is_not(pairs) -> None:
    """Five standard errors of 2,000 rows: false alarm 6e-7 for each value; means wrong by 2 % are more than six off."""
    cut = cut_at(pairs, 20)
    wrong = cut._replace(kept=0.98 * cut.kept)
    found = np.array([[first_order(pairs, c, *row) for c in (cut, wrong)] for row in _rows(pairs, cut, 2000)])
    gap = abs(found.mean(axis=0)) / (found.std(axis=0) / math.sqrt(len(found)))
    assert (gap[0] < 5).all() and gap[1, 0] > 6


@pytest.mark.parametrize("pairs", KINDS)
def test_it_is_the_derivative(pairs) -> None:
    """Sums that move a little from their means move acceptance and gain as said, within what the table's grid rounds."""
    cut, h = cut_at(pairs, 20), 1e-5
    x, y, _ = next(_rows(pairs, cut, 1))
    rest = pairs.vocab - len(x)

    def sums(a: float, b: float, c: float) -> Sums:
        def kept(r: float) -> float:
            return (np.minimum(x, r * y).sum() + rest * np.interp(math.log(r), RATIOS, cut.kept)) * (1 + c)

        return Sums((x.sum() + rest * cut.means[0]) * (1 + a), (y.sum() + rest * cut.means[1]) * (1 + b), kept)

    def said(s: Sums) -> np.ndarray:
        delta = pairs.tolerance * (1 - x.max() / s.target)
        first, relaxed = (s.kept(w * s.target / s.draft) / s.target for w in (1, 1 - delta))
        return np.array([first, delta + relaxed - first])

    for moved in ((h, 0, 0), (0, h, 0), (0, 0, h), (h, -h, h)):
        exact = (said(sums(*moved)) - said(sums(0, 0, 0))) / h
        assert first_order(pairs, cut, x, y, sums(*moved)) / h == pytest.approx(exact, abs=0.02)
        assert first_order(pairs, cut, x, y, sums(0, 0, 0)) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("pairs", KINDS)
def test_it_is_within_what_the_bound_assumes(pairs) -> None:
    """At most 3 D, and (3 + 2 beta) D, D being the largest lack of a sum; which the bounds are made of."""
    cut = cut_at(pairs, 20)
    for x, y, sums in _rows(pairs, cut, 200, key=1):
        rest = pairs.vocab - len(x)
        s, t = x.sum() + rest * cut.means[0], y.sum() + rest * cut.means[1]
        lack = [abs(sums.target - s) / s, abs(sums.draft - t) / t]
        for r in np.exp(RATIOS[::50]):
            at = int(np.argmin(abs(np.exp(RATIOS) - r)))
            lack.append(abs(sums.kept(r) - np.minimum(x, r * y).sum() - rest * cut.kept[at]) / s)
        alpha, gain = abs(first_order(pairs, cut, x, y, sums))
        assert alpha <= 3.01 * max(lack) and gain <= (3.01 + 2 * pairs.tolerance) * max(lack)


def test_what_is_cut_is_negligible_or_told() -> None:
    pairs = Pairs(128_256, math.inf, 3.0, 0.9, 0.1)
    slips = [slip(pairs, cut_at(pairs, tokens)) for tokens in (4, 32, 128)]
    assert slips[0] > 1e-3 > slips[1] > slips[2]
    small = Pairs(10, math.inf, 3.0, 0.9)
    assert slip(small, cut_at(small, 5)) > 1
    assert bounded(pairs, np.array([2 * ROOM, -2 * ROOM])) == pytest.approx([ROOM, -ROOM * (1 + 0.2 / 3)])


@pytest.mark.parametrize(("scale", "rho"), [(3.0, 0.9), (1.0, 0.0), (1.0, 1.0), (0.0, 0.5)])
def test_means_of_normal_draws_are_those_of_an_integral(scale, rho) -> None:
    """Within 1e-6 of themselves, by another quadrature over the closed form of the noise."""
    pairs = Pairs(10_000, math.inf, scale, rho)
    cut, noise = cut_at(pairs, 32), math.sqrt(1 - rho * rho)
    below, width = special.ndtr(cut.target), special.ndtr(cut.noise)

    def least(z: float, r: float) -> float:
        x = math.exp(scale * z)
        if scale * noise == 0:
            return min(x, r * math.exp(scale * rho * z))
        e = min(((1 - rho) * scale * z - math.log(r)) / (scale * noise), cut.noise)
        y = r * math.exp(scale * rho * z + (scale * noise) ** 2 / 2) * special.ndtr(e - scale * noise)
        return (y + x * (width - special.ndtr(e))) / width

    def mean(value) -> float:
        inside = lambda z: value(z) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)  # noqa: E731
        return integrate.quad(inside, -12, cut.target, points=[0], epsabs=0, epsrel=1e-10, limit=400)[0] / below

    assert cut.means[0] == pytest.approx(mean(lambda z: math.exp(scale * z)), rel=1e-6)
    assert cut.squares[0] == pytest.approx(mean(lambda z: math.exp(2 * scale * z)), rel=1e-5)
    assert cut.means[1] == pytest.approx(mean(lambda z: least(z, 1e-30) * 1e30), rel=1e-6)
    for i in (400, 450, 460):
        assert cut.kept[i] == pytest.approx(mean(lambda z, i=i: least(z, math.exp(RATIOS[i]))), rel=1e-6)
