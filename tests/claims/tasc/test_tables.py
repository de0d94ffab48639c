"""Claims about TASC's printed figures: cells by hand, every verdict, and figures changed on purpose."""

from fractions import Fraction as F

from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table5_gain import TABLE_5
from tests.claims.cases import counterexample, get


def test_values() -> None:
    assert (value("8.34K"), value("0.06"), value("-4.86")) == (8340, F(3, 50), F(-243, 50))


def test_slot_f1_is_the_one_that_falls() -> None:
    found = counterexample("tasc.table5-gain")
    assert (found["added"], found["metric"], found["score"]) == (1000, "slot F1", "76.2")
    falls = [(n, m) for n, row in TABLE_5.items() for m in row if float(row[m]) < float(TABLE_5[0][m])]
    assert falls == [(1000, "slot F1")]


def test_mistral_by_hand() -> None:
    """1,290 ms and 1,120 ms at most and at least: 1.152, 0.038 below the printed 1.19."""
    assert get("tasc.table8-speedup").sides({"before": "1280", "after": "1130", "printed": "1.19"}) == (
        F(119, 100) - F(129, 112),
        F(1, 100),
    )
