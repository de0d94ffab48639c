"""What a run was asked comes back from its file as it was, and a damaged file is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine import run as engine
from simspec.engine.estimates.stopping import Rows, Seconds
from simspec.engine.store.goal import FILE, Goal, read_goal, recorded, write_goal
from simspec.studies import (
    AllOf,
    AnyOf,
    Comparison,
    Counts,
    Decision,
    HalfWidth,
    Mean,
    RelativeError,
    Share,
    Shared,
)
from simspec.studies.catalogue import blocks

NAMES = st.sampled_from(["a", "b[1,2]"])
POSITIVE = st.floats(1e-6, 1e6)
ONE = st.one_of(
    st.builds(HalfWidth, NAMES, POSITIVE, st.just(-1), st.just(2.5)),
    st.builds(RelativeError, NAMES, POSITIVE),
    st.builds(Decision, NAMES, st.floats(-1, 1)),
    st.builds(Comparison, NAMES, NAMES),
    st.builds(Rows, st.integers(1, 10**9)),
    st.builds(Seconds, POSITIVE),
)
TOGETHER = st.builds(
    Shared, NAMES, POSITIVE, st.just(-1), st.just(2), st.just(0), st.integers(0, 9), st.just((1, -0.5))
)
RULES = st.recursive(ONE, lambda r: st.one_of(st.builds(AnyOf, r, r), st.builds(AllOf, r)), max_leaves=5)
MEASURES = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.one_of(st.just(Share()), st.builds(Mean, st.integers(-3, 0), st.floats(1, 9)), st.just(Counts((0.5, 1.5)))),
)


@given(stop=st.none() | RULES | TOGETHER, measures=MEASURES, level=st.floats(0.5, 0.99), together=st.booleans())
def test_a_goal_comes_back(tmp_path_factory, stop, measures, level, together) -> None:
    folder, study = tmp_path_factory.mktemp("d"), blocks()
    goal = Goal("blocks", measures, stop, level, together, ("laws", "gamma"))
    write_goal(folder, engine.manifest(study, 3), goal)
    again = read_goal(folder)
    assert again is not None and again.plain() == goal.plain() and repr(again) == repr(goal)
    proxy, seed, _ = recorded(folder)
    assert (proxy.name, proxy.rows, proxy.grid, seed) == (study.name, study.rows, study.grid, 3)
    assert [list(cell) for cell in proxy.grid] == [list(cell) for cell in study.grid]  # in the order of the parameters


def test_what_is_recorded_has_the_designs_of_the_study(tmp_path) -> None:
    study = blocks()
    write_goal(tmp_path, engine.manifest(study, 3), Goal("blocks", study.measures, study.stop))
    proxy, seed, _ = recorded(tmp_path)
    assert engine.designs(proxy, seed) == engine.designs(study, 3)
    with pytest.raises(ValueError, match="only the results were read"):
        proxy.simulate({}, None, "cpu")  # type: ignore[arg-type]


def test_a_rule_of_ones_own_is_not_kept() -> None:
    class Mine(HalfWidth):
        pass

    assert Goal("s", {}, Mine("a", 1)).plain()["stop"] is None
    assert Goal("s", {}, AnyOf(Rows(1), Mine("a", 1))).plain()["stop"] is None


def test_another_study_is_refused_before_anything_is_written(tmp_path) -> None:
    study = blocks()
    goal = Goal("blocks", study.measures)
    write_goal(tmp_path, engine.manifest(study, 3), goal)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ValueError, match="seed"):
        write_goal(tmp_path, engine.manifest(study, 4), Goal("other", study.measures))
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 2}', '{"format": 1, "reference": 1}'])
def test_a_damaged_record_is_named(text, tmp_path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ValueError, match=rf"{FILE}: not the record of a run"):
        read_goal(tmp_path)
    (tmp_path / FILE).unlink()
    assert read_goal(tmp_path) is None
