"""tree.sequoia-dp: no tree accepts more than F of its size, by induction on its height, and trees of best subtrees as much."""

from __future__ import annotations

from functools import cache
from typing import Any

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total
from proofs_check.tree._shapes import K, N, m, n, s, values, worth
from simspec.claims.tree.sequoia_dp import SEQUOIA_DP, most
from simspec.methods.tree.best import accepted_drafts
from simspec.methods.tree.shapes import Shape, every_shape, height, nodes

SPLIT = "F is the largest over all splits: no less than over the one of this tree"
BEST = "a tree is best where the split is one of those that attain F, and so are the trees of its children"
top = index("top")
champion = index("champion")


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of nodes and of children, all rates; all trees of so many nodes."""
    t = worth(d)
    f = d.weights("f", s)
    best = d.weights("best", s)
    low = d.weights("low", n, s)
    go = t.kid[s, m]
    split = total(t.has[s, m] * t.a[m] * (1 + f[go]), m, upto=K)
    above = d.domain(SPLIT, ge(constant * f[s], sign * split))
    attains, inherits = d.domain(
        BEST, eq(best[s] * (f[s] - split), 0), eq(best[s] * t.has[s, m], best[s] * t.has[s, m] * best[go])
    )
    ends, lower = d.domain(
        "low[n, s] is 1 where a tree has at most n levels",
        eq(low[0, s] * f[s], 0),
        eq(low[n + 1, s] * t.has[s, m], low[n + 1, s] * t.has[s, m] * low[n, go]),
    )
    some = d.domain("F is not negative", ge(f[s], 0))
    law = le(t.W[n, s], f[s])
    hypothesis = d.suppose("no smaller tree accepts more", law)
    below = d.instantiate("of a child", hypothesis, {s: go})
    term = t.has[s, m] * t.a[m]
    per_child = d.summed(
        "child by child", le(term * (1 + t.W[n, go]), term * (1 + f[go])), below, over=m, upto=K, by="smt"
    )
    upper = d.inductive("no tree accepts more", law, n, [t.none, some], [t.more, per_child, above])
    law = eq(low[n, s] * best[s] * (f[s] - t.W[n, s]), 0)
    hypothesis = d.suppose("a smaller best tree accepts F", law)
    below = d.instantiate("of a child", hypothesis, {s: go})
    weight = low[n + 1, s] * best[s] * t.has[s, m]
    goes = d.smt("its children are best and low", eq(weight, weight * low[n, go] * best[go]), lower, inherits)
    per_child = d.smt("child by child", eq(weight * t.a[m] * (f[go] - t.W[n, go]), 0), goes, below)
    per_child = d.sum("over the children", per_child, m, upto=K)
    exact = d.inductive("best trees accept F", law, n, [ends, t.none], [t.more, per_child, attains], by="smt")
    F = d.number("F")
    M = d.number("most")
    end = d.domain(
        "of all trees of so many nodes one accepts the most, no less than the one that is best",
        eq(M, t.W[N, top]),
        ge(M, t.W[N, champion]),
        eq(f[top], F),
        eq(f[champion], F),
        eq(low[N, champion] * best[champion], 1),
    )
    at = [d.instantiate("of these", upper, {n: N, s: top}), d.instantiate("of these", exact, {n: N, s: champion})]
    d.qed(d.smt("F is the most", eq(F, M), *end, *at))


def _values(rates: Any, nodes_: int) -> dict[str, Any]:
    """The values of the symbols of `prove`, for all shapes of up to `nodes_` nodes."""
    shapes = [shape for size in range(nodes_ + 1) for shape in every_shape(size)]
    of_size = [most(rates, nodes(shape)) for shape in shapes]

    @cache
    def best(shape: Shape) -> bool:
        reached = sum(a * (1 + most(rates, nodes(child))) for a, child in zip(rates, shape, strict=False))
        return bool(reached == most(rates, nodes(shape))) and all(map(best, shape[: len(rates)]))

    def low(levels: int, at: int) -> int:
        return int(height(shapes[at - 1]) <= levels)

    full = [at for at, shape in enumerate(shapes, 1) if nodes(shape) == nodes_]
    accepted = {at: accepted_drafts(shapes[at - 1], rates) for at in full}
    symbols = values(shapes, rates)
    return {
        **symbols,
        **{"f": of_size, "best": [int(best(shape)) for shape in shapes], "low": low, "N": nodes_},
        **{"top": max(accepted, key=lambda at: accepted[at]), "most": max(accepted.values())},
        **{"champion": next(at for at in full if best(shapes[at - 1])), "F": most(rates, nodes_)},
        "ranges": {**symbols["ranges"], "n": range(nodes_ + 1)},
    }


PROOF = Proof(SEQUOIA_DP, prove, drop=SPLIT, bind=lambda rates, nodes: _values(rates, nodes))
