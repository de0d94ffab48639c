"""rdk.sharpness: entropies of two temperatures differ by a divergence and a change of mean, and Gibbs' inequality signs both."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, i, j, le, total
from proofs_check.rdk._tilted_laws import at_least_one
from simspec.claims.rdk.sharpness import HOTTER, SHARPNESS

omega = sp.IndexedBase("omega", real=True)


class Rows(NamedTuple):
    """The rows of Eq. 2 at one temperature, their logarithms, and what is known of them."""

    law: Any
    logs: Any
    normaliser: Any
    log_normaliser: Any
    temperature: Any
    log_is: Fact
    law_is: Fact
    z_is: Fact
    exponential: Fact
    mass: Fact


def tangent(d: Derivation) -> tuple[sp.Symbol, sp.Symbol, Fact, Fact]:
    """e^h ≥ 1 + h for h ≥ 0, and e^(−k) ≥ 1 − k for k ≥ 0."""
    h, exponential_bound = at_least_one(d)
    beyond = d.derive("h ≥ 0", ge(h, 0))
    slope = d.derive("the slope of e^h − h", ge(sp.exp(h) - 1, 0), exponential_bound)
    right = d.increasing("e^h − h increases", sp.exp(h) - h, h, 0, slope, beyond)
    k = d.number("k", 0)
    beyond = d.derive("k ≥ 0", ge(k, 0))
    slope = d.derive(
        "the slope of e^(−k) + k", ge(1 - sp.exp(-k), 0), d.instantiate("at k", exponential_bound, {h: k}, beyond)
    )
    left = d.increasing("e^(−k) + k increases", sp.exp(-k) + k, k, 0, slope, beyond)
    return h, k, right, left


def rows(d: Derivation, name: str, temperature: sp.Symbol) -> Rows:
    """Eq. 2 at a temperature."""
    Z = sp.IndexedBase(f"Z_{name}", positive=True)
    L = sp.IndexedBase(f"L_{name}", real=True)
    law = sp.IndexedBase(name, positive=True)
    logs = sp.IndexedBase(f"log_{name}", real=True)
    e = sp.exp(omega[i, j] / temperature)
    z_is = d.define("the normaliser of a row", Z[i], total(e, j))
    l_is = d.define("its logarithm", L[i], sp.log(Z[i]))
    log_is = d.define("log-probability", logs[i, j], omega[i, j] / temperature - L[i])
    law_is = d.define("Eq. 2", law[i, j], e / Z[i])
    exponential = d.derive("its exponential is the entry", eq(sp.exp(logs[i, j]), law[i, j]), log_is, l_is, law_is)
    row_entries = d.summed("an entry", eq(law[i, j], e / Z[i]), law_is, over=j)
    mass = d.derive("a row sums to one", eq(total(law[i, j], j), 1), row_entries, z_is)
    return Rows(
        law=law,
        logs=logs,
        normaliser=Z,
        log_normaliser=L,
        temperature=temperature,
        log_is=log_is,
        law_is=law_is,
        z_is=z_is,
        exponential=exponential,
        mass=mass,
    )


def gibbs(d: Derivation, a: Rows, b: Rows, lines: tuple[sp.Symbol, sp.Symbol, Fact, Fact], sign: int = 1) -> Fact:
    """Σ a log b ≤ Σ a log a in every row."""
    h, k, right, left = lines
    u = b.logs[i, j] - a.logs[i, j]
    goal = ge(b.law[i, j], a.law[i, j] * (1 + sign * u))
    entry_ratio = eq(b.law[i, j], a.law[i, j] * sp.exp(u))
    ratio = d.derive("the ratio of two entries", entry_ratio, flipped(d, b), flipped(d, a))
    up = d.case(f"{b.law} is more likely than {a.law}", ge(u, 0))
    above = d.instantiate("at the log-ratio", right, {h: u}, up)
    case_above = d.derive("the exponential is above its tangent", ge(sp.exp(u), 1 + u), above)
    case_above = d.derive("so for the entry", goal, case_above, ratio)
    down = d.case(f"{b.law} is no more likely than {a.law}", le(u, 0))
    negative = d.derive("the log-ratio", ge(-u, 0), down)
    above = d.instantiate("at minus the log-ratio", left, {k: -u}, negative)
    two = d.derive("the exponential is above its tangent", ge(sp.exp(u), 1 + u), above)
    two = d.derive("so for the entry", goal, two, ratio)
    row_sum = d.sum("over the row", d.cases("in both cases", case_above, two), j)
    cross, own_entropy = (total(a.law[i, j] * r.logs[i, j], j) for r in (b, a))
    return d.derive("Gibbs' inequality", le(cross, own_entropy), row_sum, a.mass, b.mass)


def flipped(d: Derivation, a: Rows) -> Fact:
    """An entry as the exponential of its logarithm."""
    return d.derive("as an exponential", eq(a.law[i, j], sp.exp(a.logs[i, j])), a.exponential)


def mean(d: Derivation, a: Rows, b: Rows) -> Fact:
    """Σ a log b by the mean of the covariances under a."""
    term = eq(a.law[i, j] * b.logs[i, j], a.law[i, j] * omega[i, j] / b.temperature - a.law[i, j] * b.log_normaliser[i])
    row_terms = d.summed("one entry", term, b.log_is, over=j)
    goal = eq(row_terms.relation.lhs, total(a.law[i, j] * omega[i, j], j) / b.temperature - b.log_normaliser[i])
    return d.derive("by the mean", goal, row_terms, a.mass)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary, every matrix Ω and all temperatures.

    No constant to improve: a row whose entries are all equal has the entropy log V at every temperature.
    """
    tau = d.number("tau", positive=True)
    hotter = d.number("hotter", positive=True)
    warm = d.assume(HOTTER, ge(hotter, tau))
    lines = tangent(d)
    p = rows(d, "p", tau)
    r = rows(d, "r", hotter)
    first = gibbs(d, p, r, lines, sign)
    second = gibbs(d, r, p, lines)
    means = [mean(d, a, b) for a in (p, r) for b in (p, r)]
    gap = total(p.law[i, j] * omega[i, j], j) - total(r.law[i, j] * omega[i, j], j)
    added = d.derive("the two inequalities added", ge((1 / tau - 1 / hotter) * gap, 0), first, second, *means)

    strict = d.case("it is higher", gt(hotter, tau))
    mean_no_larger = d.derive("the mean is no larger at the higher temperature", ge(gap, 0), added, strict)
    alike = d.case("it is not higher", le(hotter, tau))
    same = d.derive("then it is the same", eq(hotter, tau), alike, warm)
    masses = d.derive("and so is the normaliser", eq(r.normaliser[i], p.normaliser[i]), r.z_is, p.z_is, same)
    entry = eq(p.law[i, j] * omega[i, j], r.law[i, j] * omega[i, j])
    entry = d.derive("and every entry", entry, p.law_is, r.law_is, masses, same)
    zero = d.derive("and the mean", ge(gap, 0), d.sum("over the row", entry, j))
    mean_no_larger = d.cases("in both cases", mean_no_larger, zero)

    cold, hot = (-total(a.law[i, j] * a.logs[i, j], j) for a in (p, r))
    d.qed(
        d.derive("the divergence and the change of the mean", le(cold, constant * hot), first, mean_no_larger, *means)
    )


PROOF = Proof(
    SHARPNESS,
    prove,
    drop=HOTTER,
    change={"constant": sp.S.Half},
    bind=lambda omega, tau, hotter: {"omega": omega, "tau": tau, "hotter": hotter, "h": 0, "k": 0, "V": len(omega)},
)
