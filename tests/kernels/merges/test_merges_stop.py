"""A budget that no corpus has merges for: learning ends when none is left, and hears Ctrl-C before."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np

from simspec.kernels import merges
from simspec.kernels.merges import learn_merges

CHILD = """
import signal
import numpy as np
from simspec.kernels.merges import learn_merges
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
tokens = np.random.default_rng(0).integers(0, 50, 400_000)
try:
    learn_merges(tokens, [len(tokens)], 50, 10**9, notify=lambda made, left: made == 3 and print("under way", flush=True))
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_a_budget_beyond_all_merges_ends_when_none_is_left() -> None:
    for count in (20, 2_000):  # the reference, and the compiled loops
        tokens = np.arange(count) % 4
        made = learn_merges(tokens, [count], 4, 10**9, min_count=2)
        assert made == learn_merges(tokens, [count], 4, len(made.ngrams), min_count=2) and made.lengths[-1] < count / 4


def test_ctrl_c_is_heard_between_merges() -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "under way\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=600)[0] == "stopped\n" and child.returncode == 0


def test_counting_in_pieces_counts_the_same(monkeypatch) -> None:
    tokens, lengths = np.random.default_rng(1).integers(0, 9, 3_000), [1_000, 0, 1_999, 1]
    whole = learn_merges(tokens, lengths, 9, 200, n_max=4, weights=np.array([1, 2, 3, 4]))
    for size in (1, 50, 4_001):
        monkeypatch.setattr(merges, "COUNTED", size)
        assert learn_merges(tokens, lengths, 9, 200, n_max=4, weights=np.array([1, 2, 3, 4])) == whole
