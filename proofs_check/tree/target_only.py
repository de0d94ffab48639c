"""tree.target-only: beyond the children before, the coin keeps a child with its share; a repeated one counts twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, laws, le, x
from proofs_check.tree._listed import listed
from proofs_check.tree._machine import N, n, s, start, t, w
from proofs_check.tree._states import State
from proofs_check.tree._top_down import M, S, emitted, keep
from simspec.claims.claim import Instance
from simspec.claims.tree.parts import levels, model
from simspec.claims.tree.target_only import DISTINCT, TARGET_ONLY
from simspec.methods.tree.shapes import Drafted

COIN = "the coin is uniform beyond the children that were tested"
REST = "what is left of the target is its mass on the others"


def _coin(d: Derivation, constant: int = 1) -> Fact:
    """The coin is beyond c: the next child is kept where it is below c + p, and this is min(S, M) of what is left."""
    p, tested_mass, upto = (sp.IndexedBase(name, real=True) for name in ("p", "tried", "upto"))
    single_test = d.domain("one child is tested", eq(S[s, x] * (1 - S[s, x]), 0))
    some = d.domain("some mass was not tested", gt(1 - upto[s], 0))
    rest = d.domain(REST, eq(M[s, x] * (1 - upto[s]), (1 - tested_mass[s, x]) * p[s, x]))
    coin = d.domain(COIN, eq(S[s, x] * keep[s, x] * (1 - upto[s]), constant * S[s, x] * p[s, x]))
    new = d.assume("siblings are different", eq(S[s, x] * tested_mass[s, x], 0))
    share = d.smt("its share of what is left", eq(S[s, x] * keep[s, x], S[s, x] * M[s, x]), some, rest, coin, new)
    low, high = d.domain("what is left is a law", ge(M[s, x], 0), le(M[s, x], 1))
    return d.smt(
        "of one that is certain", eq(S[s, x] * keep[s, x], sp.Min(S[s, x], M[s, x])), share, single_test, low, high
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws by context, all trees with different siblings in any order; by induction on the tree."""
    _, _, for_every_state = emitted(d, sign, constant, _coin)
    d.qed(d.instantiate("from the root", for_every_state, {n: N, s: start, t: w}))


def _values(target: Any, tree: Drafted) -> dict[str, Any]:
    """Values of the symbols in the states of a verified tree: target masses, and the masses tried before."""
    law = model(target)

    def upto(state: State) -> Any:
        return sum(law(state.at)[token] for token in _before(tree, state))

    def keep(state: State, token: int) -> Any:
        return law(state.at)[token] / (1 - upto(state))

    machine = listed([tree], target, levels(tree) + 1, keep)
    states = machine.states
    return {
        **machine.values(),
        **{"p": lambda at, token: law(states[at - 1].at)[token - 1], "upto": lambda at: upto(states[at - 1])},
        **{"tried": lambda at, token: int(token - 1 in _before(tree, states[at - 1]))},
    }


def _before(tree: Drafted, state: State) -> list[int]:
    """Siblings that were tested before this state."""
    for token in state.at:
        tree = dict(tree).get(token, ())
    return [token for token, _ in tree[: len(tree) - len(state.below)]]


def by_size() -> Iterator[Instance]:
    """One law over two tokens, and one or two candidates at the root."""
    for size, denominator in product((1, 2), (1, 2)):
        for p, tokens in product(laws(2, denominator), product(range(2), repeat=size)):
            yield {"target": p[None], "tree": tuple((token, ()) for token in tokens)}


PROOFS = (
    Proof(DISTINCT, prove, drop=COIN, bind=_values),
    Refutation(
        TARGET_ONLY,
        by_size,
        scope="the first with one or two candidates at the root and masses in halves",
        repaired={"siblings are different": DISTINCT},
    ),
)
