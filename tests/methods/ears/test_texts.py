"""Bias over whole texts: two tokens by hand, then every function against enumeration of all texts."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import SD, block, output_law
from simspec.methods.ears import texts as seq
from simspec.methods.ears.acceptance import ears
from tests import strategies as some

ONE = np.zeros((1, 2), dtype=int)
"""A single state: tokens are independent."""
HALF = laws.exact(np.array([[0.5, 0.5]]))
SKEW = laws.exact(np.array([[0.75, 0.25]]))


@st.composite
def models(draw: st.DrawFn) -> tuple:
    """Target laws, emitted laws, steps and a start; two or three states, two or three tokens, on fractions."""
    states, vocab = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    target = draw(some.batches(vocab, states))
    emitted = draw(st.one_of(some.batches(vocab, states), st.just(target)))
    step = np.array(draw(st.lists(st.integers(0, states - 1), min_size=states * vocab, max_size=states * vocab)))
    return target, emitted, step.reshape(states, vocab), draw(st.integers(0, states - 1))


def texts(model: tuple, length: int) -> list[tuple]:
    """Probability of every text under both laws."""
    target, emitted, step, start = model
    found = []
    for text in product(range(target.shape[1]), repeat=length):
        p, o, state = F(1), F(1), start
        for x in text:
            p, o, state = p * target[state, x], o * emitted[state, x], step[state, x]
        found.append((p, o))
    return found


def test_by_hand() -> None:
    # texts 00, 01, 10, 11: target (4, 4, 4, 4)/16, emitted (9, 3, 3, 1)/16
    model = (HALF, SKEW, ONE, 0)
    assert seq.text_tv(*model, 2) == F(5, 16)
    assert seq.agreement(*model, 2) == F(9, 16)  # (3/4)^2, so 1 - Z = 7/16
    assert seq.expected_bias(*model, 2) == F(1, 2)
    kl = 0.75 * np.log(1.5) + 0.25 * np.log(0.5)
    assert seq.text_kl(*model, 2) == pytest.approx(2 * kl)
    assert seq.bhattacharyya(*model, 2) == pytest.approx((np.sqrt(3 / 8) + np.sqrt(1 / 8)) ** 2)


def test_states_matter_by_hand() -> None:
    # token 0 leads to state 0, whose laws agree; token 1 to state 1, where the emitted law never stays
    target = laws.exact(np.array([[0.5, 0.5], [0.5, 0.5]]))
    emitted = laws.exact(np.array([[0.5, 0.5], [1, 0]]))
    step = np.array([[0, 1], [0, 1]])
    assert seq.text_tv(target, emitted, step, 0, 1) == 0
    assert seq.text_tv(target, emitted, step, 0, 2) == F(1, 4)  # half of the texts, half of their mass
    assert seq.agreement(target, emitted, step, 0, 2) == F(3, 4)
    assert seq.expected_bias(target, emitted, step, 0, 3) == F(1, 2)
    assert seq.text_tv(target, emitted, step, 1, 1) == F(1, 2)
    assert seq.text_kl(target, emitted, step, 0, 2) == pytest.approx(np.log(2) / 2)
    assert seq.text_kl(target, emitted, step, 1, 2) == pytest.approx(np.log(2))  # the emitted text leaves for state 0
    assert seq.text_kl(emitted, target, step, 0, 2) == np.inf


@settings(max_examples=30)
@given(models(), st.integers(0, 4))
def test_every_function_against_all_texts(model, length) -> None:
    every = texts(model, length)
    distance = seq.text_tv(*model, length)
    assert distance == sum(abs(p - o) for p, o in every) / 2
    z, bias, root = (f(*model, length) for f in (seq.agreement, seq.expected_bias, seq.bhattacharyya))
    some.assert_exact([distance, z, bias])
    assert distance <= 1 - z <= bias
    assert root == pytest.approx(sum(float(p * o) ** 0.5 for p, o in every), abs=1e-12)
    assert 1 - root - 1e-12 <= distance and distance**2 <= 1 - root**2 + 1e-12
    kl = float(sum(float(o) * np.log(float(o / p)) if p else np.inf for p, o in every if o))
    assert seq.text_kl(*model, length) == pytest.approx(kl, abs=1e-12)


@settings(max_examples=30)
@given(models(), st.integers(0, 3))
def test_bias_never_falls_with_length_and_bounds_meet_at_one_token(model, length) -> None:
    assert seq.text_tv(*model, length) <= seq.text_tv(*model, length + 1)
    assert seq.agreement(*model, length) >= seq.agreement(*model, length + 1)
    assert seq.text_tv(*model, 1) == 1 - seq.agreement(*model, 1) == seq.expected_bias(*model, 1)
    for function in (seq.text_tv, seq.expected_bias, seq.text_kl):
        assert function(*model, 0) == 0
    assert seq.agreement(*model, 0) == seq.bhattacharyya(*model, 0) == 1


@settings(max_examples=25)
@given(models())
def test_sampled_values_have_the_distance_as_their_mean(model) -> None:
    """On the grid of uniforms that a law with one denominator cannot tell from all uniforms, the mean is exact."""
    target, _emitted, _step, _start = model
    grain = np.lcm.reduce([v.denominator for v in target.ravel().tolist()])
    if grain > 40:
        return
    uniforms = [F(2 * i + 1, 2 * int(grain)) for i in range(int(grain))]
    u = np.array(list(product(uniforms, repeat=2)) or [[]], dtype=object)
    u = np.concatenate([u, u[:, :1] * 0 + 1], axis=1)  # the last is not used
    values = seq.sampled_tv(*model, 3, u)
    some.assert_exact(values)
    assert ((values >= 0) & (values <= 1)).all()
    assert (values.sum(axis=0) / len(u)).tolist() == [seq.text_tv(*model, t) for t in (1, 2, 3)]


def test_sampled_values_estimate_long_texts() -> None:
    """Five standard errors either way: false alarm below 1e-6; one token's bias alone misses by more (control)."""
    rng = np.random.default_rng(7)
    target, draft = (laws.softmax(2 * rng.normal(size=(3, 3))) for _ in range(2))
    step = np.broadcast_to(np.arange(3), (3, 3))
    model = (target, output_law(ears(0.5), target, draft), step, 0)
    values = seq.sampled_tv(*model, 10, rng.random((20_000, 10)))
    assert values.shape == (20_000, 10)
    error = values[:, -1].std() / np.sqrt(len(values))
    truth = seq.text_tv(*model, 10)
    assert abs(values[:, -1].mean() - truth) < 5 * error < abs(values[:, 0].mean() - truth)
    assert np.ptp(values[:, 0]) == 0 and values[0, 0] == pytest.approx(seq.text_tv(*model, 1))
    assert truth <= 1 - seq.agreement(*model, 10) < seq.expected_bias(*model, 10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_agree_with_fractions(dtype) -> None:
    p, o = some.as_float(HALF, dtype), some.as_float(SKEW, dtype)
    for function in (seq.text_tv, seq.agreement, seq.expected_bias):
        found = function(p, o, ONE, 0, 5)
        assert found.dtype == dtype
        assert float(found) == pytest.approx(float(function(HALF, SKEW, ONE, 0, 5)), rel=1e-5)
    assert seq.sampled_tv(p, o, ONE, 0, 5, np.full((2, 5), 0.25)).dtype == dtype


def test_a_ratio_that_leaves_the_floats_stays_a_value() -> None:
    rare, uniforms = np.array([[1e-9, 1 - 1e-9]]), np.full((1, 60), 1e-10)  # sixty times token 0: a ratio of 1e540
    assert seq.sampled_tv(rare, np.array([[1 - 1e-12, 1e-12]]), ONE, 0, 60, uniforms)[0, -1] == 0
    assert seq.sampled_tv(rare, np.array([[1.0, 0.0]]), ONE, 0, 60, uniforms)[0, -1] == pytest.approx(
        1 - 1e-9, rel=1e-15
    )
    assert seq.sampled_tv(rare, np.array([[1.0, 0.0]]), ONE, 0, 60, uniforms * 5e9)[0, -1] == 1  # a text never emitted


@pytest.mark.parametrize("gamma", [1, 2])
def test_blocks_stay_below_the_disagreement(gamma) -> None:
    """A block's extra token comes from the target; the negative control is a rule that the bound is not for."""
    target = laws.exact(np.array([[0.5, 0.5], [0.25, 0.75]]))
    draft = laws.exact(np.array([[1, 0], [0.75, 0.25]]))
    rule, step = ears(1), np.array([[0, 1], [0, 1]])
    emitted = output_law(rule, target, draft)

    def at(table):
        return lambda prefix: table[prefix[-1] if prefix else 0]

    p = block.text_law(SD, at(target), at(draft), 3, gamma)
    o = block.text_law(rule, at(target), at(draft), 3, gamma)
    distance = sum(abs(p.get(x, 0) - o.get(x, 0)) for x in {*p, *o}) / 2
    assert 0 < distance <= 1 - seq.agreement(target, emitted, step, 0, 3)
    assert distance > 1 - seq.agreement(target, output_law(ears(F(1, 4)), target, draft), step, 0, 3)


def test_only_texts_that_can_be_written_are_counted() -> None:
    certain = np.array([[1.0, 0.0]])
    assert seq.text_tv(certain, certain, ONE, 0, 200) == 0
    with pytest.raises(ValueError, match="length: 30; expected at most 1048576 texts, and 21 tokens make more"):
        seq.text_tv(some.as_float(HALF), some.as_float(SKEW), ONE, 0, 30)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": HALF / 2}, "target: row .* sums to 1/2"),
        ({"emitted": SKEW * 2}, "emitted: row .* sums to 2"),
        ({"emitted": SKEW[0]}, r"target, emitted: shapes \(1, 2\), \(2,\); expected \(S, V\) for both"),
        ({"step": np.zeros((2, 2), dtype=int)}, r"step: int64 \(2, 2\); expected integers \(1, 2\)"),
        ({"step": np.zeros((1, 2))}, "step: float64"),
        ({"step": np.array([[0, 1]])}, "step: 1; expected states from 0 to 0"),
        ({"step": np.array([[0, -1]])}, "step: -1; expected states from 0 to 0"),
        ({"start": 1}, "start: 1; expected a state from 0 to 0"),
        ({"start": 0.5}, "start: 0.5"),
        ({"length": -1}, "length: -1; expected a number of tokens that is not negative"),
        ({"length": 1.5}, "length: 1.5"),
    ],
)
def test_bad_input_is_refused(change, message) -> None:
    good = {"target": HALF, "emitted": SKEW, "step": ONE, "start": 0, "length": 2}
    for function in (seq.text_tv, seq.agreement, seq.bhattacharyya, seq.expected_bias, seq.text_kl):
        function(**good)
        with pytest.raises(ValueError, match=message):
            function(**{**good, **change})
    with pytest.raises(ValueError, match=message):
        seq.sampled_tv(**{**good, **change}, uniforms=np.full((1, 2), 0.5))


@pytest.mark.parametrize(
    ("uniforms", "message"),
    [
        (np.full((1, 3), 0.5), r"uniforms: shape \(1, 3\) for 2 tokens"),
        (np.full(2, 0.5), r"uniforms: shape \(2,\)"),
        (np.zeros((1, 2)), r"uniforms: a number outside \(0, 1\]"),
        (np.full((1, 2), np.nan), "uniforms: a number outside"),
    ],
)
def test_bad_uniforms_are_refused(uniforms, message) -> None:
    with pytest.raises(ValueError, match=message):
        seq.sampled_tv(HALF, SKEW, ONE, 0, 2, uniforms)
