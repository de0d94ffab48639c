"""Given trees as machines: the child that is tested next is certain.  Which tree it is may be drawn, without the coins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, index, total
from proofs_check.tree._machine import N, n, s, t, w
from proofs_check.tree._states import Machine, State
from simspec.claims.tree.deterministic import text_length
from simspec.claims.tree.parts import contexts, model, target_text
from simspec.methods.tree.shapes import Drafted

__all__ = ["averaged", "drawn_of", "listed", "weighed"]

Keep = Callable[[State, int], Any]
C = sp.Symbol("C", integer=True, positive=True)
k = index("k")


def averaged(d: Derivation, F_: sp.IndexedBase, T: sp.IndexedBase, for_every_tree: Fact) -> Fact:
    """The emitted text has the target's law from the root of every tree, so over all trees that are drawn."""
    root = d.map("root")
    weight = d.weights("weight", k)
    out = sp.IndexedBase("out", real=True)
    target = sp.IndexedBase("target", real=True)
    some = d.domain("some tree is drawn", eq(total(weight[k], k, upto=C), 1))
    same = d.domain("every tree begins where the text begins", eq(T[root[k], w], target[w]))
    apart = d.define("drawn without the coins", out[k, w], weight[k] * F_[N, root[k], w])
    here = d.instantiate("from the root of a tree", for_every_tree, {n: N, s: root[k], t: w})
    per_tree = d.summed("of every tree", eq(out[k, w], weight[k] * target[w]), here, same, apart, over=k, upto=C)
    return d.derive("of them all", eq(total(out[k, w], k, upto=C), target[w]), per_tree, some)


def _share(now: State, x: int) -> Any:
    return now.M[x]


def listed(trees: Sequence[Drafted], target: Any, length: int, keep: Keep = _share) -> Machine:
    """The children of given trees, one after the other; by default each is kept with its share of what is left."""
    p = model(target)
    vocab = target.shape[-1]

    def state(at: tuple[int, ...], M: tuple[Any, ...], below: Sequence[Any]) -> State:
        certain = tuple(F(bool(below) and below[0][0] == token) for token in range(vocab))
        return State(at, M, certain, F(1), tuple(below))

    def move(now: State, x: int) -> tuple[State, State, Any]:
        rest = tuple(F(0) if token == x else mass for token, mass in enumerate(now.M))
        child = (*now.at, x)
        inside = state(child, tuple(p(child)), now.below[0][1])
        if keep(now, x) == 1:  # never refused
            return inside, now, F(1)
        return inside, state(now.at, tuple(mass / sum(rest) for mass in rest), now.below[1:]), keep(now, x)

    return Machine([state((), tuple(p(())), tree) for tree in trees], move, target, length)


def weighed(target: Any, trees: Sequence[Drafted], weights: Any) -> dict[str, Any]:
    """What the symbols stand for where a tree is drawn."""
    return drawn_of(listed(trees, target, text_length(trees)), target, weights)


def drawn_of(machine: Machine, target: Any, weights: Any) -> dict[str, Any]:
    """The same of any machine with a root for each tree."""
    law = target_text(target, machine.length)
    values = machine.values()
    shorter = contexts(machine.vocab, machine.length - 1)
    return {
        **{name: value for name, value in values.items() if name != "start"},
        **{"root": machine.roots, "weight": weights, "C": len(weights)},
        **{"target": lambda text: law[text - 1 - shorter]},
        "ranges": {**values["ranges"], "k": range(1, len(weights) + 1)},
    }
