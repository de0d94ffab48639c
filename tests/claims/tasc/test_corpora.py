"""Typical sets and output entropy: evidence, and the control where nothing should be found."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from simspec.claims.deciding.evidence import BESIDE, judge
from simspec.claims.tasc.corpora import CONSTRAINED, NULL, WRITTEN, _classes, _null
from simspec.claims.tasc.typical_set_bigrams import PAPER, _away
from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from simspec.logits.corpora import Corpus, standard_library
from simspec.studies.tasc.corpus_statistics import corpus_statistics
from tests.claims.cases import get
from tests.claims.evidence_cases import results
from tests.claims.test_findings import check_plot

TYPICAL, OUTPUT = get("tasc.typical-set-bigrams"), get("tasc.output-entropy")


@pytest.fixture(scope="module")
def beside() -> list[Result]:
    """The controls of a default run, with fewer resamples."""
    null = _null(standard_library("tagging"))
    return gather(corpus_statistics([null, _classes()], resamples=20))


def _task(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> list[Result]:
    return gather(corpus_statistics([Corpus(name, inputs, outputs, "by hand")], resamples=10))


def test_by_hand() -> None:
    """20 bigrams once each: 16 of them cover 80 %, H = log2 20; the factor is 20 / 16."""
    inputs = tuple(f"a{i} b{i} c{i}" for i in range(10))
    rows = _task(CONSTRAINED, inputs, ("x y z",) * 10)
    one, two, *_ = TYPICAL.finding.estimate(rows)
    assert one.estimate == pytest.approx(1.25) and one.control["exp(H)"] == pytest.approx(20)
    assert two.estimate == pytest.approx(1) and two.control["entropy, bits"] == pytest.approx(1)
    assert two.control["bigrams that cover 80 %"] == 2
    entropy, cover = OUTPUT.finding.estimate(rows)
    assert entropy.estimate == pytest.approx(np.log2(20) - 1) and cover.estimate == pytest.approx(np.log2(16 / 1.6))


def test_verdicts() -> None:
    assert TYPICAL.finding.decide(TYPICAL.finding.estimate(results(TYPICAL.name))) == "unsupported"
    assert OUTPUT.finding.decide(OUTPUT.finding.estimate(results(TYPICAL.name))) == "supported"


def test_what_decides() -> None:
    typical = [e for e in TYPICAL.finding.estimate(results(TYPICAL.name)) if judge(e) is not None]
    output = [e for e in OUTPUT.finding.estimate(results(TYPICAL.name)) if judge(e) is not None]
    assert {e.model for e in output} == {"SmolLM2-135M-Instruct"}
    assert all((e.model is None) == e.data.endswith("bigrams of the inputs") for e in typical)
    assert all("SLURP" in e.data for e in output) and len(typical) == 2 * len(WRITTEN)
    assert all(e.n > 1000 for e in typical + output)


def test_the_standard_library_stands_beside() -> None:
    for claim in (TYPICAL, OUTPUT):
        library = [e for e in claim.finding.estimate(results(TYPICAL.name)) if "standard library" in e.data]
        assert library and all(e.data.startswith(BESIDE) and e.model is None for e in library)


def test_inputs_against_other_inputs_decide_nothing_and_differ_by_nothing(beside) -> None:
    """Intervals at 97.5 %, two of them: a false alarm in at most 5 % of corpora; this corpus is fixed."""
    evidence = OUTPUT.finding.estimate(beside)
    assert all(e.data.startswith(BESIDE) for e in evidence)
    null = [e for e in evidence if NULL in e.data]
    assert len(null) == 2 and all(e.interval[0] < 0 < e.interval[1] for e in null)
    classes = [e for e in evidence if "synthetic" in e.data]
    assert len(classes) == 2 and all(e.interval[0] > 0 for e in classes)


def test_free_text_goes_the_other_way() -> None:
    free = [e for e in OUTPUT.finding.estimate(results(TYPICAL.name)) if "docstrings" in e.data]
    assert len(free) == 2 and all(judge(e) is None and e.interval[1] < 0 for e in free)


def test_swapped_sides_are_unsupported() -> None:
    """A task whose outputs vary more than its inputs must not pass."""
    names = {f"{a}{x} {w}": f"{a}{y} {w}" for a in ("", "equal ") for w in ("entropy", "cover", "bigrams")
             for x, y in (("input", "output"), ("output", "input"))}  # fmt: skip
    swapped = [Result(r.cell, {n: r.values[names[n]] for n in r.values}) for r in results(TYPICAL.name)]
    assert OUTPUT.finding.decide(OUTPUT.finding.estimate(swapped)) == "unsupported"


def test_bits_are_not_nats() -> None:
    """The paper writes exp(H) and prints bits: e to the printed number would be far off."""
    for e in TYPICAL.finding.estimate(results(TYPICAL.name)):
        facts = e.control
        assert facts["exp(H)"] == pytest.approx(2 ** facts["entropy, bits"])
        ratio = facts["bigrams that cover 80 %"] / exp(facts["entropy, bits"])
        assert facts["their number / exp(H), bits taken for nats"] == pytest.approx(ratio)


def test_nine_entries_of_the_papers_table_lie_outside() -> None:
    ratios = [cover / 2**entropy for sides in PAPER.values() for entropy, cover in sides]
    assert len(ratios) == 22 and sum(not 0.5 < r < 2 for r in ratios) == 9
    assert "Nine of the 22" in TYPICAL.note


def test_laws_without_a_constant_factor() -> None:
    found = {e.data: e.estimate for e in TYPICAL.finding.estimate([]) if "law" in e.data or "mass" in e.data}
    assert found[f"{BESIDE}uniform law over 10,000"] == pytest.approx(1.25)
    assert max(found.values()) > 40


@pytest.mark.parametrize(
    ("low", "high", "wanted"), [(1, 2, (2, 4)), (-2, -1, (2, 4)), (-1, 2, (1, 4)), (-2, 1, (1, 4)), (0, 1, (1, 2))]
)
def test_the_factor_of_a_logarithm(low, high, wanted) -> None:
    found = _away(Interval((low + high) / 2, low, high, 0.95))
    assert (found.low, found.high) == wanted and found.low <= found.estimate <= found.high


def test_plots(beside) -> None:
    for claim in (TYPICAL, OUTPUT):
        check_plot(claim.finding.plot([*results(TYPICAL.name), *beside]))
