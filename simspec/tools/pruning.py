"""Measures pruned drafters on the shipped banks: the rows on which `rdk.real-pruning` is decided.

python -m simspec.tools.pruning simspec/studies/rdk/data/pruning.npz
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simspec.claims.deciding.data import Data
from simspec.claims.rdk.real import computed_pruning
from simspec.engine.row_values import gather
from simspec.engine.study import Study
from simspec.logits.bank import open_bank
from simspec.studies.rdk.pruning_recorded import save_pruning
from simspec.version import __version__

__all__ = ["main", "measure"]


def measure(study: Study, out: Path, facts: Mapping[str, Any], seed: int = 0) -> None:
    """Compute every cell of a study and write its rows, with what is to be known of them."""

    def show(count: int, total: int) -> None:
        print(f"cells: {count} of {total}", file=sys.stderr, flush=True)

    results = gather(study, seed, progress=show)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    versions = {"simspec": __version__, "numpy": np.__version__}
    save_pruning(results, {**facts, "seed": seed, "date": date, "versions": versions}, out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the shipped banks: some twelve minutes on one processor."""
    parser = argparse.ArgumentParser(prog="python -m simspec.tools.pruning", description=__doc__)
    parser.add_argument("out", type=Path, help="file that is written")
    options = parser.parse_args(arguments)
    data = Data(effort="deep")
    digests = {name: open_bank(name).file.metadata["header_checksum"] for name in ("smollm2", "wiki")}
    measure(computed_pruning(data), options.out, {"banks": digests})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
