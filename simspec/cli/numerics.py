"""`simspec numerics`: whether two arrays of logits differ by rounding, and how large rounding is on a model."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from simspec.cli.output import put

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "first",
        metavar="A.npy|MODEL",
        help="logits (..., vocab) of a model; or the model itself (folder, GGUF file or Hugging Face id), which is computed in "
        "three number formats and three shapes",
    )
    p.add_argument(
        "second", type=Path, nargs="?", metavar="B.npy", help="logits of the same prefixes, computed in another way"
    )
    p.add_argument(
        "--temperature", type=float, default=1.0, metavar="T", help="of two arrays: temperature of the laws (default 1)"
    )
    p.add_argument(
        "--rounding",
        type=float,
        metavar="EPS",
        help="of two arrays: largest difference that rounding explains, as `simspec numerics MODEL` measures it; a row with a "
        "larger difference is a fault",
    )
    p.add_argument(
        "--prompts",
        type=Path,
        metavar="FILE",
        help="of a model: texts that it continues, one a line (default: those that ship)",
    )
    p.add_argument("--length", type=int, default=64, metavar="N", help="of a model: tokens a text (default 64)")
    p.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="of a model: where it runs")
    p.add_argument("--save", type=Path, metavar="FILE.npz", help="of a model: keep the differences at every position")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all numbers as JSON (- prints them)")


def run(args: argparse.Namespace) -> int:
    """Compare, and say how far apart; 1 where rows differ by more than the stated rounding."""
    if args.second is None:
        return _of_model(args)
    from simspec.tools.numerics import numerics, read_logits

    result = numerics(read_logits(Path(args.first)), read_logits(args.second), args.temperature, args.rounding)
    is_printed = args.json is not None and put(json.dumps(result.plain(), indent=1) + "\n", args.json)
    if not is_printed:
        print(result.words())
    return 1 if result.verdict == "fault" else 0


def _of_model(args: argparse.Namespace) -> int:
    """Measure a model's own rounding."""
    from simspec.audit.endpoint.prompts import prompts_of
    from simspec.logits.capture.models import load_model
    from simspec.logits.capture.passes import progress_bars
    from simspec.studies.numerics.measurement import FORMATS, save_measurement
    from simspec.tools.numerics import measured_numerics
    from simspec.tools.numerics.show import plain, summary

    if args.first.endswith(".npy"):
        raise ValueError(f"second: missing; expected the array to compare {args.first!r} with")
    if args.rounding is not None:
        raise ValueError("--rounding: expected with two arrays; of a model, rounding is what is measured")
    if args.length < 1:
        raise ValueError(f"--length: {args.length}; expected at least 1 token")
    if args.save is not None and args.save.suffix != ".npz":
        raise ValueError(f"--save: {str(args.save)!r}; expected a name that ends in .npz")
    prompts = prompts_of(args.prompts)
    with progress_bars(is_visible=True, transient=True) as advance:
        loading = advance("loading the model", 1)
        model = load_model(args.first, "model", args.device)
        loading(1)
        step = advance("texts in each number format", len(prompts) * (len(FORMATS) + 1))
        measurement = measured_numerics(model, prompts, args.length, step=step)
    if args.save is not None:
        save_measurement(measurement, args.save)
    is_printed = args.json is not None and put(json.dumps(plain(measurement), indent=1) + "\n", args.json)
    if not is_printed:
        print(summary(measurement))
    return 0
