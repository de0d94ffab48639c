"""What predicts how long outputs become as tokens are added."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine.study import Result
from simspec.logits.corpora import Corpus
from simspec.studies.tasc.task_predict import PREDICTORS, _prediction, predictions


def _result(renyi, lengths, budgets=(0, 1, 2, 3), n_max=2) -> Result:
    """A cell of the study with this entropy at each budget; three bootstrap samples alike."""
    values = {
        "tokens merge": np.tile(np.array(lengths, dtype=float), (4, 1)),
        "train renyi": np.tile(np.array(renyi, dtype=float), (4, 1)),
        "train shannon": np.tile(np.arange(len(budgets), dtype=float), (4, 1)),
    }
    return Result({"n_max": n_max, "budgets": list(budgets)}, values)


def test_by_hand() -> None:
    """Lengths fall 9 8 7 6.  H2 1 2 4 3 ranks five of six pairs right and two of three steps; it rises twice."""
    found = _prediction(_result([1, 2, 4, 3], [9, 8, 7, 6]), 3, True, 0.95)
    assert found is not None and found.budgets == 4 and found.last == 3
    assert found.tau["H2"].estimate == pytest.approx(-2 / 3) and found.tau["M"].estimate == -1
    assert found.direction["H2"].estimate == pytest.approx(2 / 3) and found.direction["H"].estimate == 1
    assert found.rises == 2 and found.shorter is not None and found.shorter.estimate == 1


def test_a_rise_after_which_nothing_is_shorter_counts_against() -> None:
    found = _prediction(_result([1, 2, 3, 4], [9, 9, 8, 8]), 3, True, 0.95)
    assert found is not None and found.shorter is not None and found.shorter.estimate == pytest.approx(1 / 3)
    falls = _prediction(_result([4, 3, 2, 1], [9, 8, 7, 6]), 3, True, 0.95)
    assert falls is not None and falls.rises == 0 and falls.shorter is None and falls.tau["H2"].estimate == 1


def test_budgets_beyond_the_last_are_left_out() -> None:
    found = _prediction(_result([1, 2, 3, 3], [9, 8, 7, 7]), 2, True, 0.95)
    assert found is not None and found.budgets == 3 and found.last == 2 and found.direction["M"].estimate == 1
    assert _prediction(_result([1, 2, 3, 3], [9, 8, 7, 7]), 1, True, 0.95) is None


def test_a_task_of_a_few_phrases() -> None:
    rng = np.random.default_rng(0)
    words = np.array("red green blue grey one two three four".split())
    texts = tuple(" ".join(rng.choice(words, 12)) for _ in range(60))
    corpus = Corpus("words", tuple(map(str, range(60))), texts, "drawn")
    told: list[tuple[int, int]] = []
    found = predictions(
        corpus, range(0, 41, 4), (2, 3), texts=10, resamples=5, progress=lambda i, n: told.append((i, n))
    )
    assert [one.n_max for one in found] == [2, 3] and told[-1] == (2, 2)
    for one in found:
        assert set(one.tau) == set(one.direction) == set(PREDICTORS)
        assert -1 <= one.tau["M"].low <= one.tau["M"].estimate < -0.8 and one.direction["M"].estimate >= 0.8


def test_what_occurs_once_is_told_apart() -> None:
    """Two pairs of neighbours repeat; each further token is made of two words that meet once."""
    texts = ("a b c d e f", "a b g h c d", "a b i j k l", "m n c d o p")
    corpus = Corpus("pairs", tuple("123456"), (*texts, "a b c d", "c d a b"), "by hand")
    found = predictions(corpus, range(20), (2,), share=0.4, resamples=3)
    assert [one.repeated for one in found] == [False, True] and found[1].last < found[0].last
    assert found[0].tau["M"].estimate > found[1].tau["M"].estimate  # nothing held out holds what occurs once


def test_bad_input(tmp_path) -> None:
    same = Corpus("same", tuple("abcdef"), ("",) * 6, "by hand")
    with pytest.raises(ValueError, match="fewer than two held-out outputs"):
        predictions(same)
    with pytest.raises(ValueError, match="tokenizer: no file"):
        predictions(same, tokenizer=tmp_path / "none.json")
