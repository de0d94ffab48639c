r"""Two arrays of logits of one model: how far apart are they, and is that rounding or a fault?

Rows whose logits differ by at most ε after the best shift have softmax laws within TV :math:`\tanh(\epsilon/2T)`: probabilities
change by factors between :math:`e^{-2\epsilon/T}` and :math:`e^{2\epsilon/T}` in odds, and two tokens at odds
:math:`e^{-\epsilon/T}` and :math:`e^{\epsilon/T}` reach the bound.  An argmax can change only where the margin between the two
largest logits is at most 2ε.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import floats
from simspec.laws import unchecked
from simspec.numerics import greedy_margin, tv_bound

__all__ = ["Numerics", "numerics", "read_logits", "spacing"]

OUTLIER = 8.0
"""Rows whose difference is so many times the median's are named: rounding is alike in all rows, a fault often is not."""
SIGNIFICANDS = {"bfloat16": 8, "float16": 11, "float32": 24}
"""Bits of the significand, the leading one included."""


@dataclass(frozen=True)
class Numerics:
    """How two arrays of logits differ.

    Attributes
    ----------
    rows, vocab : int
    temperature : float
    epsilon : float; the largest difference of a logit, after the best shift of its row
    tv_bound : float; tanh(epsilon/2T)
    tv_largest, tv_mean : float; total variation of the rows' laws
    flips : int; rows whose argmax differs
    near : int; rows whose margin is at most 2 epsilon, in which it might
    largest_flipped_margin : float; the largest margin, in the first array, of a row whose argmax differs
    outliers : rows whose difference is more than 8 times the median
    spacings : epsilon over the spacing of numbers at the largest logit, by type of number
    rounding : float or None; the difference that is to be explained as rounding
    beyond : rows that differ by more than that
    """

    rows: int
    vocab: int
    temperature: float
    epsilon: float
    tv_bound: float
    tv_largest: float
    tv_mean: float
    flips: int
    near: int
    largest_flipped_margin: float
    outliers: tuple[int, ...]
    spacings: dict[str, float]
    rounding: float | None
    beyond: tuple[int, ...]

    @property
    def verdict(self) -> str:
        """ "equal", "numerics" or "fault" beside a stated rounding; "measured" without one."""
        if self.epsilon == 0:
            return "equal"
        if self.rounding is None:
            return "measured"
        return "fault" if self.beyond else "numerics"

    def words(self) -> str:
        """The result in a few lines."""
        lines = [
            f"{self.verdict}: logits differ by {self.epsilon:.4g} at most, after the best shift of each row",
            f"TV at most {self.tv_bound:.4g} by tanh(eps/2T); {self.tv_largest:.4g} is the largest, {self.tv_mean:.4g} the mean",
            f"argmax: {self.flips} of {self.rows:,} rows differ; {self.near} have a margin within 2 eps",
            "in spacings of numbers at the largest logit: "
            + ", ".join(f"{name} {value:.3g}" for name, value in self.spacings.items()),
        ]
        if self.outliers:
            lines.append(f"rows that differ by more than {OUTLIER:g} times the median: {_listed(self.outliers)}")
        if self.beyond:
            lines.append(f"rows that differ by more than the rounding of {self.rounding:g}: {_listed(self.beyond)}")
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        return json.loads(json.dumps(asdict(self) | {"verdict": self.verdict}))


def _listed(rows: tuple[int, ...]) -> str:
    ending = f" and {len(rows) - 10:,} more" if len(rows) > 10 else ""
    return ", ".join(map(str, rows[:10])) + ending


def spacing(name: str, value: float) -> float:
    """Distance between neighbouring numbers of a type at a value.

    >>> spacing("bfloat16", 20.0), spacing("float16", 1.0)
    (0.125, 0.0009765625)
    """
    exponent = np.frexp(abs(value))[1] if value else 1
    return float(2.0 ** (exponent - SIGNIFICANDS[name]))


def numerics(first: ArrayLike, second: ArrayLike, temperature: float = 1.0, rounding: float | None = None) -> Numerics:
    """Compare two arrays of logits.

    Parameters
    ----------
    first, second : arrays (..., vocab) of one shape
    temperature : float > 0
    rounding : float or None; a difference that rounding explains, measured on the same model in two shapes

    Raises
    ------
    ValueError
        for arrays of another shape, or with numbers that are not finite.

    >>> result = numerics([[2.0, 1.0], [0.0, 0.1]], [[2.0, 1.0], [0.2, 0.1]])
    >>> round(result.epsilon, 3), result.flips, result.near, round(result.tv_bound, 4) >= round(result.tv_largest, 4)
    (0.1, 1, 1, True)
    """
    if not temperature > 0 or not np.isfinite(temperature):
        raise ValueError(f"temperature: {temperature}; expected a positive number")
    if rounding is not None and not rounding >= 0:
        raise ValueError(f"rounding: {rounding}; expected a difference of logits of at least 0")
    a = _rows("first", first)
    b = _rows("second", second)
    if a.shape != b.shape:
        raise ValueError(f"second: shape {b.shape}; expected {a.shape}, the shape of the first")
    difference = a - b
    # the shift that makes the largest difference smallest is the middle between the extremes
    by_row = (difference.max(axis=1) - difference.min(axis=1)) / 2
    epsilon = float(by_row.max())
    tv = unchecked.tv(unchecked.softmax(a, temperature), unchecked.softmax(b, temperature))
    margins = _margins(a)
    has_flipped = a.argmax(axis=1) != b.argmax(axis=1)
    median = float(np.median(by_row))
    largest = float(np.abs(a).max())
    return Numerics(
        rows=len(a),
        vocab=a.shape[1],
        temperature=temperature,
        epsilon=epsilon,
        tv_bound=float(tv_bound(epsilon, temperature)),
        tv_largest=float(tv.max()),
        tv_mean=float(tv.mean()),
        flips=int(has_flipped.sum()),
        near=int((margins <= greedy_margin(epsilon)).sum()),
        largest_flipped_margin=float(margins[has_flipped].max(initial=0.0)),
        outliers=_places(by_row > OUTLIER * median) if median else (),
        spacings={name: epsilon / spacing(name, largest) for name in SIGNIFICANDS},
        rounding=rounding,
        beyond=() if rounding is None else _places(by_row > rounding),
    )


def _places(is_counted: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(is_counted).tolist())


def _rows(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Logits as rows (n, vocab)."""
    array = floats(name, values, "logits, an array (..., vocab)")
    if array.ndim < 1 or array.size == 0 or array.shape[-1] < 2:
        raise ValueError(f"{name}: shape {array.shape}; expected logits (..., vocab) of two tokens at least")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: numbers that are not finite; expected logits before tokens are masked")
    return array.reshape(-1, array.shape[-1])


def _margins(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The gap between the two largest logits of each row."""
    two_largest = np.partition(logits, -2, axis=1)[:, -2:]
    return two_largest[:, 1] - two_largest[:, 0]


def read_logits(path: Path) -> NDArray[Any]:
    """An array of a .npy file.

    Raises ValueError for a file that is none or cannot be read, that holds several arrays (.npz), or that holds objects.
    """
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ValueError(f"{str(path)!r}: {reason}; expected a .npy file of logits, as numpy.save writes it") from None
    except (ValueError, EOFError):
        raise ValueError(f"{str(path)!r}: no array of numbers; expected a .npy file, as numpy.save writes it") from None
    if not isinstance(array, np.ndarray):
        with array:
            names = ", ".join(array.files) or "none"
        raise ValueError(f"{str(path)!r}: arrays by name, {names}; expected a .npy file of one: np.save of the array")
    return array
