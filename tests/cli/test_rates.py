"""`simspec rates` as a user types it."""

import json

import numpy as np
import pytest

from simspec import cli
from simspec.laws import overlap, softmax


@pytest.fixture
def laws(tmp_path):
    path = tmp_path / "laws.npz"
    np.savez(path, p=[[0.5, 0.5, 0.0]], q=[[0.25, 0.25, 0.5]])
    return str(path)


def test_a_table_with_its_legend(laws, capsys) -> None:
    assert cli.main(["rates", laws]) == 0
    out, _err = capsys.readouterr()
    for word in ("sd", "ears:0.1", "lenience:0.8", "acceptance: probability that a draft token is accepted", "0.500"):
        assert word in out


def test_json_numbers(laws, capsys) -> None:
    assert cli.main(["rates", laws, "--rule", "ears:1", "--rule", "sqs:2,4", "--gamma", "2", "--json"]) == 0
    ears, sqs = json.loads(capsys.readouterr().out)
    assert ears["rule"] == "ears:1" and ears["tv"] == {"estimate": 0.25, "interval": [None, None]}
    assert ears["kl"]["estimate"] == "inf" and ears["bits"] is None and sqs["bits"]["estimate"] > 0


def test_a_picture_with_the_frontier(laws, tmp_path, capsys) -> None:
    assert cli.main(["rates", laws, "--plot", str(tmp_path / "rates.svg")]) == 0
    drawn = (tmp_path / "rates.svg").read_text()
    assert "<svg" in drawn
    capsys.readouterr()
    assert cli.main(["rates", laws, "--plot", str(tmp_path / "rates.jpg")]) == 2
    out, err = capsys.readouterr()
    assert "--plot: " in err and "expected a file name that ends in" in err and out == ""  # before anything is measured


def test_what_intervals_are_over(laws, tmp_path, capsys) -> None:
    assert cli.main(["rates", laws, "--rule", "sd"]) == 0
    out = capsys.readouterr().out
    assert (
        "1 pair of distributions over 3 tokens" in out
        and "no intervals: 1 row is too few, a 95 % interval needs 5 or more" in out
    )
    half = np.full((10, 2), 0.5)
    np.savez(tmp_path / "texts.npz", p=half, q=half, document=np.arange(10) // 2)
    assert cli.main(["rates", str(tmp_path / "texts.npz"), "--rule", "sd"]) == 0
    assert "± the longer side of the 95% interval over 5 documents" in capsys.readouterr().out


@pytest.fixture
def logits(tmp_path):
    """Forty Gaussian pairs of logits, drafts close to their targets."""
    generator = np.random.default_rng(5)
    target = generator.normal(size=(40, 200))
    path = tmp_path / "logits.npz"
    np.savez(path, target=target, draft=0.8 * target + 0.6 * generator.normal(size=(40, 200)))
    return str(path)


def test_synthetic_pairs_say_estimator_saving_and_validity(logits, capsys) -> None:
    """In text and in JSON, with the saving by its formula for rows that are documents of their own."""
    assert cli.main(["rates", logits, "--rule", "sd", "--rule", "ears:0.1"]) == 0
    out = capsys.readouterr().out
    assert "estimator: conditional expectation, exact for each pair of distributions" in out
    assert "valid: in the limit, one look: at these 40 rows only, in the limit of many rows; not for every law" in out
    assert cli.main(["rates", logits, "--rule", "sd", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["estimator"] == "conditional expectation" and row["valid"] == "in the limit, one look"
    assert row["interval_over"] == {"row": 40}
    with np.load(logits) as arrays:
        p, q = (softmax(arrays[name]) for name in ("target", "draft"))
    alpha = overlap(p, q)
    assert row["saving"] == pytest.approx(1 + (alpha * (1 - alpha)).mean() / alpha.var(ddof=1))
    assert f"that one pair is worth: sd {row['saving']:,.0f}, ears:0.1 " in out


def test_a_single_pair_has_no_saving_and_no_promise(laws, capsys) -> None:
    assert cli.main(["rates", laws, "--rule", "sd"]) == 0
    out = capsys.readouterr().out
    assert "saves: not measured" in out and "valid:" not in out
    assert cli.main(["rates", laws, "--rule", "sd", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["saving"] is row["valid"] is None and row["interval_over"] == {"row": 1}


def test_too_few_documents_have_a_sentence_and_no_interval(tmp_path, capsys) -> None:
    half = np.full((8, 2), 0.5)
    np.savez(tmp_path / "texts.npz", p=half, q=half, document=np.arange(8) // 2)
    assert cli.main(["rates", str(tmp_path / "texts.npz"), "--rule", "sd"]) == 0
    out = capsys.readouterr().out
    assert "no intervals: 4 documents are too few, a 95 % interval needs 5 or more" in out and "±" not in out
    assert cli.main(["rates", str(tmp_path / "texts.npz"), "--rule", "sd", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["acceptance"]["interval"] == [None, None]
    assert "simspec: no intervals: 4 documents are too few" in err


def test_progress_is_said_where_nobody_watches(tmp_path, capsys, monkeypatch) -> None:
    """The clock goes on by 11 seconds whenever it is read; a line is said every 10."""
    monkeypatch.setattr("simspec.cli.progress.time.monotonic", iter(range(0, 10**9, 11)).__next__)
    monkeypatch.setattr("simspec.tools.reading.PART", 4)
    half = np.full((4, 2), 0.5)
    np.savez(tmp_path / "laws.npz", p=half, q=half)
    assert cli.main(["rates", str(tmp_path / "laws.npz"), "--rule", "sd", "--rule", "ears:0.1"]) == 0
    err = capsys.readouterr().err
    for done in range(1, 5):
        assert f"simspec: measuring rules: {done} of 4\n" in err


def test_rules_are_listed(capsys) -> None:
    assert cli.main(["rates", "--rules"]) == 0
    assert "lenience:FACTOR" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rates"], "FILE: missing"),
        (["rates", "missing.npz"], "missing.npz"),
        (["rates", "wiki", "--rule", "ears"], "expected ears:BETA"),
        (["rates", "wiki", "--gamma", "-1"], "--gamma: -1"),
        (["rates", "wiki", "--cost", "-1"], "--cost: -1"),
        (["rates", "wiki", "--cost", "inf"], "--cost: inf"),
        (["rates", "wiki", "--temperature", "-1"], "temperature: -1"),
    ],
)
def test_bad_input_exits_2_with_one_line(arguments, message, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err and len(err.strip().splitlines()) == 1


def test_laws_that_are_typed(capsys) -> None:
    typed = ["--p", "9/16,5/16,2/16;1/2 1/2 0", "--q", "8/16,3/16,5/16;0.5,0.25,0.25"]
    assert cli.main(["rates", *typed, "--rule", "sd", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["acceptance"]["estimate"] == pytest.approx((13 / 16 + 3 / 4) / 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--p", "1/2,1/2"], "--p and --q: expected both of them, without FILE and --bank"),
        (["wiki", "--p", "1", "--q", "1"], "--p and --q: expected both of them, without FILE"),
        (["--p", "a,b", "--q", "1/2,1/2"], "--p: 'a,b'; expected numbers such as 1/2,1/2"),
        (["--p", "1/2,1/2", "--q", "1/2,1/4"], "--q: row (0,) sums to 3/4; a law sums to 1"),
        (["--p", "1/2,1/2", "--q", "1"], "q: shape (1, 1) where p has (1, 2)"),
        (["--p", "1/2,1/2;1", "--q", "1"], "--p: '1/2,1/2;1'; expected numbers"),
    ],
)
def test_laws_that_are_typed_wrongly(capsys, words, said) -> None:
    assert cli.main(["rates", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["rates", "--rule", "sd", "--json"],
        ["trees", "--nodes", "4", "--json"],
        ["advise", "--rule", "sd", "--top-p", "1", "--gamma", "1-2", "--csv", "-"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_bank_is_given_by_its_name_alone_or_with_an_option(arguments, laws, capsys) -> None:
    command, *options = arguments
    printed = []
    for source in ([laws], ["--bank", laws]):
        assert cli.main([command, *source, *options]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] and printed[0] == printed[1]
