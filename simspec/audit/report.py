"""What an audit found: the verdict in words, as JSON and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, overload

from simspec.audit.dependence import Dependence
from simspec.audit.diagnosis.cause import Diagnosis
from simspec.audit.diagnosis.price import Price
from simspec.audit.handing import Raw, Sparse
from simspec.audit.laws_in_words import pair_lines
from simspec.audit.pairs import Pair
from simspec.audit.settings import Settings
from simspec.audit.uniforms.emitted import SURE, Emitted
from simspec.html.results import Tabular

__all__ = ["Finding", "Report", "Verdict", "tv_interval"]


class Verdict(StrEnum):
    """What may be said of a sampler on the laws that were tried."""

    LOSSLESS = "lossless"
    BIASED = "biased"
    DEPENDENT = "dependent"
    BROKEN = "broken"
    LOSSY = "lossy"
    UNDECIDED = "undecided"


EXIT = {
    Verdict.LOSSLESS: 0,
    Verdict.BIASED: 1,
    Verdict.DEPENDENT: 1,
    Verdict.BROKEN: 1,
    Verdict.LOSSY: 0,
    Verdict.UNDECIDED: 3,
}


NO_CAUSE = "likely cause: none named; it is looked for in samplers called step by step, with one draft at each position"


class Finding(NamedTuple):
    """What the calls on one pair say: the largest log wealth, the interval for TV, and how the sampler broke there.

    In exact mode `emitted` holds every outcome that the probes met, and the interval is about these.
    """

    pair: Pair
    calls: int
    log_wealth: float
    tv: tuple[float, float]
    fault: str = ""
    emitted: Emitted | None = None


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
    tv_limit, error : float; as asked for; error is 0 where the laws are exact
    settings : Settings; as asked for
    price : Price or None; what the sampler gains as it is, repaired, and beside speculative decoding
    diagnosis : Diagnosis or None; the likely cause of a bias
    power : the known fault that is hardest to see on these laws, and the calls that it would have needed
    notes : what was noticed beside the verdict
    dependence : Dependence or None; what shows that the rows of a launch depend on each other
    needed : int or None; where nothing is decided, the calls on each pair that decide if the sampler is lossless
    stopped : (tried, all) or None; where the time limit ended an audit that is not decided, how many pairs were tried
    """

    verdict: Verdict
    shown: Finding
    first: Finding
    caught: int
    tried: tuple[Finding, ...]
    calls: int
    tv_limit: float
    error: float
    settings: Settings = field(default_factory=Settings)
    price: Price | None = None
    diagnosis: Diagnosis | None = None
    power: tuple[str, int] | None = None
    notes: tuple[str, ...] = ()
    dependence: Dependence | None = None
    needed: int | None = None
    stopped: tuple[int, int] | None = None

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
                "vocab": f.pair.size,
                "calls": f.calls,
                "tv.low": f.tv[0],
                "tv.high": f.tv[1],
                "log_wealth": f.log_wealth,
                "fault": f.fault,
            }
            for f in self.tried
        ]

    def __repr__(self) -> str:
        return f"Report({self.words()})"

    @property
    def exit_status(self) -> int:
        """0 lossless or lossy as declared, 1 biased, dependent or broken, 3 not decided."""
        return EXIT[self.verdict]

    def words(self) -> str:
        """The verdict in a few lines."""
        lines = self._verdict_lines()
        if self.diagnosis is not None:
            lines += self.diagnosis.words()
        elif self.verdict is Verdict.BIASED:
            lines.append(NO_CAUSE)
        if self.price is not None:
            lines += self.price.lines()
        if self.power is not None:
            name, calls = self.power
            lines.append(
                f"{name}, the known fault that is hardest to detect here, would have needed about {calls:,} calls"
            )
        return "\n".join([*lines, *(f"note: the sampler {note}" for note in self.notes)])

    def _verdict_lines(self) -> list[str]:
        """Return the lines that state the verdict, its size and the pair of laws that decides it."""
        high = self.shown.tv[1]
        n = len(self.tried)
        decisive = self.shown
        if self.verdict is Verdict.LOSSLESS:
            within = "lossless" if _certain(decisive) else f"lossless within TV {_up(high)}"
            if self.settings.grid:
                within = (
                    f"lossless except for uniforms on a grid of 2^-{self.settings.grid}, which cause a TV of at most "
                    f"{high:.2g},"
                )
            return [f"{within} on each of {n} pairs of distributions{self._overlooked()}, {self.calls:,} calls"]
        if self.verdict is Verdict.LOSSY:
            bound = "2^-24" if _at_ends(decisive) else _up(high)
            pairs = f"{n} pairs of distributions{self._overlooked()}, {self.calls:,} calls"
            lines = [f"lossy as declared: TV at most {bound} on each of {pairs}"]
            declaration = (
                f"the declared TV is {self.settings.max_tv:g}; on the pair “{decisive.pair.name}” the sampler "
                f"{decisive.fault}"
            )
            return [*lines, *([declaration] if decisive.fault else [])]
        if self.verdict is Verdict.UNDECIDED and self.stopped is not None:
            tried, of = self.stopped
            pairs = f"{tried} of {of} pairs of distributions were tried to the end"
            counts = f"{pairs}, no bias was detected on them, {self.calls:,} calls"
            return [
                f"undecided: the time limit of {self.settings.time_limit:g} s ended; {counts}",
                "use a larger --within, or a smaller --gamma, --vocab or --calls",
            ]
        if self.verdict is Verdict.UNDECIDED:
            return [
                f"undecided: TV is at most {_up(high)}, not within {max(self.tv_limit, self.settings.max_tv):g}",
                f"{decisive.calls:,} calls on the pair “{decisive.pair.name}”; "
                + (
                    "exact mode cannot divide the uniforms into boxes there"
                    if decisive.emitted is not None
                    else self._what_decides()
                ),
            ]
        if self.verdict is Verdict.DEPENDENT and self.dependence is not None:
            alarm = f"false alarm {self.error:g} if rows are independent, for any distribution of a row"
            if self.dependence.log_wealth == math.inf:
                alarm = f"certain, since only other rows were changed; the risk of the interval is {self.error:g}"
            return [
                f"dependent: rows of a batch depend on each other, on the pair “{decisive.pair.name}”",
                alarm,
                (
                    f"no bias of single rows was detected: TV {_tv(decisive)}, from {decisive.calls:,} calls in "
                    "batches of few rows"
                ),
            ]
        lines = [f"broken: {decisive.fault}"]
        if self.verdict is Verdict.BIASED:
            lines = [f"biased by TV {_tv(self.first)} on the pair “{self.first.pair.name}”"]
            if self.first.fault:
                lines.append(self.first.fault)
            # only sampled calls have a false-alarm probability; exact mode has no chance in it
            if self.first.emitted is None:
                lines.append(
                    f"detected after {self.caught:,} calls on this pair; false alarm {self.error:g} at any stopping "
                    "time"
                )
            if self.dependence is not None:
                lines.append(
                    "rows of a batch depend on each other, too; TV is that of single rows, from batches of few rows"
                )
            size = "smallest distributions" if self.dependence is None else "distributions"
            lines.append(f"{size} that show it (TV {_tv(decisive).rstrip(',')}, {decisive.calls:,} calls):")
        return [*lines, *pair_lines(decisive.pair)]

    def _what_decides(self) -> str:
        """How many calls would decide."""
        if self.needed is None:
            declared = f"a --max-tv larger than {self.settings.max_tv:g}"
            cure = declared if self.settings.max_tv else "a larger --tv-limit, or a smaller --gamma or --vocab"
            return f"no number of calls is expected to decide it; use {cure}"
        case = "the bias is as large as it seems" if self.settings.max_tv else "the sampler is lossless"
        return f"rerun with `--calls {self.needed}` (calls={self.needed}) to decide it, if {case}"

    @property
    def overlooked(self) -> float | None:
        """Mass of the cells of uniforms that no probe met, at most, but with probability 1e-6; None for sampled calls."""
        return max((finding.emitted.unseen for finding in self.tried if finding.emitted), default=None)

    def _overlooked(self) -> str:
        """In exact mode, how much the law may be off for cells of uniforms that no probe met: a part of every such verdict."""
        if self.overlooked is None:
            return ""
        bound = f"of total probability below {self.overlooked:.1e} (risk 1e-6)"
        return f", except for regions of uniforms between its probes, {bound}"

    def plain(self) -> dict[str, Any]:
        """The report as a dictionary for JSON.

        Beside the verdict stand its sentence, and in exact mode what it may have missed: but with probability `overlooked_risk`
        regions of the uniforms that no probe met have a total probability below `overlooked_probability_below`.  Both are None
        for sampled calls, whose error is `error`.
        """
        return {
            "verdict": str(self.verdict),
            "verdict_in_words": self._verdict_lines()[0],
            "overlooked_probability_below": self.overlooked,
            "overlooked_risk": None if self.overlooked is None else SURE,
            "calls": self.calls,
            "tv_limit": self.tv_limit,
            "error": self.error,
            "shown": _plain(self.shown),
            "first": _plain(self.first),
            "caught": self.caught,
            "tried": [_plain(finding) for finding in self.tried],
            "settings": {k: v for k, v in self.settings._asdict().items() if v != math.inf},
            "price": self.price.plain() if self.price else None,
            "diagnosis": self.diagnosis.plain() if self.diagnosis else None,
            "power": list(self.power) if self.power else None,
            "notes": list(self.notes),
            "dependence": self.dependence.plain() if self.dependence else None,
            "needed": self.needed,
            "stopped": list(self.stopped) if self.stopped else None,
        }

    def markdown(self) -> str:
        """The report as Markdown, for the summary of a job."""
        head, *rest = self.words().splitlines()
        table = ["| laws | γ | V | calls | TV |", "|---|---:|---:|---:|---|"]
        table += [f"| {f.pair.name} | {f.pair.gamma} | {f.pair.size} | {f.calls:,} | {_tv(f)} |" for f in self.tried]
        facts = [f"```\n{chr(10).join(rest)}\n```", ""] if rest else []
        if self.diagnosis is not None and self.diagnosis.code:
            facts += [
                f"The lines of {self.diagnosis.nearest} that cause it:",
                "",
                f"```python\n{self.diagnosis.code}\n```",
                "",
            ]
        return "\n".join(["### simspec audit", "", f"**{head}**", "", *facts, *table, ""])


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "laws": finding.pair.name,
        "p": [level.tolist() for level in finding.pair.p],
        "q": [level.tolist() for level in finding.pair.q],
        **_handed(finding.pair),
        "calls": finding.calls,
        "log_wealth": finding.log_wealth if math.isfinite(finding.log_wealth) else "inf",
        "tv": list(finding.tv),
        **({"fault": finding.fault} if finding.fault else {}),
        **(_exactly(finding.emitted) if finding.emitted else {}),
    }


def _handed(pair: Pair) -> dict[str, Any]:
    """For JSON, what a sampler was handed in place of p and q: ids of a large vocabulary, or rows before the processor."""
    if isinstance(pair.handed, Sparse):
        return {"ids": list(pair.handed.ids), "size": pair.handed.size}
    if isinstance(pair.handed, Raw):
        return {"raw": [level.tolist() for level in pair.handed.p]}
    return {}


def _exactly(outcome: Emitted) -> dict[str, Any]:
    """What is known exactly, for JSON: fractions as text, the law as [text, mass as emitted, mass of the target]."""
    law = outcome.facts.law
    target = outcome.facts.target
    return {
        "exact_tv": str(outcome.facts.tv),
        "width": outcome.width,
        "rounding": outcome.rounding,
        "unseen": outcome.unseen,
        "law": [[list(text), str(law.get(text, 0)), str(target.get(text, 0))] for text in sorted({**target, **law})],
    }


def _certain(finding: Finding) -> bool:
    """Whether TV is known exactly."""
    return finding.emitted is not None and finding.emitted.width == 0


def _at_ends(finding: Finding) -> bool:
    """Whether a bias shows only where a uniform is at an end of [0, 1)."""
    return bool(finding.fault and finding.emitted and not finding.emitted.facts.tv)


def _tv(finding: Finding) -> str:
    if _at_ends(finding):
        return "2^-53 to 2^-24, the probability that a uniform is at an end of [0, 1),"
    return str(finding.emitted.facts.tv) if finding.emitted and _certain(finding) else tv_interval(finding.tv)


def tv_interval(ends: tuple[float, float]) -> str:
    """An interval for TV, rounded outwards.

    >>> tv_interval((0.0509, 0.0901))
    '0.050 to 0.091'
    """
    low, high = ends
    return f"{math.floor(low * 1000) / 1000:.3f} to {_up(high)}"


def _up(x: float) -> str:
    return f"{math.ceil(x * 1000) / 1000:.3f}"
