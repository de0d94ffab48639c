"""EARS and other relaxed rules on real and synthetic pairs: acceptance, and what it costs.

Every number of a context is exact for its pair of laws (no uniforms).  Controls at equal cost have one parameter for all
contexts, set so that the mean total variation over the contexts is that of EARS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simspec import laws
from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.ears.acceptance import UNCERTAINTIES, ears, fresh, one_minus_max
from simspec.methods.ears.costs import support_violation
from simspec.methods.ears.relaxed import lenience, mixture, typical
from simspec.methods.method import Method, accepted_mass
from simspec.studies.pairs import draft_laws, synthetic_logits

__all__ = [
    "CURVES",
    "PAIRS",
    "READINGS",
    "TEMPERATURES",
    "Signal",
    "in_blocks",
    "relaxed_rates",
    "synthetic_laws",
    "uncertainty_table",
]

TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Softmax temperatures, of target and draft alike."""
READINGS = ("residual", "fresh")
"""What follows a rejection: the residual of speculative decoding, or a fresh draw from the target."""
PAIRS: tuple[Cell, ...] = (
    {"family": "Gaussian", "scale": 2.0, "rho": 0.9, "vocab": 1000},
    {"family": "Student-t", "df": 10.0, "scale": 2.0, "rho": 0.9, "vocab": 1000},
)
"""Synthetic pairs: independent logits over tokens, of one correlation between draft and target."""
_BETAS = (0.0, 0.1, 0.2, 0.4, 0.8)
CURVES: Mapping[str, Mapping[float, Method]] = {
    "EARS": {b: ears(b) for b in _BETAS},
    "EARS, fresh draw": {b: replace(ears(b), residual=fresh) for b in _BETAS},
    "lenience": {f: lenience(f) for f in (1.0, 0.8, 0.5, 0.3)},
    "mixture": {w: mixture(w) for w in (0.0, 0.15, 0.4, 0.7)},
    "typical": {e: typical(e, e**0.5) for e in (0.3, 0.09, 0.01)},
}
"""Rules of each curve, by their parameter; typical acceptance with its delta at the root of its epsilon."""
_STEPS = 50
_BLOCK = 16
"""Contexts at a time: laws of 16 contexts stay in the cache."""


class _Pair:
    """Target and draft laws of a bank's evaluation contexts, on the target's vocabulary, at any temperature."""

    def __init__(self, bank: Bank) -> None:
        if bank.draft() is None:
            raise MissingPart(f"bank: {bank.name!r} has no draft; expected a target and a draft")
        self.bank = bank

    @cached_property
    def _logits(self) -> tuple[Array, Array]:
        return self.bank.target(), self.bank.draft()

    def laws(self, temperature: float) -> tuple[Array, Array]:
        a, b = self._logits
        target = in_blocks(lambda z, _: laws.softmax(z, temperature), a, a)
        return target, in_blocks(lambda z, _: draft_laws(self.bank, z, temperature), b, b)


def synthetic_laws(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Target and draft laws of some rows of a synthetic cell: a pair of `PAIRS` with a ``temperature``."""
    target, draft = synthetic_logits(cell, rows)
    return laws.softmax(target, cell["temperature"]), laws.softmax(draft, cell["temperature"])


def in_blocks(f: Callable[[Array, Array], Array], p: Array, q: Array) -> Array:
    """`f` on a few contexts at a time, joined."""
    return np.concatenate([f(p[i : i + _BLOCK], q[i : i + _BLOCK]) for i in range(0, len(p), _BLOCK)])


def _rates(method: Method, p: Array, q: Array, divergence: bool = True) -> Array:
    """Acceptance, total variation to p and, with `divergence`, KL(output || p) of each context, shape (n, 2 or 3)."""

    def block(p: Array, q: Array) -> Array:
        mass = accepted_mass(method, p, q)  # once for acceptance and output law
        accepted = np.minimum(mass.sum(axis=-1, keepdims=True), 1)
        out = mass + (1 - accepted) * method.residual(p, method.propose(q))
        rates = [accepted[..., 0], unchecked.tv(out, p)]
        return np.stack(rates + ([unchecked.kl(out, p)] if divergence else []), axis=-1)

    return in_blocks(block, p, q).astype(np.float64)


def _lenience_at(cost: float, p: Array, q: Array) -> float:
    r"""Lenience whose mean total variation to p is `cost`, the mean acceptance it gains over speculative decoding.

    Newton's method from 1 for :math:`\sum_{q > p} (\min(q, s\,p) - p) = n \cdot cost`, s = 1/lenience: the left side is
    concave and piecewise linear in s, so the steps rise to the root and reach it after finitely many.
    """
    if not cost > 0:
        return 1.0
    short = q > p  # only drafts beyond the target's mass are rejected, and gain
    a = p[short]
    b = q[short]
    goal = cost * len(p) + float(a.sum(dtype=np.float64))
    inverse = 1.0
    for _ in range(_STEPS):
        scaled = a * a.dtype.type(inverse)
        missing = goal - float(np.minimum(b, scaled).sum(dtype=np.float64))
        slope = float(a[scaled < b].sum(dtype=np.float64))
        if missing <= 1e-9 * goal or slope == 0:
            break
        inverse += missing / slope
    return 1 / inverse


def _mixture_at(cost: float, p: Array, q: Array) -> float:
    """Weight of the mixture whose mean total variation to p is `cost`: it gains that share of what is rejected."""
    rejected = 1 - float(in_blocks(laws.overlap, p, q).astype(np.float64).mean())
    return min(1.0, cost / rejected) if rejected > 0 else 0.0


def _relaxed(p: Array, q: Array, beta: float) -> Values:
    """Rates of each rule in each context; controls with the mean total variation of EARS."""
    paid = _rates(ears(beta), p, q)
    cost = float(paid[:, 1].mean())
    factor = _lenience_at(cost, p, q)
    weight = _mixture_at(cost, p, q)
    values = {"sd": in_blocks(laws.overlap, p, q).astype(np.float64)}
    rules = {"ears": paid, "lenience": _rates(lenience(factor), p, q), "mixture": _rates(mixture(weight), p, q)}
    for name, rates in rules.items():
        values |= {name: rates[:, 0], f"{name} tv": rates[:, 1], f"{name} kl": rates[:, 2]}
    return values | {"lenience factor": np.full(len(p), factor), "mixture weight": np.full(len(p), weight)}


def _curves(p: Array, q: Array) -> Values:
    rules = {f"{name} {at:g}": rule for name, curve in CURVES.items() for at, rule in curve.items()}
    return {"sd": in_blocks(laws.overlap, p, q).astype(np.float64)} | {
        name: _rates(rule, p, q, divergence=False) for name, rule in rules.items()
    }


def relaxed_rates(
    banks: Mapping[str, Bank],
    data: Mapping[str, str],
    pairs: Sequence[Cell] = PAIRS,
    rows: int = 200,
    beta: float = 0.1,
    temperatures: Sequence[float] = TEMPERATURES,
    curves: bool = True,
) -> Study:
    """Acceptance and cost of EARS and its controls at each temperature, one row a context.

    Values of a context: acceptance under ``sd``, ``ears``, ``lenience`` and ``mixture``; of the last three also
    ``ears tv`` and ``ears kl`` (total variation to the target and KL(output || p) in nats), and so on; the controls'
    parameters; ``document``.  The cell with ``curves`` (first bank, temperature 1) holds for each rule of `CURVES`
    acceptance and total variation, ``EARS 0.1`` say, of shape (rows, 2).

    Parameters
    ----------
    banks : banks with a draft, by name
    data : what each bank is, for the report
    pairs : synthetic pairs, see `PAIRS`
    rows : contexts of each synthetic pair; a control's parameter depends on how many are simulated at once
    beta : tolerance of EARS, not negative
    temperatures : of target and draft alike
    curves : bool

    Raises ValueError for a bank without a draft.
    """
    real = {name: _Pair(bank) for name, bank in banks.items()}
    grid = [
        {"bank": name, "data": data[name], "temperature": t, "curves": False, "rows": bank.contexts}
        for name, bank in banks.items()
        for t in temperatures
    ]
    grid += [{**pair, "temperature": t, "curves": False, "rows": rows} for pair in pairs for t in temperatures]
    if curves:
        name, bank = next(iter(banks.items()))
        grid.append({"bank": name, "data": data[name], "temperature": 1.0, "curves": True, "rows": bank.contexts})

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        if "bank" not in cell:
            values = _relaxed(*synthetic_laws(cell, rows), beta)
            return values | {"document": np.asarray(rows.numbers, dtype=np.float64)}
        p, q = real[cell["bank"]].laws(cell["temperature"])
        values = _curves(p, q) if cell["curves"] else _relaxed(p, q, beta)
        values["document"] = np.asarray(banks[cell["bank"]].documents, dtype=np.float64)
        row_slice = slice(rows.numbers.start, rows.numbers.stop)  # the controls' parameters come from all contexts
        return {name: np.asarray(v, dtype=np.float64)[row_slice] for name, v in values.items()}

    return Study(
        name="ears-real",
        question="How much acceptance does a tolerance gain, and how much does it change the output distribution?",
        grid=tuple(grid),
        simulate=simulate,
        summary="acceptance, total variation and divergence of relaxed rules, exact for each context",
        rows=max([rows, *(bank.contexts for bank in banks.values())]),
    )


class Signal(NamedTuple):
    """A tolerance signal at a given mean total variation: means over the contexts; `kl` is KL(output || p) in nats."""

    reading: str
    uncertainty: str
    beta: float
    tv: float
    acceptance: float
    kl: float
    support_violation: float


def uncertainty_table(
    bank: Bank, beta: float = 0.1, temperature: float = 1.0, limit: int | None = None
) -> list[Signal]:
    """The three uncertainty signals at the mean total variation of EARS, for both readings of a rejection.

    Each signal's own tolerance is set so that the mean of TV(output, p) over the contexts is that of one minus max at
    `beta`; what is left to differ is the acceptance, the divergence and the mass on tokens without target mass.

    Parameters
    ----------
    bank : Bank; with a draft
    beta : number > 0
    temperature : number
    limit : int, optional; use the first contexts only

    Returns
    -------
    list of Signal, for each reading in turn each signal of `UNCERTAINTIES`
    """
    if not beta > 0:
        raise ValueError(f"beta: {beta}; expected a positive tolerance")
    p, q = (x[:limit] for x in _Pair(bank).laws(temperature))
    table = []
    for reading in READINGS:
        goal = float(_rates(_read(ears(beta), reading), p, q, divergence=False)[:, 1].mean())
        for name, signal in UNCERTAINTIES.items():
            tolerance = beta if signal is one_minus_max else _tolerance_at(goal, signal, reading, p, q)
            method = _read(ears(tolerance, signal), reading)
            accepted, paid, kl = _rates(method, p, q).mean(axis=0)
            off = in_blocks(lambda a, b, m=method: support_violation(m, a, b), p, q).mean()  # type: ignore[misc]
            table.append(Signal(reading, name, tolerance, float(paid), float(accepted), float(kl), float(off)))
    return table


def _read(method: Method, reading: str) -> Method:
    return replace(method, residual=fresh) if reading == "fresh" else method


def _tolerance_at(goal: float, signal: Callable[[Array], Array], reading: str, p: Array, q: Array) -> float:
    """Tolerance of a signal at which the mean total variation is `goal`; it grows with the tolerance."""
    (optimize,) = needs("a tolerance of equal bias", "scipy.optimize")

    def excess(b: float) -> float:
        return float(_rates(_read(ears(b, signal), reading), p, q, divergence=False)[:, 1].mean()) - goal

    high = 1.0
    while excess(high) < 0:
        high *= 4
        if high > 1e6:
            raise ValueError(f"beta: no tolerance of this signal reaches a mean total variation of {goal:.6g}")
    return float(optimize.brentq(excess, 0.0, high, xtol=1e-9, rtol=1e-7))
