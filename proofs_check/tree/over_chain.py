"""tree.over-chain: a sampled chain under exact matching is a path drawn without the coins; no mean exceeds the largest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, index, laws, total
from simspec.claims.claim import Instance
from simspec.claims.tree.eagle_best import mass, trees
from simspec.claims.tree.over_chain import OVER_CHAIN, OVER_CHAIN_CORRECTED
from simspec.claims.tree.parts import model
from simspec.methods.verifier.verifier import one_path

k = index("k")
m = index("m")
C, G = sp.symbols("C G", integer=True, positive=True)
BEST = "no tree accepts more than the best, a path among them"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of drafts, all laws by context, a chain that is drawn in any way without the coins.

    A draft of a path is accepted with the target's probability of the path up to it (tree.exact-match, tree.same-acceptance).
    """
    w = d.weights("w", k)
    P = d.weights("P", k, m)
    best = d.number("best", 0)
    some = d.domain("some chain is drawn", eq(total(w[k], k, upto=C), 1))
    best_bound = d.domain(BEST, ge(constant * best, total(P[k, m], m, upto=G)))
    per_chain = d.summed(
        "of every chain", ge(w[k] * best, sign * w[k] * total(P[k, m], m, upto=G)), best_bound, over=k, upto=C, by="smt"
    )
    d.qed(d.derive("of their mean", ge(best, total(w[k] * total(P[k, m], m, upto=G), k, upto=C)), per_chain, some))


def _values(target: Any, draft: Any, gamma: int) -> dict[str, Any]:
    paths = list(one_path(model(draft), gamma))
    law = model(target)
    return {
        **{"w": [weight for weight, _ in paths], "C": len(paths), "G": gamma, "best": trees(target, gamma), "V": 2},
        **{"P": [[mass(law, path[: at + 1]) for at in range(gamma)] for _, path in paths]},
        "ranges": {"k": range(1, len(paths) + 1), "m": range(1, gamma + 1)},
    }


def by_size() -> Iterator[Instance]:
    """One draft, laws over two tokens with masses in halves that target and draft share."""
    for p in laws(2, 2):
        yield {"target": p[None], "draft": p[None], "gamma": 1}


PROOFS = (
    Refutation(
        OVER_CHAIN,
        by_size,
        scope="one draft from the target's own law, masses in halves",
        repaired={"exact matching": OVER_CHAIN_CORRECTED},
    ),
    Proof(OVER_CHAIN_CORRECTED, prove, drop=BEST, bind=_values),
)
