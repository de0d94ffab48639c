"""Logits of language models have the location, spread and heavy tails that the paper reports.

`rdk.logit-statistics`, `rdk.student-t-logits`, `rdk.t-fit`, `rdk.probability-fit` and `rdk.heavier-than-t`: single positions.

RDK, 6.1, C.1 and C.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Printed
from simspec.claims.deciding.evidence import CONTROL_PASSES, illustration, measured, rows_for, with_control
from simspec.claims.measured import (
    BESIDE,
    LEVEL,
    ON_ANSWERS,
    Claim,
    Data,
    Found,
    Result,
    Results,
    Study,
    empirical,
    figure,
    level_of,
    model_of,
    shared,
)
from simspec.engine.estimates.intervals import Interval, binomial, documents
from simspec.engine.study import select
from simspec.studies.rdk.logit_shape import logit_shape
from simspec.studies.rdk.probability_tails import LEVELS, probability_tails

if TYPE_CHECKING:
    from simspec.logits.bank import Bank


MISFIT = 0.05
"""Kolmogorov-Smirnov distance above which a family does not fit."""
Holds = Callable[[dict[str, np.ndarray]], np.ndarray]
"""At which positions a statement holds."""


@shared
def _shape(data: Data) -> Study:
    """Raw logits of the most realistic model; small ones, recorded GPT-2 vectors and Gaussian logits stand beside."""
    return logit_shape(_sources(data), rows=_count(data))


@shared
def _tails(data: Data) -> Study:
    """The same sources and positions, whose fits are known."""
    return probability_tails(_sources(data), rows=_count(data))


def _count(data: Data) -> int:
    """Most contexts of a bank that are looked at."""
    most = rows_for(data, 8, 60, 100_000)
    return min(most, max(bank.contexts for bank in data.targets.values()))


CONTROL_CONTEXTS = 48
"""Contexts of a small model at default effort."""
Sources = dict[str, tuple[Callable[[range, int], Any], Any, dict[str, Any]]]


def _sources(data: Data) -> Sources:
    """Return the sources of logits by name: banks, and Gaussian logits as a control."""
    from simspec.logits import Draws, gaussian, open_bank

    sources: Sources = {"main": _of(data.realistic, _count(data), data)}
    for name, bank in data.targets.items():
        if name != "main":
            sources[name] = _of(bank, min(_count(data), rows_for(data, 8, CONTROL_CONTEXTS, 100_000)), data)
    if data.shipped:
        sources["gpt2"] = _of(open_bank("gpt2"), rows_for(data, 2, 5, 5), data)
    vocab = data.realistic.vocab
    plain = {"data": f"Gaussian logits, V = {vocab:,}", "rows": rows_for(data, 6, 24, 40)}

    # Gaussian logits have no heavy tails: what is measured on them shows what the measure says when there are none
    def drawn(numbers: range, key: int) -> Any:
        return gaussian(Draws(key, numbers), vocab, scale=3)

    sources["gaussian"] = (drawn, None, plain)
    return sources


def _of(bank: Bank, count: int, data: Data) -> tuple[Callable[[range, int], Any], Any, dict[str, Any]]:
    """Evenly spaced contexts of a bank."""
    index = np.unique(np.linspace(0, bank.contexts - 1, min(count, bank.contexts)).round().astype(int))
    cell = {"data": data.describe(bank, index), "rows": len(index)}
    return lambda numbers, key: bank.target(index[numbers.start : numbers.stop], raw=True), bank.documents[index], cell


def _interval(result: Result, holds: Holds, level: float) -> Interval:
    """Share of a source's positions: recorded single vectors count as independent, contexts by document."""
    holding = holds(result.values)
    if result.cell["source"] == "gpt2":
        return binomial(float(holding.sum()), len(holding), level)
    return documents(holding, result.values["document"], level)


def _shares(
    results: Results, statements: Sequence[tuple[str, Holds]], exceed: float, deciding: Sequence[str] = ("main",)
) -> Found:
    """Share of positions for which each statement holds, with the other sources as controls and beside.

    The first of the `deciding` sources that was measured decides.
    """
    sources = {str(result.cell["source"]): result for result in results}
    decisive = sources[next(name for name in deciding if name in sources)]
    level = level_of(len(statements))
    plain = sources["gaussian"].values
    for name, holds in statements:
        control = {"Gaussian logits": float(holds(plain).mean())}
        share = _interval(decisive, holds, level)
        n = len(holds(decisive.values))
        label = f"{decisive.cell['data']}: share of positions with {name}"
        yield measured(label, model_of(decisive), n, share, control, exceed=exceed)
    for source, result in sources.items():
        if source != "gaussian" and result is not decisive:
            for name, holds in statements:
                holding = holds(result.values)
                label = f"{result.cell['data']}: share of positions with {name}"
                yield illustration(label, model_of(result), len(holding), float(holding.mean()))


def _one_source(results: Results, source: str, name: str, holds: Holds, exceed: float) -> Found:
    """Share of the positions of one source."""
    plain = select(results, source="gaussian")[0].values
    for result in select(results, source=source):
        holding = holds(result.values)
        share = _interval(result, holds, LEVEL)
        label = f"{result.cell['data']}: share of positions with {name}"
        control = {"Gaussian logits": float(holds(plain).mean())}
        yield measured(label, model_of(result), len(holding), share, control, exceed=exceed)


def _within(name: str, low: float, high: float) -> Holds:
    return lambda values: (values[name] >= low) & (values[name] <= high)


def _distribution(results: Results, title: str, x_label: str, keys: dict[str, str]) -> dict[str, Any]:
    """Empirical distribution functions over the positions of the main bank."""
    values = select(results, source="main")[0].values
    shares = np.linspace(0, 1, 41)
    quantiles = {name: np.quantile(values[key], shares).tolist() for name, key in keys.items()}
    series = [{"name": name, "x": x, "y": shares.tolist()} for name, x in quantiles.items()]
    return figure(title, x_label, "share of positions below", series)


STATISTICS = empirical(
    name="rdk.logit-statistics",
    statement="per position, the mean and the maximum of the logits are mostly negative and their standard deviation "
    "is mostly in 2 to 4; of the probabilities the standard deviation is in 0.001 to 0.004 and the maximum in 0.2 to 1",
    reference="RDK, 6.1, Figures 2 and 4",
    note="The paper looked at GPT-2, and so only GPT-2 decides: other models stand beside, and what they show is no "
    "verdict about "
    "it. Five recorded vectors cannot decide by an exact interval: five of five leave every share from 0.35 on possible "
    "when "
    "five statements hold together. Mean and maximum of raw logits carry a constant that softmax ignores, so their "
    "signs say nothing about the law; the standard deviation of the probabilities scales with the vocabulary.",
    study=_shape,
    estimate=partial(
        _shares,
        statements=(
            ("mean logit below 0", lambda v: v["logit mean"] < 0),
            ("largest logit below 0", lambda v: v["logit max"] < 0),
            ("standard deviation of the logits in 2 to 4", _within("logit sd", 2, 4)),
            ("standard deviation of the probabilities in 0.001 to 0.004", _within("probability sd", 0.001, 0.004)),
            ("largest probability in 0.2 to 1", _within("probability max", 0.2, 1)),
        ),
        exceed=0.5,
        deciding=("gpt2", "main"),
    ),
    criterion="Mostly means more than half of the positions. Supported when each of the five shares of positions "
    "of GPT-2 exceeds one half, by exact binomial intervals (Clopper and Pearson) over its recorded vectors that hold "
    "together "
    "at 95 %; unsupported when one interval lies at or below. A bank of one's own is decided on itself, by "
    "document-bootstrap "
    "intervals.",
    plot=partial(
        _distribution,
        title="Raw logits, per position",
        x_label="value",
        keys={"mean": "logit mean", "standard deviation": "logit sd", "maximum": "logit max"},
    ),
    printed=Printed(
        place="RDK 6.1",
        text="mean values predominantly negative and standard deviations typically ranging from 2-4. Notably, "
        "even the maximum logit values are predominantly negative.",
        read="Predominantly and typically: in more than half of the positions; with the ranges of the "
        "probabilities beside.",
    ),
)

STUDENT = empirical(
    name="rdk.student-t-logits",
    statement="per position, a Student-t describes the logits better than a normal (AIC), in more than half of the "
    "positions",
    reference="RDK, 6.1 and C.1, Figures 3 and 8",
    note="Better is not well: skewed logits have more weight in a tail than a normal can give, and a symmetric "
    "Student-t takes that as heavy tails. The V logits of a position are not independent, so AIC ranks the families, "
    "it does not test them. Control: on Gaussian logits of the same vocabulary the Student-t is hardly ever preferred. "
    "Of the five recorded vectors of GPT-2, the paper's model, which stand beside, most are described better by the "
    "normal.",
    study=_shape,
    estimate=partial(
        _shares,
        statements=(("AIC of the Student-t below that of the normal", lambda v: v["aic gain"] > 0),),
        exceed=0.5,
    ),
    criterion="Both families fitted by maximum likelihood to the V logits of each position. Supported when the "
    "share of positions at which the Student-t has the lower AIC exceeds one half (95 % document-bootstrap "
    f"interval); unsupported when the interval lies at or below. {ON_ANSWERS}",
    plot=partial(
        _distribution,
        title="Distance of the logits from the best fit",
        x_label="Kolmogorov-Smirnov distance",
        keys={"normal": "ks logits normal", "Student-t": "ks logits student"},
    ),
    printed=Printed(
        place="RDK C.1",
        text="the logits are more likely to be distributed as the Student … distribution rather than the "
        "normal distribution",
        read="By Akaike’s criterion, in more than half of the positions.",
    ),
)


def _student_of(name: str, models: str, intervals: str, control: str = "") -> Claim:
    """The same statement on another model: the source that ends its name; of a small model it is an own statement."""
    reference = "RDK, 6.1 and C.1, Figures 3 and 8"
    return empirical(
        name=name,
        statement=f"per position of {models}, a Student-t describes the logits better than a normal (AIC), in more than "
        f"half of "
        "the positions",
        reference=f"own statement, of a small model, beside {reference}" if control else f"{reference}, by model",
        note=control
        or "Five vectors of GPT-2, "
        "the paper's model, show what the figure's few positions can show: by an exact interval five decide nothing, not "
        "even where all "
        "agree (share from 0.48 on). Of the shipped bank only: a bank of one's own has its own figure in "
        "rdk.student-t-logits.",
        study=_shape,
        estimate=partial(
            _one_source,
            source=name.split(".")[-1],
            name="AIC of the Student-t below that of the normal",
            holds=lambda v: v["aic gain"] > 0,
            exceed=0.5,
        ),
        criterion="Both families fitted by maximum likelihood to the V logits of each position. Supported when the share of "
        f"positions at which the Student-t has the lower AIC exceeds one half (95 % {intervals} interval); unsupported "
        f"when the "
        "interval lies at or below.",
    )


STUDENT_BY = (
    _student_of("rdk.student-t-logits.gpt2", "GPT-2 (five recorded vectors)", "exact binomial"),
    _student_of(
        "rdk.student-t-logits.stories",
        "tinystories656k (Llama, 0.66 M parameters, V = 2,048)",
        "document-bootstrap",
        control="A control: a small model speaks for itself, neither for nor against the paper, whose model is GPT-2. Of the "
        "shipped bank only: a bank of one's own has its own figure in rdk.student-t-logits.",
    ),
)


def _misfit(family: str) -> Holds:
    return lambda values: values[f"ks probabilities {family}"] > MISFIT


FIT = empirical(
    name="rdk.probability-fit",
    statement="neither a normal nor a Student-t fits the probabilities of a position",
    reference="RDK, C.2, Figures 9 and 10",
    note="Probabilities are exponentials of logits: positive and skewed over many orders of magnitude, which no "
    "symmetric family can follow, whatever the logits. Probabilities of Gaussian logits are not fitted either, so the "
    "misfit says nothing about heavy tails of the logits.",
    study=_shape,
    estimate=partial(
        _shares,
        statements=tuple(
            (f"a Kolmogorov-Smirnov distance of the best {name} above {MISFIT}", _misfit(family))
            for name, family in (("normal", "normal"), ("Student-t", "student"))
        ),
        exceed=0.9,
    ),
    criterion=chosen_here("the distances that count as a misfit")
    + f"A family does not fit a position when the Kolmogorov-Smirnov distance of its maximum-likelihood "
    f"fit to the V probabilities exceeds {MISFIT}. Supported when more than 90 % of the positions are not fitted "
    f"by a normal, and more than 90 % not by a Student-t, by document-bootstrap intervals that hold together at "
    f"95 %; unsupported when one lies at or below. {ON_ANSWERS}",
    plot=partial(
        _distribution,
        title="Distance of the probabilities from the best fit",
        x_label="Kolmogorov-Smirnov distance",
        keys={"normal": "ks probabilities normal", "Student-t": "ks probabilities student"},
    ),
    printed=Printed(
        place="RDK 6.1",
        text="Neither fit aligns well with the empirical tails",
        read="A test rejects both families, position by position.",
    ),
)


def _closely(family: str) -> Holds:
    return lambda values: values[f"ks logits {family}"] <= MISFIT


def _close(results: Results) -> Found:
    """Share of positions that a Student-t matches closely, with that of the normal as the control that must fail."""
    level = level_of(2)
    main = select(results, source="main")[0]
    normal = _interval(main, _closely("normal"), level)
    statement = f"a Kolmogorov-Smirnov distance of the best Student-t of at most {MISFIT}"
    for row in _shares(results, ((statement, _closely("student")),), exceed=0.5):
        if row.data.startswith(BESIDE):
            yield row
        else:
            share = _interval(main, _closely("student"), level)
            matching = {"positions that a normal matches as closely": normal.estimate, CONTROL_PASSES: normal.high}
            control = {**(row.control or {}), **matching}
            yield row._replace(interval=(share.low, share.high), level=level, control=control)
    label = f"{main.cell['data']}: share of positions with such a distance of the best normal"
    yield measured(label, model_of(main), len(main.values["document"]), normal)


CLOSE = empirical(
    name="rdk.t-fit",
    statement="per position, a Student-t closely matches the logits, in more than half of the positions",
    reference="RDK, 6.1 and Figure 3",
    note="What is close is chosen here: the same Kolmogorov-Smirnov distance by which a family does not fit the "
    "probabilities "
    "(rdk.probability-fit). A normal is the control that must fail: where it passes the same test, a small distance says "
    "nothing "
    "about a Student-t. A quantile plot by eye forgives a skewed bulk, which this distance does not; which of two "
    "families is the "
    "better one is rdk.student-t-logits.",
    study=_shape,
    estimate=_close,
    decide=with_control,
    criterion=chosen_here("the distances that count as close")
    + f"A Student-t closely matches a position when the Kolmogorov-Smirnov distance of its maximum-likelihood "
    f"fit to the V "
    f"logits is at most {MISFIT}. Supported when the share of such positions exceeds one half and that of the positions "
    f"which "
    f"a normal matches as closely is below one half, by document-bootstrap intervals that hold together at 95 %; "
    f"inconclusive "
    f"where the normal passes too; unsupported when the first interval lies at or below one half. {ON_ANSWERS}",
    plot=partial(
        _distribution,
        title="Distance of the logits from the best fit",
        x_label="Kolmogorov-Smirnov distance",
        keys={"normal": "ks logits normal", "Student-t": "ks logits student"},
    ),
    printed=Printed(
        place="RDK 6.1, Figure 3",
        text="a Student distribution closely matches the heavy tails of the observed logits",
        read="Closely: a Kolmogorov-Smirnov distance that is chosen here.",
    ),
)


def _beyond(name: str) -> Holds:
    return lambda values: values[name] > 0


HEAVIER = empirical(
    name="rdk.heavier-than-t",
    statement="per position, the probabilities have a heavier upper tail than the Student-t fitted to them: at levels "
    "0.99 and 0.999 "
    "and at the largest probability their quantile exceeds the fit's, each in more than half of the positions",
    reference="RDK, C.2, Figure 10",
    note="Probabilities end at 1. The fit follows the many tiny ones and takes so few degrees of freedom that its own "
    "tail has no "
    "mean, and far out no law over tokens can be heavier; Figure 10 may be of a fit by other means. Distances are from "
    "the fitted "
    "centre. Control: probabilities of Gaussian logits.",
    study=_tails,
    estimate=partial(
        _shares,
        statements=tuple(
            (f"a heavier tail at {'the largest' if level == 'largest' else level}", _beyond(level))
            for level in (*(f"{level:g}" for level in LEVELS), "largest")
        ),
        exceed=0.5,
    ),
    criterion="A Student-t is fitted by maximum likelihood to the V probabilities of each position; the largest stands "
    "at level 1 − "
    "1/(2V). Supported when the share of positions with a heavier tail exceeds one half at each of the three levels, by "
    f"document-bootstrap intervals that hold together at 95 %; unsupported when one interval lies at or below. {ON_ANSWERS}",
    printed=Printed(
        place="RDK, C.2",
        text="pronounced deviations in the upper quantiles reveal heavier tails than the Normal and even the … fit",
        read="Of probabilities, position by position, at three upper levels.",
        restored="the fit: Student-t",
    ),
)
