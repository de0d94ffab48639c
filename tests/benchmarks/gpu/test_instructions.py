"""Instructions of the kernels of synthetic pairs: loops found in assembly by hand, and a record that is up to date."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks.gpu import instructions, peers
from benchmarks.harness import Peer
from tests.requirements import require


def loop(label, *names):
    """A loop of instructions in the text of nvdisasm."""
    lines = [*(f"        /*00{i}0*/    {name} R1, R2, R3 ;" for i, name in enumerate(names))]
    return [f"{label}:", *lines, f"        /*0ff0*/  @!P0 BRA `({label}) ;"]


def kernel(*parts):
    return "\n".join([".text.other:", *loop(".L_x_9", "FADD"), ".text.k:", *(line for part in parts for line in part)])


DRAWS = {calls: loop(f".L_x_{calls}", *["IMAD.WIDE.U32"] * 17 * calls, *["FFMA"] * (8 * calls)) for calls in (2, 4)}


def test_loops_that_draw_and_read_are_told_from_others():
    back = loop(".L_x_5", *["LD.E.128", "FMNMX", "FMNMX", "FMUL"])
    text = kernel(DRAWS[2], back, loop(".L_x_6", "DADD"), DRAWS[4])
    assert instructions.loops(text, "k") == [
        instructions.Loop(34 + 16 + 1, 2, 0),
        instructions.Loop(5, 0, 2),
        instructions.Loop(68 + 32 + 1, 4, 0),
    ]
    assert instructions.loops(text, "nothing") == []


def test_a_loop_around_another_is_left_out():
    outer = [".L_x_7:", *DRAWS[2], "        /*0fe0*/  FADD R1, R2, R3 ;", "        /*0ff0*/  @!P0 BRA `(.L_x_7) ;"]
    assert instructions.loops(kernel(outer), "k") == [instructions.Loop(51, 2, 0)]


def test_pairs_are_counted_by_hand():
    """Four pairs an iteration of a loop that draws, one for each minimum of a loop that reads back."""
    back = loop(".L_x_5", "LD.E.128", "FMNMX", "FMNMX", "FMUL", "FMUL")
    counts = instructions.count(kernel(DRAWS[2], back, DRAWS[4]), "k")
    assert counts == {"gaussian": round(51 / 4 + 3, 1), "student": round(101 / 4 + 3, 1)}
    with pytest.raises(ValueError, match="k has no loop that draws"):
        instructions.count(kernel(DRAWS[2]), "k")


def test_the_record_is_that_of_the_sources():
    """After a change of a kernel: python -m benchmarks.gpu.instructions --record."""
    record = json.loads(instructions.RECORD.read_text(encoding="utf-8"))
    assert record["sources"] == instructions.digest()
    assert record["kernels"].keys() == instructions.KERNELS.keys()


def test_the_record_can_be_made_again():
    require("nvrtc")
    disassembler = instructions._disassembler()
    if disassembler is None:
        pytest.skip("needs nvdisasm (pip install triton)")
    library = instructions._library()
    assert library is not None
    text, _ = instructions._assembly(library, disassembler, "pairs")
    assert instructions.count(text, "pairs_1").keys() == instructions.recorded()["pairs_1"].keys()


def test_what_recording_lacks_is_named(monkeypatch, capsys):
    monkeypatch.setattr(instructions, "_library", lambda: None)
    monkeypatch.setattr(instructions, "_disassembler", lambda: None)
    assert instructions.main(["--record"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "libnvrtc" in said.err and "nvdisasm" in said.err


def test_the_table_states_shares_of_drawing_alone(monkeypatch, capsys):
    numbers = {"pairs_8": {"gaussian": 200.0, "student": 400.0}, "sums_f32": {"gaussian": 150.0, "student": 340.0}}
    monkeypatch.setattr(instructions, "recorded", lambda: numbers)
    assert instructions.main([]) == 0
    out = capsys.readouterr().out
    assert "gaussian  200.0 ( 75%); student  400.0 ( 85%)" in out and "(100%)" in out


def test_a_profiler_is_given_each_kernel_once(monkeypatch):
    launched = []

    def peer(name):
        return Peer(name, lambda data, threads: lambda: launched.append((name, data.case.df, data.case.rows)), (1,))

    names = (peers.OURS, peers.TWICE, "CuPy sampler", peers.DRAWS)
    monkeypatch.setattr(peers, "pair_peers", lambda: [peer(name) for name in names])
    monkeypatch.setattr(instructions, "cupy", lambda: None)
    assert instructions.main(["--launch"]) == 0
    assert launched == [(name, df, 512) for df in (math.inf, 5.0) for name in names if name != "CuPy sampler"]
