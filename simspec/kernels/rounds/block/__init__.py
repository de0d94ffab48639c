"""Rounds of block verification on paths: drafts of a round are judged together, tests and residuals from tables in order of q/p.

What a block keeps depends on a number r between 0 and 1, so there is no table of its residuals; in the order of q/p both the mass
of (r p − q)₊ and a token of it are found by bisection, so a round costs about as much as one of token verification.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import floats
from simspec.kernels.cuda.launch import host, on_device, together
from simspec.kernels.random import Draws
from simspec.kernels.rounds import Rounds, _following, _Packing, _planned
from simspec.kernels.rounds.block import reference

__all__ = ["block_tables", "run_block_rounds"]

SMALL = 64
"""Positions below which the reference does the work, which takes one path at a time."""


@dataclass(frozen=True)
class _BlockTables(_Packing):
    """Laws of both models in each state, ready to be drawn from; made by `block_tables`.

    Memory: at most 150 bytes a state and token.
    """

    laws: reference.BlockLaws
    device: bool = False
    """Whether they were given as CuPy arrays, so that rounds run, and give their results, on the device."""
    kernel = "rounds.block"


def _law(name: str, law: ArrayLike) -> NDArray[np.float64]:
    masses = np.ascontiguousarray(
        floats(name, host(law) if on_device(law) else law)
    )  # loops are compiled for this layout
    if masses.ndim != 2 or 0 in masses.shape:
        raise ValueError(f"{name}: shape {masses.shape}; expected (states, tokens), at least one of each")
    sound = ((masses >= 0) & (masses < np.inf)).all()
    if not sound or not (masses.sum(axis=-1) > 0).all():
        raise ValueError(f"{name}: expected laws: finite masses, none negative, and no row without mass")
    return masses


def block_tables(p: ArrayLike, q: ArrayLike, following: ArrayLike | None = None) -> _BlockTables:
    """Tables of target laws p and draft laws q (S, V), which are normalised.

    Parameters
    ----------
    p, q : laws (S, V)
        NumPy arrays; two CuPy arrays to run on their device.
    following : integers (V,), optional
        state after each token; by default the only state for S = 1, the token itself for S = V.

    Raises
    ------
    ValueError
        for shapes that do not fit, masses that are negative or not finite, rows without mass, a state that does not exist.

    Examples
    --------
    >>> block_tables(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])).vocab
    2
    """
    device = together(p=p, q=q)
    target = _law("p", p)
    draft = _law("q", q)
    if target.shape != draft.shape:
        raise ValueError(f"q: shape {draft.shape}; expected {target.shape}, that of p")
    return _BlockTables(reference.block_laws(target, draft, _following(following, *target.shape)), device)


def run_block_rounds(
    rule: _BlockTables,
    draws: Draws,
    *,
    gamma: int,
    rounds: int,
    start: int = 0,
    tokens: bool = False,
    counts: bool = False,
    threads: int | None = None,
) -> Rounds:
    r"""Run rounds of block verification (Sun et al. 2024): draft gamma tokens, keep what passes, emit one more.

    Arguments and result are those of `simspec.kernels.rounds.run_rounds`.

    Raises
    ------
    ValueError
        for an argument out of its range.

    Notes
    -----
    The compiled loop and the CUDA kernel equal `reference.run` integer by integer.  A test
    compares a uniform on the grid (n + 1/2) / 2**32 with :math:`Z/(Z + 1 - r)`, Z from cumulative sums: its error is at most
    :math:`4 V \epsilon` (:math:`\epsilon` = 2**-53) in Z.

    Examples
    --------
    Equal laws: every draft is kept.

    >>> p = np.array([[0.5, 0.5]])
    >>> run_block_rounds(block_tables(p, p), Draws(0, range(1)), gamma=2, rounds=3).accepted.tolist()
    [[2, 2, 2]]
    """
    if not isinstance(rule, _BlockTables):
        raise ValueError(f"rule: {type(rule).__name__}; expected what block_tables makes")
    return _planned(SMALL, rule, draws, (gamma, rounds, start), tokens, counts, threads, spare=650)
