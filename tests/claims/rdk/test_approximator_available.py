"""`rdk.approximator-available`: cases by hand and mutations."""

from fractions import Fraction as F

import pytest

from simspec.claims.words import law, mask
from tests.claims.cases import assert_broken, counterexample, get


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


def test_forgetting_the_prior_breaks_the_claim() -> None:
    claim = get("rdk.approximator-available.prior")
    assert_broken(claim, instances=lambda draw: {**claim.instances(draw), "prior": None}, assumes={})
