"""Calls of samplers: time limits, exits, what is returned beside the tokens, and laws by prefix."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, audit, exact, revealing
from simspec.audit.calling import Broken, CallMonitor, Stuck, called
from simspec.audit.evidence import log_repeat, log_wealth, text_law
from simspec.audit.levels import along, as_levels, is_tree, rest
from simspec.audit.reference import speculative
from simspec.audit.smaller import smaller
from tests.audit.uniforms import samplers

PAIR = revealing(1, 2)[0]
RNG = np.random.default_rng(0)


@pytest.fixture
def never():
    """A sampler that does not return before the test ends."""
    over = threading.Event()

    def sampler(p, q, n, rng):
        over.wait()
        return speculative(p, q, n, rng)

    yield sampler
    over.set()


def test_a_sampler_that_never_returns_gets_a_verdict(never) -> None:
    report = audit(never, call_timeout=0.2)
    assert (report.verdict, report.exit_status) == (Verdict.BROKEN, 1)
    assert "has not returned after 0.2 seconds" in report.words()
    assert report.shown.pair.gamma == 0
    report = audit(never, pairs=[PAIR], call_timeout=0.05)
    assert "has not returned after 0.05 seconds" in report.words()
    assert exact(lambda p, q, x, u: never(p, q, 1, RNG), pairs=[PAIR], call_timeout=0.05).verdict is Verdict.BROKEN
    with pytest.raises(Stuck):
        called(never, PAIR.p, PAIR.q, 1, RNG, CallMonitor(0.02))


def test_a_pair_on_which_the_sampler_returns_in_time_is_not_blamed() -> None:
    """A call takes more than a tenth of the limit where it returns; it never does with two drafts."""
    over = threading.Event()

    def sampler(p, q, n, rng):
        if len(q) == 2:
            over.wait()
        time.sleep(0.25)
        return speculative(p, q, n, rng)

    pairs = [PAIR, next(pair for pair in revealing(2, 2) if pair.gamma == 2)]
    report = audit(sampler, pairs=pairs, call_timeout=2.0, calls=50)
    over.set()
    assert report.verdict is Verdict.BROKEN and report.shown.pair.gamma == 2
    assert "has not returned after 2 seconds" in report.words()


@pytest.fixture
def slow():
    """A right sampler that takes a hundredth of a second a call, and a biased one."""

    def right(p, q, n, rng):
        time.sleep(0.01)
        return speculative(p, q, n, rng)

    def biased(p, q, n, rng):
        time.sleep(0.01)
        return rng.integers(p.shape[1], size=(n, len(p)))

    return right, biased


def test_an_audit_that_is_cut_off_says_what_was_tried(slow) -> None:
    """The verdict is on what was tried: a bias that was seen stays one, and no bias so far is not lossless."""
    right, biased = slow
    report = audit(right, time_limit=0.3)
    assert (report.verdict, report.exit_status) == (Verdict.UNDECIDED, 3)
    assert report.stopped is not None and 0 < report.stopped[0] <= report.stopped[1]
    assert "the time limit of 0.3 s ended" in report.words() and "--within" in report.words()
    assert report.plain()["stopped"] == [*report.stopped]
    assert audit(biased, time_limit=1.5).verdict is Verdict.BIASED
    assert audit(right, pairs=[PAIR], calls=500, time_limit=60).stopped is None


def test_a_call_that_outlasts_the_audit_is_not_broken(never) -> None:
    report = audit(never, time_limit=0.1)
    assert report.verdict is Verdict.UNDECIDED and report.stopped == (0, len(revealing(2, 3)))
    exact_report = exact(lambda p, q, x, u: never(p, q, 1, RNG), pairs=[PAIR], time_limit=0.1)
    assert exact_report.verdict is Verdict.UNDECIDED and exact_report.stopped == (0, 1)
    assert audit(never, call_timeout=0.05, time_limit=30).verdict is Verdict.BROKEN
    with pytest.raises(ValueError, match="time_limit: 0; expected a positive number of seconds"):
        audit(never, time_limit=0)


def test_exact_mode_keeps_the_bias_that_was_found_in_time() -> None:
    def fresh(p, q, drafts, uniforms):
        time.sleep(0.002)
        kept = uniforms[:, 0] * q[0, drafts[:, 0]] < p[0, drafts[:, 0]]
        first = np.where(kept, drafts[:, 0], (uniforms[:, 1, None] >= p[0].cumsum()).sum(axis=1))
        second = (uniforms[:, 2, None] >= p[1].cumsum()).sum(axis=1)
        return np.stack([first, np.where(kept, second, -1)], axis=1)

    pairs = revealing(1, 2, edges=False)
    report = exact(fresh, gamma=1, vocab=2, pairs=pairs, time_limit=2.0)
    assert report.verdict is Verdict.BIASED and report.stopped is None


def test_a_sampler_that_breaks_after_its_bias_was_seen() -> None:
    calls = []

    def sampler(p, q, n, rng):
        calls.append(n)
        if len(calls) > 3:
            raise MemoryError
        return np.zeros((n, len(p)), dtype=int)

    report = audit(sampler, pairs=[PAIR], calls=10**4)
    assert report.verdict is Verdict.BIASED
    assert "later raises MemoryError" in report.words()


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_sampler_cannot_end_the_audit(error) -> None:
    def leaves(p, q, n, rng):
        raise error

    assert f"raises {error.__name__}" in audit(leaves, pairs=[PAIR]).words()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_a_sampler_ends_makes_no_other_call() -> None:
    def ends(p, q, n, rng):
        raise type("Unheard", (BaseException,), {})

    assert "ends its thread" in audit(ends, pairs=[PAIR]).words()
    assert audit(speculative, pairs=[PAIR], calls=100).verdict is not Verdict.BROKEN


def test_a_thread_of_an_interrupted_audit_ends_with_its_call() -> None:
    over, making = threading.Event(), []

    def waits(p, q, n, rng):
        making.append(threading.current_thread())
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        over.wait()

    def interrupt(*_) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            called(waits, PAIR.p, PAIR.q, 5, RNG)
    finally:
        signal.signal(signal.SIGUSR1, before)
    over.set()
    making[0].join(20)
    assert not making[0].is_alive()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 on, of a fork beside threads
def test_a_sampler_may_call_another_and_have_a_fork_call_one() -> None:
    """One thread makes many calls: not those within a call, nor those of a process that it was not taken into."""

    def within(p, q, n, rng):
        return called(speculative, p, q, n, rng)

    assert len(called(within, PAIR.p, PAIR.q, 5, RNG)) == 5
    child = os.fork()
    if not child:
        os._exit(len(called(speculative, PAIR.p, PAIR.q, 5, RNG, CallMonitor(20))))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5


def with_numbers(logprobs=None, acceptance=None):
    def sampler(p, q, n, rng):
        tokens = speculative(p, q, n, rng)
        with np.errstate(divide="ignore"):
            logs = np.log(p)[np.arange(len(p)), tokens]
        kept = (tokens[:, 1:] >= 0).mean() if len(q) else 0.0
        return {
            "tokens": tokens,
            "logprobs": logs if logprobs is None else logprobs(logs, tokens),
            "acceptance": kept if acceptance is None else acceptance(kept),
        }

    return sampler


def told(sampler):
    return audit(sampler, pairs=[PAIR], calls=4000, tv_limit=0.2, diagnose=False)


def test_laws_and_rates_that_are_returned_are_compared() -> None:
    report = told(with_numbers())
    assert report.verdict is Verdict.LOSSLESS
    assert [note for note in report.notes if "returns" in note and "NaN" not in note] == []
    report = told(with_numbers(logprobs=lambda logs, tokens: logs + 0.01))
    assert report.verdict is Verdict.LOSSLESS and "returns logprob" in report.words()
    assert "logprobs of shape" in told(with_numbers(logprobs=lambda logs, tokens: logs[:, :1])).words()
    assert "returns logprob nan" in told(with_numbers(logprobs=lambda logs, tokens: logs * np.nan)).words()
    assert "returns the acceptance rate" in told(with_numbers(acceptance=lambda kept: kept + 0.1)).words()
    assert "expected one with tokens" in told(lambda p, q, n, rng: {"ids": 0}).words()


def test_numbers_that_are_none_are_noted() -> None:
    for wrong in ("high", [[1], [1, 2]], object()):
        report = told(
            with_numbers(logprobs=lambda logs, tokens, wrong=wrong: wrong, acceptance=lambda kept, wrong=wrong: wrong)
        )
        assert report.verdict is Verdict.LOSSLESS
        assert "returns logprobs that are not numbers" in report.words()
        assert "returns acceptance that are not numbers" in report.words()
    assert "returns the acceptance rate nan" in told(with_numbers(acceptance=lambda kept: [])).words()


def test_logprobs_on_laws_by_prefix_are_compared() -> None:
    pair = revealing(1, 2, prefixes=True)[0]

    def sampler(p, q, n, rng, off=0.0):
        tokens = by_prefix(p, q, n, rng)
        masses = np.take_along_axis(along(p, tokens), np.maximum(tokens, 0)[..., None], axis=2)[..., 0]
        return {"tokens": tokens, "logprobs": np.log(masses) + off}

    settings = {"pairs": [pair], "calls": 4000, "tv_limit": 0.2, "prefixes": True, "diagnose": False}
    assert audit(sampler, **settings).notes == ()
    report = audit(lambda *given: sampler(*given, off=0.5), **settings)
    assert report.verdict is Verdict.LOSSLESS and "returns logprob" in report.words()


def test_the_same_seed_is_asked_twice() -> None:
    own = np.random.default_rng(1)
    report = told(lambda p, q, n, rng: speculative(p, q, n, own))
    assert any("same random numbers again" in note for note in report.notes)
    assert not any("same random numbers again" in note for note in told(speculative).notes)


def test_rows_that_are_no_laws_have_one_right_answer() -> None:
    """An error, for NaN and for no mass, in target and draft: what is accepted is noted, and nothing else."""

    def careful(p, q, n, rng, rows=(0, 1)):
        for laws in [(p, q)[i] for i in rows]:
            if not np.allclose(laws.sum(axis=1), 1):
                raise ValueError("a row is no law")
        return speculative(p, q, n, rng)

    def careful_of_targets(p, q, n, rng):
        return careful(p, q, n, rng, rows=(0,))

    def careless(p, q, n, rng):
        return np.zeros((n, len(p)), dtype=int)

    def accepted(sampler):
        return [note for note in told(sampler).notes if note.startswith("accepts")]

    both = "rows of NaN, {0} rows without mass (logits of -inf)"
    every = f"target {both.format('target')}, draft {both.format('draft')}"
    assert accepted(careful) == []
    assert (
        "accepts draft rows of NaN" in accepted(careful_of_targets)[0]
        and "target" not in accepted(careful_of_targets)[0]
    )
    assert accepted(careless) == [f"accepts {every}, and returns tokens; expected an error"]
    assert "target rows of NaN" in accepted(speculative)[0]


def by_prefix(p, q, n, rng, row=lambda p, i, x: along(p, x)[:, i]):
    """Speculative decoding on laws that depend on the prefix."""
    gamma = len(q)
    x = np.zeros((n, 0), dtype=int)
    for i in range(gamma):
        laws = along(q, np.pad(x, ((0, 0), (0, gamma - i))))[:, i]
        x = np.concatenate([x, (rng.random(n)[:, None] >= laws.cumsum(axis=1)).sum(axis=1)[:, None]], axis=1)
    tokens, alive = np.full((n, gamma + 1), -1), np.ones(n, dtype=bool)
    for i in range(gamma + 1):
        law, kept = row(p, i, x), np.zeros(n, dtype=bool)
        if i < gamma:
            told_ = along(q, x)[:, i]
            own, its = law[np.arange(n), x[:, i]], told_[np.arange(n), x[:, i]]
            kept = alive & (rng.random(n) * its < own)
            tokens[kept, i] = x[kept, i]
            left = np.maximum(law - told_, 0)
            law = np.where(left.any(axis=1, keepdims=True), left, law)
        drawn = (rng.random(n)[:, None] * law.sum(axis=1, keepdims=True) >= law.cumsum(axis=1)).sum(axis=1)
        tokens[alive & ~kept, i] = drawn[alive & ~kept]
        alive = kept
    return tokens


def first_prefix(p, q, n, rng):
    """Looks up every row as if the drafted tokens were 0."""
    return by_prefix(p, q, n, rng, row=lambda p, i, x: along(p, 0 * x)[:, i])


def test_laws_by_prefix() -> None:
    pairs = revealing(2, 2, edges=False, prefixes=True)[:4]
    assert [is_tree(pair.p) for pair in pairs] == [True, True, False, False]
    assert audit(by_prefix, pairs=pairs, calls=4000, tv_limit=0.2, prefixes=True).verdict is Verdict.LOSSLESS
    report = audit(first_prefix, pairs=pairs, calls=4000, tv_limit=0.2, prefixes=True)
    assert (report.verdict, report.first.pair.name) == (Verdict.BIASED, "laws by prefix")
    assert "target p = [(0, 1), {(1, 0), (0, 1)}]\n  draft  q = [(0, 1)]" in report.words()
    assert (report.diagnosis.part, report.price.mended) == ("bookkeeping", "speculative decoding")
    low, high = (report.price.as_is.acceptance + sign * report.price.as_is.within for sign in (-1, 1))
    assert 0 < low < high < 1 and report.price.speculative.length > 1
    assert audit(first_prefix, pairs=pairs[2:], calls=4000, tv_limit=0.2, prefixes=True).verdict is Verdict.LOSSLESS


def test_laws_by_prefix_in_exact_mode() -> None:
    def sampler(p, q, drafts, uniforms, rows=along):
        out = [
            samplers.speculative(rows(p, x[None])[0], along(q, x[None])[0], drafts[same], uniforms[same])
            for x in np.unique(drafts, axis=0)
            for same in [(drafts == x).all(axis=1)]
        ]
        order = np.argsort(np.unique(drafts, axis=0, return_inverse=True)[1].ravel(), kind="stable")
        return np.concatenate(out)[np.argsort(order)]

    pair = revealing(2, 2, prefixes=True)[:1]
    assert exact(sampler, pairs=pair, prefixes=True).first.emitted.facts.tv == 0
    wrong = exact(lambda *given: sampler(*given, rows=lambda p, x: along(p, 0 * x)), pairs=pair, prefixes=True)
    assert wrong.verdict is Verdict.BIASED
    assert wrong.shown.pair.gamma == 1 and wrong.shown.emitted.facts.tv == 1
    assert wrong.price.as_is.within == 0 < wrong.price.speculative.acceptance
    assert wrong.price.repaired == wrong.price.speculative


def test_steps_to_smaller_trees() -> None:
    """Each is a law, and smaller: fewer drafts, fewer tokens, fewer prefixes told apart, or rounder; and they come to an end."""
    pair, steps = revealing(2, 3, prefixes=True)[0], 0
    while pair is not None and steps < 100:
        for one in smaller(pair):
            assert (
                all(np.allclose(level.sum(axis=-1), 1) for level in (*one.p, *one.q)) and len(one.p) == len(one.q) + 1
            )
            assert [level.shape for level in as_levels(one.p)] == [(one.vocab,) * i for i in range(1, len(one.p) + 1)]
        pair, steps = next((one for one in [*smaller(pair)][::-1]), None), steps + 1
    assert pair is None and 5 < steps < 100
    flat = [one for one in smaller(Pair("", as_levels(PAIR.p), as_levels(PAIR.q))) if one.gamma]
    assert flat and not any(is_tree(one.p) for one in flat)


def test_levels_and_rows_say_the_same() -> None:
    rows = PAIR.p
    levels = as_levels(rows)
    assert np.array_equal(text_law(rows), text_law(levels))
    counts = np.array([[30, 10], [5, 5]])
    assert log_wealth(counts, rows) == pytest.approx(float(log_wealth(counts, levels)))
    tokens = np.array([[0, -1], [1, 0]])
    assert log_repeat(tokens, tokens, rows) == log_repeat(tokens, tokens, levels)
    assert np.array_equal(text_law(rest(levels, (1,))), rows[1])
    tree = (np.array([0.25, 0.75]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert text_law(tree).tolist() == [[0.25, 0.0], [0.375, 0.375]]
    assert log_wealth(np.array([[0, 1], [0, 0]]), tree) == np.inf


def test_a_declared_bias() -> None:
    """TV 1/8 by hand on these laws."""

    def fresh(p, q, n, rng):
        drafts = (rng.random((n, 1)) >= q[0, 0]).astype(int)
        return samplers.fresh(p, q, drafts, rng.random((n, 2)))

    def verdict(calls=20_000, **more):
        return audit(fresh, pairs=[PAIR], calls=calls, diagnose=False, **more).verdict

    assert verdict(max_tv=0.2) is Verdict.LOSSY
    assert verdict(max_tv=0.05) is Verdict.BIASED
    assert verdict(max_tv=0.125) is Verdict.UNDECIDED
    assert verdict() is Verdict.BIASED
    assert audit(fresh, pairs=[PAIR], max_tv=0.2).exit_status == 0


def test_the_inputs_of_a_tree_are_watched() -> None:
    def changes(p, q, n, rng):
        p[1][0, 0] += 1
        return np.zeros((n, len(p)), dtype=int)

    with pytest.raises(Broken, match="changes its input p"):
        called(changes, PAIR.p, PAIR.q, 3, RNG, CallMonitor(prefixes=True))


def test_a_sampler_of_another_form_is_told_how_it_was_called() -> None:
    def one_at_a_time(p, q, drafts, rng):
        return [int(x) for x in drafts]

    p = np.array([[0.5, 0.5]])
    with pytest.raises(Broken, match=r"not iterable\"; it was called with \(p, q, n, rng\)$"):
        called(one_at_a_time, p, p[:0], 2, np.random.default_rng(0))


def test_an_audit_leaves_no_thread_behind() -> None:
    """From Python 3.12 on a fork warns of every thread.  Negative control: a single call leaves its thread waiting."""

    def threads() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "audited sampler"]

    pair = revealing(1, 2)[:1]
    called(lambda p, q, n, rng: np.zeros((n, 2), dtype=int), pair[0].p, pair[0].q, 1, np.random.default_rng(0))
    assert threads()
    audit(speculative, pairs=pair, calls=250, diagnose=False)
    assert not threads()
    exact(
        lambda p, q, drafts, uniforms: np.zeros((len(uniforms), 2), dtype=int),
        pairs=pair,
        confirmed=100,
        diagnose=False,
    )
    assert not threads()


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (np.zeros((2, 2)), "returns an array of float64; expected integers"),
        (np.array([[0, np.nan], [0, 1]]), "returns NaN, in an array of float64; expected integers"),
        (np.array([["0", "1"], ["0", "1"]]), "returns an array of <U1; expected integers"),
    ],
)
def test_arrays_of_other_types_than_integers_are_named(tokens, words) -> None:
    with pytest.raises(Broken, match=words):
        called(lambda p, q, n, rng: tokens, np.full((2, 2), 0.5), np.full((1, 2), 0.5), 2, np.random.default_rng(0))
