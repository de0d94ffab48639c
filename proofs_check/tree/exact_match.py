"""tree.exact-match: what is emitted are samples of the target, so it matters only that the candidates do not see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws, total, x, y, z
from proofs_check.tree._listed import averaged, drawn_of
from proofs_check.tree._machine import SAME, n, s, t, texts
from proofs_check.tree._states import Machine, State
from simspec.claims.authoring import exact
from simspec.claims.claim import Instance
from simspec.claims.tree.deterministic import text_length
from simspec.claims.tree.exact_match import SEEN, SEEN_CORRECTED, UNSEEN
from simspec.claims.tree.parts import model
from simspec.methods.tree.shapes import Drafted


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws by context, all trees of candidates, drawn by any law; by induction on the tree."""
    F_, M, S = (sp.IndexedBase(name, real=True) for name in ("F", "M", "S"))
    acc = d.map("acc")
    ref = d.map("ref")
    tx = texts(d, M, S, acc, ref)
    last, level_step = d.recursion(
        "a sample is emitted, and the text goes on where it is a candidate",
        eq(F_[0, s, t], tx.T[s, t]),
        eq(
            F_[n + 1, s, t],
            total(
                M[s, x]
                * (
                    constant * S[s, x] * tx.b[t, x] * F_[n, acc[s, x], tx.tail[t]]
                    + sign * (1 - S[s, x]) * tx.c[s, x, t]
                ),
                x,
            ),
        ),
    )
    text = eq(F_[n, s, t], tx.T[s, t])
    hypothesis = d.suppose("the law, with less of the tree", text)
    inside = d.instantiate("of the child", hypothesis, {s: acc[s, x], t: tx.tail[t]})
    child = eq(M[s, x] * S[s, x] * tx.b[t, x] * F_[n, acc[s, x], tx.tail[t]], M[s, x] * S[s, x] * tx.c[s, x, t])
    child = d.summed("the samples that are candidates", child, inside, tx.grows, by="smt")
    for_every_n = d.inductive("as the target says it", text, n, [last], [level_step, child, tx.law])
    d.qed(averaged(d, F_, tx.T, for_every_n))


def _values(target: Any, trees: Sequence[Drafted], weights: Any) -> dict[str, Any]:
    p = model(target)
    vocab = target.shape[-1]

    def state(at: tuple[int, ...], below: Drafted) -> State:
        marks = tuple(F(token in dict(below)) for token in range(vocab))
        return State(at, tuple(p(at)), marks, F(1), below)

    def move(now: State, token: int) -> tuple[State, State, Any]:
        return state((*now.at, token), dict(now.below)[token]), now, F(1)

    machine = Machine([state((), tree) for tree in trees], move, target, text_length(trees))
    return drawn_of(machine, target, weights)


AFTER = "the second law sums to one"


def differs(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of both tokens, and candidates that depend on both samples in any way."""
    p = d.weights("p")
    A = d.weights("A", x, y)
    o = d.weights("o", x, y)
    mass_is_one = d.domain(AFTER, eq(total(A[x, y], y), 1))
    alone = total(p[x] * A[x, z] * (1 - constant * o[x, z]), z)
    law = p[x] * A[x, y] * o[x, y] + sign * alone * A[x, y] - p[x] * A[x, y]
    d.qed(
        d.derive("kept, or drawn anew", eq(law, p[x] * A[x, y] * (o[x, y] - total(A[x, z] * o[x, z], z))), mass_is_one)
    )


def by_size() -> Iterator[Instance]:
    """The first token certain, both second laws in halves, candidates for sure or never."""
    for after in product(list(laws(2, 2)), repeat=2):
        for offered in product((0, 1), repeat=4):
            yield {"p": exact([1, 0]), "after": np.stack(after), "offered": exact(np.reshape(offered, (2, 2)))}


PROOFS = (
    Proof(UNSEEN, prove, drop=SAME, bind=_values),
    Refutation(
        SEEN,
        by_size,
        scope="the first whose first token is certain, second laws in halves and candidates that are offered or not",
        repaired={"the law that it has": SEEN_CORRECTED},
    ),
    Proof(
        SEEN_CORRECTED,
        differs,
        drop=AFTER,
        bind=lambda p, after, offered: {"p": p, "A": after, "o": offered, "V": len(p)},
    ),
)
