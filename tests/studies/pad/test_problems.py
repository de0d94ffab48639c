"""Problems for PAD: answers in steps, laws of a bank, hidden states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.laws import softmax
from simspec.logits.bank import open_bank
from simspec.methods.pad.process import values
from simspec.studies.pad.problems import NAMES, answer, bank_pairs, ended, hidden, make_problem, once
from tests.engine.fakes import FakeBank

CELL: dict[str, Any] = {"family": "answer", "laws": "synthetic", "vocab": 8, "horizon": 12, "states": 6}


def test_an_answer_of_two_steps_by_hand():
    p = np.array([[1.0, 0.0], [0.75, 0.25]])
    process, sound = answer(p, p[:, ::-1], key=3, critical=1, detours=0, ceiling=1)
    assert process.step[0].tolist() == [1, 3]  # token 1 is impossible for the target: an error, whatever w is
    assert process.step[2, 0] == 3 and process.step[4].tolist() == [5, 5]  # further errors, the last level is kept
    assert process.step[1, 0] == 6 and process.step[3, 0] == 7 and process.step[5].tolist() == [8, 8]
    assert ended(process).tolist() == [False] * 6 + [True] * 3
    assert process.utility.tolist() == [1, 1, 0.3, 0.3, 0, 0, 1, 0.3, 0] and sound[7] == 0.5
    wrong = process.step[1, 1] == 7
    assert np.isclose(values(process)[0, 0], 1 - 0.25 * 0.7 * wrong)


def test_the_likeliest_token_is_never_an_error_and_a_higher_ceiling_makes_more_errors():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(8), size=(2, 6))
    worth = []
    for ceiling in (0.0, 0.3, 1.0):
        process = answer(p, q, key=1, critical=1, detours=0, ceiling=ceiling).process
        assert (process.step[np.arange(5), p[:5].argmax(axis=1)] == np.arange(1, 6)).all()
        worth.append(values(process)[0, 0])
    assert np.isclose(worth[0], 1) and worth[0] > worth[1] > worth[2]


def test_detours_make_lengths_vary_and_stay_near():
    p = np.full((9, 4), 0.25)
    straight, winding = (answer(p, p, key=1, detours=share, critical=0).process for share in (0, 1))
    places = winding.step[:9] - np.where(winding.step[:9] >= 27, 27 - 9, 0)  # the ended state is place 9
    assert (straight.step[:8] == np.arange(1, 9)[:, None]).all()
    assert (abs(places - np.arange(9)[:, None]) <= 3).all() and len(np.unique(places - np.arange(9)[:, None])) == 7


@pytest.mark.parametrize("change", [{"critical": 2}, {"detours": -1}, {"ceiling": 1.5}])
def test_shares_outside_the_unit_interval_are_refused(change):
    p = np.full((3, 2), 0.5)
    with pytest.raises(ValueError, match=next(iter(change))):
        answer(p, p, key=1, **change)


def test_laws_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match="p, q"):
        answer(np.full((3, 2), 0.5), np.full((2, 2), 0.5), key=1)


def test_ended_states_write_one_token_and_stay():
    process = make_problem(CELL, 1, 0).process
    ruined = make_problem({**CELL, "family": "needle"}, 1, 0).process
    assert ended(process).sum() == 3
    assert not ended(ruined).any()  # a ruined text goes on: it is not over


def test_laws_of_a_bank_are_cut_to_its_likeliest_tokens():
    bank: Any = FakeBank(vocab=60, contexts=24)
    pairs = bank_pairs(bank, 8)
    assert pairs.p.shape == pairs.q.shape == (24, 8)
    assert np.allclose(pairs.p.sum(axis=1), 1) and np.allclose(pairs.q.sum(axis=1), 1)
    whole = np.exp(bank.target().astype(float))
    whole /= whole.sum(axis=1, keepdims=True)
    draft = np.exp(bank.draft().astype(float))
    draft /= draft.sum(axis=1, keepdims=True)
    chosen = np.argsort(-(whole + draft), axis=1)[:, :8]
    for cut, law in ((pairs.p, whole), (pairs.q, draft)):
        part = np.take_along_axis(law, chosen, axis=1)
        assert np.allclose(cut, part / part.sum(axis=1, keepdims=True), atol=1e-5)
    assert [set(pairs.half[bank.documents == d]) for d in range(3)] == [{0}, {1}, {0}]


def test_cut_rows_give_the_likeliest_tokens_of_the_whole_ones():
    """Of the contexts with a whole row the laws are those of the whole rows, up to their sixteen bits; and there are more."""
    bank = open_bank("smollm2")
    pairs = bank_pairs(bank, 16)
    assert len(pairs.p) == bank.cut.contexts > bank.contexts
    there = bank.cut.whole >= 0
    p, q = softmax(bank.target(bank.cut.whole[there])), softmax(bank.draft(bank.cut.whole[there]))
    likeliest = np.argsort(-(p + q), axis=-1, kind="stable")[:, :16]
    for law, cut in ((p, pairs.p[there]), (q, pairs.q[there])):
        whole = np.take_along_axis(law, likeliest, axis=-1)
        assert np.abs(cut - whole / whole.sum(axis=-1, keepdims=True)).max() < 2e-3


def test_a_bank_without_a_draft_is_a_missing_part():
    with pytest.raises(ValueError, match="no draft"):
        bank_pairs(FakeBank(draft=False), 8)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", NAMES)
def test_a_problem_is_a_function_of_its_number(family):
    cell = {**CELL, "family": family, "ceiling": 0.5}
    again = [make_problem(cell, 5, number).process for number in (3, 3, 4)]
    assert all(np.array_equal(a, b) for a, b in zip(again[0], again[1], strict=True))
    assert not np.array_equal(again[0].target, again[2].target)
    pairs = bank_pairs(FakeBank(vocab=60, contexts=24), 8)  # type: ignore[arg-type]
    real = make_problem(cell, 5, 3, pairs).process
    assert np.array_equal(real.step, again[0].step) == (family in ("recoverable", "random"))
    some = [values(make_problem(cell, 5, number, pairs).process) for number in range(3, 8)]
    assert all(found.min() >= 0 and found.max() <= 1 + 1e-12 for found in some)
    assert any(0.02 < found[0, 0] < 0.999 for found in some)


def test_real_laws_of_the_two_halves_are_kept_apart():
    pairs = bank_pairs(FakeBank(vocab=60, contexts=24), 8)  # type: ignore[arg-type]
    for half in (0, 1):
        made = {make_problem(CELL, 5, n, pairs, half).process.target[i].tobytes() for n in range(5) for i in range(6)}
        assert made <= {row.tobytes() for row in pairs.p[pairs.half == half]}
        assert not made & {row.tobytes() for row in pairs.p[pairs.half != half]}
    process = make_problem(CELL, 5, 0, pairs).process
    for p, q in zip(process.target[:6], process.draft[:6], strict=True):
        assert any(np.array_equal(p, a) and np.array_equal(q, b) for a, b in zip(pairs.p, pairs.q, strict=True))


def test_unknown_families_and_laws_are_refused():
    with pytest.raises(ValueError, match="family: 'maze'; expected one of answer, needle"):
        make_problem({**CELL, "family": "maze"}, 1, 0)
    with pytest.raises(ValueError, match="laws: 'real'; expected 'synthetic' or 'bank'"):
        once({"bank": lambda vocab: None})("real", 8)  # type: ignore[dict-item,return-value]


def test_hidden_states_share_their_signal_and_not_their_noise():
    a, b = (hidden(40, 1, number, width=64, noise=1) for number in (0, 1))
    signal = hidden(40, 1, 0, width=64, noise=0)
    assert not np.array_equal(a, b)
    overlaps = [(x * y).sum(axis=1).mean() for x, y in ((signal, signal), (a, signal), (a, b), (a, signal[::-1]))]
    assert np.allclose(overlaps, [1, 1, 1, 0], atol=0.12)  # standard errors 0.02 to 0.05, 2560 products each
    assert np.isclose((a * a).sum(axis=1).mean(), 2, atol=0.15)
