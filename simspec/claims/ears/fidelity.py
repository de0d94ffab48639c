"""EARS preserves the target's distribution.

`ears.fidelity`, with its readings and its corrections: EARS, Mechanism 2 (open question 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Claim, F, at_least, bound, broken, identity, law
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import (
    HALF,
    PRINTED,
    any_rule,
    fresh_ears,
    often_proportional,
    proportional,
    rule_of,
    some_step,
    tolerance,
    truth,
)
from simspec.methods import acceptance_rate, ears, gain, output_law, tv


def _fidelity(
    name: str, method: Callable[..., Any], reading: str, note: str, corrections: tuple[str, ...], printed: Printed
) -> Claim:
    return identity(
        name=name,
        printed=printed,
        statement=rf"EARS preserves “distributional fidelity”: the emitted token has the law $p$ ({reading})",
        reference="EARS, Mechanism 2 (open question 2)",
        instances=some_step,
        lhs=lambda p, q, beta: output_law(method(beta), p, q),
        rhs=lambda p: p,
        corrected_by=corrections,
        within=(PRINTED,),
        note=note,
    )


SENTENCE = Printed(
    place="EARS, Mechanism 2",
    text="preserving throughput gains while maintaining distributional fidelity",
    read="The emitted token has the target’s law; rejected drafts are replaced by a fresh draw, or by the "
    "residual law.",
)

FIDELITY_FRESH = _fidelity(
    "ears.fidelity.fresh",
    fresh_ears,
    "rejected: a fresh draw",
    "Both the pardoned mass and the fresh draw push tokens with q > p above p; it fails even at β = 0.",
    ("ears.fidelity.fresh-corrected", "ears.bias.fresh"),
    printed=SENTENCE,
)
FIDELITY_FRESH_CORRECTED = identity(
    name="ears.fidelity.fresh-corrected",
    statement=r"With a fresh draw after a rejection EARS emits the law $p$ if and only if $q = p$, or $\beta(1 - \max "
    r"p) = 0$ and $q$ is proportional to $p$ on the support of $p$",
    reference="correction of EARS, Mechanism 2, fresh reading",
    instances=often_proportional,
    lhs=lambda p, q, beta: truth(tv(fresh_ears(beta), p, q) == 0),
    rhs=lambda p, q, beta: truth((p == q).all() or (tolerance(p, beta)[0] == 0 and proportional(p, q))),
    sources=("exact",),
    note="The output is p exactly when k = κp, κ = Σk ≤ 1. For t > 0 and q ≠ p some token has q > p, and there k > p; "
    "for t = 0 it is ears.beta-zero.fresh-corrected.",
    broken=[
        broken("only equal distributions", rhs=lambda p, q: truth((p == q).all())),
        broken(
            "equal distributions or no tolerance",
            rhs=lambda p, q, beta: truth((p == q).all() or tolerance(p, beta)[0] == 0),
        ),
    ],
)

FIDELITY_RESIDUAL = _fidelity(
    "ears.fidelity.residual",
    ears,
    "rejected: the residual",
    "Pardoned mass lies on tokens whose whole target mass is kept already; none of it can be taken back after a rejection.",
    ("ears.fidelity.residual-corrected", "ears.bias.residual", "ears.fidelity.any-residual"),
    printed=SENTENCE,
)

FIDELITY_RESIDUAL_CORRECTED = identity(
    name="ears.fidelity.residual-corrected",
    statement=r"With the residual after a rejection EARS emits the law $p$ if and only if $\beta(1 - \max p) = 0$ or "
    r"$q = p$: wherever it can pardon at all, it is biased",
    reference="correction of EARS, Mechanism 2, residual reading",
    instances=often_proportional,
    lhs=lambda p, q, beta: truth(tv(ears(beta), p, q) == 0),
    rhs=lambda p, q, beta: truth((p == q).all() or tolerance(p, beta)[0] == 0),
    sources=("exact",),
    note="TV is the pardoned mass G = Σ min((q − p)₊, tq), claim ears.bias.residual; for q ≠ p some token has q > p.",
    broken=[
        broken("only equal distributions", rhs=lambda p, q: truth((p == q).all())),
        broken("only no tolerance", rhs=lambda p, beta: truth(tolerance(p, beta)[0] == 0)),
        broken("equal distributions or β = 0", rhs=lambda p, q, beta: truth((p == q).all() or beta == 0)),
    ],
)

ANY_RESIDUAL = bound(
    name="ears.fidelity.any-residual",
    statement=r"No way to go on after a rejection repairs EARS: for every residual law $r$, "
    r"$\mathrm{TV}(\text{output}, p) \ge \alpha_{\mathrm{EARS}} - \alpha_{\mathrm{SD}}$",
    reference="own statement, answering EARS, open question 2",
    instances=lambda draw: some_step(draw, also=("r",)),
    lhs=lambda p, q, beta, r: tv(replace(ears(beta), residual=lambda p, d: r), p, q),
    rhs=lambda p, q, beta: gain(ears(beta), p, q),
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "beta": F(1, 2), "r": law(0, 1)},),
    note="Output ≥ k, so TV ≥ Σ(k − p)₊ = G. The residual of speculative decoding reaches it: ears.bias.residual.",
    printed=SENTENCE,
    broken=[
        broken("9/8 of the gain", rhs=lambda p, q, beta: gain(ears(beta), p, q) * F(9, 8)),
        broken("half of the acceptance rate", rhs=lambda p, q, beta: acceptance_rate(ears(beta), p, q) / 2),
    ],
)


def _excess(k: Array, p: Array) -> Any:
    return np.maximum(k - p, 0).sum(axis=-1)


def _lacking(p: Array, k: Array) -> Array:
    """norm((p − k)₊), where nothing lacks p."""
    lack = np.maximum(p - k, 0)
    mass = lack.sum(axis=-1, keepdims=True)
    return np.where(mass > 0, lack / np.where(mass > 0, mass, 1), p)


REPAIRABLE = bound(
    name="ears.fidelity.repairable",
    statement=r"For any rule with kept mass $k$ and any residual, $\mathrm{TV}(\text{output}, p) \ge \sum_x (k_x - "
    r"p_x)_+$, reached by the residual $\mathrm{norm}((p - k)_+)$: some residual makes a rule lossless if and only if "
    r"$k \le p$",
    reference="own statement",
    instances=any_rule,
    lhs=lambda p, q, k, r: np.stack([tv(rule_of(k, r), p, q), _excess(k, p)]),
    rhs=lambda p, q, k: np.stack([_excess(k, p), tv(rule_of(k, _lacking(p, k)), p, q)]),
    relation=at_least,
    tight=({"p": HALF, "q": law(1, 0), "k": law("3/4", 0), "r": law(0, 1)},),
    note="Output ≥ k. With that residual a token above p gets nothing more, and one below p gets (1 − κ)/Σ(p − k)₊ ≤ "
    "1 of what it lacks. Of all k ≤ min(p, q) the largest is speculative decoding.",
    printed=SENTENCE,
    broken=[
        broken(
            "9/8 of the first part", rhs=lambda p, q, k: np.stack([np.maximum(k - p, 0).sum() * F(9, 8), p.max() * 0])
        ),
        broken(
            "the bias in place of the second part",
            rhs=lambda p, q, k, r: np.stack([p.max() * 0, tv(rule_of(k, r), p, q)]),
        ),
    ],
)
