"""Numbers that no run has: refused by name in every format, never printed."""

from __future__ import annotations

import json

import pytest

from simspec.cli import main
from simspec.tools.lengths import Counts, Log, converted, lengths, read
from tests.tools.lengths.engines import counters, profile_record, sglang_record, vllm_record

STEPS = [(3, 1), (3, 0), (3, 3), (2, 2)]
IMPOSSIBLE = (-5, 1.5, True, False, "4", [4], float("inf"), float("-inf"), float("nan"), 2**53 + 1, 10**5000)


def changed(text: str, name: str, value: object) -> str:
    """A record with another value in a field, wherever that is; a value of None takes the field away."""

    def walk(part: object) -> object:
        if isinstance(part, dict):
            return {k: value if k == name else walk(v) for k, v in part.items() if k != name or value is not None}
        return part

    if value == 10**5000:  # Python does not print it, so its text is put there
        return changed(text, name, 987654321987).replace("987654321987", "1" + "0" * 5000)
    return json.dumps(walk(json.loads(text)))


@pytest.mark.parametrize("value", IMPOSSIBLE, ids=lambda v: "10**5000" if v == 10**5000 else repr(v))
@pytest.mark.parametrize(
    ("record", "name"),
    [
        (vllm_record(STEPS), "num_spec_steps"),
        (vllm_record(STEPS), "num_accepted_draft_tokens"),
        (vllm_record(STEPS), "num_draft_tokens"),
        (vllm_record(STEPS), "completion_tokens"),
        (vllm_record(STEPS), "num_spec_tokens"),
        (sglang_record(STEPS), "spec_verify_ct"),
        (sglang_record(STEPS), "completion_tokens"),
        (sglang_record(STEPS), "spec_accepted_drafts"),
        (sglang_record(STEPS), "spec_proposed_drafts"),
    ],
)
def test_a_counter_that_is_no_count_is_refused(record, name, value, tmp_path, capsys) -> None:
    log = tmp_path / "requests.jsonl"
    log.write_text(changed(record, name, value), encoding="utf-8")
    assert main(["lengths", str(log)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and name in captured.err and "expected" in captured.err


@pytest.mark.parametrize("record", [vllm_record(STEPS), sglang_record(STEPS), profile_record(STEPS)])
def test_the_record_itself_is_read(record) -> None:
    """The control of the tests around it: without a change nothing is refused."""
    of = lengths(read(record))
    assert of.length.value == 1 + 6 / 4 and [m.value for m in of.positions] == [0.75, 0.5, 0.25] and not of.notes


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("num_spec_steps", None, "num_spec_steps|fields"),
        ("num_accepted_draft_tokens", None, "num_accepted_draft_tokens is None"),
        ("num_spec_steps", 0, "in 0 steps"),
        ("num_accepted_draft_tokens", 12, "expected 4 and 12|12 of 11 drafts accepted"),
        ("num_draft_tokens", 5, "6 of 5 drafts|per_step_drafted holds 11 drafts"),
        ("num_spec_tokens", 2, "expected at most num_spec_tokens, 2, a step"),
        ("completion_tokens", 9, "6 accepted drafts and a token more for each of 4 steps, and completion_tokens is 9"),
        (
            "acceptance_histogram",
            [1, 1, 1, 1.0],
            "acceptance_histogram, expected numbers of steps: the one at 3 is 1.0",
        ),
        ("acceptance_histogram", [1, 1, 1, True], "the one at 3 is True"),
        ("acceptance_histogram", [2, 1, 1, 1, -1], "the one at 4 is -1"),
        ("acceptance_histogram", [0, 2, 2], "expected one such list"),
        ("acceptance_histogram", "1111", "expected numbers of steps"),
        ("acceptance_histogram", {"0": 1, "-1": 3}, "expected numbers of steps"),
        ("acceptance_histogram", {"0": 3, "999999999999": 1}, "has a step with 999999999999; expected at most"),
        ("per_step_accepted", [1, 0, 3, True, 1], "expected a list of whole numbers"),
        ("per_step_drafted", [3, 3, 3, 10**9], "expected at most so many"),
        ("mean_acceptance_length", True, "mean_acceptance_length is True"),
        ("mean_acceptance_length", "2.5", "mean_acceptance_length is '2.5'"),
        ("mean_acceptance_length", float("nan"), "mean_acceptance_length is nan"),
        ("mean_acceptance_length", 3.5, "expected 2.5, as its counts say"),
        ("draft_acceptance_rate", 1.2, "draft_acceptance_rate is 1.2; expected between 0 and 1"),
        ("draft_acceptance_rate", -0.5, "draft_acceptance_rate is -0.5"),
        ("draft_acceptance_rate", 0.6, "draft_acceptance_rate is 0.6; expected 0.545455"),
    ],
)
def test_a_record_of_vllm_that_contradicts_itself_is_refused(name, value, message) -> None:
    with pytest.raises(ValueError, match=message):
        read(changed(vllm_record(STEPS), name, value))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("spec_verify_ct", 0, "in 0 verify steps|in 0 steps"),
        ("completion_tokens", None, "no completion_tokens"),
        ("completion_tokens", 9, "6 accepted drafts and a token more for each of 4 steps, and completion_tokens is 9"),
        ("spec_accepted_drafts", 12, "12 of 11 drafts|holds 4 steps"),
        ("spec_accepted_drafts", 11, "spec_accept_histogram holds 4 steps with 6 accepted drafts; expected 4 and 11"),
        ("spec_accept_histogram", [0, 1, 1, 1], "holds 3 steps"),
        ("spec_accept_rate", 1.5, "expected between 0 and 1"),
        ("spec_accept_rate", 0.9, "spec_accept_rate is 0.9; expected 0.545455"),
        ("spec_accept_length", 9.5, "spec_accept_length is 9.5; expected 2.5"),
    ],
)
def test_a_response_of_sglang_that_contradicts_itself_is_refused(name, value, message) -> None:
    with pytest.raises(ValueError, match=message):
        read(changed(sglang_record(STEPS), name, value))


def test_sglang_without_counts() -> None:
    """11 tokens in 4 steps; what a response has of its drafts it has whole, or in a histogram."""
    said = {"spec_verify_ct": 4, "completion_tokens": 11}
    with pytest.raises(ValueError, match="record 1: no spec_accepted_drafts, and a number of drafts; expected both"):
        read(json.dumps({**said, "spec_draft_tokens": 8}))
    histogram = read(json.dumps({**said, "spec_accept_histogram": [1, 1, 1, 1]}))
    assert histogram.counts == ((4, 6, None, (3, 2, 1)),)
    with pytest.raises(ValueError, match="11 completion tokens in 0 verify steps"):
        read(json.dumps({**said, "spec_verify_ct": 0}))
    prefill_only = {"spec_verify_ct": 0, "completion_tokens": 1}
    assert lengths(read(json.dumps([said, prefill_only]))).steps == 4
    with pytest.raises(ValueError, match="record 2: no spec_accepted_drafts, which other records have"):
        read(f"{sglang_record(STEPS)}\n{json.dumps(said)}")
    with pytest.raises(
        ValueError, match="spec_accepted_drafts is 6 and spec_accepted_tokens is 7; expected the same number"
    ):
        read(
            changed(sglang_record(STEPS), "text", "a").replace(
                '"spec_verify_ct"', '"spec_accepted_tokens": 7, "spec_verify_ct"'
            )
        )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("acceptance_length_histogram", [1, 1, 1, 1.5], "the one at 3 is 1.5"),
        ("acceptance_length_histogram", [1, 1, 1, -1], "the one at 3 is -1"),
        ("acceptance_length_histogram", [0, 0], "holds no step"),
        ("mean_accept_length", float("nan"), "mean_accept_length is nan"),
        ("mean_accept_length", None, "fields acceptance_length_histogram"),
        ("mean_accept_length", 2.9, "not that of its histogram; expected 2.5, or 1.5 where it counts emitted tokens"),
        ("marginal_accept_rates", [0.75, 0.5, 0.55], "rates by position rise from 0.5 to 0.55 at position 3"),
        ("marginal_accept_rates", [1.75, 0.5, 0.25], "the rate at position 1 is 1.75"),
        ("marginal_accept_rates", [0.75, 0.5, 0.25, 0.2], "not those of its histogram"),
        ("marginal_accept_rates", [True, 0.5, 0.25], "marginal_accept_rates is True"),
        ("conditional_accept_rates", [0.75, 0.9], "conditional_accept_rates at position 2 is 0.9; expected 0.666667"),
        ("conditional_accept_rates", [0.75, 1.9], "conditional_accept_rates at position 2 is 1.9"),
    ],
)
def test_a_profile_that_contradicts_itself_is_refused(name, value, message) -> None:
    record = json.loads(profile_record(STEPS))
    record[name] = value
    with pytest.raises(ValueError, match=message):
        read(json.dumps({k: v for k, v in record.items() if v is not None}))


@pytest.mark.parametrize(
    "value", ["-5", "4.5", "1e309", "NaN", "+Inf", "1_0", "0x4", "९", "True", "9007199254740993000", ""]
)
@pytest.mark.parametrize("name", ["drafts", "draft_tokens", "accepted_tokens"])
def test_a_counter_of_prometheus_that_is_no_count_is_refused(name, value) -> None:
    text = counters(STEPS)
    line = next(line for line in text.split("\n") if line.startswith(f"vllm:spec_decode_num_{name}_total"))
    with pytest.raises(ValueError, match=r"line \d+: .*expected"):
        read(text.replace(line, line.rsplit(" ", 1)[0] + " " + value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (counters(STEPS) + "\n" + counters(STEPS), "line 9: drafts stands there again, after line 2"),
        (counters(STEPS) + "\n" + counters(STEPS[:2]), "line 9: drafts goes down from 4 to 2, after line 2"),
        (counters(STEPS).replace('position="1"', 'position="7"'), r"positions \[0, 2, 7\]; expected all from 0 on"),
        (counters(STEPS).replace('position="1"', 'position="99999999999"'), "expected one from 0 to 1023"),
        (counters(STEPS).replace('position="1"', 'place="1"'), "without a position"),
        (counters(STEPS).replace('position="1"', 'position="00"'), "accepted_tokens_per_pos goes down from 3 to 2"),
        (counters(STEPS).replace("num_drafts_total{", "num_steps_total{"), "no vllm:spec_decode_num_drafts"),
        (counters(STEPS).replace("num_drafts_total{", "num_drafts_total{x"), r"no vllm:spec_decode_num"),
        (counters([]).replace("} 0.0", "} 3.0", 3), "3 accepted|positions"),
        (counters(STEPS).replace('drafts_total{engine="0"} 4', 'drafts_total{engine="0"} 0'), "in 0 steps"),
        (counters(STEPS).replace("} 4.0", "} 400"), "400 drafts with 11 tokens; expected a token in each draft"),
        (counters(STEPS) + "\nvllm:spec_decode_num_drafts_total{ 4", "expected a counter's name"),
    ],
)
def test_counters_that_contradict_each_other_are_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        read(text)


def test_engines_are_compared_one_by_one() -> None:
    """An engine whose counters contradict each other does not hide in the sum; labels may hold any character."""
    second = counters([(3, 2)], labels='engine="1",model_name="a}b\\"c"')
    of = lengths(read(counters(STEPS) + "\n" + second))
    assert (of.steps, of.length.value) == (5, 1 + 8 / 5)
    wrong = second.replace("tokens_total{", "tokens_total{", 1).replace(" 3.0", " 1.0")
    with pytest.raises(ValueError, match="2 of 1 drafts accepted"):
        read(counters(STEPS) + "\n" + wrong)


def test_counters_of_llama_cpp() -> None:
    """They have the same names; what Prometheus adds to a sample is passed over: a time, an example."""
    text = counters(STEPS).replace("vllm:", "llamacpp:").replace("} 4.0", '} 4.0 1700000000.5 # {trace_id="a"} 1.0')
    log = read(text)
    assert log.source == "llama.cpp, Prometheus" and log.counts == ((4, 6, 11, (3, 2, 1)),)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ([0.5, 0.75, 0.25], "rates by position rise from 0.5 to 0.75 at position 2"),
        ([1.5, 0.5, 0.25], "the rate at position 1 is 1.5"),
        ([0.75, 0.5, 0.15], "are not those of its histogram and counts; expected 0.750, 0.500, 0.250"),
        ([0.75, 0.5], "are not those of its histogram and counts"),
        ([0.75, float("nan"), 0.25], "per_position_acceptance_rate is nan"),
        (0.75, "expected a list of rates"),
    ],
)
@pytest.mark.parametrize("has_histogram", [True, False])
def test_rates_by_position_of_a_record_are_compared(rates, message, has_histogram) -> None:
    """Without a histogram their sum is accepted over steps."""
    record = json.loads(vllm_record(STEPS))
    fields = record["metrics"]["speculative_decoding"]
    if not has_histogram:
        for name in ("acceptance_histogram", "per_step_accepted", "per_step_drafted"):
            del fields[name]
        message = message.replace("expected 0.750, 0.500, 0.250", "expected rates whose sum is accepted over steps")
    fields["per_position_acceptance_rate"] = [0.75, 0.5, 0.25]
    assert read(json.dumps(record)).counts[0].accepted == 6
    fields["per_position_acceptance_rate"] = rates
    with pytest.raises(ValueError, match=message):
        read(json.dumps(record))


def test_a_name_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'num_spec_steps' stands twice in an object"):
        read('{"num_spec_steps": 2, "num_spec_steps": 3, "num_accepted_draft_tokens": 2}')


def test_drafts_that_the_end_of_a_text_cuts_off(tmp_path, capsys) -> None:
    """5 accepted drafts and one more token, and 3 emitted: a contradiction, unless the caller says what was cut."""
    log = tmp_path / "requests.jsonl"
    log.write_text(changed(vllm_record([(5, 5)], places=5), "completion_tokens", 3), encoding="utf-8")
    assert main(["lengths", str(log)]) == 2
    assert "--cut allows" in capsys.readouterr().err
    assert main(["lengths", str(log), "--cut"]) == 0
    assert "record 1: 3 of them" in capsys.readouterr().out
    log.write_text(changed(vllm_record([(5, 5)] * 3, places=5), "completion_tokens", 12), encoding="utf-8")
    assert main(["lengths", str(log), "--cut"]) == 2  # 6 are missing, and a step cannot lose more than 5


def test_conventions_are_named() -> None:
    """A mean without the bonus token, and a rate in which steps count: read, and said."""
    shifted = {
        "completion_tokens": 21,
        "spec_verify_ct": 10,
        "spec_accept_length": 2.1,
        "spec_accept_rate": 0.525,
        "spec_accepted_tokens": 11,
        "spec_draft_tokens": 30,
    }
    of = lengths(read(json.dumps({"text": "a", "meta_info": shifted})))
    assert of.length.value == 2.1 and of.rate is not None and of.rate.value == 11 / 30
    assert "(accepted + steps)/(drafted + steps)" in of.notes[0] and "(11 + 10)/(30 + 10)" in of.notes[0]
    plain = read(json.dumps({"meta_info": {**shifted, "spec_accept_rate": 0.367}}))
    assert plain.notes == ()
    for text in (
        changed(vllm_record(STEPS), "mean_acceptance_length", 1.5),
        changed(profile_record(STEPS), "mean_accept_length", 1.5),
    ):
        log = read(text)
        assert lengths(log).length.value == 2.5
        assert "without the bonus token" in log.notes[0]


@pytest.mark.parametrize(
    "counts",
    [
        Counts(-5, 3),
        Counts(0, 3),
        Counts(2, 5, 4),
        Counts(2, 2, 4, (1, 2)),
        Counts(2, 4, 4, (4,)),
        Counts(True, 1),
        Counts(2, 10_000),
        Counts(2, 1.5),  # type: ignore[arg-type]
    ],
)
def test_counts_by_hand_are_checked_too(counts) -> None:
    with pytest.raises(ValueError, match="counts 1: .*expected"):
        lengths(Log("by hand", (counts,), by_request=False))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_conversions_refuse_what_is_no_length(value) -> None:
    for target in ("tokens", "drafts", "rate"):
        with pytest.raises(ValueError, match="value: "):
            converted(value, "tokens", target, gamma=2)


@pytest.mark.parametrize("cost", ["nan", "inf", "-1"])
def test_costs_are_finite(cost, tmp_path, capsys) -> None:
    log = tmp_path / "counters.txt"
    log.write_text(counters(STEPS), encoding="utf-8")
    assert main(["lengths", str(log), "--cost", cost]) == 2
    assert "--cost: " in capsys.readouterr().err


def test_nothing_of_a_record_is_printed_live(tmp_path, capsys) -> None:
    """Names and values of strangers are escaped in messages."""
    log = tmp_path / "hostile.json"
    for text in (
        json.dumps({"\x1b[31m<b>": 1}),
        json.dumps({"num_spec_steps": "\x1b[31m", "num_accepted_draft_tokens": 1}),
        '{"num_spec_steps": 1, "\\u001b[31m": 1, "\\u001b[31m": 2}',
        counters(STEPS, labels='engine="\x1b[31m"').replace("num_drafts_total", "num_x_total"),
    ):
        log.write_text(text, encoding="utf-8")
        assert main(["lengths", str(log)]) == 2
        captured = capsys.readouterr()
        assert "\x1b" not in captured.err + captured.out


def test_texts_with_line_separators_are_one_record() -> None:
    """JSON allows characters inside of a string at which Python's splitlines divides."""
    record = json.loads(vllm_record(STEPS)) | {"text": "a\u2028b\x85c"}
    text = json.dumps(record, ensure_ascii=False)
    assert lengths(read(f"{text}\n{text}")).requests == 2


def test_json_without_end() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read("[" * 100_000)
