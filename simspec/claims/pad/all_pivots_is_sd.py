"""`pad.all-pivots-is-sd`: PAD, after Lemma 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, identity, law
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import limited_step
from simspec.methods import kept_mass, output_law, pad


def _emitted_and_kept(method: Any, p: Array, q: Array) -> Array:
    return np.stack([output_law(method, p, q), kept_mass(method, p, q)])


_NO_GUARDRAIL = "there is no guardrail"
_GUARDED: dict[str, Any] = {"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "limit": F(1, 2)}

ALL_PIVOTS = identity(
    name="pad.all-pivots-is-sd",
    statement=r"With every token called a pivot PAD keeps $\min(p, d)$ and emits $p$: it is speculative decoding",
    reference="PAD, after Lemma 1",
    instances=lambda draw: {**limited_step(draw), "limit": 0},
    assumes={_NO_GUARDRAIL: lambda limit: limit == 0},
    lhs=lambda p, q, limit: _emitted_and_kept(pad(np.ones(p.shape, dtype=bool), limit, "every"), p, q),
    rhs=lambda p, q: np.stack([p, np.minimum(p, q)]),
    outside={_NO_GUARDRAIL: _GUARDED},
    note="The override reading of the guardrail changes nothing here; the other one does (pad.guardrail.every).",
    printed=Printed(
        place="PAD 3.2, after Lemma 1",
        text="labeling all draft tokens as pivots, which reduces to standard SD with many rejections",
        read="The rule is then that of speculative decoding.",
    ),
)
