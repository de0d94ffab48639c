"""Prefix-collision scores: each reading by hand, and the fast score equal to the one counted token by token."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods.tasc.collision import READINGS, Prefixes, collision_score
from simspec.methods.tasc.enrichment import count_ngrams, merge_text
from simspec.methods.tasc.merging import Texts
from tests.methods.tasc.enrichment_cases import Case, corpora


@pytest.mark.parametrize(
    ("reading", "score"),
    [
        ("last", Fraction(5, 10)),  # the (3), therapy (1), theorem (1) of ten tokens
        ("others", Fraction(2, 10)),
        ("vocabulary", Fraction(3, 6)),  # the, therapy, theorem of six strings
        ("tokens", Fraction(5, 10)),
        ("suffix", Fraction(6, 10)),  # the same, and "e" (n the, " the", the, he, e begin no other)
        ("context", Fraction(1, 4)),  # in the (2), in therapy (1), in at the end (1)
    ],
)
def test_by_hand(reading, score) -> None:
    strings = ["in", "the", "therapy", "theorem", "e", "x"]
    texts = [[0, 1], [0, 1, 3], [0, 2], [1, 4, 0]]
    assert collision_score(texts, (0, 1), strings, reading) == score
    assert Prefixes(strings, reading).score(Texts(texts, 6), (0, 1)) == score


def test_readings_differ_for_longer_ngrams() -> None:
    """a bc d: its token ends are bcd and d; cd is an end of its string only; abcd is no proper end."""
    strings = ["a", "bc", "d", "bcde", "cdx", "abcdy"]
    texts = [[0, 1, 2], [3], [4], [5]]
    scores = {r: collision_score(texts, (0, 1, 2), strings, r) for r in READINGS}
    assert scores == {
        "last": Fraction(1, 6),
        "others": 0,
        "vocabulary": Fraction(1, 6),
        "tokens": Fraction(2, 6),
        "suffix": Fraction(3, 6),
        "context": 0,
    }


@given(corpora(), st.integers(2, 4), st.sampled_from(list(READINGS)), st.booleans())
def test_fast_equals_counted(case: Case, n_max, reading, as_bytes) -> None:
    """Before and after merging the most frequent n-gram, for every n-gram of the corpus."""
    names = [s.encode() for s in case.strings] if as_bytes else list(case.strings)
    linked, plain, prefixes = Texts(case.texts, case.vocab), case.texts, Prefixes(names, reading)
    for _ in range(2):
        counts = count_ngrams(plain, n_max)
        for ngram in counts:
            assert prefixes.score(linked, ngram) == collision_score(plain, ngram, names, reading)
        if counts:
            best = max(counts, key=lambda g: (counts[g], g))
            new = len(names)
            names.append(names[0][:0].join(names[t] for t in best))
            prefixes.add(names[-1])
            linked.merge(best, new)
            plain = [merge_text(text, best, new) for text in plain]


@given(corpora())
def test_printed_is_at_least_each_narrower_reading(case: Case) -> None:
    for ngram in count_ngrams(case.texts, 3):
        score = {r: collision_score(case.texts, ngram, case.strings, r) for r in READINGS}
        assert score["others"] < score["last"] <= score["tokens"]
        assert all(0 <= s <= 1 for s in score.values()) and score["context"] < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reading": "first"}, "reading: 'first'; expected one of last"),
        ({"texts": [[]]}, "texts: 1 without a token to count"),
        ({"ngram": (1, 0), "reading": "context", "texts": [[0]]}, "texts: 1 without a token to count"),
    ],
)
def test_bad_arguments_are_named(change, message) -> None:
    arguments = {"texts": [[0, 1]], "ngram": (0, 1), "strings": ["a", "b"]} | change
    with pytest.raises(ValueError) as raised:
        collision_score(**arguments)
    assert str(raised.value).startswith(message)


def test_mixed_strings_are_refused() -> None:
    with pytest.raises(ValueError, match="strings: of mixed or other types"):
        Prefixes(["a", b"a"], "last")  # type: ignore[list-item]
