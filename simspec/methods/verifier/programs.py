"""How rules run as programs with uniforms: how their drafts are drawn, and what judges them, for an audit.

Rules for several drafts have K siblings at each level, the first of which has those of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from simspec.methods.block import Model, Outcome, Prefix
from simspec.methods.coupling.verifiers import gumbel_list
from simspec.methods.multi.drafting import DraftLaw, iid
from simspec.methods.multi.kseq import kseq, kseq_rho
from simspec.methods.multi.recursive import Node
from simspec.methods.relaxed.reading import Reading, merging
from simspec.methods.stop.drafting import dropping_last, told_verifier
from simspec.methods.tree.drafting import ranked
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.walking import top_down
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Drafting, Verifier, by_nodes, one_path, program_of

__all__ = [
    "MOST",
    "NARROW",
    "Made",
    "Program",
    "dropped_program",
    "kseq_node",
    "list_program",
    "path_program",
    "reread_program",
    "sibling_program",
    "siblings",
    "top_drafts",
]

MOST = 4
"""Most drafts of a step of such a program, where there are several of a level."""
NARROW = 2.0**-9
"""Resolution of rules whose uniforms are cut at places that exact mode may overlook."""

Made = tuple[Drafting, Verifier, int]
"""How drafts are drawn, the verifier, and drafts of a level or 0 of one path."""


@dataclass(frozen=True)
class Program:
    """A rule with its drafts.

    Attributes
    ----------
    make : numbers -> `Made`
    summary : what it does
    resolution : TV that cells of uniforms cost where they are narrow and begin at no place that the laws suggest
    """

    make: Callable[..., Made]
    summary: str
    resolution: float = 0.0


def siblings(law: DraftLaw, k: int) -> Drafting:
    """Drafts of a law of several at each level; the first has those of the next level.

    >>> from simspec.methods.multi import swor
    >>> list(siblings(swor, 2)(lambda prefix: [0.5, 0.5], 1))
    [(0.5, ((0, ()), (1, ()))), (0.5, ((1, ()), (0, ())))]
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Drafted]]:
        def grown(at: Prefix, levels: int) -> Iterator[tuple[Any, Drafted]]:
            if not levels:
                yield 1, ()
                return
            for weight, (first, *others) in law(draft(at), k):
                for more, below in grown((*at, first), levels - 1):
                    yield weight * more, ((first, below), *((token, ()) for token in others))

        return grown((), gamma)

    return drafting


def top_drafts(q: Any, k: int) -> Iterator[tuple[Any, Prefix]]:
    """The K most likely tokens, for sure."""
    yield 1, ranked(q)[:k]


def kseq_node(p: Any, q: Any, drafts: Any, chance: Chance) -> tuple[int, int | None]:
    """K-SEQ at the smallest lossless threshold of the node."""
    return kseq(_rho(tuple(p), tuple(q), len(drafts)))(p, q, drafts, chance)


@lru_cache(maxsize=256)
def _rho(p: tuple[Any, ...], q: tuple[Any, ...], k: int) -> Any:
    return kseq_rho(np.array(p), np.array(q), k)[1]


def path_program(verifier: Verifier) -> Callable[[], Made]:
    """A verifier of one path of drafts."""
    return lambda: (one_path, verifier, 0)


def sibling_program(node: Node, law: DraftLaw) -> Callable[[int], Made]:
    """A rule that judges the siblings of one node after another."""
    return lambda k: (siblings(law, k), top_down(node), k)


def dropped_program(reported: Callable[[Any], Any]) -> Callable[[float], Made]:
    """A rule that throws away a draft below a threshold; `reported` says what the verifier is told of it."""

    def make(threshold: float) -> Made:
        def ends(q: Any, path: Prefix) -> bool:
            return bool(q[path[-1]] < threshold)

        return dropping_last(ends), told_verifier(reported(ends)), 0

    return make


def list_program(k: int) -> Made:
    """One step with K candidates, those of a tree of one level; where one is accepted a token of the target follows."""

    def verifier(target: Model, draft: Model, tree: Drafted) -> Iterator[Outcome]:
        candidates = tuple(token for token, _ in tree)
        outcomes = gumbel_list(target, draft, candidates) if tree else [Outcome(1, (), 1)]
        for outcome in outcomes:
            if not outcome.accepted:
                yield outcome
                continue
            for token, mass in enumerate(target(outcome.tokens)):
                if mass > 0:
                    yield Outcome(outcome.probability * mass, (*outcome.tokens, token), len(outcome.tokens))

    return siblings(iid, k), verifier, MOST


def reread_program(verifier: Callable[[Reading], Verifier]) -> Callable[[], Made]:
    """Drafts of a vocabulary of its own, whose text the target reads as `merging` does."""

    def judged(target: Model, draft: Model, drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        return program_of(verifier(merging(len(target(())))))(target, draft, drafts, chance)

    return path_program(by_nodes(judged))
