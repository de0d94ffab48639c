"""Several drafts of one target: by hand, beside `rates`, how sure the best one is, and what is refused."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from simspec.notebook import html
from simspec.tools.drafters import draft_rates, load_drafts, named_drafts, run_policies
from simspec.tools.drafters.compute import confidence_of, difference_means
from simspec.tools.drafters.show import best_sentence, json_text, print_drafts, print_policies
from simspec.tools.rates import rates
from simspec.tools.reading import Pairs
from tests.small_banks import write_small_bank

HALF = np.array([[0.5, 0.5]] * 6)
SURE = np.array([[1.0, 0.0]] * 6)
NEAR = np.array([[0.75, 0.25]] * 6)


def test_three_drafts_by_hand() -> None:
    """p = (1/2, 1/2): q = p is accepted always, (3/4, 1/4) with 3/4, (1, 0) with 1/2."""
    table = draft_rates({"p": HALF}, {"sure": SURE, "same": HALF, "near": NEAR}, gamma=1, cost=0.25)
    assert [row.values["acceptance"].estimate for row in table] == [0.5, 1, 0.75]
    assert [row.values["speedup"].estimate for row in table] == pytest.approx([1.2, 1.6, 1.4])
    assert [(first, second, value.estimate) for first, second, value in table.differences] == [
        ("sure", "same", -0.5),
        ("sure", "near", -0.25),
        ("same", "near", 0.25),
    ]
    assert table.best == "same" and table.comparison.accepted.tolist() == [[0.5, 1, 0.75]] * 6


@pytest.mark.parametrize("rule", ["sd", "ears:0.1", "rrs:2"])
def test_a_row_is_what_rates_says_of_that_draft_alone(rule) -> None:
    rng = np.random.default_rng(0)
    p, *drafts = rng.dirichlet(np.ones(4), size=(3, 12))
    document = np.arange(12) // 2
    table = draft_rates({"p": p, "q": drafts[0], "document": document}, {"second": drafts[1]}, rule)
    assert [row.name for row in table] == ["own", "second"] and table.comparison.rule == rule
    for row, q in zip(table, drafts, strict=True):
        (alone,) = rates(Pairs(p, q, document, "by hand"), [rule])
        for name, interval in row.values.items():
            if interval is None:
                assert alone.values[name] is None
            else:
                assert tuple(interval) == pytest.approx(tuple(alone.values[name]), rel=1e-12, nan_ok=True)


def test_differences_are_paired_and_hold_together() -> None:
    """Contexts differ by far more than drafts do: the difference is the same 0.01 at each, so its interval is narrow."""
    rng = np.random.default_rng(1)
    first = rng.uniform(0.1, 0.9, size=20)
    p = np.stack([first, 1 - first], axis=1)
    drafts = {f"off by {off}": np.stack([first - off, 1 - first + off], axis=1) for off in (0.01, 0.02, 0.03)}
    table = draft_rates({"p": p}, drafts)
    interval = table.differences[0].interval
    assert interval.estimate == pytest.approx(0.01) and 0 < interval.low < 0.01 and interval.high == pytest.approx(0.01)
    wide = table[0].values["acceptance"]
    assert wide.high - wide.low > interval.high - interval.low
    values = table.comparison.accepted[:, :1] - table.comparison.accepted[:, 1:2]
    (together,) = difference_means(values, np.arange(20), 1 - 0.05 / 3)
    (alone,) = difference_means(values, np.arange(20), 0.95)
    assert interval.low == pytest.approx(together.low) and together.low < alone.low


def test_the_confidence_is_the_level_at_which_the_lowest_end_is_0() -> None:
    rng = np.random.default_rng(2)
    accepted = np.clip(rng.normal([0.6, 0.5, 0.45], 0.1, size=(30, 3)), 0, 1)
    document = np.arange(30)
    confidence = confidence_of(accepted, document, 0)
    assert confidence is not None and 0 < confidence < 1
    for level, is_above in ((confidence - 1e-6, True), (confidence + 1e-6, False)):
        values = accepted[:, :1] - accepted[:, 1:]
        lows = [interval.low for interval in difference_means(values, document, 1 - (1 - level) / 3)]
        assert (min(lows) > 0) == is_above


def false_alarms(contexts: int, labels, trials: int = 120) -> float:
    """Share of comparisons of three drafts, equal in truth, that are sure of a best one at 95 %.

    Twenty documents; what a document does to a draft is the same in all of its contexts.
    """
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(trials):
        effects = np.repeat(rng.normal(0, 0.1, size=(20, 3)), contexts, axis=0)
        accepted = np.clip(0.5 + effects + rng.normal(0, 0.02, size=effects.shape), 0, 1)
        leader = int(accepted.mean(axis=0).argmax())
        alarms += (confidence_of(accepted, labels, leader) or 0) >= 0.95
    return alarms / trials


def test_equal_drafts_are_told_apart_no_more_often_than_the_level_says() -> None:
    """At most 5 % of comparisons; of 120 more than 11 % with probability 0.2 %.  Rows taken for documents raise far more."""
    assert false_alarms(20, np.repeat(np.arange(20), 20)) <= 0.11
    assert false_alarms(20, np.arange(400)) > 0.2  # the negative control


def test_a_draft_that_is_better_everywhere_is_sure_and_ties_are_not() -> None:
    better = draft_rates(
        {"p": np.repeat(HALF, 4, axis=0)}, {"near": np.repeat(NEAR, 4, axis=0), "sure": np.repeat(SURE, 4, axis=0)}
    )
    assert better.best == "near" and better.confidence > 0.999
    assert "above every other draft up to a level above 99.99%" in best_sentence(better)
    tie = draft_rates({"p": HALF}, {"a": NEAR, "b": NEAR, "c": SURE})
    assert tie.confidence == 0 and best_sentence(tie).endswith("above every other draft at no level")
    few = draft_rates({"p": HALF[:4]}, {"a": NEAR[:4], "b": SURE[:4]})
    assert few.confidence is None and "no intervals: 4 rows are too few" in best_sentence(few)


def test_five_documents_alone_do_not_make_sure() -> None:
    """All differences are 1/4: a document that was not seen may have none, so five do not reach the level of twenty."""
    levels = []
    for count in (5, 20):
        accepted = np.tile([0.75, 0.5], (count, 1))
        levels.append(confidence_of(accepted, np.arange(count), 0))
    assert 0.9 < levels[0] < levels[1]


def test_drafts_from_files_places_and_arrays_are_the_same(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with np.errstate(divide="ignore"):
        np.savez("pair.npz", target=np.log(HALF), draft=np.log(NEAR))
        np.savez("second.npz", draft=np.log(SURE))
    np.savez("target.npz", p=HALF, document=np.arange(6) // 2)
    np.savez("third.npz", q=SURE, p=HALF)
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nsure = np.array([[1.0, 0.0]] * 6)\n\n\ndef made():\n    return {'q': sure}\n"
    )
    for source, drafts in (
        ("pair.npz", ["second.npz"]),
        ("target.npz", ["third.npz", "mine.py:made"]),
        ("target.npz", ["mine.py:sure", "x=mine.py:made"]),
        ((HALF, NEAR), {"y": SURE}),
    ):
        loaded = load_drafts(source, drafts)
        last = list(loaded.values())[-1]
        np.testing.assert_allclose(last.q, SURE)
        np.testing.assert_allclose(last.p, HALF)
    assert list(load_drafts("pair.npz", ["second.npz"])) == ["pair", "second"]
    assert load_drafts("target.npz", ["a=third.npz", "mine.py:sure"])["a"].document.tolist() == [0, 0, 1, 1, 2, 2]


def test_drafts_in_documents_and_positions(tmp_path) -> None:
    """Arrays (documents, positions, V) of target and drafts are rows in the same order."""
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet(np.ones(3), size=(2, 4, 5))
    loaded = load_drafts({"p": p}, {"a": q, "b": {"q": p}})
    np.testing.assert_array_equal(loaded["a"].q, q.reshape(-1, 3))
    assert loaded["a"].document.tolist() == np.repeat(np.arange(4), 5).tolist()


def test_banks_of_the_same_contexts(tmp_path) -> None:
    """A bank beside a copy of itself in another file, a bank over more contexts, and one of another target."""
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
    bank = write_small_bank(tmp_path / "a", vocab=12)
    copy = write_small_bank(tmp_path / "b", vocab=12)
    table = draft_rates(bank, [f"copy={copy}"])
    assert [row.name for row in table] == ["small-12", "copy"] and table.differences[0].interval[:3] == (0, 0, 0)
    with pytest.raises(
        ValueError, match="draft 'more': 27 contexts where the target has 24; expected the same contexts"
    ):
        draft_rates(bank, [f"more={write_small_bank(tmp_path / 'c', vocab=12, contexts=27)}"])
    rng = np.random.default_rng(5)
    np.savez(tmp_path / "other.npz", target=rng.normal(size=(24, 12)), draft=rng.normal(size=(24, 12)))
    with pytest.raises(
        ValueError, match="draft 'other': its target differs from that of 'small-12' by a total variation"
    ):
        draft_rates(bank, [str(tmp_path / "other.npz")])


@pytest.mark.parametrize(
    ("source", "drafts", "message"),
    [
        (
            {"p": HALF},
            {"a": NEAR},
            r"drafts: only 'a'; expected two or more to compare \(`simspec rates FILE` measures",
        ),
        ({"p": HALF}, {}, "drafts: none; expected two or more to compare"),
        (
            {"p": HALF},
            ["x/a.npz", "y/a.npz"],
            "drafts: two are named 'a'; expected names that differ, such as a-2=y/a.npz",
        ),
        ({"p": HALF}, ["a.npz", "b=a.npz"], "drafts: 'a.npz' is listed twice; expected each draft once"),
        ({"p": HALF, "q": NEAR}, {"own": SURE}, "drafts: 'own' is the name of the source's own draft"),
        (
            {"p": HALF, "q": NEAR},
            {"b": np.full((6, 4), 0.25)},
            "draft 'b': distributions over 4 tokens where the target has 2",
        ),
        (
            {"p": HALF, "q": NEAR},
            {"b": SURE[:5]},
            "draft 'b': 5 contexts where the target has 6; expected the same contexts",
        ),
        (
            {"p": HALF, "q": NEAR},
            {"b": {"p": NEAR, "q": SURE}},
            "draft 'b': its target .* total variation of 0.25 at row 0",
        ),
        (
            {"p": HALF, "q": NEAR},
            {"b": {"x": SURE}},
            r"draft 'b': holds x; expected q \(distributions\) or draft \(logits\)",
        ),
        ({"p": HALF, "q": NEAR}, {"b": SURE - 1}, "q: row 0 holds -1 at token 1"),
        ({"p": HALF, "q": NEAR}, {"b": {"draft": SURE}}, "rows of target and draft sum to 1"),
        ({"p": HALF, "q": NEAR}, {"b": "missing.npz"}, "missing.npz"),
        ({"x": HALF}, {"a": NEAR, "b": SURE}, "holds x; expected p and q, or target and draft"),
    ],
)
def test_bad_drafts_are_refused_with_the_cure(source, drafts, message) -> None:
    with pytest.raises(ValueError, match=message):
        draft_rates(source, drafts)


def test_options_are_refused() -> None:
    drafts = {"a": NEAR, "b": SURE}
    with pytest.raises(
        ValueError, match="rule: 'block' judges the drafts of a step together; expected a rule of single"
    ):
        draft_rates({"p": HALF}, drafts, "block")
    with pytest.raises(ValueError, match="temperature: 0.5; draft 'a' holds distributions"):
        load_drafts({"target": np.log(NEAR)}, drafts, 0.5)


HOSTILE = "\x1b]0;owned\x07[red]<script>alert(1)</script>\n‮"


def test_hostile_names_are_inert(capsys) -> None:
    table = draft_rates({"p": HALF}, {HOSTILE: NEAR, "b": SURE})
    policies = run_policies(table, ["leader", "ucb"], orders=2)
    print_drafts(table, 4, 0.1)
    print_policies(policies)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\x07" not in printed and "‮" not in printed and "[red]" in printed
    for page in (html(table), html(policies)):
        assert page is not None and "<script>" not in page and "\x1b" not in page
    assert "&lt;script&gt;" in html(table)
    facts = json.loads(json_text(table, policies))
    assert facts["drafts"][0]["draft"] == facts["best"] == HOSTILE
    with pytest.raises(ValueError, match="draft ") as error:
        draft_rates({"p": HALF}, {HOSTILE: NEAR[:2], "b": SURE})
    assert "\x1b" not in str(error.value) and "\n" not in str(error.value)


def test_json_has_every_number() -> None:
    table = draft_rates({"p": HALF}, {"near": NEAR, "sure": SURE})
    facts = json.loads(json_text(table, run_policies(table, ["explore:1"], orders=4, seed=5)))
    assert facts["rule"] == "sd" and facts["best"] == "near" and facts["confidence"] == table.confidence
    assert facts["drafts"][1]["acceptance"]["estimate"] == 0.5
    assert facts["differences"][0]["estimate"] == 0.25 and len(facts["differences"][0]["interval"]) == 2
    assert facts["policies"][0]["policy"] == "explore:1" and not facts["policies"][0]["reads_all_drafts"]
    assert facts["policies"][0]["fixed"]["estimate"] == pytest.approx(0.25 / 6)
    assert (facts["orders"], facts["seed"]) == (4, 5)


def test_tables_are_lists_frames_and_pickles(tmp_path) -> None:
    table = draft_rates(write_small_bank(tmp_path, vocab=12), {"flat": np.full((24, 12), 1 / 12)})
    policies = run_policies(table, orders=3)
    pytest.importorskip("pandas")
    assert table.frame()["draft"].tolist() == [row.name for row in table] == ["small-12", "flat"]
    assert policies.frame()["policy"].tolist() == ["leader", "hedge", "share", "explore", "ucb"]
    again = pickle.loads(pickle.dumps(policies))
    assert repr(again) == repr(policies) and again.records() == policies.records()
    assert repr(pickle.loads(pickle.dumps(table)).records()) == repr(table.records())


def test_one_draft_is_a_word_and_a_path_may_hold_an_equals_sign(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lr=1").mkdir()
    np.savez("lr=1/q.npz", q=SURE)
    assert list(load_drafts({"p": HALF, "q": NEAR}, "lr=1/q.npz")) == ["own", "q"]
    assert named_drafts(["b=lr=1/q.npz"]) == {"b": "lr=1/q.npz"}


def test_names_from_words() -> None:
    assert named_drafts(["a.safetensors", "wiki", "=b.npz"]) == {"a": "a.safetensors", "wiki": "wiki", "=b": "=b.npz"}
