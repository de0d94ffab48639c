"""tree.same-acceptance: the coin's interval for a child is its mass, and so is what the children before leave times its share."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x, y
from proofs_check.tree._machine import N, s, start
from simspec.claims.tree.parts import levels, model
from simspec.claims.tree.same_acceptance import SAME_ACCEPTANCE
from simspec.methods.tree.shapes import Drafted

n, m, K = sp.symbols("n m K", integer=True, nonnegative=True)
COIN = "target-only: a coin beyond the children so far takes the next one below c plus its mass"
SHARE = "deterministic: a child is kept with its share of what is left"
REST = "what both draw from after all: the target's mass on the others"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws by context, every tree with different siblings; by induction on children and on levels."""
    mass, keep, take = (sp.IndexedBase(name, real=True) for name in ("mass", "keep", "take"))
    c, A, got = (sp.IndexedBase(name, real=True) for name in ("c", "A", "got"))
    upto = d.recursion("mass of the children so far", eq(c[0], 0), eq(c[n + 1], c[n] + mass[n]))
    share = d.domain(SHARE, eq(keep[n] * (1 - c[n]), constant * mass[n]))
    coin = d.domain(COIN, eq(take[n], mass[n]))
    reached = d.recursion("none so far is kept", eq(A[0], 1), eq(A[n + 1], A[n] * (1 - keep[n])))
    law = eq(A[n], 1 - c[n])
    before = d.suppose("reached with what is left", law)
    first = d.derive("at first", law.replace({n: 0}), upto[0], reached[0])
    then = d.smt("then", law.replace({n: n + 1}), upto[1], reached[1], before, share)
    for_every_child = d.induction("for every child", law, n, first, then)
    child = d.smt("the interval is the share", eq(take[n], A[n] * keep[n]), for_every_child, share, coin)
    some = d.recursion("accepted so far", eq(got[0], 0), eq(got[n + 1], got[n] + take[n]))
    all_ = d.inductive("accepted in all", eq(got[n], c[n]), n, [some[0], upto[0]], [some[1], upto[1], coin])
    h, g, rest_mass = (sp.IndexedBase(name, real=True) for name in ("h", "g", "other"))
    first_residual, two = d.domain(REST, eq(h[y] * (1 - c[K]), rest_mass[y]), eq(g[y] * (1 - c[K]), rest_mass[y]))
    last = d.instantiate("after all children", for_every_child, {n: K})
    rest = d.smt("the same is drawn", eq((1 - c[K]) * h[y], A[K] * g[y]), first_residual, two, last)
    accepted = d.instantiate("at the node", all_, {n: K})
    d.qed(
        d.instantiate("for every place", child, {n: m}),
        rest,
        accepted,
        _by_paths(d, sign),
    )


def _by_paths(d: Derivation, sign: int) -> Any:
    """The mean number of accepted drafts below a node, and the sum over the nodes below it of their path's probability."""
    M, on, takes = (sp.IndexedBase(name, real=True) for name in ("M", "child", "takes"))
    E, P = (sp.IndexedBase(name, real=True) for name in ("E", "P"))
    go = d.map("acc")[s, x]
    node = d.domain("a node takes a child with its mass", eq(takes[s, x], on[s, x] * M[s, x]))
    mean = d.recursion(
        "accepted in so many levels", eq(E[0, s], 0), eq(E[n + 1, s], total(takes[s, x] * (1 + sign * E[n, go]), x))
    )
    paths = d.recursion(
        "probabilities of paths", eq(P[0, s], 0), eq(P[n + 1, s], total(on[s, x] * M[s, x] * (1 + P[n, go]), x))
    )
    law = eq(E[n, s], P[n, s])
    below = d.instantiate("of a child", d.suppose("of a smaller tree", law), {s: go})
    per_child = d.summed(
        "child by child", eq(takes[s, x] * (1 + E[n, go]), on[s, x] * M[s, x] * (1 + P[n, go])), node, below
    )
    for_every_tree = d.inductive("of every tree", law, n, [mean[0], paths[0]], [mean[1], paths[1], per_child])
    return d.instantiate("from the root", for_every_tree, {n: N, s: start})


def _values(target: Any, tree: Drafted) -> dict[str, Any]:
    """The values of the symbols of `prove`, for the nodes of a drafted tree and the children of its root."""
    p = model(target)
    vocab = target.shape[-1]
    tokens = [token for token, _ in tree]
    upto = [sum(target[0][token] for token in tokens[:at]) for at in range(len(tree) + 1)]
    rest = [0 if token in tokens else mass for token, mass in enumerate(target[0].tolist())]
    residual = [mass / sum(rest) if any(rest) else mass for mass in rest]
    number: dict[tuple[tuple[int, ...], Drafted], int] = {}

    def walk(at: tuple[int, ...], below: Drafted) -> None:
        number.setdefault((at, below), len(number) + 1)
        for token, subtree in below:
            walk((*at, token), subtree)

    walk((), tree)
    states = list(number)
    marks = [[int(token in dict(below)) for token in range(vocab)] for _, below in states]

    def kept(at: int) -> Any:
        return target[0][tokens[at]] / (1 - upto[at]) if upto[at] < 1 else 1 - upto[at]

    def go(at: int, token: int) -> int:
        context, below = states[at - 1]
        return number[(*context, token - 1), dict(below)[token - 1]] if token - 1 in dict(below) else at

    return {
        **{"mass": lambda at: target[0][tokens[at]], "take": lambda at: target[0][tokens[at]], "keep": kept},
        **{"h": residual, "g": residual, "other": rest, "K": len(tree), "V": vocab, "start": 1, "N": levels(tree)},
        **{"M": [p(context) for context, _ in states], "child": marks, "acc": go},
        **{"takes": lambda at, token: marks[at - 1][token - 1] * p(states[at - 1][0])[token - 1]},
        "ranges": {"n": range(len(tree)), "m": range(len(tree)), "s": range(1, len(states) + 1)},
    }


PROOF = Proof(SAME_ACCEPTANCE, prove, drop=SHARE, bind=_values)
