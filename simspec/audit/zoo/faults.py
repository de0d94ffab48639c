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

REPORTED_LAW = (
    Member(
        name="greedy_told_softmax",
        kind="fault",
        part="reported/sampled",
        summary="drafts are the most likely tokens; the verifier is passed the whole softmax",
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
            "The most likely token x is drafted with probability 1 but tested as if it had probability q(x). "
            "It is accepted too often, by a factor of up to 1/q(x), and the residual p - q returns "
            "probability that no draft has used."
        ),
        repair=Rule("pass the verifier one-hot draft probabilities", rules.draft_probs_dropped, greedy),
        shown=(greedy, rules.speculative),
        second_hand=("alibaba/rtp-llm #1251", "jaymody/speculative-sampling #3", "apple/ml-recurrent-drafter #6"),
    ),
    Member(
        name="topk_told_raw",
        kind="fault",
        part="reported/sampled",
        summary=("drafts come from the two most likely tokens; the verifier is passed the distribution before the cut"),
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
            "Tokens outside the cut are never drafted, and tokens inside it are drafted more often than the "
            "verifier assumes. The accepted mass and the residual no longer add up to p."
        ),
        repair=Rule("pass the verifier the distribution after the cut", rules.reported_cut, rules.top_k),
        shown=(rules.top_k, rules.speculative),
        settings=tuple(Rule(f"k = {k}", rules.speculative, partial(rules.top_k, k=k)) for k in (1, 2, 3)),
    ),
    Member(
        name="processor_on_bonus_only",
        kind="fault",
        part="reported/sampled",
        summary=(
            "drafts are verified against the target before its logits processor, here min-p; only the bonus "
            "token is processed"
        ),
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
            "The request asks for the processed distribution. Drafts and recovery tokens follow the raw "
            "distribution, so tokens that the processor drops are emitted everywhere except at the bonus "
            "position."
        ),
        repair=Rule("process the target's rows before verifying the drafts", rules.speculative, sampled),
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
        summary="the verifier emits the target's most likely token, although the request asks for sampling",
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
        why="Every emitted token is the target's most likely one, so the temperature is ignored.",
        repair=RIGHT,
        shown=(rules.argmax_target,),
        second_hand=("ROCm/ATOM #2318",),
    ),
)

UNIFORMS = (
    Member(
        name="gumbel_reuse",
        kind="fault",
        part="uniforms",
        summary="the recovery after a rejection reuses the noise that drew the draft",
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
            "If x won the first race, the other tokens of the draft had late times. Tokens that the draft "
            "never proposes did not, so they win the second race too often."
        ),
        repair=Rule("draw fresh noise for the recovery", rules.speculative, sampled),
        shown=(rules.gumbel_reuse,),
    ),
    Member(
        name="closed_coin",
        kind="fault",
        part="uniforms",
        summary=(
            "a uniform on a grid of 2^-8 that includes 0 is compared with <=, so a sibling that the target "
            "never emits can be accepted"
        ),
        threads=("sgl-project/sglang #35771", "sgl-project/sglang #35788", "sgl-project/sglang #35798"),
        program=by_depth(trees.closed_coin),
        drafts=CHAIN,
        laws=small("1 0, 1 0", "0 1"),
        number="F06",
        why=(
            "The uniform can be exactly 0, and 0 <= 0 is true. A sibling without probability is accepted "
            "with probability 2^-8 here, and with 2^-24 on the published grid."
        ),
        repair=Rule(
            "compare with < on the same grid, and accept only tokens that the target can emit",
            by_depth(partial(trees.closed_coin, half_open=True)),
            CHAIN,
            partial(trees.closed_coin, half_open=True),
        ),
        shown=(trees.closed_coin, trees.one_uniform),
        nodes=trees.closed_coin,
        settings=tuple(
            Rule(f"a grid of 2^-{bits}", by_depth(partial(trees.closed_coin, bits=bits)), CHAIN)
            for bits in (4, 8, 16, 24)
        ),
    ),
    Member(
        name="zero_coin",
        kind="fault",
        part="uniforms",
        summary="the uniform of the acceptance test is always 0",
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
            "A uniform of 0 accepts every draft with positive target probability, however small. On the "
            "target's support, the output follows the draft distribution."
        ),
        repair=RIGHT,
        shown=(rules.zero_coin,),
    ),
    Member(
        name="frozen_seed",
        kind="fault",
        part="uniforms",
        summary="every batch of calls starts a generator from one constant, whatever seed the caller passes",
        threads=("vllm-project/vllm #13196",),
        program=rules.speculative,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F08",
        why=(
            "A single call has the right distribution if the constant counts as random, but two calls are "
            "copies of each other. The TV shown here is that of two calls together."
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
        summary="if a draw from the target differs from the draft, another draw is emitted",
        threads=("ml-explore/mlx-swift-lm #459",),
        program=matched_fresh,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F09",
        why=(
            "Token y is emitted with probability p(y) (1 + q(y) - sum pq), so tokens that are drafted more "
            "often than others are emitted too often."
        ),
        repair=Rule("emit the draw that differs from the draft", matched, sampled),
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
            "After a rejection the missing probability is (r p - q)+, where r is the product over the block. "
            "(p - q)+ returns probability that is not missing."
        ),
        repair=BLOCK,
        shown=(rules.block,),
    ),
    Member(
        name="block_first_failure_stop",
        kind="fault",
        part="stopping",
        summary="block verification that stops at the first failed test",
        threads=("vllm-project/vllm-ascend #11985",),
        program=partial(rules.block, stop_at_failure=True),
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "1 0, 1 0"),
        number="F11",
        why=(
            "The tests of block verification are designed for the last position that passes. Stopping at the "
            "first failure accepts less than the residuals assume."
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
        why="The first token follows the draft distribution, whatever the target is.",
        repair=RIGHT,
        shown=(rules.first_unverified,),
    ),
    Member(
        name="tree_stale_bonus",
        kind="fault",
        part="bookkeeping",
        summary=(
            "a tree: after the last level, the token is drawn from what the rejected siblings left, not from the leaf"
        ),
        threads=("SafeAILab/EAGLE #47",),
        program=by_depth(partial(trees.recursive, stale=True)),
        drafts=drafting.drawn_siblings,
        laws=small("1 0, 0 1", "1/2 1/2"),
        number="F13",
        why=(
            "What the rejected siblings left of p is a distribution for their own level. The token after an "
            "accepted sibling is one level deeper."
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
        summary="several paths: each has its own draws even for a shared prefix, and the longest match wins",
        threads=("foundation-model-stack/fms-extras #12",),
        program=by_depth(trees.per_candidate),
        drafts=drafting.candidates,
        laws=small("1/2 1/2 0, 1 0 0", "0 0 1"),
        number="F14",
        why=("The first token is the best of several draws, because a draw that matches a candidate is preferred."),
        repair=Rule(
            "one draw per prefix, shared by all paths (as in #17)",
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
        summary=("the tokens are right, but the returned acceptance rate also counts drafts after the first rejection"),
        threads=("flashspec 0.3.1, `rejection_sample`",),
        program=rules.speculative,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "0 1, 1 0"),
        number="F15",
        why=(
            "A draft after a rejection follows a token that is not in the text. Whether it would have passed "
            "says nothing about accepted drafts."
        ),
        repair=Rule("count up to the first rejection", rules.speculative, sampled),
        shown=(rules.count_past_rejection,),
        reports=rules.count_past_rejection,
    ),
    Member(
        name="permuted_report",
        kind="fault",
        part="reported/sampled",
        summary=(
            "a draft with another tokenizer draws in the order in which that lists its tokens; the probabilities "
            "that the verifier is passed are in the order of the ids, here the opposite one"
        ),
        threads=("transformers 5.24.0, `AssistantToTargetTranslator`",),
        program=rules.permuted_report,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="F16",
        why=(
            "Token x is drafted with probability q(x) and tested as if it had that of another token. Where that is 0, or "
            "the permuted probabilities are the target's, every draft is accepted, and the text follows the draft."
        ),
        repair=Rule("write each probability to the id of its place in the pruned head", rules.speculative, sampled),
        shown=(rules.permuted_report, rules.speculative),
    ),
)

KEYS = (
    Member(
        name="key_used_twice",
        kind="fault",
        part="uniforms",
        summary="one key serves all positions of a call, since it is not advanced from token to token",
        threads=(),
        second_hand=(
            "PaddlePaddle/FastDeploy #7946",
            "NVIDIA/TensorRT-Edge-LLM #212",
            "vllm-project/vllm #56233",
        ),
        program=rules.key_used_twice,
        drafts=rules.one_key_drafts,
        laws=small("1/2 1/2, 1/2 1/2", "1 0"),
        number="F17",
        why=(
            "Over keys the first token has the right distribution, but the next one is drawn with the same number: "
            "a key that drew a low token draws a low token again."
        ),
        repair=Rule("a key for each position", rules.keyed, sampled),
        shown=(rules.drafting_key, rules.one_key_drafts, rules.key_used_twice),
    ),
    Member(
        name="key_read_late",
        kind="fault",
        part="uniforms",
        summary=(
            "the target's token is drawn with the key of the draft one position before, so that the bonus token has "
            "the key of the last draft"
        ),
        threads=(),
        second_hand=("local-inference-lab/vllm #205",),
        program=partial(rules.keyed, shift=-1),
        drafts=sampled,
        laws=small("1 0, 1/2 1/2", "1/2 1/2"),
        number="F18",
        why=(
            "That the draft before was accepted says in which interval its key lies, and this key draws the next "
            "token. The thread retracts the report for the bonus token of its engine. A key that is read one "
            "position early is harmless: every token has a key that no accepted draft has read."
        ),
        repair=Rule("read the key of the draft at the same position", rules.keyed, sampled),
        shown=(rules.drafting_key, rules.keyed),
        settings=tuple(
            Rule(f"position + {shift}".replace("+ -", "- "), partial(rules.keyed, shift=shift), sampled)
            for shift in (-1, 0, 1)
        ),
    ),
    Member(
        name="one_key",
        kind="fault",
        part="uniforms",
        summary=(
            "a key draws the draft and, after a refusal by a fresh uniform, the residual token too; keys draw by inversion"
        ),
        threads=("arXiv 2602.01428",),
        second_hand=("vllm-project/vllm #56122", "vllm-project/vllm #54282"),
        program=rules.one_key,
        drafts=sampled,
        laws=small("3/4 1/4 0, 1 0 0", "1/2 0 1/2"),
        number="F19",
        why=(
            "That the draft was refused says in which interval the key lies, and so which residual tokens it can draw. "
            "Keys that draw by races have the same fault in F05; the first thread gives draft and target two keys. The "
            "bias is at most a (1 - a), a the acceptance (claim watermark.fresh-coins.one-key-corrected)."
        ),
        repair=Rule("a key of its own for the residual token", rules.speculative, sampled),
        shown=(rules.drafting_key, rules.one_key),
    ),
)

FAULTS: tuple[Member, ...] = (*REPORTED_LAW, *UNIFORMS, *LATER, *KEYS)
"""By number."""
