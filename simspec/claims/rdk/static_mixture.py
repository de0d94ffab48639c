"""Best fixed probabilities for tokens the drafter lacks fill every token up to one level.

`rdk.static-mixture`, with its readings: own statement, from RDK 6.2 and the controls of C.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, bound, broken, is_exact, mask, matrix, procedure
from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import measured
from simspec.claims.measured import (
    ON_ANSWERS,
    Found,
    Results,
    Study,
    decides,
    documents,
    empirical,
    level_of,
    model_of,
    on_each,
    shared,
)
from simspec.claims.rdk.parts import COUNTED_ALIKE
from simspec.laws import Scalar, overlap, restrict
from simspec.methods.rdk.pruning import keep_first, pruning_order
from simspec.methods.rdk.static import static, static_acceptance, static_mixture
from simspec.methods.tli import tli

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["balanced"]

LEVEL = "the masses fill every token to one level"
BALANCE = "the level is what a little mass is worth on the shared tokens"


def balanced(p: Array, q: Array, shared: Array, extra: Array, level: Scalar) -> tuple[bool, bool]:
    """Whether the masses fill every token outside to the level, and whether the shared tokens are worth that level.

    >>> balanced(matrix("1/2 1/2"), matrix("1 0"), mask("10"), matrix("0 1/2")[0], F(1))
    (True, True)
    """
    rounding = 0 if is_exact(p) else 1e-9
    d = restrict(q, shared)
    contexts = len(p)
    weight = extra.sum()
    outside = ~shared
    wants_more = (p > extra + rounding).sum(axis=0)[outside]
    wants_all = (p >= extra - rounding).sum(axis=0)[outside]
    used = extra[outside] > 0
    filled = (wants_more <= level * contexts + rounding).all() and (wants_all + rounding >= level * contexts)[
        used
    ].all()
    shared_mass = (1 - weight) * d
    lost_by_more = np.where(
        shared_mass <= p + rounding, d, 0
    ).sum()  # what the shared tokens lose by a little more mass outside
    gained_by_less = np.where(shared_mass < p - rounding, d, 0).sum()  # what they gain by a little less
    worth = level * contexts <= lost_by_more + rounding and (
        weight == 0 or gained_by_less <= level * contexts + rounding
    )
    return bool(filled), bool(worth)


def _contexts(draw: Draw) -> Instance:
    """Contexts, the best masses for them by the package's own method, and other masses."""
    n = draw.vocab(2)
    if draw.exact:
        rows = draw.integer(1, 4)
        p, q = (np.stack([draw.law(n) for _ in range(rows)]) for _ in range(2))
    else:
        p, q = (side[:8] for side in draw.pair(n))
        p = p.astype(np.float64)
        q = q.astype(np.float64)
        p = p / p.sum(axis=-1, keepdims=True)
        q = q / q.sum(axis=-1, keepdims=True)
    shared = draw.mask(n)
    best = static_mixture(p, q, shared)
    other_masses = draw.law(n) if draw.exact else draw.law(n)[0].astype(np.float64)
    other_masses = np.where(shared, 0 * other_masses, other_masses) * draw.number(0, 1)
    return {"p": p, "q": q, "shared": shared, "extra": best.extra, "level": best.level, "other": other_masses}


def _spread(claim: Any) -> dict[str, Any]:
    """The claim against the same sum of masses, spread as the mean target outside the shared vocabulary."""

    def rhs(p: Array, q: Array, shared: Array, extra: Array) -> Any:
        mean = np.where(shared, 0 * p[0], p.sum(axis=0))
        return claim.rhs(p, q, shared, mean / mean.sum() * extra.sum() if mean.sum() else extra)

    return {"assumes": {}, "lhs": claim.rhs, "rhs": rhs}


def _without(claim: Any, name: str, other: str) -> dict[str, Any]:
    """The claim without one of its assumptions, at the instance that breaks it."""
    return {"assumes": {other: claim.assumes[other]}, "against": (claim.outside[name],)}


STATIC_MIXTURE = bound(
    name="rdk.static-mixture",
    statement=r"Draft from $(1 - w)\,q' + a$ with fixed masses $a_x$ outside $I$ and $w = \sum_x a_x$. No other masses $b$ "
    r"have a higher mean acceptance over the contexts than masses $a$ for which there is a level $\lambda$ with "
    r"$\Pr(p_x > a_x) \le \lambda$ for $x \notin I$, $\lambda \le \Pr(p_x \ge a_x)$ where $a_x > 0$, and "
    r"$\mathrm{E}\,q'\{x \in I: (1 - w) q'_x < p_x\} \le \lambda \le \mathrm{E}\,q'\{x \in I: (1 - w) q'_x \le p_x\}$ "
    r"(the left one only for $w > 0$)",
    reference="own statement, from RDK 6.2 and the controls of C.4",
    instances=_contexts,
    assumes={
        LEVEL: lambda p, q, shared, extra, level: balanced(p, q, shared, extra, level)[0],
        BALANCE: lambda p, q, shared, extra, level: balanced(p, q, shared, extra, level)[1],
    },
    lhs=lambda p, q, shared, other: static_acceptance(p, q, shared, other),
    rhs=lambda p, q, shared, extra: static_acceptance(p, q, shared, extra),
    tight=(
        {
            **{"p": matrix("1/2 1/2", "1 0"), "q": matrix("1 0", "1 0"), "shared": mask("10"), "level": F(1, 2)},
            **{"extra": matrix("0 0")[0], "other": matrix("0 0")[0]},
        },
    ),
    outside={
        LEVEL: {
            **{"p": matrix("0 1/2 1/2"), "q": matrix("1 0 0"), "shared": mask("100"), "level": F(0)},
            **{"extra": matrix("0 1 0")[0], "other": matrix("0 1/2 1/2")[0]},
        },
        BALANCE: {
            **{"p": matrix("1/2 1/2"), "q": matrix("1 0"), "shared": mask("10"), "level": F(1)},
            **{"extra": matrix("0 0")[0], "other": matrix("0 1/2")[0]},
        },
    },
    note="Mean acceptance is concave in the masses: a unit of mass on x is worth the share of contexts that want more of x, "
    "and costs the draft's mass on shared tokens that the target still wants. So every token outside is filled to the same "
    "upper quantile of its own probability, whatever its mean: not in proportion to its frequency.",
    broken=[
        Broken("without the assumption on the level", lambda claim: _without(claim, LEVEL, BALANCE)),
        Broken("without the assumption on the balance", lambda claim: _without(claim, BALANCE, LEVEL)),
        Broken(
            "the mass outside the shared vocabulary is left out",
            lambda claim: {"rhs": lambda p, q, shared, extra: claim.rhs(p, q, shared, extra * 0)},
        ),
        Broken(
            "nine tenths of the bound",
            lambda claim: {"rhs": lambda p, q, shared, extra: claim.rhs(p, q, shared, extra) * F(9, 10)},
        ),
        Broken("the mass outside is spread as the mean target", _spread),
    ],
)


def _gain(data: Data) -> list[Evidence]:
    """On real laws: the best masses of every other document, measured on the others."""
    from simspec.studies.pairs import bank_laws

    bank = data.realistic
    if data.effort == "quick" or bank.draft() is None or bank.statistics is None:
        return []
    p, q = bank_laws(bank)
    names = np.unique(np.asarray(bank.documents), return_inverse=True)[1]
    here = names % 2 == 0
    there = names % 2 == 1
    order = pruning_order("frequency", bank.statistics.counts.sum(axis=0).astype(np.float64))
    evidence = []
    for share in (0.05, 0.01):
        shared = keep_first(order, max(1, round(share * p.shape[-1])))
        best = static_mixture(p[here], q[here], shared)
        alone = overlap(p[there], tli(shared).propose(q[there]))
        gained = overlap(p[there], static(shared, best.extra).propose(q[there])) - alone
        control = {
            "TLI": float(alone.mean()),
            "gain on the documents it was made from": float(best.gain),
            "gain of the best masses for these documents": float(static_mixture(p[there], q[there], shared).gain),
        }
        label = (
            f"{data.describe(bank)}: gain over TLI on the documents it was not made from, {share:.0%} kept by frequency"
        )
        evidence.append(measured(label, None, int(there.sum()), documents(gained, names[there]), control))
    return evidence


ATTAINED = procedure(
    name="rdk.static-mixture.attained",
    statement=r"`static_mixture` finds such masses and their level for any contexts by sorting, exactly",
    reference="own statement",
    instances=_contexts,
    lhs=lambda p, q, shared, extra, level: np.array(balanced(p, q, shared, extra, level), dtype=int),
    rhs=lambda: np.ones(2, dtype=int),
    evidence=_gain,
    note="Gain and cost of a unit of mass change only where a row of the sorted probabilities is full or a shared token begins "
    "to be missed; the best sum is the first of these points where the gain no longer exceeds the cost.",
    broken=[
        broken(
            "half of the mass outside",
            lhs=lambda p, q, shared, extra, level: balanced(p, q, shared, extra / 2, level)[0] + 0,
        )
    ],
)


FEW = 32
"""Contexts at quick effort, evenly spaced."""


@shared
def _halves(data: Data) -> Study:
    from simspec.studies.rdk.static_halves import static_halves

    if data.effort != "quick":
        return on_each(data.all_pairs, lambda bank: static_halves(bank, data.describe(bank), (0.05, 0.01, 0.0025)))

    def of_bank(bank: Bank) -> Study:
        rows = np.unique(np.linspace(0, bank.contexts - 1, min(FEW, bank.contexts)).round().astype(int))
        return static_halves(bank, data.describe(bank, rows), (0.01,), context_limit=FEW)

    return on_each(data.all_pairs, of_bank)


def _beaten(results: Results) -> Found:
    level = level_of(sum(map(decides, results)))
    for result in results:
        v = result.values
        cell = result.cell
        gap = documents(v["static"] - v["mixture"], v["document"], level)
        label = (
            f"{cell['data']}: kept {100 * cell['kept'] / cell['vocab']:.3g} % by frequency, fixed masses less mixture"
        )
        control = {name: float(v[name].mean()) for name in ("static", "mixture", "tli")}
        yield measured(label, model_of(result), len(v["tli"]), gap, control, exceed=0.0 if decides(result) else None)


REAL = empirical(
    name="rdk.static-mixture.real",
    statement="on real logits, fixed masses fitted on one half of the documents beat TLI mixed with the mean law, its weight "
    "fitted on the same half, on the other half, at each level of pruning",
    reference="own statement, from RDK 6.2 and the controls of C.4",
    note="The mixture puts mass on every pruned token in proportion to its mean; fixed masses fill each to a quantile of its own "
    "probability (rdk.static-mixture), but each of them is fitted on a few documents, the mean law on many more.",
    study=_halves,
    estimate=_beaten,
    criterion="On the bank's evaluation contexts, the most frequent tokens kept; masses and weight are fitted on every second "
    "document and judged on the others, both ways. Supported when the paired difference is above 0 at each level (5 %, 1 % and "
    "0.25 % kept), by document-bootstrap intervals that hold together at 95 %; unsupported when one lies at or below 0. "
    f"Decided on the most realistic bank with each of its drafts; the small pairs stand beside. {ON_ANSWERS} {COUNTED_ALIKE}",
)
