"""The acceptance rate is at least one minus the root of a multiple of the draft's entropy.

`stop.entropy-bound`, with its correction and the best bound of its kind: AdaEDL.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, bound, is_exact, law, swapped
from simspec.claims.balls import enclose, log, plogp
from simspec.laws import overlap, tv

C = F(1, 5)
COVERS = "p has every token of q"


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def _covered(draw: Draw) -> Instance:
    instance = _pair(draw)
    mixed = (instance["p"] + instance["q"]) / 2
    return {"p": mixed, "q": instance["q"]}


def _entropy(q: Array) -> Any:
    return -plogp(q).sum(axis=-1)


def _divergence(p: Array, q: Array) -> Any:
    """Cross-entropy of q and p less the entropy of q, in nats; without the tokens of q that p lacks."""
    logs = log(np.where((q > 0) & (p > 0), p, 1))
    crossed = -((enclose(q) if is_exact(q) else q) * logs).sum(axis=-1)
    return crossed - _entropy(q)


def _square(p: Array, q: Array) -> Any:
    return enclose(tv(p, q) ** 2)


ENTROPY_BOUND = bound(
    name="stop.entropy-bound",
    statement=r"$\alpha(p, q) \ge 1 - \sqrt{c\,H(q)}$ with $c = 0.2$, $H$ in nats; that is, $\mathrm{TV}(p, q)^2 \le c\,H(q)$",
    reference="Agrawal et al. 2024 (AdaEDL), title and abstract (form and constant restored)",
    instances=_pair,
    lhs=_square,
    rhs=lambda q: _entropy(q) / 5,
    sources=("exact",),
    against=({"p": law("1/8", "7/8"), "q": law("7/8", "1/8")},),
    corrected_by=("stop.entropy-bound-corrected", "stop.entropy-bound-sharp"),
    within=({"p": law("1/4", "3/4"), "q": law("3/4", "1/4")},),
    note="No constant helps: a draft that is sure (H = 0) may be sure of what the target never says, and then α = 0. With full "
    "support it fails as well, for p = (1/8, 7/8) and q = (7/8, 1/8), and for every c where q is sure enough.",
)

ENTROPY_BOUND_CORRECTED = bound(
    name="stop.entropy-bound-corrected",
    statement=r"$\alpha(p, q) \ge 1 - \sqrt{(H(q, p) - H(q))/2}$ with the cross-entropy $H(q, p) = -\sum q \ln p$: so "
    r"where it is at most $(1 + 2c) H(q)$, and only on such pairs of laws, $\alpha \ge 1 - \sqrt{c\,H(q)}$ follows",
    reference="correction of Agrawal et al. 2024 (AdaEDL)",
    instances=_covered,
    assumes={COVERS: lambda p, q: bool(np.all((p > 0) | (q == 0)))},
    lhs=_square,
    rhs=lambda p, q: _divergence(p, q) / 2,
    outside={COVERS: {"p": law(0, 1), "q": law(1, 0)}},
    sources=("exact",),
    tight=({"p": law(1), "q": law(1)},),
    note="Pinsker's inequality. It needs the target: the entropy of the draft says how sure it is, not of what. A "
    "token of q that p lacks makes the cross-entropy infinite, and the bound empty; such pairs are left out.",
    broken=[Broken("the printed right side", lambda _: {"rhs": ENTROPY_BOUND.rhs})],
)

ENTROPY_BOUND_SHARP = bound(
    name="stop.entropy-bound-sharp",
    statement=r"What the draft's law alone says is $\alpha(p, q) \ge \min_x q(x)$, and no more: a target that is sure "
    r"of the draft's least likely token attains it",
    reference="sharper form of Agrawal et al. 2024 (AdaEDL)",
    instances=_pair,
    lhs=lambda p, q: np.array([overlap(p, q), q.min()], dtype=object),
    rhs=lambda q: np.array([q.min(), np.minimum(_sure_of_least(q), q).sum()], dtype=object),
    relation=at_least,
    sources=("exact",),
    tight=({"p": law(1, 0), "q": law("1/4", "3/4")},),
    note="With three tokens or more and any entropy below ln 2, the least likely token may have no mass at all.",
    broken=[swapped()],
)


def _sure_of_least(q: Array) -> Array:
    """All mass on the first of the least likely tokens of q."""
    return np.array([F(int(x == q.argmin())) for x in range(len(q))], dtype=object)
