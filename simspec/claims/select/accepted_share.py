"""The accepted share of a drafter's own drafts says where it was used, beside how good it is.

`select.accepted-share`, with its correction: own statement on arXiv 2510.20064.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, exact, identity, law

__all__ = ["covariance", "mean_acceptance", "share"]

LARGER = "its accepted share is larger"


def _use(draw: Draw, vocab: int, w: Array) -> Array:
    """How often a drafter is used in each context, somewhere at least."""
    used = exact([draw.number(0, 1) for _ in range(vocab)])
    return used if (w * used).sum() > 0 else used + 1


def _one(draw: Draw) -> Instance:
    contexts = draw.integer(1, 3)
    w = draw.law(contexts)
    return {"w": w, "rates": exact([draw.number(0, 1) for _ in w]), "used": _use(draw, contexts, w)}


def _two(draw: Draw) -> Instance:
    contexts = draw.integer(2, 3)
    w = draw.law(contexts)
    drafters = [(exact([draw.number(0, 1) for _ in w]), _use(draw, contexts, w)) for _ in range(2)]
    (rates, used), (other_rates, other_used) = sorted(drafters, key=lambda drafter: -share(w, *drafter))
    return {"w": w, "rates": rates, "used": used, "other_rates": other_rates, "other_used": other_used}


def share(w: Array, rates: Array, used: Array) -> Any:
    """Expected accepted share of a drafter's own drafts: contexts of weight w, in which it is used with probability `used`.

    >>> print(share(law("1/2", "1/2"), exact([1, 0]), law("3/4", "1/4")))
    3/4
    """
    return (w * used * rates).sum() / (w * used).sum()


def mean_acceptance(w: Array, rates: Array) -> Any:
    """Its acceptance rate over all contexts.

    >>> print(mean_acceptance(law("1/2", "1/2"), exact([1, 0])))
    1/2
    """
    return (w * rates).sum()


def covariance(w: Array, rates: Array, used: Array) -> Any:
    """Covariance over the contexts of how often it is used and how often it is accepted."""
    return (w * (used - (w * used).sum()) * (rates - mean_acceptance(w, rates))).sum()


def _larger(w: Array, rates: Array, used: Array, other_rates: Array, other_used: Array) -> bool:
    return bool(share(w, rates, used) > share(w, other_rates, other_used))


ACCEPTED_SHARE = bound(
    name="select.accepted-share",
    statement=r"The drafter with the larger accepted share of its own drafts has the larger acceptance over all contexts, and is "
    r"the better one at equal cost",
    reference="own statement, on Liu et al. 2025 (arXiv 2510.20064)",
    instances=_two,
    assumes={LARGER: _larger},
    lhs=lambda w, rates: mean_acceptance(w, rates),
    relation=at_least,
    rhs=lambda w, other_rates: mean_acceptance(w, other_rates),
    sources=("exact",),
    outside={
        LARGER: {
            "w": law("1/2", "1/2"),
            "rates": exact([0, 0]),
            "used": exact([1, 1]),
            "other_rates": exact([1, 1]),
            "other_used": exact([1, 1]),
        }
    },
    corrected_by=("select.accepted-share-corrected",),
    within=(
        {
            "w": law("1/2", "1/2"),
            "rates": law("1/2", 0),
            "used": law("3/4", "1/4"),
            "other_rates": law("3/4", "1/4"),
            "other_used": law("1/8", "7/8"),
        },
    ),
    note="A drafter that is called where texts are easy looks good, as one does that a router sends the hard ones looks bad.",
)

ACCEPTED_SHARE_CORRECTED = identity(
    name="select.accepted-share-corrected",
    statement=r"The accepted share of a drafter's own drafts exceeds its acceptance over all contexts by "
    r"$\mathrm{Cov}(u, \alpha)/\mathrm{E}\,u$, $u$ how often it is used in a context and $\alpha$ its acceptance there",
    reference="correction of an own statement, on Liu et al. 2025 (arXiv 2510.20064)",
    instances=_one,
    lhs=lambda w, rates, used: share(w, rates, used) - mean_acceptance(w, rates),
    rhs=lambda w, rates, used: covariance(w, rates, used) / (w * used).sum(),
    sources=("exact",),
    note="So a drafter that is drawn by lot, u constant, is measured without bias; one that is chosen by the context is not. "
    "select.counterfactual needs no lot.",
    broken=[broken("the covariance alone", rhs=lambda w, rates, used: covariance(w, rates, used))],
)
