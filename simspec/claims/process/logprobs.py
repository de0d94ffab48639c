"""Log-probabilities reported as 0 for accepted drafts: a text looks likelier than it is, the more so the better the draft.

`process.logprobs`, with its correction: an engine of October 2026, observed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law
from simspec.claims.balls import ball, enclose, log, plogp
from simspec.methods import SD
from simspec.methods.verifier.verifier import from_method, outcomes

__all__ = ["logs", "reported"]


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.integer(1, 4))
    return {"p": p, "q": q}


def logs(p: Array) -> Any:
    """ln p(x), and 0 where p(x) = 0, enclosed.

    >>> [round(float(v), 4) for v in logs(law("1/2", "1/2", 0))]
    [-0.6931, -0.6931, 0.0]
    """
    return log(np.where(p > 0, p, 1))


def reported(p: Array, q: Array) -> Any:
    """Mean log-probability that is reported for a token: 0 for an accepted draft, else its own."""
    of_token = logs(p)
    mean = ball(0)
    for outcome in outcomes(from_method(SD)[1], lambda x: p, lambda x: q, 1):
        if not outcome.accepted:
            mean = mean + enclose(np.array([outcome.probability], dtype=object))[0] * of_token[outcome.tokens[0]]
    return mean


def _rejected(p: Array, q: Array) -> Any:
    return (enclose(p - np.minimum(p, q)) * logs(p)).sum()


LOGPROBS = identity(
    name="process.logprobs",
    statement=r"An engine reports the log-probability 0 for a token that was drafted and accepted: the mean of its reports is "
    r"still $\sum_x p(x) \ln p(x)$",
    reference="an engine of October 2026, observed; on Leviathan et al. 2023",
    instances=_pair,
    lhs=reported,
    rhs=lambda p: plogp(p).sum(),
    sources=("exact",),
    corrected_by=("process.logprobs-corrected",),
    within=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2")},),
    note="Perplexities, rewards and confidences that are made of these numbers measure the draft model.",
)

LOGPROBS_CORRECTED = identity(
    name="process.logprobs-corrected",
    statement=r"The mean of its reports is $\sum_x (p(x) - \min(p(x), q(x))) \ln p(x)$: too large by $\sum_x \min(p(x), q(x)) "
    r"\ln(1/p(x)) \ge 0$",
    reference="correction of what an engine of October 2026 does; on Leviathan et al. 2023",
    instances=_pair,
    lhs=reported,
    rhs=_rejected,
    sources=("exact",),
    note="A draft that is the target makes every text look certain. It is right only where whatever is accepted was certain.",
    broken=[broken("the accepted tokens", rhs=lambda p, q: (enclose(np.minimum(p, q)) * logs(p)).sum())],
)
