"""The codec's benchmark: it validates before it times, names every coder, and writes what it measured."""

import json

from benchmarks import __main__ as benchmarks
from benchmarks import codec
from simspec.methods.sqs.payload import payload_bits


def test_every_coder_comes_back_and_none_is_shorter_than_the_formula() -> None:
    case = codec.time_case(500, 10, 40, seed=1, repeats=2)
    assert set(case["coders"]) == {"enumerative", "range coder", "zlib"}
    assert case["coders"]["enumerative"]["bits"] == payload_bits(500, 10, 40)
    for coder in case["coders"].values():
        assert coder["right"] and coder["bits"] >= case["formula"]
        assert len(coder["encode"]["seconds"]) == 2


def test_a_wrong_coder_is_said(monkeypatch, capsys) -> None:
    coders = codec._coders

    def spoilt(vocab, k, resolution):
        made = coders(vocab, k, resolution)
        encode, decode = made["zlib"]
        return made | {"zlib": (encode, lambda message: tuple(~x for x in decode(message)))}

    monkeypatch.setattr(codec, "_coders", spoilt)
    assert benchmarks.main(["codec", "--quick", "--repeats", "1"]) == 1


def test_the_command_writes_what_it_measured(tmp_path, capsys) -> None:
    path = tmp_path / "codec.json"
    assert benchmarks.main(["codec", "--quick", "--repeats", "3", "--json", str(path)]) == 0
    out = capsys.readouterr().out
    assert "range coder" in out and "formula" in out
    written = json.loads(path.read_text())
    assert written["benchmark"] == "codec" and written["cases"][0]["vocab"] == 1000
    assert written["environment"]["cores"] >= 1
