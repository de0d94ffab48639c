"""C-SQS paths in compiled code: the reference's bits, and the decisions of the methods, one by one."""

import importlib
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec import laws
from simspec.kernels import thresholds as paths
from simspec.kernels.compiled import kernel
from simspec.kernels.thresholds import Draws, Model, Rule, reference
from simspec.kernels.thresholds import numba_thresholds as paths_loops
from simspec.logits import gaussian, student_t
from tests.kernels.cases import drawn

csqs = importlib.import_module("simspec.methods.csqs.conformal")
INF = math.inf
RULE = Rule(threshold=5e-4, step_size=5e-4, dropped_target=0.1)


def same(got, expected):
    for x, y in zip(got, expected, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


def texts(number, length, key=0, first=0):
    """Draws of so many texts, one after the other."""
    return Draws(key, range(first, first + number * max(length, 1), max(length, 1)))


def both(draws, length, vocab, model, rule):
    """Backend and reference on the same synthetic laws."""
    made = paths.synthetic_paths(draws, length, vocab, model, rule)
    wide = (np.broadcast_to(np.asarray(x, float), vocab) for x in (model.location, model.scale))
    rows = reference.Rows(draws.key, model.df, *wide, draws.rows.start, draws.rows.step, 0)
    start = np.broadcast_to(np.asarray(rule.threshold, float), len(draws.rows))
    return made, reference.synthetic_paths(rows, start, length, *rule[1:])


@pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])
def test_by_hand(monkeypatch, small):
    """Laws that are next to (1/2, 1/4, 1/4)."""
    monkeypatch.setattr(paths, "SMALL", small)
    model, rule = Model(location=np.log([2, 1, 1]), scale=0), Rule(0.8, 0.5, 0.25)
    made = paths.synthetic_paths(texts(1, 6), 6, 3, model, rule)
    # nothing reaches 0.8, so the first is kept and 0.5 dropped; so on until 0.175, which all reach
    np.testing.assert_allclose(made.thresholds, [[0.8, 0.675, 0.55, 0.425, 0.3, 0.175, 0.3]], rtol=1e-14)
    np.testing.assert_allclose(made.dropped, [[0.5, 0.5, 0.5, 0.5, 0.5, 0]], rtol=1e-14)
    literal = paths.synthetic_paths(texts(1, 6), 6, 3, model, rule._replace(keep_top=False))
    # everything is dropped, so the threshold falls by 3/8; then only the quarters are
    np.testing.assert_allclose(literal.thresholds, [[0.8, 0.425, 0.3, 0.175, 0.3, 0.175, 0.3]], rtol=1e-14)
    assert (made.kept.tolist(), literal.kept.tolist()) == ([[1, 1, 1, 1, 1, 3]], [[0, 1, 1, 3, 1, 3]])


@pytest.mark.parametrize("small", [0, 10**9], ids=["compiled", "reference"])
def test_ties_are_kept_and_of_equal_tokens_the_first(monkeypatch, small):
    """Uniform laws, whose masses are exact."""
    monkeypatch.setattr(paths, "SMALL", small)
    flat = Model(scale=0)
    assert paths.synthetic_paths(texts(1, 1), 1, 4096, flat, Rule(2.0**-12, 1, 0)).kept.tolist() == [[4096]]
    for keep_top, kept in ((True, 1), (False, 0)):
        rule = Rule(np.nextafter(2.0**-12, 1), 1, 0, keep_top)
        made = paths.synthetic_paths(texts(2, 1), 1, 4096, flat, rule)
        assert made.kept.tolist() == [[kept]] * 2
        assert made.dropped.tolist() == [[1 - 2.0**-12 if keep_top else 1.0]] * 2


@pytest.mark.parametrize("df", [INF, 3.0, 0.5])
@pytest.mark.parametrize("keep_top", [True, False])
@pytest.mark.parametrize("vocab", [1, 2, 63, 64, 65, 257, 600, 1024, 2100])
def test_synthetic_paths_are_the_references_bit_for_bit(vocab, keep_top, df):
    length = 40 if vocab > 100 else 4096 // (3 * vocab) + 1
    same(*both(texts(3, length, 3), length, vocab, Model(df), RULE._replace(keep_top=keep_top)))


@settings(max_examples=50)
@given(
    key=st.integers(0, 2**64 - 1),
    vocab=st.integers(30, 300),
    first_row=st.sampled_from([0, 5, 2**32 - 10, 2**63]),
    df=st.sampled_from([INF, 2.0**60, 5.0, 0.5]),
    seed=st.integers(0, 99),
    threshold=st.floats(-0.1, 1.1),
    keep_top=st.booleans(),
)
def test_random_settings_give_the_same_bits(key, vocab, first_row, df, seed, threshold, keep_top):
    rng = np.random.default_rng(seed)
    location, scale = rng.normal(size=vocab), rng.exponential(size=vocab)
    edges = threshold + rng.normal(size=3) / 50
    length = 4096 // (3 * vocab) + 1
    draws, rule = texts(3, length, key, first_row), RULE._replace(threshold=edges, keep_top=keep_top)
    same(*both(draws, length, vocab, Model(df, location, scale), rule))


@pytest.mark.parametrize("df", [INF, 4.0])
def test_the_laws_are_those_of_synthetic_logits(df):
    rows = reference.Rows(7, df, np.linspace(-1, 1, 50), np.linspace(0, 2, 50), 11, 6, 2)
    z = reference.logits(rows, np.arange(11, 23))
    draws, settings = drawn(12, 7, 11, (2,)), {"location": rows.location, "scale": rows.scale}
    expected = gaussian(draws, 50, **settings) if df == INF else student_t(draws, 50, df=df, **settings)
    np.testing.assert_array_equal(z, expected)
    t = z.max(axis=-1, keepdims=True) - z
    assert (np.abs(reference.softmax(z) / laws.softmax(z) - 1) <= 2 * paths.law_bound(50, t)).all()


# ---- the methods, decision by decision ----


def disagreements(made, other, bound):
    """Decisions where laws `other` (S, T, V) keep other tokens at the same threshold; each must be near a tie.

    A decision that differs is counted and the path goes on with the reference's choice, as thresholds are those of
    `made`.  Where the decisions agree the dropped masses must too.
    """
    found = 0
    for n in range(other.shape[1]):
        q, edge = other[:, n], made.thresholds[:, n, None]
        mask = q >= edge
        empty = np.flatnonzero(~mask.any(axis=1))
        mask[empty, q[empty].argmax(axis=1)] = True
        kept = mask.sum(axis=1)
        differ = kept != made.kept[:, n]
        near = (np.abs(q - edge) <= bound * q).sum(axis=1)
        assert (np.abs(kept - made.kept[:, n]) <= near).all()
        found += differ.sum()
        dropped = np.where(mask, 0, q).sum(axis=1)
        assert (np.abs(dropped - made.dropped[:, n])[~differ] <= bound + 1e-15).all()
    return int(found)


@pytest.mark.parametrize("df", [INF, 3.0])
def test_paths_over_ordinary_softmax_decide_alike_up_to_ties(df):
    made, _ = both(texts(16, 50, 3), 50, 1024, Model(df), RULE)
    z = gaussian(drawn(800, 3), 1024) if df == INF else student_t(drawn(800, 3), 1024, df=df)
    q = laws.softmax(z).reshape(16, 50, 1024)
    bound = 2 * paths.law_bound(1024, 30.0)
    assert disagreements(made, q, bound) == 0  # a tie within 2e-14 has a chance of about 1e-8 here
    drafted = csqs.draft_thresholds(q, 5e-4, 5e-4, 0.1)
    np.testing.assert_array_equal(drafted.masks.sum(axis=-1), made.kept)
    assert np.abs(drafted.thresholds - made.thresholds).max() <= 50 * 5e-4 * 2 * bound + 1e-16


def test_a_coarser_law_parts_from_the_path_at_ties_only_and_a_wrong_one_is_noticed():
    made, _ = both(texts(16, 40, 3), 40, 1024, Model(), RULE)
    q = laws.softmax(gaussian(drawn(640, 3), 1024)).reshape(16, 40, 1024)
    half = q.astype(np.float16).astype(np.float64)
    assert 10 < disagreements(made, half, 2.0**-11) < 100  # of 640: some 230 tokens a unit of log q, off by 2^-12
    with pytest.raises(AssertionError):
        disagreements(made, half, 1e-6)
    with pytest.raises(AssertionError):
        disagreements(made, q[:, ::-1], 2.0**-11)


# ---- threads, batches, replay ----


@pytest.mark.parametrize("df", [INF, 3.0])
def test_neither_threads_nor_the_batch_change_a_bit(df):
    draws, model, rule = texts(13, 30, 9), Model(df), Rule(0.01, 0.05, 0.1)
    whole = paths.synthetic_paths(draws, 30, 1000, model, rule, threads=1)
    for threads in (2, 3, 8):
        same(paths.synthetic_paths(draws, 30, 1000, model, rule, threads=threads), whole)
    part = paths.synthetic_paths(texts(4, 30, 9, 150), 30, 1000, model, rule)
    same(part, (x[5:9] for x in whole))
    ends, at = draws._replace(rows=range(20, 20 + 13 * 30, 30)), rule._replace(threshold=whole.thresholds[:, 20])
    late = paths.synthetic_paths(ends, 10, 1000, model, at)  # the last ten tokens of every text
    same(late, (x[:, 20:] for x in whole))


def test_nothing_to_do():
    for number, length in ((0, 5), (5, 0), (0, 0)):
        made = paths.synthetic_paths(texts(number, length), length, 3, Model(), Rule(0.1, 1, 0))
        assert [x.shape for x in made] == [(number, length + 1), (number, length), (number, length)]


def test_laws_are_not_stored():
    given = texts(4, 100), 100, 1000, Model(), Rule(0.1, 0.1, 0.1)
    paths.synthetic_paths(*given, threads=1)
    tracemalloc.start()
    paths.synthetic_paths(*given, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 100 * 20 + 4 * 8 + 40 * 1024 + 50_000 < 4 * 100 * 1000 * 8 / 10


@pytest.mark.parametrize("arrays", [False, True])
def test_memory_is_what_the_module_says(arrays):
    """16 V bytes a call and 24 V bytes a thread: Python counts the compiled code's memory too."""
    vocab = 1_999_872  # whole 1024
    model = Model(location=np.zeros(vocab), scale=np.ones(vocab)) if arrays else Model()
    draws, rule = texts(1, 1), Rule(0.1, 0.1, 0.1)
    paths.synthetic_paths(draws, 1, 5000, Model(), rule, threads=1)
    tracemalloc.start()
    paths.synthetic_paths(draws, 1, vocab, model, rule, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 40 * vocab <= peak < 40 * vocab + 2**17


# ---- the pieces ----


def test_exponential_is_within_two_units_and_the_same_compiled():
    x = np.concatenate([np.linspace(-708, 0, 20_001), np.linspace(-2, 0, 20_001)])
    exact = np.exp(x.astype(np.longdouble))
    assert (np.abs(reference.exp(x) / exact - 1) <= 2 * 2.0**-52).all()
    assert reference.exp(np.array([0.0, -800.0, -np.inf])).tolist() == [
        1.0,
        *[float(reference.exp(np.float64(-708)))] * 2,
    ]
    law, lanes = np.empty(500), np.empty(64)
    z = np.linspace(-30, 0, 500)
    _law(z, law, lanes)
    np.testing.assert_array_equal(law, reference.softmax(z[None])[0])


@kernel
def _law(z, law, lanes):
    paths_loops._law(z, law, lanes)


@pytest.mark.parametrize("vocab", [1, 63, 64, 65, 1000, 32_000])
def test_lane_sum(vocab):
    x = laws.softmax(gaussian(drawn(3, 1), vocab, scale=3))
    exact = np.array([math.fsum(row) for row in x])
    assert (np.abs(reference.lane_sum(x) / exact - 1) <= 2.0**-53 * (vocab / 64 + 7)).all()


# ---- refusals ----


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": -1}, "length: -1"),
        ({"vocab": 0}, "vocab: 0"),
        ({"draws": Draws(-1, range(2))}, "key: -1"),
        ({"draws": Draws(0, range(2), (2**32,))}, "purposes: 4294967296"),
        ({"draws": Draws(0, range(2), dtype=np.float32)}, "dtype: float32; expected float64"),
        ({"draws": texts(2, 2, first=2**64 - 3)}, "rows: .* below 2.64"),
        ({"draws": Draws(0, range(2, 0, -1))}, "rows: .* that rises"),
        ({"draws": Draws(0, [2, 4])}, "rows: .* expected a range"),
        ({"model": Model(0.01)}, "df: 0.01"),
        ({"model": Model(math.nan)}, "df: nan"),
        ({"model": Model(scale=-1)}, "scale: -1; expected finite numbers, at least 0"),
        ({"model": Model(scale=1e308)}, "do not overflow"),
        ({"model": Model(0.065, scale=1e200)}, "do not overflow"),
        ({"model": Model(location=np.nan)}, "location: nan"),
        ({"model": Model(location=np.zeros(2))}, r"location has shape \(2,\)"),
        ({"rule": RULE._replace(threshold=np.nan)}, "threshold: nan"),
        ({"rule": RULE._replace(threshold=np.zeros(3))}, "one for each of 2 texts"),
        ({"rule": RULE._replace(step_size=0)}, "step_size: 0"),
        ({"rule": RULE._replace(step_size=np.nan)}, "step_size: nan"),
        ({"rule": RULE._replace(dropped_target=1.5)}, "dropped_target: 1.5"),
    ],
)
def test_bad_arguments(change, message):
    good = {"draws": texts(2, 2), "length": 2, "vocab": 3, "model": Model(), "rule": RULE}
    with pytest.raises(ValueError, match=message):
        paths.synthetic_paths(**(good | change))


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, [0.5, math.inf]], ids=str)
def test_a_threshold_that_no_update_brings_back_is_refused(bad):
    with pytest.raises(ValueError, match="threshold: .*; expected a finite number"):
        paths.synthetic_paths(texts(2, 3), 3, 4, Model(), Rule(bad, 0.1, 0.1))
