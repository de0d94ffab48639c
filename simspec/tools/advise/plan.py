"""What is tried on a pair, and what it costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from simspec.checks import short
from simspec.methods.registry import Rule, as_rule, kind_of, kinds
from simspec.tools.reading import Pairs

__all__ = ["GAMMAS", "LINKED", "RELAXED", "Plan", "check", "default_rules", "is_free", "rules_of"]

GAMMAS = tuple(range(1, 17))
"""Drafts a call that are tried."""
RELAXED = ("ears:0.1", "lenience:0.8", "mixture:0.1", "typical:0.3,0.09")
"""Rules that change the text, tried by default."""
LINKED = ("sqs:32,100", "csqs:0.01,100")
"""Rules tried by default where drafts go over a wire."""


def is_free(rule: str) -> bool:
    """Whether a rule drafts without a draft model, so at no cost, and sends a token, not a law.

    >>> is_free("tasc"), is_free("sd"), is_free("mine.py:rule")
    (True, False, False)
    """
    kind = kind_of(rule)
    return kind is not None and kind.free


class Plan(NamedTuple):
    """What is tried, and what it costs.

    Attributes
    ----------
    rules : names as `simspec.methods.registry.rule` reads them; None for `default_rules`, of which settings after the first
        take the first two
    gammas : drafts a target call, integers >= 1
    temperatures, top_ps : settings of both models; each of the first with each of the second
    cost : number >= 0; draft time / target time
    verify : number >= 0; time that the target takes for one more drafted token / its time for one token
    link : number > 0; bits that the wire carries during one target call; infinite without a wire
    pruned : share of the vocabulary that the drafter keeps, in (0, 1]; needs a bank with statistics where below 1
    cost_range, verify_range : lowest and highest value of both costs, from the spread of the steps that were timed; None
        where the costs are taken as exact
    """

    rules: tuple[str, ...] | None = None
    gammas: tuple[int, ...] = GAMMAS
    temperatures: tuple[float, ...] = (1.0,)
    top_ps: tuple[float, ...] = (1.0,)
    cost: float = 0.1
    verify: float = 0.0
    link: float = math.inf
    pruned: float = 1.0
    cost_range: tuple[float, float] | None = None
    verify_range: tuple[float, float] | None = None


def check(plan: Plan) -> None:
    """Refuse a plan that makes no sense.

    >>> check(Plan())
    """
    if not isinstance(plan, Plan):
        raise ValueError(f"plan: {short(plan)}; expected a Plan, such as Plan(rules=('sd',))")
    if not plan.gammas or not all(gamma >= 1 for gamma in plan.gammas):
        raise ValueError(f"gammas: {plan.gammas}; expected numbers of draft tokens, 1 or more")
    if not plan.temperatures or not plan.top_ps or not all(0 < mass <= 1 for mass in plan.top_ps):
        raise ValueError(
            f"temperatures, top_ps: {plan.temperatures}, {plan.top_ps}; expected at least one of each, with 0 "
            "< top_p <= 1"
        )
    for name in ("cost", "verify"):
        if not 0 <= getattr(plan, name) < math.inf:
            raise ValueError(f"{name}: {getattr(plan, name)}; expected a ratio of times, finite and 0 or more")
        limits = getattr(plan, f"{name}_range")
        if limits is not None and not 0 <= limits[0] <= getattr(plan, name) <= limits[1] < math.inf:
            raise ValueError(
                f"{name}_range: {limits}; expected the lowest and the highest {name}, with {getattr(plan, name)} between them"
            )
    if not plan.link > 0:
        raise ValueError(f"link: {plan.link}; expected a positive number of bits per target step")
    if not 0 < plan.pruned <= 1:
        raise ValueError(f"pruned: {plan.pruned}; expected a share of the vocabulary, above 0 and at most 1")


def default_rules(pairs: Pairs, link: float = math.inf) -> tuple[str, ...]:
    """Rules that apply to a pair: those for a vocabulary that is not all shared only where it is not.

    >>> import numpy as np
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> default_rules(half)
    ('sd', 'greedy', 'ears:0.1', 'lenience:0.8', 'mixture:0.1', 'typical:0.3,0.09')
    """
    shared = pairs.known.shared
    vocab = pairs.p.shape[-1]
    facts = {name for name, value in pairs.known._asdict().items() if value is not None}
    apart = shared is not None and not shared.all()
    first: tuple[str, ...] = ("sd", "greedy")
    if apart:
        able = [kind.name for kind in kinds("token") if kind.needs and facts.issuperset(kind.needs)]
        first = ("tli", "greedy", *(name for name in able if name != "tli"))
    in_context = [kind.name for kind in kinds("context") if facts.issuperset(kind.needs)]
    first += tuple(name for name in in_context if name in ("prompt-lookup", "tasc"))
    relaxed = RELAXED + tuple(name for name in in_context if name == "pad")
    first += () if pairs.position is None else ("block",)
    sent = tuple(name.replace("32,", f"{min(32, vocab)},") for name in LINKED) if link < math.inf else ()
    return first + relaxed + sent


def rules_of(plan: Plan, pairs: Pairs, is_first: bool = True) -> tuple[Rule, ...]:
    """The rules of a plan as they are tried on a pair; of the default ones settings after the first take two.

    Raises ValueError for a rule that is none, or that needs what is not known of the pair.

    >>> import numpy as np
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> [rule.name for rule in rules_of(Plan(), half, is_first=False)]
    ['sd', 'greedy']
    """
    names = plan.rules or default_rules(pairs, plan.link)
    if not plan.rules and not is_first:
        names = names[:2]
    rules = []
    for name in names:
        kind = kind_of(name)
        is_measured = kind is None or kind.along is None or not kind.along.writes_on
        rules.append(as_rule(name, pairs.known, ("siblings", "path", "tree") if is_measured else ("siblings",)))
    return tuple(rules)
