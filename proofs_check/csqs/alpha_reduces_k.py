"""csqs.alpha-reduces-k: one update rises with α; the next falls by what the higher threshold drops."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.csqs._recursion import bind, n, text, threshold
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, index, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.csqs.alpha_reduces_k import AVERAGE, LARGER, PATH, PATH_CORRECTED, POSSIBLE, fewest
from simspec.laws import Array
from simspec.methods.sqs.quantised import top_mask


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1, again: int = 1) -> None:
    """Every text, start and step size, two targets; both readings of an empty set."""
    w = text(d)
    larger = d.number("alpha_2", 0)
    conclusions: list[Fact] = []
    for top in (False, True):
        h = threshold(d, w, top, sign)
        first = d.instantiate("the first update", h.update, {n: 0})
        name = "keep-top" if top else "literal"
        other_threshold = sp.Symbol("other_top" if top else "other", real=True)
        other_update = d.define(
            f"the first update with the other target, {name}",
            other_threshold,
            w.start - w.eta * (h.drop[0] - again * larger),
        )
        goal = eq(other_threshold - h.beta[1], constant * sign * w.eta * (larger - w.alpha))
        conclusions.append(d.derive("the thresholds differ by", goal, other_update, first, h.at_start))
    d.qed(*conclusions)


def bound(larger_target: Fraction, **instance: Any) -> dict[str, Any]:
    return {**bind(**instance), "alpha_2": larger_target}


def by_size() -> Iterator[Instance]:
    """Three positions of two tokens, laws in halves, start 0, steps 1 to 4, targets in halves."""
    pairs = list(laws(2, 2))
    for eta, low, high in product((F(1), F(2), F(4)), (F(1, 4), F(1, 2)), (F(1, 2), F(3, 4))):
        for rows in product(pairs, repeat=3):
            if high >= low:
                yield {
                    "q": np.stack(rows),
                    "start": F(0),
                    "step_size": eta,
                    "dropped_target": low,
                    "larger_target": high,
                }


ATTAINED = "the fewest for the target are the size of some sets that drop at most α a token"
NO_FEWER = "sets that drop no more than the larger target a token are no smaller than its fewest"


def prove_average(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every text, vocabulary and pair of targets.

    That no sets are smaller than the fewest is given for several sets, numbered s; the first are those of the target.
    Equality wherever no token is worth less than the targets differ by.
    """
    r = index("r")
    s, T = sp.symbols("s T", integer=True, positive=True)
    u = sp.IndexedBase("u", real=True)
    q = sp.IndexedBase("q", real=True)
    fits = sp.IndexedBase("fits", real=True)
    alpha = d.number("alpha", 0)
    larger_target = d.number("alpha_2", 0)
    fewest, fewer = sp.symbols("few fewer", real=True)
    larger = d.assume(LARGER, ge(larger_target, alpha))

    def size(number: sp.Expr | int) -> sp.Expr:
        return total(total(u[number, r, x], x), r, upto=T)

    def dropped(number: sp.Expr | int) -> sp.Expr:
        return total(total((1 - u[number, r, x]) * q[r, x], x), r, upto=T)

    some = d.domain(ATTAINED, eq(fewest, size(1)), le(dropped(1), constant * alpha * T))
    minimum = d.domain(
        NO_FEWER,
        eq(fits[s] ** 2, fits[s]),
        gt(fits[s] + (1 - fits[s]) * (dropped(s) - larger_target * T), 0),
        ge(sign * fits[s] * (size(s) - fewer), 0),
    )
    flag = [d.instantiate(f"of the first sets, {n}", fact, {s: 1}) for n, fact in enumerate(minimum, start=1)]
    scaled = d.derive("the larger target for all tokens", ge(larger_target * T, alpha * T), larger)
    in_it = d.smt("those sets drop no more than the larger target", eq(fits[1], 1), scaled, *some, *flag[:2])
    d.qed(d.smt("so its fewest are no more", le(fewer, fewest), in_it, some[0], flag[2]))


def bind_average(q: Array, dropped_target: Fraction, larger_target: Fraction) -> dict[str, Any]:
    """The sets that keep the fewest tokens at the smaller target, then those of the k most likely tokens, for each k."""
    fewest_sizes = fewest(q, dropped_target).tolist()
    vocab = q.shape[-1]
    families = [_largest(q, sizes) for sizes in (fewest_sizes, *([k] * len(q) for k in range(vocab + 1)))]
    lost = [
        sum(m for row, flags in zip(q, sets, strict=True) for m, k in zip(row, flags, strict=True) if not k)
        for sets in families
    ]
    return {
        **{"u": families, "q": q, "V": vocab, "T": len(q), "alpha": dropped_target, "alpha_2": larger_target},
        **{"few": sum(fewest_sizes), "fewer": int(fewest(q, larger_target).sum())},
        "fits": [int(mass <= larger_target * len(q)) for mass in lost],
        "ranges": {"r": range(1, len(q) + 1), "s": range(1, len(families) + 1)},
    }


def _largest(q: Array, sizes: list[int]) -> list[list[int]]:
    """Which tokens are kept: of each row so many of the most likely."""
    return [top_mask(row, k).astype(int).tolist() if k else [0] * q.shape[-1] for row, k in zip(q, sizes, strict=True)]


def repeated(steps: tuple[F, ...] = (F(1), F(2))) -> Iterator[Instance]:
    """One law of two tokens in eighths, each with mass, for ever; start 0, targets in eighths."""
    for eta, q, low, high in product(steps, laws(2, 8), range(1, 8), range(1, 8)):
        if q[0] >= q[1] > 0 and high >= low:
            targets = {"dropped_target": F(low, 8), "larger_target": F(high, 8)}
            yield {"q": q[None], "start": F(0), "step_size": eta, **targets}


PROOFS = (
    Proof(POSSIBLE, prove_average, drop=ATTAINED, bind=bind_average),
    Refutation(
        AVERAGE,
        repeated,
        scope="one law of two tokens in eighths that repeats, start 0, steps 1 and 2, targets in eighths",
        repaired={
            "small steps: η = 1/8": lambda: repeated((F(1, 8),)),
            "the fewest that can be kept": POSSIBLE,
        },
    ),
    Refutation(
        PATH,
        by_size,
        scope="three positions of two tokens, laws in halves, start 0",
        repaired={
            "two positions": lambda: ({**c, "q": c["q"][:2]} for c in by_size()),
            "the corrected statement": PATH_CORRECTED,
        },
    ),
    Proof(PATH_CORRECTED, prove, drop={"again": 0}, bind=bound),
)
