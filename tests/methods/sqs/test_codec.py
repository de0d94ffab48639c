"""The codecs: every subset and lattice point of small sizes, round trips, lengths, and what a damaged message does."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods.sqs.codec import (
    Message,
    decode,
    encode,
    lattice_rank,
    lattice_unrank,
    range_decode,
    range_encode,
    subset_rank,
    subset_unrank,
)
from simspec.methods.sqs.payload import payload_bits
from simspec.methods.sqs.quantised import quantise, sparsify, top_mask
from tests import strategies as some

CODECS = [(encode, decode, 0), (range_encode, range_decode, 1)]


def subset(vocab: int, tokens: tuple[int, ...]) -> laws.Array:
    mask = np.zeros(vocab, dtype=bool)
    mask[list(tokens)] = True
    return mask


def test_by_hand() -> None:
    """Four tokens, halves {0, 1} and {2, 3}, of which two: none, one or both in the lower half."""
    order = sorted(itertools.combinations(range(4), 2), key=lambda s: subset_rank(subset(4, s)))
    assert order == [(2, 3), (1, 3), (1, 2), (0, 3), (0, 2), (0, 1)]
    # two counts with sum 3: three stars and one bar, the last place first
    assert [lattice_unrank(n, 2, 3).tolist() for n in range(4)] == [[3, 0], [2, 1], [1, 2], [0, 3]]
    # subset (0, 2) is 4 of 6: 100; point (2, 1) is 1 of 4: 01; size 2 - 1 of 4: 01
    counts, mask = np.array([2, 0, 1, 0]), subset(4, (0, 2))
    assert encode(counts, mask) == Message(bytes([0b10001000]), 5)
    assert encode(counts, mask, adaptive=True) == Message(bytes([0b01100010]), 7)


@pytest.mark.parametrize("vocab", range(1, 9))
def test_subsets_are_numbered_without_a_gap(vocab) -> None:
    for k in range(vocab + 1):
        masks = [subset(vocab, s) for s in itertools.combinations(range(vocab), k)]
        assert sorted(subset_rank(m) for m in masks) == list(range(math.comb(vocab, k)))
        assert all((subset_unrank(subset_rank(m), vocab, k) == m).all() for m in masks)


@pytest.mark.parametrize(("k", "resolution"), [(1, 4), (2, 5), (3, 4), (4, 3), (5, 1), (5, 2)])
def test_lattice_points_are_numbered_without_a_gap(k, resolution) -> None:
    points = [b for b in itertools.product(range(resolution + 1), repeat=k) if sum(b) == resolution]
    ranks = [lattice_rank(np.array(b)) for b in points]
    assert sorted(ranks) == list(range(len(points)))
    assert [tuple(lattice_unrank(n, k, resolution).tolist()) for n in ranks] == points


@pytest.mark.parametrize(("encoder", "decoder", "extra"), CODECS)
def test_every_content_of_a_small_size_has_its_own_message(encoder, decoder, extra) -> None:
    vocab, resolution = 5, 3
    seen = set()
    for k in range(1, vocab + 1):
        for tokens in itertools.combinations(range(vocab), k):
            for b in itertools.product(range(resolution + 1), repeat=k):
                if sum(b) == resolution:
                    mask, counts = subset(vocab, tokens), np.zeros(vocab, dtype=int)
                    counts[mask] = b
                    message = encoder(counts, mask, adaptive=True)
                    assert message.length == payload_bits(vocab, k, resolution, adaptive=True) + extra
                    assert [x.tolist() for x in decoder(message, vocab, resolution)] == [counts.tolist(), mask.tolist()]
                    seen.add(message)
    assert len(seen) == sum(math.comb(5, k) * math.comb(resolution + k - 1, k - 1) for k in range(1, 6))


@given(st.data(), st.booleans(), st.sampled_from(CODECS))
def test_round_trip(data, adaptive, codec) -> None:
    encoder, decoder, extra = codec
    vocab, resolution = data.draw(st.integers(1, 3000)), data.draw(st.integers(1, 2000))
    k = data.draw(st.one_of(st.integers(1, min(vocab, 12)), st.integers(1, vocab)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    mask = subset(vocab, tuple(rng.permutation(vocab)[:k]))
    counts = np.zeros(vocab, dtype=np.int64)
    counts[mask] = rng.multinomial(resolution, rng.dirichlet(np.full(k, 0.3)))
    message = encoder(counts, mask, adaptive)
    assert message.length == payload_bits(vocab, k, resolution, adaptive) + extra
    assert len(message.data) == (message.length + 7) // 8
    back = decoder(message, vocab, resolution, None if adaptive else k)
    assert (back[0] == counts).all() and (back[1] == mask).all()
    assert back[0].dtype == np.int64 and back[1].dtype == bool


@given(st.data(), st.sampled_from(CODECS))
def test_altered_and_cut_messages_are_refused_or_are_another_valid_message(data, codec) -> None:
    encoder, decoder, _ = codec
    vocab, resolution = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 20))
    mask = data.draw(some.masks(vocab))
    counts = np.zeros(vocab, dtype=int)
    counts[np.flatnonzero(mask)[0]] = resolution
    data_, length = encoder(counts, mask, adaptive=True)
    for changed in (Message(data_[:-1], length), Message(data_[:-1], length - 8), Message(data_ + b"\0", length + 8)):
        with pytest.raises(ValueError, match="message: "):
            decoder(changed, vocab, resolution)
    bit = data.draw(st.integers(0, 8 * len(data_) - 1))
    number = int.from_bytes(data_, "big") ^ 1 << bit
    changed = Message(number.to_bytes(len(data_), "big"), length)
    try:
        content = decoder(changed, vocab, resolution)
    except ValueError:
        return
    assert encoder(*content, adaptive=True) == changed


def test_numbers_that_mean_nothing_are_refused() -> None:
    assert encode(np.array([1, 0, 0]), subset(3, (0,))) == Message(bytes([0b10000000]), 2)  # subsets 0, 1 and 2
    with pytest.raises(ValueError, match="rank: 3; expected the number of a subset"):
        decode(Message(bytes([0b11000000]), 2), 3, 1, 1)
    with pytest.raises(ValueError, match="message: says that 4 tokens were kept; expected at most V = 3"):
        decode(Message(bytes([0b11000000]), 4), 3, 1)
    with pytest.raises(ValueError, match="message: ones after its last bit"):
        decode(Message(bytes([0b10000001]), 2), 3, 1, 1)
    with pytest.raises(ValueError, match="message: not one that the encoder writes"):
        range_decode(Message(bytes([0b11100000]), 3), 3, 1, 1)


def law_of_a_large_vocabulary(clustered: bool) -> laws.Array:
    q = laws.softmax(np.random.default_rng(0).standard_normal(128_256) * 3)
    return np.sort(q)[::-1] if clustered else q


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("resolution", [100, 1000])
@pytest.mark.parametrize(("encoder", "decoder", "extra"), CODECS)
def test_a_large_vocabulary(encoder, decoder, extra, resolution, clustered) -> None:
    q = law_of_a_large_vocabulary(clustered)
    mask = top_mask(q, 1000)
    counts = quantise(sparsify(q, mask), resolution, mask)
    message = encoder(counts, mask, True)
    assert message.length == payload_bits(128_256, 1000, resolution, adaptive=True) + extra
    seconds = []
    for _ in range(3):
        start = time.process_time()
        message = encoder(counts, mask, True)
        middle = time.process_time()
        back = decoder(message, 128_256, resolution)
        seconds.append((middle - start, time.process_time() - middle))
    assert (back[0] == counts).all() and (back[1] == mask).all()
    assert max(map(min, zip(*seconds, strict=True))) < 0.2  # measured: 0.01 and, by range coder, 0.002


def test_all_tokens_of_a_large_vocabulary() -> None:
    counts = quantise(law_of_a_large_vocabulary(False), 100)
    for encoder, decoder, extra in CODECS:
        message = encoder(counts, np.ones(128_256, dtype=bool))
        assert message.length == payload_bits(128_256, 128_256, 100) + extra
        assert (decoder(message, 128_256, 100, 128_256)[0] == counts).all()


def test_counts_of_any_arithmetic() -> None:
    q = laws.exact(np.array([0.5, 0.25, 0.25]))
    mask = top_mask(q, 2)
    counts = quantise(sparsify(q, mask), 3, mask)  # fractions
    assert encode(counts, mask) == encode(counts.astype(float), mask) == encode(np.array([2, 1, 0]), mask)


@pytest.mark.parametrize("encoder", [encode, range_encode])
@pytest.mark.parametrize(
    ("counts", "mask", "message"),
    [
        ([1, -1], [True, True], "counts: -1; expected whole numbers >= 0"),
        ([0.5, 0.5], [True, True], "counts: 0.5; expected whole numbers >= 0"),
        ([0, 0], [True, True], "counts: sum 0; expected the resolution, at least 1"),
        ([[1]], [[True]], "counts: shape .1, 1.; expected one whole number for each token"),
        ([], [], "counts: shape .0,.; expected"),
        ([1, 0], [True], "mask: shape .1,., dtype bool; expected booleans .2,."),
        ([1, 0], [1, 0], "mask: shape .2,., dtype int64; expected booleans"),
        ([1, 1], [True, False], "counts: 1 for token 1, which is not in the mask; expected 0"),
    ],
)
def test_bad_content_is_named(encoder, counts, mask, message) -> None:
    with pytest.raises(ValueError, match=message):
        encoder(np.array(counts), np.array(mask))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: subset_unrank(-1, 3, 1), "rank: -1; expected the number of a subset, 0 to C.3, 1. - 1"),
        (lambda: subset_unrank(10**300, 3, 1), "rank: a number of 997 bits; expected"),
        (lambda: subset_unrank(0, 3, 4), "k: 4; expected a number of tokens between 0 and V = 3"),
        (lambda: lattice_unrank(4, 2, 3), "rank: 4; expected the number of a lattice point"),
        (lambda: lattice_unrank(0, 2, 0), "resolution: 0; expected an integer >= 1"),
        (lambda: subset_rank(np.ones((2, 2), dtype=bool)), "mask: shape .2, 2., dtype bool; expected booleans .V,."),
        (lambda: decode(Message(b"", -1), 3, 1, 1), "message: 0 bytes for -1 bits"),
        (lambda: decode(Message(b"\0", 1), 3, 1, 1), "message: 1 bits; expected 2 for V = 3, k = 1, resolution 1"),
        (lambda: decode(Message(b"\0", 1), 3, 1), "message: 1 bits; expected the 2 of the number of tokens"),
        (lambda: decode(Message(b"\0", 2), 3, 1, 4), "k: 4; expected a number of tokens between 1 and V = 3"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("counts", [[np.nan, 1.0], [np.inf, 1.0], [1e300, 1.0], ["a", "b"], [True, False]])
def test_counts_that_are_no_numbers_are_refused_without_a_warning(counts) -> None:
    with pytest.raises(ValueError, match="counts: .*; expected whole numbers >= 0"):
        encode(np.array(counts), np.array([True, True]))
