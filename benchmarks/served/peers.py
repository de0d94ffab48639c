r"""What else finds such a fault: a chi-squared test of fixed size, and scores of yes/no questions; sizes at power one half.

Both sizes are computed, and each flatters its test: the size has to be chosen before anything is seen, by somebody who knows the
fault and its strength.

**Chi-squared.**  Over n tokens the counts of the categories less their expected counts, D, have the covariance
:math:`n C,\ C = \text{mean}(\text{diag}(P) - P P^T)`.  :math:`D^T (nC)^{-1} D` (without the last category) has k degrees of
freedom and, under the fault, the non-centrality :math:`n\,\delta^T C^{-1} \delta`, with the mean shift :math:`\delta`.

**Questions.**  A question has two possible answers; the reference gives the first with its own probability, and is calibrated:
the right answer has the law that the reference says.  An answer is one token, drawn as any other and hit by the fault with the
same strength; one that is neither yes nor no is wrong.  The score is the share of right answers, a with the reference and a' with
the fault.  The usual comparison is of two such scores; where the reference's score is known exactly, n is about half.  Scores
from log-probabilities of given answers, which many harnesses take, see nothing of this: no token is drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchmarks.served.faults import Fault
from benchmarks.served.rows import Rows
from benchmarks.served.runs import LEVEL
from simspec.laws import Array

__all__ = ["Questions", "chi_square_power", "chi_square_size", "questions", "questions_of"]

POWER = 0.5
"""At the median number of tokens a sequential test has found the fault in half of the runs."""


def _covariance(reference: Array) -> Array:
    """Mean covariance of a token's category, without the last one."""
    free = reference[:, :-1]
    return np.diag(free.mean(axis=0)) - free.T @ free / len(free)


def chi_square_size(engine: Array, reference: Array) -> float:
    """Tokens at which the chi-squared test at `LEVEL` finds the fault with probability `POWER`.

    >>> round(chi_square_size(np.array([[0.6, 0.4]]), np.array([[0.5, 0.5]])))
    166
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    shift = (engine - reference).mean(axis=0)[:-1]
    per_token = float(shift @ np.linalg.solve(_covariance(reference), shift))
    freedom = len(shift)
    critical = chi2.isf(LEVEL, freedom)
    centre = brentq(lambda value: ncx2.sf(critical, freedom, value) - POWER, 1e-6, 10 * critical)
    return centre / per_token if per_token > 0 else math.inf


def chi_square_power(engine: Array, reference: Array, tokens: int, runs: int, seed: int = 0) -> float:
    """Of simulated runs of so many tokens, the share that the test finds."""
    from scipy.stats import chi2

    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(engine, axis=1)
    cumulative /= cumulative[:, -1:]
    inverse = np.linalg.inv(_covariance(reference))
    critical = chi2.isf(LEVEL, engine.shape[1] - 1)
    rejections = 0
    for _ in range(runs):
        places = rng.integers(len(engine), size=tokens)
        drawn_categories = (rng.random(tokens)[:, None] >= cumulative[places]).sum(axis=1)
        shift = np.bincount(drawn_categories, minlength=engine.shape[1]) - reference[places].sum(axis=0)
        rejections += float(shift[:-1] @ inverse @ shift[:-1]) / tokens > critical
    return rejections / runs


class Questions(NamedTuple):
    """Questions needed: as two scores are usually compared, and where the reference's score is known exactly."""

    usual: float
    known: float


def questions(engine: Array, reference: Array, weights: Array) -> Questions:
    """Questions after which scores differ at `LEVEL`, two-sided, with probability `POWER`.

    Parameters
    ----------
    engine, reference : (n, c) laws of the answers to each question
    weights : (n, c) probability that an answer is the right one

    >>> certain = np.array([[1.0, 0.0]])
    >>> counts = questions(np.array([[0.8, 0.2]]), np.array([[0.9, 0.1]]), certain)
    >>> round(counts.usual), round(counts.known)
    (166, 60)
    """
    from scipy.stats import norm

    score = float((weights * reference).sum(axis=1).mean())
    fault_score = float((weights * engine).sum(axis=1).mean())
    shift = abs(fault_score - score)
    if shift < 1e-12:
        return Questions(math.inf, math.inf)
    # at power one half the mean shift stands just at the critical value
    critical = float(norm.isf(LEVEL / 2)) / shift
    reference_variance = score * (1 - score)
    fault_variance = fault_score * (1 - fault_score)
    return Questions(critical**2 * (reference_variance + fault_variance), critical**2 * reference_variance)


def questions_of(fault: Fault, strength: float, question_rows: Rows) -> Questions:
    """Questions needed for a fault, of rows that are questions (`rows.yes_or_no`)."""
    weights = question_rows.target.copy()
    weights[:, 2:] = 0
    return questions(fault.law(question_rows, strength), question_rows.target, weights)
