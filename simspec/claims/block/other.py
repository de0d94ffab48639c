"""Other verifiers that emit the kept prefix and one more token: every lossless one keeps some share of what a block may keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.verifier.chance import Chance, every
from simspec.methods.verifier.verifier import Verifier, by_program

__all__ = ["always", "sharing"]

Share = Callable[[Prefix, Any], Any]
"""(prefix, ratio of its last token) -> share in [0, 1]."""


def sharing(share: Share) -> Verifier:
    r"""Keeps of each prefix a share of :math:`\min(Q(x^i), K(x^{i-1}) P(x_i|x^{i-1}))`, K what it keeps of the one before.

    With share 1 block verification, with that of the ratio's cut alone less.  After i drafts the next token is drawn from
    :math:`(K P - K')_+` over the next tokens: what the target has there and no draft fills.

    >>> from simspec.methods.verifier import outcomes
    >>> p = [Fraction(1, 3), Fraction(2, 3)]
    >>> for part in (1, Fraction(1, 2)):
    ...     found = outcomes(sharing(lambda x, ratio: part), lambda x: p, lambda x: p[::-1], 2)
    ...     print(sum(o.probability * o.accepted for o in found))
    11/9
    1/2
    """

    def verifier(target: Model, draft: Model, x: Prefix) -> list[Outcome]:
        """Return the exact outcomes of one drafted path x."""
        gamma = len(x)
        accepted_mass: list[Any] = [Fraction(1)]  # given the drafts so far
        ahead: list[list[Any]] = []  # for each next token: K'(y) by K's prefix, given that prefix
        for i, token in enumerate(x):
            p = target(x[:i])
            q = draft(x[:i])
            on = [
                share((*x[:i], y), p[y] / q[y]) * min(q[y], accepted_mass[-1] * p[y]) if q[y] else 0
                for y in range(len(p))
            ]
            ahead.append(on)
            accepted_mass.append(on[token] / q[token])

        def program(chance: Chance) -> tuple[Prefix, int]:
            if chance.keep(accepted_mass[gamma], 1):
                return (*x, chance.draw(target(x))), gamma
            # longest first: x[:i] keeps what its continuations do not (accepted mass less their sum), out of what they leave
            for i in range(gamma - 1, -1, -1):
                some = sum(ahead[i])
                if i == 0 or chance.keep(accepted_mass[i] - some, 1 - some):
                    p = target(x[:i])
                    residual = [accepted_mass[i] * a - b for a, b in zip(p, ahead[i], strict=True)]
                    return (*x[:i], chance.draw(residual if any(residual) else p)), i
            raise AssertionError("the empty prefix is kept")

        return [Outcome(probability, text, n) for probability, (text, n) in every(program)]

    return verifier


def _all(p: Sequence[Any], q: Sequence[Any], x: Prefix, chance: Chance) -> tuple[Prefix, int]:
    return (*x, chance.draw(p[-1])), len(x)


always: Verifier = by_program(_all)
"""Keeps every draft: not lossless."""
