"""What a finite-horizon decision process is, and the check of one; what is computed of it is `simspec.methods.pad.process`."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np

from simspec.laws import Array, check_law, is_exact
from simspec.methods.parameters import check_horizon

__all__ = ["Process", "check_process"]


class Process(NamedTuple):
    """A target and a draft that write a text of `horizon` tokens, and the utility of what is written.

    Attributes
    ----------
    target, draft : laws (S, V)
        of the next token in each state.
    step : int array (S, V)
        state after each token.
    utility : array (S,) in [0, 1]
        of a finished text, by the state it ends in.
    start : int
    horizon : int
    """

    target: Array
    draft: Array
    step: Array
    utility: Array
    start: int
    horizon: int


def check_process(process: Process) -> Process:
    """Return `process` if it is one.

    Raises
    ------
    ValueError
        naming the field, its value and what was expected: laws that do not sum to one, shapes that differ, steps that
        are not states, utilities outside [0, 1], a start that is no state, a negative horizon, floats beside fractions.

    Examples
    --------
    >>> half = np.array([[0.5, 0.5]])
    >>> check_process(Process(half, half, np.array([[0, 1]]), np.array([1]), 0, 2))
    Traceback (most recent call last):
    ...
    ValueError: step: leads to state 1; expected states 0..0
    """
    if not isinstance(process, Process):
        raise ValueError(f"process: a {type(process).__name__}; expected a Process")
    target, draft, step, utility, start, horizon = process
    for name, law in (("target", target), ("draft", draft), ("step", step), ("utility", utility)):
        if not hasattr(law, "dtype"):
            raise ValueError(f"{name}: a {type(law).__name__}; expected an array")
    for name, law in (("target", target), ("draft", draft)):
        if np.ndim(law) != 2:
            raise ValueError(f"{name}: shape {np.shape(law)}; expected one law a state, (S, V)")
        check_law(law, name)
    for name, array in (("draft", draft), ("step", step)):
        if np.shape(array) != np.shape(target):
            raise ValueError(f"{name}: shape {np.shape(array)} where target has {np.shape(target)}; expected the same")
    states, step, utility = len(target), np.asarray(step), np.asarray(utility)
    if step.dtype.kind not in "iu":
        raise ValueError(f"step: dtype {step.dtype}; expected integers, the state after each token")
    if step.min() < 0 or step.max() >= states:
        wrong = step.min() if step.min() < 0 else step.max()
        raise ValueError(f"step: leads to state {wrong}; expected states 0..{states - 1}")
    if utility.shape != (states,):
        raise ValueError(f"utility: shape {utility.shape}; expected one number a state, ({states},)")
    if not ((utility >= 0) & (utility <= 1)).all():
        wrong = next(v for v in utility.tolist() if not 0 <= v <= 1)
        raise ValueError(f"utility: {wrong}; expected numbers in [0, 1]")
    if not (isinstance(start, Integral) and 0 <= start < states):
        raise ValueError(f"start: {start!r}; expected a state 0..{states - 1}")
    check_horizon("horizon", horizon, row=8 * states)
    floats = [n for n, a in (("target", target), ("draft", draft), ("utility", utility)) if a.dtype.kind == "f"]
    exacts = [n for n, a in (("target", target), ("draft", draft), ("utility", utility)) if is_exact(a)]
    if floats and exacts:
        raise ValueError(f"{floats[0]}: floats where {exacts[0]} has fractions; expected one arithmetic")
    return process
