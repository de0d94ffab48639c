"""Two sets of flags: what a change of labels does to the values, by the difference of the laws of a step."""

from __future__ import annotations

from typing import Any, NamedTuple

from proofs_check.language import Derivation, Fact, eq, total, x
from proofs_check.pad._steps_and_values import Models, Rule, flags, h, models, rule, state, worth

__all__ = ["Change", "change", "moved"]


class Change(NamedTuple):
    """The rule before and after, the set F of labels that change, and the values before (W) and after (N)."""

    m: Models
    before: Rule
    after: Rule
    F: Any
    label: Fact
    W: Any
    N: Any
    facts: tuple[Fact, Fact, Fact, Fact]


def change(d: Derivation, adds: bool, sign: int = 1, constant: int = 1) -> Change:
    """Labels removed (flags and not F) or added (flags or F)."""
    m = models(d)
    f, flag = flags(d)
    F, label = flags(d, "F")
    old = f[h, state, x]
    new = old + F[h, state, x] - old * F[h, state, x] if adds else old * (1 - F[h, state, x])
    before = rule(d, m, old, flag, sign=sign, constant=constant)
    boolean = d.smt("a flag after the change is 0 or 1", eq(new**2, new), flag, label)
    after = rule(d, m, new, boolean, name="2", sign=sign, constant=constant)
    W, end, step = worth(d, m, before.o[h, state, x], "W", "what the text of the rule before is worth")
    N, other_end, other_step = worth(d, m, after.o[h, state, x], "N", "what the text of the rule after is worth")
    return Change(m, before, after, F[h, state, x], label, W, N, (end, step, other_end, other_step))


def moved(d: Derivation, c: Change, freed: Any, more: Fact) -> Fact:
    """One step of the new rule before the old rule's text gains the freed overrides, taken from the replacement.

    Parameters
    ----------
    freed : expression
        mass of token x that is an override after the change and was none before.
    more : that the overrides after the change are those before it and the freed ones
    """
    r, own, o, other = c.m.r[state, x], c.W[h, c.m.step[state, x]], c.before.o[h, state, x], c.after.o[h, state, x]
    masses = d.sum("over the vocabulary", more, x)
    each = d.derive(
        "the two laws of a step, token by token",
        eq(other * own, o * own + freed * own - total(freed, x) * r * own),
        *(c.after.law, c.before.law, masses, more),
    )
    return d.sum("over the vocabulary", each, x)
