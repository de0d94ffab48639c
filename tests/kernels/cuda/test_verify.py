"""One verification step on the device decides as the reference does, but near ties, whatever the block and the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec.kernels.rounds import device as rounds_gpu
from simspec.kernels.rounds import reference
from simspec.kernels.rounds.verify import verify_drafts
from simspec.kernels.softmax import device as gpu
from tests.kernels import steps
from tests.kernels.cases import BROKEN, FLOATS, INF, broken
from tests.kernels.steps import EXTREME_STEPS, softmax, step

KEY = 2**64 - 77


def check(cp: Any, a, b, x, key=KEY, logits=True, rows=None, at=0, threads=16) -> int:
    """How many batch elements are decided otherwise than by the reference, each within the stated distance of a tie."""
    rows = range(len(a)) if rows is None else rows
    got = verify_drafts(
        cp.asarray(a), cp.asarray(b), x, key=key, rows=rows, step=at, purpose=3, logits=logits, threads=threads
    )
    assert all(isinstance(z, cp.ndarray) and z.dtype == np.int32 for z in got)
    u, vocab, dtype = reference.uniforms(key, rows, x.shape[1], at, 3), a.shape[-1], np.result_type(a, b)
    mass = gpu.bounds(vocab, dtype).logsumexp

    def near(kept: float, drawn: float, depth: float) -> bool:
        if kept == drawn == 0:
            return True  # both underflow
        return abs(np.log(kept / drawn)) <= 2 * mass + 2.0**-50 * (depth + 64)

    return steps.ties(a, b, x, u, got, near, lambda left: rounds_gpu.token_bound(vocab, dtype, left, logits), logits)


@pytest.mark.parametrize("logits", [True, False])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_step_that_leaves_nothing_to_chance(cp, logits, dtype):
    """The first draft has more target mass than draft mass, the second none: one accepted, and the only token left."""
    p = np.array([[[0.75, 0.25, 0], [0, 0.5, 0.5], [1, 0, 0]], [[0.75, 0.25, 0], [0.5, 0.25, 0.25], [0, 0, 1]]])
    q = np.array([[[0.5, 0.25, 0.25], [0.5, 0.5, 0]], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]])
    with np.errstate(divide="ignore"):
        laws = [cp.asarray((np.log(x) if logits else x).astype(dtype)) for x in (p, q)]
    got = verify_drafts(*laws, [[0, 0], [0, 1]], key=1, logits=logits, threads=3)
    assert (got.accepted.tolist(), got.token.tolist()) == ([1, 2], [2, 2])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("vocab", [1, 2, 255, 256, 257, 3000, 70_000])
def test_every_length_is_decided_as_by_the_reference(cp, vocab, dtype):
    batch = 12 if vocab < 10_000 else 3
    a, b, x = step(batch, 3, vocab, dtype, masked=0.2)
    found = check(cp, a, b, x) + check(cp, *step(batch, 0, vocab, dtype), at=5)
    p, q = softmax(a).astype(dtype), softmax(b).astype(dtype)
    found += check(cp, p, q, x, logits=False)
    assert found <= (0 if dtype == np.float64 else 1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", EXTREME_STEPS)
def test_extreme_rows_are_decided_as_by_the_reference(cp, case, dtype):
    a, b, x = step(20, 2, 700, np.float64)
    a, b = (z.astype(dtype) for z in EXTREME_STEPS[case](a, b))
    assert check(cp, a, b, x, threads=4) <= 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 700),
    gamma=st.integers(0, 4),
    scale=st.floats(0.01, 30),
    noise=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
    masked=st.sampled_from([0.0, 0.5, 0.99]),
    logits=st.booleans(),
    dtype=st.sampled_from(FLOATS),
)
def test_random_steps_are_decided_as_by_the_reference(cp, seed, vocab, gamma, scale, noise, masked, logits, dtype):
    a, b, x = step(3, gamma, vocab, dtype, seed, scale, noise, masked)
    if not logits:
        a, b = softmax(a).astype(dtype), softmax(b).astype(dtype)
    check(cp, a, b, x, key=seed, logits=logits, at=seed % 7, threads=4)


def test_the_check_sees_another_coin_and_another_token(cp):
    """The control: numbers of other rows decide most elements otherwise, far from a tie."""
    a, b, x = step(12, 3, 300, np.float32)
    got = verify_drafts(cp.asarray(a), cp.asarray(b), x, key=KEY, rows=range(12), purpose=3)
    u = reference.uniforms(KEY, range(12), 3, 0, 3)
    never, exact = (lambda kept, drawn, depth: False), (lambda left: 0.0)
    assert steps.ties(a, b, x, u, got, never, exact) == 0
    with pytest.raises(AssertionError):
        steps.ties(a, b, x, reference.uniforms(KEY, range(1, 13), 3, 0, 3), got, never, exact)


@pytest.mark.parametrize("logits", [True, False])
def test_equal_laws_keep_every_draft_and_draw_from_the_last_law(cp, logits):
    a, _, _ = step(6, 3, 400, np.float64)
    a = a if logits else softmax(a)
    x = np.zeros((6, 3), dtype=int)
    got = verify_drafts(cp.asarray(a), cp.asarray(a[:, :3]), x, key=2, logits=logits, threads=5)
    assert got.accepted.tolist() == [3] * 6
    check(cp, a, a[:, :3], x, logits=logits)


@pytest.mark.parametrize("logits", [True, False])
def test_neither_the_block_nor_the_batch_changes_a_decision(cp, logits):
    a, b, x = step(7, 3, 900, np.float32)
    if not logits:
        a, b = softmax(a).astype(np.float32), softmax(b).astype(np.float32)
    given_ = {"key": 5, "logits": logits}
    whole = verify_drafts(cp.asarray(a), cp.asarray(b), x, **given_, threads=64)
    for threads in (1, 3, 32):
        for y, z in zip(verify_drafts(cp.asarray(a), cp.asarray(b), x, **given_, threads=threads), whole, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(y), cp.asnumpy(z))
    some = [6, 2]
    few = verify_drafts(cp.asarray(a[some]), cp.asarray(b[some]), x[some], rows=some, **given_, threads=8)
    for y, z in zip(few, whole, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(y), cp.asnumpy(z)[some])
    none = verify_drafts(cp.asarray(a[:0]), cp.asarray(b[:0]), x[:0], **given_)
    assert none.accepted.shape == none.token.shape == (0,)


def test_decisions_on_the_edge(cp):
    """Laws with coin u at 1: p = u is not enough and the next number is; a sum equal to u leaves the token behind."""
    u = reference.uniforms(KEY, [0], 1, 0, 3)[0]
    for p, accepted in ((u[0, 1], 0), (np.nextafter(u[0, 1], 1), 1)):
        laws = np.array([[[p, 1 - p], [0, 1]]]), np.array([[[1.0, 0.0]]])
        got = verify_drafts(*(cp.asarray(x) for x in laws), [[0]], key=KEY, purpose=3, logits=False, threads=2)
        assert (got.accepted.tolist(), got.token.tolist()) == ([accepted], [1])
    u = float(reference.uniforms(KEY, [0], 0, 0, 3)[0, 0, 2])
    for first, token in ((u, 1), (np.nextafter(u, 1), 0)):
        law = np.zeros((1, 1, 600))
        law[..., [0, 599]] = first, 1 - first
        got = verify_drafts(
            cp.asarray(law), cp.asarray(law[:, :0]), np.zeros((1, 0), int), key=KEY, purpose=3, logits=False
        )
        assert got.token.tolist() == [599 * token]


def test_a_draft_without_mass_in_either_law_is_rejected(cp):
    a = np.array([[[0.0, -INF, 0.0], [0.0, 0.0, 0.0]]])
    got = verify_drafts(cp.asarray(a), cp.asarray(a[:, :1]), [[1]], key=1, threads=2)
    assert got.accepted.tolist() == [0] and got.token.tolist() in ([0], [2])


def test_types_and_layouts(cp):
    """Two types become the wider one; strided arrays are copied; drafted tokens may lie on the device too."""
    a, b, x = step(4, 2, 300, np.float32)
    plain = verify_drafts(cp.asarray(a.astype(np.float64)), cp.asarray(b.astype(np.float64)), x, key=1)
    wide = np.repeat(a, 2, axis=-1)[..., ::2]
    got = verify_drafts(cp.asarray(wide), cp.asarray(b.astype(np.float64)), cp.asarray(x), key=1)
    for y, z in zip(got, plain, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(y), cp.asnumpy(z))
    with pytest.raises(ValueError, match="draft: not on a device; expected to find it where target is"):
        verify_drafts(cp.asarray(a), b, x, key=1)
    with pytest.raises(ValueError, match="drafted"):
        verify_drafts(cp.asarray(a), cp.asarray(b), x + 300, key=1)


@pytest.mark.parametrize("bad", BROKEN)
@pytest.mark.parametrize("where", ["target", "draft", "last"])
def test_a_row_without_a_softmax_is_named_where_it_is_needed(cp, bad, where):
    a, b, x = step(3, 1, 300, np.float32, noise=0.0)
    if where == "draft":
        b[1] = broken(b[1], 0, 150, bad)
    else:
        a[1] = broken(a[1], int(where == "last"), 150, bad)
    with pytest.raises(ValueError, match=f"batch element 1, position {int(where == 'last')}: a row without softmax"):
        verify_drafts(cp.asarray(a), cp.asarray(b), x, key=1, threads=4)
    a, b, x = step(1, 1, 300, np.float32)
    a[0, 0, x] = -INF  # rejected: the last row is not read
    a[0, 1] = np.nan
    assert verify_drafts(cp.asarray(a), cp.asarray(b), x, key=1, threads=4).accepted.tolist() == [0]


@pytest.mark.parametrize("law", [np.zeros(3), np.array([0.5, np.nan, 0.5]), np.array([np.inf, 1, 1])])
def test_a_row_that_is_no_law_is_named(cp, law):
    p = np.full((1, 1, 3), 1 / 3)
    p[0, 0] = law
    with pytest.raises(ValueError, match="batch element 0, position 0: a row without mass"):
        verify_drafts(cp.asarray(p), cp.asarray(p[:, :0]), np.zeros((1, 0), dtype=int), key=1, logits=False, threads=2)
