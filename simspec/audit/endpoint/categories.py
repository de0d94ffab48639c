"""A token beside the reference's probabilities at its prefix: its category, {1st … k-th most likely, rest}, and what is near."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.records import TopRow

__all__ = ["Judged", "category", "drafted_masses", "judged_text", "masses_of"]

FLOOR = 1e-12
"""Least mass of a category: what is rounded to 0 may still happen."""
ENDING = 5
"""Tokens before `max_tokens` that may come from the last step."""


class Judged(NamedTuple):
    """A token that was emitted, and what the reference says of it.

    Attributes
    ----------
    masses : probabilities of the k most likely tokens, then that of all others together
    category : int; 0 for the most likely token, k for one that is not among the k
    token : int
    ids : the k most likely tokens
    previous : int; the token before it
    repeated : int; the category of the token before it, were it emitted again; -1 where that is not asked
    agreed : int; the category of what an earlier answer to the same text emitted here, -1 where there is none
    context : hash of all text before it
    is_ending : bool; whether it is one of the last that `max_tokens` allows
    has_company : bool; whether other requests were in flight with it
    unprocessed, late : under options: the law without them, and with penalties that are late; empty otherwise
    narrowed : under options: the law without the least likely token that they leave; empty otherwise
    drafted : the draft's masses of the same categories; empty where the draft is not known
    """

    masses: tuple[float, ...]
    category: int
    token: int
    ids: tuple[int, ...]
    previous: int
    repeated: int
    agreed: int
    context: int
    is_ending: bool
    has_company: bool
    unprocessed: tuple[float, ...] = ()
    late: tuple[float, ...] = ()
    drafted: tuple[float, ...] = ()
    narrowed: tuple[float, ...] = ()


def masses_of(row: TopRow) -> tuple[float, ...]:
    """Probabilities of the tokens of a row, then of all others; they sum to 1.

    >>> masses_of(((3, math.log(0.5)), (5, math.log(0.25))))
    (0.5, 0.25, 0.25)
    """
    listed = [max(math.exp(logprob), FLOOR) for _, logprob in row]
    rest = max(1 - sum(listed), FLOOR)
    total = sum(listed) + rest
    return (*(mass / total for mass in listed), rest / total)


def drafted_masses(row: TopRow, draft_row: TopRow) -> tuple[float, ...]:
    """The draft's masses of a row's tokens, then of all others; a token that is not in the draft's own row counts as 0.

    >>> [round(mass, 6) for mass in drafted_masses(((3, -1.0), (5, -2.0)), ((5, math.log(0.5)), (9, math.log(0.25))))]
    [0.0, 0.5, 0.5]
    """
    masses = dict(draft_row)
    listed = [math.exp(masses[token]) if token in masses else 0.0 for token, _ in row]
    total = max(sum(listed), 1.0)
    return (*(mass / total for mass in listed), max(1 - sum(listed), 0.0))


def category(row: TopRow, token: int) -> int:
    """The place of a token in a row, and the row's length where it is not in it.

    >>> category(((3, -0.5), (5, -1.5)), 5), category(((3, -0.5), (5, -1.5)), 9)
    (1, 2)
    """
    return next((place for place, (listed, _) in enumerate(row) if listed == token), len(row))


def judged_text(
    prompt: Sequence[int],
    tokens: Sequence[int],
    rows: Sequence[TopRow],
    earlier: Mapping[tuple[int, ...], int],
    max_tokens: int,
    has_company: bool,
    draft_rows: Sequence[TopRow] = (),
) -> list[Judged]:
    """Each token of a text beside the reference.

    Parameters
    ----------
    prompt, tokens : ids
    rows : the reference's most likely tokens at each place of `tokens`
    earlier : the token that an earlier answer emitted after a text, by that text
    max_tokens : int; of the request: whether a token is one of the last is known before it, whatever ends the text
    has_company : bool; whether other requests were in flight
    draft_rows : the draft's most likely tokens at each place; empty where the draft is not known

    >>> text = judged_text([1], [3], [((3, math.log(0.5)), (1, math.log(0.25)))], {(1,): 3}, 16, False)
    >>> text[0].category, text[0].repeated, text[0].agreed
    (0, 1, 0)
    """
    judged = []
    for place, (token, row) in enumerate(zip(tokens, rows, strict=True)):
        before = (*prompt, *tokens[:place])
        previous = before[-1] if before else -1
        agreed = category(row, earlier[before]) if before in earlier else -1
        judged.append(
            Judged(
                masses=masses_of(row),
                category=category(row, token),
                token=token,
                ids=tuple(listed for listed, _ in row),
                previous=previous,
                repeated=category(row, previous),
                agreed=agreed,
                context=hash(before),
                is_ending=place >= max_tokens - ENDING,
                has_company=has_company,
                drafted=drafted_masses(row, draft_rows[place]) if draft_rows else (),
            )
        )
    return judged
