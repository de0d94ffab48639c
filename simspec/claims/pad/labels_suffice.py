"""Labels of the drafts that speculative decoding rejects are enough to learn every pivot.

`pad.labels-suffice`, with its readings: PAD 3.3.
"""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, identity, law, matrix, shifted
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import bits, draw_process, flagged_step, on_process, true_pivots
from simspec.claims.pad.utility import PIVOT
from simspec.methods import Process, pad


def _rejected(process: Process) -> Array:
    """Tokens that speculative decoding can reject, at every position and state, (T, S, V): what can be labelled."""
    return np.stack([process.draft > process.target] * process.horizon)


def _found(process: Process) -> Array:
    """1 where the label of a pivot that can be drafted can be known, and for all other tokens; 0 where it is never rejected."""
    pivots = true_pivots(process) & (process.draft > 0)
    return np.where(pivots, _rejected(process), True).astype(int)


_EVEN = np.stack([law("1/2", "1/2"), law(1, 0)])
"""Both tokens equally likely in the first state; one of them ruins the text."""

SENTENCE = Printed(
    place="PAD 3.3",
    text="We only attempt to label tokens that standard SD would reject",
    read="Enough for 100 % recall on pivots, or enough for the rule.",
)

RECALL = bound(
    name="pad.labels-suffice.recall",
    statement="Labels of the drafts that speculative decoding rejects reach every pivot: 100 % recall can be learnt from them",
    reference="PAD 3.3, candidate harvesting",
    instances=draw_process,
    lhs=on_process(_found),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    against=({**PIVOT, "draft": _EVEN, "target": _EVEN},),
    within=({**PIVOT, "draft": matrix("1/2 1/2", "3/4 1/4"), "target": matrix("1/2 1/2", "3/4 1/4")},),
    corrected_by=("pad.labels-suffice.rule",),
    note="A pivot that the target finds at least as likely as the draft does is never rejected, and gets no label. It does not "
    "matter to the rule: see the other reading.",
    printed=SENTENCE,
)


def _two_classifiers(draw: Draw) -> Instance:
    instance = dict(flagged_step(draw))
    other_flags = bits(draw, *instance["p"].shape)
    return {**instance, "other": np.where(instance["q"] > instance["p"], instance["flags"], other_flags)}


AGREE = "both classifiers call alike what speculative decoding can reject"

RULE = identity(
    name="pad.labels-suffice.rule",
    statement=r"Labels of the drafts that speculative decoding rejects suffice for the rule: two classifiers that agree "
    r"where $q_x > p_x$ keep the same drafts",
    reference="PAD 3.3, candidate harvesting, read as what the rule needs",
    instances=_two_classifiers,
    assumes={
        AGREE: lambda p, q, flags, other: bool((np.where(q > p, flags, False) == np.where(q > p, other, False)).all())
    },
    lhs=lambda p, q, flags: pad(flags).accept(p, q),
    rhs=lambda p, q, other: pad(other).accept(p, q),
    outside={
        AGREE: {"p": law(1, 0), "q": law(0, 1), "flags": np.array([False, True]), "other": np.array([False, False])}
    },
    note="Elsewhere both keep all of q: what is not rejected needs no override.",
    printed=SENTENCE,
    broken=[shifted(F(1, 100))],
)
