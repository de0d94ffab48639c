"""Rules for several drafts by name, as `simspec rates` takes them: ``rrs:4``, ``spechub``, ``optimum:2``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from simspec.checks import whole_number
from simspec.laws import Array
from simspec.methods.multi.acceptance import rrs_acceptance, rrsw_acceptance
from simspec.methods.multi.greedy import greedy_acceptance, spechub_acceptance
from simspec.methods.multi.kseq import kseq_acceptance
from simspec.methods.multi.thresholds import optimal_acceptance, share

__all__ = ["MOST_DRAFTS", "SEVERAL", "Several", "measured", "usage"]

MOST_DRAFTS = 64
"""Most drafts of one step."""


class Several(NamedTuple):
    """A rule for several drafts: what it does, how its drafts are drawn, and (p, q, K) -> acceptance."""

    summary: str
    drafts: str
    acceptance: Callable[[Array, Array, int], Any]
    fixed: int | None = None


SEVERAL: dict[str, Several] = {
    "rrs": Several("recursive rejection of K independent drafts; lossless", "iid", rrs_acceptance),
    "rrsw": Several("recursive rejection of K drafts without replacement; lossless", "swor", rrsw_acceptance),
    "kseq": Several("K-SEQ, at its smallest lossless threshold; lossless", "iid", kseq_acceptance),
    "spechub": Several("SpecHub, two drafts; lossless", "hub", lambda p, q, k: spechub_acceptance(p, q), 2),
    "greedy-drafts": Several("the K - 1 most likely drafts and another; lossless", "greedy", greedy_acceptance),
    "optimum": Several("the best that any lossless rule does with K independent drafts", "iid", optimal_acceptance),
    "optimum-swor": Several(
        "the same without replacement", "swor", lambda p, q, k: optimal_acceptance(p, q, k, "swor")
    ),
}
"""Every rule for several drafts that has a name; all but those of a fixed number of drafts are written with K."""


def measured(text: str) -> Callable[[Array, Array], dict[str, Any]]:
    """What a rule gives on laws (..., V): acceptance, and its share of the most that is possible with the same drafts.

    Raises ValueError for a name of no rule, and for a number that is missing, too many, or no number of drafts.

    >>> import numpy as np
    >>> found = measured("rrs:2")(np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]]))
    >>> {name: values.round(6).tolist() for name, values in found.items()}
    {'acceptance': [0.625], 'share': [0.909091]}
    """
    name, _, number = text.partition(":")
    if name not in SEVERAL:
        raise ValueError(f"rule: {text!r}; expected one of {', '.join(map(usage, SEVERAL))}")
    rule = SEVERAL[name]
    if (rule.fixed is not None and number) or (rule.fixed is None and not number.isdecimal()):
        raise ValueError(f"rule: {text!r}; expected {usage(name)}")
    k = rule.fixed or whole_number("K", int(number), 1, MOST_DRAFTS, f"a number of drafts from 1 to {MOST_DRAFTS}")

    def of(p: Array, q: Array) -> dict[str, Any]:
        accepted = rule.acceptance(p, q, k)
        return {"acceptance": accepted, "share": share(accepted, p, q, k, rule.drafts)}

    return of


def usage(name: str) -> str:
    """How a rule is written.

    >>> usage("rrs"), usage("spechub")
    ('rrs:K', 'spechub')
    """
    return name if SEVERAL[name].fixed is not None else f"{name}:K"
