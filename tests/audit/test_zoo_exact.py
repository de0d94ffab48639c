"""Two ways to an exact law: a member's program enumerated, and the cuts found in its code when uniforms are passed to it."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import Verdict
from simspec.audit.uniforms.exact_law import exact as judged
from simspec.audit.zoo import MEMBERS, decisions, drawn_by, exact_facts, with_uniforms
from simspec.laws import exact

WITH_UNIFORMS = [
    member for member in MEMBERS.values() if not member.frozen
]  # a frozen generator is nothing that uniforms show


@pytest.mark.parametrize("member", WITH_UNIFORMS, ids=[member.name for member in WITH_UNIFORMS])
def test_every_member_is_judged_exactly_by_its_own_uniforms(member) -> None:
    """On its own laws: the law is that of its program, faults are caught, honest rules pass."""
    settings = {"uniforms": decisions(member, member.laws), "drawn": drawn_by(member), "confirmed": 200}
    report = judged(with_uniforms(member), pairs=[member.laws], diagnose=False, **settings)
    found = report.first.emitted
    right = exact_facts(member, exact(member.laws.p), exact(member.laws.q))
    assert found.facts.tv == right.tv
    assert {t: m for t, m in found.facts.law.items() if m} == {t: m for t, m in right.law.items() if m}
    honest = member.kind in ("honest", "report")
    assert report.verdict is (Verdict.LOSSLESS if honest else Verdict.BIASED)


def test_no_draft_is_a_path_too() -> None:
    judge = with_uniforms(MEMBERS["match_emit"])
    none = np.zeros((2, 0), dtype=int)
    assert judge(np.array([[0.25, 0.75]]), np.zeros((0, 2)), none, np.array([[0.1], [0.6]])).tolist() == [[0], [1]]
