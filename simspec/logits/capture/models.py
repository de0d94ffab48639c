"""Hugging Face causal language models, as far as capture needs them (extra `capture`: torch and transformers)."""

from __future__ import annotations

import hashlib
import inspect
import io
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import nearest, needs
from simspec.logits.capture.align import token_bytes
from simspec.logits.capture.weights import EXPECTED, Weights, check_folder, check_gguf, reason_of, weights_of

__all__ = ["NEVER", "LanguageModel", "file_digest", "load_model"]


NEVER = 1e5
"""How far below the largest logit a token without mass is put: exp(-1e5) is 0 in every arithmetic."""


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
    bits: float = 16.0
    """bits of a weight as the model is stored: what an engine reads of it for every token; 0 of a table of counts"""
    token_mask: NDArray[np.bool_] | None = None
    """tokens that the head keeps, (V,); None for all"""

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
        output = self.model(input_ids=ids, use_cache=True, **{self.cache_argument: cache})
        return self.without_pruned(output.logits), getattr(output, self.cache_argument)

    def without_pruned(self, logits: Any) -> Any:
        """Logits (..., V) of the tokens that the head keeps; the others get no mass."""
        if self.token_mask is None:
            return logits
        import torch

        mask = torch.from_numpy(self.token_mask).to(logits.device)
        low = logits.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True) - NEVER
        return torch.where(mask, logits, low)

    @cached_property
    def cache_argument(self) -> str:
        """The name that the model gives its cache."""
        return "cache" if "cache" in inspect.signature(self.model.forward).parameters else "past_key_values"

    @cached_property
    def is_told_positions(self) -> bool:
        """Whether the model can be told at which positions its logits are wanted: its head is not run at the others."""
        return "logits_to_keep" in inspect.signature(self.model.forward).parameters

    def logits(self, inputs: list[list[int]], positions: list[NDArray[np.int64]]) -> NDArray[np.float32]:
        """Raw float32 logits (n, V) after each of the `positions` of each input, in order.

        Inputs are padded on the right, which a causal model cannot see.  The head runs only at positions that are wanted of some
        input, where the model can be told so.
        """
        import torch

        longest = max(map(len, inputs))
        ids = torch.zeros((len(inputs), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for i, sequence in enumerate(inputs):
            ids[i, : len(sequence)] = torch.tensor(sequence)
            mask[i, : len(sequence)] = 1
        row = torch.tensor(np.repeat(np.arange(len(inputs)), [len(p) for p in positions]))
        wanted = np.concatenate(positions)
        places = {}
        if self.is_told_positions:
            kept, wanted = np.unique(wanted, return_inverse=True)
            places = {"logits_to_keep": torch.tensor(kept).to(self.device)}
        with torch.inference_mode():
            output = self.model(
                input_ids=ids.to(self.device), attention_mask=mask.to(self.device), use_cache=False, **places
            )
            picked = output.logits[row.to(self.device), torch.tensor(wanted).to(self.device)]
        return self.without_pruned(picked.float()).cpu().numpy()


def load_model(name: str | LanguageModel, role: str, device: str = "auto") -> LanguageModel:
    """Load a model in float32 by Hugging Face id, local folder or GGUF file; one that is loaded already is returned as it is.

    Parameters
    ----------
    name : str, or the model itself
        of a GGUF file its path, or the folder that holds it alone.
    role : str
        "target" or "draft", for messages.
    device : {"auto", "cpu", "cuda"}

    Raises
    ------
    ValueError
        without the extra `capture`, for an unknown device, or where the model cannot be loaded, with the reason.
    """
    if isinstance(name, LanguageModel):
        return name
    if not name:
        raise ValueError(f"{role}: no name; expected {EXPECTED}")
    weights = weights_of(name, role)
    torch, transformers = needs(f"{role}: loading models", "torch", "transformers")
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device: {device!r}; expected 'auto', 'cpu' or 'cuda'")
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: 'cuda', but PyTorch sees no GPU; expected 'cpu' or 'auto' here")
    resolved_device = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    bits = None if weights.file is None else check_gguf(weights.file, role)
    if bits is None:
        check_folder(Path(weights.place), role)
    try:
        tokenizer, model = _read(weights, torch, transformers)
        model = model.to(resolved_device).eval()
    except Exception as error:  # whatever the readers of many formats raise is a reason to name
        # imported here, so that `python -m` finds the module not loaded yet
        from simspec.logits.capture.smollm2 import NAME

        near = nearest(name, [NAME])
        raise ValueError(f"{role}: {name!r} cannot be loaded ({reason_of(error)}){near}; expected {EXPECTED}") from None
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
        facts=_facts(name, weights, model),
        bits=_stored_bits(weights, model) if bits is None else bits,
    )


def _read(weights: Weights, torch: Any, transformers: Any) -> tuple[Any, Any]:
    """Tokenizer and model of some weights, in float32, without progress bars of transformers' own."""
    bars = transformers.utils.logging
    has_bars = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    # the bar of the GGUF reader is not one of those that can be switched off; it writes to stderr
    quiet = nullcontext() if weights.gguf is None else redirect_stderr(io.StringIO())
    try:
        with quiet:
            return _loaded(weights, torch, transformers)
    finally:
        if has_bars:
            bars.enable_progress_bar()


def _loaded(weights: Weights, torch: Any, transformers: Any) -> tuple[Any, Any]:
    """Tokenizer and model, as transformers loads them."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(weights.place, **weights.arguments)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(
        weights.place, dtype=torch.float32, **weights.arguments
    )
    # the weights of such a file are plain floats now: transformers forgets that they were read from blocks
    if weights.gguf is not None:
        model.hf_quantizer = None
        model.is_quantized = False
        vars(model.config).pop("quantization_config", None)
    return tokenizer, model


def _stored_bits(weights: Weights, model: Any) -> float:
    """Bits of a weight in the files of a folder; 16, as most models are published, of what is loaded by its id."""
    folder = Path(weights.place)
    if not folder.is_dir():
        return 16.0
    files = [*folder.glob("*.safetensors")] or [*folder.glob("*.bin")]
    stored = sum(file.stat().st_size for file in files)
    count = sum(parameter.numel() for parameter in model.parameters())
    return 16.0 if not stored or not count else float(min(32, max(1, round(8 * stored / count))))


def _facts(name: str, weights: Weights, model: Any) -> dict[str, str]:
    """What the bank says of a model: its name, and the digest of its weights, or the revision of its id."""
    if weights.file is not None:
        return {"name": weights.file.name, f"sha256 of {weights.file.name}": file_digest(weights.file)}
    folder = Path(name)
    if not folder.is_dir():
        return {"name": name, "revision": str(getattr(model.config, "_commit_hash", None))}
    files = sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin")])
    return {"name": folder.resolve().name} | {f"sha256 of {file.name}": file_digest(file) for file in files}


def file_digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
