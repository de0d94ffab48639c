"""All n-grams of one growing text: proposals and counts whose time does not grow with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory
from simspec.kernels.ngram import FAR, at_least, end_tokens
from simspec.kernels.ngram import numba_ngram as ngram_loops

__all__ = ["TextNgrams"]

Array = NDArray[Any]


class TextNgrams:
    r"""All n-grams of one growing text: prompt lookup and back-off counts in time O(n_max) a token.

    Parameters
    ----------
    n_max : int >= 1
        longest suffix of `propose`, and largest order of `match` and `draft` (contexts of up to n_max - 1 tokens).
    tokens : integers
        what the text begins with.
    capacity : int
        tokens to make room for at once; a longer text grows by doubling.

    Notes
    -----
    A token costs n_max look-ups in a hash table, whose keys are compared in full (a collision costs time and changes
    nothing); so does a draft; a proposal reads at most n_max numbers.  Memory: at most 48 n_max + 4 bytes a token of
    capacity, for as many different n-grams as there can be: 32 bytes for each, 4 a token, and 8 to 16 for the slots, at most
    half of which are taken.  A text that grows past it has room for at most twice its length, and has the old and the new
    arrays for a moment.  Not for several threads at once.

    Examples
    --------
    >>> text = TextNgrams(2, [5, 6, 7, 8, 5])
    >>> text.append(6)
    >>> text.propose(3).tolist()
    [7, 8, 5]
    >>> order, tokens, counts = text.match([5])
    >>> order, tokens.tolist(), counts.tolist()
    (2, [6], [2])
    """

    def __init__(self, n_max: int, tokens: ArrayLike = (), capacity: int = 256) -> None:
        self.n_max = at_least("n_max", n_max, 1)
        check_memory("n_max", n_max, 24 * self.n_max)
        self._text = np.empty(0, dtype=np.int32)
        self._nodes = np.zeros((1, 8), dtype=np.int32)
        self._slots = np.zeros(1, dtype=np.int32)
        self._state = np.zeros(5 + 3 * self.n_max, dtype=np.int64)
        self._state[1] = 1  # the root
        self._length = self._room = 0
        self._reserve(at_least("capacity", capacity, 0))
        self.extend(tokens)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"TextNgrams(n_max={self.n_max}: {self._length:,} tokens, {int(self._state[1]) - 1:,} n-grams)"

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        return sum(x.nbytes for x in (self._text, self._nodes, self._slots, self._state))

    @property
    def text(self) -> Array:
        """The text so far (T,): a read-only view."""
        return self._seen[: self._length]

    def append(self, token: SupportsIndex) -> None:
        """Add one token.

        Raises
        ------
        ValueError
            unless it is an integer of 0..2**31 - 1.
        """
        try:
            number = token.__index__()
        except AttributeError:
            raise _no_token("token", token) from None
        if not 0 <= number < 2**31:
            raise _no_token("token", token)
        if not self._room:
            self._reserve(1)
        ngram_loops.append(self._text, self._nodes, self._slots, self._state, self.n_max, number)
        self._length += 1
        self._room -= 1

    def extend(self, tokens: ArrayLike) -> None:
        """Add tokens (m,), or none of them when one is wrong.

        Raises
        ------
        ValueError
            unless they are integers of 0..2**31 - 1.
        """
        self._add("tokens", _flat("tokens", tokens))

    def propose(
        self,
        num: int = 10,
        n_min: int = 1,
        latest: bool = False,
        limit: int | None = None,
        stop: Iterable[int] = (),
    ) -> Array:
        """The tokens that `prompt_lookup` proposes after this text, int32 (at most num,), a read-only view of the
        text; empty when there are none.

        Raises
        ------
        ValueError
            for a negative `num`, an `n_min` below 1 or above n_max, a text that is longer than `limit`, and a `stop`
            that is no sequence of integers.
        """
        if type(num) is not int or type(n_min) is not int or not 0 <= num < FAR or not 1 <= n_min <= self.n_max:
            num = at_least("num", num, 0, clip=True)
            n_min = self._order(n_min)
        if limit is None:
            limit = FAR
        elif type(limit) is not int or limit >= FAR:
            limit = at_least("limit", limit, 0, clip=True)
        if limit < self._length:
            raise ValueError(f"limit: {limit}; expected at least the length of the text, {self._length}")
        start, end = ngram_loops.propose(self._state, n_min, num, latest, limit)
        tokens = self._seen[start:end]
        if not isinstance(stop, tuple) or stop:  # an array has no truth value
            ends = np.flatnonzero(np.isin(tokens, end_tokens(stop)))
            return tokens[: ends[0]] if ends.size else tokens
        return tokens

    def match(
        self, context: ArrayLike | None = None, min_count: int = 1, n_min: int = 1
    ) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """Order, tokens (ascending) and counts after the longest suffix of a context that some kept n-gram continues.

        Parameters
        ----------
        context : integers, optional
            the text by default; the last n_max - 1 are read.
        min_count : int >= 1
            n-grams seen fewer times are left out.
        n_min : int
            smallest order that is asked, 1 <= n_min <= n_max.  When none answers: order 0, and the most frequent token
            (of equals the lowest; 0 in an empty text) with count 1.

        Notes
        -----
        The rules of TASC's prompt drafter, `simspec.methods.tasc.drafter.PromptNgrams`, defined by
        `simspec.kernels.ngram.reference.after`.  Time O(n_max) and, for each follower, one step and its place in the sort.
        """
        window = self.n_max - 1
        context_tokens, min_count, n_min = self._asked(context, min_count, n_min)
        order, node, number = ngram_loops.followers(self._nodes, self._slots, window, n_min, min_count, context_tokens)
        if not order:
            return 0, self.draft(1, (), n_min=1), np.ones(1, dtype=np.int64)
        tokens, counts = np.empty((2, number), dtype=np.int64)
        ngram_loops.collect(self._text, self._nodes, node, min_count, tokens, counts)
        places = np.argsort(tokens)
        return order, tokens[places], counts[places]

    def draft(
        self, gamma: int, context: ArrayLike | None = None, min_count: int = 1, n_min: int = 1
    ) -> NDArray[np.int64]:
        """`gamma` tokens, each the most frequent of `match` after those before it; of equals the lowest.

        Drafts are context for later drafts and are not counted.  Time O(n_max) a draft.

        >>> TextNgrams(3, [0, 1, 2, 0, 1]).draft(4).tolist()
        [2, 0, 1, 2]
        """
        context_tokens, min_count, n_min = self._asked(context, min_count, n_min)
        check_memory("gamma", gamma, 8 * at_least("gamma", gamma, 0))
        drafts = np.zeros(gamma, dtype=np.int64)
        parts = (self._text, self._nodes, self._slots)
        ngram_loops.draft(*parts, self.n_max - 1, n_min, min_count, context_tokens, drafts)
        return drafts

    def _order(self, n_min: int) -> int:
        if (order := at_least("n_min", n_min, 1)) > self.n_max:
            raise ValueError(f"n_min: {n_min}; expected 1 <= n_min <= {self.n_max}, n_max")
        return order

    def _asked(self, context: ArrayLike | None, min_count: int, n_min: int) -> tuple[Array, int, int]:
        """The context's last tokens, and the settings, checked."""
        min_count = at_least("min_count", min_count, 1)
        n_min = self._order(n_min)
        if context is None:
            return self._text[max(self._length - self.n_max + 1, 0) : self._length].astype(np.int64), min_count, n_min
        return _flat("context", context), min_count, n_min

    def _add(self, name: str, tokens: Array) -> None:
        if tokens.size > self._room:
            self._reserve(tokens.size)
        wrong = ngram_loops.extend(self._text, self._nodes, self._slots, self._state, self.n_max, tokens)
        if wrong >= 0:
            raise _no_token(name, tokens[wrong])
        self._length += tokens.size
        self._room -= tokens.size

    def _reserve(self, extra_tokens: int) -> None:
        """Make room for `extra_tokens` tokens, each with n_max new n-grams."""
        used = int(self._state[1])
        text = self._length + extra_tokens
        rows = used + self.n_max * extra_tokens
        if rows > 2**31 - 1:
            raise ValueError(f"capacity: {rows:,} n-grams; expected fewer than 2**31")
        check_memory("capacity", text, 44 * rows + 4 * text)
        if text > len(self._text):
            self._text = _grown(self._text, max(text, 2 * len(self._text)), self._length)
        if rows > len(self._nodes):
            self._nodes = _grown(self._nodes, max(rows, 2 * len(self._nodes)), used)
            self._slots = np.zeros(1 << (2 * len(self._nodes) - 3).bit_length(), dtype=np.int32)
            if used > 1:
                ngram_loops.rebuild(self._nodes, self._slots, used)
        self._seen = self._text.view()
        self._seen.flags.writeable = False
        self._room = min(len(self._text) - self._length, (len(self._nodes) - used) // self.n_max)


def _grown(x: Array, size: int, used: int) -> Array:
    out = np.empty((size, *x.shape[1:]), dtype=x.dtype)
    out[:used] = x[:used]
    return out


def _no_token(name: str, token: Any) -> ValueError:
    return ValueError(f"{name}: token {token!r}; expected an integer of 0..2**31 - 1")


def _flat(name: str, tokens: ArrayLike) -> Array:
    """Tokens as an int64 array (m,) of its own."""
    x = np.asarray(tokens)
    if x.ndim != 1 or (x.size and x.dtype.kind not in "iu"):
        raise ValueError(f"{name}: {x.dtype} array of shape {x.shape}; expected integers (m,)")
    return np.array(x, dtype=np.int64, order="C")
