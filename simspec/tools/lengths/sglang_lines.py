"""Lines of SGLang's log about a decode batch: what they can say, and why no counts follow from them.

A line prints the mean length of the last few batches and an acceptance rate, with two digits, and neither steps nor tokens.
Its rate has had two meanings under one name: with γ drafts a step, length L and accepted drafts L - 1,

* (L - 1)/γ, accepted over drafted tokens, in later versions;
* L/(γ + 1), where the token that each step emits anyway counts on both sides, in earlier versions.

All lines of a run have one γ, so the two meanings are told apart by the γ for which all lines fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from simspec.tools.lengths.printed import Rounded, rounded

__all__ = ["DECODE_MARK", "PLAIN", "SHIFTED", "DecodeLine", "decode_lines", "rate_meanings", "sglang_lines"]

DECODE_MARK = "Decode batch"
LENGTH = re.compile(r"accept(?:ed)?[ _]len(?:gth)?: ([0-9.]{1,20})", re.ASCII)
RATE = re.compile(r"accept(?:ance)? rate: ([0-9.]{1,20})", re.ASCII)
MOST_GAMMA = 64
"""Largest number of drafts that is tried."""
PLAIN = "accepted/drafted"
SHIFTED = "(accepted + steps)/(drafted + steps)"


class DecodeLine(NamedTuple):
    """Length and rate of a line, as they are printed; older lines print no rate."""

    length: Rounded
    rate: Rounded | None


def decode_lines(text: str) -> list[DecodeLine]:
    """Lines of decode batches that print a length, in their order.

    >>> [line.length.value for line in decode_lines("Decode batch, accept len: 2.50, accept rate: 0.50, #queue-req: 0")]
    [Fraction(5, 2)]
    """
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        _, mark, rest = line.partition(DECODE_MARK)
        length = LENGTH.search(rest[:2000])
        if not mark or length is None:
            continue
        rate = RATE.search(rest[:2000])
        mean = rounded(length[1], f"line {number}: accept len")
        share = rounded(rate[1], f"line {number}: accept rate") if rate else None
        if mean is not None:
            lines.append(DecodeLine(mean, share))
    return lines


def rate_meanings(lines: Sequence[DecodeLine]) -> list[tuple[str, int]]:
    """Meanings of the rate, each with a number of drafts a step, that fit all lines which print one.

    Lengths of 3.00 and 2.00 with rates of 0.75 and 0.50 count each step's own token, of γ = 3; accepted over drafted tokens
    they would be 2/γ and 1/γ, and no γ gives both.

    >>> by_hand = "Decode batch, accept len: 3.00, accept rate: 0.75,\\nDecode batch, accept len: 2.00, accept rate: 0.50,"
    >>> rate_meanings(decode_lines(by_hand))
    [('(accepted + steps)/(drafted + steps)', 3)]
    """
    printed = [line for line in lines if line.rate is not None]
    if not printed:
        return []
    meanings = [(PLAIN, -1, 0), (SHIFTED, 0, 1)]
    return [
        (name, gamma)
        for name, plus, more in meanings
        for gamma in range(1, MOST_GAMMA + 1)
        if all(_fits(line, plus, gamma + more) for line in printed)
    ]


def _fits(line: DecodeLine, plus: int, divisor: int) -> bool:
    """Whether a length, with `plus` added, over the divisor may be printed as the rate of the line."""
    assert line.rate is not None
    low = (line.length.low + plus) / divisor
    high = (line.length.high + plus) / divisor
    return low <= line.rate.high and line.rate.low <= high and line.length.value + plus <= Fraction(divisor)


def sglang_lines(text: str) -> None:
    """Refuse lines of SGLang's log, and say what they do print; nothing where the text has no such line.

    Raises ValueError with the range of the lengths, the meaning of the rate, and where the counts are.

    >>> sglang_lines("Decode batch, accept len: 3.00, accept rate: 0.75,\\nDecode batch, accept len: 2.00, accept rate: 0.50,")
    Traceback (most recent call last):
        ...
    ValueError: log: 2 lines of SGLang's log, which print mean lengths of 2.00 to 3.00 (bonus token included) and no counts, so that neither a mean over them nor an interval follows; their accept rate is (accepted + steps)/(drafted + steps), not accepted/drafted, with 3 drafts a step; expected its responses, with spec_verify_ct (`simspec.tools.lengths.converted` converts one number on its own)
    """  # noqa: E501
    lines = decode_lines(text)
    if not lines:
        return
    values = [float(line.length.value) for line in lines]
    lengths = f"mean lengths of {min(values):.2f} to {max(values):.2f}" if len(lines) > 1 else f"{values[0]:.2f}"
    raise ValueError(
        f"log: {len(lines)} line{'s' if len(lines) > 1 else ''} of SGLang's log, which print {lengths} (bonus token included) "
        f"and no counts, so that neither a mean over them nor an interval follows{_rate_sentence(lines)}; expected its "
        "responses, with spec_verify_ct (`simspec.tools.lengths.converted` converts one number on its own)"
    )


def _rate_sentence(lines: Sequence[DecodeLine]) -> str:
    """What the rate of the lines is, where they print one."""
    if all(line.rate is None for line in lines):
        return ""
    meanings = rate_meanings(lines)
    names = {name for name, _ in meanings}
    gammas = sorted({gamma for _, gamma in meanings})
    drafts = f"with {' or '.join(map(str, gammas))} draft{'s' if gammas != [1] else ''} a step"
    if names == {PLAIN}:
        return f"; their accept rate is {PLAIN}, {drafts}"
    if names == {SHIFTED}:
        return f"; their accept rate is {SHIFTED}, not {PLAIN}, {drafts}"
    if names:
        return f"; their accept rate is {PLAIN} or {SHIFTED}, which these lines do not tell apart"
    return "; their accept rate fits no one number of drafts a step"
