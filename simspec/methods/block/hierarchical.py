"""Hierarchical verification of one drafted path (HSD, arXiv 2601.05724): naive, capped, and as a package indexes it.

A prefix is accepted by comparing the joint laws of its continuations by one token, from the longest prefix down.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from simspec.laws import Array, Scalar
from simspec.methods.block.enumerated import Model, Prefix
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Verifier, by_nodes, by_program

__all__ = ["hierarchical_capped", "hierarchical_naive", "hierarchical_package"]

Rows = Sequence[Any]


def _joint(p: Rows, q: Rows, x: Prefix) -> list[tuple[Any, Any]]:
    """P(x^t), Q(x^t) for t = 0, 1, …"""
    joint_masses: list[tuple[Any, Any]] = [(Fraction(1), Fraction(1))]
    for i, token in enumerate(x):
        joint_masses.append((joint_masses[-1][0] * p[i][token], joint_masses[-1][1] * q[i][token]))
    return joint_masses


def _gaps(P: Scalar, Q: Scalar, p: Array, q: Array) -> tuple[list[Any], Any, Any]:
    """(P p − Q q)₊ by token, its sum, and that of (Q q − P p)₊."""
    excess = [max(P * a - Q * b, 0) for a, b in zip(p, q, strict=True)]
    return excess, sum(excess), sum(max(Q * b - P * a, 0) for a, b in zip(p, q, strict=True))


def _naive(target: Model, draft: Model, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    """Run the naive rule with one set of uniforms; return the text, up to γ tokens, and the number of drafts accepted."""
    gamma = len(x)
    p = [target(x[:i]) for i in range(gamma + 1)]
    q = [draft(x[:i]) for i in range(gamma)]
    joint = _joint(p, q, x)
    if chance.keep(joint[gamma][0], joint[gamma][1]):
        return (*x, chance.draw(p[gamma])), gamma
    accepted = 0
    for t in range(gamma - 1, 0, -1):
        _, excess_mass, deficit_mass = _gaps(*joint[t], p[t], q[t])
        if chance.keep(excess_mass, max(excess_mass, deficit_mass)):
            accepted = t
            break
    text = x[:accepted]
    (P, Q) = joint[accepted]
    # from here on tokens are drawn, not drafted: P and Q are the joint masses of the text so far
    while len(text) < gamma:
        law = target(text)
        drafted = draft(text)
        residual, some, _ = _gaps(P, Q, law, drafted)
        token = chance.draw(residual if some else law)
        text = (*text, token)
        P = P * law[token]
        Q = Q * drafted[token]
    return text, accepted


hierarchical_naive: Verifier = by_nodes(_naive)
r"""Definitions 4 and 5: :math:`x^t` by :math:`D(p,q)/\max(D(p,q), D(q,p))` of its branch, then a text up to γ tokens.

The rest of the text is drawn token by token from the positive part of the joint target law over the joint draft law, at
prefixes that were not drafted; nothing follows it.

>>> third = [1 / 3, 2 / 3]
>>> found = hierarchical_naive(lambda x: third, lambda x: third[::-1], (1, 0))
>>> [tuple(o) for o in found][0][1:]
((1, 0, 0), 2)
"""


def _capped(p: Rows, q: Rows, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    gamma = len(x)
    joint = _joint(p, q, x)
    tops: list[Any] = [1]  # max(1, R(x^1), …, R(x^t))
    for P, Q in joint[1:]:
        tops.append(max(tops[-1], P / Q))
    if chance.keep(joint[gamma][0], joint[gamma][1] * tops[gamma - 1]):
        return (*x, chance.draw(p[gamma])), gamma
    for t in range(gamma - 1, -1, -1):
        P, Q = joint[t]
        residual, excess_mass, deficit_mass = _gaps(P / tops[t], Q, p[t], q[t])
        if t == 0 or not deficit_mass or chance.keep(excess_mass, deficit_mass):
            return (*x[:t], chance.draw(residual if any(residual) else p[t])), t
    return (chance.draw(p[0]),), 0  # no draft


hierarchical_capped: Verifier = by_program(_capped)
r"""Definition 6: the same with :math:`R^*(x^t) = R(x^t)/\max(1, \max_{i<t} R(x^i))`, and one token after the kept prefix.

>>> from fractions import Fraction
>>> from simspec.methods.verifier import outcomes
>>> p = [Fraction(1, 3), Fraction(2, 3)]
>>> found = outcomes(hierarchical_capped, lambda x: p, lambda x: p[::-1], 2)
>>> print(sum(o.probability * o.accepted for o in found))
11/9
"""


def _package(p: Rows, q: Rows, x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    """Run the package's rule with one set of uniforms; return the text and the number of drafts accepted."""
    gamma = len(x)
    joint = _joint(p, q, x)
    ratios = [P / Q for P, Q in joint]

    def gaps(t: int) -> tuple[list[Any], Any, Any]:
        P, Q = joint[t]
        return _gaps(P / max(1, *ratios[: t + 1]), Q, p[t], q[t])

    last = ratios[max(gamma - 1, 1)] / max(1, *ratios[:gamma]) if gamma else 1
    if chance.keep(last, 1):
        return (*x, chance.draw(p[gamma])), gamma
    for i in range(gamma - 1, 0, -1):
        # the branch of x[:i - 1] decides on x[:i], as in the package; the definition takes that of x[:i]
        _, excess_mass, deficit_mass = gaps(i - 1)
        if excess_mass and (not deficit_mass or chance.keep(excess_mass, deficit_mass)):
            return (*x[:i], _after(gaps(i - 1)[0], p[i], chance)), i
    return (_after(gaps(0)[0], p[0], chance),), 0


def _after(residual: list[Any], p: Array, chance: Chance) -> int:
    return chance.draw(residual if any(residual) else p)


hierarchical_package: Verifier = by_program(_package)
"""The capped rule with the places of version 0.1.1 of the package sequential-speculative-decoding: most are one too low.

i tokens are accepted by the branch of the prefix of i − 1, and the next token comes from that branch too.

>>> half, sure = [0.5, 0.5], [1.0, 0.0]
>>> [o.accepted for o in hierarchical_package(lambda x: half, lambda x: sure, (0, 0))]
[2, 2, 0]
"""
