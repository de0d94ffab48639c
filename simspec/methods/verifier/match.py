"""Verifiers that match drafts against samples of the target: exact match, its variants, and one for several candidates.

Here a draft is accepted only if the target happens to say it.  Drafts are compared, never weighed: no draft law is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.verifier.chance import Chance, every
from simspec.methods.verifier.verifier import Verifier, by_program

__all__ = ["exact_match", "exact_match_fresh", "match_candidates", "matched", "matched_fresh", "own_samples"]


def matched(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    """Emit a draw from p, and go on where it is the draft."""
    for i, token in enumerate(x):
        sample = chance.draw(p[i])
        if sample != token:
            return (*x[:i], sample), i
    return (*x, chance.draw(p[-1])), len(x)


def matched_fresh(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    """Keep where a draw from p is the draft; else throw it away and draw from p again."""
    for i, token in enumerate(x):
        if chance.draw(p[i]) != token:
            return (*x[:i], chance.draw(p[i])), i
    return (*x, chance.draw(p[-1])), len(x)


exact_match: Verifier = by_program(matched)
"""At each position one sample of the target is emitted; the path goes on where it is the draft.

>>> [tuple(o) for o in exact_match(lambda x: [0.25, 0.75], lambda x: [0.5, 0.5], (1,))]
[(0.25, (0,), 0), (0.1875, (1, 0), 1), (0.5625, (1, 1), 1)]
"""

exact_match_fresh: Verifier = by_program(matched_fresh)
"""As `exact_match`, but the sample that is no match is thrown away, and another one of the target emitted: lossy."""


def match_candidates(target: Model, draft: Model, candidates: Sequence[int]) -> list[Outcome]:
    """One sample of the target is emitted; it counts as accepted if it is among the candidates of one step.

    >>> match_candidates(lambda x: [0.25, 0.75], lambda x: [0.5, 0.5], (1, 1))
    [Outcome(probability=0.25, tokens=(0,), accepted=0), Outcome(probability=0.75, tokens=(1,), accepted=1)]
    """
    p = target(())
    ways = every(lambda chance: chance.draw(p))
    return [Outcome(probability, (sample,), int(sample in candidates)) for probability, sample in ways]


def own_samples(target: Model, draft: Model, candidates: Sequence[int]) -> list[Outcome]:
    """Each candidate is compared with a target sample of its own: the first match is emitted, else the first sample. Lossy.

    >>> [tuple(o) for o in own_samples(lambda x: [0.5, 0.5], lambda x: [0.5, 0.5], (0,))]
    [(0.5, (0,), 1), (0.5, (1,), 0)]
    """
    p = target(())

    def program(chance: Chance) -> tuple[Prefix, int]:
        first = None
        for token in candidates:
            sample = chance.draw(p)
            first = sample if first is None else first
            if sample == token:
                return (sample,), 1
        return (chance.draw(p) if first is None else first,), 0

    return [Outcome(probability, tokens, accepted) for probability, (tokens, accepted) in every(program)]
