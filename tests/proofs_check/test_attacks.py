"""The campaign against the checker: each attack is refused, or said to be beyond it; the page tells what became of them."""

from __future__ import annotations

import pytest

from tests.requirements import require

require("proofs")
from proofs_check.checking import unchanged  # noqa: E402
from proofs_check.rules.derivation import Derivation  # noqa: E402
from proofs_check.rules.terms import eq  # noqa: E402
from proofs_check.sd.acceptance import PROOF  # noqa: E402
from tests.proofs_check.attacks.apart import outcome, refusal, run_twin  # noqa: E402
from tests.proofs_check.attacks.attack import Attack, against_steps, tried  # noqa: E402
from tests.proofs_check.attacks.attack import outcome as outcome_here  # noqa: E402
from tests.proofs_check.attacks.listed import (  # noqa: E402
    ALL,
    FRESH,
    GUARDED,
    HOLES,
    HOSTILE,
    LAST,
    LATER,
    MESSAGES,
    NEWEST,
    OPEN,
    REFEREED,
    WORD,
)
from tests.proofs_check.attacks.page import PAGE, page  # noqa: E402
from tests.proofs_check.attacks.promised import NOT_PROMISED  # noqa: E402

COMPARE = unchanged._compare
TWINNED = [*REFEREED, *LATER, *LAST, *NEWEST]


@pytest.mark.parametrize("attack", FRESH, ids=[a.name for a in FRESH])
def test_it_is_refused(attack: Attack) -> None:
    assert outcome(attack) == ("accepted" if attack.beyond else "refused")
    run_twin(attack)


@pytest.mark.parametrize("attack", TWINNED, ids=[a.name for a in TWINNED])
def test_it_is_refused_and_its_twin_is_not(attack: Attack) -> None:
    assert outcome(attack) == ("accepted" if attack.beyond else "refused")
    assert attack.twin is not None
    run_twin(attack)


@pytest.mark.parametrize("attack", MESSAGES, ids=[a.name for a in MESSAGES])
def test_it_is_refused_for_its_fault(attack: Attack) -> None:
    said = refusal(attack)
    assert (said is None) == bool(attack.beyond or attack.name in OPEN), said
    assert said is None or any(part in said for part in attack.by.split("|")), said
    run_twin(attack)


def test_what_an_attack_changes_for_good_no_other_meets() -> None:
    """One switches off what guards a check, and nobody puts that back; another is refused by the guard afterwards."""
    by_name = {attack.name: attack for attack in GUARDED}
    assert refusal(by_name["guard_both_guards"]) is None
    assert unchanged._compare is COMPARE
    assert refusal(by_name["answered_another_process"]) is not None


def test_an_attack_that_falls_over_its_own_feet_is_not_refused() -> None:
    def way() -> None:
        {}["nothing"]

    with pytest.raises(KeyError):
        outcome_here(Attack("a slip", "none", "a slip", way))


def test_what_is_right_is_accepted() -> None:
    """The attacks fail for their fault, not for their form."""
    found: list[Attack] = []

    @against_steps("right", found)
    def truth(d: Derivation) -> None:
        d.derive("so", eq(1, 1))

    assert outcome_here(found[0]) == "accepted"
    assert tried(PROOF).conclusions


def test_there_are_many_and_each_has_one_name() -> None:
    assert len(FRESH) >= 60 and len(REFEREED) >= 60 and len(LATER) >= 20 and len(NEWEST) >= 40
    assert len(WORD) >= 60 and len(HOSTILE) >= 60 and len(GUARDED) >= 60
    assert len({a.name for a in ALL}) == len(ALL)
    assert {a.name for a in [*TWINNED, *MESSAGES] if not a.beyond} >= HOLES
    assert all(a.says for a in ALL)


def test_what_is_accepted_is_outside_of_what_the_words_promise() -> None:
    """None is open: each that is accepted names a sentence that the page says."""
    accepted = [attack for attack in ALL if attack.beyond]
    assert {attack.beyond for attack in accepted} == {*NOT_PROMISED}
    assert all(sentence in PAGE.read_text(encoding="utf-8") for sentence in NOT_PROMISED)


def test_the_page_tells_what_became_of_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
