"""The empirical claims of RDK: what decides, and one look at the shipped bank."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import judge
from simspec.claims.rdk.pruning import _extreme
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
    for claim in (get("rdk.plateau-flat"), get("rdk.plateau-wins")):
        evidence = claim.finding.estimate(correlated)
        assert evidence and all(judge(e) is None for e in evidence)
        assert claim.finding.decide(evidence) == "inconclusive"
        assert any(judge(e) is not None for e in claim.finding.estimate([*correlated, *synthetic]))


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
