"""sqs.fewest-bits: every lattice law is near the lattice law of its word, and near one of those there are only so many."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total, x
from simspec.claims.authoring import F
from simspec.claims.sqs.fewest_bits import FEWEST_BITS, TWO_TOKENS, farthest, lattice_laws, radius, reach, within
from simspec.claims.sqs.parts import every_subset, sent_law, worst_rounding
from simspec.laws import Array, exact

WORD = "each lattice law has one word, within ε of it"
NEAR = "each word has a lattice law within δ of it (sqs.lattice-sharp)"
BALL = "b marks the lattice laws within ε + δ of a word's; no others are, by less than a gap, and they are at most B"
GAPS = "a law between two words, or beyond the last, is no farther than ε from one"
s = index("s")
c = index("c")
S, N = sp.symbols("S N", integer=True, positive=True)


def _apart(one: sp.Expr, other: sp.Expr) -> Any:
    """Twice the total variation."""
    return total(sp.Abs(one - other), x)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of tokens, every resolution, every code.

    With two tokens and L to infinity it is the least number of words, sqs.fewest-bits.two-tokens.
    """
    z = d.weights("z", s, x)
    u = d.weights("u", c, x)
    v = d.weights("v", c, x)
    a = d.weights("a", s, c)
    b = d.weights("b", c, s)
    epsilon = d.number("epsilon", 0)
    delta = d.number("delta", 0)
    B = d.number("B", 0)
    gap = d.number("gap", positive=True)
    flag, single_word, close = d.domain(
        WORD,
        eq(a[s, c] * (1 - a[s, c]), 0),
        eq(total(a[s, c], c, upto=N), 1),
        le(a[s, c] * _apart(z[s, x], u[c, x]), 2 * a[s, c] * epsilon),
    )
    near = d.domain(NEAR, le(_apart(u[c, x], v[c, x]), 2 * delta))
    bit, far, word_bound = d.domain(
        BALL,
        eq(b[c, s] * (1 - b[c, s]), 0),
        ge((1 - b[c, s]) * (_apart(z[s, x], v[c, x]) - 2 * epsilon - 2 * delta), (1 - b[c, s]) * gap),
        le(total(b[c, s], s, upto=S), B),
    )
    way = le(sp.Abs(z[s, x] - v[c, x]), sp.Abs(z[s, x] - u[c, x]) + sign * sp.Abs(u[c, x] - v[c, x]))
    way = d.summed("by way of the word", way)
    zu, uv, zv = (sp.IndexedBase(name, real=True) for name in ("zu", "uv", "zv"))
    names = (
        d.define("law and word", zu[s, c], _apart(z[s, x], u[c, x])),
        d.define("word and its lattice law", uv[c], _apart(u[c, x], v[c, x])),
        d.define("law and lattice law", zv[s, c], _apart(z[s, x], v[c, x])),
    )
    way = d.derive("in short", le(zv[s, c], zu[s, c] + uv[c]), way, *names, by="smt")
    close = d.derive("in short", le(a[s, c] * zu[s, c], 2 * a[s, c] * epsilon), close, names[0], by="smt")
    near = d.derive("in short", le(uv[c], 2 * delta), near, names[1], by="smt")
    out = ge((1 - b[c, s]) * (zv[s, c] - 2 * epsilon - 2 * delta), (1 - b[c, s]) * gap)
    out = d.derive("in short", out, far, names[2], by="smt")
    premises = [way, close, near, out, flag, bit]
    inside = d.smt("so it is among the near ones", le(a[s, c], b[c, s]), *premises)
    words = d.sum("laws of a word", inside, s, upto=S)
    words = d.derive("at most B", le(total(a[s, c], s, upto=S), B), words, word_bound)
    words = d.sum("over the words", words, c, upto=N)
    laws = d.sum("over the laws", single_word, s, upto=S)
    d.qed(d.derive("all laws", ge(N * B, constant * S), words, laws))


def _bind(codebook: Array, resolution: int) -> dict[str, Any]:
    """The values of the symbols of `prove`: lattice laws z, code words u, the lattice laws v of the words, and distances."""
    points = lattice_laws(codebook.shape[1], resolution)
    vocab = codebook.shape[1]
    epsilon = farthest(codebook, resolution)
    delta = worst_rounding(F(vocab), resolution)
    nearest = np.stack([sent_law(word, every_subset(vocab), resolution) for word in codebook])
    first = np.maximum(points[:, None] - codebook[None], 0).sum(axis=-1).argmin(axis=-1)
    apart = np.maximum(points[None] - nearest[:, None], 0).sum(axis=-1)
    beyond = [2 * (far - epsilon - delta) for far in apart.ravel() if far > epsilon + delta]
    return {
        **{"z": points, "u": codebook, "v": nearest, "epsilon": epsilon, "delta": delta},
        "a": exact([[int(word == closest) for word in range(len(codebook))] for closest in first]),
        "b": (apart <= epsilon + delta) * F(1),
        "gap": min(beyond, default=F(1)),
        "B": within(vocab, int(resolution * reach(codebook, resolution))),
        **{"S": len(points), "N": len(codebook), "V": vocab},
        "ranges": {"s": range(1, len(points) + 1), "c": range(1, len(codebook) + 1)},
    }


n = sp.Symbol("n", integer=True, nonnegative=True)
M = sp.Symbol("M", integer=True, nonnegative=True)


def prove_two(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of words, wherever they stand.

    Attained by the middles of N equal parts, for every N.
    """
    word = sp.IndexedBase("word", real=True)
    epsilon = d.number("epsilon", 0)
    first, next_gap, last = d.domain(
        GAPS,
        le(word[0], epsilon),
        le(word[n + 1], word[n] + 2 * epsilon),
        ge(word[M] + epsilon, constant),
    )
    so_far = d.suppose("words so far", le(word[n], (2 * n + 1) * epsilon))
    reach_so_far = le(word[n], (2 * n + sign) * epsilon)
    reach_so_far = d.inductive("each reaches so far", reach_so_far, n, [first], [so_far, next_gap])
    reach_so_far = d.instantiate("the last", reach_so_far, {n: M})
    d.qed(d.derive("so all", ge(2 * (M + 1) * epsilon, 1), reach_so_far, last))


def _bind_two(words: Array) -> dict[str, Any]:
    return {
        **{"word": lambda place: words[min(place, len(words) - 1)], "epsilon": radius(words)},
        **{"M": len(words) - 1, "ranges": {"n": range(len(words))}},
    }


PROOFS = (
    Proof(FEWEST_BITS, prove, drop=BALL, change={"constant": 2}, bind=_bind),
    Proof(TWO_TOKENS, prove_two, drop=GAPS, change={"constant": F(1, 2)}, bind=_bind_two),
)
