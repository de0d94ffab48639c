"""Recorded laws of heads from files, places in code and arrays, checked at the door.

The arrays are described in `load_heads`.  What is not here: what is measured (`simspec.tools.heads.compute`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.html.escaping import escaped
from simspec.laws import Array, tv
from simspec.laws.arrays import as_array
from simspec.logits.plain import is_bank, tensor_places
from simspec.tools.reading import Placed, placed, read_arrays, side

__all__ = ["Heads", "holds_heads", "load_heads"]

SAME_LAW = 0.01
"""Total variation up to which two records of a law are the same, as in `simspec.tools.drafters.load`."""
EXAMPLE = "np.savez('heads.npz', p=p, heads=heads)"


class Heads(NamedTuple):
    """Laws of target and heads at the positions of blocks, and what else was recorded.

    Attributes
    ----------
    p : (n, γ, V) of the target, after the text's own tokens
    q : (n, γ, V) of the heads
    document : (n,) labels
    source : where they come from
    tokens : (n, γ) the text's own token at each position, or None
    after : (n, V, V) the target's laws of the second position after each first token, or None
    """

    p: Array
    q: Array
    document: Array
    source: str
    tokens: Array | None = None
    after: Array | None = None


def holds_heads(source: object) -> bool:
    """Whether a file, a mapping or a place in code holds an array ``heads``; a file of arrays is not read for it.

    Code is executed for it: hand on what `simspec.tools.reading.placed` returns, so that it is executed once.

    >>> holds_heads({"p": [], "heads": []}), holds_heads("wiki")
    (True, False)
    """
    source = placed(source)
    if isinstance(source, Placed):
        return holds_heads(source.content)
    if not isinstance(source, (str, Path)):
        return isinstance(source, Mapping) and "heads" in source
    path = Path(source)
    if path.suffix == ".safetensors" and path.is_file():
        return not is_bank(path) and "heads" in tensor_places(path)
    if path.suffix == ".npz" and path.is_file():
        return "heads" in _npz_names(path)
    return False


def _npz_names(path: Path) -> list[str]:
    """Names of the arrays of an archive; none of one that is damaged, which its reader will say."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            return [name.removesuffix(".npy") for name in archive.namelist()]
    except zipfile.BadZipFile:
        return []


def load_heads(source: str | Path | Mapping[str, Any] | Placed, temperature: float = 1) -> Heads:
    """Laws of a block drafter or of heads, with the target's.

    Parameters
    ----------
    source : an ``.npz`` or ``.safetensors`` file, a mapping, or ``FILE.py:NAME`` of a mapping or of a function that returns it:

        ``heads`` (n, γ, V)
            row t, position i: the law of head i of a block drafted at context t.  A head that reads the drafts before it is
            recorded after the text's own tokens in their place, as the target is.
        ``p``
            the target's laws after the text's own tokens, (n, γ, V) or (n, γ + 1, V) by block, or (n + γ - 1, V) or (n + γ, V)
            along one text in which a block is drafted at each of the first n positions.  ``target`` in place of ``p``: logits
            of both arrays.
        ``tokens``, optional
            the text's own tokens where ``p`` is: (n, γ), (n, γ + 1), or (n + γ - 1,), (n + γ,).  Only of a text that the target
            drew itself: what is computed of them holds for such texts.
        ``after`` (n, V, V), optional
            the target's laws of the second position after each first token; laws, for small vocabularies.  Only beside heads
            that see no drafted token.
        ``document`` (n,), optional
            equal for blocks of one document; by default each row is one, and rows along one text are one document.
    temperature : number >= 0, of target and heads; needs logits

    Raises
    ------
    ValueError
        for arrays that are missing, no laws, or of shapes that do not fit; tokens outside the vocabulary; laws `after` that
        disagree with `p` after the text's own token; a temperature other than 1 for laws.

    >>> text = np.array([[0.5, 0.5], [0.75, 0.25], [1.0, 0.0]])
    >>> heads = load_heads({"p": text, "heads": np.full((2, 2, 2), 0.5)})
    >>> heads.p[:, 1].tolist(), heads.document.tolist()
    ([[0.75, 0.25], [1.0, 0.0]], [0, 0])
    """
    arrays = read_arrays(source, "heads")
    label = "arrays at hand" if isinstance(source, Mapping) else Path(str(source)).name
    if arrays is None or "heads" not in arrays:
        content = "a bank" if arrays is None else ", ".join(sorted(map(str, arrays))) or "nothing"
        raise ValueError(f"{escaped(label)}: holds {escaped(content)}; expected p (or target) and heads: {EXAMPLE}")
    names = ("target", "heads") if "target" in arrays else ("p", "heads")
    if names[0] not in arrays:
        raise ValueError(
            f"{escaped(label)}: heads without p (distributions) or target (logits); expected both: {EXAMPLE}"
        )
    raw = {name: as_array(arrays[name], name) for name in names}
    if raw["heads"].ndim != 3 or 0 in raw["heads"].shape:
        raise ValueError(
            f"heads: shape {raw['heads'].shape}; expected (blocks, positions, V); one head is heads[:, None, :]"
        )
    q = _laws(raw["heads"], "heads", names, temperature, label)
    target = _laws(raw[names[0]], names[0], names, temperature, label)
    p = _blocks(target, q.shape, names[0])
    document = _documents(arrays, q.shape[0], is_one_text=target.ndim == 2)
    tokens = _tokens(np.asarray(arrays["tokens"]), target.shape, q.shape) if "tokens" in arrays else None
    after = _after(arrays["after"], p, tokens) if "after" in arrays else None
    return Heads(p, q, document, label, tokens, after)


def _laws(raw: Array, name: str, names: tuple[str, str], temperature: float, source: str) -> Array:
    """Laws of one array in its own shape, of laws or of logits."""
    if names[0] == "target":
        if (raw >= 0).all() and np.allclose(raw.sum(axis=-1), 1, atol=1e-3):
            raise ValueError(
                f"{name}: rows sum to 1, so they are distributions; expected logits in target and heads, or distributions "
                "in p and heads"
            )
        return side({name: raw}, ("-", name), temperature, source).reshape(raw.shape)
    if raw.dtype != object and raw.size and raw.min() < 0:
        raise ValueError(
            f"{name}: holds {raw.min():g}, as logits do; expected distributions in p and heads, or logits in target and heads"
        )
    return side({name: raw}, (name, "-"), temperature, source).reshape(raw.shape)


def _blocks(target: Array, shape: tuple[int, ...], name: str) -> Array:
    """The target's laws by block, from those of a text or of blocks; the law of the token after a block is not needed."""
    blocks, gamma, vocab = shape
    expected = (
        f"expected ({blocks}, {gamma}, {vocab}) or ({blocks}, {gamma + 1}, {vocab}) by block, or "
        f"({blocks + gamma - 1}, {vocab}) or ({blocks + gamma}, {vocab}) along one text, for heads {tuple(shape)}"
    )
    if target.shape[-1] != vocab:
        raise ValueError(f"{name}: distributions over {target.shape[-1]} tokens, heads over {vocab}; {expected}")
    if target.ndim == 3 and target.shape[:2] in ((blocks, gamma), (blocks, gamma + 1)):
        return target[:, :gamma]
    if target.ndim == 2 and len(target) in (blocks + gamma - 1, blocks + gamma):
        windows = np.lib.stride_tricks.sliding_window_view(target, gamma, axis=0)[:blocks]
        return np.moveaxis(windows, -1, 1)
    raise ValueError(f"{name}: shape {target.shape}; {expected}")


def _documents(arrays: Mapping[str, Any], blocks: int, *, is_one_text: bool) -> Array:
    """Labels of the blocks' documents."""
    if "document" not in arrays:
        return np.zeros(blocks, dtype=int) if is_one_text else np.arange(blocks)
    document = np.asarray(arrays["document"])
    if document.shape != (blocks,):
        raise ValueError(f"document: shape {document.shape}; expected one entry for each of {blocks} blocks")
    if is_one_text and len(np.unique(document)) > 1:
        raise ValueError(
            "document: names several documents where p is one text; expected p (blocks, positions, V), so that no block "
            "runs into the next document"
        )
    return document


def _tokens(tokens: Array, target: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """The text's own token at each position of each block."""
    blocks, gamma, vocab = shape
    if tokens.dtype.kind not in "iu" or tokens.shape != target[:-1]:
        raise ValueError(
            f"tokens: {tokens.dtype}, shape {tokens.shape}; expected integers of shape {target[:-1]}, the text's own token "
            "where p has its law"
        )
    if not ((tokens >= 0) & (tokens < vocab)).all():
        wrong = tokens[(tokens < 0) | (tokens >= vocab)][0]
        raise ValueError(f"tokens: holds {wrong}; expected tokens from 0 to {vocab - 1}")
    if tokens.ndim == 2:
        return tokens[:, :gamma].astype(np.int64)
    return np.lib.stride_tricks.sliding_window_view(tokens, gamma)[:blocks].astype(np.int64)


def _after(raw: Any, p: Array, tokens: Array | None) -> Array:
    """The target's laws of the second position after each first token, compared with `p` where the first token is known."""
    blocks, gamma, vocab = p.shape
    array = as_array(raw, "after")
    if array.shape != (blocks, vocab, vocab) or gamma < 2:
        raise ValueError(
            f"after: shape {array.shape}; expected ({blocks}, {vocab}, {vocab}), the law of the second position after each "
            "first token, and two heads or more"
        )
    after = side({"after": array}, ("after", "-"), 1, "after").reshape(array.shape)
    if tokens is not None:
        own = after[np.arange(blocks), tokens[:, 0]]
        distances = np.asarray(tv(own, p[:, 1]), dtype=np.float64)
        row = int(distances.argmax())
        if distances[row] > SAME_LAW:
            raise ValueError(
                f"after: after the text's own token {tokens[row, 0]} at block {row} its law differs from that of p by a "
                f"total variation of {distances[row]:.3g}; expected the same law (after[block, first token, second token])"
            )
    return after
