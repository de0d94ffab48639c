"""Figures that TASC prints, as they are printed: run times by added tokens, scores by epochs, the sizes of one model."""

from __future__ import annotations

from simspec.claims.authoring import Array, Draw, F, Instance, exact
from simspec.claims.tasc.parts import value

__all__ = ["RUNTIMES", "TABLE_7", "gains_per_token", "runtimes", "share_reached", "some_task"]

RUNTIMES = {
    "Table 5": (("0", "302"), ("250", "260"), ("500", "258.9"), ("1000", "256")),
    "Table 8": (("0", "1280"), ("150", "1220"), ("500", "1190"), ("1000", "1130")),
}
"""Added tokens and average run time in milliseconds: MASSIVE (Table 5), EUR-LEX with a model of 7 billion weights (Table 8)."""

TABLE_7 = {
    "EUR-LEX": (("1", "0.624"), ("3", "0.647"), ("5", "0.655"), ("10", "0.637")),
    "MASSIVE": (("1", "0.576"), ("3", "0.634"), ("5", "0.625")),
}
"""Training epochs and score, F1 and joint accuracy (Table 7)."""


def runtimes(table: str) -> Instance:
    """One table of run times.

    >>> runtimes("Table 8")["times"]
    ('1280', '1220', '1190', '1130')
    """
    added, times = zip(*RUNTIMES[table], strict=True)
    return {"table": table, "added": added, "times": times}


def some_task(draw: Draw) -> Instance:
    """One task of Table 7: its epochs and scores."""
    task = ("EUR-LEX", "MASSIVE")[draw.integer(0, 1)]
    epochs, scores = zip(*TABLE_7[task], strict=True)
    return {"task": task, "epochs": epochs, "scores": scores}


def gains_per_token(added: tuple[str, ...], times: tuple[str, ...]) -> Array:
    """Milliseconds saved by each added token, interval by interval.

    >>> [str(g) for g in gains_per_token(("0", "150", "500"), ("1280", "1220", "1190"))]
    ['2/5', '3/35']
    """
    steps = zip(added, added[1:], times, times[1:], strict=False)
    return exact(
        [
            (value(before) - value(after)) / (value(more_added) - value(fewer_added))
            for fewer_added, more_added, before, after in steps
        ]
    )


def share_reached(added: tuple[str, ...], times: tuple[str, ...], budget: str) -> F:
    """Share of all that is saved that a smaller budget saves.

    >>> share_reached(("0", "150", "1000"), ("1280", "1220", "1130"), "150")
    Fraction(2, 5)
    """
    first = value(times[0])
    last = value(times[-1])
    return (first - value(times[added.index(budget)])) / (first - last)
