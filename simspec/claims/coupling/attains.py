"""`coupling.attains` in two readings, with a correction: own statements."""

from __future__ import annotations

from simspec.claims.authoring import Draw, Instance, bound, identity, law
from simspec.claims.coupling.parts import pair
from simspec.laws import overlap
from simspec.methods.coupling import match_probability


def _two(draw: Draw) -> Instance:
    p, q = draw.pair(2)
    return {"p": p, "q": q}


ANY = identity(
    name="coupling.attains.any",
    statement=r"$P(X = Y) = 1 - \mathrm{TV}(p, q)$ for all $p$, $q$",
    reference="own statement, after Daliri et al. 2024",
    instances=pair,
    lhs=lambda p, q: match_probability(p, q),
    rhs=lambda p, q: overlap(p, q),
    corrected_by=("coupling.attains.any-corrected",),
    sources=("exact",),
    within=({"p": law("1/2", "1/4", "1/4"), "q": law("1/4", "1/4", "1/2")},),
    note="The race does not know which law is which. With three tokens whose ratios p/q differ the one in the middle cannot "
    "match as often as both laws have it.",
)

ANY_CORRECTED = bound(
    name="coupling.attains.any-corrected",
    statement=r"$P(X = Y) \le 1 - \mathrm{TV}(p, q)$; token by token $P(X = Y = j) \le \min(p_j, q_j)$",
    reference="correction of an own statement, after Daliri et al. 2024",
    instances=pair,
    lhs=lambda p, q: match_probability(p, q),
    rhs=lambda p, q: overlap(p, q),
    sources=("exact", "float"),
    tight=(
        {"p": law("1/2", "1/2"), "q": law("1/4", "3/4")},
        {"p": law("1/2", "1/4", "1/4"), "q": law(0, "1/2", "1/2")},
    ),
    note="Equality where p/q takes at most two values on the tokens of either law, as with two tokens.",
)

TWO_TOKENS = identity(
    name="coupling.attains.two-tokens",
    statement=r"$P(X = Y) = 1 - \mathrm{TV}(p, q)$ for two tokens",
    reference="own statement, after Daliri et al. 2024",
    instances=_two,
    lhs=lambda p, q: match_probability(p, q),
    rhs=lambda p, q: overlap(p, q),
    sources=("exact",),
)
