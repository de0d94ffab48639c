"""A capture that is interrupted, or killed, goes on from what it has kept, to the same bytes."""

import argparse
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy

from simspec.cli.capture import add_arguments, run
from simspec.cli.signals import Stopped
from simspec.logits.bank import open_bank
from simspec.logits.capture import capture, unfinished
from simspec.logits.capture.models import LanguageModel, load_model
from tests.logits import tiny
from tests.requirements import require

ASKED = {"contexts": 10, "window": 40, "tuning": 4, "statistics": 300, "batch": 4}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two models that are loaded, with a vocabulary each, and a text."""
    require("torch")
    folder = tmp_path_factory.mktemp("unfinished")
    tiny.gpt2(folder / "target")
    tiny.llama(folder / "draft")
    (folder / "a.json").write_text(json.dumps(tiny.text(40, 100)))
    return folder, [load_model(str(folder / role), role, "cpu") for role in ("target", "draft")]


@pytest.fixture(autouse=True)
def one_day(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def make(pair, out, **options):
    folder, models = pair
    asked = {"text": [folder / "a.json"], "progress": False, "name": "own", **ASKED, **options}
    capture(*models, out=out, **asked)
    return out.read_bytes()


@pytest.fixture(scope="module")
def whole(pair, tmp_path_factory):
    """The bank of a capture that nothing has interrupted, and how often the models were called."""
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "0")
        count(patch, calls)
        out = tmp_path_factory.mktemp("whole") / "b.safetensors"
        made = make(pair, out)
    assert [p.name for p in out.parent.iterdir()] == ["b.safetensors"]
    return made, len(calls)


def count(patch, calls, most=10**9, error=KeyboardInterrupt):
    """Models that note their calls, and raise an error at a call too many."""
    original = LanguageModel.logits

    def logits(self, *what):
        calls.append(self)
        if len(calls) > most:
            raise error
        return original(self, *what)

    patch.setattr(LanguageModel, "logits", logits)


def stopped(pair, out, most, **options):
    """The capture interrupted after so many calls of a model; whether it was, and how many calls it had made."""
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        count(patch, calls, most)
        try:
            make(pair, out, **options)
        except KeyboardInterrupt:
            return True, most
    return False, len(calls)


def test_interrupted_again_and_again_it_ends_with_the_same_bytes(pair, whole, tmp_path):
    out = tmp_path / "b.safetensors"
    runs = []
    while not runs or runs[-1][0]:
        assert not out.exists()
        runs.append(stopped(pair, out, 5))
    assert out.read_bytes() == whole[0]
    assert [p.name for p in tmp_path.iterdir()] == ["b.safetensors"]
    assert len(runs) > 8
    assert sum(calls for _, calls in runs) <= whole[1] + len(runs)  # half a batch is lost each time, at most


REPEATS = {"MKL_CBWR": "COMPATIBLE", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""With these a product of matrices has the same last bit in every process; otherwise MKL may go by threads and addresses."""


SCRIPT = """
import os, time
import torch, transformers.models.gpt2.modeling_gpt2, transformers.models.llama.modeling_llama
from simspec.logits.capture import capture, models, unfinished
unfinished.EVERY, unfinished.SHARE, calls, original = 0, 0, [], models.LanguageModel.logits

def logits(self, *what):
    calls.append(1)
    if len(calls) == stuck_at:
        print("stuck", os.getpid(), flush=True)
        time.sleep(600)
    return original(self, *what)

def made(out):
    calls.clear()
    capture(*pair, out=out, progress=False, name="own", device="cpu", **asked)
    print(len(calls))

models.LanguageModel.logits = logits
child = os.fork()
if not child:
    made(out)
    os._exit(1)
os.waitpid(child, 0)
stuck_at = None
print("gone", flush=True)
input()
made(out)
made(other)
"""
"""Captures to `out` in a process that says "stuck" and sleeps at the call of a model of number `stuck_at`; once that has
ended, in another one that has loaded the same packages and no model, to `out` and to `other`, with their numbers of calls."""


def test_a_killed_capture_leaves_no_bank_and_goes_on(pair, whole, tmp_path):
    """Killed in the second pass of the statistics; what was written last before is where the next run begins."""
    folder, out, other = pair[0], tmp_path / "b.safetensors", tmp_path / "whole.safetensors"
    given = {"pair": [str(folder / "target"), str(folder / "draft")], "out": str(out), "other": str(other)}
    given |= {"asked": {"text": [str(folder / "a.json")], **ASKED}, "stuck_at": whole[1] - 4}
    script = "".join(f"{name} = {value!r}\n" for name, value in given.items()) + SCRIPT
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], env=os.environ | REPEATS, **pipes) as process:
        word, number = process.stdout.readline().split()
        assert word == "stuck" and int(number) != process.pid
        os.kill(int(number), signal.SIGKILL)
        assert process.stdout.readline() == "gone\n"
        left = tmp_path / f"b.safetensors{unfinished.ENDING}"
        assert not out.exists() and (left / "statistics.safetensors").is_file()
        said, _ = process.communicate("\n")
    assert said == f"6\n{whole[1]}\n"
    assert not left.exists() and differing(out.read_bytes(), other.read_bytes()) == []


def differing(a, b):
    """Names of the tensors that differ, or what else does: an assertion on the bytes would print two whole banks."""
    one, other = safetensors.numpy.load(a), safetensors.numpy.load(b)
    names = [
        n for n in sorted({*one, *other}) if n not in one or n not in other or not np.array_equal(one[n], other[n])
    ]
    return names or ([] if a == b else ["header or order"])


def test_a_file_that_was_altered_is_made_again(pair, whole, tmp_path):
    out = tmp_path / "b.safetensors"
    for most in (3, 2):
        assert stopped(pair, out, most) == (True, most)
    files = sorted((tmp_path / f"b.safetensors{unfinished.ENDING}").iterdir())
    assert [f.name for f in files] == ["evaluation-00000000.safetensors", "evaluation-00000004.safetensors"]
    altered = bytearray(files[0].read_bytes())
    altered[-1] ^= 1
    files[0].write_bytes(altered)
    assert stopped(pair, out, 10**6) == (False, whole[1])  # all from its place on
    assert out.read_bytes() == whole[0]


def test_another_capture_of_that_name_is_refused(pair, tmp_path):
    out = tmp_path / "b.safetensors"
    assert stopped(pair, out, 3)[0]
    before = sorted(p.read_bytes() for p in tmp_path.rglob("*.safetensors"))
    for other in ({"contexts": 11}, {"batch": 3}, {"storage": "float32"}, {"seed": 1}):
        with pytest.raises(
            ValueError, match=r"unfinished capture of other models, texts, options or versions; expected"
        ):
            make(pair, out, **other)
    assert sorted(p.read_bytes() for p in tmp_path.rglob("*.safetensors")) == before
    make(pair, out, licence="free")  # what the bank says of itself may change
    assert open_bank(out).provenance["licence"] == "free"


def test_the_command_says_what_is_kept_and_that_it_goes_on(pair, tmp_path, capsys, monkeypatch):
    folder, out = pair[0], tmp_path / "b.safetensors"
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["--target", folder / "target", "--text", folder / "a.json", "--contexts", 9, "--window", 40, "--batch", 4]
    args = parser.parse_args([*map(str, words), "--device", "cpu", "-o", str(out)])
    for most, said, number in (
        (0, "nothing was written", signal.SIGTERM),
        (0, "nothing was written", signal.SIGHUP),
        (2, f"the finished part is stored in {out}.unfinished: run the same command to continue", signal.SIGINT),
    ):
        with monkeypatch.context() as patch:
            count(patch, [], most, Stopped(number))
            assert run(args) == 128 + number
        err = capsys.readouterr().err
        assert f"simspec capture: interrupted; {said}" in err and "going on with" not in err
    assert run(args) == 0
    assert f"going on with what an earlier run has left in {out}.unfinished" in capsys.readouterr().err
    assert open_bank(out).contexts == 9
