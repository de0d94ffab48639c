"""Rules that go down a tree node by node: the one that lifts a rule at a node to a verifier, and those that need no draft law.

A rule at a node sees both laws, the drafted children and its coins; it says which token is emitted, and which child that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor
from typing import Any

from simspec.methods.block import Model, Prefix
from simspec.methods.joint.chance import Chance, Coin
from simspec.methods.joint.verifier import Verifier, by_nodes
from simspec.methods.tree.shapes import Drafted

__all__ = ["Node", "certain", "recursive", "sample", "target_only", "top_down"]

Node = Callable[[Any, Any, Sequence[int], Chance], tuple[int, int | None]]
"""(target law, draft law, children, chance) -> (token emitted, place of the child that is accepted, or None)."""


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


def recursive(replace: bool = True) -> Node:
    """Recursive rejection at a node: each child is tested against what the others have left of the target law.

    Parameters
    ----------
    replace : bool; children were drawn independently (RRS), or without replacement (RRSw)

    Lossless on every tree: claim ``tree.rrs-lossless`` (Miao et al. 2023, arXiv 2305.09781; Jeon et al. 2024,
    arXiv 2402.14160).
    """

    def node(p: Any, q: Any, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
        left, told = list(p), list(q)
        for place, token in enumerate(children):
            if chance.keep(left[token], told[token]):
                return token, place
            left = _scaled([max(a - b, 0) for a, b in zip(left, told, strict=True)], left)
            told = told if replace else _scaled(_without(told, [token]), told)
        return chance.draw(left), None

    return node


def target_only(accept: Any = 1, single: Any = 1, bits: int | None = None, closed: bool = True) -> Node:
    """Target-only verification, as in flashinfer and SGLang: one coin u a node, and c the mass of the children up to this one.

    The child is accepted if u ≤ c / `accept`, or if its own mass is at least `single`; else a token is drawn from the
    target law without the children.  With both at 1 it is lossless for children that are all different: claims
    ``tree.target-only.distinct``, ``tree.same-acceptance``.

    Parameters
    ----------
    accept, single : number in (0, 1]; the thresholds
    bits : the coin is a multiple of 2^−bits in [0, 1); None for a real number
    closed : whether u = c accepts, which matters for a coin with bits only: then a child of mass zero can come out

    >>> from fractions import Fraction
    >>> from simspec.methods.joint.chance import every
    >>> p = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    >>> print(*(w for w, (_, place) in every(lambda c: target_only()(p, p, (0, 2), c)) if place is not None))
    1/4 1/2
    """

    def part(c: Any) -> Any:
        if bits is None:
            return c / accept
        steps = floor(c / accept * 2**bits) + 1 if closed else ceil(c / accept * 2**bits)
        return c * 0 + min(steps, 2**bits)

    def node(p: Any, q: Any, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
        coin, c = Coin(chance), p[0] * 0
        for place, token in enumerate(children):
            c = c + p[token]
            if p[token] >= single or coin.keep(part(c), 1 if bits is None else 2**bits):
                return token, place
        return chance.draw(_or(_without(p, children), p)), None

    return node


def certain(p: Any, q: Any, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """Each child is kept with its share of what the children before have left of the target law (EAGLE's `evaluate_posterior`).

    No draft law is needed: a child that was not drawn has mass one.  Lossless for every tree that does not depend on the
    verifier's coins: claim ``tree.deterministic``.
    """
    left = list(p)
    for place, token in enumerate(children):
        if chance.keep(left[token], sum(left)):
            return token, place
        left[token] = left[token] * 0
    return chance.draw(_or(left, p)), None


def sample(p: Any, q: Any, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """One sample of the target is emitted, whatever the children are; accepted if it is among them, the first that it is."""
    own = chance.draw(p)
    return own, children.index(own) if own in children else None


def _without(law: Sequence[Any], tokens: Sequence[int]) -> list[Any]:
    return [mass * 0 if token in tokens else mass for token, mass in enumerate(law)]


def _or(weights: Sequence[Any], otherwise: Sequence[Any]) -> Sequence[Any]:
    return weights if any(weights) else otherwise


def _scaled(weights: Sequence[Any], otherwise: Sequence[Any]) -> list[Any]:
    total = sum(weights)
    return [w / total for w in weights] if total else list(otherwise)
