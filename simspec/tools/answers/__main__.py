"""Measures EARS on a model that answers tasks with known answers, and writes what was found.

python -m simspec.tools.answers smollm2 quantised:3 quantised:4 --out answers.npz
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from simspec.logits.capture.drafts import named_draft
from simspec.logits.capture.models import load_model
from simspec.studies.ears.answers import save_answers
from simspec.tools.answers.measuring import Settings, measure

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure TARGET with each DRAFT; numbers of tasks and answers may be given."""
    parser = argparse.ArgumentParser(prog="python -m simspec.tools.answers", description=__doc__)
    parser.add_argument("target", help="a model for chat: a name, a folder or a GGUF file")
    parser.add_argument("drafts", nargs="+", help="others with the same tokens, or quantised:3, layers:20, …")
    parser.add_argument(
        "--out", type=Path, required=True, help="file that is written; parts that are done are kept beside it"
    )
    parser.add_argument("--tasks", type=int, default=Settings.tasks, help="of each kind")
    parser.add_argument("--repeats", type=int, default=Settings.repeats, help="answers to each task by each rule")
    parser.add_argument("--temperature", type=float, default=Settings.temperature)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    given = parser.parse_args(arguments)
    target = load_model(given.target, "target")
    drafts = [named_draft(name, target) for name in given.drafts]
    settings = Settings(tasks=given.tasks, repeats=given.repeats, temperature=given.temperature, seed=given.seed)
    answers = measure(target, drafts, given.out, settings, say=lambda line: print(line, file=sys.stderr, flush=True))
    save_answers(answers, given.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
