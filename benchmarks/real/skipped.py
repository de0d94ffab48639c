"""A case that cannot be timed here, for want of a model, a library or a bank: said in a sentence, and recorded as skipped."""

from __future__ import annotations

from benchmarks.cases import Done, as_json, tabulated
from benchmarks.harness import Result

__all__ = ["missing_model", "skipped"]


def skipped(title: str, reason: str) -> Done:
    """A case without times, and why.

    >>> skipped("capture", "SmolLM2 is not here; run `make smollm2`").about["results"][0]["status"]
    'skipped: SmolLM2 is not here; run `make smollm2`'
    """
    results = [Result("simspec", f"skipped: {reason}")]
    return Done(
        {"results": [as_json(result) for result in results]}, tabulated(title, "", (), results, lambda r: ()), True
    )


def missing_model() -> str | None:
    """What is missing of PyTorch, transformers, the GGUF reader and SmolLM2, and what brings it; None for nothing."""
    from importlib.util import find_spec

    from simspec.logits.capture.smollm2 import is_there

    missing = [name for name in ("torch", "transformers", "gguf") if find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)} missing; install the extra `capture`"
    return None if is_there() else "SmolLM2 is not on this machine; run `make smollm2`"
