"""Rows of edited code never join the old ones without a word; nor do segments and manifests of elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simspec import cli
from simspec.engine import run as engine
from simspec.engine.estimates.stopping import Rows
from simspec.engine.store import segment
from simspec.engine.store.goal import FILE as RUN
from simspec.engine.store.goal import read_goal
from simspec.engine.store.manifest import FILE, read_manifest, write_manifest
from simspec.engine.store.results import Store, compact, merge, rebuild_manifest
from simspec.studies.catalogue import find
from tests.engine.coins import COINS
from tests.engine.study_files import COINS as TEXT

EDITED = TEXT.replace('"heads": u[:, 0] < cell["bias"]', '"heads": u[:, 0] < cell["bias"]**2')
MADE = """
import numpy as np
from simspec.studies import Share, Study

def made(bias=0.5):
    def flip(cell, rows, device):
        return {"heads": np.asarray(rows.numbers) % 2 < bias}
    return Study(name="inner", question="How often heads?", grid=({"n": 1},), simulate=flip, measures={"heads": Share()})

def outer():
    def flip(cell, rows, device):
        return made().simulate(cell, rows, device)
    return Study(name="coins", question="How often heads?", grid=({"n": 1},), simulate=flip, measures={"heads": Share()})

coins = outer()
"""
"""A study that rests on the function that makes another."""
NOTE = "code of its rows is not recorded"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    Path("coins.py").write_text(TEXT)
    Path("edited.py").write_text(EDITED)
    return tmp_path


def study(*words: object) -> int:
    return cli.main(["study", *map(str, words)])


def prints(folder: str = "d") -> list[str]:
    manifest = read_manifest(Path(folder))
    assert manifest is not None
    return [code["fingerprint"] for code in manifest.codes]


def old(folder: str = "d") -> None:
    """Make a directory as versions before fingerprints and digests left it."""
    for path in [*Path(folder).glob("segment-*")]:
        table = segment.read_segment(path)
        metadata = segment.metadata_of(table)
        metadata.pop("codes", None)
        (metadata["manifest"] or {}).pop("codes", None)
        path.unlink()
        segment.write_segment(Path(folder), table, metadata)
    for name in (FILE, RUN):
        path = Path(folder, name)
        if path.exists():
            values = {k: v for k, v in json.loads(path.read_text()).items() if k not in ("codes", "digest")}
            path.write_text(json.dumps(values))


def test_an_edited_simulation_is_refused_and_accepted_by_name(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    before = sorted((p.name, p.read_bytes()) for p in Path("d").iterdir())
    assert study("run", "edited.py:coins", "--rows", 1000, "--dir", "d") == 2
    err = capsys.readouterr().err
    one, two = prints()[0], engine.manifest(find("edited.py:coins"), 0).codes[0]["fingerprint"]
    assert one in err and two in err and "--accept-code" in err and "another directory" in err and "flip" in err
    assert sorted((p.name, p.read_bytes()) for p in Path("d").iterdir()) == before
    assert study("run", "edited.py:coins", "--rows", 1000, "--dir", "d", "--accept-code") == 0
    assert prints() == [one, two]
    for name in ("coins.py:coins", "edited.py:coins"):
        assert study("run", name, "--rows", 1200, "--dir", "d") == 0
    assert prints() == [one, two]


@pytest.mark.parametrize(
    "text", [TEXT, MADE], ids=["a function of the module", "a function within the one that makes it"]
)
def test_a_store_with_the_old_words_resumes_and_another_question_merges(text) -> None:
    """The question and the summary are words for people: rows, design and code are those of before."""
    for name, question in (("old", "How often heads?"), ("new", "What share of the coins shows heads?")):
        Path(f"{name}.py").write_text(text.replace("How often heads?", question))
    assert study("run", "old.py:coins", "--rows", 500, "--dir", "d") == 0
    assert study("run", "new.py:coins", "--rows", 500, "--dir", "e") == 0
    (before,) = prints()
    rows = [(r.rows, r.totals) for r in engine.results(find("new.py:coins"), "e")]
    assert rows == [(r.rows, r.totals) for r in engine.results(find("new.py:coins"), "d")]
    assert study("run", "new.py:coins", "--rows", 1000, "--dir", "d") == 0
    assert study("merge", "d", "e") == 0
    assert prints() == prints("e") == [before]


@pytest.mark.parametrize(("cell", "status"), [({}, 0), ({"more": 1}, 2)], ids=["the same parameters", "others"])
def test_what_a_shipped_study_left_is_read_whatever_it_asked_then(cell, status, capsys) -> None:
    """Rows without a record of the run: the study that ships is known by its name and parameters."""
    shipped = find("acceptance")
    there = replace(shipped, question="How often is it?", grid=tuple({**c, **cell} for c in shipped.grid[:1]))
    engine.run(there, "d", max_rows=1)
    Path("d", RUN).unlink(missing_ok=True)
    assert study("status", "d") == status
    assert status == 0 or "does not record how to read its results" in capsys.readouterr().err


def test_from_python_too() -> None:
    coins, edited = find("coins.py:coins"), find("edited.py:coins")
    engine.run(coins, "d", stop=Rows(500))
    with pytest.raises(ValueError, match="code: .*accept_code"):
        engine.run(edited, "d", stop=Rows(1000))
    with pytest.raises(ValueError, match="code: "):
        engine.run(edited, Store("d"), stop=Rows(1000))
    with pytest.raises(ValueError, match="code: "):
        Store("d", manifest=engine.manifest(edited, 0))
    engine.run(edited, "d", stop=Rows(1000), accept_code=True)
    assert len(prints()) == 2
    assert [r.rows for r in engine.results(edited, "d", stop=Rows(1000))] == [1000, 1000]


def test_a_store_without_a_manifest_gets_the_code_of_its_run() -> None:
    coins, edited = find("coins.py:coins"), find("edited.py:coins")
    with Store("d") as store:
        engine.run(coins, store, stop=Rows(500))
    with pytest.raises(ValueError, match="code: "), Store("d") as store:
        engine.run(edited, store, stop=Rows(1000))


def test_reading_needs_no_code(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    assert study("status", "d") == 0 == study("status", "d", "--study", "edited.py:coins")


def test_shards_of_two_codes_do_not_merge(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 1000, "--shard", "0/2", "--dir", "a") == 0
    assert study("run", "edited.py:coins", "--rows", 1000, "--shard", "1/2", "--dir", "b") == 0
    capsys.readouterr()
    assert study("merge", "all", "a", "b") == 2
    err = capsys.readouterr().err
    assert prints("a")[0] in err and prints("b")[0] in err and "--accept-code" in err and not Path("all").exists()
    with pytest.raises(ValueError, match="code: "):
        merge(["a", "b"], "all")
    assert study("merge", "all", "a", "b", "--accept-code") == 0
    assert prints("all") == [*prints("a"), *prints("b")]
    assert study("status", "all") == 0
    assert rebuild_manifest("all", accept_code=True).codes == read_manifest(Path("all")).codes  # type: ignore[union-attr]


def test_a_row_of_a_directory_is_not_replayed_by_other_code(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    words = ("replay", "edited.py:coins", "--cell", 0, "--row", 3, "--dir", "d")
    capsys.readouterr()
    assert study(*words) == 2
    err = capsys.readouterr().err
    assert prints()[0] in err and "--accept-code" in err
    assert study(*words, "--accept-code") == 0 == study("replay", "coins.py:coins", *words[2:])
    assert study(*words, "--seed", 1) == 2 and "seed" in capsys.readouterr().err
    edited = find("edited.py:coins")
    with pytest.raises(ValueError, match="code: "):
        engine.replay(edited, edited.grid[0], 3, store="d")
    assert engine.replay(edited, edited.grid[0], 3, store="d", accept_code=True)


def test_the_directory_that_a_run_would_fill_is_asked_before_a_replay(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500) == 0
    text = Path("coins.py").read_text()
    Path("coins.py").write_text(text.replace("u.sum(axis=1)", "2 - u.sum(axis=1)"))
    assert study("replay", "coins.py:coins", "--cell", 0, "--row", 3) == 2
    assert "--accept-code" in capsys.readouterr().err
    assert study("replay", "coins.py:coins", "--cell", 0, "--row", 3, "--seed", 1) == 0  # of no run that is there


def test_results_from_before_are_gone_on_with_and_a_note(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    code = prints()
    old()
    capsys.readouterr()
    assert study("run", "coins.py:coins", "--rows", 700, "--dir", "d") == 0
    assert NOTE in capsys.readouterr().err and prints() == code
    assert study("run", "coins.py:coins", "--rows", 800, "--dir", "d") == 0
    assert NOTE not in capsys.readouterr().err
    assert study("run", "edited.py:coins", "--rows", 1000, "--dir", "d") == 2
    old()
    assert study("run", "coins.py:coins", "--rows", 300, "--shard", "1/2", "--dir", "e") == 0
    capsys.readouterr()
    assert study("merge", "all", "d", "e") == 0 and NOTE in capsys.readouterr().err and prints("all") == code


def test_no_draw_depends_on_the_code() -> None:
    study_, other = COINS, replace(COINS, simulate=lambda *a: COINS.simulate(*a))
    assert engine.designs(study_) == engine.designs(other)
    assert engine.manifest(study_, 0).codes != engine.manifest(other, 0).codes
    assert engine.replay(study_, study_.grid[0], 3)["heads"] == engine.replay(other, study_.grid[0], 3)["heads"]


# ---------------------------------------------------------------------------------- segments and manifests of elsewhere


def filled(
    name: str, reference: str = "coins.py:coins", rows: int = 500, shard: tuple[int, int] = (0, 1), seed: int = 0
):
    engine.run(find(reference), name, stop=Rows(rows), max_rows=rows, shard=shard, seed=seed)
    return sorted(Path(name).glob("segment-*"))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"reference": "edited.py:coins", "shard": (1, 2)}, "code: .*segment-"),
        ({"seed": 1}, "seed: .*segment-"),
        ({"reference": "wide.py:coins"}, "block_size: .*segment-"),
        ({"reference": "named.py:coins"}, "study: .*segment-"),
    ],
)
def test_a_segment_of_elsewhere_is_refused_where_it_is_read(other, message) -> None:
    Path("wide.py").write_text(TEXT.replace("rows=100", "rows=50"))
    Path("named.py").write_text(TEXT.replace('Study("coins"', 'Study("others"'))
    filled("d", shard=(0, 2))
    copied = filled("e", **other)[0]
    shutil.copy(copied, "d")
    calls = [
        lambda: Store("d").designs(),
        lambda: engine.run(find("coins.py:coins"), "d", stop=Rows(500)),
        lambda: compact("d"),
        lambda: merge("d", "all"),
        lambda: rebuild_manifest("d"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
    assert not Path("all").exists()


def test_another_manifest_is_refused_by_the_segments() -> None:
    filled("d", shard=(0, 2))
    for reference, seed, name in (("edited.py:coins", 0, "code"), ("coins.py:coins", 1, "seed")):
        filled("e", reference, seed=seed)
        shutil.copy(Path("e", FILE), "d")
        with pytest.raises(ValueError, match=f"{name}: .*segment-"):
            Store("d").designs()
        with pytest.raises(ValueError, match=f"{name}: .*segment-"):
            merge("d", "all")
        shutil.rmtree("e")
    assert rebuild_manifest("d").seed == 0 and len(Store("d").designs()) == 2


def test_rebuilding_from_the_command_line(capsys) -> None:
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    before = read_manifest(Path("d"))
    Path("d", FILE).write_text("{")
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 2
    assert "simspec study rebuild" in capsys.readouterr().err
    assert study("rebuild", "d") == 0
    assert "2 cells" in capsys.readouterr().out
    after = read_manifest(Path("d"))
    assert before and after and after.codes == before.codes and after.seed == before.seed
    assert study("run", "coins.py:coins", "--rows", 500, "--dir", "d") == 0
    assert study("rebuild", "nowhere") == 2


# --------------------------------------------------------------------------------------------------------------- digests


def flips(path: Path):
    """The bytes of a file with one byte changed: every byte, one bit of it and another byte."""
    data = path.read_bytes()
    for place in range(len(data)):
        for new in {data[place] ^ 1, data[place] ^ 0x20, ord("7"), ord(" "), 0}:
            if new != data[place]:
                yield data[:place] + bytes([new]) + data[place + 1 :]


@pytest.mark.parametrize("name", [FILE, RUN])
def test_every_flip_of_a_byte_is_refused_or_changes_nothing(name, capsys) -> None:
    assert study("run", "coins.py:sure", "--rows", 100, "--dir", "d") == 0
    path = Path("d", name)

    def read():
        return (read_manifest if name == FILE else read_goal)(Path("d"))

    if name == FILE:
        whole = read_manifest(Path("d"))
        assert whole
        write_manifest(Path("d"), replace(whole, codes=({**whole.codes[0], "parts": {}},)))
    whole, refused, same = read(), 0, 0
    for data in [*flips(path)]:
        path.write_bytes(data)
        try:
            assert read() == whole, data
            same += 1
        except ValueError as error:
            assert str(path) in str(error)
            refused += 1
    assert refused > 20 * same > 0


def test_a_file_with_code_but_without_a_digest_is_refused() -> None:
    filled("d")
    path = Path("d", FILE)
    values = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in values.items() if k != "digest"}))
    with pytest.raises(ValueError, match="digest"):
        read_manifest(Path("d"))
    assert path.exists()
