"""What “lossless up to hardware numerics” can mean: two computations of the same logits that differ by at most ε in each entry.

T is the temperature, p and p̂ are the laws of the two computations (prefill and decode, two batch sizes, two kernels), and
ρ = exp(ε/T): the weights exp(z/T) differ by a factor from 1/ρ to ρ, so tanh(ε/(2T)) = (ρ − 1)/(ρ + 1).

`laws.py` holds `numerics.tv`, `numerics.kl` and `numerics.kl-half`, `tokens.py` holds `numerics.greedy`,
`numerics.greedy-identical`, `numerics.greedy-prefix` and `numerics.temperature-zero-limit`, `steps.py` holds `numerics.output`,
`numerics.draft-noise` and `numerics.text`, `measured.py` holds `numerics.bf16`.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS: tuple[tuple[str, str, str], ...] = (
    ("own", "numerics.tv", "laws"),
    ("own", "numerics.kl", "laws"),
    ("own", "numerics.kl-half", "laws"),
    ("own", "numerics.greedy", "tokens"),
    ("vLLM and llama.cpp, documentation", "numerics.greedy-identical", "tokens"),
    ("own", "numerics.greedy-prefix", "tokens"),
    ("own", "numerics.output", "steps"),
    ("own", "numerics.draft-noise", "steps"),
    ("own", "numerics.text", "steps"),
    ("own", "numerics.bf16", "measured"),
    ("own", "numerics.temperature-zero-limit", "tokens"),
)
"""The source, the statement, and the module that states it."""
