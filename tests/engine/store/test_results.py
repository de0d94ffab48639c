"""The store: totals by hand, resuming, duplicates, manifests, merging, compacting, and tables for others."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine.estimates import statistics
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.show.frames import to_pandas, to_xarray
from simspec.engine.store import directory
from simspec.engine.store import results as store
from simspec.engine.store.manifest import FILE, agree, join, read_manifest
from simspec.engine.store.results import Block, Manifest, Store, compact, merge, rebuild_manifest
from simspec.engine.store.segment import canonical, metadata_of, read_segment
from tests.engine.store.store_cases import DESIGNS, PLAN, made, numbers, write

GOOD = Block("0f", "{}", 0, 10, {"n": 10})


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "results"


def put(folder: Path, *blocks: Block, **options) -> None:
    """Write blocks as one segment."""
    with Store(folder, **options) as store:
        for block in blocks:
            store.append(block)


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


# ---------------------------------------------------------------------------------------------- writing and reading


def test_totals_by_hand(folder) -> None:
    put(
        folder,
        Block("0f", "{}", 1, 10, {"n": 10, "counts": [1, 2]}),
        Block("0f", "{}", 0, 5, {"n": 5, "counts": [0, 4]}),
    )
    found = Store(folder)
    assert found.designs() == ["0f"] and found.done("0f").tolist() == [0, 1]
    totals = found.totals("0f")
    assert totals["n"] == 15 and type(totals["n"]) is int and totals["counts"].tolist() == [1, 6]
    assert found.totals("0f", [1])["n"] == 10 and found.totals("0f", [])["counts"].tolist() == [0, 0]
    columns = found.blocks("0f")
    assert list(columns) == ["block", "rows", "seconds", "n", "counts"]
    assert columns["rows"].tolist() == [5, 10] and columns["counts"].tolist() == [[0, 4], [1, 2]]


def test_what_is_buffered_can_be_read_here_and_after_a_flush_elsewhere(folder) -> None:
    writer, reader = Store(folder, interval=1e9), Store(folder)
    writer.append(made(0))
    assert reader.done(DESIGNS[0]).tolist() == [] and not folder.exists()
    assert writer.done(DESIGNS[0]).tolist() == [0]
    assert reader.done(DESIGNS[0]).tolist() == [0]
    writer.append(made(2))
    writer.flush()
    writer.flush()
    assert len(segments(folder)) == 2 and reader.done(DESIGNS[0]).tolist() == [0, 2]


def test_the_interval_decides_when_segments_are_written(folder, monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    writer = Store(folder, interval=5)
    counts = []
    for number in range(12):
        now[0] += 1
        writer.append(made(number))
        counts.append(len(segments(folder)))
    assert counts == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]
    writer.close()
    assert len(segments(folder)) == 3


def test_a_block_keeps_its_own_copy_of_what_it_was_given(folder) -> None:
    counts = np.array([1, 2])
    with Store(folder) as writer:
        writer.append(GOOD._replace(statistics={"counts": counts}))
        counts[:] = 7
    assert writer.totals("0f")["counts"].tolist() == [1, 2]


def test_blocks_go_straight_to_a_stopping_rule(folder) -> None:
    put(folder, *(Block("0f", "{}", b, 100, statistics.proportion("kept", np.arange(100) < 50)) for b in range(20)))
    columns = Store(folder).blocks("0f")
    fired = HalfWidth("kept", 0.05).fired(columns)
    assert fired is not None and 0 < fired < 19
    assert statistics.mean(Store(folder).totals("0f", range(fired + 1)), "kept") == 0.5


def test_numbers_at_the_ends_of_int64_and_sums_beyond_it(folder) -> None:
    put(folder, *(GOOD._replace(block=b, statistics={"high": 2**63 - 1, "low": -(2**63)}) for b in range(3)))
    assert Store(folder).totals("0f") == {"high": 3 * (2**63 - 1), "low": -3 * 2**63}
    assert to_xarray(folder)["low"].item() == -3 * 2**63


def test_histograms_beyond_int64_are_refused(folder) -> None:
    put(folder, *(GOOD._replace(block=b, statistics={"counts": [2**62, 0]}) for b in range(2)))
    with pytest.raises(ValueError, match=r"sums to 9223372036854775808; expected counts that fit"):
        Store(folder).totals("0f")


def test_designs_with_different_statistics_share_a_segment(folder) -> None:
    put(folder, GOOD, Block("1f", "[1]", 0, 3, {"n": [1, 2]}), Block("2f", "2", 4, 3, {"m": 8}))
    found = Store(folder)
    assert len(segments(folder)) == 1
    assert found.totals("0f") == {"n": 10} and found.totals("2f") == {"m": 8}
    assert found.totals("1f")["n"].tolist() == [1, 2]
    assert found.cells() == {"0f": {}, "1f": [1], "2f": 2}


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 6), st.booleans()),
        max_size=30,
    ),
    st.booleans(),
)
def test_order_split_and_repetition_do_not_matter(tmp_path_factory, rows, compacted) -> None:
    folder = tmp_path_factory.mktemp("any")
    with Store(folder, interval=1e9) as writer:
        for design, number, flushed in rows:
            value = (design + 1) * 2**33 + number
            writer.append(Block("abc"[design], str(design), number, 1, {"x": value, "h": [number, 1]}))
            if flushed:
                writer.flush()
    if compacted:
        compact(folder)
    distinct = {(design, number) for design, number, _ in rows}
    found = Store(folder)
    assert found.designs() == sorted({"abc"[design] for design, _ in distinct})
    for design in {design for design, _ in distinct}:
        mine = sorted(number for other, number in distinct if other == design)
        assert found.done("abc"[design]).tolist() == writer.done("abc"[design]).tolist() == mine
        totals = found.totals("abc"[design])
        assert totals["x"] == sum((design + 1) * 2**33 + number for number in mine)
        assert totals["h"].tolist() == [sum(mine), len(mine)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"design": "XY"}, "design: 'XY'; expected a hash"),
        ({"cell": '{"b":1, "a":2}'}, "cell: .*; expected JSON as canonical"),
        ({"cell": "{"}, "cell: '{'"),
        ({"cell": "NaN"}, "cell: 'NaN'"),
        ({"block": -1}, "block: -1; expected an integer from 0"),
        ({"block": 1.0}, "block: 1.0; expected an integer"),
        ({"rows": True}, "rows: True; expected an integer"),
        ({"seconds": float("nan")}, "seconds: nan"),
        ({"seconds": -1}, "seconds: -1"),
        ({"statistics": {}}, "statistics: {}; expected at least one, or an error"),
        ({"statistics": {"x": 1.0}}, "statistics 'x': 1.0; expected an integer"),
        ({"statistics": {"x": 2**63}}, "statistics 'x': 9223372036854775808; expected an integer from"),
        ({"statistics": {"x": [1.5]}}, "statistics 'x'.*expected a list of integers"),
        ({"statistics": {"x": []}}, "statistics 'x'.*expected a list of integers"),
        ({"statistics": {"x": [[1]]}}, "statistics 'x'.*expected a list of integers"),
        ({"statistics": {"x": np.array([2**63], dtype=np.uint64)}}, "statistics 'x'.*fit in int64"),
        ({"statistics": {"rows": 1}}, "statistics: name 'rows'"),
        ({"statistics": {"origin": 1}}, "statistics: name 'origin'"),
        ({"statistics": {"x[]": 1}}, r"statistics: name 'x\[\]'"),
        ({"statistics": {"cell.x": 1}}, "statistics: name 'cell.x'"),
        ({"error": "boom"}, "error: 'boom'; expected None, or text and no statistics"),
        ({"error": "", "statistics": {}}, "error: ''"),
    ],
)
def test_a_bad_block_is_refused_and_the_others_are_kept(folder, change, message) -> None:
    with Store(folder) as writer:
        writer.append(GOOD)
        with pytest.raises(ValueError, match=message):
            writer.append(GOOD._replace(**change))
    assert Store(folder).totals("0f") == {"n": 10}


def test_numpy_integers_are_integers(folder) -> None:
    put(folder, Block("0f", "{}", np.int64(3), np.uint8(4), {"x": np.int32(5), "y": np.array(6), "z": (1, 2)}))
    found = Store(folder)
    assert found.done("0f").tolist() == [3]
    assert {k: np.asarray(v).tolist() for k, v in found.totals("0f").items()} == {"x": 5, "y": 6, "z": [1, 2]}


def test_unknown_designs_and_blocks(folder) -> None:
    put(folder, GOOD)
    found = Store(folder)
    assert found.done("ff").tolist() == [] and found.failed("ff") == []
    with pytest.raises(ValueError, match="design: 'ff'; expected one of the 1"):
        found.blocks("ff")
    with pytest.raises(ValueError, match="blocks: 1 of design 0f is not here"):
        found.totals("0f", [0, 1])


def test_bad_arguments(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    for arguments, message in [
        ((tmp_path / "file",), "path: .*file is a file"),
        ((tmp_path, ""), "code_version: ''"),
        ((tmp_path, "1", None, -1), "interval: -1"),
        ((tmp_path, "1", None, float("nan")), "interval: nan"),
    ]:
        with pytest.raises(ValueError, match=message):
            Store(*arguments)
    for call in (compact, rebuild_manifest, to_pandas, to_xarray, lambda path: merge([path], tmp_path / "t")):
        with pytest.raises(ValueError, match="nowhere; expected a directory of results"):
            call(tmp_path / "nowhere")
    assert not (tmp_path / "t").exists()


# ------------------------------------------------------------------------------------------ duplicates and failures


def test_duplicates_that_agree_count_once_whatever_time_they_took(folder) -> None:
    put(folder, GOOD)
    put(folder, GOOD._replace(seconds=3.0), GOOD)
    assert Store(folder).totals("0f") == {"n": 10} and Store(folder).done("0f").tolist() == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statistics": {"n": 11}}, "n is 1[01] in .*, but 1[01] in "),
        ({"rows": 11}, "rows is 1[01] in "),
        ({"cell": "[]"}, r"cell is (\[\]|{}) in "),
        ({"statistics": {"n": [10]}}, "n is "),
        ({"statistics": {"m": 10}}, "[mn] is "),
        ({"block": 1, "statistics": {"m": 10}}, "[mn] is "),
        ({"block": 1, "cell": "[]"}, r"cell is (\[\]|{}) in "),
    ],
)
def test_rows_that_disagree_are_refused_with_both_files(folder, change, message) -> None:
    put(folder, Block("0e", "{}", 0, 1, {"n": 1}), GOOD)
    put(folder, Block("1f", "{}", 0, 1, {"n": 1}), GOOD._replace(**change))
    with pytest.raises(ValueError, match=f"block [01] of design 0f: {message}") as caught:
        Store(folder).designs()
    assert all(str(path) in str(caught.value) for path in segments(folder))
    with pytest.raises(ValueError, match="of design 0f"):
        compact(folder)
    assert len(segments(folder)) == 2


def test_a_disagreement_in_one_of_many_counts_is_found(folder) -> None:
    put(folder, *(made(number) for number in range(50)))
    bad = made(31)
    counts = [*bad.statistics["length.counts"]]
    counts[20] += 1
    put(folder, made(30), bad._replace(statistics={**bad.statistics, "length.counts": counts}), made(32))
    with pytest.raises(ValueError, match=f"block 31 of design {DESIGNS[0]}: length.counts is"):
        Store(folder).totals(DESIGNS[0])


def test_histograms_of_different_length_are_refused(folder) -> None:
    put(folder, GOOD._replace(statistics={"h": [1, 2]}), GOOD._replace(block=3, statistics={"h": [1, 2, 3]}))
    with pytest.raises(ValueError, match="block 3 of design 0f: h has 3 counts; expected 2, as in block 0"):
        Store(folder).blocks("0f")


def test_failures_are_recorded_until_the_block_succeeds(folder) -> None:
    failure = GOOD._replace(block=1, statistics={}, error="ZeroDivisionError")
    put(folder, GOOD, failure, Block("1f", "3", 7, 2, {}, 0.5, "KeyError"))
    put(folder, failure._replace(error="another text"))
    found = Store(folder)
    assert found.done("0f").tolist() == [0] and found.done("1f").tolist() == []
    assert found.totals("0f") == {"n": 10} and found.totals("1f") == {}
    assert [b.block for b in found.failed()] == [1, 7]
    assert found.failed("1f") == [Block("1f", "3", 7, 2, {}, 0.5, "KeyError")]
    put(folder, GOOD._replace(block=1))
    put(folder, failure)
    for _ in range(2):
        assert found.done("0f").tolist() == [0, 1] and found.totals("0f") == {"n": 20} and found.failed("0f") == []
        compact(folder)


# -------------------------------------------------------------------------------------------------------- manifests


def test_the_design_is_a_hash_of_what_is_simulated() -> None:
    def design(study="s", cell=None, seed=1, size=10):
        return Manifest(study, "?", seed, size).design({"a": 1, "b": 2} if cell is None else cell)

    others = [design(study="t"), design(cell={"a": 1}), design(seed=2), design(size=11), design(cell=[])]
    assert len({design(), *others}) == 6
    assert design() == design(cell={"b": 2, "a": 1}) == "32f7ce13dee06809a0364ed540d10bb9"  # b2sum
    with pytest.raises(ValueError, match="cell: .*nan.*; expected"):
        design(cell={"a": float("nan")})


def test_the_manifest_is_written_and_can_be_rebuilt(folder) -> None:
    write(folder, range(2))
    with Store(folder, "2.0", Manifest(**{**vars(PLAN), "grid": ({"x": 5},)})) as writer:
        writer.append(made(4))
    manifest = read_manifest(folder)
    assert manifest.grid == ({"x": 0}, {"x": 1}, {"x": 5}) and manifest.seed == 1
    assert manifest.created == PLAN.created and "2.0" in manifest.code_versions and len(manifest.code_versions) == 2
    (folder / FILE).write_text("{")
    with pytest.raises(ValueError, match=f"{FILE}: not JSON .*simspec study rebuild"):
        Store(folder, manifest=PLAN)
    names = ("kept.n", "kept.sum", "length.counts")
    for _ in range(2):
        rebuilt = rebuild_manifest(folder)
        assert rebuilt == read_manifest(folder) and rebuilt.statistics == names
        assert set(map(canonical, rebuilt.grid)) == set(map(canonical, manifest.grid))
        assert rebuilt.code_versions == manifest.code_versions and rebuilt.created == manifest.created
        compact(folder)
        (folder / FILE).unlink()


def test_only_the_first_segment_of_a_process_states_the_grid(folder) -> None:
    write(folder, range(3))
    stated = [metadata_of(read_segment(path))["manifest"] for path in segments(folder)]
    assert sorted(len(m["grid"]) for m in stated) == [0, 0, 2]
    assert all((m["study"], m["seed"], m["block_size"]) == ("kills", 1, 10) for m in stated)


def test_cells_that_no_segment_lists_are_found_in_the_rows(folder) -> None:
    plan = Manifest("s", "?", 1, 10)
    put(folder, Block(plan.design(7), "7", 0, 10, {"n": 1}), Block("0f", "8", 0, 10, {"n": 1}), manifest=plan)
    assert rebuild_manifest(folder).grid == (7,)  # 8 has another design: not of this study


@pytest.mark.parametrize("change", [{"study": "other"}, {"seed": 2}, {"block_size": 11}])
def test_another_study_needs_another_directory(folder, tmp_path, change) -> None:
    write(folder, range(1))
    other = Manifest(**{**vars(PLAN), **change})
    with pytest.raises(ValueError, match=f"{next(iter(change))}: .*use another directory for these results"):
        Store(folder, manifest=other)
    put(tmp_path / "b", Block(other.design(0), "0", 0, 1, {"n": 1}), manifest=other)
    with pytest.raises(ValueError, match="use another directory for these results"):
        merge([tmp_path / "b"], folder)
    assert len(segments(folder)) == 1


def test_bad_manifests(folder) -> None:
    with pytest.raises(ValueError, match="block_size: 0"):
        Manifest("s", "?", 1, 0)
    with pytest.raises(ValueError, match="seed: '1'; expected int"):
        Manifest("s", "?", "1", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="statistics: 'kept'; expected a sequence"):
        Manifest("s", "?", 1, 1, statistics="kept")  # type: ignore[arg-type]
    folder.mkdir()
    for text, message in [
        ("[]", "not a manifest"),
        ('{"format":1}', "not a manifest"),
        ('{"format":2}', "format 2; exp"),
    ]:
        (folder / FILE).write_text(text)
        with pytest.raises(ValueError, match=message):
            read_manifest(folder)
    put(folder, GOOD)
    with pytest.raises(ValueError, match="no segment states a study"):
        rebuild_manifest(folder)


def test_joining_keeps_the_earliest_date_and_every_cell() -> None:
    one = Manifest("s", "?", 1, 1, ({"x": 1}, {"x": 2}), ("a",), ("1",), "2024-05-01")
    two = Manifest("s", "?", 1, 1, ({"x": 2}, {"x": 3}), ("b",), ("1",), "2024-04-01")
    assert join([one, two]) == Manifest(
        "s", "?", 1, 1, ({"x": 1}, {"x": 2}, {"x": 3}), ("a", "b"), ("1",), "2024-04-01"
    )


# ----------------------------------------------------------------------------------------------- merging, compacting


def test_merging_is_a_union_and_can_be_repeated(tmp_path) -> None:
    write(tmp_path / "a", range(4))
    write(tmp_path / "b", range(2, 6))
    write(tmp_path / "c", range(2), cell=1)
    sources = [tmp_path / name for name in "abc"]
    target = tmp_path / "all"
    assert merge(sources, target) == 8  # four of a, two of b (its other two are in a), two of c
    assert numbers(target) == [0, 1, 2, 3, 4, 5] and numbers(target, 1) == [0, 1]
    assert read_manifest(target).grid == PLAN.grid
    before = sorted(target.iterdir())
    assert merge(sources, target) == 0 == merge([target], target) and sorted(target.iterdir()) == before
    compact(target)
    assert merge(sources, target) == 0 and len(segments(target)) == 1
    assert [numbers(source) for source in sources] == [[0, 1, 2, 3], [2, 3, 4, 5], []]


def test_one_directory_may_be_given_as_text(tmp_path) -> None:
    write(tmp_path / "a", range(2))
    assert merge(str(tmp_path / "a"), str(tmp_path / "b")) == 2 == merge(tmp_path / "a", tmp_path / "c")


def test_a_conflict_stops_a_merge_before_anything_is_written(tmp_path) -> None:
    write(tmp_path / "a", range(3))
    write(tmp_path / "all", range(1))
    put(tmp_path / "b", made(2)._replace(statistics={**made(2).statistics, "kept.n": 9}))
    before = sorted((tmp_path / "all").iterdir())
    with pytest.raises(ValueError, match=f"block 2 of design {DESIGNS[0]}: kept.n is (9 in .*b|10 in .*a).*, but"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all")
    assert sorted((tmp_path / "all").iterdir()) == before


def test_compacting_keeps_rows_and_origin_and_readers_go_on(folder) -> None:
    write(folder, range(6))
    with Store(folder, "2.0") as other:
        other.append(made(1, cell=1))
    reader = Store(folder)
    assert reader.done(DESIGNS[0]).size == 6
    new = compact(folder)
    assert segments(folder) == [new] == [compact(folder)]
    assert reader.done(DESIGNS[0]).tolist() == numbers(folder) == list(range(6)) and numbers(folder, 1) == [1]
    stated = metadata_of(read_segment(new))
    assert "2.0" in stated["code_versions"] and len(stated["code_versions"]) == 2
    assert len(stated["manifest"]["grid"]) == 2
    with Store(folder) as writer:
        writer.append(made(9))
    assert reader.done(DESIGNS[0]).tolist() == [0, 1, 2, 3, 4, 5, 9]


def test_an_empty_directory_has_nothing_to_compact(tmp_path) -> None:
    assert compact(tmp_path) is None and Store(tmp_path).designs() == []
    assert len(to_pandas(tmp_path)) == 0 and to_xarray(tmp_path).sizes == {"design": 0}


def test_a_segment_that_is_removed_is_no_longer_counted(folder) -> None:
    write(folder, range(3))
    reader = Store(folder)
    assert reader.done(DESIGNS[0]).size == 3
    segments(folder)[0].unlink()
    assert reader.done(DESIGNS[0]).size == 2


def test_progress_counts_files(folder) -> None:
    write(folder, range(4))
    seen: list[tuple[int, int]] = []
    Store(folder, progress=lambda *at: seen.append(at)).designs()
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    seen.clear()
    compact(folder, progress=lambda *at: seen.append(at))
    merge([folder], folder.parent / "b", progress=lambda *at: seen.append(at))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4), (1, 1)]


# ------------------------------------------------------------------------------------------------- tables for others


def test_one_row_per_block_in_pandas(folder) -> None:
    a, b = '{"size":3,"tag":"u"}', '{"size":4}'
    put(
        folder,
        Block("1f", b, 0, 5, {"n": 5}),
        Block("0f", a, 1, 2, {"h": [1, 2]}),
        Block("0f", a, 0, 2, {}, 0.0, "boom"),
    )
    frame = to_pandas(folder)
    assert list(frame["design"]) == ["0f", "0f", "1f"] and list(frame["block"]) == [0, 1, 0]
    assert list(frame["cell.size"]) == [3, 3, 4] and list(frame["cell.tag"])[:2] == ["u", "u"]
    assert frame["n"].dtype == "Int64" and frame["n"].isna().tolist() == [True, True, False] and frame["n"][2] == 5
    assert frame["error"].tolist() == ["boom", None, None] and frame["h"][1].tolist() == [1, 2]
    assert frame["cell.tag"].isna().tolist() == [False, False, True]


def test_totals_beyond_int64_stay_exact_in_xarray(folder) -> None:
    large = [GOOD._replace(block=b, statistics={"x": 2**62 + 1}) for b in range(3)]
    put(folder, *large, Block("1f", "{}", 0, 1, {"x": -1}))
    assert to_xarray(folder)["x"].values.tolist() == [3 * 2**62 + 3, -1]


def test_totals_in_xarray(folder) -> None:
    for cell in range(2):
        write(folder, range(3), cell)
    put(folder, *(made(5)._replace(design=d, statistics={}, error="boom") for d in (DESIGNS[0], "ff")))
    data = to_xarray(folder)
    assert data.sizes == {"design": 2, "length.counts_place": 39}
    first = data.sel(design=DESIGNS[1])
    assert first["cell.x"].item() == 1 and first["blocks"].item() == 3 and first["rows"].item() == 30
    assert first["kept.sum"].item() == 3 * 2**32 + 3 and first["seconds"].item() == 1.5
    assert first["length.counts"].values.tolist() == [3 * k % 303 if k < 34 else k + 2 * k % 101 for k in range(1, 40)]
    put(folder, GOOD)
    with pytest.raises(ValueError, match=r"path: design .* has \['blocks'.*; expected"):
        to_xarray(folder)


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("pandas", to_pandas),
        ("xarray", to_xarray),
        ("pyarrow", lambda folder: put(folder, made(1))),
        ("pyarrow.parquet", lambda folder: Store(folder).designs()),
    ],
)
def test_a_missing_extra_is_named(folder, monkeypatch, module, call) -> None:
    write(folder, range(1))
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ValueError, match=rf"needs {module}: .*pip install -e '\S*\[studies\]'"):
        call(folder)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys, simspec.engine.store.results, simspec.engine.show.frames"
    code += "; print({'pyarrow', 'pandas', 'xarray'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_a_hundred_thousand_blocks_are_summed_in_seconds(folder) -> None:
    with Store(folder, interval=1e9) as writer:
        for number in range(100_000):
            writer.append(Block(f"{number % 500:04x}", str(number % 500), number // 500, 100, {"n": 100, "x": number}))
            if number % 5000 == 4999:
                writer.flush()
    start = time.process_time()
    found = Store(folder)
    total = sum(found.totals(design)["x"] for design in found.designs())
    assert total == 100_000 * 99_999 // 2
    assert time.process_time() - start < 5  # measured: 0.3 s


def test_the_public_names_are_in_one_place() -> None:
    assert {"Block", "Store", "Manifest", "compact", "merge", "rebuild_manifest"} == set(store.__all__)
    assert directory.STALE == 3600 and json.loads(canonical({"a": [1]})) == {"a": [1]}


def test_segments_that_say_nothing_agree_with_every_manifest_and_all_segments_with_none() -> None:
    stated = {"segment-a": {"manifest": Manifest("s", "?", 2, 10).metadata()}}
    agree(None, stated)
    agree(Manifest("s", "?", 1, 10), {"segment-a": {}})
    with pytest.raises(ValueError, match="seed: 2 in segment-a; expected 1"):
        agree(Manifest("s", "?", 1, 10), stated)
