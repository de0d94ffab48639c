"""sqs.best-size: what is dropped of the flat law is lost, and a dense lattice of as many words is nearer in the worst case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, V, eq, ge, laws, le, total, x
from proofs_check.sqs._algorithm_two import rounded
from proofs_check.sqs._kept_tokens import Sparse, scaled_up, sparse
from proofs_check.sqs._lattice_distance import Sharpest, distance, sharp_values, sharpest
from simspec.claims.claim import Instance
from simspec.claims.sqs.best_size import BEST_SIZE, EVERY_LAW, FINE, FLAT, MOST_TOKENS, MOST_UNITS
from simspec.claims.sqs.dense_closest import DENSE
from simspec.claims.sqs.parts import every_subset, flat, sent_law
from simspec.laws import Array
from simspec.methods.sqs.quantised import top_mask

ALL = "here the quantiser gets all of q"
SENT = "what is sent of the flat law is a law on K tokens"


def _all_kept(d: Derivation, s: Sparse) -> tuple[Fact, Fact]:
    """Σ u = V, and c = 1."""
    all_tokens = d.domain(ALL, eq(s.u[x], 1))
    size = d.summed("all tokens", eq(s.u[x], 1), all_tokens)
    total_mass = d.summed("all mass", eq(s.u[x] * s.q[x], s.q[x]), all_tokens)
    scale = d.smt("nothing is dropped", eq(s.c, 1), total_mass, s.accepted_mass, s.mass, scaled_up(d, s))
    law = d.smt("so the law is q", eq(s.law, s.q[x]), scale, all_tokens)
    return size, law


def _fine(d: Derivation, h: Sharpest, resolution: sp.Symbol, k: sp.Symbol, size: Fact) -> Fact:
    """worst ≤ 1 − K/V."""
    fine = d.assume(FINE, ge(resolution * (V - k), h.least * (V - h.least)))
    value = d.smt("of V tokens", eq(V * resolution * h.worst, h.least * (V - h.least)), h.value, size)
    scaled = d.smt("so", le(resolution * (V * h.worst), resolution * (V - k)), value, fine)
    once = d.smt("over L", le(V * h.worst, V - k), scaled)
    return d.derive("over V", le(h.worst, 1 - k / V), once)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, law, K, resolution ℓ, and L that the assumption allows.

    Both attained: the first by the laws of sqs.lattice-sharp.attained where the assumption is an equality, the second where
    ℓ is a multiple of K.
    """
    s = sparse(d)
    r = rounded(d, s, sign)
    h = sharpest(d, s, r, distance(d, s, r))
    k = d.number("k", 0)
    size, law = _all_kept(d, s)
    worst = _fine(d, h, r.resolution, k, size)
    same = d.derive("a distance", eq(sp.Abs(s.law - r.law), sp.Abs(s.q[x] - r.law)), law)
    same = d.sum("over the vocabulary", same, x)
    first = d.smt("of all laws", le(total(sp.Abs(s.q[x] - r.law), x) / 2, 1 - k / V), same, h.bound, worst)
    v = sp.IndexedBase("v", nonnegative=True)
    sent = sp.IndexedBase("sent", nonnegative=True)
    flag, size_is_k, mass, none = d.domain(
        SENT,
        eq(v[x] ** 2, v[x]),
        eq(total(v[x], x), k),
        eq(total(sent[x], x), 1),
        eq((1 - v[x]) * sent[x], 0),
    )
    u = sp.Symbol("share", positive=True)
    named = d.define("an even share", u, 1 / V)
    even = d.derive("V of them", eq(V * u, 1), named)
    token_loss = ge(sp.Abs(u - sent[x]), (1 - 2 * constant * v[x]) * u + sent[x])
    token_loss = d.summed("a token that is dropped loses 1/V", token_loss, flag, none, by="smt")
    far = total(sp.Abs(u - sent[x]), x) / 2
    last = d.smt("of the flat law", le(1 - k * u, far), token_loss, size_is_k, mass, even)
    d.qed(first, d.derive("with 1/V", le(1 - k / V, far), last, named))


def _bind(q: Array, dense: int, k: int, resolution: int) -> dict[str, Any]:
    even = flat(len(q))
    mask = top_mask(even, k)
    return {
        **sharp_values(q, every_subset(len(q)), dense),
        **{"k": k, "v": mask.astype(int), "sent": sent_law(even, mask, resolution)},
    }


def prove_best(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All of these sizes and resolutions.

    Attained by K = 1 of two tokens at ℓ = 1, and by K = 2 of six at ℓ = 2.
    """

    def no_farther(scheme: Instance) -> bool:
        dense_distance, theirs = BEST_SIZE.sides(scheme)
        return bool(constant * dense_distance <= sign * theirs)

    schemes = [
        {"vocab": vocab, "k": k, "resolution": units}
        for vocab in range(2, MOST_TOKENS + 1)
        for k in range(1, vocab)
        for units in range(1, MOST_UNITS + 1)
    ]
    d.exhaust("the dense lattice is no farther", no_farther, schemes)


def lattice_laws(tokens: tuple[int, ...]) -> Iterator[Instance]:
    """Three tokens, laws in multiples of 1/ℓ: by resolution."""
    for units in range(1, 6):
        for k in tokens:
            for q in laws(3, units):
                yield {"q": q, "k": k, "resolution": units}


def _named_tokens() -> Iterator[Instance]:
    """The same laws, with the set of tokens that K names."""
    for i in lattice_laws((1, 2)):
        yield {"q": i["q"], "kept": top_mask(i["q"], i["k"]), "resolution": i["resolution"]}


PROOFS = (
    Proof(FLAT, prove, drop=FINE, change={"constant": 2}, bind=_bind),
    Proof(BEST_SIZE, prove_best, drop={"constant": 2}, bind=None),
    Refutation(
        EVERY_LAW,
        lambda: lattice_laws((1, 2)),
        scope="three tokens, K = 1 and 2, laws in multiples of 1/ℓ, from ℓ = 1 on: ℓ = 5, and no coarser",
        repaired={"one token kept": lambda: lattice_laws((1,)), "one resolution": (DENSE, _named_tokens)},
    ),
)
