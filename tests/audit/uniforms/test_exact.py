"""Exact mode: laws by hand, the zoo's own laws, single precision, faults of form, and what it may not overlook."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, audit, exact, revealing
from simspec.audit.drafting import drafts_named
from simspec.audit.pairs import for_exact
from simspec.audit.uniforms.emitted import CONFIRMED, emitted
from simspec.audit.uniforms.exact_law import ATTEMPTS, GLANCE
from simspec.audit.zoo import MEMBERS, exact_facts
from simspec.laws import exact as fractions
from simspec.methods.verifier.chance import UniformChance
from tests.audit.uniforms import samplers

HALF = Pair("by hand", np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.75, 0.25]]))


def small(sampler, pair, **settings):
    return emitted(sampler, pair, confirmed=2000, **settings)


def test_speculative_decoding_by_hand() -> None:
    """Draft 0 is kept with probability 1/3, draft 1 always."""
    found = small(samplers.speculative, HALF)
    assert (found.facts.tv, found.facts.acceptance, found.width, found.rounding) == (0, Fraction(1, 2), 0, 0)
    assert found.ends == {
        (0, 0): Fraction(1, 8),
        (0, 1): Fraction(1, 8),
        (1, 0): Fraction(1, 8),
        (1, 1): Fraction(1, 8),
        (1,): Fraction(1, 2),
    }
    assert (found.cells, found.cuts) == (5, 2)


def test_a_wrong_residual_by_hand() -> None:
    """After a refusal (probability 1/2) token 0 with probability 1/4: TV 1/8."""
    found = small(samplers.fresh, HALF)
    assert found.facts.tv == Fraction(1, 8)
    assert found.ends[0,] == Fraction(1, 8)


def test_where_the_drafts_come_from() -> None:
    """Draft 0 always, told (3/4, 1/4): kept with probability 1/3, else token 1."""
    found = small(samplers.speculative, HALF, drawn=np.array([[1.0, 0.0]]))
    assert found.facts.tv == Fraction(1, 12)


@pytest.mark.parametrize("pair", revealing(2, 3), ids=lambda pair: pair.name)
def test_single_precision_is_told_apart_from_a_bias(pair) -> None:
    found = small(samplers.single, pair)
    assert (found.facts.tv, found.width) == (0, 0)
    assert found.rounding < 2**-21


def test_three_drafts_of_four_tokens() -> None:
    assert small(samplers.speculative, revealing(3, 4)[0]).facts.tv == 0
    assert small(samplers.shared, revealing(3, 4)[0]).facts.tv > Fraction(1, 16)


def from_program(member):
    """A member of the zoo with its uniforms in the order in which it asks for them."""

    def sampler(p, q, drafts, uniforms):
        tokens = np.full((len(uniforms), len(p)), -1)
        for row, x, u in zip(tokens, drafts.tolist(), uniforms.tolist(), strict=True):
            chance = UniformChance(iter(u).__next__)
            emitted_, _ = member.program(p.tolist(), q.tolist(), tuple(x), chance)
            row[: len(emitted_)] = emitted_
        return tokens

    return sampler


@pytest.mark.parametrize(
    "name", ["match_or_fresh", "block_reference", "block_first_failure_stop", "draft_probs_dropped", "ears"]
)
def test_the_law_found_in_code_is_the_law_of_the_program(name) -> None:
    pair = revealing(2, 2)[0]
    found = emitted(from_program(MEMBERS[name]), pair, 5, confirmed=500)
    right = exact_facts(MEMBERS[name], fractions(pair.p), fractions(pair.q))
    assert found.facts.law == right.law
    assert (found.facts.lengths, found.width) == (right.lengths, 0)


def test_rounding_of_laws_that_are_no_fractions_is_no_bias() -> None:
    """Block verification, which is honest, on sevenths, thirds and sixths as floats: its TV is below 2^-50, but not 0."""
    p = np.array([[2 / 7, 5 / 7], [1 / 3, 2 / 3], [5 / 6, 1 / 6]])
    pair = Pair("no fractions", p, np.array([[1.0, 0.0], [1.0, 0.0]]))
    report = exact(from_program(MEMBERS["block_reference"]), pairs=[pair], uniforms=5, confirmed=200, diagnose=False)
    assert 0 < report.shown.emitted.facts.tv < 2**-50
    assert (report.verdict, report.shown.tv[0]) == (Verdict.LOSSLESS, 0)


def test_a_cut_that_is_no_fraction_is_an_interval() -> None:
    """A uniform is compared with the square root of 1/2: TV is that less 1/2."""

    def root(p, q, drafts, uniforms):
        return (uniforms[:, :1] >= 0.5**0.5).astype(int)

    found = small(root, Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2))))
    low, high = found.tv
    assert 0 < found.width < 1e-12
    assert low <= 0.5**0.5 - 0.5 <= high


def test_what_is_no_box_is_an_interval_that_holds_the_truth() -> None:
    pair = Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2)))

    def mean(p, q, drafts, uniforms):
        return (uniforms[:, :1] + uniforms[:, 1:] >= 0.5).astype(int)

    found = emitted(mean, pair, 2, confirmed=1000)
    low, high = found.tv
    assert found.width > 0 and low <= 0.5 - 0.125 <= high
    assert low > 0.1 and high < 0.6


def test_what_is_narrow_is_found_or_bounded() -> None:
    """A cell of 1/1000 at no place that the laws suggest: the random calls find it, or bound it."""

    def narrow(p, q, drafts, uniforms):
        return ((uniforms[:, :1] >= 0.5) ^ (abs(uniforms[:, :1] - 0.7177) < 5e-4)).astype(int)

    pair = Pair("", np.array([[0.5, 0.5]]), np.zeros((0, 2)))
    assert emitted(narrow, pair).tv[0] == pytest.approx(1e-3, abs=1e-9)
    few = emitted(narrow, pair, confirmed=20)
    assert few.tv[0] > 9e-4 or few.unseen > 1e-3


def test_a_window_that_no_probe_meets_is_in_the_verdict() -> None:
    """A sampler that emits token 0 while its first coin lies in a window of 1e-6: lossless up to what is overlooked."""

    def window(p, q, drafts, uniforms):
        tokens = samplers.speculative(p, q, drafts, uniforms)
        return np.where((np.abs(uniforms[:, :1] - 0.4321) < 5e-7) & (tokens >= 0), 0, tokens)

    report = exact(window, pairs=revealing(1, 2)[:2], confirmed=2000)
    assert report.verdict is Verdict.LOSSLESS and report.overlooked > 1e-6
    assert f"of total probability below {report.overlooked:.1e}" in report.words().splitlines()[0]


@pytest.mark.parametrize(
    ("sampler", "words"),
    [(samplers.unseeded, "called again with the same"), (samplers.by_place, "in another order")],
)
def test_what_depends_on_more_than_draft_and_uniforms_is_broken(sampler, words) -> None:
    report = exact(sampler, pairs=[revealing(2, 3)[0]])
    assert (report.verdict, report.exit_status) == (Verdict.BROKEN, 1)
    assert words in report.words()


def test_verdicts() -> None:
    report = exact(samplers.speculative, 1, vocab=2)
    assert (report.verdict, report.exit_status) == (Verdict.LOSSLESS, 0)
    assert report.words().startswith("lossless on each of")
    assert [finding.pair.name for finding in report.tried] == [pair.name for pair in for_exact(1, 2)]
    first_line = report.words().splitlines()[0]
    assert (
        "except for regions of uniforms between its probes, of total probability below 2.8e-04 (risk 1e-6), "
        in first_line
    )
    document = report.plain()
    assert document["overlooked_probability_below"] == report.overlooked == max(f.emitted.unseen for f in report.tried)
    assert (document["verdict"], document["overlooked_risk"]) == ("lossless", 1e-6)
    assert document["verdict_in_words"] == first_line and f"below {report.overlooked:.1e} (risk 1e-6)" in first_line
    report = exact(samplers.fresh, 1, vocab=2, diagnose=False)
    assert report.verdict is Verdict.BIASED and report.first.emitted.facts.tv == Fraction(1, 8)
    assert report.shown.pair.p[0].tolist() == [0.5, 0.5] and report.shown.emitted.facts.tv == Fraction(1, 4)
    assert "biased by TV 1/8 on the pair" in report.words()
    assert report.plain()["shown"]["exact_tv"] == "1/4" and report.plain()["first"]["law"][0] == [
        [0, 0],
        "9/32",
        "3/16",
    ]
    pairs = revealing(1, 2)[:3]
    assert exact(samplers.fresh, pairs=pairs, max_tv=0.3, tv_limit=0.3, diagnose=False).verdict is Verdict.LOSSY
    declared = exact(samplers.fresh, pairs=pairs, max_tv=0.3, tv_limit=0.3, diagnose=False, confirmed=500)
    assert "regions of uniforms between its probes, of total probability below" in declared.words().splitlines()[0]
    assert exact(samplers.fresh, pairs=pairs, max_tv=0.1, diagnose=False).verdict is Verdict.BIASED


def test_a_closed_test_shows_at_the_ends_of_the_uniforms() -> None:
    pairs = revealing(1, 2)[:5]
    report = exact(samplers.closed, pairs=pairs)
    assert (report.verdict, report.diagnosis.part) == (Verdict.BIASED, "numerics")
    assert report.shown.emitted.facts.tv == 0 and "if uniforms are exactly 0" in report.words()
    declared = exact(samplers.closed, pairs=pairs, max_tv=1e-6)
    assert (declared.verdict, declared.exit_status) == (Verdict.LOSSY, 0)
    assert "lossy as declared: TV at most 2^-24" in declared.words()
    assert (
        "the declared TV is 1e-06; on the pair" in declared.words() and "if uniforms are exactly 0" in declared.words()
    )
    assert exact(samplers.closed, pairs=pairs, max_tv=1e-8, diagnose=False).verdict is Verdict.BIASED
    assert audit_of(samplers.closed).verdict is not Verdict.BIASED


def audit_of(sampler):
    """The same as a black box, which cannot see it."""

    def box(p, q, n, rng):
        drafts = np.stack([rng.choice(p.shape[1], size=n, p=row) for row in q], axis=1)
        return sampler(p, q, drafts, rng.random((n, len(p))))

    return audit(box, pairs=revealing(1, 2)[:3], calls=2000, diagnose=False)


def test_cause_and_price() -> None:
    report = exact(samplers.zero, pairs=revealing(2, 2)[:5])
    assert (report.diagnosis.part, report.diagnosis.nearest, report.diagnosis.fits) == ("uniforms", "zero_coin", True)
    assert float(report.price.as_is.acceptance) == 1 and report.price.as_is.within == 0
    assert report.price.as_is.speedup > report.price.repaired.speedup == report.price.speculative.speedup
    report = exact(samplers.shared, pairs=revealing(2, 3)[:1])
    assert report.diagnosis.part == "uniforms" and not report.diagnosis.fits
    assert report.diagnosis.lines[0].startswith("uniform 0 decides whether drafts are accepted")


def ragged(p, q, drafts, uniforms, bonus=False):
    """Rows are as long as their drafts."""
    tokens = np.full((len(drafts), len(p)), -1)
    lengths = (drafts >= 0).sum(axis=1)
    for n in np.unique(lengths):
        same = lengths == n
        own = np.concatenate([uniforms[same][:, :n], uniforms[same][:, -1:]], axis=1)
        rows = np.concatenate([p[:n], p[-1:]]) if bonus else p[: n + 1]
        tokens[same, : n + 1] = samplers.speculative(rows, q[:n], drafts[same][:, :n], own)
    return tokens


def last_row(p, q, drafts, uniforms):
    """The bonus always comes from the last row, not from the one after the last draft."""
    return ragged(p, q, drafts, uniforms, bonus=True)


def test_rows_of_different_lengths() -> None:
    pairs = revealing(2, 2)[:2]
    assert exact(ragged, pairs=pairs, ragged=True, diagnose=False).verdict is Verdict.LOSSLESS
    assert exact(last_row, pairs=pairs, diagnose=False).verdict is Verdict.LOSSLESS
    report = exact(last_row, pairs=pairs, ragged=True)
    assert report.verdict is Verdict.BIASED
    assert report.shown.pair.name == "uneven, rows of unequal length"


def test_a_shorter_row_has_the_uniforms_of_its_batch() -> None:
    """The last token comes from the uniform behind the tests of the longest row, whose number a shorter row does not change."""
    pairs = [pair for pair in revealing(2, 2) if pair.name in ("uneven", "one draft")]
    asked = {"pairs": pairs, "ragged": True, "diagnose": False, "confirmed": 1000}
    assert exact(samplers.ragged_batch, **asked).verdict is Verdict.LOSSLESS
    wrong = exact(partial(samplers.ragged_batch, bonus_row=True), **asked)
    assert (wrong.verdict, wrong.shown.pair.name) == (Verdict.BIASED, "uneven, rows of unequal length")


def test_a_row_without_siblings_stands_among_others() -> None:
    pairs, drawn = revealing(1, 3, edges=False)[:2], drafts_named("siblings:2")
    asked = {"pairs": pairs, "uniforms": 3, "drawn": drawn, "ragged": True, "diagnose": False, "confirmed": 1000}
    assert exact(samplers.ragged_siblings, **asked).verdict is Verdict.LOSSLESS
    wrong = exact(samplers.two_siblings, **asked)  # takes the padding for the last token
    assert wrong.exit_status == 1 and "unequal length" in wrong.shown.pair.name


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs: none"):
        exact(samplers.speculative, pairs=[])
    with pytest.raises(ValueError, match="tv_limit: 2"):
        exact(samplers.speculative, tv_limit=2)
    with pytest.raises(ValueError, match="max_tv: 1"):
        exact(samplers.speculative, max_tv=1)
    for uniforms in (-1, 1.5):
        with pytest.raises(ValueError, match=f"uniforms: {uniforms}"):
            exact(samplers.speculative, uniforms=uniforms)
    with pytest.raises(ValueError, match="grid: 33"):
        exact(samplers.speculative, grid=33)
    with pytest.raises(TypeError, match="speed: unknown"):
        exact(samplers.speculative, speed=1)


def test_smaller_pairs_take_few_random_calls_and_the_last_is_confirmed_with_all() -> None:
    """Each smaller pair is glanced at; the bound on overlooked cells of the one shown is that of all random calls."""
    report = exact(samplers.fresh, gamma=2, vocab=3, diagnose=False)
    assert report.verdict is Verdict.BIASED
    assert report.shown.pair.gamma == 1
    assert report.shown.emitted.unseen == report.first.emitted.unseen
    alone = emitted(samplers.fresh, report.shown.pair)
    assert report.shown.emitted.facts.tv == alone.facts.tv
    assert report.calls < report.caught + alone.calls + ATTEMPTS * (alone.calls - CONFIRMED + 2 * GLANCE)
