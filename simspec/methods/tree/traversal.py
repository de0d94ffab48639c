"""Traversal verification: a tree is judged from its leaves to its root, so that a later token can make up for an earlier one."""

from __future__ import annotations

from typing import Any

from simspec.laws import Scalar
from simspec.methods.block import Model, Prefix
from simspec.methods.tree.shapes import Drafted
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_nodes

__all__ = ["traversal"]


def traversal(replace: bool = True) -> Verifier:
    r"""Traversal verification (Weng et al. 2025, arXiv 2505.12398).

    The root has :math:`a = 1`, the child x of v :math:`a(x) = \min(1, a(v) M(x)/S(x))` with M and S target and draft law at
    v.  The first leaf is accepted with probability a, with its whole path; else it is deleted, and its parent gets
    :math:`M \leftarrow` :math:`(aM - S)_+` normalised and :math:`a \leftarrow Z/(Z + 1 - a)`, Z the mass of
    :math:`(aM - S)_+` (1 where that is 0/0); a node without children is a leaf.  The update of a is a restored one.
    Lossless: claims ``tree.traversal-lossless.swr`` and ``.swor``; on a chain it is block verification
    (``tree.traversal-chain``).

    Parameters
    ----------
    replace : bool; children were drawn independently; else S loses each deleted token

    >>> from fractions import Fraction
    >>> from simspec.methods.verifier import by_rows, outcomes
    >>> from simspec.methods.tree.drafting import drawn
    >>> from simspec.methods.tree.shapes import chain
    >>> p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    >>> found = outcomes(traversal(), by_rows([p] * 3), by_rows([q] * 2), 2, drawn(chain(2)))
    >>> print(sum(o.probability * o.accepted for o in found))
    11/9
    """

    def visit(
        target: Model, draft: Model, at: Prefix, tree: Drafted, a: Scalar, chance: Chance
    ) -> tuple[Prefix, int] | None:
        """What is emitted from a node on; None where the node is deleted."""
        m = list(target(at))
        s = list(draft(at)) if tree else []
        for token, below in tree:
            acceptance = min(1, a * m[token] / s[token])
            if (emission := visit(target, draft, (*at, token), below, acceptance, chance)) is not None:
                return emission
            over = [max(a * mass - drafted, 0) for mass, drafted in zip(m, s, strict=True)]
            z = sum(over)
            m = [mass / z for mass in over] if z else m
            a = z / (z + 1 - a) if z + 1 - a else 1
            s = s if replace else _deleted(s, token)
        return ((*at, chance.draw(m)), len(at)) if not at or chance.keep(a, 1) else None

    def program(target: Model, draft: Model, tree: Drafted, chance: Chance) -> tuple[Prefix, int]:
        emission = visit(target, draft, (), tree, 1, chance)
        if emission is None:
            raise AssertionError("the root is accepted for sure")
        return emission

    return by_nodes(program)


def _deleted(law: list[Any], token: int) -> list[Any]:
    rest = [mass * 0 if candidate == token else mass for candidate, mass in enumerate(law)]
    total = sum(rest)
    return [mass / total for mass in rest] if total else law
