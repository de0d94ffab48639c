"""What follows from a method's three maps: rates, output laws, bias; on made-up methods and on every real one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws, methods
from simspec.methods import SD, Method
from tests import strategies as some

P = laws.exact(np.array([0.5, 0.5]))
Q = laws.exact(np.array([0.75, 0.25]))


@st.composite
def lossless_methods(draw: st.DrawFn, vocab: int) -> Method:
    """Any method that promises the target's law, with parameters drawn."""
    mask, unigram = draw(some.masks(vocab)), draw(some.laws(vocab))
    return draw(
        st.sampled_from(
            [
                SD,
                methods.restricted(mask),
                methods.tli(mask),
                methods.uniform(),
                methods.unigram_mixture(mask, unigram, draw(some.shares())),
                methods.rdk(mask, methods.dense(draw(some.batches(vocab, vocab)))),
                methods.rdk(mask, methods.affine(unigram, draw(some.shares()), 1)),
                methods.rdk(mask, methods.normalised(unigram, draw(some.shares()), F(1, 2))),
            ]
        )
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Method, laws.Array, laws.Array]:
    p, q = draw(some.pairs())
    return draw(lossless_methods(len(p))), p, q


def test_by_hand() -> None:
    # drafted from (3/4, 1/4): token 0 is kept with mass 1/2, token 1 with 1/4; what is left over is all on token 1
    assert methods.accepted_mass(SD, P, Q).tolist() == [F(1, 2), F(1, 4)]
    assert methods.acceptance_rate(SD, P, Q) == F(3, 4)
    assert SD.residual(P, Q).tolist() == [0, 1]
    assert methods.output_law(SD, P, Q).tolist() == [F(1, 2), F(1, 2)]
    assert methods.tv(SD, P, Q) == 0
    assert methods.is_lossless(SD, P, Q) is True


def test_a_fresh_draw_after_a_rejection_is_biased_by_hand() -> None:
    fresh = replace(SD, residual=lambda p, d: p)
    # kept (1/2, 1/4), then 1/4 of the time a fresh draw: (5/8, 3/8) in place of (1/2, 1/2)
    assert methods.output_law(fresh, P, Q).tolist() == [F(5, 8), F(3, 8)]
    assert methods.tv(fresh, P, Q) == F(1, 8)
    assert methods.is_lossless(fresh, P, Q) is False
    assert methods.is_lossless(fresh, some.as_float(P), some.as_float(Q)) is False


def test_greedy_drawn_softmax_told_is_biased_by_hand() -> None:
    greedy = laws.exact(np.array([1, 0]))
    # token 0 is always drafted and kept with probability (1/2)/(3/4) = 2/3; the rest goes to token 1
    assert methods.accepted_mass(SD, P, Q, drawn=greedy).tolist() == [F(2, 3), 0]
    assert methods.acceptance_rate(SD, P, Q, drawn=greedy) == F(2, 3)
    assert methods.output_law(SD, P, Q, drawn=greedy).tolist() == [F(2, 3), F(1, 3)]
    assert methods.tv(SD, P, Q, drawn=greedy) == F(1, 6)


@given(some.pairs())
def test_telling_the_truth_about_a_greedy_draft_is_lossless(pair) -> None:
    p, q = pair
    greedy = laws.top_k(q, 1)
    assert methods.is_lossless(SD, p, greedy)
    assert (methods.output_law(SD, p, greedy, drawn=greedy) == p).all()


@given(cases())
def test_every_lossless_method_emits_the_target_exactly(case) -> None:
    method, p, q = case
    assert (methods.output_law(method, p, q) == p).all()
    assert methods.is_lossless(method, p, q)


@given(cases())
def test_the_three_maps_keep_their_promises(case) -> None:
    method, p, q = case
    d = method.propose(q)
    k, r = method.accept(p, d), method.residual(p, d)
    for law in (d, r):
        assert law.sum() == 1 and (law >= 0).all()
        some.assert_exact(law)
    assert ((k >= 0) & (k <= d)).all()
    alpha = methods.acceptance_rate(method, p, q)
    assert alpha == k.sum() and 0 <= alpha <= 1
    some.assert_exact([alpha, *methods.output_law(method, p, q)])


@given(st.data())
def test_a_keep_rule_below_the_target_with_the_leftover_is_lossless(data) -> None:
    p, q = data.draw(some.pairs())
    share = data.draw(some.shares())

    def accept(p: laws.Array, d: laws.Array) -> laws.Array:
        return np.minimum(p, d) * share

    method = Method(propose=lambda q: q, accept=accept, residual=methods.leftover(accept))
    assert methods.tv(method, p, q) == 0
    assert methods.acceptance_rate(method, p, q) == share * laws.overlap(p, q)


@given(st.data())
def test_drawn_law_bias_is_that_of_enumerating_draft_and_coin(data) -> None:
    p, q = data.draw(some.pairs())
    w = data.draw(some.laws(len(p)))
    emitted = [F(0)] * len(p)
    residual = SD.residual(p, q).tolist()
    for x in range(len(p)):
        accept = min(F(1), p[x] / q[x]) if q[x] else F(0)  # a token the told law excludes is never kept
        emitted[x] += w[x] * accept
        for y in range(len(p)):
            emitted[y] += w[x] * (1 - accept) * residual[y]
    assert methods.output_law(SD, p, q, drawn=w).tolist() == emitted
    assert methods.tv(SD, p, q, drawn=w) == laws.tv(np.array(emitted), p)


@given(st.data())
def test_rows_of_a_batch_are_independent(data) -> None:
    vocab = data.draw(some.vocabularies())
    method = data.draw(lossless_methods(vocab))
    p, q = data.draw(some.batches(vocab)), data.draw(some.batches(vocab))
    rates = methods.acceptance_rate(method, p, q)
    assert rates.tolist() == [methods.acceptance_rate(method, a, b) for a, b in zip(p, q, strict=True)]
    one = methods.acceptance_rate(method, p[0], q)  # one target against a batch of drafts
    assert one.tolist() == [methods.acceptance_rate(method, p[0], b) for b in q]
    assert methods.is_lossless(method, p, q)


@given(some.pairs(), st.sampled_from([np.float32, np.float64]))
def test_floats_agree_with_fractions(pair, dtype) -> None:
    p, q = pair
    a, b = some.as_float(p, dtype), some.as_float(q, dtype)
    eps = 16 * float(np.finfo(dtype).eps)
    mask = np.arange(len(p)) < (len(p) + 1) // 2
    for method in (SD, methods.restricted(mask), methods.tli(mask), methods.uniform()):
        rate = methods.acceptance_rate(method, a, b)
        assert rate.dtype == dtype
        assert abs(float(rate) - float(methods.acceptance_rate(method, p, q))) <= eps
        assert methods.output_law(method, a, b).dtype == dtype
        assert methods.is_lossless(method, a, b)


@pytest.mark.parametrize("p", [P, some.as_float(P)])
def test_edge_cases_with_a_meaning(p) -> None:
    one = p[:1] * 2  # V = 1: nothing to reject
    assert methods.acceptance_rate(SD, one, one) == 1 and methods.is_lossless(SD, one, one)
    assert methods.acceptance_rate(SD, p, p) == 1  # p = q: every draft is kept, and the residual is the target
    assert SD.residual(p, p).tolist() == p.tolist()
    heads, tails = (laws.top_k(p * 0 + np.array(x), 1) for x in ([1, 0], [0, 1]))
    assert methods.acceptance_rate(SD, heads, tails) == 0  # disjoint supports: every draft is rejected
    assert methods.output_law(SD, heads, tails).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("p", "q", "drawn", "message"),
    [
        ([0.5, 0.4], [1.0, 0.0], None, r"p: row \(\) sums to 0.9"),
        ([1.0, 0.0], [0.5, 0.4], None, r"q: row \(\) sums to 0.9"),
        ([1.5, -0.5], [1.0, 0.0], None, "p: row .* holds the mass -0.5"),
        ([1.0, 0.0], [np.nan, 1.0], None, "q: row .* holds the mass nan"),
        ([1.0, 0.0], [1.0], None, "q: 1 tokens where p has 2"),
        ([[1.0, 0.0]] * 2, [[1.0, 0.0]] * 3, None, r"q: shape \(3, 2\) where p has \(2, 2\)"),
        ([1.0, 0.0], [1.0, 0.0], [0.5, 0.25], "drawn: row .* sums to 0.75"),
        ([1.0, 0.0], [1.0, 0.0], [0.5, 0.25, 0.25], "drawn: 3 tokens where p has 2"),
    ],
)
def test_bad_laws_are_refused(p, q, drawn, message) -> None:
    drawn = None if drawn is None else np.array(drawn)
    for function in (methods.accepted_mass, methods.acceptance_rate, methods.output_law, methods.tv):
        with pytest.raises(ValueError, match=message):
            function(SD, np.array(p), np.array(q), drawn)


def test_a_proposal_that_is_no_law_is_refused() -> None:
    p = np.array([0.5, 0.5])
    with pytest.raises(ValueError, match=r"propose\(q\): row \(\) sums to 2"):
        methods.acceptance_rate(replace(SD, propose=lambda q: 2 * q), p, p)
    with pytest.raises(ValueError, match=r"propose\(q\): row \(\) holds the mass -"):
        methods.acceptance_rate(replace(SD, propose=lambda q: np.array([1.5, -0.5])), p, p)


def test_mixed_arithmetic_is_refused() -> None:
    p = np.array([F(1, 2), 0.5], dtype=object)
    with pytest.raises(ValueError, match="q: floats among fractions"):
        methods.acceptance_rate(SD, np.array([F(1, 2)] * 2, dtype=object), p)


def test_lists_are_laws_too() -> None:
    assert float(methods.acceptance_rate(SD, [0.5, 0.5], [0.75, 0.25])) == 0.75
    assert float(methods.tv(SD, [0.5, 0.5], [0.75, 0.25])) == 0


def test_boolean_laws_are_refused() -> None:
    with pytest.raises(ValueError, match="p: boolean; expected probabilities"):
        methods.acceptance_rate(SD, np.array([True, False]), np.array([1.0, 0.0]))


def test_kept_mass_that_rounds_beyond_one_leaves_no_negative_mass() -> None:
    law = np.array([0.0, 0.3, 0.3, 0.0, 0.4 + 2e-16])
    keep_all = Method(propose=lambda q: q, accept=lambda p, d: d, residual=lambda p, d: np.eye(5)[0])
    assert law.sum() > 1
    assert (methods.output_law(keep_all, law, law) >= 0).all()


@pytest.mark.parametrize("dtype", [float, object])
def test_no_rows_have_no_residual(dtype) -> None:
    empty = np.zeros((0, 2), dtype=dtype)
    assert methods.leftover(np.minimum)(empty, empty).shape == (0, 2)
