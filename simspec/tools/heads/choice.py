"""The number of drafts that makes a step fastest, with an interval that allows for the choice, and the numbers not told from it.

What is not here: the rows among which is chosen (`compute`), and trees (`trees`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.engine.estimates.clusters import FEWEST, means
from simspec.engine.estimates.intervals import Interval, bonferroni
from simspec.methods.speed import step_time
from simspec.tools.drafters.compute import difference_means
from simspec.tools.heads.table import HeadsTable

__all__ = ["BestGamma", "best_gamma"]


class BestGamma(NamedTuple):
    """The number of drafts with the highest speed-up, 0 for none, and the numbers that cannot be told from it.

    Attributes
    ----------
    gamma : the number
    speedup : at this number; of the intervals of all numbers that were compared, which hold together at the level
    rivals : numbers of which the intervals do not say that they are slower
    compared : numbers of drafts among which was chosen
    """

    gamma: int
    speedup: Interval
    rivals: list[int]
    compared: list[int]


def best_gamma(rows: HeadsTable) -> BestGamma:
    r"""The number of drafts with the highest speed-up, from the least that is compared to that of the rows, or 0.

    The best of G numbers is chosen on the blocks that value it.  So its interval is that of level :math:`1 - (1 - \ell)/G`
    (Bonferroni): with probability :math:`\ell` the intervals of all G hold, so that of the chosen one does.  A rival is a number
    whose speed-up at the same blocks is not below the best one's, by such intervals of the differences; the number that is
    fastest in truth is the best one or a rival with probability :math:`\ell` at least (Hsu 1981), since it is left out only
    where its own difference is missed.  With fewer documents than have intervals all others are rivals.

    >>> from simspec.tools.heads import HeadOptions, head_rates
    >>> laws = {"p": [[[0.5, 0.5], [1.0, 0.0]]] * 6, "heads": [[[0.5, 0.5], [0.0, 1.0]]] * 6}
    >>> best = best_gamma(head_rates(laws, HeadOptions(cost=0.25, verify=0.25)))
    >>> best.gamma, round(best.speedup.estimate, 3), best.rivals, best.compared
    (1, 1.333, [], [0, 1, 2])
    """
    measured = rows.measured
    compared = [0, *range(measured.fewest, len(rows) + 1)]
    with_drafts = np.array(compared[1:])
    times = step_time(1, measured.cost, with_drafts, measured.verify)
    speeds = np.concatenate([np.ones((len(measured.lengths), 1)), measured.lengths[:, with_drafts - 1] / times], axis=1)
    at_best = int(speeds.mean(axis=0).argmax())
    level = rows.level
    document = measured.heads.document
    others = [at for at in range(len(compared)) if at != at_best]
    if len(np.unique(document)) < FEWEST:
        rivals = others
    else:
        differences = speeds[:, [at_best]] - speeds[:, others]
        intervals = difference_means(differences, document, bonferroni(level, len(others)))
        rivals = [at for at, interval in zip(others, intervals, strict=True) if not interval.low > 0]
    # the speed without drafts is known; the others lie between that of no accepted draft and that of all
    bounds = (np.concatenate([[1.0], 1 / times]), np.concatenate([[1.0], (1 + with_drafts) / times]))
    speedup = means(speeds, document, bonferroni(level, len(with_drafts)), bounds)[at_best]
    return BestGamma(compared[at_best], speedup._replace(level=level), [compared[at] for at in rivals], compared)
