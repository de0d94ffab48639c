"""Counterexamples that one step can show: each refuted claim whose instance is a pair of laws with a rule's parameters.

Instances are those on record with the proofs; both sides of the claim are computed from them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from simspec.claims import registry
from simspec.claims.deciding.proved import record
from simspec.files import plain
from simspec.laws import exact
from simspec.methods import pivots

__all__ = ["ELSEWHERE", "VIEWS", "counterexamples", "fragment", "recorded"]

Values = Mapping[str, Any]
View = tuple[str, dict[str, Any]]


def _pad(i: Values, flags: Any, **extra: Any) -> dict[str, Any]:
    return {"rule": "pad", "p": i["p"], "q": i["q"], "flags": flags, **extra}


def _ears(i: Values, residual: str = "own", beta: Any = 0) -> dict[str, Any]:
    return {"rule": "ears", "p": i["p"], "q": i["q"], "beta": i.get("beta", beta), "residual": residual}


def _tli_and(rule: Callable[[Values], dict[str, Any]]) -> Callable[[Values], Iterator[View]]:
    def views(i: Values) -> Iterator[View]:
        yield "the step under TLI", {"rule": "tli", "p": i["p"], "q": i["q"], "shared": i["shared"]}
        yield "the step under RDK", {"p": i["p"], "q": i["q"], "shared": i["shared"], **rule(i)}

    return views


def _pairs(i: Values) -> Iterator[View]:
    yield "the first pair", {"rule": "sd", "p": i["p"], "q": i["q"]}
    yield "the second pair", {"rule": "sd", "p": i["p2"], "q": i["q2"]}


def _leaking(i: Values) -> Iterator[View]:
    same = {"rule": ("rdk-affine", "rdk-normalised")[i["form"]], "q": i["q"], "shared": i["shared"], "prior": "target"}
    (c,) = set(i["c"])
    for label, p in (("the first target", i["p"]), ("the second target", i["p2"])):
        yield label, {**same, "p": p, "strength": Fraction(c) / Fraction(i["tau"])}


def _signals(i: Values) -> Iterator[View]:
    for n, place in enumerate(("first", "second")):
        pair = {"p": i["p"][n], "q": i["q"][n]}
        yield f"{place} context, 1 − max p", {"rule": "ears", **pair, "beta": i["beta"]}
        yield f"{place} context, the other signal", {"rule": "ears-constant", **pair, "beta": i["u"][n]}


def _called(i: Values) -> Iterator[View]:
    p = _vector(i["p"])
    after = _vector(i["after"])
    true = pivots(np.atleast_1d((p * after).sum()), after[None])[0]
    yield "this pair", _pad(i, (true | np.array(i["extra"])).tolist())


def _counted(i: Values) -> Iterator[View]:
    if all(i["kept"]):
        yield "this law, as p and q", {"rule": "dense", "p": i["q"], "q": i["q"], "resolution": i["resolution"]}


def _one(view: Callable[[Values], dict[str, Any]]) -> Callable[[Values], Iterator[View]]:
    return lambda i: iter([("this pair", view(i))])


VIEWS: dict[str, tuple[Callable[[Values], Iterator[View]], str]] = {
    "sd.inverse-proportional": (_pairs, "Acceptance times rejected mass is not the same for both pairs."),
    "rdk.never-worse": (_tli_and(lambda i: {"rule": "rdk", "affinity": i["M"]}), "TLI accepts more than RDK."),
    "rdk.any-drafter": (_tli_and(lambda i: {"rule": "rdk", "affinity": i["M"]}), "TLI accepts more than RDK."),
    "rdk.approximator-available.target": (_leaking, "Only p differs, and with it the drafts."),
    "ears.beta-zero.fresh": (_one(lambda i: _ears(i, "fresh")), "The tolerance is 0, and the output is not p."),
    "ears.fidelity.fresh": (_one(lambda i: _ears(i, "fresh")), "The output distribution is not p."),
    "ears.fidelity.residual": (_one(_ears), "The output distribution is not p."),
    "ears.support": (_one(_ears), "The rule accepts part of a token that p never emits."),
    "ears.bias-bound.fresh": (_one(lambda i: _ears(i, "fresh")), "The bias is above β(1 − max p)."),
    "ears.other-uncertainty": (_signals, "The mean bias of both signals is the same, and so is their mean acceptance."),
    "pad.guardrail.every": (
        _one(lambda i: _pad(i, [True] * len(i["p"]), limit=i["limit"], guardrail="every")), "The output distribution is not p."),
    "pad.accepted-not-pivot": (_called, "The rule accepts part of a pivot."),
    "pad.replacement-law": (
        _one(lambda i: _pad(i, i["flags"])), "Replacements do not follow p times the rejection rate."),
    "sqs.positive-counts": (_counted, "A token that is kept is drafted with probability 0: its count is 0."),
}  # fmt: skip
"""For each claim: from the instance on record to labelled states of the page, and what to look at."""

ELSEWHERE = {
    "rdk.taylor-order-approximate": "a coefficient of an expansion",
    "sqs.rejection-count": "a count over a text",
    "sqs.rejection.drawn-from-q": "a count over a text",
    "sqs.k-no-significance": "two numbers of kept tokens",
    "ears.critical-path": "a number of comparisons",
    "ears.other-uncertainty.same-tokens": "tokens of a block of two drafts",
    "ears.beta-optimal": "a weighed sum at three tolerances",
    "rdk.minimise-kernel.l2": "two drafts",
    "rdk.small-overlap.draft": "a mass on the shared vocabulary",
    "rdk.best-affinity.one-target": "laws of several contexts and an affinity",
    "rdk.best-affinity.means": "laws of several contexts and an affinity",
}
"""Refuted claims about a pair of laws whose failure no single step shows, and what they are about."""


def counterexamples() -> list[dict[str, Any]]:
    """Claims with the states of the page that show their counterexample, as {id, statement, …, sides, views}.

    >>> [c["views"][0][1] for c in counterexamples() if c["id"] == "ears.fidelity.residual"]
    ['claim=ears.fidelity.residual&rule=ears&p=1,1&q=0,1&beta=1']
    """
    claims = registry()
    entries = []
    for name, (views, look) in VIEWS.items():
        claim = claims[name]
        sides = [_text(side) for side in claim.sides(recorded(name))]
        states = [(label, fragment({"claim": name, **state})) for label, state in views(_on_record(name))]
        entries.append({"id": name, "statement": claim.statement, "reference": claim.reference, "note": claim.note,
                      "corrected_by": claim.corrected_by, "relation": claim.relation.__name__, "sides": sides,
                      "look": look, "views": states})  # fmt: skip
    return entries


def _on_record(name: str) -> dict[str, Any]:
    return next(e["instance"] for e in record()["proofs"][name] if e["kind"] == "counterexample")


def recorded(name: str) -> dict[str, Any]:
    """A counterexample on record, as the arguments of its claim.

    >>> recorded("ears.fidelity.residual")["beta"]
    Fraction(1, 1)
    """
    return {key: _value(v) for key, v in _on_record(name).items()}


def _value(v: Any) -> Any:
    """An argument of a claim from its plain form: lists are arrays, of flags or of fractions."""
    if isinstance(v, list):
        array = np.array(v)
        return array if array.dtype == bool else _vector(v)
    return Fraction(v) if isinstance(v, str) else v


def _vector(v: Any) -> Any:
    return exact(np.array(v, dtype=object))


def _text(side: Any) -> str:
    rows = plain(side)
    return "(" + ", ".join(map(str, rows)) + ")" if isinstance(rows, list) else str(rows)


def fragment(state: Mapping[str, Any]) -> str:
    """The part of an address that holds a state: laws and matrices as whole weights, flags as digits.

    >>> fragment({"rule": "tli", "p": ["1/2", "1/3", "1/6"], "shared": [True, True, False]})
    'rule=tli&p=3,2,1&shared=110'
    """
    return "&".join(
        f"{name}={_written(value)}" for name, value in state.items() if (name, value) != ("residual", "own")
    )


def _written(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if isinstance(value[0], bool):
        return "".join("01"[flag] for flag in value)
    if isinstance(value[0], list):
        return ";".join(map(_written, value))
    scale = lcm(*(Fraction(v).denominator for v in value))
    return ",".join(str(Fraction(v) * scale) for v in value)
