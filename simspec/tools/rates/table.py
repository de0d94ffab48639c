"""The table of `simspec.tools.rates`: a row for each rule, a mean with its interval for each column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval
from simspec.html.results import Tabular
from simspec.methods.known import Known
from simspec.methods.registry import kind_of
from simspec.tools.reading import Pairs

if TYPE_CHECKING:
    import pandas

__all__ = ["COLUMNS", "JOINT_SHARE", "Rates", "RatesTable", "frame", "meanings_of", "numbers_of", "shown_columns"]

COLUMNS = {
    "acceptance": "probability that a draft token is accepted",
    "gain": "acceptance minus that of speculative decoding with drafts from q",
    "tv": "total variation between the distribution of the emitted token and p",
    "kl": (
        "Kullback-Leibler divergence of the emitted token's distribution from p, in nats (inf: it emits "
        "a token that p never emits)"
    ),
    "support": "probability of emitting a token that p never emits",
    "tokens": (
        "mean acceptance length: tokens per target step, if steps accept independently at the mean rate; "
        "for whole drafts: along the text"
    ),
    "speedup": "speed-up over the target alone, at the given cost of a draft step",
    "bits": "bits to send the distribution of one draft token over a link",
    "share": "acceptance / the highest acceptance of any rule with the same tv and the same drafts of one step",
}
"""What each column means."""
JOINT_SHARE = (
    "accepted drafts per target step / the highest number that any lossless rule of its kind accepts along the text"
)
"""What `share` means of rules for whole drafts, the claims of which `Joint.why` names."""


class Rates(NamedTuple):
    """A rule's name, and each quantity's mean with its interval (None where it cannot be given).

    Attributes
    ----------
    rule : str
    values : {quantity: interval or None}
    saving : number or None
        pairs with a single draw of acceptance that one pair is worth (`simspec.tools.rates.compute.draw_saving`).
    """

    rule: str
    values: dict[str, Interval | None]
    saving: float | None = None


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
        return [{"rule": row.rule, **numbers_of(row.values)} for row in self]

    def __repr__(self) -> str:
        rules = ", ".join(row.rule for row in self)
        return f"RatesTable({self.pairs.source}: {len(self.pairs.p):,} pairs of distributions; {rules})"


def shown_columns(rows: Sequence[Rates]) -> list[str]:
    """Columns in which some rule has a value."""
    return [name for name in COLUMNS if any(row.values[name] is not None for row in rows)]


def meanings_of(rows: Sequence[Rates], shown: Sequence[str]) -> list[str]:
    """A line for each column shown, and one for the share of each rule for whole drafts, with the claims it rests on.

    >>> import numpy as np
    >>> from simspec.tools.rates import rates
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> meanings_of(rates(half, ["block"]), ["share"])[1].partition("text")[2]
    ' (claims block.optimal, block.off-path)'
    """
    lines = [f"{name}: {COLUMNS[name]}" for name in shown]
    for row in rows if "share" in shown else ():
        kind = kind_of(row.rule)
        if kind is not None and kind.along is not None:
            lines.append(f"share of {row.rule}: {JOINT_SHARE} (claims {kind.along.why})")
    return lines


def frame(rows: Sequence[Rates]) -> pandas.DataFrame:
    """A row for each rule, whose name is the index: for each quantity of `COLUMNS` its mean and the ends of its interval.

    The columns are <quantity>, <quantity>.low and <quantity>.high; what a rule does not have is missing.  Raises
    ValueError where pandas is missing, with the command that brings it.

    >>> import numpy as np
    >>> from simspec.tools.rates import rates
    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> frame(rates(half, ["sd", "mixture:0.5"]))["acceptance"].to_dict()
    {'sd': 0.75, 'mixture:0.5': 0.875}
    """
    (pd,) = needs("frame", "pandas")
    return pd.DataFrame(
        [numbers_of(row.values) for row in rows], index=pd.Index([row.rule for row in rows], name="rule")
    )


def numbers_of(values: dict[str, Interval | None]) -> dict[str, float]:
    """Estimates and the ends of their intervals by name; NaN where there is no value.

    >>> numbers_of({"tv": Interval(0.5, 0.25, 0.75, 0.95), "bits": None})
    {'tv': 0.5, 'tv.low': 0.25, 'tv.high': 0.75, 'bits': nan, 'bits.low': nan, 'bits.high': nan}
    """
    numbers: dict[str, float] = {}
    for name, mean in values.items():
        estimate, low, high = (float("nan"),) * 3 if mean is None else mean[:3]
        numbers |= {name: estimate, f"{name}.low": low, f"{name}.high": high}
    return numbers
