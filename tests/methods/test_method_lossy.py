"""Rules that break a promise of the three maps: none passes for lossless, each is refused by row, token and value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec import laws, methods
from simspec.methods import SD, Method
from simspec.methods.ears import costs
from simspec.methods.registry import Rule
from simspec.tools.rates import rates
from simspec.tools.reading import Pairs

P, Q = np.array([0.5, 0.5]), np.array([0.75, 0.25])


def _power(p: laws.Array, d: laws.Array) -> laws.Array:
    return d * np.minimum(1, (p / d) ** 0.9)


POWER = Method(propose=lambda q: q, accept=_power, residual=methods.leftover(_power))
"""Keeps more than p of token 0 (0.5207 of 0.5): what is left over would be the "law" (-0.09, 1.09)."""


@pytest.mark.parametrize("function", [methods.output_law, methods.tv, methods.is_lossless])
def test_a_lossy_rule_does_not_pass_for_lossless(function) -> None:
    with pytest.raises(
        ValueError, match=r"accept\(p, d\): row \(\) accepts 0\.52\d* of token 0, where p is 0\.5; expected"
    ):
        function(POWER, P, Q)


def test_no_row_of_costs_is_given_for_it() -> None:
    pairs = Pairs(P[None], Q[None], np.array([0]), "by hand")
    with pytest.raises(ValueError, match=r"row \(0,\) accepts 0\.52\d* of token 0"):
        rates(pairs, [Rule("power", POWER)])
    with pytest.raises(ValueError, match=r"row \(\) accepts 0\.52\d* of token 0"):
        costs.curve({"power": POWER}, P, Q)
    half = P.reshape(1, 2)
    with pytest.raises(ValueError, match="of token 0, where p is 0.5"):
        list(methods.block_outcomes(POWER, lambda x: P, lambda x: Q, (), 1))
    with pytest.raises(ValueError, match=r"residual\(p, d\): row \(0,\) sums to 0.5"):
        methods.output_law(replace(SD, residual=lambda p, d: p / 2), half, half)


@pytest.mark.parametrize(
    ("residual", "message"),
    [
        (lambda p, d: np.array([-0.09, 1.09]), r"residual\(p, d\): row \(\) holds the mass -0.09 at token 0"),
        (lambda p, d: p * 0.9, r"residual\(p, d\): row \(\) sums to 0.9"),
        (lambda p, d: p * np.nan, r"residual\(p, d\): row \(\) holds the mass nan at token 0"),
        (lambda p, d: np.array([1.0]), r"residual\(p, d\): shape \(1,\); expected one law for each row of p, \(2,\)"),
        (lambda p, d: None, r"residual\(p, d\): a NoneType; expected one law"),
    ],
)
def test_a_residual_that_is_no_law_is_refused(residual, message) -> None:
    for function in (methods.output_law, methods.tv, methods.is_lossless):
        with pytest.raises(ValueError, match=message):
            function(replace(SD, residual=residual), P, Q)


def test_the_first_token_kept_beyond_its_draft_is_named() -> None:
    p = np.array([[0.5, 0.5, 0], [0.25, 0.25, 0.5]])
    over = replace(SD, accept=lambda p, d: np.minimum(p, d) + np.array([[0, 0, 0], [0, 0.5, 0.0]]))
    with pytest.raises(
        ValueError, match=r"accept\(p, d\): row \(1,\) accepts 0.75 of token 1, where d is 0.25; expected 0"
    ):
        methods.acceptance_rate(over, p, p)
    with pytest.raises(ValueError, match=r"row \(1,\) accepts 0.75 of token 1, where d is 0.25"):
        methods.accepted_mass(over, p, p)
    exact = laws.exact(p)
    with pytest.raises(ValueError, match=r"row \(0,\) accepts -1/2 of token 0, where d is 1/2"):
        methods.acceptance_rate(replace(SD, accept=lambda p, d: -d), exact, exact)
    with pytest.raises(ValueError, match=r"row \(\) accepts nan of token 0"):
        methods.acceptance_rate(replace(SD, accept=lambda p, d: d * np.nan), P, Q)
    with pytest.raises(ValueError, match=r"accept\(p, d\): a float64; expected one mass for each token of d, \(2,\)"):
        methods.acceptance_rate(replace(SD, accept=lambda p, d: p.sum()), P, Q)


def test_rounding_is_no_loss() -> None:
    """d (p/d) can exceed p by an ulp: neither refused nor a negative mass, in 32 and 64 bits."""
    for dtype in (np.float32, np.float64):
        rng = np.random.default_rng(1)
        p, q = (laws.softmax(rng.normal(size=(500, 40)).astype(dtype) * 3) for _ in range(2))

        def ratio(p: laws.Array, d: laws.Array) -> laws.Array:
            return d * np.minimum(1, p / d)

        assert (ratio(p, q) > p).any()
        method = Method(propose=lambda q: q, accept=ratio, residual=methods.leftover(ratio))
        assert (method.residual(p, q) >= 0).all()
        assert methods.is_lossless(method, p, q)
        assert methods.is_lossless(SD, p, p) and methods.is_lossless(SD, p, q)


def test_laws_of_whole_numbers_point_masses_and_disjoint_supports() -> None:
    ints = np.array([1, 0]), np.array([0, 1])
    for p, q in (ints, tuple(x.astype(float) for x in ints), tuple(x.astype(object) for x in ints)):
        assert methods.acceptance_rate(SD, p, q) == 0 and methods.acceptance_rate(SD, p, p) == 1
        assert methods.output_law(SD, p, q).tolist() == [1, 0]
        assert methods.is_lossless(SD, p, q) and methods.is_lossless(SD, p, p)
    none = np.zeros((0, 3))
    assert methods.output_law(SD, none, none).shape == (0, 3) and methods.tv(SD, none, none).shape == (0,)
    assert methods.is_lossless(SD, np.ones((1, 1)), np.ones((1, 1)))


@pytest.mark.parametrize("function", [methods.accepted_mass, methods.acceptance_rate, methods.output_law, methods.tv])
def test_fractions_do_not_become_floats_silently(function) -> None:
    p, q = laws.exact(P), laws.exact(Q)
    root = replace(SD, accept=lambda p, d: d * np.minimum(1, (p / d) ** 0.9) / 2)
    with pytest.raises(ValueError, match=r"accept\(p, d\): .*float.* among fractions.*simspec\.claims\.balls"):
        function(root, p, q)
    with pytest.raises(ValueError, match=r"accept\(p, d\): float64 beside fractions.*simspec\.claims\.balls"):
        function(replace(SD, accept=lambda p, d: np.minimum(p, d).astype(float)), p, q)
    with pytest.raises(ValueError, match=r"propose\(q\): .*float.*simspec\.claims\.balls"):
        function(replace(SD, propose=lambda q: q.astype(float)), p, q)
    with pytest.raises(ValueError, match="q: float64 beside fractions; expected one arithmetic"):
        function(SD, p, Q)
    with pytest.raises(ValueError, match="q: fractions beside float64; expected one arithmetic"):
        function(SD, P, q)
    with pytest.raises(ValueError, match="drawn: float64 beside fractions"):
        function(SD, p, q, drawn=np.array([0.25, 0.75]))


def test_a_residual_in_floats_beside_fractions_is_refused() -> None:
    p, q = laws.exact(P), laws.exact(Q)
    for residual in (lambda p, d: P, lambda p, d: p ** F(1, 2) / (p ** F(1, 2)).sum()):
        with pytest.raises(ValueError, match=r"residual\(p, d\): .*float.*simspec\.claims\.balls"):
            methods.output_law(replace(SD, residual=residual), p, q)


def test_costs_stay_exact() -> None:
    ints, q = np.array([1, 0], dtype=object), laws.exact(Q)
    for value in (
        costs.gain(SD, ints, ints),
        costs.best_acceptance(laws.exact(P), q, 0.125),
        *costs.best_acceptance(laws.exact(P), q, np.array([0.125, 0.5])),
        *methods.accepted_mass(SD, ints, ints, drawn=ints),
        methods.tv(replace(SD, residual=lambda p, d: p), laws.exact(P), q),
        laws.tv(ints, ints[::-1]),
    ):
        assert isinstance(value, (int, F)), value


def test_balls_serve_where_powers_are_needed() -> None:
    from simspec.claims.balls import enclose

    p, q = enclose(laws.exact(P)), enclose(laws.exact(Q))

    def accept(p: laws.Array, d: laws.Array) -> laws.Array:
        return d * np.sqrt(p) * p

    rate = methods.acceptance_rate(replace(SD, accept=accept), p, q)
    assert float(rate) == pytest.approx(float((Q * P**1.5).sum()))
    out = methods.output_law(replace(SD, accept=accept, residual=lambda p, d: p), p, q)
    assert [float(x) for x in out] == pytest.approx((Q * P**1.5 + (1 - (Q * P**1.5).sum()) * P).tolist())
    with pytest.raises(ValueError, match="of token 0, where d is"):
        methods.acceptance_rate(replace(SD, accept=lambda p, d: 2 * d * np.sqrt(p)), p, q)
