"""What every claim but the empirical ones is tested for; each check is also seen to fail on a claim that is wrong on purpose."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.authoring import law
from simspec.claims.balls import is_ball
from simspec.claims.claim import Claim, at_most
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.decide import decide
from simspec.claims.deciding.search import Trials, check_draw, check_exact, try_claim
from simspec.claims.deciding.shrink import violated
from simspec.claims.deciding.verify import expected
from simspec.claims.draw import FloatDraw
from simspec.laws import overlap, tv
from tests.claims.cases import QUICK, assert_broken, claims_of, get, trials

EXACT = [name for name, claim in registry().items() if claim.finding is None]
FLOATS = {name for name in EXACT if get(name).instances and "float" in get(name).sources}
REFUTED = {name for name in EXACT if expected()["verdicts"][name] == "refuted"}
UNDEFINED = {"sd.block-length": {"α is below one"}}  # at α = 1 the printed formula is 0/0: there is nothing to compare
SHOWN = {"ears": 6, "pad": 24}  # most entries of an array in a counterexample; 18 for other papers
CORRECTIONS = {name for claim in registry().values() for name in claim.corrected_by}
WITHOUT_BROKEN = {
    "tasc.added-tokens-corrected": "takes more trials than others: broken in tests/claims/tasc/test_tokens.py"
}
"""Claims that hold and name no broken formula, with the reason."""


def check_verdict(claim: Claim, found: Trials, refuted: bool) -> None:
    """Refuted as recorded by an exact counterexample that is shown small, or not at all; every assumption is needed."""
    assert decide(claim, found) == ("refuted" if refuted else "holds")
    assert set(claim.outside) == set(claim.assumes) - UNDEFINED.get(claim.name, set())
    assert found.not_needed == ()
    if refuted:
        case = found.counterexample or {}
        assert not claim.broken_assumptions(case)
        assert violated(claim.slack(case))
        assert all(getattr(v, "size", 1) <= SHOWN.get(claim.name.split(".")[0], 18) for v in case.values())


def check_listed(claim: Claim) -> None:
    """Listed instances are tight, or refute the claim."""
    for instance in claim.tight:
        slack = claim.slack(instance)
        smallest = min(np.ravel(np.asarray(slack, dtype=object)).tolist(), key=float)
        assert not violated(slack)
        assert abs(float(smallest)) < 1e-6 if is_ball(smallest) else smallest == 0
    assert all(violated(claim.slack(instance)) for instance in claim.against)


def check_floats(claim: Claim, refuted: bool) -> None:
    """Synthetic laws do not violate a claim that holds."""
    check, worst, _ = check_draw(claim, FloatDraw(7, vocab=500, rows=4, matrix=32), "synthetic")
    assert check.instances > 0
    assert refuted or check.violations == 0, worst


BORROWED = {"select.matches.greedy"}
"""What holds instead is a claim of another paper already."""


def check_links(claim: Claim, refuted: bool) -> None:
    """Refuted claims and their corrections and sharper constants name each other, by ids of the same paper."""
    assert claim.corrected_by or not refuted, claim.name
    assert set(claim.corrected_by) <= set(registry()) - {claim.name}, claim.name
    assert {name.split(".")[0] for name in claim.corrected_by} <= {claim.name.split(".")[0]} or claim.name in BORROWED
    assert set(claim.proof_steps) <= set(registry()) - {claim.name}, claim.name
    if claim.name.endswith(("-corrected", "-sharp")):
        assert claim.name.rsplit("-", 1)[0] in registry(), claim.name
        assert claim.name in CORRECTIONS, claim.name


@pytest.mark.parametrize("name", EXACT)
def test_claim(name) -> None:
    """Its verdict, its listed instances, floats where they make sense, and every formula that is broken on purpose."""
    claim, refuted = get(name), name in REFUTED
    check_verdict(claim, trials(name), refuted)
    check_listed(claim)
    if name in FLOATS:
        check_floats(claim, refuted)
    for slip in claim.broken:
        assert_broken(claim, **slip.changes(claim))


@pytest.mark.parametrize("name", [claim.name for claim in claims_of("rdk.static-mixture") if not claim.finding])
def test_every_source_agrees(name) -> None:
    """Claims on batches whose rows are contexts of one text: tried on real laws too."""
    found = try_claim(get(name), "quick", 0, Data(effort="quick"))
    assert decide(get(name), found) == "holds"
    assert found.exact and found.synthetic and found.real


def test_corrections() -> None:
    for name in registry():
        check_links(get(name), name in REFUTED)


LEANING = re.compile(r"(It|They|Its|Their|The same|There|Then|Only|So|Likewise|Otherwise|Conversely|Of these)\b")
"""How a statement begins that says nothing without the one before it."""


FRAGMENT = re.compile(
    r"^[^,:]* (it is|it does|they are|they do)$|^[^,:]* (does|do), and |nothing is said|bounds nothing"
)
"""What a statement says or ends with that leaves what it is about to another one."""


def test_statements_stand_alone() -> None:
    assert LEANING.match("The same with a tolerance") and not LEANING.match("The samples")
    assert not [name for name, claim in registry().items() if LEANING.match(claim.statement)]
    for words in (
        "For γ = 1 it is",
        "Capped HSD does, and naive HSD with γ = 1",
        "m falls; nothing is said of the rest",
    ):
        assert FRAGMENT.search(words)
    assert not FRAGMENT.search("With one draft it is lossless") and not FRAGMENT.search("it is what it says")
    assert not [name for name, claim in registry().items() if FRAGMENT.search(claim.statement)]


def test_every_claim_that_holds_names_a_broken_formula() -> None:
    """A refuted claim fails as it stands, and a measured one has no formula to break."""
    naming = {name for name, claim in registry().items() if claim.broken}
    assert set(EXACT) - REFUTED - naming == WITHOUT_BROKEN.keys()
    assert naming <= set(EXACT) - REFUTED


def test_a_broken_formula_says_in_a_few_words_what_is_wrong() -> None:
    for claim in registry().values():
        for slip in claim.broken:
            assert 0 < len(slip.wrong) <= 90 and not slip.wrong.endswith("."), (claim.name, slip.wrong)
            assert slip.changes(claim).keys() <= set(Claim.__dataclass_fields__), claim.name


# --- the checks themselves --------------------------------------------------------------------------------------------

ONE, APART = {"p": law(1), "q": law(1)}, {"p": law(1, 0), "q": law(0, 1)}


def _pairs(draw: Any) -> Any:
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


SOUND = Claim(
    "t.sound",
    "bound",
    "",
    "",
    lhs=overlap,
    rhs=lambda p: p.sum(axis=-1),
    relation=at_most,
    instances=_pairs,
    tight=(ONE,),
)


def _all(claim: Claim) -> None:
    check_verdict(claim, check_exact(claim, QUICK, seed=0), refuted=False)
    check_listed(claim)
    check_floats(claim, refuted=False)
    check_links(claim, refuted=False)


@pytest.mark.parametrize(
    "changes",
    [
        {"rhs": tv},
        {"assumes": {"q is a point": lambda q: q.max() == 1}, "instances": lambda draw: ONE},
        {
            "assumes": {"one token": lambda p: len(p) == 1},
            "instances": lambda draw: ONE,
            "outside": {"one token": APART},
        },
        {"tight": (APART,)},
        {"against": (ONE,)},
        {"lhs": lambda p, q: overlap(p, q) + (0 if p.dtype == object else 1e-3)},
        {"corrected_by": ("sd.nowhere",)},
        {"name": "sd.acceptance-corrected"},
    ],
    ids=["false", "necessity not shown", "not needed", "not tight", "not against", "floats", "no such id", "not named"],
)
def test_a_wrong_claim_fails(changes) -> None:
    _all(SOUND)
    with pytest.raises(AssertionError):
        _all(replace(SOUND, **changes))


def test_what_holds_is_no_refutation_and_no_mutation() -> None:
    with pytest.raises(AssertionError):
        check_verdict(SOUND, check_exact(SOUND, QUICK, seed=0), refuted=True)
    with pytest.raises(AssertionError):
        check_links(SOUND, refuted=True)
    with pytest.raises(AssertionError):
        assert_broken(SOUND)
