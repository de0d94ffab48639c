"""tree.traversal-full.swr: the children of a node take min(c q, a p) of the target, and c is not below recursive rejection's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, index, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.tree.parts import model
from simspec.claims.tree.traversal_over_rrs import FULL_SWOR, FULL_SWR, OVER_RRS_CORRECTED
from simspec.methods.block import Prefix

s = index("s")
start = index("start")
n, m, K, N = sp.symbols("n m K N", integer=True, nonnegative=True)
KIDS = "child m of a node gets the weight that is left of the target for it: its kept mass over its drafted mass"


Names = tuple[Any, Any, Any, Any, Any, Any]
"""a, c, e, q, and what m children take of a token under either rule."""
Room = tuple[Fact, Fact, Sequence[Fact]]
"""0 ≤ a ≤ 1, and what is known of the laws."""


def _never_behind(d: Derivation, names: Names, mass_steps: Sequence[Fact], range_facts: Room) -> Fact:
    """The mass that m children have had is at least a times recursive rejection's."""
    a, c, e, q, took, theirs = names
    low, high, laws = range_facts
    recursive_steps = d.recursion(
        "and under recursive rejection",
        eq(e[0, s], 0),
        eq(e[m + 1, s], e[m, s] + 1 - total(theirs, x)),
    )
    never_smaller = ge(c[m, s], a[s] * e[m, s])
    before = d.suppose("so far", never_smaller)
    per_token = d.smt(
        "a token takes no more of it",
        ge((c[m, s] - a[s] * e[m, s]) * q[s, x], took - a[s] * theirs),
        before,
        *laws[:2],
        low,
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    zero = d.derive("at first", never_smaller.replace({m: 0}), mass_steps[0], recursive_steps[0])
    premises = [mass_steps[1], recursive_steps[1], per_token, laws[3], high, before]
    then = d.smt("then", never_smaller.replace({m: m + 1}), *premises)
    return d.induction("never behind", never_smaller, m, zero, then)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every number of children and levels, all laws by context; by induction on children and on levels.

    Sharp: equality on one level.
    """
    a, p, q, h = (sp.IndexedBase(name, real=True) for name in ("a", "p", "q", "h"))
    c, e, U, u, G = (sp.IndexedBase(name, real=True) for name in ("c", "e", "U", "u", "G"))
    kid = d.map("kid")[m, s, x]
    low, high = d.domain("a is a probability", ge(a[s], 0), le(a[s], 1))
    laws = d.domain("laws", ge(p[s, x], 0), ge(q[s, x], 0), eq(total(p[s, x], x), 1), eq(total(q[s, x], x), 1))
    mass_steps = d.recursion(
        "drafted mass that m children of a node have had under traversal",
        eq(c[0, s], 0),
        eq(c[m + 1, s], c[m, s] + 1 - total(sp.Min(c[m, s] * q[s, x], a[s] * p[s, x]), x)),
    )
    took = sp.Min(c[m, s] * q[s, x], a[s] * p[s, x])
    theirs = sp.Min(e[m, s] * q[s, x], p[s, x])
    ahead = _never_behind(d, (a, c, e, q, took, theirs), mass_steps, (low, high, laws))
    k = sp.Min(c[m + 1, s] * q[s, x], a[s] * p[s, x]) - took
    g = (c[m + 1, s] - c[m, s]) * q[s, x]
    cap = d.summed("what is taken is of the target", le(took, a[s] * p[s, x]))
    grows = d.smt("a child that is drafted has a mass", ge(c[m + 1, s] - c[m, s], 0), mass_steps[1], cap, laws[2], high)
    grows = d.smt("at each token", ge(g, 0), grows, laws[1])
    carried = d.domain(KIDS, eq(g * a[kid], constant * k))
    below, positive = d.domain(
        "what hangs below a token is the same for all children", eq(u[n, kid], h[n, s, x]), ge(h[n, s, x], 0)
    )
    sums = d.recursion(
        "accepted from m children on, and below them",
        eq(G[0, n, s], 0),
        eq(G[m + 1, n, s], G[m, n, s] + total(k + g * U[n, kid], x)),
    )
    none, levels = d.domain("traversal on n levels", eq(U[0, s], 0), eq(U[n + 1, s], G[K, n, s]))
    best, more_u = d.domain(
        "recursive rejection on n levels",
        eq(u[0, s], 0),
        eq(u[n + 1, s], total(theirs.subs(m, K) * (1 + h[n, s, x]), x)),
    )
    law = ge(U[n, s], sign * a[s] * u[n, s])
    hypothesis = d.suppose("on fewer levels", law)
    inside = d.instantiate("of a child", hypothesis, {s: kid})
    worth = ge(k + g * U[n, kid], k * (1 + h[n, s, x]))
    worth = d.summed("a child and what hangs below it", worth, inside, carried, below, positive, grows, by="smt")
    children_worth = ge(G[m, n, s], total(took * (1 + h[n, s, x]), x))
    so_far = d.suppose("with fewer children", children_worth)
    empty = d.summed(
        "without a child", le(took.subs(m, 0) * (1 + h[n, s, x]), 0), mass_steps[0], positive, low, laws[0], by="smt"
    )
    zero = d.smt("at first", children_worth.replace({m: 0}), sums[0], empty)
    then = d.smt("then", children_worth.replace({m: m + 1}), sums[1], so_far, worth)
    all_ = d.induction("of all children", children_worth, m, zero, then)
    all_, ahead = (d.instantiate("of K children", f, {m: K}) for f in (all_, ahead))
    per_token = ge(took.subs(m, K) * (1 + h[n, s, x]), a[s] * theirs.subs(m, K) * (1 + h[n, s, x]))
    scaled = ge(took.subs(m, K), a[s] * theirs.subs(m, K))
    scaled = d.smt("it takes no less", scaled, ahead, *laws[:2], low)
    per_token = d.summed("token by token", per_token, scaled, positive, by="smt")
    first = d.smt("without a level", law.replace({n: 0}), none, best)
    then = d.smt("a level more", law.replace({n: n + 1}), levels, all_, per_token, more_u)
    for_every_n = d.induction("for every number of levels", law, n, first, then)
    root = d.domain("the root is accepted for sure", eq(a[start], 1))
    for_every_n = d.instantiate("from the root", for_every_n, {n: N, s: start})
    d.qed(d.smt("for sure", ge(U[N, start], u[N, start]), for_every_n, root))


Node = tuple[Prefix, Any, int]
"""A context, the weight that it is reached with, and the levels below it."""


class Nodes:
    """The nodes that are reached, numbered from 1.

    Below the last level, where nothing is asked, target and draft are the same law, so that every statement holds there.
    """

    def __init__(self, arity: int, levels: int, target: Any, draft: Any) -> None:
        """Follow every child and token from the root, and number each new node."""
        self.arity, self.vocab, self.p, self.q, self.same = (
            arity,
            target.shape[-1],
            model(target),
            model(draft),
            draft[0],
        )
        number: dict[Node, int] = {((), F(1), levels): 1}
        kids: dict[tuple[int, int, int], int] = {}
        open_ = list(number)
        while open_:
            node = open_.pop()
            for child, token in product(range(arity), range(self.vocab)):
                below = self.below(node, child, token)
                if below not in number:
                    number[below] = len(number) + 1
                    open_.append(below)
                kids[child, number[node], token + 1] = number[below]
        self.nodes, self.kids = list(number), kids

    def laws(self, node: Node) -> tuple[Any, Any]:
        """Target and draft law."""
        return (self.p(node[0]), self.q(node[0])) if node[2] else (self.same, self.same)

    def multiple(self, node: Node, children: int, weight: Any) -> Any:
        """Drafted mass that the first children have had, the target scaled by a weight."""
        covered_mass = F(0)
        (p, q) = self.laws(node)
        for _ in range(children):
            covered_mass = covered_mass + 1 - sum(min(covered_mass * b, weight * a) for a, b in zip(p, q, strict=True))
        return covered_mass

    def masses(self, node: Node, child: int, token: int) -> tuple[Any, Any]:
        """Drafted and kept mass of a token as this child."""
        low, high = (self.multiple(node, k, node[1]) for k in (child, child + 1))
        p, q = self.laws(node)
        return (high - low) * q[token], min(high * q[token], node[1] * p[token]) - min(
            low * q[token], node[1] * p[token]
        )

    def below(self, node: Node, child: int, token: int) -> Node:
        """The node of a child."""
        drafted, accepted = self.masses(node, child, token)
        weight = accepted / drafted if drafted else F(0)
        return ((*node[0], token), weight, node[2] - 1) if node[2] else ((), weight, 0)

    def traversal(self, levels: int, node: Node) -> Any:
        """What traversal accepts below a node on some levels."""
        acceptance = F(0)
        for child, token in product(range(self.arity if levels else 0), range(self.vocab)):
            drafted, accepted = self.masses(node, child, token)
            acceptance += accepted + (
                drafted * self.traversal(levels - 1, self.below(node, child, token)) if drafted else 0
            )
        return acceptance

    def recursive(self, levels: int, node: Node) -> Any:
        """The same of recursive rejection."""
        if not levels:
            return F(0)
        reached = self.multiple(node, self.arity, F(1))
        (p, q) = self.laws(node)
        masses = [min(reached * b, a) for a, b in zip(p, q, strict=True)]
        return sum(m_ * (1 + self.after(levels - 1, node, token)) for token, m_ in enumerate(masses))

    def after(self, levels: int, node: Node, token: int) -> Any:
        """What it accepts below a token, whichever child that is."""
        return self.recursive(levels, ((*node[0], token), F(1), node[2] - 1) if node[2] else ((), F(1), 0))


def _values(arity: int, levels: int, target: Any, draft: Any) -> dict[str, Any]:
    tree_nodes = Nodes(arity, levels, target, draft)
    nodes = tree_nodes.nodes
    return {
        **{"a": [node[1] for node in nodes], "K": arity, "N": levels, "start": 1, "V": target.shape[-1]},
        **{
            "p": [list(tree_nodes.laws(node)[0]) for node in nodes],
            "q": [list(tree_nodes.laws(node)[1]) for node in nodes],
        },
        **{"kid": lambda child, at, token: tree_nodes.kids[child, at, token]},
        **{"U": lambda height, at: tree_nodes.traversal(height, nodes[at - 1])},
        **{"u": lambda height, at: tree_nodes.recursive(height, nodes[at - 1])},
        **{"h": lambda height, at, token: tree_nodes.after(height, nodes[at - 1], token - 1)},
        "ranges": {"s": range(1, len(nodes) + 1), "m": range(arity), "n": range(levels)},
    }


def _at_root() -> Iterator[Instance]:
    """The laws of the node that fails, at the root."""
    (instance,) = FULL_SWOR.against
    target = instance["target"][1]
    draft = instance["draft"][1]
    yield {"shape": ((), ()), "replace": 0, "target": np.stack([target] * 5), "draft": draft[None]}


PROOFS = (
    Proof(FULL_SWR, prove, drop=KIDS, bind=_values, change={"constant": 0}),
    Refutation(
        FULL_SWOR,
        lambda: FULL_SWOR.against,
        scope="found over four tokens by a search over masses of small denominators; over two and three tokens it found none",
        repaired={"only the root has more than one child": (OVER_RRS_CORRECTED, _at_root)},
    ),
)
