"""The target keeps the same share of what the middle model emits, whatever the first draft was.

`cascade.last-stage`: own statement, on Wang et al. 2025 (2510.26527).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, F, broken, identity, law
from simspec.claims.cascade.parts import OWN, middle_token, three_laws
from simspec.laws import overlap
from simspec.methods.verifier.chance import Chance, every


def _kept(p: Array, m: Array, q: Array) -> Any:
    """Probability that the target keeps the token that the middle model emits."""

    def program(chance: Chance) -> int:
        z, _ = middle_token(chance, m, q)
        return int(chance.keep(p[z], m[z]))

    return sum((weight * is_kept for weight, is_kept in every(program)), start=F(0))


LAST_STAGE = identity(
    name="cascade.last-stage",
    statement=r"The last stage keeps $\sum \min(m, p)$ of what it is given, whatever $q$",
    reference=OWN,
    instances=three_laws,
    lhs=_kept,
    rhs=lambda p, m: overlap(p, m),
    tight=[{"p": law(1, 0), "m": law("1/2", "1/2"), "q": law(0, 1)}],
    sources=("exact",),
    note="A step of m emits a token of law m, kept draft or not. Of the kept drafts alone another share may pass.",
    broken=[broken("what both stages share", rhs=lambda p, m, q: overlap(p, m) * overlap(m, q))],
)
