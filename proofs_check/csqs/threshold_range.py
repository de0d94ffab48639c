"""csqs.threshold-range: at β ≤ 0 nothing is dropped, above 1 all is (literal), so one step beyond is as far as β gets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product

import numpy as np
import sympy as sp

from proofs_check.csqs._recursion import (
    BELOW,
    REACH,
    TOP,
    at_extreme,
    bind_thresholds,
    even_share,
    highest,
    induct,
    lowest,
    mass_bounds,
    n,
    negated,
    never_below_share,
    never_beyond_half,
    text,
    threshold,
)
from proofs_check.language import Derivation, Proof, Refutation, ge, laws, le, x
from simspec.claims import find
from simspec.claims.claim import Instance
from simspec.claims.csqs.parts import CERTAIN, INSIDE, READINGS

CLAIM = {c.name.removeprefix("csqs.threshold-range."): c for c in find(["csqs.threshold-range"])}
ANY = "every text, start, step size and target in [0, 1]; both readings of an empty set"


def prove_mended(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    w = text(d)
    literal, top = (threshold(d, w, reading, sign) for reading in READINGS)
    rise, _ = mass_bounds(d, w, top)
    ramp = le(top.beta[n], w.start + constant * n * w.eta * w.alpha)
    d.qed(
        negated(d, lowest(d, w, literal)),
        highest(d, w, literal),
        negated(d, lowest(d, w, top)),
        induct(d, top, ramp, rise, goal="keep-top, the upper end"),
    )


def prove_literal(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every text, start in the range, step size and target in [0, 1]; literal.

    1 + ηα is attained by a law that is one point at β = 1. The lower end is not: csqs.threshold-range.literal-sharp.
    """
    w = text(d)
    low = -w.eta * (1 - w.alpha)
    high = 1 + constant * w.eta * w.alpha
    above, below = d.assume(INSIDE, ge(w.start, low), le(w.start, 1 + w.eta * w.alpha))
    h = threshold(d, w, False, sign)
    d.qed(
        d.derive("the start is no lower", le(-h.beta[n], -low), lowest(d, w, h), above),
        d.derive("the start is no higher", le(h.beta[n], high), highest(d, w, h), below),
    )


def prove_lowest(d: Derivation, sign: int = 1, share: int = 1) -> None:
    conclusions = []
    w = text(d)
    (u, even) = even_share(d)
    for top in READINGS:
        for_every_n = never_below_share(d, w, threshold(d, w, top, sign), u, even, share)
        conclusions.append(at_extreme(d, for_every_n, top, "least"))
    d.qed(*conclusions)


def prove_highest(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every text of such laws, every start, step size and target in [0, 1]; both readings of an empty set.

    ½ + ηα is attained: two equally likely tokens at β = ½.
    """
    w = text(d)
    certain = d.assume(CERTAIN, le(w.q[n, x], 1 - w.alpha))
    d.qed(
        *(
            at_extreme(d, never_beyond_half(d, w, threshold(d, w, top, sign), certain, half), top, "largest")
            for top in READINGS
        )
    )


# --- refutations ------------------------------------------------------------------------------------------------------


def texts(certain: bool = True) -> Iterator[Instance]:
    """Texts of 1, 2, 3 equal laws of V = 1, 2 with masses in halves; η = 1, α = ½; starts 0, ½, … 2."""
    for tokens, vocab, start in product((1, 2, 3), (1, 2), range(5)):
        for q in laws(vocab, 2):
            if certain or max(q) <= F(1, 2):
                yield {"q": np.stack([q] * tokens), "start": F(start, 2), "step_size": F(1), "dropped_target": F(1, 2)}


PROOFS = (
    Refutation(
        CLAIM["any-start"],
        texts,
        scope="the first text of equal laws in order of length, vocabulary and start (η = 1, α = ½): one token, "
        "V = 1, keep-top, at β₀ = 1 + ηα",
        repaired={"the start lies in the range, and nothing is kept where no probability reaches β": CLAIM["literal"]},
    ),
    Proof(
        CLAIM["any-start-corrected"],
        prove_mended,
        drop=REACH,
        change={"constant": sp.S.Half},
        bind=bind_thresholds,
        scope=ANY,
        sharp="The upper ends are attained by laws that are one point: at β = 1 (literal), at every token (keep-top). The "
        "lower "
        "end is not: csqs.threshold-range.literal-sharp.",
    ),
    Proof(CLAIM["literal"], prove_literal, drop=BELOW, change={"constant": sp.S.Half}, bind=bind_thresholds),
    Proof(
        CLAIM["literal-sharp"],
        prove_lowest,
        drop=BELOW,
        change={"share": 2},
        bind=bind_thresholds,
        scope=ANY,
        sharp="β₀ is attained at the start; for 0 csqs.lowest-threshold has α/(V − 1). 1/V − η(1 − α), keep-top 1/V − η(1 − "
        "1/V − α), is the infimum and not "
        "attained: flat laws and β₀ = 1/V + ε.",
    ),
    Refutation(
        CLAIM["keep-top"],
        texts,
        scope="the first text of equal laws in order of length, vocabulary and start (η = 1, α = ½): a law that is one "
        "point, at "
        "β₀ = 1 + ηα",
        repaired={"no draft law is more certain than 1 − α": lambda: texts(certain=False)},
    ),
    Proof(CLAIM["keep-top-sharp"], prove_highest, drop=TOP, change={"half": sp.Rational(1, 3)}, bind=bind_thresholds),
)
