"""Rules that differ from context to context: drafts of texts and labelled pivots, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.methods import pad
from simspec.methods.known import Known
from simspec.methods.registry import kinds, rule, usages
from simspec.methods.tasc.drafter import PromptNgrams
from simspec.methods.tasc.drafters import draft, mixed, train

ROWWISE = {kind.name: kind for kind in kinds("context")}
TEXTUAL = [kind.name for kind in kinds("context") if "text" in kind.needs]

TEXTS = [[0, 1, 2, 0, 1], [3, 3, 2], [1, 0, 3, 1, 0, 3, 1]]
OTHERS = [[0, 1, 3, 0, 1, 3], [2, 1, 2, 1]]
Q = np.full((3, 4), 0.25)
KNOWN = Known(text=TEXTS, corpus=lambda: OTHERS)


def drafted(name: str, rows: slice = slice(0, 3)) -> list[int]:
    method, laws = rule(name, KNOWN).at(rows, Q[rows])
    assert method is rule("sd").method and (laws.sum(axis=1) == 1).all()
    return laws.argmax(axis=1).tolist()


def test_drafts_of_a_text_by_hand() -> None:
    """After 0 1 came 2; after 3 2 nothing, nor after 2, so the most frequent token; after 3 1 came 0."""
    assert drafted("prompt-lookup") == [2, 3, 0]
    assert drafted("ngram")[0] == 3 and drafted("bigram")[1] == 1  # in the other texts: 0 1 3, and 2 1


@pytest.mark.parametrize("name", sorted(TEXTUAL))
def test_drafts_are_those_of_the_tasc_drafters(name) -> None:
    n_max = {"prompt-lookup": 3, "bigram": 2}.get(name, 4)
    prompt, corpus = PromptNgrams(n_max, 4), train(OTHERS, n_max, vocab=4)
    made = prompt if name.startswith("prompt") else mixed(corpus, prompt, 0.75) if name == "tasc" else corpus
    expected = [draft(made.begin(text), text, 1)[0] for text in TEXTS]
    assert drafted(name) == expected
    assert drafted(name, slice(1, 3)) == expected[1:]


def test_pivots_are_those_of_the_rows_asked_for() -> None:
    flags = np.array([[True, False, False, False], [False, True, True, True], [True] * 4])
    p = np.array([[0.5, 0.25, 0.25, 0.0]] * 3)
    method, laws = rule("pad", Known(pivots=flags)).at(slice(1, 3), Q[1:])
    assert method == pad(flags[1:], limit=1e-4) and laws is not None
    assert method.accept(p[1:], laws).tolist() == [[0.25, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.0]]
    whole, _ = rule("pad", Known(pivots=flags[0])).at(slice(1, 3), Q[1:])
    assert whole == pad(flags[0], limit=1e-4)


@pytest.mark.parametrize("name", ROWWISE)
def test_what_is_not_known_is_asked_for(name) -> None:
    assert name in usages()
    with pytest.raises(ValueError, match=f"rule: '{name}' needs to know .*; this source does not contain that"):
        rule(name, Known())
    with pytest.raises(ValueError, match="without numbers"):
        rule(f"{name}:2", KNOWN)
