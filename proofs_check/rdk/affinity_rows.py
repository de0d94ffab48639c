"""rdk.affinity-rows: Eq. 2 normalises exponentials; normalised covariances would be 0/0, as covariances of laws sum to zero."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, V, eq, gt, i, index, j, total
from simspec.claims.claim import Instance
from simspec.claims.rdk.affinity_rows import AFFINITY_ROWS, AFFINITY_ROWS_CORRECTED
from simspec.claims.rdk.softmax import covariance_of
from simspec.laws import exact

c = index("c")


def by_size(vocabularies: range = range(1, 3), largest: int = 2) -> Iterator[Instance]:
    """Covariance matrices of two integer vectors up to `largest`, by vocabulary, then by size; laws that go with them."""
    for vocab in vocabularies:
        for size in range(largest + 1):
            for rows in product(range(size + 1), repeat=2 * vocab):
                vectors = exact(list(rows)).reshape(2, vocab)
                X = np.stack([exact([1] + [0] * (vocab - 1)), exact([0] * (vocab - 1) + [1])])
                yield {"omega": covariance_of(vectors), "tau": exact([1])[0], "X": X}


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, Ω and τ, any number of laws; that all entries of a row are positive is read off their mean sign."""
    omega = sp.IndexedBase("omega", real=True)
    X = sp.IndexedBase("X", real=True)
    tau = d.number("tau", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    Z = sp.IndexedBase("Z", positive=True)
    M = sp.IndexedBase("M", real=True)
    e = sp.exp(omega[i, j] / tau)
    z_is = d.define("the normaliser of a row", Z[i], total(e, j))
    m_is = d.define("Eq. 2", M[i, j], constant * e / Z[i])
    row_entries = d.summed("an entry", eq(M[i, j], m_is.relation.rhs), m_is, over=j)
    row = d.derive("a row sums to one", eq(total(M[i, j], j), 1), row_entries, z_is)
    positive = d.derive("an entry is positive", gt(M[i, j], 0), m_is)
    size = d.derive("so it is its own size", eq(sp.Abs(M[i, j]), M[i, j]), positive)
    signs = d.summed("and its sign is 1", eq(M[i, j] / sp.Abs(M[i, j]), 1), size, positive, over=j)
    signs = d.derive("all signs of a row are 1", eq(total(M[i, j] / sp.Abs(M[i, j]), j) / V, 1), signs)

    laws = d.domain("the rows of X sum to one", eq(total(X[c, j], j), 1))
    m = sp.IndexedBase("m", real=True)
    mean_is = d.define("the mean law", m[i], total(X[c, i], c, upto=n) / n)
    mass = d.sum("over the vocabulary", d.instantiate("at another token", mean_is, {i: j}), j)
    texts = d.summed("no law has more or less", eq(total(X[c, j], j) - 1, 0), laws, over=c, upto=n)
    mass = d.derive("the mean law sums to one", eq(total(m[j], j), 1), mass, texts)
    term = eq((X[c, i] - m[i]) * total(X[c, j] - sign * m[j], j), 0)
    term = d.summed("a deviation from the mean sums to zero", term, laws, mass, over=c, upto=n)
    centred = (X[c, i] - m[i]) * (X[c, j] - m[j])
    covariance = eq(total(total(centred, c, upto=n) / n, j), 0)
    covariance = d.derive("so a row of the covariance sums to zero", covariance, term)
    one_hot = d.derive("one-hot: m_i on the diagonal less m_i m_j", eq(m[i] - total(m[i] * m[j], j), 0), mass)
    d.qed(row, signs, covariance, one_hot)


PROOFS = (
    Refutation(
        AFFINITY_ROWS,
        by_size,
        scope="the first covariance of two integer vectors, by vocabulary and then by the largest integer, at τ = 1; with one "
        "token the statement holds",
        repaired={"the softmax form": AFFINITY_ROWS_CORRECTED, "V = 1": lambda: by_size(range(1, 2))},
    ),
    Proof(
        AFFINITY_ROWS_CORRECTED,
        prove,
        drop="the rows of X sum to one",
        bind=lambda X, omega, tau: {
            **{"X": X, "omega": omega, "tau": tau, "n": len(X), "V": len(omega)},
            "ranges": {"c": range(1, len(X) + 1)},
        },
    ),
)
