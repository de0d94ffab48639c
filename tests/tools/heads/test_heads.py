"""Heads from recorded laws: by hand, beside `rates` on a real pair, simulated, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from simspec import cli
from simspec.engine.estimates.halves import choosing_rows
from simspec.methods.tree.best import accepted_drafts
from simspec.tools.heads import (
    HeadOptions,
    best_gamma,
    best_head_tree,
    head_rates,
    head_shares,
    holds_heads,
    load_heads,
)
from simspec.tools.heads.show import advice_sentences, json_text, print_heads, tree_sentence
from simspec.tools.heads.trees import accepted_by_cluster
from simspec.tools.rates import rates
from simspec.tools.reading import load

HEADS = np.array([[[0.5, 0.5], [0.75, 0.25]]] * 8)
"""Eight blocks of two heads."""
TOKENS = np.array([[0, 0]] * 6 + [[1, 1]] * 2)
"""Texts of a target that draws token 0 with 3/4 and repeats it, each as often as it is likely."""
P = np.array([[[0.75, 0.25], row] for row in np.eye(2)[TOKENS[:, 0]]])
AFTER = np.array([np.eye(2)] * 8)
FALSE_ALARM = 1e-4
"""Of each simulation of intervals: the probability of more misses than are allowed, if they hold their level exactly."""


def estimates(rows, name):
    return [row.values[name].estimate for row in rows]


def test_a_target_that_repeats_its_first_token_by_hand() -> None:
    """3/4 and 5/8 after the text's own tokens; both are accepted with 7/16, the second by the best draft with 3/4."""
    rows = head_rates({"p": P, "heads": HEADS, "tokens": TOKENS, "after": AFTER}, HeadOptions(cost=0.25))
    assert estimates(rows, "acceptance") == [0.75, 0.625]
    assert estimates(rows, "survival") == [0.75, 0.4375]
    assert estimates(rows, "independent") == [0.75, 0.46875]
    assert estimates(rows, "tokens") == [1.75, 2.1875]
    assert estimates(rows, "speedup") == [1.4, 1.75]
    assert [row.bounds for row in rows] == [(0.75, 0.75), (0.375, 0.625)]
    parallel = rows.parallel
    assert {name: value.estimate for name, value in parallel.values.items()} == {
        "head": 0.625,
        "marginal": 0.625,
        "best": 0.75,
    }
    assert parallel.survival.estimate == 0.4375 and parallel.gap == 0


def test_without_tokens_lengths_are_those_of_independence() -> None:
    rows = head_rates({"p": P, "heads": HEADS})
    assert rows[0].values["survival"] is None and estimates(rows, "tokens") == [1.75, 2.21875]
    assert json.loads(json_text(rows))["unbiased"] is False
    assert advice_sentences(rows)[-1].startswith("Lengths are those of acceptance that does not depend")


def test_one_head_is_the_draft_of_rates_on_a_real_pair() -> None:
    pairs = load("stories")
    (expected,) = rates(pairs, ["sd"], gamma=1)
    (row,) = head_rates({"p": pairs.p[:, None], "heads": pairs.q[:, None], "document": pairs.document})
    for name in ("acceptance", "tokens", "speedup"):
        assert row.values[name] == pytest.approx(expected.values[name], rel=1e-12), name
    wrong = head_rates({"p": pairs.p[:, None], "heads": np.roll(pairs.q, 1, axis=0)[:, None]})  # a planted error
    assert wrong[0].values["acceptance"].high < expected.values["acceptance"].estimate


def markov(blocks: int, rng):
    """Blocks of three positions of a Markov target over five tokens, and heads that are its marginals."""
    table = rng.dirichlet(np.full(5, 0.4), size=5)
    context = rng.integers(5, size=blocks)
    q = np.stack([np.linalg.matrix_power(table, step)[context] for step in (1, 2, 3)], axis=1)
    laws = []
    tokens = []
    for _ in range(3):
        laws.append(table[context])
        context = (laws[-1].cumsum(axis=1) > rng.uniform(size=(blocks, 1))).argmax(axis=1)
        tokens.append(context)
    return table, np.stack(laws, axis=1), q, np.stack(tokens, axis=1)


def decoded(table, q, rng):
    """Share of blocks of which the first 1, 2, 3 drafts are accepted, decoded token by token with the same heads."""
    context = None
    is_alive = np.ones(len(q), dtype=bool)
    shares = []
    for position in range(3):
        drafts = (q[:, position].cumsum(axis=1) > rng.uniform(size=(len(q), 1))).argmax(axis=1)
        # the first head is the target's own law, so the context before the block need not be known
        target = q[:, 0] if context is None else table[context]
        rows = np.arange(len(q))
        is_alive = is_alive & (rng.uniform(size=len(q)) * q[rows, position, drafts] < target[rows, drafts])
        shares.append(is_alive.mean())
        context = drafts
    return np.array(shares)


def test_survival_is_what_decoding_accepts() -> None:
    """By Hoeffding's inequality both means of values in [0, 1] are within `error` but for `FALSE_ALARM`, three positions each."""
    rng = np.random.default_rng(3)
    table, p, q, tokens = markov(40_000, rng)
    rows = head_rates({"p": p, "heads": q, "tokens": tokens})
    shares = decoded(table, q, rng)
    error = 2 * np.sqrt(np.log(2 * 6 / FALSE_ALARM) / (2 * len(q)))
    assert np.abs(np.array(estimates(rows, "survival")) - shares).max() < error
    swapped = head_rates({"p": p, "heads": q[:, [1, 0, 2]], "tokens": tokens})  # the negative control
    assert np.abs(np.array(estimates(swapped, "survival")) - shares).max() > error


def test_rows_along_a_text_are_blocks() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=7)
    q = rng.dirichlet(np.ones(3), size=(5, 2))
    tokens = rng.integers(3, size=7)
    along = load_heads({"p": p, "heads": q, "tokens": tokens})
    blocks = load_heads(
        {"p": np.stack([p[:5], p[1:6]], axis=1), "heads": q, "tokens": np.stack([tokens[:5], tokens[1:6]], 1)}
    )
    np.testing.assert_array_equal(along.p, blocks.p)
    np.testing.assert_array_equal(along.tokens, blocks.tokens)
    assert set(along.document) == {0} and len(set(blocks.document)) == 5
    shorter = load_heads({"p": p[:6], "heads": q, "tokens": tokens[:6]})
    np.testing.assert_array_equal(shorter.p, along.p)


def test_logits_and_laws_are_the_same() -> None:
    laws = load_heads({"p": HEADS, "heads": HEADS})
    logits = load_heads({"target": np.log(HEADS) + 1, "heads": np.log(HEADS) - 2})
    np.testing.assert_allclose(logits.p, laws.p)
    cold = load_heads({"target": np.log(HEADS) + 1, "heads": np.log(HEADS)}, temperature=0.5)
    np.testing.assert_allclose(cold.q[0, 1], [0.9, 0.1])


def test_the_best_number_of_heads() -> None:
    """A third head that is never accepted, at a cost for each verified token: 2 heads, told from 0, 1 and 3."""
    p = np.repeat([[[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]], 8, axis=0)
    q = np.repeat([[[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]], 8, axis=0)
    best = best_gamma(head_rates({"p": p, "heads": q}, HeadOptions(cost=0.25, verify=0.125)))
    assert best.gamma == 2 and best.speedup.estimate == 2 and best.rivals == []
    few = best_gamma(head_rates({"p": p[:4], "heads": q[:4]}))
    assert few.gamma == 2 and few.rivals == [0, 1, 3]
    long = best_gamma(head_rates({"p": p, "heads": q}, HeadOptions(cost=0.25, verify=0.125, fewest=3)))
    assert long.gamma == 3 and long.compared == [0, 3]
    dear = head_rates({"p": p, "heads": q}, HeadOptions(cost=5))
    assert best_gamma(dear).gamma == 0 and advice_sentences(dear)[0].startswith("Do not draft")


def test_shares_of_trees_by_depth() -> None:
    shares = head_shares(load_heads({"p": P, "heads": HEADS}), 2)
    assert shares.rates.tolist() == [[0.75, 0.25], [0.75, 0.25]]
    assert [half.tolist() for half in shares.halves] == [[[0.75, 0.25], [0.75, 0.25]]] * 2


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"heads": HEADS}, r"heads without p \(distributions\) or target \(logits\); expected both: np.savez"),
        ({"p": P}, "holds p; expected p .or target. and heads: np.savez"),
        ({"p": P, "heads": HEADS[:, 0]}, r"heads: shape \(8, 2\); expected \(blocks, positions, V\); one head is"),
        (
            {"p": P[:7], "heads": HEADS},
            r"p: shape \(7, 2, 2\); expected \(8, 2, 2\) or \(8, 3, 2\) by block, or \(9, 2\)",
        ),
        ({"p": np.full((8, 2, 4), 0.25), "heads": HEADS}, "p: distributions over 4 tokens, heads over 2"),
        (
            {"p": P, "heads": HEADS - 1},
            "heads: holds -0.75, as logits do; expected distributions in p and heads, or logits in",
        ),
        ({"target": P, "heads": np.log(HEADS)}, "target: rows sum to 1, so they are distributions"),
        ({"p": P, "heads": HEADS, "tokens": TOKENS + 0.5}, r"tokens: float64, shape \(8, 2\); expected integers"),
        ({"p": P, "heads": HEADS, "tokens": TOKENS[:, 0]}, r"tokens: int64, shape \(8,\); expected integers of shape"),
        ({"p": P, "heads": HEADS, "tokens": TOKENS + 1}, "tokens: holds 2; expected tokens from 0 to 1"),
        ({"p": P, "heads": HEADS, "document": [0]}, r"document: shape \(1,\); expected one entry for each of 8 blocks"),
        ({"p": P[0], "heads": HEADS[:1], "document": [0, 1]}, "document: shape"),
        (
            {"p": np.full((9, 2), 0.5), "heads": HEADS, "document": range(8)},
            "document: names several documents where p is",
        ),
        ({"p": P, "heads": HEADS, "after": AFTER[0]}, r"after: shape \(2, 2\); expected \(8, 2, 2\)"),
        (
            {"p": P, "heads": HEADS, "tokens": TOKENS, "after": AFTER[:, ::-1]},
            "after: after the text's own token 0 at block 0 its law differs from that of p by a total variation of 1",
        ),
    ],
)
def test_bad_arrays_are_refused_with_the_cure(arrays, message) -> None:
    with pytest.raises(ValueError, match=message):
        load_heads(arrays)


def test_other_refusals() -> None:
    with pytest.raises(ValueError, match="gamma: 3; arrays at hand has 2 heads, expected a number from 1 to 2"):
        head_rates({"p": P, "heads": HEADS}, HeadOptions(gamma=3))
    with pytest.raises(ValueError, match="fewest: 2; expected a number of drafts from 1 to 1"):
        head_rates({"p": P, "heads": HEADS}, HeadOptions(gamma=1, fewest=2))
    with pytest.raises(ValueError, match="verify: inf; expected time / time of a target step, finite and 0 or more"):
        head_rates({"p": P, "heads": HEADS}, HeadOptions(verify=float("inf")))
    with pytest.raises(ValueError, match="temperature: 0.5; arrays at hand holds distributions, not logits"):
        load_heads({"p": P, "heads": HEADS}, 0.5)
    with pytest.raises(ValueError, match="tokens: the target gives token 1 at row 0, position 2, no mass"):
        head_rates({"p": P, "heads": HEADS, "tokens": TOKENS[:, ::-1] ^ [[0, 1]]})
    with pytest.raises(ValueError, match=r"holds a bank; expected p \(or target\) and heads"):
        load_heads("wiki")


@pytest.fixture
def home(tmp_path, monkeypatch):
    np.savez(tmp_path / "heads.npz", p=P, heads=HEADS, tokens=TOKENS, after=AFTER, document=np.arange(8) // 2)
    np.savez(tmp_path / "plain.npz", p=P, heads=HEADS)
    np.savez(tmp_path / "pair.npz", p=P[:, 0], q=HEADS[:, 0])
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n\nwith open('runs', 'a') as file:\n    file.write('x')\n\n"
        "def laws():\n    return dict(np.load('plain.npz'))\n\n"
        "def pair():\n    return dict(np.load('pair.npz'))\n"
    )
    monkeypatch.chdir(tmp_path)


def test_the_command_prints_tables_and_json(home, capsys) -> None:
    assert [holds_heads(name) for name in ("heads.npz", "mine.py:laws", "pair.npz", "no.npz")] == [
        True,
        True,
        False,
        False,
    ]
    assert cli.main(["rates", "heads.npz"]) == 0
    out = capsys.readouterr().out
    for words in (
        "heads.npz: 8 blocks of 2 positions over 2 tokens",
        "0.438",
        "certificate of the best one: none is better, at any block",
        "no intervals: 4 documents are too few",
    ):
        assert words in out, words
    assert cli.main(["rates", "mine.py:laws", "--gamma", "1"]) == 0
    out = capsys.readouterr().out
    assert "bounds: of the probability" in out and "0.750 to 0.750" in out and "interval over 8 blocks" in out
    assert cli.main(["rates", "plain.npz", "--json", "--cost", "0.25"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["positions"][1]["acceptance"]["estimate"] == 0.625 and facts["second_position"] is None
    assert facts["best"]["gamma"] == 2 and facts["positions"][1]["bounds"] == [0.375, 0.625]


def test_trees_of_heads(home, capsys) -> None:
    assert cli.main(["trees", "heads.npz", "--nodes", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rates"][0][:2] == [0.75, 0.25] and facts["trees"][-1]["best"] == 1.3125
    assert facts["trees"][-1]["held out"] is not None
    assert cli.main(["trees", "heads.npz", "--rule", "iid"]) == 2
    assert "--rule: 'iid'; heads.npz holds heads, whose most likely tokens are the children" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rule", "ears:0.1"], "--rule: does nothing with heads.npz, which holds heads (save one head as q beside p"),
        *(
            (option, f"{option[0]}: does nothing with heads.npz, which holds heads")
            for option in (
                ["--drafts", "pair.npz"],
                ["--policy", "all"],
                ["--plot", "rates.svg"],
                ["--contexts", "10"],
                ["--orders", "10"],
                ["--seed", "1"],
                ["--chat-length", "8"],
                ["--statistics-text", "pair.npz"],
            )
        ),
        (["--gamma", "3"], "gamma: 3; heads.npz has 2 heads, expected a number from 1 to 2"),
        (["--cost", "-1"], "--cost: -1.0; expected draft time / target time, finite and 0 or more"),
        (["--temperature", "0.5"], "temperature: 0.5; heads.npz holds distributions, not logits; expected 1"),
    ],
)
def test_options_are_refused(home, options, message, capsys) -> None:
    assert cli.main(["rates", "heads.npz", *options]) == 2
    assert message in capsys.readouterr().err


def test_hostile_names_are_inert(capsys) -> None:
    rows = head_rates({"p": P, "heads": HEADS})
    print_heads(
        type(rows)(
            rows, rows.measured.__class__(**{**vars(rows.measured), "heads": rows.heads._replace(source="\x1b[red]")})
        )
    )
    out = capsys.readouterr().out
    assert "\x1b" not in out and "[red]" in out


def test_advice_on_heads(home, capsys) -> None:
    """Two heads at a quarter of a step and an eighth a token: 2.1875 tokens in 1.5 steps; JSON has the tree too."""
    assert cli.main(["advise", "heads.npz", "--cost", "0.25", "--verify-cost", "0.125"]) == 0
    out = capsys.readouterr().out
    assert "Draft 2 tokens per target step: mean acceptance length 2.19, 1.46 times the target's speed." in out
    assert "of the heads' most likely tokens: mean acceptance length" in out
    assert "no intervals: 4 documents are too few, one half chooses and the other judges" in out
    assert cli.main(["advise", "plain.npz", "--gamma", "1", "--json", "-"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["positions"]) == 1 and facts["tree"]["levels"] == 1 and facts["best"]["compared"] == [0, 1]
    assert cli.main(["advise", "plain.npz", "--gamma", "2-2", "--json", "facts.json"]) == 0
    assert "Draft 2 tokens" in capsys.readouterr().out
    assert json.loads(Path("facts.json").read_text())["best"]["compared"] == [0, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gamma", "1-3"], "--gamma: '1-3'; plain.npz has 2 heads, expected numbers from 1 to 2"),
        (["--temperature", "1", "--temperature", "0.7"], "--temperature: 1, 0.7; expected one of them with plain.npz"),
        (["--cost", "-1"], "cost: -1.0; expected time / time of a target step, finite and 0 or more"),
        *(
            (option, f"{option[0]}: does nothing with plain.npz, which holds heads")
            for option in (
                ["--rule", "sd"],
                ["--top-p", "0.9"],
                ["--policy", "all"],
                ["--steps", "steps.csv"],
                ["--link", "1000"],
                ["--pruned", "0.5"],
                ["--contexts", "100"],
                ["--neighbours", "4"],
                ["--window", "64"],
                ["--tuning", "8"],
                ["--statistics", "8"],
                ["--chat-length", "8"],
                ["--run-prompts", "4"],
                ["--length", "4"],
                ["--plot", "speed.svg"],
                ["--html", "rows.html"],
            )
        ),
    ],
)
def test_options_that_do_nothing_are_refused(home, options, message, capsys) -> None:
    assert cli.main(["advise", "plain.npz", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("words", [["rates", "mine.py:laws"], ["advise", "mine.py:laws"], ["trees", "mine.py:laws"]])
def test_code_of_a_user_is_executed_once(home, words, capsys) -> None:
    assert cli.main(words) == 0
    assert "mine.py:laws" in capsys.readouterr().out
    assert Path("runs").read_text() == "x"


@pytest.mark.parametrize(
    "words", [["rates"], ["trees", "--nodes", "2"], ["advise", "--temperature", "1", "--rule", "sd"]]
)
def test_a_pair_in_code_is_executed_once_too(home, words, capsys) -> None:
    assert cli.main([words[0], "mine.py:pair", *words[1:]]) == 0
    assert "mine.py:pair" in capsys.readouterr().out
    assert Path("runs").read_text() == "x"


def simulated(documents: int, gamma: int, rng, *, rows: int = 10):
    """Blocks of documents of some rows; head i is accepted with 1 - 2 (i + 1)/10 ± 1/10, as the document has it.

    The target is sure of one token, so that the head's first child is accepted as often as the head.
    """
    drafted = 1 - 0.2 * np.arange(1, gamma + 1) + rng.uniform(-0.1, 0.1, size=(documents, gamma))
    drafted = np.repeat(drafted, rows, axis=0)
    q = np.stack([drafted, 1 - drafted], axis=-1)
    p = np.broadcast_to([1.0, 0.0], q.shape)
    return p, q


def misses(trials: int, documents: int, *, by_document: bool = True) -> np.ndarray:
    """How many intervals of the chosen number and of the chosen tree miss their true speeds, and how often the best is left out.

    Heads draw independently, so that survival is a product of means.  Costs make the speeds of the numbers nearly equal.
    """
    rng = np.random.default_rng(0)
    gamma = 3
    options = HeadOptions(cost=0.3, verify=0.44)
    means = 1 - 0.2 * np.arange(1, gamma + 1)
    lengths = 1 + np.cumsum(np.cumprod(means))
    speeds = np.concatenate([[1.0], lengths / (1 + 0.3 + 0.44 * np.arange(1, gamma + 1))])
    count = np.zeros(2, dtype=int)
    for _ in range(trials):
        p, q = simulated(documents, gamma, rng)
        document = np.repeat(np.arange(documents), 10) if by_document else np.arange(10 * documents)
        best = best_gamma(head_rates({"p": p, "heads": q, "document": document}, options))
        count[0] += not best.speedup.low <= speeds[best.gamma] <= best.speedup.high
        count[1] += int(speeds.argmax()) not in {best.gamma, *best.rivals}
    return count


@pytest.mark.parametrize("documents", [10, 30])
def test_the_interval_of_the_best_number_covers_it(documents: int) -> None:
    trials = 200
    assert (misses(trials, documents) <= binom.isf(FALSE_ALARM, trials, 0.05)).all()


def test_rows_taken_for_documents_are_noticed() -> None:
    """The negative control."""
    trials = 200
    assert misses(trials, 30, by_document=False)[0] > binom.isf(FALSE_ALARM, trials, 0.05)


def tree_misses(trials: int, documents: int, *, by_document: bool = True) -> int:
    """How many intervals of the tree that one half chooses miss its true speed; mean shares are 2/5, 2/5, 1/5 at both levels."""
    rng = np.random.default_rng(0)
    options = HeadOptions(cost=0.3, verify=0.05)
    means = [[0.4, 0.4, 0.2]] * 2
    count = 0
    for _ in range(trials):
        shares = np.repeat(rng.dirichlet([2, 2, 1], size=(documents, 2)), 10, axis=0)
        q = np.broadcast_to([0.5, 0.3, 0.2], shares.shape)
        document = np.repeat(np.arange(documents), 10) if by_document else np.arange(10 * documents)
        tree = best_head_tree(head_rates({"p": shares, "heads": q, "document": document}, options), (1, 2, 4, 8))
        truth = (1 + accepted_drafts(tree.shape, means)) / (1 + 0.3 + 0.05 * tree.nodes)
        count += not tree.speedup.low <= truth <= tree.speedup.high
    return count


@pytest.mark.parametrize("documents", [10, 30])
def test_the_interval_of_the_tree_covers_it(documents: int) -> None:
    trials = 200
    assert tree_misses(trials, documents) <= binom.isf(FALSE_ALARM, trials, 0.05)


def test_rows_taken_for_documents_are_noticed_of_a_tree() -> None:
    """The negative control."""
    trials = 200
    assert tree_misses(trials, 30, by_document=False) > binom.isf(FALSE_ALARM, trials, 0.05)


def test_a_tree_is_chosen_on_one_half_and_judged_on_the_other() -> None:
    """Heads that are right in the documents that choose, and wrong in those that judge: nothing of the tree is accepted."""
    is_right = choosing_rows(np.arange(12))
    p = np.where(is_right[:, None, None], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]) * np.ones((12, 2, 1))
    q = np.broadcast_to([0.6, 0.3, 0.1], p.shape)
    rows = head_rates({"p": p, "heads": q}, HeadOptions(cost=0.25, verify=0.25))
    tree = best_head_tree(rows)
    assert (tree.nodes, tree.levels, tree.tokens, tree.speedup.estimate) == (2, 2, 1, 1 / 1.75)
    assert tree_sentence(tree, rows).startswith(
        "No tree of the heads' most likely tokens is faster than the target alone"
    )
    p[:5] = [1.0, 0.0, 0.0]
    few = best_head_tree(head_rates({"p": p[:9], "heads": q[:9]}, HeadOptions(cost=0.25, verify=0.25)))
    assert few.tokens > 1 and not few.is_judged and np.isnan(few.speedup.low)  # a planted error: all choose and judge


def test_a_tree_accepts_what_the_recursion_over_nodes_says() -> None:
    """At further axes as at one, exactly on fractions; a planted error, levels in the wrong order, is seen."""
    rng = np.random.default_rng(0)
    shape = (((), ()), ((((),)), ()), ())
    rates = np.array(
        [[[Fraction(int(n), 10) for n in row] for row in table] for table in rng.integers(1, 4, (3, 3, 5))]
    )
    expected = [accepted_drafts(shape, rates[..., at]) for at in range(5)]
    assert accepted_by_cluster(shape, rates).tolist() == expected
    assert accepted_by_cluster(shape, rates[::-1]).tolist() != expected
