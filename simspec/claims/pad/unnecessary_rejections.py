"""Most drafts that speculative decoding rejects are not pivots.

`pad.unnecessary-rejections`, decided on a language model whose answers are checked, and its readings on decision processes
that were made up here: PAD, abstract and Figure 1.
"""

from __future__ import annotations

from functools import partial

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import measured, rows_for
from simspec.claims.measured import (
    LEVEL,
    ON_ANSWERS,
    Data,
    Found,
    Results,
    Study,
    decides,
    documents,
    empirical,
    level_of,
    shared,
    student,
)
from simspec.claims.measured import model_of as model_of_data
from simspec.claims.pad.checked_answers import answers_study
from simspec.claims.pad.parts import STATES, described_results, kinds, model_of, sources
from simspec.claims.problem_laws import text_sources, with_banks
from simspec.studies.pad.pivots import READINGS, unnecessary
from simspec.studies.pad.problems import NAMES


@shared
def _rejections(data: Data) -> Study:
    size = {"vocab": 16, "horizon": 28}
    texts = text_sources(data)
    grid = tuple(
        {"family": name, "laws": laws, "states": STATES[name], **size}
        for laws in (*kinds(data), *texts)
        for name in NAMES
    )
    return with_banks(unnecessary(grid, {**sources(data), **texts}, rows_for(data, 3, 12, 100)), data)


def _needless(results: Results, reading: str) -> Found:
    """Shares of rejected drafts that are not pivots must exceed one half, in each cell."""
    level = level_of(sum(map(decides, results)))
    for result in results:
        v = result.values
        names = {
            f"pivots by {other_reading}": v[other_reading] for other_reading in READINGS if other_reading != reading
        }
        names |= {"of all drafts": v[reading + " of drafts"], "of the target's tokens": v[reading + " of texts"]}
        control = {name: float(shares.mean()) for name, shares in (names | {"rejected drafts": v["rejected"]}).items()}
        interval = student(v[reading], level, 0, 1)
        exceed = 0.5 if decides(result) else None
        yield measured(
            described_results(result), model_of(result), len(v[reading]), interval, control, exceed=exceed, made_up=True
        )


_EXACT = (
    chosen_here("the families of problems and their utilities")
    + "Problems of five families (an answer in steps, needle, recoverable, counting, random), with synthetic laws and "
    "with a bank's laws cut to 16 tokens; utilities are synthetic. By backward induction, the exact share of the "
    "drafts rejected by speculative decoding that are not pivots, for each problem. Intervals are conditional on the "
    f"bank's contexts, which problems share. {ON_ANSWERS} "
)

UNNECESSARY = empirical(
    name="pad.unnecessary-rejections.families",
    statement="most drafts that speculative decoding rejects are not pivots (Definition 3 with ε = 0: a pivot is worth "
    "less than the text before it), in each family of decision processes made up here",
    reference="own statement: PAD, abstract and Figure 1, with exact values",
    note="Speculative decoding rejects what the draft overrates, whatever it is worth. Where few steps matter these "
    "tokens are mostly harmless; where every token counts a little about half of them are worth less than the text "
    "before them, and more where the draft overrates the bad ones (counting). Other readings stand beside: with ties "
    "as pivots few rejections are needless.",
    study=_rejections,
    estimate=partial(_needless, reading="definition"),
    criterion=_EXACT + "Supported when the mean share exceeds one half in each family and with either kind of laws, by "
    "t-intervals over problems that hold together at 95 %; unsupported when one interval lies at or below one half.",
)

TOLERANT = empirical(
    name="pad.unnecessary-rejections.label-rule",
    statement="most drafts that speculative decoding rejects are not pivots in the sense of the labels: worth less "
    "than 0.9 of the text before them (exact values), in each family of decision processes",
    reference="own statement: PAD, abstract and Figure 1, with exact values and the tolerance of 3.3",
    note="The tolerance of the labels takes small differences out of the count: whether most rejections are needless "
    "is decided by what loss one calls none.",
    study=_rejections,
    estimate=partial(_needless, reading="label rule"),
    criterion=_EXACT + "Supported when the mean share exceeds one half in each family and with either kind of laws, by "
    "t-intervals over problems that hold together at 95 %; unsupported when one interval lies at or below one half.",
)


def _labelled(results: Results) -> Found:
    """The share of a model's refused drafts that their rollouts call no pivots, where they could call one, must exceed 1/2."""
    result = results[0]
    v = result.values
    data = str(result.cell["data"])
    model = model_of_data(result)
    possible = v["rare"] == 0
    beside = documents(1 - v["label"], v["task"], LEVEL)
    yield measured(f"{data}, all refused drafts", model, len(possible), beside)
    if possible.any():
        decided = documents(1 - v["label"][possible], v["task"][possible], LEVEL)
        control = {"refused drafts with no right rollout before them, share": float(v["rare"].mean())}
        label = f"{data}, refused drafts with a right rollout before them"
        yield measured(label, model, int(possible.sum()), decided, control, exceed=0.5)


ANSWERS = empirical(
    name="pad.unnecessary-rejections",
    statement="most drafts that speculative decoding rejects are called no pivots by twenty rollouts before and twenty after "
    "them, where one of those before is right, for a language model that answers tasks with known answers",
    reference="PAD, abstract and Figure 1",
    note="Decided on the one language model here whose answers are checked, no model of the paper; decision processes with exact "
    "values, made up here, are pad.unnecessary-rejections.families. "
    "SmolLM2-135M-Instruct with its weights rounded to 3 bits as the draft, at temperature 1, on sums, products and "
    "copies asked after four examples. Nothing is a pivot where no rollout before it is right: all refused drafts stand "
    "beside. Labels of twenty rollouts call many harmless tokens pivots, and miss some (pad.label-noise).",
    study=answers_study,
    estimate=_labelled,
    criterion="Supported when the share labelled no pivots, of the refused drafts with a right rollout before them, exceeds "
    "one half by the bootstrap interval over tasks at 95 %; unsupported when it lies at or below one half.",
    printed=Printed(
        place="PAD, Figure 1",
        text="Most of these rejections are unnecessary",
        read="Most drafts that speculative decoding rejects are no pivots by the labels of 3.3.",
    ),
)
