"""tree.eagle-best: nodes that are most likely are worth the most; an exchanged node costs what the draft misjudges it by."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, index, laws, total
from simspec.claims.claim import Instance
from simspec.claims.tree.eagle_best import ANY, ANY_CORRECTED, CALIBRATED, best, every_tree, mass, of_paths
from simspec.claims.tree.parts import model

v = index("v")
S = sp.Symbol("S", integer=True, positive=True)
LIKELY = "no node outside of the tree has a larger product of q than one in it"
SIZE = "both trees have as many nodes"


class Exchange(NamedTuple):
    """Nodes u of the tree that is chosen, t of another one, their products Q under the draft: Σ uQ ≥ Σ tQ."""

    u: Any
    t: Any
    Q: Any
    more: Fact


def _exchange(d: Derivation, sign: int, constant: int) -> Exchange:
    u, t, Q = (d.weights(name, v) for name in ("u", "t", "Q"))
    lam = d.number("lambda", 0)
    marks = d.domain("a node is in a tree or not", eq(u[v] * (1 - u[v]), 0), eq(t[v] * (1 - t[v]), 0))
    inside_likely, others = d.domain(
        LIKELY, ge(u[v] * (Q[v] - sign * lam), 0), ge((1 - u[v]) * (constant * lam - Q[v]), 0)
    )
    same = d.domain(SIZE, eq(total(u[v], v, upto=S), total(t[v], v, upto=S)))
    node_exchange = ge(u[v] * Q[v] - t[v] * Q[v], lam * u[v] - lam * t[v])
    node_exchange = d.summed(
        "a node for a node", node_exchange, inside_likely, others, *marks, over=v, upto=S, by="smt"
    )
    return Exchange(
        u, t, Q, d.smt("as many", ge(total(u[v] * Q[v], v, upto=S), total(t[v] * Q[v], v, upto=S)), node_exchange, same)
    )


def calibrated(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of nodes, all laws by context, any other tree; what is accepted is the sum of path products.

    Sharp: equality with the tree itself.
    """
    d.qed(_exchange(d, sign, constant).more)


def any_models(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of nodes, all laws of target and draft by context, any other tree.

    Sharp: equality for one node that the draft is sure of and the target never says, beside one that is the reverse.
    """
    u, t, Q, draft_order = _exchange(d, sign, constant)
    P = d.weights("P", v)
    apart = sp.Abs(u[v] - t[v]) * sp.Abs(P[v] - Q[v])
    per_node = ge(u[v] * P[v] - t[v] * P[v], u[v] * Q[v] - t[v] * Q[v] - apart)
    per_node = d.summed("what the draft misjudges", per_node, over=v, upto=S)
    d.qed(
        d.derive(
            "on all nodes",
            ge(total(u[v] * P[v], v, upto=S), total(t[v] * P[v] - apart, v, upto=S)),
            per_node,
            draft_order,
        )
    )


def _of(target: Any, draft: Any, nodes: int) -> dict[str, Any]:
    """The tree that the draft likes best, beside the best one."""
    draft_tree = best(draft, nodes)
    trees = every_tree(target.shape[-1], nodes)
    rival = max(trees, key=lambda tree: of_paths(target, tree))
    all_paths = sorted(set().union(*trees))
    q = [mass(model(draft), path) for path in all_paths]
    return {
        **{
            "u": [int(path in draft_tree) for path in all_paths],
            "t": [int(path in rival) for path in all_paths],
            "Q": q,
        },
        **{"P": [mass(model(target), path) for path in all_paths], "S": len(all_paths)},
        **{"lambda": min(m for path, m in zip(all_paths, q, strict=True) if path in draft_tree), "V": target.shape[-1]},
        "ranges": {"v": range(1, len(all_paths) + 1)},
    }


def by_size() -> Iterator[Instance]:
    """One node, laws over two tokens by the denominator of their masses."""
    for denominator in (1, 2):
        for p, q in product(list(laws(2, denominator)), repeat=2):
            yield {"target": p[None], "draft": q[None], "nodes": 1}


PROOFS = (
    Refutation(
        ANY,
        by_size,
        scope="the first with one node and masses in whole numbers",
        repaired={"less what the draft misjudges": ANY_CORRECTED, "Q = P": CALIBRATED},
    ),
    Proof(ANY_CORRECTED, any_models, drop=SIZE, bind=_of),
    Proof(CALIBRATED, calibrated, drop=LIKELY, bind=lambda target, nodes: _of(target, target, nodes)),
)
