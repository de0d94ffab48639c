"""What rules gain and cost on given pairs of laws: one table, for a user's own laws or logits or a bank.

Laws are read by `simspec.tools.reading`, `compute` measures them, `table` holds the rows, and `show` prints and draws them.
Every number of a row is exact for its pair of laws; the interval of the mean is over documents (each row is one where the
source names none), of which there must be enough (`simspec.engine.estimates.clusters`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simspec.methods.method import Method
from simspec.methods.registry import Rule
from simspec.tools.rates.compute import Options, Progress, compute, rules_of
from simspec.tools.rates.table import COLUMNS, Rates, RatesTable, frame
from simspec.tools.reading import Pairs, load

__all__ = ["COLUMNS", "DEFAULT", "Rates", "RatesTable", "frame", "rates"]

DEFAULT = ("sd", "ears:0.1", "lenience:0.8", "lenience-levelled:0.8", "mixture:0.1")
"""Rules that are measured where none is named."""


def rates(
    pairs: Pairs | str | Path | Mapping[str, Any] | tuple[Any, Any],
    rules: Sequence[Rule | Method | str] | Rule | Method | str = DEFAULT,
    gamma: int = 4,
    cost: float = 0.1,
    level: float = 0.95,
    progress: Progress | None = None,
) -> RatesTable:
    r"""Acceptance, gain, bias, tokens per call, speed and bits of each rule, averaged over the pairs.

    Parameters
    ----------
    pairs : Pairs, or what `simspec.tools.reading.load` takes: a file of arrays, a mapping of arrays, a bank's file, the name of
        a bank that ships, or laws (p, q).  Of a bank with both kinds of text the target's own answers are read: pass
        ``load(bank, kind="texts")`` for its corpus texts
    rules : sequence of methods, of texts such as ``ears:0.1``, or of `Rule`, or one of them; by default those of `simspec rates`.
        ``block``, ``hsd-capped`` and ``hsd-naive`` judge the drafts of a call together: their one-step numbers are those of
        ``sd``, whose first draft they keep as often, their tokens per call follow drafts along the text, as those of
        ``token``, and their share is that of the drafts of a call (`JOINT_SHARE`)
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time
    level : in (0, 1)
    progress : (what is done, how much of it, of how much) -> None, optional

    Takes memory of the order of the rows.  Intervals are over documents; each end takes account of a further document whose
    contexts accept nothing, or everything, and have the lowest or highest value of these contexts in all other columns.
    Tokens per call and speed take every step to accept independently with the mean rate (claim ``sd.block-length``), but
    those of ``block``.
    With fewer than five documents there is no interval: the ends are NaN.

    >>> import numpy as np
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> means = rates(half, ["mixture:0.5"])[0].values
    >>> means["acceptance"].estimate, means["tv"].estimate
    (0.875, 0.125)
    """
    loaded = pairs if isinstance(pairs, Pairs) else load(pairs)
    options = Options(rules_of(rules, loaded.known), gamma, cost, level)
    return RatesTable(compute(loaded, options, progress), loaded)
