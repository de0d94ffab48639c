"""Speed with its interval, from the target steps that a token takes: what rates and advice share."""

from __future__ import annotations

from simspec.engine.estimates.intervals import Interval

__all__ = ["speed_of_steps"]


def speed_of_steps(steps: Interval, time: float = 1) -> Interval:
    r"""Tokens in the time of one target pass, :math:`1/(b t)`, from the target steps b that a token takes on average.

    Parameters
    ----------
    steps : target steps a token; their mean has an interval over documents, which the mean of its inverse would not keep
    time : of one step with its drafts, as `simspec.methods.speed.step_time` gives it; at 1 these are tokens a step

    >>> speed_of_steps(Interval(0.5, 0.25, 0.8, 0.95), 1.25)
    Interval(estimate=1.6, low=1.0, high=3.2, level=0.95)
    """
    estimate, low, high = (1 / (x * time) for x in (steps.estimate, steps.high, steps.low))
    return Interval(estimate, low, high, steps.level)
