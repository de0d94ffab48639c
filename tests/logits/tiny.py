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


TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Chat template of `chat`, as many models have it."""


def chat(folder: Path, seed: int = 0, layers: int = 3, scale: float = 0.3, template: str | None = TEMPLATE) -> str:
    """Save a byte-level Llama of a few layers and 256 positions, with a tied head and a chat template."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    _one_thread()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(text(50, 40), vocab_size=300, special_tokens=special, show_progress=False)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer, bos_token="<|im_start|>", eos_token="<|im_end|>", unk_token=special[0]
    )
    fast.chat_template = template
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=layers, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=256, initializer_range=scale, tie_word_embeddings=True,
        bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def gguf(model: str, file: Path) -> str:
    """Write a model that `chat` has saved as a GGUF file in 32 bits, the way llama.cpp's converter does."""
    import json

    from gguf import GGUFWriter, TokenType
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(model)
    config = network.config
    tokenizer = json.loads(Path(model, "tokenizer.json").read_text(encoding="utf-8"))
    tokens = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].__getitem__)
    special = {entry["content"] for entry in tokenizer["added_tokens"]}
    writer = GGUFWriter(file, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)
    names = {
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    }  # fmt: skip
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, tensor in network.state_dict().items():
        weight = tensor.numpy()
        place = name.removesuffix(".weight").removeprefix("model.")
        if place.startswith("layers."):
            _, number, module = place.split(".", 2)
            short = names[module]
            if short in heads:  # llama.cpp turns pairs of neighbours, transformers the two halves of a head
                half = weight.reshape(heads[short], 2, -1, weight.shape[1])
                weight = half.swapaxes(1, 2).reshape(weight.shape)
            writer.add_tensor(f"blk.{number}.{short}.weight", np.ascontiguousarray(weight))
        elif place in ("embed_tokens", "norm"):
            writer.add_tensor({"embed_tokens": "token_embd", "norm": "output_norm"}[place] + ".weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return str(file)
