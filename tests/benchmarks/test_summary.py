"""The table of the recorded benchmarks says what their files say, and the page that ships is current."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks import summary
from simspec.files import fill

RESULTS = Path(__file__).parents[2] / "docs" / "benchmarks"


def run(name: str, median: float | None, status: str = "ok") -> dict[str, object]:
    return {"name": name, "median": median, "threads": 1, "status": status}


def document(*results: dict[str, object]) -> dict[str, object]:
    case = {"title": "one | two", "results": list(results)}
    return {"benchmark": "work", "environment": {"processor": "P", "cores": 4}, "cases": [case]}


def rows(*documents: dict[str, object]) -> list[str]:
    return summary.table(documents).splitlines()[2:]


def test_factors_are_of_our_median_and_peers_that_were_not_timed_are_left_out() -> None:
    others = run("slow", 6.0), run("absent", None), run("quick", 0.25, "inexact")
    found = rows(document(run("simspec", 0.5), *others))
    assert found == [r"| `work` | one \| two | P, 4 cores |  | 500 ms | slow 12; quick 0.50 ! |"]


def test_the_time_is_of_one_item_where_a_run_has_several() -> None:
    several = document(run("simspec", 0.5), run("peer", 1.0))
    several["cases"][0]["items"] = 100  # type: ignore[index]
    assert rows(several) == [r"| `work` | one \| two | P, 4 cores |  | 5.00 ms | peer 2.0 |"]


def test_a_machine_that_compiles_for_narrower_vectors_is_told_apart() -> None:
    shown = []
    for vectors in (["avx2", "fma"], ["avx2", "avx512f"], []):
        one = document(run("simspec", 1.0))
        one["environment"]["target"] = {"name": "n", "vectors": vectors}  # type: ignore[index]
        shown.append(rows(one)[0].split(" | ")[2])
    assert shown == ["P, 4 cores, AVX2", "P, 4 cores", "P, 4 cores"]


def test_the_commit_of_every_record_is_shown() -> None:
    """In the row of the record, and below the table where it has none."""
    timed, other = document(run("simspec", 1.0)), document()
    other["benchmark"] = "parts"
    timed["environment"]["commit"] = "01234567"  # type: ignore[index]
    other["environment"]["commit"] = "89abcdef+"  # type: ignore[index]
    row, blank, line = rows(timed, other)
    assert row.split(" | ")[3] == "01234567" and blank == ""
    assert line == "Commits of the records without a row: `parts` 89abcdef+."


def test_every_record_has_its_commit() -> None:
    for path in RESULTS.glob("*.json"):
        commit = json.loads(path.read_text(encoding="utf-8"))["environment"].get("commit", "")
        assert re.fullmatch(r"[0-9a-f]{8}\+?", commit), path.name


def test_times_have_a_unit_that_suits() -> None:
    times = [rows(document(run("simspec", t)))[0].split(" | ")[4] for t in (12.0, 1.5, 0.0125, 2e-6, 5e-8)]
    assert times == ["12 s", "1.50 s", "12.5 ms", "2.00 µs", "0.05 µs"]


def test_what_has_no_peers_side_by_side_is_left_out() -> None:
    assert rows(document(run("simspec", None))) == rows(document(run("peer", 1.0))) == []
    assert rows({"benchmark": "codec", "environment": {"processor": "P", "cores": 4}, "cases": {"vocab": 3}}) == []


def test_many_workers_have_a_row() -> None:
    """The median of the runs once started; and the first with its start."""
    case = {"title": "64 workers", "efficiency": [0.5, 0.9, 0.95], "with_start": 0.8, "start": 2.5, "runs": []}
    crowd = {"benchmark": "workers", "environment": {"processor": "P", "cores": 4}, "cases": [case]}
    assert rows(crowd) == [
        "| `workers` | 64 workers | P, 4 cores |  | efficiency 90 %; with a start of 2.5 s 80 % |  |"
    ]


def test_a_page_is_rewritten_from_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps(document(run("simspec", 1.0))), encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- results:begin -->stale<!-- results:end -->\nb\n", encoding="utf-8")
    assert summary.main([str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "stale" not in text and "| `work` |" in text and text.startswith("a\n") and text.endswith("\nb\n")


def test_the_page_that_ships_is_current() -> None:
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    assert fill(page, summary.PART, summary.table(documents)) == page, "run: python -m benchmarks.summary PAGE"
