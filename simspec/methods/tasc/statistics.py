r"""Statistics of a tokenised corpus: its token law, n-gram counts, typical set and surprisals; rows for new tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, Scalar, exact, is_exact
from simspec.methods.tasc.merging import checked_texts

__all__ = [
    "mean_logits",
    "mean_rows",
    "ngram_counts",
    "surprisals",
    "token_counts",
    "token_law",
    "typical_set_size",
]


def token_counts(texts: Iterable[Sequence[int]], vocab: int) -> Array:
    """How often each token occurs, int64 (vocab,).

    >>> token_counts([[0, 1], [1]], vocab=3).tolist()
    [1, 2, 0]
    """
    flat = np.array([t for text in checked_texts(texts, vocab) for t in text], dtype=np.int64)
    return np.bincount(flat, minlength=vocab).astype(np.int64)


def token_law(texts: Iterable[Sequence[int]], vocab: int, exactly: bool = False) -> Array:
    """Empirical law of the tokens (vocab,), float64, or fractions with `exactly`.

    >>> token_law([[0, 1], [1, 1]], vocab=2).tolist()
    [0.25, 0.75]
    """
    counts = token_counts(texts, vocab)
    if not counts.any():
        raise ValueError("texts: no token; expected at least one")
    return exact(counts) / int(counts.sum()) if exactly else counts / counts.sum()


def surprisals(texts: Iterable[Sequence[int]], law: Array) -> list[Array]:
    r"""Surprisal :math:`-\log p(t)` in nats of each token under a token law, one array for each text; infinite without mass.

    >>> [s.round(6).tolist() for s in surprisals([[0, 1], []], np.array([1.0, 0.0]))]
    [[0.0, inf], []]
    """
    with np.errstate(divide="ignore"):
        costs = np.maximum(-np.log(law), 0)
    return [costs[np.array(text, dtype=np.int64)] for text in checked_texts(texts, len(law))]


def ngram_counts(texts: Iterable[Sequence[Hashable]], n: int) -> Array:
    """Counts of the n-grams that occur, the most frequent first, within texts (of words, token ids, ...).

    >>> ngram_counts([["a", "b", "a", "b"]], 2).tolist()
    [2, 1]
    """
    whole_number("n", n, 1, None, "a number of tokens >= 1")
    counts: Counter[tuple[Hashable, ...]] = Counter()
    for text in texts:
        counts.update(zip(*(text[k:] for k in range(n)), strict=False))
    return np.array(sorted(counts.values(), reverse=True), dtype=np.int64)


def typical_set_size(counts: Array, share: Scalar = Fraction(4, 5)) -> int:
    r"""Fewest entries that together hold at least a share of the whole, :math:`|A|` of TASC, Section 3.

    Parameters
    ----------
    counts : array (V,); counts (integers, decided exactly) or a law
    share : number in (0, 1]; a float is read as the decimal it is written as

    Raises ValueError for a share outside its domain, or counts without mass.

    >>> typical_set_size(np.array([1, 7, 1, 1])), typical_set_size(np.array([1, 7, 1, 1]), 0.7)
    (2, 1)
    """
    if not 0 < share <= 1:
        raise ValueError(f"share: {share}; expected 0 < share <= 1")
    values = np.asarray(counts)
    if values.ndim != 1 or not values.size or not values.sum() > 0 or (values < 0).any():
        raise ValueError(f"counts: shape {values.shape}, or no mass; expected counts (V,) with a positive sum")
    sums = np.cumsum(np.sort(values)[::-1])
    exact_share = Fraction(str(share)) if isinstance(share, float) else Fraction(share)
    if values.dtype.kind == "f":  # a sum of floats may miss the share by rounding
        return int(np.searchsorted(sums, float(exact_share) * sums[-1] * (1 - 1e-12)) + 1)
    return int(np.searchsorted(sums, -(-exact_share.numerator * sums[-1] // exact_share.denominator)) + 1)


def mean_rows(rows: Array, ngrams: Iterable[Sequence[int]]) -> Array:
    r"""Rows of new tokens, each the mean of its constituents' rows, :math:`e = \frac1n \sum_j e_{t_j}` (TASC, Section 4.2).

    Parameters
    ----------
    rows : array (V, d), of the embedding or the LM head; float or fractions
    ngrams : sequences of ids
        constituents of each new token; ids from V on are earlier new tokens, whose row is a mean already.  Give
        `enrich_encode.expansions` for the mean over base tokens, which differs when merges are nested.

    Returns
    -------
    array (M, d)
        in the arithmetic of `rows`.

    Raises ValueError for a row array that is not (V, d), an empty n-gram or an id that is not there yet.

    >>> mean_rows(np.array([[0.0], [1.0]]), [(0, 1), (2, 1)]).tolist(), mean_rows(np.array([[0.0], [1.0]]), [(0, 1, 1)])
    ([[0.5], [0.75]], array([[0.66666667]]))
    """
    table = np.asarray(rows)
    if table.ndim != 2 or table.dtype.kind not in "fO":
        raise ValueError(f"rows: {table.dtype} of shape {table.shape}; expected floats or fractions (V, d)")
    vocab = len(table)
    all_rows = list(table)
    for ngram in ngrams:
        if not len(ngram) or min(ngram) < 0 or max(ngram) >= len(all_rows):
            raise ValueError(f"ngrams: {tuple(ngram)}; expected ids in [0, {len(all_rows)}), at least one")
        total = sum(all_rows[t] for t in ngram[1:]) + all_rows[ngram[0]]
        all_rows.append(total * Fraction(1, len(ngram)) if is_exact(table) else total / table.dtype.type(len(ngram)))
    return np.stack(all_rows[vocab:]) if len(all_rows) > vocab else table[:0]


def mean_logits(logits: Array, ngrams: Iterable[Sequence[int]]) -> Array:
    """Logits (..., M) of new tokens whose head rows are means: the means of their constituents' logits (..., V).

    >>> mean_logits(np.array([[1.0, 3.0, 0.0]]), [(0, 1)]).tolist()
    [[2.0]]
    """
    z = np.asarray(logits)
    rows = mean_rows(z.reshape(-1, z.shape[-1]).T, ngrams)
    return rows.T.reshape(*z.shape[:-1], len(rows))
