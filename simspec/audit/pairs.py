"""Pairs of laws that reveal: a fault can have TV exactly 0 on one pair and 0.3 on another.

All masses are dyadic, so floats hold them exactly, and rows differ from position to position, so that a wrong row shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from simspec.audit.levels import as_levels
from simspec.checks import short, whole_number
from simspec.laws import Array

__all__ = ["Pair", "checked", "fine", "for_exact", "revealing", "searched"]

MOST_TEXTS = 2**16
"""Most texts that are told apart."""
MOST_TOKENS = 52
"""Most tokens of a law: its masses are multiples of 2^-V, and of more tokens floats would round them."""
WHOLE = 1e-6
"""How far the sum of a law may be off: single precision passes."""


class Pair(NamedTuple):
    """Laws to audit on: target p (gamma + 1, V), draft q (gamma, V), and what is special about them.

    Where they depend on the drafted prefix they are levels of a tree (`simspec.audit.levels`).  `handed` says what a
    sampler is handed in place of p and q (`simspec.audit.handing`); None: p and q themselves.
    """

    name: str
    p: Any
    q: Any
    handed: Any = None

    @property
    def gamma(self) -> int:
        return len(self.q)

    @property
    def vocab(self) -> int:
        return int(self.p[0].shape[-1])

    @property
    def size(self) -> int:
        """Tokens of the rows that a sampler is handed."""
        return getattr(self.handed, "size", self.vocab)


def checked(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs with their laws in floats; raises ValueError that names what is no law in one of them.

    A pair may also be a tuple (p, q) of arrays, and laws may be fractions: a sampler gets the nearest floats.

    >>> checked([Pair("mine", np.array([[0.5, 0.25]]), np.zeros((0, 2)))])
    Traceback (most recent call last):
    ...
    ValueError: pairs: p of the pair “mine”: a law sums to 0.75; expected 1
    """
    float_pairs = [_in_floats(pair, number) for number, pair in enumerate(pairs, start=1)]
    if not float_pairs:
        raise ValueError("pairs: none; expected at least one pair of laws")
    for pair in float_pairs:
        where = f"pairs: {{}} of the pair “{pair.name}”"
        p, q = (_levels_of(laws, where.format(name)) for name, laws in (("p", pair.p), ("q", pair.q)))
        if len(p) != len(q) + 1:
            raise ValueError(f"{where.format('q')}: {len(q)} laws; expected one fewer than the {len(p)} of p")
        vocab = p[0].shape[-1]
        if vocab ** len(p) > MOST_TEXTS:
            raise ValueError(f"{where.format('p')}: {vocab}^{len(p)} texts; expected at most {MOST_TEXTS}")
        for name, levels in (("p", p), ("q", q)):
            _check_levels(levels, vocab, where.format(name))
    return float_pairs


def _in_floats(pair: Any, number: int) -> Pair:
    """A pair in floats.

    >>> from fractions import Fraction
    >>> _in_floats((np.array([[Fraction(1, 4), Fraction(3, 4)]]), np.zeros((0, 2))), 1).p.tolist()
    [[0.25, 0.75]]
    """
    if isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(laws, np.ndarray | tuple) for laws in pair):
        pair = Pair(f"pair {number}", *pair)
    if not isinstance(pair, Pair):
        raise ValueError(
            f"pairs: {short(repr(pair))}; expected a simspec.audit.Pair of a name and arrays p and q, or arrays (p, q)"
        )
    return pair._replace(p=_floats(pair.p), q=_floats(pair.q))


def _floats(laws: Any) -> Any:
    """Laws in float64 where they are fractions or integers; else as they are."""
    if isinstance(laws, tuple):
        return tuple(map(_floats, laws))
    if isinstance(laws, np.ndarray) and laws.dtype.kind in "Oiu":
        try:
            return laws.astype(np.float64)
        except (TypeError, ValueError):  # what it holds is told by `_check_levels`
            return np.full(laws.shape, np.nan)
    return laws


def _levels_of(laws: Any, where: str) -> list[Array]:
    levels = [laws] if isinstance(laws, np.ndarray) else laws
    if not isinstance(levels, list | tuple) or not all(isinstance(x, np.ndarray) and x.ndim for x in levels):
        raise ValueError(f"{where}: {short(repr(laws))}; expected an array of rows, or a tuple of levels, of a tree")
    return list(laws)


def _check_levels(levels: list[Array], vocab: int, where: str) -> None:
    for i, level in enumerate(levels):
        if level.shape not in ((vocab,), (vocab,) * (i + 1)):
            raise ValueError(f"{where}: law {i} has the shape {level.shape}; expected {vocab} tokens")
        if not (np.isfinite(level).all() and (level >= 0).all()):
            raise ValueError(
                f"{where}: a mass is {level[~(level >= 0) | ~np.isfinite(level)][0]}; expected none below 0, none NaN"
            )
        sums = level.sum(axis=-1)
        if (abs(sums - 1) > WHOLE).any():
            raise ValueError(f"{where}: a law sums to {sums.flat[abs(sums - 1).argmax()]:g}; expected 1")


def _uneven(vocab: int) -> Array:
    """(1, 2, 4, ..., the rest) / 2^V: no two masses equal, and none 0."""
    steps = 2 ** np.arange(vocab)
    steps[-1] = 2**vocab - steps[:-1].sum()
    return steps / 2**vocab


def _rolled(law: Array, rows: int, start: int = 0) -> Array:
    return np.array([np.roll(law, i) for i in range(start, start + rows)]).reshape(rows, len(law))


def _fine(vocab: int) -> Array:
    """Masses near 3^-1, 3^-2, ..., the rest in multiples of 2^-16: exact in single precision, not in bfloat16."""
    steps = np.floor(2**16 / 3.0 ** np.arange(1, vocab + 1))
    steps[-1] = 2**16 - steps[:-1].sum()
    return steps / 2**16


def fine(pair: Pair) -> Pair:
    """A pair of rows with all masses moved to multiples of 2^-16; a 0 stays one, and the largest mass takes the rest.

    >>> (fine(Pair("thirds", np.array([[1, 2]]) / 3, np.zeros((0, 2)))).p * 2**16).tolist()
    [[21845.0, 43691.0]]
    """
    return Pair(pair.name, _in_steps(pair.p), _in_steps(pair.q))


def _in_steps(laws: Array) -> Array:
    steps = np.floor(laws * 2**16 + 1e-6)  # a mass that is a multiple, but for rounding, stays one
    rows = np.arange(len(laws))
    steps[rows, laws.argmax(axis=1)] += 2**16 - steps.sum(axis=1)
    return steps / 2**16


def _by_prefix(law: Array, length: int) -> tuple[Array, ...]:
    """Levels in which a law is rolled by the sum of the prefix's tokens, each times its position, and the length."""
    vocab = len(law)
    levels = []
    for i in range(length):
        shift = sum((np.indices((vocab,) * i)[k] * (k + 1) for k in range(i)), start=np.full((vocab,) * i, i))
        levels.append(law[(np.arange(vocab) - shift[..., None]) % vocab])
    return tuple(levels)


def _without(laws: Array, token: int) -> Array:
    """The mass of one token goes to the next."""
    out = laws.copy()
    to = (token + 1) % laws.shape[1]
    out[:, to] += out[:, token]
    out[:, token] = 0
    return out


def revealing(gamma: int = 2, vocab: int = 3, edges: bool = True, prefixes: bool = False) -> list[Pair]:
    """Pairs to try in turn, those that reveal most first.

    Parameters
    ----------
    gamma : int >= 0; drafts of a call
    vocab : int from 2 to `MOST_TOKENS`; tokens
    edges : bool; also one draft, no draft, and a vocabulary of one token
    prefixes : bool; first two pairs whose laws depend on the drafted prefix, levels of a tree

    >>> [pair.name for pair in revealing(1, 2)][:3]
    ['uneven', 'two ways to recover', 'one-hot drafts']
    >>> revealing(1, 2)[0].p.tolist(), revealing(1, 2)[0].q.tolist()
    ([[0.25, 0.75], [0.75, 0.25]], [[0.75, 0.25]])
    """
    gamma = whole_number("gamma", gamma, 0, 8, "a number of drafts from 0 to 8")
    vocab = whole_number("vocab", vocab, 2, MOST_TOKENS, f"a number of tokens from 2 to {MOST_TOKENS}")
    if vocab ** (gamma + 1) > MOST_TEXTS:
        raise ValueError(f"vocab: {vocab}; expected at most 65536 texts of {gamma + 1} tokens")
    law = _uneven(vocab)
    certain = np.eye(vocab)
    p = _rolled(law, gamma + 1)
    q = _rolled(law[::-1], gamma)
    flat = np.zeros((gamma + 1, vocab))
    flat[:, :2] = 0.5
    ways = (certain[-2] + 3 * certain[-1]) / 4
    near = p[:gamma] * 15 / 16 + q / 16
    small = _uneven(2)
    candidates = [
        Pair("uneven", p, q),
        Pair("two ways to recover", _rolled(ways, gamma + 1), _rolled((certain[0] + certain[-1]) / 2, gamma)),
        Pair("two tokens", _rolled(small, gamma + 1), _rolled(small, gamma, 1)),
        Pair("one-hot drafts", p, _rolled(certain[0], gamma)),
        Pair("one-hot targets", _rolled(certain[0], gamma + 1), q),
        Pair("half-way drafts", p, (p[:gamma] + q) / 2),
        Pair("a token that the target never says", _without(p, 0), q),
        Pair("a token that the draft never says", p, _without(q, vocab - 1)),
        Pair("disjoint supports", _without(p, 0), np.tile(certain[0], (gamma, 1))),
        Pair("equal laws", p, p[:gamma]),
        Pair("nearly equal laws", p, near),
        Pair("ties in the target", flat, q),
        Pair("ties in the draft", p, flat[:gamma]),
        Pair("first drafts right", p, np.concatenate([p[:1], q[1:]])[:gamma]),
        Pair("masses finer than bfloat16", _rolled(_fine(vocab), gamma + 1), q),
    ]
    if prefixes:
        candidates = [
            Pair("laws by prefix", _by_prefix(law, gamma + 1), _by_prefix(law[::-1], gamma)),
            Pair("target by prefix", _by_prefix(law, gamma + 1), tuple(as_levels(q))),
            *candidates,
        ]
    if edges:
        candidates += [
            Pair("one draft", p[:2], q[:1]),
            Pair("no draft", p[:1], q[:0]),
            Pair("one token", np.ones((gamma + 1, 1)), np.ones((gamma, 1))),
        ]
    return _distinct(candidates)


SEARCHED = "searched_pairs.json"
"""Pairs that `simspec.audit.zoo.pair_search` chose, beside this file: numerators over 2^16."""


def searched(gamma: int) -> list[Pair]:
    """Pairs chosen by a search over random mutants of verifiers, for at most gamma drafts.

    Their masses are held by single precision, but not by bfloat16, float16 or 8 bits, of the target and of the draft
    alike.  Three or five tokens: two can never show both a refused draft with 0 < p/q < 1 and a recovery token with
    r/q < 1, because what one refused draft leaves is certain.  Pairs of two drafts are shortened to one, or their rows
    are repeated in turn.

    >>> [(pair.gamma, pair.vocab) for pair in searched(1)][:1], searched(0)
    ([(1, 3)], [])
    """
    text = resources.files("simspec.audit").joinpath(SEARCHED).read_text(encoding="utf-8")
    pairs = []
    for number, laws in enumerate(json.loads(text)["pairs"], 1):
        p, q = (np.array(laws[name]) / 2**16 for name in ("p", "q"))
        length = gamma if len(q) > 1 else min(gamma, 1)
        if length:
            rows_p = np.arange(length + 1) % len(p)
            rows_q = np.arange(length) % len(q)
            pairs.append(Pair(f"searched {number}", p[rows_p], q[rows_q]))
    return pairs


def for_exact(gamma: int = 2, vocab: int = 3, edges: bool = True, prefixes: bool = False) -> list[Pair]:
    """Pairs that exact mode tries: those of `revealing`, and those of `searched`.

    A searched pair may have more tokens than `vocab`, or one draft in place of gamma; without `edges` only those are
    tried that have the sizes asked for.

    >>> [(pair.gamma, pair.vocab) for pair in for_exact(1, 2, edges=False) if pair.name.startswith("searched")]
    []
    """
    candidates = revealing(gamma, vocab, edges, prefixes)
    return _distinct(
        [*candidates, *(pair for pair in searched(gamma) if edges or (pair.gamma, pair.vocab) == (gamma, vocab))]
    )


def _distinct(pairs: list[Pair]) -> list[Pair]:
    by_content: dict[object, Pair] = {}
    for pair in pairs:
        by_content.setdefault(
            tuple(level.tobytes() for laws in (pair.p, pair.q) for level in (*laws, np.zeros(0))), pair
        )
    return list(by_content.values())
