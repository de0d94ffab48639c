"""Tokens at the cut of a truncation: what is certain, and how often a lossless engine that rounds is said to differ.

Each run bets on one option with the error 0.01; the numbers of runs and the seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspec.audit.endpoint.bets import UNDER_OPTIONS, Wealth
from simspec.audit.endpoint.options import Reading, judged_by, judged_under
from simspec.audit.endpoint.records import TopRow
from tests.audit.endpoint.speculating import Sampling, processed

VOCAB = 24
TOP = 5
ERROR = 0.01
ROUNDING = 0.2
"""Nats by which the difference of two logits moves at most."""
OPTIONS = ({"top_k": 3}, {"top_p": 0.6}, {"min_p": 0.2})


def row_of(law: np.ndarray, top: int) -> TopRow:
    """The most likely tokens of a law, those without mass left out."""
    order = np.argsort(-law, kind="stable")[:top]
    return tuple((int(token), float(np.log(law[token]))) for token in order if law[token] > 0)


def moved(logits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Logits of another shape of the batch: between two of them no difference moves by more than `ROUNDING`."""
    return logits + rng.uniform(-ROUNDING / 4, ROUNDING / 4, size=len(logits))


def evidence(
    options: dict,
    rounding: float,
    seed: int,
    engine_options: dict | None = None,
    tokens: int = 60,
    is_stated: bool = True,
) -> tuple[float, int]:
    """The largest logarithm of the wealth, and tokens judged, of those that an engine emits under options."""
    rng = np.random.default_rng(seed)
    wealth = Wealth(aimed=UNDER_OPTIONS)
    for _ in range(tokens):
        logits = rng.normal(size=VOCAB) * 1.5
        plain, stated, engine = (moved(logits, rng) for _ in range(3))
        law = processed(engine, [], Sampling([1], **(engine_options or options)))
        token = int(rng.choice(VOCAB, p=law))
        rows = [row_of(processed(plain, [], Sampling([1])), 20)]
        if is_stated:
            stated_rows = [row_of(processed(stated, [], Sampling([1], **options)), 20)]
            judged, _ = judged_by(
                options, [1], [token], rows, stated_rows, False, Reading(), top=TOP, rounding=rounding
            )
        else:
            judged = judged_under(options, [1], [token], [rows[0][:TOP]], False, rounding)
        wealth.add(judged)
    return wealth.largest, wealth.tokens


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
@pytest.mark.parametrize("is_stated", [True, False], ids=["stated", "computed"])
def test_rounding_at_the_cut_is_no_difference(options, is_stated) -> None:
    """Of 40 runs at error 0.01 at most 3 alarms: more come with probability 0.0007.  Without the rule many runs are alarms."""
    limit = -math.log(ERROR)
    with_rule = [evidence(options, ROUNDING, seed, is_stated=is_stated) for seed in range(40)]
    without_rule = [evidence(options, 0.0, seed, is_stated=is_stated)[0] for seed in range(20)]
    assert sum(value >= limit for value, _ in with_rule) <= 3
    assert sum(value >= limit for value in without_rule) >= 4
    assert np.mean([tokens for _, tokens in with_rule]) > 45


@pytest.mark.parametrize(
    ("options", "engine_options", "tokens"),
    [
        ({"top_k": 3}, {"top_k": 4}, 60),
        # where the third token is certain only in some places, what is missing shows only there
        ({"top_k": 3}, {"top_k": 2}, 250),
        ({"top_p": 0.6}, {"top_p": 1.0}, 60),
        ({"min_p": 0.2}, {"min_p": 0.1}, 60),
    ],
)
def test_another_truncation_is_found(options, engine_options, tokens) -> None:
    """One token more or one less than top-k, top-p ignored, min-p halved: each in nearly all of eight runs."""
    runs = [evidence(options, ROUNDING, seed, engine_options, tokens)[0] for seed in range(8)]
    assert sum(value >= -math.log(ERROR) for value in runs) >= 7


def test_a_token_outside_of_the_row_may_be_at_the_cut_too() -> None:
    """Where the row ends within rounding of the cut, no token outside of it is evidence; where it ends below it, each is."""
    row = ((3, math.log(0.4)), (5, math.log(0.2)), (7, math.log(0.19)))
    assert judged_under({"min_p": 0.48}, [1], [9], [row], False, 0.1) == []
    (judged,) = judged_under({"min_p": 0.8}, [1], [9], [row], False, 0.1)
    assert judged.category == 3 and judged.masses[3] < 1e-9
    assert judged_under({"top_p": 0.9}, [1], [9], [row], False, 0.1) == []
