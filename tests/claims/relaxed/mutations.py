"""The formulas of relaxed.* claims, broken on purpose: each change must refute its claim."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.balls import enclose, log
from simspec.claims.claim import call
from simspec.claims.relaxed.allocation import run
from simspec.claims.relaxed.fsd_js import phi
from simspec.claims.relaxed.text_frontier import accepted
from simspec.claims.relaxed.text_greedy import expected
from simspec.claims.relaxed.tolerance import accepted as tolerated
from simspec.laws import exact, overlap, tv
from simspec.methods import SD, output_law
from simspec.methods.relaxed import cactus
from tests.claims.cases import broken, get, swapped


def _first(name: str, share: Any) -> dict[str, Any]:
    """The first of the right sides, which bounds from below, times a share more than one."""
    rhs = get(name).rhs

    def more(**instance: Any) -> Any:
        found = call(rhs, instance)
        return np.array([share * found[0] + enclose(F(1, 1000)), *found[1:]], dtype=object)

    return {"rhs": more}


MUTATIONS: list[tuple[str, Mapping[str, Any]]] = [
    broken("relaxed.cactus-acceptance", rhs=lambda p, q: enclose(overlap(p, q) * 5 / 4)),
    broken("relaxed.cactus-tv", rhs=lambda p, q: enclose(tv(p, q))),
    broken("relaxed.cactus-kl.step-corrected", rhs=lambda delta: enclose(delta)),
    broken("relaxed.cactus-kl.output-corrected", rhs=lambda delta: log(enclose(1 + delta))),
    broken("relaxed.cactus-kl.output-sharp", rhs=lambda m, delta: log(enclose(1 + delta * m))),
    broken("relaxed.cactus-chi2-corrected", rhs=lambda delta: enclose(delta)),
    broken("relaxed.cactus-zero", lhs=lambda p, q: np.concatenate([q, output_law(cactus(1), p, q)])),
    broken("relaxed.cactus-example", instances=lambda draw: {"q": F(9, 10)}),
    broken("relaxed.ensemble-law", rhs=lambda p, q, w: np.append(w * q + (1 - w) * p, 1 - w * tv(p, q))),
    broken("relaxed.ensemble-pareto.best", rhs=lambda p, q: overlap(p, q)),
    broken("relaxed.ensemble-pareto.unique-corrected", rhs=lambda p, q, k: (q - k).sum()),
    broken("relaxed.optimal-residual", lhs=lambda p, q, k, r: np.array([tv(r, p), tv(p, q), -tv(p, q)], dtype=object)),
    broken("relaxed.tradeoff", rhs=lambda p, q: np.array([2 * tv(p, q), tv(p, q), -tv(p, q)], dtype=object)),
    broken("relaxed.cascade-law", rhs=lambda p, q: np.append(p, tv(p, q))),
    broken("relaxed.cascade-tok3", rhs=lambda p, q: tv(p, q)),
    broken("relaxed.fsd-law.target", rhs=lambda p: p),
    broken("relaxed.fsd-law.residual-corrected", rhs=lambda p, q: SD.residual(p, q)),
    broken("relaxed.fsd-generalises-corrected", rhs=lambda p, q: overlap(p, q)),
    broken("relaxed.fsd-js", rhs=lambda threshold: enclose(threshold)),
    broken("relaxed.fsd-js-sharp", rhs=lambda threshold: enclose(threshold * threshold / 2)),
    broken("relaxed.typical-more-corrected", rhs=lambda p, q: np.maximum(q - p, 0).sum()),
    broken("relaxed.typical-mode", rhs=lambda p, delta: enclose((1 - delta / 2) * p.max())),
    broken("relaxed.sglang-acceptance", rhs=lambda p, candidates: p[list(candidates)].sum() if candidates else F(0)),
    broken("relaxed.sglang-tv", rhs=lambda t_acc: (1 - t_acc) / 2),
    broken("relaxed.certificate-strict", **_first("relaxed.certificate-strict", 2)),
    broken("relaxed.certificate-reverse", **_first("relaxed.certificate-reverse", 2)),
    broken("relaxed.certificate-margin", **_first("relaxed.certificate-margin", 2)),
    broken("relaxed.certificate-additive", **_first("relaxed.certificate-additive", 2)),
    broken("relaxed.slem.tokens", lhs=get("relaxed.slem.text").lhs),
    broken("relaxed.slem.text-corrected", instances=get("relaxed.slem.text").instances, assumes={}),
    broken("relaxed.slrs", **swapped("relaxed.slrs"), instances=get("relaxed.slrs").instances),
    broken("relaxed.cactus-kl.step-corrected.attained", rhs=lambda delta: enclose(delta)),
    broken("relaxed.fsd-js-sharp.attained", rhs=lambda t: np.array([phi(t), t / 2], dtype=object)),
    broken("relaxed.fsd-js-sharp.attained", rhs=lambda t: np.array([enclose(t * t / 2), t], dtype=object)),
    broken("relaxed.typical-more-corrected.least", rhs=lambda p, q: exact([overlap(p, q), 0, -1])),
    broken("relaxed.tradeoff.best", rhs=lambda p, q, k, epsilon: exact([k.sum() + epsilon, 0, -epsilon])),
    broken(
        "relaxed.tradeoff.best", rhs=lambda p, q, epsilon: exact([0, min(F(1), overlap(p, q) + epsilon), -epsilon / 2])
    ),
    broken("relaxed.allocation", rhs=lambda w, p, k, other: (w * (k - other).max(axis=-1)).sum()),
    broken("relaxed.allocation.any", rhs=lambda w, p, q: (w * np.minimum(p, q).sum(axis=-1)).sum()),
    broken("relaxed.allocation.early-corrected", rhs=lambda rates, at, more: more * (1 + run(rates[at + 1 :]))),
    broken("relaxed.text-frontier", rhs=lambda p, q, o: accepted(p, q) + np.maximum(o - p, 0).sum()),
    broken("relaxed.text-frontier.attained", lhs=lambda p, q, epsilon: exact([accepted(p, q), epsilon])),
    broken("relaxed.text-greedy-corrected", rhs=lambda p, q, after: expected(np.minimum(p, q), after)),
    broken("relaxed.text-greedy-corrected.attained", lhs=lambda q, after: expected(q, after)),
    broken("relaxed.tolerance", rhs=lambda w, p, q, t: tolerated(w, p, q, t)),
    broken("relaxed.tolerance", rhs=lambda w, p, q, t, other: tolerated(w, p, q, t) + (w * (other - t)).sum()),
]
