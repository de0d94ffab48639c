"""Upper tails beside a fitted Student-t: samples whose answer is known."""

import numpy as np
from scipy.stats import t

from simspec.engine.row_values import gather
from simspec.studies.rdk.probability_tails import beyond_student, probability_tails


def test_a_student_t_with_heavier_and_with_cut_off_ends() -> None:
    """Quantiles of t with 5 degrees of freedom; the largest moved out to twice its distance, and all cut at half of it."""
    row = t.ppf((np.arange(5000) + 0.5) / 5000, 5)
    out, cut = row.copy(), np.minimum(row, row[-1] / 2)
    out[-1] = 2 * row[-1]
    found = beyond_student(np.stack([row, out, cut]))
    assert np.allclose(found["largest"], [0, np.log(2), -np.log(2)], atol=0.05)
    assert np.allclose(found["0.99"], 0, atol=0.02) and np.allclose(found["df"], 5, atol=0.3)


def test_rows_alone_are_rows_of_a_block() -> None:
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(3, 400))
    sources = {"drawn": (lambda numbers, key: logits[numbers.start : numbers.stop], np.array([4, 4, 7]), {"rows": 3})}
    (whole,) = gather(probability_tails(sources, 3))
    assert whole.values["document"].tolist() == [4, 4, 7]
    (alone,) = gather(probability_tails({"drawn": (lambda n, k: logits[1:2], None, {"rows": 1})}, 1))
    assert alone.values["largest"][0] == whole.values["largest"][1]
