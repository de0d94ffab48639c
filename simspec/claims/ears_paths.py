"""Claims about which drafts EARS keeps: the standard path, the pardon path, and what they let through.

What the emitted token's law is: `simspec.claims.ears`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims import balls
from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.ears import BETA, HALF, pardoned, some_step, tolerance
from simspec.claims.sd import law
from simspec.laws import Array, normalise, overlap
from simspec.methods import bias, ears, lenience, support_violation
from simspec.methods.ears import PARDON, REJECT, STANDARD, verify_block

__all__ = ["CLAIMS", "closeness"]

# --- the two paths --------------------------------------------------------------------------------------------------


def _paths(p: Array, q: Array, beta: Any) -> tuple[Array, Array]:
    """Probability that a drafted token is accepted by the first and by the second printed test, on one coin.

    The coins fall into at most three intervals, within which no test changes its mind: each test is made at the middle.
    """
    ratio = p / np.where(q > 0, q, 1)
    t = tolerance(p, beta) + 0 * ratio
    zero, one = 0 * ratio, 0 * ratio + 1
    ends = np.stack([zero, np.minimum(ratio, one), np.minimum(ratio + t, one), one])
    coin, length = (ends[1:] + ends[:-1]) / 2, ends[1:] - ends[:-1]
    standard = ratio >= coin
    pardon = ~standard & (ratio >= coin - t)
    return (length * standard).sum(axis=0), (length * pardon).sum(axis=0)


def _accepted(p: Array, q: Array, beta: Any, second_coin: bool = False) -> Array:
    standard, pardon = _paths(p, q, beta)
    if second_coin:
        pardon = (1 - standard) * (standard + pardon)
    kept = ears(beta).keep(p, q) / np.where(q > 0, q, 1)
    return np.where(q > 0, np.stack([standard + pardon, kept]), 0)


ONE_COIN = "both tests use the same coin"

SINGLE_THRESHOLD = Claim(
    name="ears.single-threshold",
    kind="identity",
    statement=r"The two paths together accept a drafted token with probability $\min(1, p_x/q_x + t)$, $t = \beta(1 - "
    r"\max p)$",
    reference="EARS, Mechanism 2 and steps 4 to 6 of the verifier",
    instances=some_step,
    assumes={ONE_COIN: lambda second_coin=False: not second_coin},
    lhs=_accepted,
    rhs=lambda p, q, beta: np.stack(
        [np.where(q > 0, np.minimum(1, p / np.where(q > 0, q, 1) + tolerance(p, beta)), 0)] * 2
    ),
    relation=equal,
    outside={ONE_COIN: {"p": HALF, "q": law(1, 0), "beta": F(1, 2), "second_coin": True}},
    note="Left: lengths of the intervals of coins that pass the two tests, and the kept mass of the code over q. With "
    "one coin u the second test contains the first, R ≥ u or R ≥ u − t is R + t ≥ u. A second coin would accept with "
    "probability 1 − (1 − R)(1 − R − t).",
)


def _laws_of_paths(p: Array, q: Array, beta: Any) -> tuple[Array, Array]:
    """Laws of a token accepted by each path, from the coins; p where a path accepts nothing."""
    standard, pardon = _paths(p, q, beta)
    return normalise(q * standard, otherwise=p), normalise(q * pardon, otherwise=p)


def closeness(a: Array, p: Array) -> Array:
    """exp(−KL(a‖p)), 0 where a leaves the support of p: certified on fractions.

    >>> closeness(np.array([1.0, 0.0]), np.array([0.25, 0.75])).item(), closeness(law(0, 1), law(1, 0)).item()
    (0.25, 0)
    """
    inside = np.where(p > 0, a, 0)
    kl = (balls.plogp(inside) - balls.enclose(inside) * balls.log(np.where(p > 0, p, 1))).sum(axis=-1)
    return np.where(np.where(p > 0, 0, a).sum(axis=-1) > 0, 0, balls.exp(-kl))


def _two_paths(p: Array, q: Array, beta: Any) -> Array:
    standard, pardon = _laws_of_paths(p, q, beta)
    return np.array([*standard, *pardon, closeness(standard, p)[()], closeness(pardon, p)[()]], dtype=object)


def _two_paths_closed(p: Array, q: Array, beta: Any) -> Array:
    kept, extra = np.minimum(p, q), pardoned(p, q, beta)
    alpha, gain, t = kept.sum(), extra.sum(), tolerance(p, beta)[0]
    near: Any = 1
    if alpha:
        kl = -balls.log(alpha) - sum(
            balls.ball(y / alpha) * balls.log(x / y) for x, y in zip(p, q, strict=True) if 0 < y < x
        )
        near = balls.exp(-kl)
    far: Any = 1
    if gain:
        near_misses = [(g / gain, min(y / x - 1, t * y / x)) for x, y, g in zip(p, q, extra, strict=True) if x and g]
        terms = [balls.ball(w) * balls.log(r) for w, r in near_misses]
        far = 0 if extra[p == 0].any() else balls.exp(balls.log(gain) - sum(terms))
    standard, pardon = (normalise(mass, otherwise=p) for mass in (kept, extra))
    return np.array([*standard, *pardon, near, far], dtype=object)


TWO_PATHS = Claim(
    name="ears.two-paths",
    kind="identity",
    statement=r"A token accepted by the standard path has the law $\min(p, q)/\alpha$, with $\mathrm{KL}(\cdot \Vert "
    r"p) = -\log\alpha - \frac1\alpha \sum_{q_x < p_x} q_x \log\frac{p_x}{q_x}$; one accepted by the pardon path "
    r"$g/G$, $g = \min((q - p)_+, t q)$, $G = \sum_x g_x$, with $\mathrm{KL}(\cdot \Vert p) = -\log G + \frac1G "
    r"\sum_x g_x \log\min(\frac{q_x}{p_x} - 1, \frac{t q_x}{p_x})$, infinite exactly when a token with $p_x = 0 < "
    r"q_x$ can be pardoned",
    reference="EARS, next check 3 (own statement)",
    instances=some_step,
    lhs=_two_paths,
    rhs=_two_paths_closed,
    relation=equal,
    sources=("exact",),
    note="Left: each drafted token times the coins that either test alone lets through, and KL by its definition in "
    "ball arithmetic (compared as exp(−KL), 0 for infinite). A path that accepts nothing is given the law p on both "
    "sides.",
)


def _surely_pardoned(draw: Draw) -> Instance:
    """Steps in which something is pardoned: an uncertain target and another draft."""
    step = some_step(draw, low=2)
    p = step["p"]
    if not draw.exact:  # rounding: the pardoned mass of a nearly certain target is lost beside p
        step["p"] = np.where(p.max(axis=-1, keepdims=True) > 0.99, 0.9 * p + 0.1 / p.shape[-1], p)
    return {**step, "beta": step["beta"] + (F(1, 8) if draw.exact else 0.125)}


def _chain(p: Array, q: Array, beta: Any) -> tuple[Array, Array]:
    """The smaller and the larger sides: closeness of the pardon path, p(S), α, closeness of the standard path; the
    closeness is exp(−KL), then 1 − TV."""
    kept = np.minimum(p, q)
    extra = ears(beta).keep(p, q) - kept
    standard, pardon = normalise(kept, otherwise=p), normalise(extra, otherwise=p)
    within, alpha = np.where(q > p, p, 0).sum(axis=-1), kept.sum(axis=-1)
    smaller = [closeness(pardon, p), within, balls.enclose(alpha), overlap(pardon, p), alpha]
    larger = [balls.enclose(within), alpha, closeness(standard, p), within, overlap(standard, p)]
    return np.stack(smaller), np.stack(larger)


PARDONS = "something can be pardoned: t > 0 and q ≠ p"

TWO_PATHS_ORDER = Claim(
    name="ears.two-paths-order",
    kind="bound",
    statement=r"Pardoned tokens are never closer to the target than those of the standard path: "
    r"$\mathrm{KL}(\text{pardon} \Vert p) \ge -\log p(S) \ge -\log\alpha \ge \mathrm{KL}(\text{standard} \Vert p)$ "
    r"and $\mathrm{TV}(\text{pardon}, p) \ge 1 - p(S) \ge 1 - \alpha \ge \mathrm{TV}(\text{standard}, p)$, "
    r"$S = \{q > p\}$",
    reference="own statement, answering EARS, next check 3",
    instances=_surely_pardoned,
    assumes={PARDONS: lambda p, q, beta: bool(np.all((ears(beta).keep(p, q) > np.minimum(p, q)).any(axis=-1)))},
    lhs=lambda p, q, beta: _chain(p, q, beta)[0],
    rhs=lambda p, q, beta: _chain(p, q, beta)[1],
    relation=at_most,
    sums=64,  # a law normalised by a pardoned mass of a thousandth keeps thirteen digits
    tight=({"p": HALF, "q": law(0, 1), "beta": F(1)},),
    outside={PARDONS: {"p": law("3/4", "1/4"), "q": law("1/4", "3/4"), "beta": F(0)}},
    note="Compared as exp(−KL) and 1 − TV. The pardon path accepts in S only, and a law on S is that far from p (data "
    "processing); α = p(S) + q(not S); min(p, q)/α ≤ p/α. The standard path's KL is finite whenever α > 0, the pardon "
    "path's is infinite as soon as a token with p = 0 is pardoned. (With nothing pardoned the law p stands in.)",
)

# --- support ---------------------------------------------------------------------------------------------------------

SUPPORT = Claim(
    name="ears.support",
    kind="bound",
    statement="The pardon path rescues near misses only, “rather than genuine distributional mismatch”: a drafted "
    "token with $p_x = 0$ is never accepted",
    reference="EARS, Mechanism 2",
    instances=some_step,
    lhs=lambda p, q, beta: np.where(p > 0, 0, ears(beta).keep(p, q)).sum(axis=-1),
    rhs=lambda p: 0 * p.max(axis=-1),
    relation=at_most,
    corrected_by=("ears.support-corrected", "ears.support-lenience"),
    note="The tolerance is added to the ratio, so a coin below t accepts any token, however impossible.",
)

SUPPORT_CORRECTED = Claim(
    name="ears.support-corrected",
    kind="identity",
    statement=r"A drafted token with $p_x = 0$ is accepted with probability $\min(1, \beta(1 - \max p))$",
    reference="correction of EARS, Mechanism 2",
    instances=some_step,
    lhs=lambda p, q, beta: np.where((p > 0) | (q == 0), 0, _paths(p, q, beta)[1]),
    rhs=lambda p, q, beta: np.where((p > 0) | (q == 0), 0, np.minimum(1, tolerance(p, beta))),
    relation=equal,
    note="The ratio is 0, so the coins accepted are those up to t, all of them by the pardon path. It is the largest "
    "where the target is least certain, and the same for every such token: t is a bound on nonsense, not on near "
    "misses.",
)

SUPPORT_LENIENCE = Claim(
    name="ears.support-lenience",
    kind="identity",
    statement=r"Multiplicative tolerance has no such tokens: lenience, keep $\min(q, p/\ell)$, with the residual, "
    r"emits no token with $p_x = 0$, and its TV to $p$ is as well exactly the acceptance it gains",
    reference="own statement, in place of EARS, Mechanism 2",
    instances=lambda draw: {**some_step(draw), "factor": draw.number(F(1, 8) if draw.exact else 0.125, 1)},
    lhs=lambda p, q, factor: np.stack([support_violation(lenience(factor), p, q), bias(lenience(factor), p, q)]),
    rhs=lambda p, q, factor: np.stack(
        [0 * p.max(axis=-1), np.minimum(np.maximum(q - p, 0), p * (1 / factor - 1)).sum(axis=-1)]
    ),
    relation=equal,
    note="p/ℓ = 0 where p = 0, and the residual lives where p > q. At equal TV both rules accept equally often "
    "(ears.best-tradeoff.attained): lenience spends the same bias on tokens that the target does write.",
)

# --- the cached maximum ---------------------------------------------------------------------------------------------


def _drafted(draw: Draw) -> Instance:
    """A block of drafts that q can draw, with its coins and the cached maxima."""
    n = draw.vocab()
    if draw.exact:
        p, q = (np.stack(laws) for laws in zip(*(draw.pair(n) for _ in range(draw.integer(1, 3))), strict=True))
    else:
        p, q = draw.pair(n)
        p, q = p[:8], q[:8]
    drawable = [np.flatnonzero(row > 0) for row in q]
    tokens = np.array([int(some[draw.integer(0, len(some) - 1)]) for some in drawable])
    coins = np.array([draw.number(0, 1) for _ in q], dtype=p.dtype)
    return {"p": p, "q": q, "tokens": tokens, "coins": coins, "beta": draw.number(*BETA), "cached": p.max(axis=-1)}


def _printed(p: Array, q: Array, tokens: Array, coins: Array, beta: Any) -> list[int]:
    """Decisions as printed: ratio, coin, tolerance from a scan of p; two tests; up to the first rejection."""
    decisions = []
    for i, x in enumerate(tokens.tolist()):
        ratio, coin, slack = p[i, x] / q[i, x], coins[i], beta * (1 - max(p[i].tolist()))
        decisions.append(STANDARD if ratio >= coin else PARDON if ratio >= coin - slack else REJECT)
        if decisions[-1] == REJECT:
            break
    return decisions


def _verified(p: Array, q: Array, tokens: Array, coins: Array, beta: Any, cached: Array) -> Array:
    done = [verify_block(p, q, tokens, coins, beta, cached=peaks) for peaks in (cached, None)]
    return np.array([[*_padded(d.decisions.tolist(), len(tokens)), d.reads] for d in done])


def _padded(decisions: list[int], length: int) -> list[int]:
    return decisions + [-1] * (length - len(decisions))


def _as_printed(p: Array, q: Array, tokens: Array, coins: Array, beta: Any) -> Array:
    wanted = _printed(p, q, tokens, coins, beta)
    examined, row = len(wanted), _padded(wanted, len(tokens))
    return np.array([[*row, examined], [*row, examined * p.shape[-1]]])


TRUE_CACHE = "the cache holds max p of the same laws"

CACHE = Claim(
    name="ears.cache",
    kind="procedure",
    statement=r"Reading the cached $\max p$ gives the decisions that scanning $p$ again gives, at one number instead "
    r"of $V$ for each position examined",
    reference="EARS, Mechanism 3",
    instances=_drafted,
    assumes={TRUE_CACHE: lambda p, cached: bool((cached == p.max(axis=-1)).all())},
    lhs=_verified,
    rhs=_as_printed,
    relation=equal,
    outside={
        TRUE_CACHE: {
            **{"p": HALF[None], "q": law(1, 0)[None], "tokens": np.array([0]), "coins": law("3/4")},
            **{"beta": F(1), "cached": law(1)},
        }
    },
    note="Left: the verification of the code with the cache and without it; right: the printed tests by hand. "
    "Decisions depend on p through two numbers at each position, p at the draft and max p. A cache must be made after "
    "temperature and top-p, from the law that verifies.",
)

CLAIMS = (
    SINGLE_THRESHOLD,
    TWO_PATHS,
    TWO_PATHS_ORDER,
    SUPPORT,
    SUPPORT_CORRECTED,
    SUPPORT_LENIENCE,
    CACHE,
)
