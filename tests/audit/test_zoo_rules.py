"""Rules of the zoo one by one: their parameters, trees on laws that depend on the prefix, and what they stand for."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from simspec.audit import drafting
from simspec.audit.zoo import MEMBERS, exact_facts, relaxed, rules, shown_tv, trees, verifier
from simspec.audit.zoo.member import by_depth, rates
from simspec.audit.zoo.search import SIZES, smallest
from simspec.laws import exact
from simspec.methods.verifier import every, facts, outcomes

BIASED = [m for m in MEMBERS.values() if m.kind in ("fault", "lossy")]
SEARCHED = [m for m in BIASED if m.name != "block_token_residual"]
UNEVEN = exact(np.array([[0.25, 0.75], [0.75, 0.25], [0.5, 0.5]])), exact(np.array([[0.75, 0.25], [0.25, 0.75]]))
THREE = (
    exact(np.array([[0.125, 0.25, 0.625], [0.25, 0.625, 0.125], [0.625, 0.125, 0.25]])),
    exact(np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])),
)


@pytest.mark.parametrize("member", SEARCHED, ids=[m.name for m in SEARCHED])
def test_no_smaller_laws_show_it(member) -> None:
    found = smallest(member)
    assert found is not None
    assert found.name == member.laws.name
    assert found.p.tolist() == member.laws.p.tolist() and found.q.tolist() == member.laws.q.tolist()


def test_a_bias_that_needs_three_tokens_and_two_drafts() -> None:
    """With two tokens a positive part has one token, whatever its scale; the whole search takes half a minute."""
    fault = MEMBERS["block_token_residual"]
    rows = np.concatenate([fault.laws.p, fault.laws.q])
    assert (fault.laws.gamma, fault.laws.vocab) == (2, 3)
    assert (4 * rows % 1 == 0).all() and (rows.max(axis=1) < 1).sum() == 3  # quarters; three rows are uncertain
    assert smallest(fault, SIZES[:8]) is None
    assert SIZES[7] == (2, 2, 2)


def with_rule(name: str, program, drafts=None):
    member = MEMBERS[name]
    return member._replace(program=program, drafts=drafts or member.drafts, nodes=None)


@pytest.mark.parametrize("bits", [1, 3, 24])
def test_a_closed_coin_takes_the_impossible_once_in_two_to_the_bits(bits) -> None:
    member = MEMBERS["closed_coin"]
    one = with_rule("closed_coin", by_depth(partial(trees.closed_coin, bits=bits)))
    assert exact_facts(one, exact(member.laws.p), exact(member.laws.q)).tv == Fraction(1, 2**bits)
    mended = with_rule("closed_coin", by_depth(partial(trees.closed_coin, bits=bits, half_open=True)))
    assert exact_facts(mended, exact(member.laws.p), exact(member.laws.q)).tv == 0


def test_a_coin_on_a_grid_moves_each_cut_by_less_than_its_step() -> None:
    """A mass of 1/3 on a grid of quarters: 2 of 4 uniforms are below it or at it, 2 of 4 are below it when half open."""
    p, q = np.array([[Fraction(1, 3), Fraction(2, 3)], [1, 0]]), exact(np.array([[1.0, 0.0]]))
    for half_open in (False, True):
        rule = by_depth(partial(trees.closed_coin, bits=2, half_open=half_open))
        found = exact_facts(with_rule("closed_coin", rule), p, q)
        assert found.acceptance == Fraction(1, 2)
        assert abs(found.acceptance - Fraction(1, 3)) < Fraction(1, 4)


def test_a_coin_on_a_grid_is_what_it_stands_for() -> None:
    """All 8 uniforms of 3 bits, for two siblings with masses 1/4 and 0: counted by hand, closed and half open."""
    masses, siblings = [Fraction(1, 4), Fraction(3, 4), Fraction(0)], (2, 0)
    p = np.array([masses, masses])
    for half_open, first in ((False, [2, *[0] * 2, *[None] * 5]), (True, [*[0] * 2, *[None] * 6])):
        taken = []
        for uniform in (Fraction(m, 8) for m in range(8)):
            upto = np.cumsum([masses[s] for s in siblings])
            below = [
                uniform < c and masses[s] > 0 if half_open else uniform <= c
                for s, c in zip(siblings, upto, strict=True)
            ]
            taken.append(siblings[below.index(True)] if any(below) else None)
        assert taken == first
        rule = partial(trees.closed_coin, bits=3, half_open=half_open)
        ways = every(lambda chance, rule=rule: rule(lambda node: p[len(node)], None, {(): siblings}, chance))
        law: dict[object, Fraction] = {}
        for weight, (tokens, accepted) in ways:
            key = tokens[0] if accepted else None
            law[key] = law.get(key, 0) + weight
        assert law == {key: Fraction(first.count(key), 8) for key in {*first}}


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("ensemble", partial(relaxed.ensemble, w=Fraction(1))),
        ("ears", partial(relaxed.ears, beta=Fraction(0))),
        ("cactus", partial(relaxed.cactus, delta=Fraction(0))),
        ("fly", partial(relaxed.fly, window=2)),
        ("fly", partial(relaxed.fly, theta=2.0)),
        ("thresholds", by_depth(trees.thresholds)),
    ],
)
def test_parameters_at_which_a_lossy_rule_is_lossless(name, program) -> None:
    assert exact_facts(with_rule(name, program), *UNEVEN).tv == 0
    assert exact_facts(MEMBERS[name], *UNEVEN).tv > 0


def test_drafts_cut_at_the_whole_vocabulary_are_drafts() -> None:
    member = MEMBERS["topk_told_raw"]
    assert exact_facts(with_rule(member.name, member.program, partial(rules.top_k, k=3)), *THREE).tv == 0
    assert exact_facts(member, *THREE).tv > 0


def test_typical_acceptance_by_hand() -> None:
    """Entropy ln 2 and alpha exp(-ln 2) = 0.15: eps .09 decides; a token of mass 1/16 is refused, and 0 emitted."""
    p, q = exact(np.array([[0.9375, 0.0625], [0.5, 0.5]])), exact(np.array([[0.0, 1.0]]))
    found = exact_facts(MEMBERS["typical"], p, q)
    assert (found.acceptance, found.law) == (0, {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)})
    loose = with_rule("typical", partial(relaxed.typical, eps=0.05))
    assert exact_facts(loose, p, q).acceptance == 1
    near = with_rule("typical", partial(relaxed.typical, eps=1.0, alpha=0.99))  # 1/2 against 0.99 exp(-entropy)
    even = exact(np.full((2, 2), 0.5))
    assert exact_facts(near, even, even[:1]).acceptance == 1


def test_a_refusal_is_overruled_by_what_follows() -> None:
    """Draft 0, 0 against p = (1/2, 1/2), then (1, 0): refused at first never; draft 1 of mass 1/4 half of the time."""
    p = exact(np.array([[0.75, 0.25], [1.0, 0.0], [1.0, 0.0]]))
    q = exact(np.array([[0.5, 0.5], [1.0, 0.0]]))
    found = exact_facts(MEMBERS["fly"], p, q)
    assert found.acceptance == 1
    later = exact(np.array([[0.5, 0.5], [0.0, 1.0]]))  # the second draft never passes, so nothing is overruled
    assert exact_facts(MEMBERS["fly"], p, later).acceptance == Fraction(3, 4)
    longer = exact(np.array([*p.tolist(), [1, 0]])), exact(np.array([*later.tolist(), [1, 0]]))
    assert exact_facts(MEMBERS["fly"], *longer).acceptance == Fraction(
        3, 4
    )  # a third draft that passes is not looked at


def test_the_laws_before_a_processor() -> None:
    law = exact(np.array([0.5, 0.5, 0.0]))
    raw = np.array(rules.before_min_p(law))
    kept = np.where(raw >= Fraction(1, 4) * raw.max(), raw, 0)
    assert (kept / kept.sum() == law).all() and raw[2] > 0
    biased = np.array(rules.before_bias(law)) * [3, 1, 1]
    assert (biased / biased.sum() == law).all()
    of_bias = with_rule("processor_on_bonus_only", partial(rules.processed_bonus, before=rules.before_bias))
    assert exact_facts(of_bias, *UNEVEN).tv > 0


def test_reused_noise_is_the_race_that_it_stands_for() -> None:
    """200,000 races with exponentials; false alarm: five sigmas for each token. Fresh noise would be r itself: refused."""
    q, r = np.array([0.5, 0.3, 0.1, 0.1]), np.array([0.0, 0.2, 0.3, 0.5])
    noise = np.random.default_rng(0).exponential(size=(200_000, 4))
    noise = noise[(noise / q).argmin(axis=1) == 0]
    second = (noise[:, 1:] / r[1:]).argmin(axis=1) + 1
    shares = np.bincount(second, minlength=4) / len(second)
    sigma = np.sqrt(0.25 / len(second))
    law = np.array(rules.recovery(q, r), dtype=float)
    assert law.sum() == pytest.approx(1)
    assert (abs(shares - law) < 5 * sigma).all()
    assert not (abs(shares - r) < 5 * sigma).all()


def test_a_rate_that_counts_past_the_rejection() -> None:
    """100,000 calls of two independent uniforms; false alarm: five sigmas for each rate, and they are far apart."""
    reported, right = rates(MEMBERS["count_past_rejection"], *UNEVEN)
    assert (reported, right) == (Fraction(1, 2), Fraction(3, 8))
    assert right == exact_facts(MEMBERS["count_past_rejection"], *UNEVEN).accepted / 2
    kept = np.random.default_rng(0).random((100_000, 2)) < 0.5
    assert abs(kept.mean() - float(reported)) < 5 * (0.25 / 100_000) ** 0.5
    assert abs((kept.cumprod(axis=1)).mean() - float(right)) < 5 * (0.25 / 100_000) ** 0.5


# --- trees ----------------------------------------------------------------------------------------------------------

NODES = [(), *((x,) for x in range(3)), *((x, y) for x in range(3) for y in range(3))]
TURN = {node: sum(node) + 2 * len(node) for node in NODES}


def target(node):
    return np.roll(THREE[0][0], TURN[node])


def draft(node):
    return np.roll(THREE[1][0], 2 * TURN[node] + 1)


def of_tree(member, gamma):
    drafting, judge = verifier(member)
    return facts(outcomes(judge, target, draft, gamma, drafting), target, gamma)


@pytest.mark.parametrize("name", ["topk_tree_q1", "rrs_fixed_order"])
def test_honest_trees_are_lossless_on_laws_of_the_prefix(name) -> None:
    gamma = 2 if name == "topk_tree_q1" else 1
    found = of_tree(MEMBERS[name], gamma)
    assert found.tv == 0
    assert 0 < found.acceptance < 1


@pytest.mark.parametrize("name", ["tree_stale_bonus", "tree_sample_per_candidate", "thresholds"])
def test_faults_of_trees_are_biased_on_laws_of_the_prefix_and_mended(name) -> None:
    member = MEMBERS[name]
    assert of_tree(member, 1).tv > 0
    nodes = {
        "tree_stale_bonus": trees.recursive,
        "tree_sample_per_candidate": partial(trees.per_candidate, shared=True),
        "thresholds": trees.thresholds,
    }[name]
    assert of_tree(member._replace(nodes=nodes), 1).tv == 0


def test_shared_draws_of_paths_are_lossless_two_levels_deep() -> None:
    mended = MEMBERS["tree_sample_per_candidate"]._replace(nodes=partial(trees.per_candidate, shared=True))
    assert of_tree(mended, 2).tv == 0


def test_a_second_sibling_is_told_without_the_first() -> None:
    """By hand: token 0 is refused with 3/4; left is (0, 1/3, 2/3), told (0, 1/2, 1/2), so token 1 is kept with 2/3."""
    p, q = exact(np.array([0.125, 0.375, 0.5])), exact(np.array([0.5, 0.25, 0.25]))
    ways = every(lambda c: trees.recursive(lambda node: p, lambda node: q, {(): (0, 1)}, c))
    law: dict[object, Fraction] = {}
    for weight, (tokens, accepted) in ways:
        law[tokens[0], accepted] = law.get((tokens[0], accepted), 0) + weight
    assert law == {(0, 1): Fraction(1, 4), (1, 1): Fraction(1, 2), (2, 0): Fraction(1, 4)}
    pair = np.array([p, p]), np.array([q])
    assert exact_facts(MEMBERS["tree_stale_bonus"].repaired(), *pair).tv == 0
    again = exact(np.array([0.375, 0.5, 0.125])), exact(np.array([0.25, 0.25, 0.5]))
    assert exact_facts(MEMBERS["rrs_fixed_order"], np.array([again[0]] * 2), again[1][None]).tv == 0


def test_siblings_are_drawn_without_or_with_repeats() -> None:
    law = [Fraction(1, 2), Fraction(1, 2), Fraction(0)]
    without = {
        tree[()]: weight for weight, tree in every(lambda c: drafting.drawn_siblings(lambda node: law, 1, c, k=3))
    }
    assert without == {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    again = partial(drafting.drawn_siblings, repeats=True)
    repeats = {tree[()]: weight for weight, tree in every(lambda c: again(lambda node: law, 1, c))}
    assert repeats == {pair: Fraction(1, 4) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))}


def test_nothing_drafted_is_the_target() -> None:
    p, q = UNEVEN[0][:1], UNEVEN[1][:0]
    for member in MEMBERS.values():
        biased = member.name in ("argmax_target", "frozen_seed")
        assert (shown_tv(member, p, q) > 0) == biased


def test_sizes_grow() -> None:
    assert all(a < b for a, b in pairwise(SIZES))
