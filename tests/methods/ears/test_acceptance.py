"""EARS: two tokens by hand, what the tolerance gains and costs, and verification of a block as printed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, acceptance_rate, output_law, tv
from simspec.methods.ears.acceptance import (
    PARDON,
    REJECT,
    STANDARD,
    UNCERTAINTIES,
    ears,
    fresh,
    normalised_entropy,
    one_minus_max,
    variance,
    verify_block,
)
from tests import strategies as some

P = laws.exact(np.array([0.75, 0.25]))
Q = laws.exact(np.array([0.25, 0.75]))
TOLERANCES = some.fractions(0, 3, 8)
EXACT = st.sampled_from([one_minus_max, variance, lambda p: p[..., 0]])


def test_by_hand() -> None:
    # u = 1/4, so t = 1/8: token 1 is kept with mass 1/4 + 3/32 in place of 1/4; what is rejected, 13/32, becomes token 0
    rule = ears(F(1, 2))
    assert rule.accept(P, Q).tolist() == [F(1, 4), F(11, 32)]
    assert acceptance_rate(rule, P, Q) == F(19, 32)
    assert output_law(rule, P, Q).tolist() == [F(21, 32), F(11, 32)]
    assert tv(rule, P, Q) == F(3, 32) == acceptance_rate(rule, P, Q) - acceptance_rate(SD, P, Q)
    # a fresh draw instead: 1/4 + 13/32 * 3/4
    assert output_law(replace(rule, residual=fresh), P, Q).tolist() == [F(71, 128), F(57, 128)]


def test_uncertainties_by_hand() -> None:
    p = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    assert one_minus_max(p).tolist() == pytest.approx([0.5, 0, 2 / 3])
    assert variance(p).tolist() == pytest.approx([0.625, 0, 2 / 3])
    assert normalised_entropy(p).tolist() == pytest.approx([1.5 * np.log(2) / np.log(3), 0, 1])
    assert normalised_entropy(np.array([1.0])) == one_minus_max(np.array([1.0])) == variance(np.array([1.0])) == 0
    assert sorted(UNCERTAINTIES) == ["normalised entropy", "one minus max", "variance"]


def test_a_rounded_law_has_no_negative_uncertainty() -> None:
    p = np.array([1 + 1e-7, 0], dtype=np.float32)
    assert p[0] > 1
    for uncertainty in UNCERTAINTIES.values():
        assert uncertainty(p) == 0 and uncertainty(p).dtype == np.float32
    assert ears(1).accept(p, p).tolist() == p.tolist()


@settings(max_examples=40)
@given(some.pairs(), TOLERANCES, EXACT)
def test_kept_as_often_as_one_threshold_says(pair, tolerance, uncertainty) -> None:
    p, q = pair
    t = tolerance * uncertainty(p)
    kept = ears(tolerance, uncertainty).accept(p, q)
    assert kept.tolist() == [d * min(F(1), a / d + t) if d else 0 for a, d in zip(p, q, strict=True)]
    some.assert_exact(kept)


@settings(max_examples=40)
@given(some.pairs(), TOLERANCES, EXACT)
def test_bias_is_the_pardoned_mass_is_the_acceptance_gained(pair, tolerance, uncertainty) -> None:
    p, q = pair
    rule, t = ears(tolerance, uncertainty), tolerance * uncertainty(p)
    pardoned = np.minimum(np.maximum(q - p, 0), t * q).sum()
    assert tv(rule, p, q) == pardoned == acceptance_rate(rule, p, q) - acceptance_rate(SD, p, q)
    assert pardoned <= t
    assert tv(replace(rule, residual=fresh), p, q) >= pardoned
    some.assert_exact(output_law(rule, p, q))


@settings(max_examples=40)
@given(some.pairs(), TOLERANCES)
def test_no_tolerance_and_a_certain_target_are_speculative_decoding(pair, tolerance) -> None:
    p, q = pair
    assert (ears(0).accept(p, q) == SD.accept(p, q)).all()
    certain = laws.top_k(p, 1)
    assert (ears(tolerance).accept(certain, q) == SD.accept(certain, q)).all()


def test_a_tolerance_large_enough_keeps_every_draft() -> None:
    assert acceptance_rate(ears(4), P, Q) == 1
    assert output_law(ears(4), P, Q).tolist() == Q.tolist()


def test_a_token_that_the_target_excludes_can_be_pardoned() -> None:
    p, q = laws.exact(np.array([0.5, 0.5, 0])), laws.exact(np.array([0, 0.5, 0.5]))
    assert ears(F(1, 2)).accept(p, q).tolist() == [0, F(1, 2), F(1, 8)]


@pytest.mark.parametrize("tolerance", [0.5, np.float64(0.5), np.float32(0.5), F(1, 2)])
def test_the_arithmetic_is_that_of_the_laws(tolerance) -> None:
    some.assert_exact(ears(tolerance).accept(P, Q))
    for dtype in (np.float32, np.float64):
        p, q = some.as_float(P, dtype), some.as_float(Q, dtype)
        for uncertainty in UNCERTAINTIES.values():
            assert ears(tolerance, uncertainty).accept(p, q).dtype == dtype
        assert ears(tolerance).accept(p, q).tolist() == [0.25, 0.34375]


@settings(max_examples=40)
@given(st.data())
def test_rows_of_a_batch_are_independent(data) -> None:
    vocab, tolerance = data.draw(some.vocabularies()), data.draw(TOLERANCES)
    p, q = data.draw(some.batches(vocab)), data.draw(some.batches(vocab))
    for uncertainty in (one_minus_max, variance):
        rule = ears(tolerance, uncertainty)
        assert (output_law(rule, p, q) == [output_law(rule, a, b) for a, b in zip(p, q, strict=True)]).all()
        assert (output_law(rule, p[0], q) == [output_law(rule, p[0], b) for b in q]).all()


@pytest.mark.parametrize("tolerance", [-0.1, np.nan, np.inf, F(-1, 2), "high", None, 1j, np.array([0.1, 0.2]), [0.1]])
def test_bad_tolerances_are_refused(tolerance) -> None:
    with pytest.raises(ValueError, match="tolerance: .*; expected a finite number that is not negative"):
        ears(tolerance)
    with pytest.raises(ValueError, match="tolerance: "):
        verify_block(P[None], Q[None], [0], [0.5], tolerance)


@pytest.mark.parametrize("value", [-0.25, np.nan, np.inf])
def test_bad_uncertainties_are_refused(value) -> None:
    p = np.array([[0.5, 0.5], [0.25, 0.75]])
    with pytest.raises(ValueError, match=rf"uncertainty\(p\): {value}; expected a finite number that is not negative"):
        acceptance_rate(ears(0.1, lambda p: np.array([0.5, value])), p, p)
    with pytest.raises(ValueError, match=r"uncertainty\(p\): shape \(2, 2\) for laws \(2, 2\); expected \(2,\)"):
        acceptance_rate(ears(0.1, lambda p: p), p, p)


def test_entropy_of_fractions_is_refused() -> None:
    with pytest.raises(ValueError, match="p: fractions; expected floats"):
        acceptance_rate(ears(1, normalised_entropy), P, Q)


# one block

BLOCK_P = laws.exact(np.array([[0.5, 0.25, 0.25]] * 4))
BLOCK_D = laws.exact(np.array([[0.25, 0.25, 0.5]] * 4))


def test_a_block_by_hand() -> None:
    # token 2 has the ratio 1/2; u = 1/2, so at tolerance 1/4 coins up to 5/8 are pardoned
    uniforms = [F(1, 2), F(5, 8), F(3, 4), F(0)]
    done = verify_block(BLOCK_P, BLOCK_D, [2, 2, 2, 2], uniforms, F(1, 4))
    assert done.decisions.tolist() == [STANDARD, PARDON, REJECT]
    assert (done.accepted, done.reads) == (2, 9)  # the fourth position is never examined
    cached = verify_block(BLOCK_P, BLOCK_D, [2, 2, 2, 2], uniforms, F(1, 4), BLOCK_P.max(axis=-1))
    assert cached.decisions.tolist() == done.decisions.tolist() and (cached.accepted, cached.reads) == (2, 3)
    assert verify_block(BLOCK_P, BLOCK_D, [2] * 4, uniforms, 0).decisions.tolist() == [STANDARD, REJECT]
    assert verify_block(BLOCK_P, BLOCK_D, [0] * 4, [1] * 4, 0).accepted == 4  # a ratio of 2 reaches every coin


def test_the_cache_is_what_is_read() -> None:
    """A maximum that is not the law's changes the decision, so the law itself was not scanned."""
    stale = verify_block(BLOCK_P, BLOCK_D, [2] * 4, [F(5, 8)] * 4, F(1, 4), [F(3, 4)] * 4)
    assert stale.decisions.tolist() == [REJECT] and stale.reads == 1


def test_an_empty_block() -> None:
    done = verify_block(np.zeros((0, 3)), np.zeros((0, 3)), [], [], 0.1)
    assert (done.decisions.tolist(), done.accepted, done.reads) == ([], 0, 0)


@settings(max_examples=40)
@given(st.data())
def test_a_block_is_kept_as_the_method_says_with_or_without_the_cache(data) -> None:
    vocab, gamma = data.draw(some.vocabularies(2, 4)), data.draw(st.integers(1, 4))
    p, d = data.draw(some.batches(vocab, gamma)), data.draw(some.batches(vocab, gamma))
    tokens = [data.draw(st.sampled_from(np.flatnonzero(row > 0).tolist())) for row in d]
    uniforms, tolerance = [data.draw(some.shares()) for _ in tokens], data.draw(TOLERANCES)
    scanned = verify_block(p, d, tokens, uniforms, tolerance)
    cached = verify_block(p, d, tokens, uniforms, tolerance, p.max(axis=-1))
    assert scanned.decisions.tolist() == cached.decisions.tolist() and scanned.accepted == cached.accepted
    examined = len(scanned.decisions)
    assert (scanned.reads, cached.reads) == (examined * vocab, examined)
    at = (np.arange(gamma), tokens)
    reach = np.array(uniforms, dtype=object) * d[at]
    strict, relaxed = reach <= SD.accept(p, d)[at], reach <= ears(tolerance).accept(p, d)[at]
    expected = np.where(strict, STANDARD, np.where(relaxed, PARDON, REJECT)).tolist()
    assert scanned.decisions.tolist() == expected[:examined]
    assert (examined == gamma and REJECT not in expected[:-1]) or expected.index(REJECT) == examined - 1
    as_floats = verify_block(some.as_float(p), some.as_float(d), tokens, [float(u) for u in uniforms], float(tolerance))
    assert as_floats.decisions[0] in (STANDARD, PARDON, REJECT)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cache_and_scan_agree_on_floats(dtype) -> None:
    rng = np.random.default_rng(3)
    p, d = (laws.softmax(2 * rng.normal(size=(500, 32))).astype(dtype) for _ in range(2))
    seen = set()
    for i in range(0, 500, 5):
        tokens, uniforms = [int(rng.choice(32, p=row / row.sum())) for row in d[i : i + 5].astype(float)], rng.random(5)
        scanned = verify_block(p[i : i + 5], d[i : i + 5], tokens, uniforms, 0.3)
        cached = verify_block(p[i : i + 5], d[i : i + 5], tokens, uniforms, 0.3, p[i : i + 5].max(axis=-1))
        assert scanned.decisions.tolist() == cached.decisions.tolist()
        seen |= set(scanned.decisions.tolist())
    assert seen == {STANDARD, PARDON, REJECT}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": P, "d": Q}, r"p, d: shapes \(2,\), \(2,\); expected \(positions, V\) for both"),
        ({"d": Q[None] / 2}, "d: row .* sums to 1/2"),
        ({"tokens": [0, 0]}, "tokens: int64 .*; expected 1 integers"),
        ({"tokens": [0.5]}, "tokens: float64"),
        ({"tokens": [2]}, "tokens: 2 at position 0; expected a token from 0 to 1"),
        ({"tokens": [-1]}, "tokens: -1 at position 0"),
        (
            {"d": laws.exact(np.array([[0, 1]]))},
            "tokens: 0 at position 0, where d is 0; expected a token that d can draw",
        ),
        ({"uniforms": [0.5, 0.5]}, r"uniforms: shape \(2,\); expected \(1,\)"),
        ({"uniforms": [1.5]}, r"uniforms\[0\]: 1.5; expected a number between 0 and 1"),
        ({"uniforms": [np.nan]}, r"uniforms\[0\]: nan"),
        ({"cached": [1.5]}, r"cached\[0\]: 1.5"),
        ({"cached": [0.5, 0.5]}, r"cached: shape \(2,\)"),
    ],
)
def test_bad_blocks_are_refused(change, message) -> None:
    good = {"p": P[None], "d": Q[None], "tokens": [0], "uniforms": [0.5], "tolerance": 0.1}
    assert verify_block(**good).accepted == 1
    with pytest.raises(ValueError, match=message):
        verify_block(**{**good, **change})
