"""The pairs that exact mode tries unless it is told others: faults that only some laws show are found at the defaults."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, exact, revealing
from simspec.audit.calling import CallMonitor
from simspec.audit.drafting import drafts_named, fractions_of
from simspec.audit.pairs import for_exact, searched
from simspec.audit.uniforms.cuts import suggested_later
from simspec.audit.uniforms.emitted import emitted
from simspec.audit.uniforms.reported import reads_other_rows, rounds_rows
from simspec.audit.zoo.search import rows
from tests.audit.uniforms import samplers

FEW = {"confirmed": 500, "diagnose": False}
BOTH = Pair("both", np.array([[9, 5, 2], [16, 0, 0]]) / 16, np.array([[8, 3, 5]]) / 16)


def siblings(repeats: bool, one_uniform: bool):
    """A verifier of two siblings and the settings under which it is audited."""
    sampler = partial(samplers.two_siblings, repeats=repeats, one_uniform=one_uniform)
    drawn = drafts_named("repeats:2" if repeats else "siblings:2")
    return sampler, {"gamma": 1, "uniforms": 3, "drawn": drawn} | FEW


def test_one_uniform_for_two_siblings_by_hand() -> None:
    """p = (9, 5, 2)/16, q = (8, 3, 5)/16: token 2 is refused with 0 < p/q < 1, then token 0 may be refused, r/q = 2/3."""
    sampler, _ = siblings(True, True)
    assert emitted(sampler, BOTH, 3, drafts_named("repeats:2")(BOTH.q), confirmed=500).facts.tv * 48 == 1
    sampler, _ = siblings(True, False)
    assert emitted(sampler, BOTH, 3, drafts_named("repeats:2")(BOTH.q), confirmed=500).facts.tv == 0


@pytest.mark.parametrize("vocab", [2, 3, 5])
@pytest.mark.parametrize("repeats", [True, False])
def test_one_uniform_for_two_siblings_is_found_at_every_vocabulary(repeats, vocab) -> None:
    shared, settings = siblings(repeats, True)
    assert exact(shared, vocab=vocab, **settings).verdict is Verdict.BIASED
    honest, _ = siblings(repeats, False)
    report = exact(honest, vocab=vocab, **settings)
    assert report.verdict is Verdict.LOSSLESS and report.words().startswith("lossless on each of")


@pytest.mark.parametrize("repeats", [True, False])
def test_two_tokens_can_never_show_it(repeats) -> None:
    """Of two tokens a refusal leaves one alone: with all masses that are multiples of 1/8 the shared uniform is lossless."""
    sampler, settings = siblings(repeats, True)
    laws = [np.array([row]) / 8 for row in rows(2, 8)]
    last = np.array([[0.5, 0.5]])
    for p in laws[1:-1:2]:
        for q in laws[1:-1:2]:
            pair = Pair("two tokens", np.concatenate([p, last]), q)
            assert emitted(sampler, pair, 3, settings["drawn"](q), confirmed=100).facts.tv == 0


@pytest.mark.parametrize("sampler", [samplers.rounded_drafts, samplers.rounded_targets])
def test_rounded_rows_are_found_and_named(sampler) -> None:
    """On the pairs of multiples of 2^-8 rounding to bfloat16 changes nothing; the searched pairs show it."""
    old = [pair for pair in revealing() if pair.name != "masses finer than bfloat16"]
    assert exact(sampler, pairs=old, **FEW).verdict is Verdict.LOSSLESS
    report = exact(sampler)
    which = "draft" if sampler is samplers.rounded_drafts else "target"
    assert (report.verdict, report.diagnosis.part) == (Verdict.BIASED, "numerics")
    assert f"{which} rows rounded to bfloat16" in report.words()


def test_an_honest_sampler_rounds_nothing() -> None:
    """Of 32,768 calls on each of eight pairs dozens differ where rows are rounded; that none does has a chance below 1e-6."""
    assert rounds_rows(samplers.speculative, searched(2), lambda pair: 2 * pair.gamma + 1) == ""
    assert rounds_rows(samplers.rounded_drafts, [], lambda pair: 5) == ""


def test_another_draft_law_is_found_and_named() -> None:
    report = exact(samplers.turned_drafts, confirmed=500)
    assert (report.verdict, report.diagnosis.part) == (Verdict.BIASED, "reported/sampled")
    assert (report.diagnosis.nearest, report.diagnosis.fits) == ("permuted_report", True)
    line = reads_other_rows(samplers.turned_drafts, for_exact(2, 3), lambda pair: 2 * pair.gamma + 1, CallMonitor())
    assert "lossless if drafts come from the draft rows in reverse order" in line
    other = exact(samplers.fresh, confirmed=500)  # reads the right rows
    assert "lossless if drafts come from" not in other.words()


def from_smoothed_laws(q):
    """Drafts from the draft law mixed with the uniform law."""
    return 0.75 * q + 0.25 / q.shape[-1]


@pytest.mark.parametrize("sampler", [samplers.speculative, samplers.fresh])
def test_drafts_from_another_law_than_the_reported_one_are_the_cause_where_the_reported_one_is_right(sampler) -> None:
    report = exact(sampler, vocab=4, gamma=1, drawn=from_smoothed_laws, confirmed=500)
    assert (report.verdict, report.diagnosis.fits) == (Verdict.BIASED, False)
    is_right = sampler is samplers.speculative
    assert report.diagnosis.part == "reported/sampled" or not is_right
    assert ("lossless if drafts come from the reported probabilities" in report.words()) == is_right


def test_a_small_bias_is_looked_at_with_more_calls() -> None:
    """With 200 random calls a cell of mass 73/32768 is overlooked, and an honest sampler seems biased by that much."""
    sampler, settings = siblings(True, False)
    pairs = [pair for pair in searched(1) if pair.name == "searched 3"]
    few = emitted(sampler, pairs[0], 3, settings["drawn"](pairs[0].q), confirmed=200)
    assert few.facts.tv == Fraction(73, 32768) < few.unseen
    assert exact(sampler, pairs=pairs, **settings | {"confirmed": 200}).verdict is Verdict.LOSSLESS


def test_which_pairs_are_tried() -> None:
    pairs = for_exact(2, 3)
    assert [pair.name for pair in pairs[: len(revealing(2, 3))]] == [pair.name for pair in revealing(2, 3)]
    assert {(pair.gamma, pair.vocab) for pair in searched(2)} == {(2, 3), (1, 5)}
    assert {pair.gamma for pair in searched(4)} == {4, 1} and {pair.gamma for pair in searched(1)} == {1}
    sizes = {(pair.gamma, pair.vocab) for pair in for_exact(1, 2, edges=False)}
    assert sizes == {(1, 2)}


def test_searched_pairs_are_fine_for_both_laws_and_held_by_single_precision() -> None:
    for pair in searched(2):
        for laws in (pair.p, pair.q):
            assert (laws.sum(axis=1) == 1).all() and (laws.astype(np.float32) == laws).all()
    for which in ("p", "q"):
        laws = [getattr(pair, which) for pair in searched(2)]
        for narrow in (samplers.bfloat16, lambda rows: rows.astype(np.float16)):
            assert all((narrow(rows) != rows).any() for rows in laws)


def test_single_precision_is_no_bias_on_searched_pairs() -> None:
    for pair in searched(2):
        found = emitted(samplers.single, pair, confirmed=200)
        assert (found.facts.tv, found.width) == (0, 0)


@pytest.mark.parametrize("repeats", [True, False])
def test_cuts_of_later_siblings_are_recognised(repeats) -> None:
    sampler, settings = siblings(repeats, False)
    for pair in searched(1):
        found = emitted(sampler, pair, 3, settings["drawn"](pair.q))  # a cell has the mass 73/32768
        assert (found.facts.tv, found.width) == (0, 0)
        places = suggested_later(fractions_of(pair.p), fractions_of(pair.q), 2)
        assert places == sorted(set(places)) and suggested_later(fractions_of(pair.p), fractions_of(pair.q), 1) == []
