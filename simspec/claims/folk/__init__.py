"""What public threads say of speculative decoding: statements of issues, pull requests and comments, as they are worded there.

One step unless a statement says otherwise; x is the drafted token, a the most likely token of q.  “Told” is the draft law that
the verifier works with.  What statements share stands in `parts.py`.
"""

from __future__ import annotations

__all__ = ["CONTENTS"]

CONTENTS = (
    ("vLLM #40819", "folk.block-gamma-two", "block_gamma_two"),
    ("vLLM #40819; vllm-ascend #7603", "folk.block-one-hot", "block_one_hot"),
    ("vllm-ascend #11985", "folk.block-prefix", "block_prefix"),
    ("TensorRT-LLM #15775", "folk.argmax-draft", "argmax_draft"),
    ("vLLM #16899; SGLang #9877, #10308", "folk.drop-probs", "drop_probs"),
    ("vLLM #40551", "folk.one-hot-better", "one_hot_better"),
    ("vLLM #40651, #35461", "folk.one-hot-vs-match", "one_hot_vs_match"),
    ("EAGLE #329, #93, #110, #183, #221, #283", "folk.q-one", "q_one"),
    ("EAGLE #110", "folk.eagle-greedy", "eagle_greedy"),
    ("mlx-swift-lm #459", "folk.match-bias", "match_bias"),
    ("mlx-lm #1709", "folk.sampled-match-price", "sampled_match_price"),
    ("DFlash #74", "folk.greedy-draft-match", "greedy_draft_match"),
    ("llama.cpp #27694", "folk.match-lossy-accept", "match_lossy_accept"),
    ("rtp-llm #1295", "folk.same-token-or", "same_token_or"),
    ("xLLM #2175; EAGLE #20", "folk.residual-at-x", "residual_at_x"),
    ("Transformers #47932", "folk.told-raw", "told_raw"),
    ("jaymody #3; ml-recurrent-drafter #6", "folk.told-softmax", "told_softmax"),
    ("Spec-RL #14", "folk.resample-p", "resample_p"),
    ("vLLM #47386, #54282", "folk.noise-reuse", "noise_reuse"),
    ("SGLang #35771", "folk.zero-coin", "zero_coin"),
    ("fms-extras #12", "folk.own-samples", "own_samples"),
    ("TorchCode #16", "folk.residual-zero", "residual_zero"),
    ("a public Lean file (2026), speculative_distribution_invariant", "folk.lean-residual", "lean_residual"),
)
"""The thread, the statement, and the module that states it."""
