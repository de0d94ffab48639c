"""Laws at hand, labelled pivots and the texts of neighbours: what is read beside files of laws (`test_rates`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from simspec.cli import main
from simspec.laws import exact
from simspec.logits.bank import open_bank
from simspec.logits.bank.storage import Contexts
from simspec.studies.pairs import _text
from simspec.tools.rates import rates
from simspec.tools.reading import load
from tests.requirements import require

P, Q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.25, 0.5]])


def test_two_arrays_are_laws_at_hand() -> None:
    (row,) = rates((P, Q[0]), ["sd"])
    assert row.values["acceptance"].estimate == 0.5
    assert load(([[0.5, 0.5]] * 3, [[1, 0]] * 3)).document.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "temperature", "message"),
    [
        ((P,), 1, "source: 1 objects; expected a file, a bank, or two arrays"),
        ((P, Q[:, :2] * 2), 1, r"q: shape \(1, 2\) where p has \(1, 3\)"),
        ((P, Q), 0.5, "temperature: 0.5; the arrays are distributions, not logits"),
        ((P, Q * 2), 1, "q: "),
    ],
)
def test_arrays_that_are_no_pair_are_refused(source, temperature, message) -> None:
    with pytest.raises(ValueError, match=message):
        load(source, temperature)


def test_laws_under_the_names_of_logits_are_refused(tmp_path) -> None:
    """Their softmax is all but uniform: every rule would accept everything."""
    np.savez(tmp_path / "laws.npz", target=P, draft=Q)
    with pytest.raises(
        ValueError,
        match=r"laws.npz: rows of target and draft sum to 1, .*; expected logits, or the names p and q",
    ):
        load(tmp_path / "laws.npz")
    np.savez(tmp_path / "logits.npz", target=P * 2, draft=Q)
    assert load(tmp_path / "logits.npz").p.sum() == pytest.approx(1)


def test_tensors_are_laws_or_are_told_what_to_do() -> None:
    require("torch")
    import torch

    p, q = torch.tensor(P), torch.tensor(Q)
    assert rates((p, q), ["sd"])[0].values["acceptance"].estimate == 0.5
    for tensor in (p.clone().requires_grad_(), p.bfloat16()):
        with pytest.raises(ValueError, match=r"p: Tensor that NumPy cannot read; .* x.detach\(\).float\(\).cpu\(\)"):
            rates((tensor, q), ["sd"])


def test_pivots_of_a_file(tmp_path) -> None:
    """No pivot: every draft that the target may say is kept; every token a pivot: speculative decoding."""
    for flags, kept in (([False] * 3, 0.5), ([True] * 3, 0.5), ([[False, True, False]], 0.5)):
        np.savez(tmp_path / "laws.npz", p=P, q=Q, pivots=flags)
        assert rates(tmp_path / "laws.npz", ["pad"])[0].values["acceptance"].estimate == kept
    np.savez(tmp_path / "laws.npz", p=Q, q=P, pivots=[False, True, True])
    assert rates(tmp_path / "laws.npz", ["pad"])[0].values["acceptance"].estimate == 0.75
    np.savez(tmp_path / "laws.npz", p=P, q=Q, pivots=[0, 1, 0])
    with pytest.raises(ValueError, match=r"pivots: int64, shape \(3,\); expected true or false"):
        load(tmp_path / "laws.npz")


ARRAYS = {"p": P, "q": Q}


def acceptance(source) -> float:
    return rates(source, "sd")[0].values["acceptance"].estimate


def test_arrays_by_name_are_as_those_of_a_file() -> None:
    assert acceptance(ARRAYS) == acceptance((P, Q)) == 0.5
    assert acceptance({"p": exact(P), "q": exact(Q)}) == 0.5  # fractions
    assert load({"target": np.log(P + 1), "draft": Q}).p.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="arrays at hand: holds p; expected p and q, or target and draft"):
        load({"p": P})
    assert load({**ARRAYS, "shared": [True, True, False]}).known.shared.tolist() == [True, True, False]


def test_other_names_mean_the_same() -> None:
    logits = np.log([[0.5, 0.5], [0.25, 0.75]])
    plain = load({"target": logits, "draft": logits[::-1]})
    for names in (("target_logits", "draft_logits"), ("logits_target", "logits_draft"), ("p_logits", "q_logits")):
        pairs = load(dict(zip(names, (logits, logits[::-1]), strict=True)))
        assert pairs.p.tolist() == plain.p.tolist() and pairs.q.tolist() == plain.q.tolist()


def test_three_axes_are_documents_of_positions() -> None:
    several = {name: np.stack([np.vstack([law, law])] * 3) for name, law in ARRAYS.items()}
    pairs = load(several)
    assert pairs.p.shape == (6, 3) and pairs.document.tolist() == [0, 0, 1, 1, 2, 2]
    assert pairs.position.tolist() == [0, 1, 0, 1, 0, 1]
    named = load({**several, "document": [5, 5, 7], "pivots": np.zeros((3, 2, 3), bool)})
    assert named.document.tolist() == [5, 5, 5, 5, 7, 7] and named.known.pivots.shape == (6, 3)


def test_a_place_in_code(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", sys.path[:])
    text = "P, Q = [[0.5, 0.5, 0.0]], [[0.25, 0.25, 0.5]]\nPAIR = P, Q\nBY_NAME = {'p': P, 'q': Q}\n"
    text += "\n\ndef pair():\n    return PAIR\n"
    Path("mine.py").write_text(text, encoding="utf-8")
    assert [acceptance(f"mine.py:{name}") for name in ("PAIR", "BY_NAME", "pair")] == [0.5] * 3
    assert load("mine.py:PAIR").source == "mine.py:PAIR"
    with pytest.raises(
        ValueError, match=r"pairs: 'mine.py:P' is a list; expected a tuple or Mapping, such as mine.py:PAIR"
    ):
        load("mine.py:P")


def test_one_array_is_told_what_to_do(tmp_path) -> None:
    np.save(tmp_path / "p.npy", P)
    with pytest.raises(ValueError, match=r"p.npy' holds one array; .*np.savez\('pairs.npz', p=p, q=q\)"):
        load(tmp_path / "p.npy")


def tensors(path: Path, kind: str, **arrays: np.ndarray) -> Path:
    """A plain .safetensors file, as PyTorch's users write them."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        data = array.tobytes()
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def test_tensors_of_a_file_are_read(tmp_path) -> None:
    path = tensors(tmp_path / "pairs.safetensors", "F32", p=P.astype(np.float32), q=Q.astype(np.float32))
    assert acceptance(path) == 0.5 and load(path).source == "pairs.safetensors"
    path = tensors(tmp_path / "other.safetensors", "F32", weight=P.astype(np.float32))
    with pytest.raises(ValueError, match="other.safetensors: holds weight; expected p and q, or target and draft"):
        load(path)
    path = tensors(tmp_path / "half.safetensors", "BF16", p=P.astype(np.float16), q=Q.astype(np.float16))
    with pytest.raises(ValueError, match=r"half.safetensors' has a tensor 'p' of dtype 'BF16'; .*tensor.float\(\)"):
        load(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:20], whole.replace(b"BF16", b"F16 ")[:-2], b"\xff" * 40):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="half.safetensors") as error:
            load(path)
        assert "reinstall" not in str(error.value)


def test_a_file_of_the_users_is_no_reason_to_reinstall(tmp_path) -> None:
    whole = open_bank("stories").file.path.read_bytes()
    for n, damaged in enumerate((whole[:1000], whole[:-1], whole[:5000] + b"\0" + whole[5001:])):
        (tmp_path / f"{n}.safetensors").write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{n}.safetensors.*get it again: capture or download it anew$"):
            open_bank(tmp_path / f"{n}.safetensors").target()


def test_a_bank_is_a_bank_still() -> None:
    assert load(open_bank("stories").file.path).source == "stories"


def test_the_text_of_neighbours() -> None:
    def index(position, document):
        last = np.arange(10, 10 + len(position))
        return Contexts(last, last + 1, np.array(position), np.array(document), np.array(["a"] * len(position)))

    assert _text(index([4, 5, 6, 4, 5], [0, 0, 0, 1, 1])) == [[10], [10, 11], [10, 11, 12], [13], [13, 14]]
    assert _text(index([4, 9, 2, 3, 7], [0, 0, 1, 1, 1])) is None  # one of five has a neighbour


@pytest.mark.parametrize(
    ("command", "draft_rows"),
    [
        (["rates"], 3),
        (["advise"], 3),
        (["trees"], 3),
        (["audit", "vllm", "--bank"], 3),
        (["audit", "vllm", "--bank"], 2),
        (["capture", "-o", "OUT", "--pair"], 3),
    ],
)
def test_log_probabilities_under_the_names_of_laws_are_refused_in_the_same_words(
    tmp_path, capsys, command, draft_rows
) -> None:
    """One target row more than drafts is a pair of its own for `audit`."""
    rows = np.log([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    np.savez(tmp_path / "log.npz", p=rows, q=rows[:draft_rows])
    words = [str(tmp_path / "own.safetensors") if word == "OUT" else word for word in command]
    assert main([*words, str(tmp_path / "log.npz")]) == 2
    reason = "p: row 0 holds -1.38629 at token 1, as logits and log-probabilities do"
    assert f"{reason}; expected laws, their softmax, or the names target and draft\n" in capsys.readouterr().err
