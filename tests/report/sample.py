"""Verdicts as `simspec verify` writes them, with every kind, verdict and fact that the report shows."""

from __future__ import annotations

import copy
import math
from typing import Any

__all__ = ["claim", "many", "sample"]

ABSENT = (
    "tightness", "counterexample", "corrected_by", "proof", "evidence", "note", "criterion", "assumes", "slacks", "plot",
    "message",
)  # fmt: skip


def claim(name: str, kind: str, verdict: str, statement: str, **facts: Any) -> dict[str, Any]:
    """Record of one claim; facts that are not given are absent, that is null."""
    record: dict[str, Any] = {"id": name, "kind": kind, "source": "RDK 2", "verdict": verdict, "statement": statement}
    record |= {"checks": {"exact": None, "float": None, "real": None}, "seconds": 0.25}
    record |= dict.fromkeys(ABSENT) | {"reproduce": f"simspec verify {name} --effort default --seed 0"}
    return record | facts


def _checks(slack: float | None, violations: int = 0) -> dict[str, Any]:
    return {
        "exact": {"instances": 12502, "violations": violations, "min_slack": slack, "data": None},
        "float": {
            "instances": 16,
            "violations": 0,
            "min_slack": -3.1e-16,
            "data": "synthetic Gaussian and Student-t logits, V = 16,000",
        },
        "real": {"instances": 600, "violations": 0, "min_slack": None, "data": "wiki: 600 contexts, 40 documents"},
    }


def _evidence(estimate: float, half: float | None, **control: float) -> dict[str, Any]:
    return {
        "data": "wiki: 300 contexts, 40 documents",
        "model": "small pair",
        "n": 300,
        "estimate": estimate,
        "interval": None if half is None else [estimate - half, estimate + half],
        "level": None if half is None else 0.95,
        "control": control or None,
    }


def _curve(name: str, height: float) -> dict[str, Any]:
    x = [50, 80, 90, 95, 99, 99.5]
    y = [height - n * n * 0.011 for n in range(6)]
    return {"name": name, "x": x, "y": y, "low": [v - 0.02 for v in y], "high": [v + 0.02 for v in y]}


IN_COQ = {"coq": "8.16.1", "whole": True, "steps": 6, "admitted": []}


def _identities() -> list[dict[str, Any]]:
    """Proved, refuted, and what holds in its place."""
    return [
        claim(
            "sd.acceptance",
            "identity",
            "proved",
            r"$\alpha = \sum_x \min(p_x, q_x) = 1 - \mathrm{TV}(p, q) = 1 - \lVert k \rVert_1$ "
            r"with the drafter kernel $k = (q - p)_+$",
            source="RDK, Definitions 2.1, 2.2 and Lemma 2.3",
            note="min(a, b) = (a + b − |a − b|)/2 term by term; see sd.inverse-proportional.",
            checks=_checks(0.0),
            slacks=[0.0] * 50 + [-2.2e-16],
            proof=[
                {"kind": "symbolic", "scope": "every V", "seconds": 1.5, "versions": {"sympy": "1.13"}, "coq": IN_COQ},
                {"kind": "SMT", "scope": "V = 3", "seconds": 0.1, "checked_now": True},
            ],
        ),
        claim(
            "sd.inverse-proportional",
            "identity",
            "refuted",
            r"$\alpha$ is inversely proportional to $\lVert k \rVert_1$: the product $\alpha\,\lVert k \rVert_1$ is constant",
            checks=_checks(-0.25, 41),
            counterexample={"p": ["1", "0"], "q": ["1/2", "1/2"], "p2": ["1", "0"], "q2": ["1", "0"]},
            corrected_by=["sd.inverse-proportional-corrected", "sd.elsewhere"],
            slacks=[-((n % 17) / 68) for n in range(200)],
        ),
        claim(
            "sd.inverse-proportional-corrected",
            "identity",
            "holds",
            r"$\alpha + \lVert k \rVert_1 = 1$",
            checks=_checks(0.0),
            slacks=[0.0] * 20,
        ),
    ]


def _bounds() -> list[dict[str, Any]]:
    """With a tightness, with tables in a counterexample, and a probability."""
    return [
        claim(
            "rdk.worst-case",
            "bound",
            "holds",
            r"$\lVert M^\top q' - p \rVert_1 \le \lVert q' - p \rVert_1 + \varepsilon$ whenever "
            r"$\varepsilon \ge \lVert M^\top p - p \rVert_1$",
            assumes={"M is row-stochastic": True, r"$\varepsilon \ge 0$": None},
            checks=_checks(0.0),
            tightness={
                "ratio": 1.0,
                "instance": {"p": ["1/2", "1/2"], "M": [["1/3", "2/3"], ["1", "0"]], "epsilon": "-7/12", "gamma": 2},
            },
            slacks=[math.sin(n) ** 2 * (n % 5) / 4 for n in range(300)],
        ),
        claim(
            "rdk.taylor-order",
            "rate",
            "refuted",
            r"$\lVert \hat r - M^\top q' \rVert_1 = O(\tau^{-2})$ where $\hat r_j = \frac{1}{V}\left[1 + "
            r"\frac{s}{\tau}\left(p_j - \frac{1}{V}\right)\right]$",
            counterexample={
                "tables": [[["1", "0"], ["1/2", "1/2"]], [["1/4", "3/4"], ["0", "1"]]],
                "shared": [True, False, True],
                "p": ["1/3", "1/3", "1/3"],
                "halts": None,
                "label": "a<b",
                "wide": ["1/64"] * 40,
            },
            tightness={"ratio": 0.98765, "instance": None},
            evidence=[_evidence(-1.98, 0.04)],
        ),
        claim(
            "rdk.gaussian-advantage",
            "probability",
            "holds",
            r"$\mu_a - 3\sigma_a \ge \mu_b + 3\sigma_b \Rightarrow \Pr[\alpha_{\text{RDK}} \ge \alpha_{\text{TLI}}] \ge 0.9946$",
            slacks=[0.001 * n for n in range(40)],
        ),
    ]


def _measured() -> list[dict[str, Any]]:
    """Empirical claims, one with a plot, and one whose check crashed."""
    plot = {
        "title": "Acceptance against pruning",
        "x_label": "share of the vocabulary removed (%)",
        "y_label": "acceptance rate",
        "x_log": False,
        "series": [_curve("RDK", 0.71), _curve("TLI", 0.66), _curve("no redistribution", 0.52)],
    }
    return [
        claim(
            "rdk.real-pruning",
            "empirical",
            "supported",
            r"On real logits at $\ge 95\,\%$ pruning, RDK accepts more than TLI: R&D < all",
            note="Decided per pruning order; the exponent is evidence beside it.",
            criterion="supported when every lower end lies above 0",
            evidence=[_evidence(0.113, 0.02, uniform=0.021, unigram=0.094), _evidence(0.09, None)],
            plot=plot,
        ),
        claim("ears.throughput", "empirical", "unsupported", r"$\beta = 0.1$ raises tokens per call by more than 5 %"),
        claim(
            "pad.tradeoff",
            "empirical",
            "inconclusive",
            r"Some $\sigma$ has higher speed than SD",
            plot=plot | {"series": []},
        ),
        claim(
            "csqs.checkpoint",
            "procedure",
            "error",
            r"for every $T^t \in \{0, \dots, L^t\}$ line 12 is right",
            message="ValueError: p: row 3 sums to 0.9 <here> & there",
            source=None,
            seconds=None,
            reproduce=None,
        ),
    ]


def sample() -> dict[str, Any]:
    """Ten claims, one or more of each kind and verdict."""
    environment = {
        "python": "3.12.1",
        "system": "Linux",
        "numpy": "2.4.0",
        "cores": 2,
        "bank": "shipped",
    }
    return {
        "version": "0.1.0",
        "seed": 0,
        "effort": "default",
        "environment": environment,
        "claims": _identities() + _bounds() + _measured(),
    }


def many(count: int) -> dict[str, Any]:
    """As many claims, each under an id of its own."""
    verdicts = sample()
    claims = verdicts["claims"]
    verdicts["claims"] = [
        copy.deepcopy(claims[n % len(claims)]) | {"id": f"{claims[n % len(claims)]['id']}-{n}"} for n in range(count)
    ]
    return verdicts
