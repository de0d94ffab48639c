"""Claims on linear-time RDK: what it may know, what is left of the draft, operation counts."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law, mask
from simspec.claims.deciding.data import Data
from simspec.claims.rdk.linear_time import Counted, operations
from simspec.methods import affine, exponential, normalised
from tests.claims.cases import counterexample, get


def test_affine_by_hand() -> None:
    """p = (1, 0), s = 1, τ = 1: ½[1 + (1 − ½)] = ¾; with the other target the two entries change places."""
    q, c = law("1/2", "1/2"), law(1, 1)
    assert affine(law(1, 0), c, F(1))(q).tolist() == [F(3, 4), F(1, 4)]
    assert affine(law(0, 1), c, F(1))(q).tolist() == [F(1, 4), F(3, 4)]


def test_drafts_of_one_tilt_propose_one_law() -> None:
    """The draft enters through s only: two drafts far apart with one s are moved to one law."""
    c, prior = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.3, 0.2])
    a, b = np.array([0.5, 0.0, 0.5]), np.array([0.0, 1.0, 0.0])
    for form in (affine, normalised, exponential):
        assert np.allclose(form(prior, c, 1.0)(a), form(prior, c, 1.0)(b), atol=1e-15)


@pytest.mark.parametrize("form", range(3))
def test_each_form_with_the_target_in_it_leaks(form) -> None:
    step = {"p": law(1, 0), "p2": law(0, 1), "prior": None, "q": law(1, 0), "shared": mask("11")}
    step |= {"c": law(1, 1), "tau": F(1), "form": form}
    assert bool((get("rdk.approximator-available.target").slack(step) < 0).any())
    step["prior"] = law("1/4", "3/4")
    assert not bool((get("rdk.approximator-available.prior").slack(step) < 0).any())


def test_counterexample_recomputed() -> None:
    """Affine form of the found step, once for each target, in plain fractions."""
    found = counterexample("rdk.approximator-available.target")
    assert found["form"] == 0 and len(found["p"]) == 2
    shared, q = found["shared"].tolist(), found["q"].tolist()
    mass = sum(x for x, s in zip(q, shared, strict=True) if s)
    draft = [(x / mass if mass else F(1, sum(shared))) if s else F(0) for x, s in zip(q, shared, strict=True)]
    s = sum(a * b for a, b in zip(draft, found["c"].tolist(), strict=True))
    laws = [[F(1, 2) * (1 + s / found["tau"] * (x - F(1, 2))) for x in found[name].tolist()] for name in ("p", "p2")]
    assert laws[0] != laws[1]


def test_counting_by_hand() -> None:
    """A dense product on V = 3 takes 9 multiplications and 6 additions; one drafted row takes 3 multiplications."""
    assert operations(3, 1, 1).dense == 15
    assert operations(3, 1, 1).drafted_rows == 3
    tally = [0]
    x = Counted(F(2), tally)
    assert ((1 - x) / 2 + 1 / x).value == 0 and x > 1 and tally == [5]
    assert np.exp(np.array([x], dtype=object))[0].value == F(np.exp(2.0)) and tally == [6]


@pytest.mark.parametrize("vocab", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("rank", [1, 2])
def test_exact_counts(vocab, rank) -> None:
    """What the theorem in Coq counts, and the derivation adds up."""
    for drafted in range(1, vocab + 1):
        counted = operations(vocab, drafted, rank)
        assert counted[:3] == (8 * vocab, 5 * vocab + 1, 8 * vocab - 2)
        assert counted.first_order == (4 * rank + 6) * vocab
        assert counted.dense == (2 * vocab - 1) * vocab
        assert counted.drafted_rows == (2 * drafted - 1) * vocab


@pytest.mark.parametrize("drafted", [1, 5, 40])
def test_order_of_the_counts(drafted) -> None:
    few, many = operations(40, drafted, 2), operations(80, drafted, 2)
    for name in ("affine", "normalised", "exponential", "first_order"):
        assert 1.9 < getattr(many, name) / getattr(few, name) < 2.1
    assert 3.9 < many.dense / few.dense < 4.1
    assert many.drafted_rows == (2 * drafted - 1) * 80


def test_fitted_exponents() -> None:
    *evidence, timed = get("rdk.linear-time").evidence(Data())
    assert timed.data.startswith("time of Algorithm 1 over the affine form") and timed.estimate > 0
    fitted = {e.data.split(" of ")[2].split(",")[0]: e.estimate for e in evidence}
    assert fitted["affine"] == pytest.approx(1, abs=0.02)
    assert fitted["dense"] == pytest.approx(2, abs=0.02)
