r"""Claims about the softmax behind RDK: perturbed logits, the rows and the sharpness of Eq. 2.

Exact instances are rational: logits are logarithms of the weights `w`, a perturbation is the logarithm of `ratio`.  What
needs a logarithm or an exponential is enclosed in balls.  Taylor series in the temperature: `simspec.claims.rdk_taylor`.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.balls import enclose, log, plogp
from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.draw import Draw
from simspec.claims.rdk_parts import eye, matrix, norm1, positive
from simspec.claims.sd import law
from simspec.laws import Array, exact, is_exact, normalise, softmax
from simspec.methods import affinity_matrix

__all__ = ["CLAIMS", "covariance_of", "eq2", "jacobian", "one_hot_covariance"]

# --- perturbed logits -----------------------------------------------------------------------------------------------


def _perturbed(draw: Draw) -> Instance:
    n = draw.vocab()
    if draw.exact:
        return {"w": draw.weights(n), "ratio": draw.weights(n), "spare": draw.integer(0, 1) * draw.number(0, 1)}
    p, q = draw.pair(n)
    return {"w": draw.weights(n), "ratio": np.exp(draw.number(0, 4) * (p - q)), "spare": draw.integer(0, 1) * 0.5}


def _moved(w: Array, ratio: Array) -> Any:
    """‖softmax(z) − softmax(z + δ)‖₁ for z = log w and δ = log ratio."""
    if is_exact(w):
        return enclose(norm1(normalise(w) - normalise(w * ratio)))
    return norm1(softmax(np.log(w)) - softmax(np.log(w) + np.log(ratio)))


def _size1(ratio: Array, spare: Any) -> Any:
    """ε of the theorem: ‖δ‖₁ and something to spare."""
    return log(np.maximum(ratio, 1 / ratio)).sum(axis=-1) + enclose(spare)


def _size_max(ratio: Array, spare: Any) -> Any:
    """The same with the largest |δ_j| in place of the sum."""
    return log(np.maximum(ratio, 1 / ratio).max(axis=-1)) + enclose(spare)


SMALL1 = "‖δ‖₁ ≤ ε"
SMALL_MAX = "‖δ‖_∞ ≤ ε"
_ONE_LOGIT: dict[str, Any] = {"w": law(1, 2), "ratio": law(4, 1)}
_TWO_LOGITS: dict[str, Any] = {"w": law(1, 3), "ratio": law(3, "1/3")}


def _not_negative(spare: Any) -> bool:
    return spare >= 0


SOFTMAX_LIPSCHITZ = Claim(
    name="rdk.softmax-lipschitz",
    kind="bound",
    statement=r"$\lVert\delta\rVert_1 \le \varepsilon$ implies "
    r"$\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 \le \varepsilon/2$",
    reference="RDK, Theorem 5.2",
    instances=_perturbed,
    assumes={SMALL1: _not_negative},
    lhs=_moved,
    rhs=lambda ratio, spare: _size1(ratio, spare) / 2,
    relation=at_most,
    tight=({"w": law(1, 2), "ratio": law(1, 1), "spare": F(0)},),
    outside={SMALL1: {**_ONE_LOGIT, "spare": F(-1)}},
    corrected_by=("rdk.softmax-lipschitz-sharp",),
    note="A column of softmax's Jacobian has ℓ1 norm 2p(1 − p) ≤ ½. The bound is approached as ε → 0 and never attained. Here "
    "z = log w, δ = log ratio and ε = ‖δ‖₁ + spare.",
)

SOFTMAX_LIPSCHITZ_SHARP = Claim(
    name="rdk.softmax-lipschitz-sharp",
    kind="bound",
    statement=r"$\lVert\delta\rVert_1 \le \varepsilon$ implies "
    r"$\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 "
    r"\le 2\tanh(\varepsilon/4)$, attained for every $\varepsilon$",
    reference="own statement, sharpening RDK Theorem 5.2",
    instances=_perturbed,
    assumes={SMALL1: _not_negative},
    lhs=_moved,
    rhs=lambda ratio, spare: 2 * np.tanh(_size1(ratio, spare) / 4),
    relation=at_most,
    tight=tuple({"w": law(1, root), "ratio": law(root * root, 1), "spare": F(0)} for root in (2, 3, 10)),
    outside={SMALL1: {**_ONE_LOGIT, "spare": F(-1)}},
    note="Only the range of δ counts, and it is at most ‖δ‖₁; tilting a law by a range R moves at most tanh(R/4) in total "
    "variation. Attained by two tokens of odds e^(−ε/2) whose one logit rises by ε.",
)

PERTURBED_TARGET = Claim(
    name="rdk.perturbed-target",
    kind="bound",
    statement=r"“Any approximation error in the logits translates to only a half”: $\lVert\delta\rVert_\infty \le \varepsilon$ "
    r"implies $\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 \le \varepsilon/2$",
    reference="RDK, text before Theorem 5.2",
    instances=_perturbed,
    assumes={SMALL_MAX: _not_negative},
    lhs=_moved,
    rhs=lambda ratio, spare: _size_max(ratio, spare) / 2,
    relation=at_most,
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    corrected_by=("rdk.perturbed-target-corrected", "rdk.perturbed-target-sharp"),
    note="Theorem 5.2 measures δ in ℓ1, a sum over the vocabulary. An error of ε in every logit can move twice as much, for "
    "one logit may rise while another falls.",
)

PERTURBED_TARGET_CORRECTED = Claim(
    name="rdk.perturbed-target-corrected",
    kind="bound",
    statement=r"$\lVert\delta\rVert_\infty \le \varepsilon$ implies "
    r"$\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 \le \varepsilon$",
    reference="correction of RDK, text before Theorem 5.2",
    instances=_perturbed,
    assumes={SMALL_MAX: _not_negative},
    lhs=_moved,
    rhs=_size_max,
    relation=at_most,
    tight=({"w": law(1, 2), "ratio": law(1, 1), "spare": F(0)},),
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    corrected_by=("rdk.perturbed-target-sharp",),
    note="The range of δ is at most 2ε, and 2 tanh(ε/2) ≤ ε. In total variation the error is at most ε/2.",
)

PERTURBED_TARGET_SHARP = Claim(
    name="rdk.perturbed-target-sharp",
    kind="bound",
    statement=r"$\lVert\delta\rVert_\infty \le \varepsilon$ implies "
    r"$\lVert \mathrm{softmax}(z) - \mathrm{softmax}(z + \delta)\rVert_1 "
    r"\le 2\tanh(\varepsilon/2)$, attained for every $\varepsilon$",
    reference="own statement, sharpening RDK, text before Theorem 5.2",
    instances=_perturbed,
    assumes={SMALL_MAX: _not_negative},
    lhs=_moved,
    rhs=lambda ratio, spare: 2 * np.tanh(_size_max(ratio, spare) / 2),
    relation=at_most,
    tight=tuple({"w": law(1, e), "ratio": law(e, F(1, e)), "spare": F(0)} for e in (2, 3, 10)),
    outside={SMALL_MAX: {**_TWO_LOGITS, "spare": F(-1)}},
    note="The range argument of rdk.softmax-lipschitz-sharp with R = 2ε; attained with odds e^(−ε), one logit "
    "up and one down by ε.",
)

# --- the derivative of softmax --------------------------------------------------------------------------------------


def jacobian(p: Array) -> Array:
    """Jacobian of softmax at the law p: diag(p) − p pᵀ.

    >>> jacobian(law("1/2", "1/2"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    return p[..., None, :] * (eye(p.shape[-1], is_exact(p)) - p[..., :, None])


def _direction(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    return {"p": draw.law(n), "delta": draw.number(0, 4) * draw.law(n) - draw.number(0, 4) * draw.law(n)}


def _slope(p: Array, delta: Array) -> Any:
    """‖J δ‖₁."""
    return norm1((jacobian(p) * delta[..., None, :]).sum(axis=-1))


SOFTMAX_JACOBIAN = Claim(
    name="rdk.softmax-jacobian",
    kind="identity",
    statement=r"Column $j$ of the Jacobian $J = \mathrm{diag}(p) - p p^\top$ of softmax has ℓ1 norm $2 p_j (1 - p_j)$; the "
    r"largest is the operator norm of $J$ on ℓ1, at most $\tfrac12$",
    reference="own statement, behind RDK Theorem 5.2",
    instances=_direction,
    lhs=lambda p: norm1(np.swapaxes(jacobian(p), -1, -2)),
    rhs=lambda p: 2 * p * (1 - p),
    relation=equal,
    note="p_j(1 − p_j) on the diagonal, and as much in the rest of the column. One half at a token with p_j = ½.",
)


def _columns(p: Array, delta: Array) -> Any:
    """Σ_j 2 p_j (1 − p_j) |δ_j|."""
    return (2 * p * (1 - p) * abs(delta)).sum(axis=-1)


SOFTMAX_JACOBIAN_NORMS = Claim(
    name="rdk.softmax-jacobian-norms",
    kind="bound",
    statement=r"$\lVert J\delta\rVert_1 \le \sum_j 2 p_j (1 - p_j) |\delta_j| \le \tfrac12 \lVert\delta\rVert_1$, and "
    r"$\lVert J\delta\rVert_1 \le \lVert\delta\rVert_\infty$: the constants of rdk.softmax-lipschitz and "
    r"rdk.perturbed-target-corrected for small perturbations",
    reference="own statement, behind RDK Theorem 5.2",
    instances=_direction,
    lhs=lambda p, delta: np.stack([n := _slope(p, delta), _columns(p, delta), n]),
    rhs=lambda p, delta: np.stack([_columns(p, delta), norm1(delta) / 2, abs(delta).max(axis=-1)]),
    relation=at_most,
    tight=(
        {"p": law("1/2", "1/2"), "delta": law(1, 0)},
        {"p": law("1/2", "1/2"), "delta": law(1, -1)},
        {"p": law("1/3", "2/3"), "delta": law(1, 0)},
    ),
    note="(Jδ)_i = p_i (δ_i − δ̄) with δ̄ = Σ p_j δ_j. The second bound is a mean absolute deviation.",
)

# --- the matrix of Eq. 2 --------------------------------------------------------------------------------------------


def covariance_of(X: Array) -> Array:
    """Covariance matrix of the rows of X, each equally likely.

    >>> covariance_of(matrix("1 0", "0 1"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    centred = X - X.sum(axis=0) / len(X)
    return centred.T @ centred / len(X)


def one_hot_covariance(X: Array) -> Array:
    """Covariance matrix of one-hot tokens drawn from the laws in the rows of X.

    >>> one_hot_covariance(matrix("1/2 1/2"))[0].tolist()
    [Fraction(1, 4), Fraction(-1, 4)]
    """
    mean = X.sum(axis=0) / len(X)
    return np.diag(mean) - mean[:, None] * mean


def _laws(draw: Draw, vocab: int) -> Array:
    return np.stack([draw.law(vocab) for _ in range(3)]) if draw.exact else draw.law(vocab)


def _omega(draw: Draw, vocab: int) -> Array:
    """Covariance of logits, of probabilities or of one-hot tokens."""
    kind = draw.integer(0, 2)
    if kind == 0 and draw.exact:
        return covariance_of(exact([[draw.integer(-2, 2) for _ in range(vocab)] for _ in range(2)]))
    X = _laws(draw, vocab)
    if kind == 0:
        return covariance_of(np.log(np.maximum(X, 1e-12)))
    return covariance_of(X) if kind == 1 else one_hot_covariance(X)


def _temperature(draw: Draw, omega: Array) -> Any:
    """A temperature; floats: of the order of the largest covariance, so that no entry of M underflows."""
    return positive(draw) * (1 if draw.exact else float(abs(omega).max()))


def eq2(omega: Array, tau: Any) -> Array:
    """M of Eq. 2 by the package's own function: enclosed in balls on fractions.

    >>> float(eq2(matrix("0 0", "0 0"), F(1))[0, 0])
    0.5
    """
    return affinity_matrix(enclose(omega), enclose(tau))


def _two_temperatures(draw: Draw) -> Instance:
    omega = _omega(draw, draw.vocab(matrix=True))
    tau = _temperature(draw, omega)
    return {"omega": omega, "tau": tau, "hotter": tau * draw.number(1, 4)}


HOTTER = "the second temperature is not lower"

SHARPNESS = Claim(
    name="rdk.sharpness",
    kind="bound",
    statement=r"$\tau$ controls the sharpness: the entropy of each row of $M$ is non-decreasing in $\tau$",
    reference="RDK, Eq. 2",
    instances=_two_temperatures,
    assumes={HOTTER: lambda tau, hotter: hotter >= tau},
    lhs=lambda omega, tau: -plogp(eq2(omega, tau)).sum(axis=-1),
    rhs=lambda omega, hotter: -plogp(eq2(omega, hotter)).sum(axis=-1),
    relation=at_most,
    tight=({"omega": matrix("1 1", "1 1"), "tau": F(1), "hotter": F(2)},),
    outside={HOTTER: {"omega": matrix("1 0", "0 1"), "tau": F(2), "hotter": F(1)}},
    note="For weights e^{βx} the entropy has derivative −β Var(x) in β = 1/τ. True for any Ω; strict unless a row is constant. "
    "It speaks of the rows of M: how sharp r = Mᵀq' is depends on the draft too.",
)

AFFINITY_ROWS = Claim(
    name="rdk.affinity-rows",
    kind="identity",
    statement=r"Each entry of the matrix of Eq. 2 is the normalised covariance, $M_{ij} = \Omega_{ij} / \sum_k \Omega_{ik}$, “so "
    r"rows sum to 1 by construction” (both sides multiplied by $\sum_k \Omega_{ik}$)",
    reference="RDK, C.3",
    instances=lambda draw: {"omega": (o := _omega(draw, draw.vocab(matrix=True))), "tau": _temperature(draw, o)},
    lhs=lambda omega, tau: eq2(omega, tau) * enclose(omega).sum(axis=-1, keepdims=True),
    rhs=lambda omega: enclose(omega),
    relation=equal,
    corrected_by=("rdk.affinity-rows-corrected",),
    note="Eq. 2 normalises exponentials, not covariances. Normalised covariances would be no law: covariances of logits may be "
    "negative, and those of probabilities or one-hot tokens sum to zero in every row, which makes the quotient 0/0.",
)


def _three_covariances(draw: Draw) -> Instance:
    n = draw.vocab(matrix=True)
    X = _laws(draw, n)
    omega = _omega(draw, n)
    return {"X": X, "omega": omega, "tau": _temperature(draw, omega)}


def _row_facts(X: Array, omega: Array, tau: Any) -> Array:
    M = eq2(omega, tau)
    sums = [covariance_of(X).sum(axis=-1), one_hot_covariance(X).sum(axis=-1)]
    return np.stack([M.sum(axis=-1), (M > 0).all(axis=-1) * 1, *(enclose(s) for s in sums)])


AFFINITY_ROWS_CORRECTED = Claim(
    name="rdk.affinity-rows-corrected",
    kind="identity",
    statement=r"Rows of the softmax form of Eq. 2 sum to one and all their entries are positive; rows of a covariance of "
    r"probabilities or of one-hot tokens sum to zero, $\mathrm{cov}(p_i, \sum_k p_k) = \mathrm{cov}(p_i, 1) = 0$",
    reference="correction of RDK, C.3",
    instances=_three_covariances,
    lhs=_row_facts,
    rhs=lambda X: np.array([[1], [1], [0], [0]]),
    relation=equal,
)

CLAIMS = (
    SHARPNESS,
    AFFINITY_ROWS,
    AFFINITY_ROWS_CORRECTED,
    SOFTMAX_LIPSCHITZ,
    SOFTMAX_LIPSCHITZ_SHARP,
    PERTURBED_TARGET,
    PERTURBED_TARGET_CORRECTED,
    PERTURBED_TARGET_SHARP,
    SOFTMAX_JACOBIAN,
    SOFTMAX_JACOBIAN_NORMS,
)
