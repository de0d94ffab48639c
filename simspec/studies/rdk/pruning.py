"""Synthetic pruning: what a drafter cut to few tokens still gets accepted, scheme by scheme.

Target logits are Student-t, equal in law for all tokens (tilt 0) or with means that follow Zipf's law (tilt 1); the
drafter is the target's own law, pruned, or a correlated one.  Tokens are kept in one of four orders.  Schemes: none
(drafts outside the kept tokens are rejected), TLI, linear-time RDK, and three controls: the uniform law, the prior
(unigram) law, and TLI mixed with the prior on the pruned tokens.  The prior is what is known before the step: the mean
law, uniform at tilt 0 (tokens are exchangeable, so frequency is a random order there), Zipf's at tilt 1.

RDK's rank-one premise Omega_ij = c_i p_j with a symmetric Omega forces c proportional to p, so s = <q', p>; two readings
of that p: the prior (honest), and the step's own target law (leaking: a drafter cannot know it).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.study import Rows, Study
from simspec.kernels import random as philox
from simspec.laws import Array, softmax
from simspec.logits import Draws, synthetic
from simspec.studies.rdk.tuning import GRID, best, weights

__all__ = ["HIGH", "KEPT", "ORDERS", "READINGS", "TUNED_AT", "VARIANTS", "synthetic_pruning"]

KEPT = (1.0, 0.5, 0.25, 0.1, 0.01, 0.0025, 0.001)
"""Shares of the vocabulary that are kept."""
HIGH = tuple(i for i, kept in enumerate(KEPT) if kept <= 0.01)
"""Levels of at least 99 % pruning."""
TUNED_AT = KEPT.index(0.0025)
"""The paper's level, 500 of 200,000: there the temperature, or weight, of a whole curve is tuned."""
ORDERS = ("target", "frequency", "random", "worst")
"""Kept first: the step's most likely tokens, the prior's, random ones, the step's least likely."""
VARIANTS = ("affine", "normalised", "exponential")
READINGS = ("prior", "leaking")
_WINDOWS = 4
_TUNING_ROWS = 2**40
"""Rows from this number on are tuned on; evaluation rows lie below."""


class _Step(NamedTuple):
    """One target law, its draft and the prior; per order the three ranked by it; what needs no parameter; and acceptances of
    the exponential form that are known, by reading and t."""

    p: Array
    prior: Array
    ranked: list[tuple[Array, Array, Array]]
    windowed: tuple[bool, ...]
    tilt: dict[str, list[list[Array]]]
    none: Array
    tli: Array
    uniform: float
    known: dict[tuple[str, float], float]

    @property
    def flat(self) -> bool:
        """Whether the prior is the uniform law, and with it every linear-time form."""
        return self.windowed[1]


def _counts(vocab: int) -> list[int]:
    return [max(1, round(share * vocab)) for share in KEPT]


@lru_cache(maxsize=4)
def _permutation(vocab: int) -> Array:
    key = philox.make_key(0, "permutation", vocab)
    return np.argsort(philox.uniform(key, [0], range(vocab))[0], kind="stable")


def _ranked(p: Array, q: Array, prior: Array, key: int, row: int, flat: bool) -> list[tuple[Array, Array, Array]]:
    """The three laws in each order; the random one is a fixed permutation, entered at a place drawn for the row."""
    counts = _counts(len(p))
    cuts = sorted({min(k, len(p) - 1) for k in counts} | {len(p) - k for k in counts})
    likely = np.argpartition(-p, cuts)  # only which tokens lie before each cut matters
    shift = int(philox.uniform(key, [row], [0], 4)[0, 0] * len(p))
    random_order = np.roll(_permutation(len(p)), shift)

    def taken(index: Array) -> tuple[Array, Array, Array]:
        a = p[index]
        return a, a if q is p else q[index], prior if flat else prior[index]

    first = taken(likely)
    third = taken(random_order)
    a, b, c = first
    return [first, third if flat else (p, q, prior), third, (a[::-1], b[::-1], c[::-1])]


def _along(values: Array, counts: list[int]) -> Array:
    """Sums of the first `count` values, for each count."""
    cuts = [0, *sorted(set(counts))]
    sums = np.cumsum([float(values[a:b].sum()) for a, b in itertools.pairwise(cuts)])
    return sums[np.searchsorted(cuts[1:], counts)]


def _kept(a: Array, b: Array, count: int, share: float, windowed: bool) -> float:
    """Overlap of p with `share` of the renormalised draft on the kept tokens (uniform on them where it has no mass).

    A random set of kept tokens is averaged over: every window of the random order in turn is kept.  One set would
    make acceptance under random pruning a rare event, high when the likeliest token happens to be kept.
    """
    windows = len(a) // count if windowed else 1
    p = a[: windows * count].reshape(windows, count)
    q = b[: windows * count].reshape(windows, count)
    mass = q.sum(axis=1, keepdims=True)
    draft = (
        np.where(mass > 0, q / np.where(mass > 0, mass, 1), np.float32(1 / count)) if (mass == 0).any() else q / mass
    )
    return float(np.minimum(p, np.float32(share) * draft).sum()) / windows


def _tilt(b: Array, c: Array, count: int, windowed: bool) -> Array:
    """s = <q', c> on the kept tokens; in a random order on up to `_WINDOWS` windows, over which acceptance is averaged."""
    windows = len(b) // count if windowed else 1
    window_numbers = np.unique(np.linspace(0, windows - 1, min(windows, _WINDOWS)).round().astype(int))
    q, weight = (x[: windows * count].reshape(windows, count)[window_numbers] for x in (b, c))
    mass = q.sum(axis=1)
    return np.where(mass > 0, (q * weight).sum(axis=1) / np.where(mass > 0, mass, 1), weight.mean(axis=1))


def _step(p: Array, q: Array, prior: Array, key: int, row: int) -> _Step:
    """Return what all schemes need of one step: ranked laws, tilts, and acceptance without redistribution and with TLI."""
    counts = _counts(len(p))
    flat = bool(prior.min() == prior.max())
    # asked before the copies below: one array then serves for both
    same = q is p
    p = p.astype(np.float32)
    prior = prior.astype(np.float32)
    q = p if same else q.astype(np.float32)
    ranked = _ranked(p, q, prior, key, row, flat)
    # an order that is random (also that of a flat prior) is averaged over its windows
    windowed = (False, flat, True, False)
    share = np.array(counts) / len(p)
    full_overlap = float(np.minimum(p, q).sum())

    def each(of: Callable[[Array, Array, Array, bool], Any]) -> list[Any]:
        """Of each order; with a flat prior the second is the third."""
        per_order = {o: of(*ranked[o], windowed[o]) for o in range(len(ORDERS)) if not (flat and o == 1)}
        return [per_order[2 if flat and o == 1 else o] for o in range(len(ORDERS))]

    tilt = {
        "prior": each(lambda a, b, c, w: [_tilt(b, c, k, w) for k in counts]),
        "leaking": each(lambda a, b, c, w: [_tilt(b, a, k, w) for k in counts]),
    }
    none = each(lambda a, b, c, w: full_overlap * share if w else _along(np.minimum(a, b), counts))
    tli = each(lambda a, b, c, w: [_kept(a, b, k, 1, w) for k in counts])
    return _Step(
        p=p,
        prior=prior,
        ranked=ranked,
        windowed=windowed,
        tilt=tilt,
        none=np.array(none),
        tli=np.array(tli),
        uniform=_of_two(p, prior, 0),
        known={},
    )


def _mixture(step: _Step, order: int, level: int, weight: float) -> float:
    """Acceptance of TLI mixed with the prior on the pruned tokens, as `methods.unigram_mixture` drafts."""
    a, b, c = step.ranked[order]
    count = _counts(len(a))[level]
    tail = float(c[count:].sum())
    if tail == 0:
        return float(step.tli[order, level])
    rest = float(np.minimum(a[count:], np.float32(weight / tail) * c[count:]).sum())
    return _kept(a, b, count, 1 - weight, step.windowed[order]) + rest


def _of_two(p: Array, prior: Array, weight: float) -> float:
    """Overlap of p with (1 - w) uniform + w prior."""
    law = prior * np.float32(weight)
    law += np.float32((1 - weight) / len(p))
    return float(np.minimum(p, law, out=law).sum())


def _rdk(step: _Step, reading: str, variant: str, t: float) -> float:
    """Acceptance of one linear-time form at t = s / temperature, 0 <= t (affine: at most V)."""
    vocab = len(step.p)
    if reading == "prior" and step.flat:
        return step.uniform
    if variant == "exponential":
        if (reading, t) not in step.known:  # orders meet at the same t
            prior = step.prior if reading == "prior" else step.p
            e = np.subtract(prior, prior.max())
            np.exp(np.multiply(e, np.float32(min(t, 1e30)), out=e), out=e)
            e /= e.sum()
            step.known[reading, t] = float(np.minimum(step.p, e, out=e).sum())
        return step.known[reading, t]
    weight = t / vocab if variant == "affine" else t / (vocab + t)
    if reading == "leaking":  # sum of min(p, (1 - w)/V + w p): entries above 1/V keep the share w of what is over it
        return step.uniform + weight * (1 - step.uniform)
    return _of_two(step.p, step.prior, weight)


def _temperatures(variant: str, reading: str, prior: Array, s: float) -> Array:
    """The grid of one form: `GRID` temperatures in equal ratios.

    Affine: from the lowest at which it is a law whatever the draft says, max p / V (1 / V when p is the step's own), in
    ratios of 4.  At the largest s tuned on, normalised: t / V from 4096 (nearly the prior) down in ratios of 8;
    exponential: t from V / 16 down in ratios of 4.
    """
    vocab = len(prior)
    if variant == "affine":
        lowest = (float(prior.max()) if reading == "prior" else 1.0) / vocab
    else:
        lowest = max(s, 1e-300) / vocab * (1 / 4096 if variant == "normalised" else 16)
    return lowest * (8.0 if variant == "normalised" else 4.0) ** np.arange(GRID)


def _steps(cell: Any, key: int, numbers: range) -> list[_Step]:
    """Draw the target and drafter laws of each row and return their steps."""
    vocab = int(cell["vocab"])
    df = float(cell["df"])
    scale = float(cell["scale"])
    temperature = float(cell.get("temperature", 1))
    location = synthetic.zipf(vocab, cell["tilt"])
    prior = softmax(location, temperature)
    steps = []
    for row in numbers:
        draws = Draws(key, range(row, row + 1))
        z = synthetic.student_t(draws, vocab, df=df, location=location, scale=scale)
        # one object: `_step` sees that the drafter is the target's own law
        p = q = softmax(z, temperature)[0]
        if cell["rho"] < 1:
            noisy = synthetic.correlated(z, cell["rho"], draws, location=location, scale=scale, df=df)
            q = softmax(noisy, temperature)[0]
        steps.append(_step(p, q, prior, key, row))
    return steps


class _Choice(NamedTuple):
    """Tuned: a temperature per reading, form and order; the best form per reading and order; a weight per order."""

    temperature: dict[tuple[str, str, int], float]
    form: dict[tuple[str, int], str]
    weight: dict[int, float]


@lru_cache(maxsize=256)
def _tuned(items: tuple[tuple[str, Any], ...], key: int) -> _Choice:
    """Tune on rows that are never evaluated: the same number of grid points for every parameter."""
    cell = dict(items)
    steps = _steps(cell, key, range(_TUNING_ROWS, _TUNING_ROWS + cell["tuning"]))
    temperature = {}
    form = {}
    weight = {}
    for order in range(len(ORDERS)):
        for reading in READINGS:
            largest = max(float(step.tilt[reading][order][TUNED_AT].max()) for step in steps)
            best_by_variant = {}
            for name in VARIANTS:
                grid = _temperatures(name, reading, steps[0].prior, largest)
                best_by_variant[name] = best(
                    grid, [[_at(step, reading, name, order, TUNED_AT, t) for t in grid] for step in steps]
                )
                temperature[reading, name, order] = best_by_variant[name].value
            form[reading, order] = VARIANTS[int(np.argmax([best_by_variant[name].mean for name in VARIANTS]))]
        mixture_acceptance = [[_mixture(step, order, TUNED_AT, w) for w in weights()] for step in steps]
        weight[order] = best(weights(), mixture_acceptance).value
    return _Choice(temperature, form, weight)


def _simulate(cell: Any, rows: Rows, device: str) -> dict[str, Array]:
    choice = _tuned(tuple(sorted(cell.items())), rows.key)
    records = [_evaluate(step, choice) for step in _steps(cell, rows.key, rows.numbers)]
    return {name: _clipped([record[name] for record in records], int(cell["vocab"])) for name in records[0]}


def _rounding(vocab: int) -> float:
    r"""How far above 1 the sums of this file can come, in units u = 2⁻²⁴ of float32: 1.01 (27 + log₂ V) u.

    Every acceptance is at most the float32 sum of entries of p, which add to 1 before they are rounded: min(p, ·) ≤ p,
    and an average over windows is smaller still.  A term is rounded once itself and once in each addition that it passes
    through.  NumPy adds in pairs down to runs of 128, in which 8 sums of at most 16 terms are joined by 3 additions and at
    most 7 terms are left over: 15 + 3 + 7 + log₂ V additions and one more where runs are uneven.  That makes
    (1 + u)^(27 + log₂ V) − 1, below 1.01 times the exponent times u.  Sums in float64 add a billionth of that.
    """
    return 1.01 * (27 + float(np.log2(vocab))) * 2.0**-24


def _clipped(values: Any, vocab: int) -> Array:
    """Acceptance rates above 1 by no more than rounding are 1; what is further above is left for `Mean` to refuse."""
    rates = np.array(values, dtype=np.float64)
    return np.where((rates > 1) & (rates <= 1 + _rounding(vocab)), 1.0, rates)


def _evaluate(step: _Step, choice: _Choice) -> dict[str, Any]:
    """Values of one step: each rule by order of the tokens and number of kept ones, at the chosen forms and temperatures."""
    orders = range(len(ORDERS))
    levels = range(len(KEPT))
    record: dict[str, Any] = {"none": step.none, "tli": step.tli, "top": float(step.p.max())}
    record["uniform"], record["unigram"] = step.uniform, _of_two(step.p, step.prior, 1)
    record["mixture"] = [[_mixture(step, o, i, choice.weight[o]) for i in HIGH] for o in orders]
    for reading in READINGS:
        form_and_temperature = [
            (choice.form[reading, o], choice.temperature[reading, choice.form[reading, o], o]) for o in orders
        ]
        record[f"rdk {reading}"] = [
            [_at(step, reading, form, o, i, t) for i in levels] for o, (form, t) in enumerate(form_and_temperature)
        ]
    affine = [choice.temperature["prior", "affine", o] for o in orders]
    record["affine"] = [[_at(step, "prior", "affine", o, i, affine[o]) for i in levels] for o in orders]
    return record


def _at(step: _Step, reading: str, form: str, order: int, level: int, temperature: float) -> float:
    if reading == "prior" and step.flat:
        return step.uniform
    return float(np.mean([_rdk(step, reading, form, float(s) / temperature) for s in step.tilt[reading][order][level]]))


def synthetic_pruning(
    vocab: int = 200_000,
    logits: tuple[tuple[float, float], ...] = ((5, 0.5), (10, 0.5), (10, 1), (30, 0.5), (30, 1), (30, 2)),
    tilt: tuple[float, ...] = (0, 1),
    rho: tuple[float, ...] = (1, 0.9),
    rows: int = 20,
    tuning: int = 3,
    temperature: float = 1,
) -> Study:
    """Acceptance against pruning on Student-t logits: a study with a cell for each pair, tilt and rho.

    Values of a row: ``none``, ``tli``, ``rdk prior``, ``rdk leaking`` and ``affine`` (orders, levels of `KEPT`), RDK with
    one form and one temperature an order, the best at `TUNED_AT`, affine that form with the prior; ``mixture`` (orders,
    levels of `HIGH`), its weight tuned likewise; ``uniform``, ``unigram``; ``top``, the largest probability.

    Parameters
    ----------
    vocab : V
    logits : pairs (df, scale) of the Student-t logits; with heavier tails or larger scales than the default ones a law
        over 200,000 tokens is nearly one-hot, and acceptance a rare event
    tilt : exponents of the Zipf means
    rho : correlations of draft and target logits; 1 is the target itself
    rows, tuning : evaluation rows and tuning rows (disjoint) of each cell
    temperature : of the softmax of all logits, the Zipf means of the prior among them

    >>> study = synthetic_pruning(1000, logits=((3, 1),), tilt=(0,), rho=(1,))
    >>> len(study.grid), study.rows
    (1, 20)
    """
    # temperature 1 is left out of the cells, whose values make the keys of their random numbers
    heat = {} if temperature == 1 else {"temperature": temperature}
    grid = tuple(
        {"vocab": vocab, "df": d, "scale": c, "tilt": z, "rho": r, "tuning": tuning, **heat}
        for d, c in logits
        for z in tilt
        for r in rho
    )
    return Study(
        name="synthetic-pruning",
        question="How much acceptance is lost when the drafter's vocabulary is pruned, and which methods restore it?",
        grid=grid,
        simulate=_simulate,
        summary="acceptance rates, exact for each simulated pair of laws",
        rows=rows,
    )
