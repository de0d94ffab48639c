"""Two ways to an exact law: a member's program enumerated, and the cuts found in its code when coins are passed to it."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.audit import Verdict
from simspec.audit.coins.by_coins import exact as judged
from simspec.audit.zoo import MEMBERS, by_coins, exact_facts, shown_tv
from simspec.audit.zoo.member import sampled
from simspec.laws import exact
from simspec.methods.joint import every

PATHS = [member for member in MEMBERS.values() if member.nodes is None and not member.frozen]
SOME = ["topk_told_raw", "gumbel_reuse", "block_token_residual", "match_emit", "cactus"]


def drawn_of(member):
    """Laws from which drafts really come: they do not depend on earlier drafts."""

    def drawn(q):
        laws = np.zeros(q.shape)
        for weight, x in every(lambda chance: member.drafts(lambda prefix: q[len(prefix)].tolist(), len(q), chance)):
            laws[np.arange(len(q)), list(x)] += weight
        return laws

    return None if member.drafts is sampled else drawn


@pytest.mark.parametrize("name", SOME)
def test_both_agree(name) -> None:
    member = MEMBERS[name]
    assert member in PATHS
    report = judged(by_coins(member), pairs=[member.laws], drawn=drawn_of(member), diagnose=False)
    found = report.first.emitted
    p, q = exact(member.laws.p), exact(member.laws.q)
    assert found.facts.tv == shown_tv(member, p, q)
    assert {t: m for t, m in found.facts.law.items() if m} == {
        t: m for t, m in exact_facts(member, p, q).law.items() if m
    }
    assert report.verdict is (Verdict.LOSSLESS if member.kind == "honest" else Verdict.BIASED)


def test_no_draft_is_a_path_too() -> None:
    judge = by_coins(MEMBERS["match_emit"])
    none = np.zeros((2, 0), dtype=int)
    assert judge(np.array([[0.25, 0.75]]), np.zeros((0, 2)), none, np.array([[0.1], [0.6]])).tolist() == [[0], [1]]
