"""Whether a middle model between draft and target pays: `simspec advise BANK --middle DRAFT --middle-cost C`.

`compute` measures the three acceptance rates and finds the best schedules, `show` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simspec.tools.cascades.compute import Cascade, CascadePlan, Schedule, compute
from simspec.tools.drafters.load import load_drafts
from simspec.tools.reading import Pairs, Placed

__all__ = ["Cascade", "CascadePlan", "Schedule", "cascade_advice"]


def cascade_advice(
    source: Pairs | Placed | str | Path | Mapping[str, Any] | tuple[Any, Any],
    middle: Any,
    plan: CascadePlan | None = None,
    temperature: float = 1,
    kind: str | None = None,
) -> Cascade:
    """The best cascade beside the best draft without it, chosen on one half of the documents and judged on the other.

    Parameters
    ----------
    source : target and draft, as `simspec.tools.reading.load` takes them
    middle : the middle model on the same rows: laws (n, V) as an array, or a mapping, file or place with `q` (laws) or `draft`
        (logits), or a bank of the same contexts
    plan : costs, numbers of drafts and of rounds
    temperature : number >= 0, of all models; needs logits
    kind : kind of text that is read of banks, as `simspec.tools.reading.load` takes it

    Raises ValueError for a middle model over other tokens, on other contexts or beside another target, and for costs that are
    negative.

    >>> even = [[0.5, 0.5]]
    >>> advice = cascade_advice({"p": even, "q": [[1, 0]]}, even, CascadePlan(cost=0, middle_cost=0.5, rounds=(1,)))
    >>> [rate.estimate for rate in advice.acceptance.values()]
    [0.5, 1.0, 0.5]
    """
    pairs = load_drafts(source, {"the middle model": middle}, temperature, kind)
    draft, with_middle = pairs.values()
    return compute(draft, with_middle.q, plan or CascadePlan())
