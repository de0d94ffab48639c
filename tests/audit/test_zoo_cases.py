"""The figures of the zoo and the pages made of them: by hand, current, and linked."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simspec.audit.reference import speculative
from simspec.audit.zoo import MEMBERS, black_box, boxes, exact_facts
from simspec.audit.zoo.cases import KINDS, file_name, index, laws_of, main, page, source_of
from simspec.audit.zoo.member import small
from simspec.audit.zoo.table import COMMON, RUNS, looks, needed, part_named, row, settings_of, table
from simspec.laws import exact

CASES = Path(__file__).parents[2] / "docs" / "cases"
SOME = [
    MEMBERS[name]
    for name in ("zero_coin", "frozen_seed", "count_past_rejection", "closed_coin", "match_emit", "cactus")
]


@pytest.fixture(scope="module")
def rows():
    return table(SOME)


def test_the_figures_of_one_member_by_hand(rows) -> None:
    """Uniform 0 keeps both drafts of the target's support: acceptance 1 and length 3, in place of 1/2 and 1 + 1/2 + 1/4."""
    found = rows[0]
    assert (found.tv, found.kl) == (Fraction(1, 2), pytest.approx(np.log(2)))
    assert (*found.here, *found.mended_here) == (1, 2, Fraction(1, 2), Fraction(3, 2))
    assert (*found.common, *found.mended_common) == (1, 3, Fraction(1, 2), Fraction(7, 4))
    assert found.common_tv == exact_facts(MEMBERS["zero_coin"], exact(COMMON.p), exact(COMMON.q)).tv


def test_calls_needed_follow_the_bias(rows) -> None:
    """A uniform of 0 shows once in 256 calls; what is lossless is not seen, at false alarm 1e-6 in each run."""
    calls = {found.member.name: found.calls for found in rows}
    assert calls["match_emit"] is calls["count_past_rejection"] is None
    assert 50 < calls["closed_coin"] < 1000
    assert calls["zero_coin"] < calls["closed_coin"]
    assert calls["frozen_seed"] % 2 == 0
    assert needed(speculative, COMMON, most_calls=2000) is None
    alone = [needed(black_box(MEMBERS["closed_coin"]), MEMBERS["closed_coin"].laws, seed) for seed in range(RUNS)]
    assert calls["closed_coin"] == sorted(alone)[RUNS // 2]


def test_the_part_that_pages_tell_is_the_right_one() -> None:
    """For all but FLy, whose coin passes a draft where a later one passes: as a loop that stops at the last draft that passes."""
    biased = [member for member in MEMBERS.values() if member.kind in ("fault", "lossy")]
    wrong = {member.name: part_named(member) for member in biased if part_named(member) != member.part}
    assert wrong == {"fly": "stopping"}


def test_looks_end_where_they_should() -> None:
    assert looks(1) == [1]
    at = looks(10_000)
    assert at[-1] == 10_000 and sorted({*at}) == at and len(at) < 100


@pytest.mark.parametrize("member", SOME, ids=[m.name for m in SOME])
def test_pages_are_current(member, rows) -> None:
    found = next(one for one in rows if one.member is member)
    assert (CASES / file_name(member)).read_text(encoding="utf-8") == page(found)


def test_the_index_is_current_and_whole(rows) -> None:
    text = (CASES / "README.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert [line for line in index(rows).splitlines() if line not in lines] == []
    assert re.findall(r"^\| \w\d+ \| \[(\w+)\]\(([^)]+)\)", text, re.MULTILINE) == [
        (member.name, file_name(member)) for kind in KINDS for member in MEMBERS.values() if member.kind == kind
    ]


def test_every_link_leads_somewhere() -> None:
    pages = sorted(CASES.glob("*.md"))
    assert {p.name for p in pages} == {
        "README.md",
        "honest.md",
        "detected.md",
        "engines.md",
        *map(file_name, MEMBERS.values()),
    }
    for one in pages:
        links = re.findall(r"\]\(([^)]+)\)", one.read_text(encoding="utf-8"))
        assert links
        assert [link for link in links if not (one.parent / link).is_file()] == []


@pytest.mark.parametrize("member", MEMBERS.values(), ids=list(MEMBERS))
def test_a_page_says_what_is_known(member) -> None:
    """Threads, reason and the lines of the rule, as they stand in the source."""
    text = (CASES / file_name(member)).read_text(encoding="utf-8")
    for words in (*member.threads, *member.second_hand, member.why, member.repair.words, *map(source_of, member.shown)):
        assert words in text
    assert ("(second-hand)" in text) == bool(member.second_hand)
    assert all(line in text for line in laws_of(member.laws))


def test_other_settings_say_what_they_cost() -> None:
    """By hand: a uniform on a grid of 2^-b takes the impossible once in 2^b; min-p at m hides (m/2)/(1 + m/2)."""
    assert [one.tv for one in settings_of(MEMBERS["closed_coin"])] == [Fraction(1, 2**b) for b in (4, 8, 16, 24)]
    assert "| a grid of 2^-24 | 2^-24 | 2^-24 |" in (CASES / file_name(MEMBERS["closed_coin"])).read_text(
        encoding="utf-8"
    )
    hidden = [one.tv for one in settings_of(MEMBERS["processor_on_bonus_only"])]
    assert hidden == [Fraction(1, 33), Fraction(1, 9), Fraction(1, 5), 0]
    for member in MEMBERS.values():
        told = settings_of(member)
        assert (member.kind == "lossy") <= bool(told)
        assert all(0 <= one.tv <= 1 and 1 <= one.common.length <= 3 for one in told)


def test_pages_are_written(tmp_path, monkeypatch, rows) -> None:
    monkeypatch.setattr("simspec.audit.zoo.cases.table", lambda: rows[:1])
    assert main([str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "f07-zero-coin.md").read_text(encoding="utf-8") == page(rows[0])
    assert "zero_coin" in (tmp_path / "new" / "README.md").read_text(encoding="utf-8")


def test_a_long_law_is_cut() -> None:
    """27 texts: the 12 that differ most."""
    long = MEMBERS["zero_coin"]._replace(laws=COMMON)
    assert "and 15 more." in page(row(long))
    assert laws_of(small("1/2 1/2, 1 0", "1/4 3/4"))[-1] == "| draft, position 1 | 1/4 | 3/4 |"


def test_members_have_names_for_the_command_line() -> None:
    sampler = vars(boxes)["first_unverified"]
    laws = MEMBERS["first_unverified"].laws
    assert (sampler(laws.p, laws.q, 4, np.random.default_rng(0))[:, 0] == 1).all()
    assert {*MEMBERS} <= {*vars(boxes)}
