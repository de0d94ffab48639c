"""With bias allowed, no rule on several drafts gains more acceptance than its bias.

`multi.lossy-optimum` and `multi.lossy-attained`: the best acceptance of several drafts at a given total variation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_most, bound, broken, exact, identity, law
from simspec.claims.multi.parts import some_sets
from simspec.laws import Scalar, tv
from simspec.methods.multi.optimum import Sets, optimum, selected, subset_form

__all__ = ["emitted", "mixed"]


def emitted(a: Array, r: Array) -> Array:
    """Law of the emitted token: the accepted mass of each, and r where no draft is accepted."""
    return np.asarray(a.sum(axis=0) + (1 - a.sum()) * r)


def _any_rule(draw: Draw) -> Instance:
    """Of every set of drafts each draft is accepted with some probability, none with the rest."""
    it = some_sets(draw)
    vocab = len(it["p"])
    rows = []
    for drafts, mass in it["sets"].items():
        shares = draw.law(vocab + 1)[:vocab]
        rows.append([mass * share if token in drafts else 0 * mass for token, share in enumerate(shares)])
    return {**it, "a": exact(rows), "r": draw.law(vocab)}


def _accepted(sets: Sets, a: Array) -> Any:
    return a.sum()


APART: Instance = {
    "p": law("1/2", "1/2"),
    "sets": {frozenset({0}): exact(["3/4"])[0], frozenset({1}): exact(["1/4"])[0], frozenset({0, 1}): exact(["0"])[0]},
    "a": exact([["3/4", 0], [0, "1/4"], [0, 0]]),
    "r": law(0, 1),
}

LOSSY_OPTIMUM = bound(
    name="multi.lossy-optimum",
    statement=r"For drafts of any law $D$, no rule accepts more than $\alpha^*(p, D) + \mathrm{TV}(\text{output}, p)$, "
    r"$\alpha^*$ being the best acceptance of a lossless rule",
    reference="own statement",
    instances=_any_rule,
    lhs=_accepted,
    rhs=lambda p, sets, a, r: subset_form(p, sets) + tv(emitted(a, r), p),
    relation=at_most,
    sources=("exact",),
    tight=(APART,),
    note="With K drafts as with one (relaxed.ensemble-pareto.best): total variation buys acceptance one for one, no better.",
    broken=[broken("half of the bias", rhs=lambda p, sets, a, r: subset_form(p, sets) + tv(emitted(a, r), p) / 2)],
)


def _coin(draw: Draw) -> Instance:
    return {**some_sets(draw), "w": draw.number(0, 1)}


def mixed(p: Array, sets: Sets, w: Scalar) -> Array:
    """Law of a coin between p, with 1 - w, and the draft that the optimum selects."""
    return (1 - w) * p + w * exact(selected(optimum(p, sets), sets, len(p)))


LOSSY_ATTAINED = identity(
    name="multi.lossy-attained",
    statement=r"A coin that with probability $w$ takes the draft that the optimum selects, whatever it is, and else goes as the "
    r"best lossless rule, accepts $\alpha^* + w (1 - \alpha^*)$ at $\mathrm{TV} = w (1 - \alpha^*)$: so the best acceptance at a "
    r"total variation $t$ is $\min(1, \alpha^* + t)$",
    reference="own statement",
    instances=_coin,
    lhs=lambda p, sets, w: tv(mixed(p, sets, w), p),
    rhs=lambda p, sets, w: w * (1 - subset_form(p, sets)),
    sources=("exact",),
    broken=[broken("half of the weight", rhs=lambda p, sets, w: w * tv(p, mixed(p, sets, 1)) / 2)],
)
