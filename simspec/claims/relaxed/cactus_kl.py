"""The KL divergence of Cactus from the target is at most δ.

`relaxed.cactus-kl` in two readings, with corrections: abstract and README of Cactus.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken, exact, identity, law
from simspec.claims.balls import ball, enclose, log
from simspec.claims.relaxed.parts import FAR, HALF, cactus_law, divergence, lifted, with_delta
from simspec.laws import Scalar

__all__ = ["surest"]

PAPER = "Hao and Mou 2026 (Cactus), abstract and README"


def _token(draw: Draw) -> Instance:
    p = draw.law(draw.vocab())
    return {"p": p, "token": draw.integer(0, len(p) - 1), "delta": draw.number(0, 2)}


def _raised(p: Array, token: int, delta: Scalar) -> Any:
    """KL(H_x‖p) of the law in which a token is raised."""
    return divergence(lifted(p, token, delta), p)


def _output(p: Array, q: Array, delta: Scalar) -> Any:
    """KL(output‖p)."""
    return divergence(cactus_law(p, q, delta), p)


STEP = bound(
    name="relaxed.cactus-kl.step",
    statement=r"$\mathrm{KL}(H_x \Vert p) \le \delta$ in nats, for every $x$",
    reference=PAPER,
    instances=_token,
    lhs=_raised,
    rhs=lambda delta: enclose(delta),
    sources=("exact",),
    corrected_by=("relaxed.cactus-kl.step-corrected",),
    note="δ is half the χ² divergence, the first term of KL, which is larger where the token is likely already: p(x) = 1/2 and δ "
    "= 1/2 raise it to 1, at log 2 nats. For every δ below 1.25 it fails at p(x) = 1/(1 + 2δ).",
)

STEP_CORRECTED = bound(
    name="relaxed.cactus-kl.step-corrected",
    statement=r"$\mathrm{KL}(H_x \Vert p) \le \log(1 + 2\delta)$",
    reference="correction of " + PAPER,
    instances=_token,
    lhs=_raised,
    rhs=lambda delta: log(enclose(1 + 2 * delta)),
    tight=({"p": HALF, "token": 0, "delta": F(1, 2)},),
    sources=("exact",),
    note="KL is at most the logarithm of 1 + χ², and χ² at most 2δ (relaxed.cactus-chi2). No smaller bound in δ alone: "
    "relaxed.cactus-kl.step-corrected.attained.",
    broken=[broken("δ in place of the bound", rhs=lambda delta: enclose(delta))],
)


def surest(rest: Array, delta: Scalar) -> Array:
    """A first token of mass 1/(1 + 2δ), the others in proportion to `rest`.

    >>> [str(mass) for mass in surest(exact([1]), F(1, 2))]
    ['1/2', '1/2']
    """
    first_mass = 1 / (1 + 2 * Fraction(delta))
    return exact([first_mass, *((1 - first_mass) * rest)])


STEP_ATTAINED = identity(
    name="relaxed.cactus-kl.step-corrected.attained",
    statement=r"Where $p(x) = 1/(1 + 2\delta)$, whatever the other tokens have, $x$ is raised to certainty and "
    r"$\mathrm{KL}(H_x \Vert p) = \log(1 + 2\delta)$, for every $\delta \ge 0$",
    reference="own statement, on Hao and Mou 2026 (Cactus)",
    instances=lambda draw: {"rest": draw.law(draw.vocab()), "delta": draw.number(0, 2)},
    lhs=lambda rest, delta: _raised(surest(rest, delta), 0, delta),
    rhs=lambda delta: log(enclose(1 + 2 * delta)),
    sources=("exact",),
    note="√(2δp(1 − p)) is 1 − p there.",
    broken=[broken("δ in place of the bound", rhs=lambda delta: enclose(delta))],
)

OUTPUT = bound(
    name="relaxed.cactus-kl.output",
    statement=r"$\mathrm{KL}(\text{output law} \Vert p) \le \delta$",
    reference=PAPER,
    instances=with_delta,
    lhs=_output,
    rhs=lambda delta: enclose(delta),
    sources=("exact",),
    corrected_by=("relaxed.cactus-kl.output-corrected", "relaxed.cactus-kl.output-sharp"),
    within=({"p": law("1/8", "1/8", "1/2", "1/4"), "q": law("3/13", "4/13", "2/13", "4/13"), "delta": F(1, 4)},),
    note="Each H_x raises one token, the output law may raise all at once: many tokens of little mass, on which q lies, are "
    "all kept.",
)


def _most(p: Array, delta: Scalar) -> Any:
    """log(1 + s + s²), s = √(2δ(V − 1))."""
    square = ball(2 * delta * (len(p) - 1))
    return log(1 + square.sqrt() + square)


OUTPUT_CORRECTED = bound(
    name="relaxed.cactus-kl.output-corrected",
    statement=r"$\mathrm{KL}(\text{output law} \Vert p) \le \log(1 + s + s^2)$ with $s = \sqrt{2\delta(V - 1)}$",
    reference="correction of " + PAPER,
    instances=with_delta,
    lhs=_output,
    rhs=_most,
    tight=({"p": HALF, "q": FAR, "delta": F(0)},),
    sources=("exact",),
    note="The output law is nowhere above h. relaxed.cactus-kl.output-sharp: it does grow like the logarithm of δV.",
    broken=[broken("log(1 + δ)", rhs=lambda delta: log(enclose(1 + delta)))],
)


def _family(draw: Draw) -> Instance:
    m = 1 + draw.integer(0, 3)
    low = max(Fraction(1, m), Fraction(2, m * m))
    return {"m": m, "delta": low + draw.number(0, 2)}


def _spread(m: int, delta: Scalar) -> Any:
    """KL(output‖p) where p has 1/(δm²) and q has 1/m on each of m tokens."""
    mass_per_token = Fraction(1) / (delta * m * m)
    p = exact([mass_per_token] * m + [1 - m * mass_per_token])
    return _output(p, exact([Fraction(1, m)] * m + [0]), delta)


OUTPUT_SHARP = identity(
    name="relaxed.cactus-kl.output-sharp",
    statement=r"With $p = 1/(\delta m^2)$ and $q = 1/m$ on each of $m$ tokens and the rest of $p$ on one more, $\delta m "
    r"\ge 1$ and $\delta m^2 \ge 2$: every draft is kept and $\mathrm{KL}(\text{output law} \Vert p) = "
    r"\log(\delta m)$, so that no bound in $\delta$ alone holds",
    reference="correction of " + PAPER,
    instances=_family,
    lhs=_spread,
    rhs=lambda m, delta: log(enclose(delta * m)),
    sources=("exact",),
    broken=[broken("log(1 + δm)", rhs=lambda m, delta: log(enclose(1 + delta * m)))],
)
