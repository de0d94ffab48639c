"""Causes of faults that are not in the zoo: the lists, the record, and two faults audited."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks import sampler_faults
from benchmarks.engine_faults import ENGINES, whole_step
from benchmarks.fault_list import Fault, step
from benchmarks.fifth_faults import FIFTH
from benchmarks.formed_faults import HALVES, kept, matched, processed
from benchmarks.fourth_faults import FOURTH
from benchmarks.later_faults import LATER
from benchmarks.reported_faults import FRESH, REPORTS, verified
from benchmarks.sampler_faults import LISTS, PAGE, PART, RECORD, adapted, measure, table
from simspec.audit import Verdict, audit, revealing
from simspec.audit.processors import processor_of
from simspec.audit.zoo import MEMBERS
from simspec.files import fill

ROOT = Path(__file__).parents[2]
ALL = [fault for faults in LISTS.values() for fault in faults]


def test_every_fault_has_a_name_of_its_own_and_a_part() -> None:
    assert len({fault.name for fault in ALL}) == len(ALL)
    assert {fault.part for fault in ALL} <= {member.part for member in MEMBERS.values()} | {"processor"}
    assert len(LISTS["held out"]) >= 12 and len(LISTS["reported"]) >= 20


def test_the_record_is_of_these_lists_and_the_page_is_made_of_it() -> None:
    record = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
    for name, faults in LISTS.items():
        assert [(row["fault"], row["part"]) for row in record[name]] == [(fault.name, fault.part) for fault in faults]
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert fill(text, PART, table(record)) == text


def test_a_step_in_which_nothing_is_exchanged_is_lossless() -> None:
    """Within TV 0.15 on each pair at false alarm 1e-6; each fault of the lists differs from it by one part."""
    report = audit(step, pairs=revealing(2, 3)[:2], calls=4000, tv_limit=0.15, diagnose=False)
    assert report.verdict is Verdict.LOSSLESS


@pytest.mark.parametrize(
    ("faults", "lists"),
    [
        (FRESH, ("first", "second", "held out")),
        (LATER, ("first", "second", "held out", "reported")),
        (ENGINES, ("first", "second", "held out", "reported", "later")),
        (FOURTH, ("first", "second", "held out", "reported", "later", "engines")),
        (FIFTH, ("first", "second", "held out", "reported", "later", "engines", "fourth")),
    ],
)
def test_a_later_list_holds_faults_of_no_earlier_list(faults, lists) -> None:
    earlier = {fault.name for name in lists for fault in LISTS[name]}
    names = [fault.name for fault in faults]
    assert len(set(names)) == len(names) >= 12 and not earlier & set(names)
    assert {fault.part for fault in faults} <= {member.part for member in MEMBERS.values()} | {"processor"}


def test_reports_are_of_faults_of_the_list() -> None:
    assert set(REPORTS) < {fault.name for fault in FRESH}


def test_what_the_later_lists_change_is_lossless_unchanged() -> None:
    report = audit(verified, pairs=revealing(2, 3)[:2], calls=4000, tv_limit=0.15, diagnose=False)
    assert report.verdict is Verdict.LOSSLESS


TWINS = (
    Fault("step", "", "", whole_step, "step"),
    Fault("state", "", "", kept, "state"),
    Fault("keyed state", "", "", matched, "state"),
    Fault("penalty", "", "", partial(processed, processor=HALVES), "numpy", HALVES),
    Fault("cut", "", "", partial(processed, processor="top-k:2"), "numpy", "top-k:2"),
)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_what_the_forms_of_the_list_of_engines_change_is_lossless_unchanged(twin) -> None:
    processor = processor_of(twin.processor) if twin.processor else None
    sampler = adapted(twin).sampler
    report = audit(sampler, pairs=revealing(2, 3)[:2], calls=4000, tv_limit=0.15, processor=processor, diagnose=False)
    assert report.verdict is Verdict.LOSSLESS


@pytest.mark.parametrize("fault", [*FRESH, *LATER, *ENGINES, *FOURTH, *FIFTH], ids=lambda fault: fault.name)
def test_every_fault_of_a_later_list_is_a_sampler(fault) -> None:
    for pair in revealing(2, 3):
        tokens = adapted(fault).sampler(pair.p, pair.q, 20, np.random.default_rng(0))
        assert tokens.shape == (20, len(pair.p)) and (tokens[:, 0] >= 0).all() and tokens.max() < pair.vocab


def test_a_wrong_cause_is_counted(monkeypatch) -> None:
    """The same fault under its own part and under another one; what is lossless has no cause."""
    fault = next(fault for fault in ALL if fault.name == "recovery from the target")
    rows = measure([fault, fault._replace(part="stopping")], calls=4000)
    assert [row["cause"] for row in rows] == ["residual", "residual"]
    assert "| first | 2 | 2 of 2 | 1 of 2 | 1 to 99 % | recovery from the target (stopping, named residual) |" in table(
        {"first": rows}
    )
    (row,) = measure([fault._replace(sampler=step)], calls=250)
    assert row["verdict"] != "biased" and row["cause"] == ""


def test_main_writes_the_record_and_the_page(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / PAGE).parent.mkdir(parents=True)
    (tmp_path / PAGE).write_text(f"<!-- {PART}:begin --><!-- {PART}:end -->")
    row = {"fault": "a", "part": "residual", "verdict": "biased", "cause": "residual"}
    monkeypatch.setattr(sampler_faults, "measure", lambda faults: [row])
    sampler_faults.main()
    assert "| held out | 1 | 1 of 1 | 1 of 1 |" in (tmp_path / PAGE).read_text()
    assert json.loads((tmp_path / RECORD).read_text())["first"] == [row]
