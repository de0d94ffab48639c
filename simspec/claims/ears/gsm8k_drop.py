"""The printed accuracies on GSM8K, 96.44 % and 95.60 %, differ by more than chance explains.

`ears.gsm8k-drop`, with its readings: EARS, Key Results.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.checks import needs
from simspec.claims.claim import Printed, Verdict
from simspec.claims.ears.parts import MARGIN
from simspec.claims.measured import BESIDE, LEVEL, Data, Evidence, Interval, Results, Study, empirical, measured
from simspec.studies.pad.accuracy import difference, pairings, problems_needed, solved

PROBLEMS = 1319
TARGET = 96.44
RELAXED = 95.60


def _printed(data: Data) -> Study:
    counts = {"target": solved(TARGET, PROBLEMS), "relaxed": solved(RELAXED, PROBLEMS)}
    return Study(
        name="ears-gsm8k",
        question="What do two printed accuracies show?",
        grid=({"problems": PROBLEMS, "printed": [TARGET, RELAXED]},),
        simulate=lambda cell, rows, device: {name: np.array([float(c)]) for name, c in counts.items()},
        summary="solved problems, the counts that the printed percentages stand for",
    )


def _gap(results: Results, level: float) -> tuple[int, int, Interval]:
    first, second = (int(results[0].values[name][0]) for name in ("target", "relaxed"))
    return first, second, difference(first, second, PROBLEMS, level)


def _label(first: int, second: int, quantity: str) -> str:
    return f"gsm8k test as printed, {first} and {second} of {PROBLEMS} problems solved: {quantity}"


_PRINTED_MODEL = "as printed, Qwen3-32B"


def _differs(results: Results) -> list[Evidence]:
    first, second, gap = _gap(results, LEVEL)
    ways = pairings(first, second, PROBLEMS)
    most_changed = max((w.lost + w.gained for w in ways if w.p_value < 1 - LEVEL), default=0)
    needed = problems_needed(first / PROBLEMS, second / PROBLEMS, lambda i: i.low > 0, LEVEL)
    control = {
        "must exclude": 0.0,
        "paired p-value at best": ways[0].p_value,
        "paired p-value at worst": ways[-1].p_value,
        "most changed problems that a paired test would tell": float(most_changed),
        "problems that would decide": float(needed or np.inf),
    }
    label = _label(first, second, "difference, unpaired")
    return [Evidence(label, _PRINTED_MODEL, PROBLEMS, gap.estimate, (gap.low, gap.high), LEVEL, control)]


def _excludes(evidence: Sequence[Evidence]) -> Verdict:
    """Supported when the interval excludes 0, on either side; no sample shows that nothing differs."""
    intervals = [e.interval for e in evidence if e.interval is not None and not e.data.startswith(BESIDE)]
    return "supported" if intervals and all(low > 0 or high < 0 for low, high in intervals) else "inconclusive"


def _negligible(results: Results) -> list[Evidence]:
    """Return the evidence that the two printed accuracies differ by less than one point, one test for each side."""
    (special,) = needs("an interval", "scipy.special")
    two_sided = round(2 * LEVEL - 1, 12)  # each end is a one-sided test at 1 - LEVEL
    first, second, gap = _gap(results, two_sided)
    needed = problems_needed(
        first / PROBLEMS, second / PROBLEMS, lambda i: i.low > -MARGIN and i.high < MARGIN, two_sided
    )
    lost = abs(first - second)
    # lost problems only: the paired differences are 0 or 1, with variance share (1 - share)
    spread = float(special.ndtri(LEVEL)) * (lost - lost * lost / PROBLEMS) ** 0.5 / PROBLEMS
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

SENTENCE = Printed(
    place="EARS, Key Results",
    text="0.84% accuracy drop on GSM8K reasoning benchmark (96.44% → 95.60%)",
    read="Whether two such accuracies on 1,319 problems differ.",
)

DIFFERS = empirical(
    name="ears.gsm8k-drop.differs",
    statement="the accuracies differ: 96.44 % and 95.60 % of 1,319 problems",
    reference="EARS, Key Results",
    note="Eleven problems of 1,319 are within the noise of two independent runs. The same counts with few changed "
    "problems would be significant when paired, so the pairing, which is not printed, decides more than the counts.",
    study=_printed,
    estimate=_differs,
    decide=_excludes,
    criterion=_COUNTS + "Supported when the 95 % interval excludes 0, inconclusive when it contains 0 (no number "
    "of problems shows that two accuracies are equal, so never unsupported).",
    printed=SENTENCE,
)

NEGLIGIBLE = empirical(
    name="ears.gsm8k-drop.negligible",
    statement="the difference of the accuracies 96.44 % and 95.60 % of 1,319 problems is below 1 point",
    reference="EARS, Key Results",
    note="Not finding a difference is not finding equality: the estimate is inside the margin, the interval is not, "
    "whatever the pairing.",
    study=_printed,
    estimate=_negligible,
    criterion=_COUNTS + "Two one-sided tests at 5 %: supported when the 90 % interval lies within -1 and +1 point, "
    "unsupported when it lies wholly beyond one of them, inconclusive otherwise.",
    printed=SENTENCE,
)
