"""Acceptance lengths from logs: every format on one run, contradictions, and conversions that would lose something."""

from __future__ import annotations

import argparse
import json
from itertools import product

import numpy as np
import pytest

from simspec.cli import main
from simspec.cli.lengths import add_arguments
from simspec.methods.counters import acceptance_length, conditional_rates, draft_acceptance, position_rates
from simspec.tools.lengths import (
    CONVENTIONS,
    ENGINES,
    Counts,
    Log,
    converted,
    lengths,
    profile,
    read,
    speeds,
    synthetic,
)

ACCEPTED = [[0, 2, 1], [3, 3], [0, 0, 0, 1]]
"""Drafts accepted in each step of three requests; every step drafts three."""


def counters(accepted: list[list[int]]) -> str:
    """A run as vLLM's counters."""
    steps = [a for request in accepted for a in request]
    at_least = [sum(a > i for a in steps) for i in range(3)]
    lines = [
        "# HELP vllm:spec_decode_num_drafts_total Number of drafts",
        f'vllm:spec_decode_num_drafts_total{{engine="0"}} {len(steps)}.0',
        f'vllm:spec_decode_num_draft_tokens_total{{engine="0"}} {3 * len(steps)}.0',
        f'vllm:spec_decode_num_accepted_tokens_total{{engine="0"}} {sum(steps)}.0',
        *(
            f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{engine="0",position="{i}"}} {n}'
            for i, n in enumerate(at_least)
        ),
    ]
    return "\n".join(lines)


def records(accepted: list[list[int]], shape: str) -> str:
    """A run as records, one on each line."""
    made = []
    for a in accepted:
        fields = {"num_spec_steps": len(a), "num_accepted_draft_tokens": sum(a), "num_draft_tokens": 3 * len(a)}
        if shape == "vLLM":
            fields["acceptance_histogram"] = [a.count(n) for n in range(4)]
            made.append({"id": "r", "metrics": {"speculative_decoding": fields}})
        elif shape == "steps":
            made.append({"metrics": {"speculative_decoding": {**fields, "per_step_accepted": a}}})
        elif shape == "AIPerf":
            made.append({**fields, "acceptance_histogram": {str(n): a.count(n) for n in {*a}}})
        else:
            made.append({"meta_info": {"spec_verify_ct": len(a), "completion_tokens": len(a) + sum(a)}})
    return "\n".join(map(json.dumps, made))


SHAPES = ("vLLM", "steps", "AIPerf", "SGLang")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_format_gives_the_numbers_of_the_counters(shape) -> None:
    of = lengths(read(records(ACCEPTED, shape)))
    flat = np.array([a for request in ACCEPTED for a in request])
    assert (of.requests, of.steps) == (3, 9)
    assert of.length.value == pytest.approx(acceptance_length(flat))
    assert of.by_request is not None
    assert of.by_request.value == pytest.approx(np.mean([acceptance_length(a) for a in ACCEPTED]))
    if shape == "SGLang":
        assert of.rate is None and of.positions == ()
        return
    assert of.rate is not None
    assert of.rate.value == pytest.approx(draft_acceptance(np.full(9, 3), flat))
    rates = position_rates(flat, 3)
    assert [m.value for m in of.positions] == pytest.approx(rates.tolist())
    assert [c.value for c in of.conditional] == pytest.approx(conditional_rates(rates).tolist())
    assert {number.low for number in (of.length, of.rate, *of.positions)} == {None}  # three requests are too few
    again = lengths(read(records(2 * ACCEPTED, shape)))
    for number in (again.length, again.rate, *again.positions):
        assert number is not None and number.low is not None and number.high is not None
        assert number.low <= number.value <= number.high


def test_pooled_counters_have_no_intervals() -> None:
    pooled, told = lengths(read(counters(ACCEPTED))), lengths(read(records(ACCEPTED, "vLLM")))
    assert (pooled.requests, pooled.by_request, pooled.length.low) == (None, None, None)
    assert pooled.length.value == told.length.value
    assert [m.value for m in pooled.positions] == [m.value for m in told.positions]


def test_the_profile_is_read_as_it_was_written() -> None:
    of = lengths(read(records(ACCEPTED, "vLLM")))
    back = lengths(read(json.dumps(profile(of, "eagle"))))
    assert (back.steps, back.length.value) == (of.steps, pytest.approx(of.length.value))
    assert [m.value for m in back.positions] == pytest.approx([m.value for m in of.positions])
    shifted = {"acceptance_length_histogram": [0, 1, 1], "mean_accept_length": 1.5}  # by emitted tokens
    assert lengths(read(json.dumps(shifted))).positions[0].value == 0.5


def test_settings_of_an_engine_that_pretends() -> None:
    assert synthetic(lengths(read(records(ACCEPTED, "SGLang"))))["synthetic_acceptance_length"] == pytest.approx(19 / 9)
    rates = synthetic(lengths(read(counters(ACCEPTED))))["synthetic_acceptance_rates"]
    assert rates == pytest.approx([5 / 9, 3 / 9, 2 / 9])
    of = lengths(read(counters(ACCEPTED)))
    assert synthetic(of, "sglang")["SGLANG_SIMULATE_ACC_LEN"] == "2.11111"  # the bonus token is in it, 19 / 9
    assert synthetic(of, "tensorrt-llm") == {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "1.11111"}  # it is not
    assert synthetic(of, "llama.cpp") == {
        "LLAMA_ARG_SPEC_SYNTH_RATES": "0.555556,0.333333,0.222222",
        "LLAMA_ARG_SPEC_DRAFT_N_MAX": "3",
        "LLAMA_ARG_SPEC_DRAFT_P_MIN": "0",
    }
    without_positions = lengths(read(records(ACCEPTED, "SGLang")))
    assert synthetic(without_positions, "llama.cpp") == {
        "LLAMA_ARG_SPEC_SYNTH_LEN": "2.11111"
    }  # the bonus token is in it
    with pytest.raises(ValueError, match=r"engine: 'other'; expected one of vllm, sglang, tensorrt-llm, llama\.cpp"):
        synthetic(of, "other")


def test_sglang_counts_its_drafts() -> None:
    """Where a response has its accepted drafts, the tokens of prefill and of a cut step are not taken for such."""
    said = {"spec_verify_ct": 4, "completion_tokens": 9, "spec_accept_length": 2.25}
    counted = {**said, "spec_accepted_drafts": 4, "spec_proposed_drafts": 12, "spec_accept_histogram": [1, 2, 1]}
    plain, full = (lengths(read(json.dumps({"meta_info": one}))) for one in (said, counted))
    assert (plain.length.value, plain.rate, plain.positions) == (2.25, None, ())
    assert full.length.value == 2 and full.rate is not None and full.rate.value == pytest.approx(1 / 3)
    assert [m.value for m in full.positions] == [0.75, 0.25]


def test_what_else_a_record_says_is_compared() -> None:
    """A record with every field of vLLM, and the same with one of them changed: each change is refused."""
    whole = {
        **{"num_spec_steps": 4, "num_accepted_draft_tokens": 4, "num_draft_tokens": 7, "num_spec_tokens": 2},
        **{"mean_acceptance_length": 2.0, "draft_acceptance_rate": 0.57, "acceptance_histogram": [1, 2, 1]},
        "acceptance_histogram_by_draft_length": {"1": {"0": 1}, "2": {"1": 2, "2": 1}},
        **{"per_step_accepted": [0, 1, 1, 2], "per_step_drafted": [1, 2, 2, 2]},
    }
    of = lengths(read(json.dumps(whole)))
    assert of.length.value == 2 and [m.value for m in of.positions] == [0.75, 0.25]
    for name, other, said in (
        ("mean_acceptance_length", 2.5, "mean_acceptance_length is 2.5; expected 2,"),
        ("draft_acceptance_rate", 0.9, "draft_acceptance_rate is 0.9; expected 0.571429"),
        ("acceptance_histogram", [0, 4], "expected one such list"),
        ("acceptance_histogram", [1, None], "expected numbers of steps"),
        ("acceptance_histogram_by_draft_length", {"2": [1, 2, 1]}, "holds 8 drafts; expected 7"),
        ("acceptance_histogram_by_draft_length", [[0, 1], [1, 1, 1]], "more than the 0 drafts"),
        ("per_step_drafted", [1, 2, 2, 1], "does not fit per_step_accepted"),
        ("per_step_drafted", [2, 2, 2, 2], "per_step_drafted holds 8 drafts; expected 7"),
        ("per_step_accepted", [0, 1, 1.0, 2], "expected a list of whole numbers"),
    ):
        with pytest.raises(ValueError, match=said):
            read(json.dumps({**whole, name: other}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "neither JSON"),
        ("[]", "no records"),
        ('{"a": 1}', "records with the fields a"),
        ('{"acc_len": [1, 2]}', "not a run"),
        ("# TYPE x gauge\nsglang:spec_accept_length 2.5", "gauges of SGLang.*expected its responses.*converted"),
        (
            "# from a run\nsome/model:\n  eagle:\n    3: 2.41\n    5: 2.6\n",
            "golden lengths.*expected the run.*converted",
        ),
        ("vllm:spec_decode_num_drafts_total 2", "no vllm:spec_decode_num_accepted_tokens"),
        ('{"num_spec_steps": 2, "num_accepted_draft_tokens": -1}', "record 1: num_accepted_draft_tokens is -1"),
        ('{"num_spec_steps": 2, "num_accepted_draft_tokens": 3, "num_draft_tokens": 2}', "3 of 2 drafts accepted"),
        (
            '{"num_spec_steps": 2, "num_accepted_draft_tokens": 3, "acceptance_histogram": [1, 1]}',
            "holds 2 steps with 1",
        ),
        ('{"num_spec_steps": 1, "num_accepted_draft_tokens": 3, "per_step_accepted": [1]}', "per_step_accepted holds"),
        ('{"spec_verify_ct": 3, "completion_tokens": 2}', "expected no fewer"),
        (
            '{"spec_verify_ct": 2, "completion_tokens": 4, "spec_accept_length": 3}',
            "spec_accept_length is 3; expected 2",
        ),
        (
            '{"acceptance_length_histogram": [1, 1], "mean_accept_length": 1.5, "marginal_accept_rates": [0.9]}',
            "not those of its histogram",
        ),
        ('{"acceptance_length_histogram": [1, 1], "mean_accept_length": 9}', "not that of its histogram"),
        ('{"num_spec_steps": 0, "num_accepted_draft_tokens": 0}', "contains no verification step"),
    ],
)
def test_a_log_that_contradicts_itself_is_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        lengths(read(text))


@pytest.mark.parametrize(("source", "target"), list(product(CONVENTIONS, repeat=2)))
def test_conversions_go_back_or_are_refused(source, target) -> None:
    if source != target and "mean-of-requests" in (source, target):
        with pytest.raises(ValueError, match="neither can be computed from the other"):
            converted(0.5, source, target, gamma=2)
        return
    value = converted(2.0, "tokens", source, gamma=2) if source != "mean-of-requests" else 0.5
    assert converted(converted(value, source, target, gamma=2), target, source, gamma=2) == value


@pytest.mark.parametrize(
    ("value", "source", "target", "gamma", "message"),
    [
        (0.5, "rate", "tokens", None, "gamma: None"),
        (0.5, "tokens", "drafts", None, "value: 0.5 as tokens"),
        (4.0, "tokens", "rate", 2, "value: 4.0 as tokens"),
        (1.0, "bonus", "rate", 2, "source: 'bonus'"),
    ],
)
def test_conversions_refuse_what_no_run_has(value, source, target, gamma, message) -> None:
    with pytest.raises(ValueError, match=message):
        converted(value, source, target, gamma)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """40 runs of 20 requests: fewer than 30 intervals with the truth have a probability of 2 in 10,000 where 92 % hold it."""
    rng = np.random.default_rng(5)
    inside = wrong = 0
    for _ in range(40):
        counts = tuple(Counts(n := int(rng.integers(1, 9)), int(rng.binomial(n, 0.5))) for _ in range(20))
        length = lengths(Log("drawn", counts, by_request=True)).length
        assert length.low is not None and length.high is not None
        inside += length.low <= 1.5 <= length.high
        wrong += length.low <= 1.7 <= length.high  # the control: another length is not in them
    assert inside >= 30 > 10 > wrong


def test_speeds_by_hand() -> None:
    assert speeds([0.5, 0.25], 0.5) == [(1, 1.5, 1.0), (2, 1.75, 0.875)]


def test_the_engines_of_the_command() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert all(parser.parse_args(["log", "--engine", engine]).engine == engine for engine in ENGINES)


def test_the_command(tmp_path, capsys) -> None:
    log, rates = tmp_path / "requests.jsonl", tmp_path / "rates.json"
    log.write_text(records(ACCEPTED, "vLLM"), encoding="utf-8")
    assert main(["lengths", str(log), "--cost", "0.1", "--synthetic", str(rates)]) == 0
    out = capsys.readouterr().out
    assert "9 verification steps, 3 requests, no intervals: 3 requests are too few" in out
    assert "cost 0.1, gamma 3: 2.111 tokens per step, speed-up 1.624, the fastest" in out
    assert json.loads(rates.read_text())["rejection_sample_method"] == "synthetic"
    assert main(["lengths", str(log), "--cost", "0", "--cost", "0.5", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["positions"][0]["value"] == pytest.approx(5 / 9)
    assert told["speeds"]["0"][2] == pytest.approx([3, 19 / 9, 19 / 9])  # drafts that cost nothing
    assert [gamma for gamma, _, _ in told["speeds"]["0.5"]] == [1, 2, 3]
    assert main(["lengths", str(log), "--level", "2"]) == 2
    assert main(["lengths", str(log), "--synthetic", "-", "--engine", "tensorrt-llm"]) == 0
    assert json.loads(capsys.readouterr().out)["TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"] == "1.11111"
    assert main(["lengths", str(log), "--synthetic", "-", "--engine", "llama.cpp"]) == 0
    assert json.loads(capsys.readouterr().out)["LLAMA_ARG_SPEC_SYNTH_RATES"] == "0.555556,0.333333,0.222222"
    log.write_text(records(ACCEPTED[:1], "vLLM"), encoding="utf-8")
    assert main(["lengths", str(log)]) == 0 and "1 request, no intervals" in capsys.readouterr().out
    log.write_text(records(ACCEPTED, "SGLang"), encoding="utf-8")
    assert main(["lengths", str(log), "--cost", "0.1"]) == 2
    assert "no counts by position" in capsys.readouterr().err
