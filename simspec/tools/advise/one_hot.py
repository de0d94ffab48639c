r"""Drafts drawn from the draft's law against its most likely token: :math:`\sum_x \min(p, q)` against :math:`p(\arg\max q)`.

A drafter that hands over a token without its law (one-hot draft probabilities) is accepted with the target's probability of
that token; with the law, and a token drawn from it, with the overlap of both laws.  Neither is always the larger: with
p = (0.9, 0.1) and q = (0.6, 0.4) the token wins by 0.9 to 0.7, with p = q it never does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simspec.engine.estimates.clusters import means
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array
from simspec.tools.reading import Pairs

__all__ = ["OneHot", "columns", "columns_of", "compared"]


class OneHot(NamedTuple):
    """Acceptance of both kinds of drafts.

    Attributes
    ----------
    full : Interval; overlap of the laws, of drafts drawn from the draft's law
    token : Interval; target's probability of the draft's most likely token
    difference : Interval; the second less the first
    share : float; of the contexts in which the token is accepted more often
    """

    full: Interval
    token: Interval
    difference: Interval
    share: float

    def sentence(self) -> str:
        """The comparison in one line."""
        low = self.difference.low
        high = self.difference.high
        between = "" if math.isnan(low) else f" ({low:+.3f} to {high:+.3f})"
        return (
            f"drafts drawn from the draft's distribution are accepted in {self.full.estimate:.3f} (sum of min(p, q)), its most "
            f"likely token in {self.token.estimate:.3f} (p at argmax q): {self.difference.estimate:+.3f}{between}, more in "
            f"{100 * self.share:.0f} % of the contexts"
        )


def columns(pairs: Pairs) -> Array:
    """Overlap of the laws, and the probability of the draft's most likely token by the target and by the draft, (3, n).

    >>> law = np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]])
    >>> columns(Pairs(*law, np.array([0]), "by hand")).tolist()
    [[0.75], [0.75], [0.5]]
    """
    return np.concatenate([columns_of(pairs.p[rows], pairs.q[rows]) for rows in pairs.parts()], axis=1)


def columns_of(p: Array, q: Array) -> Array:
    """`columns` of laws (n, V) that are there.

    >>> columns_of(np.array([[0.75, 0.25]]), np.array([[0.5, 0.5]])).tolist()
    [[0.75], [0.75], [0.5]]
    """
    likeliest = q.argmax(axis=1)[:, None]
    of_target, of_draft = (np.take_along_axis(law, likeliest, axis=1)[:, 0] for law in (p, q))
    return np.stack([np.minimum(p, q).sum(axis=1), of_target, of_draft])


def compared(full: Array, token: Array, document: Array, level: float = 0.95) -> OneHot:
    """Both kinds of drafts by their acceptance (n,) at each context, with intervals over documents.

    >>> of = compared(np.array([0.7, 0.75]), np.array([0.9, 0.5]), np.array([0, 1]))
    >>> [round(number.estimate, 3) for number in of[:3]], of.share
    ([0.725, 0.7, -0.025], 0.5)
    """
    first, second = means(np.stack([full, token], axis=1), document, level, (0, 1))
    (difference,) = means((token - full)[:, None], document, level, (-1, 1))
    return OneHot(first, second, difference, float((token > full).mean()))
