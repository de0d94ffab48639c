"""Which rule, how many drafts, what speed: every rule by name on a pair's own contexts, at every number of drafts.

Acceptance and bias are exact at each context; tokens a call follow exactly from the acceptance along the text
(`simspec.tools.advise.walk`); intervals are over documents.  `load` reads the laws of each setting, which `truncation` prunes
and cuts, `compute` measures rules on them, `table` holds the rows and the advice that follows, and `show` prints and draws
them.  The speed is `simspec.methods.speed.tree_speedup`: tokens of a target step over its time.  Decoding for real is
`simspec.tools.advise.running`.
"""

from __future__ import annotations

from typing import Any

from simspec.tools.advise.compute import compute, facts_of
from simspec.tools.advise.load import Progress, cases
from simspec.tools.advise.plan import GAMMAS, Plan, check, default_rules
from simspec.tools.advise.table import Advice, Row

__all__ = ["GAMMAS", "Advice", "Plan", "Row", "advise", "default_rules"]


def advise(source: Any, plan: Plan = Plan(), level: float = 0.95, progress: Progress | None = None) -> Advice:  # noqa: B008
    """Measure every rule of a plan on a pair, and find the number of drafts that makes each fastest.

    Parameters
    ----------
    source : path or name
        as `simspec.tools.reading.load` reads it: a bank, or an ``.npz`` of laws or logits; or the `Pairs` themselves,
        which are laws and have one setting; or a function from temperature to `Pairs`, such as
        ``functools.partial(load, "smollm2", kind="texts")``: of a bank with both kinds of text, given by its name, the target's
        own answers are read.
    plan : Plan
    level : of the intervals, in (0, 1)
    progress : (what is done, how much of it, of how much) -> None, optional

    Returns
    -------
    Advice
        a row for each setting and rule; of the speed's interval the number of drafts and the bits are taken as given.

    Raises ValueError for a plan that makes no sense, a source that cannot be read, or a rule that it cannot measure.

    >>> import numpy as np
    >>> from simspec.tools.reading import Pairs
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> advice = advise(half, Plan(rules=("sd",), gammas=(1, 2), cost=0.25))
    >>> advice[0].gamma, advice[0].acceptance.estimate, advice[0].tokens.estimate, round(advice[0].speedup.estimate, 3)
    (2, 0.75, 2.3125, 1.542)
    >>> advice.sentence().partition(",")[0]
    'Draft 2 tokens per target step with sd: mean acceptance length 2.31'
    """
    check(plan)
    rows: list[Row] = []
    facts: dict[str, Any] = {}
    for case in cases(source, plan, progress):
        measured = compute(case, plan, level, progress)
        rows += measured.rows
        if not facts:
            facts = {
                **facts_of(case.pairs, level, measured.likeliest),
                "places": measured.places,
                "rates": measured.rates,
            }
    cost = plan.cost + plan.verify
    limits = _cost_range(plan)
    return Advice(
        rows,
        cost=cost,
        verify_cost=plan.verify,
        cost_range=limits,
        link=plan.link,
        gammas=plan.gammas,
        pruned=plan.pruned,
        **facts,
    )


def _cost_range(plan: Plan) -> tuple[float, float] | None:
    """Lowest and highest cost of a draft and its verification, or None where neither has a spread."""
    if plan.cost_range is None and plan.verify_range is None:
        return None
    draft = plan.cost_range or (plan.cost, plan.cost)
    verify = plan.verify_range or (plan.verify, plan.verify)
    return draft[0] + verify[0], draft[1] + verify[1]
