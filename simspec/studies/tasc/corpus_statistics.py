r"""How repetitive a task is: word bigrams of its inputs and of its outputs, as in Table 1 of TASC.

Of each side: the Shannon entropy of the empirical law of its word bigrams, **in bits**, and the number of different
bigrams that cover 80 % of it.  Both grow with the size of the sample, so that the two sides are also compared at equal
numbers of bigrams: the longer side is thinned to the length of the shorter one.  Thinning is not drawn but averaged over
(`thinned`): what a random subset holds in expectation, in closed form.  Intervals resample whole pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather
from simspec.engine.study import Result, Rows, Study, Values
from simspec.laws import Array
from simspec.logits.corpora import Corpus, words
from simspec.studies.tasc.bigram_counts import Bigrams, bigrams, covering, entropy_bits, spectrum, thinned
from simspec.studies.tasc.enrichment import pair_weights

__all__ = ["COLUMNS", "Row", "corpus_statistics", "resampled", "row", "table"]

SIDES = ("input", "output")
COLUMNS = {
    "input entropy": "Shannon entropy of the word bigrams of the inputs, bits",
    "output entropy": "the same of the outputs",
    "entropy change": "of the output from the input entropy, as a share of it",
    "input cover": "different bigrams that cover 80 % of those of the inputs",
    "output cover": "the same of the outputs",
    "cover ratio": "input cover / output cover",
    "equal input entropy": "as above, both sides thinned to equal numbers of bigrams",
    "equal output entropy": "the same of the outputs",
    "equal entropy change": "of the output from the input entropy, at equal numbers of bigrams",
    "equal input cover": "as above, at equal numbers of bigrams",
    "equal output cover": "the same of the outputs",
    "equal cover ratio": "input cover / output cover, at equal numbers of bigrams",
}
"""What a row of the table tells, by name."""


# --- the study --------------------------------------------------------------------------------------------------------


def _measure(sides: Mapping[str, Array]) -> dict[str, float]:
    spectra = {side: spectrum(counts) for side, counts in sides.items()}
    equal = min(int(side_spectrum.total) for side_spectrum in spectra.values())
    values: dict[str, float] = {}
    for side, side_spectrum in spectra.items():
        same = thinned(side_spectrum, equal)
        values |= {
            f"{side} bigrams": float(side_spectrum.total),
            f"{side} entropy": entropy_bits(side_spectrum),
            f"{side} cover": covering(side_spectrum),
            f"equal {side} entropy": entropy_bits(same),
            f"equal {side} cover": covering(same),
        }
    return values


def _simulate(sides: Mapping[str, Bigrams], rows: Rows) -> Values:
    pairs = next(iter(sides.values())).number
    measured = []
    for number in rows.numbers:
        (weights,) = pair_weights(rows.key, range(number, number + 1), pairs)
        counts = {side: side_bigrams.counts(weights) for side, side_bigrams in sides.items()}
        for side, side_counts in counts.items():
            if not side_counts.any():
                raise ValueError(
                    f"corpora: too few {side}s have two words; a bootstrap sample of {pairs} pairs has none"
                )
        measured.append(_measure(counts))
    return {name: np.array([row_measures[name] for row_measures in measured]) for name in measured[0]}


def corpus_statistics(
    corpora: Sequence[Corpus], resamples: int = 100, split: Callable[[str], list[str]] = words
) -> Study:
    """Bigram entropy and coverage of the inputs and outputs of tasks.

    Row 0 is the corpus as it is, every further row a bootstrap sample of its pairs.  Values, of each side: ``bigrams``
    (how many), ``entropy`` (bits), ``cover`` (types that hold 80 %), and ``equal ... entropy``, ``equal ... cover`` of
    the two sides thinned to equal numbers of bigrams.

    Parameters
    ----------
    corpora : corpora, each of two pairs or more and with a bigram on either side
    resamples : int, at least 2
    split : text -> words

    Raises ValueError for fewer than two resamples or pairs, or a side without bigrams (or with so few that a sample has
    none).

    >>> one = Corpus("one", ("a b c", "b c d"), ("x x x", "x x x"), "by hand")
    >>> values = gather(corpus_statistics([one], resamples=2))[0].values
    >>> [float(values[name][0]) for name in ("input entropy", "output entropy", "input cover", "output cover")]
    [1.5, 0.0, 3.0, 1.0]
    """
    if resamples < 2:
        raise ValueError(f"resamples: {resamples}; expected two or more")
    for corpus in corpora:
        if len(corpus.inputs) < 2:
            raise ValueError(f"corpora: {corpus.name!r} has {len(corpus.inputs)} pairs; expected two or more")

    @cache
    def sides(number: int) -> dict[str, Bigrams]:
        corpus = corpora[number]
        bigrams_by_side = {side: bigrams(texts, split) for side, texts in zip(SIDES, corpus[1:3], strict=True)}
        for side, side_bigrams in bigrams_by_side.items():
            if not side_bigrams.vocab:
                raise ValueError(f"corpora: no {side} of {corpus.name!r} has two words; its bigrams cannot be counted")
        return bigrams_by_side

    return Study(
        name="corpus-statistics",
        question="Are the outputs of a task more repetitive than its inputs?",
        grid=tuple(
            {"corpus": c.name, "source": c.source, "pairs": len(c.inputs), "number": n} for n, c in enumerate(corpora)
        ),
        simulate=lambda cell, rows, device: _simulate(sides(cell["number"]), rows),
        summary="entropy in bits and 80 % coverage of word bigrams; row 0 the corpus, the others bootstrap samples",
        rows=1 + resamples,
    )


def resampled(values: ArrayLike, level: float = 0.95, ratio: bool = False) -> Interval:
    r"""Interval from a corpus (first value) and its bootstrap samples (the others): :math:`\hat\theta \pm t_{B-1}\,s^*`.

    It holds for the figure of a corpus of this size.  A bootstrap sample holds fewer different bigrams than its corpus,
    so that its entropy and coverage lie lower, and percentiles would miss the estimate: the samples give the spread
    alone.

    Parameters
    ----------
    values : (1 + B,) finite numbers, B >= 2
    level : in (0, 1)
    ratio : bool; whether to take the spread of logarithms, as for positive numbers whose spread grows with them

    Raises ValueError for fewer values, values that are not finite, or a ratio that is not positive.

    >>> interval = resampled([5.0, 1.0, 3.0])
    >>> interval.estimate, round(interval.high, 4)
    (5.0, 22.9693)
    """
    (special,) = needs("an interval", "scipy.special")
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 3 or not np.isfinite(x).all():
        raise ValueError(f"values: shape {x.shape}; expected a finite estimate and two finite resamples or more")
    if ratio and not (x > 0).all():
        raise ValueError(f"values: least {x.min():g}; expected positive numbers")
    t = float(special.stdtrit(len(x) - 2, (1 + level) / 2))
    if ratio:
        factor = float(np.exp(t * np.log(x[1:]).std(ddof=1)))
        return Interval(float(x[0]), float(x[0]) / factor, float(x[0]) * factor, level)
    half = t * float(x[1:].std(ddof=1))
    return Interval(float(x[0]), float(x[0]) - half, float(x[0]) + half, level)


# --- the table --------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A task in the table: how many pairs, how many bigrams on each side, and the `COLUMNS` with their intervals."""

    name: str
    source: str
    pairs: int
    bigrams: Mapping[str, int]
    values: Mapping[str, Interval]


def row(result: Result, level: float = 0.95) -> Row:
    """Row of one cell of `corpus_statistics`."""
    v = dict(result.values)
    for equal in ("", "equal "):
        input_entropy, two = (v[f"{equal}{side} entropy"] for side in SIDES)
        v[f"{equal}entropy change"] = two / np.where(input_entropy > 0, input_entropy, np.nan) - 1
        v[f"{equal}cover ratio"] = v[f"{equal}input cover"] / v[f"{equal}output cover"]
    intervals = {
        name: resampled(v[name], level, ratio="cover" in name)
        if np.isfinite(v[name]).all()
        else Interval(float("nan"), float("nan"), float("nan"), level)  # inputs of one bigram: no change to speak of
        for name in COLUMNS
    }
    bigrams_per_side = {side: int(v[f"{side} bigrams"][0]) for side in SIDES}
    return Row(result.cell["corpus"], result.cell["source"], result.cell["pairs"], bigrams_per_side, intervals)


def table(
    corpora: Sequence[Corpus],
    resamples: int = 100,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> list[Row]:
    """One row a task, as in Table 1 of TASC, with bootstrap intervals over pairs.

    Parameters
    ----------
    corpora, resamples : as in `corpus_statistics`
    level : in (0, 1)
    progress : (corpora done, corpora in all) -> None, optional

    >>> one = Corpus("one", ("a b c", "b c d"), ("x x x", "x x x"), "by hand")
    >>> [(r.name, r.bigrams["input"], r.values["cover ratio"].estimate) for r in table([one], resamples=2)]
    [('one', 4, 3.0)]
    """
    return [row(result, level) for result in gather(corpus_statistics(corpora, resamples), progress=progress)]
