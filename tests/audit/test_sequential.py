"""The audit of a black box: honest, biased, broken and undecided samplers."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.fault_list import HELD_OUT
from simspec.audit import Pair, Verdict, assert_lossless, audit, exact, revealing
from simspec.audit.calling import Broken, called, completed, ended
from simspec.audit.diagnosis.observations import probes
from simspec.audit.reference import speculative
from simspec.audit.zoo import MEMBERS, black_box
from tests.audit import samplers

PROBED = {(pair.p.tobytes(), pair.q.tobytes()) for pair in probes()}


def test_the_reference_is_lossless() -> None:
    """False alarm 1e-6; a million calls on one pair."""
    report = audit(speculative, calls=10**6, pairs=revealing()[:1], tv_limit=0.01)
    assert report.verdict is Verdict.LOSSLESS
    assert report.calls == report.shown.calls == 10**6
    assert report.shown.tv[0] == 0 and report.shown.tv[1] < 0.01


def test_the_reference_is_lossless_on_all_laws() -> None:
    report = audit(speculative, gamma=3, vocab=2, calls=4000, tv_limit=0.1)
    assert report.verdict is Verdict.LOSSLESS
    assert len(report.tried) == len(revealing(3, 2))


def test_too_few_calls_decide_nothing() -> None:
    report = audit(speculative, calls=500)
    assert report.verdict is Verdict.UNDECIDED
    assert "undecided: TV is at most" in report.words()


def test_calls_that_decide_are_computed() -> None:
    """For a lossless sampler, on four drafts too; for one as lossy as it is seen to be; none where too much is declared."""
    pairs = revealing(4, 3)[:2]
    report = audit(speculative, pairs=pairs, calls=1000, diagnose=False)
    assert report.verdict is Verdict.UNDECIDED and 50_000 < report.needed < 300_000
    assert f"`--calls {report.needed}`" in report.words() and report.plain()["needed"] == report.needed
    assert audit(speculative, pairs=pairs, calls=report.needed, diagnose=False).verdict is Verdict.LOSSLESS

    def wrong_bonus(p, q, n, rng):
        return speculative(p[[0, 0]], q, n, rng)

    lossy = {"pairs": revealing(1, 2)[:1], "diagnose": False}
    declared = audit(wrong_bonus, calls=1000, max_tv=0.3, **lossy)  # TV 1/4, half of the calls have a bonus
    assert declared.verdict is Verdict.UNDECIDED and declared.needed is not None
    assert audit(wrong_bonus, calls=declared.needed, max_tv=0.3, **lossy).verdict is Verdict.LOSSY
    hopeless = audit(wrong_bonus, calls=1000, max_tv=0.2, **lossy)
    assert hopeless.verdict is Verdict.UNDECIDED and hopeless.needed is None
    assert "a --max-tv larger than 0.2" in hopeless.words()


def test_a_wrong_row_is_biased_and_shrunk() -> None:
    report = audit(samplers.stale_row, calls=20_000)
    assert report.verdict is Verdict.BIASED
    assert (report.shown.pair.gamma, report.shown.pair.vocab) == (1, 2)
    assert not np.array_equal(*report.shown.pair.p)
    exact = np.abs(report.shown.pair.p[0] - report.shown.pair.p[1]).sum() / 2
    low, high = report.first.tv
    assert 0 < low < high and report.caught < report.first.calls == 20_000
    assert report.shown.tv[0] < exact


def test_a_frozen_generator_is_seen() -> None:
    report = audit(samplers.frozen, gamma=1, vocab=2, calls=500)
    assert (report.verdict, report.caught) == (Verdict.BIASED, 500)
    assert "returns the same tokens" in report.words()


def test_a_sampler_without_chance_may_repeat_itself() -> None:
    sure = Pair("sure", np.eye(2), np.eye(2)[1:])
    assert audit(speculative, pairs=[sure], calls=20_000).verdict is Verdict.LOSSLESS


def test_the_same_seed_gives_the_same_report() -> None:
    a, b, c = (audit(samplers.stale_row, calls=2000, seed=seed).plain() for seed in (1, 1, 2))
    assert a == b != c


def test_a_rule_without_chance_is_no_frozen_generator() -> None:
    """The draft is sure and always kept, the bonus sure: TV 1/4 as declared. A frozen generator is none of it."""
    laws = Pair("sure drafts", np.array([[0.75, 0.25], [1.0, 0.0]]), np.array([[1.0, 0.0]]))

    def kept(p, q, n, rng):
        return np.zeros((n, 2), dtype=int)

    declared = audit(kept, pairs=[laws], calls=4000, max_tv=0.4, diagnose=False)
    assert (declared.verdict, declared.shown.fault) == (Verdict.LOSSY, "")
    undeclared = audit(kept, pairs=[laws], calls=500)
    assert undeclared.verdict is Verdict.BIASED and "the same tokens" not in undeclared.words()
    report = audit(samplers.frozen, pairs=[laws], calls=4000, max_tv=0.4, diagnose=False)
    assert report.verdict is Verdict.BIASED and "the same tokens" in report.words()


@pytest.mark.parametrize(
    ("sampler", "words"),
    [
        (samplers.raises, "raises KeyError"),
        (samplers.beyond, "emits token"),
        (samplers.below, "emits token -2"),
        (samplers.another_shape, "returns shape"),
        (samplers.too_many, "expected (250, 1): n calls, gamma + 1 tokens"),
        (samplers.too_few_calls, "returns shape (249, 1)"),
        (samplers.ragged, "expected an array"),
        (samplers.leaves_its_thread, "raises SystemExit"),
        (samplers.changes_q, "changes its input q"),
        (samplers.not_a_number, "returns NaN"),
        (samplers.floats, "returns an array of float64"),
        (samplers.nothing, "returns shape ()"),
        (samplers.empty, "emits no token in call 0"),
        (samplers.changes_p, "changes its input p"),
        (samplers.gap, "emits a token after -1"),
    ],
)
def test_a_broken_sampler_gets_a_verdict(sampler, words) -> None:
    report = audit(sampler, calls=1000)
    assert report.verdict is Verdict.BROKEN
    assert words in report.words()
    assert report.exit_status == 1
    assert report.shown.pair.gamma == (2 if sampler is samplers.gap else 0)
    by_uniforms = exact(lambda p, q, x, u: sampler(p, q, len(u), np.random.default_rng(0)), confirmed=100)
    assert by_uniforms.verdict is Verdict.BROKEN and by_uniforms.shown.pair.gamma == 0


def test_what_breaks_at_the_edges_only_is_told_on_the_smallest() -> None:
    report = audit(samplers.only_two_drafts, calls=1000)
    assert (report.verdict, report.shown.pair.name) == (Verdict.BROKEN, "no draft")
    assert audit(samplers.only_two_drafts, calls=4000, pairs=revealing(edges=False), tv_limit=0.15).exit_status == 0


def test_a_bias_outweighs_what_is_broken_at_the_edges() -> None:
    def both(p, q, n, rng):
        return samplers.only_two_drafts(p, q, n, rng) * 0

    report = audit(both, calls=1000)
    assert (report.verdict, report.shown.pair.gamma) == (Verdict.BIASED, 2)


def test_one_line_for_a_test_file() -> None:
    assert_lossless(speculative, gamma=1, calls=20_000)
    with pytest.raises(AssertionError, match="biased by TV"):
        assert_lossless(samplers.stale_row, gamma=2, calls=2000)
    with pytest.raises(AssertionError, match="undecided"):
        assert_lossless(speculative, gamma=2, calls=250)


def test_texts_are_continued_by_the_target() -> None:
    """False alarm: five sigmas of one share, below 1e-6."""
    p = np.array([[1.0, 0.0], [0.25, 0.75], [0.0, 1.0]])
    ends = ended(np.tile([0, -1, -1], (4000, 1)), 2)
    counts = completed(ends, p, np.random.default_rng(0))
    assert counts[0, :, 1].sum() == counts.sum() == 4000
    assert abs(counts[0, 1, 1] / 4000 - 0.75) < 5 * (0.1875 / 4000) ** 0.5
    kept = ended(np.array([[0, 0, -1], [1, 1, 0]]), 2)
    assert np.argwhere(completed(kept, p, np.random.default_rng(0))).tolist() == [[0, 0, 1], [1, 1, 0]]


def test_a_sampler_cannot_change_the_laws_of_others() -> None:
    pair = revealing()[0]
    before = pair.p.copy()
    with pytest.raises(Broken, match="changes its input p"):
        called(samplers.changes_p, pair.p, pair.q, 3, np.random.default_rng(0))
    assert np.array_equal(before, pair.p)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"calls": 0}, "calls: 0"),
        ({"tv_limit": 0}, "tv_limit: 0"),
        ({"error": 2}, "error: 2"),
        ({"pairs": []}, "pairs: none"),
        ({"gamma": -1}, "gamma: -1"),
        ({"vocab": 1}, "vocab: 1"),
        ({"gamma": 8, "vocab": 52}, "expected at most 65536 texts"),
    ],
)
def test_bad_settings_are_refused(settings, words) -> None:
    with pytest.raises(ValueError, match=words):
        audit(speculative, **settings)


ROW = np.array([[0.5, 0.5]])


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (Pair("x", np.array([[np.nan, 1.0]]), ROW[:0]), "p of the pair “x”: a mass is nan"),
        (Pair("x", np.array([[-0.5, 1.5]]), ROW[:0]), "a mass is -0.5"),
        (Pair("x", np.array([[0.5, 0.25]]), ROW[:0]), "a law sums to 0.75"),
        (Pair("x", ROW, ROW), "q of the pair “x”: 1 laws; expected one fewer than the 1 of p"),
        (Pair("x", np.repeat(ROW, 2, axis=0), np.full((1, 4), 0.25)), "law 0 has the shape .4,.; expected 2 tokens"),
        (Pair("x", [[0.5, 0.5]], []), "expected an array of rows"),
        (Pair("x", (ROW[0], ROW), ROW), r"law 1 has the shape .1, 2.; expected 2 tokens"),
        (Pair("x", np.full((9, 64), 1 / 64), np.full((8, 64), 1 / 64)), "64.9 texts; expected at most 65536"),
        ("uneven", "expected a simspec.audit.Pair"),
    ],
)
def test_laws_that_are_none_are_refused(pair, words) -> None:
    """An honest sampler would be called biased on a law that sums to less than 1."""
    for judge in (audit, exact):
        with pytest.raises(ValueError, match=words):
            judge(speculative, pairs=[pair])


@pytest.mark.parametrize("gamma", [0, 1, 4])
@pytest.mark.parametrize("vocab", [2, 5])
def test_pairs_are_laws_and_differ(gamma, vocab) -> None:
    pairs = revealing(gamma, vocab)
    for pair in pairs:
        assert pair.p.shape == (pair.gamma + 1, pair.vocab) and pair.q.shape == (pair.gamma, pair.vocab)
        for laws in (pair.p, pair.q):
            assert (laws >= 0).all() and (laws.sum(axis=1) == 1).all()
    assert len({(p.p.tobytes(), p.q.tobytes(), p.p.shape) for p in pairs}) == len(pairs)
    assert Pair("", pairs[0].p, pairs[0].q).gamma == gamma


@pytest.mark.parametrize(("name", "is_known"), [("zero_coin", True), ("root of the ratio", False)])
def test_a_fault_that_is_not_known_is_called_more_often(name, is_known) -> None:
    """On each pair at most 4,000 calls for a member of the zoo; up to 20,000 where none has the law."""
    sampler = black_box(MEMBERS[name]) if is_known else next(fault.sampler for fault in HELD_OUT if fault.name == name)
    most = 0
    calls: dict[tuple[bytes, bytes], int] = {}

    def counted(p, q, n, rng):
        nonlocal most
        laws = (p.tobytes(), q.tobytes())
        calls[laws] = calls.get(laws, 0) + n
        most = max(most, calls[laws]) if laws in PROBED else most
        return sampler(p, q, n, rng)

    report = audit(counted, pairs=revealing(1, 3)[:1])
    assert (report.verdict, report.diagnosis.fits) == (Verdict.BIASED, is_known)
    assert most == (4000 if is_known else 20_000)
