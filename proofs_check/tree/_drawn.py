"""Machines of drawn trees: recursive rejection and traversal, children independent or without replacement."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from proofs_check.tree._states import Machine, State
from simspec.claims.tree.parts import model
from simspec.methods.tree.shapes import Shape, height

__all__ = ["drawn_tree"]


def drawn_tree(shape: Shape, target: Any, draft: Any, replace: bool, traverse: bool) -> Machine:
    """The machine of a rule on trees of a shape."""
    p = model(target)
    q = model(draft)
    nothing = (F(0),) * target.shape[-1]

    def state(at: tuple[int, ...], M: tuple[Any, ...], S: tuple[Any, ...], a: Any, below: Shape) -> State:
        return State(at, M, S if below else nothing, a, below if any(S) else ())

    def move(now: State, x: int) -> tuple[State, State, Any]:
        keep = min(F(1), now.a * now.M[x] / now.S[x])
        over = [max(now.a * m - s, F(0)) for m, s in zip(now.M, now.S, strict=True)]
        z = sum(over)
        residual = tuple(m / z for m in over) if z else now.M
        rest = now.S if replace else _off(now.S, x)
        child = (*now.at, x)
        inside = now.below[0]
        a = (z / (z + 1 - now.a) if z + 1 - now.a else F(1)) if traverse else F(1)
        accepted = state(child, tuple(p(child)), tuple(q(child)), keep if traverse else F(1), inside)
        return accepted, state(now.at, residual, rest, a, now.below[1:]), keep

    root = state((), tuple(p(())), tuple(q(())), F(1), shape)
    return Machine([root], move, target, height(shape) + 1)


def _off(law: tuple[Any, ...], token: int) -> tuple[Any, ...]:
    rest = [F(0) if candidate == token else mass for candidate, mass in enumerate(law)]
    total = sum(rest)
    return tuple(mass / total for mass in rest) if total else tuple(rest)
