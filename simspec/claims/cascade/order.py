"""Of several middle models the cheapest need not come first.

`cascade.order`, with its correction: own statements, on Wang et al. 2025 (2510.26527).  The schedule: the draft makes γ tokens,
and every model verifies once what the one before it emits.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.claims.cascade.parts import OWN
from simspec.laws import overlap
from simspec.methods.verifier.chance import Chance, every

__all__ = ["emitted"]


def emitted(acceptances: tuple[F, ...], gamma: int) -> Any:
    """Mean tokens of a pass of the last model, by enumeration of every test of every model.

    >>> print(emitted((F(1, 2), F(1, 2)), 1))
    13/8
    """

    def program(chance: Chance) -> int:
        number = gamma
        for acceptance in acceptances:
            accepted = 0
            while accepted < number and chance.keep(acceptance, 1):
                accepted += 1
            number = accepted + 1
        return number

    return sum((weight * tokens for weight, tokens in every(program)), start=F(0))


def _models(draw: Draw) -> Instance:
    """A target, a cheaper and a dearer middle model, a draft, and a number of drafts."""
    vocab = 2 + draw.integer(0, 1)
    laws = {name: draw.law(vocab) for name in ("p", "cheap", "dear", "q")}
    return {**laws, "gamma": draw.integer(1, 2)}


def _in_order(p: Array, first: Array, second: Array, q: Array, gamma: int) -> Any:
    """q's drafts verified by one middle model, then by the other, then by p, with the acceptance of each pair of laws."""
    acceptances: tuple[Any, ...] = (overlap(q, first), overlap(first, second), overlap(second, p))
    return emitted(acceptances, gamma)


SWAPPED = {
    "p": law("1/2", "1/2"),
    "cheap": law("1/2", "1/2"),
    "dear": law("3/4", "1/4"),
    "q": law("3/4", "1/4"),
    "gamma": 1,
}

ORDER = bound(
    name="cascade.order",
    statement=r"With several middle models, each used once for a pass of the target, the order by cost is the best order: two "
    r"models in the order of their costs emit at least as many tokens, at the same cost, as in the other order",
    reference=OWN,
    instances=_models,
    lhs=lambda p, cheap, dear, q, gamma: _in_order(p, cheap, dear, q, gamma),
    relation=at_least,
    rhs=lambda p, cheap, dear, q, gamma: _in_order(p, dear, cheap, q, gamma),
    sources=("exact",),
    corrected_by=("cascade.order-corrected",),
    within=(SWAPPED,),
    note="Each model is called once in either order, so the costs are equal, and the acceptances of neighbours decide. A cheap "
    "model that is close to the target belongs last.",
)


def _acceptances(draw: Draw) -> Instance:
    names = ("first", "second", "third")
    return {**{name: draw.number(0, 1) for name in names}, "gamma": draw.integer(0, 3)}


def _formula(first: F, second: F, third: F, gamma: int) -> Any:
    product = first * second * third
    return 1 + third + second * third**2 * sum(product**i for i in range(gamma + 1))


ORDER_CORRECTED = identity(
    name="cascade.order-corrected",
    statement=r"With two middle models, each used once for a pass of the target, the mean number of tokens is $1 + \alpha_3 + "
    r"\alpha_2\alpha_3^2 \sum_{i \le \gamma} (\alpha_1\alpha_2\alpha_3)^i$, $\alpha_l$ the acceptance at the $l$-th test: so the "
    r"best order is the one where this is largest, whatever the models cost",
    reference=f"correction of an {OWN}",
    instances=_acceptances,
    lhs=lambda first, second, third, gamma: emitted((first, second, third), gamma),
    rhs=_formula,
    tight=[{"first": F(1, 2), "second": F(1, 2), "third": F(1, 2), "gamma": 1}],
    sources=("exact",),
    note="It rises with each acceptance, with that of the last test most; the costs are the same in each order. Other schedules, "
    "in which a cheap model is called more often, trade cost against this.",
    broken=[
        broken(
            "the first and the last exchanged",
            rhs=lambda first, second, third, gamma: _formula(third, second, first, gamma),
        )
    ],
)
