"""`simspec pair` on a tiny chat model: every part, resumed wherever it was stopped, and refusals by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from simspec import cli
from simspec.claims.printed import counted
from simspec.cli import pair as command
from simspec.logits.bank import open_bank
from simspec.tools.pair import PARTS, folder, rules, verdicts, work
from tests.logits import tiny
from tests.requirements import require

SMALL = ["--chat-length", "8", "--measure", "10", "--effort", "quick", "--device", "cpu"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    require("torch")
    home = tmp_path_factory.mktemp("pair")
    tiny.chat(home / "target")
    tiny.llama(home / "llama")
    (home / "texts.json").write_text(json.dumps(tiny.text(40, 130)))
    words = "sat ran in on at to".split()
    kinds = ("cats", "dogs")
    lines = [json.dumps({"prompt": f"the cat {word} on", "kind": kinds[n % 2]}) for n, word in enumerate(words)]
    (home / "prompts.jsonl").write_text("\n".join(lines))
    return home


@pytest.fixture(scope="module", autouse=True)
def claims():
    """Two claims in place of all that a bank can change."""
    some = [choice for choice in verdicts.open_claims() if choice.claim.name.startswith("rdk.")][:2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts, "open_claims", lambda: some)
        yield [choice.claim.name for choice in some]


def pair(home, out, *more, draft: str = "quantised:2") -> int:
    chat = ["--chat", str(home / "prompts.jsonl"), "--out", str(out), *SMALL]
    return cli.main(["pair", str(home / "target"), draft, *chat, *map(str, more)])


@pytest.fixture(scope="module")
def once(home, claims):
    assert pair(home, home / "once") == 0
    return home / "once"


@pytest.fixture
def whole(once, tmp_path):
    """A folder in which everything is done."""
    return Path(shutil.copytree(once, tmp_path / "out"))


def test_every_part_is_made_once(home, whole, claims, capsys, monkeypatch) -> None:
    made = {name: json.loads((whole / f"{name}.json").read_text()) for name in PARTS[1:-1]}
    assert {row["kind"] for row in made["acceptance"]["rows"]} == {"all", "cats", "dogs"}
    assert [row["temperature"] for row in made["speed"]["settings"]] == [0.0, 0.6, 1.0]
    assert all(row["run"]["steps"] > 0 for row in made["speed"]["settings"])
    assert [claim["id"] for claim in made["verdicts"]["claims"]] == claims
    page = (whole / "index.html").read_text()
    counts = counted(made["verdicts"]["claims"])
    assert "printed by the five papers" in counts and f"<p>{counts}: " in page
    assert page.count('<figure class="plot"') == 3 and "Claims on this pair" in page and claims[0] in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    monkeypatch.setattr(work.Work, "prepared", property(lambda self: pytest.fail("no model is needed")))
    before = {path.name: path.stat().st_mtime_ns for path in whole.iterdir()}
    capsys.readouterr()
    assert pair(home, whole) == 0
    assert "nothing was missing: " in capsys.readouterr().out
    assert {path.name: path.stat().st_mtime_ns for path in whole.iterdir()} == before
    assert pair(home, whole, "--only", "lengths", "--only", "acceptance") == 0
    assert capsys.readouterr().out.strip().splitlines()[-1].startswith("acceptance, lengths: ")


def test_what_depends_on_an_option_alone_is_made_anew(home, whole, capsys) -> None:
    speed = (whole / "speed.json").read_text()
    capsys.readouterr()
    assert pair(home, whole, "--measure", 11) == 0
    assert capsys.readouterr().out.strip().splitlines()[-1].startswith("speed, rules, page: ")
    assert (whole / "speed.json").read_text() != speed


def test_the_command_names_the_parts() -> None:
    assert PARTS == command.PARTS


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_was_damaged_is_made_again(home, whole, part, capsys) -> None:
    path = {"capture": whole / "pair.safetensors", "page": whole / "index.html"}.get(part, whole / f"{part}.json")
    if part in ("capture", "page"):
        path.unlink()
    else:
        path.write_text(path.read_text().replace("0", "1", 1))
    capsys.readouterr()
    assert pair(home, whole) == 0
    assert part in capsys.readouterr().out.strip().splitlines()[-1].partition(": ")[0].split(", ")
    assert all(path.is_file() for path in (whole / "pair.safetensors", whole / "index.html"))


def test_an_interrupted_run_decides_no_claim_twice(home, tmp_path, claims, monkeypatch) -> None:
    """Ctrl-C after the first claim, and after the first setting of the runs."""
    out = tmp_path / "out"
    decided: list[str] = []
    stops = ["verdicts", "speed"]
    original = folder.Folder.write

    def stopping(self, part, values):
        original(self, part, values)
        if part == "verdicts" and not values["complete"]:
            decided.append(values["claims"][-1]["id"])
        if part == stops[-1]:
            stops.pop()
            raise KeyboardInterrupt

    monkeypatch.setattr(folder.Folder, "write", stopping)
    assert pair(home, out) > 128
    before = json.loads((out / "speed.json").read_text())["settings"][0]
    assert pair(home, out) > 128
    monkeypatch.setattr(folder.Folder, "write", original)
    assert json.loads((out / "speed.json").read_text())["settings"][0] == before
    assert pair(home, out) == 0
    assert [claim["id"] for claim in json.loads((out / "verdicts.json").read_text())["claims"]] == claims
    assert decided == claims[:1] and (out / "index.html").is_file()


def test_a_draft_with_another_tokenizer_is_predicted_and_run(home, tmp_path, monkeypatch) -> None:
    """Every rule beside the others; an interrupted run measures none of them twice."""
    out = tmp_path / "out"
    texts = ["--statistics-text", home / "texts.json", "--statistics", 1200, "--tuning", 4]
    written: list[tuple[float, str]] = []
    original = folder.Folder.write

    def stopping(self, part, values):
        original(self, part, values)
        if part == "rules" and not values.get("complete", True):
            written.append((values["rows"][-1]["temperature"], values["rows"][-1]["rule"]))
            if len(written) == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(folder.Folder, "write", stopping)
    assert pair(home, out, *texts, draft=str(home / "llama")) > 128
    assert pair(home, out, *texts, draft=str(home / "llama")) == 0
    assert written == [(temperature, name) for temperature in (0.0, 0.6, 1.0) for name in rules.NAMES]
    made = json.loads((out / "rules.json").read_text())
    rows = {(row["temperature"], row["rule"]): row for row in made["rows"]}
    assert not any(row["missing"] for row in made["rows"])
    for temperature in (0.6, 1.0):
        rate = {name: rows[temperature, name]["acceptance"][0] for name in rules.NAMES}
        # min(p, psi) sums to more than p psi does, whatever the laws are
        assert rate["slem"] < rate["slrs"] and all(0 < value < 1 for value in rate.values())
        assert rate["tli"] <= made["tokens"]["mass"] or temperature < 1
    last = [rows[1.0, name]["run"] for name in rules.NAMES]
    assert all(run["steps"] > 0 and 1 <= run["tokens"]["measured"][0] <= run["gamma"] + 1 for run in last)
    assert [rows[0.6, name]["run"] is None for name in rules.NAMES] == [False, True, True, True, True]
    acceptance = json.loads((out / "acceptance.json").read_text())["rows"]
    same = next(r for r in acceptance if (r["temperature"], r["top_p"], r["kind"]) == (1.0, 1.0, "all"))
    assert rows[1.0, "tli"]["acceptance"] == pytest.approx(same["acceptance"], rel=1e-6)
    page = (out / "index.html").read_text()
    assert "Rules for another tokenizer" in page and all(f"<td>{name}</td>" in page for name in rules.NAMES)
    bank = open_bank(out / "pair.safetensors")
    assert f"The draft has {len(bank.draft_tokens)} tokens and the target {bank.vocab}" in page


def test_rules_that_need_other_texts_say_so(home, whole, tmp_path) -> None:
    out = tmp_path / "few"
    assert pair(home, out, "--measure", 4, draft=str(home / "llama")) == 0
    rows = json.loads((out / "rules.json").read_text())["rows"]
    missing = {row["rule"]: row["missing"] for row in rows}
    assert {name for name, why in missing.items() if why is None} == {"tli", "slem", "slrs"}
    assert "a bank captured with --tuning" in missing["rdk"]
    assert "a bank captured with --tuning" in (out / "index.html").read_text()
    # a draft with the target's tokenizer has nothing to compare
    assert json.loads((whole / "rules.json").read_text())["rows"] == []
    assert "Rules for another tokenizer" not in (whole / "index.html").read_text()


def test_refusals(home, whole, tmp_path, capsys) -> None:
    def refusal(*more, out=tmp_path / "new", draft="quantised:2") -> str:
        capsys.readouterr()
        assert pair(home, out, *more, draft=draft) == 2
        lines = capsys.readouterr().err.strip().splitlines()
        assert lines[-1].startswith("simspec: error: ")
        return lines[-1]

    assert "holds a pair with another draft; expected the same arguments" in refusal(out=whole, draft="quantised:3")
    assert "another speech" in refusal("--seed", 1, out=whole)
    assert "--only: 'speeds', the nearest is speed; expected capture, acceptance" in refusal(
        "--only", "speeds", out=whole
    )
    assert "lengths needs capture, which is not done in" in refusal("--only", "lengths")
    # what a later one needs is looked for before the first is made
    page = refusal(
        "--only", "capture", "--only", "acceptance", "--only", "lengths", "--only", "speed", "--only", "page"
    )
    assert "page needs rules, which is not done in" in page and page.endswith("; add --only rules")
    assert not (tmp_path / "new" / "answers").exists()
    (whole / "acceptance.json").unlink()
    assert "lengths needs acceptance, which is not done in" in refusal("--only", "lengths", out=whole)
    assert "draft: 'quantised:0'" in refusal(draft="quantised:0")
    assert "has 3 layers: expected 1 to 2" in refusal(draft="layers:99")
    assert "--statistics-text: missing" in refusal(draft="ngram:3")
    assert "--measure: 0; expected at least 1" in refusal("--measure", 0)
    assert "is a file; expected a folder" in refusal(out=home / "prompts.jsonl")
