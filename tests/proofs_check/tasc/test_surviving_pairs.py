"""Merges told at the places of letters: the program's corpora are those, and a merge of another kind is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.requirements import require

require("proofs")

from proofs_check.checking.agreement import disagreement  # noqa: E402
from proofs_check.checking.proof import Proof, check  # noqa: E402
from proofs_check.rules.derivation import Derivation  # noqa: E402
from proofs_check.tasc import termination  # noqa: E402
from proofs_check.tasc._surviving_pairs import MERGED, values  # noqa: E402
from proofs_check.tasc.termination import TERMINATION_CORRECTED  # noqa: E402
from simspec.methods.tasc.enrichment import merge_text  # noqa: E402

(PROOF,) = (p for p in termination.PROOFS if isinstance(p, Proof) and p.claim is TERMINATION_CORRECTED)
TEXTS: dict[str, list[list[int]]] = {
    "a run": [[0] * 7],
    "runs in two texts": [[0, 0, 0], [0, 0]],
    "a text that ends where the next begins": [[0, 1], [0, 1], [1, 0]],
    "no pair": [[0], []],
    "new tokens are neighbours": [[0, 1, 0, 1, 0, 1, 0, 1]],
    "the merged pair and its mirror": [[0, 1, 1, 0, 0, 1, 1]],
    "a run between others": [[1, 0, 0, 0, 0, 0, 2]],
}


@cache
def derived() -> Derivation:
    return check(PROOF)


def instance(texts: list[list[int]], budget: int, n_max: int = 2) -> dict[str, Any]:
    return {"texts": texts, "vocab": 3, "budget": budget, "n_max": n_max, "limit": None}


def test_by_hand() -> None:
    """0 0 0 with 0 0 merged: the first two letters are taken, the cut between them goes; the pair left is the new token and 0."""
    stages = [[[0, 0, 0]], [merge_text([0, 0, 0], (0, 0), 1)]]
    assert stages[1] == [[1, 0]]
    found = values(stages, [(0, 0)], {(0, 0): 1, (1, 0): 2}, 1)
    assert [found["left"](0, m) for m in range(3)] == [1, 0, 0] and [found["right"](0, m) for m in range(3)] == [
        0,
        1,
        0,
    ]
    assert [found["beside"](m) for m in range(3)] == [1, 1, 0]
    assert found["word"](1, 1) == 2 and found["before"](0, 2) == 1
    assert [found["seen"](k, x) for k in range(2) for x in (1, 2)] == [1, 0, 0, 1]


@pytest.mark.parametrize("n_max", [2, 3])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_the_proof_is_about_hostile_corpora_too(texts: list[list[int]], n_max: int) -> None:
    """Every given at all of its places."""
    for budget in (1, 4):
        assert disagreement(PROOF, derived(), instance(texts, budget, n_max), limit=None) is None


def changed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    """What is found where the symbols of a run of seven are others."""
    assert PROOF.bind is not None
    bind = PROOF.bind

    def other(**it: Any) -> dict[str, Any]:
        found = dict(bind(**it))
        return {**found, **change(found)}

    def named(texts: Any, vocab: int, budget: int, n_max: int, limit: Any) -> dict[str, Any]:
        return other(texts=texts, vocab=vocab, budget=budget, n_max=n_max, limit=limit)

    return str(disagreement(replace(PROOF, bind=named), derived(), instance(TEXTS["a run"], 4), limit=None))


def test_a_merge_of_another_kind_is_refused() -> None:
    """Of the first letter alone; of a token that was there; of letters that stay."""
    assert MERGED in changed(lambda found: {"right": lambda n, m: 0})
    assert "numbered above all others" in changed(lambda found: {"new": lambda n: 0})
    kept = changed(lambda found: {"left": lambda n, m: 0, "right": lambda n, m: 0})
    assert "between two tokens stands the pair of them" in kept or "those that stand somewhere" in kept
    assert changed(lambda found: {}) == "None"
