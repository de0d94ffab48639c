"""Rounds with several drafts at each position: recursive rejection with and without replacement, and K-SEQ, by tables.

A round walks down a tree whose nodes have k children each, drafted independently or without replacement; only nodes that
it comes to are drafted.  With gamma = 1 it is one step with k drafts of one next token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import floats, truth, whole_number
from simspec.kernels.cuda.launch import together
from simspec.kernels.random import Draws
from simspec.kernels.rounds import Rounds, _following, _Packing, _planned
from simspec.kernels.rounds.block import _law
from simspec.kernels.rounds.several import reference

__all__ = ["MOST", "run_several_rounds", "several_tables"]

MOST = 8
"""Most drafts of a position."""
SMALL = 64
"""Positions below which the reference does the work, which takes one path at a time."""


@dataclass(frozen=True)
class _SeveralTables(_Packing):
    """Laws of both models in each state and the tests of each draft, ready to be drawn from; made by `several_tables`.

    Memory: at most 80 bytes a state and token, without replacement 131.
    """

    laws: reference.SeveralLaws
    device: bool = False
    """Whether they were given as CuPy arrays, so that rounds run, and give their results, on the device."""
    kernel = "rounds.several"

    @property
    def drafts(self) -> int:
        return self.laws.shift.shape[1]


def several_tables(
    p: ArrayLike,
    q: ArrayLike,
    k: int,
    *,
    replace: bool = True,
    rho: ArrayLike | None = None,
    following: ArrayLike | None = None,
) -> _SeveralTables:
    r"""Tables of a rule for k drafts of one position: of recursive rejection, or of K-SEQ where rho is given.

    Recursive rejection keeps draft :math:`x_i` with probability :math:`\min(1, p_i(x_i)/q_i(x_i))`, else :math:`p_{i+1}`
    is :math:`(p_i - q_i)_+` normalised; after the last refusal a token is drawn from what is left of p.  K-SEQ keeps the
    first with :math:`\min(1, p(x_i)/(\rho q(x_i)))`, else draws from :math:`p - \min(p/\rho, q)(1 - (1-b)^k)/b`, where
    :math:`b = \sum \min(p/\rho, q)`.

    Parameters
    ----------
    p, q : laws (S, V)
        which are normalised.  NumPy arrays; for independent drafts two CuPy arrays to run on their device.
    k : int from 1 to 8
    replace : bool
        True: drafts are independent; False: each is drawn from q without those before it, renormalised; where q has
        fewer tokens than k, all of them are tested.
    rho : numbers (S,), or one, >= 1
        thresholds of K-SEQ; only for independent drafts.  Lossless from `simspec.methods.multi.kseq_rho` on.
    following : integers (V,), optional
        state after each token; by default the only state for S = 1, the token itself for S = V.

    Raises
    ------
    ValueError
        for shapes that do not fit, masses that are negative or not finite, rows without mass, a state that does not
        exist, k or rho out of range.

    Examples
    --------
    >>> rule = several_tables(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), 2)
    >>> rule.drafts, rule.vocab
    (2, 2)
    """
    device = together(p=p, q=q)
    target = _law("p", p)
    draft = _law("q", q)
    if target.shape != draft.shape:
        raise ValueError(f"q: shape {draft.shape}; expected {target.shape}, that of p")
    k = whole_number("k", k, 1, MOST)
    after = _following(following, *target.shape)
    replace = truth("replace", replace)
    if device and not replace and k > 1:
        raise ValueError(
            "p: on a device, without replacement; expected NumPy arrays, as only independent drafts run there"
        )
    if rho is not None:
        rho_values = floats("rho", rho)
        if not replace:
            raise ValueError("rho: given without replacement; expected independent drafts, which K-SEQ is for")
        if rho_values.shape not in ((), (len(target),)) or not ((rho_values >= 1) & (rho_values < np.inf)).all():
            raise ValueError(f"rho: {rho}; expected a number of at least 1, or one for each of {len(target)} states")
        return _SeveralTables(
            reference.independent(target, draft, k, after, np.broadcast_to(rho_values, len(target))), device
        )
    make_laws = reference.independent if replace or k == 1 else reference.without
    return _SeveralTables(make_laws(target, draft, k, after), device)


def run_several_rounds(
    rule: _SeveralTables,
    draws: Draws,
    *,
    gamma: int,
    rounds: int,
    start: int = 0,
    tokens: bool = False,
    counts: bool = False,
    threads: int | None = None,
) -> Rounds:
    r"""Run rounds with k drafts at each of gamma positions: keep the first that passes, go on from it, emit one token more.

    Arguments and result are those of `simspec.kernels.rounds.run_rounds`; ``accepted`` counts positions, of which each has
    kept one draft.  With one draft the path is that of ``run_rounds``.

    Raises
    ------
    ValueError
        for an argument out of its range; rounds (gamma + 1) k must be below 2**32.

    Notes
    -----
    The compiled loop, and for independent drafts the CUDA kernel, equal `reference.run` integer
    by integer.  A first draft is drawn on the grid (n + 1/2) / 2**32; a later one without replacement on that grid of the
    mass that is left, 1 - Q, known to :math:`V \epsilon` (:math:`\epsilon` = 2**-53).

    References
    ----------
    Miao et al. 2023, arXiv 2305.09781; Jeon et al. 2024, arXiv 2402.14160; Sun et al. 2023, arXiv 2310.15141.

    Examples
    --------
    Equal laws: every first draft is kept.

    >>> p = np.array([[0.5, 0.5]])
    >>> run_several_rounds(several_tables(p, p, 4), Draws(0, range(1)), gamma=2, rounds=3).accepted.tolist()
    [[2, 2, 2]]
    """
    if not isinstance(rule, _SeveralTables):
        raise ValueError(f"rule: {type(rule).__name__}; expected what several_tables makes")
    return _planned(SMALL, rule, draws, (gamma, rounds, start), tokens, counts, threads, spare=350 + 32 * rule.drafts)
