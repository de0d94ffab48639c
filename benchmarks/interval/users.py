"""What a user would write for an interval: loops over NumPy's or PyTorch's samplers in float64, exact rates or coins."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.interval.asked import TOLERANCE
from benchmarks.synthetic import Case

__all__ = ["arms", "coin", "kept_token", "loop", "numpy_laws", "numpy_rates", "torch_loop"]


def numpy_laws(rng: np.random.Generator, case: Case) -> tuple[Any, Any]:
    """A pair of laws as a user would draw it, in float64.

    >>> p, q = numpy_laws(np.random.default_rng(0), Case("few", 1, 5, math.inf, 1.0))
    >>> p.shape, round(float(q.sum()), 12)
    ((5,), 1.0)
    """

    def draw() -> Any:
        return rng.standard_normal(case.vocab) if case.df == math.inf else rng.standard_t(case.df, case.vocab)

    x = draw()
    y = case.rho * x + math.sqrt(1 - case.rho**2) * draw()
    x = np.exp(case.scale * (x - x.max()))
    y = np.exp(case.scale * (y - y.max()))
    return x / x.sum(), y / y.sum()


def numpy_rates(p: Any, q: Any) -> tuple[float, float]:
    """Acceptance of SD and of EARS.

    >>> rates = numpy_rates(np.array([0.5, 0.5]), np.array([0.9, 0.1]))  # EARS adds 0.05 q to p
    >>> [round(rate, 3) for rate in rates]
    [0.6, 0.645]
    """
    relaxed = p + TOLERANCE * (1 - p.max()) * q
    return float(np.minimum(p, q).sum()), float(np.minimum(relaxed, q).sum())


def coin(rng: np.random.Generator, p: Any, q: Any, slack: float) -> bool:
    """Draft a token and toss the coin: whether it is kept.

    >>> coin(np.random.default_rng(0), np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.0)  # the laws agree
    True
    """
    token = min(int(np.searchsorted(np.cumsum(q), rng.random())), len(q) - 1)
    return bool(rng.random() * q[token] < p[token] + slack * q[token])


def loop(row: Callable[[np.random.Generator, Case], float]) -> Callable[[Case, int], harness.Call]:
    """The mean of `row` over the rows of a case, one after the other.

    >>> loop(lambda rng, case: 0.25)(Case("few", 4, 5, math.inf, 1.0), 1)()
    array([0.25])
    """

    def bind(case: Case, threads: int) -> harness.Call:
        rng = np.random.default_rng(case.seed)
        return lambda: np.array([math.fsum(row(rng, case) for _ in range(case.rows)) / case.rows])

    return bind


def arms(arm: Callable[[np.random.Generator, Case, bool], float]) -> Callable[[Case, int], harness.Call]:
    """The difference of two runs, each of half of the rows.

    >>> arms(lambda rng, case, relaxed: 0.25 + relaxed / 2)(Case("few", 4, 5, math.inf, 1.0), 1)()
    array([0.5])
    """

    def bind(case: Case, threads: int) -> harness.Call:
        rng = np.random.default_rng(case.seed)
        half = max(1, case.rows // 2)

        def mean(relaxed: bool) -> float:
            return math.fsum(arm(rng, case, relaxed) for _ in range(half)) / half

        return lambda: np.array([mean(True) - mean(False)])

    return bind


def kept_token(rng: np.random.Generator, case: Case, relaxed: bool = False) -> float:
    """Draw laws, draft a token, and say whether it is kept: 0 or 1.

    >>> kept_token(np.random.default_rng(0), Case("equal", 1, 5, math.inf, 1.0, rho=1.0))
    1.0
    """
    p, q = numpy_laws(rng, case)
    return float(coin(rng, p, q, TOLERANCE * (1 - float(p.max())) if relaxed else 0.0))


def torch_loop(case: Case, threads: int) -> harness.Call:
    """The mean acceptance of rows that PyTorch's sampler draws; ImportError where it is missing."""
    import torch

    torch.manual_seed(case.seed)
    kind = torch.float64
    law = torch.distributions.StudentT(torch.tensor(case.df, dtype=kind)) if case.df < math.inf else None

    def draw() -> Any:
        return torch.randn(case.vocab, dtype=kind) if law is None else law.sample((case.vocab,))

    def row() -> float:
        x = draw()
        y = case.rho * x + math.sqrt(1 - case.rho**2) * draw()
        return float(torch.minimum((case.scale * x).softmax(-1), (case.scale * y).softmax(-1)).sum())

    def call() -> Any:
        torch.set_num_threads(threads)
        return np.array([math.fsum(row() for _ in range(case.rows)) / case.rows])

    return call
