"""Claims about printed figures of TASC: its tables 1, 5, 6 and 8, and the directional success rate of its appendix E.

Figures are kept as printed, in strings, so that the place of the last digit is known: a number that is computed from
rounded ones is compared within what rounding, or cutting, of every printed number allows.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_least, at_most, equal
from simspec.claims.draw import Draw
from simspec.laws import Array

__all__ = ["CLAIMS", "RECOMPUTED", "TABLE_1", "TABLE_5", "value"]

THOUSAND = "K"


def value(figure: str) -> F:
    """Number that a figure prints; ``K`` stands for thousands.

    >>> value("33.53K")
    Fraction(33530, 1)
    """
    return F(figure.removesuffix(THOUSAND)) * (1000 if figure.endswith(THOUSAND) else 1)


def _unit(figure: str) -> F:
    """One in the last place of a figure; a count without K is exact."""
    digits = figure.removesuffix(THOUSAND)
    places = len(digits.partition(".")[2])
    return F(1, 10**places) * (1000 if figure.endswith(THOUSAND) else 1)


def _ends(figure: str, exact: bool = False) -> tuple[F, F]:
    """Least and largest number of which a figure can be the rounding, up or down."""
    spare = F(0) if exact else _unit(figure)
    return value(figure) - spare, value(figure) + spare


# --- Table 1 --------------------------------------------------------------------------------------------------------

TABLE_1 = {
    "Sentiment Analysis (Finance)": ("14.5", "2.21", "-84.7", "33.53K", "4", "8383"),
    "Yes/No Questions (Medical)": ("15.34", "3", "-80.48", "17.01K", "3", "5698"),
    "POS Tagging": ("15.53", "6.57", "-57.7", "65.3K", "63", "1036.3"),
    "Intent Classification & Slot Fill": ("13.4", "9.74", "-37.45", "15.943K", "774", "20.6"),
    "Massive Classification (Legal)": ("14.43", "12.76", "-11.6", "36.8K", "8.34K", "4.41"),
    "Abbreviation Expansion (Medical)": ("16.17", "14.19", "-12.24", "195.1K", "84.28K", "2.32"),
    "Summarization (Medical)": ("16.14", "15.39", "-4.86", "17.14K", "15.16K", "1.13"),
    "Summarization (News)": ("17.71", "15.79", "-10.8", "387.7K", "59.34K", "6.52"),
    "Summarization (Legal)": ("16.8", "15.8", "-5.9", "229.9K", "89.14K", "2.73"),
    "Question Answering (Medical)": ("16.2", "15.38", "-5.04", "196.34K", "111.6K", "1.76"),
    "Creative Writing": ("12.75", "16.62", "30.4", "11.16K", "168.81K", "0.06"),
}
"""Input and output bigram entropy, ΔH in percent, bigrams for 80 % of input and output, their ratio (TASC, Table 1)."""

RECOMPUTED = {
    ("Sentiment Analysis (Finance)", "ΔH"): "-84.8",
    ("Yes/No Questions (Medical)", "ΔH"): "-80.44",
    ("Yes/No Questions (Medical)", "ratio"): "5670",
    ("POS Tagging", "ratio"): "1036.5",
    ("Intent Classification & Slot Fill", "ΔH"): "-27.31",
    ("Abbreviation Expansion (Medical)", "ratio"): "2.31",
    ("Summarization (Medical)", "ΔH"): "-4.65",
    ("Summarization (News)", "ratio"): "6.53",
    ("Summarization (Legal)", "ΔH"): "-6.0",
    ("Summarization (Legal)", "ratio"): "2.58",
    ("Question Answering (Medical)", "ΔH"): "-5.06",
    ("Creative Writing", "ratio"): "0.07",
}
"""The cells of Table 1 that differ from what its other figures, taken as printed, round to."""


def _cell(draw: Draw) -> Instance:
    task = list(TABLE_1)[draw.integer(0, len(TABLE_1) - 1)]
    source, target, change, before, after, ratio = TABLE_1[task]
    if draw.integer(0, 1):
        return {"task": task, "column": "ratio", "input": before, "output": after, "printed": ratio}
    return {"task": task, "column": "ΔH", "input": source, "output": target, "printed": change}


def _recomputed(draw: Draw) -> Instance:
    cell = dict(_cell(draw))
    return {**cell, "printed": RECOMPUTED.get((cell["task"], cell["column"]), cell["printed"])}


def _column(column: str, input: F, output: F) -> F:  # noqa: A002 - the table's own heading
    return input / output if column == "ratio" else 100 * (output - input) / input


def _missing(column: str, input: str, output: str, printed: str) -> F:  # noqa: A002
    """How far the printed cell is from everything that the printed figures can stand for."""
    counts = [column == "ratio" and THOUSAND not in figure for figure in (input, output)]
    low_in, high_in = _ends(input, counts[0])
    low_out, high_out = _ends(output, counts[1])
    corners = [_column(column, a, b) for a in (low_in, high_in) for b in (low_out, high_out)]
    return max(min(corners) - value(printed), value(printed) - max(corners), F(0))


COLUMNS = Claim(
    name="tasc.table1-columns",
    kind="identity",
    statement=r"In Table 1, $\Delta H = (H_{\mathrm{out}} - H_{\mathrm{in}})/H_{\mathrm{in}}$ and the ratio is the "
    r"input's number of bigrams over the output's, each figure being right to one in its last place",
    reference="TASC, Table 1",
    instances=_cell,
    lhs=_missing,
    rhs=lambda printed: _unit(printed),
    relation=at_most,
    sources=("exact",),
    corrected_by=("tasc.table1-columns-corrected",),
    note="Five of 22 cells cannot follow, however the figures they come from were rounded or cut: intent "
    "classification's −37.45 % (its entropies give −27.3 %), medical summaries' −4.86 % (−4.65 %), and the ratios 5698 "
    "of yes/no questions (5670), 6.52 of news (6.53) and 2.73 of legal summaries (2.58).",
)

COLUMNS_CORRECTED = Claim(
    name="tasc.table1-columns-corrected",
    kind="identity",
    statement=r"Table 1 with twelve cells recomputed: every $\Delta H$ and every ratio is what its printed entropies and "
    r"counts give, rounded to the last place shown",
    reference="correction of TASC, Table 1",
    instances=_recomputed,
    lhs=lambda column, input, output, printed: abs(_column(column, value(input), value(output)) - value(printed)),
    rhs=lambda printed: _unit(printed) / 2,
    relation=at_most,
    sources=("exact",),
    note="The five cells of tasc.table1-columns, and seven more whose last digit is off when the printed figures are "
    "taken at their word (such as 0.06 for 11.16K / 168.81K = 0.066).",
)

# --- Table 5 --------------------------------------------------------------------------------------------------------

TABLE_5 = {
    0: {"intent accuracy": "90.4", "slot F1": "76.45", "joint accuracy": "63.0"},
    250: {"intent accuracy": "91.5", "slot F1": "77.0", "joint accuracy": "64.6"},
    500: {"intent accuracy": "91.3", "slot F1": "77.0", "joint accuracy": "64.3"},
    1000: {"intent accuracy": "91.1", "slot F1": "76.2", "joint accuracy": "63.4"},
}
"""Added tokens and the three scores on MASSIVE (TASC, Table 5)."""


def _score(draw: Draw) -> Instance:
    added = (250, 500, 1000)[draw.integer(0, 2)]
    metric = ("intent accuracy", "slot F1", "joint accuracy")[draw.integer(0, 2)]
    return {"added": added, "metric": metric, "score": TABLE_5[added][metric], "before": TABLE_5[0][metric]}


GAIN = Claim(
    name="tasc.table5-gain",
    kind="identity",
    statement="Every budget of Table 5 improves intent accuracy, slot F1 and joint accuracy over no added tokens",
    reference="TASC, App. C.1 and Table 5",
    instances=_score,
    lhs=lambda score: value(score),
    rhs=lambda before: value(before),
    relation=at_least,
    sources=("exact",),
    corrected_by=("tasc.table5-gain-corrected",),
    note="Slot F1 falls from 76.45 to 76.2 at 1,000 added tokens. The table has no intervals, so that nothing here says "
    "which of the differences is more than chance.",
)

FALLS = (1000, "slot F1")
"""The one score that falls."""

GAIN_CORRECTED = Claim(
    name="tasc.table5-gain-corrected",
    kind="identity",
    statement="Of the nine scores of Table 5 with added tokens eight are above those with none, by 0.4 to 1.6 points; "
    "slot F1 at 1,000 tokens is 0.25 points below",
    reference="correction of TASC, App. C.1",
    instances=_score,
    lhs=lambda score, before: np.array([value(score) - value(before), value(before) - value(score)]),
    rhs=lambda added, metric: np.array([F(-1, 4), F(1, 4)] if (added, metric) == FALLS else [F(2, 5), F(-8, 5)]),
    relation=at_least,
    sources=("exact",),
    tight=(
        {"added": 1000, "metric": "slot F1", "score": "76.2", "before": "76.45"},
        {"added": 1000, "metric": "joint accuracy", "score": "63.4", "before": "63.0"},
        {"added": 250, "metric": "joint accuracy", "score": "64.6", "before": "63.0"},
    ),
    note="Rows: the gain is at least, and at most, what is said.",
)

# --- Tables 6 and 8 -------------------------------------------------------------------------------------------------


def _speedups(draw: Draw) -> Instance:
    return {"tasc_ft": "2.1", "tasc_spec": "2.17"}


ORDER = Claim(
    name="tasc.table6-order",
    kind="identity",
    statement=r"TASC-ft's $\times 2.1$ is a better speed-up than TASC-spec's $\times 2.17$",
    reference="TASC, App. C.2 and Table 6",
    instances=_speedups,
    lhs=lambda tasc_ft: value(tasc_ft),
    rhs=lambda tasc_spec: value(tasc_spec),
    relation=at_least,
    sources=("exact",),
    corrected_by=("tasc.table6-order-corrected",),
    note="2.1 < 2.17; as rounded figures too, 2.15 < 2.165.",
)

ORDER_CORRECTED = Claim(
    name="tasc.table6-order-corrected",
    kind="identity",
    statement=r"As printed and rounded, TASC-spec's speed-up, at least $2.165$, is above TASC-ft's, at most $2.15$",
    reference="correction of TASC, App. C.2",
    instances=_speedups,
    lhs=lambda tasc_spec: value(tasc_spec) - _unit(tasc_spec) / 2,
    rhs=lambda tasc_ft: value(tasc_ft) + _unit(tasc_ft) / 2,
    relation=at_least,
    sources=("exact",),
    note="Both are single measurements of wall-clock time; the order of the two methods is no more than these figures "
    "say.",
)


def _mistral(printed: str) -> Any:
    return lambda draw: {"before": "1280", "after": "1130", "printed": printed}


def _spread(before: str, after: str, printed: str) -> F:
    """Distance of the printed speed-up from all that the two times allow, each known to 10 ms."""
    low, high = (value(before) - 10) / (value(after) + 10), (value(before) + 10) / (value(after) - 10)
    return max(low - value(printed), value(printed) - high, F(0))


SPEEDUP = Claim(
    name="tasc.table8-speedup",
    kind="identity",
    statement=r"$1{,}280\,\mathrm{ms} \to 1{,}130\,\mathrm{ms}$ is a speed-up of $\times 1.19$, even if each time is "
    r"known to $10\,\mathrm{ms}$ only",
    reference="TASC, App. C.4 and Table 8",
    instances=_mistral("1.19"),
    lhs=_spread,
    rhs=lambda printed: _unit(printed),
    relation=at_most,
    sources=("exact",),
    corrected_by=("tasc.table8-speedup-corrected",),
    note="1280/1130 = 1.133, and 1290/1120 is still below 1.16. The ± of the table, 70 to 90 ms, are standard "
    "deviations: two means that far apart would allow 1.19, and 1.0. The same paragraph gives × 2.31 for the smaller "
    "model, where the introduction's largest is × 2.1.",
)

SPEEDUP_CORRECTED = Claim(
    name="tasc.table8-speedup-corrected",
    kind="identity",
    statement=r"$1{,}280\,\mathrm{ms} \to 1{,}130\,\mathrm{ms}$ is a speed-up of $\times 1.13$",
    reference="correction of TASC, App. C.4",
    instances=_mistral("1.13"),
    lhs=lambda before, after, printed: abs(value(before) / value(after) - value(printed)),
    rhs=lambda printed: _unit(printed) / 2,
    relation=at_most,
    sources=("exact",),
    note="128/113 = 1.1327…; a saving of 11.7 % of the time.",
)

# --- the directional success rate -----------------------------------------------------------------------------------


def _runs(draw: Draw) -> Instance:
    """Rényi entropy and runtime along a sequence of budgets; the entropy rises at least once, at first."""
    steps = draw.integer(1, 5)
    moves = [1, *(draw.integer(0, 2) - 1 for _ in range(steps - 1))]
    runtime = np.array([draw.integer(0, 3) for _ in range(steps + 1)])
    return {"h2": np.cumsum([0, *moves]), "runtime": runtime}


def _followed(h2: Array, runtime: Array) -> F:
    """Share of the rises of entropy that a shorter runtime follows, counted one by one."""
    rises = shorter = 0
    for i in range(len(h2) - 1):
        if h2[i + 1] > h2[i]:
            rises += 1
            shorter += int(runtime[i + 1] < runtime[i])
    return F(shorter, rises)


def _chance(h2: Array, runtime: Array, longer: bool) -> F:
    """Pr(ΔR < 0 | ΔH₂ > 0), or Pr(ΔR ≥ 0 | ΔH₂ > 0), as a quotient of joint and marginal frequencies."""
    up, down = np.diff(h2) > 0, np.diff(runtime) < 0
    n = len(up)
    return F(int((up & (down ^ longer)).sum()), n) / F(int(up.sum()), n)


DIRECTIONAL = Claim(
    name="tasc.directional-rate",
    kind="identity",
    statement=r"The share of rises of $H_2$ that a shorter runtime follows is $1 - \Pr(\Delta R < 0 \mid \Delta H_2 > 0)$",
    reference="TASC, App. E.2",
    instances=_runs,
    lhs=_followed,
    rhs=lambda h2, runtime: 1 - _chance(h2, runtime, False),
    relation=equal,
    sources=("exact",),
    corrected_by=("tasc.directional-rate-corrected",),
    note="That share is the conditional probability itself; its complement is how often the prediction fails. The two "
    "agree at one half only, so 92 % cannot be both “the complement” and the share of successes. (The text also calls "
    "ΔH₂ > 0 a decrease.)",
)

DIRECTIONAL_CORRECTED = Claim(
    name="tasc.directional-rate-corrected",
    kind="identity",
    statement=r"The share of rises of $H_2$ that a shorter runtime follows is $\Pr(\Delta R < 0 \mid \Delta H_2 > 0) = 1 "
    r"- \Pr(\Delta R \ge 0 \mid \Delta H_2 > 0)$",
    reference="correction of TASC, App. E.2",
    instances=_runs,
    lhs=lambda h2, runtime: np.array([_followed(h2, runtime)] * 2),
    rhs=lambda h2, runtime: np.array([_chance(h2, runtime, False), 1 - _chance(h2, runtime, True)]),
    relation=equal,
    sources=("exact",),
    note="By definition; an unchanged runtime counts as a failure. It says nothing until compared with the share of all "
    "steps that shorten the runtime: where every step does, every predictor that rises has rate 1.",
)

CLAIMS = (
    COLUMNS,
    COLUMNS_CORRECTED,
    GAIN,
    GAIN_CORRECTED,
    ORDER,
    ORDER_CORRECTED,
    SPEEDUP,
    SPEEDUP_CORRECTED,
    DIRECTIONAL,
    DIRECTIONAL_CORRECTED,
)
