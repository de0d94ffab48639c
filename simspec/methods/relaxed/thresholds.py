"""Target-only verification with the two thresholds of SGLang: one uniform for all children of a node.

Source: SGLang's and FlashInfer's `tree_speculative_sampling_target_only`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simspec.laws import Array, Scalar, unchecked
from simspec.laws.arrays import as_fractions
from simspec.methods.block import Model, Prefix
from simspec.methods.method import Method
from simspec.methods.parameters import check_number, number
from simspec.methods.sd import SD
from simspec.methods.verifier.chance import Chance, SharedUniform
from simspec.methods.verifier.verifier import Verifier, by_nodes

__all__ = ["thresholds", "thresholds_verifier"]


def _check(t_acc: Scalar, t_single: Scalar) -> None:
    for name, value in (("t_acc", t_acc), ("t_single", t_single)):
        check_number(name, value, lambda v: 0 < v <= 1, "a threshold in (0, 1]")


def thresholds_verifier(t_acc: Scalar = 1, t_single: Scalar = 1) -> Verifier:
    """At each node one uniform u; the first child whose sum of masses c has u < c/t_acc, or whose mass is at least t_single.

    No child: a draw from the target without the children.  The drafts are paths of a tree, in the order of the children.

    Parameters
    ----------
    t_acc, t_single : numbers in (0, 1]; both 1 is lossless

    Raises ValueError for a threshold outside (0, 1].  Whether the uniform is compared by < or ≤ has probability zero.

    >>> p = [0.25, 0.25, 0.5]
    >>> [tuple(o) for o in thresholds_verifier(0.5)(lambda prefix: p, lambda prefix: p, ((0,),)) if not o.accepted]
    [(0.16666666666666666, (1,), 0), (0.3333333333333333, (2,), 0)]
    """
    _check(t_acc, t_single)

    def program(target: Model, draft: Model, paths: Sequence[Sequence[int]], chance: Chance) -> tuple[Prefix, int]:
        node: Prefix = ()
        while children := _children(paths, node):
            p = target(node)
            accepted_child = _taken(p, children, chance)
            if accepted_child is None:
                residual = [0 if y in children else mass for y, mass in enumerate(p)]
                return (*node, chance.draw(residual if any(residual) else p)), len(node)
            node = (*node, accepted_child)
        return (*node, chance.draw(target(node))), len(node)

    def _taken(p: Array, children: list[int], chance: Chance) -> int | None:
        uniform = SharedUniform(chance)
        upto = 0
        for child in children:
            upto = upto + p[child]
            if p[child] >= t_single or uniform.keep(upto, t_acc):
                return child
        return None

    return by_nodes(program)


def _children(paths: Sequence[Sequence[int]], node: Prefix) -> list[int]:
    """Next tokens of the paths that go through a node, each once."""
    return list(dict.fromkeys(x[len(node)] for x in paths if len(x) > len(node) and tuple(x[: len(node)]) == node))


def thresholds(t_acc: Scalar = 1, t_single: Scalar = 1) -> Method:
    r"""The same for one candidate, drawn from q: keep x with :math:`\min(1, p(x)/t_{acc})`, and surely from t_single on.

    After a refusal p without the refused token; as a `Method` the mean of these laws, which has the same outcomes.

    Parameters and errors as in `thresholds_verifier`.

    >>> from simspec.methods import output_law
    >>> output_law(thresholds(0.5), np.array([0.25, 0.75]), np.array([1.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    _check(t_acc, t_single)

    def accept(p: Array, d: Array) -> Array:
        chance = np.minimum(p / number(t_acc, p), 1)
        return d * np.where(p >= number(t_single, p), 1, chance)

    def residual(p: Array, d: Array) -> Array:
        lost = as_fractions(np.where(p < 1, d - accept(p, d), 0)) / np.where(p < 1, 1 - p, 1)
        return unchecked.normalise(p * np.maximum(unchecked.total(lost) - lost, 0), otherwise=p)

    return replace(SD, accept=accept, residual=residual).made_by(thresholds, t_acc, t_single)
