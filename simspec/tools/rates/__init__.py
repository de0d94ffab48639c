"""What rules gain and cost on given pairs of laws: one table, for a user's own laws or logits or a bank.

Every number of a row is exact for its pair of laws; the interval of the mean is over documents (each row is one where the
source names none), of which there must be enough (`simspec.engine.estimates.clusters`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.clusters import means as means_over_documents
from simspec.engine.estimates.intervals import Interval
from simspec.html import number, table, tag
from simspec.html.results import Tabular
from simspec.laws import Array, overlap
from simspec.methods.block import accepted_length, speedup
from simspec.methods.ears.costs import curve
from simspec.methods.knowing import Known
from simspec.methods.multi.thresholds import part
from simspec.methods.names import Rule, rule, told_of
from simspec.methods.sd import SD
from simspec.methods.step import Method
from simspec.studies.joint.survival import JOINT
from simspec.tools.rates.whole import along
from simspec.tools.reading import Pairs, load

if TYPE_CHECKING:
    import pandas

    from simspec.engine.show.picture import Picture

__all__ = [
    "COLUMNS",
    "DEFAULT",
    "JOINT_SHARE",
    "Rates",
    "RatesTable",
    "frame",
    "meanings_of",
    "picture",
    "rates",
]

DEFAULT = ("sd", "ears:0.1", "lenience:0.8", "lenience-levelled:0.8", "mixture:0.1")
"""Rules that are measured where none is named."""
COLUMNS = {
    "acceptance": "probability that a draft is kept",
    "gain": "acceptance less that of speculative decoding on drafts from q",
    "tv": "total variation between the emitted token's law and p",
    "kl": "Kullback-Leibler divergence of the emitted token's law from p, nats (inf: it emits what p never would)",
    "support": "probability of a token that p never emits",
    "tokens": "tokens per target call, for independent steps of the mean acceptance; of whole drafts: along the text",
    "speedup": "speed against the target alone, at the stated cost of a draft",
    "bits": "bits that the law of one draft takes on the wire",
    "share": "acceptance over the most that any rule at its own tv reaches with the same drafts of one step",
}
"""What each column means."""
JOINT_SHARE = "accepted drafts of a call over the most that any lossless rule of its kind keeps along the text"
"""What `share` means of rules for whole drafts, the claims of which `Joint.why` names."""


class Rates(NamedTuple):
    """A rule's name, and each quantity's mean with its interval (None where it cannot be given)."""

    rule: str
    values: dict[str, Interval | None]


class RatesTable(Tabular, list[Rates]):
    """The rows of `rates`, a list, with what they were measured on; a notebook shows it as a table with intervals."""

    def __init__(self, rows: Iterable[Rates], pairs: Pairs) -> None:
        super().__init__(rows)
        self.pairs = pairs

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: not what else the source knows, functions of an open file, which a table does not ask."""
        return {"pairs": self.pairs._replace(known=Known())}

    def frame(self) -> pandas.DataFrame:
        return frame(self)

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers: the rule, then each quantity with the ends of its interval."""
        return [{"rule": row.rule, **_plain(row)} for row in self]

    def plot(self) -> Picture:
        """Acceptance against bias, as `simspec rates --plot` draws it; a notebook shows it."""
        from simspec.engine.show.picture import Picture

        return Picture(picture(self, self.pairs), f"rates of {self.pairs.source}")

    def __repr__(self) -> str:
        rules = ", ".join(row.rule for row in self)
        return f"RatesTable({self.pairs.source}: {len(self.pairs.p):,} pairs of laws; {rules})"

    def _repr_html_(self) -> str:
        shown = [name for name in COLUMNS if any(row.values[name] is not None for row in self)]
        lines = [[row.rule, *(_shown(row.values[name]) for name in shown)] for row in self]
        meanings = (tag("div", said) for said in meanings_of(self, shown))
        return tag("div", tag("div", repr(self)), table(["rule", *shown], lines), *meanings)


def meanings_of(rows: Sequence[Rates], shown: Sequence[str]) -> list[str]:
    """A line for each column shown, and one for the share of each rule for whole drafts, with the claims it rests on.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> meanings_of(rates(half, ["block"]), ["share"])[1].partition("text")[2]
    ' (claims block.optimal, block.off-path)'
    """
    whole = [row.rule for row in rows if row.rule in JOINT and "share" in shown]
    return [f"{name}: {COLUMNS[name]}" for name in shown] + [
        f"share of {name}: {JOINT_SHARE} (claims {JOINT[name].why})" for name in whole
    ]


def _shown(value: Interval | None) -> str:
    if value is None:
        return ""
    ends = f" [{number(value.low)}, {number(value.high)}]" if np.isfinite(value[1:3]).all() else ""
    return ("∞" if np.isinf(value.estimate) else number(value.estimate)) + ends


def rates(
    pairs: Pairs | str | Path | Mapping[str, Any] | tuple[Any, Any],
    rules: Sequence[Rule | Method | str] | Rule | Method | str = DEFAULT,
    gamma: int = 4,
    cost: float = 0.1,
    level: float = 0.95,
    progress: Callable[[str, int, int], None] | None = None,
) -> RatesTable:
    r"""Acceptance, gain, bias, tokens per call, speed and bits of each rule, averaged over the pairs.

    Parameters
    ----------
    pairs : Pairs, or what `simspec.tools.reading.load` takes: a file of arrays, a mapping of arrays, a bank's file, the name of
        a bank that ships, or laws (p, q)
    rules : sequence of methods, of texts such as ``ears:0.1``, or of `Rule`, or one of them; by default those of `simspec rates`.
        ``block``, ``hsd-capped`` and ``hsd-naive`` judge the drafts of a call together: their one-step numbers are those of
        ``sd``, whose first draft they keep as often, their tokens per call follow drafts along the text, as those of
        ``token``, and their share is that of the drafts of a call (`JOINT_SHARE`)
    gamma : int >= 0; drafts per target call
    cost : number >= 0; draft time / target time
    level : in (0, 1)
    progress : (what is done, how much of it, of how much) -> None, optional

    Takes memory of the order of the rows.  Intervals are over documents; each end takes account of a further document whose
    contexts accept nothing, or everything, and have the lowest or highest value of these contexts in all other columns.
    Tokens per call and speed take every step to accept independently with the mean rate (claim ``sd.block-length``), but
    those of ``block``.
    With fewer than five documents there is no interval: the ends are NaN.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> made = rates(half, ["mixture:0.5"])[0].values
    >>> made["acceptance"].estimate, made["tv"].estimate
    (0.875, 0.125)
    """
    pairs = pairs if isinstance(pairs, Pairs) else load(pairs)
    several = [rules] if isinstance(rules, (str, Method, Rule)) else rules
    asked = [_rule(given, pairs.known) for given in several]
    whole = along(pairs, [one.name for one in asked if one.name in JOINT], gamma, cost)
    columns = _measured(pairs, asked, progress) | whole
    means = _means(columns, pairs.document, level, gamma)
    made = ({n: i for (of, n), i in means.items() if of == r.name} for r in asked)
    rows = (Rates(r.name, _values(found, gamma, cost, r.accepts is None)) for r, found in zip(asked, made, strict=True))
    return RatesTable(rows, pairs)


def _rule(given: Rule | Method | str, known: Known) -> Rule:
    if isinstance(given, str):
        if (name := given.partition(":")[0]) in JOINT and given != name:
            raise ValueError(f"rule: {given!r}; expected {name}, without numbers")
        return Rule(given, SD) if given in JOINT else rule(given, known, several=True)
    if not isinstance(given, (Method, Rule)):
        raise ValueError(
            f"rules: {given!r} is a {type(given).__name__}; expected a name such as 'sd', a Method or a Rule"
        )
    return Rule(repr(given), given) if isinstance(given, Method) else given


def _measured(
    pairs: Pairs, rules: Sequence[Rule], progress: Callable[[str, int, int], None] | None
) -> dict[tuple[str, str], Array]:
    """Each rule's columns (n,), measured on some rows at a time."""
    parts = pairs.parts()
    columns: dict[tuple[str, str], Array] = {}
    for at, some in enumerate(parts):
        p, q = pairs.p[some], pairs.q[some]
        for done, one in enumerate(rules, at * len(rules) + 1):
            for name, values in _columns(p, q, one, some).items():
                columns.setdefault((one.name, name), np.empty(len(pairs.p)))[some] = values
            if progress is not None:
                progress("measuring rules", done, len(parts) * len(rules))
    return columns


def _columns(p: Array, q: Array, one: Rule, rows: slice) -> dict[str, Array]:
    """What is measured on each row."""
    if one.accepts is not None:
        accepted, none = one.accepts(p, q), np.zeros(len(p))
        found = {"acceptance": accepted, "gain": accepted - overlap(p, q), "tv": none, "kl": none, "support": none}
        return found if one.most is None else found | {"share": part(accepted, one.most(p, q))}
    with told_of(one):
        method, drafted = one.at(rows, q)
        (row,) = curve({one.name: method}, p, drafted)
    found = {
        "acceptance": row.acceptance,
        "gain": row.acceptance - overlap(p, q),
        "tv": row.tv,
        "kl": row.kl,
        "support": row.support,
        "share": np.minimum(1, part(row.acceptance, row.frontier)),
    }
    return found if one.bits is None else found | {"bits": one.bits(q)}


def _means(
    columns: dict[tuple[str, str], Array], document: Array, level: float, gamma: int
) -> dict[tuple[str, str], Interval]:
    """Mean of each column, by rule and name, with its interval; an infinite mean has none.  The columns are used up."""
    possible = {"acceptance": (0.0, 1.0), "begins": (1 / (gamma + 1), 1.0)}
    intervals = {}
    for (rule_name, name), values in [(key, columns.pop(key)) for key in list(columns)]:
        if np.isinf(values).any():
            intervals[rule_name, name] = Interval(float("inf"), float("nan"), float("inf"), level)
            continue
        bounds = possible.get(name)
        (intervals[rule_name, name],) = means_over_documents(values[:, None], document, level, bounds)
    return intervals


def _values(means: dict[str, Interval], gamma: int, cost: float, single: bool) -> dict[str, Interval | None]:
    """All columns; of several drafts at a step no length of a chain of them."""

    def of_rate(function: Any) -> Interval:
        mean = means["acceptance"]
        estimate, low, high = (x if np.isnan(x) else float(function(np.clip(x, 0, 1))) for x in mean[:3])
        return Interval(estimate, low, high, mean.level)

    def of_calls(time: float, mean: Interval) -> Interval:
        estimate, low, high = (1 / (x * time) for x in (mean.estimate, mean.high, mean.low))
        return Interval(estimate, low, high, mean.level)

    if "begins" in means:
        begins = means["begins"]
        speed = of_calls(1, means["time"]) if "time" in means else of_calls(1 + gamma * cost, begins)
        speeds = {"tokens": of_calls(1, begins), "speedup": speed}
    else:
        speeds = {
            "tokens": of_rate(lambda rate: 1 + accepted_length(rate, gamma)),
            "speedup": of_rate(lambda rate: speedup(rate, gamma, cost)),
        }
    return {name: (means | speeds if single else means).get(name) for name in COLUMNS}


def frame(rows: Sequence[Rates]) -> pandas.DataFrame:
    """A row for each rule, whose name is the index: for each quantity of `COLUMNS` its mean and the ends of its interval.

    The columns are <quantity>, <quantity>.low and <quantity>.high; what a rule does not have is missing.  Raises
    ValueError where pandas is missing, with the command that brings it.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> frame(rates(half, ["sd", "mixture:0.5"]))["acceptance"].to_dict()
    {'sd': 0.75, 'mixture:0.5': 0.875}
    """
    (pd,) = needs("frame", "pandas")
    return pd.DataFrame([_plain(row) for row in rows], index=pd.Index([row.rule for row in rows], name="rule"))


def _plain(row: Rates) -> dict[str, float]:
    none, ends = (float("nan"),) * 3, ("", ".low", ".high")
    return {f"{n}{end}": x for n, mean in row.values.items() for end, x in zip(ends, mean or none, strict=False)}


def picture(rows: Sequence[Rates], pairs: Pairs) -> Any:
    r"""Figure: acceptance against bias, with the best that any rule can do on drafts from q.

    The line is :math:`\alpha = \sum_x \min(p_x, q_x) + \mathrm{TV}` (claim ``ears.best-tradeoff``); rules that draft
    from another law than q can lie on either side of it.

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> picture(rates(half, ["sd"]), half).axes[0].get_xlabel()
    'total variation from the target'
    """
    (mpl,) = needs("drawing", "matplotlib.figure")

    from simspec.engine.show.plots import COLOURS

    drawn = mpl.Figure(figsize=(6.4, 4.4), layout="constrained")
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
