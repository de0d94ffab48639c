"""rdk.gaussian-advantage: where z_a > z_b the target has p_b ≤ ½, and what M takes from b above one half only helps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, i, laws, le, total, x
from proofs_check.rdk._finite_events import c, favoured, likelier, probability
from proofs_check.rdk._finite_events import values as events
from simspec.claims.balls import ball
from simspec.claims.claim import Instance
from simspec.claims.rdk.gaussian_advantage import (
    APART,
    EXCESS,
    GAUSSIAN_ADVANTAGE,
    GAUSSIAN_ADVANTAGE_CORRECTED,
    ROWS,
    SHARE,
    VANILLA,
    VANILLA_CORRECTED,
)
from simspec.laws import exact


def normal_cdf(z: sp.Expr) -> Any:
    return (1 + sp.erf(z / sp.sqrt(2))) / 2


def phi_rises(d: Derivation, at: sp.Expr, *three: Fact) -> Fact:
    """Φ(at) ≥ Φ(3) from at ≥ 3."""
    u, v = sp.symbols("u_0 v_0", real=True)
    right = d.suppose("v ≥ u", ge(v - u, 0))
    slope = d.derive("Φ rises", ge(sp.diff(normal_cdf(v), v), 0))
    rises = d.increasing("from u on", normal_cdf(v), v, u, slope, right)
    return d.instantiate("at least Φ(3)", rises, {u: sp.Integer(3), v: at}, *three)


def prove(d: Derivation, sign: int = 1, staying_mass: sp.Expr = sp.S.Half, spread: int = 3) -> None:
    """Every vocabulary, draft, matrix and pair of Gaussian logits, ρ = ±1 included; probabilities are those of the
    finitely many events on which neither z_a ≥ z_b nor “RDK is worse” changes, and the law of z_a − z_b is cited.

    Φ(3) is the infimum over Gaussian logits: at ρ = −1, with equality in the condition, and with M sending what it
    takes from b to a third token of negligible mass, RDK is worse as soon as z_b is above z_a. Where logits take two
    values only, as in the instances, the probability is higher.
    """
    advantage(d, sign=sign, staying_mass=staying_mass, spread=spread)


def prove_vanilla(d: Derivation, sign: int = 1, staying_mass: sp.Expr = sp.S.Half, spread: int = 3) -> None:
    """Every vocabulary, draft, matrix, share of the draft on the shared tokens and pair of Gaussian logits, as for TLI.

    Φ(3) is the infimum, as for TLI, which is share 1.
    """
    share = d.number("share", 0)
    at_most = d.assume(SHARE, gt(share, 0), le(share, 1))[1]
    advantage(d, share, at_most, sign=sign, staying_mass=staying_mass, spread=spread)


def advantage(
    d: Derivation, share: sp.Expr | int = 1, *at_most: Fact, sign: int, staying_mass: sp.Expr, spread: int
) -> None:
    """RDK accepts at least Σ min(p, share·d) with probability Φ(3) at least, for a share of at most 1."""
    p, mass = d.law("p", c)
    q = d.weights("d")  # what the drafter knows
    M = sp.IndexedBase("M", real=True)
    r = sp.IndexedBase("r", real=True)
    is_a, is_b = (sp.IndexedBase(name, real=True) for name in ("is_a", "is_b"))
    _one_a, one_b, apart = d.domain(
        "a and b are two tokens", ge(is_a[x], 0), eq(is_b[x] ** 2, is_b[x]), le(is_a[x] + is_b[x], 1)
    )
    rows = d.assume(ROWS, ge(M[i, x], 0), eq(total(M[i, x], x), 1))[0]
    others, half = d.assume(
        EXCESS, eq((1 - is_b[x]) * q[x] * (1 - M[x, x]), 0), ge(is_b[x] * (q[x] * M[x, x] - staying_mass), 0)
    )
    drafted = d.define("what RDK drafts from", r[x], total(q[i] * M[i, x], i))

    # where z_a ≥ z_b, p_b ≤ ½
    event, likely = likelier(d, p, is_a, is_b, one_b)
    two = d.smt("a and b among all tokens", le((is_a[x] + is_b[x]) * p[c, x], p[c, x]), apart)
    two = d.sum("over the tokens", two, x)
    half_bound = le(favoured[c] * (2 * total(is_b[x] * p[c, x], x) - 1), 0)
    two = d.smt("so b has at most half", half_bound, two, mass, likely, event[0])
    b_mass = d.smt("no mass is negative", ge(is_b[x] * p[c, x], 0), one_b)
    b_mass = d.term("one token among all", b_mass, x)
    b_mass = d.smt("at b", le(favoured[c] * (is_b[x] * p[c, x] - sp.S.Half), 0), b_mass, two, event[0])
    # then no token's overlap falls
    staying_bound = d.smt("what a row sends", ge(q[i] * M[i, x], 0), rows)
    staying_bound = d.term("one row among all", staying_bound, i, x)
    staying_bound = d.smt("what a token keeps", ge(r[x], sign * q[x] * M[x, x]), staying_bound, drafted)
    diagonal = d.instantiate("on the diagonal", rows, {i: x})
    rdk = sp.Min(p[c, x], r[x])
    tli = sp.Min(p[c, x], share * q[x])
    token = d.smt(
        "for each token",
        ge(favoured[c] * rdk, favoured[c] * tli),
        *(staying_bound, b_mass, others, half, one_b, diagonal, event[0], *at_most),
    )
    better = d.sum("RDK is no worse than TLI where z_a ≥ z_b", token, x)
    P, likely, probability_bound = probability(d, event, total(tli, x), total(rdk, x), better)

    # which happens with probability at least Φ(3)
    mu_a, mu_b, rho = sp.symbols("mu_a mu_b rho", real=True)
    sigma_a, sigma_b = sp.symbols("sigma_a sigma_b", positive=True)
    width = sp.Symbol("width", nonnegative=True)
    d.domain("deviations are positive", gt(sigma_a, 0), gt(sigma_b, 0), ge(width, 0))
    correlated = d.domain("a correlation", ge(rho, -1))
    variance = d.domain(
        "z_a − z_b has its deviation", eq(width**2, sigma_a**2 + sigma_b**2 - 2 * rho * sigma_a * sigma_b)
    )
    far = d.assume(APART, ge(mu_a - spread * sigma_a, mu_b + spread * sigma_b))
    three = normal_cdf(sp.Integer(3))
    goal = ge(likely, three)
    spreads = d.case("z_a − z_b varies", gt(width, 0))
    width_ = d.smt("at most the sum of the two", le(width, sigma_a + sigma_b), variance, correlated)
    z = d.smt("so the mean is three deviations off", ge((mu_a - mu_b) / width, 3), far, width_, spreads)
    chance = phi_rises(d, (mu_a - mu_b) / width, z, spreads)
    normal = eq(likely, normal_cdf((mu_a - mu_b) / width))
    normal = d.cite("z_a − z_b is Gaussian", normal, "a difference of jointly Gaussian numbers is Gaussian", spreads)
    varies = d.smt("together", goal, chance, normal)
    certain = d.case("z_a − z_b does not vary", le(width, 0))
    mean = d.smt("its mean is positive", gt(mu_a - mu_b, 0), far)
    always = d.cite("so it is its mean", eq(likely, 1), "a number of deviation zero is its mean", certain, mean)
    small = d.numeric("Φ(3) is below one", le(three, 1))
    fixed = d.smt("together", goal, always, small)
    d.qed(d.smt("in both", ge(P, three), d.cases("varying or not", varies, fixed), probability_bound))


def values(mu_a: F, mu_b: F, sigma_a: F, sigma_b: F, rho: F, **draft: Any) -> dict[str, Any]:
    above = draft["above"]
    d = draft["d"]
    M = draft["M"]
    share = draft.get("share", F(1))
    normal = {"mu_a": mu_a, "mu_b": mu_b, "sigma_a": sigma_a, "sigma_b": sigma_b, "rho": rho}
    square = sigma_a**2 + sigma_b**2 - 2 * rho * sigma_a * sigma_b
    width = ball(square).sqrt() if square else F(0)
    ones = np.eye(len(d), dtype=int)
    return {
        **{**normal, "width": width, "h": 0, "d": d, "M": M, "share": share, "is_a": ones[0], "is_b": ones[above]},
        **events(mu_a - mu_b, width, above, d, M, share),
    }


GAUSSIAN: Instance = {"mu_a": F(6), "mu_b": F(0), "sigma_a": F(1), "sigma_b": F(1), "rho": F(0), "above": 1}


def pruned(*vocabs: int) -> Iterator[Instance]:
    """One pruned token above the others; drafts with masses in halves, each row of M one token."""
    for vocab in vocabs:
        for draft in laws(vocab - 1, 2):
            for to in product(range(vocab), repeat=vocab):
                rows = exact(np.eye(vocab, dtype=int))[list(to)]
                yield {**GAUSSIAN, "d": np.concatenate([exact([0]), draft]), "M": rows}


def half_pruned(*vocabs: int) -> Iterator[Instance]:
    """The same with half of the draft's mass on the shared tokens."""
    return ({**case, "share": F(1, 2)} for case in pruned(*vocabs))


PROOFS = (
    Refutation(
        GAUSSIAN_ADVANTAGE,
        lambda: pruned(2, 3),
        scope="the first with one pruned token above V − 1 shared ones, means 6 apart, unit variances, drafts with masses in "
        "halves, and a matrix that sends each token to one: V = 3",
        repaired={EXCESS: GAUSSIAN_ADVANTAGE_CORRECTED, "one shared token only": lambda: pruned(2)},
    ),
    Proof(
        GAUSSIAN_ADVANTAGE_CORRECTED,
        prove,
        drop="the event z_a ≥ z_b, or its complement",
        change={"staying_mass": sp.Rational(1, 3)},
        bind=values,
    ),
    Refutation(
        VANILLA,
        lambda: half_pruned(2, 3),
        scope="as for TLI, with half of the draft's mass on the shared tokens: V = 3",
        repaired={EXCESS: VANILLA_CORRECTED, "one shared token only": lambda: half_pruned(2)},
    ),
    Proof(
        VANILLA_CORRECTED,
        prove_vanilla,
        drop=SHARE,
        change={"staying_mass": sp.Rational(1, 3)},
        bind=values,
    ),
)
