"""How engines print an acceptance length, and which of these numbers can be worked out from another."""

from __future__ import annotations

__all__ = ["CONVENTIONS", "converted"]

CONVENTIONS = {
    "tokens": "tokens a verify step emits, the bonus token included, pooled over requests (vLLM, SGLang)",
    "drafts": "drafts a verify step accepts, the bonus token left out, pooled (TensorRT-LLM's environment variable)",
    "rate": "accepted over drafted tokens, pooled over requests",
    "mean-of-requests": "the mean over requests of their own tokens per verify step (SpecForge)",
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
            raise ValueError(f"{name}: {convention!r}; expected one of {', '.join(CONVENTIONS)}")
    if source == target:
        return value
    if "mean-of-requests" in (source, target):
        raise ValueError(
            f"{source} to {target}: neither follows from the other, for pooled numbers weigh requests by their steps; expected "
            "the counts of each request, from which both follow"
        )
    if "rate" in (source, target) and (gamma is None or gamma < 1):
        raise ValueError(
            f"gamma: {gamma}; expected the number of drafts of every step, without which a rate is no length"
        )
    drafts = {"tokens": value - 1, "drafts": value, "rate": value * (gamma or 0)}[source]
    if drafts < 0 or (gamma is not None and drafts > gamma):
        raise ValueError(
            f"value: {value} as {source}; expected between 0 and {gamma or 'gamma'} accepted drafts a step"
        )
    return {"tokens": drafts + 1, "drafts": drafts, "rate": drafts / (gamma or 1)}[target]
