"""What a bank knows of other documents: token counts, mean law, covariance factors, an affinity learnt from data.

Everything here is read from the bank; how it is measured is `simspec.logits.capture.accumulate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank.checked import CheckedFile

__all__ = ["KINDS", "OF_ANSWERS", "OF_BANK", "SPECTRA", "Affinity", "Statistics"]

OF_BANK = "statistics"
"""What the names of a bank's tensors begin with that are statistics of other documents."""
OF_ANSWERS = "answers_statistics"
"""The same of answers that the target wrote, where a bank has both."""

KINDS = ("probabilities", "logits", "tokens")
"""Features whose covariance is kept as factors."""

SPECTRA = ("probabilities", "logits", "tokens", "centred_logits")
"""Features whose leading eigenvalue is kept."""


class Affinity(NamedTuple):
    r"""Row-stochastic matrix learnt from data: row i is the mean target law given that the draft says token i.

    Row i holds up to K entries; the rest of its mass is spread as the mean target law.  Called on vectors v (..., V)
    over the target's vocabulary it returns :math:`M^\top v`, with
    :math:`M_{ij} = \sum_k value_{ik}[tokens_{ik} = j] + rest_i\, mean_j`.

    Attributes
    ----------
    rows : integer array (n,)
        target tokens i whose row has entries of its own; the other rows are the mean target law.
    tokens : integer array (n, K)
        target tokens j of the entries.
    value : float64 array (n, K)
        their probabilities, summing to at most one over a row.
    mean : float64 array (V,)
        mean target law.

    Examples
    --------
    >>> M = Affinity(np.array([0]), np.array([[1]]), np.array([[0.75]]), np.array([0.5, 0.5]))
    >>> M(np.array([1.0, 0.0])).tolist(), M(np.array([0.0, 1.0])).tolist()
    ([0.125, 0.875], [0.5, 0.5])
    """

    rows: NDArray[Any]
    tokens: NDArray[Any]
    value: NDArray[np.float64]
    mean: NDArray[np.float64]

    @property
    def rest(self) -> NDArray[np.float64]:
        """Mass of each row that is spread as the mean target law, shape (V,)."""
        rest = np.ones(len(self.mean))
        rest[self.rows] -= self.value.sum(axis=-1)
        return rest

    def __call__(self, v: NDArray[Any]) -> NDArray[Any]:
        v = np.asarray(v)
        vocab = len(self.mean)
        if v.shape[-1:] != (vocab,):
            raise ValueError(f"v: shape {v.shape}; expected a last axis of {vocab} target tokens")
        flat = v.reshape(-1, vocab)
        out = (flat @ self.rest)[:, None] * self.mean
        tokens = self.tokens.ravel().astype(np.intp)
        for row, weights in zip(out, flat[:, self.rows], strict=True):
            row += np.bincount(tokens, weights=(weights[:, None] * self.value).ravel(), minlength=vocab)
        return out.reshape(v.shape)


@dataclass(frozen=True, repr=False)
class Statistics:
    """Statistics of the target over contexts of documents that no evaluation context comes from.

    Get it from ``Bank.statistics``; documents are dealt into folds, so that every figure has an interval.

    Examples
    --------
    >>> from simspec.logits import open_bank
    >>> statistics = open_bank("stories").statistics
    >>> statistics.counts.shape[0], bool(abs(statistics.mean.sum() - 1) < 1e-12)
    (10, True)
    """

    file: CheckedFile
    has_affinity: bool = True
    """whether the affinity that the file may hold is that of the bank's draft in use"""
    prefix: str = OF_BANK
    """what the names of the tensors begin with: `OF_BANK` or `OF_ANSWERS`"""

    @property
    def source(self) -> str:
        """Under which name the provenance of the bank counts the documents."""
        return "statistics of answers" if self.prefix == OF_ANSWERS else "statistics"

    def __repr__(self) -> str:
        return f"Statistics({int(self.contexts.sum()):,} contexts, {len(self.contexts)} document folds)"

    def _read(self, name: str, rows: Any = slice(None)) -> NDArray[Any]:
        return self.file.read(f"{self.prefix}_{name}", rows)

    @cached_property
    def contexts(self) -> NDArray[np.int64]:
        """Number of contexts in each document fold, shape (folds,)."""
        return self._read("contexts")

    @cached_property
    def counts(self) -> NDArray[np.uint32]:
        """How often each token was the true next one, per document fold: shape (folds, V)."""
        return self._read("counts").astype(np.uint32)

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean target law, shape (V,)."""
        mean = self._read("mean").astype(np.float64)
        return mean / mean.sum()

    @cached_property
    def unigram(self) -> NDArray[np.float64]:
        """Law of the true next tokens, all folds: shape (V,)."""
        counts = self.counts.sum(axis=0, dtype=np.int64)
        return counts / counts.sum()

    def factors(self, kind: str) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        r"""Factors of the covariance of a feature, :math:`\Omega \approx U\,diag(lam)\,U^T + diag(diag)`.

        The feature is the target law (``"probabilities"``), its raw logits (``"logits"``), or the one-hot true next
        token (``"tokens"``, where the factors are exact: :math:`diag(f) - f f^T`).  For the first two U holds the
        leading eigenvectors, rounded to 16 bits, and diag is what they leave of the variances, at least 0: the
        diagonal of the covariance is met, what is lost lies outside it.

        Parameters
        ----------
        kind : {"probabilities", "logits", "tokens"}

        Returns
        -------
        U : float64 array (V, R)
        lam : float64 array (R,)
        diag : float64 array (V,)

        Raises
        ------
        ValueError
            for another kind.

        Examples
        --------
        >>> from simspec.logits import open_bank
        >>> U, lam, diag = open_bank("stories").statistics.factors("tokens")
        >>> U.shape, lam.tolist(), bool((diag == U[:, 0]).all())
        ((2048, 1), [-1.0], True)
        """
        _check(kind, KINDS)
        if kind == "tokens":
            return self.unigram[:, None], np.array([-1.0]), self.unigram
        U = self._read(f"{kind}_vectors").astype(np.float64)
        U = U * self._read(f"{kind}_scales")
        return (
            U,
            self._read(f"{kind}_values"),
            self._read(f"{kind}_diagonal").astype(float),
        )

    def spectrum(self, kind: str) -> dict[str, Any]:
        """How far one direction rules the covariance of a feature, over all contexts and per document fold.

        Parameters
        ----------
        kind : {"probabilities", "logits", "tokens", "centred_logits"}
            as in :meth:`factors`; ``"centred_logits"`` are logits less their mean over the vocabulary, context by
            context (raw logits carry an arbitrary constant).

        Returns
        -------
        dict
            ``trace`` (sum of the eigenvalues), ``top`` (largest), ``share`` (their ratio), ``cosine`` (absolute cosine
            of the first eigenvector and the mean target law), and ``fold_share``, ``fold_cosine``, one per fold, each
            with the fold's own covariance and mean law.

        Examples
        --------
        >>> from simspec.logits import open_bank
        >>> spectrum = open_bank("stories").statistics.spectrum("probabilities")
        >>> 0 < spectrum["share"] < 1, spectrum["fold_share"].shape
        (True, (10,))
        """
        _check(kind, SPECTRA)
        trace, top, cosine = self._read("spectra", SPECTRA.index(kind)).T
        share = top / trace
        return {
            "trace": float(trace[0]),
            "top": float(top[0]),
            "share": float(share[0]),
            "cosine": float(cosine[0]),
            "fold_share": share[1:],
            "fold_cosine": cosine[1:],
        }

    @cached_property
    def affinity(self) -> Affinity | Any:
        """Mean target law given what the draft says, or None where the bank has no draft.

        Row i is the weighted mean of the target laws, weights q_i.  Before accumulating, each context is cut to the
        draft's 8 and the target's 64 most likely tokens; afterwards each row is cut to its 24 largest entries.  What
        was cut is spread as the mean target law; so is all of a row that no context speaks for.
        """
        if "affinity_rows" not in self.file or not self.has_affinity:
            return None
        rows, tokens, value = (self.file.read(f"affinity_{field}") for field in ("rows", "tokens", "value"))
        return Affinity(rows, tokens, value.astype(np.float64), self.mean)


def _check(kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise ValueError(f"kind: {kind!r}; expected one of {', '.join(map(repr, kinds))}")
