"""The rule that mends a verifier for the drafts that it gets, by hand and against the rules of the papers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, audit, exact, revealing
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.adapters.ours import adapted_rule, programs
from simspec.audit.diagnosis.known_laws import speculative_facts
from simspec.audit.diagnosis.repair import are_same_drafts, repair_of_drafts, rule_of_drafts
from simspec.audit.drafting import Drafts, drafts_named, drafts_of, fractions_of
from simspec.audit.levels import model_of
from simspec.audit.reference import speculative
from simspec.methods.verifier.verifier import facts, outcomes
from tests.audit.uniforms import samplers

HAND = Pair("by hand", np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.75, 0.25]]))
THREE = Pair("of three", np.array([[9, 5, 2], [4, 4, 8]]) / 16, np.array([[8, 3, 5]]) / 16)


@pytest.mark.parametrize(
    ("drafts", "acceptance"),
    [
        ("repeats:1", "1/2"),  # min(1/4, 3/4) + min(3/4, 1/4)
        ("repeats:2", "5/8"),  # and after a refusal token 1 is needed, which the second draft is with 1/4
        ("repeats:3", "23/32"),  # and a third: 5/8 + 3/8 * 1/4
        ("siblings:2", "1"),  # both tokens are drafted
        ("top:1", "1/4"),  # token 0, kept as often as the target says it
        ("top:2", "1"),
    ],
)
def test_acceptance_by_hand(drafts, acceptance) -> None:
    repair = repair_of_drafts(HAND, drafts_named(drafts)(HAND.q))
    assert (str(repair.acceptance), repair.tv) == (acceptance, 0)
    assert repair.length == 1 + repair.acceptance


def test_two_drafts_of_three_tokens_by_hand() -> None:
    """13/16, then of the other 3/16 min(1/3, 8/16) + min(2/3, 3/16) = 25/48."""
    repair = repair_of_drafts(THREE, drafts_named("repeats:2")(THREE.q))
    assert repair.acceptance == Fraction(13, 16) + Fraction(3, 16) * Fraction(25, 48)


def test_it_is_speculative_decoding_on_one_path() -> None:
    for pair in revealing(2, 3):
        if pair.gamma:
            drafts = drafts_of(fractions_of(pair.q))
            repair = repair_of_drafts(pair, drafts)
            assert repair.tv == 0 and rule_of_drafts(pair, drafts) == "speculative decoding"
            assert [float(x) for x in repair.lengths] == pytest.approx([*map(float, speculative_facts(pair).lengths)])


@pytest.mark.parametrize(("rule", "drafts"), [("rrs:2", "repeats:2"), ("rrsw:2", "siblings:2"), ("certain:2", "top:2")])
def test_it_is_the_rule_of_the_papers(rule, drafts) -> None:
    """Recursive rejection with and without repeats, and EAGLE's test of sure drafts; two drafts of three tokens."""
    drafting, verifier, _ = programs()[rule.partition(":")[0]].make(2)
    target, draft = model_of(fractions_of(THREE.p)), model_of(fractions_of(THREE.q))
    paper = facts(outcomes(verifier, target, draft, 1, drafting), target, 1)
    assert paper.tv == 0
    assert repair_of_drafts(THREE, drafts_named(drafts)(THREE.q)).acceptance == paper.acceptance


@pytest.mark.parametrize("drafts", ["repeats:2", "siblings:2", "top:2", "siblings:3"])
def test_trees_are_mended_on_all_laws(drafts) -> None:
    for pair in revealing(2, 2 if drafts.startswith("repeats") else 3, prefixes=True):
        if pair.gamma:
            assert repair_of_drafts(pair, drafts_named(drafts)(pair.q)).tv == 0


def test_drafts_that_end_early_and_paths_that_depend_on_each_other() -> None:
    """A draft is dropped where it is token 0; two paths that are the same path, or each other's reverse."""
    some, half = np.array([[[0, -1]], [[1, 0]], [[-1, -1]]]), Fraction(1, 2)
    pair = Pair("two drafts", np.array([[1, 3], [2, 2], [3, 1]]) / 4, np.array([[3, 1], [2, 2]]) / 4)
    assert repair_of_drafts(pair, Drafts(some, [half / 2, half, half / 2])).tv == 0
    twice = np.array([[[0, 1], [0, 1]], [[1, 1], [0, 0]]])
    assert repair_of_drafts(pair, Drafts(twice, [half, half])).tv == 0
    assert rule_of_drafts(pair, Drafts(twice, [half, half])) == "recursive rejection with 2 paths"


def test_drafts_are_compared_as_laws() -> None:
    siblings, repeats = (drafts_named(name)(HAND.q) for name in ("siblings:2", "repeats:2"))
    assert are_same_drafts(siblings, siblings) and not are_same_drafts(siblings, repeats)
    assert not are_same_drafts(siblings, drafts_of(fractions_of(HAND.q)))


def test_two_drafts_are_priced_against_a_rule_of_two_drafts() -> None:
    """Takes the second draft wherever the first is refused: 1, where the rule of two drafts keeps 5/8."""

    def second(p, q, drafts, uniforms):
        first, other = drafts[:, 0, 0], drafts[:, 1, 0]
        taken = np.where(uniforms[:, 0] * q[0, first] < p[0, first], first, other)
        return np.stack([taken, (uniforms[:, 1] >= p[1, 0]).astype(int)], axis=1)

    report = exact(second, gamma=1, pairs=[HAND], uniforms=2, drawn=drafts_named("repeats:2"), confirmed=500)
    assert report.verdict is Verdict.BIASED
    assert (report.price.as_is.acceptance, report.price.repaired.acceptance) == (1, Fraction(5, 8))
    assert report.price.mended == "recursive rejection with at most 2 drafts per node"
    assert float(report.price.speculative.acceptance) == 0.5


def test_a_fault_at_the_ends_of_uniforms_is_priced_by_its_own_drafts() -> None:
    """Drafts from q, a closed test: its repair drafts from q too, and not the most likely token as the zoo's member does."""

    pair = Pair("by hand", np.array([[0, 1], [1, 0]]) / 1, np.array([[1, 1]]) / 2)
    report = exact(samplers.closed, gamma=1, pairs=[pair], confirmed=500)
    assert report.diagnosis.nearest == "closed_coin" and "exactly 0" in report.first.fault
    assert (report.price.mended, report.price.repaired.acceptance) == ("speculative decoding", 0.5)


def test_two_ways_to_recover_are_priced_by_hand() -> None:
    """Half of the drafts are kept at each of two positions: 1 + 1/2 + 1/4 tokens in the time 1.1."""
    pair = next(pair for pair in revealing(2, 3) if pair.name == "two ways to recover")
    report = exact(samplers.closed, gamma=2, pairs=[pair], confirmed=500)
    assert report.verdict is Verdict.BIASED and report.price.pair.name == pair.name
    assert [float(x) for x in report.price.repaired[:3]] == pytest.approx([0.5, 1.75, 1.75 / 1.1])
    assert report.price.mended == "speculative decoding"


def test_drafts_of_a_black_box_are_priced_where_they_are_known() -> None:
    """Takes the second of two drafts wherever the first is refused.  Unknown drafts are taken for one path."""

    def second(p, q, n, rng):
        first, other = (rng.random((2, n)) >= q[0, 0]).astype(int)
        kept = np.where(rng.random(n) * q[0, first] < p[0, first], first, other)
        return np.stack([kept, (rng.random(n) >= p[1, 0]).astype(int)], axis=1)

    known = audit(second, pairs=[HAND], calls=2000, drawn=drafts_named("repeats:2"))
    assert known.verdict is Verdict.BIASED and known.price.repaired.acceptance == Fraction(5, 8)
    assert known.price.mended == "recursive rejection with at most 2 drafts per node"
    unknown = audit(second, pairs=[HAND], calls=2000)
    assert (unknown.price.mended, unknown.price.repaired.acceptance) == ("speculative decoding", 0.5)
    assert audit(speculative, pairs=[HAND], calls=500, drawn=drafts_named("repeats:2")).price.repaired is None


def test_a_rule_of_this_package_is_priced_by_its_own_drafts() -> None:
    """Two independent drafts of three tokens, as a black box: 13/16 + 3/16 * 25/48 are kept by the rule that mends it."""
    subject = Subject("two", None, adapted_rule("target-only-iid:2"), {})
    report = judge(subject, Asked(pairs=[THREE], calls=4000))
    assert report.verdict is Verdict.BIASED
    assert report.price.repaired.acceptance == Fraction(13, 16) + Fraction(3, 16) * Fraction(25, 48)
