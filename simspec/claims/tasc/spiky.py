"""A mixture that accepts more than either drafter implies that a drafter is spiky.

`tasc.spiky`: TASC, App. C.5.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, bound, law
from simspec.claims.claim import Printed
from simspec.laws import Scalar, overlap

FLAT = law(*["1/6"] * 6)
LEFT = law("1/3", "1/3", "1/3", 0, 0, 0)


def _drafters(draw: Draw) -> Instance:
    """A target, two drafters, and a weight between the printed ones."""
    vocab = draw.integer(1, 6)
    laws = {name: draw.law(vocab) for name in ("p", "c", "r")}
    return {**laws, "mix": draw.number("1/2", "3/4")}


def _unexplained(p: Array, c: Array, r: Array, mix: Scalar) -> Any:
    """What the mixture gains over the better drafter, times what the likelier of their tokens lacks of one half."""
    gain = overlap(p, mix * c + (1 - mix) * r) - max(overlap(p, c), overlap(p, r))
    return max(gain, F(0)) * max(F(1, 2) - max(c.max(), r.max()), F(0))


SPIKY = bound(
    name="tasc.spiky",
    statement=r"That a weight $\lambda$ in $[\frac12, \frac34]$ accepts more than either drafter alone implies that "
    r"they are spiky: "
    r"one of them gives some token more than one half",
    reference="TASC, App. C.5",
    instances=_drafters,
    lhs=_unexplained,
    rhs=lambda: F(0),
    sources=("exact",),
    against=({"p": FLAT, "c": LEFT, "r": LEFT[::-1], "mix": F(1, 2)},),
    within=(
        {
            "p": FLAT,
            "c": law("3/10", "3/10", "3/10", "1/30", "1/30", "1/30"),
            **{"r": law("1/30", "1/30", "1/30", "3/10", "3/10", "3/10"), "mix": F(3, 4)},
        },
    ),
    corrected_by=("tasc.mixture-average-sharp",),
    note="Two drafters that spread their mass over halves of the target's tokens gain as much without a spike. What a "
    "gain shows is "
    "that they err on different tokens of one context, and nothing else: of spikes in distinct contexts, which the "
    "paper names, a "
    "fixed weight gains nothing within any of them.",
    printed=Printed(
        place="TASC, App. C.5",
        text="which implies that the underlying distributions are relatively spiky",
        read="Spiky is a token of more than one half; implied by a gain at a weight between one half and "
        "three quarters.",
    ),
)
