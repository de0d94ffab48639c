"""`pad.flip-utility`, with its correction: PAD 3.3, soundness check."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, law
from simspec.claims.claim import Printed
from simspec.claims.pad.blocks import phase_gaps
from simspec.claims.pad.parts import bits, flagged, in_blocks, on_process, run_pad, softened
from simspec.claims.pad.utility import ALL, AT, NONE, PIVOT, own_gaps

SPARES = "after each token that is flagged anew the rule's own value is at most that of its own replacement"


def _some_more(draw: Draw) -> Instance:
    instance = flagged(draw)
    return {**instance, "flips": ~instance["flags"] & bits(draw, *instance["flags"].shape)}


_AFTER = on_process(lambda process, flags, flips: run_pad(process, flags | flips).utility)
_BEFORE = on_process(lambda process, flags: run_pad(process, flags).utility)
_LUCKY: dict[str, Any] = {**PIVOT, "utility": law(0, 1), "flags": NONE, "flips": AT}

FLIP_UTILITY = bound(
    name="pad.flip-utility",
    statement="Flipping labels to pivot does not lower the expected utility",
    reference="PAD 3.3, soundness check",
    instances=_some_more,
    lhs=_AFTER,
    rhs=_BEFORE,
    relation=at_least,
    within=(softened(_LUCKY),),
    corrected_by=("pad.flip-utility-corrected", "pad.better-classifier-sharp"),
    note="An override can be better than its replacement, and the flip takes it away. With every label flipped the utility is "
    "the target's (pad.all-pivots-is-sd); before, it can even fall below that, when a good override goes and a bad one stays, "
    "unless every token worth less than its replacement is flagged (pad.utility-preserved-corrected).",
    printed=Printed(
        place="PAD 3.3",
        text="This check only flips to pivot, and therefore it cannot introduce unsafe accepts.",
        read="Safe in the sense of utility: a flip does not lower it.",
    ),
)


def _some_spared(draw: Draw) -> Instance:
    instance = flagged(draw)
    spares = on_process(own_gaps)(**instance) <= 0
    return {**instance, "flips": ~instance["flags"] & spares & bits(draw, *instance["flags"].shape)}


FLIP_UTILITY_CORRECTED = bound(
    name="pad.flip-utility-corrected",
    statement=r"Flipping labels to pivot does not lower utility when after each flipped token the rule's own value is at most "
    r"that after its replacement, $W(s, x) \le \sum_y r(y)\, W(s, y)$ (one draft a position)",
    reference="correction of PAD 3.3, soundness check",
    instances=_some_spared,
    assumes={SPARES: on_process(lambda process, flags, flips: bool((own_gaps(process, flags)[flips] <= 0).all()))},
    lhs=_AFTER,
    rhs=_BEFORE,
    relation=at_least,
    tight=({**PIVOT, "flags": ALL, "flips": NONE},),
    outside={SPARES: _LUCKY},
    corrected_by=("pad.better-classifier-sharp",),
    note="pad.better-classifier-sharp with the two rules exchanged: along the new path each flip gains (d − p)₊ times W_r − "
    "W(x). "
    "In blocks: pad.flip-utility-corrected.block.",
)


SPARES_BLOCK = (
    "after each token flagged anew, with any number of drafts kept, PAD's own value is at most its replacement's"
)


def _spared_in_block(draw: Draw) -> Instance:
    instance = in_blocks(flagged)(draw)
    spares = (on_process(phase_gaps)(**instance) <= 0).all(axis=1)
    return {**instance, "flips": ~instance["flags"] & spares & bits(draw, *instance["flags"].shape)}


def _spares(gaps: Array, flips: Array) -> bool:
    return bool((np.where(flips[:, None], gaps, 0) <= 0).all())


FLIP_UTILITY_BLOCK = bound(
    name="pad.flip-utility-corrected.block",
    statement=r"In blocks of $\gamma$ drafts, after which the target adds a token of its own, flipping labels to pivot does not "
    r"lower utility when, however many drafts of the block are kept, after each flipped token the rule's own value is at most "
    r"that after its replacement, $W_{j+1}(s, x) \le \sum_y r(y)\, W_0(s, y)$",
    reference="correction of PAD 3.3, soundness check, as section 2 drafts",
    instances=_spared_in_block,
    assumes={
        SPARES_BLOCK: on_process(lambda process, flags, flips, gamma: _spares(phase_gaps(process, flags, gamma), flips))
    },
    lhs=on_process(lambda process, flags, flips, gamma: run_pad(process, flags | flips, gamma=gamma).utility),
    rhs=on_process(lambda process, flags, gamma: run_pad(process, flags, gamma=gamma).utility),
    relation=at_least,
    tight=({**PIVOT, "flags": ALL, "flips": NONE, "gamma": 2},),
    outside={SPARES_BLOCK: {**_LUCKY, "gamma": 2}},
    note="$W_j$ is the rule's own value with $j$ drafts of the block kept: what follows a kept draft is one draft further, what "
    "follows a replacement is a new block.",
)
