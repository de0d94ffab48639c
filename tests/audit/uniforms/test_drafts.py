"""Exact mode where several drafts or a tree are verified, and where uniforms are on a grid."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, exact, revealing
from simspec.audit.adapters import Adapted
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.calling import CallMonitor
from simspec.audit.drafting import as_paths, as_tree, drafts_by, drafts_named, fractions_of, given_drafts
from simspec.audit.levels import is_tree, model_of
from simspec.audit.uniforms.cuts import on_grid, suggested_on_grid
from simspec.audit.uniforms.emitted import emitted
from simspec.audit.zoo import MEMBERS, decisions, drawn_by, verifier, with_uniforms
from simspec.methods.verifier import facts, outcomes
from tests.audit.uniforms import samplers

SEVERAL = (
    "tree_stale_bonus",
    "tree_sample_per_candidate",
    "topk_tree_q1",
    "rrs_fixed_order",
    "closed_coin",
    "thresholds",
)
PREFIX = revealing(2, 2, prefixes=True)[0]


def law_of(found):
    return {text: mass for text, mass in found.law.items() if mass}


@pytest.mark.parametrize("name", SEVERAL)
def test_the_law_found_in_the_code_of_a_tree_is_that_of_its_program(name) -> None:
    """On the member's own laws, on three tokens, and on laws that depend on the prefix two levels deep."""
    member = MEMBERS[name]
    deep = revealing(1, 2) if name == "tree_sample_per_candidate" else [PREFIX]  # its uniforms are 12 there
    for pair in (member.laws, revealing(1, 3)[0], deep[0]):
        drafting, judge_ = verifier(member)
        p, q = (model_of(fractions_of(laws)) for laws in (pair.p, pair.q))
        right = facts(outcomes(judge_, p, q, pair.gamma, drafting), p, pair.gamma)
        given = pair, decisions(member, pair), drawn_by(member)(pair.q), CallMonitor(prefixes=is_tree(pair.p))
        found = emitted(with_uniforms(member), *given, confirmed=500)
        assert (law_of(found.facts), found.facts.lengths, found.width) == (law_of(right), right.lengths, 0)
        if pair.vocab == 3 or pair is PREFIX:
            assert (found.facts.tv == 0) == (member.kind == "honest")


def test_many_uniforms_and_several_paths_are_found_or_bounded() -> None:
    """Four paths with draws of their own, 12 uniforms: what 500 random calls do not find is below the bound that they give."""
    member, pair = MEMBERS["tree_sample_per_candidate"], revealing(2, 2)[0]
    found = emitted(with_uniforms(member), pair, 12, drawn_by(member)(pair.q), confirmed=500)
    drafting, judge_ = verifier(member)
    p, q = (model_of(fractions_of(laws)) for laws in (pair.p, pair.q))
    right = facts(outcomes(judge_, p, q, 2, drafting), p, 2)
    assert abs(float(found.facts.tv - right.tv)) <= found.width + found.unseen < 0.03


def test_a_foreign_verifier_of_two_siblings() -> None:
    """Speculative sampling without repeats is lossless; without the residual of the first refusal it is not."""
    drawn, pairs = drafts_named("siblings:2"), revealing(1, 3)[:6]
    settings = {"pairs": pairs, "uniforms": 3, "drawn": drawn, "confirmed": 500}
    assert exact(samplers.two_siblings, **settings, diagnose=False).verdict is Verdict.LOSSLESS
    report = exact(lambda *given: samplers.two_siblings(*given, residual=False), **settings)
    assert report.verdict is Verdict.BIASED and report.price.as_is.acceptance > 0
    assert report.shown.pair.vocab == 2 and report.shown.emitted.facts.tv > 0
    path = emitted(samplers.speculative, pairs[0], confirmed=500)
    assert path.facts.tv == 0  # and paths are drafted as before


@pytest.mark.parametrize("bits", [1, 8, 24])
def test_a_closed_test_on_a_grid_of_uniforms(bits) -> None:
    """The uniform is 0 with probability 2^-bits, and 0 <= 0: exactly that is the TV. The half-open test is lossless."""
    pairs = [Pair("never", np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0]]))]
    settings = {"pairs": pairs, "uniforms": 2, "drawn": drafts_named("top:1"), "grid": bits, "confirmed": 500}
    report = exact(samplers.one_sibling, **settings)
    assert (report.verdict, report.first.emitted.facts.tv) == (Verdict.BIASED, Fraction(1, 2**bits))
    assert (report.diagnosis.part, report.diagnosis.nearest) == ("numerics", "closed_coin")
    assert "which the target never emits, with probability" in report.words()
    assert exact(samplers.one_sibling, **settings, max_tv=0.6, diagnose=False).verdict is Verdict.LOSSY
    mended = exact(lambda *given: samplers.one_sibling(*given, closed=False), **settings, diagnose=False)
    assert mended.verdict is Verdict.LOSSLESS and f"on a grid of 2^-{bits}" in mended.words()


def test_what_the_grid_alone_costs_is_no_bias_and_what_is_more_is_one() -> None:
    """A cut at 1/3 on a grid of 2^-8 is at 86/256: TV 1/384, below the step. A cut at 1/2 in its place is a bias."""
    pair = Pair("third", np.array([[1 / 3, 2 / 3]]), np.zeros((0, 2)))

    def drawn(p, q, drafts, uniforms):
        return (uniforms[:, :1] >= p[0, 0]).astype(int)

    settings = {"pairs": [pair], "uniforms": 1, "grid": 8, "confirmed": 500, "diagnose": False}
    report = exact(drawn, **settings)
    assert report.verdict is Verdict.LOSSLESS
    assert float(report.shown.emitted.facts.tv) == pytest.approx(86 / 256 - 1 / 3, abs=1e-15)
    assert exact(lambda p, q, x, u: drawn(np.array([[0.5, 0.5]]), q, x, u), **settings).verdict is Verdict.BIASED


def test_a_bias_on_a_grid_has_its_own_cause() -> None:
    """A text that the target never says, but half of the time: no matter of the grid."""
    report = exact(samplers.zero, pairs=revealing(2, 2)[:5], grid=8)
    assert (report.verdict, report.diagnosis.nearest) == (Verdict.BIASED, "zero_coin")


def test_trees_and_their_paths() -> None:
    tree = {(): (2, 2), (2,): (0,)}
    paths = as_paths(tree, 2, 2)
    assert paths.tolist() == [[2, 0], [2, -1], [2, 0], [2, -1]] and as_tree(paths) == tree
    assert as_paths({}, 0, 1).shape == (1, 0) and as_tree(np.zeros((1, 0), dtype=int)) == {}
    q = np.array([[0.25, 0.75], [0.5, 0.5]])
    found = drafts_named("repeats:2")(q)
    assert found.tokens.shape[1:] == (4, 2) and sum(found.chances) == 1
    assert given_drafts(q, found) is found and given_drafts(q).tokens.shape == (4, 2)
    twice = drafts_by(lambda draft, gamma: [(Fraction(1, 4), (0,)), (Fraction(3, 4), (0,))], q[:1])
    assert (twice.tokens.tolist(), twice.chances) == ([[0]], [1])
    for bad in ("top", "top:0", "best:2"):
        with pytest.raises(ValueError, match=f"drafts: '{bad}'"):
            drafts_named(bad)


def test_cuts_on_a_grid() -> None:
    assert on_grid(0.5, 1).at == Fraction(1, 2) and on_grid(0.4999, 1).at == 0
    assert suggested_on_grid([], 1) == [Fraction(1, 2)]


def test_a_tree_is_asked_for_by_name() -> None:
    subject = Subject("mine", None, Adapted(samplers.two_siblings, samplers.two_siblings, None, least=1), {})
    asked = Asked(exact=True, pairs=revealing(1, 3)[:2], uniforms=3, drafts="siblings:2", more={"confirmed": 100})
    assert judge(subject, asked).verdict is Verdict.LOSSLESS
