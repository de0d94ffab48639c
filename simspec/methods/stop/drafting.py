"""Drafts that end early, and verifiers of what is left of them: every path and every uniform, for exact laws of whole calls.

A draft is *kept* whole by a rule that ends it after the token it has seen, *dropped* by one that throws that token away, and
*unseen* by one that ends it before there is a token.  The verifier emits one more token from p after what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from simspec.laws import Array, Scalar
from simspec.methods.block import Model, Prefix, check_gamma
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Drafting, PathProgram, Verifier, by_program

__all__ = [
    "Ends",
    "ReportedLaw",
    "dropping_last",
    "ending",
    "kept_law",
    "one_hot",
    "told_program",
    "told_verifier",
    "unseen",
    "whole",
]

Ends = Callable[[Any, Prefix], bool]
"""(draft law of the last token, tokens drafted so far) -> whether the draft ends here; `unseen` hands it no last token."""

ReportedLaw = Callable[[Any, Prefix], Sequence[Any]]
"""(draft law q of a token, tokens drafted up to it) -> the law that the verifier takes it to be drawn from."""


def _drafting(ends: Ends, keep_last: bool, look: bool) -> Drafting:
    """Return the enumeration of drafts that `ends` stops; with `look` it sees the last token, else only its law."""

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        """Yield (probability, draft) for every way a draft of at most gamma tokens can end."""
        check_gamma(gamma)

        def longer(weight: Scalar, path: Prefix) -> Iterator[tuple[Any, Prefix]]:
            q = draft(path) if len(path) < gamma else ()
            if len(path) == gamma or (not look and ends(q, path)):
                yield weight, path
                return
            for token, mass in enumerate(q):
                if not mass > 0:
                    continue
                if look and ends(q, (*path, token)):
                    # a dropped token leaves the same path for several tokens: paths may occur more than once
                    yield weight * mass, (*path, token) if keep_last else path
                else:
                    yield from longer(weight * mass, (*path, token))

        yield from longer(1, ())

    return drafting


def ending(ends: Ends) -> Drafting:
    """Drafts that may end after each token; every drafted token is verified.

    >>> list(ending(lambda q, path: path[-1] == 0)(lambda prefix: [0.25, 0.75], 2))
    [(0.25, (0,)), (0.1875, (1, 0)), (0.5625, (1, 1))]
    """
    return _drafting(ends, keep_last=True, look=True)


def dropping_last(ends: Ends) -> Drafting:
    """Drafts that end without the token that the rule has seen.

    >>> list(dropping_last(lambda q, path: q[path[-1]] < 0.5)(lambda prefix: [0.25, 0.75], 1))
    [(0.25, ()), (0.75, (1,))]
    """
    return _drafting(ends, keep_last=False, look=True)


def unseen(ends: Ends) -> Drafting:
    """Drafts that may end before each token, by its law and the tokens before it.

    >>> list(unseen(lambda q, path: len(path) == 1)(lambda prefix: [0.25, 0.75], 2))
    [(0.25, (0,)), (0.75, (1,))]
    """
    return _drafting(ends, keep_last=False, look=False)


def whole(q: Array, path: Prefix) -> Sequence[Any]:
    """Told q."""
    return list(q)


def one_hot(q: Any, path: Prefix) -> Sequence[Any]:
    """Told the drafted token alone.

    >>> one_hot([0.25, 0.75], (0, 1))
    [0, 1]
    """
    return [int(token == path[-1]) for token in range(len(q))]


def kept_law(ends: Ends) -> ReportedLaw:
    """Told norm(q on the tokens with which the draft does not end).

    >>> kept_law(lambda q, path: q[path[-1]] < 0.5)([0.25, 0.75], (1,))
    [0.0, 1.0]
    """

    def law(q: Array, path: Prefix) -> Sequence[Any]:
        surviving = [0 * mass if ends(q, (*path[:-1], token)) else mass for token, mass in enumerate(q)]
        return [mass / sum(surviving) for mass in surviving]

    return law


def told_program(reported_law: ReportedLaw = whole) -> PathProgram:
    """Token verification that takes a reported law r of each drafted token: keep x where u r(x) < p(x), else norm((p - r)+).

    >>> from simspec.methods.verifier import UniformChance
    >>> told_program(one_hot)([[0.5, 0.5]] * 2, [[0.25, 0.75]], (1,), UniformChance(lambda: 0.5))
    ((0,), 0)
    """

    def program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
        for i, token in enumerate(x):
            law = reported_law(q[i], x[: i + 1])
            if not chance.keep(p[i][token], law[token]):
                residual = [max(a - b, 0) for a, b in zip(p[i], law, strict=True)]
                return (*x[:i], chance.draw(residual)), i
        return (*x, chance.draw(p[-1])), len(x)

    return program


def told_verifier(reported_law: ReportedLaw = whole) -> Verifier:
    """`told_program` as a verifier.

    >>> [tuple(o) for o in told_verifier()(lambda x: [0.5, 0.5], lambda x: [0.25, 0.75], ())]
    [(0.5, (0,), 0), (0.5, (1,), 0)]
    """
    return by_program(told_program(reported_law))
