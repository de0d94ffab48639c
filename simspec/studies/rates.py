"""What rules gain and cost on given pairs of laws: one table, for a user's own laws or logits or a bank.

Every number of a row is exact for its pair of laws; the interval of the mean is over documents where there are several,
over rows otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval, each
from simspec.laws import Array, check_law, normalise, overlap, softmax
from simspec.logits.npz import read_npz
from simspec.methods.block import accepted_length, speedup
from simspec.methods.ears.costs import curve
from simspec.methods.names import Rule, told_of

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "Pairs", "Rates", "frame", "load", "picture", "rates"]

COLUMNS = {
    "acceptance": "probability that a draft is kept",
    "gain": "acceptance less that of speculative decoding on drafts from q",
    "tv": "total variation between the emitted token's law and p",
    "kl": "Kullback-Leibler divergence of the emitted token's law from p, nats (inf: it emits what p never would)",
    "support": "probability of a token that p never emits",
    "tokens": "tokens per target call, for independent steps of the mean acceptance",
    "speedup": "speed against the target alone, at the stated cost of a draft",
    "bits": "bits that the law of one draft takes on the wire",
}
"""What each column means."""

_PART = 2**20
"""Entries of the laws that are measured at a time (8 MiB an array), or one row's where these are more."""


class Pairs(NamedTuple):
    """Laws (n, V) of target and draft, the document of each row, and where they come from."""

    p: Array
    q: Array
    document: Array
    source: str


class Rates(NamedTuple):
    """A rule's name, and each quantity's mean with its interval (None where it cannot be given)."""

    rule: str
    values: dict[str, Interval | None]


def load(source: str | Path, temperature: float = 1) -> Pairs:
    """Pairs of laws from an ``.npz`` file or a bank.

    Parameters
    ----------
    source : path or name
        an ``.npz`` file with arrays ``p`` and ``q`` (laws), or ``target`` and ``draft`` (logits), each (V,) or (n, V),
        and optionally ``document`` (n,), equal for rows of one document; or a bank's file, or a shipped bank's name.
        Integers and 16- or 32-bit numbers are taken to 64 bits, and laws are scaled to sum to one there.
    temperature : number >= 0, of both models; needs logits

    Raises ValueError for a file that is missing, cannot be read or is without these arrays, arrays of unequal shapes,
    laws that are none, logits without a finite largest one in each row, or a temperature other than 1 for laws.
    """
    path = Path(source)
    if path.suffix != ".npz":
        return _from_bank(str(source), temperature)
    arrays = read_npz(path)
    names = next((pair for pair in (("target", "draft"), ("p", "q")) if set(pair) <= set(arrays)), None)
    if names is None:
        raise ValueError(
            f"{path}: holds {', '.join(sorted(arrays)) or 'nothing'}; expected p and q, or target and draft"
        )
    first, second = (_rows(arrays[name], name) for name in names)
    if first.shape != second.shape:
        raise ValueError(f"{names[1]}: shape {second.shape} where {names[0]} has {first.shape}; expected the same")
    if names == ("p", "q"):
        if temperature != 1:
            raise ValueError(f"temperature: {temperature}; {path.name} holds laws, not logits: expected 1")
        p, q = _law(first, "p"), _law(second, "q")
    else:
        p, q = softmax(_finite(first, "target"), temperature), softmax(_finite(second, "draft"), temperature)
    document = arrays.get("document", np.arange(len(p)))
    if document.shape != (len(p),):
        raise ValueError(f"document: shape {document.shape}; expected one entry for each of {len(p)} rows")
    return Pairs(p, q, document, path.name)


def _rows(x: Array, name: str) -> Array:
    """Numbers (n, V) from an array (V,) or (n, V)."""
    if x.dtype.kind not in "iuf":
        raise ValueError(f"{name}: dtype {x.dtype}; expected real numbers")
    if x.ndim not in (1, 2) or x.size == 0:
        raise ValueError(f"{name}: shape {x.shape}; expected (V,) or (n, V), with a row and a token at least")
    return np.atleast_2d(x if x.dtype.kind == "f" else x.astype(np.float64))


def _finite(z: Array, name: str) -> Array:
    """Logits in 64 bits, or an error that names the array."""
    largest = z.max(axis=-1)
    if not np.isfinite(largest).all():
        row = int(np.argmin(np.isfinite(largest)))
        raise ValueError(f"{name}: the largest logit of row {row} is {largest[row]}; expected a finite number")
    return z.astype(np.float64)


def _law(p: Array, name: str) -> Array:
    """Laws in 64 bits: checked in their own precision, in which they need not sum to one exactly."""
    p = check_law(p, name)
    return p if p.dtype == np.float64 else normalise(p.astype(np.float64))


def _from_bank(source: str, temperature: float) -> Pairs:
    from simspec.logits.bank import open_bank
    from simspec.studies.pairs import bank_laws

    bank = open_bank(source)
    return Pairs(*bank_laws(bank, slice(None), temperature), np.asarray(bank.documents), bank.name)


def rates(
    pairs: Pairs,
    rules: Sequence[Rule],
    gamma: int = 4,
    cost: float = 0.1,
    level: float = 0.95,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Rates]:
    r"""Acceptance, gain, bias, tokens per call, speed and bits of each rule, averaged over the pairs.

    Parameters
    ----------
    pairs : Pairs
    rules : sequence of Rule
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time
    level : in (0, 1)
    progress : (what is done, how much of it, of how much) -> None, optional

    Takes memory of the order of the rows; all rules share the draws of one bootstrap, over documents, or over groups of
    them where there are more than `simspec.engine.estimates.intervals.GROUPS`.
    Tokens per call and speed take every step to accept independently with the mean rate (claim ``sd.block-length``).
    With one document there is no interval: the ends are NaN.

    >>> from simspec.methods.names import rule
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> made = rates(half, [rule("mixture:0.5")])[0].values
    >>> made["acceptance"].estimate, made["tv"].estimate
    (0.875, 0.125)
    """
    columns = _measured(pairs, rules, progress)
    means = _means(columns, pairs.document, level, progress)
    return [Rates(r.name, _values({n: i for (of, n), i in means.items() if of == r.name}, gamma, cost)) for r in rules]


def _measured(
    pairs: Pairs, rules: Sequence[Rule], progress: Callable[[str, int, int], None] | None
) -> dict[tuple[str, str], Array]:
    """Each rule's columns (n,), measured on some rows at a time."""
    rows, vocab = pairs.p.shape
    starts = range(0, rows, max(1, _PART // vocab))
    columns: dict[tuple[str, str], Array] = {}
    for at in starts:
        some = slice(at, at + starts.step)
        part = pairs._replace(p=pairs.p[some], q=pairs.q[some])
        for done, rule in enumerate(rules, at // starts.step * len(rules) + 1):
            for name, values in _columns(part, rule).items():
                columns.setdefault((rule.name, name), np.empty(rows))[some] = values
            if progress is not None:
                progress("measuring rules", done, len(starts) * len(rules))
    return columns


def _columns(pairs: Pairs, rule: Rule) -> dict[str, Array]:
    """What is measured on each row."""
    with told_of(rule):
        (row,) = curve({rule.name: rule.method}, pairs.p, pairs.q)
    found = {
        "acceptance": row.acceptance,
        "gain": row.acceptance - overlap(pairs.p, pairs.q),
        "tv": row.tv,
        "kl": row.kl,
        "support": row.support,
    }
    return found if rule.bits is None else found | {"bits": rule.bits(pairs.q)}


def _means(columns: dict[Any, Array], document: Array, level: float, progress: Any) -> dict[Any, Interval]:
    """Mean of each column with its interval; the columns are used up."""
    means = {}
    for name, values in columns.items():
        infinite = bool(np.isinf(values).any())
        estimate, high = (float("inf"),) * 2 if infinite else (float(values.mean()), float("nan"))
        means[name] = Interval(estimate, float("nan"), high, level)
    finite = [name for name, mean in means.items() if not np.isinf(mean.estimate)]
    if finite and len(np.unique(document)) > 1:
        told = None if progress is None else lambda done, of: progress("resampling", done, of)
        table = np.empty((len(document), len(finite)))
        for at, name in enumerate(finite):
            table[:, at] = columns.pop(name)
        means |= dict(zip(finite, each(table, document, level, progress=told), strict=True))
    return means


def _values(means: dict[str, Interval], gamma: int, cost: float) -> dict[str, Interval | None]:
    def of_rate(function: Any) -> Interval:
        mean = means["acceptance"]
        estimate, low, high = (float(function(np.clip(x, 0, 1))) for x in mean[:3])
        return Interval(estimate, low, high, mean.level)

    speeds = {
        "tokens": of_rate(lambda rate: 1 + _length(rate, gamma)),
        "speedup": of_rate(lambda rate: _speed(rate, gamma, cost)),
    }
    return {name: (means | speeds).get(name) for name in COLUMNS}


def _length(rate: Any, gamma: int) -> Any:
    return rate if np.isnan(rate) else accepted_length(rate, gamma)


def _speed(rate: Any, gamma: int, cost: float) -> Any:
    return rate if np.isnan(rate) else speedup(rate, gamma, cost)


def frame(rows: Sequence[Rates]) -> pandas.DataFrame:
    """A row for each rule.

    Returns
    -------
    DataFrame
        index rule; for each quantity of `COLUMNS` its mean and the ends of its interval: <quantity>, <quantity>.low,
        <quantity>.high; missing where a rule has none.

    Raises ValueError where pandas is missing, with the command that brings it.

    >>> from simspec.methods.names import rule
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> frame(rates(half, [rule("sd"), rule("mixture:0.5")]))["acceptance"].to_dict()
    {'sd': 0.75, 'mixture:0.5': 0.875}
    """
    (pd,) = needs("frame", "pandas")
    missing = (float("nan"),) * 3
    made = [
        {
            f"{name}{end}": value
            for name, interval in row.values.items()
            for end, value in zip(("", ".low", ".high"), missing if interval is None else interval[:3], strict=True)
        }
        for row in rows
    ]
    return pd.DataFrame(made, index=pd.Index([row.rule for row in rows], name="rule"))


def picture(rows: Sequence[Rates], pairs: Pairs) -> Any:
    r"""Figure: acceptance against bias, with the best that any rule can do on drafts from q.

    The line is :math:`\alpha = \sum_x \min(p_x, q_x) + \mathrm{TV}` (claim ``ears.best-tradeoff``); rules that draft
    from another law than q can lie on either side of it.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> from simspec.methods.names import rule
    >>> picture(rates(half, [rule("sd")]), half).axes[0].get_xlabel()
    'total variation from the target'
    """
    from matplotlib.figure import Figure

    from simspec.engine.show.plots import COLOURS

    drawn = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = drawn.subplots()
    base = float(np.asarray(overlap(pairs.p, pairs.q), dtype=np.float64).mean())
    reach = max([row.values["tv"].estimate for row in rows if row.values["tv"]] + [0.05]) * 1.15
    ends = [0, min(reach, 1 - base), reach], [base, min(1.0, base + reach), min(1.0, base + reach)]
    axes.plot(*ends, color="0.4", linestyle="--", linewidth=1, label="best on drafts from q")
    for at, row in enumerate(rows):
        x, y = row.values["tv"], row.values["acceptance"]
        if x is None or y is None:
            continue
        colour, marker = COLOURS[at % len(COLOURS)], "osD^vP*X"[at % 8]
        size = max(3.0, 9 - at)  # smaller above larger: rules at one place are all seen
        axes.errorbar(
            x.estimate, y.estimate, _bars(y), _bars(x), fmt=marker, color=colour, label=row.rule, ms=size, lw=1
        )
    axes.set_xlabel("total variation from the target")
    axes.set_ylabel("acceptance")
    axes.set_title(f"{pairs.source}: {len(pairs.p)} pair{'s' if len(pairs.p) != 1 else ''} of laws", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside right center", fontsize=8, frameon=False)
    return drawn


def _bars(value: Interval) -> Any:
    ends = [[value.estimate - value.low], [value.high - value.estimate]]
    return ends if np.isfinite(ends).all() else None
