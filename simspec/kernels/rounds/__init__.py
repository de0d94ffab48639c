"""Rounds of speculative decoding on paths, for any one-token rule: driven by the tables that a `Method` fills in.

Random numbers are laid out in `simspec.kernels.rounds.reference`, which defines the result; a path depends on (key, row,
purpose) alone: not on threads, batches or size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory, floats, truth, whole_number
from simspec.kernels.choose import backend_module, choose
from simspec.kernels.cuda.launch import host, on_device, together
from simspec.kernels.random import Draws, core
from simspec.kernels.rounds import reference

__all__ = ["Draws", "Rounds", "Tables", "run_rounds", "tables"]

SMALL = 4096
"""Positions below which the reference does the work."""


class _Packing:
    """What the tables of every rule have: their sizes, and themselves as the backends of their kernel read them."""

    laws: Any
    device: bool
    kernel: ClassVar[str] = "rounds"
    """Its folder in `simspec.kernels`, with a dot for each level."""

    @property
    def states(self) -> int:
        return self.laws.draft.shape[0]

    @property
    def vocab(self) -> int:
        return self.laws.draft.shape[1]

    @property
    def drafts(self) -> int:
        """Drafts of a position."""
        return 1

    @cached_property
    def packed(self) -> Any:
        """The same for the compiled loop, made once; on a device for the CUDA kernel."""
        packed = import_module(backend_module(self.kernel, "numba")).pack(self.laws)
        return import_module(backend_module(self.kernel, "cuda")).load(packed) if self.device else packed


@dataclass(frozen=True)
class Tables(_Packing):
    """What a rule does in each state, ready to be drawn from; made by `tables`, checked however it is made.

    Memory: at most 70 bytes a state and token (110 while it is made); on a device at most 44 there.
    """

    laws: reference.Laws
    device: bool = False
    """Whether they were given as CuPy arrays, so that rounds run, and give their results, on the device."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", _checked(self.laws))


class Rounds(NamedTuple):
    """Paths of N replications.

    Attributes
    ----------
    accepted : int32 array (N, rounds)
        drafts accepted in each round; the round emits one token more.
    state : int32 array (N,)
        state after the last round.
    tokens : int32 array (N, rounds * (gamma + 1)), or None
        tokens emitted, in order, then -1.
    counts : int64 array (S, V), or None
        how often each token was emitted in each state, all replications together.
    """

    accepted: NDArray[np.int32]
    state: NDArray[np.int32]
    tokens: NDArray[np.int32] | None
    counts: NDArray[np.int64] | None


def tables(d: ArrayLike, k: ArrayLike, r: ArrayLike, p: ArrayLike, following: ArrayLike | None = None) -> Tables:
    r"""Tables of a rule in S states, from the maps of a `Method`.

    A drafted token x is kept when a uniform number is below :math:`k_x / d_x` (0 where :math:`d_x = 0`): with
    :math:`k_x = d_x` always, as the number is below 1.

    Parameters
    ----------
    d : laws (S, V)
        that drafts are drawn from: ``propose(q)``.  NumPy arrays; four CuPy arrays to run on their device.
    k : array (S, V), 0 <= k <= d
        mass kept of each draft: ``accept(p, d)``, or `accepted_mass` where another law is drawn from than is told.
    r : laws (S, V)
        drawn from after a rejection: ``residual(p, d)``.
    p : laws (S, V)
        drawn from after gamma kept drafts.
    following : integers (V,), optional
        state after each token; by default the only state for S = 1, the token itself for S = V.

    Returns
    -------
    Tables

    Raises
    ------
    ValueError
        for shapes that do not fit, masses that are negative or not finite, rows without mass, k above d by more than
        rounding (16 units of the last place of the coarsest type), a state that does not exist, or arrays of which
        some are on a device and some are not.

    Notes
    -----
    A law enters by its cumulative sums divided by the last of them, so a row may miss 1 by rounding.  Drawn on the grid
    (n + 1/2) / 2**32 a token has its probability to within 2**-32; one of less mass may never be drawn.

    Examples
    --------
    >>> from simspec.methods import SD
    >>> p, q = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    >>> rule = tables(SD.propose(q), SD.accept(p, q), SD.residual(p, q), p)
    >>> rule.states, rule.vocab
    (1, 2)
    """
    named = {"d": d, "k": k, "r": r, "p": p}
    device = together(**named)
    readings = {name: _read(name, x) for name, x in named.items()}
    shape = readings["d"][0].shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"d: shape {shape}; expected (states, tokens), at least one of each")
    coarse = max(eps for _, eps in readings.values())
    arrays = {name: x for name, (x, _) in readings.items()}
    for name, x in arrays.items():
        if x.shape != shape:
            raise ValueError(f"{name}: shape {x.shape}; expected {shape}, that of d")
        if not ((x >= 0) & (x < np.inf)).all():
            raise ValueError(f"{name}: holds {x[~((x >= 0) & (x < np.inf))][0]}; expected finite masses, none negative")
        with np.errstate(over="ignore"):
            mass = x.sum(axis=-1)
        if name != "k" and not ((mass > 0) & (mass < np.inf)).all():
            row = int(np.argmin((mass > 0) & (mass < np.inf)))
            raise ValueError(f"{name}: row {row} has {f'mass {mass[row]}' if mass[row] else 'no mass'}; expected laws")
    draft_mass = arrays["d"]
    accepted_mass = arrays["k"]
    if not (accepted_mass <= draft_mass * (1 + 16 * coarse)).all():
        raise ValueError("k: an entry is larger than d; expected 0 <= k <= d, a part of each draft")
    share = np.minimum(np.divide(accepted_mass, draft_mass, out=np.zeros(shape), where=draft_mass > 0), 1)
    after = _following(following, *shape)
    draft, residual, target = (reference.cdf(arrays[name]) for name in ("d", "r", "p"))
    return Tables(reference.Laws(draft, share, residual, target, after), device)


def _read(name: str, x: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Masses as float64, and the unit of the last place of the type in which they are given."""
    there = host(x) if on_device(x) else x
    dtype = getattr(there, "dtype", None)
    eps = float(np.finfo(dtype).eps) if isinstance(dtype, np.dtype) and dtype.kind == "f" else 0.0
    return floats(name, there), eps


def _checked(laws: Any) -> reference.Laws:
    """The tables, read-only, when they lead from state to state whatever is drawn: what the compiled loop relies on."""
    if not isinstance(laws, reference.Laws):
        raise ValueError(f"laws: {type(laws).__name__}; expected Laws, which `tables` makes")
    fields = laws._asdict()
    law_arrays = {name: floats(name, fields[name]) for name in ("draft", "share", "residual", "target")}
    shape = law_arrays["draft"].shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"draft: shape {shape}; expected (states, tokens), at least one of each")
    after = _following(fields["following"], *shape)
    for name, x in law_arrays.items():
        if x.shape != shape:
            raise ValueError(f"{name}: shape {x.shape}; expected numbers of shape {shape}")
        if name == "share":
            sound = ((x >= 0) & (x <= 1)).all()
        else:
            sound = (x[:, 0] >= 0).all() and (x[:, 1:] >= x[:, :-1]).all() and (x[:, -1] == 1).all()
        if not sound:
            raise ValueError(f"{name}: expected {'shares from 0 to 1' if name == 'share' else 'sums that rise to 1'}")
        law_arrays[name] = np.ascontiguousarray(x).view()
        law_arrays[name].flags.writeable = False
    after.flags.writeable = False
    return reference.Laws(**law_arrays, following=after)


def _following(following: ArrayLike | None, states: int, vocab: int) -> NDArray[np.int64]:
    if following is None:
        if states not in (1, vocab):
            raise ValueError(
                f"following: None with {states} states and {vocab} tokens; expected the state after each token"
            )
        return np.zeros(vocab, dtype=np.int64) if states == 1 else np.arange(vocab)
    floats("following", following, "the state after each token")  # no ragged, masked or other array
    after = core.integers("following", following, states).astype(np.int64)
    if after.shape != (vocab,):
        raise ValueError(f"following: shape {after.shape}; expected ({vocab},), the state after each token")
    return after


def run_rounds(
    rule: Tables,
    draws: Draws,
    *,
    gamma: int,
    rounds: int,
    start: int = 0,
    tokens: bool = False,
    counts: bool = False,
    threads: int | None = None,
) -> Rounds:
    r"""Run rounds of speculative decoding: draft gamma tokens, keep the first few, emit one more, go on.

    In state s a token x is drafted from :math:`d_s` and kept with probability :math:`k_{s,x}/d_{s,x}`; the next position
    is in the state that follows x.  The first rejection ends the round with a token of :math:`r_s`; without one the
    round ends with a token of :math:`p_s`.

    Parameters
    ----------
    rule : Tables
        made by `tables`.
    draws : Draws
        key, numbers of N replications (a row's path depends on its number, not on the other rows), and purpose: the first.
    gamma : int >= 0
        drafts of a round; at 0 every token is drawn from the target.
    rounds : int >= 0
        rounds of each replication; rounds (gamma + 1) must be below 2**32.
    start : int
        first state of every replication.
    tokens, counts : bool
        whether to return the tokens, and how often each was emitted.
    threads : int, optional
        at most; all cores by default.  On a device: of a block, 256 by default.  Does not change the result.

    Returns
    -------
    Rounds
        on the device, as CuPy arrays, where the tables were made of CuPy arrays.

    Raises
    ------
    ValueError
        for an argument out of its range.

    Notes
    -----
    The compiled loop and the CUDA kernel equal `reference.run` integer by integer.  Memory: the results (4 N rounds
    bytes, gamma + 1 times as much more with tokens) and with counts 8 S V bytes a thread, on a device 8 S V in all; rows
    can be run a block at a time.

    Examples
    --------
    Equal laws: every draft is kept.

    >>> p = np.array([[0.5, 0.5]])
    >>> run_rounds(tables(p, p, p, p), Draws(0, range(1)), gamma=2, rounds=3).accepted.tolist()
    [[2, 2, 2]]
    """
    if not isinstance(rule, Tables):
        raise ValueError(f"rule: {type(rule).__name__}; expected Tables, made by tables")
    return _planned(SMALL, rule, draws, (gamma, rounds, start), tokens, counts, threads, spare=12)


def _planned(
    small: int,
    rule: _Packing,
    draws: Draws,
    numbers: tuple[int, int, int],
    tokens: bool,
    counts: bool,
    threads: int | None,
    spare: int,
) -> Rounds:
    """Rounds of a kernel, its arguments checked.

    Parameters
    ----------
    small : int
        positions below which the reference of the rule's kernel does the work.
    rule : _Packing
    draws, tokens, counts, threads : as `run_rounds`
    numbers : gamma, rounds and start, as `run_rounds`
    spare : int
        bytes that a thread takes for each position of a round.
    """
    tokens = truth("tokens", tokens)
    counts = truth("counts", counts)
    gamma = whole_number("gamma", numbers[0], 0, 2**31 - 2)
    rounds = whole_number("rounds", numbers[1], 0, 2**32 - 1)
    width = rounds * (gamma + 1)
    if width * rule.drafts >= 2**32:
        several = f" with {rule.drafts} drafts" if rule.drafts > 1 else ""
        raise ValueError(
            f"rounds: {rounds} of {gamma + 1} positions{several}; expected fewer than 2**32 "
            f"{'drafts' if several else 'positions together'}"
        )
    start = whole_number("start", numbers[2], 0, rule.states - 1)
    (key, rows, (purpose, *_), _) = draws.checked()
    # a device counts the rows of a range itself; `draws.checked` has seen its ends
    row_numbers = rows if rule.device and isinstance(rows, range) else core.integers("rows", rows, 2**64)
    size = len(row_numbers)
    if not rule.device:
        needed = 4 * size * (rounds + 1 + (width if tokens else 0)) + spare * max(gamma + 1, 256)
        check_memory("rounds", rounds, needed)
    plan = reference.Plan(gamma, rounds, key, row_numbers, start, purpose)
    paths = choose(rule.kernel, "paths", size * width if size else small, small, device=rule.device, threads=threads)
    return Rounds(*paths(rule, plan, tokens, counts))
