"""The size of the typical set grows with the entropy rate.

`tasc.typical-set`, of Markov and of ergodic sources, with its sharper form: TASC, Eq. 2 (what it rests on); Shannon 1948.

Exact: texts are counted by probability, rational, and entropies are enclosed in balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Broken,
    Draw,
    F,
    Instance,
    bound,
    broken,
    circulation,
    is_exact,
    law,
    matrix,
    rate,
)
from simspec.claims.balls import ball, enclose, log
from simspec.claims.claim import Evidence, Printed
from simspec.claims.deciding.data import Data
from simspec.claims.tasc.parts import shannon

__all__ = ["levels", "smallest_set", "text_law"]


def levels(start: Array, M: Array, n: int) -> dict[F, int]:
    """Texts of n tokens of a Markov source by probability: how many texts have each positive probability.

    >>> levels(law("1/4", "3/4"), matrix("1/4 3/4", "1/4 3/4"), 2)[F(3, 16)]
    2
    """
    now = [{w: 1} if w else {} for w in start.tolist()]
    for _ in range(n - 1):
        after: list[dict[F, int]] = [{} for _ in now]
        for i, texts in enumerate(now):
            for j, step in enumerate(M[i].tolist()):
                for mass, count in texts.items() if step else ():
                    after[j][mass * step] = after[j].get(mass * step, 0) + count
        now = after
    counts_by_mass: dict[F, int] = {}
    for texts in now:
        for mass, count in texts.items():
            counts_by_mass[mass] = counts_by_mass.get(mass, 0) + count
    return counts_by_mass


def smallest_set(masses: dict[F, int], missed: F) -> int:
    """Size of the smallest set of texts of probability at least 1 − `missed`.

    >>> smallest_set({F(1, 2): 1, F(1, 4): 2}, F(1, 4))
    2
    """
    remaining_mass = 1 - missed
    size = 0
    for mass in sorted(masses, reverse=True):
        number_taken = min(masses[mass], -(-remaining_mass // mass))
        size = size + number_taken
        remaining_mass = remaining_mass - number_taken * mass
        if remaining_mass <= 0:
            break
    return int(size)


def _root(x: Any) -> Any:
    """Square root of a ball that encloses a number which is not negative."""
    return ball(x).nonnegative_part().sqrt()


def _solve(A: Array, b: list[Any]) -> list[Any] | None:
    """Solution of A x = b by exact elimination; None where A is singular."""
    rows = [[*row, y] for row, y in zip(A.tolist(), b, strict=True)]
    for c in range(len(rows)):
        pivot = next((r for r in range(c, len(rows)) if rows[r][c] != 0), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(len(rows)):
            factor = rows[r][c] / rows[c][c] if r != c else F(0)
            if factor:
                rows[r] = [
                    x - ball(factor) * y if k == len(rows) else x - factor * y
                    for k, (x, y) in enumerate(zip(rows[r], rows[c], strict=True))
                ]
    return [row[-1] / ball(row[c]) for c, row in enumerate(rows)]


def _source(draw: Draw) -> Instance:
    """A stationary ergodic Markov source, the length of its texts, and the probability that may be missed."""
    size = draw.integer(1, 3)
    M, start = circulation(draw, size)
    mixed = draw.number("1/8", 1)
    M = (1 - mixed) * M + mixed * start
    n = draw.integer(1, 4 if size < 3 else 3)
    return {"M": M, "start": start, "n": n, "missed": draw.number("1/16", "15/16")}


class _Constants:
    """Entropy of one token and of a step, and the deviation of a text's surprisal per root of its length."""

    def __init__(self, M: Array, start: Array) -> None:
        """Compute the constants from a transition matrix M (S, S) and its stationary law `start` (S,), in balls."""
        surprisal = np.vectorize(lambda v: -ball(v).log() if v else ball(0), otypes=[object])
        f = surprisal(M)
        weights = enclose(start)
        states = range(len(start))
        mean = [sum((ball(M[i, j]) * f[i, j] for j in states), ball(0)) for i in states]
        self.rate = sum((weights[i] * mean[i] for i in states), ball(0))
        self.first = shannon(start)
        A = np.array([[F(int(i == j)) - M[i, j] + start[j] for j in states] for i in states])
        # Poisson's equation (I − M) φ = mean − rate: it makes surprisal − rate + φ(next) − φ(now) a martingale difference
        phi = _solve(A, [m - self.rate for m in mean]) or [ball(0)] * len(start)
        self.surprisal, self.phi = f, phi
        steps = ((i, j, f[i, j] - self.rate + phi[j] - phi[i]) for i in states for j in states)
        self.step = _root(sum((ball(start[i] * M[i, j]) * d * d for i, j, d in steps), ball(0)))
        level = sum((w * x for w, x in zip(weights, phi, strict=True)), ball(0))
        self.ends = _root(sum((w * (x - level) * (x - level) for w, x in zip(weights, phi, strict=True)), ball(0)))
        gaps = surprisal(start) - self.first
        self.begin = _root(sum((w * g * g for w, g in zip(weights, gaps, strict=True)), ball(0)))

    def deviation(self, n: int) -> Any:
        """Bound on the standard deviation of −log P(Tⁿ)."""
        return self.ends + _root((self.begin + self.ends) ** 2 + self.step**2 * ball(n - 1))


def _size(M: Array, start: Array, n: int, missed: F) -> Any:
    size = log(F(smallest_set(levels(start, M, n), missed)))
    return np.array([size, -size]) / n


def _rate(M: Array, start: Array, n: int, missed: F) -> Any:
    """Entropy rate and what the bound allows above and below it, per token."""
    c = _Constants(M, start)
    level = n * c.rate + (c.first - c.rate)
    above = c.deviation(n) * _root((1 - missed) / missed)
    below = c.deviation(n) * _root(missed / (1 - missed)) + log(F(1) / (1 - missed))
    return np.array([level + above, below - level]) / n


def _one_class(M: Array) -> bool:
    """Whether one stationary law exists: I − M plus any positive law in every row is regular."""
    size = len(M)
    A = np.array([[F(int(i == j)) - M[i, j] + F(1, size) for j in range(size)] for i in range(size)])
    return _solve(A, [ball(0)] * size) is not None


def _spread(data: Data) -> list[Evidence]:
    """The gap between log|A_n|/n and the entropy rate of a biased coin, and the bound on it."""
    coin = law("1/4", "3/4")
    M = matrix("1/4 3/4", "1/4 3/4")
    missed = F(1, 5)
    rate = float(shannon(coin))
    evidence = []
    for n in (8, 32, 64):
        size = float(_size(M, coin, n, missed)[0])
        ends = _rate(M, coin, n, missed)
        facts = {"entropy rate": rate, "gap times root n": (size - rate) * n**0.5}
        facts |= {"bound above": float(ends[0]), "bound below": -float(ends[1])}
        evidence.append(Evidence(f"coin of 1/4, sets of 80 %, n = {n}: log|A_n|/n", None, n, size, control=facts))
    return evidence


STATIONARY = "the source starts in its stationary law"
ERGODIC = "the source is ergodic (one recurrent class)"
_LATE: dict[str, Any] = {"M": matrix("0 1 0", "0 1/2 1/2", "0 1/2 1/2"), "start": law(1, 0, 0)}
_TWO_SOURCES: dict[str, Any] = {"M": matrix("1 0 0", "0 1/2 1/2", "0 1/2 1/2"), "start": law("1/4", "3/8", "3/8")}

TYPICAL_SET = rate(
    name="tasc.typical-set",
    statement=r"Stationary ergodic Markov source of entropy rate $h$, the smallest sets $A_n$ of probability $1 - \delta$: "
    r"$-s_n\sqrt{\tfrac{\delta}{1-\delta}} - \log\tfrac{1}{1-\delta} \le \log |A_n| - H(T_1) - (n-1)h \le "
    r"s_n\sqrt{\tfrac{1-\delta}{\delta}}$, $s_n = \sigma_\varphi + \sqrt{(\sigma_1 + \sigma_\varphi)^2 + (n-1)\sigma^2}$",
    reference="TASC, Eq. 2 (what it rests on); Shannon 1948",
    instances=_source,
    assumes={STATIONARY: lambda M, start: bool((start @ M == start).all()), ERGODIC: _one_class},
    lhs=_size,
    rhs=_rate,
    sources=("exact",),
    tight=({"M": matrix("1/2 1/2", "1/2 1/2"), "start": law("1/2", "1/2"), "n": 3, "missed": F(1, 16)},),
    outside={STATIONARY: {**_LATE, "n": 8, "missed": F(1, 2)}, ERGODIC: {**_TWO_SOURCES, "n": 40, "missed": F(1, 2)}},
    corrected_by=("tasc.typical-set-sharp", "tasc.typical-set.markov"),
    evidence=_spread,
    note="With φ − Mφ = E[surprisal of the next step] − h (solvable exactly when there is one class), the surprisal of a "
    "text is a martingale of steps of variance σ², plus φ at its ends (σ_φ) and the first token's surprisal (σ_1); then "
    "tasc.typical-set-sharp. Of two sources in a mixture the larger one decides |A_n|.",
    printed=Printed(
        place="TASC 3.1, Eq. 2",
        text="the size of the set containing most probable task output n-grams, denoted …, is determined by "
        "this conditional entropy",
        read="To first order in the exponent, for stationary ergodic sources, with rates for Markov sources.",
    ),
    broken=[
        broken("half of the rate", rhs=lambda **x: _rate(**x) / 2),
        broken(
            "the entropy rate without its tolerance",
            rhs=lambda M, start, n, missed: np.array([1, -1]) * _Constants(M, start).rate,
        ),
    ],
)


def _limit(M: Array, start: Array, n: int, missed: F) -> Any:
    """Entropy rate, and a constant over the root of n above and below it."""
    c = _Constants(M, start)
    root = _root(ball(n))
    spread = 2 * c.ends + c.begin + c.step
    above = abs(c.first - c.rate) + spread * _root((1 - missed) / missed)
    below = abs(c.first - c.rate) + spread * _root(missed / (1 - missed)) + log(F(1) / (1 - missed))
    return np.array([c.rate + above / root, below / root - c.rate])


MARKOV = rate(
    name="tasc.typical-set.markov",
    statement=r"Stationary ergodic Markov sources: $\frac1n \log |A_n| \to h$ at rate $n^{-1/2}$. For every $n$ it is at most "
    r"$h + \big(d + s\sqrt{\tfrac{1-\delta}{\delta}}\big)/\sqrt n$ and at least $h - \big(d + s\sqrt{\tfrac{\delta}{1-\delta}} + "
    r"\log\tfrac{1}{1-\delta}\big)/\sqrt n$, with $d = |H(T_1) - h|$ and $s = 2\sigma_\varphi + \sigma_1 + \sigma$",
    reference="TASC, Eq. 2 (what it rests on), for Markov sources",
    instances=_source,
    lhs=_size,
    rhs=_limit,
    sources=("exact",),
    tight=({"M": matrix("1"), "start": law(1), "n": 2, "missed": F(1, 16)},),
    corrected_by=("tasc.typical-set-sharp",),
    note="The bounds of tasc.typical-set, which needs both conditions, with their constants before the root of n.",
    broken=[
        broken(
            "the entropy rate without its tolerance",
            rhs=lambda M, start, n, missed: np.array([1, -1]) * _Constants(M, start).rate,
        )
    ],
)


def _hidden(draw: Draw) -> Instance:
    """A stationary ergodic Markov source seen through letters of its states: a source of unbounded memory."""
    instance = dict(_source(draw))
    letters = [draw.integer(0, 1) for _ in instance["start"]]
    return {**instance, "letters": letters, "n": min(instance["n"], 3)}


def text_law(M: Array, start: Array, letters: Sequence[int], n: int) -> Array:
    """Law of texts of n letters.

    >>> [str(m) for m in text_law(matrix("1/4 3/4", "1/4 3/4"), law("1/4", "3/4"), [0, 1], 1)]
    ['1/4', '3/4']
    """
    states = range(len(start))
    now = {((letters[s],), s): start[s] for s in states if start[s]}
    for _ in range(n - 1):
        after: dict[Any, Any] = {}
        for (text, s), mass in now.items():
            for to in states:
                if M[s, to]:
                    key = ((*text, letters[to]), to)
                    after[key] = after.get(key, F(0)) + mass * M[s, to]
        now = after
    masses: dict[Any, Any] = {}
    for (text, _), mass in now.items():
        masses[text] = masses.get(text, F(0)) + mass
    return np.array([masses[text] for text in sorted(masses)], dtype=object)


def _cover(p: Array, missed: F) -> Any:
    """log of the smallest number of outcomes with mass 1 − missed, and its negative."""
    if is_exact(p):
        size = log(F(smallest_set({m: p.tolist().count(m) for m in p.tolist() if m}, missed)))
    else:
        sums = np.cumsum(-np.sort(-p, axis=-1), axis=-1)
        size = np.log((sums < 1 - missed).sum(axis=-1) + 1)
    return np.stack([size, -size])


def _sandwich(p: Array, missed: F) -> Any:
    H = shannon(p)
    if is_exact(p):
        gaps = [(ball(x), ball(x).log() + H) for x in p.tolist() if x]
        square = sum((x * gap * gap for x, gap in gaps), ball(0))
        deviation = _root(square)
        up = _root((1 - missed) / missed)
        down = _root(missed / (1 - missed))
        return np.stack([H + deviation * up, deviation * down + log(1 / (1 - missed)) - H])
    share = float(missed)
    away = np.where(p > 0, -np.log(np.where(p > 0, p, 1)) - H[..., None], 0)
    deviation = np.sqrt((p * away**2).sum(axis=-1))
    above = H + deviation * np.sqrt((1 - share) / share)
    return np.stack([above, deviation * np.sqrt(share / (1 - share)) + np.log(1 / (1 - share)) - H])


TYPICAL_SET_SHARP = bound(
    name="tasc.typical-set-sharp",
    statement=r"Any law of $T^n$, any $n$, with $V$ the variance of $-\log p(T^n)$: the smallest set of mass $1 - "
    r"\delta$ has $H - \sqrt{V\tfrac{\delta}{1-\delta}} - \log\tfrac{1}{1-\delta} \le \log |A| \le H + "
    r"\sqrt{V\tfrac{1-\delta}{\delta}}$",
    reference="own statement: TASC, Eq. 2 at fixed n, with its error",
    instances=lambda draw: {"p": draw.law(draw.vocab()), "missed": draw.number(F(1, 16), F(15, 16))},
    lhs=_cover,
    rhs=_sandwich,
    sums=16,
    tight=(
        {"p": law("1/3", "1/3", "1/3"), "missed": F(1, 4)},
        {"p": law("1/4", "1/4", "1/4", *["1/16"] * 4), "missed": F(1, 4)},
    ),
    note="Above: the outcomes left out and the last one taken have mass more than δ, so by Cantelli's inequality the last "
    "one's surprisal is at most H + √(V(1−δ)/δ). Below: by Jensen log |A| is at least log m + H less what surprisal "
    "averages below H on A, m its mass, by Cauchy and Schwarz at most √(V(1−m)/m); every law of two probabilities, the "
    "likelier outcomes of mass 1 − δ, attains it. At n = 2, Eq. 2's “≈” is as good as V is small, and no better.",
    broken=[
        broken("the sandwich without its tolerance", rhs=lambda p, missed: np.stack([shannon(p), -shannon(p)])),
        broken("1/12 narrower", rhs=lambda p, missed: _sandwich(p, missed) - np.array([0, ball(F(1, 12))])),
    ],
)


ERGODIC_SOURCES = rate(
    name="tasc.typical-set.ergodic",
    statement=r"Every stationary ergodic source: $\frac1n \log |A_n| \to h$. At each $n$, with $V_n$ the variance of $-\log "
    r"p(T^n)$: $-\sqrt{V_n\tfrac{\delta}{1-\delta}} - \log\tfrac{1}{1-\delta} \le \log |A_n| - H(T^n) \le "
    r"\sqrt{V_n\tfrac{1-\delta}{\delta}}$; $H(T^n)/n$ falls to $h$, and $\log p(T^n)/n$ concentrates",
    reference="TASC, Eq. 2 (what it rests on); Shannon 1948, McMillan 1953, Breiman 1957",
    instances=_hidden,
    lhs=lambda M, start, letters, n, missed: _cover(text_law(M, start, letters, n), missed) / n,
    rhs=lambda M, start, letters, n, missed: _sandwich(text_law(M, start, letters, n), missed) / n,
    sources=("exact",),
    corrected_by=("tasc.typical-set-sharp", "tasc.typical-set.markov"),
    note="What is tried, on letters of Markov chains, is the bound at each n. That the surprisal of every ergodic source "
    "concentrates is the theorem of Shannon, McMillan and Breiman; it has no rate that holds for all of them.",
    broken=[Broken("the sign of the bound is turned", lambda claim: {"rhs": lambda **x: -claim.rhs(**x)})],
)
