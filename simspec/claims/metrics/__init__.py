"""Acceptance lengths and rates as engines count and print them: what follows from the counters of a run, and what does not.

N verify steps; step s drafts g_s tokens, accepts the first a_s ≤ g_s and emits a_s + 1.  AL = 1 + Σ a_s / N, AR = Σ a_s / Σ g_s,
m_i is the share of steps with a_s ≥ i, c_i = m_i / m_(i−1) with m_0 = 1.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("vLLM #17908; SGLang #3152", "metrics.length", "length"),
    ("vLLM #39359; ROCm/ATOM #1850, #1948", "metrics.rate-length", "rate_length"),
    ("llama.cpp #24536", "metrics.sum-of-positions", "sum_of_positions"),
    ("vLLM metrics; llama.cpp #24536", "metrics.mean-of-positions", "mean_of_positions"),
    ("practice; vLLM #38045", "metrics.conditional-monotone", "conditional_monotone"),
    ("practice", "metrics.alpha", "alpha"),
    ("vLLM #13626", "metrics.one-draft", "one_draft"),
    ("vLLM, _acceptance_length_to_rates", "metrics.min-variance", "min_variance"),
    ("vLLM #42508", "metrics.pooled-order", "pooled_order"),
    ("ROCm/ATOM #1948", "metrics.steps", "steps"),
    ("ROCm/ATOM #1948; llama.cpp #27711", "metrics.same-length-same-steps", "same_length_same_steps"),
    ("vLLM #39359", "metrics.speed-tracks-length", "speed_tracks_length"),
    ("practice", "metrics.rate-falls", "rate_falls"),
    ("practice", "metrics.rate-ranks", "rate_ranks"),
)
"""The thread, the statement, and the module that states it."""
