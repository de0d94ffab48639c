"""Proposals from the text itself, found by one search: prompt lookup.

A search keeps nothing and reads the text anew.  For a text that grows, `simspec.kernels.ngram.text` keeps all n-grams.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory
from simspec.kernels.choose import choose

__all__ = ["FAR", "Proposal", "Search", "at_least", "end_tokens", "prompt_lookup"]

SMALL = 256
"""Tokens below which the reference does the work."""
FAR = 2**62
"""A limit that no text reaches."""

Array = NDArray[Any]


class Search(NamedTuple):
    """What is looked for, and what is proposed.

    Attributes
    ----------
    n_max, n_min : int >= 1
        longest and shortest suffix; transformers calls the longest `max_matching_ngram_size`.
    num : int >= 0
        most tokens proposed; `num_output_tokens`.
    latest : bool
        the last earlier place instead of the first.
    limit : int, optional
        transformers' `max_length`: nothing is copied from place `limit` on, and a text of limit - 1 tokens, to which
        the target adds its last one itself, gets no proposal.
    stop : tokens
        the proposal ends before the first of these; `eos_token_id`.
    """

    n_max: int = 2
    n_min: int = 1
    num: int = 10
    latest: bool = False
    limit: int | None = None
    stop: Iterable[int] = ()


class Proposal(NamedTuple):
    """What is proposed after each text: arrays (..., num) and (...,), integers for one text.

    `tokens` are the proposed ones, then -1; `length` how many there are; `order` the number of tokens that matched (0:
    none did, and nothing is proposed); `start` the place they are copied from.
    """

    tokens: Array
    length: Array
    order: Array
    start: Array


def prompt_lookup(
    texts: ArrayLike,
    lengths: ArrayLike | None = None,
    search: Search | None = None,
    *,
    threads: int | None = None,
) -> Proposal:
    r"""Propose the tokens that followed the longest suffix of each text where it occurred before.

    With s the largest number of tokens, :math:`n_{\min} \le s \le n_{\max}`, for which an earlier place of the text
    ends with its last s tokens, the proposal is what stands after the first such place (or the last), up to `num`
    tokens.  The place may overlap the suffix; the suffix itself is no earlier place.

    Parameters
    ----------
    texts : integers (..., T)
        one text, or many; int32 and int64 in C order are read in place, others are copied.
    lengths : integers (...,), optional
        tokens of each text, the rest is padding; T by default.
    search : Search, optional
        `Search()` by default.
    threads : int, optional
        at most, for many texts; all cores by default.  Does not change the result.

    Returns
    -------
    Proposal

    Raises
    ------
    ValueError
        for settings or lengths out of range, and texts that are not integers.

    Notes
    -----
    With the defaults, transformers' `PromptLookupCandidateGenerator` (for one text, without logits processors), whose
    search runs once for each size.  Here one pass looks for all sizes and stops at a place where n_max tokens agree:
    at most T comparisons of two tokens, mostly 128 at a time.  Memory: the result, and the copy if there is one.
    `simspec.kernels.ngram.reference.lookup` defines the result.

    Examples
    --------
    >>> prompt_lookup([5, 6, 7, 8, 5, 6], search=Search(num=3))._asdict()
    {'tokens': array([7, 8, 5]), 'length': np.int64(3), 'order': np.int64(2), 'start': np.int64(2)}
    """
    search = Search() if search is None else search
    x = np.asarray(texts)
    if x.ndim == 0 or (x.dtype.kind not in "iu" and x.size):
        raise ValueError(f"texts: {x.dtype} array of shape {x.shape}; expected integers (..., T)")
    if x.dtype != np.int64 and x.dtype != np.int32:
        if x.size and x.dtype.kind == "u" and x.max() >= 2**63:
            raise ValueError(f"texts: token {x.max()}; expected integers below 2**63")
        x = x.astype(np.int64)
    n_max = at_least("n_max", search.n_max, 1)
    n_min = at_least("n_min", search.n_min, 1)
    num = at_least("num", search.num, 0)
    if n_min > n_max:
        raise ValueError(f"n_min: {n_min}; expected 1 <= n_min <= {n_max}, the longest suffix")
    limit = FAR if search.limit is None else at_least("limit", search.limit, 0, clip=True)
    shape = x.shape[:-1]
    longest = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(math.prod(shape), longest).view()
    rows.flags.writeable = False  # always, as Numba would compile once more for either kind
    sizes = np.full(len(rows), longest) if lengths is None else _lengths(lengths, shape, longest)
    ends = end_tokens(search.stop)
    check_memory("num", num, 8 * len(rows) * num)
    tokens = np.empty((len(rows), num), dtype=np.int64)
    about = np.empty((3, len(rows)), dtype=np.int64)
    settings = n_max, n_min, num, bool(search.latest), limit, ends
    choose("ngram", "search", x.size, SMALL, threads=threads)(rows, sizes, settings, tokens, about)
    order, start, length = about.reshape(3, *shape)
    return Proposal(tokens.reshape(*shape, num), length, order, start)


def at_least(name: str, value: object, minimum: int, clip: bool = False) -> int:
    """`value` as an integer, when it is one that is not too small; from `FAR` on refused, or `FAR` itself with `clip`.

    >>> at_least("num", 2**70, 0, clip=True) == FAR
    True
    >>> at_least("n_max", 0, 1)
    Traceback (most recent call last):
    ...
    ValueError: n_max: 0; expected an integer of at least 1, below 2**62
    """
    if not isinstance(value, int | np.integer) or value < minimum or (value >= FAR and not clip):
        raise ValueError(f"{name}: {value}; expected an integer of at least {minimum}{'' if clip else ', below 2**62'}")
    return min(int(value), FAR)


def end_tokens(stop: Iterable[Any]) -> NDArray[np.int64]:
    """The tokens before which a proposal ends, as an array.

    >>> end_tokens([0.5])
    Traceback (most recent call last):
    ...
    ValueError: stop: token 0.5; expected an integer
    """
    try:
        tokens = list(stop)
    except TypeError:
        raise ValueError(f"stop: {stop!r}; expected a sequence of tokens") from None
    for token in tokens:
        if not isinstance(token, int | np.integer) or not -(2**63) <= token < 2**63:
            raise ValueError(f"stop: token {token!r}; expected an integer")
    return np.array(tokens, dtype=np.int64)


def _lengths(lengths: ArrayLike, shape: tuple[int, ...], longest: int) -> Array:
    x = np.asarray(lengths)
    if x.shape != shape or (x.size and x.dtype.kind not in "iu"):
        raise ValueError(f"lengths: {x.dtype} array of shape {x.shape}; expected integers of shape {shape}")
    if (wrong := x[(x < 0) | (x > longest)]).size:
        raise ValueError(f"lengths: {wrong.flat[0]}; expected integers of 0..{longest}")
    return x.astype(np.int64).ravel()
