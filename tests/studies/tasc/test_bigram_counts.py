"""Counts of bigrams by hand, against the plain definitions, and thinning against every subset."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods.tasc.statistics import typical_set_size
from simspec.studies.tasc.bigram_counts import bigrams, covering, entropy_bits, spectrum, thinned

COUNTS = st.lists(st.integers(0, 50), min_size=1, max_size=30).filter(any)


def test_by_hand() -> None:
    found = bigrams(["to be or not to be", "be", "", "not to"])
    assert sorted(found.counts().tolist()) == [1, 1, 2, 2]  # to be twice, not to twice; be or, or not
    assert found.vocab == 4 and found.number == 4
    assert sorted(found.counts(np.array([0, 1, 1, 3])).tolist()) == [0, 0, 0, 3]
    spread = spectrum([2, 2, 1, 1])
    assert entropy_bits(spread) == pytest.approx(1 / 3 * log2(3) * 2 + 1 / 3 * log2(6))
    assert covering(spread) == 3 and covering(spread, 1) == 4 and covering(spread, 0.1) == 1


def test_none_across_texts_and_none_at_all() -> None:
    assert bigrams(["a b", "b c"]).counts().tolist() == [1, 1]
    empty = bigrams(["a", ""])
    assert empty.vocab == 0 and empty.counts().tolist() == []
    assert bigrams(["x y"], split=list).vocab == 2  # "x ", " y"


@given(st.lists(st.text("ab ", max_size=12), min_size=1, max_size=6))
def test_counts_are_those_of_a_plain_loop(texts) -> None:
    plain = Counter(pair for text in texts for pair in zip(text.split(), text.split()[1:], strict=False))
    assert sorted(bigrams(texts).counts().tolist()) == sorted(plain.values())


@given(COUNTS)
def test_entropy_is_that_of_the_law_in_bits(counts) -> None:
    law = np.array(counts) / sum(counts)
    assert entropy_bits(spectrum(counts)) == pytest.approx(float(laws.entropy(law)) / np.log(2), abs=1e-12)


@given(COUNTS, st.sampled_from([0.1, 0.5, 0.8, 0.95, 1]))
def test_coverage_is_the_size_of_the_typical_set(counts, share) -> None:
    found = covering(spectrum(counts), share)
    assert found == typical_set_size(np.array(counts), share)
    ranked = sorted(counts, reverse=True)
    least = next(n for n in range(len(counts) + 1) if sum(ranked[:n]) >= Fraction(str(share)) * sum(counts))
    assert found == least


def test_eighty_percent_is_read_as_a_decimal() -> None:
    for n in range(1, 2000):
        assert covering(spectrum([1] * 5 * n)) == 4 * n


@pytest.mark.parametrize("counts", [[3, 1], [2, 2, 1], [1, 1, 1, 1], [4, 2, 1]])
def test_thinning_is_the_mean_over_all_subsets(counts) -> None:
    occurrences = [t for t, c in enumerate(counts) for _ in range(c)]
    for size in range(1, len(occurrences) + 1):
        subsets = [Counter(s) for s in combinations(occurrences, size)]
        found = thinned(spectrum(counts), size)
        mean = Counter(k for s in subsets for k in s.values())
        for k, types in zip(found.kept.tolist(), found.types.tolist(), strict=True):
            assert types == pytest.approx(mean[k] / len(subsets), abs=1e-12)
        plain = np.mean([entropy_bits(spectrum(list(s.values()))) for s in subsets])
        assert entropy_bits(found) == pytest.approx(plain, abs=1e-12)
        assert found.total == pytest.approx(size)


@given(COUNTS, st.data())
def test_thinning_keeps_the_total_and_cannot_add_types(counts, data) -> None:
    whole = spectrum(counts)
    size = data.draw(st.integers(1, int(whole.total)))
    found = thinned(whole, size)
    assert found.total == pytest.approx(size)
    assert found.types.sum() <= whole.types.sum() * (1 + 1e-12)
    assert entropy_bits(found) <= entropy_bits(whole) + 1e-9
    same = thinned(whole, int(whole.total))
    assert same.kept.tolist() == whole.kept.tolist() and np.allclose(same.types, whole.types)


def test_thinning_a_large_sample_agrees_with_one_draw() -> None:
    """One draw of 20,000 from 200,000; the allowance is 6 standard deviations of its spread, a false alarm below 1e-8."""
    rng = np.random.default_rng(0)
    counts = np.bincount(np.minimum(rng.zipf(1.3, 200_000), 20_000))
    drawn = [spectrum(rng.multivariate_hypergeometric(counts, 20_000)) for _ in range(20)]
    found = thinned(spectrum(counts), 20_000)
    for value in (entropy_bits, covering):
        plain = np.array([value(d) for d in drawn])
        assert abs(value(found) - plain.mean()) < 6 * plain.std(ddof=1) / 20**0.5 + 0.5 * (value is covering)
    assert entropy_bits(spectrum(counts)) > entropy_bits(found) + 0.1  # without thinning the two would be far apart


@pytest.mark.parametrize("counts", [[], [0, 0], [-1, 2], [0.5, 0.5], [[1]]])
def test_counts_that_are_none(counts) -> None:
    with pytest.raises(ValueError, match="counts"):
        spectrum(np.array(counts))


def test_shares_and_sizes_that_are_none() -> None:
    for share in (0, 1.1, -1):
        with pytest.raises(ValueError, match="share"):
            covering(spectrum([1]), share)
    for size in (0, 4):
        with pytest.raises(ValueError, match="expected 1 to 3"):
            thinned(spectrum([2, 1]), size)
