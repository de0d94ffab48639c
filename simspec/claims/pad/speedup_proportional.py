"""The speed-up is proportional to the share of accepted drafts.

`pad.speedup-proportional`, with its correction: PAD, 1.
"""

from __future__ import annotations

from simspec.claims.authoring import Draw, F, Instance, identity, shifted
from simspec.claims.claim import Printed
from simspec.methods import speedup_of_accepted


def _shares(draw: Draw) -> Instance:
    """A share of accepted drafts, how many times another share is as large, drafts of a block, cost of a draft."""
    return {
        "share": draw.number(0, F(1, 2)),
        "times": draw.number(F(1, 2), 2),
        "gamma": draw.integer(1, 8),
        "cost": draw.number(0, 1),
    }


PROPORTIONAL = identity(
    name="pad.speedup-proportional",
    statement=r"The speed-up is proportional to the share of accepted drafts: $k$ times the share gives $k$ times "
    r"$S = (\eta\gamma + 1)/(\gamma c + 1)$",
    reference="PAD, 1",
    instances=_shares,
    lhs=lambda share, times, gamma, cost: speedup_of_accepted(times * share * gamma, gamma, cost),
    rhs=lambda share, times, gamma, cost: times * speedup_of_accepted(share * gamma, gamma, cost),
    sources=("exact",),
    within=({"share": F(1, 2), "times": F(3, 2), "gamma": 8, "cost": F(1, 10)},),
    corrected_by=("pad.speedup-proportional-corrected",),
    note="“Roughly”, says the paper: the error is the token that the target writes in every call, which no share brings.",
    printed=Printed(
        place="PAD 1",
        text="substantial speedups, which is roughly proportional to the fraction of tokens accepted",
        read="In the word’s own sense, by the formula of section 2.",
    ),
)

PROPORTIONAL_CORRECTED = identity(
    name="pad.speedup-proportional-corrected",
    statement=r"What the speed-up has beyond $1/(\gamma c + 1) \le 1$, that at share 0, is proportional to the share of "
    r"accepted "
    r"drafts, with slope $\gamma/(\gamma c + 1)$",
    reference="correction of PAD, 1",
    instances=_shares,
    lhs=lambda share, gamma, cost: speedup_of_accepted(share * gamma, gamma, cost) - 1 / (gamma * cost + 1),
    rhs=lambda share, gamma, cost: share * gamma / (gamma * cost + 1),
    sources=("exact",),
    broken=[shifted(F(1, 100))],
)
