"""Rules of this package as samplers to audit, by the names of `simspec rates` and some more: ``rrs:2``, ``block``, ``ears:0.1``.

A rule runs as its own program, with uniforms: as a black box, or in exact mode, where drafts and uniforms are arguments.  Rules
for several drafts have K siblings at each level, the first of which has those of the next; audited with at most
`MOST` drafts a call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.audit.adapters.form import Adapted
from simspec.audit.drafting import Drafts, fractions_of
from simspec.audit.levels import Laws, model_of
from simspec.laws import Array
from simspec.methods.block import Prefix
from simspec.methods.registry import REGISTRY, RuleKind, kind_of, rule
from simspec.methods.tree.shapes import Drafted
from simspec.methods.verifier.chance import Chance, many
from simspec.methods.verifier.programs import MOST, Program
from simspec.methods.verifier.verifier import Drafting, Verifier, from_method, program_of

__all__ = ["adapted_rule", "as_array", "as_nested", "programs", "usages"]


def programs() -> dict[str, Program]:
    """The rules that run as programs of their own, by name; those of one token by name are audited too.

    >>> programs()["block"].summary
    'block verification; lossless'
    """
    return {name: kind.program for name, kind in REGISTRY.items() if kind.program is not None}


def usages() -> dict[str, str]:
    """How each rule here is written, and what it does.

    >>> usages()["rrs:K"]
    'recursive rejection of K independent drafts a level; lossless'
    """
    return {REGISTRY[name].usage: program.summary for name, program in programs().items()}


def adapted_rule(text: str) -> Adapted | None:
    """A rule of this package by its name, in the forms that an audit takes; None for a name that is not here.

    Raises ValueError for numbers that do not fit, and for what `simspec rates` knows and no audit can run.

    >>> adapted_rule("rrs:2").most, adapted_rule("mine.py:sampler")
    (2, None)
    """
    kind = kind_of(text)
    if kind is None:
        return None
    if kind.program is not None:
        drafting, verifier, width = kind.program.make(*_numbers(text, kind))
        return _adapted(drafting, verifier, width)._replace(resolution=kind.program.resolution)
    if kind.form == "token" and not kind.needs:
        return _adapted(*from_method(rule(text).method), 0)
    if kind.form == "tree":
        raise ValueError(f"rule: {text!r} is a tree whose size must be chosen: use `simspec advise`")
    why = "is a bound, not a rule" if kind.siblings is not None else "needs more than the distributions of a test"
    raise ValueError(f"rule: {text!r} {why}: use `simspec rates`")


def _numbers(text: str, kind: RuleKind) -> list[Any]:
    """The numbers of a program; a number of drafts is a small integer."""
    parts = [part for part in text.partition(":")[2].split(",") if part]
    if len(parts) != len(kind.numbers):
        raise ValueError(f"rule: {text!r}; expected {kind.usage}")
    return [_number(text, part, name == "K") for name, part in zip(kind.numbers, parts, strict=True)]


def _number(text: str, number_text: str, is_integer: bool) -> Any:
    try:
        number = int(number_text) if is_integer else float(number_text)
    except ValueError:
        raise ValueError(
            f"rule: {text!r}: {number_text!r}; expected {'an integer' if is_integer else 'a number'}"
        ) from None
    if is_integer and not 1 <= number <= MOST:
        raise ValueError(f"rule: {text!r}; expected 1 to {MOST} drafts per level in an audit")
    return number


def _adapted(drafting: Drafting, verifier: Verifier, width: int) -> Adapted:
    """Wrap a drafting and a verifier in the three forms that an audit calls; `width` is K, or 0 for one path."""
    program = program_of(verifier)
    most_drafts = MOST // width if width > 1 else 64

    def sampler(p: Laws, q: Laws, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        target = model_of(p)
        draft = model_of(q)
        weighted_paths = list(drafting(draft, len(q)))
        weights = [float(weight) for weight, _ in weighted_paths]

        def call(chance: Chance) -> tuple[Prefix, int]:
            return program(target, draft, weighted_paths[chance.draw(weights)][1], chance)

        return _filled(np.full((n, len(p)), -1), np.arange(n), call, rng)

    def with_uniforms(p: Laws, q: Laws, drafts: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        target = model_of(p)
        draft = model_of(q)
        tokens = np.full((len(drafts), len(p)), -1)
        distinct, number = np.unique(drafts, axis=0, return_inverse=True)
        for place, x in enumerate(distinct):
            at = np.flatnonzero(number.reshape(-1) == place)
            call = partial(program, target, draft, _read(x))
            tokens = _filled(tokens, at, call, uniforms[at])
        return tokens

    def drawn(q: Any) -> Drafts:
        weighted = list(drafting(model_of(fractions_of(q)), len(q)))
        arrays = [_written(x, len(q), width) for _, x in weighted]
        # several drafts may be written as the same array: their probabilities are added
        weight_by_array: dict[bytes, tuple[NDArray[np.int64], Any]] = {}
        for array, (weight, _) in zip(arrays, weighted, strict=True):
            weight_by_array[array.tobytes()] = (array, weight_by_array.get(array.tobytes(), (array, 0))[1] + weight)
        return Drafts(np.stack([a for a, _ in weight_by_array.values()]), [w for _, w in weight_by_array.values()])

    return Adapted(
        sampler, with_uniforms, lambda gamma: gamma * (max(width, 1) + 1) + 2, 0, most=most_drafts, drawn=drawn
    )


def _filled(
    tokens: NDArray[np.int64], at: NDArray[np.int64], call: Callable[[Chance], Any], uniforms: Any
) -> NDArray[np.int64]:
    for calls, (emitted, _) in many(call, len(at), uniforms):
        tokens[at[calls], : len(emitted)] = emitted
    return tokens


# --- drafts as arrays -----------------------------------------------------------------------------------------------


def _written(x: Any, gamma: int, width: int) -> NDArray[np.int64]:
    """A path as (gamma,), filled up with -1; a tree as the paths of `as_array`."""
    if width:
        return as_array(x, gamma, width)
    return np.array([token for token, _ in zip_longest(x, range(gamma), fillvalue=-1)], dtype=np.int64)


def _read(x: NDArray[np.int64]) -> Any:
    return tuple(token for token in x.tolist() if token >= 0) if x.ndim == 1 else as_nested(x)


def as_array(tree: Drafted, gamma: int, width: int) -> NDArray[np.int64]:
    """The width^gamma paths of a drafted tree, filled up with -1: equal siblings have blocks of rows of their own.

    >>> as_array(((1, ((0, ()),)), (1, ())), 2, 2).tolist()
    [[1, 0], [1, -1], [1, -1], [1, -1]]
    """
    paths = np.full((width**gamma, gamma), -1)
    step = width ** (gamma - 1) if gamma else 0
    for place, (token, below) in enumerate(tree):
        block = paths[place * step : (place + 1) * step]
        block[:, 0] = token
        block[:, 1:] = as_array(below, gamma - 1, width)
    return paths


def as_nested(paths: NDArray[np.int64]) -> Drafted:
    """The drafted tree of its paths.

    >>> as_nested(np.array([[1, 0], [1, -1], [1, -1], [1, -1]]))
    ((1, ((0, ()),)), (1, ()))
    """
    number, gamma = paths.shape
    if not gamma:
        return ()
    width = round(number ** (1 / gamma))
    blocks = paths.reshape(width, -1, gamma)
    return tuple((int(block[0, 0]), as_nested(block[:, 1:])) for block in blocks if block[0, 0] >= 0)
