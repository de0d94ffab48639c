"""What an audit found: the verdict in words, as JSON and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from simspec.audit.pairs import Pair
from simspec.html import COLOURS, table, tag
from simspec.html.results import Tabular
from simspec.laws import Array

if TYPE_CHECKING:
    from simspec.engine.show.picture import Picture

__all__ = ["Finding", "Report", "Verdict"]


class Verdict(StrEnum):
    """What may be said of a sampler on the laws that were tried."""

    LOSSLESS = "lossless"
    BIASED = "biased"
    BROKEN = "broken"
    UNDECIDED = "undecided"


EXIT = {Verdict.LOSSLESS: 0, Verdict.BIASED: 1, Verdict.BROKEN: 1, Verdict.UNDECIDED: 3}


class Finding(NamedTuple):
    """What the calls on one pair say: the largest log wealth, the interval for TV, and how the sampler broke there."""

    pair: Pair
    calls: int
    log_wealth: float
    tv: tuple[float, float]
    fault: str = ""


@dataclass(frozen=True)
class Report(Tabular, Sequence[Finding]):
    """A verdict and what it rests on; a sequence of the findings on all pairs, which a notebook shows as a table.

    Attributes
    ----------
    verdict : Verdict
    shown : Finding; the smallest laws that show the fault, or those on which TV is known worst
    first : Finding; the laws on which the fault was first seen
    caught : int; calls on these laws after which it was seen
    tried : findings on all pairs that were begun with
    calls : int; all calls made
    within, error : float; as asked for
    """

    verdict: Verdict
    shown: Finding
    first: Finding
    caught: int
    tried: tuple[Finding, ...]
    calls: int
    within: float
    error: float

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Finding]: ...
    def __getitem__(self, at: int | slice) -> Finding | Sequence[Finding]:
        return self.tried[at]

    def __len__(self) -> int:
        return len(self.tried)

    def records(self) -> list[dict[str, Any]]:
        """A row for each pair of laws: its name and sizes, calls, TV's interval, the log wealth, and what broke."""
        return [
            {
                "laws": f.pair.name,
                "gamma": f.pair.gamma,
                "vocab": f.pair.vocab,
                "calls": f.calls,
                "tv.low": f.tv[0],
                "tv.high": f.tv[1],
                "log_wealth": f.log_wealth,
                "fault": f.fault,
            }
            for f in self.tried
        ]

    def plot(self) -> Picture:
        """The interval of TV on each pair of laws, and the TV that counts as lossless; a notebook shows it."""
        from simspec.engine.show.picture import Picture

        return Picture(_figure(self), f"audit: {self.verdict}")

    def __repr__(self) -> str:
        return f"Report({self.words()})"

    def _repr_html_(self) -> str:
        lines = [
            [f.pair.name, f.pair.gamma, f.pair.vocab, f"{f.calls:,}", f"{_down(f.tv[0])} to {_up(f.tv[1])}"]
            for f in self.tried
        ]
        said = tag("pre", self.words())
        return tag("div", said, table(["laws", "gamma", "V", "calls", "TV"], lines))

    @property
    def exit_status(self) -> int:
        """0 lossless, 1 biased or broken, 3 not decided."""
        return EXIT[self.verdict]

    def words(self) -> str:
        """The verdict in a few lines."""
        low, high = self.shown.tv
        n = len(self.tried)
        lines = {
            Verdict.LOSSLESS: [f"lossless within TV {_up(high)} on each of {n} pairs of laws, {self.calls:,} calls"],
            Verdict.UNDECIDED: [
                f"not decided: TV is at most {_up(high)}, not within {self.within:g}",
                f"{self.shown.calls:,} calls on the pair “{self.shown.pair.name}”; more make the interval shorter",
            ],
            Verdict.BROKEN: [f"broken: {self.shown.fault}"],
            Verdict.BIASED: [
                f"biased by TV {_down(self.first.tv[0])} to {_up(self.first.tv[1])} on the pair “{self.first.pair.name}”",
                f"seen after {self.caught:,} calls there; false alarm {self.error:g} at any stopping time",
                f"smallest laws that show it (TV {_down(low)} to {_up(high)}, {self.shown.calls:,} calls):",
            ],
        }[self.verdict]
        if self.verdict is Verdict.BIASED and self.first.fault:
            lines.insert(1, self.first.fault)
        if self.verdict in (Verdict.BIASED, Verdict.BROKEN):
            lines += [f"  target p = {_rows(self.shown.pair.p)}", f"  draft  q = {_rows(self.shown.pair.q)}"]
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """The report as a dictionary for JSON."""
        return {
            "verdict": str(self.verdict),
            "calls": self.calls,
            "within": self.within,
            "error": self.error,
            "shown": _plain(self.shown),
            "first": _plain(self.first),
            "caught": self.caught,
            "tried": [_plain(finding) for finding in self.tried],
        }

    def markdown(self) -> str:
        """The report as Markdown, for the summary of a job."""
        head, *rest = self.words().splitlines()
        table = ["| laws | γ | V | calls | TV |", "|---|---:|---:|---:|---|"]
        for f in self.tried:
            tv = f"{_down(f.tv[0])} to {_up(f.tv[1])}"
            table.append(f"| {f.pair.name} | {f.pair.gamma} | {f.pair.vocab} | {f.calls:,} | {tv} |")
        facts = [f"```\n{chr(10).join(rest)}\n```", ""] if rest else []
        return "\n".join(["### simspec audit", "", f"**{head}**", "", *facts, *table, ""])


def _figure(report: Report) -> Any:
    """A line for each pair of laws, from the lowest TV that the calls allow to the highest."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(6.4, 1.2 + 0.24 * len(report)), layout="constrained", dpi=120)
    axes = drawn.subplots()
    for at, found in enumerate(report):
        colour = COLOURS[1] if found.tv[0] > 0 or found.fault else COLOURS[0]
        axes.plot(found.tv, [at, at], color=colour, linewidth=3, solid_capstyle="butt")
    axes.axvline(report.within, color="0.4", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(report)), [f.pair.name for f in report], fontsize=7)
    axes.set_xlim(0, 1)
    axes.invert_yaxis()
    axes.set_xlabel("total variation from the target (dotted: what counts as lossless)")
    axes.set_title(f"{report.verdict} after {report.calls:,} calls", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "laws": finding.pair.name,
        "p": finding.pair.p.tolist(),
        "q": finding.pair.q.tolist(),
        "calls": finding.calls,
        "log_wealth": finding.log_wealth if math.isfinite(finding.log_wealth) else "inf",
        "tv": list(finding.tv),
        **({"fault": finding.fault} if finding.fault else {}),
    }


def _up(x: float) -> str:
    return f"{math.ceil(x * 1000) / 1000:.3f}"


def _down(x: float) -> str:
    return f"{math.floor(x * 1000) / 1000:.3f}"


def _rows(laws: Array) -> str:
    return "[" + ", ".join("(" + ", ".join(map(_mass, law)) + ")" for law in laws.tolist()) + "]"


def _mass(x: float) -> str:
    near = Fraction(x).limit_denominator(1000)
    return str(near) if abs(float(near) - x) < 1e-12 else f"{x:.6g}"
