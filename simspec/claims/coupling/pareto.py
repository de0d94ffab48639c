"""`coupling.pareto`: Daliri et al. 2024."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound, law
from simspec.claims.coupling.parts import pair
from simspec.methods.coupling import match_probability, minhash_probability

PARETO = bound(
    name="coupling.pareto",
    statement=r"$P(X = Y)$ is at least the match probability of the minhash coupling, for every $p$, $q$",
    reference="Daliri et al. 2024, abstract",
    instances=pair,
    lhs=lambda p, q: match_probability(p, q),
    rhs=lambda p, q: minhash_probability(p, q),
    relation=at_least,
    sources=("exact", "float"),
    tight=({"p": law("1/2", "1/2", 0), "q": law("1/2", 0, "1/2")},),
    note="So it is token by token: each matches at least as often.",
)
