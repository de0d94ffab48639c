"""The tokens accepted by each path of EARS have distributions, and divergences from the target, in closed form.

`ears.two-paths`: EARS, next check 3 (own statement).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims import balls
from simspec.claims.authoring import Array, broken, identity
from simspec.claims.claim import Printed
from simspec.claims.ears.parts import both_paths, closeness, pardoned, some_step, tolerance
from simspec.laws import Scalar, normalise


def _laws_of_paths(p: Array, q: Array, beta: Scalar) -> tuple[Array, Array]:
    """Laws of a token accepted by each path, from the coins; p where a path accepts nothing."""
    standard, pardon = both_paths(p, q, beta)
    return normalise(q * standard, otherwise=p), normalise(q * pardon, otherwise=p)


def _two_paths(p: Array, q: Array, beta: Scalar) -> Array:
    standard, pardon = _laws_of_paths(p, q, beta)
    return np.array([*standard, *pardon, closeness(standard, p)[()], closeness(pardon, p)[()]], dtype=object)


def _two_paths_closed(p: Array, q: Array, beta: Scalar) -> Array:
    """Return the laws of both paths (n each), then exp(−KL) of each to p, all in closed form."""
    overlap_mass = np.minimum(p, q)
    extra = pardoned(p, q, beta)
    alpha = overlap_mass.sum()
    gain = extra.sum()
    t = tolerance(p, beta)[0]
    # a path that accepts nothing has the law p by convention: its divergence is 0, its closeness 1
    near: Any = 1
    if alpha:
        kl = -balls.log(alpha) - sum(
            balls.ball(y / alpha) * balls.log(x / y) for x, y in zip(p, q, strict=True) if 0 < y < x
        )
        near = balls.exp(-kl)
    far: Any = 1
    if gain:
        near_misses = [(g / gain, min(y / x - 1, t * y / x)) for x, y, g in zip(p, q, extra, strict=True) if x and g]
        terms = [balls.ball(w) * balls.log(r) for w, r in near_misses]
        far = 0 if extra[p == 0].any() else balls.exp(balls.log(gain) - sum(terms))
    standard, pardon = (normalise(mass, otherwise=p) for mass in (overlap_mass, extra))
    return np.array([*standard, *pardon, near, far], dtype=object)


def _unclipped(p: Array, q: Array, beta: Scalar) -> Array:
    """The pardoned law without the limit (q − p)₊."""
    standard, _ = _laws_of_paths(p, q, beta)
    wrong = normalise(np.where(q > p, tolerance(p, beta) * q, 0), otherwise=p)
    return np.array([*standard, *wrong, *_two_paths(p, q, beta)[-2:]], dtype=object)


def _turned(p: Array, q: Array, beta: Scalar) -> Array:
    """Closeness of the two paths exchanged."""
    *laws, near, far = _two_paths_closed(p, q, beta)
    return np.array([*laws, far, near], dtype=object)


TWO_PATHS = identity(
    name="ears.two-paths",
    statement=r"A token accepted by the standard path has the law $\min(p, q)/\alpha$, with $\mathrm{KL}(\cdot \Vert "
    r"p) = -\log\alpha - \frac1\alpha \sum_{q_x < p_x} q_x \log\frac{p_x}{q_x}$; one accepted by the pardon path "
    r"$g/G$, $g = \min((q - p)_+, t q)$, $G = \sum_x g_x$, with $\mathrm{KL}(\cdot \Vert p) = -\log G + \frac1G "
    r"\sum_x g_x \log\min(\frac{q_x}{p_x} - 1, \frac{t q_x}{p_x})$, infinite exactly when a token with $p_x = 0 < "
    r"q_x$ can be pardoned",
    reference="EARS, next check 3 (own statement)",
    instances=some_step,
    lhs=_two_paths,
    rhs=_two_paths_closed,
    sources=("exact",),
    note="Left: each drafted token times the coins that either test alone lets through, and KL by its definition in "
    "ball arithmetic (compared as exp(−KL), 0 for infinite). A path that accepts nothing is given the law p on both "
    "sides.",
    printed=Printed(
        place="EARS, next check 3",
        text="compare distribution of tokens accepted via standard path vs. pardon path; compute KL "
        "divergence from target model’s distribution",
        read="Both laws and both divergences in closed form.",
    ),
    broken=[
        broken("the pardoned law without its limit (q − p)₊", rhs=_unclipped),
        broken("the two distances are exchanged", rhs=_turned),
    ],
)
