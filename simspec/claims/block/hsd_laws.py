"""`block.hsd-laws`, with its correction: own."""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.block.parts import contexts
from simspec.claims.texts import markov
from simspec.claims.words import Array, at_most, procedure
from simspec.methods.block import Prefix
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.joint.verifier import Verifier, one_path


def _elsewhere(verifier: Verifier, p: Array, q: Array, gamma: int) -> int:
    """How many target laws at prefixes that are none of the draft's are asked for, over all drafts."""
    target, draft = markov(p), markov(q)
    return sum(len(_asked(verifier, target, draft, x)) for _, x in one_path(draft, gamma))


def _asked(verifier: Verifier, target: object, draft: object, x: Prefix) -> Sequence[Prefix]:
    asked: set[Prefix] = set()

    def seen(prefix: Prefix) -> Array:
        asked.add(prefix)
        return target(prefix)  # type: ignore[operator]

    list(verifier(seen, draft, x))  # type: ignore[arg-type]
    return sorted(asked - {x[:i] for i in range(len(x) + 1)})


HSD_LAWS = procedure(
    name="block.hsd-laws",
    statement=r"Naive HSD needs target laws only at the $\gamma + 1$ drafted prefixes",
    reference="own",
    instances=contexts,
    lhs=lambda p, q, gamma: _elsewhere(hierarchical_naive, p, q, gamma),
    rhs=lambda: 0,
    relation=at_most,
    sources=("exact",),
    corrected_by=("block.hsd-laws-corrected",),
    note="The resampled branch leaves the draft at its first token; each further one needs a law that no draft asked for.",
)

HSD_LAWS_CORRECTED = procedure(
    name="block.hsd-laws-corrected",
    statement=r"Capped HSD does, and naive HSD with $\gamma = 1$",
    reference="correction of an own statement",
    instances=contexts,
    lhs=lambda p, q, gamma: _elsewhere(hierarchical_capped, p, q, gamma) + _elsewhere(hierarchical_naive, p, q, 1),
    rhs=lambda: 0,
    relation=at_most,
    sources=("exact",),
    note="It follows from the text of the rules, of which no formula speaks: capped HSD is a function of the laws on its "
    "path, and naive HSD asks elsewhere only for texts shorter than γ that have left the draft. So no proof stands beside it.",
)
