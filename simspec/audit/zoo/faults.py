"""Published faults, and one that only reports a wrong number; each is speculative decoding except for what it says."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from simspec.audit import drafting
from simspec.audit.zoo import rules, trees
from simspec.audit.zoo.member import Member, Rule, by_depth, greedy, sampled, small
from simspec.methods.verifier.match import matched, matched_fresh

__all__ = ["FAULTS"]

RIGHT = Rule("speculative decoding", rules.speculative, sampled)
BLOCK = Rule("block verification with the block's own residual, scanned to its end", rules.block, sampled)
CHAIN = partial(drafting.top_siblings, k=1)
MIN_P = tuple(Fraction(1, n) for n in (16, 4, 2))

TOLD = (
    Member(
        name="greedy_told_softmax",
        kind="fault",
        part="reported/sampled",
        summary="drafts are the most likely tokens; the verifier is told the whole softmax",
        threads=(
            "huggingface/transformers #32867",
            "huggingface/transformers #33534",
            "huggingface/transformers #30778",
        ),
        program=rules.speculative,
        drafts=greedy,
        laws=small("1/2 1/2, 1 0", "1/2 1/2"),
        number="F01",
        why=(
            "An argmax draft x was drawn with probability 1, but is tested as one of mass q(x): it is kept too "
            "often, by up to the factor 1/q(x), and the residual p - q returns mass that nobody took."
        ),
        repair=Rule("tell the verifier that the drafts were certain", rules.draft_probs_dropped, greedy),
        shown=(greedy, rules.speculative),
        second_hand=("alibaba/rtp-llm #1251", "jaymody/speculative-sampling #3", "apple/ml-recurrent-drafter #6"),
    ),
    Member(
        name="topk_told_raw",
        kind="fault",
        part="reported/sampled",
        summary="drafts come from the two most likely tokens; the verifier is told the law before the cut",
        threads=(
            "huggingface/transformers #47932",
            "huggingface/transformers #47961",
            "huggingface/transformers #48007",
        ),
        program=rules.speculative,
        drafts=rules.top_k,
        laws=small("3/4 1/4 0, 1 0 0", "1/4 1/4 1/2"),
        number="F02",
        why=(
            "Tokens outside the cut are never drafted, those inside more often than the verifier believes. What "
            "is kept and what the residual returns no longer add up to p."
        ),
        repair=Rule("tell the verifier the law after the cut", rules.told_cut, rules.top_k),
        shown=(rules.top_k, rules.speculative),
        settings=tuple(Rule(f"k = {k}", rules.speculative, partial(rules.top_k, k=k)) for k in (1, 2, 3)),
    ),
    Member(
        name="processor_on_bonus_only",
        kind="fault",
        part="reported/sampled",
        summary="drafts are judged against the target before its logits processor, here min-p; only the bonus is processed",
        threads=(
            "vllm-project/vllm #42744",
            "vllm-project/vllm #42802",
            "sgl-project/sglang #10617",
            "sgl-project/sglang #11555",
            "vllm-project/vllm #10198",
        ),
        program=partial(rules.processed_bonus, before=rules.before_min_p),
        drafts=sampled,
        laws=small("1 0, 1 0", "1 0"),
        number="F03",
        why=(
            "What was asked for is the processed law. Drafts and recoveries follow the raw one, so tokens that "
            "the processor drops are emitted everywhere but at the bonus."
        ),
        repair=Rule("process the target's rows before the drafts are judged", rules.speculative, sampled),
        shown=(rules.processed_bonus,),
        settings=(
            *(
                Rule(f"min-p at {m}", partial(rules.processed_bonus, before=partial(rules.before_min_p, m=m)), sampled)
                for m in MIN_P
            ),
            Rule("a bias of ln 3 on token 0", partial(rules.processed_bonus, before=rules.before_bias), sampled),
        ),
    ),
    Member(
        name="argmax_target",
        kind="fault",
        part="reported/sampled",
        summary="the verifier's own token is the target's most likely one, although a sample was asked for",
        threads=(
            "sgl-project/sglang #37134",
            "sgl-project/sglang #31214",
            "sgl-project/sglang #32922",
            "sgl-project/sglang #39253",
            "EricLBuehler/mistral.rs #2424",
        ),
        program=rules.argmax_target,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F04",
        why="Every token that is emitted is the target's most likely one: the temperature is ignored.",
        repair=RIGHT,
        shown=(rules.argmax_target,),
        second_hand=("ROCm/ATOM #2318",),
    ),
)

COIN = (
    Member(
        name="gumbel_reuse",
        kind="fault",
        part="coin",
        summary="the recovery after a refusal reuses the noise by which the draft was drawn",
        threads=(
            "vllm-project/vllm #47386",
            "vllm-project/vllm #54282",
            "local-inference-lab/vllm #205",
            "local-inference-lab/vllm #209",
            "local-inference-lab/vllm #653",
            "syv-ai/qwen38-27b-rtx3090 #89",
        ),
        program=rules.gumbel_reuse,
        drafts=sampled,
        laws=small("3/4 1/4 0, 1 0 0", "1/2 0 1/2"),
        number="F05",
        why=(
            "Where x won the first race, the other tokens of the draft were late; those that the draft never "
            "says were not, and win the second race too often."
        ),
        repair=Rule("fresh noise for the recovery", rules.speculative, sampled),
        shown=(rules.gumbel_reuse,),
    ),
    Member(
        name="closed_coin",
        kind="fault",
        part="coin",
        summary="a coin on a grid of 2^-8, 0 included, is compared with <=: a sibling that the target never says can be taken",
        threads=("sgl-project/sglang #35771", "sgl-project/sglang #35788", "sgl-project/sglang #35798"),
        program=by_depth(trees.closed_coin),
        drafts=CHAIN,
        laws=small("1 0, 1 0", "0 1"),
        number="F06",
        why=(
            "The coin can be exactly 0, and 0 <= 0 holds: a sibling without mass is taken with probability 2^-8 "
            "here, and 2^-24 on the published grid."
        ),
        repair=Rule(
            "compare with <, on the same grid, and take only what the target can say",
            by_depth(partial(trees.closed_coin, half_open=True)),
            CHAIN,
            partial(trees.closed_coin, half_open=True),
        ),
        shown=(trees.closed_coin, trees.one_coin),
        nodes=trees.closed_coin,
        settings=tuple(
            Rule(f"a grid of 2^-{bits}", by_depth(partial(trees.closed_coin, bits=bits)), CHAIN)
            for bits in (4, 8, 16, 24)
        ),
    ),
    Member(
        name="zero_coin",
        kind="fault",
        part="coin",
        summary="the acceptance coin is always 0",
        threads=(
            "vllm-project/vllm-ascend #13730",
            "vllm-project/vllm-ascend #13766",
            "vllm-project/vllm-ascend #13470",
        ),
        program=rules.zero_coin,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F07",
        why=(
            "A coin of 0 keeps every draft of positive target mass, however small: on the target's support the "
            "output is the draft's law."
        ),
        repair=RIGHT,
        shown=(rules.zero_coin,),
    ),
    Member(
        name="frozen_seed",
        kind="fault",
        part="coin",
        summary="every batch of calls begins a generator from one constant, whatever seed the caller gave",
        threads=("vllm-project/vllm #13196",),
        program=rules.speculative,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F08",
        why=(
            "One call alone has the right law, if the constant is taken for random; two calls are copies of "
            "each other. The TV told here is that of two calls together."
        ),
        repair=Rule("use the generator of the caller", rules.speculative, sampled),
        frozen=True,
    ),
)

LATER = (
    Member(
        name="match_or_fresh",
        kind="fault",
        part="residual",
        summary="where a draw from the target misses the draft, another draw is emitted",
        threads=("ml-explore/mlx-swift-lm #459",),
        program=matched_fresh,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F09",
        why=(
            "Token y is emitted with probability p(y) (1 + q(y) - sum pq): a token that is drafted more often "
            "than others is said too often."
        ),
        repair=Rule("emit the draw that missed", matched, sampled),
        shown=(matched_fresh,),
    ),
    Member(
        name="block_token_residual",
        kind="fault",
        part="residual",
        summary="block verification with the residual of a single token",
        threads=("vllm-project/vllm-ascend #7807", "vllm-project/vllm-ascend #7808"),
        program=partial(rules.block, token_residual=True),
        drafts=sampled,
        laws=small("1/2 1/2 0, 1/2 1/2 0, 1 0 0", "1 0 0, 1/4 0 3/4"),
        number="F10",
        why=(
            "After a refusal the mass that is missing is (r p - q)+, where r is the block's product; (p - q)+ "
            "returns mass that is not missing."
        ),
        repair=BLOCK,
        shown=(rules.block,),
    ),
    Member(
        name="block_first_failure_stop",
        kind="fault",
        part="stopping",
        summary="block verification that stops at the first coin that fails",
        threads=("vllm-project/vllm-ascend #11985",),
        program=partial(rules.block, stop_at_failure=True),
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "1 0, 1 0"),
        number="F11",
        why=(
            "The coins of block verification are made for the last position that passes. Stopping at the first "
            "that fails keeps less than the residuals count on."
        ),
        repair=BLOCK,
        shown=(rules.block,),
    ),
    Member(
        name="first_unverified",
        kind="fault",
        part="bookkeeping",
        summary="the first draft is emitted without a test",
        threads=("ohdearquant/lattice #243", "ohdearquant/lattice #258"),
        program=rules.first_unverified,
        drafts=sampled,
        laws=small("1 0, 1 0", "0 1"),
        number="F12",
        why="The first token follows the draft's law, whatever the target says.",
        repair=RIGHT,
        shown=(rules.first_unverified,),
    ),
    Member(
        name="tree_stale_bonus",
        kind="fault",
        part="bookkeeping",
        summary="a tree: after the last level the token comes from what the refused siblings left, not from the leaf",
        threads=("SafeAILab/EAGLE #47",),
        program=by_depth(partial(trees.recursive, stale=True)),
        drafts=drafting.drawn_siblings,
        laws=small("1 0, 0 1", "1/2 1/2"),
        number="F13",
        why=(
            "What the refused siblings have left of p is a law for their own level. The token after the sibling "
            "that was kept stands one level deeper."
        ),
        repair=Rule(
            "draw the last token from the target at the leaf",
            by_depth(trees.recursive),
            drafting.drawn_siblings,
            trees.recursive,
        ),
        shown=(trees.recursive,),
        nodes=partial(trees.recursive, stale=True),
    ),
    Member(
        name="tree_sample_per_candidate",
        kind="fault",
        part="bookkeeping",
        summary="several paths: each has draws of its own even where it shares a prefix, and the longest match wins",
        threads=("foundation-model-stack/fms-extras #12",),
        program=by_depth(trees.per_candidate),
        drafts=drafting.candidates,
        laws=small("1/2 1/2 0, 1 0 0", "0 0 1"),
        number="F14",
        why=(
            "The first token is the best of several draws: one that matches a candidate is preferred to one "
            "that does not."
        ),
        repair=Rule(
            "one draw for each prefix, shared by all paths (as in #17)",
            by_depth(partial(trees.per_candidate, shared=True)),
            drafting.candidates,
            partial(trees.per_candidate, shared=True),
        ),
        shown=(trees.per_candidate,),
        nodes=trees.per_candidate,
    ),
    Member(
        name="count_past_rejection",
        kind="report",
        part="bookkeeping",
        summary="the tokens are right; the acceptance rate that is returned counts drafts after the first refusal as well",
        threads=("flashspec 0.3.1, `rejection_sample`",),
        program=rules.speculative,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "0 1, 1 0"),
        number="F15",
        why=(
            "A draft behind a refusal follows a token that is not in the text; whether it would have passed "
            "says nothing of drafts that are accepted."
        ),
        repair=Rule("count up to the first refusal", rules.speculative, sampled),
        shown=(rules.count_past_rejection,),
        reports=rules.count_past_rejection,
    ),
)

FAULTS: tuple[Member, ...] = (*TOLD, *COIN, *LATER)
"""By number."""
