"""Counter-based random numbers: known answers, layout, bits that nothing else can change, laws of the draws.

Every statistical test runs on a fixed key, so it cannot flicker: the false-alarm rate it states (ALARM) is the share of keys
on which a correct generator would fail it. Beside each stands a broken generator that the same test must catch.
"""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simspec.kernels import random as philox
from simspec.kernels.random import core as philox_core
from simspec.kernels.random import keys as keys_module

ALARM = 1e-6
CLAMPED_ROW, CLAMPED = 77, [573_060]  # under key 0 word 0 is 0xffffffe6, within 2**-26 of 1
LOW = 2**32 - 1
KNOWN = [  # Random123, kat_vectors: counter, key, answer
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
DRAWS: dict[str, Any] = {
    "uniform": lambda key, rows, tokens, purpose=0, **kw: philox.uniform(key, rows, tokens, purpose, **kw),
    "word 3": lambda key, rows, tokens, purpose=0, **kw: philox.uniform(key, rows, tokens, purpose, word=3, **kw),
    "normal": lambda key, rows, tokens, purpose=0, **kw: philox.normal(key, rows, tokens, purpose, **kw),
    "t, df 0.3": lambda key, rows, tokens, purpose=0, **kw: philox.student_t(key, rows, tokens, purpose, df=0.3, **kw),
    "t, df 3": lambda key, rows, tokens, purpose=0, **kw: philox.student_t(key, rows, tokens, purpose, df=3, **kw),
    "t, df 1e9": lambda key, rows, tokens, purpose=0, **kw: philox.student_t(key, rows, tokens, purpose, df=1e9, **kw),
}
keys = st.integers(0, 2**64 - 1)
word32 = st.integers(0, LOW)


def slow(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 as Salmon et al. print it, on Python integers: swap and mix, then bump the key."""
    left0, right0, left1, right1 = counter[1], counter[0], counter[3], counter[2]
    for r in range(10):
        k0, k1 = (key[0] + r * 0x9E3779B9) % 2**32, (key[1] + r * 0xBB67AE85) % 2**32
        low0, high0 = right0 * 0xD2511F53 % 2**32, right0 * 0xD2511F53 // 2**32
        low1, high1 = right1 * 0xCD9E8D57 % 2**32, right1 * 0xCD9E8D57 // 2**32
        right0, left0, right1, left1 = high1 ^ k0 ^ left0, low1, high0 ^ k1 ^ left1, low0
    return [right0, left0, right1, left1]


# ---- integers ----


def printed(counter: list[int], key: list[int]) -> list[int]:
    """The words of a counter and a key as Salmon et al. number them, by the function that gives all draws."""
    token, row_low, row_high, purpose = counter
    return philox.words(key[0] | key[1] << 32, [row_low | row_high << 32], [token], purpose)[0, 0].tolist()


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers(counter: str, key: str, answer: str) -> None:
    c, k = [int(w, 16) for w in counter.split()], [int(w, 16) for w in key.split()]
    assert " ".join(f"{w:08x}" for w in printed(c, k)) == answer
    assert " ".join(f"{w:08x}" for w in slow(c, k)) == answer


@given(st.lists(word32, min_size=4, max_size=4), st.lists(word32, min_size=2, max_size=2))
def test_rounds_equal_the_printed_algorithm(counter: list[int], key: list[int]) -> None:
    assert printed(counter, key) == slow(counter, key)


@given(keys, st.integers(0, 2**64 - 1), word32, word32)
def test_counter_and_key_layout(key: int, row: int, token: int, purpose: int) -> None:
    got = philox.words(key, [row], [token], purpose)
    assert got.shape == (1, 1, 4) and got.dtype == np.uint32
    assert got[0, 0].tolist() == slow([token, row & LOW, row >> 32, purpose], [key & LOW, key >> 32])


@given(keys, st.integers(0, 2**64 - 9), st.integers(1, 4), st.sampled_from([1, 2, -1, -2]))
def test_ranges_are_lists(key: int, start: int, length: int, step: int) -> None:
    rows = range(start, start + length * step, step) if step > 0 else range(start + 8, start + 8 + length * step, step)
    tokens = range(5, 5 - length, -1)
    assert (philox.words(key, rows, tokens) == philox.words(key, list(rows), list(tokens))).all()


def test_key_is_the_hash_of_version_seed_study_and_cell() -> None:
    text = b'[2,7,"step",{"df":2.5,"vocab":10}]'
    assert keys_module.VERSION == 2
    expected = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
    assert philox.make_key(7, "step", {"vocab": 10, "df": 2.5}) == expected
    assert philox.make_key(7, "step", (1, 2)) == philox.make_key(7, "step", [1, 2])
    assert 0 <= expected < 2**64


def test_keys_of_different_cells_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[Any] = [0, 1, "1", 1.5, None, True, [1], {}]
    cells = [(s, n, c) for s in (0, 1, 2**64 - 1) for n in ("a", "b", "") for c in values]
    assert len({philox.make_key(*cell) for cell in cells}) == len(cells)
    before = philox.make_key(0, "a", 0)
    monkeypatch.setattr(keys_module, "VERSION", 3)
    assert philox.make_key(0, "a", 0) != before


# ---- bits that neither batch, engine nor threads change ----


@pytest.mark.parametrize("name", DRAWS)
@given(key=keys, start=st.integers(0, 2**64 - 9), cut=st.integers(0, 8), data=st.data())
def test_any_split_gives_the_same_bits(name: str, key: int, start: int, cut: int, data: st.DataObject) -> None:
    draw, rows, tokens = DRAWS[name], range(start, start + 8), range(7)
    whole = draw(key, rows, tokens)
    assert (np.concatenate([draw(key, rows[:cut], tokens), draw(key, rows[cut:], tokens)]) == whole).all()
    chosen = data.draw(st.lists(st.integers(0, 7), max_size=4)), data.draw(st.lists(st.integers(0, 6), max_size=4))
    some = draw(key, [start + i for i in chosen[0]] or range(0), chosen[1])
    assert (some == whole[chosen[0]][:, chosen[1]]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", DRAWS)
def test_compiled_loop_equals_numpy(name: str, dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (0x9ABCDEF012345678, [0, 1, 2**32 - 1, 2**64 - 1], range(2**32 - 20_011, 2**32), 2**32 - 1)
    calls: list[str] = []
    loops = philox_core.compiled()

    def compiled_loops() -> dict[str, Any]:
        calls.append(name)
        return loops

    monkeypatch.setattr(philox_core, "compiled", compiled_loops)
    compiled = DRAWS[name](*arguments, dtype=dtype)
    assert calls == [name]
    monkeypatch.setattr(philox, "_SMALL", 10**9)
    reference = DRAWS[name](*arguments, dtype=dtype)
    assert calls == [name] and compiled.dtype == reference.dtype == dtype
    assert (compiled == reference).all()
    row = DRAWS[name](arguments[0], arguments[1][2:3], arguments[2][-100:], arguments[3], dtype=dtype)
    assert (compiled[2:3, -100:] == row).all()


def test_threads_do_not_change_bits() -> None:
    import numba

    every = philox.normal(3, range(3), range(30_000))
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert (philox.normal(3, range(3), range(30_000)) == every).all()
    finally:
        numba.set_num_threads(before)


def test_float32_is_float64_rounded_once() -> None:
    for draw in (DRAWS["normal"], DRAWS["t, df 3"]):
        assert (
            draw(5, range(4), range(999), dtype=np.float32) == draw(5, range(4), range(999)).astype(np.float32)
        ).all()


def test_small_requests_do_not_load_numba() -> None:
    code = "import sys; from simspec.kernels import random; random.normal(0, range(9), range(9)); print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# ---- floats ----


@pytest.mark.parametrize("tokens", [10, 5000], ids=["NumPy", "compiled"])
def test_each_draw_reads_its_words(tokens: int) -> None:
    w = philox.words(6, [3], range(tokens), 2)
    for i in range(4):
        assert (philox.uniform(6, [3], range(tokens), 2, word=i) == (w[..., i] + 0.5) / 2**32).all()


WORDS = ((0, 1), (2, 3))
STARTS = [0, 256, 512, 768, 1024, 2**31, 2**32 - 1024, 2**32 - 256]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("few", [10, 256], ids=["some", "all"])
def test_tokens_that_share_a_counter(start: int, few: int) -> None:
    """Bit 8 of a token picks the words of a counter without that bit, and bit 9 of a normal sine or cosine."""
    tokens = range(start, start + few)
    radius, angle = WORDS[start >> 8 & 1]
    w = philox.words(6, [3], [x & ~256 for x in tokens], 2)
    t = philox.student_t(6, [3], tokens, 2, df=2)
    assert (t == philox_core.bailey(w[..., radius], w[..., angle], np.float64(2))).all()
    w = philox.words(6, [3], [x & ~768 for x in tokens], 2)
    wave = philox_core.cosine if start >> 9 & 1 else philox_core.sine
    expected = philox_core.normal_radius(w[..., radius]) * wave(w[..., angle])
    assert (philox.normal(6, [3], tokens, 2) == expected).all()


def test_normals_of_a_counter_by_the_formula() -> None:
    z = philox.normal(8, [5], [1, 257, 513, 769])[0]
    for pair, (radius, angle) in enumerate(WORDS):
        u, v = (philox.uniform(8, [5], [1], word=word)[0, 0] for word in (radius, angle))
        size = math.sqrt(-2 * math.log(u))
        assert z[pair] == pytest.approx(size * math.sin(math.pi * (v - 0.5)), rel=1e-14)
        sign = -1 if philox.words(8, [5], [1])[0, 0, angle] % 2 else 1
        assert z[pair + 2] == pytest.approx(sign * size * math.cos(math.pi * (v - 0.5)), rel=1e-14)
        assert z[pair] ** 2 + z[pair + 2] ** 2 == pytest.approx(size**2, rel=1e-14)


@pytest.mark.parametrize("tokens", [CLAMPED, range(CLAMPED[0] - 5000, CLAMPED[0] + 1)], ids=["NumPy", "compiled"])
def test_float32_uniform_never_reaches_one(tokens) -> None:
    exact = philox.uniform(0, [CLAMPED_ROW], tokens)[0, -1]
    assert np.float32(exact) == 1  # what rounding alone would give
    assert philox.uniform(0, [CLAMPED_ROW], tokens, dtype=np.float32)[0, -1] == 1 - 2.0**-24


def test_float32_uniform_keeps_the_lower_tail() -> None:
    exact = philox.uniform(0, range(4), range(1000))
    assert abs(philox.uniform(0, range(4), range(1000), dtype=np.float32) / exact - 1).max() <= 2.0**-24


# ---- ends of the tails and of the degrees of freedom ----


def test_smallest_degrees_of_freedom_stay_finite() -> None:
    radius, angle = np.array([0], dtype=np.uint32), np.array([LOW], dtype=np.uint32)
    assert np.isfinite(philox_core.bailey(radius, angle, np.float64(0.065)))[0]
    assert np.isfinite(philox_core.bailey(radius, angle, np.float64(0.26)).astype(np.float32))[0]
    w = philox.reduced_chi_square(0, range(2000), df=0.065)
    assert np.isfinite(w).all() and (w > 0).all()


def test_infinite_degrees_of_freedom_are_normal() -> None:
    z = philox.normal(4, range(3), range(50))
    for df in (math.inf, 2.0**60, 10**30):
        assert (philox.student_t(4, range(3), range(50), df=df) == z).all()
        assert philox.reduced_chi_square(4, range(3), df=df).tolist() == [1, 1, 1]
    w = philox.words(4, range(3), range(50))
    nearly = philox_core.bailey(w[..., 0], w[..., 1], np.float64(2.0**59))
    np.testing.assert_allclose(nearly, philox_core.box_muller(w[..., 0], w[..., 1]), rtol=1e-15)


def _tail_pvalue(count: int, draws: int, share: float) -> float:
    return stats.binomtest(count, draws, share).pvalue


def test_tail_frequencies() -> None:
    rows, tokens = range(20), range(200_000)
    z = np.abs(philox.normal(11, rows, tokens))
    t = np.abs(philox.student_t(12, rows, tokens, df=1))
    for cut in (3.0, 4.0, 5.0):
        assert _tail_pvalue(int((z > cut).sum()), z.size, 2 * stats.norm.sf(cut)) > ALARM
    for cut in (1e2, 1e4, 1e5):
        assert _tail_pvalue(int((t > cut).sum()), t.size, 2 * stats.cauchy.sf(cut)) > ALARM
    assert _tail_pvalue(int((1.03 * z > 4).sum()), z.size, 2 * stats.norm.sf(4)) < ALARM  # a scale wrong by 3 %
    assert _tail_pvalue(int((np.sqrt(t) > 1e2).sum()), t.size, 2 * stats.cauchy.sf(1e2)) < ALARM  # a lost tail


def test_tails_to_one_in_ten_million() -> None:
    """Ten draws in 1e8 are expected outside; a scale wrong by 5 % gives 40."""
    cut, rows = float(stats.norm.isf(5e-8)), range(50)
    outside, wrong, draws = 0, 0, 0
    for block in range(10):
        z = philox.normal(13 + block, rows, range(200_000), dtype=np.float32)
        np.abs(z, out=z)
        outside, wrong = outside + int((z > cut).sum()), wrong + int((z > cut / 1.05).sum())
        draws += z.size
    assert draws == 1e8
    assert _tail_pvalue(outside, draws, 1e-7) > ALARM
    assert _tail_pvalue(wrong, draws, 1e-7) < ALARM


# ---- laws ----

N = 60_000
SOUND: dict[str, Any] = {
    **{
        f"word {w}": (lambda w=w: philox.uniform(21, range(30), range(N // 30), word=w), stats.uniform.cdf)
        for w in range(4)
    },
    "normal": (lambda: philox.normal(22, range(30), range(N // 30)), stats.norm.cdf),
    "normal, second words": (lambda: philox.normal(22, range(240), range(256, 512)), stats.norm.cdf),
    "normal, cosines": (lambda: philox.normal(22, range(240), range(512, 768)), stats.norm.cdf),
    "normal, cosines of the second words": (lambda: philox.normal(22, range(240), range(768, 1024)), stats.norm.cdf),
    "t 2.5, second words": (lambda: philox.student_t(23, range(240), range(256, 512), df=2.5), stats.t(2.5).cdf),
    "normal over rows": (lambda: philox.normal(22, range(N), [2**31]), stats.norm.cdf),
    **{
        f"t {df}": (lambda df=df: philox.student_t(23, range(30), range(N // 30), df=df), stats.t(df).cdf)
        for df in (0.1, 1, 2.5, 30)
    },
    **{
        f"chi-square {df}": (lambda df=df: philox.reduced_chi_square(24, range(N), df=df) * df, stats.chi2(df).cdf)
        for df in (0.2, 1, 2, 3, 50, 1e5)
    },
}


def _words(purpose: int = 0) -> np.ndarray:
    return philox.words(25, range(30), range(N // 30), purpose)


BROKEN: dict[str, Any] = {
    "a cosine without its sign": (lambda: np.abs(philox.normal(22, range(240), range(512, 768))), stats.norm.cdf),
    "uniform that ends at 0.98": (lambda: philox_core.unit(_words()[..., 0]) * 0.98, stats.uniform.cdf),
    "one word for radius and angle": (
        lambda: philox_core.box_muller(_words()[..., 0], _words()[..., 0]),
        stats.norm.cdf,
    ),
    "half the angle": (
        lambda: philox_core.box_muller(_words()[..., 0], _words()[..., 1] // np.uint32(2)),
        stats.norm.cdf,
    ),
    "exponent 1/df": (lambda: philox.student_t(23, range(30), range(N // 30), df=5), stats.t(2.5).cdf),
    "normal for t": (lambda: philox.normal(23, range(30), range(N // 30)), stats.t(5).cdf),
    "chi-square without boost": (lambda: philox.reduced_chi_square(24, range(N), df=2.2) * 0.2, stats.chi2(0.2).cdf),
}


@pytest.mark.parametrize("name", SOUND)
def test_law_of_the_draws(name: str) -> None:
    draw, cdf = SOUND[name]
    assert stats.kstest(draw().ravel(), cdf).pvalue > ALARM


@pytest.mark.parametrize("name", BROKEN)
def test_law_test_catches_a_broken_generator(name: str) -> None:
    draw, cdf = BROKEN[name]
    assert stats.kstest(draw().ravel(), cdf).pvalue < ALARM


def _correlation_pvalue(a: np.ndarray, b: np.ndarray) -> float:
    """Two-sided p-value of zero correlation between two samples of independent standard normals."""
    return float(stats.pearsonr(a.ravel(), b.ravel()).pvalue)


def test_neighbours_are_uncorrelated() -> None:
    def z(key=26, first_row=0, purpose=0, first_token=0):
        return philox.normal(key, range(first_row, first_row + 30), range(first_token, first_token + N // 30), purpose)

    base = z()
    neighbours = [
        base[1:],
        base[:, 1:],
        z(purpose=1),
        z(key=27),
        z(first_row=2**32),
        z(key=26 + 2**32),
        z(first_token=2**31),
    ]
    for other in neighbours:
        assert _correlation_pvalue(base[: other.shape[0], : other.shape[1]], other) > ALARM
        assert _correlation_pvalue(base[: other.shape[0], : other.shape[1]] ** 2, other**2) > ALARM
    mixed = 0.97 * z(purpose=1) + 0.25 * base  # a purpose that leaks into the next
    assert _correlation_pvalue(base, mixed) < ALARM


LEFT, RIGHT = range(256), (256, 512, 768)  # tokens, and how far off those lie that share their counters


def _dependence_pvalue(a: np.ndarray, b: np.ndarray) -> float:
    """Smallest p-value, times their number, of tests that two samples of symmetric draws are independent.

    Correlations of the normal scores of the draws, of their sizes, and of size with draw; both signs in common; tails in
    common (each beyond the outer 2 %).
    """
    a, b = a.ravel(), b.ravel()
    signs = stats.binomtest(int(((a > 0) == (b > 0)).sum()), a.size).pvalue
    x, y, size_x, size_y = (stats.norm.ppf((stats.rankdata(v) - 0.5) / a.size) for v in (a, b, np.abs(a), np.abs(b)))
    pairs = [(x, y), (size_x, size_y), (x, size_y), (size_x, y)]
    outer = stats.norm.isf(0.02)
    both = [(x > outer) & (y > outer), (x > outer) & (y < -outer), (size_x > outer) & (size_y > outer)]
    tails = [stats.binomtest(int(tail.sum()), a.size, 0.02**2).pvalue for tail in both]
    found = [signs, *(_correlation_pvalue(*pair) for pair in pairs), *tails]
    return len(found) * float(min(found))


@pytest.mark.parametrize("df", [1.0, 4.0, math.inf])
def test_draws_of_one_counter_are_independent(df: float) -> None:
    def draw(first: int) -> np.ndarray:
        return philox.student_t(27, range(400), range(first, first + 256), df=df)

    runs = [draw(first) for first in (0, *RIGHT)]
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[:i]]
    assert len(pairs) * min(_dependence_pvalue(a, b) for a, b in pairs) > ALARM
    if df == math.inf:  # sums of all four, by other signs, are normal again
        for signs in ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1)):
            total = sum(sign * run for sign, run in zip(signs, runs, strict=True))
            assert stats.kstest(total.ravel() / 2, stats.norm.cdf).pvalue > ALARM


def _shared(df: float, sign: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two draws of one radius, at right angles."""
    w = philox.words(27, range(400), LEFT)
    radius, angle = w[..., 0], w[..., 1]
    first = philox_core.bailey(radius, angle, np.float64(df))
    return first, first / philox_core.sine(angle) * np.abs(philox_core.cosine(angle)) * sign(angle)


@pytest.mark.parametrize(
    "pair",
    [
        lambda: (philox.normal(27, range(400), LEFT),) * 2,  # the same words twice
        lambda: _shared(4.0, philox_core.sign),  # Student-t draws of one radius
        lambda: _shared(1e9, lambda angle: np.sign(philox_core.turn(angle))),  # a sign that is the other's
    ],
    ids=["same words", "t of one radius", "one sign"],
)
def test_dependence_is_caught(pair: Any) -> None:
    assert _dependence_pvalue(*pair()) < ALARM


# ---- bad input ----


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: philox.make_key(-1, "s", 0), "seed: -1; expected an integer from 0 to 18446744073709551615"),
        (lambda: philox.make_key(0, 3, 0), "study: 3; expected a string"),  # type: ignore[arg-type]
        (lambda: philox.make_key(0, "s", np.arange(2)), r"cell: array\(\[0, 1\]\); expected strings"),
        (lambda: philox.make_key(0, "s", [math.nan]), r"cell: \[nan\]; expected strings, finite numbers"),
        (lambda: philox.words(2**64, [0], [0]), "key: 18446744073709551616; expected"),
        (lambda: philox.words(True, [0], [0]), "key: True; expected an integer"),
        (lambda: philox.words(0, [-1], [0]), "rows: -1; expected"),
        (lambda: philox.words(0, range(2**64 - 1, 2**64 + 1), [0]), "rows: 18446744073709551616; expected"),
        (lambda: philox.words(0, [[0]], [0]), r"rows has shape \(1, 1\): expected one axis"),
        (lambda: philox.words(0, [0.5], [0]), "rows: 0.5; expected an integer"),
        (lambda: philox.words(0, np.array([0.5]), [0]), "rows has dtype float64: expected integers"),
        (lambda: philox.words(0, np.array([3, -2]), [0]), "rows: -2; expected an integer"),
        (lambda: philox.words(0, [0], [2**32]), "tokens: 4294967296; expected"),
        (lambda: philox.words(0, [0], [0], -1), "purpose: -1; expected"),
        (lambda: philox.uniform(0, [0], [0], word=4), "word: 4; expected an integer from 0 to 3"),
        (lambda: philox.uniform(0, [0], [0], dtype=np.float16), "dtype: float16; expected float32 or float64"),
        (lambda: philox.student_t(0, [0], [0], df=0), "df: 0; expected a number >= 0.065"),
        (lambda: philox.student_t(0, [0], [0], df=math.nan), "df: nan; expected a number >= 0.065"),
        (lambda: philox.student_t(0, [0], [0], df=0.2, dtype=np.float32), "df: 0.2; expected a number >= 0.26"),
        (lambda: philox.reduced_chi_square(0, [0], df=-1), "df: -1; expected a number"),
        (lambda: philox.reduced_chi_square(0, [0], df=1, first_token=2**32), "tokens: 4294967296; expected"),
    ],
)
def test_bad_input_is_named(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_empty_requests() -> None:
    assert philox.normal(0, range(0), range(3)).shape == (0, 3)
    assert philox.uniform(0, [], []).shape == (0, 0)
    assert philox.reduced_chi_square(0, [], df=1).shape == (0,)
