"""Threshold sets determine the best acceptance of independent drafts, and of drafts without replacement.

`multi.threshold` and `multi.swor-optimum`: which sets bound the optimum, and drafts without replacement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, bound, broken, identity, swapped
from simspec.claims.multi.parts import few, iid_best, swor_best
from simspec.methods.multi.drafting import iid, swor
from simspec.methods.multi.optimum import Sets, draft_sets, subset_form, subset_value

__all__ = ["threshold_sets"]


def threshold_sets(p: Array, q: Array) -> list[list[int]]:
    """The sets {p/q <= t}, and the empty one.

    >>> threshold_sets(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    [[], [1], [0, 1]]
    """
    ratios = sorted({p[token] / q[token] for token in np.flatnonzero(q > 0)})
    return [[], *([token for token in range(len(p)) if q[token] > 0 and p[token] <= t * q[token]] for t in ratios)]


def _least(p: Array, q: Array, sets: Sets) -> Any:
    return min(subset_value(p, sets, token_set) for token_set in threshold_sets(p, q))


IID = identity(
    name="multi.threshold.iid",
    statement=r"Independent drafts: some $H$ that minimises $p(H) + 1 - D(\text{all drafts in } H)$ is a threshold set "
    r"$\{x : p(x)/q(x) \le t\}$",
    reference="2502.18779",
    instances=few,
    lhs=lambda p, q, k: _least(p, q, draft_sets(iid(q, k))),
    rhs=lambda p, q, k: subset_form(p, draft_sets(iid(q, k))),
    sources=("exact",),
    note="From any H, the tokens with p ≤ K q(H)^(K−1) q are a set of at most its value: s^K lies above its tangents.",
    broken=[broken("one draft more", lhs=lambda p, q, k: iid_best(p, q, k + 1))],
)

SWOR = identity(
    name="multi.threshold.swor",
    statement=r"Drafts without replacement: some $H$ that minimises $p(H) + 1 - D(\text{all drafts in } H)$ is a threshold set "
    r"$\{x : p(x)/q(x) \le t\}$",
    reference="2502.18779",
    instances=few,
    lhs=lambda p, q, k: _least(p, q, draft_sets(swor(q, k))),
    rhs=lambda p, q, k: subset_form(p, draft_sets(swor(q, k))),
    sources=("exact",),
    note="A token outside of H adds more to D(all in H), for its mass of q, than a token inside did: to draw the one first "
    "leaves the other drafts in H no less often than to draw the other.",
    broken=[broken("drafts with replacement", lhs=iid_best)],
)

SWOR_OPTIMUM = bound(
    name="multi.swor-optimum",
    statement=r"$\alpha^*(p, \text{without replacement}) \ge \alpha^*(p, \text{i.i.d.})$ for all $p$, $q$, K",
    reference="2502.18779, abstract",
    instances=few,
    lhs=iid_best,
    rhs=swor_best,
    sources=("exact",),
    note="Drafts without replacement all lie in H with at most q(H)^K: each draft in H leaves less of it for the next.",
    broken=[swapped()],
)
