r"""Rounds of speculative decoding under any rule, path by path, against :math:`(1-\alpha^{\gamma+1})/(1-\alpha)`.

The formula is for independent steps of one acceptance rate.  Where all positions have one pair of laws it must hold, for
lossless and relaxed rules alike; in texts with easy and hard stretches it does not, and the exact length must hold
instead (`expected_rounds`).

A conditional expectation of the length would be the exact mean itself, against which paths are held; so rows are paths with
single draws.  What pays is a control variate: the share F of rounds whose first draft is kept has the exact mean α, so that

.. math:: L - 2 (F - \alpha)

has the mean of the length L.  As :math:`F \le L - 1 \le \gamma F`, it lies between 0 and :math:`\max(1 + \gamma, 3)`.  With one
draft it varies as much as L; in cells with several it varied less, by what the column `saves` of a run says.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.devices import arrays
from simspec.engine.estimates.derived import Control
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Cell, Rows, Study, cross
from simspec.kernels import random as philox
from simspec.kernels.rounds import Tables, run_rounds, tables
from simspec.laws import Array, softmax
from simspec.logits import Draws, synthetic
from simspec.methods.block import mean_acceptance_length
from simspec.methods.registry import rule

__all__ = ["GAMMAS", "MODELS", "ROUNDS", "RULES", "STICKY", "Expected", "expected_rounds", "rounds_against_formula"]

GAMMAS = (1, 4, 8)
"""Drafts of a round."""
RULES = ("sd", "ears:0.1", "lenience:0.5", "mixture:0.2", "typical:0.3,0.09", "sqs:4,16")
"""Rules as `simspec.methods.registry.rule` reads them."""
MODELS = (0, 1)
"""Numbers of the logits, the same for every rule and whatever the seed."""
STICKY = 4.0
"""Nats by which a token of the last token's half of the vocabulary is favoured where texts have stretches."""
ROUNDS = 64
"""Rounds of a row."""
STEADIED = "steadied length"
"""Measure of the length less what its control explains."""
COEFFICIENT = 2.0
"""Of the control, for all cells."""


class Expected(NamedTuple):
    """Exact means over the rounds of a path: tokens of a round, and the probability that its first draft is kept."""

    length: float
    alpha: float


def expected_rounds(accepted_mass: Array, residual: Array, target: Array, gamma: int, rounds: int) -> Expected:
    r"""Exact mean length of the first rounds from state 0, when the last token is the state (or there is one state).

    With :math:`K_{sx} = k_s(x)` the drafts kept, :math:`R_{sx} = (1 - \sum_y k_s(y))\, r_s(x)` the tokens after a
    rejection and P the target, a round from s emits :math:`\sum_{i=0}^{\gamma} (K^i 1)_s` tokens and the next begins in
    the states :math:`\sum_{i<\gamma} K^i R + K^\gamma P`.

    Parameters
    ----------
    accepted_mass, residual, target : float arrays (S, V), S = 1 or V
    gamma, rounds : int; drafts of a round, at least 0, and rounds, at least 1

    >>> half = np.array([[0.25, 0.25]])  # half of the drafts are kept: 1 + 1/2 + 1/4
    >>> expected_rounds(half, 2 * half, 2 * half, gamma=2, rounds=3)
    Expected(length=1.75, alpha=0.5)
    """
    states, vocab = accepted_mass.shape
    if gamma < 0 or rounds < 1:
        raise ValueError(f"gamma, rounds: {gamma}, {rounds}; expected at least 0 drafts and 1 round")
    if states not in (1, vocab):
        raise ValueError(
            f"accepted_mass: {states} states and {vocab} tokens; expected one state, or one for each token"
        )
    rejected = (1 - accepted_mass.sum(axis=-1, keepdims=True)) * residual
    keep, reject, last = (
        x.sum(axis=-1, keepdims=True) if states == 1 else x for x in (accepted_mass, rejected, target)
    )
    drafted = np.eye(states)
    follow = np.zeros((states, states))
    length = np.ones(states)
    for _ in range(gamma):
        follow += drafted @ reject
        drafted = drafted @ keep
        length += drafted.sum(axis=-1)
    follow += drafted @ last
    begins = np.eye(states)[0]
    visits = np.zeros(states)
    for _ in range(rounds):
        visits += begins / rounds
        begins = begins @ follow
    return Expected(float(visits @ length), float(visits @ accepted_mass.sum(axis=-1)))


class _Model(NamedTuple):
    tables: Tables
    expected: Expected


@lru_cache(maxsize=256)
def _model(items: tuple[tuple[str, Any], ...], device: str) -> _Model:
    """Return the tables of a cell on the device and the exact mean length; all rows of the cell share them."""
    cell = dict(items)
    # the rule is not in the key: all rules meet the same laws
    key = philox.make_key(0, "rounds", {name: cell[name] for name in ("laws", "model", "rho", "scale", "vocab")})
    vocab = int(cell["vocab"])
    scale = float(cell["scale"])
    is_single_law = cell["laws"] == "one"
    states = 1 if is_single_law else vocab
    draws = Draws(key, range(states))
    logits = synthetic.gaussian(draws, vocab, scale=scale)
    near, far = (synthetic.correlated(logits, rho, draws, location=0, scale=scale) for rho in (cell["rho"], 0))
    # state s: the last token; the draft of a law is close to it in one half of them, noise in the other
    if not is_single_law:
        easy = np.arange(vocab)[:, None] < vocab // 2
        near = np.where(easy, near, far)
        stay = STICKY * (easy == easy.T)
        logits = logits + stay
        near = near + stay
    p = softmax(logits)
    q = softmax(near)
    method = rule(cell["rule"]).method
    d = method.propose(q)
    k = method.accept(p, d)
    r = method.residual(p, d)
    xp = arrays(device)
    return _Model(
        tables(*(xp.asarray(x) for x in (d, k, r, p))),
        expected_rounds(k, r, p, int(cell["gamma"]), int(cell["rounds"])),
    )


def _simulate(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    gamma = int(cell["gamma"])
    number = len(rows.numbers)
    model = _model(tuple(sorted(cell.items())), device)
    simulated_rounds = run_rounds(model.tables, Draws(rows.key, rows.numbers), gamma=gamma, rounds=int(cell["rounds"]))
    alpha = min(1.0, model.expected.alpha)
    return {
        "length": 1 + simulated_rounds.accepted.mean(axis=1),
        "first": (simulated_rounds.accepted > 0).mean(axis=1),
        "alpha": np.full(number, alpha),
        "exact": np.full(number, model.expected.length),
        "formula": np.full(number, mean_acceptance_length(alpha, gamma)),
    }


def _first_kept(cell: Cell) -> float:
    """Exact mean of the control: the probability that the first draft of a round is kept."""
    return min(1.0, _model(tuple(sorted(cell.items())), "cpu").expected.alpha)


def rounds_against_formula(
    rules: Sequence[str] = RULES, gammas: Sequence[int] = GAMMAS, models: Sequence[int] = MODELS, rows: int = 256
) -> Study:
    r"""Tokens of a round under several rules, simulated with uniforms, beside the exact length and the formula.

    Cells: ``rule``; ``gamma``, drafts of a round; ``laws``, whether all positions have ``one`` pair of laws, so that
    steps are independent, or texts have ``stretches`` (the control): each last token has its own pair, the draft is noise
    after one half of the tokens, and tokens of the same half follow each other; ``rho``, ``scale`` and ``vocab`` of the
    Gaussian logits; ``model``, their number (`MODELS`); ``rounds`` of a row.  Values: ``length``, tokens of a round, mean
    over the rounds of a path; ``first``, share of rounds whose first draft was kept; ``steadied length``, the length with
    `first` as a control variate, by which a run stops; and the same for every row:
    ``alpha``, its exact probability; ``exact``, the exact mean length; ``formula``, :math:`(1-\alpha^{\gamma+1})/(1-\alpha)`.

    The intervals of both lengths and of first must hold exact and alpha everywhere (a cell whose rows of first exclude alpha has
    an error, as the steadied length would be biased), and the formula where there is one pair of
    laws.  In stretches the steps of a round are not independent, so for more than one draft the formula is off, by little
    where the rule keeps about as much everywhere.

    Parameters
    ----------
    rules : texts that `simspec.methods.registry.rule` reads
    gammas : drafts of a round, at least 1
    models : numbers of the logits
    rows : int; paths of a block

    Raises ValueError for a rule that is none, no rule, no model, or no `gammas` of at least 1.

    >>> study = rounds_against_formula()
    >>> len(study.grid), sorted(study.measures)
    (72, ['alpha', 'exact', 'first', 'formula', 'length', 'steadied length'])
    """
    if not rules or not models or not gammas or min(gammas) < 1:
        raise ValueError(
            f"rules: {rules}, gammas: {gammas}, models: {models}; expected one or more of each, gammas at least 1"
        )
    for text in rules:
        rule(text)
    longest = 1 + max(gammas)
    lengths = dict.fromkeys(("length", "exact", "formula"), Mean(1, longest))
    steadied = Mean(0, max(longest, 3))
    return Study(
        name="rounds",
        question="Does the formula for independent steps predict the tokens per target step under every rule?",
        grid=cross(
            rule=tuple(rules),
            gamma=tuple(gammas),
            laws=("one", "stretches"),
            rho=(0.9,),
            scale=(2.0,),
            vocab=(32,),
            model=tuple(models),
            rounds=(ROUNDS,),
        ),
        simulate=_simulate,
        summary="tokens of a round and kept first drafts, as paths with single draws, and their exact means",
        rows=rows,
        measures={STEADIED: steadied, **lengths, "first": Mean(), "alpha": Mean()},
        stop=HalfWidth(STEADIED, 0.05, steadied.low, steadied.high),
        devices=("cpu", "gpu"),
        control={STEADIED: Control("length", "first", _first_kept, COEFFICIENT)},
    )
