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
        summary="the verifier is told that the drafts were certain; fewer are accepted, but the law is right",
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
        summary="a draw from the target is emitted, and goes on where it is the draft",
        threads=("ml-explore/mlx-swift-lm #459", "lablup/mlxcel #992"),
        program=matched,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H2",
        why="What is emitted is always a draw from p; the draft decides only whether another one follows.",
        repair=RIGHT,
        shown=(matched,),
        second_hand=("pegainfer #670",),
    ),
    Member(
        name="block_reference",
        kind="honest",
        part="stopping",
        summary="block verification: a later position may be kept although an earlier coin failed",
        threads=("vllm-project/vllm-ascend #11985", "vllm-project/vllm #46781"),
        program=rules.block,
        drafts=sampled,
        laws=small("1/4 3/4, 3/4 1/4, 1/2 1/2", "3/4 1/4, 1/4 3/4"),
        number="H3",
        why=(
            "The chance of each position is computed for a scan to the end, and the residual for the last "
            "position that passes."
        ),
        repair=RIGHT,
        shown=(rules.block,),
    ),
    Member(
        name="topk_tree_q1",
        kind="honest",
        part="reported/sampled",
        summary="a tree of the draft's most likely tokens, not drawn: each is kept with the mass that the target has on it",
        threads=("SafeAILab/EAGLE #171", "SafeAILab/EAGLE #221", "SafeAILab/EAGLE #283"),
        program=by_depth(trees.told_certain),
        drafts=drafting.top_siblings,
        laws=small("1/4 1/4 1/2, 1/2 1/4 1/4", "1/2 1/4 1/4"),
        number="H4",
        why=(
            "Each test asks whether a draw from what is left of p is this sibling, so that all tests together "
            "are one draw from p."
        ),
        repair=RIGHT,
        shown=(trees.told_certain,),
        second_hand=("SafeAILab/EAGLE #93", "SafeAILab/EAGLE #183", "SafeAILab/EAGLE #329"),
        nodes=trees.told_certain,
    ),
    Member(
        name="rrs_fixed_order",
        kind="honest",
        part="bookkeeping",
        summary="siblings drawn independently, repeats included, are tested in an order fixed beforehand, here the last first",
        threads=("ggml-org/llama.cpp #5625", "flexflow/flexflow-serve #10", "flexflow/flexflow-train #1302"),
        program=by_depth(partial(trees.recursive, repeats=True)),
        drafts=partial(drafting.drawn_siblings, repeats=True),
        laws=small("1/4 3/4, 3/4 1/4", "3/4 1/4"),
        number="H5",
        why=(
            "What a refusal leaves of p is the target of the next sibling, which is an independent draw; an "
            "order that was fixed before the draws knows nothing of them."
        ),
        repair=RIGHT,
        shown=(trees.recursive,),
        nodes=partial(trees.recursive, repeats=True),
    ),
)

LOSSY: tuple[Member, ...] = (
    Member(
        name="ensemble",
        kind="lossy",
        part="coin",
        summary="kept with probability min(1, 1 - w + w p/q), here w = 1/2",
        threads=("huggingface/transformers #45865", "huggingface/transformers #45979", "arXiv 2604.07622"),
        program=relaxed.ensemble,
        drafts=sampled,
        laws=small("1 0, 1 0", "0 1"),
        number="L1",
        why="The kept mass is min(q, (1 - w) q + w p): a share 1 - w of the drafts is kept unseen.",
        repair=RIGHT,
        settings=tuple(Rule(f"w = {w}", partial(relaxed.ensemble, w=w), sampled) for w in QUARTERS),
        shown=(relaxed.ensemble,),
    ),
    Member(
        name="thresholds",
        kind="lossy",
        part="coin",
        summary="a tree: a sibling is taken where coin < c/acc, or where its mass is single, here both 1/2",
        threads=("sgl-project/sglang 0.5.23, `speculative_accept_threshold_single` and `_acc`",),
        program=by_depth(SURE),
        drafts=drafting.top_siblings,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L2",
        why=("A sibling of mass m is taken with probability m/acc in place of m, and always from the mass single on."),
        repair=STRICT,
        settings=tuple(
            Rule(
                f"single = {single}, acc = {acc}",
                by_depth(partial(trees.thresholds, single=single, acc=acc)),
                drafting.top_siblings,
            )
            for single, acc in ((Fraction(1, 2), Fraction(1, 2)), (1, Fraction(1, 2)), (Fraction(1, 2), 1), (1, 1))
        ),
        shown=(trees.thresholds, trees.one_coin),
        nodes=SURE,
    ),
    Member(
        name="typical",
        kind="lossy",
        part="coin",
        summary="kept iff p(x) > min(eps, alpha exp(-entropy)), here .09 and .3; after a refusal the most likely token",
        threads=("vllm-project/vllm #5015", "vllm-project/vllm #5131", "arXiv 2401.10774"),
        program=relaxed.typical,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L3",
        why="There is no coin: a token is always kept or never, and a refusal always emits the same token.",
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
        part="coin",
        summary="kept where u - beta (1 - max p) < p/q, here beta = 1/2",
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
        why=("Each draft is kept with beta (1 - max p) more than its chance, the more the less certain the target is."),
        repair=RIGHT,
        settings=tuple(Rule(f"beta = {b}", partial(relaxed.ears, beta=b), sampled) for b in (Fraction(0), *QUARTERS)),
        shown=(relaxed.ears,),
    ),
    Member(
        name="fly",
        kind="lossy",
        part="coin",
        summary="a refusal is overruled where the target is uncertain and the drafts in a window behind it pass, here one draft",
        threads=("vllm-project/vllm #50808", "vllm-project/vllm #53987", "arXiv 2511.22972"),
        program=relaxed.fly,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0, 1 0", "1 0, 1 0"),
        number="L5",
        why="Where it is overruled, a refused draft is emitted that the residual has already paid for.",
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
        part="coin",
        summary="speculative decoding against p with the drafted token raised by sqrt(2 delta p (1 - p)), here delta = 1/8",
        threads=("arXiv 2604.04987", "graphcore-research/relaxed-spec-dec-repro"),
        program=relaxed.cactus,
        drafts=sampled,
        laws=small("1/2 1/2, 1 0", "1 0"),
        number="L6",
        why="The verifier follows a law in which the drafted token has more mass than in p.",
        repair=RIGHT,
        settings=tuple(
            Rule(f"delta = {delta}", partial(relaxed.cactus, delta=delta), sampled)
            for delta in (Fraction(0), Fraction(1, 32), Fraction(1, 8), Fraction(1, 2))
        ),
        shown=(relaxed.cactus, relaxed.raised),
    ),
)
