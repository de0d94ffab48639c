"""Naive hierarchical verification needs the target's distributions at the drafted prefixes only.

`block.hsd-laws`, with its correction: own.
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.authoring import Array, Broken, at_most, bound, matrix, other_claim, procedure
from simspec.claims.block.parts import contexts
from simspec.claims.texts import markov
from simspec.methods.block import Prefix
from simspec.methods.block.hierarchical import hierarchical_capped, hierarchical_naive
from simspec.methods.verifier.chance import Chance, every
from simspec.methods.verifier.verifier import Verifier, one_path, program_of

__all__ = ["drawn_anew", "texts_asked"]


def _elsewhere(verifier: Verifier, p: Array, q: Array, gamma: int) -> int:
    """How many target laws at prefixes that are none of the draft's are asked for, over all drafts."""
    target = markov(p)
    draft = markov(q)
    return sum(len(_asked(verifier, target, draft, x)) for _, x in one_path(draft, gamma))


def _asked(verifier: Verifier, target: object, draft: object, x: Prefix) -> Sequence[Prefix]:
    return sorted(set(_texts(verifier, target, draft, x)) - {x[:i] for i in range(len(x) + 1)})


def _texts(verifier: Verifier, target: object, draft: object, x: Prefix) -> list[Prefix]:
    """The texts after which a target law is asked for, in the order in which they are first asked for."""
    prefixes: dict[Prefix, None] = {}

    def record_target(prefix: Prefix) -> Array:
        prefixes[prefix] = None
        return target(prefix)  # type: ignore[operator]

    list(verifier(record_target, draft, x))  # type: ignore[arg-type]
    return list(prefixes)


def texts_asked(p: Array, q: Array, gamma: int) -> list[tuple[int, int]]:
    """Of capped HSD, and of naive HSD with one draft: how each text that is asked for comes from the one before.

    For every text, over all drafts: whether it goes on from the text before it by one token, or is begun anew; and how many of
    the tokens that it has beyond that one are not the draft's.
    """
    target = markov(p)
    draft = markov(q)
    steps = []
    for verifier, drafts in ((hierarchical_capped, gamma), (hierarchical_naive, 1)):
        for _, x in one_path(draft, drafts):
            before: Prefix | None = None
            for text in _texts(verifier, target, draft, x):
                on = len(text) > 0 and text[:-1] == before
                draft_text = (*x, *[None] * len(text))
                strange = [int(a != b) for a, b in zip(text, draft_text, strict=False)]
                steps.append((int(on), strange[-1] if on else sum(strange)))
                before = text
    return steps


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
    within=({"p": matrix("1/2 1/2", "2/3 1/3", "1/3 2/3"), "q": matrix("2/3 1/3", "1/3 2/3", "1/2 1/2"), "gamma": 3},),
    note="The resampled branch leaves the draft at its first token; each further one needs a law that no draft asked for.",
)

HSD_LAWS_CORRECTED = procedure(
    name="block.hsd-laws-corrected",
    statement=r"Capped HSD needs target laws only at the $\gamma + 1$ drafted prefixes, and naive HSD with $\gamma = 1$ "
    r"at the "
    "two of its draft",
    reference="correction of an own statement",
    instances=contexts,
    lhs=lambda p, q, gamma: _elsewhere(hierarchical_capped, p, q, gamma) + _elsewhere(hierarchical_naive, p, q, 1),
    rhs=lambda: 0,
    relation=at_most,
    sources=("exact",),
    note="How each text that is asked for comes from the one before is the rule's own text, and given: capped HSD goes "
    "on with "
    "the draft's token from the empty text; naive HSD of one draft begins anew. What follows by induction is the count. "
    "For more "
    "drafts of naive HSD see block.hsd-laws.one-call.",
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("block.hsd-laws").lhs})],
)


def drawn_anew(p: Array, q: Array, gamma: int) -> list[list[int]]:
    """For every call of naive HSD the texts after which it draws anew, in order: 1 where one is no prefix of the draft."""
    target = markov(p)
    draft = markov(q)
    naive = program_of(hierarchical_naive)
    calls_of_drafts = []

    def call(chance: Chance, x: Prefix) -> list[Prefix]:
        prefixes: list[Prefix] = []

        def record_target(prefix: Prefix) -> Array:
            prefixes.append(prefix)
            return target(prefix)

        naive(record_target, draft, x, chance)
        return prefixes[gamma + 1 :]  # after the laws on the path

    for _, x in one_path(draft, gamma):
        calls = (prefixes for _, prefixes in every(lambda chance, x=x: call(chance, x)))  # type: ignore[misc]
        calls_of_drafts += [[int(prefix != x[: len(prefix)]) for prefix in prefixes] for prefixes in calls]
    return calls_of_drafts


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
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("block.hsd-laws").lhs})],
)
