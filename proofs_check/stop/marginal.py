"""stop.marginal: the difference of the two speeds, times the longer time, is α^(γ + 1) − c S(γ)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.cost._powers import n, powers
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt
from simspec.claims.stop.marginal import MARGINAL, one_more

RISES = "rises says where S rises"
PAYS = "pays says where the power exceeds the cost"
DRAFTS = sp.Symbol("drafts", integer=True, nonnegative=True)


def _bit(d: Derivation, name: str, description: str, value: Any) -> tuple[Any, list[Fact]]:
    """1 where a number is positive, else 0."""
    bit = sp.IndexedBase(name, real=True)
    return bit, d.domain(
        description,
        eq(bit[n] * (1 - bit[n]), 0),
        gt(bit[n] * value + (1 - bit[n]), 0),
        ge((bit[n] - 1) * value, 0),
    )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every rate, cost and number of drafts."""
    alpha = d.number("alpha", 0, 1)
    cost = d.number("cost", 0)
    sums = powers(d, alpha)
    A = sums.A
    time = n * cost + 1
    longer = (n + 1) * cost + 1
    speed_gain = sp.IndexedBase("more", real=True)
    gain = sp.IndexedBase("gain", real=True)
    speeds = d.define("what one more draft gains", speed_gain[n], (A[n + 1] + 1) / longer - (A[n] + 1) / time)
    power = d.define("what it accepts over its cost", gain[n], alpha ** (n + 1) - constant * cost * (A[n] + 1) / time)
    same = d.derive("times the longer time", eq(speed_gain[n] * longer, sign * gain[n]), speeds, power, sums.more)
    rises, first = _bit(d, "rises", RISES, speed_gain[n])
    pays, second = _bit(d, "pays", PAYS, gain[n])
    rises_iff_pays = d.smt("both or neither", eq(rises[n], pays[n]), same, *first, *second)
    d.qed(d.instantiate("for every number of drafts", rises_iff_pays, {n: DRAFTS}))


def _values(alpha: Any, cost: Any, gamma: int) -> dict[str, Any]:
    def bit(at: int) -> Any:
        return lambda k: int(one_more(alpha, cost, k)[at] > 0)

    ranges = {"n": range(gamma + 1)}
    return {"alpha": alpha, "cost": cost, "drafts": gamma, "rises": bit(0), "pays": bit(1), "ranges": ranges}


PROOF = Proof(MARGINAL, prove, drop=PAYS, bind=_values)
