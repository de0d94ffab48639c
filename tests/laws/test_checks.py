"""The public door of laws: nothing that is no law gives a number; limits of temperature and order; what is not refused."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.claims.balls import enclose
from simspec.laws import unchecked
from simspec.laws.checks import check_masses
from tests import strategies as some

HALF = np.array([0.5, 0.5])
MASK = np.array([True, False])
OF_ONE_LAW = {
    "overlap": lambda x: laws.overlap(x, HALF),
    "tv": lambda x: laws.tv(x, HALF),
    "kl": lambda x: laws.kl(x, HALF),
    "entropy": laws.entropy,
    "renyi": lambda x: laws.renyi(x, 2),
    "restrict": lambda x: laws.restrict(x, MASK),
    "top_k": lambda x: laws.top_k(x, 1),
    "top_p": lambda x: laws.top_p(x, 0.5),
    "cdf": laws.cdf,
    "check_law": laws.check_law,
}
OF_NUMBERS = {
    "normalise": laws.normalise,
    "softmax": laws.softmax,
    "total": laws.total,
    "tv_from_logits": lambda x: laws.tv_from_logits(x, x),
    "uniform": lambda x: laws.uniform(MASK, like=x),
}
ARGUMENT = r"^(p|x|a|logits|like): "


@pytest.mark.parametrize("name", OF_ONE_LAW)
@pytest.mark.parametrize(
    ("p", "message"),
    [
        (HALF / 2, r"p: row \(\) sums to 0.5"),
        (np.array([[0.5, 0.5], [1.5, -0.5]]), r"p: row \(1,\) holds the mass -0.5 at token 1"),
        (np.array([np.nan, 1.0]), r"p: row \(\) holds the mass nan at token 0"),
        (np.array([F(1, 2), 0.5], dtype=object), "p: floats among fractions.*simspec.claims.balls"),
        ([0.25, 0.25], r"p: row \(\) sums to 0.5"),
    ],
)
def test_what_is_no_law_gives_no_number(name, p, message) -> None:
    with pytest.raises(ValueError, match=message):
        OF_ONE_LAW[name](p)


@pytest.mark.parametrize("name", OF_ONE_LAW | OF_NUMBERS)
@pytest.mark.parametrize(
    "x",
    [
        None,
        0.5,
        np.float64(1),
        np.array(1.0),
        [[0.5, 0.5], [1.0]],
        [],
        "law",
        [None, 1],
        ["a", "b"],
        {},
        1j * HALF,
        [[]],
    ],
    ids=repr,
)
def test_what_is_no_array_of_numbers_is_named(name, x) -> None:
    with pytest.raises(ValueError, match=ARGUMENT):
        (OF_ONE_LAW | OF_NUMBERS)[name](x)


@pytest.mark.parametrize("name", OF_ONE_LAW)
def test_lists_are_arrays(name) -> None:
    assert np.array_equal(OF_ONE_LAW[name]([0.25, 0.75]), OF_ONE_LAW[name](np.array([0.25, 0.75])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: laws.tv(laws.exact(HALF), HALF), "q: float64 beside fractions; expected one arithmetic"),
        (lambda: laws.overlap(HALF, laws.exact(HALF)), "q: fractions beside float64"),
        (lambda: laws.tv(laws.exact(HALF), enclose(laws.exact(HALF))), "q: enclosures beside fractions"),
        (lambda: laws.normalise(np.array([-0.02, 0.25])), r"x: row \(\) holds the mass -0.02 at token 0"),
        (lambda: laws.normalise(np.array([1.0, np.inf])), r"x: row \(\) sums to inf"),
        (lambda: laws.normalise(np.array([1e308, 1e308])), r"x: row \(\) sums to inf"),
        (lambda: laws.normalise(np.zeros(2), otherwise=np.ones(2)), r"otherwise: row \(\) sums to 2"),
        (lambda: laws.restrict(np.array([1.25, -0.25]), MASK), r"p: row \(\) holds the mass -0.25"),
        (lambda: laws.restrict(HALF, np.array([True])), r"mask: shape \(1,\)"),
        (lambda: laws.restrict(HALF, None), "mask: "),
        (lambda: laws.check_mask([[True], [True, False]]), "shared: list that is no array"),
        (lambda: laws.uniform(np.array([False, False]), like=HALF), "mask: no token is true"),
        (lambda: laws.top_k(HALF, 2.5), "k: 2.5; expected 1 <= k <= 2"),
        (lambda: laws.top_k(HALF, None), "k: None"),
        (lambda: laws.top_k(HALF, True), "k: True"),
        (lambda: laws.top_p(HALF, None), "mass: None"),
        (lambda: laws.top_p(HALF, np.array([0.5, 0.5])), "mass: array"),
        (lambda: laws.renyi(HALF, None), "order: None"),
        (lambda: laws.renyi(HALF, np.nan), "order: nan"),
        (lambda: laws.entropy(laws.exact(HALF)), "p: fractions, of which an entropy is not exact.*balls"),
        (lambda: laws.kl(laws.exact(HALF), laws.exact(HALF)), "p: fractions, of which a logarithm is not exact.*balls"),
        (lambda: laws.renyi(laws.exact(HALF), 2), "p: fractions, of which a Rényi entropy is not exact"),
        (lambda: laws.softmax(laws.exact(HALF)), "logits: fractions, of which an exponential is not exact"),
        (lambda: laws.softmax(HALF, None), "temperature: None"),
        (lambda: laws.softmax(HALF, "hot"), "temperature: 'hot'"),
        (lambda: laws.exact([None, 1]), "x: an element is None; expected finite numbers"),
        (lambda: laws.exact(np.array([np.nan, 1])), "x: an element is nan"),
        (lambda: laws.exact([[1], [1, 2]]), "x: no array"),
    ],
)
def test_bad_arguments_are_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-46, 1e-40, 1e-8, 1e-3, 0, F(1, 10**9)])
def test_a_cold_softmax_is_the_uniform_law_on_the_largest(dtype, temperature) -> None:
    z = np.array([[2.0, 2.0, 1.0, -np.inf], [-1.0, 3.0, 2.0, 0.0]], dtype=dtype)
    p = laws.softmax(z, temperature)
    assert p.dtype == dtype and p.tolist() == [[0.5, 0.5, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("temperature", [1e6, 1e39, 1e300, np.inf])
def test_a_hot_softmax_is_the_uniform_law_on_the_finite(dtype, temperature) -> None:
    p = laws.softmax(np.array([1.0, -np.inf, 0.5], dtype=dtype), temperature)
    assert p.dtype == dtype and p == pytest.approx([0.5, 0, 0.5], abs=1e-6)


def test_a_wide_softmax_in_16_bits_is_a_law() -> None:
    p = laws.softmax(np.zeros(100_000, dtype=np.float16))
    assert p.dtype == np.float16 and p.min() > 0 and float(p.sum(dtype=np.float64)) == pytest.approx(1, rel=2e-3)
    assert laws.softmax(np.array([60000, -60000], dtype=np.float16)).tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_renyi_entropy_of_high_order_tends_to_the_min_entropy(dtype) -> None:
    p = np.array([[0.5, 0.25, 0.25, 0], [0.25, 0.25, 0.25, 0.25]], dtype=dtype)
    least = [np.log(2), np.log(4)]
    assert laws.renyi(p, np.inf) == pytest.approx(least) and laws.renyi(p, 1e6) == pytest.approx(least, rel=2e-6)
    assert laws.renyi(p, 1e300) == pytest.approx(least)
    near = unchecked.renyi(p, 16), unchecked.renyi(p, np.nextafter(16, 17))
    assert near[0] == pytest.approx(near[1], rel=1e-5)
    assert laws.renyi(np.array([1.0, 0.0]), np.inf) == 0
    assert laws.renyi(p[0], 1e-300) == pytest.approx(np.log(3))  # the tokens that can occur


@given(some.pairs(low=2), st.sampled_from([np.float32, np.float64]))
def test_the_door_gives_what_the_formula_gives(pair, dtype) -> None:
    p, q = pair
    a, b = some.as_float(p, dtype), some.as_float(q, dtype)
    for name in ("overlap", "tv"):
        assert getattr(laws, name)(p, q) == getattr(unchecked, name)(p, q)
        some.assert_exact([getattr(laws, name)(p, q)])
    for name in ("overlap", "tv", "kl"):
        assert getattr(laws, name)(a, b) == getattr(unchecked, name)(a, b)
    for name in ("entropy", "cdf", "normalise"):
        assert np.array_equal(getattr(laws, name)(a), getattr(unchecked, name)(a))


def test_exactness_is_that_of_the_elements() -> None:
    root = laws.exact(HALF) ** F(1, 2)
    assert root.dtype == object and not laws.is_exact(root) and laws.is_exact(enclose(laws.exact(HALF)))
    ints = np.array([1, 0], dtype=object)
    some.assert_exact([laws.tv(ints, ints[::-1]), *laws.restrict(ints, MASK), *laws.cdf(ints), *laws.normalise(ints)])


def test_repeated_rows_are_looked_at_once() -> None:
    """2**33 rows that are one: a scan of all took minutes, and the place of the negative mass more than the memory."""
    rows = np.broadcast_to([0.25, -0.75], (2**33, 2))
    with pytest.raises(ValueError, match=r"x: row \(0,\) holds the mass -0.75 at token 1; expected masses"):
        check_masses(rows, "x")


class Tensor:
    """What NumPy meets in a tensor it cannot read: one with gradients, on a GPU, or of a type that NumPy lacks."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
        raise self.error

    def detach(self) -> None: ...


@pytest.mark.parametrize("error", [RuntimeError("requires grad"), TypeError("on cuda:0"), TypeError("BFloat16")])
def test_tensors_that_numpy_cannot_read_are_refused_with_the_cure(error) -> None:
    for call in (lambda x: laws.softmax(x), lambda x: laws.tv(x, HALF), lambda x: laws.check_mask(x)):
        with pytest.raises(
            ValueError, match=r": Tensor that NumPy cannot read; expected .*x.detach\(\).float\(\).cpu\(\)"
        ):
            call(Tensor(error))


def test_tensors_of_torch_are_taken() -> None:
    from tests.requirements import require

    require("torch")
    import torch

    p, q = torch.tensor([[0.25, 0.75]], dtype=torch.float64), torch.tensor([[0.5, 0.5]], dtype=torch.float64)
    assert laws.tv(p, q).tolist() == [0.25] and laws.overlap(p, HALF).tolist() == [0.75]
    assert laws.restrict(p, torch.tensor([True, False])).tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match="logits: Tensor that NumPy cannot read"):
        laws.softmax(torch.zeros(2, requires_grad=True))


def test_arrays_that_only_know_how_to_become_numpys_are_taken() -> None:
    """JAX's arrays have a dtype of NumPy and `__array__`, and none of NumPy's functions take them."""

    class Foreign:
        dtype, shape, ndim = np.dtype(np.float64), (2,), 1

        def __init__(self, held: np.ndarray) -> None:
            self.held, self.dtype = held, held.dtype

        def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
            return self.held

    assert float(laws.tv(Foreign(HALF), Foreign(np.array([0.25, 0.75])))) == 0.25
    assert laws.restrict(HALF, Foreign(MASK)).tolist() == [1.0, 0.0]
