r"""The most drafts that any verifier accepts at a given total variation: the program of `optimum` with slack, and its curve.

The law of the next γ + 1 tokens may be up to t from the target's, in total variation.  As a function of t the optimum does not
fall, is concave (claim ``block.lossy-concave``) and has straight pieces: it starts at the lossless optimum, and ends at γ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from simspec.methods.block.enumerated import Model, Prefix
from simspec.methods.block.optimum import Program, checked, program, solved
from simspec.methods.method import Method, as_method
from simspec.methods.verifier.verifier import Drafting, Verifier, facts, from_method, one_path, outcomes

__all__ = ["Share", "curve", "lossy_optimum", "lossy_program", "share_of"]


def lossy_program(target: Model, draft: Model, gamma: int, tv: Fraction, further: bool = False) -> Program:
    r"""The program of all verifiers whose law of the next tokens is within `tv` of the target's.

    To the program of lossless verifiers it adds, for each text, a variable for what is emitted above the target's probability
    and one for what is emitted below it; what is below adds up to at most `tv`, the last row.  A certificate of it is checked by
    `simspec.methods.block.optimum.checked`, without a solver.

    Parameters
    ----------
    target, draft : prefix -> law of fractions
    gamma : int; drafts
    tv : fraction in [0, 1]; total variation between the laws of the next γ + 1 tokens (γ where `further`)
    further : bool; as in `simspec.methods.block.optimum.program`

    Raises ValueError for a tv outside [0, 1], and for a program that is too large.

    >>> half = [Fraction(1, 2)] * 2
    >>> of = lossy_program(lambda x: half, lambda x: half, 1, Fraction(1, 4))
    >>> len(of.names), of.wanted[-1]
    (17, Fraction(1, 4))
    """
    if not 0 <= tv <= 1:
        raise ValueError(f"tv: {tv}; expected a total variation in [0, 1]")
    of = program(target, draft, gamma, further)
    last = len(of.wanted)
    first = len({drafts for drafts, _, _ in of.names})
    above: list[Mapping[int, Fraction]] = [{row: Fraction(-1)} for row in range(first, last)]
    below: list[Mapping[int, Fraction]] = [{row: Fraction(1), last: Fraction(1)} for row in range(first, last)]
    unused: list[Mapping[int, Fraction]] = [{last: Fraction(1)}]
    distance_columns = (*above, *below, *unused)
    names: tuple[tuple[Prefix, int, Prefix], ...] = tuple(((), 0, (row,)) for row in range(len(distance_columns)))
    return Program(
        of.names + names,
        of.gain + (0,) * len(distance_columns),
        of.columns + distance_columns,
        (*of.wanted, Fraction(tv)),
    )


def lossy_optimum(target: Model, draft: Model, gamma: int, tv: Fraction, further: bool = False) -> Fraction:
    r"""The largest E[τ] of any verifier at a total variation; arguments as `lossy_program`.

    For one draft it is :math:`\min(1, 1 - \mathrm{TV}(p, q) + t)`, claim ``multi.lossy-optimum``.  A rational certificate is
    checked on the way.

    >>> p = [Fraction(1, 3), Fraction(2, 3)]
    >>> print(*(lossy_optimum(lambda x: p, lambda x: p[::-1], 2, Fraction(n, 9)) for n in range(4)))
    11/9 40/27 47/27 2
    """
    return _at(target, draft, gamma, Fraction(tv), further)[0]


def _at(target: Model, draft: Model, gamma: int, tv: Fraction, further: bool) -> tuple[Fraction, Fraction]:
    """The optimum, and a price of total variation there: the slope of a line above the whole curve that touches it here."""
    of = lossy_program(target, draft, gamma, tv, further)
    certificate = solved(of)
    return checked(of, certificate), certificate.dual[-1]


def curve(target: Model, draft: Model, gamma: int, further: bool = False) -> list[tuple[Fraction, Fraction]]:
    """All corners (tv, largest E[τ]) of the optimum as a function of the total variation, from 0 to 1; straight between them.

    Exact: wherever the lines that touch the curve at two places meet, the program is solved again, until none meet above it.

    >>> p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    >>> for tv, accepted in curve(lambda x: p, lambda x: q, 1):
    ...     print(tv, accepted)
    0 2/3
    1/3 1
    1 1
    """

    def between(low: tuple[Fraction, ...], high: tuple[Fraction, ...]) -> list[tuple[Fraction, Fraction]]:
        (t, value, price) = low
        (end, top, rate) = high
        if price == rate:
            return []
        meet = (top - value + price * t - rate * end) / (price - rate)
        if not t < meet < end:
            return []
        best_gain, slope = _at(target, draft, gamma, meet, further)
        if best_gain == value + price * (meet - t):
            return [(meet, best_gain)]
        here = (meet, best_gain, slope)
        return [*between(low, here), (meet, best_gain), *between(here, high)]

    ends = [(t, *_at(target, draft, gamma, t, further)) for t in (Fraction(0), Fraction(1))]
    inner = between(*ends)
    corners = [(ends[0][0], ends[0][1]), *inner, (ends[1][0], ends[1][1])]
    return [c for n, c in enumerate(corners) if n in (0, len(corners) - 1) or not _straight(*corners[n - 1 : n + 2])]


def _straight(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    """Whether the middle one of three points is on the line through the others."""
    return (b[1] - a[1]) * (c[0] - b[0]) == (c[1] - b[1]) * (b[0] - a[0])


class Share(NamedTuple):
    """What a rule accepts beside the most that any rule accepts at its distance from the target.

    Attributes
    ----------
    accepted : mean number of accepted drafts
    tv : total variation of the law of the next γ + 1 tokens from the target's
    best : the most that any verifier accepts with the same drafts, at this total variation
    """

    accepted: Any
    tv: Any
    best: Fraction

    @property
    def share(self) -> Any:
        """Accepted drafts over the most, at most 1; 1 where no draft can be accepted."""
        return self.accepted / self.best if self.best else Fraction(1)


def share_of(rule: Method | Verifier, target: Model, draft: Model, gamma: int, further: bool = False) -> Share:
    """The share of a verifier of γ drafts on one path, on laws small enough for `lossy_program`.

    Parameters
    ----------
    rule : verifier, or a one-token rule that judges the drafts one after the other; `best` is with drafts as it proposes them
    target, draft : prefix -> object array of fractions
    gamma : int; drafts
    further : bool; for a verifier that emits any text after the kept prefix: beside the most that any such accepts

    Everything is exact.  Where a rule computes with rounded numbers, a root or a parameter of its name, it is exact for these.

    >>> from simspec.laws import exact
    >>> from simspec.methods import mixture
    >>> p, q = exact(["1/3", "2/3"]), exact(["2/3", "1/3"])
    >>> found = share_of(mixture(Fraction(1, 4)), lambda x: p, lambda x: q, 2)
    >>> print(found.accepted, found.tv, found.best, found.share)
    21/16 1/12 17/12 63/68
    """
    drafting, verifier, drafted = _parts(rule, draft)
    law_facts = facts(outcomes(verifier, target, draft, gamma, drafting), target, gamma)
    best = lossy_optimum(target, drafted, gamma, Fraction(law_facts.tv), further)
    return Share(law_facts.accepted, law_facts.tv, best)


def _parts(rule: Method | Verifier, draft: Model) -> tuple[Drafting, Verifier, Model]:
    """How drafts are drawn, the verifier, and the laws that drafts come from."""
    if isinstance(rule, str) or hasattr(rule, "propose"):
        method = as_method(rule, "rule")
        return *from_method(method), lambda x: method.propose(draft(x))
    return one_path, rule, draft
