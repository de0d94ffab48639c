"""Claims about TASC's printed figures: cells by hand."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.deciding.search import EFFORTS, check_exact
from simspec.claims.tasc.parts import value
from simspec.claims.tasc.table1_columns import RECOMPUTED, TABLE_1
from simspec.claims.tasc.table5_gain import TABLE_5
from tests.claims.cases import counterexample, get
from tests.claims.tasc.cases import HEADS, cell


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


def test_directional_rate_by_hand() -> None:
    """Three rises of entropy, two of them with a shorter runtime: 2/3; the printed complement gives 1/3."""
    run = {"h2": np.array([0, 1, 2, 1, 2]), "runtime": np.array([5, 4, 3, 2, 2])}
    assert get("tasc.directional-rate").sides(run) == (F(2, 3), F(1, 3))
    assert get("tasc.directional-rate-corrected").slack(run).tolist() == [0, 0]
    even = {"h2": np.array([0, 1, 2]), "runtime": np.array([1, 0, 0])}
    assert get("tasc.directional-rate").slack(even) == 0, "one half is its own complement"


def test_intent_row_by_hand() -> None:
    """13.4 and 9.74 nats: (9.74 - 13.4)/13.4 = -366/1340 = -27.3 %, printed as -37.45 %."""
    assert F(974, 100) - F(134, 10) == F(-366, 100)
    corrected = get("tasc.table1-columns-corrected").lhs
    assert corrected("ΔH", "13.4", "9.74", "-27.31") == abs(F(-36600, 1340) + F(2731, 100)) < F(1, 200)
    assert get("tasc.table1-columns").slack(cell("Intent Classification & Slot Fill", "ΔH")) < -9


def test_a_ratio_of_counts_by_hand() -> None:
    """17,010 to within 10 over exactly 3: at most 5673 1/3, printed 5698."""
    lhs, rhs = get("tasc.table1-columns").sides(cell("Yes/No Questions (Medical)", "ratio"))
    assert (lhs, rhs) == (5698 - F(17_020, 3), 1)


def test_which_cells_cannot_follow() -> None:
    claim = get("tasc.table1-columns")
    bad = [(t, c) for t in TABLE_1 for c in HEADS if claim.slack(cell(t, c)) < 0]
    assert bad == [
        ("Yes/No Questions (Medical)", "ratio"),
        ("Intent Classification & Slot Fill", "ΔH"),
        ("Summarization (Medical)", "ΔH"),
        ("Summarization (News)", "ratio"),
        ("Summarization (Legal)", "ratio"),
    ]
    assert set(bad) <= set(RECOMPUTED)


def test_recomputed_cells_are_the_ones_that_differ() -> None:
    """In floating point: a cell is listed exactly when rounding the printed figures gives another number."""
    for task, row in TABLE_1.items():
        numbers = [float(value(figure)) for figure in row]
        for column, printed, found in (
            ("ΔH", row[2], 100 * (numbers[1] - numbers[0]) / numbers[0]),
            ("ratio", row[5], numbers[3] / numbers[4]),
        ):
            places = len(printed.partition(".")[2])
            away = abs(found - float(printed)) > 0.5 * 10**-places + 1e-9
            assert away == ((task, column) in RECOMPUTED), (task, column)


@pytest.mark.parametrize("key", sorted(RECOMPUTED))
def test_every_recomputed_cell_is_checked(key) -> None:
    """One unit more in its last place refutes the corrected table."""
    claim = get("tasc.table1-columns-corrected")
    printed = RECOMPUTED[key]
    wrong = str(value(printed) + F(1, 10 ** len(printed.partition(".")[2])))
    places = len(printed.partition(".")[2])
    changed = {**cell(*key), "printed": f"{float(F(wrong)):.{places}f}"}
    broken = replace(claim, instances=lambda draw: changed)
    assert check_exact(broken, EFFORTS["quick"], 0).counterexample is not None
