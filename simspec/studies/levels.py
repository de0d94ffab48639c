r"""Acceptance of synthetic pairs from few tokens: many draws of the large ones alone, and few whole rows that correct them.

In a row of V independent tokens few carry what moves the acceptance.  Let A₀ be the acceptance that is computed from the tokens
whose logits pass a high cut, means standing for the others; A₁ the same with a lower cut; α that of all.  Then

.. math:: \operatorname{E}\alpha = \operatorname{E}A_0 + \operatorname{E}(A_1 - A_0) + \operatorname{E}(\alpha - A_1 - c),

and each mean is estimated by draws of its own: very many of A₀, of which one takes some dozens of tokens, fewer of the
second, and one whole row, whose difference hardly varies (Giles 2008).  c is its linear part in what the row's small tokens
lack of their means, which has mean zero whatever the large tokens are (`simspec.kernels.large.first_order`): what is left is
of second order, so that mostly one cut is enough.  All of it together is one row of a study,

.. math:: z = (\alpha - A_1 - c) + \frac1{k_1}\sum_{j \le k_1}(A_1 - A_0)_j + \frac1{k_0}\sum_{j \le k_0}(A_0)_j,

so that rows stay independent, numbered and bounded, and whatever holds for studies holds for these.

Why it is unbiased: E A₁ occurs twice with opposite signs, and so does E A₀, for the tokens that pass a cut have the same law
drawn alone as within a whole row: their number is binomial, and given it they are independent draws from beyond the cut.
How A weighs the rest is of no account for that, only for the variance, so tables serve.  E c = 0, since given the large tokens
the others are independent draws that do not pass, the coefficients are fixed, and the means are computed, within 1e-6 of
themselves; cutting c at its bounds moves its mean by at most `SLIP`, and where no bound as small is known, c is left out.
Two laws of draws differ: those of whole rows end at probability 2⁻³³ in either tail, those of single tokens later, and
their quantiles are interpolated within 1e-6.  Together that moves a mean by less than V 2⁻³⁰ + 2e-5.

`by_levels` is what a study of acceptance offers in place of whole rows (`simspec.engine.choice`): where its pairs have levels and
whole rows cost more, by their number and what `simspec bench interval` says of the time of a row.

What no number of copies removes: an interval valid at every law within the bounds needs some log(2/a) over its half-width
in rows, times the bounds' distance, since an event that rare could be missed.  Few rows are enough in the limit only:
``HalfWidth(…, asymptotic=…)``, ``Rows(…, once=True)``.

Sources: Giles, "Multilevel Monte Carlo path simulation" (Operations Research 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.checks import needs, whole_number
from simspec.engine.estimates.estimators import Levels
from simspec.engine.estimates.needed import rows_until
from simspec.engine.estimates.sharing import Shared
from simspec.engine.estimates.statistics import Mean, Measure
from simspec.engine.estimates.stopping import AllOf, AnyOf, Decision, HalfWidth, RelativeError
from simspec.engine.store.segment import canonical
from simspec.kernels import random as philox
from simspec.kernels.large import Cut, Pairs, Stream, cut_at, fast_draws, large_tokens, of_large
from simspec.kernels.large.first_order import ROOM, Sums, bounded, first_order, slip
from simspec.kernels.large.reference import both, powers
from simspec.kernels.synthetic import SMALL, draw_bound
from simspec.kernels.threads import split
from simspec.laws import Array

if TYPE_CHECKING:
    from simspec.engine.estimates.stopping import Rule
    from simspec.engine.study import Cell, Request, Rows, Study

    Simulate = Callable[[Cell, Rows, str], dict[str, Array]]

__all__ = [
    "ENOUGH",
    "LEVELS",
    "NARROWEST",
    "WHOLE_ROWS",
    "asked_half_width",
    "bounds",
    "by_levels",
    "chosen",
    "has_levels",
    "levelled",
    "levels_pay",
    "pairs_of",
    "rates_by_levels",
    "row_spread",
    "whole_rows",
]

SLIP = 1e-6
"""What the bounds of the linear part may move a mean by."""
CUTS = (4, 8, 16, 32, 64, 128, 256, 1024)
"""Tokens that pass a cut, of which `chosen` takes the fewest that will do."""
TRIED = 8, 256
"""Whole rows, and draws of large tokens, of its pilot."""
ENOUGH = 32
"""Fewest rows of levels that are taken, however little they vary, for a limit to be one."""
NARROWEST = 4 * ENOUGH
"""Rows at which the interval in the limit is narrowest: it says nothing before a quarter of them, which are `ENOUGH`."""
LEVELS = "levels"
"""Parameter of a cell whose rows are levels: tokens that pass the cut, and copies."""
WHOLE_ROWS = "whole rows"
"""Measure of the whole rows beside `alpha` by levels: what their variance is held against."""
ROW_TIME = 27.0
"""Whole rows in the time of a row of levels, at most, at `MEASURED_VOCAB` and `MEASURED_WIDTH`: four idle runs of the
benchmark `interval` have measured 14 to 26, and the tests hold its record against this number.  The time is taken to be three
quarters of the row's tokens, and a quarter draws of large tokens alone, which are as many whatever the vocabulary is, and grow
with the square of a narrower width."""
MEASURED_VOCAB = 128_256
MEASURED_WIDTH = 1e-3
FINEST_WIDTH = 2e-4
"""Narrowest half-width that levels are chosen for: rows are summed as multiples of their wide range over 2**32, and what that
rounds their squares by stays below a twentieth of the variance that is aimed at here."""


def pairs_of(cell: Cell) -> Pairs:
    """The kind of pair of a study's cell: ``vocab``, ``scale``, ``rho``, and ``df`` and ``tolerance`` where it has them.

    >>> pairs_of({"vocab": 10, "scale": 2, "rho": 0.9})
    Pairs(vocab=10, df=inf, scale=2.0, rho=0.9, tolerance=0.0)
    """
    rest = float(cell.get("df", math.inf)), float(cell["scale"]), float(cell["rho"])
    return Pairs(whole_number("vocab", cell["vocab"], 1, 2**31), *rest, float(cell.get("tolerance", 0)))


def levelled(cell: Cell, rows: Rows, tokens: tuple[float, ...], copies: tuple[int, ...]) -> tuple[Array, Array]:
    """Unbiased rows of the acceptance of SD and of what EARS gains over it: the z of the head of this file.

    Parameters
    ----------
    cell, rows : as `simspec.studies.pairs.synthetic_logits` takes them, with ``tolerance`` for EARS' β
    tokens : increasing numbers
        how many tokens pass each cut on average; one number or more.
    copies : numbers
        of draws at each cut.

    Returns
    -------
    two arrays (rows,)
        within `bounds`.

    Raises
    ------
    ValueError
        for cuts that are not increasing or no number of copies for each, and as `cut_at`.

    >>> from simspec.engine.study import Rows
    >>> alpha, gain = levelled({"vocab": 1000, "scale": 2.0, "rho": 0.9}, Rows(1, range(4)), (4, 64), (256, 16))
    >>> bool(abs(alpha.mean() - 0.66) < 0.03), gain.tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """
    columns = _columns(cell, rows, tokens, copies)
    return columns[:, 0], columns[:, 1]


def _columns(cell: Cell, rows: Rows, tokens: tuple[float, ...], copies: tuple[int, ...]) -> Array:
    """Acceptance and gain by levels, and the acceptance of the whole row: (rows, 3)."""
    if not tokens or len(tokens) != len(copies) or list(tokens) != sorted(set(tokens)) or min(copies) < 1:
        raise ValueError(
            f"tokens, copies: {tokens}, {copies}; expected increasing numbers, and a positive one for each"
        )
    pairs = pairs_of(cell)
    cuts = [cut_at(pairs, number) for number in tokens]
    out = np.empty((len(rows.numbers), 3))
    control = slip(pairs, cuts[-1]) <= SLIP

    def task(first: int, last: int) -> None:
        for i, row in enumerate(rows.numbers[first:last], first):
            row_terms = _Row(pairs, rows.key, row)
            out[i, 2] = row_terms.exact[0]
            out[i, :2] = _remainder(pairs, cuts[-1], row_terms, control)
            for level, (cut, before, count) in enumerate(zip(cuts, [None, *cuts], copies, strict=False)):
                out[i, :2] += _copies(pairs, cut, before, rows.key, row, count, 2 + 2 * level).mean(axis=0)

    _over_rows(task, len(out), pairs.vocab)
    return out


def bounds(cuts: int, tolerance: float = 0.0) -> tuple[tuple[float, float], tuple[float, float]]:
    """Bounds of acceptance and gain by so many cuts.

    >>> bounds(1)[0], [round(b, 2) for b in bounds(2, 0.3)[1]]
    ((-11.0, 12.0), [-12.6, 12.9])
    """
    gain_margin = (1 + 2 * tolerance / 3) * ROOM
    return (-cuts - ROOM, cuts + 1 + ROOM), (-cuts * tolerance - gain_margin, (cuts + 1) * tolerance + gain_margin)


def chosen(cell: Cell, spread: float, value: str = "alpha") -> tuple[tuple[float], tuple[int]]:
    """A cut and a number of draws at it with which a row varies by about `spread`: a pilot's guess, with a key of its own.

    Whole rows cost most, so the number of tokens is the smallest of `CUTS` at which they leave half of the spread at most
    (of those below a quarter of the vocabulary), and the draws are as many as bring the rest down.

    Parameters
    ----------
    cell : as `levelled` takes it
    spread : number > 0
        standard deviation of a row.
    value : "alpha" or "gain"

    Returns
    -------
    tokens, copies : as `levelled` takes them

    Raises
    ------
    ValueError
        for a spread that is not positive, another value, or a gain without tolerance.

    >>> chosen({"vocab": 1000, "scale": 0.5, "rho": 0.9}, 0.01)
    ((4,), (1,))
    """
    if not spread > 0 or value not in ("alpha", "gain") or (value == "gain" and not cell.get("tolerance")):
        raise ValueError(
            f"spread, value: {spread}, {value!r}; expected a positive number, and 'alpha', or 'gain' with a tolerance"
        )
    pairs = pairs_of(cell)
    at = ("alpha", "gain").index(value)
    key = philox.make_key(0, "pilot of levels", dict(cell))
    rows, copies = TRIED
    cuts: list[float] = [number for number in CUTS if 4 * number <= pairs.vocab]
    for tokens in cuts or [pairs.vocab / 4]:
        cut = cut_at(pairs, tokens)
        control = slip(pairs, cut) <= SLIP
        row_spread = np.array([_whole(pairs, cut, key, row, control)[at] for row in range(rows)]).std(ddof=1)
        if 2 * row_spread <= spread:
            break
    draw_spread = _copies(pairs, cut, None, key, 0, copies, 2)[:, at].std(ddof=1)
    return (tokens,), (max(1, math.ceil(float(draw_spread**2 / max(spread**2 - row_spread**2, spread**2 / 4)))),)


def whole_rows(cell: Cell, rows: Rows) -> tuple[Array, Array]:
    """Acceptance of SD and EARS' gain of whole rows (rows,), each between 0 and 1 or β; the draws of many tokens are float32.

    >>> from simspec.engine.study import Rows
    >>> alpha, gain = whole_rows({"vocab": 1000, "scale": 2.0, "rho": 0.9, "tolerance": 0.1}, Rows(1, range(2)))
    >>> bool((alpha > 0.5).all() and (alpha < 0.8).all() and (gain > 0).all() and (gain < 0.1).all())
    True
    """
    pairs = pairs_of(cell)
    out = np.empty((len(rows.numbers), 2))

    def task(first: int, last: int) -> None:
        for i, row in enumerate(rows.numbers[first:last], first):
            out[i] = _Row(pairs, rows.key, row).exact

    _over_rows(task, len(out), pairs.vocab)
    return out[:, 0].clip(0, 1), out[:, 1].clip(0, pairs.tolerance)


# ---- what a study of acceptance offers ----


def row_spread(half_width: float, level: float = 0.95) -> float:
    """Standard deviation of a row of levels with which Student's interval of `ENOUGH` rows is a quarter narrower than asked.

    A pilot only guesses a spread, hence the quarter.

    >>> round(row_spread(0.001), 5)
    0.00208
    """
    (special,) = needs("the spread of a row", "scipy.special")
    return float(0.75 * half_width * math.sqrt(ENOUGH) / special.stdtrit(ENOUGH - 1, (1 + level) / 2))


def levels_pay(cells: tuple[Cell, ...], half_width: float, level: float = 0.95) -> bool:
    """Whether levels take less time than whole rows, for all cells together, to an interval of this half-width.

    Whole rows are counted as if they did not vary, which is what an interval for every law takes at least; levels with the
    dearest pilot.  So where this says yes, levels pay whatever the pairs are.

    Parameters
    ----------
    cells : of a study, as `pairs_of` takes them
    half_width, level : numbers

    Examples
    --------
    >>> wide = ({"vocab": 128256, "scale": 2.0, "rho": 0.9},)
    >>> levels_pay(wide, 0.001), levels_pay(wide, 0.02), levels_pay(({**wide[0], "vocab": 1000},), 0.001)
    (True, False, False)
    """
    if half_width < FINEST_WIDTH:
        return False
    pilot_rows = TRIED[0] * len(CUTS)
    rows_needed = rows_until(half_width, 0.5, 0.0, level=level)
    copies = MEASURED_VOCAB * max(1.0, (MEASURED_WIDTH / half_width) ** 2)
    whole_work = 0.0
    levels_work = 0.0
    for cell in cells:
        vocab = int(cell["vocab"])
        whole_work += rows_needed * vocab
        levels_work += (ENOUGH + pilot_rows) * ROW_TIME * (0.75 * vocab + 0.25 * copies)
    return levels_work < whole_work


def by_levels(
    study: Study, request: Request, simulate: Simulate | None = None, beside: tuple[str, ...] = ()
) -> tuple[Study, Rule | None]:
    """A study of `alpha`, the acceptance of synthetic pairs, by levels where that pays; else the study and rule as they are.

    Levels are chosen for a `HalfWidth` of alpha, valid for every law, on a processor, where every cell's pairs have levels and
    `levels_pay`.  Their interval holds at every stop in the limit of many rows.  Where results are stored, these decide: rows of
    levels are continued with the cuts and copies that they have, whole rows as whole rows.

    Parameters
    ----------
    study : Study
        its cells as `pairs_of` takes them, its value ``alpha`` between 0 and 1.
    request : Request
    simulate : (cell, rows, device) -> values, optional
        what `rates_by_levels` returns, and the values named in `beside`.
    beside : names of measures
        that the study has beside alpha, and that rows of levels give too.

    Returns
    -------
    study, rule
        of levels: a parameter `LEVELS` more in each cell, and the measures ``alpha`` and `WHOLE_ROWS`.

    Examples
    --------
    >>> from simspec.engine.estimates.stopping import HalfWidth
    >>> from simspec.engine.study import Request
    >>> from simspec.studies.catalogue import acceptance
    >>> study = acceptance()
    >>> by_levels(study, Request(HalfWidth("alpha", 0.01), 0.95, "cpu"))[0] is study
    True
    >>> stored = tuple({**cell, "levels": [4, 100]} for cell in study.grid)
    >>> other, rule = by_levels(study, Request(HalfWidth("alpha", 0.01), 0.95, "cpu", stored))
    >>> other.grid[0]["levels"], rule
    ([4, 100], HalfWidth(name='alpha', value=0.01, low=-11.0, high=12.0, asymptotic=128))
    """
    stop = request.stop
    stored = {_key(cell): cell for cell in request.stored if LEVELS in cell}
    if stored:
        grid = tuple(stored.get(_key(cell), cell) for cell in study.grid)
        if not all(LEVELS in cell for cell in grid):
            raise ValueError(
                "store: its rows are levels of other cells than the study has; expected those of the study: use another "
                "directory for these results"
            )
    else:
        is_acceptance = (
            {*study.measures} == {"alpha", *beside} and not study.control and all(map(has_levels, study.grid))
        )
        half_width = asked_half_width(stop)
        if request.stored or request.device != "cpu" or not is_acceptance or half_width is None:
            return study, stop
        if not levels_pay(study.grid, half_width, request.level):
            return study, stop
        grid = tuple(_designed(cell, row_spread(half_width, request.level)) for cell in study.grid)
    low, high = bounds(1)[0]
    changes: dict[str, Any] = {"steadier": None, "rows": 4, "devices": ("cpu",), "stop": None}
    measures: dict[str, Measure] = {"alpha": Levels(low, high, of=WHOLE_ROWS), WHOLE_ROWS: Mean()}
    measures |= {name: study.measures[name] for name in beside}
    changes |= {"simulate": simulate or rates_by_levels, "together": None}
    levels_study = replace(study, grid=grid, measures=measures, **changes)
    return levels_study, _rule_by_levels(stop, low, high)


def _key(cell: Cell) -> str:
    return canonical({name: value for name, value in cell.items() if name != LEVELS})


def asked_half_width(stop: Rule | None) -> float | None:
    """The half-width of alpha, valid for every law, that a rule asks for; None where it asks for anything else.

    >>> asked_half_width(HalfWidth("alpha", 0.01)), asked_half_width(HalfWidth("limit", 0.01))
    (0.01, None)
    """
    if isinstance(stop, HalfWidth) and stop.name == "alpha" and not stop.asymptotic:
        return float(stop.value)
    return None


def has_levels(cell: Cell) -> bool:
    """Whether the pairs of a cell are of a kind that levels exist for: a cut is possible.

    >>> cell = {"vocab": 32_000, "scale": 2.0, "rho": 0.9}
    >>> has_levels(cell), has_levels(cell | {"df": 4})  # with few degrees of freedom powers could overflow
    (True, False)
    """
    try:
        cut_at(pairs_of(cell), CUTS[0])
    except (ValueError, KeyError):
        return False
    return True


def _designed(cell: Cell, spread: float) -> Cell:
    """The cell with the cut and the copies that a pilot has chosen for it."""
    (tokens,), (copies,) = chosen(cell, spread)
    return {**cell, LEVELS: [tokens, copies]}


def rates_by_levels(cell: Cell, rows: Rows, device: str) -> dict[str, Array]:
    """Acceptance of the pairs of a cell with a parameter `LEVELS`, by levels, and of the whole rows that they hold.

    >>> from simspec.engine.study import Rows
    >>> values = rates_by_levels({"vocab": 1000, "scale": 2.0, "rho": 0.9, "levels": [4, 250]}, Rows(1, range(2)), "cpu")
    >>> sorted(values), values["alpha"].shape
    (['alpha', 'whole rows'], (2,))
    """
    tokens, copies = cell[LEVELS]
    columns = _columns(cell, rows, (tokens,), (copies,))
    return {"alpha": columns[:, 0], WHOLE_ROWS: columns[:, 2].clip(0, 1)}


def _rule_by_levels(rule: Rule | None, low: float, high: float) -> Rule | None:
    """A rule in the bounds of levels, with an interval in the limit where it asks for a width of alpha."""
    if isinstance(rule, AnyOf | AllOf):
        parts = (_rule_by_levels(part_rule, low, high) for part_rule in rule.rules)
        return type(rule)(*(part_rule for part_rule in parts if part_rule is not None))
    if isinstance(rule, HalfWidth | RelativeError | Shared) and rule.name == "alpha":
        return replace(rule, low=low, high=high, asymptotic=rule.asymptotic or NARROWEST)
    if isinstance(rule, Decision) and rule.name == "alpha":
        return replace(rule, low=low, high=high)
    return rule


def _over_rows(task: Callable[[int, int], None], rows: int, vocab: int) -> None:
    """On several threads where rows are long."""
    if vocab < SMALL:
        task(0, rows)
    else:
        split(task, rows, rows * vocab, None)


def _copies(pairs: Pairs, cut: Cut, before: Cut | None, key: int, row: int, copies: int, purpose: int) -> Array:
    """What the large tokens say in so many draws of them alone: (copies, 2)."""
    (special,) = needs("a pair from few tokens", "scipy.special")
    mean = pairs.vocab * cut.large
    limit = min(pairs.vocab, math.ceil(mean + 8 * math.sqrt(mean) + 12))  # more have a probability below 1e-12
    number = philox.uniform(key, [row], range(copies), purpose)[0]
    count = np.searchsorted(special.bdtr(np.arange(limit), pairs.vocab, cut.large), number)
    return large_tokens(pairs, cut, before, Stream(key, row, purpose + 1, limit), count)


def _whole(pairs: Pairs, cut: Cut, key: int, row: int, control: bool) -> Array:
    """`_remainder` of a row by its number."""
    return _remainder(pairs, cut, _Row(pairs, key, row), control)


def _remainder(pairs: Pairs, cut: Cut, row_terms: _Row, control: bool) -> Array:
    """Acceptance and gain of a whole row less what its large tokens say of them, to first order too: (2,)."""
    z, noise = row_terms.draws
    at = np.flatnonzero((z > z.dtype.type(cut.target)) | (noise > z.dtype.type(cut.noise)))
    large_powers = powers(pairs, *(v[at].astype(np.float64) for v in row_terms.draws))
    remainder = row_terms.exact - of_large(pairs, cut, *large_powers, np.ones(len(at), dtype=bool))
    return np.asarray(
        remainder - bounded(pairs, first_order(pairs, cut, *large_powers, row_terms.sums)) if control else remainder
    )


class _Row:
    """A whole row: its draws, acceptance and gain, and sums; powers are divided by the largest of each kind."""

    def __init__(self, pairs: Pairs, key: int, row: int) -> None:
        self.draws = z, noise = _draws(pairs, key, row, 0), _draws(pairs, key, row, 1)
        x = _times(pairs.scale, z)
        y = _times(pairs.scale * math.sqrt((1 - pairs.rho) * (1 + pairs.rho)), noise)
        y += _times(pairs.scale * pairs.rho, z)
        self._tops = float(x.max()), float(y.max())
        for v, top in zip((x, y), self._tops, strict=True):
            v -= v.dtype.type(top)
            np.exp(v, out=v)
        self._x, self._y, self._work = x, y, np.empty_like(x)
        s, t = self._totals = tuple(float(v.sum(dtype=np.float64)) for v in (x, y))
        self.exact = both(pairs.tolerance, np.array(1 / s), lambda w: np.array(self._kept(float(w) * s / t) / s))

    def _kept(self, ratio: float) -> float:
        np.multiply(self._y, self._y.dtype.type(ratio), out=self._work)
        return float(np.minimum(self._x, self._work, out=self._work).sum(dtype=np.float64))

    @property
    def sums(self) -> Sums:
        """Of the powers as they are."""
        (first, second) = map(math.exp, self._tops)
        (s, t) = self._totals
        return Sums(first * s, second * t, lambda ratio: first * self._kept(ratio * second / first))


def _times(factor: float, values: Array) -> Array:
    return values * values.dtype.type(factor)


def _draws(pairs: Pairs, key: int, row: int, purpose: int) -> Array:
    """The draws of a row: in float32 where they are many and `simspec.kernels.synthetic` has them, else in float64."""
    if pairs.vocab < SMALL or not draw_bound(pairs.df, np.float32):
        return np.asarray(philox.student_t(key, [row], range(pairs.vocab), purpose, df=pairs.df)[0])
    return fast_draws(pairs, key, row, purpose)
