"""Whole steps and steps with a state: planted faults are found, their lossless twins are not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simspec.audit import Pair, Verdict, audit, revealing
from simspec.audit.adapters import FORMS
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.adapters.steps import drafts_of_a_step
from simspec.audit.calling import Broken, called
from simspec.audit.handing import processed
from simspec.audit.zoo import forms
from simspec.audit.zoo.forms import PLANTED, Planted
from simspec.cli import main

HAND = Pair("by hand", np.array([[1, 3], [3, 1]]) / 4, np.array([[3, 1]]) / 4)
PLACE = "simspec.audit.zoo.forms"
FORM_FAULTS = [planted for planted in PLANTED if planted.form]
IDS = [planted.fault.__name__ for planted in FORM_FAULTS]


def subject(planted: Planted, function) -> Subject:
    return Subject(function.__name__, None, FORMS[planted.form](function), {})


@pytest.mark.parametrize("planted", FORM_FAULTS, ids=IDS)
def test_a_planted_fault_is_biased_and_its_twin_is_lossless(planted) -> None:
    """False alarm 1e-6.  Each fault is also the control of the audit of its twin, on the same pairs."""
    pairs = revealing(planted.gamma, planted.vocab, edges=False)[:3]
    settings = {"calls": 3000, "tv_limit": 0.2, "processor": planted.processor, "diagnose": False, "pairs": pairs}
    report = audit(FORMS[planted.form](planted.fault).sampler, **settings)
    assert report.verdict is Verdict.BIASED
    assert audit(FORMS[planted.form](planted.twin).sampler, **settings).verdict is Verdict.LOSSLESS


def test_a_uniform_that_draws_a_draft_and_tests_it_by_hand() -> None:
    """Token 0 comes where 3/4 u < 1/4: with probability 1/3 in place of 1/4."""
    step = next(planted for planted in PLANTED if planted.form == "step")
    request = Asked(exact=True, pairs=[HAND], more={"confirmed": 500, "shrink": False, "diagnose": False})
    report = judge(subject(step, step.fault), request)
    assert (report.verdict, report.first.emitted.facts.tv) == (Verdict.BIASED, Fraction(1, 12))
    report = judge(subject(step, step.twin), request)
    assert (report.verdict, report.first.emitted.facts.tv) == (Verdict.LOSSLESS, 0)


def test_the_repair_of_a_step_is_not_made_of_the_zeros_in_place_of_its_drafts() -> None:
    """A step draws its drafts itself: speculative decoding is what mends it; and no uniform is blamed for drawing a draft."""
    step = next(planted for planted in PLANTED if planted.form == "step")
    request = Asked(exact=True, pairs=[HAND], more={"confirmed": 500, "shrink": False})
    report = judge(subject(step, step.fault), request)
    assert report.price.mended == "speculative decoding" and report.price.repaired.acceptance == Fraction(1, 2)
    assert not any("uniform 1 decides" in line for line in report.diagnosis.lines)


def test_steps_that_use_the_same_uniforms_again_exactly() -> None:
    state = next(planted for planted in PLANTED if planted.form == "state-uniforms")
    pairs = revealing(2, 2, edges=False)[:2]
    request = Asked(exact=True, pairs=pairs, more={"confirmed": 500, "shrink": False})
    report = judge(subject(state, state.fault), request)
    assert (report.verdict, report.first.emitted.facts.tv) == (Verdict.BIASED, Fraction(1, 8))
    assert report.price is None  # lengths are those of texts, not of steps
    assert judge(subject(state, state.twin), request).verdict is Verdict.LOSSLESS


def test_texts_go_on_where_they_ended() -> None:
    """Certain rows: a step that emits one token is handed the next row, one that emits two the row after it."""
    p = np.eye(4)
    for emits in (1, 2):
        handed_rows = []

        def start(n, rng, handed_rows=handed_rows, emits=emits):
            def step(rows, drafts_rows, drafts):
                handed_rows.append(rows[0].argmax(axis=1).tolist())
                tokens = np.full((n, 2), -1)
                tokens[:, :emits] = rows[:, :emits].argmax(axis=2)
                return tokens

            return step

        texts = FORMS["state"](start).sampler(p, p[:3], 2, np.random.default_rng(0))
        assert texts.tolist() == [[0, 1, 2, 3]] * 2
        assert handed_rows == ([[0, 1], [1, 2], [2, 3], [3, 3]] if emits == 1 else [[0, 1], [2, 3]])


@pytest.mark.parametrize("gamma", range(2, 7))
def test_a_text_takes_two_steps_at_least(gamma) -> None:
    assert drafts_of_a_step(gamma) + 1 < gamma + 1


@pytest.mark.parametrize(
    ("emitted", "words"),
    [
        (np.zeros((5, 3), dtype=int), r"returns shape \(5, 3\); expected \(5, 2\).*, in step 1 of a text"),
        (np.full((5, 2), -1), "emits no token in call 0"),
        (np.full((5, 2), 9), "emits token 9; the vocabulary has 2 tokens"),
    ],
)
def test_a_step_that_returns_no_tokens_is_broken(emitted, words) -> None:
    sampler = FORMS["state"](lambda n, rng: lambda p, q, drafts: emitted).sampler
    with pytest.raises(Broken, match=words):
        called(sampler, np.eye(2)[[0, 1, 0]], np.eye(2), 5, np.random.default_rng(0))


def test_state_takes_no_laws_by_prefix_but_raw_rows() -> None:
    tree = processed(revealing(2, 2)[0], forms.HALF)
    with pytest.raises(Broken, match="distributions that depend on the prefix come from a processor"):
        FORMS["state"](forms.penalised).sampler(tree.p, tree.q, 5, np.random.default_rng(0))


# --- command line ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "status"),
    [
        ("drafts_tested_by_themselves", "--form step --exact --gamma 1 --vocab 2", 1),
        ("late_penalty", "--form state --processor presence:0.6931471805599453 --vocab 2 --calls 5000", 1),
        ("unpenalised_drafts", "--form numpy --processor presence:0.6931471805599453 --vocab 2 --calls 5000", 1),
        ("last_tile_ignored", "--gamma 1 --vocab 33000 --calls 250", 1),
    ],
)
def test_the_command_line_finds_them(name, options, status, capsys) -> None:
    assert main(["audit", f"{PLACE}:{name}", *options.split(), "--no-edges"]) == status
    assert "biased by TV" in capsys.readouterr().out


def test_the_command_line_passes_a_twin(capsys) -> None:
    options = "--form state --processor presence:0.6931471805599453 --vocab 2 --calls 2000 --tv-limit 0.25 --no-edges"
    assert main(["audit", f"{PLACE}:penalised", *options.split()]) == 0
    out = capsys.readouterr().out
    assert "lossless within TV" in out and "price" not in out


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("drafts_own_uniforms", "add --form step"),
        ("penalised", "add --form state"),
        ("fresh_uniforms", "add --form state-uniforms"),
    ],
)
def test_a_function_of_another_form_is_told_its_form(name, cure, capsys) -> None:
    assert main(["audit", f"{PLACE}:{name}"]) == 2
    assert cure in capsys.readouterr().err


@pytest.mark.parametrize("text", ["topk:2", "top-k", "top-k:0", "top-k:1.5", "top-p:2", "min-p:x", "top-k:2+x:1"])
def test_a_processor_that_is_none_is_an_error(text, capsys) -> None:
    assert main(["audit", f"{PLACE}:every_tile", "--processor", text]) == 2
    error = capsys.readouterr().err
    assert f"processor: {text.split('+')[0]!r}" in error or repr(text) in error
    assert "expected" in error
