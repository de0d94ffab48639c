"""Coq reads a share of the recorded scripts again, and says of each what the record says.

SIMSPEC_COQ=1/10 asks for the first of ten shares, SIMSPEC_COQ=all for every script.  `.ci/run` takes the next share with each
commit; where nothing is asked for, none is read.  Scripts with open steps are left out: what their tactics find in their
time hangs on how busy the machine is, and no claim is `proved` by them; `make coq ARGS=--dry` reads them, too.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.requirements import require

require("proofs")
require("coq")

from proofs_check.checking.listed import listed  # noqa: E402
from proofs_check.checking.proof import Proof  # noqa: E402
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import ALLOWED, Answer, ask, digest, prepared, traced  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record  # noqa: E402

ASKED = "SIMSPEC_COQ"
EVERY = "all"
ROOT = Path(__file__).parents[3]


def share(asked: str) -> list[dict[str, Any]]:
    """Entries of the record that Coq has accepted whole, all of them or those of a share such as "1/10", in their order.

    The share of a script depends on its file and place alone.
    """
    entries = [e for e in coq_record()["derivations"] if e.get("whole")]
    if asked in {"", EVERY}:
        return entries if asked else []
    number, of = map(int, asked.split("/"))
    assert 1 <= number <= of, f"{ASKED}={asked}; expected {EVERY}, or a share such as 1/10"
    return [e for e in entries if crc32(f"{e['file']} {e['place']}".encode()) % of == number - 1]


def difference(folder: Path, entry: dict[str, Any]) -> str:
    """What Coq says now of a recorded script beside what the record says; empty where it is the same."""
    proof = listed()[entry["file"]][entry["place"]]
    assert isinstance(proof, Proof)
    text, steps = exported(traced(proof), entry.get("further", ()), entry.get("deeper", ()))
    if digest(text, coq_record()["coq"]) != entry["text"]:
        return "the script is another than the one on record"
    file = f"{re.sub(r'[^a-z0-9]', '_', entry['claim'])}_{entry['place']}.v"
    answer: Answer = ask(folder, file, text)
    if not answer.whole and not answer.error:  # a tactic ran out of its time: the machine is busy
        answer = ask(folder, file, with_more_time(text))
    if answer.error or not answer.axioms <= ALLOWED | {check.ADMITTED}:
        return answer.error or f"rests on {', '.join(sorted(answer.axioms))}"
    now = {"steps": len(steps), "admitted": [*answer.admitted], "whole": answer.whole}
    recorded = {key: entry[key] for key in now}
    return "" if now == recorded else f"{now}, recorded {recorded}"


def with_more_time(text: str) -> str:
    """A script whose tactics have twenty times as long; its statements are the same.

    >>> with_more_time("first [timeout 20 (solve [lra]) | apply admitted]")
    'first [timeout 400 (solve [lra]) | apply admitted]'
    """
    return re.sub(r"\btimeout (\d+)\b", lambda found: f"timeout {20 * int(found[1])}", text)


def test_a_tactic_that_runs_out_of_time_has_more(monkeypatch, tmp_path) -> None:
    (entry,) = (e for e in coq_record()["derivations"] if e["claim"] == "sd.acceptance")
    texts: list[str] = []

    def busy(folder: Path, file: str, text: str) -> Answer:
        texts.append(text)
        is_open = len(texts) == 1
        return Answer(("derive_0",) * is_open, frozenset({check.ADMITTED}) if is_open else frozenset(), "")

    monkeypatch.setitem(globals(), "ask", busy)
    assert difference(tmp_path, entry) == ""
    first, second = texts
    assert "timeout " in first and second == with_more_time(first) != first


def test_coq_says_again_what_is_on_record(compiled_once) -> None:
    asked = os.environ.get(ASKED, "")
    if not asked:
        pytest.skip(f"{ASKED}=1/10 has Coq read a tenth of the recorded scripts again, {ASKED}={EVERY} all of them")
    folder = compiled_once("prelude", prepared)
    different = [f"{e['claim']}: {d}" for e in share(asked) if (d := difference(folder, e))]
    assert not different, "; ".join(different)


def test_each_script_is_in_one_share() -> None:
    of = 10
    shares = [share(f"{number}/{of}") for number in range(1, of + 1)]
    every = share(EVERY)
    assert sum(map(len, shares)) == len(every) > 500 and all(shares)
    assert {(e["file"], e["place"]) for one in shares for e in one} == {(e["file"], e["place"]) for e in every}
    assert share("") == []
    with pytest.raises(AssertionError, match="SIMSPEC_COQ=0/10; expected all, or a share such as 1/10"):
        share("0/10")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer((), frozenset(), ""), ""),
        (Answer(("derive_0",), frozenset({check.ADMITTED}), ""), "'whole': False}, recorded {"),
        (Answer((), frozenset(), "no answer in 900 s"), "no answer in 900 s"),
        (Answer((), frozenset({"of_mine"}), ""), "rests on of_mine"),
    ],
)
def test_another_answer_is_a_difference(answer, words, monkeypatch, tmp_path) -> None:
    (entry,) = (e for e in coq_record()["derivations"] if e["claim"] == "sd.acceptance")
    monkeypatch.setitem(globals(), "ask", lambda *_: answer)
    said = difference(tmp_path, entry)
    assert words in said and bool(words) == bool(said)
    assert difference(tmp_path, {**entry, "text": "5e1" * 8}) == "the script is another than the one on record"


def test_every_commit_asks_for_the_next_share() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"{ASKED}=$tenth" in script and "tenth=$(($(git rev-list --count HEAD) % 10 + 1))/10" in script
