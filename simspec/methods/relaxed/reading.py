r"""Exact match as a one-token rule, and SLEM and SLRS where a draft is one token of a vocabulary of its own.

The text of a drafted token is read again by the target's tokenizer; :math:`\psi(t)` is the probability that it begins with
the target's token t.  SLEM emits a sample of the target, SLRS weighs ψ against p.  As verifiers of longer drafts both are
here too: what a whole drafted path reads as is then a function of the path.

Source: Timor et al. 2025 (arXiv 2502.05202), restored; claims ``relaxed.slem.tokens`` and ``relaxed.slrs``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simspec.laws import Array
from simspec.methods.block import Model, Prefix
from simspec.methods.method import Method, leftover
from simspec.methods.relaxed.vocabularies import Vocabulary
from simspec.methods.sd import SD
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.match import matched
from simspec.methods.verifier.verifier import Verifier, by_nodes, one_path

__all__ = [
    "Reading",
    "first_law",
    "match",
    "match_fresh",
    "merging",
    "slem",
    "slem_verifier",
    "slrs_rule",
    "slrs_verifier",
]

Reading = Callable[[Prefix], Prefix]
"""Drafted tokens -> the target's tokens of their text."""


def _match(p: Array, d: Array) -> Array:
    return p * d


def match() -> Method:
    """Exact match of one draft: a sample of the target is emitted, and accepted where it is the draft; lossless.

    >>> match().accept(np.array([0.25, 0.75]), np.array([0.5, 0.5])).tolist()
    [0.125, 0.375]
    """
    return Method(propose=lambda q: q, accept=_match, residual=leftover(_match)).made_by(match)


def match_fresh() -> Method:
    """The same, but after a miss another sample of the target is emitted: lossy.

    >>> from simspec.methods import output_law
    >>> output_law(match_fresh(), np.array([0.25, 0.75]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.75]
    >>> output_law(match_fresh(), np.array([0.25, 0.75]), np.array([1.0, 0.0])).tolist()
    [0.4375, 0.5625]
    """
    return Method(propose=lambda q: q, accept=_match, residual=lambda p, d: p).made_by(match_fresh)


def first_law(q: Array, first: Array) -> Array:
    r"""ψ of drafts of one token: :math:`\psi(t) = \sum_{x: f(x) = t} q(x)`.

    Parameters
    ----------
    q : laws (..., V) over the draft's tokens
    first : integers (V,); f, the target's token with which the text of each draft token begins

    Both vocabularies are numbered up to V, the shorter one filled up with tokens of no mass.  Exact on fractions; takes time
    of the order V for each law.

    >>> first_law(np.array([0.5, 0.25, 0.25]), np.array([0, 1, 0])).tolist()
    [0.75, 0.25, 0.0]
    """
    law = q.reshape(-1, q.shape[-1]) * 0
    for row, draft_law in zip(law, q.reshape(law.shape), strict=True):
        np.add.at(row, first, draft_law)
    return law.reshape(q.shape)


def _read(first: Array, q: Array) -> Array:
    return first_law(q, np.asarray(first))


def slem(first: Array) -> Method:
    """SLEM on drafts of one token: exact match with what their text begins with; lossless.

    >>> slem(np.array([0, 0])).propose(np.array([0.25, 0.75])).tolist()
    [1.0, 0.0]
    """
    return replace(match(), propose=lambda q: _read(first, q)).made_by(slem, first)


def slrs_rule(first: Array) -> Method:
    """SLRS on drafts of one token: speculative decoding of ψ against p; lossless.

    >>> slrs_rule(np.array([0, 0])).accept(np.array([0.25, 0.75]), np.array([1.0, 0.0])).tolist()
    [0.25, 0.0]
    """
    return replace(SD, propose=lambda q: _read(first, q)).made_by(slrs_rule, first)


def merging(vocab: int) -> Reading:
    """A reading for laws without texts: token 0 and then token 1 are token 2, where there is one.

    >>> merging(3)((0, 1, 1)), merging(2)((0, 1))
    ((2, 1), (0, 1))
    """
    letters = ("a", "b", "ab", *(chr(ord("a") + n) for n in range(3, vocab)))
    vocabulary = Vocabulary(letters[:vocab])
    return lambda tokens: vocabulary.read(vocabulary.text(tokens))


def slem_verifier(read: Reading) -> Verifier:
    """SLEM of one round: samples of the target, as far as they are the tokens of the drafted text, and one more.

    >>> p = [0.25, 0.25, 0.5]
    >>> [tuple(o) for o in slem_verifier(merging(3))(lambda x: p, lambda x: p, (0, 1)) if o.accepted]
    [(0.125, (2, 0), 1), (0.125, (2, 1), 1), (0.25, (2, 2), 1)]
    """

    def program(target: Model, draft: Model, drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        tokens = read(drafts)
        return matched([target(tokens[:n]) for n in range(len(tokens) + 1)], (), tokens, chance)

    return by_nodes(program)


def slrs_verifier(read: Reading) -> Verifier:
    """SLRS of one round: the first token of the drafted text by min(1, p/ψ), and one more where it is kept.

    >>> p, q = [0.5, 0.5], [1.0, 0.0]
    >>> [tuple(o) for o in slrs_verifier(merging(2))(lambda x: p, lambda x: q, (0,))]
    [(0.25, (0, 0), 1), (0.25, (0, 1), 1), (0.5, (1,), 0)]
    """

    def program(target: Model, draft: Model, drafts: Prefix, chance: Chance) -> tuple[Prefix, int]:
        p = target(())
        if not drafts:
            return (chance.draw(p),), 0
        psi: list[Any] = [mass * 0 for mass in p]
        for weight, path in one_path(draft, len(drafts)):
            psi[read(path)[0]] += weight
        token = read(drafts)[0]
        if chance.keep(p[token], psi[token]):
            return (token, chance.draw(target((token,)))), 1
        return (chance.draw([max(a - b, 0 * a) for a, b in zip(p, psi, strict=True)]),), 0

    return by_nodes(program)
