"""Links whose arguments are valid but for one element: refused by name, or the batches of the plain version."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simspec.kernels.link import Contexts, Rule, run_links
from simspec.laws.checks import any_mass
from tests.altered import alter, judged, outcomes
from tests.kernels.link.test_link import one_row, pairs

NAMES = "contexts|q|p|price|budget|resolution|picks|accept_uniforms|rule|k|threshold|step_size|dropped_target|printed"


def _valid(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 7])
    rows, pool, batches = (int(rng.integers(1, 4)) for _ in range(3))
    vocab, longest = int(rng.integers(1, 9)), int(rng.integers(0, 4))
    contexts = pairs(rng, rows, pool, vocab, 1.0)
    picks, accept_uniforms = rng.random((2, rows, batches, longest + 1))
    return {
        "q": np.array(contexts.q),
        "p": np.array(contexts.p),
        "price": 1.0 + np.arange(vocab + 1),
        "budget": float(rng.integers(0, 4 * vocab)),
        "resolution": int(rng.integers(1, 40)),
        "picks": picks,
        "accept_uniforms": accept_uniforms,
        "k": int(rng.integers(0, vocab + 1)),
        "threshold": float(rng.choice([0.0, 0.1, 0.3])),
        "step_size": float(rng.choice([0.0, 0.05])),
        "dropped_target": 0.1,
        "printed": bool(rng.integers(2)),
    }


def _run(parts: dict[str, Any]) -> Any:
    rule = Rule(*(parts[name] for name in Rule._fields))
    contexts = Contexts(parts["q"], parts["p"])
    return run_links(
        contexts, parts["price"], parts["budget"], parts["resolution"], parts["picks"], parts["accept_uniforms"], rule
    )


def _check(parts: dict[str, Any], made: Any) -> None:
    """Row by row the plain version; where the threshold goes beyond all numbers only that it does so in both."""
    floats = {name: np.asarray(parts[name], np.float64) for name in ("q", "p", "price", "picks", "accept_uniforms")}
    corrected = not bool(parts["printed"])
    rule = Rule(*(parts[name] for name in Rule._fields))
    for row in range(len(floats["q"])) if corrected else ():
        contexts = Contexts(floats["q"][row : row + 1], floats["p"][row : row + 1])
        uniforms = (floats[name][row : row + 1] for name in ("picks", "accept_uniforms"))
        plain = one_row(contexts, floats["price"], float(parts["budget"]), int(parts["resolution"]), *uniforms, rule)
        with any_mass():  # laws rounded to half precision pass
            expected = np.array(list(plain)).reshape(-1, 7)
        np.testing.assert_allclose(np.stack(made, axis=-1)[row], expected, rtol=1e-12, atol=1e-9)
    assert made.emitted.shape == floats["picks"].shape[:2]
    assert (made.emitted == made.drafted - made.discarded + 1).all()
    assert ((made.emitted >= 1) & (made.drafted < floats["picks"].shape[2])).all()


def outcome(seed: int) -> str:
    """How links with one changed element end."""
    return judged(alter(random.Random(seed), _valid(seed)), _run, NAMES, _check)


def test_valid_links_are_those_of_the_plain_version() -> None:
    for seed in range(20):
        parts = _valid(seed)
        _check(parts, _run(parts))


def test_one_changed_element_of_a_link_is_refused_by_name_or_legitimate() -> None:
    counts = outcomes(outcome, range(200))
    assert counts["refused"] > 100 and counts["right"] > 30
