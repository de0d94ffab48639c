"""Dropping a drafted token of low probability leaves the output distribution to the target.

`stop.dropped` in three readings, with a correction: pegainfer #717; llama.cpp #22506, #27694.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, Broken, bound, broken, identity, law, other_claim
from simspec.claims.stop.parts import some_rule, step, surviving, threshold
from simspec.laws import Scalar, tv

__all__ = ["emitted"]

REFERENCE = "pegainfer #717; llama.cpp #22506, #27694"


def emitted(p: Array, q: Array, t: Scalar, told: str) -> Array:
    """Law of the emitted token where drafts with q(x) < t are dropped."""
    return step(p, q, surviving(q, t), told)[0]


TOLD_Q = identity(
    name="stop.dropped.told-q",
    statement=r"Dropping the drafted token with $q(x) < t$ leaves the output law $p$, the verifier told $q$",
    reference=f"{REFERENCE} (“lossless by construction”)",
    instances=threshold,
    lhs=lambda p, q, t: emitted(p, q, t, "q"),
    rhs=lambda p: p,
    sources=("exact",),
    corrected_by=("stop.dropped.told-q-corrected",),
    note="A token that is likely under q survives more often than an unlikely one, and the ratio with q does not pay for it. It "
    "fails for p = q too, full support and both tokens likely enough: q = (3/4, 1/4), t = 1/2.",
)

TOLD_Q_CORRECTED = bound(
    name="stop.dropped.told-q-corrected",
    statement=r"Where a drafted $x$ survives with probability $s(x)$, by any rule, and the verifier is told $q$, the "
    r"output law is within total variation $S(1 - S) \le 1/4$ of $p$, with $S = \sum q s$ the probability to "
    r"survive",
    reference="correction of pegainfer #717",
    instances=some_rule,
    lhs=lambda p, q, s: tv(step(p, q, s, "q")[0], p),
    rhs=lambda q, s: (q * s).sum() * (1 - (q * s).sum()),
    sources=("exact",),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "s": law(1, 0)},),
    note="It is the covariance of what plain verification would emit and of whether the draft survives. Attained for "
    "p = q by every rule that drops for sure or not at all.",
    broken=[broken("the square of the bound", rhs=lambda q, s: ((q * s).sum() * (1 - (q * s).sum())) ** 2)],
)

TOLD_KEPT = identity(
    name="stop.dropped.told-kept",
    statement=r"Dropping the drafted token with $q(x) < t$ leaves the output law $p$, the verifier told "
    r"$\mathrm{norm}(q$ on $\{q \ge t\})$",
    reference=REFERENCE,
    instances=threshold,
    lhs=lambda p, q, t: emitted(p, q, t, "kept"),
    rhs=lambda p: p,
    sources=("exact",),
    note="Given that it survived, that is the law of the draft.",
    broken=[Broken("the verifier is given q", lambda _: {"lhs": other_claim("stop.dropped.told-q").lhs})],
)

ONE_HOT = identity(
    name="stop.dropped.one-hot",
    statement=r"Dropping the drafted token with $q(x) < t$ leaves the output law $p$, the verifier told the point mass "
    r"at $x$",
    reference=REFERENCE,
    instances=threshold,
    lhs=lambda p, q, t: emitted(p, q, t, "one-hot"),
    rhs=lambda p: p,
    sources=("exact",),
    note="Then whatever is drafted, for whatever reason, the output law is p.",
    broken=[Broken("the verifier is given q", lambda _: {"lhs": other_claim("stop.dropped.told-q").lhs})],
)
