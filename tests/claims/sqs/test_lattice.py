"""Claims about SQS: distances by hand, Algorithm 2 in plain loops, texts of two tokens."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.claims.authoring import law
from simspec.claims.deciding.shrink import violated
from simspec.claims.sqs.parts import compositions, flat, worst_rounding
from simspec.claims.sqs.texts import Text
from simspec.laws import exact
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import quantise, quantise_printed, sparsify
from tests import strategies
from tests.claims.cases import counterexample, get
from tests.claims.sqs.cases import QUARTERS

FIRST_TWO = np.array([True, True, False])


def test_one_law_by_hand() -> None:
    """q = (½, ¼, ¼), two tokens kept, ℓ = 1: q̃ = (⅔, ⅓, 0) goes to (1, 0, 0)."""
    q = law("1/2", "1/4", "1/4")
    inner = sparsify(q, FIRST_TWO)
    sent = quantise(inner, 1, FIRST_TWO) / 1
    assert inner.tolist() == [F(2, 3), F(1, 3), 0] and sent.tolist() == [1, 0, 0]
    assert (tv(q, inner), tv(inner, sent), tv(q, sent)) == (F(1, 4), F(1, 3), F(1, 2))
    instance = {"q": q, "kept": FIRST_TWO, "resolution": 1}
    assert get("sqs.dropped-mass").slack(instance) == 0
    assert get("sqs.lattice").slack(instance) == F(2, 4) - F(1, 3)
    assert get("sqs.lattice-sharp").slack(instance) == F(1, 2) - F(1, 3)
    assert get("sqs.total-distortion").slack(instance) == F(1, 4) + F(1, 2) - F(1, 2)
    assert get("sqs.total-distortion-sharp").slack(instance).tolist() == [F(1, 4), F(1, 8)]
    assert get("sqs.dense-closest").slack(instance) == 0


# --- the lattice -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 9))
def test_the_sharp_lattice_bound_is_attained_for_every_size_and_resolution(size) -> None:
    for resolution in range(1, 9):
        up = min(resolution, size // 2)
        scaled = exact(np.array([resolution - up] + [0] * (size - 1))) + F(up, size)
        law_kept = scaled / resolution
        assert sum(law_kept) == 1
        reached = tv(law_kept, quantise(law_kept, resolution) / resolution)
        assert reached == worst_rounding(F(size), resolution) <= min(F(size, 4 * resolution), 1 - F(1, size))


def test_a_law_of_half_units_by_hand() -> None:
    """(¾, ¼) in halves: either way one token gains a quarter; at ℓ = 1 all but one of K equal tokens is lost."""
    instance = {"counts": (1, 0), "resolution": 2}
    assert get("sqs.lattice-sharp.attained").sides(instance) == (F(1, 4), F(1, 4))
    assert get("sqs.lattice-sharp.ceiling").sides({"size": 5, "resolution": 1}) == (F(4, 5), F(4, 5))


@given(st.data())
def test_the_printed_bounds_follow_from_the_sharp_ones(data) -> None:
    size, resolution = data.draw(st.integers(1, 300)), data.draw(st.integers(1, 300))
    assert worst_rounding(F(size), resolution) <= F(size, 4 * resolution)
    assert worst_rounding(np.array([size]), resolution)[0] == pytest.approx(float(worst_rounding(F(size), resolution)))


def test_compositions_by_hand() -> None:
    assert compositions(2, 3) == ((0, 0, 2), (0, 1, 1), (0, 2, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0))
    assert compositions(3, 2, low=1) == ((1, 2), (2, 1)) and compositions(1, 2, low=1) == ()


def test_nearest_to_the_sparsified_law_is_not_nearest_to_the_draft_law() -> None:
    q = law("5/8", "2/8", "1/8")
    sent = quantise(sparsify(q, FIRST_TWO), 5, FIRST_TWO) / 5
    points = [law(F(a, 5), F(5 - a, 5), 0) for a in range(6)]
    assert tv(q, sent) == F(7, 40) and min(tv(q, point) for point in points) == F(3, 20)
    assert tv(sparsify(q, FIRST_TWO), sent) == min(tv(sparsify(q, FIRST_TWO), point) for point in points)


def plain_algorithm_2(values: list[F], resolution: int) -> list[int]:
    """Lines 6 to 16 of Algorithm 2, one after the other."""
    counts = [int((2 * resolution * v + 1) // 2) for v in values]
    excess = sum(counts) - resolution
    error = [b - resolution * v for b, v in zip(counts, values, strict=True)]
    order = sorted(range(len(values)), key=lambda i: -error[i] if excess > 0 else error[i])
    for i in order[: abs(excess)]:
        counts[i] -= 1 if excess > 0 else -1
    return counts


@given(st.data())
def test_the_package_follows_algorithm_2_step_by_step(data) -> None:
    n = data.draw(strategies.vocabularies())
    q, k, resolution = data.draw(strategies.laws(n)), data.draw(st.integers(1, n)), data.draw(st.integers(1, 9))
    order = sorted(range(n), key=lambda i: (-q[i], i))[:k]
    expected = dict(zip(sorted(order), plain_algorithm_2([q[i] for i in sorted(order)], resolution), strict=True))
    assert quantise_printed(q, k, resolution).tolist() == [expected.get(i, 0) for i in range(n)]


def test_both_ways_in_which_algorithm_2_fails() -> None:
    claim = get("sqs.algorithm-printed")
    short, far = claim.against
    assert plain_algorithm_2([F(1, 2)], 4) == [3]
    assert claim.slack(short).tolist()[1] == -1
    assert plain_algorithm_2([F(2, 5), F(1, 5)], 4) == [2, 2]
    assert claim.slack(far).tolist() == [2, 0, F(2, 16) - F(1, 6)]


def test_positive_counts_at_the_constant() -> None:
    """K equal tokens at ℓ = K − 1: each holds 1/K = (1 − 1/K)/ℓ, and one of them is lost."""
    for size in range(2, 7):
        assert sum(quantise(flat(size), size - 1) > 0) == size - 1


# --- texts -----------------------------------------------------------------------------------------------------------


def test_rejections_of_two_tokens_by_hand() -> None:
    """Acceptance ¾ at each position.  γ = 1: the second token is drafted only if the first was rejected."""
    short = {**QUARTERS, "gamma": 1, "length": 2}
    printed, mended = get("sqs.rejection-count"), get("sqs.rejection-count-corrected")
    assert printed.sides(short) == (F(1, 4) + F(1, 4) ** 2, F(1, 2))
    assert mended.slack(short) == 0
    assert printed.sides({**short, "gamma": 2}) == (F(1, 2), F(1, 2))
    assert get("sqs.rejection-bound").sides(short) == (F(5, 16), 2 * (F(1, 4) + F(2, 16)))


def test_the_threshold_of_a_text_by_hand() -> None:
    """β = ½, η = 1, α = ¼ on q = (¾, ¼): ¼ is dropped, β stays; on (¼, ¾) likewise."""
    names = ("p", "q", "k", "resolution")
    text = Text(**{n: QUARTERS[n] for n in names}, threshold=F(1, 2), step_size=F(1), dropped_target=F(1, 8), budget=0)
    assert [text.threshold(x) for x in ((), (0,), (1, 0))] == [F(1, 2), F(3, 8), F(1, 4)]
    assert text.kept((0,)).tolist() == [True, False] and text.kept((1, 0)).tolist() == [True, True]
    assert text.sent((0,)).tolist() == [1, 0] and text.sent((1, 0)).tolist() == [F(3, 4), F(1, 4)]
    assert text.bits(()) == 1 + 1  # which token, and how many


# --- mutations -------------------------------------------------------------------------------------------------------


@given(st.data())
def test_distances_on_larger_vocabularies(data) -> None:
    """Beyond the sizes of the exact search."""
    n = data.draw(st.integers(4, 12))
    q = data.draw(strategies.laws(n))
    kept = data.draw(strategies.masks(n)) | (np.arange(n) == int(np.argmax(q)))
    instance = {"q": q, "kept": kept, "resolution": data.draw(st.integers(1, 40))}
    for name in ("sqs.dropped-mass", "sqs.lattice-sharp", "sqs.total-distortion-sharp", "sqs.dense-closest"):
        assert not violated(get(name).slack(instance))
    assert not violated(get("sqs.positive-counts-corrected").slack(instance))


def test_a_bit_budget_ends_a_batch() -> None:
    """Two tokens of two, ℓ = 4: five lattice points, 3 bits a law; 5 bits carry one draft, 2 bits none."""
    names = ("p", "q", "k", "resolution", "threshold", "step_size", "dropped_target")
    text = Text(**{n: QUARTERS[n] for n in names}, budget=5)
    assert text.bits(()) == 3 and not text.stop((), ()) and text.stop((), (0,))
    count = get("sqs.rejection-count-corrected")
    for budget, rejected in ((5, F(5, 16)), (2, F(0)), (6, F(1, 2))):
        assert count.sides({**QUARTERS, "gamma": 3, "length": 2, "budget": budget}) == (rejected, rejected)


def test_the_counterexample_to_the_count_drafts_and_is_read_as_printed() -> None:
    found = counterexample("sqs.rejection-count")
    assert found["gamma"] == 1 and found["length"] == 2 and found["budget"] is None
