"""Large tokens drawn alone: backend against reference, by hand, as whole rows have them, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from simspec.kernels.large import Cut, Pairs, Stream, cut_at, large_tokens, numba_large, of_large, reference
from simspec.kernels.large.reference import RATIOS, places, powers, quantile

KINDS = [Pairs(5000, math.inf, 2.0, 0.9, 0.1), Pairs(5000, 5.0, 0.5, -0.3), Pairs(3, math.inf, 1.0, 1.0, 1.0)]


@pytest.mark.parametrize("pairs", KINDS)
def test_the_twin_is_the_reference(pairs) -> None:
    """Rows without a large token, with as many as there are, keys and rows of more than 32 bits, one thread and three."""
    cuts = [cut_at(pairs, share * pairs.vocab / 100) for share in (0.5, 4)]
    count = np.array([0, 60, 1, 7, *np.random.default_rng(0).integers(0, 61, 40)]) % min(61, pairs.vocab + 1)
    stream = Stream(2**40 + 5, 2**35 + 1, 7, 60)
    for before in (None, cuts[0]):
        exact = reference.large_tokens(pairs, cuts[1], before, stream, count)
        for threads in (1, 3):
            assert abs(numba_large.large_tokens(pairs, cuts[1], before, stream, count, threads) - exact).max() < 1e-12
        assert (large_tokens(pairs, cuts[1], before, stream, count) == exact).all()  # few: the reference
    assert large_tokens(pairs, cuts[0], None, stream, count[:0]).shape == (0, 2)


def test_all_tokens_large_is_the_overlap_itself() -> None:
    """Where every token counts nothing is replaced; by hand p = (3/4, 1/4), q = (1/4, 3/4), and EARS' δ = 1/8."""
    pairs = Pairs(2, math.inf, 1.0, 0.5, 0.5)
    x, y, all_ = np.array([3.0, 1.0]), np.array([1.0, 3.0]), np.array([True, True])
    said = of_large(pairs, cut_at(pairs, 1), x, y, all_)
    assert said == pytest.approx([0.5, min(0.75 + 1 / 32, 0.25) + min(0.25 + 3 / 32, 0.75) - 0.5])


@pytest.mark.parametrize("df", [math.inf, 5.0, 3.0])
def test_quantiles_and_the_law_of_what_passes(df) -> None:
    p = np.array([1e-12, 1e-6, 0.01, 0.3, 0.7, 0.999])
    exact = -(special.ndtri(p) if df == math.inf else special.stdtrit(df, p))
    assert quantile(df, p) == pytest.approx(exact, rel=1e-5)
    pairs = Pairs(1000, df, 0.01, 0.9)
    cut = cut_at(pairs, 100)
    u, v = (np.random.default_rng(4).random((2, 20_000)) * (1 - 1e-9)) + 1e-12
    z, e = places(pairs, cut, u, v)
    assert ((z > cut.target - 1e-9) | (e > cut.noise - 1e-9)).all()
    first = cut.passing[0] / cut.large
    assert (u < first).mean() == pytest.approx(first, abs=0.02)
    below = (1 - special.ndtr(z) if df == math.inf else special.stdtr(df, -z))[u >= first]  # uniform above what passes
    assert below.min() > cut.passing[0] - 1e-6 and below.mean() == pytest.approx((1 + cut.passing[0]) / 2, abs=0.04)


def test_the_rest_is_what_its_means_say() -> None:
    """Against 400,000 tokens that do not pass: five standard errors, false alarm 1e-6; and not those of all tokens."""
    pairs = Pairs(1000, math.inf, 1.0, 0.8)
    cut = cut_at(pairs, 100)
    z, e = np.random.default_rng(5).standard_normal((2, 400_000))
    rest = (z <= cut.target) & (e <= cut.noise)
    x, y = powers(pairs, z, e)
    for values, mean in ((x, cut.means[0]), (y, cut.means[1]), (np.minimum(x, y), cut.kept[len(RATIOS) // 2])):
        error = 5 * values[rest].std() / math.sqrt(rest.sum())
        assert abs(values[rest].mean() - mean) < error < abs(values.mean() - mean)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, c: cut_at(p, 0), "tokens: 0"),
        (lambda p, c: cut_at(p, p.vocab), "at most half of the 5000"),
        (lambda p, c: cut_at(p._replace(scale=1e4), 10), "logits of at most"),
        (lambda p, c: cut_at(p._replace(rho=1.5), 10), "rho from -1 to 1"),
        (lambda p, c: large_tokens(p, c, None, Stream(0, 0, 0, 4), np.array([5])), "from 0 to 4"),
        (lambda p, c: large_tokens(p, c, None, Stream(0, 0, 0, 4), np.array(2)), "one axis"),
        (lambda p, c: large_tokens(p, c, None, Stream(0, 0, 0, 2**32), np.zeros(2, dtype=int)), "2\\*\\*32"),
    ],
)
def test_refusals(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call(KINDS[0], cut_at(KINDS[0], 10))
    assert isinstance(cut_at(KINDS[0], 10), Cut)
