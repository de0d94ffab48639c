r"""The law under an option (temperature, penalties, truncation), as far as the reference's k most likely tokens determine it.

Weights of the k tokens are known: :math:`w_i \propto p_i^{1/T} e^{-a_i/T}` with the penalty :math:`a_i` of token i, and 0 for
what is truncated.  Their sum is not, since others have mass too; but given that the next token is among the k, its law is
:math:`w_i/\sum_j w_j`, whatever the others have.  So a token outside of the k is passed over, and the bets on the rest stay fair.
Where the truncation ends within the k, all others have no mass, and a token outside of them is evidence itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.categories import FLOOR, Judged, category, masses_of
from simspec.audit.endpoint.records import TopRow

__all__ = ["Processed", "described", "judged_under", "processed"]

LATE = 3
"""Tokens of a step by which a penalty may be late."""


class Processed(NamedTuple):
    """A law under options: masses of the k tokens and of all others, and whether it is known that the others have none."""

    masses: tuple[float, ...]
    is_closed: bool


def processed(row: TopRow, counts: Mapping[int, int], options: Mapping[str, float]) -> Processed:
    """The law of the next token under options.

    Parameters
    ----------
    row : the reference's most likely tokens, without options
    counts : how often each token was counted by the penalties
    options : `temperature`, `top_k`, `top_p`, `min_p`, `presence_penalty`, `frequency_penalty`

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)), (7, math.log(0.125)))
    >>> [round(mass, 3) for mass in processed(row, {}, {"top_k": 2}).masses]
    [0.667, 0.333, 0.0, 0.0]
    >>> law = processed(row, {3: 1}, {"presence_penalty": math.log(2)})
    >>> [round(mass, 3) for mass in law.masses], law.is_closed
    ([0.4, 0.4, 0.2, 0.0], False)
    """
    raw = masses_of(row)[:-1]
    stays = _untruncated(raw, options)
    temperature = options.get("temperature", 1.0)
    weights = []
    for (token, _), mass, is_kept in zip(row, raw, stays, strict=True):
        times = counts.get(token, 0)
        penalty = options.get("presence_penalty", 0.0) * (times > 0) + options.get("frequency_penalty", 0.0) * times
        weights.append(max(mass ** (1 / temperature) * math.exp(-penalty / temperature), FLOOR) if is_kept else FLOOR)
    total = sum(weights) + FLOOR
    return Processed((*(weight / total for weight in weights), FLOOR / total), not stays[-1])


def _untruncated(masses: Sequence[float], options: Mapping[str, float]) -> list[bool]:
    """Whether each of the most likely tokens survives top-k, top-p and min-p."""
    number = int(options.get("top_k", 0)) or len(masses)
    limit = options.get("top_p", 1.0)
    threshold = masses[0] * options.get("min_p", 0.0)
    before = 0.0
    stays = []
    for rank, mass in enumerate(masses):
        stays.append(rank < number and before < limit and mass >= threshold)
        before += mass
    return stays


def judged_under(
    options: Mapping[str, float],
    prompt: Sequence[int],
    tokens: Sequence[int],
    rows: Sequence[TopRow],
    penalises_prompt: bool,
) -> list[Judged]:
    """Tokens of a text whose law under options is known, beside it, beside the law without options and with late penalties.

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)))
    >>> [token.category for token in judged_under({"top_k": 1}, [1], [3, 9], [row, row], False)]
    [0, 2]
    """
    judged = []
    for place, (token, row) in enumerate(zip(tokens, rows, strict=True)):
        counted = [*(prompt if penalises_prompt else ()), *tokens[:place]]
        law = processed(row, Counter(counted), options)
        rank = category(row, token)
        if rank == len(row) and not law.is_closed:
            continue
        raw = masses_of(row)
        listed_mass = sum(raw[:-1])
        without = raw if law.is_closed else (*(mass / listed_mass for mass in raw[:-1]), FLOOR)
        late = processed(row, Counter(counted[: max(len(counted) - LATE, 0)]), options).masses
        judged.append(
            Judged(
                masses=law.masses,
                category=rank,
                token=token,
                ids=tuple(listed for listed, _ in row),
                previous=counted[-1] if counted else -1,
                repeated=-1,
                agreed=-1,
                context=hash((*prompt, *tokens[:place])),
                is_ending=False,
                has_company=True,
                unprocessed=without,
                late=late,
            )
        )
    return judged


def described(options: Sequence[tuple[str, float]]) -> str:
    """Options in words.

    >>> described([("min_p", 0.1)])
    'min_p 0.1'
    """
    return ", ".join(f"{name} {value:g}" for name, value in options)
