"""Rounds on the device take the path of the reference, integer by integer, whatever the block, the batch and the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simspec.kernels import random as philox
from simspec.kernels.random import core
from simspec.kernels.rounds import Draws, Tables, cuda_rounds, reference, run_rounds, tables


def rule(cp: Any, states: int, vocab: int, seed: int = 0, like: float = 0.5, dtype: Any = np.float64) -> Tables:
    """Speculative decoding of random laws, made of device arrays."""
    rng = np.random.default_rng([seed, states, vocab])
    q, other = (rng.dirichlet(np.full(vocab, 0.5), states).astype(dtype) for _ in range(2))
    p = (like * q + (1 - like) * other).astype(dtype)
    k = np.minimum(p, q)
    left = p - k
    left[left.sum(axis=-1) == 0] = 1
    return tables(*(cp.asarray(x) for x in (q, k, left, p)), rng.integers(states, size=vocab))


def check(cp: Any, made: Tables, rows: Any, threads: int = 8, **options: Any) -> Any:
    given = {"gamma": 3, "rounds": 5, "key": 2**63 + 12345, "start": 0, "purpose": 0} | options
    numbers = core.integers("rows", rows, 2**64)
    expected = reference.run(made.laws, rows=numbers, **given)
    draws = Draws(given.pop("key"), rows, (given.pop("purpose"),))
    got = run_rounds(made, draws, tokens=True, counts=True, threads=threads, **given)
    for name, x, y in zip(got._fields, got, expected, strict=True):
        assert isinstance(x, cp.ndarray) and x.dtype == (np.int64 if name == "counts" else np.int32)
        np.testing.assert_array_equal(cp.asnumpy(x), y, err_msg=name)
    return got


def test_a_chain_that_leaves_nothing_to_chance(cp):
    """States 0, 1 draft and keep 1, 2; state 2 drafts 0, never keeps it and emits 1; the target emits 3, which leads to 0."""
    one = np.eye(4)
    d, r, p = one[[1, 2, 0]], one[[0, 0, 1]], one[[3, 3, 3]]
    made = tables(*(cp.asarray(x) for x in (d, d * [[1], [1], [0]], r, p)), following=[0, 1, 2, 0])
    assert made.device
    got = run_rounds(made, Draws(1, [5]), gamma=3, rounds=3, tokens=True, counts=True)
    assert got.accepted.tolist() == [[2, 1, 1]]
    assert got.tokens.tolist() == [[1, 2, 1, 2, 1, 2, 1, -1, -1, -1, -1, -1]]
    assert got.state.tolist() == [1]
    assert got.counts.tolist() == [[0, 1, 0, 0], [0, 0, 3, 0], [0, 3, 0, 0]]
    one_draft = run_rounds(made, Draws(1, [5]), gamma=1, rounds=2, tokens=True)
    assert one_draft.tokens.tolist() == [[1, 3, 1, 3]] and one_draft.accepted.tolist() == [[1, 1]]
    assert one_draft.counts is None and run_rounds(made, Draws(1, [5]), gamma=1, rounds=2).tokens is None


@pytest.mark.parametrize(
    ("states", "vocab", "gamma", "number"),
    [(1, 1, 3, 4), (1, 2, 1, 50), (1, 7, 0, 30), (1, 70_000, 5, 20), (3, 3, 300, 3), (40, 40, 4, 70), (2, 2, 1, 300)],
)
def test_every_path_is_that_of_the_reference(cp, states, vocab, gamma, number):
    rows = range(3, 2**64, 2**59)
    check(cp, rule(cp, states, vocab), rows, gamma=gamma, rounds=number, start=states - 1, purpose=9)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    states=st.integers(1, 5),
    vocab=st.integers(1, 40),
    gamma=st.integers(0, 5),
    like=st.sampled_from([0.0, 0.5, 1.0]),
    threads=st.sampled_from([1, 3, 8]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_random_rules_take_the_path_of_the_reference(cp, seed, states, vocab, gamma, like, threads, dtype):
    check(cp, rule(cp, states, vocab, seed, like, dtype), np.arange(7), threads, gamma=gamma, rounds=6, key=seed)


def test_probabilities_around_the_grid(cp):
    """Tokens of a mass near 2**-33, the first word's; shares whose uniform lies exactly on a draw."""
    tiny = 2.0**-33
    d = np.array([[tiny, tiny / 2, 0, 0.5 - 2 * tiny, 0, 0.5 + tiny / 2, 1e-300]])
    check(cp, tables(*(cp.asarray(x) for x in (d, d * (1 - 2.0**-33), d, d))), np.arange(10), rounds=40)
    uniform = float(reference.uniforms(1, [0], 1, 0, 0)[0, 0, 1])
    one = np.ones((1, 1))
    for share, kept in ((uniform, 0), (np.nextafter(uniform, 1), 1)):
        made = tables(*(cp.asarray(x) for x in (one, one * share, one, one)))
        assert check(cp, made, [0], gamma=1, rounds=1, key=1).accepted.tolist() == [[kept]]


@pytest.mark.parametrize("word", [0, 2])
def test_a_word_at_the_edge_of_a_token_draws_it(cp, word):
    """Word n stands for (n + 1/2) / 2**32: below the edge (n + 1) / 2**32 of the first token, not below n / 2**32."""
    drawn = int(philox.words(1, [0], [0])[0, 0, word])
    sure = np.array([[0.5, 0.5]])
    for first, token in ((drawn + 1, 0), (drawn, 1)):
        law = np.array([[first, 2**32 - first]]) / 2**32
        laws = (law, law, sure, sure) if word == 0 else (sure, sure * 0, law, sure)
        got = check(cp, tables(*(cp.asarray(x) for x in laws)), [0], gamma=1, rounds=1, key=1)
        assert got.tokens[0, 0] == token
        target = tables(*(cp.asarray(x) for x in (sure, sure, sure, law)))
        if word == 2:
            assert check(cp, target, [0], gamma=0, rounds=1, key=1).tokens.tolist() == [[token]]


@pytest.mark.parametrize(("rows", "number"), [([], 5), (range(3), 0), ([], 0)])
def test_nothing_to_do(cp, rows, number):
    got = run_rounds(rule(cp, 3, 3), Draws(0, rows), gamma=2, rounds=number, start=2, tokens=True, counts=True)
    assert got.accepted.shape == (len(rows), number) and got.tokens.shape == (len(rows), number * 3)
    assert got.state.tolist() == [2] * len(rows) and int(got.counts.sum()) == 0


def test_neither_the_block_nor_the_other_rows_change_a_path(cp):
    made = rule(cp, 9, 9)
    given, draws = {"gamma": 4, "rounds": 20, "tokens": True, "counts": True}, Draws(3, range(50))
    whole = run_rounds(made, draws, threads=64, **given)
    for threads in (1, 7, 32):
        for x, y in zip(run_rounds(made, draws, threads=threads, **given), whole, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(x), cp.asnumpy(y))
    rows = np.array([49, 3, 3, 17])
    for x, y in zip(run_rounds(made, draws._replace(rows=rows), threads=2, **given)[:3], whole[:3], strict=True):
        np.testing.assert_array_equal(cp.asnumpy(x), cp.asnumpy(y)[rows])
    assert int(whole.counts.sum()) == int(whole.accepted.sum()) + whole.accepted.size


def test_rows_of_a_range_are_counted_on_the_device(cp, monkeypatch):
    """Nothing is copied there; a range with another step is a list as any other."""
    made = rule(cp, 3, 3)
    lengths = []
    launch = cuda_rounds.launch

    def watched(*given):
        lengths.append(next(x.size for x in given if isinstance(x, cp.ndarray) and x.dtype == np.uint64))
        launch(*given)

    monkeypatch.setattr(cuda_rounds, "launch", watched)
    first = 2**64 - 40
    for rows, length in ((range(first, 2**64), 0), (range(first, 2**64, 3), 14), ([first, first + 3], 2)):
        check(cp, made, rows)
        assert lengths.pop() == length


def test_tables_are_loaded_once_and_lie_where_the_laws_were(cp):
    made = rule(cp, 2, 3)
    assert made.packed is made.packed and all(isinstance(x, cp.ndarray) for x in made.packed[:8])
    law = np.array([[0.5, 0.5]])
    assert not tables(law, law, law, law).device
    with pytest.raises(ValueError, match="k: not on a device; expected to find it where d is"):
        tables(cp.asarray(law), law, cp.asarray(law), cp.asarray(law))
    with pytest.raises(ValueError, match="threads: 2000"):
        run_rounds(made, Draws(0, [0]), gamma=1, rounds=1, threads=2000)
