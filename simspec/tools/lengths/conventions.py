"""How engines print an acceptance length, and which of these numbers can be worked out from another."""

from __future__ import annotations

import math

from simspec.checks import nearest
from simspec.tools.lengths.records import Counts

__all__ = ["CONVENTIONS", "converted", "length_convention", "rate_convention"]

CONVENTIONS = {
    "tokens": "tokens emitted per verification step, bonus token included, pooled over requests (vLLM, SGLang)",
    "drafts": (
        "draft tokens accepted per verification step, bonus token excluded, pooled (environment variable "
        "of TensorRT-LLM)"
    ),
    "rate": "accepted / drafted tokens, pooled over requests",
    "mean-of-requests": "mean over requests of the tokens per verification step of each (SpecForge)",
}
"""Name of each convention, what it counts, and who prints it."""


def converted(value: float, source: str, target: str, gamma: int | None = None) -> float:
    """A length or rate in another convention, where nothing is lost.

    Parameters
    ----------
    value : float
    source, target : names of `CONVENTIONS`
    gamma : int, needed to or from a rate: the drafts of every step

    Raises
    ------
    ValueError
        for an unknown name; for a rate without `gamma`; between pooled numbers and means over requests, which do not determine
        each other (claim ``metrics.pooled-order``); for a value that no run has.

    The conversions are the claims ``metrics.length.interior`` and ``metrics.rate-length.no-bonus``.

    >>> converted(2.5, "tokens", "drafts"), converted(2.5, "tokens", "rate", gamma=3)
    (1.5, 0.5)
    """
    for name, convention in (("source", source), ("target", target)):
        if convention not in CONVENTIONS:
            near = nearest(convention, CONVENTIONS)
            raise ValueError(f"{name}: {convention!r}{near}; expected one of {', '.join(CONVENTIONS)}")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"value: {value} as {source}; expected a number, 0 or more")
    if source == target:
        return value
    if "mean-of-requests" in (source, target):
        raise ValueError(
            f"{source} to {target}: neither can be computed from the other, because pooled numbers weight "
            "requests by their steps; expected the counts of each request, which give both"
        )
    if "rate" in (source, target) and (gamma is None or gamma < 1):
        raise ValueError(
            f"gamma: {gamma}; expected the number of draft tokens per step, which is needed to turn a rate "
            "into a length"
        )
    drafts = {"tokens": value - 1, "drafts": value, "rate": value * (gamma or 0)}[source]
    if drafts < 0 or (gamma is not None and drafts > gamma):
        raise ValueError(f"value: {value} as {source}; expected 0 to {gamma or 'gamma'} accepted draft tokens per step")
    return {"tokens": drafts + 1, "drafts": drafts, "rate": drafts / (gamma or 1)}[target]


def rate_convention(value: float, counts: Counts, tolerance: float) -> str | None:
    """What a printed acceptance rate divides, or None where it is no quotient of these counts.

    An engine that counts the token each step emits anyhow among the accepted and the drafted ones prints a rate that is too
    high.

    >>> rate_convention(0.525, Counts(10, 11, 30), 0.001)
    '(accepted + steps)/(drafted + steps)'
    """
    steps, accepted, drafted, _ = counts
    quotients = {
        "accepted/drafted": (accepted, drafted or 0),
        "(accepted + steps)/(drafted + steps)": (accepted + steps, (drafted or 0) + steps),
    }
    return _fitting(value, quotients, tolerance)


def length_convention(value: float, counts: Counts, tolerance: float, emitted: int | None = None) -> str | None:
    """What a printed acceptance length counts, or None where it is none of these counts.

    Parameters
    ----------
    value, tolerance : float; the number as it is printed, and how far rounding may move it
    counts : Counts
    emitted : int or None; all tokens of the request, which SGLang divides by its steps

    >>> length_convention(1.1, Counts(10, 11), 0.001)
    'accepted/steps, without the bonus token'
    """
    steps, accepted = counts[:2]
    quotients = {
        "1 + accepted/steps": (accepted + steps, steps),
        "tokens/steps": (steps if emitted is None else emitted, 0 if emitted is None else steps),
        "accepted/steps, without the bonus token": (accepted, steps),
    }
    return _fitting(value, quotients, tolerance)


def _fitting(value: float, quotients: dict[str, tuple[int, int]], tolerance: float) -> str | None:
    """Name of the first quotient that the value is."""
    for name, (above, below) in quotients.items():
        if below and abs(value - above / below) <= tolerance:
            return name
    return None
