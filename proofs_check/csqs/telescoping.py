"""csqs.telescoping: the mass dropped is α for each token and what the threshold fell by, over the step size."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from typing import Any, NoReturn

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, gt, laws
from proofs_check.rules.smt import model
from simspec.claims.csqs.parts import distances
from simspec.claims.csqs.telescoping import TELESCOPING, TELESCOPING_CORRECTED
from simspec.laws import Array
from simspec.methods.csqs.conformal import draft_thresholds

DISTANCE = "the distance is the dropped mass, and 1 where nothing is kept (see sqs.dropped-mass)"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every text, start, step size and target; both readings of an empty set; TV by sqs.dropped-mass, and 1, all that
    is dropped, for the empty set of the literal reading.
    """
    n, T = sp.symbols("n T", integer=True, nonnegative=True)
    reading = sp.Symbol("reading", integer=True)  # of an empty set: literal, or keep-top
    alpha = d.number("alpha")
    eta = d.number("eta", positive=True)
    drop = sp.IndexedBase("drop", real=True)
    start = sp.Symbol("start", real=True)
    beta, S, tv = (sp.IndexedBase(name, real=True) for name in ("beta", "S", "tv"))
    distance = d.domain(DISTANCE, eq(tv[reading, n], drop[reading, n]))
    at_start, update = d.recursion(
        "the threshold, Eq. 8",
        eq(beta[reading, 0], start),
        eq(beta[reading, n + 1], beta[reading, n] - eta * (sign * drop[reading, n] - alpha)),
    )
    none, distance_step = d.recursion(
        "what has been dropped", eq(S[reading, 0], 0), eq(S[reading, n + 1], S[reading, n] + tv[reading, n])
    )
    statement = eq(S[reading, n], constant * alpha * n + (start - beta[reading, n]) / eta)
    for_every_n = d.inductive("for every n", statement, n, [none, at_start], [distance_step, update, distance])
    d.qed(d.instantiate("at the end", for_every_n, {n: T}))


def _values(q: Array, start: Fraction, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    runs = [draft_thresholds(q, start, step_size, dropped_target, top) for top in (False, True)]
    return {
        **{
            "drop": lambda reading, n: runs[reading].dropped[n],
            "tv": lambda reading, n: distances(q, runs[reading])[n],
        },
        **{"start": start, "eta": step_size, "alpha": dropped_target},
        **{"T": len(q), "ranges": {"reading": range(2), "n": range(len(q))}},
    }


def no_rise() -> NoReturn:
    """A model of the printed identity's negation where the threshold has not risen: there is none."""
    lost, alpha, start, end = sp.symbols("lost alpha start end", real=True)
    fall = sp.Symbol("fall", nonnegative=True)
    values = model([eq(start, end + fall), eq(end, start - lost + alpha), gt(sp.Abs(lost - alpha - sp.Abs(fall)), 0)])
    raise AssertionError(values)


PROOFS = (
    Proof(TELESCOPING_CORRECTED, prove, drop=DISTANCE, bind=_values),
    Refutation(
        TELESCOPING,
        lambda: (
            {"q": q[None], "start": F(0), "step_size": F(1), "dropped_target": F(1, 2)}
            for vocab in (1, 2, 3)
            for q in laws(vocab, 1)
        ),
        scope="the first of all point masses, vocabulary by vocabulary: one token, V = 1",
        repaired={"the threshold does not rise": no_rise},
    ),
)
