"""Costs of relaxed rules: three tokens by hand, batches as rows, and bad input."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec import laws
from simspec.methods import SD, output_law
from simspec.methods.ears.acceptance import fresh
from simspec.methods.ears.costs import best_acceptance, curve, gain, support_violation
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical

P = laws.exact(np.array([0.25, 0.25, 0.5]))
Q = laws.exact(np.array([0.625, 0.25, 0.125]))


def test_by_hand() -> None:
    # SD keeps (1/4, 1/4, 1/8) of the drafts, lenience 1/2 keeps (1/2, 1/4, 1/8)
    assert gain(lenience(F(1, 2)), P, Q) == F(1, 4) and gain(SD, P, Q) == 0
    assert [best_acceptance(P, Q, bias) for bias in (0, F(1, 8), F(1, 2))] == [F(5, 8), F(3, 4), 1]
    assert best_acceptance(P, Q, np.array([0, F(1, 8)], dtype=object)).tolist() == [F(5, 8), F(3, 4)]
    outside = laws.exact(np.array([0, 0.5, 0.5]))
    assert support_violation(mixture(F(1, 2)), outside, Q) == F(5, 16) and support_violation(SD, outside, Q) == 0


def test_curve_by_hand() -> None:
    p, q = laws.exact(np.array([0, 0.5, 0.5])), laws.exact(np.array([0.5, 0.5, 0]))
    rows = curve({"SD": SD, "mixture": mixture(F(1, 2)), "fresh": replace(SD, residual=fresh)}, p, q)
    assert [row.name for row in rows] == ["SD", "mixture", "fresh"]
    # fresh: keeps token 1 with 1/2, then half of the time a draw from p: (0, 3/4, 1/4)
    assert [row.acceptance for row in rows] == [F(1, 2), F(3, 4), F(1, 2)]
    assert [row.tv for row in rows] == [0, F(1, 4), F(1, 4)]
    assert [row.support for row in rows] == [0, F(1, 4), 0]
    assert [row.frontier for row in rows] == [F(1, 2), F(3, 4), F(3, 4)]
    assert rows[1].kl == np.inf
    assert rows[0].kl == 0 and rows[2].kl == pytest.approx(0.75 * np.log(1.5) + 0.25 * np.log(0.5))


def test_curve_of_a_batch_and_of_pairs() -> None:
    rng = np.random.default_rng(1)
    p, q = (laws.softmax(rng.normal(size=(4, 9))) for _ in range(2))
    rules_ = [("typical", typical()), ("levelled", levelled(lenience(0.5))), ("lenience", lenience(0.5))]
    whole = curve(rules_, p, q)
    assert [row.acceptance.shape for row in whole] == [(4,)] * 3
    alone = curve(rules_, p[1], q[1])
    for all_rows, one in zip(whole, alone, strict=True):
        assert all_rows.name == one.name
        assert [float(x[1]) for x in all_rows[1:]] == pytest.approx([float(x) for x in one[1:]])
    assert all((row.frontier >= row.acceptance - 1e-12).all() for row in whole)
    assert (whole[1].kl < whole[2].kl).all() and whole[1].tv == pytest.approx(whole[2].tv)
    assert curve({}, p, q) == []


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="bias: -0.5; expected a total-variation distance that is not negative"):
        best_acceptance(P, Q, -0.5)
    with pytest.raises(ValueError, match="bias: .*nan"):
        best_acceptance(P, Q, np.array([0.5, np.nan]))
    with pytest.raises(ValueError, match="q: row .* sums to"):
        best_acceptance(P, Q / 2, 0)
    with pytest.raises(ValueError, match="p: row .* sums to"):
        curve({"SD": SD}, P / 2, Q)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1, 5, 30])
@pytest.mark.parametrize("case", ["plain", "no mass of the draft", "no mass of both", "a subnormal mass"])
def test_the_divergence_is_that_of_the_output_law_bit_for_bit(dtype, scale, case) -> None:
    """With and without tokens of no mass, and where masses are below the least normal number."""
    rng = np.random.default_rng(scale)
    p, q = (laws.softmax((scale * rng.standard_normal((5, 200))).astype(dtype)) for _ in range(2))
    if case != "plain":
        q[:, ::3] = 0
    if case == "no mass of both":
        p[:, 1::5] = 0
    if case == "a subnormal mass":
        p[:, 0] = 4 * np.finfo(dtype).smallest_subnormal
    p, q = laws.normalise(p), laws.normalise(q)
    for method in (SD, mixture(0.5), typical(), replace(lenience(0.5), residual=fresh)):
        (row,) = curve({"rule": method}, p, q)
        expected = np.maximum(laws.unchecked.kl(output_law(method, p, q), p), 0)
        assert np.array_equal(row.kl, expected)
    assert (row.kl > 0).any()
