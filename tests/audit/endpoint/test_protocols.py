"""Requests and answers of each API, against exchanges that are written down from its documentation."""

from __future__ import annotations

import pytest

from simspec.audit.endpoint.protocols import completions, llama, sglang, tgi
from simspec.audit.endpoint.protocols.metrics import counters
from simspec.audit.endpoint.records import EndpointError, Question, Usage

QUESTION = Question((5, 6), 3, 2, top=2, copies=2, stop=(".",), options=(("top_k", 4), ("presence_penalty", 0.5)))


def test_vllm_request() -> None:
    body = completions.body_of(QUESTION, "m")
    assert body["prompt"] == [5, 6] and body["n"] == 2 and body["stop"] == ["."]
    assert (body["temperature"], body["top_k"], body["top_p"], body["min_p"]) == (1.0, 4, 1.0, 0.0)
    assert body["presence_penalty"] == 0.5 and body["frequency_penalty"] == 0.0


def test_server_defaults_are_left() -> None:
    question = QUESTION._replace(pure=False, options=())
    assert "temperature" not in completions.body_of(question, "m")
    assert "min_p" not in llama.body_of(question)
    assert "top_p" not in sglang.body_of(question)["sampling_params"]
    assert completions.body_of(question._replace(temperature=0.0), "m")["temperature"] == 0.0


VLLM = {
    "id": "cmpl-1",
    "object": "text_completion",
    "model": "m",
    "choices": [
        {
            "index": 1,
            "text": " c",
            "logprobs": {
                "text_offset": [0],
                "token_logprobs": [-0.75],
                "tokens": ["token_id:9"],
                "top_logprobs": [{"token_id:8": -0.5, "token_id:9": -0.75}],
            },
            "finish_reason": "stop",
            "stop_reason": ".",
            "token_ids": None,
            "prompt_logprobs": None,
        },
        {"index": 0, "text": " a b", "logprobs": None, "finish_reason": "length", "token_ids": [7, 8]},
    ],
    "usage": {"prompt_tokens": 2, "total_tokens": 5, "completion_tokens": 3, "prompt_tokens_details": None},
}


def test_vllm_answer() -> None:
    first, second = completions.answers_of(VLLM, 2)
    assert first.tokens == (7, 8) and first.finish == "length" and first.logprobs == ()
    assert second.tokens == (9,) and second.alternatives == (((8, -0.5), (9, -0.75)),)
    assert first.usage == Usage(2, 3, None, None)


def test_vllm_scores() -> None:
    entry = {
        "7": {"logprob": -0.5, "rank": 1, "decoded_token": "a"},
        "8": {"logprob": -3.0, "rank": 9},
        "9": {"logprob": -1.0},
    }
    record = {"choices": [{"prompt_logprobs": [None, {}, entry]}]}
    assert completions.prompt_rows(record, 1, 2) == [((7, -0.5), (9, -1.0))]  # the prompt's own token is the third


def test_openai_accepted_predictions_are_drafts() -> None:
    usage = {"completion_tokens_details": {"accepted_prediction_tokens": 3, "rejected_prediction_tokens": 2}}
    (answer,) = completions.answers_of({"choices": [{"index": 0, "text": "", "token_ids": []}], "usage": usage}, 0)
    assert (answer.usage.drafted, answer.usage.accepted) == (5, 3)


@pytest.mark.parametrize("name", ["hello", "token_id:", "token_id:-1", "token_id:99999999999", "token_id:²"])
def test_names_that_are_no_ids_are_refused(name) -> None:
    choice = {"index": 0, "text": "", "logprobs": {"tokens": [name], "token_logprobs": [-1.0], "top_logprobs": [{}]}}
    with pytest.raises(EndpointError, match="expected token_id:N"):
        completions.answers_of({"choices": [choice]}, 1)


SGLANG = {
    "text": " a",
    "output_ids": [7],
    "meta_info": {
        "id": "1",
        "finish_reason": {"type": "length", "length": 1},
        "prompt_tokens": 2,
        "completion_tokens": 1,
        "cached_tokens": 0,
        "spec_verify_ct": 1,
        "spec_accept_token_num": 0,
        "spec_draft_token_num": 4,
        "input_token_logprobs": [[None, 5, None], [-0.25, 6, None]],
        "input_top_logprobs": [None, [[-0.25, 6, None], [-2.0, 4, None]]],
        "output_token_logprobs": [[-0.5, 7, None]],
        "output_top_logprobs": [[[-0.5, 7, None], [-1.5, 8, None]]],
    },
}


def test_sglang_exchange() -> None:
    body = sglang.body_of(QUESTION)
    assert body["input_ids"] == [5, 6] and body["return_logprob"] and body["top_logprobs_num"] == 2
    assert body["sampling_params"]["max_new_tokens"] == 2 and body["sampling_params"]["top_k"] == 4
    answer = sglang.answer_of(SGLANG, 2)
    assert answer.tokens == (7,) and answer.logprobs == (-0.5,) and answer.usage == Usage(2, 1, 4, 0)
    assert answer.alternatives == (((7, -0.5), (8, -1.5)),)
    assert sglang.input_rows(SGLANG, 1, 2) == [((6, -0.25), (4, -2.0))]


TGI = {
    "generated_text": " a b",
    "details": {
        "finish_reason": "length",
        "generated_tokens": 2,
        "seed": 3,
        "prefill": [],
        "tokens": [
            {"id": 7, "text": " a", "logprob": -0.5, "special": False},
            {"id": 8, "text": " b", "logprob": None, "special": False},
        ],
        "top_tokens": [
            [{"id": 7, "text": " a", "logprob": -0.5, "special": False}, {"id": 9, "text": " c", "logprob": -1.5}],
            [{"id": 8, "text": " b", "logprob": -0.25, "special": False}],
        ],
    },
}


def test_tgi_exchange() -> None:
    parameters = tgi.body_of(QUESTION, "ab")["parameters"]
    assert (parameters["max_new_tokens"], parameters["top_n_tokens"], parameters["top_k"]) == (2, 2, 4)
    assert parameters["do_sample"] is True and parameters["seed"] == 3 and parameters["stop"] == ["."]
    answer = tgi.answer_of(TGI, 2)
    assert answer.tokens == (7, 8) and answer.logprobs == (-0.5, None) and answer.usage == Usage(completion=2)
    assert answer.alternatives == (((7, -0.5), (9, -1.5)), ((8, -0.25),))


def test_tgi_takes_no_option_at_the_value_that_does_nothing() -> None:
    """Its server refuses top_k = 0 and top_p = 1, and a temperature of 0: greedy decoding is do_sample = false."""
    plain = QUESTION._replace(options=(("top_k", 0), ("top_p", 1.0), ("temperature", 0.5)))
    assert "top_k" not in (body := tgi.body_of(plain, "ab")["parameters"]) and "top_p" not in body
    assert body["temperature"] == 0.5
    greedy = tgi.body_of(QUESTION._replace(temperature=0.0, options=()), "ab")["parameters"]
    assert greedy["do_sample"] is False and "temperature" not in greedy and "seed" not in greedy
    server_defaults = tgi.body_of(QUESTION._replace(pure=False, options=()), "ab")["parameters"]
    assert "temperature" not in server_defaults


@pytest.mark.parametrize("record", [{}, {"details": {"tokens": 3}}, {"details": {"tokens": [{"id": "a"}]}}])
def test_a_tgi_answer_of_another_form_is_refused(record) -> None:
    with pytest.raises(EndpointError, match="expected"):
        tgi.answer_of({"generated_text": "", **record}, 1)


def test_llama_exchange() -> None:
    body = llama.body_of(QUESTION)
    assert (
        body["n_predict"] == 2 and body["n_probs"] == 2 and body["top_k"] == 4 and body["samplers"] == llama.PROCESSORS
    )
    entry = {"id": 7, "token": "a", "bytes": [97], "logprob": -0.5, "top_logprobs": [{"id": 7, "logprob": -0.5}]}
    drafted = {"id": 8, "token": "b", "logprob": 0.0, "top_logprobs": []}
    record = {
        "content": "ab",
        "tokens": [7, 8],
        "stop_type": "limit",
        "tokens_predicted": 2,
        "tokens_evaluated": 2,
        "completion_probabilities": [entry, drafted],
        "timings": {"draft_n": 3, "draft_n_accepted": 1},
    }
    answer = llama.answer_of(record, 2)
    assert answer.alternatives == (((7, -0.5),), ()) and answer.logprobs == (-0.5, 0.0)
    assert answer.usage == Usage(2, 2, 3, 1) and answer.finish == "length"


def test_counters_of_all_engines_have_one_name() -> None:
    page = """# HELP vllm:generation_tokens Number of generation tokens processed.
vllm:generation_tokens_total{engine="0",model_name="m"} 7.0
vllm:generation_tokens_total{engine="1",model_name="m"} 5.0
vllm:spec_decode_num_draft_tokens_total{engine="0"} 4.0
"""
    assert counters(page) == {"emitted": 12.0, "drafted": 4.0}
    assert counters("llamacpp:tokens_predicted_total 3\n") == {"emitted": 3.0}
    assert counters(None) == counters("vllm:generation_tokens_total NaN") == {}
