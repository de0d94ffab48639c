"""The replacement of a rejected token has the target's distribution.

`pad.replacement-law`, with its correction: PAD A.1, inductive step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity, is_exact, law
from simspec.claims.claim import Printed
from simspec.claims.pad.parts import flagged_step
from simspec.laws import normalise
from simspec.methods import SD, accepted_mass, output_law, pad


def _replaced(draw: Draw) -> Instance:
    """Among the pairs, some whose draft is the target's law thinned out on its support: there the residual is p."""
    instance = flagged_step(draw)
    if draw.exact and draw.integer(0, 2) == 0:
        p = instance["p"]
        share = draw.number(0, 1)
        outside = exact((p == 0).astype(int))
        q = share * p + (1 - share) * normalise(outside, otherwise=p) if outside.any() else p
        instance = {**instance, "q": q}
    return instance


def _replacements(p: Array, q: Array, flags: Array) -> Array:
    return output_law(pad(flags), p, q) - accepted_mass(pad(flags), p, q)


def _rejection(p: Array, q: Array, flags: Array) -> Array:
    return (np.maximum(q - p, 0) * flags).sum(axis=-1, keepdims=True)


REPLACEMENT_LAW = identity(
    name="pad.replacement-law",
    statement=r"The replacement of a rejected token, drawn as 2 says, has law $p$: replacement $y$ has probability "
    r"$P(\mathrm{rejected})\, p(y)$",
    reference="PAD A.1, inductive step",
    instances=_replaced,
    lhs=_replacements,
    rhs=lambda p, q, flags: _rejection(p, q, flags) * p,
    within=({"p": law("1/2", "1/4", "1/4"), "q": law("1/4", "1/4", "1/2"), "flags": np.array([False, False, True])},),
    corrected_by=("pad.replacement-law-corrected",),
    note="It is the target token of the whole step that has law p; given a rejection it has the law of the residual.",
    printed=Printed(
        place="PAD A.1, inductive step",
        text="If the token is rejected, it is replaced by the token sampled from …",
        read="The replacement, drawn as section 2 says, has the target’s law.",
        restored="from which law: the target’s",
    ),
)


def _is_target(p: Array, q: Array) -> Any:
    """1 where the residual is p and the laws differ, as decided by the law itself (exact instances only)."""
    return ((SD.residual(p, q) == p).all() & (p != q).any()) * 1 if is_exact(p) else 0


def _is_thinned(p: Array, q: Array) -> Any:
    """1 where the draft is a proper multiple of p on the support of p."""
    return ((q == p * (q * (p > 0)).sum())[p > 0].all() & (p != q).any()) * 1 if is_exact(p) else 0


REPLACEMENT_LAW_CORRECTED = identity(
    name="pad.replacement-law-corrected",
    statement=r"The replacement of a rejected token, drawn as 2 says, has law $\mathrm{norm}((p - d)_+)$, which is $p$ "
    r"exactly when the draft, on the support of $p$, is a multiple of $p$ (laws that differ)",
    reference="correction of PAD A.1, inductive step",
    instances=_replaced,
    lhs=lambda p, q, flags: np.concatenate([_replacements(p, q, flags).ravel(), [_is_target(p, q)]]),
    rhs=lambda p, q, flags: np.concatenate(
        [(_rejection(p, q, flags) * normalise(np.maximum(p - q, 0), otherwise=p)).ravel(), [_is_thinned(p, q)]]
    ),
    note="(p − d)₊ = TV·p with TV > 0 forces d = (1 − TV)·p where p > 0, and that suffices. Elsewhere A.1's step fails.",
    broken=[
        broken(
            "the accepted mass of speculative decoding is taken off",
            lhs=lambda p, q, flags: np.append(output_law(pad(flags), p, q) - accepted_mass(SD, p, q), [0]),
        )
    ],
)
