"""A mixture of divergence and total variation finds a best draft that has every token of the target, and no other.

`loss.mixture`, with its correction: own statements, on Samarin et al. 2026 (arXiv 2602.23881).
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.claims.balls import ball
from simspec.claims.block.parts import whether
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap, tv

__all__ = ["BEST", "SMALL", "largest_weight", "objective", "slope"]

BEST = "q is accepted more often than every other draft of the segment, and the rival has every token of the target"
SMALL = "λ (Σ p r/q − 1) ≤ (1 − λ) (TV(p, r) − TV(p, q))"


def slope(p: Array, q: Array, rival: Array) -> Any:
    """By how much TV(p, ·) rises from q for a small step towards the rival, per step.

    >>> print(slope(law("1/2", "1/4", "1/4"), law("1/2", "1/2", 0), law(0, "3/4", "1/4")))
    1/4
    """
    direction = rival - q
    lacking = (q < p) | ((q == p) & (direction < 0))
    return -direction[lacking].sum()


def largest_weight(p: Array, q: Array, rival: Array) -> Any:
    """The largest λ with which q minimises λ KL(p‖·) + (1 − λ) TV(p, ·) over the segment to the rival, where TV rises from q.

    Both are convex: q is a minimiser as long as the sum of their slopes is not negative.  The slope of the divergence is
    1 − Σ p r/q, and −∞ where q lacks a token of the target that the rival has.

    >>> print(largest_weight(law("1/2", "1/2"), law("1/4", "3/4"), law(0, 1)))
    1
    """
    if ((q == 0) & (p > 0)).any():
        return F(0)
    has = q > 0
    fall = (p[has] * rival[has] / q[has]).sum() - 1
    rise = slope(p, q, rival)
    return F(1) if fall <= 0 else F(rise / (rise + fall))


def _segment(draw: Draw) -> Instance:
    """A draft of a segment that no other of it beats, and another one of the segment: α is linear between crossings of p."""
    vocab = 2 + draw.integer(0, 1)
    p = draw.law(vocab)
    start = draw.law(vocab)
    end = positive_law(draw, vocab)
    crossings = [(m - a) / (b - a) for m, a, b in zip(p, start, end, strict=True) if a != b]
    steps = [F(0), F(1), *(step for step in crossings if 0 < step < 1)]
    best = max(steps, key=lambda step: overlap(p, start + step * (end - start)))
    q = start + best * (end - start)
    return {"p": p, "q": q, "rival": (q + end) / 2 if best < 1 else (start + end) / 2}


def _is_best(p: Array, q: Array, rival: Array) -> bool:
    return bool(slope(p, q, rival) > 0 and ((rival > 0) | (p == 0)).all())


MISSING = {"p": law("1/2", "1/4", "1/4"), "q": law("1/2", "1/2", 0), "rival": law("1/4", "5/8", "1/8")}
"""The best draft shares 3/4, and lacks a token; towards the rival an eighth of each step is lost."""

MIXTURE = identity(
    name="loss.mixture",
    statement=r"Minimising $\lambda\,\mathrm{KL} + (1 - \lambda)\,\mathrm{TV}$ for some $\lambda > 0$ finds the best draft of a "
    r"convex family: on every segment that has one",
    reference="own statement, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_segment,
    assumes={BEST: _is_best},
    lhs=lambda p, q, rival: whether(largest_weight(p, q, rival) > 0),
    rhs=lambda: 1,
    outside={BEST: {"p": law("1/2", "1/2"), "q": law(1, 0), "rival": law("1/2", "1/2")}},
    sources=("exact",),
    corrected_by=("loss.mixture-corrected",),
    against=(MISSING,),
    within="none exists: with every mass of q positive the slope of the divergence is finite, and λ > 0 below a limit finds q",
    note="The best draft can lack a token of the target. Its divergence is infinite then, and the minimiser is another draft "
    "for every λ > 0, and comes near the best one only as λ falls to 0.",
)


def objective(p: Array, q: Array, weight: F) -> Any:
    """λ KL(p‖q) + (1 − λ) TV(p, q), enclosed."""
    return ball(weight) * divergence(p, q) + ball((1 - weight) * tv(p, q))


def _weighed(draw: Draw) -> Instance:
    """A draft and a rival with every token, and a weight that is small enough."""
    vocab = 2 + draw.integer(0, 2)
    p = draw.law(vocab)
    q, rival = (positive_law(draw, vocab) for _ in range(2))
    if tv(p, q) > tv(p, rival):
        q, rival = rival, q
    fall: Any = (p * rival / q).sum() - 1
    rise: Any = tv(p, rival) - tv(p, q)
    largest = F(1) if fall <= 0 else F(rise / (rise + fall))
    return {"p": p, "q": q, "rival": rival, "weight": largest * draw.number(0, 1)}


def _is_small(p: Array, q: Array, rival: Array, weight: F) -> bool:
    return bool(weight * ((p * rival / q).sum() - 1) <= (1 - weight) * (tv(p, rival) - tv(p, q)))


NEAR = {"p": law("1/4", "3/4"), "q": law("1/2", "1/2"), "rival": law("1/2", "1/2"), "weight": F(1, 2)}

MIXTURE_CORRECTED = bound(
    name="loss.mixture-corrected",
    statement=r"A draft $q$ with every token of the target has no larger $\lambda\,\mathrm{KL} + (1 - \lambda)\,\mathrm{TV}$ "
    r"than a rival $r$ if $\lambda (\sum p r/q - 1) \le (1 - \lambda)(\mathrm{TV}(p, r) - \mathrm{TV}(p, q))$: so some "
    r"$\lambda > 0$ finds the best draft of a segment that has one with every token",
    reference="correction of an own statement, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_weighed,
    assumes={SMALL: _is_small},
    lhs=lambda p, rival, weight: objective(p, rival, weight),
    relation=at_least,
    rhs=lambda p, q, weight: objective(p, q, weight),
    tight=[NEAR],
    outside={SMALL: {**NEAR, "q": law("1/64", "63/64"), "weight": F(1)}},
    sources=("exact",),
    note="On a segment both differences grow at least in proportion to the step, so that one λ serves for all rivals; so it does "
    "on a polytope. No λ serves for all families: λ has to fall with the masses of q.",
    broken=[broken("the divergence alone", rhs=lambda p, q: divergence(p, q))],
)
