"""relaxed.typical-mode: −H is a mean of logarithms of masses, none above that of the largest."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME, grows, larger, logs
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Proof, eq, ge, gt, le, total, x
from simspec.claims.relaxed.typical_mode import TYPICAL_MODE

LARGEST = "m is positive, and no mass exceeds it"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law and δ.

    Attained by uniform laws: there the limit is δ max p.
    """
    lg = logs(d)
    g, delta, grow = grows(d)
    p, mass = d.law("p")
    factor = d.number("theta", 0)
    m = sp.Symbol("m", positive=True)
    some, largest_bound = d.domain(LARGEST, gt(m, 0), le(p[x], m))
    z, is_z = zeros(d, "z", p)
    L = sp.IndexedBase("L", real=True)
    K = sp.Symbol("K", real=True)
    means = d.define("log p, or 0 where p is 0", L[x], sp.log(p[x] + z[x]), is_z[2])
    neg = d.define("−H", K, sign * total(p[x] * L[x], x))
    away = d.case("p is 0", le(p[x], 0))
    goal = le(p[x] * L[x], p[x] * sp.log(m))
    first = d.smt("nothing", goal, away, d.derive("sizes", ge(p[x], 0)), some)
    here = d.case("p is positive", gt(p[x], 0))
    order = d.smt("no larger", le(p[x] + z[x], m), largest_bound, is_z[0], here)
    log = larger(d, lg, p[x] + z[x], m, order, is_z[2])
    second = d.smt("so is its logarithm", goal, log, means, here, some)
    per_token = d.sum("over the vocabulary", d.cases("whether p is 0", second, first), x)
    mean_bound = d.smt("the mean is no larger", ge(sp.log(m) - K, 0), per_token, neg, mass)
    higher = d.instantiate("exp grows", grow, {g: K, delta: sp.log(m) - K}, mean_bound)
    exp_of_log = d.derive("exp of a logarithm", eq(sp.exp(K + sp.log(m) - K), m))
    exponential_bound = d.smt("exp(−H) ≤ m", le(sp.exp(K), m), higher, exp_of_log)
    goal = ge(m - factor * sp.exp(K), (1 - factor) * constant * m)
    d.qed(d.smt("the limit is below", goal, exponential_bound))


def bind(p: Any, delta: Any) -> dict[str, Any]:
    return {**SOME, "p": p, "theta": delta, "m": p.max(), "z": flags(p == 0), "V": len(p)}


PROOF = Proof(TYPICAL_MODE, prove, drop=LARGEST, bind=bind)
