"""Hugging Face causal language models, as far as capture needs them (extra `capture`: torch and transformers)."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.logits.capture.align import token_bytes

__all__ = ["LanguageModel", "file_digest", "load_model"]


@dataclass(frozen=True)
class LanguageModel:
    """A causal model and its tokenizer, loaded by :func:`load_model`."""

    model: Any
    tokenizer: Any
    device: str
    vocab: int
    """width of the logits; ids beyond the tokenizer's (padding of the matrix) are special tokens without text"""
    limit: int | None
    """longest input, tokens"""
    prefix: list[int]
    """tokens that the tokenizer puts before a text"""
    strings: list[str]
    special: NDArray[np.bool_]
    roles: dict[str, int]
    """ids of the begin-of-text and end-of-text tokens, ``{"bos": 1, "eos": 2}``, those there are"""
    facts: dict[str, str]
    """name, and digest of the weights or revision"""

    def encode(self, text: str) -> list[int]:
        """Token ids of a text; control tokens spelled out in it are read as text."""
        ids = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return list(ids["input_ids"])

    def token_bytes(self) -> list[bytes]:
        """Bytes of each token; special tokens by their name."""
        return token_bytes(self.strings)

    def read_on(self, ids: Any, cache: Any = None) -> tuple[Any, Any]:
        """What the model makes of tokens (1, n) after those of a cache, and the cache with them.

        Parameters
        ----------
        ids : tensor of token ids (1, n), on the model's device
        cache : what the last call returned; None: nothing was read so far

        Returns
        -------
        The logits, a tensor (1, n, V), and the cache: an argument that transformers calls ``cache`` since 5.24, and
        ``past_key_values`` before.
        """
        output = self.model(input_ids=ids, use_cache=True, **{self._cache: cache})
        return output.logits, getattr(output, self._cache)

    @cached_property
    def _cache(self) -> str:
        return "cache" if "cache" in inspect.signature(self.model.forward).parameters else "past_key_values"

    def logits(self, inputs: list[list[int]], positions: list[NDArray[np.int64]]) -> NDArray[np.float32]:
        """Raw float32 logits (n, V) after each of the `positions` of each input, in order.

        Inputs are padded on the right, which a causal model cannot see.
        """
        import torch

        longest = max(map(len, inputs))
        ids = torch.zeros((len(inputs), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for i, sequence in enumerate(inputs):
            ids[i, : len(sequence)] = torch.tensor(sequence)
            mask[i, : len(sequence)] = 1
        row = torch.tensor(np.repeat(np.arange(len(inputs)), [len(p) for p in positions]))
        with torch.inference_mode():
            output = self.model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device), use_cache=False)
            picked = output.logits[row.to(self.device), torch.tensor(np.concatenate(positions)).to(self.device)]
        return picked.float().cpu().numpy()


def load_model(name: str | LanguageModel, role: str, device: str = "auto") -> LanguageModel:
    """Load a model by Hugging Face id or local folder, in float32; one that is loaded already is returned as it is.

    Parameters
    ----------
    name : str, or the model itself
    role : str
        "target" or "draft", for messages.
    device : {"auto", "cpu", "cuda"}

    Raises
    ------
    ValueError
        without the extra `capture`, for an unknown device, or where the model cannot be loaded.
    """
    if isinstance(name, LanguageModel):
        return name
    torch, transformers = needs(f"{role}: loading models", "torch", "transformers")
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device: {device!r}; expected 'auto', 'cpu' or 'cuda'")
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: 'cuda', but PyTorch sees no GPU; expected 'cpu' or 'auto' here")
    resolved_device = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ValueError(
            f"{role}: {name!r} cannot be loaded ({reason}); expected a model folder or Hugging Face id"
        ) from None
    model = model.to(resolved_device).eval()
    vocab = int(model.get_output_embeddings().weight.shape[0])
    token_ids = tokenizer.get_vocab()
    if max(token_ids.values()) >= vocab:
        raise ValueError(
            f"{role}: {name!r} has {vocab} logits for token ids up to {max(token_ids.values())}; expected one each"
        )
    strings = [""] * vocab
    special = np.ones(vocab, dtype=bool)
    for token, i in token_ids.items():
        strings[i] = token
        special[i] = i in tokenizer.all_special_ids
    roles = {"bos": tokenizer.bos_token_id, "eos": tokenizer.eos_token_id}
    first_token = tokenizer("a")["input_ids"][0]
    return LanguageModel(
        model=model,
        tokenizer=tokenizer,
        device=resolved_device,
        vocab=vocab,
        limit=getattr(model.config, "max_position_embeddings", None),
        prefix=[first_token] if first_token == tokenizer.bos_token_id else [],
        strings=strings,
        special=special,
        roles={role: i for role, i in roles.items() if i is not None},
        facts=_facts(name, model),
    )


def _facts(name: str, model: Any) -> dict[str, str]:
    folder = Path(name)
    if not folder.is_dir():
        return {"name": name, "revision": str(getattr(model.config, "_commit_hash", None))}
    weights = sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin")])
    return {"name": folder.resolve().name} | {f"sha256 of {file.name}": file_digest(file) for file in weights}


def file_digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
