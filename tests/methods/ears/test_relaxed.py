"""Relaxed rules: small cases by hand, the frontier no rule crosses, and the residual that is closest to the target."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, Method, acceptance_rate, output_law, tv
from simspec.methods.ears.acceptance import ears, fresh
from simspec.methods.ears.costs import best_acceptance, gain, support_violation
from simspec.methods.ears.relaxed import lenience, levelled, mixture, typical, water_level
from tests import strategies as some

P = laws.exact(np.array([0.25, 0.25, 0.5]))
Q = laws.exact(np.array([0.625, 0.25, 0.125]))
FACTORS = some.fractions(F(1, 12), 1, 12)


@st.composite
def rules(draw: st.DrawFn) -> Method:
    """Rules that keep at least what speculative decoding keeps, with its residual."""
    return draw(
        st.sampled_from(
            [SD, ears(draw(some.shares())), lenience(draw(FACTORS)), mixture(draw(some.shares())), typical(0, 0)]
        )
    )


@st.composite
def wild(draw: st.DrawFn, vocab: int) -> Method:
    """Any rule whatsoever: keeps any part of each draft and draws from any law after a rejection."""
    share = laws.exact(np.array(draw(st.lists(some.shares(), min_size=vocab, max_size=vocab))))
    law = draw(some.laws(vocab))
    return Method(propose=lambda q: q, accept=lambda p, d: share * d, residual=lambda p, d: law)


def chi_square(o: laws.Array, p: laws.Array) -> F:
    """A divergence that is exact on fractions: sum of (o - p)^2 / p, for p > 0."""
    return ((o - p) ** 2 / p).sum()


def test_by_hand() -> None:
    # SD keeps (1/4, 1/4, 1/8); lenience 1/2 doubles what token 0 may keep
    assert lenience(F(1, 2)).accept(P, Q).tolist() == [F(1, 2), F(1, 4), F(1, 8)]
    assert gain(lenience(F(1, 2)), P, Q) == F(1, 4) == tv(lenience(F(1, 2)), P, Q)
    # the rest, 1/8, goes to token 2 under both residuals: only there p > d
    assert output_law(lenience(F(1, 2)), P, Q).tolist() == [F(1, 2), F(1, 4), F(1, 4)]
    # 1/4 of q in the target: (11/32, 1/4, 13/32)
    assert output_law(mixture(F(1, 4)), P, Q).tolist() == [F(11, 32), F(1, 4), F(13, 32)]
    assert acceptance_rate(mixture(F(1, 4)), P, Q) == F(5, 8) + F(3, 32)


def test_levelled_by_hand() -> None:
    p, q = laws.exact(np.array([0.2, 0.3, 0.5])), laws.exact(np.array([0.6, 0.2, 0.2]))
    p, q = (laws.normalise(x) for x in (laws.exact(np.array([2, 3, 5])), laws.exact(np.array([6, 2, 2]))))
    rule = lenience(F(2, 5))  # keeps (1/2, 1/5, 1/5): 1/10 is missing, and tokens 1 and 2 lack 1/10 and 3/10
    assert output_law(rule, p, q).tolist() == [F(1, 2), F(9, 40), F(11, 40)]
    # levelled: o/p of token 2 rises from 2/5 to 3/5 before it meets the 2/3 of token 1
    assert water_level(p, rule.accept(p, q)) == F(3, 5)
    assert output_law(levelled(rule), p, q).tolist() == [F(1, 2), F(1, 5), F(3, 10)]
    assert tv(levelled(rule), p, q) == tv(rule, p, q) == F(3, 10)


def test_typical_by_hand() -> None:
    p = np.array([0.5, 0.5 - 2**-7, 2**-7])  # H = 0.73: the limit is min(0.09, 0.3 * 0.48) = 0.09
    q = np.array([0.25, 0.25, 0.5])
    assert typical().accept(p, q).tolist() == [0.25, 0.25, 0]
    assert typical(delta=0.9).accept(p, q).tolist() == [0.25, 0.25, 0]
    assert typical(epsilon=0.001).accept(p, q).tolist() == q.tolist()
    assert typical(epsilon=1, delta=1.05).accept(p, q).tolist() == [0, 0, 0]  # 1.05 e^-0.73 = 0.506
    exact = typical().accept(laws.exact(p), laws.exact(q))
    some.assert_exact(exact)
    assert exact.tolist() == [F(1, 4), F(1, 4), 0]
    # it rejects what SD keeps: token 2 is kept with 1/128 there; so the bias exceeds the gain
    assert gain(typical(), p, q) == -(2**-7) and tv(typical(), p, q) > 0


@settings(max_examples=40)
@given(some.pairs(), rules())
def test_bias_is_the_acceptance_gained(pair, rule) -> None:
    p, q = pair
    assert tv(rule, p, q) == gain(rule, p, q)
    assert acceptance_rate(rule, p, q) == best_acceptance(p, q, tv(rule, p, q))
    some.assert_exact([best_acceptance(p, q, 1), *output_law(rule, p, q)])


@settings(max_examples=40)
@given(st.data())
def test_no_rule_crosses_the_frontier(data) -> None:
    p, q = data.draw(some.pairs())
    rule = data.draw(wild(len(p)))
    assert acceptance_rate(rule, p, q) <= best_acceptance(p, q, tv(rule, p, q))
    assert acceptance_rate(rule, p, q) <= best_acceptance(p, q, tv(levelled(rule), p, q))


def test_a_rule_below_the_frontier_exists() -> None:
    never = Method(propose=lambda q: q, accept=lambda p, d: 0 * d, residual=lambda p, d: p)
    assert acceptance_rate(never, P, Q) == 0 < best_acceptance(P, Q, tv(never, P, Q))


@settings(max_examples=40)
@given(some.pairs(), FACTORS)
def test_lenience_bounds_the_ratio_and_never_leaves_the_support(pair, factor) -> None:
    p, q = pair
    for rule in (lenience(factor), levelled(lenience(factor))):
        assert (output_law(rule, p, q) <= p / factor).all()
        assert support_violation(rule, p, q) == 0


@settings(max_examples=40)
@given(some.pairs(), some.shares())
def test_a_mixture_emits_the_mixture(pair, weight) -> None:
    p, q = pair
    assert (output_law(mixture(weight), p, q) == (1 - weight) * p + weight * q).all()
    assert tv(mixture(weight), p, q) == weight * laws.tv(p, q)


@settings(max_examples=40)
@given(st.data())
def test_the_level_solves_its_equation_for_any_kept_mass(data) -> None:
    p, q = data.draw(some.pairs())
    rule = data.draw(st.one_of(rules(), wild(len(p))))
    k = rule.accept(p, q)
    a = water_level(p, k)
    assert 0 <= a <= 1
    assert np.maximum(a * p - k, 0).sum() == 1 - k.sum()
    out = output_law(levelled(rule), p, q)
    assert out.sum() == 1 and (out == (np.maximum(k, a * p) if k.sum() < 1 else k)).all()
    some.assert_exact([a, *out])


@settings(max_examples=40)
@given(some.pairs(), FACTORS)
def test_levelled_lenience_clips_the_draft(pair, factor) -> None:
    p, q = pair
    rule = lenience(factor)
    a = water_level(p, rule.accept(p, q))
    assert (output_law(levelled(rule), p, q) == np.minimum(np.maximum(q, a * p), p / factor)).all()


@settings(max_examples=40)
@given(some.pairs())
def test_speculative_decoding_is_level_already(pair) -> None:
    p, q = pair
    assert (levelled(SD).residual(p, q) == SD.residual(p, q)).all()
    assert water_level(p, SD.accept(p, q)) == 1 or (p == q).all()


@settings(max_examples=40)
@given(st.data())
def test_levelled_is_the_closest_of_all_residuals(data) -> None:
    p, q = data.draw(some.pairs())
    if not (p > 0).all():
        p = (p + F(1, len(p))) / 2
    rule = data.draw(st.one_of(rules(), wild(len(p))))
    law = data.draw(some.laws(len(p)))
    best = output_law(levelled(rule), p, q)
    for other in (rule, replace(rule, residual=lambda p, d: law), replace(rule, residual=fresh)):
        assert chi_square(best, p) <= chi_square(output_law(other, p, q), p)
        assert laws.tv(best, p) <= tv(other, p, q)
        assert _kl(best, p) <= _kl(output_law(other, p, q), p) + 1e-12


def _kl(o: laws.Array, p: laws.Array) -> float:
    return float(laws.kl(some.as_float(o), some.as_float(p)))


@settings(max_examples=40)
@given(st.data())
def test_levelled_lenience_is_the_closest_of_all_rules_that_accept_as_often(data) -> None:
    p, q = data.draw(some.pairs())
    if not (p > 0).all():
        p = (p + F(1, len(p))) / 2
    best = levelled(lenience(data.draw(FACTORS)))
    accepted, law = acceptance_rate(best, p, q), data.draw(some.laws(len(p)))
    overlap = laws.overlap(law, q)
    if overlap < accepted:  # move it towards q: overlap(w law + (1 - w) q, q) >= 1 - w (1 - overlap)
        law = law + (1 - (1 - accepted) / (1 - overlap)) * (q - law)
    assert laws.overlap(law, q) >= accepted
    assert chi_square(output_law(best, p, q), p) <= chi_square(law, p)


def test_the_other_residual_is_not_the_closest() -> None:
    """Negative control of the two tests above."""
    p, q = (laws.normalise(laws.exact(np.array(x))) for x in ([2, 3, 5], [6, 2, 2]))
    rule = lenience(F(2, 5))
    assert chi_square(output_law(levelled(rule), p, q), p) < chi_square(output_law(rule, p, q), p)
    assert _kl(output_law(levelled(rule), p, q), p) < _kl(output_law(rule, p, q), p)


@pytest.mark.parametrize("p", [P, some.as_float(P)])
def test_edge_cases_with_a_meaning(p) -> None:
    rule = levelled(lenience(F(1, 2)))
    assert output_law(rule, p, p).tolist() == p.tolist()  # p = q: nothing is rejected, and the residual is p
    assert rule.residual(p, p).tolist() == p.tolist()
    one = p[:1] * 4
    assert output_law(rule, one, one).tolist() == [1]
    heads, tails = laws.top_k(p * 0 + np.array([1, 0, 0]), 1), laws.top_k(p * 0 + np.array([0, 1, 0]), 1)
    assert acceptance_rate(rule, heads, tails) == 0 and output_law(rule, heads, tails).tolist() == [1, 0, 0]
    assert water_level(heads, tails * 0) == 1
    everything = levelled(mixture(1))
    assert output_law(everything, heads, tails).tolist() == [0, 1, 0] and water_level(heads, tails) == 0


@settings(max_examples=40)
@given(st.data())
def test_rows_of_a_batch_are_independent(data) -> None:
    vocab = data.draw(some.vocabularies())
    p, q = data.draw(some.batches(vocab)), data.draw(some.batches(vocab))
    for rule in (levelled(lenience(F(1, 3))), mixture(F(1, 3)), typical(), levelled(ears(F(1, 2)))):
        assert (output_law(rule, p, q) == [output_law(rule, a, b) for a, b in zip(p, q, strict=True)]).all()
        assert (output_law(rule, p[0], q) == [output_law(rule, p[0], b) for b in q]).all()


@settings(max_examples=40)
@given(some.pairs(), st.sampled_from([np.float32, np.float64]))
def test_floats_agree_with_fractions(pair, dtype) -> None:
    p, q = pair
    a, b = some.as_float(p, dtype), some.as_float(q, dtype)
    for rule in (lenience(F(1, 3)), levelled(lenience(F(1, 3))), mixture(F(1, 3)), levelled(ears(F(1, 2)))):
        out = output_law(rule, a, b)
        assert out.dtype == dtype
        assert abs(out - some.as_float(output_law(rule, p, q))).max() <= 32 * np.finfo(dtype).eps
    assert water_level(a, a).dtype == dtype and typical().accept(a, b).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_vocabularies_and_masses_at_the_edge_of_floats(dtype) -> None:
    rng = np.random.default_rng(0)
    spread = 20 if dtype == np.float32 else 100
    p, q = (laws.softmax((spread * rng.normal(size=(2, 50_000))).astype(dtype)) for _ in range(2))
    assert (p < np.finfo(dtype).tiny).any()
    for rule in (levelled(lenience(0.5)), levelled(typical()), lenience(1e-30)):
        out = output_law(rule, p, q)
        assert abs(out.sum(axis=-1, dtype=np.float64) - 1).max() < 400 * np.finfo(dtype).eps
        assert np.isfinite(out).all() and (out >= 0).all()
    clipped = levelled(lenience(0.5))
    a = water_level(p, clipped.accept(p, q))
    expected = np.minimum(np.maximum(q, a[:, None] * p), p / dtype(0.5))
    assert abs(output_law(clipped, p, q) - expected).max() < 100 * np.finfo(dtype).eps


def test_running_sums_of_many_small_masses_do_not_drift() -> None:
    rng = np.random.default_rng(2)
    p, q = (laws.normalise(rng.random(400_000)).astype(np.float32) for _ in range(2))
    k = lenience(0.9).accept(p, q)
    wide = water_level(p.astype(np.float64), k.astype(np.float64))
    assert water_level(p, k) == pytest.approx(wide, rel=2e-7)


def test_rounding_leaves_the_level_between_0_and_1() -> None:
    rng = np.random.default_rng(4)
    p, q = (laws.normalise(rng.random((1000, 7))) for _ in range(2))
    apart = (np.pad(p, ((0, 0), (0, 7))), np.pad(q, ((0, 0), (7, 0))))
    for level in (water_level(p, np.minimum(p, q)), water_level(*apart)):
        assert (level >= 0).all() and (level <= 1).all()


@pytest.mark.parametrize("value", [-0.1, 1.5, np.nan, np.inf, "much", None, [0.5]])
def test_bad_parameters_are_refused(value) -> None:
    with pytest.raises(ValueError, match="weight: .*; expected a weight between 0 and 1"):
        mixture(value)
    with pytest.raises(ValueError, match=r"factor: .*; expected a lenience in \(0, 1\]"):
        lenience(value)
    if value != 1.5:
        for name in ("epsilon", "delta"):
            with pytest.raises(ValueError, match=f"{name}: .*; expected a finite number that is not negative"):
                typical(**{name: value})


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="factor: 0; expected"):
        lenience(0)
    with pytest.raises(ValueError, match="k: -1; expected kept masses that are not negative"):
        water_level(P, P - 1 - P)
    with pytest.raises(ValueError, match="p: row .* sums to"):
        water_level(P / 2, P)


@pytest.mark.parametrize("p", [[1, 0], [0.5, 0.5]])
def test_parameters_beyond_single_precision(p) -> None:
    """A lenience or a tolerance that float32 cannot hold still keeps every draft that it should, and no impossible one."""
    p, q = np.array(p, dtype=np.float32), np.array([0.5, 0.5], dtype=np.float32)
    assert lenience(1e-300).accept(p, q).tolist() == np.where(p > 0, q, 0).tolist()
    assert ears(1e300).accept(p, q).tolist() == (np.minimum(p, q) if p[0] == 1 else q).tolist()


def test_a_token_that_is_never_accepted_has_a_water_level() -> None:
    """p = (1/2, 1/2), k = (1/4, 0): 3/4 is missing, so (a/2 - 1/4) + a/2 = 3/4 at a = 1; of k = (3/4, 0), a/2 = 1/4 at 1/2."""
    p = np.array([0.5, 0.5])
    assert water_level(p, np.array([[0.25, 0.0], [0.75, 0.0]])).tolist() == [1, 0.5]
    with pytest.raises(ValueError, match="k: -0.25; expected kept masses that are not negative"):
        water_level(p, np.array([0.5, -0.25]))
