"""Counters of a page of Prometheus metrics, summed over labels, under names that engines share."""

from __future__ import annotations

import math
import re

__all__ = ["SHARED", "counters"]

SHARED = {
    "llamacpp:tokens_predicted_total": "emitted",
    "llamacpp:spec_decode_num_draft_tokens_total": "drafted",
    "llamacpp:spec_decode_num_accepted_tokens_total": "accepted",
    "vllm:generation_tokens_total": "emitted",
    "vllm:spec_decode_num_draft_tokens_total": "drafted",
    "vllm:spec_decode_num_accepted_tokens_total": "accepted",
    "sglang:generation_tokens_total": "emitted",
    "tgi_request_generated_tokens_sum": "emitted",
}
"""An engine's name of a counter, and ours."""
SAMPLE = re.compile(r"([A-Za-z_:][\w:]*)(?:\{[^}]*\})?\s+([^\s]+)(?:\s+-?\d+)?", re.ASCII)


def counters(page: str | None) -> dict[str, float]:
    """Counters that are known, by our names.

    >>> counters('vllm:generation_tokens_total{model_name="m"} 12.0\\nother 3')
    {'emitted': 12.0}
    """
    sums: dict[str, float] = {}
    for line in (page or "").splitlines():
        sample = SAMPLE.fullmatch(line.strip())
        name = SHARED.get(sample[1]) if sample else None
        if sample is None or name is None:
            continue
        try:
            value = float(sample[2])
        except ValueError:
            continue
        if math.isfinite(value):
            sums[name] = sums.get(name, 0.0) + value
    return sums
