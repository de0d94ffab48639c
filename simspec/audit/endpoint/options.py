r"""The law under an option (temperature, penalties, truncation): the reference's own, or what its log-probabilities say of it.

Where the reference states the law under options itself, tokens are judged by that law, and it is compared with ours: where they
differ, one of the two reads the option another way.  Elsewhere our law is made of the k most likely tokens without options.
Weights of the k tokens are known: :math:`w_i \propto p_i^{1/T} e^{-a_i/T}` with the penalty :math:`a_i` of token i, and 0 for
what is truncated.  Their sum is not, since others have mass too; but given that the next token is among the k, its law is
:math:`w_i/\sum_j w_j`, whatever the others have.  So a token outside of the k is passed over, and the bets on the rest stay fair.
Where the truncation ends within the k, all others have no mass, and a token outside of them is evidence itself.

Tokens that rounding may put on either side of a truncation are passed over too (`cuts`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simspec.audit.endpoint.categories import FLOOR, Judged, category, masses_of
from simspec.audit.endpoint.cuts import cut_of, judged_off_cut
from simspec.audit.endpoint.records import TopRow
from simspec.audit.endpoint.rounding import largest_change

__all__ = [
    "STATED",
    "Processed",
    "Reading",
    "compared",
    "described",
    "ignores_temperature",
    "judged_by",
    "judged_under",
    "processed",
    "stated_law",
]

LATE = 3
"""Tokens of a step by which a penalty may be late."""
STATED = 20
"""Most likely tokens under options that a reference is asked for: those that it lists without options shall be among them."""
KEPT = 1e-9
"""Mass from which a token counts as left by a truncation: `FLOOR` stands for none."""
DIFFERENT = 0.05
"""Total variation from which two laws are two readings of an option; rounding moves a law by less."""
SOMETIMES = 0.05
"""Share of the places at which rounding may move a token across the end of a truncation."""


class Processed(NamedTuple):
    """A law under options: masses of the k tokens and of all others, and whether it is known that the others have none."""

    masses: tuple[float, ...]
    is_closed: bool


class Reading(NamedTuple):
    """The reference's law under options beside ours: places compared, those at which they differ, and the largest TV there."""

    places: int = 0
    different: int = 0
    largest: float = 0.0

    def add(self, distance: float) -> Reading:
        """After one more place.

        >>> Reading().add(0.25)
        Reading(places=1, different=1, largest=0.25)
        """
        return Reading(self.places + 1, self.different + (distance > DIFFERENT), max(self.largest, distance))

    @property
    def is_another(self) -> bool:
        """Whether the reference reads the option another way: more often than rounding explains.

        >>> Reading(100, 2, 0.3).is_another, Reading(100, 6, 0.3).is_another
        (False, True)
        """
        return self.different > max(SOMETIMES * self.places, 1)


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
    rounding: float = 0.0,
) -> list[Judged]:
    """Tokens of a text whose law under options is known, beside it, beside the law without options and with late penalties.

    Parameters
    ----------
    options, prompt, tokens : of the question and of its answer
    rows : the reference's most likely tokens at each place, without options
    penalises_prompt : bool; whether penalties count the prompt
    rounding : float; nats by which rounding may move the difference of two logits

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)))
    >>> [token.category for token in judged_under({"top_k": 1}, [1], [3, 9], [row, row], False)]
    [0, 2]
    """
    judged = []
    for place, (token, row) in enumerate(zip(tokens, rows, strict=True)):
        counted = _counted(prompt, tokens, place, penalises_prompt)
        law = processed(row, Counter(counted), options)
        if category(row, token) == len(row) and not law.is_closed:
            continue
        raw = masses_of(row)
        listed_mass = sum(raw[:-1])
        without = raw if law.is_closed else (*(mass / listed_mass for mass in raw[:-1]), FLOOR)
        late = processed(row, _late_counts(counted), options).masses
        beside_law = _beside(
            law.masses,
            token,
            tuple(listed for listed, _ in row),
            counted,
            (*prompt, *tokens[:place]),
            unprocessed=without,
            late=late,
            narrowed=_narrowed(law.masses, _last_kept(law.masses)) if law.is_closed else (),
        )
        certain = judged_off_cut(beside_law, cut_of(options, row, rounding), row)
        judged += [certain] if certain is not None else []
    return judged


def _beside(
    law: tuple[float, ...],
    token: int,
    listed: tuple[int, ...],
    counted: Sequence[int],
    text: tuple[int, ...],
    **other_laws: tuple[float, ...],
) -> Judged:
    """A token beside its law under options, of listed tokens and all others, and beside other laws of the same tokens.

    `counted` are the tokens that penalties count, `text` all that stands before the token.
    """
    return Judged(
        masses=law,
        category=listed.index(token) if token in listed else len(listed),
        token=token,
        ids=listed,
        previous=counted[-1] if counted else -1,
        repeated=-1,
        agreed=-1,
        context=hash(text),
        is_ending=False,
        has_company=True,
        **other_laws,
    )


def _counted(prompt: Sequence[int], tokens: Sequence[int], place: int, penalises_prompt: bool) -> list[int]:
    """Tokens that penalties count at a place."""
    return [*(prompt if penalises_prompt else ()), *tokens[:place]]


def _late_counts(counted: Sequence[int]) -> Counter[int]:
    """What penalties count that know the text before a step only."""
    return Counter(counted[: max(len(counted) - LATE, 0)])


def stated_law(row: TopRow, stated: TopRow) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Tokens that are categories, and their masses under options, as the reference states them, then that of all others.

    Parameters
    ----------
    row : the reference's most likely tokens, without options
    stated : those under options; fewer than `STATED` are all that the options leave

    The tokens of `row` are categories if their masses are known, so that a token which an option makes rare is still told apart.

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)))
    >>> tokens, masses = stated_law(row, ((7, math.log(0.75)), (3, math.log(0.25))))
    >>> tokens, [round(mass, 3) for mass in masses]
    ((3, 5), [0.25, 0.0, 0.75])
    """
    logprobs = dict(stated)
    is_closed = len(stated) < STATED
    tokens = [token for token, _ in row if is_closed or token in logprobs]
    tokens += [token for token, _ in stated if token not in tokens][: len(row) - len(tokens)]
    tokens.sort(key=lambda token: -logprobs.get(token, -math.inf))
    law = masses_of(tuple((token, logprobs.get(token, -math.inf)) for token in tokens))
    return tuple(tokens), law


def compared(row: TopRow, stated: TopRow, law: Processed) -> float:
    """Total variation between the reference's law under options and ours, on what both know.

    Ours is that of the listed tokens, of which it knows the ratios; where its truncation ends within them, of all tokens.

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)))
    >>> ours = processed(row, {}, {"top_k": 1})
    >>> compared(row, ((3, 0.0),), ours) < 1e-9, round(compared(row, row, ours), 9)
    (True, 0.5)
    """
    logprobs = dict(stated)
    is_closed = len(stated) < STATED
    first: list[float] = []
    second: list[float] = []
    for (token, _), mass in zip(row, law.masses[:-1], strict=True):
        if token in logprobs or is_closed:
            first.append(math.exp(logprobs.get(token, -math.inf)))
            second.append(mass)
    if law.is_closed:
        first.append(max(1 - sum(first), 0.0))
        second.append(max(1 - sum(second), 0.0))
    # two laws on nothing in common: one leaves none of what the other leaves
    if not sum(first) or not sum(second):
        return float(bool(sum(first) or sum(second)))
    return sum(abs(a / sum(first) - b / sum(second)) for a, b in zip(first, second, strict=True)) / 2


def ignores_temperature(rows: Sequence[TopRow], stated_rows: Sequence[TopRow], temperature: float) -> bool:
    """Whether rows that a reference states under a temperature are those without it, by the gaps between their tokens.

    >>> row = ((3, -0.5), (5, -1.5))
    >>> ignores_temperature([row], [row], 0.5), ignores_temperature([row], [((3, -0.125), (5, -2.125))], 0.5)
    (True, False)
    """
    tempered = [tuple((token, logprob / temperature) for token, logprob in row) for row in rows]
    from_raw = sum(largest_change([row], [stated]) for row, stated in zip(rows, stated_rows, strict=True))
    from_tempered = sum(largest_change([row], [stated]) for row, stated in zip(tempered, stated_rows, strict=True))
    return from_raw < from_tempered


def judged_by(
    options: Mapping[str, float],
    prompt: Sequence[int],
    tokens: Sequence[int],
    rows: Sequence[TopRow],
    stated_rows: Sequence[TopRow],
    penalises_prompt: bool,
    reading: Reading,
    *,
    top: int = STATED,
    rounding: float = 0.0,
) -> tuple[list[Judged], Reading]:
    """Tokens of a text beside the law under options that the reference states, and that law beside ours.

    Parameters
    ----------
    options, prompt, tokens, rows, penalises_prompt, rounding : as in `judged_under`
    stated_rows : the most likely tokens under the options at each place, as the reference states them
    reading : of the texts so far; a place where rounding may move a token across the cut counts as no difference
    top : int; tokens that are categories of their own; more of them in `rows` say where a truncation ends

    >>> row = ((3, math.log(0.5)), (5, math.log(0.25)))
    >>> judged, reading = judged_by({"top_k": 1}, [1], [3, 9], [row, row], [((3, 0.0),)] * 2, False, Reading())
    >>> [token.category for token in judged], reading.different
    ([0, 2], 0)
    """
    judged = []
    for place, (token, row, stated) in enumerate(zip(tokens, rows, stated_rows, strict=True)):
        counted = _counted(prompt, tokens, place, penalises_prompt)
        counts = Counter(counted)
        cut = cut_of(options, row, rounding)
        distance = compared(row, stated, processed(row, counts, options))
        reading = reading.add(distance if cut.is_empty else 0.0)
        listed, law = stated_law(row[:top], stated)
        without = dict(row)
        beside_law = _beside(
            law,
            token,
            listed,
            counted,
            (*prompt, *tokens[:place]),
            unprocessed=masses_of(
                tuple((category_token, without.get(category_token, -math.inf)) for category_token in listed)
            ),
            narrowed=_stated_narrowed(listed, law, stated),
            late=_with_late_penalties(listed, law, counts, _late_counts(counted), options),
        )
        certain = judged_off_cut(beside_law, cut, row, stated)
        judged += [certain] if certain is not None else []
    return judged, reading


def _stated_narrowed(listed: Sequence[int], law: Sequence[float], stated: TopRow) -> tuple[float, ...]:
    """A stated law without the last token that its options leave; empty where they leave more than is stated."""
    if len(stated) >= STATED:
        return ()
    token, logprob = stated[-1]
    return _narrowed(law, listed.index(token) if token in listed else len(listed), math.exp(logprob))


def _last_kept(law: Sequence[float]) -> int:
    """The place of the least likely listed token that has mass; the law's tokens need not stand in its order."""
    kept = [place for place, mass in enumerate(law[:-1]) if mass > KEPT]
    return min(kept, key=lambda place: law[place])


def _narrowed(law: Sequence[float], place: int, mass: float = 1.0) -> tuple[float, ...]:
    """A law without a category, or without some mass of it; empty where little else is left.

    >>> _narrowed((0.5, 0.25, 0.25), 1)
    (0.6666666666666666, 0.0, 0.3333333333333333)
    """
    weights = [value - min(value, mass) * (number == place) for number, value in enumerate(law)]
    total = sum(weights)
    return tuple(weight / total for weight in weights) if total > KEPT else ()


def _with_late_penalties(
    tokens: Sequence[int],
    law: Sequence[float],
    counts: Mapping[int, int],
    late_counts: Mapping[int, int],
    options: Mapping[str, float],
) -> tuple[float, ...]:
    """A law after penalties as it is with those of fewer tokens: the listed masses grow by what is not yet counted."""
    frequency = options.get("frequency_penalty", 0.0)
    presence = options.get("presence_penalty", 0.0)
    weights = []
    for token, mass in zip(tokens, law, strict=False):
        now = counts.get(token, 0)
        late = late_counts.get(token, 0)
        missing = frequency * (now - late) + presence * ((now > 0) - (late > 0))
        weights.append(mass * math.exp(missing / options.get("temperature", 1.0)))
    total = sum(weights) + law[-1]
    return (*(weight / total for weight in weights), law[-1] / total)


def described(options: Sequence[tuple[str, float]]) -> str:
    """Options in words.

    >>> described([("min_p", 0.1)])
    'min_p 0.1'
    """
    return ", ".join(f"{name} {value:g}" for name, value in options)
