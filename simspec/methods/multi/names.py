"""Rules for several drafts by name, as `simspec rates` takes them: ``rrs:4``, ``spechub``, ``optimum:2``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, overlap
from simspec.methods.multi.acceptance import match_acceptance, rrs_acceptance, rrsw_acceptance
from simspec.methods.multi.greedy import greedy_acceptance, hub_plan, spechub_acceptance
from simspec.methods.multi.kseq import kept_once, kseq_acceptance, kseq_rho
from simspec.methods.multi.thresholds import optimal_acceptance

__all__ = ["MOST_DRAFTS", "NAMES", "SEVERAL", "Several", "first", "most", "top_mass"]

MOST_DRAFTS = 64
"""Most drafts of one step."""

Accepts = Callable[[Array, Array], Any]
"""Laws p and q (..., V) -> acceptance (...)."""


class Several(NamedTuple):
    """A rule for several drafts: what it does, how its drafts are drawn, and (p, q, K) -> acceptance.

    `first` is (p, q, K) -> probability that one certain draft is the one that is accepted: the first to be tested, or the most
    likely; None for a bound that is no rule, and where a whole tree is judged together.
    """

    summary: str
    drafts: str
    acceptance: Callable[[Array, Array, int], Any]
    fixed: int | None = None
    first: Callable[[Array, Array, int], Any] | None = None


def _at_top(p: Array, q: Array, k: int) -> Any:
    """Target mass of the draft's most likely token, which greedy drafts hold for sure where they are several."""
    return np.take_along_axis(p, q.argmax(axis=-1)[..., None], axis=-1)[..., 0] if k > 1 else overlap(p, q)


def _at_hub(p: Array, q: Array, k: int) -> Any:
    plan = hub_plan(p, q)
    return (plan.hub_second + plan.hub_first)[..., 0]


def top_mass(p: Array, q: Array, k: int) -> Any:
    """Target mass of the draft's K most likely tokens, the first of equals: what is accepted of them at most, and at best.

    Claims ``tree.same-acceptance`` and ``tree.deterministic``.

    Parameters
    ----------
    p, q : laws (..., V); exact on fractions
    k : int >= 1; drafts, all tokens where there are fewer

    >>> float(top_mass(np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5]), 2))
    0.75
    """
    order = np.argsort(-q, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(p, order, axis=-1).sum(axis=-1)


_TOP = ("top", top_mass, None, lambda p, q, k: top_mass(p, q, 1))

SEVERAL: dict[str, Several] = {
    "rrs": Several(
        "recursive rejection of K independent drafts; lossless",
        "iid",
        rrs_acceptance,
        None,
        lambda p, q, k: overlap(p, q),
    ),
    "rrsw": Several(
        "recursive rejection of K drafts without replacement; lossless",
        "swor",
        rrsw_acceptance,
        None,
        lambda p, q, k: overlap(p, q),
    ),
    "kseq": Several(
        "K-SEQ, at its smallest lossless threshold; lossless",
        "iid",
        kseq_acceptance,
        None,
        lambda p, q, k: kept_once(p, q, kseq_rho(p, q, k)[1]),
    ),
    "spechub": Several("SpecHub, two drafts; lossless", "hub", lambda p, q, k: spechub_acceptance(p, q), 2, _at_hub),
    "greedy-drafts": Several(
        "the K - 1 most likely drafts and another; lossless", "greedy", greedy_acceptance, None, _at_top
    ),
    "target-only": Several("target-only verification of the K most likely drafts; lossless", *_TOP),
    "certain": Several("EAGLE's test of the K most likely drafts; lossless", *_TOP),
    "sample": Several(
        "a sample of the target, looked for among K independent drafts; lossless",
        "iid",
        match_acceptance,
        None,
        lambda p, q, k: match_acceptance(p, q, 1),
    ),
    "traversal": Several(
        "traversal verification of K independent drafts; at one step recursive rejection; lossless",
        "iid",
        rrs_acceptance,
    ),
    "traversal-swor": Several(
        "the same without replacement; at one step recursive rejection; lossless", "swor", rrsw_acceptance
    ),
    "optimum": Several("the best that any lossless rule does with K independent drafts", "iid", optimal_acceptance),
    "optimum-swor": Several(
        "the same without replacement", "swor", lambda p, q, k: optimal_acceptance(p, q, k, "swor")
    ),
}
"""Every rule of this folder that has a name; all but those of a fixed number of drafts are written with K."""


def most(name: str, *numbers: Any) -> Accepts | None:
    """The most that any lossless rule accepts with drafts drawn as this rule draws them; None for a name that is not here.

    >>> import numpy as np
    >>> float(most("rrs", 2)(np.array([0.25, 0.75]), np.array([0.75, 0.25])))
    0.6875
    """
    if name not in SEVERAL:
        return None
    rule = SEVERAL[name]
    k = _drafts(rule, *numbers)
    return partial(top_mass, k=k) if rule.drafts == "top" else partial(optimal_acceptance, k=k, drafts=rule.drafts)


def first(name: str, *numbers: Any) -> tuple[int, Accepts | None]:
    """The number of drafts of a rule, and how often one certain draft is the one that is accepted; None of a bound.

    >>> import numpy as np
    >>> k, alone = first("rrs", 2)
    >>> k, float(alone(np.array([0.25, 0.75]), np.array([0.75, 0.25])))
    (2, 0.5)
    """
    rule = SEVERAL[name]
    k = _drafts(rule, *numbers)
    alone = rule.first
    return k, None if alone is None else lambda p, q: alone(p, q, k)


def _accepts(rule: Several, *numbers: Any) -> Accepts:
    k = _drafts(rule, *numbers)
    return lambda p, q: rule.acceptance(p, q, k)


def _drafts(rule: Several, k: Any = None) -> int:
    if rule.fixed is not None:
        return rule.fixed
    return whole_number("K", k, 1, MOST_DRAFTS, f"a number of drafts from 1 to {MOST_DRAFTS}")


NAMES: dict[str, tuple[tuple[str, ...], str, Callable[..., Accepts]]] = {
    name: (() if rule.fixed is not None else ("K",), rule.summary, partial(_accepts, rule))
    for name, rule in SEVERAL.items()
}
"""The numbers of each name, what it does, and numbers -> (laws p and q -> acceptance)."""
