"""`tasc.table1-columns`, with its correction: TASC, Table 1.

Figures are kept as printed, in strings, so that the place of the last digit is known: a number that is computed from
rounded ones is compared within what rounding, or cutting, of every printed number allows.
"""

from __future__ import annotations

from simspec.claims.authoring import OWN_FIGURES, Draw, F, Instance, at_most, identity
from simspec.claims.claim import Printed
from simspec.claims.tasc.parts import THOUSAND, unit_of, value


def _ends(figure: str, exact: bool = False) -> tuple[F, F]:
    """Least and largest number of which a figure can be the rounding, up or down."""
    spare = F(0) if exact else unit_of(figure)
    return value(figure) - spare, value(figure) + spare


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


def _column(column: str, input: F, output: F) -> F:
    return input / output if column == "ratio" else 100 * (output - input) / input


def _missing(column: str, input: str, output: str, printed: str) -> F:
    """How far the printed cell is from everything that the printed figures can stand for."""
    counts = [column == "ratio" and THOUSAND not in figure for figure in (input, output)]
    low_in, high_in = _ends(input, counts[0])
    low_out, high_out = _ends(output, counts[1])
    corners = [_column(column, a, b) for a in (low_in, high_in) for b in (low_out, high_out)]
    return max(min(corners) - value(printed), value(printed) - max(corners), F(0))


COLUMNS = identity(
    name="tasc.table1-columns",
    statement=r"In Table 1, $\Delta H = (H_{\mathrm{out}} - H_{\mathrm{in}})/H_{\mathrm{in}}$ and the ratio is the "
    r"input's number of bigrams over the output's, each figure being right to one in its last place",
    reference="TASC, Table 1",
    instances=_cell,
    lhs=_missing,
    rhs=lambda printed: unit_of(printed),
    relation=at_most,
    sources=("exact",),
    within=OWN_FIGURES,
    corrected_by=("tasc.table1-columns-corrected",),
    note="Five of 22 cells cannot follow, however the figures they come from were rounded or cut: intent "
    "classification's −37.45 % (its entropies give −27.3 %), medical summaries' −4.86 % (−4.65 %), and the ratios 5698 "
    "of yes/no questions (5670), 6.52 of news (6.53) and 2.73 of legal summaries (2.58).",
    printed=Printed(
        place="TASC, Table 1",
        text="Word bigram distribution analysis across several generation tasks.",
        read="The columns of differences and ratios follow from the columns beside them.",
    ),
)

COLUMNS_CORRECTED = identity(
    name="tasc.table1-columns-corrected",
    statement=r"Table 1 with twelve cells recomputed: every $\Delta H$ and every ratio is what its printed entropies and "
    r"counts give, rounded to the last place shown",
    reference="correction of TASC, Table 1",
    instances=_recomputed,
    lhs=lambda column, input, output, printed: abs(_column(column, value(input), value(output)) - value(printed)),
    rhs=lambda printed: unit_of(printed) / 2,
    relation=at_most,
    sources=("exact",),
    note="The five cells of tasc.table1-columns, and seven more whose last digit is off when the printed figures are "
    "taken at their word (such as 0.06 for 11.16K / 168.81K = 0.066).",
)
