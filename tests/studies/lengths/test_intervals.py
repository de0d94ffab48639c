"""Intervals of lengths: none of too few requests, the whole of what is possible beyond, and those that the bench measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import coverage
from simspec.cli import main
from simspec.engine.estimates.clusters import FEWEST
from simspec.studies.lengths import Counts, Lengths, Log, lengths

TWO = """
{"metrics": {"speculative_decoding": {"num_spec_steps": 4, "num_accepted_draft_tokens": 3, "num_draft_tokens": 8, "acceptance_histogram": [2, 1, 1]}}}
{"metrics": {"speculative_decoding": {"num_spec_steps": 4, "num_accepted_draft_tokens": 7, "num_draft_tokens": 8, "acceptance_histogram": [0, 1, 3]}}}
"""  # noqa: E501


def of_requests(requests: list[tuple[int, int]], drafts: int = 4) -> Lengths:
    counts = tuple(Counts(steps, accepted, drafts * steps) for steps, accepted in requests)
    return lengths(Log("by hand", counts, by_request=True))


def test_two_requests_have_a_sentence_and_no_interval(tmp_path, capsys) -> None:
    log = tmp_path / "requests.jsonl"
    log.write_text(TWO.strip(), encoding="utf-8")
    assert main(["lengths", str(log)]) == 0
    out = capsys.readouterr().out
    assert "2 requests, no intervals: 2 requests are too few, a 95 % interval needs 5 or more" in out
    assert "[" not in out and "acceptance length  2.250" in out
    assert main(["lengths", str(log), "--json", "-"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["length"] == {"value": 2.25, "low": None, "high": None} and "too few" in record["without_intervals"]


@pytest.mark.parametrize("count", range(1, 8))
def test_intervals_begin_at_the_fewest_requests(count) -> None:
    of = of_requests([(10, 20 + n) for n in range(count)])
    assert (of.length.low is None) == (count < FEWEST) == bool(of.without_intervals)


def test_by_hand() -> None:
    """Five requests of ten steps that accept 20 drafts, and at the low end a sixth with 30 tokens, so 30 steps, and no draft.

    All accept two drafts a step: the sums are 100 and 80 steps.  Left out in turn, one of the five leaves 80 / 70, the sixth
    leaves 2; the sizes have (5 * 10^2 + 30^2)^2 / (5 * 10^4 + 30^4) - 1 degrees of freedom, less than one more than one.
    """
    of = of_requests([(10, 20)] * 5)
    left_out = np.array([80 / 70] * 5 + [2.0])
    error = np.sqrt(5 / 6 * ((left_out - left_out.mean()) ** 2).sum())
    freedom = 1400**2 / 860_000 - 1
    from scipy.stats import t

    assert of.length.value == 3 and of.length.low == pytest.approx(1 + max(0, 100 / 80 - t.ppf(0.975, freedom) * error))
    # the high end: a sixth of ten steps that accepts all 40 drafts; six equal sizes, the ordinary t-interval
    shares = np.array([2.0] * 5 + [4.0])
    high = shares.mean() + t.ppf(0.975, 5) * shares.std(ddof=1) / 6**0.5
    assert of.length.high == pytest.approx(1 + min(4, high))


def test_requests_that_are_all_alike_leave_room_for_one_that_is_not() -> None:
    """Every draft of every step is accepted: the interval is no point, however many requests there are."""
    for count in (5, 20, 300):
        of = of_requests([(10, 40)] * count)
        assert of.length.value == of.length.high == 5 and of.length.low is not None and of.length.low < 5 - 4 / count


def test_what_the_bench_measures_is_what_is_printed() -> None:
    rng = np.random.default_rng(20_261_128)
    for name, law in coverage.LAWS.items():
        accepted, steps = coverage.requests(law, rng, (12, 1))
        low, high = coverage.METHODS["simspec"](accepted.astype(float), steps.astype(float))
        of = of_requests(list(zip(steps[:, 0].tolist(), accepted[:, 0].tolist(), strict=True)))
        assert (of.length.low, of.length.high) == pytest.approx((1 + low.item(), 1 + high.item())), name
