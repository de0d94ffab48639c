"""Lets a chat model write outputs to the inputs of tasks, and writes them with all that TASC's claims are decided on.

Texts of the corpora are not written: words of inputs and tokens of expected outputs stand under labels drawn at random, and
prompts in pieces, with fillers for what the outputs do not hold.

python -m simspec.tools.task_outputs smollm2 CORPORA --out outputs.npz
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from simspec.logits.capture.models import load_model
from simspec.logits.capture.smollm2 import NAME, TITLE
from simspec.studies.tasc.outputs import save_outputs
from simspec.tools.task_outputs.measuring import Settings, measure
from simspec.tools.task_outputs.redacting import redacted

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Let TARGET answer the tasks of the folder CORPORA; 2 and a line on stderr for bad input."""
    parser = argparse.ArgumentParser(prog="python -m simspec.tools.task_outputs", description=__doc__)
    parser.add_argument("target", help="a model for chat: a name, a folder or a GGUF file")
    parser.add_argument("corpora", type=Path, help="folder with slurp/ and medquad/")
    parser.add_argument(
        "--out", type=Path, required=True, help="file that is written; batches that are done are kept beside it"
    )
    parser.add_argument("--seed", type=int, default=Settings.seed)
    options = parser.parse_args(arguments)
    target = load_model(options.target, "target")
    if options.target == NAME:
        target = replace(target, facts={**target.facts, "name": TITLE})
    try:
        outputs = measure(
            target,
            options.corpora,
            options.out,
            Settings(seed=options.seed),
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
    except ValueError as error:
        print(f"simspec: error: {error}", file=sys.stderr)
        return 2
    save_outputs(redacted(outputs), options.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
