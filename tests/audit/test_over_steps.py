"""Causes of wrong texts of samplers that remember: each step is looked at, and what it takes from the one before."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import Pair, audit, revealing
from simspec.audit.adapters import FORMS
from simspec.audit.adapters.judging import Asked, Subject, judge
from simspec.audit.calling import CallMonitor
from simspec.audit.over_steps import Before, cause_over_steps, with_cause_over_steps
from simspec.audit.processors import processor_of
from simspec.audit.trial import Plan
from simspec.audit.zoo.forms import counted_penalty, late_penalty, reseeded, seeded_once, verified
from simspec.cli import main

PAIRS = revealing(2, 3)[:4]
HALF = processor_of("presence:0.6931471805599453")


def remembering(n, rng, fault):
    """Speculative decoding with one part exchanged, in all steps or by what the step before was."""
    before = []

    def step(p, q, drafts):
        gamma = drafts.shape[1]
        uniforms = rng.random((n, gamma + 1))
        tests = uniforms[:, :-1]
        rows = p.copy()
        if fault == "lenient":
            tests = tests / 2
        if fault == "stale" and before:
            rows[:, 0] = before[-1][:, -1]
        tokens = verified(rows, q, drafts, tests, uniforms[:, -1])
        if fault == "greedy after a refusal" and before:
            single = np.full_like(tokens, -1)
            single[:, 0] = p[:, 0].argmax(axis=1)
            tokens = np.where(refused[-1][:, None], single, tokens)
        before.append(p)
        refused.append((tokens >= 0).sum(axis=1) <= gamma)
        return tokens

    refused = []
    return step


def plan_of(calls=2000):
    return Plan(lambda *given: None, CallMonitor(), calls, 1e-6, 0.0, 0)


def frozen(n, rng):
    return verified_by(np.random.default_rng(7), n)


def verified_by(rng, n):
    def step(p, q, drafts):
        uniforms = rng.random((n, drafts.shape[1] + 1))
        return verified(p, q, drafts, uniforms[:, :-1], uniforms[:, -1])

    return step


@pytest.mark.parametrize("start", [frozen, lambda n, rng: verified_by(np.random.default_rng(1), n)])
def test_a_generator_that_begins_anew_is_the_cause(start) -> None:
    """What chance has drawn in the one text that it ever makes is no law of a step."""
    report = judge(Subject("frozen", None, FORMS["state"](start), {}), Asked(gamma=1, vocab=2, calls=2000))
    assert report.diagnosis is not None
    assert report.diagnosis.words() == [
        "likely cause: uniforms",
        "  texts are the same whatever generator is passed",
    ]


def test_an_exact_law_of_texts_has_a_cause(capsys) -> None:
    sampler = "simspec.audit.zoo.forms:same_uniforms_each_step"
    assert main(["audit", sampler, "--form", "state-uniforms", "--exact"]) == 1
    assert "each step is right, and a text is not: steps share random numbers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fault", "part", "line"),
    [
        ("lenient", "uniforms", "in the first step of a text"),
        ("stale", "bookkeeping", "after a step that accepted all drafts the law depends on the tokens that it emitted"),
        ("greedy after a refusal", "reported/sampled", "after a step that refused its first draft"),
        ("", "uniforms", "each step is right, and a text is not: steps share random numbers"),
    ],
)
def test_the_step_that_is_wrong_names_the_part(fault, part, line) -> None:
    cause = cause_over_steps(lambda n, rng: remembering(n, rng, fault), plan_of(), PAIRS)
    assert (cause.part, cause.lines[0]) == (part, line)


@pytest.mark.parametrize(
    ("start", "line"),
    [
        (late_penalty, "in the first step of a text"),
        (counted_penalty, "after a step that refused its first draft"),
    ],
)
def test_rows_that_are_processed_for_another_text_are_the_processor(start, line) -> None:
    cause = cause_over_steps(start, plan_of(), PAIRS, HALF)
    assert cause.part == "processor"
    assert cause.lines == (f"{line} target rows are not those that the processor makes of the text",)


def test_random_numbers_shared_by_steps_are_no_processor() -> None:
    """Steps that never process are right where nothing has to be processed."""
    cause = cause_over_steps(reseeded, plan_of(), PAIRS, processor_of("temperature:1"))
    assert cause.part == "uniforms"


def test_a_step_that_leaves_no_choice_is_as_it_is_said() -> None:
    for before in (Before(0, 1, True), Before(0, 1, False)):
        for gamma in (1, 2):
            rows = before.rows(3, gamma, 3)
            tokens = seeded_once(3, np.random.default_rng(0))(*rows)
            assert all([x for x in row if x >= 0] == before.tokens(gamma) for row in tokens.tolist())


@pytest.mark.parametrize("form", ["state", "state-uniforms"])
def test_a_report_on_texts_has_a_cause_only_where_they_are_wrong(form) -> None:
    def start(n, random):
        return lambda p, q, drafts: np.where(np.arange(drafts.shape[1] + 1) == 0, 0, -1) + 0 * drafts[:, :1]

    asked = Asked(pairs=PAIRS[:1], calls=250)
    report = judge(Subject("zeros", None, FORMS[form](start), {}), asked)
    assert report.diagnosis is not None and report.diagnosis.lines[0] == "in the first step of a text"
    assert (
        judge(Subject("zeros", None, FORMS[form](start), {}), asked._replace(more={"diagnose": False})).diagnosis
        is None
    )
    undecided = audit(FORMS["state"](seeded_once).sampler, pairs=PAIRS[:1], calls=250, diagnose=False)
    assert with_cause_over_steps(undecided, seeded_once, PAIRS, None) is undecided


def test_a_pair_of_which_a_processor_leaves_nothing_is_left_out() -> None:
    def bans_zero(rows, prefix):
        return rows * (np.arange(rows.shape[1]) > 0)

    def start(n, rng):
        def step(p, q, drafts):
            rows = p * (np.arange(p.shape[2]) > 0)
            uniforms = rng.random((n, drafts.shape[1] + 1))
            return verified(rows / rows.sum(axis=2, keepdims=True), q, drafts, uniforms[:, :-1], uniforms[:, -1])

        return step

    pairs = [Pair("only 0", np.eye(3)[[0, 0]], np.eye(3)[[0]]), *PAIRS]
    assert cause_over_steps(start, plan_of(1000), pairs, bans_zero).part == "uniforms"
