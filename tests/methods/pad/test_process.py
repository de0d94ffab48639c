"""Decision processes: by hand, against the enumeration of every draft and coin, and at the size of the studies."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods import SD, accepted_length, pad, pivots, speedup, speedup_of_accepted, strict, text_law, tli
from simspec.methods.pad import process as module
from simspec.methods.pad.families import random_automaton
from simspec.methods.pad.prefixes import prefix_process
from simspec.methods.pad.process import Process, ahead, along, check_process, evaluate, values
from tests import strategies as some
from tests.methods.pad.process_cases import HAND, as_float, play, processes

GAMMAS = st.sampled_from([None, 0, 1, 2, 3, 5])
PRINTED = {
    "SD": SD,
    "PAD": lambda t, here, after: pad(pivots(here, after)),
    "strict": lambda t, here, after: strict(pivots(here, after)),
    "drift": lambda t, here, after: pad(after < F(t, 3)),  # a rule that changes with the position
}
RULES = st.sampled_from(list(PRINTED.values()))


def test_values_by_hand() -> None:
    assert values(HAND).tolist() == [[F(1, 2), 1, 0, F(1, 2)], [F(1, 2), 1, 0, F(1, 2)], [0, 1, 0, 0]]
    assert ahead(HAND, values(HAND)[1])[0].tolist() == [1, 0, F(1, 2)]


def test_speculative_decoding_by_hand() -> None:
    """At the first position half of the drafts are rejected, at the second none; the law stays the target's."""
    run = evaluate(HAND, SD)
    assert run.utility == F(1, 2) and run.values.tolist() == values(HAND).tolist()
    assert run.acceptance[:, 0].tolist() == [F(1, 2), F(1, 2)]
    assert run.visits.tolist() == [[1, 0, 0, 0], [0, F(1, 2), F(1, 2), 0]]
    assert (run.share, run.accepted, run.drafts, run.calls) == (F(3, 4), F(3, 2), 2, 2)


def test_blocks_by_hand() -> None:
    """One draft a block, two tokens: half of the first drafts are kept, and the extra token ends the text; otherwise a
    second block drafts the last token, which is accepted."""
    run = evaluate(HAND, SD, gamma=1)
    assert (run.utility, run.calls, run.drafts, run.accepted) == (F(1, 2), F(3, 2), F(3, 2), 1)
    assert (run.share, run.length) == (F(2, 3), F(2, 3))
    assert run.drafting.tolist() == [[1, 0, 0, 0], [0, F(1, 2), 0, 0]]  # kept: token 1, to state 2; replaced: token 0


def test_an_extra_token_of_the_target_dilutes_a_relaxed_rule() -> None:
    """Every draft is useless and kept; with blocks of one draft every second token is the target's."""
    p, q = exact(np.array([[0.5, 0.5]] * 2)), exact(np.array([[0, 1]] * 2))
    process = Process(p, q, np.array([[0, 1], [0, 1]]), exact(np.array([1, 0])), 0, 2)
    keep_all = pad(np.zeros((2, 2), dtype=bool))
    assert evaluate(process, keep_all).utility == 0
    visits = evaluate(process._replace(horizon=3), keep_all, gamma=1).visits
    assert visits.tolist() == [[1, 0], [0, 1], [F(1, 2), F(1, 2)]]  # drafted, then from the target
    assert evaluate(process, keep_all, gamma=1).utility == F(1, 2)
    assert evaluate(process, keep_all, gamma=2).utility == 0  # the block ends with the text: no extra token


@settings(max_examples=60)
@given(processes(), RULES, GAMMAS)
def test_backward_induction_is_the_enumeration_of_every_draft(process, rule, gamma) -> None:
    run, paths = evaluate(process, rule, gamma), play(process, rule, gamma)
    assert sum(x.chance for x in paths) == 1
    assert run.utility == sum(x.chance * process.utility[x.states[-1]] for x in paths)
    for name in ("accepted", "drafts", "calls"):
        assert getattr(run, name) == sum(x.chance * getattr(x, name) for x in paths), name
    for t in range(process.horizon):
        for s in range(len(process.utility)):
            assert run.visits[t, s] == sum(x.chance for x in paths if x.states[t] == s)
    some.assert_exact([run.utility, run.share, run.length, run.accepted, run.drafts, run.calls])
    for array in (run.values, run.acceptance, run.visits, run.drafting):
        some.assert_exact(array)


@given(processes(), GAMMAS)
def test_speculative_decoding_changes_no_value_and_no_visit(process, gamma) -> None:
    run, alone = evaluate(process, SD, gamma), evaluate(process, SD, 0)
    assert (run.values == values(process)).all()
    assert (run.visits == alone.visits).all()
    assert (run.drafting <= run.visits).all() and run.accepted <= run.drafts
    assert run.accepted + run.calls >= process.horizon  # each call adds one token, except one that ends the text
    assert run.accepted + run.calls <= process.horizon + 1 or gamma is None


@given(processes(), RULES)
def test_edges(process, rule) -> None:
    nothing = evaluate(process._replace(horizon=0), rule, 2)
    assert (nothing.utility, nothing.share, nothing.calls, nothing.length) == (process.utility[process.start], 1, 0, 0)
    target = evaluate(process, rule, gamma=0)  # no drafts: the target alone, whatever the rule
    assert (target.utility, target.calls, target.drafts) == (values(process)[0, process.start], process.horizon, 0)
    long, longer = (evaluate(process, rule, process.horizon + n) for n in (0, 1))
    assert (long.utility, long.calls, long.drafts) == (longer.utility, longer.calls, longer.drafts)


def test_long_texts_approach_the_closed_form_of_independent_steps() -> None:
    """The last block is cut, so the length of blocks is that of `accepted_length` up to O(1/T)."""
    p, q = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    process = Process(p, q, np.zeros((1, 2), dtype=int), np.array([1.0]), 0, 2000)
    for gamma in (1, 3):
        length = evaluate(process, SD, gamma).length
        assert abs(length - accepted_length(0.75, gamma)) < 2 / 1000
        assert speedup_of_accepted(length, gamma, 0.25) == pytest.approx(speedup(0.75, gamma, 0.25), abs=0.002)


@settings(max_examples=20)
@given(st.data(), st.integers(0, 3), st.sampled_from([SD, tli(np.array([True, False])), pad(np.array([True, False]))]))
def test_prefix_processes_are_the_law_of_whole_texts(data, gamma, method) -> None:
    """`text_law` enumerates outcomes of blocks with prefixes and no states."""
    rows = data.draw(some.batches(2, 2 * 4))
    number = {(): 0, (0,): 1, (1,): 2}
    models = [lambda x, n=n: rows[4 * n + number.get(x, 3)] for n in (0, 1)]
    useful = {text: data.draw(some.shares()) for text in np.ndindex(2, 2)}
    run = evaluate(prefix_process(*models, useful.__getitem__, 2), method, gamma)
    assert run.utility == sum(mass * useful[text] for text, mass in text_law(method, *models, 2, gamma).items())


@settings(max_examples=30)
@given(processes(), st.sampled_from(["SD", "drift"]), GAMMAS, st.sampled_from([np.float64, np.float32]))
def test_floats_follow_fractions(process, name, gamma, dtype) -> None:
    """Rules that compare values may differ in a tie, so only one that does not, and the printed one of SD, are run."""
    rule = (
        SD if name == "SD" else lambda t, here, after: pad(np.broadcast_to(np.arange(after.shape[-1]) < t, after.shape))
    )
    run, there = evaluate(process, rule, gamma), evaluate(as_float(process, dtype), rule, gamma)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    assert all(x.dtype == dtype for x in (there.values, there.acceptance, there.visits, there.drafting))
    for a, b in zip(run, there, strict=True):
        assert np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).max(initial=0) < tolerance


def test_what_is_not_remembered_is_the_same(monkeypatch) -> None:
    process = random_automaton(3, vocab=4, horizon=6, states=6)
    calls: list[int] = []

    def rule(t, here, after):
        calls.append(t)
        return pad(pivots(here, after))

    remembered, once = evaluate(process, rule, 2), len(calls)
    monkeypatch.setattr(module, "_REMEMBERED", 0)
    again = evaluate(process, rule, 2)
    assert once == 6 and len(calls) - once == 11  # the position between both passes is still there
    assert all(np.array_equal(a, b) for a, b in zip(remembered, again, strict=True))


def test_at_the_size_of_the_studies_no_array_holds_every_position() -> None:
    states, vocab, horizon = 256, 256, 64
    process = random_automaton(5, vocab, horizon, states)
    tracemalloc.start()
    run = evaluate(process, lambda t, here, after: pad(pivots(here, after)), gamma=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < horizon * states * vocab * 8 / 3
    assert run.visits.sum(axis=1) == pytest.approx(np.ones(horizon), abs=1e-9)
    single = evaluate(process, lambda t, here, after: pad(pivots(here, after)))
    for t in (0, 31, 63):
        assert single.visits[t] @ single.values[t] == pytest.approx(single.utility, abs=1e-12)


def test_along_counts_by_hand() -> None:
    assert along(HAND, SD, lambda now: (now.drafted - now.kept).sum(axis=-1)) == F(1, 2)  # rejections
    assert along(HAND, SD, lambda now: now.here * 0 + 1, gamma=1) == F(3, 2)  # verified drafts
    assert along(HAND._replace(horizon=0), SD, lambda now: now.here) == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": HAND.target * 2}, r"target: row \(0,\) sums to 2"),
        ({"draft": HAND.draft[:2]}, r"draft: shape \(2, 3\) where target has \(4, 3\)"),
        ({"target": HAND.target[0]}, r"target: shape \(3,\); expected one law a state"),
        ({"step": HAND.step + 1}, r"step: leads to state 4; expected states 0\.\.3"),
        ({"step": HAND.step - 2}, r"step: leads to state -1; expected states 0\.\.3"),
        ({"step": HAND.step * 1.0}, "step: dtype float64; expected integers"),
        ({"step": HAND.step[:, :2]}, r"step: shape \(4, 2\) where target has \(4, 3\)"),
        ({"utility": HAND.utility[:3]}, r"utility: shape \(3,\); expected one number a state, \(4,\)"),
        ({"utility": HAND.utility * 2}, r"utility: 2; expected numbers in \[0, 1\]"),
        ({"utility": np.full(4, np.nan)}, r"utility: nan; expected numbers in \[0, 1\]"),
        ({"utility": np.ones(4)}, "utility: floats where target has fractions; expected one arithmetic"),
        ({"start": 4}, r"start: 4; expected a state 0\.\.3"),
        ({"start": 0.5}, r"start: 0\.5; expected a state"),
        ({"horizon": -1}, "horizon: -1; expected a number of tokens that is not negative"),
        ({"horizon": 1.5}, r"horizon: 1\.5; expected a number of tokens"),
    ],
)
def test_bad_processes_are_refused(change, message) -> None:
    bad = HAND._replace(**change)
    for call in (check_process, values, lambda x: evaluate(x, SD), lambda x: along(x, SD, lambda now: now.here)):
        with pytest.raises(ValueError, match=message):
            call(bad)
    assert check_process(HAND) is HAND


@pytest.mark.parametrize("gamma", [-1, 1.5])
def test_bad_blocks_are_refused(gamma) -> None:
    with pytest.raises(ValueError, match=f"gamma: {gamma}; expected a number of drafts"):
        evaluate(HAND, SD, gamma)


def test_a_rule_is_given_the_values_here_and_after_each_token() -> None:
    """By hand: two coins, the text is useful where the last token is 1; here 1/2, and after each token 1/2 but at the end."""
    half = exact(np.full((2, 2), 0.5))
    process = Process(half, half, np.array([[0, 1], [0, 1]]), exact(np.array([0, 1])), 0, 2)
    given = {}

    def rule(t, here, after):
        given[t] = here.tolist(), after.tolist()
        return SD

    assert evaluate(process, rule).utility == F(1, 2)
    even = [F(1, 2)] * 2
    assert given == {0: (even, [even] * 2), 1: (even, [[0, 1]] * 2)}
