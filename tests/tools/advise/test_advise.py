"""Advice: by hand, checked end to end against simulated rounds, and what is refused.

The end-to-end tests simulate tokens with coins on the pair's own laws and compare tokens a call with what was predicted.
"""

from functools import cache

import numpy as np
import pytest

from simspec.engine.estimates.clusters import longer_side
from simspec.kernels.random import Draws
from simspec.kernels.rounds import run_rounds, tables
from simspec.laws import softmax
from simspec.methods.known import Known
from simspec.methods.registry import rule
from simspec.notebook import html, plot
from simspec.tools.advise import GAMMAS, Plan, advise, default_rules
from simspec.tools.advise.models import runnable
from simspec.tools.advise.show import markdown, page
from simspec.tools.advise.table import Row, break_even
from simspec.tools.advise.truncation import truncated
from simspec.tools.reading import Pairs
from simspec.tools.rows_of_laws import RowsOfLaws

P, Q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.25, 0.5]])
HAND = Pairs(P, Q, np.array([0]), "by hand")


def synthetic(contexts: int, vocab: int = 8, seed: int = 0) -> Pairs:
    """Contexts drawn independently of each other, each a document of its own; some easy, some hard."""
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=(contexts, vocab))
    noise = rng.choice([0.2, 3.0], size=(contexts, 1))
    return Pairs(softmax(z), softmax(z + noise * rng.normal(size=z.shape)), np.arange(contexts), "synthetic")


def simulated(pairs: Pairs, text: str, gamma: int, stay: float) -> tuple[float, float]:
    """Tokens a call of coins on a text whose context stays with a probability, else is drawn anew; and its standard error.

    The state is the context; a symbol of the simulation is a token and the context of the next position.
    """
    n, vocab = pairs.p.shape
    method = rule(text).method
    d = method.propose(pairs.q)
    k, r = method.accept(pairs.p, d), method.residual(pairs.p, d)
    moves = stay * np.eye(n) + (1 - stay) / n

    def spread(x: np.ndarray) -> np.ndarray:
        return (x[:, :, None] * moves[:, None, :]).reshape(n, vocab * n)

    made = tables(spread(d), spread(k), spread(r), spread(pairs.p), np.tile(np.arange(n), vocab))
    rounds = run_rounds(made, Draws(7, range(1000)), gamma=gamma, rounds=400)
    emitted = 1 + rounds.accepted[:, 50:].mean(axis=1)  # the first rounds still remember where they began
    return float(emitted.mean()), float(emitted.std() / len(emitted) ** 0.5)


class Counted(RowsOfLaws):
    """Laws that are made as they are asked for, and how many times the rows were made."""

    def __init__(self, laws: np.ndarray) -> None:
        super().__init__(self._made, np.arange(len(laws)), laws.shape[1])
        self._rows = laws
        self.rows_made = 0

    def _made(self, numbers) -> np.ndarray:
        self.rows_made += len(self._rows[numbers])
        return self._rows[numbers]


def test_the_default_rules_make_large_laws_once() -> None:
    pairs = synthetic(30)._replace(document=np.arange(30) // 5, position=np.arange(30))
    target, draft = Counted(pairs.p), Counted(pairs.q)
    advice = advise(pairs._replace(p=target, q=draft))
    assert any(row.rule == "block" for row in advice)  # which judges whole drafts
    assert (target.rows_made, draft.rows_made) == (30, 30)
    plain = advise(pairs)
    assert [row.speeds for row in advice] == [row.speeds for row in plain]
    assert advice.one_hot == plain.one_hot and np.array_equal(advice.confidence, plain.confidence)


def read(pairs: Pairs, stay: float, positions: int, seed: int = 1) -> Pairs:
    """A bank of consecutive positions of such a text: `positions` of them, in documents of 50."""
    rng = np.random.default_rng(seed)
    at, where = np.empty(positions, dtype=int), 0
    for t in range(positions):
        where = where if rng.random() < stay else rng.integers(len(pairs.p))
        at[t] = where
    index = np.arange(positions)
    return Pairs(pairs.p[at], pairs.q[at], index // 50, "read", position=index % 50)


RULES, COST = ("sd", "ears:0.1", "lenience:0.8"), 0.1


@cache
def advised(stay: float, gamma: int) -> dict[str, Row]:
    """What is advised on 20,000 positions of such a text, in 400 documents, by rule."""
    plan = Plan(rules=RULES, gammas=(gamma,), cost=COST)
    return {row.rule: row for row in advise(read(synthetic(12), stay, 20_000), plan, level=0.999)}


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize("stay", [0.0, 0.9])
def test_predicted_tokens_a_call_are_the_simulated_ones(text, stay) -> None:
    """False alarm: 0.1 % by the interval over 400 documents; controls: another number of drafts, another cost."""
    gamma = 4
    told, error = simulated(synthetic(12), text, gamma, stay)
    row, fewer = advised(stay, gamma)[text], advised(stay, gamma - 2)[text]
    assert row.tokens.low - 4 * error <= told <= row.tokens.high + 4 * error
    fast = told / (1 + gamma * COST)
    assert row.speedup.low - 4 * error <= fast <= row.speedup.high + 4 * error
    assert told > fewer.tokens.high + 4 * error  # two drafts fewer: caught
    dear = (1 + gamma * COST) / (1 + 2 * gamma * COST)
    assert fast > dear * row.speedup.high + 4 * error  # twice the cost: caught


def test_the_formula_holds_for_independent_contexts_and_is_too_high_where_laws_last() -> None:
    """The direction that `simspec.tools.advise.walk` documents; 4 standard errors, false alarm below 1e-4."""
    gamma = 4
    loose, tied = (advised(stay, gamma)["sd"] for stay in (0.0, 0.9))
    assert loose.tokens.low <= loose.independent <= loose.tokens.high
    assert tied.independent > tied.tokens.high and tied.tokens.estimate > tied.lasting
    told, error = simulated(synthetic(12), "sd", gamma, 0.9)
    assert tied.independent > told + 4 * error


def test_one_context_by_hand() -> None:
    """Half of the drafts are kept: 1 + 1/2 + 1/4 tokens at two drafts, in the time of one and a half target calls."""
    (row,) = advise(HAND, Plan(rules=("sd",), gammas=(2,), cost=0.25))
    assert row.acceptance.estimate == 0.5 and row.tokens.estimate == pytest.approx(1.75)
    assert row.speedup.estimate == pytest.approx(1.75 / 1.5) and row.lossless and row.bits is None
    assert row.pays_from == pytest.approx((3**0.5 - 1) / 2)  # a + a^2 = 2/4
    assert np.isnan(row.speedup.low)


def test_the_best_number_of_drafts_is_the_best_of_all() -> None:
    (row,) = advise(HAND, Plan(rules=("sd",), cost=0.05))
    assert row.gamma == GAMMAS[int(np.argmax(row.speeds))] and row.speedup.estimate == max(row.speeds)
    assert row.gamma == 3  # (1 + 1/2 + 1/4 + 1/8) / 1.15 beats 1.75 / 1.1 and 1.9375 / 1.2


def test_rules_that_change_the_text_are_told_apart_and_never_advised() -> None:
    made = advise(HAND, Plan(rules=("sd", "ears:1")))
    assert [row.lossless for row in made] == [True, False] and made.best.rule == "sd"
    assert made[1].tv.estimate == 0.25
    assert "ears:1 reaches" in made.sentence() and "(TV)" in made.sentence()


def test_a_control_is_named_and_not_advised() -> None:
    """The mean law is the target's here: no draft model is needed, and its drafts cost nothing."""
    made = advise(HAND._replace(known=Known(mean=P[0])), Plan(rules=("sd", "unigram")))
    assert made.best.rule == "sd" and made[1].acceptance.estimate == 1
    assert "The control unigram reaches 17.00" in made.sentence()


def test_where_nothing_pays_it_says_so_and_what_would() -> None:
    made = advise(HAND, Plan(rules=("sd",), cost=0.6))
    assert made.sentence() == (
        "Do not draft: sd accepts 0.50 of its drafts; "
        "at a cost of 0.6 target steps per draft token drafting pays from an acceptance rate of 0.60."
    )
    assert "no acceptance rate pays" in advise(HAND, Plan(rules=("sd",), cost=1.5)).sentence()


@pytest.mark.parametrize("gamma", [1, 2, 5, 16])
def test_break_even_is_where_saving_is_cost(gamma) -> None:
    for cost in (0.05, 0.3, 0.9):
        alpha = break_even(gamma, cost)
        assert sum(alpha**i for i in range(1, gamma + 1)) == pytest.approx(gamma * cost)
        assert alpha >= cost - 1e-12


def test_a_wire_costs_time() -> None:
    """Three tokens as numbers are 96 bits: on a wire of 960 bits a call a draft costs 0.1 more; one token is 2 bits."""
    made = advise(HAND, Plan(rules=("sd", "greedy"), gammas=(1,), cost=0.1, link=960))
    assert [row.bits.estimate for row in made] == [96, 2]
    assert made[0].speedup.estimate == pytest.approx(1.5 / 1.2)
    assert made[1].speedup.estimate == pytest.approx(1 / (1.1 + 2 / 960))
    assert "bits" in made.columns and "bits" not in advise(HAND, Plan(rules=("sd",))).columns
    assert default_rules(HAND, link=960)[-2:] == ("sqs:3,100", "csqs:0.01,100")


def test_pruning_by_hand() -> None:
    """Two of three tokens are kept: the draft is (1/2, 1/2) on them, which is the target."""
    pairs = HAND._replace(known=Known(mean=np.array([0.4, 0.4, 0.2])))
    assert truncated(pairs, pruned=0.7).q.tolist() == [[0.5, 0.5, 0]]
    made = advise(pairs, Plan(pruned=0.7, gammas=(1,)))
    assert made[0].rule == "tli" and made[0].acceptance.estimate == 1 and made.apart


def test_rules_by_row_are_measured_in_the_order_of_the_text() -> None:
    """Two texts of two neighbours, given backwards: after 1 comes 1 in the first, after 0 comes 0 in the second."""
    p = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    known = Known(text=[[1, 1, 1], [1, 1], [0, 0, 0], [0, 0]], pivots=np.array([[True, True]] * 3 + [[False, False]]))
    given = Pairs(p, p[:, ::-1], np.array([0, 0, 1, 1]), "two", known, np.array([2, 1, 2, 1]))
    looked, kept, block = advise(given, Plan(rules=("prompt-lookup", "pad", "block"), gammas=(1, 2)))
    assert looked.acceptance.estimate == pytest.approx((0.75 + 0.5 + 1 + 0) / 4) and looked.lossless
    assert kept.acceptance.estimate == pytest.approx((0.5 + 1 + 0 + 0) / 4)  # the last keeps all but what p never says
    assert block.lossless and block.independent is None and block.acceptance.estimate == 0.375
    assert default_rules(given)[:4] == ("sd", "greedy", "prompt-lookup", "block") and "pad" in default_rules(given)


def test_settings_and_top_p(tmp_path) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "z.npz", target=rng.normal(size=(6, 5)), draft=rng.normal(size=(6, 5)))
    made = advise(tmp_path / "z.npz", Plan(temperatures=(1.0, 0.0), top_ps=(1.0, 0.5)))
    assert [(row.temperature, row.top_p) for row in made if row.rule == "sd"] == [(1, 1), (1, 0.5), (0, 1), (0, 0.5)]
    assert len(made) == 6 + 3 * 2 and len(made.first) == 6
    cold = [row for row in made if row.temperature == 0 and row.rule == "sd"]
    assert cold[0].acceptance.estimate in {n / 6 for n in range(7)}  # each draft is right or wrong


def test_rows_are_read_in_the_order_of_the_text() -> None:
    p = np.eye(4)[[0, 1, 2, 3]] * 1.0
    mixed = Pairs(p, p, np.array([5, 3, 5, 3]), "mixed", position=np.array([2, 9, 1, 4]))
    read_in = mixed.in_order()
    assert read_in.document.tolist() == [3, 3, 5, 5] and read_in.position.tolist() == [4, 9, 1, 2]
    assert read_in.p.argmax(axis=1).tolist() == [3, 1, 2, 0]


def test_places_hold_the_whole_text() -> None:
    made = advise(read(synthetic(5), 0.5, 400), Plan(rules=("sd",), gammas=(1,)))
    assert made.places[0].first == 0 and made.places[-1].last == 49 and len(made.places) == 4
    mean = np.mean([place.acceptance.estimate for place in made.places])
    assert mean == pytest.approx(made[0].acceptance.estimate, abs=0.05) and made.adjacent > 0.9


def test_tables_for_other_programs() -> None:
    made = advise(HAND, Plan(rules=("sd", "ears:1"), gammas=(2,), cost=0.25))
    assert made.to_csv().splitlines()[1].startswith("sd,1.0,1.0,True,2,0.5,,,0.0")
    text = markdown(made)
    assert text.startswith("Draft 2 tokens") and "| sd | 1 | 1 | lossless | 2 |" in text
    assert ">ears:1</th>" in page(made) and page(made).startswith("<!doctype html>")
    frame = pytest.importorskip("pandas") and made.frame()
    assert frame["speedup"].tolist() == [row.speedup.estimate for row in made]


def test_it_shows_itself(tmp_path) -> None:
    made = advise(HAND, Plan(rules=("sd", "ears:1"), gammas=(1, 2), cost=0.25))
    assert made.to_csv(tmp_path / "made.csv") is None and (tmp_path / "made.csv").read_text() == made.to_csv()
    assert plot(made)._repr_png_()[1:4] == b"PNG" and len(plot(made).axes[0].get_lines()) >= 2
    assert "lossless" in str(html(made)) and repr(made).startswith("Advice(by hand: 1 contexts; sd, ears:1; Draft 1")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(gammas=()), "gammas: "),
        (Plan(gammas=(0,)), "gammas: "),
        (Plan(temperatures=()), "temperatures, top_ps: "),
        (Plan(top_ps=(0.0,)), "temperatures, top_ps: "),
        (Plan(cost=-1), "cost: -1"),
        (Plan(verify=float("nan")), "verify: nan"),
        (Plan(link=0), "link: 0"),
        (Plan(pruned=0), "pruned: 0"),
        (Plan(pruned=0.5), "pruned: 0.5; by hand has no mean distribution"),
        (Plan(temperatures=(0.5,)), "the source holds distributions, not logits"),
        (Plan(rules=("rdk",)), "'rdk' needs to know"),
        (["sd"], r"plan: \['sd'\]; expected a Plan, such as Plan\(rules=\('sd',\)\)"),
    ],
)
def test_plans_that_make_no_sense_are_refused(plan, message) -> None:
    with pytest.raises(ValueError, match=message):
        advise(HAND, plan)


@pytest.mark.parametrize(("link", "sent"), [(np.inf, 0.0), (960, 0.1)])
def test_the_time_of_a_call_that_drafts_several_tokens_a_level(link, sent) -> None:
    """Equal laws, so that all is accepted: 1 + 3 tokens in the time of 1 + 3 levels c + 6 nodes (v + sent).

    Every node is verified and its law of 3 tokens, 96 bits, is sent; the draft model is asked once a level.
    """
    equal = HAND._replace(q=P)
    (row,) = advise(equal, Plan(rules=("rrs:2",), gammas=(3,), cost=0.25, verify=0.0625, link=link))
    assert (row.levels, row.drafted, row.gamma) == (3, 6, 3) and row.tokens.estimate == pytest.approx(4)
    assert row.speedup.estimate == pytest.approx(4 / (1 + 3 * 0.25 + 6 * (0.0625 + sent)))
    assert row.speeds == (row.speedup.estimate,)


def test_the_number_of_levels_is_the_fastest_by_that_time() -> None:
    """Two siblings, equal laws: at v = 0.15 a level costs 0.05 + 0.3 and brings one token, at v = 0.6 more than it brings."""
    equal = HAND._replace(q=P)
    cheap, dear = (advise(equal, Plan(rules=("rrs:2",), gammas=(1, 4), cost=0.05, verify=v))[0] for v in (0.15, 0.6))
    assert cheap.gamma == 4 and cheap.speeds == pytest.approx((2 / 1.35, 5 / 2.4))
    assert dear.gamma == 1 and dear.speeds == pytest.approx((2 / 2.25, 5 / 6))


def test_the_time_of_a_tree_by_hand() -> None:
    """A one-hot target: of one draft 1/2 is accepted, of two without replacement all: 1 + 1 tokens for two nodes of a level."""
    pairs = Pairs(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]), np.array([0]), "one-hot")
    (row,) = advise(pairs, Plan(rules=("tree-swor",), gammas=(2,), cost=0.5, verify=0.125, link=640))
    assert (row.levels, row.drafted) == (1, 2) and row.tokens.estimate == pytest.approx(2)
    assert row.speedup.estimate == pytest.approx(2 / (1 + 0.5 + 2 * (0.125 + 64 / 640)))


def test_the_half_width_of_an_interval_is_printed() -> None:
    """Eight texts that accept 1/2 and 1 in turn: the table has the estimate and the longer side of its interval."""
    p = np.array([[0.5, 0.5, 0.0]] * 8)
    made = advise(
        Pairs(p, np.array([Q[0], P[0]] * 4), np.arange(8), "eight"), Plan(rules=("sd",), gammas=(1,), cost=0.25)
    )
    row, text = made[0], markdown(made)
    for value, digits in ((row.acceptance, 3), (row.tokens, 2), (row.speedup, 2)):
        assert value.high > value.low
        assert f"{value.estimate:.{digits}f} ±{longer_side(value):.{digits}f}" in text


def test_a_pruned_draft_keeps_one_token_at_least() -> None:
    pairs = HAND._replace(known=Known(mean=np.array([0.4, 0.5, 0.1])))
    assert truncated(pairs, pruned=1e-9).q.tolist() == [[0, 1, 0]]


def test_a_whole_nucleus_changes_nothing() -> None:
    assert truncated(HAND, top_p=1) is HAND and truncated(HAND, top_p=0.5) is not HAND


def test_where_no_rule_can_be_run_the_first_row_stands() -> None:
    assert runnable(made := advise(HAND, Plan(rules=("ears:1", "rrs:2"), gammas=(1,)))) is made[0]


def test_the_advice_at_another_cost_is_that_of_a_plan_with_this_cost() -> None:
    """A rule that drafts several tokens a level is left out."""
    pairs = synthetic(40)
    rules = ("sd", "greedy", "rrs:2")
    slow = advise(pairs, Plan(rules=rules, gammas=(1, 2, 3, 6), cost=0.9, verify=0.2))
    quick = advise(pairs, Plan(rules=rules, gammas=(1, 2, 3, 6), cost=0.1))
    there = slow.at_cost(0.1)
    assert [row.rule for row in there] == ["sd", "greedy"]
    for row, wanted in zip(there, quick, strict=False):
        assert (row.gamma, row.pays_from) == (wanted.gamma, pytest.approx(wanted.pays_from))
        assert row.speedup[:3] == pytest.approx(wanted.speedup[:3])
        assert row.tokens[:3] == pytest.approx(wanted.tokens[:3])
    assert slow.counted_sentence() == ""
    slow.counted_cost = 0.1
    assert slow.counted_sentence() == f"Counted, on an engine that memory limits: {there.sentence()}"
    assert slow.counted_sentence() in markdown(slow) and slow.counted_sentence() in page(slow)
