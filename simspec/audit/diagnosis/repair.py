"""What mends a verifier, whatever drafts it gets: recursive rejection by the laws from which the drafts really come.

At a node the siblings are looked at in their order.  Each has a law d given all that was looked at before; with r, at first
the target's law, it is kept with probability min(1, r/d), and after a refusal r becomes the positive part of r - d, divided
by its sum.  The text then has the target's law whatever is drafted: one path from the draft laws (which is speculative
decoding), from other laws, several siblings with or without repeats, the most likely ones, or drafts that end early.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.audit.drafting import Drafts, drafts_of, fractions_of
from simspec.audit.levels import model_of
from simspec.audit.pairs import Pair
from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.verifier.verifier import Facts, facts

__all__ = ["are_same_drafts", "repair_of_drafts", "rule_of_drafts"]


def repair_of_drafts(pair: Pair, drafts: Drafts) -> Facts:
    """Law, acceptance and lengths of the rule that verifies these drafts without a bias, in fractions.

    By hand: p = (1/4, 3/4) and two drafts from q = (3/4, 1/4).  The first is kept with 1/4 + 1/4; after a refusal the second
    is kept where it is token 1, with 1/4 of the other half: 5/8 in all.

    >>> from simspec.audit.drafting import drafts_named
    >>> pair = Pair("by hand", np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.75, 0.25]]))
    >>> repair = repair_of_drafts(pair, drafts_named("repeats:2")(pair.q))
    >>> print(repair.acceptance, repair.length, repair.tv)
    5/8 13/8 0
    """
    target = model_of(fractions_of(pair.p))
    tree = _Tree(target, drafts, pair.gamma)
    return facts(list(tree.outcomes()), target, pair.gamma)


def rule_of_drafts(pair: Pair, drafts: Drafts) -> str:
    """What that rule is called for these drafts.

    >>> from simspec.audit.drafting import drafts_named
    >>> pair = Pair("by hand", np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.75, 0.25]]))
    >>> rule_of_drafts(pair, drafts_named("siblings:2")(pair.q))
    'recursive rejection with at most 2 drafts per node'
    """
    if drafts.tokens.ndim == 2:
        from_draft_laws = are_same_drafts(drafts, drafts_of(fractions_of(pair.q)))
        return "speculative decoding" + (
            "" if from_draft_laws else ", given the distributions that the drafts come from"
        )
    paths = drafts.tokens.shape[1]
    siblings = round(paths ** (1 / max(pair.gamma, 1)))
    if siblings ** max(pair.gamma, 1) == paths:
        return f"recursive rejection with at most {siblings} drafts per node"
    return f"recursive rejection with {paths} paths"


def are_same_drafts(first: Drafts, second: Drafts) -> bool:
    """Whether the same drafts come with the same probabilities, in whatever order they are listed.

    >>> once = drafts_of(np.array([[Fraction(1, 4), Fraction(3, 4)]]))
    >>> are_same_drafts(once, Drafts(once.tokens[::-1], once.chances[::-1])), are_same_drafts(once, once._replace(chances=[1, 0]))
    (True, False)
    """
    if first.tokens.shape[1:] != second.tokens.shape[1:]:
        return False
    return _chances(first) == _chances(second)


def _chances(drafts: Drafts) -> dict[bytes, Fraction]:
    total: dict[bytes, Fraction] = {}
    for tokens, chance in zip(drafts.tokens, drafts.chances, strict=True):
        key = np.ascontiguousarray(tokens, dtype=np.int64).tobytes()
        total[key] = total.get(key, Fraction(0)) + chance
    return {key: chance for key, chance in total.items() if chance}


class _Tree:
    """Drafts as what is looked at entry by entry: `numbers` are those that agree with all that was seen so far."""

    def __init__(self, target: Model, drafts: Drafts, gamma: int) -> None:
        self.target, self.gamma = target, gamma
        self.tokens = drafts.tokens.reshape(len(drafts.tokens), -1, gamma)
        self.chances = drafts.chances

    def outcomes(self) -> Iterator[Outcome]:
        """Every way in which a call goes, with its probability."""
        numbers = np.arange(len(self.tokens))
        rows = tuple(range(self.tokens.shape[1] if self.gamma else 0))
        return self._at_node((), rows, numbers, Fraction(1))

    def _mass(self, numbers: NDArray[np.int64]) -> Fraction:
        return sum((Fraction(self.chances[number]) for number in numbers), start=Fraction(0))

    def _at_node(
        self, prefix: Prefix, rows: tuple[int, ...], numbers: NDArray[np.int64], probability: Fraction
    ) -> Iterator[Outcome]:
        """What follows after a kept prefix; `rows` are the paths that begin with it, `probability` that of the tests so far."""
        law = [Fraction(mass) for mass in self.target(prefix)]
        rows = rows if len(prefix) < self.gamma else ()
        yield from self._tests(prefix, law, rows, numbers, probability)

    def _tests(
        self,
        prefix: Prefix,
        law: list[Fraction],
        rows: tuple[int, ...],
        numbers: NDArray[np.int64],
        probability: Fraction,
    ) -> Iterator[Outcome]:
        """Test the siblings in `rows` in turn; `law` is what the token at this place must still have."""
        if not rows:
            mass = probability * self._mass(numbers)
            for token, share in enumerate(law):
                if share:
                    yield Outcome(mass * share, (*prefix, token), len(prefix))
            return
        row = rows[0]
        later = rows[1:]
        siblings = self._split(numbers, row, len(prefix))
        if (ended := siblings.pop(-1, None)) is not None:  # no draft here: the next sibling is looked at
            yield from self._tests(prefix, law, later, ended, probability)
        masses = {token: self._mass(group) for token, group in siblings.items()}
        total = sum(masses.values())
        remaining = list(law)
        for token, mass in masses.items():
            remaining[token] = max(law[token] - mass / total, Fraction(0))
        refused = [share / sum(remaining) for share in remaining] if any(remaining) else law
        for token, group in siblings.items():
            acceptance = min(Fraction(1), law[token] * total / masses[token])
            if acceptance:
                yield from self._after_acceptance((*prefix, token), later, row, group, probability * acceptance)
            if acceptance < 1:
                yield from self._tests(prefix, refused, later, group, probability * (1 - acceptance))

    def _after_acceptance(
        self, prefix: Prefix, later: tuple[int, ...], row: int, numbers: NDArray[np.int64], probability: Fraction
    ) -> Iterator[Outcome]:
        """Go on after a kept draft with the paths that share it: which of the later ones do is looked at first."""
        level = len(prefix) - 1
        shares = self.tokens[numbers][:, list(later), level] == prefix[-1]
        for pattern in np.unique(shares, axis=0):
            group = numbers[(shares == pattern).all(axis=1)]
            rows = (row, *(later_row for later_row, is_shared in zip(later, pattern, strict=True) if is_shared))
            yield from self._at_node(prefix, rows, group, probability)

    def _split(self, numbers: NDArray[np.int64], row: int, level: int) -> dict[int, NDArray[Any]]:
        """Drafts by their token in a row; those of probability 0 left out."""
        entries = self.tokens[numbers, row, level]
        groups = {int(token): numbers[entries == token] for token in np.unique(entries)}
        return {token: group for token, group in groups.items() if self._mass(group)}
