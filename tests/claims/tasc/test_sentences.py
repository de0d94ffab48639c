"""Claims about TASC's sentences between its formulas: by hand."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from proofs_check.tasc.typical_set import bind, bind_limit, bind_markov
from simspec.claims.authoring import law, matrix
from simspec.claims.balls import is_ball
from simspec.claims.tasc.suffix_suppression import merged
from simspec.claims.tasc.task_over_domain import within_domains, within_tasks
from tests.claims.cases import get

THE = {"strings": ["in", "the", "therapy"], "limit": F(1, 2)}


@pytest.mark.parametrize(("last", "passes"), [(0, 1), (1, 0), (2, 1)])
def test_the_papers_example_of_a_collision(last, passes) -> None:
    """The union is certain for each; of other tokens only “the” begins one."""
    assert get("tasc.pcs.printed").sides({**THE, "last": last})[0].tolist() == [1, 0]
    assert get("tasc.pcs.distinct").sides({**THE, "last": last}) == (passes, passes)


def test_the_papers_example_of_suppression() -> None:
    """After “in”: “the” 2/5, “therapy” and “theorem” 3/10 each; the new token gets 2/5, “in” alone 3/5."""
    assert merged(law(1), law("2/5", "3/10", "3/10")).tolist() == [F(2, 5), F(3, 5)]


@pytest.mark.parametrize(("order", "sign"), [(F(1, 2), -1), (F(3, 2), 1)])
def test_entropies_fall_with_their_order(order, sign) -> None:
    """(1, 1, 2)/4: on either side of one, and within what the claim allows."""
    claim, found = get("tasc.renyi-limit"), {"p": law("1/4", "1/4", "1/2"), "order": order}
    gap, room = (float(side[1]) for side in claim.sides(found))
    p = np.array([0.25, 0.25, 0.5])
    renyi = np.log((p ** float(order)).sum()) / (1 - float(order))
    assert gap * float(order - 1) == pytest.approx(-(p * np.log(p)).sum() - renyi)
    assert 0 < gap < room


def test_one_output_each_is_log_m_below() -> None:
    left, right = get("tasc.conditioning.some").sides({"laws": matrix("1 0 0", "0 1 0", "0 0 1")})
    assert float(left) == float(right) == pytest.approx(np.log(3))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_uniform_sources_have_a_value_in_the_proofs(size) -> None:
    """Balls around nought: deviations that vanish are numbers, none of them not a number."""
    flat = law(*[F(1, size)] * size)
    M, values = np.stack([flat] * size), dict(bind(flat, F(1, 4)))
    values |= bind_markov(M, flat, 2, F(1, 4)) | bind_limit(M, flat, 2, F(1, 4))
    balls = [
        v for v in np.hstack([np.ravel(x) for x in values.values() if not isinstance(x, dict)]).tolist() if is_ball(v)
    ]
    assert balls and all(v.is_finite() for v in balls)


def test_which_row_decides_the_ratio() -> None:
    """What the notes and the proof say of Table 1, in whole numbers."""
    row = "Yes/No Questions (Medical)"
    assert within_tasks("ΔH") * 100 < within_domains("ΔH")
    assert [round(float(f("ΔH", row))) for f in (within_tasks, within_domains)] == [10, 17]
    assert within_tasks("ratio", row) > 10 * within_domains("ratio", row)


def test_letters_hide_states() -> None:
    """Two states of one letter each way: texts of a coin, whatever the chain."""
    from simspec.claims.tasc.typical_set import text_law

    M, start = matrix("1/2 1/4 1/4", "1/2 1/4 1/4", "1/2 1/4 1/4"), law("1/2", "1/4", "1/4")
    assert text_law(M, start, [0, 1, 1], 2).tolist() == [F(1, 4)] * 4
