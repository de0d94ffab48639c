"""A model on this machine as the reference: a folder that Transformers reads, or a GGUF file."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    takes = OPTION_NAMES

    def __init__(self, path: Path, option: str = "--reference") -> None:
        """Load tokenizer and model, from files of this machine only."""
        from simspec.logits.capture.weights import reason_of, weights_of

        torch, transformers = needs("a model on this machine", "torch", "transformers")
        if not path.exists():
            raise EndpointError(
                f"{option}: {path} does not exist; expected a URL, a folder of a model"
                f"{', a .gguf file or self' if option == '--reference' else ' or a .gguf file'}"
            )
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
        self._model = model.eval()
        self._lock = threading.Lock()  # one forward pass at a time: they share the processors
        self.model = path.name
        self.url = str(path)

    def tokens_of(self, text: str) -> tuple[int, ...]:
        """Token ids of a text."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def answers(self, question: Question) -> list[Answer]:
        """Refused: this reference scores only."""
        raise EndpointError("--reference: a model on this machine scores texts only; expected a URL for answers")

    def score(self, prompt: Sequence[int], tokens: Sequence[int], top: int, is_alone: bool = False) -> list[TopRow]:
        """The most likely tokens at each place, from one pass over the text, or from a pass for each prefix."""
        if is_alone:
            return [self._rows((*prompt, *tokens[:place]), 1, top)[0] for place in range(len(tokens))]
        return self._rows((*prompt, *tokens[:-1]), len(tokens), top)

    def _rows(self, text: tuple[int, ...], length: int, top: int) -> list[TopRow]:
        """The most likely tokens after each of the last `length` prefixes of a text."""
        torch = self._torch
        with self._lock, torch.inference_mode():
            logits = self._model(torch.tensor([text])).logits[0, len(text) - length :]
            values, places = torch.log_softmax(logits.double(), dim=-1).topk(top, dim=-1)
        return [
            top_row([*zip(row, logprobs, strict=True)], top)
            for row, logprobs in zip(places.tolist(), values.tolist(), strict=True)
        ]

    def without_drafts(self, prompt: tuple[int, ...]) -> Engine:
        """Not possible: always an EndpointError."""
        raise always_drafts(self)

    def counters(self) -> dict[str, float]:
        """None are kept."""
        return {}

    def curl(self, question: Question) -> str:
        """Nothing to paste: no server is asked."""
        return ""
