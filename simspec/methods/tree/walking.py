"""Rules that go down a tree node by node: the one that lifts a rule at a node to a verifier, and those that need no draft law.

A rule at a node is a `Node`, as for several drafts of one step: recursive rejection is `simspec.methods.multi`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

from simspec.laws import Array, Scalar
from simspec.methods.block import Model, Prefix
from simspec.methods.multi.recursive import Node
from simspec.methods.tree.shapes import Drafted
from simspec.methods.verifier.chance import Chance, SharedUniform
from simspec.methods.verifier.verifier import Verifier, by_nodes

__all__ = ["certain", "sample", "target_only", "top_down"]


def top_down(node: Node) -> Verifier:
    """A rule applied from the root on, as long as it accepts a child; below a leaf the target draws.

    >>> from fractions import Fraction
    >>> half = [Fraction(1, 2)] * 2
    >>> for outcome in top_down(sample)(lambda x: half, lambda x: half, ((1, ()),)):
    ...     print(*outcome)
    1/2 (0,) 0
    1/4 (1, 0) 1
    1/4 (1, 1) 1
    """

    def program(target: Model, draft: Model, tree: Drafted, chance: Chance) -> tuple[Prefix, int]:
        at: Prefix = ()
        while tree:
            token, place = node(target(at), draft(at), [child for child, _ in tree], chance)
            at = (*at, token)
            if place is None:
                return at, len(at) - 1
            tree = tree[place][1]
        return (*at, chance.draw(target(at))), len(at)

    return by_nodes(program)


def target_only(accept: Scalar = 1, single: Scalar = 1, bits: int | None = None, closed: bool = True) -> Node:
    """Target-only verification, as in flashinfer and SGLang: one uniform u a node, and c the mass of the children up to this one.

    The child is accepted if u ≤ c / `accept`, or if its own mass is at least `single`; else a token is drawn from the
    target law without the children.  With both at 1 it is lossless for children that are all different: claims
    ``tree.target-only.distinct``, ``tree.same-acceptance``.

    Parameters
    ----------
    accept, single : number in (0, 1]; the thresholds
    bits : the uniform is a multiple of 2^−bits in [0, 1); None for a real number
    closed : whether u = c accepts, which matters for a uniform with bits only: then a child of mass zero can come out

    >>> from fractions import Fraction
    >>> from simspec.methods.verifier.chance import every
    >>> p = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    >>> print(*(w for w, (_, place) in every(lambda c: target_only()(p, p, (0, 2), c)) if place is not None))
    1/4 1/2
    """

    def part(c: Scalar) -> Any:
        if bits is None:
            return c / accept
        steps = floor(c / accept * 2**bits) + 1 if closed else ceil(c / accept * 2**bits)
        return c * 0 + min(steps, 2**bits)

    def node(p: Array, q: Array, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
        uniform = SharedUniform(chance)
        c = p[0] * 0
        for place, token in enumerate(children):
            c = c + p[token]
            if p[token] >= single or uniform.keep(part(c), 1 if bits is None else 2**bits):
                return token, place
        return chance.draw(_or(_without(p, children), p)), None

    return node


def certain(p: Array, q: Array, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """Each child is kept with its share of what the children before have left of the target law (EAGLE's `evaluate_posterior`).

    No draft law is needed: a child that was not drawn has mass one.  Lossless for every tree that does not depend on the
    verifier's uniforms: claim ``tree.deterministic``.
    """
    remaining = list(p)
    for place, token in enumerate(children):
        if chance.keep(remaining[token], sum(remaining)):
            return token, place
        remaining[token] = remaining[token] * 0
    return chance.draw(_or(remaining, p)), None


def sample(p: Array, q: Array, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """One sample of the target is emitted, whatever the children are; accepted if it is among them, the first that it is."""
    token = chance.draw(p)
    return token, children.index(token) if token in children else None


def _without(law: Sequence[Any] | Array, tokens: Sequence[int]) -> list[Any]:
    return [mass * 0 if token in tokens else mass for token, mass in enumerate(law)]


def _or(weights: Sequence[Any] | Array, otherwise: Sequence[Any] | Array) -> Any:
    return weights if any(weights) else otherwise
