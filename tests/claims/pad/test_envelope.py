"""What PAD's extra accepts can cost over a text: by hand, and by writing out all texts."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from simspec.claims.draw import ExactDraw
from simspec.claims.pad.envelope import ASTRAY, STAIRS, every_time, never_parted
from simspec.claims.pad.parts import draw_process, process_of, run_pad
from simspec.methods import output_law, pad, values
from tests.claims.cases import get


@pytest.mark.parametrize(("mass", "horizon"), [(F(1, 2), 1), (F(1, 3), 2), (F(1, 4), 3), (F(1), 2)])
def test_attained(mass, horizon) -> None:
    """The text survives where the draft never errs: the loss is 1 − (1 − g)^h, the union of all positions."""
    case = every_time(mass, horizon)
    assert values(process_of(**{k: v for k, v in case.items() if k != "flags"}))[0][0] == 1
    lost, parted = get("pad.envelope").sides(case)[0]
    assert lost == parted == 1 - (1 - mass) ** horizon


def test_chance_that_texts_agree_is_below_their_overlap() -> None:
    """S counts a text by its tokens' overlaps; Σ over texts of the smaller probability is at least as much."""
    draw = ExactDraw(rng=np.random.default_rng(0))
    for _ in range(20):
        case = draw_process(draw, (2, 2), (2, 2), (2, 2))
        process, flags = process_of(**case), np.zeros((2, 2, 2), dtype=bool)
        emitted = output_law(pad(flags[0]), process.target, process.draft)
        agree = F(0)
        for a, b in product(range(2), repeat=2):
            then = process.step[0, a]
            agree += min(emitted[0, a] * emitted[then, b], process.target[0, a] * process.target[then, b])
        assert never_parted(process, flags)[0][0] <= agree


def test_two_half_losses_are_a_whole_one() -> None:
    lost, united = get("pad.envelope.union").sides(STAIRS)
    assert (lost, united) == (1, F(3, 4))


def test_the_target_never_sees_where_pad_goes() -> None:
    lost, seen = get("pad.envelope.target-path").sides(ASTRAY)
    assert (lost, seen) == (1, 0)
    process = process_of(**{k: v for k, v in ASTRAY.items() if k != "flags"})
    assert run_pad(process, ASTRAY["flags"]).visits[1].tolist() == [1, 0]
