"""Claims about the algorithm of pivot-aware decoding: what it emits, keeps and replaces.

What it accepts is in `simspec.claims.pad_accept`, what its texts are worth in `simspec.claims.pad_utility`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.pad_accept import CLAIMS as ACCEPTS
from simspec.claims.pad_parts import (
    bits,
    chain,
    classifier_first,
    classifier_last,
    described,
    draw_process,
    flagged_step,
    process_of,
)
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact, normalise, tv
from simspec.methods import SD, evaluate, kept_mass, leftover, output_law, pad, pivots

__all__ = ["CLAIMS"]

# --- what the rule is -----------------------------------------------------------------------------------------------

SD_PRESERVES = Claim(
    name="pad.sd-preserves",
    kind="identity",
    statement=r"$U(\mathrm{SD}, s) = U(\mathrm{target}, s)$ at every context $s$, so SD is $\epsilon$-utility preserving for "
    r"every $\epsilon \ge 0$ and every mixture of contexts",
    reference="PAD §3.1, after Definition 2",
    instances=lambda draw: draw_process(draw),
    lhs=lambda target, draft, step, utility, horizon: evaluate(
        process_of(target, draft, step, utility, horizon), SD
    ).values[0],
    rhs=lambda target, step, utility, horizon: np.linalg.matrix_power(chain(target, step), horizon) @ utility,
    relation=equal,
    note="SD emits p at every context (sd.lossless), so its texts have the target's law.",
)

TWO_DESCRIPTIONS = Claim(
    name="pad.two-descriptions",
    kind="identity",
    statement="“If not a pivot accept, otherwise follow SD” (§3.2) and “run SD, query the classifier where SD rejects” (§3.3) "
    "accept the same drafts for the same coins, and are the method `pad`",
    reference="PAD §3.2 and §3.3",
    instances=flagged_step,
    lhs=lambda p, q, flags: np.concatenate([m := described(classifier_first, p, q, flags), m[3:], (m[0] + m[1])[None]]),
    rhs=lambda p, q, flags: np.concatenate(
        [
            described(classifier_last, p, q, flags),
            output_law(pad(flags), p, q)[None],
            kept_mass(pad(flags), p, q)[None],
        ]
    ),
    relation=equal,
    note="A draft is rejected exactly when it is called a pivot and its coin fails, in either order; the left side runs both "
    "algorithms over every draft and both cells of its coin. The classifier must not look at the coin.",
)


def _limited(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "limit": draw.number(0, 1) if draw.exact else draw.number(0, 0.02)}


def _emitted_and_kept(method: Any, p: Array, q: Array) -> Array:
    return np.stack([output_law(method, p, q), kept_mass(method, p, q)])


_NO_GUARDRAIL = "there is no guardrail"
_GUARDED: dict[str, Any] = {"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "limit": F(1, 2)}

ALL_PIVOTS = Claim(
    name="pad.all-pivots-is-sd",
    kind="identity",
    statement=r"With every token called a pivot PAD keeps $\min(p, d)$ and emits $p$: it is speculative decoding",
    reference="PAD, after Lemma 1",
    instances=lambda draw: {**_limited(draw), "limit": 0},
    assumes={_NO_GUARDRAIL: lambda limit: limit == 0},
    lhs=lambda p, q, limit: _emitted_and_kept(pad(np.ones(p.shape, dtype=bool), limit, "every"), p, q),
    rhs=lambda p, q: np.stack([p, np.minimum(p, q)]),
    relation=equal,
    outside={_NO_GUARDRAIL: _GUARDED},
    note="The override reading of the guardrail changes nothing here; the other one does (pad.guardrail.every).",
)


def _every(p: Array, limit: Any) -> Any:
    return pad(np.ones(p.shape, dtype=bool), limit, "every")


GUARDRAIL_EVERY = Claim(
    name="pad.guardrail.every",
    kind="identity",
    statement=r"With the guardrail on every token (a draft with $p(x)$ below the limit is rejected even where SD accepts it) and "
    r"every token called a pivot, the output law is $p$",
    reference="PAD §3.3, guardrail, as printed",
    instances=_limited,
    lhs=lambda p, q, limit: output_law(_every(p, limit), p, q),
    rhs=lambda p: p,
    relation=equal,
    corrected_by=("pad.guardrail.every-corrected", "pad.guardrail.every-sharp", "pad.guardrail.override"),
    note="The guarded tokens lose the mass min(p, d) that SD gives them, and the SD residual gives it to others.",
)

GUARDRAIL_EVERY_CORRECTED = Claim(
    name="pad.guardrail.every-corrected",
    kind="identity",
    statement=r"It is $p$ when the replacement is drawn from what is left, $\mathrm{norm}(p - k)$",
    reference="correction of PAD §3.3, guardrail on every token",
    instances=_limited,
    lhs=lambda p, q, limit: output_law((m := _every(p, limit))._replace(residual=leftover(m.keep)), p, q),
    rhs=lambda p: p,
    relation=equal,
    note="Any kept mass k ≤ min(p, d) is lossless with the residual norm(p − k); guarded tokens come back as replacements.",
)


def _guarded_mass(p: Array, q: Array, limit: Any) -> Array:
    return np.where(p < limit, np.minimum(p, q), 0).sum(axis=-1)


GUARDRAIL_EVERY_SHARP = Claim(
    name="pad.guardrail.every-sharp",
    kind="bound",
    statement=r"With the SD residual its output is within $\sum_{x: p(x) < \ell} \min(p(x), d(x))$ of $p$ in total variation, so "
    r"within $\ell$ times the number of tokens below the limit $\ell$",
    reference="own statement, beside PAD §3.3",
    instances=_limited,
    lhs=lambda p, q, limit: np.stack([tv(output_law(_every(p, limit), p, q), p), _guarded_mass(p, q, limit)]),
    rhs=lambda p, q, limit: np.stack([_guarded_mass(p, q, limit), limit * (p < limit).sum(axis=-1)]),
    relation=at_most,
    tight=({"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "limit": F(1, 2)},),
    note="Output minus p is g·r − min(p, d) on the guarded tokens, g being their kept mass: g goes from them to the residual r.",
)

GUARDRAIL_OVERRIDE = Claim(
    name="pad.guardrail.override",
    kind="identity",
    statement=r"With the guardrail only on overrides (a draft that SD rejects stays rejected when $p(x)$ is below the limit) and "
    r"every token called a pivot, the output law is $p$",
    reference="PAD §3.3, guardrail, read as a limit to overrides",
    instances=_limited,
    lhs=lambda p, q, limit: output_law(pad(np.ones(p.shape, dtype=bool), limit, "override"), p, q),
    rhs=lambda p: p,
    relation=equal,
    note="There is no override to limit, so this is SD; on PAD it flags the tokens below the limit.",
)

# --- what an accepted and a replaced token is -----------------------------------------------------------------------


def _valued(draw: Draw) -> dict[str, Any]:
    """One context: laws, what the target's text is worth after each token, and false alarms of the classifier."""
    n = draw.vocab()
    p, q = draw.pair(n)
    if draw.exact:
        after = exact([draw.integer(0, 1) if draw.integer(0, 1) else draw.number(0, 1) for _ in range(n)])
    else:
        after = np.random.default_rng(draw.integer(0, 2**31 - 1)).random(n)
    return {"p": p, "q": q, "after": after, "extra": bits(draw, *p.shape)}


def _accepted(p: Array, q: Array, after: Array, extra: Array) -> tuple[Array, Array, Array]:
    """Mass accepted by SD and by override, for a classifier that misses no pivot; and the pivots."""
    here = np.atleast_1d((p * after).sum(axis=-1))
    true = pivots(here, np.broadcast_to(after, p.shape)).reshape(p.shape)
    by_coin, by_override, _, _ = described(classifier_last, p, q, true | extra)
    return by_coin, by_override, true


def _accepted_pivots(p: Array, q: Array, after: Array, extra: Array) -> Array:
    by_coin, by_override, true = _accepted(p, q, after, extra)
    return np.where(true, by_coin + by_override, 0).sum(axis=-1)


ACCEPTED_NOT_PIVOT = Claim(
    name="pad.accepted-not-pivot",
    kind="identity",
    statement="At 100 % recall an accepted token is not a pivot: pivots are accepted with probability zero",
    reference="PAD A.1, inductive step",
    instances=_valued,
    lhs=_accepted_pivots,
    rhs=lambda p: p.sum(axis=-1) * 0,
    relation=equal,
    corrected_by=("pad.accepted-not-pivot-corrected",),
    note="A pivot follows standard SD, which accepts it with probability min(1, p/d): the target writes pivots too.",
)


def _worth_less(p: Array, after: Array) -> Array:
    """Tokens worth less than the mean; floats nearer than 256 ulps of one are equal, or the rounding of a sum would decide."""
    loss = (p * after).sum(axis=-1, keepdims=True) - after
    return loss > (256 * np.finfo(loss.dtype).eps if loss.dtype.kind == "f" else 0)


def _accepted_split(p: Array, q: Array, after: Array, extra: Array) -> Array:
    by_coin, by_override, true = _accepted(p, q, after, extra)
    return np.stack([np.where(true, by_override, 0).sum(axis=-1), np.where(true, by_coin, 0).sum(axis=-1)])


ACCEPTED_NOT_PIVOT_CORRECTED = Claim(
    name="pad.accepted-not-pivot-corrected",
    kind="identity",
    statement=r"At 100 % recall a token accepted *against SD* is not a pivot, and SD accepts pivots with probability exactly "
    r"$\sum_{x\ \mathrm{pivot}} \min(p(x), d(x))$",
    reference="correction of PAD A.1, inductive step",
    instances=_valued,
    lhs=_accepted_split,
    rhs=lambda p, q, after: np.stack(
        [
            p.sum(axis=-1) * 0,
            (np.minimum(p, q) * _worth_less(p, after)).sum(axis=-1),
        ]
    ),
    relation=equal,
    note="An override needs the label non-pivot, and no pivot has it; a flagged draft x passes its coin with mass min(p, d).",
)


def _replaced(draw: Draw) -> Instance:
    """Among the pairs, some whose draft is the target's law thinned out on its support: there the residual is p."""
    instance = flagged_step(draw)
    if draw.exact and draw.integer(0, 2) == 0:
        p, share = instance["p"], draw.number(0, 1)
        outside = exact((p == 0).astype(int))
        q = share * p + (1 - share) * normalise(outside, otherwise=p) if outside.any() else p
        instance = {**instance, "q": q}
    return instance


def _replacements(p: Array, q: Array, flags: Array) -> Array:
    return output_law(pad(flags), p, q) - kept_mass(pad(flags), p, q)


def _rejection(p: Array, q: Array, flags: Array) -> Array:
    return (np.maximum(q - p, 0) * flags).sum(axis=-1, keepdims=True)


REPLACEMENT_LAW = Claim(
    name="pad.replacement-law",
    kind="identity",
    statement=r"The replacement of a rejected token, drawn as §2 says, has law $p$: replacement $y$ has probability "
    r"$P(\mathrm{rejected})\, p(y)$",
    reference="PAD A.1, inductive step",
    instances=_replaced,
    lhs=_replacements,
    rhs=lambda p, q, flags: _rejection(p, q, flags) * p,
    relation=equal,
    corrected_by=("pad.replacement-law-corrected",),
    note="It is the target token of the whole step that has law p; given a rejection it has the law of the residual.",
)


def _is_target(p: Array, q: Array) -> Any:
    """1 where the residual is p and the laws differ, as decided by the law itself (exact instances only)."""
    return ((SD.residual(p, q) == p).all() & (p != q).any()) * 1 if is_exact(p) else 0


def _is_thinned(p: Array, q: Array) -> Any:
    """1 where the draft is a proper multiple of p on the support of p."""
    return ((q == p * (q * (p > 0)).sum())[p > 0].all() & (p != q).any()) * 1 if is_exact(p) else 0


REPLACEMENT_LAW_CORRECTED = Claim(
    name="pad.replacement-law-corrected",
    kind="identity",
    statement=r"It has law $\mathrm{norm}((p - d)_+)$, which is $p$ exactly when the draft, on the support of $p$, is a multiple "
    r"of $p$ (laws that differ)",
    reference="correction of PAD A.1, inductive step",
    instances=_replaced,
    lhs=lambda p, q, flags: np.concatenate([_replacements(p, q, flags).ravel(), [_is_target(p, q)]]),
    rhs=lambda p, q, flags: np.concatenate(
        [(_rejection(p, q, flags) * normalise(np.maximum(p - q, 0), otherwise=p)).ravel(), [_is_thinned(p, q)]]
    ),
    relation=equal,
    note="(p − d)₊ = TV·p with TV > 0 forces d = (1 − TV)·p where p > 0, and that suffices. Elsewhere A.1's step fails.",
)

CLAIMS = (
    SD_PRESERVES,
    TWO_DESCRIPTIONS,
    ALL_PIVOTS,
    GUARDRAIL_EVERY,
    GUARDRAIL_EVERY_CORRECTED,
    GUARDRAIL_EVERY_SHARP,
    GUARDRAIL_OVERRIDE,
    ACCEPTED_NOT_PIVOT,
    ACCEPTED_NOT_PIVOT_CORRECTED,
    REPLACEMENT_LAW,
    REPLACEMENT_LAW_CORRECTED,
    *ACCEPTS,
)
