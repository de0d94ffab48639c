"""What other tools read: a profile of the acceptance, and rates for an engine that pretends to accept."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from simspec.checks import nearest
from simspec.tools.lengths.conventions import converted
from simspec.tools.lengths.records import Lengths

__all__ = ["ENGINES", "profile", "synthetic"]

ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp")
"""Engines whose simulated acceptance has settings here."""


def profile(of: Lengths, method: str = "") -> dict[str, Any]:
    """Content of a ``speculation_profile.json``; fields that the log does not determine are left out.

    >>> from simspec.tools.lengths.records import Counts, Log, lengths
    >>> profile(lengths(Log("by hand", (Counts(2, 1, 2, (1,)),), by_request=False)))["marginal_accept_rates"]
    [0.5]
    """
    fields: dict[str, Any] = {"mean_accept_length": of.length.value}
    if of.by_request is not None:
        fields["mean_accept_length_per_request"] = of.by_request.value
    if of.positions:
        fields["marginal_accept_rates"] = [m.value for m in of.positions]
        fields["conditional_accept_rates"] = [c.value for c in of.conditional]
        at_least = [1.0, *fields["marginal_accept_rates"], 0.0]
        fields["acceptance_length_histogram"] = [round((here - after) * of.steps) for here, after in pairwise(at_least)]
    fields["measurement_conditions"] = {"source": of.source, "verify_steps": of.steps, "requests": of.requests}
    return fields | ({"method": method} if method else {})


def synthetic(of: Lengths, engine: str = "vllm") -> dict[str, Any]:
    """Settings with which an engine pretends to accept as the log says, for a load test without a drafter.

    Parameters
    ----------
    of : Lengths
    engine : of `ENGINES`.  vLLM and llama.cpp take marginal rates by position, or the length alone where the log has none,
        the latter in variables of the environment of ``llama-server``; SGLang and TensorRT-LLM take a length in variables
        of the environment, TensorRT-LLM without the bonus token

    llama.cpp takes as many rates as it drafts tokens in a step, so its settings also fix that number, and a smallest
    probability of 0 keeps it from drafting fewer.

    With the length alone an engine takes the rates of least variance, which a real run does not have (claim
    ``metrics.min-variance``).

    Raises ValueError for an engine of another name; the message names the nearest.

    >>> from simspec.tools.lengths.records import Counts, Log, lengths
    >>> of = lengths(Log("by hand", (Counts(2, 1),), by_request=False))
    >>> synthetic(of)
    {'rejection_sample_method': 'synthetic', 'synthetic_acceptance_length': 1.5}
    >>> synthetic(of, "tensorrt-llm")
    {'TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS': '0.5'}
    >>> synthetic(lengths(Log("by hand", (Counts(4, 3, 8, (2, 1)),), by_request=False)), "llama.cpp")
    ... # doctest: +NORMALIZE_WHITESPACE
    {'LLAMA_ARG_SPEC_SYNTH_RATES': '0.5,0.25', 'LLAMA_ARG_SPEC_DRAFT_N_MAX': '2', 'LLAMA_ARG_SPEC_DRAFT_P_MIN': '0'}
    """
    if engine not in ENGINES:
        raise ValueError(f"engine: {engine!r}{nearest(engine, ENGINES)}; expected one of {', '.join(ENGINES)}")
    length = of.length.value
    if engine == "sglang":
        return {
            "SGLANG_SIMULATE_ACC_LEN": f"{length:.6g}",
            "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
            "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
        }
    if engine == "tensorrt-llm":
        return {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": f"{converted(length, 'tokens', 'drafts'):.6g}"}
    if engine == "llama.cpp":
        if not of.positions:
            return {"LLAMA_ARG_SPEC_SYNTH_LEN": f"{length:.6g}"}
        return {
            "LLAMA_ARG_SPEC_SYNTH_RATES": ",".join(f"{m.value:.6g}" for m in of.positions),
            "LLAMA_ARG_SPEC_DRAFT_N_MAX": str(len(of.positions)),
            "LLAMA_ARG_SPEC_DRAFT_P_MIN": "0",
        }
    settings: dict[str, Any] = {"rejection_sample_method": "synthetic"}
    if of.positions:
        return settings | {"synthetic_acceptance_rates": [m.value for m in of.positions]}
    return settings | {"synthetic_acceptance_length": length}
