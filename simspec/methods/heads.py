r"""Heads that draft a block in one pass: acceptance by position from laws recorded along a text, and how many drafts survive.

A recorded text holds laws after its own tokens :math:`x_{<i}` only: :math:`p_i` of the target and :math:`q_i` of head i, at each
position i of a block.  A head that sees no drafted token (Medusa, Cai et al. 2024; multi-token prediction, Gloeckle et al. 2024)
has one law whatever was drafted; one that reads the drafts before it (EAGLE-2, Li et al. 2024) is recorded with the text's own
tokens in their place.  Verification goes token by token (Leviathan et al. 2023).  Of the laws follow

* :math:`r_i = \sum_y \min(p_i(y), q_i(y))`, the acceptance of head i given that the text's own tokens came before;
* with the tokens of a text that the target itself drew, an unbiased value of the probability that the first i drafts are
  accepted, :math:`\prod_{j<i} \min(1, q_j(x_j)/p_j(x_j)) \; r_i`, since :math:`\min(p, q) = p \min(1, q/p)`;
* without the tokens, bounds of its mean.

`draft_bound` certifies a best draft of `simspec.methods.parallel` on floats.  What is not here: laws from files
(`simspec.tools.heads`).
"""

from __future__ import annotations

import numpy as np

from simspec.laws import Array, Scalar

__all__ = ["draft_bound", "head_acceptance", "head_survival", "survival_bounds"]


def head_acceptance(p: Array, q: Array) -> Array:
    r"""Acceptance of each head after the text's own tokens, :math:`r_i = \sum_y \min(p_i(y), q_i(y))`.

    Parameters
    ----------
    p : laws (..., γ, V) of the target at the drafted positions, after the text's own tokens
    q : laws (..., γ, V) of the heads

    Returns
    -------
    (..., γ)

    >>> head_acceptance(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.25, 0.75]])).tolist()
    [1.0, 0.25]
    """
    rates: Array = np.minimum(p, q).sum(axis=-1)
    return rates


def head_survival(p: Array, q: Array, tokens: Array) -> Array:
    r"""For each i a value whose mean over texts of the target is the probability that the first i drafts are accepted.

    :math:`\prod_{j<i} \min(1, q_j(x_j)/p_j(x_j)) \sum_y \min(p_i(y), q_i(y))`.  A factor is the probability that draft j was
    accepted, given that the verified text has :math:`x_j` there.

    Parameters
    ----------
    p, q : laws (n, γ, V), as in `head_acceptance`; floats or fractions
    tokens : integers (n, γ), the text's own token at each drafted position

    Returns
    -------
    (n, γ), falling along the second axis in the mean over texts

    Raises ValueError where the target gives a token of the text no mass: it did not draw this text.

    A target that repeats its first token, and a head that knows only the frequencies:

    >>> p = np.array([[[0.75, 0.25], [1.0, 0.0]], [[0.75, 0.25], [0.0, 1.0]]])
    >>> q = np.array([[[0.5, 0.5], [0.75, 0.25]]] * 2)
    >>> head_survival(p, q, np.array([[0, 0], [1, 1]])).tolist()
    [[0.75, 0.5], [0.75, 0.25]]
    """
    of_target = np.take_along_axis(p, tokens[..., None], axis=-1)[..., 0]
    if not (of_target > 0).all():
        row, position = (int(index) for index in np.argwhere(of_target <= 0)[0])
        raise ValueError(
            f"tokens: the target gives token {tokens[row, position]} at row {row}, position {position + 1}, no mass; expected "
            "a text that the target drew, at the temperature of its laws (leave tokens out for another text)"
        )
    of_draft = np.take_along_axis(q, tokens[..., None], axis=-1)[..., 0]
    accepted = np.minimum(of_draft, of_target) / of_target
    survived = head_acceptance(p, q)
    product = 1
    for position in range(tokens.shape[-1] - 1):
        product = product * accepted[..., position]
        survived[..., position + 1] = survived[..., position + 1] * product
    return survived


def survival_bounds(rates: Array) -> tuple[Array, Array]:
    r"""Lowest and highest probability that the first i drafts are accepted, from mean acceptance by position alone.

    :math:`\max(0, \sum_{j \le i} \rho_j - (i - 1)) \le S_i \le \min_{j \le i} \rho_j` (Fréchet): :math:`S_i` is the mean of a
    product of numbers in [0, 1] with means :math:`\rho_j`.

    Parameters
    ----------
    rates : (γ,) mean of `head_acceptance` over texts of the target

    >>> lowest, highest = survival_bounds(np.array([0.75, 0.5, 0.625]))
    >>> lowest.tolist(), highest.tolist()
    ([0.75, 0.25, 0.0], [0.75, 0.5, 0.5])
    """
    lowest = np.maximum(np.cumsum(rates) - np.arange(len(rates)), 0)
    return lowest, np.minimum.accumulate(rates)


def draft_bound(first: Array, rows: Array, level: Scalar) -> Scalar:
    r"""What no draft law of all contexts exceeds, :math:`\lambda + \sum_y \max_t (E \min(P(y|X), t) - \lambda t)`.

    Weak duality: a law q has mass one, so its acceptance is :math:`\lambda + \sum_y (E \min(P(y|X), q(y)) - \lambda q(y))`.
    At the level of `simspec.methods.parallel.best_draft` it equals the acceptance of that law, which certifies it.  It is
    continuous in the laws and the level, so that rounding moves it by about as much as it moves them; `optimality_gap` is a step
    function of them and certifies fractions.

    Parameters
    ----------
    first : law (C,) of the context
    rows : laws (C, V) of the token after each context
    level : number >= 0

    >>> float(draft_bound(np.array([0.75, 0.25]), np.eye(2), 0.75)), float(draft_bound(np.array([0.75, 0.25]), np.eye(2), 0.5))
    (0.75, 0.75)
    """
    bound = level
    for column in rows.T:
        # concave and linear between the values of the column, so a maximum is at one of them, or at 0
        gains = (first[:, None] * np.minimum(column[:, None], column)).sum(axis=0) - level * column
        bound = bound + max(gains.max(), 0)
    return bound
