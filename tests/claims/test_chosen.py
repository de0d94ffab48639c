"""Which claims a run decides: ids in any case, claims of one's own, kinds, verdicts and sources, and what a bank can change."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simspec import loading
from simspec.claims import find, registry
from simspec.claims.chosen import choose, found, moved_by_bank, narrowed
from simspec.claims.deciding.recorded import expected
from tests.claims.outside_cases import folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return folder(tmp_path, monkeypatch)


def references(*wanted) -> list[str | None]:
    return [c.reference for c in choose(wanted)]


def test_ids_in_any_case_of_letters() -> None:
    assert [c.name for c in find(["SD.Speedup", "rdk.Worst-Case"])] == [
        c.name for c in find(["sd.speedup", "rdk.worst-case"])
    ]
    assert references() == list(registry())


def test_a_claim_of_a_file_by_variable_by_id_and_all_of_them(here) -> None:
    assert (
        references("mine.py:TRUE")
        == references("mine.py:own.true")
        == references("mine.py:OWN.TRUE")
        == ["mine.py:TRUE"]
    )
    assert references("mine.py:MORE") == ["mine.py:own.false", "mine.py:own.crash"]
    assert references("mine.py") == ["mine.py:TRUE", "mine.py:own.false", "mine.py:own.crash"]
    assert references("sd.acceptance", "mine.py:TRUE", "mine.py") == ["sd.acceptance", *references("mine.py")]
    assert [found(r).claim.name for r in references("mine.py", "sd.speedup") if r][:1] == ["own.true"]
    assert found("sd.speedup").claim is registry()["sd.speedup"]


def test_an_object_is_found_again_in_its_file(here) -> None:
    assert references(registry()["sd.acceptance"]) == ["sd.acceptance"]
    space = loading.names("mine.py", "claim")
    assert references(space["TRUE"], space["MORE"][0]) == ["mine.py:TRUE", "mine.py:own.false"]
    assert references(replace(space["TRUE"], name="own.other")) == [None]
    (here / "sub").mkdir()
    space["TRUE"].lhs.__globals__["__file__"] = str(here.parent / "mine.py")
    assert references(space["TRUE"]) == [f"{here.parent / 'mine.py'}:TRUE"]


def test_a_claim_that_ships_stays_what_it_is_where_a_file_imports_it(here) -> None:
    (here / "two.py").write_text("from simspec.claims.sd.acceptance import ACCEPTANCE\nfrom mine import TRUE\n")
    assert references("two.py") == ["two.py:TRUE"]
    assert references("two.py:ACCEPTANCE") == ["sd.acceptance"]
    del sys.modules["mine"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("mine.py:TRU", "claim: 'mine.py:TRU' is not there; expected a Claim, such as mine.py:TRUE"),
        ("mine.py:pair", "claim: 'mine.py:pair' is a function; expected a Claim, such as mine.py:TRUE"),
        ("none.py", "claim: no file none.py; expected FILE.py:NAME"),
        ("empty.py", "claim: 'empty.py' holds none; expected a Claim"),
        ("empty.py:A", "claim: 'empty.py:A' is not there; expected a Claim, and there is none in empty.py"),
        ("odd.py:NAMED", "expected an id of letters, digits, dots and hyphens, such as own.power"),
        ("odd.py:KIND", "kind 'law'; expected one of identity, bound"),
        ("odd.py:SIDES", "has no sides; expected lhs and rhs, or a finding"),
        ("odd.py:TAKEN", "claim: 'sd.acceptance' is the id of one that ships; expected another id"),
        ("odd.py:TWICE", "claim: two are called 'own.true'; expected an id for each"),
        (3, "claim: 3 is a int; expected an id, FILE.py:NAME or a Claim"),
        ("nothing", "ID: 'nothing' is not a claim; nearest: "),
    ],
)
def test_what_is_no_claim_is_said(here, wanted, said) -> None:
    (here / "empty.py").write_text("")
    (here / "odd.py").write_text(
        "from dataclasses import replace\nfrom mine import TRUE\nNAMED = replace(TRUE, name='a b')\n"
        "KIND = replace(TRUE, kind='law')\nSIDES = replace(TRUE, lhs=None)\nTAKEN = replace(TRUE, name='sd.acceptance')\n"
        "TWICE = (TRUE, replace(TRUE, rhs=lambda: 2))\n"
    )
    with pytest.raises(ValueError) as error:
        choose([wanted])
    assert said in str(error.value)
    sys.modules.pop("mine", None)


def test_what_packages_register_is_found_by_its_name_and_by_id(here, monkeypatch) -> None:
    point = EntryPoint("Ours", "mine", "simspec.claims")
    monkeypatch.setattr(loading, "entry_points", lambda group: [point] if group == "simspec.claims" else [])
    assert references("ours") == ["mine:TRUE", "mine:own.false", "mine:own.crash"]
    assert references("own.TRUE") == ["mine:TRUE"]
    with pytest.raises(ValueError, match="'own.no' is not a claim"):
        choose(["own.no"])
    del sys.modules["mine"]


def test_fewer_by_kind_verdict_and_source() -> None:
    chosen = choose(["sd"])
    assert {c.claim.kind for c in narrowed(chosen, ["Bound", "identity"])} == {"bound", "identity"}
    assert [c.claim.name for c in narrowed(chosen, verdicts=["refuted"])] == ["sd.inverse-proportional"]
    assert narrowed(choose(), source="theorem 5.1")[0].claim.name == "rdk.worst-case"
    assert narrowed(chosen) == chosen
    for option in ({"kinds": ["law"]}, {"verdicts": ["true"]}):
        with pytest.raises(ValueError, match="expected one of "):
            narrowed(chosen, **option)
    with pytest.raises(ValueError, match="--kind empirical and --verdict proved: none of"):
        narrowed(chosen, ["empirical"], ["proved"])


def test_what_a_bank_can_change(here) -> None:
    """Findings and evidence on a bank, and what real laws may still refute; not what is proved, refuted, or of other data."""
    moved = {c.claim.name for c in choose() if moved_by_bank(c)}
    assert {"rdk.real-pruning", "ears.throughput", "ears.best-tradeoff", "csqs.adaptivity"} <= moved
    assert moved.isdisjoint(
        {"sd.acceptance", "sd.inverse-proportional", "tasc.uid", "rdk.linear-time", "rdk.plateau-wins"}
    )
    for name, claim in registry().items():
        if claim.finding is None and "real" in claim.sources and claim.instances and name not in moved:
            assert expected()["verdicts"][name] in ("proved", "derived", "refuted")
    assert all(moved_by_bank(c) for c in choose(["mine.py"]))
