"""What the covariance of a target looks like: sparse affinities? one component along the mean law?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.logits import Draws, synthetic
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.rdk.affinity import affinity_matrix

__all__ = ["KINDS", "TEMPERATURES", "near_zero", "rank_one", "rows_of", "sparsity", "spectrum"]

KINDS = ("probabilities", "logits", "tokens")
TEMPERATURES = tuple(10.0**-k for k in range(6))
"""Temperatures, as shares of the largest entry of Omega (which is a variance)."""


def near_zero(omega: Array, temperature: float) -> Array:
    r"""Share of the entries of each row of M that lie below 1/(10 V); rows of Eq. 2 from rows of Omega (n, V).

    >>> near_zero(np.array([[0.0, 0.0, np.log(100.0)]]), 1.0).round(6).tolist()
    [0.666667]
    """
    return (affinity_matrix(omega, temperature) < 1 / (10 * omega.shape[-1])).mean(axis=-1)


def rows_of(bank: Bank, kind: str, tokens: NDArray[np.intp]) -> tuple[Array, float]:
    """Rows (n, V) of the covariance of a feature, from the bank's factors, and its largest entry.

    Raises MissingPart for a bank without statistics.

    >>> from simspec.logits import open_bank
    >>> omega, largest = rows_of(open_bank("stories"), "tokens", np.array([3]))
    >>> omega.shape, bool(omega.max() <= largest)
    ((1, 2048), True)
    """
    if bank.statistics is None:
        raise MissingPart(
            f"bank: {bank.name!r} has no statistics; expected covariance factors (record it with --statistics N "
            "--statistics-text FILE)"
        )
    U, lam, diag = (np.asarray(x, dtype=np.float64) for x in bank.statistics.factors(kind))
    omega = (U[tokens] * lam) @ U.T
    omega[np.arange(len(tokens)), tokens] += diag[tokens]
    return omega, float(((U * U) @ lam + diag).max())


def _sparsity(bank: Bank, cell: Cell, rows: Rows) -> Values:
    tokens = np.floor(philox.uniform(rows.key, rows.numbers, [0])[:, 0] * bank.vocab).astype(int)
    omega, unit = rows_of(bank, cell["kind"], tokens)
    return {f"{share:g}": near_zero(omega, share * unit) for share in TEMPERATURES}


def sparsity(bank: Bank, data: str, rows: int = 256) -> Study:
    """Share of near-zero entries in sampled rows of the affinity, for each covariance; values by temperature."""
    return Study(
        name="affinity-sparsity",
        question="Are most entries of the affinity matrix near zero?",
        grid=tuple({"kind": kind, "data": data, "vocab": bank.vocab} for kind in KINDS),
        simulate=lambda cell, rows, device: _sparsity(bank, cell, rows),
        summary="share of a row's entries below 1/(10 V), rows drawn at random",
        rows=rows,
    )


def spectrum(features: Array, mean: Array) -> tuple[float, float]:
    r"""Share of the first eigenvalue in the trace of a covariance, and |cosine| of its eigenvector with `mean`.

    >>> share, cosine = spectrum(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.6, 0.8]))
    >>> round(share, 12), round(cosine, 12)
    (1.0, 0.6)
    """
    return _leading(np.cov(features, rowvar=False, bias=True), mean)


def _leading(covariance: Array, mean: Array) -> tuple[float, float]:
    """Share and |cosine| of the first eigenvector alone (Lanczos, from a fixed start)."""
    (linear,) = needs("a leading eigenvector", "scipy.sparse.linalg")
    if len(covariance) < 32:
        values, vectors = np.linalg.eigh(covariance)
        values = values[-1:]
        vectors = vectors[:, -1:]
    else:
        values, vectors = linear.eigsh(covariance, k=1, v0=np.linspace(1, 2, len(covariance)), ncv=32, tol=1e-8)
    return float(values[0] / np.trace(covariance)), float(abs(vectors[:, 0] @ mean) / np.linalg.norm(mean))


def _synthetic(cell: Cell, rows: Rows) -> Values:
    """Return share and cosine of the first eigenvector of three covariances, one value for each row."""
    contexts = cell["contexts"]
    vocab = cell["vocab"]
    records = []
    for row in rows.numbers:
        z = synthetic.student_t(
            Draws(rows.key, range(row * contexts, (row + 1) * contexts)),
            vocab,
            df=cell["df"] or np.inf,
            location=synthetic.zipf(vocab, 1),
            scale=cell["scale"],
        )
        p = softmax(z)
        mean = p.mean(axis=0)
        # diag(mean) − mean meanᵀ is the covariance of one-hot tokens
        pairs = [spectrum(p, mean), spectrum(z, mean), _leading(np.diag(mean) - np.outer(mean, mean), mean)]
        records.append([x for pair in pairs for x in pair])
    table = np.array(records).T
    return {
        f"{kind} {measure}": table[2 * i + j]
        for i, kind in enumerate(KINDS)
        for j, measure in enumerate(("share", "cosine"))
    }


def _real(bank: Bank, rows: Rows) -> Values:
    if bank.statistics is None:
        raise MissingPart(
            f"bank: {bank.name!r} has no statistics; expected spectra per document fold (record it with --statistics N "
            "--statistics-text FILE)"
        )
    values: Values = {}
    for kind in (*KINDS, "centred_logits"):
        spectrum = bank.statistics.spectrum(kind)
        for measure in ("share", "cosine"):
            fold = np.asarray(spectrum[f"fold_{measure}"], dtype=np.float64)[rows.numbers.start : rows.numbers.stop]
            values |= {f"{kind} {measure}": fold, f"{kind} {measure} all": np.full(len(fold), spectrum[measure])}
    return values


def rank_one(banks: dict[str, Bank], data: dict[str, str], rows: int = 10) -> Study:
    """How far one direction rules each covariance; a row is a document fold, or a synthetic replication.

    Synthetic cells draw logits with Zipf means (256 tokens, 1,024 contexts a replication, at most 5), Gaussian (df 0
    stands for that) and Student-t.
    """
    synthetic_cells: list[dict[str, Any]] = [
        {"source": "synthetic", "df": df, "scale": 2.0, "vocab": 256, "contexts": 1024, "rows": 5} for df in (0, 5)
    ]
    real = [{"source": "bank", "bank": name, "data": data[name], "rows": _folds(bank)} for name, bank in banks.items()]

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return _synthetic(cell, rows) if cell["source"] == "synthetic" else _real(banks[cell["bank"]], rows)

    return Study(
        name="rank-one",
        question="Does one component along the mean law dominate the covariance of the target?",
        grid=(*real, *synthetic_cells),
        simulate=simulate,
        summary="share of the first eigenvalue and its cosine with the mean law",
        rows=rows,
    )


def _folds(bank: Bank) -> int:
    return 1 if bank.statistics is None else len(bank.statistics.counts)
