"""One verification step: the compiled loop decides as the reference does, ties counted, and reads no more than it must."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from simspec.kernels.rounds import reference, run_rounds, tables
from simspec.kernels.rounds import verify as rounds_verify
from simspec.kernels.rounds.verify import verify_drafts
from simspec.kernels.softmax import compiled as cpu
from simspec.methods import SD
from tests.kernels import steps
from tests.kernels.cases import INF
from tests.kernels.steps import EXTREME_STEPS, softmax, step

KEY = 2**64 - 77


@pytest.fixture
def compiled(monkeypatch):
    """Sends everything to the compiled loop, whatever its size."""
    monkeypatch.setattr(rounds_verify, "SMALL", 0)


def ties(a, b, x, u, got, logits=True):
    """As the compiled loop states: drafts within 2 B of a tie (both sides 0 where both underflow), tokens within 4 B of it."""
    vocab = a.shape[-1]
    bound = cpu.tv_bound(vocab, np.result_type(a, b)) if logits else 2.0**-53 * (vocab + 20)
    return steps.ties(
        a,
        b,
        x,
        u,
        got,
        lambda kept, drawn, depth: abs(kept - drawn) <= 2 * bound * drawn,
        lambda left: 4 * bound / (left - 2 * bound),
        logits,
    )


def check(a, b, x, key=KEY, logits=True, rows=None, at=0):
    rows = range(len(a)) if rows is None else rows
    got = verify_drafts(a, b, x, key=key, rows=rows, step=at, purpose=3, logits=logits)
    u = reference.uniforms(key, rows, x.shape[1], at, 3)
    assert got.accepted.dtype == got.token.dtype == np.int32
    return ties(a, b, x, u, got, logits)


# ---- by hand ----


@pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])
@pytest.mark.parametrize("logits", [True, False])
def test_a_step_that_leaves_nothing_to_chance(logits, small, monkeypatch):
    """The first draft has more target mass than draft mass, the second none: one accepted, and the only token left."""
    monkeypatch.setattr(rounds_verify, "SMALL", small)
    p = np.array([[[0.75, 0.25, 0], [0, 0.5, 0.5], [1, 0, 0]], [[0.75, 0.25, 0], [0.5, 0.25, 0.25], [0, 0, 1]]])
    q = np.array([[[0.5, 0.25, 0.25], [0.5, 0.5, 0]], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]])
    drafted = [[0, 0], [0, 1]]
    with np.errstate(divide="ignore"):
        given = [np.log(x) for x in (p, q)] if logits else [p, q]
    got = verify_drafts(*given, drafted, key=1, logits=logits)
    assert (got.accepted.tolist(), got.token.tolist()) == ([1, 2], [2, 2])


# ---- the compiled loop is the reference ----


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("vocab", [1, 2, 1023, 1024, 1025, 3000, 32_000])
def test_every_length_is_decided_as_by_the_reference(vocab, dtype, compiled):
    batch = 24
    a, b, x = step(batch, 3, vocab, dtype, masked=0.2)
    found = check(a, b, x) + check(*step(batch, 0, vocab, dtype), at=5)
    assert found == 0 if dtype == np.float64 else found <= 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", EXTREME_STEPS)
def test_extreme_rows_are_decided_as_by_the_reference(case, dtype, compiled):
    a, b, x = step(40, 2, 3000, np.float64)
    a, b = (z.astype(dtype) for z in EXTREME_STEPS[case](a, b))
    assert check(a, b, x) <= 2


@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 2500),
    gamma=st.integers(0, 4),
    scale=st.floats(0.01, 30),
    noise=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
    masked=st.sampled_from([0.0, 0.5, 0.99]),
    logits=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_random_steps_are_decided_as_by_the_reference(seed, vocab, gamma, scale, noise, masked, logits, dtype):
    a, b, x = step(4, gamma, vocab, dtype, seed, scale, noise, masked)
    if not logits:
        a, b = softmax(a).astype(dtype), softmax(b).astype(dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds_verify, "SMALL", 0)
        check(a, b, x, key=seed, logits=logits, at=seed % 7)


def test_a_step_on_laws_is_a_round_of_the_tables(compiled):
    """The third round of every replication of an i.i.d. source, token for token."""
    rng = np.random.default_rng(8)
    q = rng.dirichlet(np.full(50, 0.3))
    p, gamma, rows = 0.5 * q + 0.5 * rng.dirichlet(np.full(50, 0.3)), 4, range(1000, 1400)
    made = tables(q[None], np.minimum(p, q)[None], SD.residual(p, q)[None], p[None])
    run = run_rounds(made, gamma=gamma, rounds=3, key=KEY, rows=rows, tokens=True)
    u = reference.uniforms(KEY, rows, gamma, 2, 0)
    drafted = reference.draw(reference.cdf(q), u[:, :gamma, 0])
    got = verify_drafts(
        np.broadcast_to(p, (400, gamma + 1, 50)),
        np.broadcast_to(q, (400, gamma, 50)),
        drafted,
        key=KEY,
        rows=rows,
        step=2,
        logits=False,
    )
    np.testing.assert_array_equal(got.accepted, run.accepted[:, 2])
    last = (run.tokens >= 0).sum(axis=1) - 1
    np.testing.assert_array_equal(got.token, run.tokens[np.arange(400), last])


def test_equal_laws_are_accepted_and_impossible_tokens_rejected(compiled):
    a, b, x = step(64, 3, 5000)
    a[:, :3] = b
    assert (verify_drafts(a, b, x, key=KEY).accepted == 3).all()
    np.put_along_axis(a[:, 1], x[:, 1, None], -INF, axis=-1)
    got = verify_drafts(a, b, x, key=KEY)
    assert (got.accepted == 1).all() and (got.token != x[:, 1]).all()


def test_where_nothing_is_left_the_target_is_drawn_from(compiled):
    """All positive differences are zero though the draft is rejected: laws that miss one by rounding."""
    p, q = np.zeros((50, 2, 3)), np.zeros((50, 1, 3))
    p[:, 0], q[:, 0], p[:, 1] = [0.5, 0.25, 0], [0.5, 0.5, 0], [0, 0, 1]
    got = verify_drafts(p, q, np.ones((50, 1), dtype=int), key=5, logits=False)
    assert set(got.accepted) == {0, 1} and set(got.token[got.accepted == 0]) == {0, 1}


def test_rows_after_a_rejection_are_not_read(compiled):
    a, b, x = step(30, 4, 2000)
    whole = verify_drafts(a, b, x, key=KEY)
    assert set(whole.accepted) > {0, 1, 2}
    for i, n in enumerate(whole.accepted):
        a[i, n + 1 :], b[i, n + 1 :] = np.nan, np.nan
    for found, expected in zip(verify_drafts(a, b, x, key=KEY), whole, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("logits", [True, False])
@pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])
@pytest.mark.parametrize(("which", "bad"), [(0, np.nan), (0, INF), (0, None), (1, np.nan)])
def test_a_row_that_is_no_law_is_refused(which, bad, small, logits, monkeypatch):
    monkeypatch.setattr(rounds_verify, "SMALL", small)
    a, b, x = step(3, 2, 1500)
    a, b = (a, b) if logits else (softmax(a), softmax(b))
    nothing = -INF if logits else 0
    (a, b)[which][1, 0] = nothing if bad is None else (a, b)[which][1, 0]
    if bad is not None:
        (a, b)[which][1, 0, x[1, 0]] = bad
    if bad == INF and not logits:
        return  # an infinite target mass keeps the draft: never read as a law
    with pytest.raises(ValueError, match="batch element 1, position 0"):
        verify_drafts(a, b, x, key=KEY, logits=logits)


def test_layouts_types_threads_and_batches(compiled):
    a, b, x = step(40, 3, 4000)
    whole = verify_drafts(a, b, x, key=KEY, threads=1)
    for options in (
        {"threads": 2},
        {"threads": 7},
        {"target": np.asfortranarray(a), "draft": np.repeat(b, 2, axis=2)[..., ::2]},
    ):
        got = verify_drafts(**({"target": a, "draft": b, "drafted": x, "key": KEY} | options))
        np.testing.assert_array_equal(got, whole)
    alone = verify_drafts(a[7:8], b[7:8], x[7:8], key=KEY, rows=[7])
    assert (alone.accepted[0], alone.token[0]) == (whole.accepted[7], whole.token[7])
    half = verify_drafts(a.astype(np.float16), b.astype(np.float16), x, key=KEY)
    rounded = verify_drafts(
        a.astype(np.float16).astype(np.float32), b.astype(np.float16).astype(np.float32), x, key=KEY
    )
    np.testing.assert_array_equal(half, rounded)
    mixed = verify_drafts(a.astype(np.float64), b, x, key=KEY)
    assert ties(a, b, x, reference.uniforms(KEY, range(40), 3, 0, 0), mixed) == 0
    empty = verify_drafts(a[:0], b[:0], x[:0], key=KEY)
    assert empty.accepted.shape == empty.token.shape == (0,)


@pytest.mark.parametrize("vocab", [4, 2050])
def test_the_first_token_has_the_target_law_and_a_drafters_mistake_shows(vocab, compiled):
    """False alarm 1e-9; the control verifies drafts of one law against another law's numbers."""
    batch = 40_000 if vocab == 4 else 4_000
    rng = np.random.default_rng(6)
    a, b = (2 * rng.standard_normal((1, n, 4)).astype(np.float32) for n in (2, 1))
    if vocab > 4:  # the other tokens are masked, and the four lie in three chunks
        at = [3, 1000, 1500, 2049]
        a, b = (np.full((1, z.shape[1], vocab), -INF, np.float32) for z in (a, b))
        a[..., at], b[..., at] = rng.standard_normal((1, 2, 4)), rng.standard_normal((1, 1, 4))
    p, q = softmax(a[0, 0]), softmax(b[0, 0])
    drafted = reference.draw(reference.cdf(q), reference.uniforms(KEY, range(batch), 1, 0, 0)[:, :1, 0])
    seen = p > 0

    def statistic(draft):
        counts = np.zeros(vocab)
        for first in range(0, batch, 1000):
            rows = range(first, first + 1000)
            shapes = np.broadcast_to(a, (1000, 2, vocab)), np.broadcast_to(draft, (1000, 1, vocab))
            got = verify_drafts(*shapes, drafted[rows], key=KEY, rows=rows)
            counts += np.bincount(np.where(got.accepted == 1, drafted[rows, 0], got.token), minlength=vocab)
        assert counts[~seen].sum() == 0
        return ((counts - batch * p)[seen] ** 2 / (batch * p)[seen]).sum()

    limit = chi2.isf(1e-9, 3)
    assert statistic(b) < limit
    assert statistic(a[:, :1] * np.where(seen, 0.5, 1)) > limit


# ---- bad input ----


ONES = np.ones((2, 3, 4))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": ONES[0]}, r"target: shape \(3, 4\)"),
        ({"target": ONES[:, :0]}, r"target: shape \(2, 0, 4\)"),
        ({"target": ONES[..., :0]}, r"target: shape \(2, 3, 0\)"),
        ({"draft": ONES}, r"draft: shape \(2, 3, 4\); expected \(2, 2, 4\)"),
        ({"drafted": [[0], [1]]}, r"drafted: shape \(2, 1\); expected \(2, 2\)"),
        ({"drafted": [[0, 1], [1, 4]]}, "drafted = 4"),
        ({"rows": [1]}, r"rows: shape \(1,\)"),
        ({"step": -1}, "step = -1"),
        ({"step": 2**31}, "step = 2147483648"),
        ({"key": 2**64}, "key"),
    ],
)
def test_bad_input_is_named(changed, message):
    given = {"target": ONES, "draft": ONES[:, :2], "drafted": [[0, 1], [1, 3]], "key": 0}
    with pytest.raises(ValueError, match=message):
        verify_drafts(**(given | changed))
