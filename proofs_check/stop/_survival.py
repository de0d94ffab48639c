"""One step in which a drafted token x survives with probability s(x): the laws, and what each verifier makes of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, le, total, x
from simspec.laws import exact
from simspec.laws.unchecked import normalise

__all__ = ["KEEPS", "REDRAWS", "Survival", "kept_part", "redrawn", "survival", "values"]

KEEPS = "a survivor is kept with probability min(1, p over what is told)"
REDRAWS = "the residual is what is left of p over its sum"


class Survival(NamedTuple):
    """Laws, survival probabilities s, their mean S; q sums to one, p does, s ≤ 1, S = Σ q s."""

    p: Any
    q: Any
    s: Any
    S: Any
    mass_p: Fact
    mass_q: Fact
    most: Fact
    mean: Fact

    @property
    def both(self) -> Any:
        """min(p, q)."""
        return sp.Min(self.p[x], self.q[x])


def survival(d: Derivation) -> Survival:
    """The laws and the rule, any one."""
    (p, mass_p) = d.law("p")
    (q, mass_q) = d.law("q")
    s = d.weights("s")
    at_most_one = d.domain("s is a probability", le(s[x], 1))
    S = sp.Symbol("S", real=True)
    return Survival(
        p=p,
        q=q,
        s=s,
        S=S,
        mass_p=mass_p,
        mass_q=mass_q,
        most=at_most_one,
        mean=d.define("the probability to survive", S, total(q[x] * s[x], x)),
    )


def kept_part(d: Derivation, v: Survival, accepted_mass: Any, name: str = "a") -> tuple[Any, Fact]:
    """Probability a(x) that a survivor is kept, by the mass q s a that it has then."""
    a = d.weights(name)
    return a, d.domain(KEEPS, eq(v.q[x] * v.s[x] * a[x], accepted_mass))


def redrawn(d: Derivation, residual: Any, constant: int = 1) -> tuple[Any, Fact, Fact]:
    """The residual law r of a mass that is left: itself, that it sums to one, and what it is."""
    r, mass = d.law("r")
    return r, mass, d.domain(REDRAWS, eq(r[x] * total(residual, x), constant * residual))


def values(p: Any, q: Any, s: Any, left: Any, kept: Any, name: str = "a") -> dict[str, Any]:
    """What the symbols stand for, with the residual of `left` and the survivors that are kept by their mass."""
    survivor_mass = q * s
    keep = exact([k / w if w else 0 for k, w in zip(kept, survivor_mass, strict=True)])
    return {"p": p, "q": q, "s": s, "r": normalise(np.maximum(left, 0), otherwise=p), name: keep, "V": len(p)}
