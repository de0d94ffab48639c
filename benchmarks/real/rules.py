"""`rates` of all rules that judge one token, on the shipped bank of SmolLM2 (V = 49,152), over reading its whole rows once.

Rules whose needs the bank does not know, such as laws of tuning contexts, are left out and named.  Parameters are some that
make sense; a rule takes the same time with others.  The acceptance of `sd` and of `greedy` is checked against NumPy.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Done, judged, shown, table
from benchmarks.harness import Peer
from benchmarks.rdk import peak_memory
from benchmarks.real.skipped import skipped
from benchmarks.real.tools import ROOF, TOLERANCE, bank_file, expected, read_once

__all__ = ["BANK", "NUMBERS", "measure", "names_of"]

BANK = "smollm2"
OURS = "simspec"
NUMBERS = {"K": "32", "RESOLUTION": "100", "COUNT": "8", "THRESHOLD": "0.1", "BETA": "0.1", "DELTA": "0.09"}
"""Parameters of rules by their names; all others are 1/2."""


def names_of(known: Any) -> tuple[list[str], list[str]]:
    """Rules of one token with parameters, and those that need what is not known of the pairs.

    >>> from simspec.methods.known import Known
    >>> names, without_facts = names_of(Known())
    >>> "ears:0.1" in names, "sqs:32,100" in names, "rdk" in without_facts
    (True, True, True)
    """
    from simspec.methods.registry import kinds

    facts = {name for name, value in known._asdict().items() if value is not None}
    names = []
    without_facts = []
    for kind in kinds("token"):
        if not facts.issuperset(kind.needs):
            without_facts.append(kind.name)
            continue
        numbers = ",".join(NUMBERS.get(number, "0.5") for number in kind.numbers)
        names.append(f"{kind.name}:{numbers}" if numbers else kind.name)
    return names, without_facts


def measure(quick: bool, seed: int, repeats: int) -> Done:
    """Time all rules together beside reading once, with the peak memory; skipped where the bank is not installed."""
    from simspec.logits.bank import is_installed, not_installed

    if quick:
        with bank_file(8, 500, seed) as path:
            return _measured(path, repeats)
    if not is_installed(BANK):
        return skipped(f"rates of all rules of one token, bank {BANK}", not_installed(BANK))
    return _measured(BANK, repeats)


def _measured(source: Path | str, repeats: int) -> Done:
    """The case of one bank, by its file or its name."""
    from simspec.logits.bank import open_bank
    from simspec.tools.kinds import ALL
    from simspec.tools.reading import load

    bank = open_bank(source)
    names, without_facts = names_of(load(source, kind=ALL).known)
    peers = [
        Peer(OURS, partial(_bound, names), (1,)),
        Peer(ROOF, lambda path, threads: partial(read_once, path), (1,), checked=False),
    ]
    title = f"rates, {len(names)} rules of one token, {bank.contexts} contexts, V = {bank.vocab:,}, bank {bank.name}"
    with shown(title, harness.steps(peers, repeats) + 2) as tick:
        right = np.array([expected(source, "rates"), expected(source, "trees")])
        tick("reference")
        results = harness.compare(peers, source, right, TOLERANCE, repeats, tick)
        memory = {OURS: peak_memory(peers[0].bind(source, 1))}
        tick("memory")
    result_table = table(title, results, OURS, ROOF)
    result_table.columns[-1].header = "to reading"
    result_table.caption += f"\npeak memory: {memory[OURS] / 2**20:.0f} MiB"
    result_table.caption += (
        f"\nleft out, as the bank does not know what they need: {', '.join(without_facts) or 'none'}"
    )
    return judged({"rules": names, "left out": without_facts, "memory": memory}, results, result_table)


def _bound(names: list[str], source: Path | str, threads: int) -> harness.Call:
    def call() -> NDArray[np.float64]:
        from simspec.tools.kinds import ALL
        from simspec.tools.rates import rates
        from simspec.tools.reading import load

        acceptance = {row.rule: row.values["acceptance"] for row in rates(load(source, kind=ALL), names)}
        estimates = [interval.estimate for name in ("sd", "greedy") if (interval := acceptance[name]) is not None]
        return np.array(estimates)

    return call
