"""A model on this machine as the reference: a folder that Transformers reads, or a GGUF file."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simspec.audit.endpoint.exchange import without_scheme
from simspec.audit.endpoint.records import (
    OPTION_NAMES,
    Answer,
    EndpointError,
    Engine,
    Question,
    TopRow,
    always_drafts,
    top_row,
)
from simspec.checks import needs
from simspec.html.escaping import escaped

__all__ = ["LocalModel"]


class LocalModel:
    """A causal language model of Transformers, which scores texts and gives no answers of its own.

    Parameters
    ----------
    path : Path; a folder, or a file that ends in .gguf
    option : str; the option that names it, for errors

    Raises
    ------
    EndpointError
        where Transformers cannot read it.
    """

    name = "Transformers"
    allows_copies = False
    penalises_prompt = False
    marks_drafts = False
    takes_ids = True
    is_local = True
    takes = OPTION_NAMES
    processes = frozenset({"temperature", "top_k", "top_p", "min_p"})  # Transformers has no penalty of these names

    def __init__(self, path: Path, option: str = "--reference") -> None:
        """Load tokenizer and model, from files of this machine only."""
        from simspec.logits.capture.weights import reason_of, weights_of

        if not path.exists():
            url = without_scheme(str(path))
            raise EndpointError(
                f"{option}: {path} does not exist; expected a URL, a folder of a model"
                f"{', a .gguf file, self or off' if option == '--reference' else ' or a .gguf file'}"
                f"{f': write {url}' if url else ''}"
            )
        torch, transformers = needs("a model on this machine", "torch", "transformers")
        try:
            weights = weights_of(str(path), option)
            arguments: dict[str, Any] = {"local_files_only": True, **weights.arguments}
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(weights.place, **arguments)
            model = transformers.AutoModelForCausalLM.from_pretrained(weights.place, dtype=torch.float32, **arguments)
        except (OSError, ValueError, KeyError) as error:
            raise EndpointError(
                f"{option}: {path}: {escaped(reason_of(error))}; expected a causal language model that Transformers reads"
            ) from None
        self._torch = torch
        self._transformers = transformers
        self._model = model.eval()
        self._lock = threading.Lock()  # one forward pass at a time: they share the processors
        self.model = path.name
        self.url = str(path)

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def text_of(self, tokens: Sequence[int]) -> str | None:
        """The text of token ids, without special tokens."""
        return str(self._tokenizer.decode([*tokens], skip_special_tokens=True))

    def answers(self, question: Question) -> list[Answer]:
        """Refused: this reference scores only."""
        raise EndpointError("--reference: a model on this machine scores texts only; expected a URL for answers")

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place, from one pass over the text, or from a pass for each prefix."""
        if is_alone:
            return [self._rows((*prompt, *tokens[:place]), 1, top)[0] for place in range(len(tokens))]
        return self._rows((*prompt, *tokens[:-1]), len(tokens), top)

    def processed(
        self, prompt: Sequence[int], tokens: Sequence[int], top: int, options: Mapping[str, float]
    ) -> list[TopRow]:
        """The law under options by Transformers' own processors, in the order of its `generate`."""
        processors = self._transformers.LogitsProcessorList()
        for name, processor in (
            ("temperature", "TemperatureLogitsWarper"),
            ("top_k", "TopKLogitsWarper"),
            ("top_p", "TopPLogitsWarper"),
            ("min_p", "MinPLogitsWarper"),
        ):
            if name in options:
                value = int(options[name]) if name == "top_k" else float(options[name])
                processors.append(getattr(self._transformers, processor)(value))
        return self._rows((*prompt, *tokens[:-1]), len(tokens), top, processors)

    def _rows(self, text: tuple[int, ...], length: int, top: int, processors: Any = None) -> list[TopRow]:
        """The most likely tokens after each of the last `length` prefixes of a text, those that processors leave."""
        torch = self._torch
        with self._lock, torch.inference_mode():
            logits = self._model(torch.tensor([text])).logits[0, len(text) - length :].double()
            if processors is not None:
                logits = processors(None, logits)  # none of them reads the text
            logprobs = torch.log_softmax(logits, dim=-1)
            values, places = logprobs.topk(min(top, logprobs.shape[-1]) if processors is not None else top, dim=-1)
        rows = []
        for row, row_values in zip(places.tolist(), values.tolist(), strict=True):
            pairs = [pair for pair in zip(row, row_values, strict=True) if pair[1] > -math.inf]
            rows.append(top_row(pairs, top if processors is None else len(pairs)))
        return rows

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """Not possible: always an EndpointError."""
        raise always_drafts(self)

    def counters(self) -> dict[str, float]:
        """None are kept."""
        return {}

    def curl(self, question: Question) -> str:
        """Nothing to paste: no server is asked."""
        return ""
