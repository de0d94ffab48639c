"""`pad.soundness-flip`: PAD 3.3."""

from __future__ import annotations

from simspec.claims.authoring import bound, law, mask
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import bits, classifier_first, classifier_last, described, flagged_step

SOUNDNESS_FLIP = bound(
    name="pad.soundness-flip",
    statement="Flipping labels to pivot cannot introduce an accept that was not there before: for every draft and every coin, "
    "what is accepted after the flip was accepted before",
    reference="PAD 3.3",
    instances=lambda draw: {**(i := flagged_step(draw)), "flips": bits(draw, *i["p"].shape)},
    lhs=lambda p, q, flags, flips: described(classifier_last, p, q, flags | flips)[:2],
    rhs=lambda p, q, flags: described(classifier_first, p, q, flags)[:2],
    tight=({"p": law(1, 0), "q": law(0, 1), "flags": mask("10"), "flips": mask("10")},),
    note="A flag only takes away the override. It holds at a given context; flips also change which contexts are met later, "
    "and utility may fall (pad.flip-utility).",
    printed=Printed(
        place="PAD 3.3",
        text="This check only flips to pivot, and therefore it cannot introduce unsafe accepts.",
        read="No draft is accepted after a flip that was not accepted before, whatever the coin.",
    ),
)
