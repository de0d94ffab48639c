"""Laws of a bank for claims that draw several: the first call has the rows as they are, later ones other rows."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.claims.deciding.data import Data
from simspec.claims.deciding.verify import verify_claim
from simspec.claims.draw import RealDraw
from simspec.claims.sd.inverse_proportional import INVERSE
from simspec.logits.bank import open_bank
from simspec.studies.pairs import bank_laws

ROWS = 12


def _draw(seed: int = 0, rows: int = ROWS) -> RealDraw:
    return RealDraw(open_bank("stories"), seed, rows)


@pytest.mark.parametrize("ask", ["law", "pair", "weights"])
def test_later_calls_give_other_rows_at_every_place(ask) -> None:
    draw = _draw()
    made = [getattr(draw, ask)(draw.vocab()) for _ in range(ROWS)]
    targets = [m[0] if ask == "pair" else m for m in made]
    seen = [[int(np.flatnonzero((targets[0] == row).all(axis=1))[0]) for row in rows] for rows in targets]
    assert seen[0] == list(range(ROWS))
    for place in zip(*seen, strict=True):  # in as many calls as there are rows, each place sees every row once
        assert sorted(place) == list(range(ROWS))


def test_the_first_call_has_the_rows_in_order_and_pairs_stay_pairs() -> None:
    bank, draw = open_bank("stories"), _draw()
    p, q = bank_laws(bank, draw.rows)
    np.testing.assert_array_equal(draw.pair(draw.vocab()), (p, q))
    p2, q2 = draw.pair(draw.vocab())
    places = [int(np.flatnonzero((p == row).all(axis=1))[0]) for row in p2]
    np.testing.assert_array_equal(q2, q[places])


def test_the_order_follows_the_seed() -> None:
    def second(seed: int) -> np.ndarray:
        draw = _draw(seed)
        return [draw.law(draw.vocab()) for _ in range(2)][1]

    np.testing.assert_array_equal(second(3), second(3))
    assert not np.array_equal(second(3), second(4))


def test_numbers_do_not_depend_on_what_was_drawn_before() -> None:
    """The order has draws of its own: a number is the same whether laws were asked for or not."""
    one, other = _draw(), _draw()
    one.law(one.vocab())
    one.law(one.vocab())
    assert [one.number(0, 1), one.integer(0, 99)] == [other.number(0, 1), other.integer(0, 99)]


def test_one_row_is_all_there_is() -> None:
    draw = _draw(rows=1)
    np.testing.assert_array_equal(draw.law(draw.vocab()), draw.law(draw.vocab()))


def test_real_rows_refute_what_real_rows_can_refute() -> None:
    """α ‖k‖ differs from context to context: nearly every pair of rows is a counterexample."""
    real = verify_claim(INVERSE, Data(effort="quick"))["checks"]["real"]
    assert real["violations"] > 0.8 * real["instances"]
