"""Stored arrays become a bank, and the bank serves as any other."""

import json
import re

import numpy as np
import pytest

from simspec import cli
from simspec.laws import softmax
from simspec.logits.bank import open_bank
from simspec.logits.capture.pair import capture_pair, pair_bank
from simspec.studies.pairs import bank_laws

P = np.array([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]])
Q = np.array([[0.5, 0.5], [0.75, 0.25]])
MAP = np.array([2, 0])


def test_laws_and_a_map_by_hand(tmp_path) -> None:
    bank = pair_bank({"p": P, "q": Q, "draft_to_target": MAP}, tmp_path / "own.safetensors", storage="float32")
    p, q = bank_laws(bank)
    assert p == pytest.approx(P, abs=1e-7) and q == pytest.approx(np.array([[0.5, 0, 0.5], [0.25, 0, 0.75]]), abs=1e-7)
    assert bank.shared.tolist() == [True, False, True] and bank.documents.tolist() == [0, 1]
    assert bank.tokens == [b"<0>", b"<1>", b"<2>"] and bank.index.last.tolist() == [-1, -1]
    assert bank.provenance["models"]["draft"]["name"] == "own, draft"


def test_logits_are_those_given_and_a_token_of_no_mass_stays_so(tmp_path) -> None:
    z = np.array([[3.0, 1.0, -np.inf], [0.0, 500.0, 2.0]], dtype=np.float32)
    bank = pair_bank({"target": z, "draft": z[:, ::-1]}, tmp_path / "own.safetensors", storage="float32")
    assert bank.target(raw=True)[z > -np.inf].tolist() == z[z > -np.inf].tolist()
    assert softmax(bank.target().astype(float))[0, 2] == 0 and bank.draft_to_target.tolist() == [0, 1, 2]
    assert "draft_to_target" not in bank.file and bank.storage_tv["target"]["max"] < 1e-6


def test_a_law_with_zeros_keeps_them_at_every_storage(tmp_path) -> None:
    law = np.array([[1.0, 0.0, 0.0]])
    for storage in ("float16", "float32"):
        bank = pair_bank({"p": law, "q": law}, tmp_path / "own.safetensors", storage=storage)
        assert softmax(bank.target().astype(float)).tolist() == law.tolist()


def test_what_is_known_of_contexts_is_kept(tmp_path) -> None:
    facts = {"document": ["b", "a"], "last": [2, 0], "following": [-1, 1], "position": [7, 9]}
    bank = pair_bank({"p": P, "q": P} | facts, tmp_path / "own.safetensors")
    assert bank.documents.tolist() == [1, 0] and bank.index.last.tolist() == [2, 0]
    assert bank.index.following.tolist() == [-1, 1] and bank.index.position.tolist() == [7, 9]


def test_tokens_of_the_same_bytes_are_shared(tmp_path) -> None:
    arrays, out = {"p": P, "q": Q}, tmp_path / "own.safetensors"
    bank = pair_bank(arrays, out, tokens=["Ġa", "b", "Ċ"], draft_tokens=["c", "Ġa"])
    assert bank.draft_to_target.tolist() == [-1, 0] and bank.draft_tokens == [b"c", b" a"]


def test_a_mask_says_what_is_shared(tmp_path) -> None:
    bank = pair_bank({"p": P, "q": P, "shared": [True, False, True]}, tmp_path / "own.safetensors")
    assert bank.draft_to_target.tolist() == [0, -1, 2]


REFUSED = [
    ({"p": P}, "arrays: p; expected target and draft .* or p and q"),
    ({}, "arrays: none; expected"),
    ({"p": P, "q": P, "target": P}, "arrays: p, q, target"),
    ({"p": P, "q": P, "mask": P}, "arrays: 'mask'; expected some of"),
    ({"p": P, "q": Q}, "draft: 2 tokens where the target has 3; expected draft_to_target, or"),
    (
        {"target": P, "draft": P},
        "target, draft: the rows sum to 1, so they are laws; expected logits, or the names p and q",
    ),
    ({"p": P, "target_probs": P, "q": P}, "target_probs: stands beside p, which means the same"),
    ({"p": P, "q": P[:1]}, "q: 1 contexts where p has 2"),
    ({"p": P * 2, "q": P}, r"p: row \(0,\) sums to 2"),
    ({"p": P[0], "q": P[0]}, r"p: float64 of shape \(3,\); expected real numbers \(contexts, vocabulary\)"),
    ({"p": P[:, :0], "q": P}, r"p: float64 of shape \(2, 0\)"),
    ({"p": P.astype(str), "q": P}, "p: <U"),
    ({"target": P * np.nan, "draft": P}, "target: row 0 holds nan"),
    ({"target": P, "draft": P + np.inf}, "draft: the largest logit of row 0 is inf"),
    ({"target": P, "draft": P - np.inf}, "draft: the largest logit of row 0 is -inf"),
    ({"p": P, "q": Q, "draft_to_target": [1, 1]}, "draft_to_target: sends draft tokens 0 and 1 to target token 1"),
    ({"p": P, "q": Q, "draft_to_target": [1, 3]}, "draft_to_target: sends draft token 1 to 3"),
    ({"p": P, "q": Q, "draft_to_target": [-1, -1]}, "draft_to_target: sends no draft token"),
    ({"p": P, "q": Q, "draft_to_target": [0.0, 1.0]}, "draft_to_target: float64"),
    ({"p": P, "q": Q, "draft_to_target": [0]}, r"draft_to_target: shape \(1,\)"),
    ({"p": P, "q": Q, "draft_to_target": MAP, "shared": [True] * 3}, "shared: stands beside draft_to_target"),
    ({"p": P, "q": Q, "shared": [True] * 3}, "shared: the draft has 2 tokens, the target 3"),
    ({"p": P, "q": P, "shared": [False] * 3}, "shared: "),
    ({"p": P, "q": P, "shared": [True]}, "shared: "),
    ({"p": P, "q": P, "document": [0]}, r"document: int64 of shape \(1,\)"),
    ({"p": P, "q": P, "document": [0.5, 1]}, "document: float64"),
    ({"p": P, "q": P, "last": [0, 3]}, "last: context 1 has 3; expected -1 to 2"),
    ({"p": P, "q": P, "following": [0, -2]}, "following: context 1 has -2"),
    ({"p": P, "q": P, "position": [0, 2**40]}, "position: context 1 has"),
]


@pytest.mark.parametrize(("arrays", "message"), REFUSED)
def test_what_is_no_pair_is_refused_by_name(tmp_path, arrays, message) -> None:
    with pytest.raises(ValueError, match=f"^{message}") as error:
        pair_bank(arrays, tmp_path / "own.safetensors")
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())


def test_strings_and_places_are_checked(tmp_path) -> None:
    with pytest.raises(ValueError, match="tokens: 2 entries; expected a string for each of 3 tokens"):
        pair_bank({"p": P, "q": P}, tmp_path / "own.safetensors", tokens=["a", "b"])
    with pytest.raises(ValueError, match="storage: 'int8'"):
        pair_bank({"p": P, "q": P}, tmp_path / "own.safetensors", storage="int8")
    with pytest.raises(ValueError, match="out: .* is a folder"):
        pair_bank({"p": P, "q": P}, tmp_path)
    with pytest.raises(ValueError, match="out: .* lies in no existing folder"):
        pair_bank({"p": P, "q": P}, tmp_path / "no" / "own.safetensors")


def test_a_pair_that_cannot_fit_is_refused_with_its_bytes(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("simspec.checks.physical_memory", lambda: 100)
    with pytest.raises(ValueError, match="arrays: 'p'; would take 288 bytes of memory, expected at most 100 bytes"):
        pair_bank({"p": P, "q": P}, tmp_path / "own.safetensors")


@pytest.fixture
def files(tmp_path):
    """What a user has stored: logits of twenty contexts of ten documents, and both vocabularies."""
    rng = np.random.default_rng(0)
    target = rng.normal(0, 2, (20, 6)).astype(np.float32)
    draft = target[:, [4, 2, 0, 1]] + rng.normal(0, 1, (20, 4)).astype(np.float32)
    np.savez(tmp_path / "pair.npz", target=target, draft=draft, document=np.arange(20) // 2)
    (tmp_path / "t.json").write_text(json.dumps({token: i for i, token in enumerate("abcdef")}))
    (tmp_path / "d.json").write_text(json.dumps({token: i for i, token in enumerate("ecaz")}))
    return tmp_path


def test_a_user_makes_a_bank_of_arrays_and_verifies_claims_on_it(files, capsys) -> None:
    bank = files / "own.safetensors"
    vocabularies = ["--vocab", str(files / "t.json"), "--draft-vocab", str(files / "d.json")]
    assert cli.main(["capture", "--pair", str(files / "pair.npz"), *vocabularies, "-o", str(bank)]) == 0
    assert "shared tokens: 3" in capsys.readouterr().out
    made = open_bank(bank)
    assert made.draft_to_target.tolist() == [4, 2, 0, -1] and len(np.unique(made.documents)) == 10
    command = "simspec capture --pair "
    assert made.provenance["command"].startswith(command) and str(files) not in made.provenance["command"]

    assert cli.main(["rates", str(bank), "--rule", "sd", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    p, q = bank_laws(made)
    assert row["acceptance"]["estimate"] == pytest.approx(np.minimum(p, q).sum(axis=-1).mean(), rel=1e-12)

    ids = ["sd.acceptance", "rdk.worst-case", "tasc.mean-initialisation-sharp"]
    out = files / "report"
    status = cli.main(["verify", *ids, "--effort", "quick", "--bank", str(bank), "--out", str(out)])
    claims = {c["id"]: c for c in json.loads((out / "verdicts.json").read_text())["claims"]}
    assert status in (0, 1) and not any(c["verdict"] == "error" for c in claims.values())
    assert claims["sd.acceptance"]["checks"]["real"]["instances"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pair", "no.npz"], "pair: no file 'no.npz'"),
        (["--pair", "."], "pair: is a folder '.'"),
        (["--pair", "pair.npz", "--text", "a.txt"], "--pair: replaces the models"),
        (["--pair", "pair.npz", "--vocab", "no.json"], "vocab: no file 'no.json'"),
        (["--pair", "pair.npz", "--vocab", "t.json"], "draft: 4 tokens where the target has 6"),
        (["--pair", "t.json"], "pair: 't.json' cannot be read"),
        (["--pair", "pair.npz", "--vocab", "t.json"], "padded or not: --vocab JSON and --draft-vocab JSON"),
        (["--pair", "a.npy"], "pair: 'a.npy'; expected one .npz or .safetensors file, or two .npy files"),
        (["--pair", "pair.npz", "a.npy"], "pair: 'pair.npz' 'a.npy'; expected one .npz"),
    ],
)
def test_bad_requests_have_one_line_and_status_2(files, monkeypatch, capsys, arguments, message) -> None:
    monkeypatch.chdir(files)
    assert cli.main(["capture", *arguments, "-o", "own.safetensors"]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""
    assert not (files / "own.safetensors").exists()


def test_files_and_arrays_make_the_same_bank(files) -> None:
    with np.load(files / "pair.npz") as held:
        arrays = dict(held)
    one = capture_pair(
        files / "pair.npz", files / "a.safetensors", vocab=files / "t.json", draft_vocab=files / "d.json"
    )
    two = pair_bank(arrays, files / "b.safetensors", tokens=list("abcdef"), draft_tokens=list("ecaz"))
    assert np.array_equal(one.target(), two.target()) and one.draft_tokens == two.draft_tokens
    assert [text["file"] for text in one.provenance["texts"]] == ["pair.npz", "t.json", "d.json"]


def test_what_converting_takes_is_said_before_and_progress_while(files, capsys, monkeypatch) -> None:
    """The clock goes on by a second whenever it is read; two or three rows are converted at a time."""
    monkeypatch.setattr("simspec.logits.capture.passes.time.monotonic", iter(range(10**6)).__next__)
    monkeypatch.setattr("simspec.logits.capture.passes.MINUTE", 1.0)
    monkeypatch.setattr("simspec.logits.capture.pair.PART", 12)
    vocabularies = ["--vocab", str(files / "t.json"), "--draft-vocab", str(files / "d.json")]
    assert (
        cli.main(["capture", "--pair", str(files / "pair.npz"), *vocabularies, "-o", str(files / "c.safetensors")]) == 0
    )
    takes, *lines = capsys.readouterr().err.splitlines()
    size = 20 * (6 + 4) * 2 / 1e9
    assert takes.startswith(f"20 contexts: a file of {size:.2g} GB, {2 * size:.2g} GB of disk while it is made, ")
    assert takes.endswith(" GB of memory")
    assert [line for line in lines if re.match(r"simspec: target: \d+ of 20, about ", line)]
    assert [line for line in lines if re.match(r"simspec: draft: \d+ of 20, about ", line)]
    assert lines[-1] == "simspec: writing: 1 of 1"
    names = {"vocab": files / "t.json", "draft_vocab": files / "d.json"}
    capture_pair(files / "pair.npz", files / "e.safetensors", **names, progress=False)
    assert capsys.readouterr().err == ""


def test_two_files_of_one_array_each_are_the_target_and_the_draft(files) -> None:
    with np.load(files / "pair.npz") as held:
        logits = held["target"]
        arrays = {"target": logits, "draft": logits[:, ::-1]}
    for name, array in arrays.items():
        np.save(files / f"logits of the {name}.npy", array)
    out = str(files / "own.safetensors")
    words = ["capture", "--pair", *(str(files / f"logits of the {name}.npy") for name in arrays), "-o", out]
    assert cli.main(words) == 0
    whole = pair_bank(arrays, files / "b.safetensors")
    bank = open_bank(out)
    assert np.array_equal(bank.target(), whole.target()) and np.array_equal(bank.draft(), whole.draft())
    assert len(bank.provenance["texts"]) == 2 and str(files) not in bank.provenance["command"]


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_a_file_by_parts_gives_the_bank_of_the_arrays(tmp_path, kind, monkeypatch) -> None:
    import safetensors.numpy

    rng = np.random.default_rng(0)
    arrays = {
        name: rng.standard_normal((60, 10, 2048)).astype(np.float32) for name in ("target_logits", "draft_logits")
    }
    if kind == "npz":
        np.savez(tmp_path / "a.npz", **arrays)
    else:
        safetensors.numpy.save_file(arrays, tmp_path / "a.safetensors")
    monkeypatch.setattr("simspec.logits.capture.pair.PART", 7 * 2048)
    bank = capture_pair(tmp_path / f"a.{kind}", tmp_path / "own.safetensors")
    monkeypatch.undo()
    flat = {name.removesuffix("_logits"): x.reshape(600, 2048) for name, x in arrays.items()}
    whole = pair_bank(flat, tmp_path / "whole.safetensors")
    assert np.array_equal(bank.target(), whole.target()) and np.array_equal(bank.draft(raw=True), whole.draft(raw=True))
    assert bank.storage_tv == whole.storage_tv
    assert bank.documents.tolist() == np.repeat(np.arange(60), 10).tolist()
    assert bank.index.position.tolist() == list(range(10)) * 60
    assert sorted(path.name for path in tmp_path.glob("*")) == sorted(
        [f"a.{kind}", "own.safetensors", "whole.safetensors"]
    )


def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch) -> None:
    """Four times as many rows take as much memory; the control, which reads the arrays first, takes four times as much."""
    import tracemalloc

    def peak(path, function) -> int:
        tracemalloc.start()
        function(path, tmp_path / "b.safetensors")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    monkeypatch.setattr("simspec.logits.capture.pair.PART", 1 << 18)
    paths = []
    for count in (600, 2400):
        rows = np.random.default_rng(0).standard_normal((count, 2048)).astype(np.float32)
        paths.append(tmp_path / f"{count}.npz")
        np.savez(paths[-1], target=rows, draft=rows)
    small, large = (peak(path, capture_pair) for path in paths)
    assert large < 1.5 * small and large < 2400 * 2048 * 4

    def reading(path, out):
        with np.load(path) as file:
            pair_bank(dict(file), out)

    few, many = (peak(path, reading) for path in paths)
    assert many > 2 * few


def test_logits_are_wider_than_the_vocabulary(tmp_path) -> None:
    arrays = {"target": np.zeros((2, 8)), "draft": np.zeros((2, 16))}
    bank = pair_bank(arrays, tmp_path / "b.safetensors", tokens=["a", "b", "c"], draft_tokens=["b", "a"])
    assert bank.tokens == [b"a", b"b", b"c"] + [b""] * 5 and bank.draft_to_target.tolist() == [1, 0] + [-1] * 14


@pytest.mark.parametrize("value", [-3.0, -1e-9])
def test_logits_under_the_names_of_laws_are_pointed_to_softmax(tmp_path, value) -> None:
    p = np.array([[0.5, 0.5], [1.0 - value, value]])
    with pytest.raises(
        ValueError, match=r"^p: row 1 holds .* as logits and log-probabilities do; expected laws, their softmax"
    ):
        pair_bank({"p": p, "q": p}, tmp_path / "b.safetensors")
