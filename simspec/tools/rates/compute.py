"""What `simspec.tools.rates` computes: columns by rule and row of laws, their means over documents, and the speed they promise.

Pure functions of laws that were loaded and of `Options`.  What is not here: reading laws (`simspec.tools.reading`), and what
is printed or drawn (`simspec.tools.rates.show`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simspec.engine.estimates.clusters import means as means_over_documents
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array, overlap
from simspec.methods.block import accepted_length, speedup
from simspec.methods.ears.costs import curve
from simspec.methods.known import Known
from simspec.methods.method import Method
from simspec.methods.multi.thresholds import part
from simspec.methods.registry import Rule, as_rule, faults_of
from simspec.methods.speed import step_time
from simspec.tools.rates.table import COLUMNS, Rates
from simspec.tools.rates.whole import along
from simspec.tools.reading import Pairs
from simspec.tools.speeds import speed_of_steps

__all__ = ["Options", "Progress", "compute", "draw_saving", "measured", "rules_of", "summary"]

Progress = Callable[[str, int, int], None]
Columns = dict[tuple[str, str], Array]
"""Values (n,) by rule and column."""


@dataclass(frozen=True)
class Options:
    """What is measured, and how.

    Attributes
    ----------
    rules : the rules, a row each
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time
    level : of the intervals, in (0, 1)
    """

    rules: tuple[Rule, ...]
    gamma: int = 4
    cost: float = 0.1
    level: float = 0.95


def rules_of(given: Sequence[Rule | Method | str] | Rule | Method | str, known: Known) -> tuple[Rule, ...]:
    """Rules from names, methods and rules, or from one of them.

    Parameters
    ----------
    given : names such as ``ears:0.1``, methods or rules
    known : what is known of the pairs of laws, which some rules need

    Raises ValueError for a name that is no rule, and for what is neither a name nor a rule.

    >>> [rule.name for rule in rules_of(["sd", "block"], Known())]
    ['sd', 'block']
    """
    several = [given] if isinstance(given, (str, Method, Rule)) else given
    return tuple(as_rule(item, known, ("siblings", "path")) for item in several)


def compute(pairs: Pairs, options: Options, progress: Progress | None = None) -> list[Rates]:
    """A row for each rule: all columns of `COLUMNS`, means over documents.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> compute(half, Options(rules_of("sd", half.known), gamma=1, cost=0.25))[0].values["speedup"].estimate
    1.4
    """
    return summary(measured(pairs, options, progress), pairs.document, options)


def measured(pairs: Pairs, options: Options, progress: Progress | None = None) -> Columns:
    """Each rule's columns (n,), measured on some rows at a time.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> measured(half, Options(rules_of("sd", half.known)))["sd", "acceptance"].tolist()
    [0.75]
    """
    along_text = [rule.name for rule in options.rules if rule.along is not None]
    whole = along(pairs, along_text, options.gamma, options.cost)
    parts = pairs.parts()
    columns: Columns = {}
    for number, rows in enumerate(parts):
        p = pairs.p[rows]
        q = pairs.q[rows]
        lossless_rate = overlap(p, q)
        for steps_done, measured_rule in enumerate(options.rules, number * len(options.rules) + 1):
            for name, values in _columns(p, q, lossless_rate, measured_rule, rows).items():
                columns.setdefault((measured_rule.name, name), np.empty(len(pairs.p)))[rows] = values
            if progress is not None:
                progress("measuring rules", steps_done, len(parts) * len(options.rules))
    return columns | whole


def summary(columns: Columns, document: Array, options: Options) -> list[Rates]:
    """A row for each rule, of columns that were measured; the columns are used up.

    >>> columns = {("sd", name): np.array([0.5]) for name in ("acceptance", "gain", "tv", "kl", "support", "share")}
    >>> summary(columns, np.array([0]), Options(rules_of("sd", Known()), gamma=1, cost=0.25))[0].values["tokens"].estimate
    1.5
    """
    savings = {rule: draw_saving(values, document) for (rule, name), values in columns.items() if name == "acceptance"}
    means = _means(columns, document, options)
    rows = []
    for rule_of_row in options.rules:
        own = {name: mean for (rule_name, name), mean in means.items() if rule_name == rule_of_row.name}
        values = _values(own, options, is_single=rule_of_row.accepts is None)
        rows.append(Rates(rule_of_row.name, values, savings.get(rule_of_row.name)))
    return rows


def draw_saving(rates: Array, document: Array) -> float | None:
    r"""How many times as many pairs a single draw of acceptance at each pair takes, for the variance of the mean of exact rates.

    .. math:: 1 + \frac{\sum_i \alpha_i (1 - \alpha_i)}{\frac{D}{D - 1} \sum_d (S_d - m\,n_d)^2}

    with the sum :math:`S_d` of the rates of the :math:`n_d` pairs of document d, D documents and the mean rate m: a draw adds the
    variance :math:`\alpha_i (1 - \alpha_i)` at each pair, and the variance between documents stays.

    Parameters
    ----------
    rates : (n,) numbers from 0 to 1
    document : (n,) labels, equal for pairs of one document

    Returns None for one document, and where documents do not differ by more than rounding.

    >>> draw_saving(np.array([0.25, 0.75]), np.array([0, 1]))  # 1 + (3/16 + 3/16) / (2 (1/16 + 1/16))
    2.5
    """
    names, index = np.unique(np.asarray(document), return_inverse=True)
    sums = np.bincount(index, rates) - rates.mean() * np.bincount(index)
    rounding = len(rates) * float(np.finfo(np.float64).eps)
    if len(names) < 2 or np.abs(sums).max() <= rounding:
        return None
    between = len(names) / (len(names) - 1) * float((sums**2).sum())
    return 1 + float((rates * (1 - rates)).sum()) / between


def _columns(p: Array, q: Array, lossless_rate: Array, measured_rule: Rule, rows: slice) -> dict[str, Array]:
    """What is measured on each row; the rate (n,) is that of speculative decoding with drafts from q."""
    if measured_rule.accepts is not None:
        accepted = measured_rule.accepts(p, q)
        zero = np.zeros(len(p))
        lossless = {"acceptance": accepted, "gain": accepted - lossless_rate, "tv": zero, "kl": zero, "support": zero}
        if measured_rule.most is None:
            return lossless
        return lossless | {"share": part(accepted, measured_rule.most(p, q))}
    with faults_of(measured_rule):
        method, drafted = measured_rule.at(rows, q)
        (row,) = curve({measured_rule.name: method}, p, drafted)
    columns = {
        "acceptance": row.acceptance,
        "gain": row.acceptance - lossless_rate,
        "tv": row.tv,
        "kl": row.kl,
        "support": row.support,
        "share": np.minimum(1, part(row.acceptance, row.frontier)),
    }
    return columns if measured_rule.bits is None else columns | {"bits": measured_rule.bits(q)}


def _means(columns: Columns, document: Array, options: Options) -> dict[tuple[str, str], Interval]:
    """Mean of each column, by rule and name, with its interval; an infinite mean has none.  The columns are used up."""
    possible = {"acceptance": (0.0, 1.0), "begins": (1 / (options.gamma + 1), 1.0)}
    intervals = {}
    for key in list(columns):
        values = columns.pop(key)
        if np.isinf(values).any():
            intervals[key] = Interval(float("inf"), float("nan"), float("inf"), options.level)
            continue
        (intervals[key],) = means_over_documents(values[:, None], document, options.level, possible.get(key[1]))
    return intervals


def _values(means: dict[str, Interval], options: Options, *, is_single: bool) -> dict[str, Interval | None]:
    """All columns; of several drafts at a step no length of a chain of them."""
    if not is_single:
        return {name: means.get(name) for name in COLUMNS}
    speeds = _speeds_along(means, options) if "begins" in means else _speeds_of_rate(means["acceptance"], options)
    return {name: (means | speeds).get(name) for name in COLUMNS}


def _speeds_of_rate(mean: Interval, options: Options) -> dict[str, Interval]:
    """Tokens a call and speed-up of independent steps that accept with the mean rate."""

    def of_rate(function: Callable[[float], float]) -> Interval:
        estimate, low, high = (x if np.isnan(x) else float(function(np.clip(x, 0, 1))) for x in mean[:3])
        return Interval(estimate, low, high, mean.level)

    return {
        "tokens": of_rate(lambda rate: 1 + accepted_length(rate, options.gamma)),
        "speedup": of_rate(lambda rate: speedup(rate, options.gamma, options.cost)),
    }


def _speeds_along(means: dict[str, Interval], options: Options) -> dict[str, Interval]:
    """Tokens a call and speed-up of a rule for whole drafts, from the calls that a token of the text takes, and their time."""

    begins = means["begins"]
    if "time" in means:
        return {"tokens": speed_of_steps(begins), "speedup": speed_of_steps(means["time"])}
    return {"tokens": speed_of_steps(begins), "speedup": speed_of_steps(begins, step_time(options.gamma, options.cost))}
