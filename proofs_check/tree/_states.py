"""The machine of an instance: its states numbered from 1, and what the symbols of the proofs stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from typing import Any, NamedTuple

from simspec.claims.tree.parts import contexts, model, place
from simspec.methods.block import Prefix

__all__ = ["Machine", "Move", "State"]


class State(NamedTuple):
    """A node and what is left at it.

    Attributes
    ----------
    at : the context
    M, S : laws; S is zero where no child is left
    a : weight
    below : whatever says which children are left
    """

    at: Prefix
    M: tuple[Any, ...]
    S: tuple[Any, ...]
    a: Any
    below: Any


Move = Callable[[State, int], tuple[State, State, Any]]
"""(state, child) -> (state if it is accepted, state if it is refused, probability that it is kept)."""


class Machine:
    """All states that are reached from some roots, in the order in which they are found."""

    def __init__(self, roots: Sequence[State], move: Move, target: Any, length: int) -> None:
        """Follow the moves from the roots, and number each new state."""
        self.target, self.vocab, self.length = model(target), target.shape[-1], length
        number = {root: at for at, root in enumerate(dict.fromkeys(roots), 1)}
        moves: dict[tuple[int, int], tuple[int, int, Any]] = {}
        open_ = list(number)
        self.roots = [number[root] for root in roots]
        while open_:
            state = open_.pop()
            for child, mass in enumerate(state.S):
                if not mass:
                    continue
                accepted, refused, keep = move(state, child)
                for successor in (accepted, refused):
                    if successor not in number:
                        number[successor] = len(number) + 1
                        open_.append(successor)
                moves[number[state], child + 1] = (number[accepted], number[refused], keep)
        self.states, self.moves = list(number), moves
        self.texts = [self.text(k) for k in range(contexts(self.vocab, length))]

    def text(self, number: int) -> Prefix:
        """A text by its number, from 0."""
        tokens: Prefix = ()
        while number:
            number, token = divmod(number - 1, self.vocab)
            tokens = (token, *tokens)
        return tokens

    def steps(self, state: int) -> int:
        """Most moves from a state on."""
        to = {
            successor
            for (at, _), move in self.moves.items()
            if at == state
            for successor in move[:2]
            if successor != at
        }
        return 1 + max((self.steps(successor) for successor in to), default=0)

    def said(self, at: Prefix, text: Prefix) -> Any:
        """The target's probability of a text after a context."""
        return self.target(at)[text[0]] * self.said((*at, text[0]), text[1:]) if text else F(1)

    def c(self, s: int, x: int, t: int) -> Any:
        """Probability of a text given that a token comes first."""
        text = self.texts[t - 1]
        if not text:
            return F(1)
        return self.said((*self.states[s - 1].at, x - 1), text[1:]) if text[0] == x - 1 else F(0)

    def values(self) -> dict[str, Any]:
        """What the symbols stand for, but for what a rule adds."""
        states = self.states
        texts = self.texts
        vocab = self.vocab
        full = range(contexts(vocab, self.length - 1) + 1, len(texts) + 1)
        return {
            **{"M": [s.M for s in states], "S": [s.S for s in states], "a": [s.a for s in states]},
            **{"omega": [int(any(s.S)) for s in states], "c": self.c},
            **{"T": lambda s, t: sum(m * self.c(s, x, t) for x, m in enumerate(states[s - 1].M, 1))},
            **{"b": lambda t, x: int(not texts[t - 1] or texts[t - 1][0] == x - 1)},
            **{"tail": lambda t: place(texts[t - 1][1:], vocab) + 1},
            **{"acc": lambda s, x: self.moves.get((s, x), (s, s))[0]},
            **{"ref": lambda s, x: self.moves.get((s, x), (s, s))[1]},
            **{"keep": lambda s, x: self.moves.get((s, x), (s, s, F(0)))[2]},
            **{"start": 1, "N": max(map(self.steps, self.roots)), "V": vocab},
            "ranges": {"s": range(1, len(states) + 1), "t": range(1, len(texts) + 1), "w": full, "n": range(1)},
        }
