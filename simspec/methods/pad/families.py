"""Families of decision processes whose pivots are known: two models over states, drawn from a Philox key.

Each state joins a context (the last token, folded) with what decides the utility (ruined or not, a count, …).  The law
of a state is a softmax of normal logits; the draft's logits are the target's with noise.  Where a set of tokens
matters (wrong, mending, good), its mass is fixed in every context, so that the value of a state has a closed form and
tokens that do not matter are worth exactly the same.  Utilities are 0 or 1.  Small exact processes are in
`simspec.methods.pad.prefixes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from simspec.checks import check_memory, whole_number
from simspec.kernels import random as philox
from simspec.laws import Array, check_law, normalise, softmax
from simspec.methods.pad.process import Process
from simspec.methods.parameters import check_horizon, check_number

__all__ = ["FAMILIES", "Shape", "counting", "needle", "random_automaton", "recoverable"]

_TARGET, _NOISE, _MARKED, _MAP, _HALF = range(5)  # purposes: draws that must be independent


class Shape(NamedTuple):
    """What families with contexts have in common, given to each by name.

    Attributes
    ----------
    contexts : int <= vocab; a token x leads to context x mod `contexts`
    marked : number in (0, 1); share of the tokens that matter (are wrong), drawn for each context
    correlation : number in [0, 1]
        between the logits of the two models: :math:`b = \\rho a + \\sqrt{1 - \\rho^2}\\,\\mathrm{noise}`.
    scale : number >= 0; standard deviation of the logits
    """

    contexts: int = 8
    marked: float = 0.25
    correlation: float = 0.9
    scale: float = 2.0


def needle(
    key: int,
    vocab: int = 16,
    horizon: int = 16,
    period: int = 4,
    slip: float = 0.1,
    draft_slip: float = 0.3,
    **shape: Any,
) -> Process:
    r"""Few positions matter: at every `period`-th position a wrong token ruins the text for good.

    Value before position t while the text is sound: :math:`(1 - \mathrm{slip})^m`, m the critical positions in t..T-1.

    Parameters
    ----------
    key : int; Philox key (`simspec.kernels.random.make_key`); the same key gives the same process
    vocab, horizon : int
    period : int >= 1; the critical positions are t = period - 1, 2 period - 1, …
    slip, draft_slip : number in (0, 1)
        mass of the wrong tokens at a critical position, under the target and under the draft, while the text is sound.
    **shape : see `Shape`

    Returns
    -------
    Process with states (ruined · period + phase) · contexts + context, start 0.

    Eight positions, two of them critical:

    >>> from simspec.methods.pad.process import values
    >>> process = needle(1, horizon=8)
    >>> round(float(values(process)[0, process.start]), 12)
    0.81
    """
    contexts, marked, correlation, scale = _checked(vocab, horizon, shape)
    _check_masses(slip=slip, draft_slip=draft_slip)
    whole_number("period", period, 1, None, "at least one position")
    _check_size("period", period, 2 * period * contexts, vocab)
    places = period * contexts  # (phase, context)
    wrong = _marks(key, places, vocab, marked)
    critical = np.arange(places) // contexts == period - 1
    p, q = _pair(key, 2 * places, vocab, correlation, scale)
    sound = np.arange(2 * places) < places
    fixed = np.tile(critical, 2) & sound
    p, q = (_with_mass(law, np.tile(wrong, (2, 1)), mass, fixed) for law, mass in ((p, slip), (q, draft_slip)))
    phase = (np.arange(2 * places) // contexts % period + 1) % period
    ruined = ~sound[:, None] | (fixed[:, None] & np.tile(wrong, (2, 1)))
    step = (ruined * period + phase[:, None]) * contexts + np.arange(vocab) % contexts
    return Process(p, q, step, sound.astype(float), 0, horizon)


def recoverable(
    key: int,
    vocab: int = 16,
    horizon: int = 16,
    slip: float = 0.1,
    draft_slip: float = 0.2,
    mend: float = 0.3,
    draft_mend: float = 0.2,
    **shape: Any,
) -> Process:
    r"""Mistakes can be mended: a wrong token damages a sound text, a mending token repairs a damaged one.

    Value with n tokens to come: :math:`\pi + (u - \pi)(1 - \mathrm{slip} - \mathrm{mend})^n`, u = 1 (sound) or
    0 (damaged), :math:`\pi = \mathrm{mend}/(\mathrm{slip} + \mathrm{mend})`: early mistakes cost little.

    Parameters
    ----------
    slip, draft_slip : mass of the wrong tokens while the text is sound
    mend, draft_mend : mass of the mending tokens while it is damaged
    key, vocab, horizon, **shape : as in `needle`

    Returns
    -------
    Process with states damaged · contexts + context, start 0.

    Two positions: sound at the end with 0.9 · 0.9 + 0.1 · 0.3 (slipped and mended).

    >>> from simspec.methods.pad.process import values
    >>> process = recoverable(1, horizon=2)
    >>> round(float(values(process)[0, process.start]), 12)
    0.84
    """
    contexts, marked, correlation, scale = _checked(vocab, horizon, shape)
    _check_masses(slip=slip, draft_slip=draft_slip, mend=mend, draft_mend=draft_mend)
    _check_size("vocab", vocab, 2 * contexts, vocab)
    sound = np.arange(2 * contexts) < contexts
    turning = _marks(key, 2 * contexts, vocab, marked)  # tokens that damage a sound text or mend a damaged one
    p, q = _pair(key, 2 * contexts, vocab, correlation, scale)
    p = _with_mass(p, turning, np.where(sound, slip, mend)[:, None])
    q = _with_mass(q, turning, np.where(sound, draft_slip, draft_mend)[:, None])
    damaged = ~sound[:, None] ^ turning
    return Process(p, q, damaged * contexts + np.arange(vocab) % contexts, sound.astype(float), 0, horizon)


def counting(
    key: int,
    vocab: int = 16,
    horizon: int = 16,
    needed: int | None = None,
    parity: bool = False,
    good: float = 0.5,
    draft_good: float = 0.4,
    **shape: Any,
) -> Process:
    r"""A counter decides: the text is useful when it has at least `needed` good tokens (or an even number of them).

    Value at the start: :math:`P(\mathrm{Bin}(T, \mathrm{good}) \ge \mathrm{needed})`, or
    :math:`(1 + (1 - 2\,\mathrm{good})^T)/2` with `parity`.

    Parameters
    ----------
    needed : int >= 1, optional; half of the positions by default; not used with `parity`
    parity : bool
    good, draft_good : mass of the good tokens in every state
    key, vocab, horizon, **shape : as in `needle`; `marked` is the share of good tokens

    Returns
    -------
    Process with states count · contexts + context, start 0; the count stops at `needed` (or is taken modulo 2).

    At least one good token in two: 1 - 1/4.

    >>> from simspec.methods.pad.process import values
    >>> process = counting(1, horizon=2, needed=1)
    >>> round(float(values(process)[0, process.start]), 12)
    0.75
    """
    contexts, marked, correlation, scale = _checked(vocab, horizon, shape)
    _check_masses(good=good, draft_good=draft_good)
    needed = max(1, horizon // 2) if needed is None else needed
    whole_number("needed", needed, 1, None, "at least one good token")
    counts = 2 if parity else needed + 1
    _check_size("needed", needed, counts * contexts, vocab)
    count = np.arange(counts * contexts) // contexts
    right = _marks(key, counts * contexts, vocab, marked)
    p, q = _pair(key, counts * contexts, vocab, correlation, scale)
    p = _with_mass(p, right, good)
    q = _with_mass(q, right, draft_good)
    after = count[:, None] + right
    after = after % 2 if parity else np.minimum(after, needed)
    useful = count == (0 if parity else needed)
    return Process(p, q, after * contexts + np.arange(vocab) % contexts, useful.astype(float), 0, horizon)


def random_automaton(
    key: int,
    vocab: int = 16,
    horizon: int = 16,
    states: int = 32,
    stay: float = 0.9,
    correlation: float = 0.9,
    scale: float = 2.0,
) -> Process:
    r"""Every token matters a little: a random automaton, useful when it ends in the upper half of its states.

    A token leads to a random state of the same half with probability `stay`, and else of the other half.

    Parameters
    ----------
    states : even int >= 2
    stay : number in [0, 1]; the nearer to 1, the longer a token is felt
    key, vocab, horizon : as in `needle`
    correlation, scale : as in `Shape`

    Returns
    -------
    Process with states 0..states-1, start 0.

    >>> random_automaton(1, vocab=4, states=6, stay=1).step.max(axis=1) < 3
    array([ True,  True,  True, False, False, False])
    """
    _checked(vocab, horizon, {"contexts": 1, "correlation": correlation, "scale": scale})
    if whole_number("states", states, 2, None, "an even number, at least 2") % 2:
        raise ValueError(f"states: {states}; expected an even number, at least 2")
    check_number("stay", stay, lambda v: 0 <= v <= 1, "a probability")
    _check_size("states", states, states, vocab)
    half = states // 2
    upper = np.arange(states) >= half
    leaves = philox.uniform(key, range(states), range(vocab), _HALF) >= stay
    within = (philox.uniform(key, range(states), range(vocab), _MAP) * half).astype(np.int64)
    p, q = _pair(key, states, vocab, correlation, scale)
    return Process(p, q, (upper[:, None] ^ leaves) * half + within, upper.astype(float), 0, horizon)


FAMILIES: dict[str, Callable[..., Process]] = {
    "needle": needle,
    "recoverable": recoverable,
    "counting": counting,
    "random": random_automaton,
}
"""The families in floating point, by name; all take key, vocab, horizon, correlation and scale."""


def _checked(vocab: int, horizon: int, shape: Mapping[str, Any]) -> Shape:
    checked_shape = Shape(**shape)
    whole_number("vocab", vocab, 2, None, "at least two tokens")
    check_horizon("horizon", horizon)
    if not (isinstance(checked_shape.contexts, Integral) and 1 <= checked_shape.contexts <= vocab):
        raise ValueError(f"contexts: {checked_shape.contexts}; expected 1 <= contexts <= {vocab}, the vocabulary size")
    _check_masses(marked=checked_shape.marked)
    check_number("correlation", checked_shape.correlation, lambda v: 0 <= v <= 1, "a number between 0 and 1")
    check_number("scale", checked_shape.scale, lambda v: 0 <= v < np.inf, "a standard deviation, not negative")
    return checked_shape


def _check_size(name: str, value: int, states: int, vocab: int) -> None:
    """Refuse tables of (states, vocab) that cannot fit; half a dozen of them are held at once."""
    if vocab > states:
        name = "vocab"
        value = vocab
    check_memory(name, value, 6 * 8 * states * vocab)


def _check_masses(**masses: float) -> None:
    for name, mass in masses.items():
        check_number(name, mass, lambda v: 0 < v < 1, "a number strictly between 0 and 1")


def _pair(key: int, rows: int, vocab: int, correlation: float, scale: float) -> tuple[Array, Array]:
    """Target and draft laws (rows, vocab): softmax of correlated normal logits."""
    a, noise = (philox.normal(key, range(rows), range(vocab), purpose) for purpose in (_TARGET, _NOISE))
    b = correlation * a + (1 - correlation**2) ** 0.5 * noise
    return softmax(scale * a), softmax(scale * b)


def _marks(key: int, rows: int, vocab: int, share: float) -> Array:
    """Marked tokens (rows, vocab): in each row a random set of `share` of the tokens, neither none nor all."""
    number = min(max(1, round(share * vocab)), vocab - 1)
    order = np.argsort(philox.uniform(key, range(rows), range(vocab), _MARKED), axis=-1, kind="stable")
    marks = np.zeros((rows, vocab), dtype=bool)
    np.put_along_axis(marks, order[:, :number], True, axis=-1)
    return marks


def _with_mass(law: Array, marks: Array, mass: Any, rows: Array | None = None) -> Array:
    """The law rescaled so that the marked tokens hold `mass`, in all rows or in those where `rows` is true."""
    inside = normalise(np.where(marks, law, 0))
    outside = normalise(np.where(marks, 0, law))
    scaled = mass * inside + (1 - mass) * outside
    return check_law(scaled if rows is None else np.where(rows[:, None], scaled, law))
