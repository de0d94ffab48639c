"""Logs as engines write them, from the drafted and accepted tokens of each verify step."""

from __future__ import annotations

import json
from collections.abc import Sequence

Steps = Sequence[tuple[int, int]]
"""Drafted and accepted tokens of each step."""


def vllm_line(steps: Steps, *, places: int = 3, clock: str = "10:00:00", bonus: int = 1, has_rates: bool = True) -> str:
    """A line as `SpecDecodingLogging.log` of vLLM prints it for an interval."""
    drafted = sum(d for d, _ in steps)
    accepted = sum(a for _, a in steps)
    number = len(steps)
    mean = bonus + accepted / number if number else float("nan")
    rate = 100 * accepted / drafted if drafted else float("nan")
    at_least = [sum(a > i for _, a in steps) for i in range(places)]
    rates = ", ".join(f"{n / number if number else float('nan'):.3f}" for n in at_least)
    by_position = f"Per-position acceptance rate: {rates}, " if has_rates else ""
    return (
        f"(EngineCore pid=7) INFO 11-20 {clock} [metrics.py:101] SpecDecoding metrics: Mean acceptance length: {mean:.2f}, "
        f"Accepted throughput: {accepted / 10:.2f} tokens/s, Drafted throughput: {drafted / 10:.2f} tokens/s, "
        f"Accepted: {accepted} tokens, Drafted: {drafted} tokens, {by_position}Avg Draft acceptance rate: {rate:.1f}%"
    )


def llama_request(steps: Steps, task: int, *, places: int = 3, form: str = "full") -> str:
    """Lines as llama.cpp's server prints them at the end of a request: of the first versions, of some between, of the last."""
    drafted = sum(d for d, _ in steps)
    accepted = sum(a for _, a in steps)
    mean = 1 + accepted / len(steps)
    rates = ", ".join(f"{sum(a > i for _, a in steps) / len(steps):.3f}" for i in range(places))
    prefix = f"0.{task:02d}.000.000 I slot print_timing: id  {task % 2} | task {task} | "
    tokens = f"{accepted / drafted:0.5f} ({accepted:5d} accepted / {drafted:5d} generated)"
    if form == "old":
        return f"slot print_timing: id  0 | task {task} | \ndraft acceptance rate = {tokens}"
    if form == "bare":
        return f"{prefix}draft acceptance = {tokens}"
    if form == "two lines":
        return f"{prefix}draft acceptance = {tokens}, mean len = {mean:5.2f}\n{prefix}     acc per pos = ({rates})"
    if form == "mean":
        return f"{prefix}draft acceptance = {tokens}, mean len = {mean:5.2f}"
    return f"{prefix}draft acceptance = {tokens}, mean acceptance length = {mean:5.2f}, acceptance rate per position = ({rates})"


def llama_statistics(steps: Steps, *, places: int = 3, drafter: str = "draft-simple", form: str = "full") -> str:
    """A line of statistics over all steps since the start."""
    drafted = sum(d for d, _ in steps)
    accepted = sum(a for _, a in steps)
    number = len(steps)
    rates = ", ".join(f"{sum(a > i for _, a in steps) / number:.3f}" for i in range(places))
    means = f", #mean acc len = {1 + accepted / number:.2f}, #acc rate/pos = ({rates})"
    calls = f"#calls = {number}" if form == "old" else f"#calls(b,g,a) = {1:4d} {number:6d} {number:6d}"
    return (
        f"0.01.000.100 I statistics {drafter:>16}: {calls}, #gen drafts = {number:6d}, "
        f"#acc drafts = {sum(a > 0 for _, a in steps):5d}, #gen tokens = {drafted:6d}, #acc tokens = {accepted:5d}"
        f"{'' if form == 'old' else means}, dur(b,g,a) = 0.004, 300.000, 0.100 ms"
    )


def counters(steps: Steps, *, places: int = 3, labels: str = 'engine="0"') -> str:
    """vLLM's counters after some steps."""
    accepted = [a for _, a in steps]
    return "\n".join(
        [
            "# HELP vllm:spec_decode_num_drafts_total Number of drafts",
            f"vllm:spec_decode_num_drafts_total{{{labels}}} {len(steps)}.0",
            f"vllm:spec_decode_num_draft_tokens_total{{{labels}}} {sum(d for d, _ in steps)}.0",
            f"vllm:spec_decode_num_accepted_tokens_total{{{labels}}} {sum(accepted)}.0",
            *(
                f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{labels},position="{i}"}} {sum(a > i for a in accepted)}'
                for i in range(places)
            ),
        ]
    )


def vllm_record(steps: Steps, *, places: int = 3) -> str:
    """vLLM's record of a request, with everything that it may hold."""
    accepted = [a for _, a in steps]
    drafted = [d for d, _ in steps]
    fields = {
        "num_spec_steps": len(steps),
        "num_accepted_draft_tokens": sum(accepted),
        "num_draft_tokens": sum(drafted),
        "num_spec_tokens": places,
        "mean_acceptance_length": round(1 + sum(accepted) / len(steps), 2),
        "draft_acceptance_rate": round(sum(accepted) / sum(drafted), 2),
        "acceptance_histogram": [accepted.count(n) for n in range(places + 1)],
        "per_step_accepted": accepted,
        "per_step_drafted": drafted,
    }
    tokens = sum(accepted) + len(steps) + 1
    return json.dumps({"usage": {"completion_tokens": tokens}, "metrics": {"speculative_decoding": fields}})


def sglang_record(steps: Steps, *, places: int = 3) -> str:
    """A response of SGLang with the counts of its drafts."""
    accepted = [a for _, a in steps]
    tokens = sum(accepted) + len(steps) + 1
    meta = {
        "completion_tokens": tokens,
        "spec_verify_ct": len(steps),
        "spec_accept_length": tokens / len(steps),
        "spec_accepted_drafts": sum(accepted),
        "spec_proposed_drafts": sum(d for d, _ in steps),
        "spec_accept_rate": sum(accepted) / sum(d for d, _ in steps),
        "spec_accept_histogram": [accepted.count(n) for n in range(places + 1)],
    }
    return json.dumps({"text": "a", "meta_info": meta})


def profile_record(steps: Steps, *, places: int = 3) -> str:
    """A profile of all steps."""
    accepted = [a for _, a in steps]
    at_least = [sum(a > i for a in accepted) / len(steps) for i in range(places)]
    return json.dumps(
        {
            "acceptance_length_histogram": [accepted.count(n) for n in range(places + 1)],
            "mean_accept_length": 1 + sum(accepted) / len(steps),
            "marginal_accept_rates": at_least,
        }
    )
