"""A middle model from three recorded laws: by hand, beside the formulas at the rates, simulated, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from simspec import cli
from simspec.engine.estimates.halves import choosing_rows
from simspec.methods.block import mean_acceptance_length
from simspec.methods.cascade import cascade_speed
from simspec.methods.speed import step_time
from simspec.tools.cascades import CascadePlan, cascade_advice
from simspec.tools.cascades.compute import KINDS
from simspec.tools.cascades.show import advice_sentence, print_cascade
from simspec.tools.rates import rates
from simspec.tools.reading import load

P = np.array([[0.5, 0.5, 0.0]] * 400)
MIDDLE = np.array([[0.25, 0.5, 0.25]] * 400)
DRAFT = np.array([[0.0, 0.5, 0.5]] * 400)
FALSE_ALARM = 1e-4
"""Of each simulation here: the probability of more misses than are allowed, of intervals that hold their level exactly."""


def test_three_laws_by_hand() -> None:
    """q by m 3/4, m by p 3/4, q by p 1/2; one draft, one round: (1 + 9/16 + B)/(1 + 1/16 + 1/4), B = 3/4 (1/4 + 9/16)."""
    plan = CascadePlan(cost=1 / 16, middle_cost=0.25, gammas=(1,), rounds=(1,))
    advice = cascade_advice({"p": P, "q": DRAFT}, MIDDLE, plan)
    assert [rate.estimate for rate in advice.acceptance.values()] == [0.75, 0.75, 0.5]
    cascade, draft, middle = advice.schedules
    expected = cascade_speed(Fraction(3, 4), Fraction(3, 4), Fraction(1, 16), Fraction(1, 4), 1, 1)
    assert cascade.speedup.estimate == pytest.approx(float(expected), rel=1e-15)
    assert cascade.tokens == 1.5625 + 0.609375
    assert (draft.gamma, middle.gamma) == (2, 2)  # alone, up to the two tokens that the cascade hands on
    assert draft.speedup.estimate == pytest.approx(1.75 / 1.125) and middle.speedup.estimate == 2.3125 / 1.5
    gains = [gain.estimate for gain in advice.gains.values()]
    assert gains == pytest.approx([float(expected) - rival for rival in (1.75 / 1.125, 2.3125 / 1.5, 1)])
    assert advice.pays is True
    swapped = cascade_advice({"p": P, "q": MIDDLE}, DRAFT, plan)  # a planted error: draft and middle model swapped
    assert swapped.schedules[0].speedup.estimate < cascade.speedup.estimate


def test_the_fastest_schedule_is_that_of_the_formula() -> None:
    plan = CascadePlan(cost=0.01, middle_cost=0.1, gammas=(1, 2, 3, 4), rounds=(1, 2, 3))
    cascade = cascade_advice({"p": P, "q": DRAFT}, MIDDLE, plan).schedules[0]
    speeds = {(g, k): cascade_speed(0.75, 0.75, 0.01, 0.1, g, k) for g in plan.gammas for k in plan.rounds}
    assert speeds[cascade.gamma, cascade.rounds] == max(speeds.values()) == cascade.speedup.estimate


def test_rates_are_those_of_pairs_of_a_real_bank() -> None:
    pairs = load("stories")
    middle = (pairs.p + pairs.q) / 2
    advice = cascade_advice("stories", middle)
    for name, (p, q) in {"draft by middle": (middle, pairs.q), "middle by target": (pairs.p, middle)}.items():
        (alone,) = rates(pairs._replace(p=p, q=q), ["sd"])
        assert advice.acceptance[name] == pytest.approx(alone.values["acceptance"], rel=1e-12)
    (alone,) = rates(pairs, ["sd"])
    assert advice.acceptance["draft by target"] == pytest.approx(alone.values["acceptance"], rel=1e-12)


def test_a_middle_model_that_is_the_draft_does_not_pay() -> None:
    """It accepts all drafts and costs a pass more."""
    advice = cascade_advice({"p": P, "q": DRAFT}, DRAFT, CascadePlan(cost=0.1, middle_cost=0.4))
    assert advice.pays is False and "does not pay" in advice_sentence(advice)
    few = cascade_advice({"p": P[:9], "q": DRAFT[:9]}, MIDDLE[:9], CascadePlan(cost=0.1, middle_cost=0.4))
    assert few.pays is None and "is not shown to pay" in advice_sentence(few) and not few.is_judged


def test_where_no_draft_pays_the_rival_is_the_target_alone() -> None:
    dear = CascadePlan(cost=2, middle_cost=3)
    advice = cascade_advice({"p": P, "q": DRAFT}, MIDDLE, dear)
    assert advice.rival == "target alone" and advice.pays is False
    assert advice_sentence(advice).endswith("over its fastest rival, the target alone.")


def test_verified_tokens_have_their_time() -> None:
    """The middle model emits 7/4 tokens of a round, at 1/8 each; two drafts alone are verified at 1/8 each."""
    free = CascadePlan(cost=1 / 16, middle_cost=0.25, gammas=(1,), rounds=(1,))
    paid = CascadePlan(cost=1 / 16, middle_cost=0.25, verify=0.125, gammas=(1,), rounds=(1,))
    before = cascade_advice({"p": P, "q": DRAFT}, MIDDLE, free).schedules
    after = cascade_advice({"p": P, "q": DRAFT}, MIDDLE, paid).schedules
    assert after[0].speedup.estimate == pytest.approx(before[0].tokens / (1 + 1 / 16 + 1 / 4 + 1.75 / 8))
    assert (after[1].gamma, after[1].speedup.estimate) == (2, pytest.approx(1.75 / (1 + 2 / 16 + 2 / 8)))


def test_schedules_are_chosen_on_one_half_and_judged_on_the_other() -> None:
    """The documents that choose have a middle model that is always right, those that judge one that never is."""
    wrong = np.tile([0.0, 0.0, 1.0], (12, 1))
    middle = np.where(choosing_rows(np.arange(12))[:, None], P[:12], wrong)
    advice = cascade_advice({"p": P[:12], "q": DRAFT[:12]}, middle, CascadePlan(cost=0.01, middle_cost=0.05))
    assert advice.is_judged and advice.schedules[2].gamma > 1
    assert advice.schedules[2].tokens == 1 and advice.acceptance["middle by target"].estimate == 0.5
    # a planted error: all documents choose and judge
    right = np.where(np.arange(9)[:, None] < 5, P[:9], wrong[:9])
    together = cascade_advice({"p": P[:9], "q": DRAFT[:9]}, right, CascadePlan(cost=0.01, middle_cost=0.05))
    assert together.schedules[2].tokens > 1


def simulated(documents: int, rng, *, rows: int = 10):
    """Laws of documents of some rows; how often tokens are accepted depends on the document."""
    middle_shift = np.repeat(rng.uniform(-0.2, 0.2, size=documents), rows)
    draft_shift = np.repeat(rng.uniform(-0.2, 0.2, size=documents), rows)
    count = documents * rows
    zero = np.zeros(count)
    p = np.stack([zero + 1, zero, zero], axis=1)
    middle = np.stack([0.75 + middle_shift, 0.25 - middle_shift, zero], axis=1)
    q = np.stack([0.25 + draft_shift, 0.25 - draft_shift, zero + 0.5], axis=1)
    return p, q, middle


RATES = (0.5 - 0.2 / 3, 0.75, 0.25)
"""Means of `simulated`: of draft by middle 1/4 + 1/4 - E max(x, y) for x and y even on (-1/5, 1/5), which is 1/15."""


def misses(trials: int, documents: int, *, by_document: bool = True) -> np.ndarray:
    """How often the interval of the cascade's speed, and one of those of its gains, miss the values of what was chosen."""
    rng = np.random.default_rng(0)
    plan = CascadePlan(cost=0.05, middle_cost=0.2, gammas=(1, 2, 3), rounds=(1, 2))
    lower, upper, alone = RATES
    count = np.zeros(2, dtype=int)
    for _ in range(trials):
        p, q, middle = simulated(documents, rng)
        document = np.repeat(np.arange(documents), 10) if by_document else np.arange(10 * documents)
        advice = cascade_advice({"p": p, "q": q, "document": document}, middle, plan)
        chosen = advice.schedules[0]
        speed = cascade_speed(lower, upper, plan.cost, plan.middle_cost, chosen.gamma, chosen.rounds)
        rivals = [1.0]
        for schedule, rate, cost in zip(
            advice.schedules[:0:-1], (upper, alone), (plan.middle_cost, plan.cost), strict=True
        ):
            rivals.insert(0, mean_acceptance_length(rate, schedule.gamma) / step_time(schedule.gamma, cost))
        count[0] += not chosen.speedup.low <= speed <= chosen.speedup.high
        gains = zip(advice.gains.values(), rivals, strict=True)
        count[1] += not all(gain.low <= speed - rival <= gain.high for gain, rival in gains)
    return count


@pytest.mark.parametrize("documents", [10, 30])
def test_intervals_cover_what_was_chosen(documents: int) -> None:
    trials = 200
    assert (misses(trials, documents) <= binom.isf(FALSE_ALARM, trials, 0.05)).all()


def test_rows_taken_for_documents_are_noticed() -> None:
    """The negative control."""
    trials = 200
    assert (misses(trials, 30, by_document=False) > binom.isf(FALSE_ALARM, trials, 0.05)).all()


def test_hostile_names_are_inert(capsys) -> None:
    advice = cascade_advice({"p": P, "q": DRAFT}, MIDDLE)
    print_cascade(replace(advice, pairs=advice.pairs._replace(source="\x1b[red]")))
    out = capsys.readouterr().out
    assert "\x1b" not in out and "[red]" in out


IGNORED = (
    ["--top-p", "0.9"],
    ["--contexts", "100"],
    ["--neighbours", "4"],
    ["--window", "64"],
    ["--tuning", "8"],
    ["--statistics", "8"],
    ["--statistics-text", "pair.npz"],
    ["--chat-length", "8"],
    ["--policy", "all"],
    ["--steps", "steps.csv"],
    ["--link", "1000"],
    ["--pruned", "0.5"],
    ["--run-prompts", "4"],
    ["--length", "4"],
    ["--plot", "speed.svg"],
    ["--csv", "rows.csv"],
    ["--markdown", "rows.md"],
    ["--html", "rows.html"],
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    np.savez(tmp_path / "pair.npz", p=P, q=DRAFT)
    np.savez(tmp_path / "middle.npz", q=MIDDLE)
    np.savez(tmp_path / "short.npz", q=MIDDLE[:3])
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n\nwith open('runs', 'a') as file:\n    file.write('x')\n\n"
        "def pair():\n    return dict(np.load('pair.npz'))\n\ndef laws():\n    return tuple(pair().values())\n"
    )
    monkeypatch.chdir(tmp_path)


def test_the_command_prints_a_table_and_json(home, capsys) -> None:
    words = ["advise", "pair.npz", "--middle", "middle.npz", "--middle-cost", "0.1", "--cost", "0.01"]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    for text in (
        "pair.npz: a middle model on 400 contexts over 3 tokens",
        "acceptance: draft by middle 0.750",
        "The middle model pays: its cascade gains +",
        "± the longer side of the 95% interval over 400 rows",
        "chosen on one half of 400 rows, judged with 95% intervals on the other",
        "cost = 0.01, middle cost = 0.1\n",
    ):
        assert text in out, text
    assert cli.main([*words, "--verify-cost", "0.02", "--temperature", "1"]) == 0
    assert "cost = 0.01, middle cost = 0.1, verify cost = 0.02\n" in capsys.readouterr().out
    assert cli.main([*words, "--gamma", "2", "--rounds", "1-2", "--json", "-"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["pays"] is True and facts["schedules"][0]["gamma"] == 2 and facts["middle_cost"] == 0.1
    assert facts["judged_on_other_documents"] is True and list(facts["gains"]) == [*KINDS[1:], "target alone"]
    assert cli.main([*words, "--json", "facts.json"]) == 0
    assert "The middle model pays" in capsys.readouterr().out and json.loads(Path("facts.json").read_text())["pays"]


@pytest.mark.parametrize("name", ["pair", "laws"])
def test_code_of_a_user_is_executed_once(home, name, capsys) -> None:
    assert cli.main(["advise", f"mine.py:{name}", "--middle", "middle.npz", "--middle-cost", "0.1"]) == 0
    assert f"mine.py:{name}: a middle model" in capsys.readouterr().out
    assert Path("runs").read_text() == "x"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pair.npz", "--middle", "middle.npz"], "--middle-cost: missing; expected time of a pass of the middle model"),
        (["pair.npz", "--middle-cost", "0.1"], "--middle-cost, --rounds: belong to --middle DRAFT"),
        (
            ["pair.npz", "--middle", "middle.npz", "--middle-cost", "-1"],
            "middle_cost: -1.0; expected time / time of a target step, finite and 0 or more",
        ),
        (
            ["pair.npz", "--middle", "middle.npz", "--middle-cost", "0.1", "--rounds", "0"],
            "--rounds: '0'; expected numbers from 1 to 256, smaller number first",
        ),
        (
            ["pair.npz", "--middle", "middle.npz", "--middle-cost", "0.1", "--rule", "sd"],
            "--rule: does nothing with --middle, whose models all verify by speculative decoding; leave it out",
        ),
        *(
            (
                ["pair.npz", "--middle", "middle.npz", "--middle-cost", "0.1", *option],
                f"{option[0]}: does nothing with --middle",
            )
            for option in IGNORED
        ),
        (
            [
                "pair.npz",
                "--middle",
                "middle.npz",
                "--middle-cost",
                "0.1",
                "--temperature",
                "1",
                "--temperature",
                "0.5",
            ],
            "--temperature: 1, 0.5; expected one of them with --middle",
        ),
        (
            ["pair.npz", "--middle", "middle.npz", "--middle-cost", "0.1", "--verify-cost", "-1"],
            "verify: -1.0; expected time / time of a target step, finite and 0 or more",
        ),
        (
            ["pair.npz", "--middle", "short.npz", "--middle-cost", "0.1"],
            "draft 'the middle model': 3 contexts where the target has 400",
        ),
        (["a", "b", "--text", "t", "--middle", "c", "--middle-cost", "0.1"], "--middle: needs recorded laws"),
    ],
)
def test_bad_options_are_refused(home, words, message, capsys) -> None:
    assert cli.main(["advise", *words]) == 2
    assert message in capsys.readouterr().err
