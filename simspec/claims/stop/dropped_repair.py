"""A verifier that knows the rule by which tokens were dropped can be made lossless.

`stop.dropped-repair`: own statements, what a verifier that is told of the rule can make of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, bound, broken, exact, identity, law
from simspec.claims.stop.parts import by_text, models, some_rule, step
from simspec.claims.texts import markov, written
from simspec.methods.stop import dropping_last, kept_law, told_verifier

__all__ = ["SPLIT"]

SPLIT = "with what p emits at dropped positions, kept and redrawn tokens have law p"


def _with_kept(p: Array, q: Array, s: Array, told: str) -> Array:
    emitted, accepted = step(p, q, s, told)
    return exact([*emitted, accepted])


def _sum_min(a: Array, b: Array) -> Any:
    return np.minimum(a, b).sum()


def _any_verifier(draw: Draw) -> Instance:
    """Some of the survivors are kept, at most what p leaves of each token; the others are redrawn from the rest."""
    instance = some_rule(draw)
    p = instance["p"]
    q = instance["q"]
    s = instance["s"]
    alive = (q * s).sum()
    accepted = exact([draw.number(0, min(alive * a, b * c)) for a, b, c in zip(p, q, s, strict=True)])
    return {**instance, "kept": accepted, "redrawn": alive * p - accepted}


def _adds_up(p: Array, q: Array, s: Array, kept: Array, redrawn: Array) -> bool:
    inside = bool((kept <= q * s).all() and (redrawn >= 0).all())
    return inside and bool(((1 - (q * s).sum()) * p + kept + redrawn == p).all())


TOLD = identity(
    name="stop.dropped-repair.told",
    statement=r"Told $\mathrm{norm}(q s)$, the law of a draft given that it survived, the verifier leaves the output "
    r"law $p$, for every rule $s$, and keeps a draft with probability $\sum_x \min(S p, s q)$",
    reference="own statement, after llama.cpp #27694",
    instances=some_rule,
    lhs=lambda p, q, s: _with_kept(p, q, s, "kept"),
    rhs=lambda p, q, s: exact([*p, _sum_min((q * s).sum() * p, q * s)]),
    sources=("exact",),
    broken=[broken("the verifier is given the rejected law", lhs=lambda p, q, s: _with_kept(p, q, s, "rejected"))],
)

REJECTED = identity(
    name="stop.dropped-repair.rejected",
    statement=r"Told $q$ and that a token was dropped, the verifier counts it as rejected: emitting $\mathrm{norm}(p - s \min(p, "
    r"q))$ in either case leaves the output law $p$, for every rule $s$; a draft is kept with probability $\sum_x s \min(p, q)$",
    reference="own statement, after llama.cpp #27694",
    instances=some_rule,
    lhs=lambda p, q, s: _with_kept(p, q, s, "rejected"),
    rhs=lambda p, q, s: exact([*p, (s * np.minimum(p, q)).sum()]),
    sources=("exact",),
    broken=[broken("the verifier is given the kept law", lhs=lambda p, q, s: _with_kept(p, q, s, "kept"))],
)

BEST = bound(
    name="stop.dropped-repair.best",
    statement=r"If dropped positions are emitted from $p$, no lossless verifier keeps a draft more often than with probability "
    r"$\sum_x \min(S p, s q)$: of kept masses $k \le s q$ and redrawn ones $e \ge 0$ with $(1 - S) p + k + e = p$, "
    r"$\sum k$ is no larger",
    reference="own statement, after llama.cpp #27694",
    instances=_any_verifier,
    assumes={SPLIT: _adds_up},
    lhs=lambda kept: kept.sum(),
    rhs=lambda p, q, s: _sum_min((q * s).sum() * p, q * s),
    outside={
        SPLIT: {
            "p": law("1/2", "1/2"),
            "q": law("1/2", "1/2"),
            "s": law(1, 0),
            "kept": law("1/2", 0),
            "redrawn": law(0, 0),
        }
    },
    tight=({"p": law(1, 0), "q": law(1, 0), "s": law(1, 1), "kept": law(1, 0), "redrawn": law(0, 0)},),
    sources=("exact",),
    broken=[broken("the square of the kept mass", rhs=lambda p, q, s: np.minimum(p, q).sum() * (q * s).sum() ** 2)],
)


def _calls(draw: Draw) -> Instance:
    """As `models`, with a rule that may drop each token of each draft of a call."""
    instance = {name: value for name, value in models(draw).items() if name != "ends"}
    return {**instance, "drops": np.array([[bool(draw.integer(0, 1)) for _ in range(2)] for _ in range(2)])}


def _written(p: Array, q: Array, gamma: int, length: int, drops: Array) -> Array:
    def ends(q: Array, path: tuple[int, ...]) -> bool:
        return bool(drops[len(path) - 1, path[-1]])

    verifier = told_verifier(kept_law(ends))
    return by_text(markov(p), markov(q), lambda text: dropping_last(ends), verifier, gamma, length)


def _text_by_q(p: Array, q: Array, gamma: int, length: int, drops: Array) -> Array:
    """The verifier is told q, though drafts were dropped."""
    rule = dropping_last(lambda law, path: bool(drops[len(path) - 1, path[-1]]))
    return by_text(markov(p), markov(q), lambda text: rule, told_verifier(), gamma, length)


TEXT = identity(
    name="stop.dropped-repair.text",
    statement=r"Calls whose drafts end where a token is dropped, by any rule on its number and the token, the "
    r"verifier told at each position the law given that the token was kept: the text has the target's law",
    reference="own statement, after llama.cpp #27694",
    instances=_calls,
    lhs=_written,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    sources=("exact",),
    broken=[broken("the verifier is given q", lhs=_text_by_q)],
)
