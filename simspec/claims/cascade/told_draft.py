"""If the target is given the first draft's law in place of the middle model's, the output is biased.

`cascade.told-draft`, with its correction: own statements, on Wang et al. 2025 (2510.26527).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, bound, broken, exact, law, procedure
from simspec.claims.cascade.parts import OWN, middle_token, redrawn, three_laws
from simspec.laws import tv
from simspec.methods.verifier.chance import Chance, every


def _program(chance: Chance, p: Array, m: Array, q: Array) -> int:
    """A token of the middle model, tested by the target as if q had drawn it."""
    z, _ = middle_token(chance, m, q)
    if chance.keep(p[z], q[z]):
        return z
    return chance.draw(redrawn(p, q))


def _emitted(p: Array, m: Array, q: Array) -> Array:
    masses = exact(np.zeros(len(p), dtype=int))
    for weight, token in every(lambda chance: _program(chance, p, m, q)):
        masses[token] += weight
    return masses


HALF = {"p": law("1/2", "1/2"), "m": law("3/4", "1/4"), "q": law("1/2", "1/2")}

TOLD_DRAFT = procedure(
    name="cascade.told-draft",
    statement=r"$q$ is verified by $m$, and the tokens that $m$ emits by $p$ with $q$ reported: lossless",
    reference=OWN,
    instances=three_laws,
    lhs=_emitted,
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("cascade.told-draft-corrected",),
    within=(HALF,),
    note="The tokens that p sees are drawn from m. With q = p all are accepted, and the text is the middle model's.",
)


def _bias(p: Array, m: Array, q: Array) -> Any:
    return tv(_emitted(p, m, q), p)


TOLD_DRAFT_CORRECTED = bound(
    name="cascade.told-draft-corrected",
    statement=r"$q$ is verified by $m$, and the tokens that $m$ emits by $p$ with $q$ reported: the output is within "
    r"$\mathrm{TV}(m, q)$ of $p$",
    reference=f"correction of an {OWN}",
    instances=three_laws,
    lhs=_bias,
    rhs=lambda m, q: tv(m, q),
    tight=[HALF],
    sources=("exact",),
    note="It is numerics.draft-noise with m drawn and q reported. Attained where q = p has every token: the output is m. So "
    "the rule is lossless for every target if and only if m = q.",
    broken=[broken("half of it", rhs=lambda m, q: tv(m, q) / 2)],
)
