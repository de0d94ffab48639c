"""What the recorded benchmarks say, as a Markdown table made from their JSON files.

``python -m benchmarks.summary docs/benchmarks/README.md`` rewrites what stands between the markers of a page from
the files beside it: the table of times, and that of `python -m benchmarks served`.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.served import page as served_page
from simspec.files import fill, write_file

__all__ = ["PART", "main", "table"]

PART = "results"


def table(documents: Sequence[Mapping[str, Any]]) -> str:
    """Markdown table: a row for each case that was timed, with our median (of one item,
    where a run has several) and how many times as long each other one took.

    Where a case has no other candidates, its peak memory stands in their place.

    Parameters
    ----------
    documents : what `python -m benchmarks` wrote, in the order of the rows
        those without peers side by side (a dictionary of cases, say) are left out.

    Examples
    --------
    >>> runs = [{"name": "simspec", "median": 2e-3, "threads": 2}, {"name": "NumPy", "median": 9e-3, "threads": 1}]
    >>> document = {"benchmark": "tv", "environment": {"commit": "1234abcd", "processor": "P", "cores": 2}}
    >>> print(table([document | {"cases": [{"title": "3 x 4", "results": runs}]}]))
    | benchmark | case | machine | commit | simspec | times ours |
    |---|---|---|---|---|---|
    | `tv` | 3 x 4 | P, 2 cores | 1234abcd | 2.00 ms | NumPy 4.5 |
    """
    lines = ["| benchmark | case | machine | commit | simspec | times ours |", "|---|---|---|---|---|---|"]
    for document in documents:
        place = document["environment"]
        machine = place.get("device") or f"{place['processor']}, {place['cores']} cores{_vectors(place)}"
        commit = place.get("commit", "")
        for title, our_result, others, items, memory in _cases(document):
            factors = "; ".join(_factor(r, our_result["median"]) for r in others) or _memory(memory)
            time = _time(our_result["median"] / items)
            cells = (f"`{document['benchmark']}`", title, machine, commit, time, factors)
            lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
        for case in document["cases"] if document.get("benchmark") == "workers" else []:
            cells = (f"`{document['benchmark']}`", case["title"], machine, commit, _crowd(case), "")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, *_other_commits(documents)])


def _other_commits(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line with the commits of the records that have no row in the table; none where all have."""
    with_row = {
        id(document) for document in documents if document.get("benchmark") == "workers" or any(_cases(document))
    }
    commits = [
        f"`{document['benchmark']}` {document['environment']['commit']}"
        for document in documents
        if id(document) not in with_row and "benchmark" in document and "commit" in document["environment"]
    ]
    return ["", f"Commits of the records without a row: {', '.join(commits)}."] if commits else []


def _vectors(place: Mapping[str, Any]) -> str:
    """What kernels were compiled for, where that was AVX2 and nothing wider: the machine itself may do more."""
    vectors = place.get("target", {}).get("vectors", ())
    return ", AVX2" if "avx2" in vectors and not any(x.startswith("avx512") for x in vectors) else ""


def _cases(document: Mapping[str, Any]) -> Iterator[tuple[str, Any, list[Any], int, int | None]]:
    cases = document.get("cases")
    for case in cases if isinstance(cases, list) else []:
        timed = [r for r in case.get("results", []) if r["median"] is not None]
        if timed and timed[0]["name"] == "simspec":
            memory = case.get("memory", {}).get("simspec")
            yield case["title"], timed[0], timed[1:], case.get("items", 1), memory


def _memory(size: int | None) -> str:
    return "" if size is None else f"peak memory {size / 2**20:,.0f} MiB"


def _crowd(case: Mapping[str, Any]) -> str:
    """Of many workers: efficiency, with the start and without."""
    return (
        f"efficiency {100 * statistics.median(case['efficiency']):.0f} %; with a start of {case['start']:.1f} s "
        f"{100 * case['with_start']:.0f} %"
    )


def _factor(result: Mapping[str, Any], our_median: float) -> str:
    x = result["median"] / our_median
    number = f"{x:.0f}" if x >= 10 else f"{x:.1f}" if x >= 1 else f"{x:.2f}"
    return f"{result['name']} {number}{' !' if result.get('status') == 'inexact' else ''}"


def _time(seconds: float) -> str:
    unit, scale = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    return f"{seconds * scale:.3g} {unit}" if seconds * scale >= 10 else f"{seconds * scale:.2f} {unit}"


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the pages named on the command line from the JSON files beside them."""
    for name in sys.argv[1:] if argv is None else argv:
        page = Path(name)
        documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(page.parent.glob("*.json"))]
        text = fill(page.read_text(encoding="utf-8"), PART, table(documents))
        for document in documents:
            if document.get("benchmark") == "served":
                text = fill(text, served_page.PART, served_page.table(document))
        write_file(page, text.encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
