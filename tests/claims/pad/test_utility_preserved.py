"""`pad.utility-preserved`: cases by hand and mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.draw import ExactDraw
from simspec.claims.pad.parts import flagged, process_of, relative_pivots, true_pivots
from simspec.methods import evaluate, pad, values
from tests.claims.cases import counterexample, get
from tests.claims.pad.cases import LEMMA, _flags, binary, target_worth, worth


@pytest.mark.parametrize(
    "name",
    [
        "pad.utility-preserved",
    ],
)
def test_counterexample_to_the_lemma(name) -> None:
    """Recomputed by enumeration: binary utility, every pivot flagged, and a loss."""
    case = counterexample(name)
    assert binary(case) and case["flags"][_flags({k: case[k] for k in LEMMA}, true_pivots)].all()
    assert worth(case, case["flags"]) < target_worth(case)
    assert len(case["target"][0]) == 3


def test_counterexample_in_the_other_readings() -> None:
    ties, replaced = counterexample("pad.utility-preserved.ties"), counterexample("pad.utility-preserved.fresh")
    assert ties["flags"][true_pivots(process_of(**{k: ties[k] for k in LEMMA}), ties=True)].all()
    assert worth(ties, ties["flags"]) < target_worth(ties)
    assert worth(replaced, replaced["flags"], "fresh") < target_worth(replaced)


def test_counterexample_with_a_tolerance() -> None:
    case = counterexample("pad.utility-preserved.tolerance")
    assert worth(case, case["flags"]) + case["epsilon"] < target_worth(case)


def test_counterexample_with_the_guardrail_needs_no_unlikely_token() -> None:
    """No token of the first position is below the limit, so the guardrail changes nothing there, and the loss is there."""
    case = get("pad.utility-preserved.guardrail").against[0]
    assert min(case["target"][0]) > F(1, 10_000)
    assert worth(case, case["flags"]) < target_worth(case)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_utility_in_blocks(seed, gamma) -> None:
    """Pivots judged against the replacement keep the target's utility in blocks of drafts too; those of the paper lose it."""
    found = flagged(ExactDraw(rng=np.random.default_rng(seed)), relative_pivots, longest=3)
    flags = found.pop("flags")
    process = process_of(**found)
    assert evaluate(process, lambda t, here, after: pad(flags[t]), gamma).utility >= values(process)[0, 0]
    printed = dict(get("pad.utility-preserved").against[0])
    wrong = printed.pop("flags")
    assert evaluate(process_of(**printed), lambda t, here, after: pad(wrong[t]), gamma).utility == F(1, 4)
