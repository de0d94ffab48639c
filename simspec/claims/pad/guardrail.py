"""With the guardrail on every token and every token a pivot, PAD emits the target's distribution.

`pad.guardrail`, with its readings, its correction and its sharper form: PAD 3.3, guardrail, as printed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken, identity, law
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import limited_step
from simspec.laws import Scalar, tv
from simspec.methods import leftover, output_law, pad


def _every(p: Array, limit: Scalar) -> Any:
    return pad(np.ones(p.shape, dtype=bool), limit, "every")


SENTENCE = Printed(
    place="PAD 3.3",
    text="we reject any token whose target-model probability is below …, regardless of the classifier score",
    read="As printed, of every token; and of overridden rejections only.",
    restored="the limit",
)

GUARDRAIL_EVERY = identity(
    name="pad.guardrail.every",
    statement=r"With the guardrail on every token (a draft with $p(x)$ below the limit is rejected even where SD accepts "
    r"it) and "
    r"every token called a pivot, the output law is $p$",
    reference="PAD 3.3, guardrail, as printed",
    instances=limited_step,
    lhs=lambda p, q, limit: output_law(_every(p, limit), p, q),
    rhs=lambda p: p,
    within=({"p": law("19999/20000", "1/20000"), "q": law("1/2", "1/2"), "limit": F(1, 10_000)},),
    corrected_by=("pad.guardrail.every-corrected", "pad.guardrail.every-sharp", "pad.guardrail.override"),
    note="The guarded tokens lose the mass min(p, d) that SD gives them, and the SD residual gives it to others.",
    printed=SENTENCE,
)

GUARDRAIL_EVERY_CORRECTED = identity(
    name="pad.guardrail.every-corrected",
    statement=r"With the guardrail on every token and every token called a pivot, the output law is $p$ when the "
    r"replacement is drawn from what is left, $\mathrm{norm}(p - k)$",
    reference="correction of PAD 3.3, guardrail on every token",
    instances=limited_step,
    lhs=lambda p, q, limit: output_law(replace((m := _every(p, limit)), residual=leftover(m.accept)), p, q),
    rhs=lambda p: p,
    note="Any kept mass k ≤ min(p, d) is lossless with the residual norm(p − k); guarded tokens come back as replacements.",
    broken=[
        broken(
            "every token is a pivot",
            lhs=lambda p, q, limit: output_law(pad(np.ones(p.shape, dtype=bool), limit, "every"), p, q),
        )
    ],
)


def _guarded_mass(p: Array, q: Array, limit: Scalar) -> Array:
    return np.where(p < limit, np.minimum(p, q), 0).sum(axis=-1)


def _below(p: Array, q: Array, limit: Scalar) -> Any:
    """Mass that speculative decoding keeps of the guarded tokens."""
    return np.where(p < limit, np.minimum(p, q), 0).sum()


GUARDRAIL_EVERY_SHARP = bound(
    name="pad.guardrail.every-sharp",
    statement=r"With the guardrail on every token, every token called a pivot and the residual of SD, PAD's output law "
    r"is within $\sum_{x: p(x) < \ell} \min(p(x), d(x))$ of $p$ in total variation, so "
    r"within $\ell$ times the number of tokens below the limit $\ell$",
    reference="own statement, beside PAD 3.3",
    instances=limited_step,
    lhs=lambda p, q, limit: np.stack([tv(output_law(_every(p, limit), p, q), p), _guarded_mass(p, q, limit)]),
    rhs=lambda p, q, limit: np.stack([_guarded_mass(p, q, limit), limit * (p < limit).sum(axis=-1)]),
    tight=({"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "limit": F(1, 2)},),
    note="Output minus p is g·r − min(p, d) on the guarded tokens, g being their kept mass: g goes from them to the "
    "residual r.",
    broken=[
        broken(
            "half of the mass below the limit",
            rhs=lambda p, q, limit: np.stack([_below(p, q, limit) * F(1, 2), limit * (p < limit).sum()]),
        ),
        broken(
            "the limit once, not for every token below it",
            rhs=lambda p, q, limit: np.stack([_below(p, q, limit), limit]),
        ),
    ],
)

GUARDRAIL_OVERRIDE = identity(
    name="pad.guardrail.override",
    statement=r"With the guardrail only on overrides (a draft that SD rejects stays rejected when $p(x)$ is below the "
    r"limit) and "
    r"every token called a pivot, the output law is $p$",
    reference="PAD 3.3, guardrail, read as a limit to overrides",
    instances=limited_step,
    lhs=lambda p, q, limit: output_law(pad(np.ones(p.shape, dtype=bool), limit, "override"), p, q),
    rhs=lambda p: p,
    note="There is no override to limit, so this is SD; on PAD it flags the tokens below the limit.",
    printed=SENTENCE,
    broken=[broken("no token is a pivot", lhs=lambda p, q: output_law(pad(np.zeros(p.shape, dtype=bool)), p, q))],
)
