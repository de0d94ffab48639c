"""SpecHub is lossless, and in some cases accepts more often than recursive rejection.

`multi.spechub-lossless`, `multi.spechub-optimal`, `multi.spechub-over-rrs` and `multi.spechub-over-rrsw`: SpecHub.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, broken, exact, identity, law
from simspec.claims.multi.parts import few, rrsw, swor_best
from simspec.laws import overlap, tv
from simspec.methods.multi import kseq_acceptance
from simspec.methods.multi.acceptance import rrs_acceptance
from simspec.methods.multi.drafting import hub
from simspec.methods.multi.enumerated import step_law
from simspec.methods.multi.greedy import greedy_acceptance, spechub, spechub_acceptance
from simspec.methods.multi.optimum import draft_sets, optimum


def _pair(draw: Draw) -> Instance:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def _four(draw: Draw) -> Instance:
    instance = few(draw)
    return {"p": instance["p"], "q": instance["q"]}


def _top_mass(p: Array, q: Array) -> Any:
    """p of the most likely token of q, the first among equals.

    >>> print(_top_mass(np.array([0.25, 0.75]), np.array([0.5, 0.5])))
    0.25
    """
    return np.take_along_axis(p, np.argmax(q, axis=-1)[..., None], axis=-1)[..., 0]


def _at(token: int, vocab: int) -> Array:
    """All mass on a token."""
    law = exact([0] * vocab)
    law[token] += 1
    return law


def _safe(draw: Draw) -> Instance:
    """Two laws with p(a) ≥ q(a)."""
    instance = few(draw)
    q = instance["q"]
    a = int(np.argmax(q))
    at_top = q.max()
    return {"p": at_top * _at(a, len(q)) + (1 - at_top) * instance["p"], "q": q}


def _heavy(draw: Draw) -> Instance:
    """Two laws, a token of q with at least half of the mass."""
    instance = few(draw)
    return {
        "p": instance["p"],
        "q": (_at(draw.integer(0, len(instance["q"]) - 1), len(instance["q"])) + instance["q"]) / 2,
    }


def _both(draw: Draw) -> Instance:
    """Two laws with p(a) ≥ q(a) ≥ 1/2."""
    instance = _heavy(draw)
    at_top = instance["q"].max()
    return {
        **instance,
        "p": at_top * _at(int(np.argmax(instance["q"])), len(instance["q"])) + (1 - at_top) * instance["p"],
    }


SPECHUB_LOSSLESS = identity(
    name="multi.spechub-lossless",
    statement=r"SpecHub emits with law $p$",
    reference="SpecHub (2411.05289)",
    instances=_four,
    lhs=lambda p, q: step_law(spechub, hub, 2, p, q).law,
    rhs=lambda p: p,
    sources=("exact",),
    broken=[broken("the mean of target and draft", lhs=lambda p, q: (p + q) / 2)],
)

SPECHUB_OPTIMAL = identity(
    name="multi.spechub-optimal",
    statement=r"The acceptance of SpecHub is $\alpha^*(p, \text{hub})$",
    reference="SpecHub (2411.05289)",
    instances=_four,
    lhs=lambda p, q: np.array([spechub_acceptance(p, q), optimum(p, draft_sets(hub(q))).value]),
    rhs=lambda p, q: np.array([greedy_acceptance(p, q, 2)] * 2),
    sources=("exact",),
    note="As sets, the pairs of the hub are greedy drafts: a for sure, and another token of q without a. Both are "
    "p(a) + Σ min(p, q̃) over the others.",
    broken=[
        broken(
            "the optimum as the second entry", lhs=lambda p, q: np.array([spechub_acceptance(p, q), swor_best(p, q, 2)])
        )
    ],
)

ALWAYS = bound(
    name="multi.spechub-over-rrs.always",
    statement=r"SpecHub accepts at least as often as recursive rejection of two independent drafts, for all $p$, $q$",
    reference="SpecHub (2411.05289), “provable acceleration”",
    instances=_pair,
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrs_acceptance(p, q, 2),
    corrected_by=("multi.spechub-over-rrs.always-corrected",),
    within=({"p": law("1/4", "1/16", "1/16", "5/8"), "q": law("1/4", "1/4", "1/4", "1/4")},),
    note="With many tokens alike, one of two drafts is spent on a token that the target may never say.",
)

ALWAYS_CORRECTED = bound(
    name="multi.spechub-over-rrs.always-corrected",
    statement=r"SpecHub accepts at least as often as recursive rejection of two independent drafts wherever the most "
    r"likely token of $q$ has at least half of the mass",
    reference="correction of SpecHub (2411.05289)",
    instances=_heavy,
    assumes={"q(a) ≥ 1/2": lambda q: 2 * q.max(axis=-1) >= 1},
    outside={"q(a) ≥ 1/2": {"p": law(0, 0, 1), "q": law("2/5", "3/10", "3/10")}},
    tight=[{"p": law("1/2", "1/2"), "q": law("1/2", "1/2")}],
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrs_acceptance(p, q, 2),
    sources=("exact",),
    broken=[broken("k-SEQ with two drafts", lhs=lambda p, q: kseq_acceptance(p, q, 2, 2))],
)

TOP_SAFE = bound(
    name="multi.spechub-over-rrs.top-safe",
    statement=r"SpecHub accepts at least as often as recursive rejection of two independent drafts whenever $p(a) \ge "
    r"q(a)$, $a$ the most likely token of $q$",
    reference="SpecHub (2411.05289)",
    instances=_safe,
    assumes={"p(a) ≥ q(a)": lambda p, q: _top_mass(p, q) >= _top_mass(q, q)},
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrs_acceptance(p, q, 2),
    sources=("exact",),
    outside={"p(a) ≥ q(a)": {"p": law(0, 0, 1), "q": law("2/5", "3/10", "3/10")}},
    against=[{"p": law("1/4", 0, 0, "3/4"), "q": law("1/4", "1/4", "1/4", "1/4")}],
    corrected_by=("multi.spechub-over-rrs.top-safe-corrected",),
    within=({"p": law("1/4", "1/16", "1/16", "5/8"), "q": law("1/4", "1/4", "1/4", "1/4")},),
    note="Four tokens that are alike to the draft suffice.",
)

TOP_SAFE_CORRECTED = bound(
    name="multi.spechub-over-rrs.top-safe-corrected",
    statement=r"SpecHub accepts at least as often as recursive rejection of two independent drafts whenever $(1 + "
    r"\mathrm{TV}(p, q))(1 - q(a)) \le 1$, $a$ the most likely token of $q$, whatever $p(a)$ is",
    reference="correction of SpecHub (2411.05289)",
    instances=_pair,
    assumes={"(1 + TV)(1 − q(a)) ≤ 1": lambda p, q: (1 + tv(p, q)) * (1 - _top_mass(q, q)) <= 1},
    outside={
        "(1 + TV)(1 − q(a)) ≤ 1": {
            **{"p": law("1/4", 0, 0, "3/4")},
            "q": law("1/4", "1/4", "1/4", "1/4"),
        }
    },
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrs_acceptance(p, q, 2),
    sources=("exact",),
    note="Each token but a then gets at least what recursive rejection keeps of it, (1 + TV) q, and a all of p(a).",
    broken=[broken("the overlap with one draft", lhs=lambda p, q: overlap(p, q))],
)

SPECHUB_OVER_RRSW = bound(
    name="multi.spechub-over-rrsw",
    statement=r"SpecHub accepts at least as often as recursive rejection of two drafts without replacement, for all $p$, $q$",
    reference="SpecHub (2411.05289), abstract, as an order of the averages",
    instances=_four,
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrsw(p, q, 2).acceptance,
    sources=("exact",),
    corrected_by=("multi.spechub-over-rrsw-corrected",),
    within=({"p": law("1/10", "2/5", "1/10", "2/5"), "q": law("1/3", "2/9", "2/9", "2/9")},),
    note="Each of its pairs holds the likeliest token a: where the target seldom says a, one of both drafts is wasted.",
)

SPECHUB_OVER_RRSW_CORRECTED = bound(
    name="multi.spechub-over-rrsw-corrected",
    statement=r"SpecHub accepts at least as often as recursive rejection of two drafts without replacement wherever "
    r"$p(a) \ge q(a) \ge 1/2$, $a$ the most likely token of $q$",
    reference="correction of SpecHub (2411.05289)",
    instances=_both,
    assumes={
        "p(a) ≥ q(a)": lambda p, q: _top_mass(p, q) >= _top_mass(q, q),
        "q(a) ≥ 1/2": lambda q: 2 * _top_mass(q, q) >= 1,
    },
    outside={
        "p(a) ≥ q(a)": {"p": law(0, 1, 0), "q": law("1/2", "1/4", "1/4")},
        "q(a) ≥ 1/2": {"p": law("1/4", 0, 0, "3/4"), "q": law("1/4", "1/4", "1/4", "1/4")},
    },
    lhs=spechub_acceptance,
    relation=at_least,
    rhs=lambda p, q: rrsw(p, q, 2).acceptance,
    sources=("exact",),
    broken=[broken("one draft", lhs=lambda p, q: greedy_acceptance(p, q, 1))],
)
