"""Prompt lookup: the compiled search against its NumPy reference and transformers; the growing text against both."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import ngram
from simspec.kernels.ngram import Search, prompt_lookup
from simspec.kernels.ngram import numba_ngram as ngram_loops
from simspec.kernels.ngram import reference as ngram_reference
from simspec.kernels.ngram.text import TextNgrams

texts = st.tuples(st.integers(1, 4), st.integers(0, 2**32 - 1), st.integers(0, 700)).map(
    lambda a: np.random.default_rng(a[1]).integers(a[0], size=a[2])
)
"""Few tokens, so that much repeats; longer than some blocks of the compiled search."""
settings = st.fixed_dictionaries(
    {
        "n_max": st.integers(1, 6),
        "num": st.integers(0, 12),
        "latest": st.booleans(),
        "limit": st.none() | st.integers(0, 750),
        "stop": st.lists(st.integers(0, 5), max_size=2),
    }
)


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Every search is the compiled one, however short the text."""
    monkeypatch.setattr(ngram, "SMALL", 0)


def random() -> np.random.Generator:
    """Other numbers each time; a failure shows the seed."""
    seed = secrets.randbits(64)
    print("seed", seed)
    return np.random.default_rng(seed)


def proposed(text, **how) -> tuple[int, list[int]]:
    found = prompt_lookup(text, search=Search(**how))
    assert (found.tokens[int(found.length) :] == -1).all()
    return int(found.order), found.tokens[: int(found.length)].tolist()


def by_reference(text, n_max=2, num=10, n_min=1, latest=False, limit=None, stop=()) -> tuple[int, list[int]]:
    order, _, tokens = ngram_reference.lookup(np.asarray(text), n_max, n_min, num, latest, limit, stop)
    return order, tokens.tolist()


def twisted(size: int, rng: np.random.Generator, vocab: int = 50) -> np.ndarray:
    """A text that often repeats a few of its tokens."""
    text = rng.integers(vocab, size=size)
    for at in range(20, size - 20, 20):
        back = rng.integers(at)
        text[at : at + 10] = text[back : back + 10]
    return text


@pytest.mark.parametrize("find", [proposed, by_reference])
def test_by_hand(find):
    text = [5, 6, 7, 1, 6, 8, 9, 5, 6]
    assert find(text, num=3) == (2, [7, 1, 6])  # 5 6 stood at the beginning
    assert find(text, n_max=1, num=3) == (1, [7, 1, 6])
    assert find(text, n_max=1, num=3, latest=True) == (1, [8, 9, 5])
    assert find(text, num=99) == (2, text[2:])
    assert find(text, num=5, stop=[1, 6]) == (2, [7])
    assert find(text, num=5, stop=[7]) == (2, [])  # found, and nothing left before the end
    assert find(text, n_max=3, n_min=3) == (0, [])
    assert find(text, limit=4) == (2, [7, 1])
    assert find(text, limit=2) == (0, [])
    assert find(text, limit=len(text) + 1) == (0, [])
    assert find([4, 4, 4, 4], num=9) == (2, [4, 4])  # places may overlap the suffix
    assert find([4, 4, 4, 4], n_max=3, latest=True) == (3, [4])
    assert find([], num=2) == find([1], num=2) == find([1, 2], num=2) == (0, [])
    assert find([3, 3], n_max=9) == (1, [3])


@given(texts, settings, st.integers(1, 6))
def test_compiled_search_is_the_reference(text, how, n_min):
    how["n_min"] = min(n_min, how["n_max"])
    order, start, tokens = ngram_reference.lookup(text, **how)
    found = prompt_lookup(text, search=Search(**how))
    assert (found.order, found.start, found.length) == (order, start, len(tokens))
    assert found.tokens.tolist() == [*tokens.tolist(), *[-1] * (how["num"] - len(tokens))]


@given(texts.filter(len), settings.filter(lambda how: how["num"]))
def test_transformers_proposes_the_same(text, how):
    """For each of its settings; the text is never longer than its `max_length`."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers.generation.candidate_generator")
    limit = max(how["limit"] or len(text) + 20, len(text))
    generator = transformers.PromptLookupCandidateGenerator(
        eos_token_id=torch.tensor(how["stop"]) if how["stop"] else None,
        num_output_tokens=how["num"],
        max_matching_ngram_size=how["n_max"],
        max_length=limit,
    )
    made, _ = generator.get_candidates(torch.from_numpy(text)[None])
    how |= {"limit": limit, "latest": False}
    assert proposed(text, **how)[1] == made[0, len(text) :].tolist()


def test_a_place_at_each_side_of_a_block():
    """One earlier place of the suffix, at every distance from the ends of the blocks that are compared at once."""
    for size in (130, 259, 400):
        for at in range(3, size - 6):
            text = np.arange(100, 100 + size)
            text[-3:] = text[at - 2 : at + 1] = 1, 2, 3
            for latest in (False, True):
                assert proposed(text, n_max=4, num=1, latest=latest) == (3, [text[at + 1]]), (size, at)


def test_every_integer_type_and_layout():
    text = twisted(3000, random())
    expected = by_reference(text, n_max=3)
    for dtype in (np.int32, np.int64, np.uint8, np.int16, np.uint64):
        assert proposed(text.astype(dtype), n_max=3) == expected
    spread = np.repeat(text, 2)[::2]
    assert not spread.flags.c_contiguous and proposed(spread, n_max=3) == expected
    assert proposed(text.tolist(), n_max=3) == expected
    big = np.array([2**40 + 1, 7, 1, 2**40 + 1])
    assert proposed(big) == (1, [7, 1, 2**40 + 1]) and proposed([-5, 3, -5], stop=[-5]) == (1, [3])


def test_many_texts_do_not_depend_on_each_other_or_on_threads():
    rng = random()
    many = np.stack([twisted(4000, rng) for _ in range(60)]).reshape(3, 20, 4000)
    lengths = rng.integers(0, 4001, (3, 20))
    lengths[0, :2] = 0, 4000
    one, more = (prompt_lookup(many, lengths, Search(3, num=4), threads=n) for n in (1, 8))
    for a, b in zip(one, more, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.tokens.shape == (3, 20, 4) and one.order.shape == (3, 20)
    for i in np.ndindex(3, 20):
        expected = by_reference(many[i][: lengths[i]], n_max=3, num=4)
        assert (one.order[i], one.tokens[i][: one.length[i]].tolist()) == expected
    assert len(set(one.order.ravel().tolist())) > 1


def test_short_texts_go_to_the_reference(monkeypatch):
    monkeypatch.setattr(ngram, "SMALL", 10**9)
    monkeypatch.setattr(ngram_loops, "search", None)
    assert proposed([5, 6, 7, 8, 5, 6], num=3) == (2, [7, 8, 5])
    found = prompt_lookup([[1, 2, 1], [1, 2, 3]], [3, 2], Search(num=2))
    assert found.tokens.tolist() == [[2, 1], [-1, -1]]


@pytest.mark.parametrize("small", [0, 10**9])
def test_nothing_gives_nothing(monkeypatch, small):
    monkeypatch.setattr(ngram, "SMALL", small)
    found = prompt_lookup(np.zeros((0, 5), dtype=int), search=Search(num=3))
    assert found.tokens.shape == (0, 3) and found.length.shape == (0,)
    empty = prompt_lookup(np.zeros((2, 0)), search=Search(num=3))
    assert empty.tokens.tolist() == [[-1] * 3] * 2 and empty.order.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"texts": [1.5]}, "texts: float64 array"),
        ({"texts": 3}, r"texts: int64 array of shape \(\); expected integers"),
        ({"n_max": 0}, "n_max: 0; expected an integer of at least 1"),
        ({"n_min": 3}, "n_min: 3; expected 1 <= n_min <= 2"),
        ({"num": -1}, "num: -1; expected an integer of at least 0"),
        ({"num": 2.5}, "num: 2.5; expected an integer"),
        ({"limit": -1}, "limit: -1; expected an integer of at least 0"),
        ({"limit": 7.5}, "limit: 7.5; expected an integer"),
        ({"num": 2**62}, r"num: 4611686018427387904; expected an integer of at least 0, below 2\*\*62"),
        ({"stop": [0.5]}, "stop: token 0.5; expected an integer"),
        ({"stop": 5}, "stop: 5; expected a sequence of tokens"),
        ({"texts": np.array([2**63], dtype=np.uint64)}, "texts: token 9223372036854775808; expected"),
        ({"lengths": 3}, "lengths: 3; expected integers of 0..2"),
        ({"lengths": -1}, "lengths: -1; expected integers of 0..2"),
        ({"lengths": 1.5}, "lengths: float64 array"),
        ({"lengths": [1]}, r"lengths: int64 array of shape \(1,\); expected integers of shape \(\)"),
    ],
)
def test_wrong_input_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        given = {"texts": [1, 2], "lengths": None} | wrong
        prompt_lookup(given.pop("texts"), given.pop("lengths"), Search(**given))


# ---- the growing text ----


@given(texts, settings, st.lists(st.integers(0, 60), max_size=30), st.integers(0, 300))
def test_a_growing_text_proposes_what_a_search_finds(text, how, cuts, capacity):
    grown, at, n_min = TextNgrams(how["n_max"], capacity=capacity), 0, min(2, how["n_max"])
    del how["n_max"]
    for size in [*cuts, len(text)]:
        if size == 1 and at < len(text):
            grown.append(text[at])
        else:
            grown.extend(text[at : at + size])
        at = min(at + size, len(text))
        assert len(grown) == at
        how["limit"] = None if how["limit"] is None else max(how["limit"], at)
        expected = proposed(text[:at], n_max=grown.n_max, n_min=n_min, **how)
        assert grown.propose(n_min=n_min, **how).tolist() == expected[1]
    assert grown.text.tolist() == text.tolist()


@given(texts, texts, st.integers(1, 4), st.integers(1, 3), st.integers(1, 4))
def test_counts_are_those_of_the_reference(text, context, n_max, min_count, n_min):
    n_min = min(n_min, n_max)
    grown = TextNgrams(n_max, text)
    for asked in (context[:3], text):
        order, tokens, counts = grown.match(asked, min_count, n_min)
        other = ngram_reference.after(text, asked, n_max, n_min, min_count)
        assert (order, tokens.tolist(), counts.tolist()) == (other[0], other[1].tolist(), other[2].tolist())
    _, *last = grown.match(None, min_count, n_min)
    assert [x.tolist() for x in last] == [tokens.tolist(), counts.tolist()]


@given(texts, texts, st.integers(1, 5), st.integers(1, 3), st.integers(1, 5))
def test_drafts_are_the_most_frequent_tokens(text, context, n_max, min_count, n_min):
    n_min = min(n_min, n_max)
    grown = TextNgrams(n_max, text)
    for begin in (context[:5], text):
        written = begin.tolist()
        for _ in range(8):
            _, tokens, counts = ngram_reference.after(text, np.array(written, dtype=int), n_max, n_min, min_count)
            written.append(int(tokens[counts.argmax()]))
        made = grown.draft(8, None if begin is text else begin, min_count, n_min)
        assert made.tolist() == written[len(begin) :]
    assert len(grown) == len(text)


def test_limits_of_a_growing_text():
    """With room for one more token, which the target adds itself, nothing is proposed; else what is there."""
    text = TextNgrams(2, [5, 6, 7, 5, 6])
    assert text.propose(2, limit=6).tolist() == []
    assert text.propose(2, limit=7).tolist() == text.propose(2, limit=5).tolist() == [7, 5]
    assert text.propose(2, stop=[5]).tolist() == [7] and text.propose(0).tolist() == []


@pytest.mark.parametrize("huge", [2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**70, np.uint64(2**63), np.int64(2**63 - 1)])
def test_huge_limits_do_not_bind(huge):
    """Sums with them would wrap, or no machine integer hold them."""
    text = TextNgrams(2, [5, 6, 7, 8, 5, 6])
    assert text.propose(huge).tolist() == text.propose(limit=huge).tolist() == [7, 8, 5, 6]
    assert text.propose(huge, limit=huge, stop=[huge] if huge < 2**63 else []).tolist() == [7, 8, 5, 6]
    assert proposed(text.text, limit=huge) == (2, [7, 8, 5, 6])


@pytest.mark.parametrize("make", [tuple, list, np.array, set, lambda ends: np.array(ends, dtype=np.uint8)])
def test_end_tokens_may_be_any_sequence(make):
    text = TextNgrams(2, [5, 6, 0, 8, 9, 5, 6])
    for ends, expected in (((8, 9), [0]), ((0,), []), ((9, 8), [0]), ((7,), [0, 8, 9, 5, 6])):
        assert text.propose(stop=make(ends)).tolist() == proposed(text.text, stop=make(ends))[1] == expected
    assert text.propose(stop=np.array([])).tolist() == text.propose().tolist()


def test_counts_by_hand():
    text = TextNgrams(3)
    order, tokens, counts = text.match()
    assert (order, tokens.tolist(), counts.tolist()) == (0, [0], [1])  # nothing seen: token 0
    text.extend([1, 2, 1, 1])
    order, tokens, counts = text.match([0, 1])
    assert (order, tokens.tolist(), counts.tolist()) == (2, [1, 2], [1, 1])
    assert text.match([2, 1])[0] == 3
    assert text.match([0], n_min=2)[0] == 0 and text.match([0])[1].tolist() == [1, 2]
    assert text.match([0], min_count=2)[1].tolist() == [1] and text.match([0], min_count=9)[0] == 0
    assert text.draft(3, [2]).tolist() == [1, 1, 1]
    assert repr(text) == "TextNgrams(n_max=3: 4 tokens, 7 n-grams)"


def test_slots_that_collide_change_nothing():
    """Thousands of n-grams in slots that are at least a quarter full; the whole text again, at every place."""
    text = twisted(2000, random(), vocab=2**31 - 1)
    grown = TextNgrams(3, capacity=0)
    for at, token in enumerate(text, 1):
        grown.append(token)
        if at % 7 == 0:
            assert grown.propose(4).tolist() == by_reference(text[:at], n_max=3, num=4)[1]
    nodes, slots = grown._nodes, grown._slots
    places = {ngram_loops._slot(nodes, np.zeros_like(slots), *map(int, nodes[i, :2])) for i in range(1, 3000)}
    assert len(places) < 2900  # so many would not be apart without the search for a free slot


def test_a_long_text_of_distinct_tokens_keeps_the_memory_bound():
    for n_max in (1, 2, 4):
        text = TextNgrams(n_max, np.arange(20_000), capacity=20_000)
        assert text.nbytes <= (48 * n_max + 4) * 20_000 + 1000
        assert text.propose().tolist() == []
        assert repr(text).endswith(f"{n_max * 20_000 - n_max * (n_max - 1) // 2:,} n-grams)")
        text.append(19_998)
        assert text.propose(3).tolist() == [19_999, 19_998]
        assert text.nbytes <= 2 * (48 * n_max + 4) * 20_001 + 1000


def test_wrong_tokens_change_nothing():
    text = TextNgrams(2, [1, 2, 1])
    for wrong in ([3, -1], [2**31], [0.5], [[1]]):
        with pytest.raises(ValueError, match="tokens: "):
            text.extend(wrong)
    one: Any
    for one in (-1, 2**31, 2**70, 1.5, "a", None):
        with pytest.raises(ValueError, match="token: token .*; expected an integer of"):
            text.append(one)
    with pytest.raises(ValueError, match="context: float64"):
        text.match([0.5])
    assert text.text.tolist() == [1, 2, 1] and text.propose().tolist() == [2, 1]
    assert not text.text.flags.writeable
    text.append(np.int32(2))
    assert text.propose(1).tolist() == [1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda text: text.propose(-1), "num: -1"),
        (lambda text: text.propose(1.5), "num: 1.5"),
        (lambda text: text.propose(1, n_min=3), "n_min: 3; expected 1 <= n_min <= 2"),
        (lambda text: text.propose(limit=2), "limit: 2; expected at least the length of the text, 3"),
        (lambda text: text.propose(limit=7.5), "limit: 7.5; expected an integer"),
        (lambda text: text.propose(limit=-1), "limit: -1; expected"),
        (lambda text: text.propose(stop=[0.5]), "stop: token 0.5; expected an integer"),
        (lambda text: text.propose(stop=[2**63]), "stop: token 9223372036854775808; expected an integer"),
        (lambda text: text.propose(stop=5), "stop: 5; expected a sequence of tokens"),
        (lambda text: text.match(min_count=0), "min_count: 0"),
        (lambda text: text.match(n_min=0), "n_min: 0"),
        (lambda text: text.draft(-1), "gamma: -1"),
        (lambda text: TextNgrams(0), "n_max: 0"),
        (lambda text: TextNgrams(2, capacity=-1), "capacity: -1"),
        (lambda text: TextNgrams(2, capacity=2**31), "capacity: .* n-grams; expected fewer"),
    ],
)
def test_wrong_settings_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(TextNgrams(2, [1, 2, 1]))
