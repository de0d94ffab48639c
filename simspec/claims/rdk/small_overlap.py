"""TLI's acceptance is low where target or draft has little mass on the shared vocabulary.

`rdk.small-overlap`, with its readings and a correction: RDK 1.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Draw, F, Instance, bound, exact, identity, law, mask, shifted
from simspec.claims.claim import Printed
from simspec.claims.rdk.parts import pair_and_mask
from simspec.methods import acceptance_rate, tli

SENTENCE = Printed(
    place="RDK 1",
    text="it often suffers from low acceptance rates—especially when the vocabulary overlap is small",
    read="Overlap as the mass that the target, or the draft, has on the shared vocabulary.",
)

TARGET = bound(
    name="rdk.small-overlap.target",
    statement=r"TLI's acceptance is low where the target has little mass on the shared vocabulary: $\alpha \le p(I)$",
    reference="RDK 1",
    instances=pair_and_mask,
    lhs=lambda p, q, shared: acceptance_rate(tli(shared), p, q),
    rhs=lambda p, shared: np.where(shared, p, 0).sum(axis=-1),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "shared": mask("10")},),
    note="The largest acceptance at a given p(I) is p(I) itself: a draft that is p there attains it.",
    printed=SENTENCE,
    broken=[shifted(F(1, 4))],
)


def _drafted(draw: Draw) -> Instance:
    instance = pair_and_mask(draw)
    instance["shared"][instance["q"].argmax(axis=-1)] = True
    return instance


MASS = "the draft has mass on the shared vocabulary"

DRAFT = bound(
    name="rdk.small-overlap.draft",
    statement=r"TLI's acceptance is low where the draft has little mass on the shared vocabulary: $\alpha \le q(I)$",
    reference="RDK 1, with the draft's mass",
    instances=_drafted,
    assumes={MASS: lambda q, shared: np.where(shared, q, 0).sum(axis=-1) > 0},
    lhs=lambda p, q, shared: acceptance_rate(tli(shared), p, q),
    rhs=lambda q, shared: np.where(shared, q, 0).sum(axis=-1),
    against=({"p": law(1, 0), "q": law("1/2", "1/2"), "shared": mask("10")},),
    outside={MASS: {"p": law(1, 0), "q": law(0, 1), "shared": mask("10")}},
    within=({"p": law("3/4", "1/4"), "q": law("1/2", "1/2"), "shared": mask("10")},),
    corrected_by=("rdk.small-overlap.draft-corrected",),
    note="TLI divides by q(I), so that how little it is leaves no trace.",
    printed=SENTENCE,
)


def _mass(draw: Draw) -> Instance:
    return {"mass": draw.number(F(1, 1000), 1), "accepted": draw.number(0, 1)}


DRAFT_CORRECTED = identity(
    name="rdk.small-overlap.draft-corrected",
    statement=r"Every acceptance from 0 to 1 occurs at every mass $q(I) > 0$ that the draft has on the shared "
    r"vocabulary: where one "
    r"of two tokens is shared, TLI's acceptance is the target's mass on it, whatever $q(I)$ is",
    reference="correction of RDK 1",
    instances=_mass,
    lhs=lambda mass, accepted: acceptance_rate(
        tli(mask("10")), exact([accepted, 1 - accepted]), exact([mass, 1 - mass])
    ),
    rhs=lambda accepted: accepted,
    sources=("exact",),
    note="1 is that of a target that is sure of the one shared token.",
    broken=[shifted(F(1, 100))],
)
