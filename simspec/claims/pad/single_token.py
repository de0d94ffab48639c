"""`pad.single-token`: PAD, Figure 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, law, matrix
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import flagged, on_process, run_pad, softened, true_pivots
from simspec.methods import Process, values


def _first_only(process: Process) -> Array:
    """Flags on the pivots of the first position, and on nothing after it."""
    flags = true_pivots(process)
    flags[1:] = False
    return flags


_SPOILT: dict[str, Any] = {  # the target stays in success, the draft goes to failure, from either state
    "target": matrix("1 0", "1 0"),
    "draft": matrix("0 1", "0 1"),
    "step": np.array([[0, 1], [0, 1]]),
    "utility": law(1, 0),
    "horizon": 2,
    "flags": np.zeros((2, 2, 2), dtype=bool),
}

SINGLE_TOKEN = bound(
    name="pad.single-token",
    statement="Fixing a single token is enough: with every pivot of one position caught, and all that is drafted later accepted, "
    "the utility is at least the target's",
    reference="PAD, Figure 1",
    instances=lambda draw: flagged(draw, forks=0),
    lhs=on_process(lambda process, flags: run_pad(process, _first_only(process)).utility),
    rhs=on_process(lambda process, flags: values(process)[0][0]),
    relation=at_least,
    sources=("exact",),
    against=(_SPOILT,),
    within=(softened(_SPOILT),),
    corrected_by=("pad.utility-preserved-corrected",),
    note="The figure shows one text in which it was. A text that the draft spoils at two positions needs both; what is enough in "
    "general is to catch, at every position, the tokens worth less than their replacement.",
    printed=Printed(
        place="PAD, Figure 1",
        text="fixing a single token (21) is enough to recover the correct answer",
        read="Of any text: every pivot of one position is caught, and nothing after it.",
    ),
)
