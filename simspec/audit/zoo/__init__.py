"""The zoo: published faults of samplers, honest rules that were taken for faults, and rules lossy by declaration.

Each is rebuilt in a few lines from its published description; none is anybody's code.  The auditor does not know it.
"""

from __future__ import annotations

from fractions import Fraction

from simspec.audit.zoo import rules
from simspec.audit.zoo.member import Member, black_box, exact_facts, greedy, sampled, small

__all__ = ["MEMBERS", "Member", "black_box", "exact_facts"]

HALF = Fraction(1, 2)

MEMBERS: dict[str, Member] = {
    m.name: m
    for m in (
        Member(
            "greedy_told_softmax",
            "fault",
            "told/drawn",
            "drafts are the most likely tokens; the verifier is told the whole softmax",
            "huggingface/transformers #32867",
            rules.speculative,
            greedy,
            small("1/2 1/2, 1 0", "1/2 1/2"),
        ),
        Member(
            "topk_told_raw",
            "fault",
            "told/drawn",
            "drafts come from the two most likely tokens; the verifier is told the law before the cut",
            "huggingface/transformers #47932",
            rules.speculative,
            rules.top_two,
            small("0 1/4 3/4, 1 0 0", "1/4 1/4 1/2"),
        ),
        Member(
            "argmax_target",
            "fault",
            "told/drawn",
            "the verifier's own token is the target's most likely one, although a sample was asked for",
            "sgl-project/sglang #37134",
            rules.argmax_target,
            sampled,
            small("1/2 1/2, 1 0", "0 1"),
        ),
        Member(
            "gumbel_reuse",
            "fault",
            "coin",
            "the recovery after a refusal reuses the noise by which the draft was drawn",
            "vllm-project/vllm #47386",
            rules.gumbel_reuse,
            sampled,
            small("0 1/4 3/4, 1 0 0", "1/2 0 1/2"),
        ),
        Member(
            "zero_coin",
            "fault",
            "coin",
            "the acceptance coin is always 0",
            "vllm-project/vllm-ascend #13730",
            rules.zero_coin,
            sampled,
            small("1/2 1/2, 1 0", "0 1"),
        ),
        Member(
            "match_or_fresh",
            "fault",
            "residual",
            "where a draw from the target misses the draft, another draw is emitted",
            "ml-explore/mlx-swift-lm #459",
            rules.match_or_fresh,
            sampled,
            small("1/2 1/2, 1 0", "0 1"),
        ),
        Member(
            "block_token_residual",
            "fault",
            "residual",
            "block verification with the residual of a single token",
            "vllm-project/vllm-ascend #7807",
            rules.block(token_residual=True),
            sampled,
            small("1/2 1/2 0, 0 1/2 1/2, 1 0 0", "1 0 0, 3/4 0 1/4"),
        ),
        Member(
            "block_first_failure_stop",
            "fault",
            "stopping",
            "block verification that stops at the first coin that fails",
            "vllm-project/vllm-ascend #11985",
            rules.block(stop_at_failure=True),
            sampled,
            small("1/2 1/2, 0 1, 1 0", "0 1, 0 1"),
        ),
        Member(
            "first_unverified",
            "fault",
            "bookkeeping",
            "the first draft is emitted without a test",
            "ohdearquant/lattice #243",
            rules.first_unverified,
            sampled,
            small("0 1, 1 0", "1 0"),
        ),
        Member(
            "draft_probs_dropped",
            "honest",
            "told/drawn",
            "the verifier is told that the drafts were certain; fewer are accepted, but the law is right",
            "vllm-project/vllm #40149",
            rules.draft_probs_dropped,
            sampled,
            small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        ),
        Member(
            "match_emit",
            "honest",
            "residual",
            "a draw from the target is emitted, and goes on where it is the draft",
            "ml-explore/mlx-swift-lm #459",
            rules.match_emit,
            sampled,
            small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        ),
        Member(
            "block_reference",
            "honest",
            "stopping",
            "block verification: a later position may be kept although an earlier coin failed",
            "vllm-project/vllm-ascend #11985; Sun et al., arXiv 2403.10444",
            rules.block(),
            sampled,
            small("1/4 3/4, 3/4 1/4, 1/2 1/2", "3/4 1/4, 1/4 3/4"),
        ),
        Member(
            "ensemble",
            "lossy",
            "coin",
            "kept with probability min(1, 1 - w + w p/q), here w = 1/2",
            "huggingface/transformers #45865",
            rules.ensemble(HALF),
            sampled,
            small("0 1, 1 0", "1 0"),
        ),
        Member(
            "ears",
            "lossy",
            "coin",
            "kept where u - beta (1 - max p) < p/q, here beta = 1/2",
            "vllm-project/vllm #31483; arXiv 2512.13194",
            rules.ears(HALF),
            sampled,
            small("1/2 1/2, 1 0", "0 1"),
        ),
    )
}
"""Members by name."""
