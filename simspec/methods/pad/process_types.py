"""What a finite-horizon decision process is, and the check of one; what is computed of it is `simspec.methods.pad.process`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, check_law, is_exact
from simspec.laws.arrays import as_array
from simspec.methods.parameters import check_horizon

__all__ = ["Process", "check_process"]


class Process(NamedTuple):
    """A target and a draft that write a text of `horizon` tokens, and the utility of what is written.

    Attributes
    ----------
    target, draft : laws (S, V), of the next token in each state
    step : int array (S, V); state after each token
    utility : array (S,) in [0, 1], of a finished text, by the state it ends in
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

    Raises ValueError naming the field, its value and what was expected: laws that do not sum to one, shapes that
    differ, steps that are not states, utilities outside [0, 1], a start that is no state, a negative horizon, floats
    beside fractions.

    >>> half = np.array([[0.5, 0.5]])
    >>> check_process(Process(half, half, np.array([[0, 1]]), np.array([1]), 0, 2))
    Traceback (most recent call last):
    ...
    ValueError: step: leads to state 1; expected states 0..0
    """
    if not isinstance(process, Process):
        raise ValueError(f"process: a {type(process).__name__}; expected a Process")
    _check_laws(process)
    states = len(process.target)
    step = np.asarray(process.step)
    utility = np.asarray(process.utility)
    if step.dtype.kind not in "iu":
        raise ValueError(f"step: dtype {step.dtype}; expected integers, the state after each token")
    if step.min() < 0 or step.max() >= states:
        wrong = step.min() if step.min() < 0 else step.max()
        raise ValueError(f"step: leads to state {wrong}; expected states 0..{states - 1}")
    if utility.dtype.kind not in "biuf":
        as_array(process.utility, "utility")
    if utility.shape != (states,):
        raise ValueError(f"utility: shape {utility.shape}; expected one number a state, ({states},)")
    if not ((utility >= 0) & (utility <= 1)).all():
        wrong = next(v for v in utility.tolist() if not 0 <= v <= 1)
        raise ValueError(f"utility: {wrong}; expected numbers in [0, 1]")
    whole_number("start", process.start, 0, states - 1, f"a state 0..{states - 1}")
    check_horizon("horizon", process.horizon, row=8 * states)
    named = [(name, getattr(process, name)) for name in ("target", "draft", "utility")]
    floats = [n for n, a in named if a.dtype.kind == "f"]
    exacts = [n for n, a in named if is_exact(a)]
    if floats and exacts:
        raise ValueError(f"{floats[0]}: floats where {exacts[0]} has fractions; expected one arithmetic")
    return process


def _check_laws(process: Process) -> None:
    """Refuse what is no array, laws that are none, and shapes that differ."""
    for name, array in zip(Process._fields[:4], process[:4], strict=True):
        if not hasattr(array, "dtype"):
            raise ValueError(f"{name}: a {type(array).__name__}; expected an array")
        if np.ma.is_masked(array):
            raise ValueError(f"{name}: a masked array; expected plain numbers, one for each state")
        if array.dtype.kind == "f" and array.dtype.itemsize > 8:
            raise ValueError(f"{name}: dtype {array.dtype}; expected float64 or shorter floats, or fractions")
    for name, law in (("target", process.target), ("draft", process.draft)):
        if np.ndim(law) != 2:
            raise ValueError(f"{name}: shape {np.shape(law)}; expected one law a state, (S, V)")
        check_law(law, name)
    shape = np.shape(process.target)
    for name, array in (("draft", process.draft), ("step", process.step)):
        if np.shape(array) != shape:
            raise ValueError(f"{name}: shape {np.shape(array)} where target has {shape}; expected the same")
