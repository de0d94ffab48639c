"""Recursive rejection: the drafts of one step are tested one after the other, each against what the others left.

`Node` is what every rule for several drafts of one step is written as, so that a tree can apply it at each of its nodes:
it sees both laws, the drafts and its uniforms, and says which token is emitted and which draft that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from simspec.laws import Array
from simspec.laws.unchecked import normalise
from simspec.methods.block import Model, Prefix
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_nodes

__all__ = ["Node", "Order", "at_root", "recursive_rejection"]

Node = Callable[[Any, Any, Sequence[int], Chance], tuple[int, int | None]]
"""(target law, draft law, drafts of one step, chance) -> (token emitted, place of the draft that is accepted or None)."""

Order = Literal["drawn", "by-p", "by-q"] | tuple[int, ...]
"""In which order drafts are tested: as they were drawn, by falling mass (as drawn among equals), or by a permutation."""


def recursive_rejection(replace: bool = True, skip_duplicates: bool = False, order: Order = "drawn") -> Node:
    r"""Recursive rejection, for drafts drawn independently (RRS) or without replacement (RRSw).

    Draft :math:`X_i` is kept with probability :math:`\min(1, p_i(X_i)/q_i(X_i))`; else :math:`p_{i+1}` is
    :math:`(p_i - q_i)_+` normalised.  After the last refusal a token is drawn from what is left of p.  Lossless for drafts
    of its own law in the order in which they were drawn: claims ``multi.rrs-lossless``, ``multi.rrsw-lossless``.

    Parameters
    ----------
    replace : bool; True: q_i = q throughout; False: q without the drafts tested so far, renormalised
    skip_duplicates : bool; a draft equal to an earlier one is passed over, p_i as it was (lossy)
    order : in which order drafts are tested; a permutation lists places from 0

    SpecInfer (Miao et al. 2023, arXiv 2305.09781), Theorem 4.2; RSD (Jeon et al. 2024, arXiv 2402.14160), Theorem 3.1.

    >>> from fractions import Fraction
    >>> from simspec.methods.verifier.chance import every
    >>> p, q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(3, 4), Fraction(1, 4)]
    >>> for probability, (token, place) in every(lambda chance: recursive_rejection()(p, q, (0, 1), chance)):
    ...     print(probability, token, place)
    2/3 0 0
    1/3 1 1
    """

    def node(p: Array, q: Array, drafts: Sequence[int], chance: Chance) -> tuple[int, int | None]:
        residual = np.asarray(p)
        draft_law = np.asarray(q)
        tested: set[int] = set()
        for place in _places(order, residual, draft_law, drafts):
            token = drafts[place]
            if skip_duplicates and token in tested:
                continue
            tested.add(token)
            if chance.keep(residual[token], draft_law[token]):
                return token, place
            residual = normalise(np.maximum(residual - draft_law, 0), otherwise=residual)
            draft_law = draft_law if replace else _without(draft_law, token)
        return chance.draw(residual), None

    return node


def at_root(node: Node) -> Verifier:
    """The verifier of one step with several drafts, a tuple of tokens: an accepted one is followed by a draw from the target.

    >>> from fractions import Fraction
    >>> from simspec.methods.verifier import outcomes
    >>> half = Fraction(1, 2)
    >>> certain = lambda draft, gamma: [(1, (0, 1))]  # both tokens are drafted for sure
    >>> take = lambda p, q, drafts, chance: (0, 0)
    >>> [tuple(map(str, o)) for o in outcomes(at_root(take), lambda x: [half, half], lambda x: [], 1, certain)]
    [('1/2', '(0, 0)', '1'), ('1/2', '(0, 1)', '1')]
    """

    def program(target: Model, draft: Model, drafts: Any, chance: Chance) -> tuple[Prefix, int]:
        token, place = node(target(()), draft(()), drafts, chance)
        return ((token,), 0) if place is None else ((token, chance.draw(target((token,)))), 1)

    return by_nodes(program)


def _without(law: Array, token: int) -> Array:
    """A law without a token, renormalised; nothing where it had no other."""
    rest = law.copy()
    rest[token] = law[token] * 0
    return normalise(rest, otherwise=rest)


def _places(order: Order, p: Array, q: Array, drafts: Sequence[int]) -> Sequence[int]:
    if order == "drawn":
        return range(len(drafts))
    if isinstance(order, tuple):
        if sorted(order) != list(range(len(drafts))):
            raise ValueError(f"order: {order}; expected each place of the {len(drafts)} drafts once, counted from 0")
        return order
    by = {"by-p": p, "by-q": q}
    if order not in by:
        raise ValueError(f"order: {order!r}; expected drawn, by-p, by-q or a permutation of places")
    return sorted(range(len(drafts)), key=lambda place: -by[order][drafts[place]])
