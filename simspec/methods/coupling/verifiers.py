"""The couplings as verifiers: given the drafts, the target's token has the law that the shared noise leaves it.

The noise itself is not drawn; who wants to see it race will find `race` here, from exponentials that are handed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from simspec.laws import Array, exact, is_exact
from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.coupling.lists import joint_law
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Drafting, Verifier, by_program

__all__ = ["gumbel_list", "gumbel_verifier", "race", "several"]


def _law(masses: Any) -> Array:
    row = np.asarray(masses)
    return exact(row) if row.dtype == object and is_exact(row) else row


def _program(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    for i, token in enumerate(x):
        winner = chance.draw(joint_law(_law(p[i]), _law(q[i]))[token])
        if winner != token:
            return (*x[:i], winner), i
    return (*x, chance.draw(p[-1])), len(x)


gumbel_verifier: Verifier = by_program(_program)
"""At each position the target's winner is emitted; the path goes on where it is the draft's winner too. Lossless.

>>> from fractions import Fraction
>>> [tuple(map(str, o)) for o in gumbel_verifier(lambda x: [Fraction(1)], lambda x: [Fraction(1)], (0,))]
[('1', '(0, 0)', '1')]
"""


def several(drafts: int) -> Drafting:
    """K candidates of one step, drawn independently from the draft's law.

    >>> list(several(2)(lambda prefix: [0.25, 0.75], 1))[1]
    (0.1875, (0, 1))
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Prefix]]:
        q = draft(())
        for candidates in product([x for x, mass in enumerate(q) if mass > 0], repeat=drafts):
            weight: Any = 1
            for token in candidates:
                weight = weight * q[token]
            yield weight, candidates

    return drafting


def gumbel_list(target: Model, draft: Model, candidates: Sequence[int]) -> list[Outcome]:
    """One step of the list coupling: the target's winner is emitted; it counts as accepted if it is a candidate. Lossless.

    >>> from fractions import Fraction
    >>> half, skew = [Fraction(1, 2)] * 2, [Fraction(3, 4), Fraction(1, 4)]
    >>> print(*(o.probability for o in gumbel_list(lambda x: half, lambda x: skew, (0,))))
    2/3 1/3
    """
    row = joint_law(_law(target(())), _law(draft(())), len(candidates))[tuple(candidates)]
    mass = row.sum()
    return [
        Outcome(token_mass / mass, (y,), int(y in candidates)) for y, token_mass in enumerate(row) if token_mass > 0
    ]


def race(noise: Array, law: Array) -> Array:
    """Winners of races, argmin E/law over the last axis; a token without mass never wins, the first of equals does.

    Parameters
    ----------
    noise : positive numbers (..., V); the exponentials
    law : law (..., V)

    >>> race(np.array([1.0, 1.0]), np.array([0.25, 0.75])).tolist()
    1
    """
    mass = law > 0
    times = np.where(mass, noise / np.where(mass, law, 1), np.inf)
    return np.asarray(times).argmin(axis=-1)
