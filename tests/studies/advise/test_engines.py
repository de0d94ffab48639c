"""What engines are told: the number of drafts of the row that matches what each runs."""

from __future__ import annotations

import json

from simspec.engine.estimates.intervals import Interval
from simspec.studies.advise.advice import Advice, Row
from simspec.studies.advise.engines import engines


def row(rule: str, gamma: int, speed: float, temperature: float = 1.0) -> Row:
    one = Interval(1.0, 1.0, 1.0, 0.95)
    zero, fast = one._replace(estimate=0.0), one._replace(estimate=speed)
    return Row(rule, temperature, 0.9, zero, gamma, one, one, 1.0, 1.0, fast, 0.1, None)


def options(text: str) -> dict:
    return json.loads(text.split("--speculative-config '")[1].rstrip("'"))


def test_each_engine_is_told_the_row_that_it_runs() -> None:
    told = engines(Advice([row("sd", 3, 1.5), row("greedy", 2, 1.2), row("block", 7, 2.0)]), "big", "small")
    assert "num_assistant_tokens = 3" in told["transformers"] and "temperature=1, top_p=0.9" in told["transformers"]
    assert options(told["vLLM"]) == {
        "method": "draft_model", "model": "small", "num_speculative_tokens": 3, "draft_sample_method": "probabilistic",
    }  # fmt: skip
    assert "--spec-draft-n-max 2" in told["llama.cpp"] and len(told) == 3
    assert "do_sample=False" in engines(Advice([row("sd", 3, 1.5, 0.0)]))["transformers"]


def test_prompt_lookup_is_told_where_it_pays() -> None:
    told = engines(Advice([row("sd", 3, 1.5), row("prompt-lookup", 4, 1.1)]), "big", "small")
    assert "prompt_lookup_num_tokens=4, max_matching_ngram_size=2" in told["transformers, without a draft model"]
    assert options(told["vLLM, without a draft model"])["num_speculative_tokens"] == 4
    assert len(engines(Advice([row("sd", 3, 1.5), row("prompt-lookup", 4, 0.9)]))) == 3


def test_another_vocabulary_is_not_promised() -> None:
    told = engines(Advice([row("tli", 2, 1.5)], apart=True))
    assert "assistant_tokenizer" in told["transformers"] and "not measured here" in told["vLLM"]
