"""Streamed statistics of target and draft laws: no more memory than a few vectors per fold, whatever is streamed.

Two passes over the contexts.  The first gives means, variances, token counts and a random sketch of each covariance;
the second multiplies each covariance by the sketch's basis (one step of subspace iteration) and collects the learnt
affinity.  Leading eigenpairs follow by the Nyström formula (Tropp, Yurtsever, Udell and Cevher 2017, Algorithm 3).
Sums are float64 throughout: probabilities are tiny.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import softmax
from simspec.logits.bank.statistics import SPECTRA

__all__ = ["Accumulator", "AffinitySum", "Covariance", "needed", "token_spectrum"]

FOLDS = 10
RANK = 16
OVERSAMPLING = 16
DRAFT_TOP = 8
TARGET_TOP = 64
ROW_TOP = 24
_AFFINITY = ("tokens", "weights", "index", "value")
_FEATURES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "probabilities": lambda z: softmax(z),
    "logits": lambda z: z,
    "centred_logits": lambda z: z - z.mean(axis=-1, keepdims=True),
}


def needed(vocab: int, folds: int = FOLDS) -> int:
    """Bytes of memory that an `Accumulator` takes: sums, squares and products of each fold, sketches and a basis.

    >>> round(needed(50_000) / 1e9, 2)
    0.52
    """
    width = min(RANK + OVERSAMPLING, vocab)
    return len(_FEATURES) * 8 * vocab * (folds * (2 + width) + 3 * width)


class Covariance:
    """Streamed covariance of V features in folds: exact means and variances, leading eigenpairs to high accuracy."""

    def __init__(self, vocab: int, folds: int = FOLDS, rank: int = RANK, oversampling: int = OVERSAMPLING) -> None:
        self.rank = min(rank, vocab)
        width = min(rank + oversampling, vocab)
        self.count = np.zeros(folds)
        self.sums, self.squares = np.zeros((folds, vocab)), np.zeros((folds, vocab))
        self._test = np.random.default_rng(0).standard_normal((vocab, width))
        self._sketch = np.zeros((vocab, width))
        self._basis: NDArray[np.float64] | None = None
        self._products = np.zeros((folds, vocab, width))

    def first(self, x: NDArray[np.float64], fold: int) -> None:
        """First pass over rows `x` (n, V) of one fold."""
        self.count[fold] += len(x)
        self.sums[fold] += x.sum(axis=0)
        self.squares[fold] += np.einsum("nv,nv->v", x, x)
        self._sketch += x.T @ (x @ self._test)

    def second(self, x: NDArray[np.float64], fold: int) -> None:
        """Second pass over the same rows."""
        if self._basis is None:
            mean = self.sums.sum(axis=0) / self.count.sum()
            self._basis = np.linalg.qr(self._sketch / self.count.sum() - np.outer(mean, mean @ self._test))[0]
        self._products[fold] += x.T @ (x @ self._basis)

    def state(self) -> dict[str, NDArray[np.float64]]:
        """All that has been summed."""
        arrays = {"count": self.count, "sums": self.sums, "squares": self.squares, "sketch": self._sketch}
        return arrays if self._basis is None else arrays | {"basis": self._basis, "products": self._products}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        self.count, self.sums, self.squares, self._sketch = (
            state[name] for name in ("count", "sums", "squares", "sketch")
        )
        if "basis" in state:
            self._basis, self._products = state["basis"], state["products"]

    def moments(self, fold: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and variance of each feature, over one fold or all."""
        pick = slice(None) if fold is None else slice(fold, fold + 1)
        count = self.count[pick].sum()
        mean = self.sums[pick].sum(axis=0) / count
        return mean, np.maximum(self.squares[pick].sum(axis=0) / count - mean**2, 0)

    def eigenpairs(self, fold: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leading eigenvalues (R,) in falling order and eigenvectors (V, R), over one fold or all."""
        if self._basis is None:
            raise ValueError("fold: the second pass has not run; expected both passes before eigenpairs")
        pick = slice(None) if fold is None else slice(fold, fold + 1)
        mean, variance = self.moments(fold)
        product = self._products[pick].sum(axis=0) / self.count[pick].sum() - np.outer(mean, mean @ self._basis)
        shift = np.finfo(float).eps * (variance.sum() + np.finfo(float).tiny) * len(mean) ** 0.5
        shifted = product + shift * self._basis
        inner = self._basis.T @ shifted
        values, vectors = np.linalg.eigh((inner + inner.T) / 2)
        root = vectors / np.sqrt(np.maximum(values, shift))
        left_vectors, singular, _ = np.linalg.svd(shifted @ root, full_matrices=False)
        return np.maximum(singular**2 - shift, 0)[: self.rank], left_vectors[:, : self.rank]


def token_spectrum(f: NDArray[np.float64]) -> tuple[float, float, NDArray[np.float64]]:
    r"""Trace, largest eigenvalue and its eigenvector of :math:`diag(f) - f f^T`, the covariance of one-hot tokens.

    The eigenvalue is the root of :math:`\sum_i f_i^2/(f_i - x) = 1` between the two largest entries of f.

    Examples
    --------
    >>> trace, top, vector = token_spectrum(np.array([0.5, 0.5]))
    >>> trace, top, vector.round(6).tolist()
    (0.5, 0.5, [0.707107, -0.707107])
    """
    second, first = np.sort(f)[-2:].tolist() if len(f) > 1 else (0.0, 1.0)
    low = second
    high = first
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if (f * f / (f - middle)).sum() > 1:
            high = middle
        else:
            low = middle
    vector = np.zeros(len(f))
    largest = np.argsort(-f, kind="stable")[:2]
    if first == second:
        vector[largest] = [1, -1]
    elif low == second:
        vector[largest[0]] = 1
    else:
        vector = f / (f - low)
    return float(f.sum() - f @ f), low if first > second else first, vector / np.linalg.norm(vector)


class AffinitySum:
    """Streamed sums of target laws weighted by draft probabilities, both cut to their most likely tokens."""

    def __init__(self, vocab: int, draft_to_target: NDArray[np.int32]) -> None:
        self._vocab, self._map = vocab, draft_to_target
        self._parts: list[tuple[NDArray[Any], ...]] = []

    def add(self, p: NDArray[np.float64], q: NDArray[np.float64]) -> None:
        """Add contexts: target laws (n, V) and draft laws (n, Vd), the draft's in its own vocabulary."""
        tokens, weights = _largest(q, DRAFT_TOP)
        tokens = self._map[tokens]
        self._parts.append((tokens, np.where(tokens < 0, 0, weights), *_largest(p, TARGET_TOP)))

    def state(self) -> dict[str, NDArray[Any]]:
        """All that was added."""
        if not self._parts:
            return {}
        self._parts = [tuple(np.concatenate(pieces) for pieces in zip(*self._parts, strict=True))]
        return dict(zip(_AFFINITY, self._parts[0], strict=True))

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        self._parts = [tuple(state[name] for name in _AFFINITY)] if state else []

    def rows(self) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[np.float16]]:
        """Rows that have data (n,), their target tokens (n, 24) and probabilities, rounded down to 16 bits."""
        from scipy.sparse import csr_array

        tokens, weights, index, value = (np.concatenate(pieces) for pieces in zip(*self._parts, strict=True))
        weight = _sparse(np.maximum(tokens, 0), weights, self._vocab)
        joint = csr_array(weight.T @ _sparse(index, value, self._vocab))
        mass = weight.sum(axis=0)
        width = min(ROW_TOP, self._vocab)
        kind = np.uint16 if self._vocab <= 1 << 16 else np.uint32
        spoken = np.flatnonzero(mass)
        row_tokens = np.zeros((len(spoken), width), kind)
        laws = np.zeros((len(spoken), width))
        for n, i in enumerate(spoken):
            columns, masses = (a[joint.indptr[i] : joint.indptr[i + 1]] for a in (joint.indices, joint.data))
            best = np.lexsort((columns, -masses))[:width]
            row_tokens[n, : len(best)] = columns[best]
            laws[n, : len(best)] = masses[best] / mass[i]
        return spoken.astype(np.int32), row_tokens, _floor16(laws)


def _largest(laws: NDArray[np.float64], top: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Tokens and probabilities of the `top` most likely tokens of each row."""
    top = min(top, laws.shape[-1])
    tokens = np.argpartition(-laws, top - 1, axis=-1)[:, :top].astype(np.int32)
    return tokens, np.take_along_axis(laws, tokens, axis=-1)


def _sparse(columns: NDArray[Any], values: NDArray[np.float64], width: int) -> Any:
    from scipy.sparse import csr_array

    rows, row_size = columns.shape
    return csr_array(
        (values.ravel(), columns.ravel(), np.arange(0, rows * row_size + 1, row_size)), shape=(rows, width)
    )


def _floor16(x: NDArray[np.float64]) -> NDArray[np.float16]:
    """Largest 16-bit floats that do not exceed non-negative `x`."""
    rounded = x.astype(np.float16)
    return np.where(rounded.astype(float) > x, np.nextafter(rounded, np.float16(0)), rounded).astype(np.float16)


class Accumulator:
    """All statistics of a bank, streamed: :meth:`first` on every batch, then :meth:`second`, then :meth:`tensors`."""

    def __init__(self, vocab: int, draft_to_target: NDArray[np.int32] | None, folds: int = FOLDS) -> None:
        self.covariances = {kind: Covariance(vocab, folds) for kind in _FEATURES}
        self.counts = np.zeros((folds, vocab), dtype=np.int64)
        self.affinity = None if draft_to_target is None else AffinitySum(vocab, draft_to_target)

    def first(self, target: NDArray[Any], following: NDArray[Any], fold: int) -> None:
        """First pass over target logits (n, V) and true next tokens (n,) of contexts of one fold."""
        self.counts[fold] += np.bincount(following, minlength=self.counts.shape[1])
        for kind, feature in _FEATURES.items():
            self.covariances[kind].first(feature(target.astype(np.float64)), fold)

    def second(self, target: NDArray[Any], draft: NDArray[Any] | None, fold: int) -> None:
        """Second pass over the same target logits, and the draft's (n, Vd) in its own vocabulary."""
        target = target.astype(np.float64)
        for kind, feature in _FEATURES.items():
            self.covariances[kind].second(feature(target), fold)
        if self.affinity is not None and draft is not None:
            self.affinity.add(softmax(target), softmax(draft.astype(np.float64)))

    def sums(self) -> dict[str, NDArray[Any]]:
        """All that has been summed so far, for `restore`: a run that is interrupted goes on to the same last bit."""
        arrays: dict[str, NDArray[Any]] = {"counts": self.counts}
        for kind, covariance in self.covariances.items():
            arrays |= {f"{kind} {name}": array for name, array in covariance.state().items()}
        affinity = {} if self.affinity is None else self.affinity.state()
        return arrays | {f"affinity {name}": array for name, array in affinity.items()}

    def restore(self, sums: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `sums` gave."""

        def of(prefix: str) -> dict[str, NDArray[Any]]:
            return {name.partition(" ")[2]: array for name, array in sums.items() if name.startswith(f"{prefix} ")}

        self.counts = sums["counts"]
        for kind, covariance in self.covariances.items():
            covariance.restore(of(kind))
        if self.affinity is not None:
            self.affinity.restore(of("affinity"))

    def tensors(self) -> dict[str, NDArray[Any]]:
        """What the bank stores; read back by :class:`simspec.logits.bank.statistics.Statistics`."""
        if not self.counts.sum(axis=1).all():
            raise ValueError(
                "statistics: a document fold is empty; expected contexts in every fold (give more documents)"
            )
        laws = self.covariances["probabilities"]
        small = self.counts.max() < 1 << 16
        tensors: dict[str, NDArray[Any]] = {
            "statistics_contexts": self.counts.sum(axis=1),
            "statistics_counts": self.counts.astype(np.uint16 if small else np.uint32),
            "statistics_mean": laws.moments()[0].astype(np.float32),
            "statistics_spectra": np.array([[self._spectrum(kind, f) for f in self._folds()] for kind in SPECTRA]),
        }
        for kind in ("probabilities", "logits"):
            values, vectors = self.covariances[kind].eigenpairs()
            scales = abs(vectors).max(axis=0)
            stored = (vectors / scales).astype(np.float16)
            low_rank = np.einsum("vr,r->v", (stored.astype(float) * scales) ** 2, values)
            residual_variance = np.maximum(self.covariances[kind].moments()[1] - low_rank, 0)
            tensors |= {
                f"statistics_{kind}_vectors": stored,
                f"statistics_{kind}_scales": scales,
                f"statistics_{kind}_values": values,
                f"statistics_{kind}_diagonal": residual_variance.astype(np.float32),
            }
        if self.affinity is not None:
            tensors |= dict(
                zip(("affinity_rows", "affinity_tokens", "affinity_value"), self.affinity.rows(), strict=True)
            )
        return tensors

    def _folds(self) -> list[int | None]:
        return [None, *range(len(self.counts))]

    def _spectrum(self, kind: str, fold: int | None) -> tuple[float, float, float]:
        """Trace, largest eigenvalue, and cosine of its eigenvector with the mean law, of one fold or all."""
        mean = self.covariances["probabilities"].moments(fold)[0]
        if kind == "tokens":
            counts = self.counts.sum(axis=0) if fold is None else self.counts[fold]
            trace, top, vector = token_spectrum(counts / counts.sum())
        else:
            values, vectors = self.covariances[kind].eigenpairs(fold)
            trace = self.covariances[kind].moments(fold)[1].sum()
            top = values[0]
            vector = vectors[:, 0]
        return float(trace), float(top), float(abs(vector @ mean) / np.linalg.norm(mean))
