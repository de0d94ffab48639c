"""The number of word bigrams that cover 80 % of a text is within a factor of two of exp(H).

`tasc.typical-set-bigrams`: TASC, Eq. 2 at n = 2 and Table 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.claim import Printed
from simspec.claims.measured import Found, Interval, Results, empirical, figure, illustration, level_of, measured
from simspec.claims.tasc.corpora import WRITTEN, corpora_study, label_of, model_of
from simspec.studies.tasc.bigram_counts import covering, entropy_bits, spectrum
from simspec.studies.tasc.corpus_statistics import resampled

PAPER = {
    "sentiment analysis (finance)": ((14.5, 33_530), (2.21, 4)),
    "yes/no questions (medical)": ((15.34, 17_010), (3, 3)),
    "POS tagging": ((15.53, 65_300), (6.57, 63)),
    "intent classification and slot fill": ((13.4, 15_943), (9.74, 774)),
    "massive classification (legal)": ((14.43, 36_800), (12.76, 8_340)),
    "abbreviation expansion (medical)": ((16.17, 195_100), (14.19, 84_280)),
    "summarisation (medical)": ((16.14, 17_140), (15.39, 15_160)),
    "summarisation (news)": ((17.71, 387_700), (15.79, 59_340)),
    "summarisation (legal)": ((16.8, 229_900), (15.8, 89_140)),
    "question answering (medical)": ((16.2, 196_340), (15.38, 111_600)),
    "creative writing": ((12.75, 11_160), (16.62, 168_810)),
}
"""Table 1 of the paper: entropy and number of bigrams that cover 80 %, of inputs and of outputs."""


def _away(interval: Interval) -> Interval:
    """Interval of |x| from one of x; the interval of a logarithm to base 2 becomes one of a factor, from 1 up."""
    low = max(interval.low, -interval.high, 0.0)
    ends = (abs(interval.estimate), low, max(-interval.low, interval.high))
    estimate, low, high = (float(2**x) for x in ends)
    return Interval(estimate, low, high, interval.level)


def _facts(entropy: float, cover: float) -> dict[str, float]:
    return {
        "entropy, bits": entropy,
        "exp(H)": 2**entropy,
        "bigrams that cover 80 %": cover,
        "their number / exp(H)": cover / 2**entropy,
        "their number / exp(H), bits taken for nats": cover / float(np.exp(entropy)),
    }


def _laws() -> dict[str, Any]:
    """Laws on which the ratio is known: small for one type of mass 0.79 beside many, 0.8 for a uniform law."""
    zipf = 1 / np.arange(1, 10_001)
    return {
        "uniform law over 10,000": np.ones(10_000, dtype=np.int64),
        "law of Zipf over 10,000": np.round(zipf * 10**9).astype(np.int64),
        "one bigram of mass 0.79, the rest on 10,000": np.append(np.full(10_000, 21), 790_000),
    }


def _typical(results: Results) -> Found:
    """Yield the factor between the covering bigrams and exp(H) for each corpus, known laws and the paper's table."""
    level = level_of(2 * len(WRITTEN))
    for result in results:
        # inputs, and what SmolLM2 wrote to them, decide; other corpora are shown
        decides = result.cell["corpus"] in WRITTEN
        for side in ("input", "output"):
            bits, types = (result.values[f"{side} {name}"] for name in ("entropy", "cover"))
            factor = _away(resampled(np.log2(types) - bits, level))
            label = f"{label_of(result)}, bigrams of the {side}s"
            n = int(result.values[f"{side} bigrams"][0])
            facts = _facts(float(bits[0]), float(types[0]))
            model = model_of(result) if side == "output" else None  # people wrote the inputs
            yield measured(label, model, n, factor, facts, below=2.0 if decides else None)
    for name, counts in _laws().items():
        counts_of_counts = spectrum(counts)
        facts = _facts(entropy_bits(counts_of_counts), covering(counts_of_counts))
        yield illustration(name, None, len(counts), _factor(facts), facts)
    for name, sides in PAPER.items():
        for side, (entropy, cover) in zip(("input", "output"), sides, strict=True):
            facts = _facts(entropy, cover)
            yield illustration(f"the paper's own: {name}, {side}", None, 1, _factor(facts), facts)


def _factor(facts: dict[str, float]) -> float:
    ratio = facts["their number / exp(H)"]
    return max(ratio, 1 / ratio)


def _typical_plot(results: Results) -> dict[str, Any]:
    """Return the figure of covering bigrams over exp(H): these corpora, the paper's table and the diagonal."""

    def line(name: str, points: list[tuple[float, float]]) -> dict[str, Any]:
        points.sort()
        # entropies are in bits, so that exp(H) of H in nats is 2 to that power
        return {"name": name, "x": [2**h for h, _ in points], "y": [float(n) for _, n in points]}

    here = [
        (float(r.values[f"{s} entropy"][0]), float(r.values[f"{s} cover"][0]))
        for r in results
        for s in ("input", "output")
    ]
    there = [point for sides in PAPER.values() for point in sides]
    ends = [min(h for h, _ in here + there), max(h for h, _ in here + there)]
    return figure(
        "Bigrams that cover 80 % against exp(H)",
        "exp(H)",
        "bigrams that cover 80 %",
        [
            line("as many as exp(H)", [(h, 2**h) for h in ends]),
            line("these corpora", here),
            line("the paper's Table 1", list(there)),
        ],
        x_log=True,
    )


TYPICAL = empirical(
    name="tasc.typical-set-bigrams",
    statement=r"the number of word bigrams that cover 80 % of a task's inputs or outputs is within a factor 2 of "
    r"$\exp(H)$, $H$ their entropy",
    reference="TASC, Eq. 2 at n = 2 and Table 1",
    note="Table 1 prints bits, though Eq. 2 writes exp: with H in bits exp(H) is 2^H, and e^H of the printed numbers is "
    "off by orders of magnitude. Eq. 2 holds to first order in the exponent of long n-grams; two words are not "
    "long, and no constant factor can hold for all laws: one bigram of mass 0.79 beside many rare ones needs far "
    "more than exp(H). Nine of the 22 entries of the paper's own Table 1 lie outside the factor. Entropy and "
    "coverage are those of the sample, as in the paper; both grow with it.",
    study=corpora_study,
    estimate=_typical,
    criterion="The larger of N / exp(H) and exp(H) / N, N the number of different word bigrams that cover 80 % and exp(H) = "
    "2^(entropy in bits), for the inputs of three tasks (requests of SLURP to intents; medical questions of "
    "MedQuAD, with and without a text) and for what SmolLM2-135M-Instruct writes to them greedily. Supported when "
    "all six lie below 2, by bootstrap intervals over pairs that hold together at 95 %; unsupported when one "
    "interval lies at or above 2. Two tasks of Python's standard library stand beside.",
    plot=_typical_plot,
    printed=Printed(
        place="TASC 3.1",
        text="Both metrics serve as proxies for the size and dominance of the typical set of bigrams",
        read="Eq. 2 at two words: within a factor two.",
    ),
)
