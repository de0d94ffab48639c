"""Reporting a certain draft accepts more than the full rule only where the target prefers the token more.

`folk.one-hot-better` in two readings, with a correction: vLLM #40551.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, exact, identity, law
from simspec.claims.folk.parts import at_top, off, pair, top
from simspec.laws import Scalar, overlap

NO_SURER = "p(a) is at most q(a)"
SURER = "p(a) exceeds q(a)"


def _with_top(p: Array, q: Array, mass: Scalar) -> Array:
    """p with another mass on the most likely token of q, in proportion elsewhere."""
    a = top(q)
    return mass * a + (1 - mass) * off(p if at_top(p, q) < 1 else q, a)


def _no_surer(draw: Draw) -> Instance:
    instance = pair(draw)
    p = instance["p"]
    q = instance["q"]
    return {"p": _with_top(p, q, min(at_top(p, q), q.max())), "q": q}


def _surer(draw: Draw) -> Instance:
    vocab = draw.vocab(2)
    p, q = draw.pair(vocab)
    if q.max() == 1:
        q = (q + exact([F(1, vocab)] * vocab)) / 2
    return {"p": _with_top(p, q, q.max() + (1 - q.max()) * draw.number("1/16", 1)), "q": q}


NEEDS = bound(
    name="folk.one-hot-better.needs",
    statement=r"Telling that $a = \operatorname{argmax} q$ was certain accepts more than the full rule only if $p(a) > q(a)$: "
    r"where $p(a) \le q(a)$, $p(a) \le \alpha$",
    reference="vLLM #40551 (comment)",
    instances=_no_surer,
    assumes={NO_SURER: lambda p, q: at_top(p, q) <= at_top(q, q)},
    lhs=lambda p, q: at_top(p, q),
    rhs=lambda p, q: overlap(p, q),
    tight=({"p": law("1/2", "1/2"), "q": law(1, 0)},),
    outside={NO_SURER: {"p": law(1, 0), "q": law("1/2", "1/2")}},
    sources=("exact",),
    broken=[broken("the draft's own mass at its top token", lhs=lambda p, q: at_top(q, q))],
)

ENOUGH = bound(
    name="folk.one-hot-better.enough",
    statement=r"Telling that $a = \operatorname{argmax} q$ was certain accepts more than the full rule whenever $p(a) > "
    r"q(a)$: then $p(a) > \alpha$",
    reference="vLLM #40551 (comment)",
    instances=_surer,
    assumes={SURER: lambda p, q: at_top(p, q) > at_top(q, q)},
    lhs=lambda p, q: at_top(p, q),
    rhs=lambda p, q: overlap(p, q),
    relation=at_least,
    outside={SURER: {"p": law("1/4", "3/4"), "q": law("1/2", "1/2")}},
    sources=("exact",),
    corrected_by=("folk.one-hot-better.enough-corrected",),
    note="The full rule also accepts other drafts; what is gained on a must exceed what they bring.",
)

ENOUGH_CORRECTED = identity(
    name="folk.one-hot-better.enough-corrected",
    statement=r"$p(a) - \alpha = (p(a) - q(a))_+ - \sum_{x \ne a} \min(p(x), q(x))$: it accepts more exactly when the target "
    r"is surer of $a$ by more than the two share elsewhere",
    reference="correction of vLLM #40551 (comment)",
    instances=pair,
    lhs=lambda p, q: at_top(p, q) - overlap(p, q),
    rhs=lambda p, q: np.maximum(at_top(p, q) - at_top(q, q), 0) - (np.minimum(p, q) * (1 - top(q))).sum(axis=-1),
    broken=[broken("a difference of masses at the top", rhs=lambda p, q: np.maximum(at_top(p, q) - at_top(q, q), 0))],
)
