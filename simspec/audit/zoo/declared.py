"""Honest rules that were taken for faults, and rules that are lossy by declaration."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from simspec.audit import drafting
from simspec.audit.zoo import relaxed, rules, trees
from simspec.audit.zoo.member import Member, Rule, by_depth, sampled, small
from simspec.methods.verifier.match import matched

__all__ = ["HONEST", "LOSSY"]

RIGHT = Rule("speculative decoding", rules.speculative, sampled)
STRICT = Rule("both thresholds 1", by_depth(trees.thresholds), drafting.top_siblings, trees.thresholds)
QUARTERS = tuple(Fraction(n, 4) for n in (1, 2, 3, 4))
SURE = partial(trees.thresholds, single=Fraction(1, 2), acc=Fraction(1, 2))

HONEST: tuple[Member, ...] = (
    Member(
        name="draft_probs_dropped",
        kind="honest",
        part="reported/sampled",
        summary=(
            "the verifier is passed one-hot draft probabilities; fewer drafts are accepted, but the "
            "distribution is right"
        ),
        threads=("vllm-project/vllm #40149", "vllm-project/vllm #35461", "sgl-project/sglang #10308"),
        program=rules.draft_probs_dropped,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H1",
        why=(
            "Token y is emitted with probability q(y) p(y) + sum over x other than y of q(x) (1 - p(x)) p(y) / "
            "(1 - p(x)) = p(y)."
        ),
        repair=RIGHT,
        shown=(rules.draft_probs_dropped,),
    ),
    Member(
        name="match_emit",
        kind="honest",
        part="residual",
        summary="a draw from the target is emitted; if it equals the draft, verification continues",
        threads=("ml-explore/mlx-swift-lm #459", "lablup/mlxcel #992"),
        program=matched,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H2",
        why="Every emitted token is a draw from p. The draft decides only whether another token follows.",
        repair=RIGHT,
        shown=(matched,),
        second_hand=("pegainfer #670",),
    ),
    Member(
        name="block_reference",
        kind="honest",
        part="stopping",
        summary="block verification: a later position may be accepted although an earlier test failed",
        threads=("vllm-project/vllm-ascend #11985", "vllm-project/vllm #46781"),
        program=rules.block,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4, 1/2 1/2", "3/4 1/4, 1/4 3/4"),
        number="H3",
        why=(
            "The probability of each position is computed for a scan to the end, and the residual for the "
            "last position that passes."
        ),
        repair=RIGHT,
        shown=(rules.block,),
    ),
    Member(
        name="topk_tree_q1",
        kind="honest",
        part="reported/sampled",
        summary=("a tree of the draft's most likely tokens, not sampled: each is accepted with its target probability"),
        threads=("SafeAILab/EAGLE #171", "SafeAILab/EAGLE #221", "SafeAILab/EAGLE #283"),
        program=by_depth(trees.reported_certain),
        drafts=drafting.top_siblings,
        laws=small("1/4 1/4 1/2, 1/2 1/4 1/4", "1/2 1/4 1/4"),
        number="H4",
        why=(
            "Each test asks whether a draw from the rest of p equals this sibling, so all tests together are "
            "one draw from p."
        ),
        repair=RIGHT,
        shown=(trees.reported_certain,),
        second_hand=("SafeAILab/EAGLE #93", "SafeAILab/EAGLE #183", "SafeAILab/EAGLE #329"),
        nodes=trees.reported_certain,
    ),
    Member(
        name="rrs_fixed_order",
        kind="honest",
        part="bookkeeping",
        summary=(
            "siblings are drawn independently, possibly with repeats, and tested in an order that is fixed "
            "in advance, here last first"
        ),
        threads=("ggml-org/llama.cpp #5625", "flexflow/flexflow-serve #10", "flexflow/flexflow-train #1302"),
        program=by_depth(partial(trees.recursive, repeats=True)),
        drafts=partial(drafting.drawn_siblings, repeats=True),
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H5",
        why=(
            "What a rejection leaves of p is the target of the next sibling, which is an independent draw. "
            "An order fixed before the draws does not depend on them."
        ),
        repair=RIGHT,
        shown=(trees.recursive,),
        nodes=partial(trees.recursive, repeats=True),
    ),
    Member(
        name="keyed_coupling",
        kind="honest",
        part="uniforms",
        summary=(
            "the key that drew a draft draws the target's token too, and a draft is accepted if both are the same token"
        ),
        threads=("arXiv 2408.07978", "arXiv 2410.20418"),
        second_hand=("vllm-project/vllm #47386", "hao-ai-lab/LookaheadDecoding #6"),
        program=rules.keyed,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H6",
        why=(
            "Every emitted token is drawn from p with the key of its position, which is uniform and independent of the "
            "tokens before. Only whether another token follows depends on the draft. A fresh uniform in the test, as in "
            "F05 and F18, needs a second key."
        ),
        repair=RIGHT,
        shown=(rules.drafting_key, rules.keyed),
    ),
)

LOSSY: tuple[Member, ...] = (
    Member(
        name="ensemble",
        kind="lossy",
        part="uniforms",
        summary="accepted with probability min(1, 1 - w + w p/q), here w = 1/2",
        threads=("huggingface/transformers #45865", "huggingface/transformers #45979", "arXiv 2604.07622"),
        program=relaxed.ensemble,
        drafts=sampled,
        laws=small("1 0, 1 0", "0 1"),
        number="L1",
        why=("The accepted mass is min(q, (1 - w) q + w p): a share 1 - w of the drafts is accepted without a test."),
        repair=RIGHT,
        settings=tuple(Rule(f"w = {w}", partial(relaxed.ensemble, w=w), sampled) for w in QUARTERS),
        shown=(relaxed.ensemble,),
    ),
    Member(
        name="thresholds",
        kind="lossy",
        part="uniforms",
        summary=(
            "a tree: a sibling is accepted if the uniform is below c/acc or its probability is at least "
            "single, here both 1/2"
        ),
        threads=("sgl-project/sglang 0.5.23, `speculative_accept_threshold_single` and `_acc`",),
        program=by_depth(SURE),
        drafts=drafting.top_siblings,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L2",
        why=(
            "A sibling with probability m is accepted with probability m/acc instead of m, and always if m "
            "is at least single."
        ),
        repair=STRICT,
        settings=tuple(
            Rule(
                f"single = {single}, acc = {acc}",
                by_depth(partial(trees.thresholds, single=single, acc=acc)),
                drafting.top_siblings,
            )
            for single, acc in ((Fraction(1, 2), Fraction(1, 2)), (1, Fraction(1, 2)), (Fraction(1, 2), 1), (1, 1))
        ),
        shown=(trees.thresholds, trees.one_uniform),
        nodes=SURE,
    ),
    Member(
        name="typical",
        kind="lossy",
        part="uniforms",
        summary=(
            "accepted if p(x) > min(eps, alpha exp(-entropy)), here .09 and .3; after a rejection, the most "
            "likely token is emitted"
        ),
        threads=("vllm-project/vllm #5015", "vllm-project/vllm #5131", "arXiv 2401.10774"),
        program=relaxed.typical,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L3",
        why=(
            "There is no random test: a token is always accepted or never, and a rejection always emits the same token."
        ),
        repair=RIGHT,
        settings=tuple(
            Rule(f"eps = {eps}, alpha = {alpha}", partial(relaxed.typical, eps=eps, alpha=alpha), sampled)
            for eps, alpha in ((0.09, 0.3), (0.3, 0.3), (0.3, 1.0))
        ),
        shown=(relaxed.typical,),
    ),
    Member(
        name="ears",
        kind="lossy",
        part="uniforms",
        summary="accepted if u - beta (1 - max p) < p/q, here beta = 1/2",
        threads=(
            "vllm-project/vllm #31483",
            "vllm-project/vllm-ascend #5471",
            "vllm-project/vllm-ascend #7845",
            "arXiv 2512.13194",
        ),
        program=relaxed.ears,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L4",
        why=(
            "Each draft is accepted with a probability that is larger by beta (1 - max p), so by more if the "
            "target is less certain."
        ),
        repair=RIGHT,
        settings=tuple(Rule(f"beta = {b}", partial(relaxed.ears, beta=b), sampled) for b in (Fraction(0), *QUARTERS)),
        shown=(relaxed.ears,),
    ),
    Member(
        name="fly",
        kind="lossy",
        part="uniforms",
        summary=(
            "a rejection is overruled if the target is uncertain and the drafts in the following window "
            "pass, here one draft"
        ),
        threads=("vllm-project/vllm #50808", "vllm-project/vllm #53987", "arXiv 2511.22972"),
        program=relaxed.fly,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "1 0, 1 0"),
        number="L5",
        why="An overruled rejection emits a rejected draft, although the residual already accounts for it.",
        repair=RIGHT,
        settings=tuple(
            Rule(f"window = {window}, theta = {theta}", partial(relaxed.fly, window=window, theta=theta), sampled)
            for window, theta in ((1, 0.0), (1, 0.5), (1, 1.0), (2, 0.5))
        ),
        shown=(relaxed.fly,),
    ),
    Member(
        name="cactus",
        kind="lossy",
        part="uniforms",
        summary=(
            "speculative decoding against p with the probability of the drafted token raised by sqrt(2 delta "
            "p (1 - p)), here delta = 1/8"
        ),
        threads=("arXiv 2604.04987", "graphcore-research/relaxed-spec-dec-repro"),
        program=relaxed.cactus,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L6",
        why="The verifier follows a distribution in which the drafted token is more likely than in p.",
        repair=RIGHT,
        settings=tuple(
            Rule(f"delta = {delta}", partial(relaxed.cactus, delta=delta), sampled)
            for delta in (Fraction(0), Fraction(1, 32), Fraction(1, 8), Fraction(1, 2))
        ),
        shown=(relaxed.cactus, relaxed.raised),
    ),
)
