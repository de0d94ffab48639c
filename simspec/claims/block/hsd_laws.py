"""`block.hsd-laws`, with its correction: own."""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.block.parts import contexts
from simspec.claims.texts import markov
from simspec.claims.words import Array, at_most, bound, matrix, procedure
from simspec.methods.block import Prefix
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.joint.chance import Chance, every
from simspec.methods.joint.verifier import Verifier, one_path, program_of

__all__ = ["drawn_anew"]


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
    note="Capped HSD is a function of the laws on its path: that is its text, of which no formula speaks, so no proof stands "
    "beside it. For naive HSD block.hsd-laws.one-call has a proof.",
)


def drawn_anew(p: Array, q: Array, gamma: int) -> list[list[int]]:
    """For every call of naive HSD the texts after which it draws anew, in order: 1 where one is no prefix of the draft."""
    target, draft = markov(p), markov(q)
    naive, found = program_of(hierarchical_naive), []

    def call(chance: Chance, x: Prefix) -> list[Prefix]:
        asked: list[Prefix] = []

        def seen(prefix: Prefix) -> Array:
            asked.append(prefix)
            return target(prefix)

        naive(seen, draft, x, chance)
        return asked[gamma + 1 :]  # after the laws on the path

    for _, x in one_path(draft, gamma):
        calls = (asked for _, asked in every(lambda chance, x=x: call(chance, x)))  # type: ignore[misc]
        found += [[int(prefix != x[: len(prefix)]) for prefix in asked] for asked in calls]
    return found


HSD_LAWS_ONE_CALL = bound(
    name="block.hsd-laws.one-call",
    statement=r"One call of naive HSD asks for at most $\gamma - 1$ target laws at prefixes that are none of the draft's",
    reference="own",
    instances=contexts,
    lhs=lambda p, q, gamma: max(sum(call) for call in drawn_anew(p, q, gamma)),
    rhs=lambda gamma: gamma - 1,
    tight=({"p": matrix(*["0 1"] * 3), "q": matrix(*["1 0"] * 3), "gamma": 2},),
    sources=("exact",),
    note="The first token that is drawn anew follows a prefix of the draft; each further one follows a text of its own.",
)
