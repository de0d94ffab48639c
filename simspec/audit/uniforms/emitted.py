"""What a sampler emits on one pair of laws when its uniforms are passed to it: all its outcomes, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, CallMonitor, UniformSampler, called_with_uniforms
from simspec.audit.drafting import Drafts, fractions_of, given_drafts
from simspec.audit.handing import Raw
from simspec.audit.levels import Laws, model_of
from simspec.audit.pairs import Pair
from simspec.audit.uniforms.cells import Cells, Hints, Look, cells_of
from simspec.audit.uniforms.cuts import FINE, suggested, suggested_later, suggested_on_grid
from simspec.audit.uniforms.separate import DEPENDS, share_changed
from simspec.checks import needs
from simspec.laws import Array
from simspec.methods.block import Outcome, Prefix
from simspec.methods.verifier.verifier import Facts, facts

__all__ = ["SURE", "Emitted", "emitted", "uniforms_of"]

LAUNCH = 2**18
"""Most calls of a sampler at once."""
CONFIRMED = 50_000
"""Random calls by which the cells are confirmed."""
SURE = 1e-6
"""Probability that the bound on what was not seen fails."""
DOUBLE = 2.0**-36
"""TV that is not told from rounding in double precision: some cuts, each found to 2^-42 at best where laws are no fractions."""
FEW = 32
"""Rows of a batch by which it is seen that rows do not depend on each other, where all have the same draft."""
ROUNDS = 4
"""How often the cells are looked for again around calls that they did not predict."""


class Emitted(NamedTuple):
    """All outcomes of a sampler on a pair of laws.

    Attributes
    ----------
    facts : Facts; law of the next gamma + 1 tokens, TV, acceptance and lengths, in fractions
    width : float; how far TV may be from `facts.tv`, for cuts that were not recognised, boxes left undecided, and cells
        that random calls show to be overlooked
    rounding : float; how far at most a recognised cut lies from its fraction; 0 within double precision
    unseen : float; mass of cells that may have been overlooked, at most, but with probability 1e-6
    ends : {emitted tokens: probability}
    cells, cuts, calls : int; boxes of uniforms, places where uniforms are cut, calls made
    uniforms : int; uniforms of a call
    """

    facts: Facts
    width: float
    rounding: float
    unseen: float
    cells: int
    cuts: int
    calls: int
    ends: dict[Prefix, Fraction]
    uniforms: int

    @property
    def tv(self) -> tuple[float, float]:
        """Between what TV lies; from 0 where it is so small that double precision alone may cost it."""
        tv = float(self.facts.tv)
        low = tv - self.width
        return low if low > DOUBLE else 0.0, min(tv + self.width, 1.0)


def uniforms_of(gamma: int) -> int:
    """Uniforms of a call unless said otherwise: a test and a recovery for each draft, and the last token.

    >>> uniforms_of(2)
    5
    """
    return 2 * gamma + 1


def emitted(
    sampler: UniformSampler,
    pair: Pair,
    uniforms: int | None = None,
    drawn: Laws | Drafts | None = None,
    monitor: CallMonitor | None = None,
    confirmed: int = CONFIRMED,
    seed: int = 0,
    grid: int = 0,
) -> Emitted:
    """Every outcome of a sampler on one pair, from its own code; raises Broken where it does not return tokens.

    Parameters
    ----------
    sampler : (p, q, drafts, uniforms) -> tokens, as in `UniformSampler`
    uniforms : int; uniforms of a call, `uniforms_of` the drafts by default
    drawn : laws (gamma, V) from which drafts really come, or all drafts with their probabilities; the draft laws by default
    confirmed : int; random calls that are compared with the cells found
    grid : int; uniforms are multiples of 2^-grid, as of a generator with so many bits, and the law is that on these; 0 where
        they are real numbers

    >>> def bonus_only(p, q, drafts, uniforms):
    ...     return (uniforms[:, :1] >= p[0, 0]).astype(int)
    >>> found = emitted(bonus_only, Pair("one row", np.array([[0.25, 0.75]]), np.zeros((0, 2))))
    >>> print(found.facts.tv, found.cells, found.cuts)
    0 2 1
    """
    gamma = pair.gamma
    vocab = pair.vocab
    p = fractions_of(pair.handed.weights if isinstance(pair.handed, Raw) else pair.p)
    q = fractions_of(pair.q)
    drafts, weights = given_drafts(pair.q, drawn)
    uniforms = uniforms_of(gamma) if uniforms is None else uniforms
    calls = [0]

    def look(row: NDArray[np.int64], u: Array) -> NDArray[np.int64]:
        calls[0] += len(row)
        u = np.floor(u * 2.0**grid) / 2.0**grid if grid else u
        parts = [slice(at, at + LAUNCH) for at in range(0, len(row), LAUNCH)]
        tokens = [called_with_uniforms(sampler, pair.p, pair.q, drafts[row[rows]], u[rows], monitor) for rows in parts]
        return np.concatenate([np.ravel_multi_index(tuple((t + 1).T), (vocab + 1,) * (gamma + 1)) for t in tokens])

    _same_again(look, len(drafts), uniforms, seed, FEW if gamma and len(drafts) == 1 else 2)
    places = suggested(p, q)
    places = suggested_on_grid(places, grid) if grid else places
    later = suggested_later(p, q, _siblings(drafts)) if not grid else []
    cells, unseen, missed = _confirmed(
        partial(cells_of, look, len(weights), uniforms, places, grid=grid, later=later),
        look,
        weights,
        (confirmed, uniforms),
        seed,
    )
    outcomes, undecided = _outcomes(cells, drafts, weights, (vocab + 1,) * (gamma + 1))
    return Emitted(
        facts=facts(outcomes, model_of(p), gamma),
        width=_width(cells, weights) + (unseen if missed else 0.0) + undecided,
        rounding=max((cut.rounding for cut in cells.cuts if cut.rounding > 2 * FINE), default=0.0),
        unseen=unseen,
        cells=len(cells.code),
        cuts=len(cells.cuts) - 2,
        calls=calls[0],
        ends=_added(outcomes),
        uniforms=uniforms,
    )


def _siblings(drafts: NDArray[np.int64]) -> int:
    """Most siblings of a node: 1 on a path; of paths (n, K, gamma) as many as a tree with K paths has."""
    if drafts.ndim < 3 or not drafts.shape[-1]:
        return 1
    return math.ceil(drafts.shape[1] ** (1 / drafts.shape[-1]) - 1e-9)


def _same_again(look: Look, drafts: int, uniforms: int, seed: int, repeats: int) -> None:
    """Raise Broken unless each call depends on its own draft and uniforms alone; each draft comes so often in the batch."""
    rng = np.random.default_rng([seed, 1])
    row = np.arange(drafts).repeat(repeats)[:256]
    u = rng.random((len(row), uniforms))
    first = look(row, u)
    if not np.array_equal(first, look(row, u)):
        raise Broken("returns different tokens when it is called again with the same drafts and uniforms")
    # before the order of rows, which changes too where only other rows matter
    if share_changed(look, drafts, uniforms, seed):
        raise Broken(DEPENDS)
    order = rng.permutation(len(row))
    if not np.array_equal(first[order], look(row[order], u[order])):
        raise Broken("returns different tokens when the calls of a batch are in another order")
    if not np.array_equal(first[:1], look(row[:1], u[:1])):
        raise Broken("returns different tokens for a single call than for the same call in a batch")


def _confirmed(
    find_cells: Callable[..., Cells], look: Look, weights: list[Fraction], size: tuple[int, int], seed: int
) -> tuple[Cells, float, bool]:
    """Cells, looked for again around random calls that they did not predict; a bound for what they miss; whether they do.

    No search does with fewer random calls: cells of mass e, wherever they lie, stay unseen in n calls with probability
    (1 - e)^n, so that n >= ln(1/SURE)/e calls it takes to exclude them.
    """
    calls, uniforms = size
    rng = np.random.default_rng([seed, 2])
    chances = np.array([float(w) for w in weights])
    row = rng.choice(len(weights), size=calls, p=chances / chances.sum())
    u = rng.random((calls, uniforms))
    observed_codes = look(row, u)
    hints: Hints | None = None
    best = None
    fewest_missed = calls + 1
    for again in range(ROUNDS):
        cells = find_cells(hints=hints, seed=seed + again)
        missed = np.flatnonzero(cells.predicted(row, u) != observed_codes)
        if len(missed) < fewest_missed:
            best = cells
            fewest_missed = len(missed)
        if not len(missed) or (cells.code < 0).any():
            break
        some = missed[:: max(len(missed) // 100, 1)]
        before = hints or (row[:0], u[:0])
        hints = (np.concatenate([before[0], row[some]]), np.concatenate([before[1], u[some]]))
    assert best is not None
    return best, _at_most(fewest_missed, calls), bool(fewest_missed)


def _at_most(missed: int, calls: int) -> float:
    """Upper Clopper-Pearson bound of a share."""
    if missed >= calls:
        return 1.0
    if not missed:
        return float(-np.expm1(math.log(SURE) / calls))
    (special,) = needs("a bound of a share", "scipy.special")
    return float(special.betaincinv(missed + 1, calls - missed, 1 - SURE))


def _outcomes(
    cells: Cells, drafts: NDArray[np.int64], weights: list[Fraction], shape: tuple[int, ...]
) -> tuple[list[Outcome], float]:
    """Outcomes, those with the same draft and tokens added, and the mass of undecided boxes, left to the target."""
    sums: dict[tuple[int, int], Fraction] = {}
    for draft, code, volume in zip(cells.draft.tolist(), cells.code.tolist(), cells.volumes(), strict=True):
        sums[draft, code] = sums.get((draft, code), Fraction(0)) + volume
    outcomes = []
    undecided = 0.0
    for (draft, code), volume in sums.items():
        probability = weights[draft] * volume
        if code < 0:
            outcomes.append(Outcome(probability, (), 0))
            undecided += float(probability)
            continue
        tokens = tuple(int(token) - 1 for token in np.unravel_index(code, shape) if token > 0)
        outcomes.append(Outcome(probability, tokens, len(tokens) - 1))
    return outcomes, undecided


def _added(outcomes: list[Outcome]) -> dict[Prefix, Fraction]:
    """Probability of each way to end; what is undecided is left out."""
    ends: dict[Prefix, Fraction] = {}
    for outcome in outcomes:
        if outcome.tokens:
            ends[outcome.tokens] = ends.get(outcome.tokens, Fraction(0)) + outcome.probability
    return ends


def _width(cells: Cells, weights: list[Fraction]) -> float:
    """Mass that would change sides if every cut that was not recognised lay at an end of its interval."""
    slack = np.array([cut.slack for cut in cells.cuts])
    if not slack.any():
        return 0.0
    at = np.array([float(cut.at) for cut in cells.cuts])
    sides = at[cells.high] - at[cells.low]
    either = (slack[cells.low] + slack[cells.high]) / 2
    volume = np.prod(sides, axis=1)
    moved_mass = (either / sides).sum(axis=1) * volume
    return float(sum(moved_mass * np.array([float(weights[draft]) for draft in cells.draft])))
