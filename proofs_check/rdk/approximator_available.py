"""rdk.approximator-available: Eq. 3 has the target in it and must wait for the pass; with a prior in its place it need not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, V, eq, ge, j, laws, total
from simspec.claims.claim import Instance
from simspec.claims.rdk.approximator_available import AVAILABLE_PRIOR, AVAILABLE_TARGET, KNOWN_BEFORE
from simspec.laws import Array, exact, restrict


def by_size(vocabularies: range = range(1, 3), prior: bool = False) -> Iterator[Instance]:
    """Two point masses as targets, a point mass as draft, factors and temperature 1, the three forms, by vocabulary."""
    for vocab, form in product(vocabularies, range(3)):
        unit_factors = exact([1] * vocab)
        for p, p2, q in product(laws(vocab, 1), repeat=3):
            yield {
                **{"p": p, "p2": p2, "prior": unit_factors / vocab if prior else None, "q": q},
                **{"shared": np.ones(vocab, dtype=bool), "c": unit_factors, "tau": unit_factors[0], "form": form},
            }


def drafted(law: sp.IndexedBase, t: sp.Symbol, form: sp.Symbol, sign: int = 1, constant: int = 1) -> sp.Expr:
    """Eq. 3 in its form 0 (affine), 1 (normalised) or 2 (exponential)."""
    linear = 1 + constant * t * law[j]
    e = sp.exp(t * law[j])
    forms = (1 + sign * t * (law[j] - 1 / V)) / V, linear / total(linear, j), e / total(e, j)
    form_weights = (1 - form) * (2 - form) / 2, form * (2 - form), form * (form - 1) / 2
    return sp.Add(*[a * b for a, b in zip(form_weights, forms, strict=True)])


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, prior, draft, temperature and two targets, all factors that are not negative; the three forms."""
    first_target, two, prior, draft, c = (d.weights(name) for name in ("one", "two", "prior", "draft", "c"))
    tau = d.number("tau", positive=True)
    form = d.number("form", 0, 2)
    t = sp.Symbol("t", nonnegative=True)
    term = d.derive("a term of s", ge(draft[j] * c[j] / tau, 0))
    d.define("the tilt s/τ of the draft", t, total(draft[j] * c[j], j) / tau, d.sum("over the vocabulary", term, j))
    targets_are_prior = d.assume(KNOWN_BEFORE, eq(first_target[j], prior[j]), eq(two[j], prior[j]))
    facts = []
    for law, fact in zip((first_target, two), targets_are_prior, strict=True):
        same = d.derive("what stands for p", eq(law[j], prior[j]), fact)
        linear = d.sum("and its sum", same, j)
        e = d.derive("its exponential", eq(sp.exp(t * law[j]), sp.exp(t * prior[j])), fact)
        facts.append((d.sum("and its sum", e, j), linear, same))
    goal = eq(drafted(first_target, t, form), drafted(two, t, form, sign, constant))
    d.qed(d.derive("the same entries in the same formula", goal, *facts[0], *facts[1]))


def _values(
    p: Array, p2: Array, prior: Array, q: Array, shared: Array, c: Array, tau: Fraction, form: int
) -> dict[str, Any]:
    stand_ins = (p, p2) if prior is None else (prior, prior)
    return {
        **{"one": stand_ins[0], "two": stand_ins[1], "prior": prior, "draft": restrict(q, shared), "c": c},
        **{"tau": tau, "form": form, "V": len(p)},
    }


PROOFS = (
    Refutation(
        AVAILABLE_TARGET,
        by_size,
        scope="the first of all pairs of point masses as targets, by vocabulary; with one token there is only one target",
        repaired={KNOWN_BEFORE: (AVAILABLE_PRIOR, lambda: by_size(prior=True)), "V = 1": lambda: by_size(range(1, 2))},
    ),
    Proof(AVAILABLE_PRIOR, prove, drop=KNOWN_BEFORE, bind=_values),
)
