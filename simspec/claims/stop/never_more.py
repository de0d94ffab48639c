"""A rule that ends the draft early never raises the mean number of accepted drafts.

`stop.never-more`: own statement.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, Instance, bound, matrix, swapped
from simspec.claims.stop.parts import after, models
from simspec.claims.texts import markov
from simspec.methods.stop import ending, told_verifier
from simspec.methods.verifier.verifier import Drafting, one_path, outcomes


def _call(draw: Draw) -> Instance:
    return {name: value for name, value in models(draw).items() if name != "length"}


def _accepted(p: Array, q: Array, gamma: int, drafting: Drafting) -> Any:
    outcome_list = outcomes(told_verifier(), markov(p), markov(q), gamma, drafting)
    return sum(o.probability * o.accepted for o in outcome_list)


NEVER_MORE = bound(
    name="stop.never-more",
    statement=r"Under token verification a rule that ends the draft, every drafted token being verified, never raises $E[\tau]$",
    reference="own statement, after Mamou et al. 2024 (DISCO)",
    instances=_call,
    lhs=lambda p, q, gamma, ends: _accepted(p, q, gamma, ending(lambda law, x: bool(after(ends[len(x)], x)))),
    rhs=lambda p, q, gamma: _accepted(p, q, gamma, one_path),
    sources=("exact",),
    tight=({"p": matrix("1 0", "1 0", "1 0"), "q": matrix("0 1", "0 1", "0 1"), "gamma": 2, "ends": [[True] * 3] * 4},),
    note="What it saves is time: drafts that would have been refused. Of block verification it says nothing.",
    broken=[swapped()],
)
