"""Empirical claims of EARS about quality: expected utility on decision processes, and the printed accuracies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Evidence, Finding, Verdict
from simspec.claims.data import Data
from simspec.claims.empirical import BESIDE, all_of, measured, rows_for
from simspec.studies.accuracy import difference, pairings, problems_needed, solved
from simspec.studies.ears_utility import BETAS, relaxed_utility
from simspec.studies.intervals import Interval, bonferroni, student
from simspec.studies.pivot_problems import Sources, bank_pairs
from simspec.studies.study import Cell, Result, Study

__all__ = ["CLAIMS"]

LEVEL = 0.95
BETA = 0.1

# --- utility ----------------------------------------------------------------------------------------------------------


def _real(data: Data) -> Sources:
    """Laws of the bank, if it has a draft."""
    return {} if data.main.draft() is None else {data.describe(data.main): partial(bank_pairs, data.main)}


@lru_cache(maxsize=4)
def _utility(data: Data) -> Study:
    horizons = (16,) if data.effort == "quick" else (16, 64)
    return relaxed_utility(rows_for(data, 8, 20, 300), rows_for(data, 3, 5, 40), horizons, sources=_real(data))


def _whose(cell: Cell) -> str:
    """The models of a cell's laws, for the evidence."""
    return str(cell["laws"]).split(":")[0] if "laws" in cell else "decision processes"


def _deciding(result: Result, results: Sequence[Result]) -> bool:
    return result.cell["horizon"] == results[0].cell["horizon"] and result.cell["draft"] == "weaker"


def _drop(result: Result, beta: float, level: float) -> Interval:
    return student(result.values["target"] - result.values[f"ears {beta:g}"], level, -1, 1)


def _reasoning(results: Sequence[Result]) -> list[Evidence]:
    level = bonferroni(LEVEL, sum(_deciding(r, results) for r in results))
    evidence = []
    for result in results:
        cell, decides = result.cell, _deciding(result, results)
        v = {name: float(x.mean()) for name, x in result.values.items()}
        control = {"target's utility": v["target"], "drop of speculative decoding": v["target"] - v["sd"]}
        control |= {f"drop at {b:g}": v["target"] - v[f"ears {b:g}"] for b in BETAS if b != BETA}
        control["drop with a fresh draw after a rejection"] = v["target"] - v["fresh"]
        control["drop of PAD with true replacement pivots"] = v["target"] - v["pad"]
        control |= {"drafts accepted, speculative decoding": v["sd share"], "EARS": v[f"ears {BETA:g} share"]}
        control["PAD with true replacement pivots"] = v["pad share"]
        draft = {
            "weaker": "",
            "careful": ", draft as careful as the target where it matters",
            "of the laws": f", laws of {cell.get('laws')}",
        }[cell["draft"]]
        label = f"family {cell['family']}, {cell['horizon']} tokens{draft}: drop of expected utility at {BETA:g}"
        below = MARGIN if decides else None
        interval = _drop(result, BETA, level if decides else LEVEL)
        evidence.append(measured(label, _whose(cell), len(result.values["target"]), interval, control, below=below))
    return evidence


def _reasoning_plot(results: Sequence[Result]) -> dict[str, Any]:
    series = []
    for result in (r for r in results if _deciding(r, results)):
        drops = [_drop(result, b, LEVEL) for b in BETAS]
        series.append(
            {
                "name": result.cell["family"],
                "x": [0.0, *BETAS],
                "y": [float((result.values["target"] - result.values["sd"]).mean()), *(d.estimate for d in drops)],
            }
        )
    return {
        "title": "Expected utility lost, by family of decision processes",
        "x_label": "tolerance",
        "y_label": "drop of expected utility",
        "x_log": False,
        "series": series,
    }


REASONING = Claim(
    name="ears.reasoning",
    kind="empirical",
    statement=r"expected utility under EARS at $\beta = 0.1$ falls by less than 1 point below the target's, in each "
    "family of decision processes with known pivots",
    reference="EARS, open question 3",
    note="The utility lost is, summed over the positions, the acceptance gained times what pardoned tokens are worth "
    "less than their replacements (to the target): a draft that errs at pivots is pardoned there too, because the "
    "tolerance sees how uncertain the target is and not what is at stake. With a draft that errs elsewhere only, little "
    "is lost, and little with a bank's laws where tokens are marked without regard to them; more in answers, whose errors are "
    "tokens that the target finds unlikely.",
    sources=(),
    finding=Finding(
        study=_utility,
        estimate=_reasoning,
        decide=all_of,
        criterion="Four families (needle, recoverable, counting, random) of processes of 16 tokens with their standard "
        "parameters, one draft a position; utilities exact for each process. Supported when the mean drop of expected "
        "utility is below 0.01 in each family, by t-intervals over processes that hold together at 95 %; unsupported "
        "when one interval lies at or above 0.01. Longer texts, a draft without mistakes at pivots and processes with "
        "a bank's laws, among them answers in steps, stand beside.",
        plot=_reasoning_plot,
    ),
)


# --- the printed accuracies -------------------------------------------------------------------------------------------

PROBLEMS, TARGET, RELAXED = 1319, 96.44, 95.60
MARGIN = 0.01
"""One point, of accuracy or of expected utility."""


def _printed(data: Data) -> Study:
    counts = {"target": solved(TARGET, PROBLEMS), "relaxed": solved(RELAXED, PROBLEMS)}
    return Study(
        name="ears-gsm8k",
        question="What do two printed accuracies show?",
        grid=({"problems": PROBLEMS, "printed": [TARGET, RELAXED]},),
        simulate=lambda cell, rows, device: {name: np.array([float(c)]) for name, c in counts.items()},
        summary="solved problems, the counts that the printed percentages stand for",
    )


def _gap(results: Sequence[Result], level: float) -> tuple[int, int, Interval]:
    first, second = (int(results[0].values[name][0]) for name in ("target", "relaxed"))
    return first, second, difference(first, second, PROBLEMS, level)


def _label(first: int, second: int, what: str) -> str:
    return f"gsm8k test as printed, {first} and {second} of {PROBLEMS} problems solved: {what}"


_PRINTED_MODEL = "as printed, Qwen3-32B"


def _differs(results: Sequence[Result]) -> list[Evidence]:
    first, second, gap = _gap(results, LEVEL)
    ways = pairings(first, second, PROBLEMS)
    most = max((w.lost + w.gained for w in ways if w.p_value < 1 - LEVEL), default=0)
    needed = problems_needed(first / PROBLEMS, second / PROBLEMS, lambda i: i.low > 0, LEVEL)
    control = {
        "must exclude": 0.0,
        "paired p-value at best": ways[0].p_value,
        "paired p-value at worst": ways[-1].p_value,
        "most changed problems that a paired test would tell": float(most),
        "problems that would decide": float(needed or np.inf),
    }
    label = _label(first, second, "difference, unpaired")
    return [Evidence(label, _PRINTED_MODEL, PROBLEMS, gap.estimate, (gap.low, gap.high), LEVEL, control)]


def _excludes(evidence: Sequence[Evidence]) -> Verdict:
    """Supported when the interval excludes 0, on either side; no sample shows that nothing differs."""
    intervals = [e.interval for e in evidence if e.interval is not None and not e.data.startswith(BESIDE)]
    return "supported" if intervals and all(low > 0 or high < 0 for low, high in intervals) else "inconclusive"


def _negligible(results: Sequence[Result]) -> list[Evidence]:
    from scipy.special import ndtri

    two_sided = round(2 * LEVEL - 1, 12)  # each end is a one-sided test at 1 - LEVEL
    first, second, gap = _gap(results, two_sided)
    needed = problems_needed(
        first / PROBLEMS, second / PROBLEMS, lambda i: -MARGIN < i.low and i.high < MARGIN, two_sided
    )
    lost = abs(first - second)
    spread = float(ndtri(LEVEL)) * (lost - lost * lost / PROBLEMS) ** 0.5 / PROBLEMS
    control = {
        "upper end if no problem was gained (paired, normal)": lost / PROBLEMS + spread,
        "problems that would decide": float(needed or np.inf),
    }
    label = _label(first, second, "difference, unpaired, against")
    return [
        measured(f"{label} +1 point", _PRINTED_MODEL, PROBLEMS, gap, control, below=MARGIN),
        measured(f"{label} -1 point", _PRINTED_MODEL, PROBLEMS, gap, exceed=-MARGIN),
    ]


_COUNTS = (
    "The printed percentages stand for one count each of 1,319 problems. Which problems both runs solved is not "
    "printed, so the samples are treated as independent; hybrid score interval of the difference (Newcombe 1998). "
)

DIFFERS = Claim(
    name="ears.gsm8k-drop.differs",
    kind="empirical",
    statement="the accuracies differ: 96.44 % and 95.60 % of 1,319 problems",
    reference="EARS, Key Results",
    note="Eleven problems of 1,319 are within the noise of two independent runs. The same counts with few changed "
    "problems would be significant when paired, so the pairing, which is not printed, decides more than the counts.",
    sources=(),
    finding=Finding(
        study=_printed,
        estimate=_differs,
        decide=_excludes,
        criterion=_COUNTS + "Supported when the 95 % interval excludes 0, inconclusive when it contains 0 (no number "
        "of problems shows that two accuracies are equal, so never unsupported).",
    ),
)

NEGLIGIBLE = Claim(
    name="ears.gsm8k-drop.negligible",
    kind="empirical",
    statement="the difference of the accuracies 96.44 % and 95.60 % of 1,319 problems is below 1 point",
    reference="EARS, Key Results",
    note="Not finding a difference is not finding equality: the estimate is inside the margin, the interval is not, "
    "whatever the pairing.",
    sources=(),
    finding=Finding(
        study=_printed,
        estimate=_negligible,
        decide=all_of,
        criterion=_COUNTS + "Two one-sided tests at 5 %: supported when the 90 % interval lies within -1 and +1 point, "
        "unsupported when it lies wholly beyond one of them, inconclusive otherwise.",
    ),
)

CLAIMS = (REASONING, DIFFERS, NEGLIGIBLE)
