"""`run_links` on arguments that are valid but for one element: a `ValueError` by name, or finite batches, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simspec.kernels.link import Contexts, Rule, run_links

CASES = 300
WRONG = (None, "x", -1, 0, 2**45, -0.5, 1.5, float("nan"), float("inf"), 1j, [], np.zeros(0), np.ones((1, 1)), object())
Arguments = dict[str, Any]


@dataclass
class NotRule:
    """Has what a rule has, and is none."""

    k: int = 1


def valid(draw: np.random.Generator) -> Arguments:
    rows, pool, vocab, batches, most = (int(size) for size in draw.integers(1, 5, 5))
    laws = draw.dirichlet(np.ones(vocab), (2, rows, pool))
    return {
        "q": -np.sort(-laws[0]),
        "p": laws[1],
        "price": np.arange(vocab + 1.0),
        "budget": float(draw.integers(0, 20)),
        "resolution": int(draw.integers(1, 100)),
        "picks": draw.random((rows, batches, most)),
        "accept_uniforms": draw.random((rows, batches, most)),
        "rule": Rule(int(draw.integers(0, vocab + 1)), 0.1, 0.1, 0.1),
    }


def call(arguments: Arguments) -> Any:
    rest = {name: value for name, value in arguments.items() if name not in ("q", "p")}
    return run_links(Contexts(arguments["q"], arguments["p"]), **rest)


def spoil(arguments: Arguments, draw: np.random.Generator) -> str:
    """Change one element, one axis, one field or one whole argument; its name."""
    name = str(draw.choice([*arguments]))
    value, wrong = arguments[name], WRONG[draw.integers(len(WRONG))]
    if isinstance(value, Rule):
        field = str(draw.choice(Rule._fields))
        arguments[name] = value._replace(**{field: wrong}) if draw.random() < 0.9 else NotRule()
        return name
    changes: list[Callable[[], Any]] = [lambda: wrong]
    if isinstance(value, np.ndarray):
        place = tuple(int(draw.integers(size)) for size in value.shape)
        number = draw.choice([-1e-9, 1.5, np.nan, np.inf, -np.inf, 1e300])
        changes += [
            lambda: np.where(
                np.arange(value.size).reshape(value.shape) == np.ravel_multi_index(place, value.shape), number, value
            ),
            lambda: value[..., :-1],
            lambda: value[:-1],
            lambda: np.concatenate([value, value], axis=int(draw.integers(value.ndim))),
            lambda: value.astype(object),
            lambda: value[np.newaxis],
        ]
    arguments[name] = changes[draw.integers(len(changes))]()
    return name


def outcomes(cases: int, seed: int) -> dict[str, int]:
    """How many cases were refused and answered; a case that does neither rightly raises."""
    draw = np.random.default_rng(seed)
    counts = {"refused": 0, "answered": 0}
    for _ in range(cases):
        arguments = valid(draw)
        call(arguments)
        spoil(arguments, draw)
        try:
            batches = call(arguments)
        except ValueError as error:
            assert ":" in str(error) and "expected" in str(error), error
            counts["refused"] += 1
        else:
            assert all(np.isfinite(part).all() for part in batches[:-1])
            assert (batches.emitted >= 1).all() and (batches.discarded <= batches.drafted).all()
            counts["answered"] += 1
    return counts


def test_one_wrong_element_is_refused_or_harmless() -> None:
    counts = outcomes(CASES, seed=3)
    assert counts["refused"] > CASES / 3 and counts["answered"] > 0
