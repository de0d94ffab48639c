"""`capture` of SmolLM2 with a draft of four bits, over the forward passes alone of both models on the same texts.

What is timed is recording: the models run, logits of the contexts are picked, stored in 16 bits, checked and written.  Loading
the models and choosing the contexts is done once, before.  The forward passes are those that a capture needs, in the same
batches, with nothing taken from them.  A capture has the head of the models run only at positions of a batch that are kept;
the passes that do so, too, are its limit.  Texts are the tours of this repository.

What was recorded is checked: the probabilities that both models give to the true next tokens, from the bank's rows, against
those of the logits as the models gave them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import harness
from benchmarks.cases import Done, judged, shown, table
from benchmarks.harness import Peer
from benchmarks.rdk import peak_memory
from benchmarks.real.skipped import missing_model, skipped

if TYPE_CHECKING:
    from simspec.logits.bank import Bank
    from simspec.logits.capture import Prepared
    from simspec.logits.capture.models import LanguageModel

__all__ = ["AIM", "CASES", "QUICK", "Case", "forward_passes", "measure", "probabilities"]

AIM = 0.85
"""Tokens a second of a capture over those of the passes alone, at least."""
OURS = "simspec"
ROOF = "forward passes alone"
LIMIT = "passes, head where kept (limit)"
TOLERANCE = 5e-3
"""Of a probability: logits down to 64 below the largest are stored to 1/64."""
TEXTS = Path(__file__).parents[2] / "docs" / "tours"


class Case(NamedTuple):
    """Contexts, how many of them follow each other, and tokens of a window."""

    contexts: int
    neighbours: int
    window: int
    draft: str = "quantised:4"


CASES = (Case(16, 1, 128), Case(128, 32, 128))
QUICK = (Case(4, 2, 24),)


class Recorded:
    """What a capture has written, compared by the probabilities of true next tokens; they are computed when asked for."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.float64]:
        rows = (self.bank.target(), self.bank.draft())
        return np.concatenate([probabilities(logits, self.bank.index.following) for logits in rows]).astype(dtype)


def probabilities(logits: NDArray[Any], tokens: NDArray[Any]) -> NDArray[np.float64]:
    """Probability (n,) of a token by each row of logits (n, V).

    >>> probabilities(np.log([[1.0, 3.0]]), np.array([1])).tolist()
    [0.75]
    """
    from simspec.laws import softmax

    return np.take_along_axis(softmax(logits.astype(np.float64)), tokens[:, None], axis=1)[:, 0]


def forward_passes(prepared: Prepared, has_whole_head: bool = True) -> None:
    """What both models compute in a capture of prepared contexts, batch by batch; the logits are thrown away.

    The head runs at all positions, or at those of the batch that a capture keeps.
    """
    import torch

    batch = prepared.asked.batch
    for start in range(0, len(prepared.chosen), batch):
        windows = prepared.chosen[start : start + batch]
        readings = [reading for window in windows for reading in window.drafted]
        for model, inputs, positions in (
            (prepared.target, [w.target for w in windows], [w.positions for w in windows]),
            (prepared.draft, [r.tokens for r in readings], [r.positions for r in readings]),
        ):
            if model is None:
                continue
            ids, mask = _padded(inputs)
            kept = {} if has_whole_head else {"logits_to_keep": torch.tensor(np.unique(np.concatenate(positions)))}
            with torch.inference_mode():
                model.model(
                    input_ids=ids.to(model.device), attention_mask=mask.to(model.device), use_cache=False, **kept
                )


def _padded(inputs: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """Token ids of inputs of several lengths, padded on the right, and where they are."""
    import torch

    ids = torch.zeros((len(inputs), max(map(len, inputs))), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for number, tokens in enumerate(inputs):
        ids[number, : len(tokens)] = torch.tensor(tokens)
        mask[number, : len(tokens)] = 1
    return ids, mask


def measure(case: Case, seed: int, repeats: int, target: Any = "smollm2") -> Done:
    """Check and time a capture beside the passes alone, and record the peak memory of both; skipped without the model."""
    runs = f" in runs of {case.neighbours}" if case.neighbours > 1 else ""
    title = f"capture, SmolLM2 and {case.draft}, {case.contexts} contexts{runs}"
    reason = missing_model() if isinstance(target, str) else None
    if reason is not None:
        return skipped(title, reason)
    cores = harness.thread_counts()[-1:]
    peers = [
        Peer(OURS, _record, cores),
        Peer(ROOF, partial(_passes, has_whole_head=True), cores, checked=False),
        Peer(LIMIT, partial(_passes, has_whole_head=False), cores, checked=False),
    ]
    with shown(title, harness.steps(peers, repeats) + len(peers) + 1) as tick, tempfile.TemporaryDirectory() as folder:
        prepared = _prepared(case, seed, Path(folder), target)
        right = _expected(prepared)
        tick("models")
        data = (prepared, Path(folder))
        results = harness.compare(peers, data, right, TOLERANCE, repeats, tick)
        memory = {}
        for peer in peers:
            memory[peer.name] = peak_memory(peer.bind(data, cores[0]))
            tick(f"{peer.name}, memory")
    medians = harness.medians(results)
    speeds = {name: prepared.tokens / seconds for name, seconds in medians.items()}
    result_table = table(title, results, OURS, ROOF)
    result_table.columns[-1].header = "to passes"
    about = case._asdict() | {"tokens": prepared.tokens, "tokens a second": speeds, "aim": AIM, "memory": memory}
    if OURS in speeds:
        about["share"] = speeds[OURS] / speeds[ROOF]
        speed_text = ", ".join(f"{name} {speed:,.0f}" for name, speed in speeds.items())
        result_table.caption += f"\ntokens a second: {speed_text}: {about['share']:.2f} of them (aim {AIM})"
    sizes = ", ".join(f"{name} {size / 2**20:.0f} MiB" for name, size in memory.items())
    result_table.caption += f"\npeak memory beyond the loaded models: {sizes}"
    return judged(about, results, result_table)


def _prepared(case: Case, seed: int, folder: Path, target: Any) -> Prepared:
    """Models that are loaded, and contexts of the tours."""
    from simspec.logits.capture import Options, prepare
    from simspec.logits.capture.models import LanguageModel

    texts = folder / "tours.json"
    texts.write_text(json.dumps([page.read_text(encoding="utf-8") for page in sorted(TEXTS.glob("*.md"))]))
    settings = Options(
        contexts=case.contexts,
        window=case.window,
        neighbours=case.neighbours,
        seed=seed,
        device="cpu",
        batch=8,
    )
    loaded = target if isinstance(target, LanguageModel) else _loaded(target)
    return prepare(loaded, case.draft, text=[texts], settings=settings)


@cache
def _loaded(name: str) -> LanguageModel:
    """The target by its name, loaded once for all cases: that takes longer than many of the passes."""
    from simspec.logits.capture.models import load_model

    return load_model(name, "target", "cpu")


def _expected(prepared: Prepared) -> NDArray[np.float64]:
    """Probabilities of the true next tokens by logits that were never stored, one window at a time."""
    from simspec.logits.capture.windows import draft_logits

    target: list[NDArray[np.float64]] = []
    draft: list[NDArray[np.float64]] = []
    assert prepared.draft is not None
    for window in prepared.chosen:
        target.append(probabilities(prepared.target.logits([window.target], [window.positions]), window.following))
        draft.append(probabilities(draft_logits(prepared.draft, [window]), window.following))
    return np.concatenate([*target, *draft])


def _record(data: tuple[Prepared, Path], threads: int) -> harness.Call:
    from simspec.logits.capture import record

    prepared, folder = data
    out = folder / "bank.safetensors"
    return _on_threads(lambda: Recorded(record(prepared, out, progress=False)), threads)


def _passes(data: tuple[Prepared, Path], threads: int, has_whole_head: bool) -> harness.Call:
    return _on_threads(partial(forward_passes, data[0], has_whole_head), threads)


def _on_threads(call: Callable[[], Any], threads: int) -> harness.Call:
    import torch

    def limited() -> Any:
        torch.set_num_threads(threads)
        return call()

    return limited
