"""tasc.mean-initialisation: logits are linear in a row of the head; a geometric mean of n probabilities is at most 1/n."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, gt, index, le, total, x
from proofs_check.tasc._exponential_tangent import tangent
from simspec.claims.tasc.mean_initialisation import DISTINCT, MEAN, MEAN_BIAS, MEAN_SHARP
from simspec.laws import Array

k = index("k")
r = index("r")
n, width = sp.symbols("n width", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every head, hidden state, bias and n-gram, repeated constituents included."""
    # entry r of the row of the k-th constituent, its bias, and the hidden state
    head, bias, hidden = (sp.IndexedBase(name, real=True) for name in ("W", "b", "h"))
    row, logit = (sp.IndexedBase(name, real=True) for name in ("new", "z"))
    new_bias = d.number("c")
    mean = d.assume(MEAN_BIAS, eq(new_bias, total(bias[k], k, upto=n) / n))
    row_is = d.define("the new row is the mean", row[r], constant * total(head[r, k], k, upto=n) / n)
    logit_is = d.define(
        "a constituent's logit", logit[k], total(head[r, k] * hidden[r], r, upto=width) + sign * bias[k]
    )
    entry = d.derive("one entry's part", eq(row[r] * hidden[r], total(head[r, k] * hidden[r], k, upto=n) / n), row_is)
    inner = d.sum("over the entries", entry, r, upto=width)
    logit_sum = d.sum("the constituents' logits together", logit_is, k, upto=n)
    goal = eq(total(row[r] * hidden[r], r, upto=width) + new_bias, total(logit[k], k, upto=n) / n)
    d.qed(d.derive("the sums exchanged", goal, inner, logit_sum, mean))


def _head(head: Array, hidden: Array, bias: Array, ngram: Sequence[int], new_bias: Fraction) -> dict[str, Any]:
    return {
        **{"W": [[row[t] for t in ngram] for row in head], "b": [bias[t] for t in ngram], "h": hidden},
        **{"c": new_bias, "n": len(ngram), "width": len(head)},
        "ranges": {"r": range(1, len(head) + 1), "k": range(1, len(ngram) + 1)},
    }


def smaller(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all logits, every number n of different constituents.

    1/(n + 1) is the least for every n: n constituents of probability 1/n each take it.
    """
    w = sp.IndexedBase("w", nonnegative=True)
    u = sp.IndexedBase("u", positive=True)
    use = sp.IndexedBase("use", nonnegative=True)  # use[k, x] is 1 where the k-th constituent is token x
    d.domain("exponentials of logits are positive", ge(w[x], 0))
    d.domain("and so are the constituents'", gt(u[k], 0))
    constituent = d.domain("a constituent is a token of the vocabulary", eq(u[k], total(use[k, x] * w[x], x)))
    once = d.assume(DISTINCT, le(total(use[k, x], k, upto=n), 1))
    mean = total(sp.log(u[k]), k, upto=n) / n
    curve, a, b = tangent(d)
    level = sp.Symbol("level", real=True)
    level_is = d.define("the mean of the logarithms", level, mean)
    mean_bound = d.instantiate("at a constituent's logarithm and the mean", curve, {a: sp.log(u[k]), b: level})
    mean_bound = d.sum("over the constituents", mean_bound, k, upto=n)
    goal = ge(total(u[k], k, upto=n), constant * n * sp.exp(level))
    mean_bound = d.derive(
        "the deviations from the mean cancel: the arithmetic mean is the larger", goal, mean_bound, level_is
    )
    token = d.summed("a token is used once", le(w[x] * total(use[k, x], k, upto=n), sign * w[x]), once)
    uses = d.sum("over the constituents", constituent, k, upto=n)
    constituent_mass = d.derive(
        "constituents have mass one at most", le(total(u[k], k, upto=n), total(w[x], x)), token, uses
    )
    g = sp.exp(level)
    W = total(w[x], x)
    positive = d.derive("g is positive", ge(g, 0))
    goal = le(g / (W + g), 1 / (n + sp.S.One))
    d.qed(d.derive("divided by what all have", goal, mean_bound, constituent_mass, positive))


def _weights(w: Array, ngram: Sequence[int]) -> dict[str, Any]:
    return {
        **{"w": w, "u": [w[t] for t in ngram], "n": len(ngram), "V": len(w)},
        **{"use": [[int(t == i) for i in range(len(w))] for t in ngram]},
        "ranges": {"k": range(1, len(ngram) + 1)},
    }


PROOFS = (Proof(MEAN, prove, drop=MEAN_BIAS, bind=_head), Proof(MEAN_SHARP, smaller, drop=DISTINCT, bind=_weights))
