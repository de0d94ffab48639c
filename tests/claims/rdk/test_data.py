"""The empirical claims of RDK: what decides, and one look at the shipped bank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.deciding.data import CONTROLS, Data
from simspec.claims.deciding.decide import decide, why_open
from simspec.claims.deciding.evidence import MADE_UP, NOT_COMPARABLE, is_comparable, judge, rests_on_made_up
from simspec.claims.printed import origin, printed
from simspec.claims.rdk.pruning import _extreme
from simspec.claims.rdk.token_counts import HEAD, _not_comparable
from simspec.engine.estimates.intervals import Interval
from simspec.engine.row_values import gather
from simspec.engine.study import Result
from tests.claims.cases import get
from tests.claims.evidence_cases import results, shifted


@pytest.mark.parametrize("name", ["long-tail", "frequent-quarter"])
def test_a_tail_that_only_the_noisy_ranking_lengthens_is_inconclusive(name):
    claim = get(f"rdk.{name}")
    evidence = shifted(claim.finding.estimate(results(claim.name)), -1)
    control = dict(evidence[0].control or {})
    limit = control["must stay below"]
    doubtful = evidence[0]._replace(control={**control, "ranked by its own counts": limit - 0.001})
    assert claim.finding.decide([doubtful, *evidence[1:]]) == "inconclusive"


def test_only_the_pruned_target_decides():
    synthetic = results("rdk.plateau-wins")
    correlated = [Result({**r.cell, "rho": 0.9}, r.values) for r in synthetic]
    for claim in (get("rdk.plateau-flat"), get("rdk.plateau-flat.zipf"), get("rdk.plateau-wins")):
        evidence = claim.finding.estimate(correlated)
        assert evidence and all(judge(e) is None for e in evidence)
        assert claim.finding.decide(evidence) == "inconclusive"
        assert any(judge(e) is not None for e in claim.finding.estimate([*correlated, *synthetic]))


def test_a_plateau_that_cannot_vary_decides_nothing():
    """Equal means give a uniform prior, of which every linear-time form is flat: only Zipf means decide, in both ids alike."""
    rows = results("rdk.plateau-flat")
    for name in ("rdk.plateau-flat", "rdk.plateau-flat.zipf"):
        evidence = get(name).finding.estimate(rows)
        assert {"Zipf means" in e.data for e in evidence if judge(e) is not None} == {True}
        flat = [e for e in evidence if "equal means, target pruned" in e.data and "prior" in e.data]
        assert flat and max(e.estimate for e in flat) < 1e-6


def test_rdk_is_decided_on_its_definition_where_frequent_tokens_are_kept():
    """Exact RDK decides C.4; the linear-time form and other orders stand beside, and cannot refute the sentence by failing."""
    claim = get("rdk.real-pruning")
    evidence = claim.finding.estimate(results(claim.name))
    deciding = [e for e in evidence if judge(e) is not None]
    assert all(", exact less" in e.data and " by frequency " in e.data for e in deciding)
    assert {e.model for e in deciding} == {
        f"SmolLM2-135M-Instruct / SmolLM2-135M-Instruct, quantised:{b}" for b in (3, 4)
    }
    beside = [e for e in evidence if judge(e) is None]
    assert any(", linear less" in e.data for e in beside) and any(" by worst " in e.data for e in beside)
    assert get("rdk.real-controls").printed is None and origin(get("rdk.real-controls")) == "own"


def test_the_two_halves_of_the_sentence_are_its_cells():
    """The printed claim is the conjunction of both, and no half has a cell of the other."""
    rows = results("rdk.real-pruning")
    cells = {}
    for name in ("rdk.real-pruning", "rdk.real-pruning.over-none", "rdk.real-pruning.over-tli"):
        evidence = get(name).finding.estimate(rows)
        cells[name] = {e.data.split(": ", 1)[1]: e.estimate for e in evidence if judge(e) is not None}
    whole, none, tli = cells.values()
    assert none | tli == whole and not set(none) & set(tli)
    assert all(cell.endswith("exact less none") for cell in none)


def test_a_difference_of_nothing_is_open_and_a_loss_is_not():
    """Where the identity was chosen RDK is TLI: nothing is shown either way. A kernel that takes from each context is worse."""
    claim = get("rdk.real-pruning.over-tli").finding
    rows = [r for r in results("rdk.real-pruning") if r.cell["bank"] == "main" and r.cell["order"] == "frequency"]
    decided = {}
    for name, gain in (("nothing", 0.0), ("a loss", -0.05), ("a gain", 0.05)):
        changed = [Result(r.cell, {**r.values, "exact": r.values["tli"] + gain}) for r in rows]
        decided[name] = claim.decide(claim.estimate(changed))
    assert decided == {"nothing": "inconclusive", "a loss": "unsupported", "a gain": "supported"}


def test_five_vectors_decide_as_far_as_five_can():
    """All five of GPT-2's vectors agree, and by the exact interval the share may still be one half or less."""
    claim = get("rdk.logit-statistics")
    shape = results(claim.name)
    five = [Result(r.cell, {k: np.resize(v, 5) for k, v in r.values.items()}) if _is_gpt2(r) else r for r in shape]
    evidence = claim.finding.estimate(five)
    deciding = [e for e in evidence if judge(e) is not None]
    assert {e.n for e in deciding} == {5} and {"gpt2" in str(e.data).lower() for e in deciding} == {True}
    assert {judge(e) for e in deciding} == {"inconclusive"}
    alone = [r for r in shape if not _is_gpt2(r)]
    own_bank = [e for e in claim.finding.estimate(alone) if judge(e) is not None]
    assert len(own_bank) == 5 and own_bank[0].data != deciding[0].data


def _is_gpt2(result):
    return result.cell["source"] == "gpt2"


def test_a_fit_that_the_normal_passes_too_is_inconclusive():
    """Negative control: with the Student-t's distances in the normal's place the test tells nothing."""
    claim = get("rdk.t-fit")
    close, far = np.full(30, 0.01), np.full(30, 0.2)
    decided = {}
    for name, student_distance, normal_distance in (("t", close, far), ("both", close, close), ("none", far, far)):
        values = {"ks logits student": student_distance, "ks logits normal": normal_distance, "document": np.arange(30)}
        rows = [Result({"source": source, "data": f"{source}: rows"}, values) for source in ("main", "gaussian")]
        decided[name] = claim.finding.decide(claim.finding.estimate(rows))
    assert decided == {"t": "supported", "both": "inconclusive", "none": "unsupported"}


@pytest.mark.parametrize("statement", ["long-tail", "frequent-quarter"])
def test_small_tokenizers_are_not_comparable(statement):
    """A vocabulary of 512 or 2,048 tokens has no tail to lose: what it shows decides nothing, and says why."""
    evidence = get(f"rdk.{statement}.gpt2").finding.estimate(results(f"rdk.{statement}.gpt2"))
    beside = [e for e in evidence if judge(e) is None]
    assert {e.data.partition(", and")[0] for e in beside} == {f"{NOT_COMPARABLE}V = 2,048", f"{NOT_COMPARABLE}V = 512"}
    assert {e.model for e in beside} == {"tokenizer tinystories", "tokenizer stories"} and len(evidence) == 9
    assert not [name for name in registry() if name.endswith((".tinystories",)) or name == f"rdk.{statement}.stories"]


@pytest.mark.parametrize("statement", ["long-tail", "frequent-quarter"])
def test_the_rule_of_the_claim_says_which_banks_it_is_about(statement):
    """As many tokens as carry 95 % in the paper: none of them is the tail, however large the share of the occurrences."""
    claim = get(f"rdk.{statement}")
    measured = [r for r in results(claim.name) if r.cell["bank"] == "main"]
    comparable = {}
    for vocab in (2_048, HEAD, HEAD + 1, 49_152):
        evidence = claim.finding.estimate([Result({**r.cell, "vocab": vocab}, r.values) for r in measured])
        record = {"evidence": [e._asdict() for e in evidence]}
        comparable[vocab] = is_comparable(record)
        assert comparable[vocab] == (not _not_comparable(vocab))
        if not comparable[vocab]:
            assert claim.finding.decide(shifted(evidence, -1)) == "inconclusive"
    assert comparable == {2_048: False, HEAD: False, HEAD + 1: True, 49_152: True}


@pytest.mark.parametrize("name", [n for n in registry() if n.split(".")[-1] in CONTROLS and registry()[n].finding])
def test_what_is_decided_on_a_small_pair_alone_is_an_own_statement(name):
    """A control: it prints nothing, and says of which model it speaks."""
    claim = get(name)
    assert origin(claim) == "own" and printed(name) is None
    assert "V = 2,048" in claim.statement or "16,384 tokens" in claim.statement
    assert "neither" in claim.note and "for nor against the paper" in claim.note


def test_families_that_the_paper_does_not_give_are_inconclusive_about_it():
    """On these rows every gap is far below 0: of the families unsupported, of the paper's figure nothing."""
    rows = results("rdk.plateau-wins")
    verdicts = {}
    for name in ("rdk.plateau-wins", "rdk.plateau-wins.families"):
        evidence = shifted(get(name).finding.estimate(rows), -1)
        assert rests_on_made_up(evidence)
        verdicts[name] = decide(get(name), evidence)
        reason = why_open(get(name), evidence)
        assert (reason is None) == name.endswith(".families")
    assert verdicts == {"rdk.plateau-wins": "inconclusive", "rdk.plateau-wins.families": "unsupported"}
    assert why_open(get("rdk.plateau-wins"), shifted(evidence, -1)) == (
        "unsupported by families made up here, which are evidence about themselves and not about the paper"
    )
    # where the intervals leave it open, they are the reason
    assert why_open(get("rdk.plateau-wins"), shifted(evidence, 0)) is None
    assert printed("rdk.plateau-wins.families") is None and get("rdk.plateau-wins").printed is not None


@pytest.mark.parametrize("name", ["rdk.rank-one", "sqs.k-latency", "sqs.both-reduce.resolution", "csqs.stability"])
def test_synthetic_laws_alone_do_not_fail_a_sentence(name):
    """Where only the synthetic cells fail, the verdict is open; where a real one does, it stands."""
    claim = get(name)
    evidence = claim.finding.estimate(results(name))
    synthetic = [e.data.startswith(MADE_UP) for e in evidence]
    good, bad = shifted(evidence, 1), shifted(evidence, -1)
    assert any(synthetic)
    only_synthetic = [b if is_synthetic else g for g, b, is_synthetic in zip(good, bad, synthetic, strict=True)]
    only_real = [g if is_synthetic else b for g, b, is_synthetic in zip(good, bad, synthetic, strict=True)]
    assert claim.finding.decide(only_synthetic) == "unsupported"
    assert [decide(claim, rows) for rows in (good, only_synthetic, only_real)] == [
        "supported",
        "inconclusive",
        "unsupported",
    ]


def test_interval_of_an_extreme_encloses_that_of_each():
    intervals = [Interval(0.5, 0.3, 0.7, 0.95), Interval(0.4, 0.1, 0.9, 0.95)]
    assert _extreme(intervals, largest=False) == (Interval(0.4, 0.1, 0.7, 0.95), 1)
    assert _extreme(intervals, largest=True) == (Interval(0.5, 0.3, 0.9, 0.95), 0)


def test_pruning_a_quarter_on_the_shipped_bank():
    """Half a second on real logits: by frequency little is lost, by rarity nearly everything."""
    claim, data = get("rdk.seventy-five"), Data(effort="quick")
    study = claim.finding.study(data)
    found = gather(replace(study, grid=tuple(cell for cell in study.grid if not cell["rdk"])))
    ratio = {e.data.split(": ")[-1]: e.estimate for e in claim.finding.estimate(found)}
    kept, lost = (next(v for k, v in ratio.items() if f"by {order}, tli" in k) for order in ("frequency", "worst"))
    assert kept > 0.5 > lost
    assert claim.finding.decide(claim.finding.estimate(found)) == "unsupported"


def test_the_printed_value_hangs_on_the_setting():
    """26.7 % inside each interval, above and below it, and above it everywhere."""
    claim = get("rdk.figure7-value")
    one = claim.finding.estimate(results("rdk.plateau-flat"))[0]

    def decided(*intervals):
        return claim.finding.decide([one._replace(interval=i) for i in intervals])

    assert decided((0.2669, 0.2671)) == "supported"
    assert decided((0.2, 0.21), (0.4, 0.41)) == decided((0.26, 0.28)) == "inconclusive"
    assert decided((0.3, 0.31), (0.4, 0.41)) == decided((0.1, 0.2)) == "unsupported"
    assert claim.finding.decide([]) == "inconclusive"
