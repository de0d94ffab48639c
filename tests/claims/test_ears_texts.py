"""Claims about blocks and texts of EARS: hand cases, verdicts, necessity, mutations."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims import ears_texts
from simspec.claims.data import Data
from simspec.claims.ears_texts import BETAS, CLAIMS, GAMMAS
from simspec.claims.rdk_parts import matrix
from simspec.claims.sd import law
from simspec.methods import SD, ears, output_law
from simspec.methods.sequence import agreement, expected_bias
from tests.claims.ears_cases import assert_claim
from tests.claims.rdk_cases import assert_broken, assert_corrections, getter

get = getter(CLAIMS)
SAME_STEPS = {"p": matrix(*["1/2 1/2"] * 3), "q": matrix(*["3/4 1/4"] * 3), "beta": F(1)}


def test_two_tokens_by_hand() -> None:
    """p = (1/2, 1/2), q = (3/4, 1/4), β = 1 keeps every draft: texts (9, 3, 3, 1)/16 against 4/16 each."""
    found = ears_texts._distances(**SAME_STEPS, length=2, gamma=2)
    assert (found["shorter"], found["tv"], found["block"]) == (F(1, 4), F(5, 16), F(5, 16))
    assert (found["apart"], found["summed"], found["most"]) == (F(7, 16), F(1, 2), 1)


def test_a_block_of_one_draft_takes_every_other_token_from_the_target() -> None:
    """γ = 1, every draft kept: the second token is the target's own, so TV stays at 1/4."""
    assert ears_texts._block_tv(**SAME_STEPS, length=2, gamma=1) == F(1, 4)


def test_roots_by_hand() -> None:
    """One step of SAME_STEPS overlaps by √(3/8) + √(1/8); two by its square."""
    _, roots = ears_texts._shared_roots(**SAME_STEPS)
    once, twice = (float(ears_texts._bhattacharyya(roots, n)) for n in (1, 2))
    assert once == pytest.approx((3 / 8) ** 0.5 + (1 / 8) ** 0.5, rel=1e-14) and twice == pytest.approx(
        once**2, rel=1e-14
    )
    assert 1 - twice <= 5 / 16 <= (1 - twice**2) ** 0.5


def test_foreign_tokens_by_hand() -> None:
    """A step writes a token that the target cannot with G = 1/4 (t = 1/2, q = 1/2 there): TV after two is 1 − (3/4)²."""
    instance = ears_texts._LAST_ONLY
    lhs, rhs = get("ears.sequence-bias-sharp").sides(instance)
    assert lhs == rhs == 1 - F(3, 4) ** 2


def test_block_lengths_by_hand() -> None:
    """p = (1/2, 1/2), q = (1, 0): a = 1/2, at β = 1/2 a' = 3/4; γ = 2: 1 + 1/2 + 1/4 against 1 + 3/4 + 9/16."""
    p, q = law("1/2", "1/2"), law(1, 0)
    assert ears_texts._mean_tokens(SD, p, q, 2) == F(7, 4)
    assert ears_texts._mean_tokens(ears(F(1, 2)), p, q, 2) == F(37, 16)
    assert ears_texts._ratio(1)(p, q, F(1, 2), 1) == F(37, 28) > ears_texts._ratio(0)(p, q, F(1, 2), 1) == F(7, 6)


def test_a_pardoned_token_can_lead_to_a_dead_end() -> None:
    """SD: 1 + 1/2 (+ 1/2) tokens; EARS: 1 + 3/4 (+ 1/2): the ratio falls from 7/6 to 9/8."""
    instance = ears_texts._DEAD_END
    assert get("ears.gamma-scaling").sides(instance) == (F(9, 8), F(7, 6))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
def test_verdict(claim) -> None:
    assert_claim(claim, set())


def test_corrections() -> None:
    assert_corrections(CLAIMS)


def test_measured_ratios() -> None:
    """One row for each β and γ; 1 at β = 0; rising with γ and with β, as acceptance is the same at each step."""
    found = ears_texts._measured_ratios(Data(effort="quick"))
    ratios = np.array([e.estimate for e in found]).reshape(len(BETAS), len(GAMMAS))
    assert (ratios[0] == 1).all()
    assert (np.diff(ratios, axis=0) > 0).all() and (np.diff(ratios[1:], axis=1) > 0).all()
    assert all(e.interval is not None and e.interval[0] <= e.estimate <= e.interval[1] for e in found)


def test_a_bank_without_a_draft_has_no_ratios(monkeypatch) -> None:
    from simspec.logits.bank import MissingPart

    class NoDraft(ears_texts.RealDraw):
        def pair(self, vocab):
            raise MissingPart("bank: no draft")

    monkeypatch.setattr(ears_texts, "RealDraw", NoDraft)
    assert ears_texts._measured_ratios(Data(effort="quick")) == []


def _last_step_only(p, q, beta, length, gamma):
    """Distances that count one step."""
    o, step = output_law(ears(beta), p, q), ears_texts._step_of(p)
    once = expected_bias(p, o, step, 0, 1)
    return np.array([once, once, once, once, once], dtype=object)


def _one_short(p, q, beta, length, gamma):
    o, step = output_law(ears(beta), p, q), ears_texts._step_of(p)
    return np.array([1 - agreement(p, o, step, 0, length - 1)] * 5, dtype=object)


def _root_without_a_factor(p, q, beta, length, place):
    """The bound by the worst state with T/2 in place of 2 T, and that by 1 - b with T in place of 2 T."""
    larger = ears_texts._root_sides(p, q, beta, length)[1]
    step = min(ears_texts._shared_roots(p, q, beta)[1].sum(axis=-1).tolist(), key=float)
    larger[place] = 1 - step ** (length // 2) if place == 2 else length * (1 - step)
    return np.array(larger, dtype=object)


def _sum_of_gains(p, q, beta, length):
    return expected_bias(p, output_law(ears(beta), p, q), ears_texts._step_of(p), 0, length)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ears.sequence-bias", {"rhs": _last_step_only}),
        ("ears.sequence-bias", {"rhs": _one_short}),
        ("ears.sequence-bias", {"rhs": ears_texts._chain("tv", "shorter", "apart", "summed", "most")}),
        ("ears.sequence-bias", {"rhs": ears_texts._chain("tv", "tv", "tv", "tv", "most")}),
        ("ears.sequence-bias-sharp", {"rhs": _sum_of_gains}),
        ("ears.sequence-bias-sharp", {"instances": ears_texts._some_text, "assumes": {}}),
        (
            "ears.sequence-bias.root",
            {"rhs": lambda p, q, beta, length: np.array(ears_texts._root_sides(p, q, beta, 1)[1], dtype=object)},
        ),
        ("ears.sequence-bias.root", {"rhs": lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 2)}),
        ("ears.sequence-bias.root", {"rhs": lambda p, q, beta, length: _root_without_a_factor(p, q, beta, length, 3)}),
        ("ears.gamma-scaling", {"lhs": ears_texts._ratio(0), "rhs": ears_texts._ratio(1)}),
        ("ears.gamma-scaling", {"instances": ears_texts._any_context, "assumes": {}, "rhs": ears_texts._ratio(2)}),
        (
            "ears.gamma-scaling-sharp",
            {"lhs": lambda p, q, beta, gamma: ears_texts._mean_tokens(SD, p, q, gamma + 1, True) / (gamma + 1)},
        ),
        ("ears.gamma-scaling.longer", {"lhs": lambda p, q, gamma: ears_texts._mean_tokens(SD, p, q, gamma) - F(1, 99)}),
        (
            "ears.gamma-scaling.longer",
            {"rhs": lambda p, q, gamma: ears_texts._mean_tokens(SD, p, q, gamma + 1)},
        ),
    ],
)
def test_breaking_a_formula_breaks_the_claim(name, changes) -> None:
    assert_broken(get(name), **changes)
