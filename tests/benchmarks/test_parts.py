"""Seconds of `.ci/run` are read as it prints them, and a run that failed or has not finished is not recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import parts
from simspec.files import fill
from tests.parts import OTHERS, PARTS, lines

ROOT = Path(__file__).parents[2]
SUMMARY = "======= 900 passed, 3 skipped in 812.11s (0:13:32) ======="


def log(*changes: tuple[str, str]) -> str:
    """What a run prints: other lines among those of the parts, of which the last are printed by pytest."""
    steps = [f".ci/run: {step} took {10 * number} s" for number, step in enumerate(parts.STEPS[:-1], 1)]
    of_last = lines({"tests/proofs_check/coq/test_record.py::test_a": 61.4}, 70.2)
    text = "\n".join(["pytest took its time", *steps, "....  [100%]", *of_last, SUMMARY, ""])
    for old, new in changes:
        text = text.replace(old, new)
    return text


def test_the_script_and_the_tests_print_what_is_read() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    named = [re.sub(r"\\", "", name) for name in re.findall(r'^took "(.+)"$', script, re.MULTILINE)]
    assert (*named, "the last run") == parts.STEPS
    assert "SIMSPEC_PARTS=1" in script.splitlines()[-1]
    assert set(parts.OF_LAST) == {*PARTS.values(), OTHERS}
    assert set(parts.LIMITS) <= {*parts.STEPS, *parts.OF_LAST, parts.ALL}


def test_a_log_is_read_and_the_steps_are_added_up() -> None:
    found = parts.read(log())
    assert found["style and types"] == 50 and found["tests of Coq"] == 61
    assert found["all"] == 10 + 20 + 30 + 40 + 50 + 60 + 70
    coloured = log((SUMMARY, "\x1b[32m=== \x1b[32m\x1b[1m900 passed\x1b[0m in 3.00s ===\x1b[0m"))
    assert parts.read(coloured) == found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            (SUMMARY, "===== 2 failed, 898 passed in 812.11s (0:13:32) ====="),
            "2 failed, 898 passed in 812.11s; expected",
        ),
        ((SUMMARY, "===== 1 error in 812.11s ====="), "1 error in 812.11s; expected"),
        ((SUMMARY, "make: *** [test] Error 1"), "the run has not finished"),
        ((".ci/run: style and types took 50 s\n", ""), "no line of style and types; expected"),
        (("style and types", "getting ready"), "'getting ready' stands twice"),
    ],
)
def test_another_log_is_refused(change, said) -> None:
    assert change[0] in log()
    with pytest.raises(ValueError, match=re.escape(said)):
        parts.read(log(change))
    with pytest.raises(ValueError, match="not finished"):
        parts.read("")


def test_a_log_is_recorded_and_the_page_rewritten(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    parts.PAGE.parent.mkdir(parents=True)
    parts.PAGE.write_text("a\n<!-- parts:begin -->\nstale\n<!-- parts:end -->\nb\n", encoding="utf-8")
    Path("run.log").write_text(log(), encoding="utf-8")
    assert parts.main(["run.log"]) == 0
    page = parts.PAGE.read_text(encoding="utf-8")
    assert "stale" not in page and "| tests of Coq | 70 | 300 | 61 |" in page and "| all | 280 | 1,500 |  |" in page
    recorded = parts.RECORD.read_text(encoding="utf-8")
    Path("run.log").write_text(log((SUMMARY, "")), encoding="utf-8")
    assert parts.main(["run.log"]) == parts.main(["nothing.log"]) == 2
    assert parts.RECORD.read_text(encoding="utf-8") == recorded
    assert capsys.readouterr().err.count("benchmarks.parts: error: LOG: ") == 2


def test_the_page_that_ships_is_current() -> None:
    page = (ROOT / parts.PAGE).read_text(encoding="utf-8")
    record = ROOT / parts.RECORD
    document = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    assert fill(page, parts.PART, parts.table(document)) == page
