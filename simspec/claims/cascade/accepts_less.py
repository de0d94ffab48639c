"""Both tests keep no more of the first draft's own tokens than one test would, and as much only for a model in between.

`cascade.accepts-less.bound` and `.equality`, the second with a correction: own statements, on Wang et al. 2025 (2510.26527).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, identity, law
from simspec.claims.block.parts import whether
from simspec.claims.cascade.parts import OWN, three_laws
from simspec.laws import overlap
from simspec.methods.verifier.chance import Chance, every

__all__ = ["between", "surviving"]


def surviving(p: Array, m: Array, q: Array) -> Any:
    """Probability that a draft of q is kept by the middle model and then by the target.

    >>> print(surviving(law("1/2", "1/2"), law(1, 0), law("1/2", "1/2")))
    1/4
    """

    def program(chance: Chance) -> int:
        x = chance.draw(q)
        return int(chance.keep(m[x], q[x]) and chance.keep(p[x], m[x]))

    return sum((weight * survives for weight, survives in every(program)), start=F(0))


def between(p: Array, m: Array, q: Array) -> Array:
    """At which tokens m lies between p and q."""
    inside: Array = (np.minimum(p, q) <= m) & (m <= np.maximum(p, q))
    return inside


BOUND = bound(
    name="cascade.accepts-less.bound",
    statement=r"Of $q$'s own tokens at most $\sum \min(p, q)$ survive both tests",
    reference=OWN,
    instances=three_laws,
    lhs=surviving,
    rhs=lambda p, q: overlap(p, q),
    tight=[{"p": law("1/4", "3/4"), "m": law("1/2", "1/2"), "q": law("3/4", "1/4")}],
    sources=("exact",),
    note="Token by token min(q, m) min(1, p/m) ≤ min(p, q): what the middle model keeps of q, the target would.",
    broken=[broken("what both stages share", rhs=lambda p, m, q: overlap(p, m) * overlap(m, q))],
)

ELSEWHERE = {"p": law(1, 0, 0), "m": law(0, 0, 1), "q": law(0, 1, 0)}
"""All of m where neither p nor q has anything: nothing survives, as without m."""

EQUALITY = identity(
    name="cascade.accepts-less.equality",
    statement=r"$\sum \min(p, q)$ of $q$'s own tokens survive both tests if and only if $m$ lies between $p$ and $q$ at every "
    r"token",
    reference=OWN,
    instances=three_laws,
    lhs=lambda p, m, q: whether(surviving(p, m, q) == overlap(p, q)),
    rhs=lambda p, m, q: whether(bool(between(p, m, q).all())),
    sources=("exact",),
    corrected_by=("cascade.accepts-less.equality-corrected",),
    against=(ELSEWHERE,),
    within="none exists: where p and q have every token, it is the corrected statement",
    note="It fails in an edge case only: a token that p or q lacks is lost in any case, however much m has of it.",
)

EQUALITY_CORRECTED = identity(
    name="cascade.accepts-less.equality-corrected",
    statement=r"$\sum \min(p, q)$ of $q$'s own tokens survive both tests if and only if $m$ lies between $p$ and $q$ at every "
    r"token that both have",
    reference=f"correction of an {OWN}",
    instances=three_laws,
    lhs=lambda p, m, q: whether(surviving(p, m, q) == overlap(p, q)),
    rhs=lambda p, m, q: whether(bool((between(p, m, q) | (np.minimum(p, q) == 0)).all())),
    tight=[ELSEWHERE],
    sources=("exact",),
    note="With full supports it is the sentence that it corrects.",
    broken=[broken("every token", rhs=lambda p, m, q: whether(bool(between(p, m, q).all())))],
)
