r"""Drafts that are made from the target itself: fewer bits, fewer layers, fewer tokens, or counts of texts.

A specification in place of a draft's name says how; the network is shared with the target wherever it is not changed.  What
such a draft costs is counted, in bytes of weights read for a token, and not timed: models run here in float32, whatever
their bits.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import nearest
from simspec.logits.capture.models import LanguageModel, load_model
from simspec.logits.capture.ngrams import NGrams
from simspec.logits.capture.weights import layers_stated, weights_of

__all__ = [
    "DraftSpec",
    "bytes_read",
    "check_names",
    "counted_cost",
    "kept_tokens",
    "make_draft",
    "named_draft",
    "parse_draft",
    "round_groups",
]

GROUP = 32
"""Weights that share a scale and an offset."""
MOST_BITS = 8
MOST_TOKENS = 5
"""Longest n-gram."""
OVERHEAD = 32 / GROUP
"""Bits a weight of the scale and the offset of its group, two 16-bit numbers."""
USAGES = {
    "quantised": "quantised:B",
    "layers": "layers:N",
    "pruned": "pruned:SHARE:frequency",
    "ngram": "ngram:N",
}
"""Kinds of drafts that are made of the target, and how each is written."""


class DraftSpec(NamedTuple):
    """How a draft is made of its target: the kind and its number, and the text that it was read from."""

    kind: str
    number: float
    text: str

    @property
    def needs_texts(self) -> bool:
        """Whether tokens of texts are counted."""
        return self.kind in ("pruned", "ngram")


def parse_draft(text: str) -> DraftSpec | None:
    """A specification of a draft, or None for what names a model.

    Parameters
    ----------
    text : ``quantised:B`` (weights rounded to B bits in groups of 32), ``layers:N`` (the first N layers, final norm and
        head), ``pruned:SHARE:frequency`` (the head keeps this share of the vocabulary, the most frequent tokens) or
        ``ngram:N`` (counts of sequences of up to N tokens)

    Raises
    ------
    ValueError
        for a number out of range or none, with one that is in range; and for a kind that is spelt nearly like a known one,
        unless a file has this name.

    Examples
    --------
    >>> parse_draft("quantised:3"), parse_draft("gpt2")
    (DraftSpec(kind='quantised', number=3.0, text='quantised:3'), None)
    >>> parse_draft("quantised:0")
    Traceback (most recent call last):
    ...
    ValueError: draft: 'quantised:0'; expected a whole number of bits from 1 to 8, as in quantised:4
    >>> parse_draft("layer:22")
    Traceback (most recent call last):
    ...
    ValueError: draft: 'layer:22', the nearest is layers; expected a model, or one of quantised:B, layers:N,
    pruned:SHARE:frequency, ngram:N
    """
    kind, colon, rest = text.partition(":")
    if not colon:
        return None
    if kind == "quantised":
        return DraftSpec(kind, _whole(text, rest, MOST_BITS, "a whole number of bits", "quantised:4"), text)
    if kind == "layers":
        return DraftSpec(kind, _whole(text, rest, None, "a whole number of layers", "layers:12"), text)
    if kind == "ngram":
        return DraftSpec(kind, _whole(text, rest, MOST_TOKENS, "a whole number of tokens", "ngram:3"), text)
    if kind == "pruned":
        share, _, order = rest.partition(":")
        number = _number(share)
        if number is None or not 0 < number <= 1:
            expected = "a share of the vocabulary above 0, at most 1, as in pruned:0.25:frequency"
            raise ValueError(f"draft: {text!r}; expected {expected}")
        if order != "frequency":
            raise ValueError(f"draft: {text!r}; expected frequency after the share, as in pruned:{share}:frequency")
        return DraftSpec(kind, number, text)
    near = nearest(kind.lower(), USAGES)
    if near and not Path(text).exists():
        raise ValueError(f"draft: {text!r}{near}; expected a model, or one of {', '.join(USAGES.values())}")
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _whole(text: str, digits: str, limit: int | None, unit: str, example: str) -> float:
    """A whole number from 1 to `limit`."""
    number = int(digits) if digits.isdecimal() and len(digits) < 9 else 0
    if number < 1 or (limit is not None and number > limit):
        span = "of at least 1" if limit is None else f"from 1 to {limit}"
        raise ValueError(f"draft: {text!r}; expected {unit} {span}, as in {example}")
    return float(number)


def check_names(target: str | LanguageModel, draft: str | LanguageModel | None) -> None:
    """Refuse what can be refused of a pair by its names, before the target is loaded, which may take minutes.

    Raises
    ------
    ValueError
        for files and folders that are not there or hold no model, as `simspec.logits.capture.weights.weights_of` does, for
        specifications that are none, and for more layers than the folder of the target states.

    Examples
    --------
    >>> check_names("gpt2", "./nowhere")
    Traceback (most recent call last):
    ...
    ValueError: draft: './nowhere': no such file or folder; expected a Hugging Face id, a model folder, a .gguf file or a folder
    with one
    """
    target_weights = weights_of(target, "target") if isinstance(target, str) and target else None
    if not isinstance(draft, str) or not draft:
        return
    spec = parse_draft(draft)
    if spec is None:
        weights_of(draft, "draft")
        return
    layers = layers_stated(target_weights) if target_weights is not None and spec.kind == "layers" else None
    if layers is not None:
        _check_layers(spec, layers)


def named_draft(name: str, target: LanguageModel) -> LanguageModel:
    """The draft that a name means: one made of the target, as `parse_draft` says, or another model."""
    spec = parse_draft(name)
    return make_draft(spec, target) if spec else load_model(name, "draft")


def make_draft(spec: DraftSpec, target: LanguageModel, texts: Sequence[Sequence[int]] | None = None) -> LanguageModel:
    """The draft that a specification makes of a target.

    Parameters
    ----------
    spec : from `parse_draft`
    target : LanguageModel
    texts : token ids of texts in which tokens are counted; none of them one that the draft is measured on

    Raises
    ------
    ValueError
        for more layers than the target has, and without texts where tokens are counted.
    """
    counted: list[Sequence[int]] = []
    if spec.needs_texts:
        counted = [ids for ids in texts or [] if len(ids)]
        if not counted:
            raise ValueError(
                f"draft: {spec.text!r} counts tokens in texts, and there are none; expected --statistics-text FILE with texts "
                "of the same kind"
            )
    makers = {"quantised": _quantised, "layers": _layers, "pruned": _pruned, "ngram": _ngram}
    draft = makers[spec.kind](target, spec, counted)
    facts = {**target.facts, "name": f"{target.facts['name']}, {spec.text}"}
    if counted:
        digest = blake2b(digest_size=16)
        for ids in counted:
            digest.update(np.array([len(ids), *ids], dtype="<i8").tobytes())
        facts["counted in"] = f"{len(counted)} texts, {digest.hexdigest()}"
    return replace(draft, facts=facts)


def round_groups(weights: NDArray[np.float32], bits: int, group: int = GROUP) -> NDArray[np.float32]:
    r"""Weights rounded to :math:`2^b` evenly spaced values from the least to the largest of each group along the last axis.

    Parameters
    ----------
    weights : float array of any shape; a last group may be shorter
    bits : b >= 1
    group : weights that share their least and largest value, stored in 16 bits each

    Examples
    --------
    >>> round_groups(np.array([[0.0, 0.9, 2.1, 3.0]], dtype=np.float32), 2, group=4).tolist()
    [[0.0, 1.0, 2.0, 3.0]]
    >>> round_groups(np.array([[0.0, 0.9, 2.1, 3.0]], dtype=np.float32), 1, group=2).tolist()
    [[0.0, 0.89990234375, 2.099609375, 3.0]]
    """
    length = weights.shape[-1]
    padding = -length % group
    # a shorter last group repeats its last weight, which changes neither end of its range
    padded = np.concatenate([weights, np.repeat(weights[..., -1:], padding, axis=-1)], axis=-1)
    grouped = padded.reshape(*weights.shape[:-1], -1, group)
    low = grouped.min(axis=-1, keepdims=True).astype(np.float16).astype(np.float32)
    high = grouped.max(axis=-1, keepdims=True).astype(np.float16).astype(np.float32)
    step = (high - low) / (2**bits - 1)
    safe = np.where(step > 0, step, 1)
    levels = np.clip(np.rint((grouped - low) / safe), 0, 2**bits - 1)
    return (low + levels * step).reshape(padded.shape)[..., :length].astype(np.float32)


def _copied(network: Any) -> Any:
    """A network of its own that shares every tensor with another one."""
    tensors = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})


def _quantised(target: LanguageModel, spec: DraftSpec, texts: list[Sequence[int]]) -> LanguageModel:
    """Every matrix rounded, the embedding and the head included; norms and biases stay."""
    import torch

    network = _copied(target.model)
    rounded: dict[int, Any] = {}
    for module in network.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is None or parameter.ndim < 2:
                continue
            if id(parameter) not in rounded:  # a head that is tied to the embedding stays so
                values = round_groups(parameter.detach().float().cpu().numpy(), int(spec.number))
                tensor = torch.from_numpy(values).to(parameter.device, parameter.dtype)
                rounded[id(parameter)] = torch.nn.Parameter(tensor, requires_grad=False)
            module._parameters[name] = rounded[id(parameter)]
    return replace(target, model=network, bits=spec.number + OVERHEAD)


def _check_layers(spec: DraftSpec, total: int) -> None:
    """Refuse as many layers as the target has, or more."""
    if spec.kind != "layers" or spec.number < total:
        return
    cure = (
        f"expected 1 to {total - 1}, as in layers:{max(1, 2 * total // 3)}" if total > 1 else "expected another draft"
    )
    raise ValueError(f"draft: {spec.text!r}; the target has {total} layer{'s' if total > 1 else ''}: {cure}")


def _layers(target: LanguageModel, spec: DraftSpec, texts: list[Sequence[int]]) -> LanguageModel:
    """The first layers, then the final norm and the head."""
    import torch

    total = int(target.model.config.num_hidden_layers)
    _check_layers(spec, total)
    count = int(spec.number)
    network = _copied(target.model)
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.ModuleList) and len(child) == total:
                setattr(module, name, torch.nn.ModuleList(list(child)[:count]))
    network.config.num_hidden_layers = count
    kinds = getattr(network.config, "layer_types", None)
    if kinds is not None:
        network.config.layer_types = kinds[:count]
    return replace(target, model=network)


def kept_tokens(counts: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    """Mask of the most frequent tokens, this share of all and one at least; of equally frequent ones the lower ids.

    >>> kept_tokens(np.array([1, 5, 0, 5]), 0.5).tolist()
    [False, True, False, True]
    """
    order = np.argsort(-counts, kind="stable")
    mask = np.zeros(len(counts), dtype=bool)
    mask[order[: max(1, round(share * len(counts)))]] = True
    return mask


def _pruned(target: LanguageModel, spec: DraftSpec, texts: list[Sequence[int]]) -> LanguageModel:
    counts = np.bincount(np.concatenate([np.asarray(ids) for ids in texts]), minlength=target.vocab)
    return replace(target, token_mask=kept_tokens(counts, spec.number))


def _ngram(target: LanguageModel, spec: DraftSpec, texts: list[Sequence[int]]) -> LanguageModel:
    return replace(target, model=NGrams(texts, int(spec.number), target.vocab, target.device), bits=0.0)


def bytes_read(model: LanguageModel) -> float:
    r"""Bytes of weights that an engine reads for one token: all matrices but the embedding's other rows, at the stored bits.

    Of a head that keeps a share of the vocabulary that share alone; a table of counts is looked up, and counts as none.
    """
    if model.bits == 0:
        return 0.0
    head = model.model.get_output_embeddings().weight
    embedding = model.model.get_input_embeddings().weight
    sizes = {id(parameter): parameter.numel() for parameter in model.model.parameters()}
    sizes.pop(id(embedding), None)
    share = 1.0 if model.token_mask is None else float(model.token_mask.mean())
    sizes[id(head)] = share * head.numel()
    return sum(sizes.values()) * model.bits / 8


def counted_cost(draft: LanguageModel, target: LanguageModel) -> float:
    """Bytes that the draft reads for a token over those that the target reads, each at the bits that it is stored in."""
    return bytes_read(draft) / bytes_read(target)
