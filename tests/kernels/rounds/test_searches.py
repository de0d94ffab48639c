"""What rows of a list look up together, against the references that define it: further drafts, masses, last tokens."""

import numpy as np
import pytest

from simspec.kernels.compiled import kernel
from simspec.kernels.rounds import groups
from simspec.kernels.rounds.block import packed, reference
from simspec.kernels.rounds.numba_rounds import guided
from simspec.kernels.rounds.reference import cdf
from simspec.kernels.rounds.several import distinct
from simspec.kernels.rounds.several.reference import another

WORDS = 2**32


@kernel
def _drawn(law, cells, own, m, low, high, count, rest, parts, ratio, shift):
    distinct._others((law, cells), own, m, low, high, count, (rest, parts, ratio), shift)


def draw(law, tried, words, rest):
    """Tokens that words draw outside tokens tried, in the order in which they were tried; those between which sums each lies."""
    table, m, count = cdf(law)[None], len(words), len(tried)
    cells, own = distinct.cells(table, np.arange(1.0, len(law) + 1)[None]), groups.group()
    low, high = np.zeros((2, count + 1, groups.TOGETHER))
    for i, x in enumerate([*sorted(tried[:-1]), tried[-1]]):  # all but the last rise
        low[i], high[i] = cells[0, x, 0], cells[0, x + 1, 0]
    numbers = np.zeros((3, groups.TOGETHER))
    numbers[0], own.words[0][:m] = rest, words
    made = guided(table)
    _drawn(made, cells, own, m, low, high, count, *numbers, np.uint32(32 - (made.guide.shape[1] - 2).bit_length()))
    assert (np.diff(low[:count, :m], axis=0) > 0).all()
    return own.x[:m].tolist(), numbers[2, :m], low[count, :m], high[count, :m], cells[0]


@pytest.mark.parametrize("vocab", [3, 40, 3000])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_draft_outside_those_tried_is_that_of_the_reference(vocab, sparse) -> None:
    """At random words and at those around every edge, where rounding a part down to a word leads to another token."""
    rng = np.random.default_rng([vocab, sparse])
    for count in range(1, min(vocab - 1, 7) + 1):
        law = rng.dirichlet(np.full(vocab, 0.3))
        law[(rng.random(vocab) < 0.3) & sparse] = 0
        law[:3] += 1e-3
        table = cdf(law)
        had = np.flatnonzero(law > 0)
        tried = rng.permutation(had)[: min(count, len(had) - 1)].tolist()
        rest = 1 - sum(float(table[x] - (table[x - 1] if x else 0)) for x in tried)
        edges = np.concatenate([[another(table, tried, 0.0)], rng.permutation(table)[:30] / max(rest, 1e-9)])
        near = (edges[1:, None] * WORDS + np.arange(-2, 3)).ravel()
        words = np.concatenate([[0, WORDS - 1], near[(near >= 0) & (near < WORDS)], rng.integers(0, WORDS, 200)])
        words = words[: groups.TOGETHER].astype(np.uint32)
        found, ratio, low, high, cells = draw(law, tried, words, rest)
        expected = [another(table, tried, (int(n) + 0.5) / WORDS * rest) for n in words]
        assert found == expected
        some = np.array(found) < vocab
        np.testing.assert_array_equal(ratio[some], np.array(found)[some] + 1)
        np.testing.assert_array_equal(low[some], cells[np.array(found)[some], 0])
        np.testing.assert_array_equal(high[some], cells[np.array(found)[some] + 1, 0])


def test_parts_that_a_word_does_not_tell_apart_and_a_part_beyond_all_sums() -> None:
    """Tokens of less mass than a word has, first and last ones among them, and no token where the whole mass was tried."""
    tiny = np.array([1e-12, 1e-13, 0.5, 1e-12, 1e-11, 0.5 - 1e-9, 2e-13, 1e-12])
    table, words = cdf(tiny), np.arange(0, 300, dtype=np.uint32)
    for tried in ([2], [5, 2], [2, 0, 5], [4, 2, 5]):
        for rest in (1e-14, 3e-12, 1e-11, 0.5, 1.0):
            found = draw(tiny, tried, words, rest)[0]
            assert found == [another(table, tried, (int(n) + 0.5) / WORDS * rest) for n in words]
    whole = draw(np.array([0.25, 0.75]), [1, 0], words, 0.5)[0]
    assert set(whole) == {2}


@kernel
def _firsts(rising, r, m, low, high, found):
    for c in range(m):
        found[c] = packed._first(rising, np.uint64(0), np.uint64(low[c]), np.uint64(high[c]), r[c])


def test_a_search_for_a_ratio_finds_what_bisection_finds() -> None:
    """Ties, infinite ratios, ranges longer and shorter than a window, and the end of the table."""
    rng = np.random.default_rng(8)
    for vocab, ties in ((1, 3), (7, 3), (8, 3), (60, 5), (60, 1000), (700, 40)):
        rising = np.sort(rng.integers(1, ties + 1, vocab) / ties)
        rising[vocab - vocab // 5 :] = np.inf
        r = rng.integers(1, 2 * ties, 300) / (2 * ties)
        many = np.searchsorted(rising, r)
        low, high = rng.integers(0, many + 1), np.minimum(many + rng.integers(0, 30, 300), vocab)
        found = np.zeros(300, np.int64)
        _firsts(rising[None], r, 300, low, high, found)
        np.testing.assert_array_equal(found, many)


@kernel
def _found(above, s, r, want, first, m, low, high):
    packed._places(above, s, r, want, first, m, low, high)


@pytest.mark.parametrize("noise", [1e-16, 1e-13, 0.3])
def test_places_of_a_list_are_those_of_the_reference(noise) -> None:
    """Where rounding lets the mass fall, too: both take the same steps; rows before the first are left as they are."""
    rng, m = np.random.default_rng(4), 200
    p = rng.dirichlet(np.full(300, 0.5))
    laws = reference.block_laws(p[None], (p * (1 + noise * rng.standard_normal(300)))[None], np.zeros(300, np.int64))
    r, u = 1 - rng.random(m) * np.where(rng.random(m) < 0.5, noise, 0.3), rng.random(m)
    many, missing = (np.array(x) for x in zip(*(reference.beyond(laws, 0, x) for x in r.tolist()), strict=True))
    low, high, s = np.full(m, -7, np.int32), many.astype(np.int32), np.zeros(m, np.int32)
    _found(np.stack([laws.above_p, laws.above_q], axis=-1), s, r, u * missing, 3, m, low, high)
    expected = [reference.place(laws, 0, *given) for given in zip(r.tolist(), u.tolist(), strict=True)]
    assert low[:3].tolist() == [-7] * 3 and low[3:].tolist() == expected[3:]


def test_a_place_is_the_first_above_its_part() -> None:
    """On masses that are exact in floats, against the definition: the first place whose mass is more than the part."""
    rng = np.random.default_rng(9)
    for vocab in (1, 2, 3, 5, 64, 129):
        p, q = (np.diff(np.sort(rng.integers(0, 2**20, vocab - 1)), prepend=0, append=2**20) / 2**20 for _ in range(2))
        laws = reference.block_laws(p[None], q[None], np.zeros(vocab, np.int64))
        for r in (0.25, 0.5, 0.75, 1.0):
            many, missing = reference.beyond(laws, 0, r)
            mass = r * laws.above_p[0] - laws.above_q[0]
            for u in rng.integers(0, 2**10, 20 * (missing > 0)) / 2**10:
                assert reference.place(laws, 0, r, u) == np.argmax(mass[:many] > u * missing)
