"""Pruning on real logits: exact and linear-time RDK against TLI, no redistribution and plain controls.

A cell keeps a share of the vocabulary, in one order of the token counts of other documents.  Every parameter is tuned
on the bank's tuning contexts (other documents than the evaluation's).  Exact RDK is Eq. 2 on the bank's covariance factors,
of probabilities, logits or one-hot tokens, at the temperature that is best on the tuning contexts, or the identity, with
which RDK is TLI: the paper prints no temperature, so the grid goes from flat rows to rows that a lower temperature no longer
changes.  Linear-time RDK is likewise the best of the general first-order form with each covariance and the three rank-one
forms, with the mean target law for the p they cannot know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from simspec import laws
from simspec.engine.study import Rows, Study, Values
from simspec.kernels import random as philox
from simspec.laws import Array, unchecked
from simspec.logits.bank import Bank, MissingPart
from simspec.methods.rdk.affinity import affine, exponential, factored, first_order, normalised
from simspec.methods.rdk.pruning import keep_first, pruning_order
from simspec.methods.rdk.static import static, static_mixture
from simspec.methods.sd import SD
from simspec.methods.tli import restricted, tli, uniform
from simspec.studies.pairs import draft_laws
from simspec.studies.rdk.tuning import GRID, Tuned, best, geometric, weights

__all__ = [
    "COVARIANCES",
    "FORMS",
    "KERNELS",
    "MIXTURES",
    "ORDERS",
    "Laws",
    "accepted",
    "exact_families",
    "kept_mask",
    "lacks",
    "leading",
    "linear_families",
    "mixed_with",
    "real_pruning",
    "spread",
]

ORDERS = ("frequency", "random", "worst")
"""Kept first: the most frequent tokens, random ones, the least frequent."""
COVARIANCES = ("probabilities", "logits", "tokens")
KERNELS = (*COVARIANCES, "identity")
"""What M of exact RDK is: Eq. 2 of a covariance, or the identity, with which RDK is TLI."""
TEMPERATURES = 10
"""Grid points of exact RDK for each covariance."""
MIXTURES = len(COVARIANCES) * TEMPERATURES + 1
"""Weights of each mixture: as many as exact RDK has kernels, so that tuning favours neither."""
ROUNDING = 1e-5
"""What rounding can make of a mean acceptance: the rows are of float32."""
FORMS = (*COVARIANCES, "affine", "normalised", "exponential")
"""Linear-time forms: first order with each covariance, and the three rank-one forms."""
Affinity = Callable[[Array], Array]


class Laws:
    """Laws of a bank, made when first needed; evaluation and tuning contexts."""

    def __init__(self, bank: Bank, context_limit: int | None = None, is_tuned: bool = True) -> None:
        """Keep what all rows share."""
        self.bank = bank
        self.rows = spread(bank.contexts, context_limit)
        missing = {
            "draft": bank.draft() is None,
            "statistics": bank.statistics is None,
            "tuning contexts": is_tuned and bank.tuning_target() is None,
        }
        if any(missing.values()):
            raise MissingPart(f"bank: {bank.name!r} {lacks(missing)}")
        self.statistics = bank.statistics
        self._limit = context_limit

    @cached_property
    def evaluation(self) -> tuple[Array, Array]:
        return self._pair(self.bank.target(self.rows), self.bank.draft(self.rows))

    @cached_property
    def tuning(self) -> tuple[Array, Array]:
        rows = spread(len(self.bank.tuning_target()), self._limit)
        return self._pair(self.bank.tuning_target()[rows], self.bank.tuning_draft()[rows])

    def _pair(self, target: Any, draft: Any) -> tuple[Array, Array]:
        return laws.softmax(target), draft_laws(self.bank, draft)

    @cached_property
    def mean(self) -> Array:
        mean = self.statistics.mean
        return (mean / mean.sum()).astype(np.float32)

    @cached_property
    def counts(self) -> Array:
        return self.statistics.counts.sum(axis=0).astype(np.float64)

    @cached_property
    def factors(self) -> dict[str, tuple[Array, Array, Array]]:
        return {kind: self.statistics.factors(kind) for kind in COVARIANCES}


CAPTURED_WITH = {"draft": "--draft MODEL", "statistics": "--statistics N", "tuning contexts": "--tuning N"}
"""Words of `simspec capture` that give a bank what it may lack."""


def lacks(missing: Mapping[str, bool]) -> str:
    """What a bank lacks, and how it is captured with that; `missing` says of each of `CAPTURED_WITH` whether it is missing.

    >>> lacks({"draft": False, "statistics": True, "tuning contexts": True})
    'has no statistics and no tuning contexts; expected them too (capture it with --statistics N and --tuning N)'
    >>> lacks({"draft": False, "statistics": True})
    'has no statistics; expected them too (capture it with --statistics N)'
    """
    names = [name for name, is_missing in missing.items() if is_missing]
    pronoun = "it" if names == ["draft"] else "them"
    words = " and ".join(CAPTURED_WITH[name] for name in names)
    return f"has no {' and no '.join(names)}; expected {pronoun} too (capture it with {words})"


def spread(count: int, limit: int | None) -> Any:
    """Index of so many rows, evenly spaced; of all where no number is given.

    >>> spread(10, 3).tolist()
    [0, 4, 9]
    """
    return slice(None) if limit is None else np.unique(np.linspace(0, count - 1, min(limit, count)).round().astype(int))


class _Fit(NamedTuple):
    """A tuned choice: which family, its parameter, the mean acceptance on the tuning contexts, the map itself."""

    family: str
    tuned: Tuned
    affinity: Affinity


def accepted(p: Array, r: Array) -> Array:
    """Acceptance of each context; 0 where the drafter's vector has a negative entry, so that it is no law."""
    return np.where((r >= 0).all(axis=-1), unchecked.overlap(p, r), 0)


def _choose(p: Array, v: Array, families: Iterator[tuple[str, Array, Callable[[float], Affinity]]]) -> _Fit:
    fits = []
    for name, grid, make in families:
        maps = [make(float(t)) for t in grid]
        tuned = best(grid, [accepted(p, affinity(v)).mean() for affinity in maps])
        fits.append(_Fit(name, tuned, maps[tuned.place]))  # the same map: what it computed for tuning is evaluated with
    return fits[leading([fit.tuned.mean for fit in fits])]


def leading(means: Any) -> int:
    """Place of the highest mean; the first place where the highest exceeds that by no more than `ROUNDING`.

    >>> leading([0.5, 0.7, 0.6]), leading([0.5, 0.500001])
    (1, 0)
    """
    place = int(np.argmax(means))
    return place if means[place] > means[0] + ROUNDING else 0


def exact_families(data: Laws, v: Array) -> Iterator[tuple[str, Array, Callable[[float], Affinity]]]:
    """The identity; of each covariance temperatures from 2⁻¹ of the mean variance of a drafted token down to 2⁻¹⁹.

    At the highest the rows of M are flat; below the lowest none changes, so that the grid goes to the limit.  The limit is the
    identity only where a token's largest covariance is its own variance, which holds for one-hot tokens; so the identity, at
    which the exact form is TLI, stands in the grid by itself.  It is first: it is chosen unless another kernel is better.
    """
    yield "identity", np.zeros(1), lambda temperature: lambda laws: laws
    for kind in COVARIANCES:
        U, lam, diag = data.factors[kind]
        token_variances = (U * U) @ lam + diag
        typical = max(float(v.mean(axis=0) @ token_variances), 1e-9 * float(token_variances.max()))
        grid = geometric(typical * 2.0**-19, typical / 2, TEMPERATURES)
        yield kind, grid, partial(factored, U, lam, diag)


def linear_families(data: Laws, v: Array) -> Iterator[tuple[str, Array, Callable[[float], Affinity]]]:
    """Temperatures from the lowest at which every tuning context gets a law (negative entries are none), in ratios of 2."""
    for kind in COVARIANCES:
        U, lam, diag = (x.astype(np.float32) for x in data.factors[kind])
        u = (first_order(U, lam, diag, 1.0)(v) - 1 / v.shape[-1]) * v.shape[-1]
        lowest = 1.01 * max(float(-u.min()), 1e-12)
        yield kind, lowest * 2.0 ** np.arange(GRID), partial(first_order, U, lam, diag)
    s = float((v @ data.mean).max())
    vocab = v.shape[-1]
    prior = data.mean
    scale = {"affine": (float(prior.max()), 4.0), "normalised": (s / 4096, 8.0), "exponential": (16 * s, 4.0)}
    for form, make in (("affine", affine), ("normalised", normalised), ("exponential", exponential)):
        lowest, ratio = scale[form]
        grid = lowest / vocab * ratio ** np.arange(GRID)
        yield form, grid, partial(make, prior, prior)


def kept_mask(data: Laws, order: str, kept_count: int, key: int) -> Array:
    """Which tokens are kept, boolean (V,), in an order of `ORDERS`; the key is of the random one."""
    counts = data.counts
    if order == "random":
        return keep_first(np.argsort(philox.uniform(key, [0], range(len(counts)))[0], kind="stable"), kept_count)
    return keep_first(pruning_order(order, counts), kept_count)


def _simulate(data: Laws, cell: Any, rows: Rows, fixed: bool) -> Values:
    p, q = data.evaluation
    mask = kept_mask(data, cell["order"], cell["kept"], rows.key)
    methods = {"unpruned": SD, "none": restricted(mask), "tli": tli(mask), "uniform": uniform()}
    values = {name: m.accept(p, m.propose(q)).sum(axis=-1) for name, m in methods.items()}
    values["document"] = np.asarray(data.bank.documents)[data.rows]
    if cell["rdk"]:
        values |= _redistributed(data, mask)
    if fixed:
        values |= _fixed(data, mask)
    row_slice = slice(rows.numbers.start, rows.numbers.stop)
    return {name: np.asarray(v, dtype=np.float64)[row_slice] for name, v in values.items()}


def _redistributed(data: Laws, mask: Array) -> Values:
    """Return acceptance under RDK and plain controls by evaluation context, with the parameters that tuning chose."""
    (p, q) = data.evaluation
    (pt, qt) = data.tuning
    v = unchecked.restrict(q, mask)
    vt = unchecked.restrict(qt, mask)
    exact = _choose(pt, vt, exact_families(data, vt))
    linear = _choose(pt, vt, linear_families(data, vt))
    # TLI is computed as RDK is, so that the identity differs from it by nothing at all
    values = {
        "tli": accepted(p, v),
        "exact": accepted(p, exact.affinity(v)),
        "unigram": unchecked.overlap(p, data.mean),
    }
    r = linear.affinity(v)
    values |= {"linear": accepted(p, r), "no law": np.asarray((r < 0).any(axis=-1))}
    if data.statistics.affinity is not None:
        values["learnt"] = unchecked.overlap(p, data.statistics.affinity(v))
    constants = {
        "exact kind": KERNELS.index(exact.family),
        "exact temperature": exact.tuned.value,
        "linear form": FORMS.index(linear.family),
        "linear temperature": linear.tuned.value,
    }
    trial_weights: Array = weights(MIXTURES).astype(np.float32)
    for name, mixed_law in mixed_with(data, mask).items():
        means = [unchecked.overlap(pt, (1 - w) * vt + w * mixed_law).mean() for w in trial_weights]
        weight = trial_weights[leading(means)]
        values[name] = unchecked.overlap(p, (1 - weight) * v + weight * mixed_law)
        constants[f"{name} weight"] = float(weight)
    return values | {name: np.full(len(p), value) for name, value in constants.items()}


def mixed_with(data: Laws, mask: Array) -> dict[str, Array]:
    """Laws (V,) that controls mix TLI with: the mean law on the pruned tokens (``mixture``), the uniform one (``spread``).

    Neither knows a covariance.
    """
    vocab = len(data.mean)
    return {
        "mixture": unchecked.normalise(np.where(mask, 0, data.mean), otherwise=data.mean),
        "spread": np.full(vocab, 1 / vocab, dtype=np.float32),
    }


def _fixed(data: Laws, mask: Array) -> Values:
    """The best fixed masses on the pruned tokens: found on the tuning contexts, and on those that they are judged by."""
    p, q = (law.astype(np.float64) for law in data.evaluation)
    acceptances = {}
    for name, (target, draft) in (("static", data.tuning), ("static hindsight", data.evaluation)):
        fitting_laws = laws.normalise(target.astype(np.float64)), laws.normalise(draft.astype(np.float64))
        extra = static_mixture(*fitting_laws, mask).extra
        acceptances[name] = unchecked.overlap(p, static(mask, extra).propose(q))
    return acceptances


def real_pruning(
    bank: Bank,
    data: str,
    shares: tuple[float, ...] = (0.05, 0.01, 0.0025),
    beyond: float | None = 0.25,
    fixed: bool = False,
    context_limit: int | None = None,
) -> Study:
    """Acceptance on the contexts of a bank, for each order and share of the vocabulary kept.

    Values of a context: ``unpruned``, ``none``, ``tli``, ``uniform`` and ``document``; where the cell's ``rdk`` is true
    also ``exact``, ``linear``, ``learnt``, ``unigram``, ``mixture``, ``spread``, whether the linear form was ``no law``, and the
    tuned choices (indices into `KERNELS` and `FORMS`).

    Parameters
    ----------
    bank : Bank; with a draft, statistics and, for cells with RDK or fixed masses, tuning contexts
    data : str; what the bank is, for the report
    shares : shares of the vocabulary kept in the cells with RDK, in whole tokens and at least one: a small vocabulary
        has fewer levels, none twice
    beyond : number or None; a share just below which the cells without RDK keep
    fixed : bool; whether `static_mixture` stands beside: its masses found on the tuning contexts (``static``), and on the
        evaluation contexts themselves (``static hindsight``), which no drafter with fixed masses can exceed
    context_limit : int, optional; evaluation contexts, and as many for tuning, evenly spaced; all by default

    Raises ValueError for a bank that lacks a draft, statistics or the tuning contexts that its cells need.
    """
    laws_of = Laws(bank, context_limit, is_tuned=bool(shares) or fixed)
    rows = len(np.arange(bank.contexts)[laws_of.rows])
    kept_settings = [(count, True) for count in dict.fromkeys(max(1, round(share * bank.vocab)) for share in shares)]
    if beyond is not None:
        kept_settings = [(max(1, int(np.ceil(beyond * bank.vocab)) - 1), False), *kept_settings]
    grid = tuple(
        {"data": data, "vocab": bank.vocab, "order": order, "kept": k, "rdk": full, "rows": rows}
        for k, full in kept_settings
        for order in ORDERS
    )
    return Study(
        name="real-pruning",
        question="Which methods restore the acceptance of a pruned drafter on real logits?",
        grid=grid,
        simulate=lambda cell, rows, device: _simulate(laws_of, cell, rows, fixed),
        summary="acceptance rates, exact for each context",
        rows=rows,
    )
