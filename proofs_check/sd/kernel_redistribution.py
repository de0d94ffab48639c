"""sd.kernel-redistribution: what is left after the move still covers the overlap, token by token."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.sd.kernel_redistribution import KERNEL_REDISTRIBUTION, KERNEL_REDISTRIBUTION_SHARP


def prove(d: Derivation, sign: int = 1, largest: int = 1) -> None:
    """Every vocabulary size, pair of laws, share of each token's kernel, and law that receives it.

    No gain is guaranteed: there is none where the mass lands on tokens of which the target wants no more.
    sd.kernel-redistribution-sharp gives the exact gain.
    """
    p, _ = d.law("p")
    q, _ = d.law("q")
    onto, _ = d.law("onto")
    share = d.weights("share")
    within_kernel = d.domain("no more is taken from a token than its kernel", le(share[x], largest))
    removed = share[x] * sp.Max(q[x] - p[x], 0)
    moved_mass = total(removed, x)
    some = d.summed("no token gives less than nothing", ge(removed, 0), then="all that is moved")
    overlap_remains = d.derive("a token keeps what overlaps", ge(q[x] - removed, sp.Min(p[x], q[x])), within_kernel)
    nonnegative_gain = d.derive("and gets a part of what is moved", ge(sign * moved_mass * onto[x], 0), some)
    new = q[x] - removed + sign * moved_mass * onto[x]
    token = d.derive(
        "so its overlap is not smaller", ge(sp.Min(p[x], new), sp.Min(p[x], q[x])), overlap_remains, nonnegative_gain
    )
    d.qed(d.sum("over the vocabulary", token, x))


def exact(d: Derivation, sign: int = 1, largest: int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    p = d.weights("p")
    q = d.weights("q")
    onto = d.weights("onto")
    share = d.weights("share")
    within_kernel = d.domain("no more is taken from a token than its kernel", le(share[x], largest))
    removed = share[x] * sp.Max(q[x] - p[x], 0)
    moved_mass = total(removed, x)
    some = d.summed("no token gives less than nothing", ge(removed, 0), then="all that is moved")
    remaining = sp.IndexedBase("left", real=True)
    got = sp.IndexedBase("got", real=True)
    stays = d.define("what a token is left with", remaining[x], q[x] - removed)
    gets = d.define("what it gets", got[x], sign * moved_mass * onto[x])
    nonnegative_gain = d.derive("what it gets is not negative", ge(got[x], 0), gets, some)
    lacks = sp.Max(p[x] - q[x], 0)
    same = d.derive("it lacks what it lacked", eq(sp.Max(p[x] - remaining[x], 0), lacks), stays, within_kernel)
    token = eq(sp.Min(p[x], remaining[x] + got[x]), sp.Min(p[x], q[x]) + sp.Min(lacks, got[x]))
    token = d.derive("and is accepted up to that", token, nonnegative_gain, same)
    new = q[x] - removed + moved_mass * onto[x]
    onto_it = moved_mass * onto[x]
    token = d.summed("in full", eq(sp.Min(p[x], new), sp.Min(p[x], q[x]) + sp.Min(lacks, onto_it)), token, stays, gets)
    gain = total(sp.Min(p[x], new), x) - total(sp.Min(p[x], q[x]), x)
    d.qed(d.derive("the gain", eq(gain, total(sp.Min(lacks, onto_it), x)), token))


PROOFS = (
    Proof(
        KERNEL_REDISTRIBUTION,
        prove,
        drop="no more is taken from a token than its kernel",
        change={"largest": 2},
        bind=lambda p, q, share, onto: {"p": p, "q": q, "share": share, "onto": onto, "V": len(p)},
    ),
    Proof(
        KERNEL_REDISTRIBUTION_SHARP,
        exact,
        drop="no more is taken from a token than its kernel",
        change={"largest": 2},
        bind=lambda p, q, share, onto: {"p": p, "q": q, "share": share, "onto": onto, "V": len(p)},
    ),
)
