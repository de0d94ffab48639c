"""Traversal verification on arrays of laws: levels of a drawn tree that are kept, averaged over the verifier's uniforms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simspec.laws import Array
from simspec.methods.tree.shapes import Shape, height, nodes

__all__ = ["Laws", "kept_levels", "mean_levels"]

Laws = Callable[[int], Array]
"""Level -> laws (n, V), the same after every path of that level: a law depends on the position, not on the drafts."""


def kept_levels(target: Laws, draft: Laws, shape: Shape, uniforms: Array, replace: bool = True) -> Array:
    r"""Probability that traversal verification keeps 0, 1, ... levels of a tree, given its drafts (n, height + 1).

    The drafts are drawn here, node by node, one for each uniform number.  Which nodes are deleted before a node, and its
    :math:`a`, do not depend on the uniforms, so that the probability of being accepted there is known exactly: with
    :math:`R` that of having accepted nothing before, it is :math:`R\,a`, and :math:`R\,(1 - a)` goes on
    (`simspec.methods.tree.traversal` is the same program with its uniforms).  A mean over uniform numbers is the rule's law.

    Parameters
    ----------
    target, draft : level -> laws (n, V) of floats, for each level at which something is drafted
    shape : tree; a node's children are drawn from the draft's law at its level
    uniforms : (n, nodes) in [0, 1), for the nodes in the order in which they are drawn: a parent, then what hangs below it
    replace : as `traversal`; without replacement a child is missing where its parent's law has no token left

    Takes memory of three arrays (n, V) for each level.

    >>> p, q = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]])
    >>> kept_levels(lambda level: p, lambda level: q, ((),), np.array([[0.5]])).round(6).tolist()  # token 0, p/q = 1/3
    [[0.666667, 0.333333]]
    """
    if np.shape(uniforms)[-1] != nodes(shape):
        raise ValueError(
            f"uniforms: {np.shape(uniforms)[-1]} for each row; expected one for each of {nodes(shape)} nodes"
        )
    n = len(uniforms)
    by_level = np.zeros((n, height(shape) + 1))
    columns = iter(np.transpose(uniforms))

    def visit(level: int, children: Shape, a: Array, reach: Array) -> Array:
        """Probability that nothing was accepted, after a node and all below it."""
        if children:
            m = target(level)
            s = draft(level)
            for number, below in enumerate(children):
                token, there = _drawn(s, next(columns))
                drafted = _at(s, token)
                acceptance = np.minimum(1, np.divide(a * _at(m, token), drafted, out=np.ones(n), where=drafted > 0))
                reach = visit(level + 1, below, acceptance, np.where(there, reach, 0)) + np.where(there, 0, reach)
                a, m = _deleted(a, m, s, there, number + 1 < len(children))
                s = s if replace else _without(s, token)
        accepted = reach if level == 0 else reach * a
        by_level[:, level] += accepted
        return reach - accepted

    visit(0, shape, np.ones(n), np.ones(n))
    return by_level


def mean_levels(target: Laws, draft: Laws, shape: Shape, uniforms: Array, replace: bool = True) -> Array:
    """The same as a mean over several trees of each row, which uniform numbers (n, trees, nodes) draw.

    >>> p, q = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]])
    >>> mean_levels(lambda level: p, lambda level: q, ((),), np.array([[[0.5], [0.9]]])).round(6).tolist()
    [[0.333333, 0.666667]]
    """
    trees = np.moveaxis(np.asarray(uniforms), 1, 0)
    return np.asarray(np.mean([kept_levels(target, draft, shape, tree, replace) for tree in trees], axis=0))


def _at(laws: Array, token: Array) -> Array:
    return np.take_along_axis(laws, token[:, None], axis=-1)[:, 0]


def _drawn(law: Array, uniform: Array) -> tuple[Array, Array]:
    """A token of each row, and whether the row has any mass left."""
    below = np.cumsum(law, axis=-1)
    total = below[:, -1]
    last = law.shape[-1] - 1 - (law[:, ::-1] > 0).argmax(axis=-1)
    token = np.array([np.searchsorted(c, u * w, side="right") for c, u, w in zip(below, uniform, total, strict=True)])
    return np.minimum(token, last), total > 0


def _deleted(a: Array, m: Array, s: Array, there: Array, has_siblings: bool) -> tuple[Array, Array]:
    """The parent's a, and its M where more children are to be judged, after a child was deleted."""
    over = a[:, None] * m
    over -= s
    np.maximum(over, 0, out=over)
    z = over.sum(axis=-1)
    denominator = z + 1 - a
    grown = np.divide(z, denominator, out=np.ones_like(a), where=denominator > 0)
    if has_siblings:
        np.divide(over, z[:, None], out=over, where=z[:, None] > 0)
        stays = ~there | (z <= 0)
        over[stays] = m[stays]
        m = over
    return np.where(there, grown, a), m


def _without(law: Array, token: Array) -> Array:
    """Laws without one token each; of no mass where nothing is left."""
    rest = law.copy()
    np.put_along_axis(rest, token[:, None], 0, axis=-1)
    total = rest.sum(axis=-1, keepdims=True)
    return np.divide(rest, total, out=np.zeros_like(rest), where=total > 0)
