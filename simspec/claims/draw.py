"""Where instances come from: a claim describes one instance by asking a `Draw` for laws, masks, matrices and numbers.

`ExactDraw` answers with fractions decoded from a list of small integers, so that random tries, adversarial search and
shrinking all work on that list; `FloatDraw` answers with synthetic laws at realistic vocabulary sizes, `RealDraw` with
laws of real models.  The claim does not know which it is talking to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from simspec import laws
from simspec.claims.rational import Rational, ratio
from simspec.laws import Array, Scalar
from simspec.logits.bank import Bank, MissingPart
from simspec.studies.pairs import draft_laws

__all__ = ["Draw", "ExactDraw", "FloatDraw", "PrintedDraw", "RealDraw", "SearchDraw"]


class Draw(Protocol):
    """What a claim's `instances` function may ask for."""

    exact: bool

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high]."""

    def number(self, low: Scalar | str, high: Scalar | str) -> Any:
        """A number in [low, high]: a fraction, or a float."""

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        """A vocabulary size of at least `low`; small enough for V x V matrices when `matrix`."""

    def law(self, vocab: int) -> Array:
        """A law (V,), or a batch of laws."""

    def pair(self, vocab: int) -> tuple[Array, Array]:
        """Target law and draft law of one context."""

    def mask(self, vocab: int) -> Array:
        """A shared vocabulary with at least one token."""

    def matrix(self, vocab: int) -> Array:
        """A row-stochastic matrix."""

    def weights(self, vocab: int) -> Array:
        """Positive numbers: the exponentials of logits."""


class ExactDraw:
    """Fractions decoded from a list of integers; past its end the list reads as the smallest choice.

    `recorded` holds the choices that were read, so that a search can mutate them and a shrinker lower them.

    >>> ExactDraw([1, 0, 9]).law(2).tolist()
    [Fraction(0, 1), Fraction(1, 1)]
    """

    exact = True
    LARGEST = 5
    GRAIN = 8

    def __init__(self, choices: Sequence[int] = (), rng: np.random.Generator | None = None) -> None:
        self._choices = list(choices)
        self._rng = rng
        self.recorded: list[int] = []

    def integer(self, low: int, high: int) -> int:
        size = high - low + 1
        at = len(self.recorded)
        if at < len(self._choices):
            choice = self._choices[at] % size
        else:
            choice = int(self._rng.integers(size)) if self._rng is not None else 0
        self.recorded.append(choice)
        return low + choice

    def number(self, low: Scalar | str, high: Scalar | str) -> Fraction:
        low = Rational(low)
        high = Rational(high)
        grain = self.integer(1, 2 * self.GRAIN)
        return low + (high - low) * ratio(self.integer(0, grain), grain)

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        # one time in eight the smallest; the others spread over the larger sizes
        choice = self.integer(0, 7)
        return low if choice == 0 else low + 1 + (choice - 1) % max(1, self.LARGEST - low)

    def _masses(self, vocab: int, low: int) -> list[int]:
        # a third of the choices is zero: supports that end, overlap partly or miss each other come up often
        spare = self.GRAIN // 2 if low == 0 else 0
        return [max(low, self.integer(low - spare, self.GRAIN)) for _ in range(vocab)]

    def law(self, vocab: int) -> Array:
        masses = self._masses(vocab, 0)
        if not any(masses):
            masses[-1] = 1
        return _shares(masses, sum(masses))

    def pair(self, vocab: int) -> tuple[Array, Array]:
        p = self.law(vocab)
        return p, self.law(vocab) if self.integer(0, 5) else p

    def mask(self, vocab: int) -> Array:
        flags = np.array([bool(self.integer(0, 1)) for _ in range(vocab)])
        if not flags.any():
            flags[0] = True
        return flags

    def matrix(self, vocab: int) -> Array:
        return np.stack([self.law(vocab) for _ in range(vocab)])

    def weights(self, vocab: int) -> Array:
        masses = self._masses(vocab, 1)
        return _shares(masses, self.integer(1, self.GRAIN))


class SearchDraw(ExactDraw):
    """Exact draws of few tokens or, where the search asks for it, of many.

    With `wide` a new vocabulary is drawn from all sizes up to `WIDEST`, and from then on masses and numbers have finer
    denominators.  Its choice is `WIDE_FROM` or more, so that the list of choices alone tells a wide draw.  A claim that fixes its
    vocabulary, or asks for a `matrix` one, has none.

    >>> draw = SearchDraw([SearchDraw.WIDE_FROM + 29])
    >>> draw.vocab(), draw.is_wide, SearchDraw([7]).vocab()
    (30, True, 4)
    """

    WIDEST = 40
    WIDE_FROM = 16
    """The least choice of a wide vocabulary: what a search mutates at random is below."""
    WIDE_GRAIN = 12
    """Largest weight of a token in a wide draw: the denominators of its laws reach 40 times 12."""
    FINEST = 500
    """Largest denominator of a number in a wide draw."""

    def __init__(self, choices: Sequence[int] = (), rng: np.random.Generator | None = None, wide: bool = False) -> None:
        super().__init__(choices, rng)
        self._allows_wide = wide
        self.is_wide = False

    def number(self, low: Scalar | str, high: Scalar | str) -> Fraction:
        if not self.is_wide:
            return super().number(low, high)
        low = Rational(low)
        high = Rational(high)
        grain = self.integer(1, self.FINEST)
        return low + (high - low) * ratio(self.integer(0, grain), grain)

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        choice = None if matrix else self._wide_choice(low)
        if choice is None:
            return super().vocab(low, matrix)
        self.is_wide = True
        self.GRAIN = self.WIDE_GRAIN
        self.recorded.append(choice)
        return low + choice - self.WIDE_FROM

    def _wide_choice(self, low: int) -> int | None:
        """What the list says of a wide vocabulary, or a new choice; None for a draw of few tokens."""
        at = len(self.recorded)
        sizes = max(1, self.WIDEST - low + 1)
        if at < len(self._choices):
            choice = self._choices[at] - self.WIDE_FROM
            return None if choice < 0 else self.WIDE_FROM + choice % sizes
        if not self._allows_wide or self._rng is None:
            return None
        return self.WIDE_FROM + int(self._rng.integers(sizes))


def _shares(masses: Sequence[int], whole: int) -> Array:
    """Array of fractions of a whole."""
    fractions = np.empty(len(masses), dtype=object)
    fractions[:] = [ratio(mass, whole) for mass in masses]
    return fractions


class PrintedDraw(ExactDraw):
    """Exact draws in which a number of a named range is the one that a paper prints, and a whole number of one too.

    >>> PrintedDraw({(0, 2): Fraction(1, 10)}).number(0, 2)
    Fraction(1, 10)
    """

    def __init__(
        self,
        printed: Mapping[tuple[Any, Any], Fraction],
        rng: np.random.Generator | None = None,
        totals: Mapping[tuple[int, int], int] | None = None,
    ) -> None:
        super().__init__(rng=rng)
        self._printed, self._whole = printed, totals or {}
        self.used: list[Fraction] = []

    def integer(self, low: int, high: int) -> int:
        """The printed whole number of a named range, else one of the range."""
        return self._whole.get((low, high)) or super().integer(low, high)

    def number(self, low: Scalar | str, high: Scalar | str) -> Fraction:
        if (low, high) not in self._printed:
            return super().number(low, high)
        self.used.append(self._printed[low, high])
        return self.used[-1]


class FloatDraw:
    """Synthetic laws in floating point: softmax of Gaussian and Student-t logits, some with their tails cut off.

    >>> FloatDraw(seed=1, vocab=100, rows=2).law(100).shape
    (2, 100)
    """

    exact = False

    def __init__(self, seed: int, vocab: int = 4096, rows: int = 8, matrix: int = 96, purpose: str = "claims") -> None:
        from simspec.kernels.random import make_key

        self._key = make_key(seed, purpose, f"float/{vocab}")
        self._rng = np.random.default_rng(self._key)
        self._vocab, self._rows, self._matrix, self._drawn = vocab, rows, matrix, 0

    def integer(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high + 1))

    def number(self, low: Scalar | str, high: Scalar | str) -> float:
        return float(low) + (float(high) - float(low)) * float(self._rng.random())

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        return self._matrix if matrix else self._vocab

    def _logits(self, vocab: int, rows: int) -> Array:
        self._drawn += 1
        return _logits(self._key, self._drawn, vocab, rows)

    def law(self, vocab: int) -> Array:
        self._drawn += 1
        return _law(self._key, self._drawn, vocab, self._rows).copy()

    def pair(self, vocab: int) -> tuple[Array, Array]:
        self._drawn += 2
        p, q = _pair(self._key, self._drawn - 1, vocab, self._rows)
        return p.copy(), q.copy()

    def mask(self, vocab: int) -> Array:
        flags = self._rng.random(vocab) < self._rng.random() ** 2
        flags[self._rng.integers(vocab)] = True
        return flags

    def matrix(self, vocab: int) -> Array:
        return laws.softmax(self._logits(vocab, vocab))

    def weights(self, vocab: int) -> Array:
        return np.exp(self._logits(vocab, self._rows))


@lru_cache(maxsize=8)
def _logits(key: int, number: int, vocab: int, rows: int) -> Array:
    """What is drawn at one place; kept, as the laws made of it are, because most claims ask for the same ones first."""
    from simspec.logits import synthetic

    draws = synthetic.Draws(key, range(rows), (number,))
    make = [
        lambda: synthetic.gaussian(draws, vocab, scale=2.5),
        lambda: synthetic.student_t(draws, vocab, df=4, scale=2),
        lambda: synthetic.gaussian(draws, vocab, location=synthetic.zipf(vocab, 1.0)),
    ]
    return _frozen(make[number % 3]())


@lru_cache(maxsize=8)
def _law(key: int, drawn: int, vocab: int, rows: int) -> Array:
    p = laws.softmax(_logits(key, drawn, vocab, rows))
    cut = np.arange(rows) % 4 == 3  # a quarter of the rows has a bounded support
    p[cut] = laws.top_p(p[cut], 0.9)
    return _frozen(p)


@lru_cache(maxsize=8)
def _pair(key: int, drawn: int, vocab: int, rows: int) -> tuple[Array, Array]:
    p = _law(key, drawn, vocab, rows)
    noise = _logits(key, drawn + 1, vocab, rows)
    return p, _frozen(laws.softmax(np.log(np.maximum(p, 1e-30)) * 0.8 + 0.5 * noise))


class RealDraw:
    """Laws of real models: the evaluation contexts of a bank.

    The first law, pair or weights asked for has the rows in their order; each later one has, at every place, another
    row: a seeded cycle through the rows goes one step on, so that laws meant to be independent are.  With `matrix` sizes
    the vocabulary is cut to the tokens of largest mean target probability, laws renormalised there, and matrices are the
    affinity of Eq. 2 from the bank's own covariance factors.
    """

    exact = False

    def __init__(self, bank: Bank, seed: int, rows: int | None = None, matrix: int = 384) -> None:
        self._bank = bank
        self._rng = np.random.default_rng(seed)
        self.rows = _spread(bank, bank.contexts if rows is None else min(rows, bank.contexts))
        self._vocab, self._matrix = bank.vocab, min(matrix, bank.vocab)
        self._cycle = np.random.default_rng([seed, 1]).permutation(len(self.rows))
        self._asked = 0

    integer = FloatDraw.integer
    number = FloatDraw.number

    def vocab(self, low: int = 1, matrix: bool = False) -> int:
        return self._matrix if matrix else self._vocab

    def _cut(self, p: Array, vocab: int) -> Array:
        return p if vocab == self._vocab else laws.normalise(p[:, self._top(vocab)] + 1e-300)

    def _top(self, vocab: int) -> Array:
        return _ranked(self._bank, len(self.rows))[:vocab]

    def _targets(self) -> Array:
        return _laws(self._bank, len(self.rows), False)

    def _drafts(self) -> Array:
        return _laws(self._bank, len(self.rows), True)

    def _next(self) -> Any:
        """Which of the rows the next request gets at each place; a step of the cycle leaves no row where it was."""
        request_number = self._asked
        self._asked = self._asked + 1
        if request_number == 0:
            return slice(None)
        order = np.empty_like(self._cycle)
        order[self._cycle] = np.roll(self._cycle, -request_number)
        return order

    def law(self, vocab: int) -> Array:
        return self._cut(self._targets()[self._next()], vocab)

    def pair(self, vocab: int) -> tuple[Array, Array]:
        order = self._next()
        return self._cut(self._targets()[order], vocab), self._cut(self._drafts()[order], vocab)

    def mask(self, vocab: int) -> Array:
        from simspec.methods.rdk.pruning import most_frequent

        stats = self._bank.statistics
        if stats is None:
            return np.ones(vocab, dtype=bool)
        counts = stats.counts.sum(axis=0)
        number_kept = max(1, int(vocab * self._rng.random() ** 3))
        return most_frequent(counts if vocab == self._vocab else counts[self._top(vocab)], number_kept)

    def matrix(self, vocab: int) -> Array:
        from simspec.methods.rdk.affinity import affinity_matrix

        stats = self._bank.statistics
        if stats is None:
            raise MissingPart(
                f"bank: {self._bank.name!r} has no statistics; expected covariance factors (capture it with --statistics)"
            )
        omega = _covariance(self._bank, vocab, len(self.rows))
        return affinity_matrix(omega, float(np.abs(omega).max()) * 2.0 ** -self._rng.integers(0, 8))

    def weights(self, vocab: int) -> Array:
        z = np.asarray(self._bank.target(self.rows[self._next()]), dtype=np.float64)
        keep = slice(None) if vocab == self._vocab else self._top(vocab)
        return np.exp(z[:, keep] - z.max(axis=-1, keepdims=True))


def _spread(bank: Bank, count: int) -> Array:
    return np.linspace(0, bank.contexts - 1, count).astype(int)


@lru_cache(maxsize=8)  # of two banks both laws, of as many contexts as a claim that is settled, or is not, is tried on
def _laws(bank: Bank, count: int, draft: bool) -> Array:
    """Target laws, or TLI's draft laws, of some evaluation contexts; kept, because most claims ask for the same ones."""
    rows = _spread(bank, count)
    if not draft:
        return _frozen(laws.softmax(bank.target(rows).astype(np.float64)))
    z = bank.draft(rows)
    return _frozen(draft_laws(bank, None if z is None else z.astype(np.float64)))


@lru_cache(maxsize=4)
def _ranked(bank: Bank, count: int) -> Array:
    """Tokens by falling mean target probability: that of the statistics, or of some evaluation contexts."""
    stats = bank.statistics
    weights = stats.mean if stats is not None else _laws(bank, count, False).mean(axis=0)
    return _frozen(np.argsort(-weights, kind="stable"))


@lru_cache(maxsize=4)
def _covariance(bank: Bank, vocab: int, count: int) -> Array:
    """Covariance of the logits of the most probable tokens, from the bank's own factors."""
    keep = _ranked(bank, count)[:vocab]
    U, lam, diag = (np.asarray(x, dtype=np.float64) for x in bank.statistics.factors("logits"))
    return _frozen((U[keep] * lam) @ U[keep].T + np.diag(diag[keep]))


def _frozen(p: Array) -> Array:
    p.flags.writeable = False
    return p
