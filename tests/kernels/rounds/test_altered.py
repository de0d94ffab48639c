"""Rounds of every kind whose arguments are valid but for one element: refused by name, or the paths of the reference."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from simspec.kernels.rounds import Draws, Tables, reference, run_rounds, tables
from simspec.kernels.rounds.block import block_tables, run_block_rounds
from simspec.kernels.rounds.block import reference as block_reference
from simspec.kernels.rounds.reference import Laws
from simspec.kernels.rounds.several import reference as several_reference
from simspec.kernels.rounds.several import run_several_rounds, several_tables
from simspec.kernels.rounds.tree import reference as tree_reference
from simspec.kernels.rounds.tree import run_tree_rounds, tree_tables
from simspec.methods import SD
from tests.altered import alter, judged, outcomes
from tests.kernels.rounds.cases import pair

COMMON = "following|gamma|rounds|start|threads|draws|key|rows|purposes|dtype|tokens|counts|rule"
SHAPES = [((), ((),)), (((), ()), ()), ((((),),),)]
OTHER_SHAPES = [((), 3), ((), None), "ab", 7, None, ((), "a"), [[], []], np.zeros((2, 0)), ((),) * 513]
OTHER_ROWS = [range(-1, 3), range(2**64 - 1, 2**64 + 1), range(5, 5), range(9, 3, -2), [0, 2**64], [1, 1], 3, None]
OTHER_ROWS += [np.array([[1]]), [1.5], [True], np.array([2.0]), np.array([True]), range(0, 10**30, 10**29)]
RUNS = ("key", "rows", "purposes", "gamma", "rounds", "start", "tokens", "counts", "threads")


class Kind(NamedTuple):
    """A kind of rounds.

    Attributes
    ----------
    names : regular expression; of its own arguments
    make : (arguments) -> tables
    run, reference : the function that runs rounds, and the plain one
    """

    names: str
    make: Callable[[dict[str, Any]], Any]
    run: Callable[..., Any]
    reference: Callable[..., Any]


KINDS = {
    "one": Kind("d|k|r|p", lambda x: tables(x["d"], x["k"], x["r"], x["p"], x["following"]), run_rounds, reference.run),
    "laws": Kind(
        "laws|draft|share|residual|target|device",
        lambda x: Tables(Laws(x["draft"], x["share"], x["residual"], x["target"], x["following"])),
        run_rounds,
        reference.run,
    ),
    "block": Kind("p|q", lambda x: block_tables(x["p"], x["q"], x["following"]), run_block_rounds, block_reference.run),
    "several": Kind(
        "p|q|k|replace|rho",
        lambda x: several_tables(x["p"], x["q"], x["k"], replace=x["replace"], rho=x["rho"], following=x["following"]),
        run_several_rounds,
        several_reference.run,
    ),
    "tree": Kind(
        "p|q|shape|replace",
        lambda x: tree_tables(x["p"], x["q"], x["shape"], replace=x["replace"], following=x["following"]),
        run_tree_rounds,
        tree_reference.run,
    ),
}


def _valid(kind: str, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 3])
    states, vocab = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    p, q = (x / x.sum(axis=-1, keepdims=True) for x in pair(states, vocab, seed, 0.7))
    laws: dict[str, Any] = {"p": p, "q": q}
    if kind == "one":
        laws = {"d": q, "k": SD.accept(p, q), "r": SD.residual(p, q), "p": p}
    elif kind == "laws":
        share = np.divide(SD.accept(p, q), q, out=np.zeros_like(q), where=q > 0)
        draft, residual, target = (reference.cdf(x) for x in (q, SD.residual(p, q), p))
        laws = {"draft": draft, "share": np.minimum(share, 1), "residual": residual, "target": target}
    elif kind == "several":
        replace = bool(rng.integers(2))
        rho = np.full(states, 1.5) if replace and rng.random() < 0.5 else None
        laws |= {"k": int(rng.integers(1, 5)), "replace": replace, "rho": rho}
    elif kind == "tree":
        laws |= {"shape": SHAPES[rng.integers(len(SHAPES))], "replace": bool(rng.integers(2))}
    numbers = {
        "following": rng.integers(0, states, vocab),
        "key": int(rng.integers(2**62)),
        "rows": range(int(rng.integers(1, 60))),
        "purposes": (int(rng.integers(5)),),
        "gamma": int(rng.integers(0, 5)),
        "rounds": int(rng.integers(1, 5)),
        "start": int(rng.integers(states)),
        "tokens": True,
        "counts": True,
        "threads": 2,
    }
    if kind == "tree":
        del numbers["gamma"]
    return laws | numbers


def _call(kind: Kind, parts: dict[str, Any]) -> Any:
    draws = Draws(parts["key"], parts["rows"], parts["purposes"])
    given = {name: parts[name] for name in RUNS[3:] if name in parts}
    return kind.run(kind.make(parts), draws, **given)


def _check(kind: Kind, parts: dict[str, Any], made: Any) -> None:
    """The reference on tables made anew from plain float64 arrays, path by path."""
    plain = dict(parts)
    for name, value in parts.items():
        if name in ("p", "q", "d", "k", "r", "draft", "share", "residual", "target", "rho") and np.ndim(value):
            x = np.asarray(value)
            plain[name] = np.array(x, x.dtype.newbyteorder("=") if x.dtype.kind == "f" else np.float64)
    rule = kind.make(plain)
    rows = [int(row) for row in parts["rows"]]
    gamma = int(parts["gamma"]) if "gamma" in parts else rule.levels
    purpose = int(parts["purposes"][0])
    numbers = gamma, int(parts["rounds"]), int(parts["key"]), rows, int(parts["start"]), purpose
    expected = kind.reference(rule.laws, *numbers)
    for name, x, y in zip(made._fields, made, expected, strict=True):
        if x is not None:
            np.testing.assert_array_equal(x, y, err_msg=name)
    assert (made.tokens is None) == (not parts["tokens"]) and (made.counts is None) == (not parts["counts"])


def outcome(seed: int) -> str:
    """How rounds with one changed element end; the kind goes round with the seed."""
    name = list(KINDS)[seed % len(KINDS)]
    kind = KINDS[name]
    others = {"shape": OTHER_SHAPES, "rows": OTHER_ROWS, "rho": [0.5, np.nan, np.inf, "x", [[2.0]], 2, True]}
    case = alter(random.Random(seed), _valid(name, seed), others)
    return judged(
        case, lambda x: _call(kind, x), f"{kind.names}|{COMMON}", lambda parts, made: _check(kind, parts, made)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_valid_rounds_are_those_of_the_reference(kind) -> None:
    for seed in range(10):
        parts = _valid(kind, seed)
        _check(KINDS[kind], parts, _call(KINDS[kind], parts))


def _arrays(laws: Any) -> list[np.ndarray]:
    """Arrays of nested tuples, in order."""
    if isinstance(laws, np.ndarray):
        return [laws]
    return [x for part in laws for x in _arrays(part)] if isinstance(laws, tuple) else []


@pytest.mark.parametrize("kind", ["block", "several", "tree"])
def test_laws_with_columns_first_need_no_other_kernel(kind) -> None:
    """A compiled loop is made for one layout: for another one it would be compiled anew, which takes half a minute."""
    parts = _valid(kind, 2)
    columns_first = parts | {name: np.asfortranarray(parts[name]) for name in ("p", "q")}
    rows, columns = (_arrays(KINDS[kind].make(given).laws) for given in (parts, columns_first))
    assert parts["p"].shape[0] > 1 and len(rows) == len(columns) > 3
    for x, y in zip(rows, columns, strict=True):
        np.testing.assert_array_equal(x, y)
        assert (x.flags.c_contiguous, x.flags.f_contiguous) == (y.flags.c_contiguous, y.flags.f_contiguous)


def test_one_changed_element_of_rounds_is_refused_by_name_or_legitimate() -> None:
    counts = outcomes(outcome, range(250))
    assert counts["refused"] > 100 and counts["right"] > 40
