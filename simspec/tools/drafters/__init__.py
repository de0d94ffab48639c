"""Which of several drafts is best for a target, from one set of target laws: `simspec rates FILE --drafts A B`.

`load` reads the drafts, `compute` compares them, `policies` runs policies that choose among them while serving, `table` holds
the rows, and `show` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simspec.methods.method import Method
from simspec.methods.registry import Rule
from simspec.tools.drafters.compute import compare
from simspec.tools.drafters.load import load_drafts, named_drafts
from simspec.tools.drafters.policies import run_policies
from simspec.tools.drafters.table import Choice, Difference, Draft, DraftsTable, PoliciesTable
from simspec.tools.rates.compute import Progress
from simspec.tools.reading import Pairs

__all__ = [
    "Choice",
    "Difference",
    "Draft",
    "DraftsTable",
    "PoliciesTable",
    "draft_rates",
    "load_drafts",
    "named_drafts",
    "run_policies",
]


def draft_rates(
    source: Pairs | str | Path | Mapping[str, Any] | tuple[Any, Any],
    drafts: Mapping[str, Any] | Sequence[str | Path],
    rule: Rule | Method | str = "sd",
    gamma: int = 4,
    cost: float = 0.1,
    level: float = 0.95,
    temperature: float = 1,
    progress: Progress | None = None,
) -> DraftsTable:
    r"""Acceptance of several drafts on the same rows of a target, their differences, and which one is best.

    Along text that was emitted losslessly the mean of :math:`\sum_x \min(p(x), q_i(x))` is unbiased for every draft i, whichever
    was used (claim ``select.counterfactual``).  Under a rule that is not lossless this holds for the text of that rule only
    (claims ``select.relaxed``).

    Parameters
    ----------
    source : Pairs, or what `simspec.tools.reading.load` takes; its own draft, where it has one, is compared too.  Or a target
        alone: a mapping or a file with `p` (laws) or `target` (logits).  Of a bank with both kinds of text the target's own
        answers are read: pass ``load(bank, kind="texts")`` for its corpus texts; banks among `drafts` are read like the source
    drafts : by name, or files: laws (n, V) as an array, or a mapping, file or place with `q` (laws) or `draft` (logits), or a
        bank on the same contexts
    rule : method or name, as `simspec.rates` takes it, but for rules that judge a path of drafts
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time, of all drafts
    level : in (0, 1); that of each row's intervals, and that at which the intervals of all differences hold together
    temperature : number >= 0; needs logits
    progress : (what is done, how much of it, of how much) -> None, optional

    Raises
    ------
    ValueError
        for fewer than two drafts, two of one name, and a draft over other tokens, on another number of contexts, or beside
        another target; and as `simspec.rates` does.

    Examples
    --------
    >>> table = draft_rates({"p": [[0.5, 0.5]]}, {"sure": [[1, 0]], "even": [[0.5, 0.5]]})
    >>> [(row.name, row.values["acceptance"].estimate) for row in table], table.best
    ([('sure', 0.5), ('even', 1.0)], 'even')
    """
    return compare(load_drafts(source, drafts, temperature), rule, gamma, cost, level, progress)
