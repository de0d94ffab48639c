"""Counterexamples made small and exact: few tokens, small denominators, confirmed in rational or ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from simspec import laws
from simspec.claims.balls import Inexact, check_exact_number
from simspec.claims.claim import Claim, Instance, margin
from simspec.claims.draw import SearchDraw

__all__ = ["confirm", "finite", "rationalise", "refutes", "shrink", "size", "undecided", "violated"]


def violated(slack: Any) -> bool:
    """Whether some element of an exact slack is certainly negative (a ball that contains zero is not).

    Raises
    ------
    Inexact
        for an element that is neither an integer nor a fraction nor a ball, whatever holds it: its rounding may be all
        that is negative.
    ValueError
        for an element that is no number: nothing follows from it.

    Examples
    --------
    >>> violated(np.array([Fraction(0), Fraction(-1, 7)]))
    True
    """
    values = np.ravel(np.asarray(slack, dtype=object)).tolist()
    if any(not finite(v) for v in values):
        raise ValueError("slack: an element is not finite; expected a number, or a ball around one")
    for v in values:
        check_exact_number("slack", v)
    return any(bool(v < 0) for v in values)


def finite(value: Any) -> bool:
    """Whether a number, or a ball, is finite.

    >>> finite(Fraction(1, 2)), finite(float("nan"))
    (True, False)
    """
    if hasattr(value, "is_finite"):
        return bool(value.is_finite())
    return bool(abs(value) < np.inf)


def undecided(slack: Any) -> bool:
    """Whether the sign of some element is open: a ball that contains zero and more.

    >>> undecided(np.array([Fraction(0)]))
    False
    """
    return any(not (v < 0) and not (v >= 0) for v in np.ravel(np.asarray(slack, dtype=object)).tolist())


def size(instance: Instance) -> tuple[int, int]:
    """How much there is to read in an instance: number of entries, then digits; smaller is shown first."""
    entries = 0
    digits = 0
    for value in instance.values():
        for v in np.ravel(np.asarray(value, dtype=object)).tolist():
            entries += 1
            if isinstance(v, (int, Fraction, np.integer)) and not isinstance(v, bool):
                f = Fraction(int(v) if isinstance(v, np.integer) else v)
                digits += abs(f.numerator) + f.denominator
    return entries, digits


def refutes(claim: Claim, instance: Instance) -> bool:
    """Whether an exact instance is within the assumptions and certainly violates the claim."""
    return not claim.broken_assumptions(instance) and violated(claim.slack(instance))


def shrink(claim: Claim, choices: list[int], budget: int) -> tuple[Instance, list[int]]:
    """Lower the list of choices behind an exact counterexample, as long as it stays one.

    Passes: cut runs of choices, set choices to zero, halve them, take one off; until nothing changes or the budget of
    evaluations is spent.
    """
    best = _Lowered(claim, list(choices), budget)
    changed = True
    while changed and best.budget > 0:
        changed = best.cut()
        changed |= best.lower()
    return claim.draw(SearchDraw(best.choices)), best.choices


@dataclass
class _Lowered:
    """The lowest choices so far that refute a claim, and the evaluations that are left."""

    claim: Claim
    choices: list[int]
    budget: int
    tried: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def cut(self) -> bool:
        changed = False
        for run in (8, 4, 2, 1):
            at = 0
            while at < len(self.choices):
                changed |= self.attempt(self.choices[:at] + self.choices[at + run :])
                at += 1
        return changed

    def lower(self) -> bool:
        changed = False
        for lower in (lambda c: 0, lambda c: c // 2, lambda c: c - 1):
            for at in range(len(self.choices)):
                if at < len(self.choices) and self.choices[at] > 0:
                    changed |= self.attempt([*self.choices[:at], lower(self.choices[at]), *self.choices[at + 1 :]])
        return changed

    def attempt(self, candidate: list[int]) -> bool:
        """Take other choices where they refute the claim too and are lower."""
        if self.budget <= 0 or candidate == self.choices:
            return False
        self.budget -= 1
        draw = SearchDraw(candidate)
        try:
            instance = self.claim.draw(draw)
            read = draw.recorded
            best = self.choices
            shorter = (len(read), sum(read)) < (len(best), sum(best))
            lower = shorter or (read == candidate and (len(read), sum(read), read) < (len(best), sum(best), best))
            if not (lower and self._refutes(instance, tuple(read))):
                return False
        except ValueError:  # the smaller list describes nothing that the claim speaks of
            return False
        self.choices = read
        return True

    def _refutes(self, instance: Instance, read: tuple[int, ...]) -> bool:
        """Whether an instance refutes the claim; choices that read alike are tried once."""
        if read not in self.tried:
            self.tried[read] = False  # where it raises, as where it does not refute
            self.tried[read] = refutes(self.claim, instance)
        return self.tried[read]


def rationalise(instance: Instance, grain: int) -> dict[str, Any]:
    """Exact instance near a floating-point one: laws and stochastic rows in units of 1/grain, other numbers rounded.

    >>> rationalise({"p": np.array([0.3, 0.7])}, 2)["p"].tolist()
    [Fraction(1, 2), Fraction(1, 2)]
    """
    return {name: _rational(value, grain) for name, value in instance.items()}


def _rational(value: Any, grain: int) -> Any:
    if isinstance(value, float):
        return Fraction(value).limit_denominator(grain)
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    rows = value.reshape(-1, value.shape[-1])
    if (rows >= 0).all() and np.allclose(rows.sum(axis=-1), 1, atol=1e-6):
        out = np.stack([_law(row, grain) for row in rows])
    else:
        out = laws.exact(np.round(rows * grain)) / grain
    return out.reshape(value.shape)


def _law(row: np.ndarray, grain: int) -> np.ndarray:
    units = np.floor(row * grain).astype(int)
    short = grain - int(units.sum())
    order = np.argsort(units - row * grain, kind="stable")  # largest remainders first
    for at in order[:short]:
        units[at] += 1
    return laws.exact(units) / int(units.sum())


def confirm(claim: Claim, instance: Instance, budget: int) -> Instance | None:
    """Exact counterexample made from a floating-point violation, or None.

    Tokens are dropped while the violation lasts, then the numbers become fractions of the smallest denominator that
    still refutes the claim; only an exact violation is returned.

    Raises
    ------
    Inexact
        where no denominator refutes the claim, and its slack on fractions is made of floats.
    """
    vocab = max((v.shape[-1] for v in instance.values() if getattr(v, "ndim", 0)), default=0)
    floor = margin(claim.slack(instance)) / 2

    def still(candidate: dict[str, Any]) -> bool:
        try:
            return not claim.broken_assumptions(candidate) and margin(claim.slack(candidate)) < floor
        except (ValueError, FloatingPointError, ZeroDivisionError):
            return False

    small = _drop_tokens(dict(instance), vocab, still, budget)
    inexact = None
    for grain in (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 1024, 2**20):
        exact = rationalise(small, grain)
        try:
            if refutes(claim, exact):
                return exact
        except Inexact as error:
            inexact = error
        except (ValueError, ZeroDivisionError):
            continue
    if inexact is not None:
        raise inexact
    return None


def _drop_tokens(
    instance: dict[str, Any], vocab: int, still: Callable[[dict[str, Any]], bool], budget: int
) -> dict[str, Any]:
    """Drop tokens, half of the vocabulary first, as long as `still` holds; at most `budget` instances are tried."""
    chunk = vocab // 2
    while chunk and budget > 0:
        at = 0
        while at < vocab and vocab > 1 and budget > 0:
            candidate = _without(instance, vocab, at, min(chunk, vocab - 1))
            budget -= 1
            if candidate is not None and still(candidate):
                instance = candidate
                vocab = vocab - min(chunk, vocab - 1, vocab - at)
            else:
                at += chunk
        chunk //= 2
    return instance


def _without(instance: dict[str, Any], vocab: int, at: int, count: int) -> dict[str, Any] | None:
    """Remove `count` tokens from every array over the vocabulary; None where a law would lose all its mass."""
    keep = np.ones(vocab, dtype=bool)
    keep[at : at + count] = False
    out = {}
    for name, value in instance.items():
        if isinstance(value, np.ndarray) and value.ndim:
            cut = value
            for axis in range(value.ndim):
                if value.shape[axis] == vocab:
                    cut = np.compress(keep, cut, axis=axis)
            # rows of floats that sum to 1 are laws: the remaining tokens share the mass again
            if value.dtype.kind == "f" and np.allclose(value.sum(axis=-1), 1, atol=1e-6):
                mass = cut.sum(axis=-1, keepdims=True)
                if not (mass > 0).all():
                    return None
                cut = cut / mass
            value = cut
        out[name] = value
    return out
