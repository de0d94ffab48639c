"""The formulas of coupling.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.coupling.formula import matches_and_margins
from simspec.claims.texts import markov
from simspec.laws import overlap
from simspec.methods.coupling import list_bound, list_match, match_probability, minhash_probability
from tests.claims.cases import broken, get, swapped


def _drafted(q, noise, length):
    """What the drafter alone would write with the noise."""
    text: list[int] = []
    for row in noise[:length]:
        law = markov(q)(tuple(text))
        text.append(int(np.argmin([e / mass if mass else np.inf for e, mass in zip(row, law, strict=True)])))
    return np.array(text, dtype=object)


MUTATIONS = [
    broken("coupling.formula", lhs=lambda p, q: matches_and_margins(q, p)),
    broken("coupling.minhash-bound", **swapped("coupling.minhash-bound")),
    broken("coupling.pareto", rhs=lambda p, q: overlap(p, q)),
    broken("coupling.attains.any-corrected", rhs=lambda p, q: minhash_probability(p, q)),
    broken("coupling.attains.two-tokens", lhs=lambda p, q: minhash_probability(p, q)),
    broken("coupling.invariant", lhs=_drafted),
    broken("coupling.list-lemma", rhs=lambda p, q, drafts: list_bound(p, q, drafts + 1)),
    broken("coupling.list-exact-corrected", lhs=get("coupling.list-exact").lhs),
    broken("coupling.list-conditional", **swapped("coupling.list-conditional")),
    broken("coupling.list-conditional-sharp", rhs=lambda p, q, drafts: np.minimum(p, drafts * q)),
    broken("coupling.list-monotone", **swapped("coupling.list-monotone")),
    broken(
        "coupling.list-over-rrs-corrected",
        lhs=lambda p, q, drafts: np.array([list_match(p, q, drafts), match_probability(p, q)], dtype=object),
    ),
    broken("coupling.minhash-attained", rhs=lambda distance: np.array([distance, 1 - distance], dtype=object)),
]
