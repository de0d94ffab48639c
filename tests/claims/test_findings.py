"""What every empirical claim is tested for, on a small run; each check is also seen to fail on what is wrong on purpose."""

from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.authoring import chosen_here
from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.deciding.evidence import all_of, judge
from simspec.claims.rdk.token_counts import TOKENIZERS
from tests.claims.cases import get
from tests.claims.evidence_cases import results, shifted

MUST = ("must exceed", "must stay below", "must exclude")
STATEMENTS: dict[str, tuple[int, set[tuple[str, float]]]] = {
    "greedy.coverage": (6, {("must exceed", 0.0)}),
    "numerics.bf16": (2, {("must exceed", 0.5), ("must stay below", 0.01)}),
    "rdk.seventy-five": (6, {("must stay below", 0.5)}),
    "rdk.frequent-quarter": (1, {("must stay below", 0.05)}),
    **{f"rdk.frequent-quarter.{name}": (3, {("must stay below", 0.05)}) for name in TOKENIZERS},
    **{f"rdk.long-tail.{name}": (3, {("must stay below", 0.25)}) for name in TOKENIZERS},
    "rdk.rank-one": (18, {("must exceed", 0.9), ("must exceed", 0.5)}),
    "rdk.long-tail": (1, {("must stay below", 0.25)}),
    "rdk.logit-statistics": (5, {("must exceed", 0.5)}),
    "rdk.student-t-logits": (1, {("must exceed", 0.5)}),
    "rdk.student-t-logits.gpt2": (1, {("must exceed", 0.5)}),
    "rdk.student-t-logits.stories": (1, {("must exceed", 0.5)}),
    "rdk.plateau-flat": (3, {("must stay below", 0.1)}),
    "rdk.plateau-flat.zipf": (3, {("must stay below", 0.1)}),
    "rdk.plateau-wins": (6, {("must exceed", 0)}),
    "rdk.plateau-wins.families": (6, {("must exceed", 0)}),
    "rdk.probability-fit": (2, {("must exceed", 0.9)}),
    "rdk.affinity-sparsity": (18, {("must exceed", 0.9)}),
    "rdk.real-pruning": (12, {("must exceed", 0)}),  # the rows that ship: two drafts, three levels
    "rdk.real-pruning.over-none": (6, {("must exceed", 0)}),
    "rdk.real-pruning.over-tli": (6, {("must exceed", 0)}),
    "rdk.real-pruning.rare-kept": (24, {("must exceed", 0)}),
    "rdk.real-pruning.exact": (36, {("must exceed", 0)}),
    "rdk.real-pruning.linear": (12, {("must exceed", 0)}),
    "rdk.t-fit": (1, {("must exceed", 0.5)}),
    "rdk.heavier-than-t": (3, {("must exceed", 0.5)}),
    "rdk.figure7-value": (0, set()),
    "rdk.static-mixture.real": (1, {("must exceed", 0)}),
    "rdk.real-controls": (108, {("must exceed", 0)}),
    "ears.throughput": (1, {("must exceed", 1.05)}),
    "ears.gsm8k-drop.differs": (0, {("must exclude", 0)}),
    "ears.gsm8k-drop.negligible": (2, {("must exceed", -0.01), ("must stay below", 0.01)}),
    "ears.calibration": (1, {("must exceed", 0.8)}),
    "ears.reasoning.families": (4, {("must stay below", 0.01)}),
    "ears.reasoning": (2, {("must exceed", -0.01)}),
    "ears.gamma-accuracy.families": (10, {("must exceed", 0), ("must stay below", 0.01)}),
    "ears.gamma-accuracy": (4, {("must exceed", 0), ("must exceed", -0.01)}),
    "pad.unnecessary-rejections.families": (10, {("must exceed", 0.5)}),
    "pad.unnecessary-rejections.label-rule": (10, {("must exceed", 0.5)}),
    "pad.tradeoff.families": (4, {("must exceed", 0), ("must stay below", 0.01)}),
    "pad.tradeoff-controls": (2, {("must exceed", 0)}),
    "pad.classifier.families": (2, {("must exceed", 0.7)}),
    "pad.classifier.exact": (2, {("must exceed", 0.7)}),
    "pad.classifier": (1, {("must exceed", 0.7)}),
    "pad.unnecessary-rejections": (1, {("must exceed", 0.5)}),
    "pad.tradeoff": (6, {("must exceed", 0), ("must stay below", 0.01)}),
    "sqs.against-dense": (8, {("must stay below", 0), ("must stay below", 0.05)}),
    "sqs.target-in-top": (3, {("must exceed", 0.9)}),
    "sqs.both-reduce.resolution": (8, {("must stay below", 0)}),
    "sqs.both-reduce.bits": (8, {("must stay below", 0)}),
    **{f"coupling.zero-bits.{reading}": (18, {("must exceed", 0)}) for reading in ("per-bit", "accepts")},
    "sqs.k-variability": (10, {("must stay below", 0)}),
    "csqs.stability": (4, {("must stay below", 0)}),
    "sqs.k-latency": (24, {("must stay below", 0)}),
    "csqs.crossover": (8, {("must stay below", 0)}),
    "csqs.adaptivity": (8, {("must stay below", 0)}),
    "tasc.output-entropy": (2, {("must exceed", 0)}),
    "tasc.typical-set-bigrams": (6, {("must stay below", 2)}),
    "tasc.uid": (0, set()),
    "tasc.uid-corrected": (4, {("must stay below", 0)}),
    "tasc.length-reduction": (2, {("must exceed", 2)}),
    "tasc.two-regimes": (0, set()),
    "tasc.judge-scores": (5, {("must stay below", 0.1)}),
    "tasc.judge-scores-corrected": (5, {("must exceed", 0.1)}),
    "tasc.diminishing": (0, set()),
    "tasc.renyi-predicts": (0, set()),
    "tasc.position-decay": (6, {("must stay below", 0)}),
    "tasc.beats-ngrammys": (6, {("must exceed", 0)}),
    "tasc.beats-ngrammys-corrected": (9, {("must exceed", 0)}),
    "tasc.table3-orders": (12, {("must exceed", 0)}),
    "tasc.mixture": (27, {("must exceed", 0)}),  # on three tasks: four weights against two ends, and the peak
    "tasc.entropy-rises": (8, {("must exceed", 0)}),
}
"""How many statements decide a claim in its small run, and the values they are compared with."""
LEVELS = {
    "rdk.plateau-flat.zipf": 1 - 0.05 / 24,
    "rdk.plateau-flat": 1 - 0.05 / 24,  # the small run holds a part of the study's cells
    "rdk.plateau-wins": 1 - 0.05 / 144,
    "rdk.plateau-wins.families": 1 - 0.05 / 144,
    "rdk.t-fit": 1 - 0.05 / 2,  # the interval of the control holds together with it
    "ears.gsm8k-drop.negligible": 0.9,  # two one-sided tests
}
VERDICTS = {"supported", "unsupported", "inconclusive"}


ONE_IS_ENOUGH = {"pad.tradeoff"}
"""Claims that hold where some of their cells do; `tests/claims/pad/test_answers.py` plants its own."""


def deciding(evidence: list[Evidence]) -> list[Evidence]:
    """The pieces of evidence that decide."""
    return [e for e in evidence if judge(e) is not None]


def check_words(claim: Claim) -> None:
    """An empirical claim has no sides, and its rule is fixed in words."""
    assert (claim.kind, claim.lhs, claim.sources) == ("empirical", None, ())
    assert claim.finding is not None
    assert "upported" in claim.finding.criterion
    assert "nsupported" in claim.finding.criterion


def check_evidence(name: str, evidence: list[Evidence]) -> None:
    """Every number has its data, its count and an interval around it; the error of 5 % is split between the statements."""
    for e in evidence:
        assert e.data
        assert e.model or name.startswith("tasc")
        assert e.n >= 2 or e.data.startswith("beside")
        assert np.isfinite([e.estimate, *(e.control or {}).values()]).all()
        if e.interval is not None:
            assert e.interval[0] - 1e-12 <= e.estimate <= e.interval[1] + 1e-12
            assert e.level is not None
            assert 0.9 <= e.level < 1
    count, limits = STATEMENTS[name]
    assert len(deciding(evidence)) == count
    assert {(side, e.control[side]) for e in evidence if e.control for side in MUST if side in e.control} == limits
    level = LEVELS.get(name, 1 - 0.05 / max(count, 1))
    assert all(e.level == pytest.approx(level) for e in deciding(evidence))


def check_plot(plot: dict[str, Any]) -> None:
    """A plot has its words, and in each line as many finite values as places."""
    assert set(plot) == {"title", "x_label", "y_label", "x_log", "series"}
    assert plot["series"]
    for line in plot["series"]:
        assert len(line["x"]) == len(line["y"]) > 0
        assert np.isfinite(line["y"]).all()
        assert not plot["x_log"] or min(line["x"]) > 0


def check_decisions(finding: Finding, evidence: list[Evidence]) -> None:
    """The intervals alone decide: all inside their limits, outside, across, one alone outside, and none at all."""
    good, bad, doubt = (shifted(evidence, by) for by in (1, -1, 0))
    assert [finding.decide(e) for e in (good, bad, doubt)] == ["supported", "unsupported", "inconclusive"]
    for at, e in enumerate(evidence):
        if judge(e) is not None:
            assert finding.decide([*good[:at], bad[at], *good[at + 1 :]]) == "unsupported"
    assert finding.decide([e for e in evidence if judge(e) is None]) == "inconclusive"


def test_every_empirical_claim_is_listed() -> None:
    assert {name for name, claim in registry().items() if claim.finding} == set(STATEMENTS)


@pytest.mark.parametrize("name", STATEMENTS)
def test_criterion_in_words(name) -> None:
    check_words(get(name))


def test_what_hangs_on_a_choice_made_here_says_so_first() -> None:
    """Families of problems, times of a link, a distance that counts as close: no paper gives them."""
    told = {name for name in STATEMENTS if get(name).finding.criterion.startswith(chosen_here("")[:28])}
    assert told >= {
        "rdk.t-fit",
        "ears.reasoning.families",
        "ears.gamma-accuracy.families",
        "pad.classifier.families",
        "pad.unnecessary-rejections.families",
    }
    assert told >= {"rdk.probability-fit", "rdk.affinity-sparsity", "ears.calibration", "sqs.target-in-top"}
    assert told >= {"sqs.k-latency", "csqs.stability", "csqs.crossover", "tasc.beats-ngrammys", "tasc.mixture"}
    assert told >= {"tasc.entropy-rises", "tasc.uid-corrected"}
    assert not told & {"rdk.long-tail", "tasc.typical-set-bigrams", "ears.gsm8k-drop.differs"}


@pytest.mark.parametrize("name", STATEMENTS)
def test_evidence(name) -> None:
    finding = get(name).finding
    evidence = finding.estimate(results(name))
    check_evidence(name, evidence)
    assert finding.decide(evidence) in VERDICTS
    if finding.plot is not None:
        check_plot(finding.plot(results(name)))


@pytest.mark.parametrize(
    "name",
    [name for name, (count, _) in STATEMENTS.items() if count and name not in ONE_IS_ENOUGH],
)
def test_decisions_on_artificial_evidence(name) -> None:
    check_decisions(get(name).finding, get(name).finding.estimate(results(name)))


# --- the checks themselves --------------------------------------------------------------------------------------------

SOUND = Evidence("a bank", "a model", 9, 0.5, (0.4, 0.6), 0.95, {"must exceed": 0.8})
PLOT = {
    "title": "t",
    "x_label": "x",
    "y_label": "y",
    "x_log": True,
    "series": [{"name": "a", "x": [1, 2], "y": [3, 4]}],
}


@pytest.mark.parametrize(
    "changes",
    [
        {"data": ""},
        {"model": None},
        {"n": 1},
        {"estimate": float("nan")},
        {"interval": (0.51, 0.6)},
        {"level": 0.99},
        {"level": 0.5},
        {"control": {"must exceed": 0.7}},
        {"control": None},
        {"data": "beside: a bank"},
    ],
    ids=str,
)
def test_wrong_evidence_fails(changes) -> None:
    check_evidence("ears.calibration", [SOUND])
    with pytest.raises(AssertionError):
        check_evidence("ears.calibration", [SOUND._replace(**changes)])


@pytest.mark.parametrize("series", [[], [{"x": [1], "y": []}], [{"x": [0], "y": [1]}], [{"x": [1], "y": [np.nan]}]])
def test_a_wrong_plot_fails(series) -> None:
    check_plot(PLOT)
    with pytest.raises(AssertionError):
        check_plot({**PLOT, "series": series})


@pytest.mark.parametrize(
    "decide",
    [
        lambda evidence: "supported",
        lambda evidence: all_of(evidence[:1]),  # looks at one statement of two
        lambda evidence: all_of(evidence) if evidence else "supported",
    ],
    ids=["deaf", "one of two", "supported by nothing"],
)
def test_a_wrong_finding_fails(decide) -> None:
    finding, evidence = Finding(lambda data: None, lambda rows: [], all_of, "none"), [SOUND, SOUND]  # type: ignore[arg-type, return-value]
    check_decisions(finding, evidence)
    with pytest.raises(AssertionError):
        check_decisions(finding._replace(decide=decide), evidence)
    with pytest.raises(AssertionError):
        check_words(Claim("t", "empirical", "", "", sources=(), finding=finding))
