"""Empirical claims about thin wires: choices on the even links, judgements on the odd, decisions that can go either way."""

from dataclasses import replace

import numpy as np
import pytest

from simspec.claims.deciding.evidence import BESIDE, judge
from simspec.engine.study import Result
from simspec.studies.sqs.link_schemes import SCHEMES
from tests.claims.cases import get

TEMPERATURES = (0.25, 0.5, 1.0)


def made(latency, resampling, noise=0.001, links=30) -> list[Result]:
    """Results whose latency and resampling are functions of (scheme, temperature), with a little noise."""
    rng = np.random.default_rng(0)
    results = []
    for data in ("a model: 300 contexts", "synthetic"):
        for temperature in TEMPERATURES:
            for longest in (64, 8):
                values = {}
                for scheme in SCHEMES:
                    slow = latency(scheme, temperature) + noise * rng.standard_normal(links)
                    again = resampling(scheme, temperature) + noise * rng.standard_normal(links)
                    values |= {f"slow uplink latency; {scheme}": slow, f"fast uplink latency; {scheme}": slow}
                    values |= {f"slow uplink batch latency; {scheme}": slow}
                    values |= {f"resampling; {scheme}": again}
                results.append(Result({"data": data, "temperature": temperature, "longest": longest}, values))
    return results


def decided(name: str, results: list[Result]) -> str:
    finding = get(name).finding
    return finding.decide(finding.estimate(results))


def k_of(scheme: str) -> float:
    return float(scheme.split("=")[1]) if scheme.startswith("K") else 100.0


def test_k_latency_needs_every_order_and_every_rise() -> None:
    rising = made(lambda s, t: k_of(s) / 100 + t, lambda s, t: t)
    assert decided("sqs.k-latency", rising) == "supported"
    assert decided("sqs.k-latency", made(lambda s, t: -k_of(s) / 100 + t, lambda s, t: t)) == "unsupported"
    assert decided("sqs.k-latency", made(lambda s, t: k_of(s) / 100 + t, lambda s, t: -t)) == "unsupported"
    assert decided("sqs.k-latency", made(lambda s, t: k_of(s) / 100, lambda s, t: t, noise=5)) == "inconclusive"


def test_against_dense_weighs_latency_and_resampling() -> None:
    def latency(scheme, temperature):
        return 1.0 if scheme == "dense" else 0.9 if scheme == "K = 8" else 2.0

    def worse(by):
        return lambda scheme, temperature: 0.5 if scheme == "dense" else 0.5 + by

    assert decided("sqs.against-dense", made(latency, worse(0.04))) == "supported"
    assert decided("sqs.against-dense", made(latency, worse(0.06))) == "unsupported"
    assert decided("sqs.against-dense", made(lambda s, t: 1.0 if s == "dense" else 1.1, worse(0.0))) == "unsupported"


def test_the_scheme_is_chosen_on_the_even_links_and_judged_on_the_odd() -> None:
    """K = 8 is best on the even links only, and worse than dense on the odd: the claim fails."""
    results = made(lambda s, t: 1.0, lambda s, t: 0.5)
    even = np.arange(30) % 2 == 0
    for result in results:
        result.values["slow uplink latency; K = 8"] = np.where(even, 0.1, 3.0) + 0.001 * np.arange(30) / 30
    assert decided("sqs.against-dense", results) == "unsupported"


def test_crossover_needs_both_ends() -> None:
    def crossing(scheme, temperature):
        fixed = scheme.startswith("K")
        return (temperature if fixed else 1 - temperature) + (0 if scheme in ("K = 8", "C-SQS from 0.1") else 1)

    assert decided("csqs.crossover", made(crossing, crossing)) == "supported"
    assert decided("csqs.crossover", made(crossing, lambda s, t: crossing(s, 0.25))) == "unsupported"


def test_adaptivity_compares_with_the_same_threshold_held() -> None:
    def helps(scheme, temperature):
        return 0.5 if scheme.startswith("C-SQS") else 0.6

    assert decided("csqs.adaptivity", made(helps, helps)) == "supported"
    assert decided("csqs.adaptivity", made(helps, lambda s, t: 1.0 - helps(s, t))) == "unsupported"
    controls = get("csqs.adaptivity").finding.estimate(made(helps, helps))
    assert any(e.data.startswith(BESIDE) and "best of the held" in e.data for e in controls)


def test_rates_that_no_link_distinguishes_decide_nothing() -> None:
    """Every link rejects in every batch under both: no spread is no proof that the rates are equal.

    With 2 x 2 x 3 statements the level is 1 - 0.05 / 12, and 30 equal links leave 1 - (0.05 / 12)^(1/30) of them unseen.
    """
    results = made(lambda s, t: 0.5 if s.startswith("C-SQS") else 0.6, lambda s, t: 1.0)
    for result in results:
        for name in [n for n in result.values if n.startswith("resampling")]:
            result.values[name] = np.ones(30)
    assert decided("csqs.adaptivity", results) == "inconclusive"
    evidence = get("csqs.adaptivity").finding.estimate(results)
    (low, high), *_ = [e.interval for e in evidence if judge(e) is not None and "resampling" in e.data]
    assert high == -low == pytest.approx(1 - (0.05 / 12) ** (1 / 30))


def test_no_claim_is_supported_by_its_name() -> None:
    """Negative control: a finding that forgets the second temperature would support a one-sided crossover."""
    one_sided = made(lambda s, t: 0.0 if s.startswith("K") else 1.0, lambda s, t: 0.0 if s.startswith("K") else 1.0)
    claim = replace(get("csqs.crossover"), note="")
    assert claim.finding.decide(claim.finding.estimate(one_sided)) == "unsupported"
