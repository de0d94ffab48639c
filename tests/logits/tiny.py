"""Random-weight language models small enough for a test: a byte-level GPT-2, a SentencePiece Llama, and a text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORDS = "the a cat dog sat ran on mat with café naïve 12 and of it is — was to in red blue far away home".split()


def text(documents: int, words: int, seed: int = 0) -> list[str]:
    """Documents of random words."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, words)) + "." for _ in range(documents)]


def _one_thread() -> None:
    """Keep torch to one thread: for matrices as small as these, threads wait for each other longer than they work."""
    import torch

    torch.set_num_threads(1)


def gpt2(folder: Path, seed: int = 0, scale: float = 1.0, padding: int = 0) -> str:
    """Save a byte-level GPT-2 of 48 positions; the embedding may be wider than the tokenizer, as is common."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    _one_thread()
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(text(50, 40), vocab_size=300, special_tokens=["<|endoftext|>"], show_progress=False)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, eos_token="<|endoftext|>")
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(fast) + padding, n_positions=48, n_embd=16, n_layer=1, n_head=2, initializer_range=scale,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def llama(folder: Path, seed: int = 0) -> str:
    """Save a SentencePiece-like Llama with byte tokens and a begin-of-text token, of 256 positions."""
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers, processors
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    _one_thread()
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *"abcdefhimnoqrstuw.é"]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("▁", "a"), ("a", "t"), ("▁", "c"), ("▁c", "at"), ("r", "e")]
    vocab = {piece: i for i, piece in enumerate([*pieces, *("".join(pair) for pair in merges)])}
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    fast.backend_tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocab), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=256, initializer_range=1.0,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)
