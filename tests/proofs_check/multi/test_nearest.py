"""The selection whose law is nearest to p: by hand, at hostile laws of drafts, and that a proof takes no other for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.requirements import require

require("proofs")

from proofs_check.checking.agreement import disagreement  # noqa: E402
from proofs_check.checking.proof import Proof, check  # noqa: E402
from proofs_check.multi._nearest import CLOSEST, nearest, selection, values  # noqa: E402
from proofs_check.multi._transport import flow_values  # noqa: E402
from proofs_check.multi.lossy import PROOFS as LOSSY  # noqa: E402
from proofs_check.multi.subset import PROOFS  # noqa: E402
from proofs_check.rules.derivation import Derivation  # noqa: E402
from simspec.claims.draw import ExactDraw  # noqa: E402
from simspec.claims.multi.parts import sets_of  # noqa: E402
from simspec.laws import exact  # noqa: E402
from simspec.methods.multi.optimum import Sets, optimum, subset_form  # noqa: E402

(SUBSET,) = PROOFS
CASES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "one token": ([1], {"a": 1}),
    "apart": ([1, 0], {"b": 1}),
    "apart, two sets": ([0, 0, 1], {"a": "1/2", "ab": "1/2"}),
    "as far as it goes": (["1/2", "1/2"], {"a": "3/4", "ab": "1/4"}),
    "all of p": (["1/3", "1/3", "1/3"], {"abc": 1}),
    "a tie of two levels": (["1/4", "1/4", "1/4", "1/4"], {"a": "1/2", "b": "1/2", "cd": 0}),
    "a token above, one at, one below": (["1/3", "1/3", "1/3"], {"a": "2/3", "b": "1/3", "ab": 0}),
    "a set between two levels": (["1/2", "1/4", "1/4", 0], {"d": "1/4", "cd": "1/2", "ab": "1/8", "ad": "1/8"}),
    "a point where p has next to nothing": ([F(1, 10**9), 1 - F(1, 10**9)], {"a": 1 - F(1, 10**12), "b": F(1, 10**12)}),
    "a chain": (["1/10", "2/10", "3/10", "4/10"], {"a": "1/4", "ab": "1/4", "abc": "1/4", "abcd": "1/4"}),
    "a ring": (["1/2", "1/2", 0, 0], {"ab": "1/4", "bc": "1/4", "cd": "1/4", "ad": "1/4"}),
}
"""A target, and the masses of sets of drafts: what is not there has none."""


def made(p: list[Any], masses: Mapping[str, Any]) -> dict[str, Any]:
    """An instance: every set of tokens has a mass."""
    law = {frozenset("abcd".index(token) for token in name): F(mass) for name, mass in masses.items()}
    return {"p": exact(p), "sets": {one: law.get(one, F(0)) for one in sets_of(len(p))}}


def some(seed: int) -> dict[str, Any]:
    """A small instance by lot, of more tokens than the claim draws."""
    draw = ExactDraw(rng=np.random.default_rng(seed))
    vocab = draw.integer(1, 4)
    return {"p": draw.law(vocab), "sets": dict(zip(sets_of(vocab), draw.law(2**vocab - 1), strict=True))}


def is_nearest(p: Any, sets: Sets, law: Any) -> bool:
    """Whether no draft of any set is further below p than what the law takes from it: the gradient, so that none is nearer."""
    excess = [mass - part for mass, part in zip(law, p, strict=True)]
    best = sum(mass * min(excess[token] for token in drafts) for drafts, mass in sets.items())
    return bool(sum(e * mass for e, mass in zip(excess, law, strict=True)) == best)


def first(sets: Sets, vocab: int) -> list[list[Any]]:
    """The first draft of each set."""
    return [[mass if token == min(drafts) else F(0) for token in range(vocab)] for drafts, mass in sets.items()]


@cache
def derived(of_lossy: bool = False) -> Derivation:
    return check(LOSSY[1] if of_lossy else SUBSET)


def test_by_hand() -> None:
    """Of ab 1 it has 1/8 more than p of each; of the ring c and d share what lies in them, 1/8 each, as a and b the rest."""
    ring = made(*CASES["a ring"])
    assert nearest(**ring) == [F(3, 8), F(3, 8), F(1, 8), F(1, 8)]
    assert nearest(**made(["1/2", "1/4", "1/4"], {"ab": 1})) == [F(5, 8), F(3, 8), 0]
    assert nearest(**made(*CASES["as far as it goes"])) == [F(3, 4), F(1, 4)]


@pytest.mark.parametrize("it", [*(made(*case) for case in CASES.values()), *(some(seed) for seed in range(40))])
def test_it_is_a_selection_and_none_is_nearer(it: dict[str, Any]) -> None:
    law = nearest(**it)
    f = selection(**it)
    assert [sum(row) for row in f] == list(it["sets"].values())
    assert all(part >= 0 for row in f for part in row)
    assert not any(
        part for row, one in zip(f, it["sets"], strict=True) for token, part in enumerate(row) if token not in one
    )
    assert [sum(row[token] for row in f) for token in range(len(law))] == law
    assert is_nearest(**it, law=law)
    assert sum(map(min, it["p"], law)) == subset_form(**it) == optimum(**it).value


def test_another_law_would_be_noticed() -> None:
    it = made(["1/2", "1/2"], {"ab": 1})
    assert not is_nearest(**it, law=[F(1), F(0)])
    assert is_nearest(**it, law=[F(1, 2), F(1, 2)])


@pytest.mark.parametrize("it", [*(made(*case) for case in CASES.values()), *(some(seed) for seed in range(40, 52))])
def test_the_proof_is_about_hostile_instances_too(it: dict[str, Any]) -> None:
    """Every given at all of its places."""
    assert disagreement(SUBSET, derived(), it, limit=None) is None
    assert disagreement(LOSSY[1], derived(of_lossy=True), {**it, "w": F(1, 3)}, limit=None) is None


@pytest.mark.parametrize("name", ["as far as it goes", "all of p", "a chain"])
def test_a_selection_that_is_not_the_nearest_is_refused(name: str) -> None:
    """The first draft of each set: the step of the proof brings it nearer to p."""

    def bind(p: Any, sets: Sets) -> dict[str, Any]:
        every = [frozenset[int](), *sets_of(len(p))]
        return {**flow_values(p, sets), **values(p, sets, first(sets, len(p)), every)}

    other: Proof = replace(SUBSET, bind=bind)
    assert CLOSEST in str(disagreement(other, derived(), made(*CASES[name]), limit=None))


def test_all_small_laws_of_two_drafts() -> None:
    """Every law with masses of quarters over the sets of two tokens, against every target of quarters."""
    parts = [F(n, 4) for n in range(5)]
    for a, b in product(parts, repeat=2):
        if a + b <= 1:
            for mass in parts:
                it = made([mass, 1 - mass], {"a": a, "b": b, "ab": 1 - a - b})
                assert is_nearest(**it, law=nearest(**it))
                assert disagreement(SUBSET, derived(), it, limit=None) is None
