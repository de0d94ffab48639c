"""Banks from arrays that are there already: a target's and a draft's logits, or laws, over the same contexts.

What is not here: running models (`simspec.logits.capture`) and recordings of a target alone (`simspec.logits.capture.recorded`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory
from simspec.laws import check_law, check_mask
from simspec.logits.bank import Bank, open_bank
from simspec.logits.bank.contents import check_map
from simspec.logits.bank.storage import STORAGE, Contexts, Part, Rows, check_out, store_rows, write_bank
from simspec.logits.capture.align import draft_to_target, token_bytes
from simspec.logits.capture.models import NEVER, file_digest
from simspec.logits.capture.passes import progress_bars
from simspec.logits.capture.recorded import check_logits, read_vocab
from simspec.logits.names import refuse_logits, usual_names
from simspec.logits.ondisk import OnDisk, arrays_on_disk

__all__ = ["capture_pair", "pair_bank"]

INDEX = {"last": -1, "following": -1, "position": 0}
"""Facts of the contexts that may be given, and what stands where they are not known."""
PART = 1 << 22
"""Entries of logits that are converted at a time: 32 MiB in 64 bits."""
CONVERTING = 24
"""Bytes that an entry of a part takes with what is computed of it."""
ROUND = 8
"""Logits are often wider than the vocabulary, up to a multiple of this: what is beyond the vocabulary has no text."""
FIRST = 16
"""Rows by which laws are told from logits."""
PAIRS = ("target", "draft", "p", "q")
Stored = OnDisk | NDArray[Any]
"""An array in memory, or one of which rows are read from a file."""
KNOWN = ("target", "draft", "p", "q", "draft_to_target", "draft_first", "shared", "document", *INDEX)


def pair_bank(
    arrays: Mapping[str, Any],
    out: str | Path,
    *,
    tokens: Sequence[str] | None = None,
    draft_tokens: Sequence[str] | None = None,
    name: str | None = None,
    storage: str = "float16",
    about: Mapping[str, Any] | None = None,
    files: Sequence[Path] = (),
    progress: bool = False,
) -> Bank:
    r"""Write a bank of a target and a draft whose logits or laws are at hand, and open it.

    Parameters
    ----------
    arrays : mapping
        ``target`` (n, V) and ``draft`` (n, Vd), logits in nats; or ``p`` and ``q``, laws.  Row i of both is context i.
        Each vocabulary keeps its own order.  Of these, those that apply:

        - ``draft_to_target`` (Vd,): target token of each draft token, -1 for none, each target token at most once;
        - ``draft_first`` (Vd,): target token with which the text of each draft token begins, -1 for none; SLEM and SLRS need
          it;
        - ``shared``, boolean (V,): for one numbering of both, which tokens the draft has;
        - ``document`` (n,): equal for contexts of one document, over which intervals are taken (default: each its own);
        - ``last``, ``following`` (n,): last token of the context and true next token, target tokens, -1 where unknown;
        - ``position`` (n,): index of the last token in its text.
    out : path
        the bank; it appears whole or not at all.
    tokens, draft_tokens : sequences of str, optional
        token strings by id, as each tokenizer spells them.  With both, and neither map nor mask, tokens that stand for
        the same bytes are shared (:func:`simspec.logits.capture.align.draft_to_target`).
    storage : {"float16", "float32"}
    about : mapping, optional
        more for the provenance: models, licence, note, date, command.
    files : sequence of paths
        that the arrays are from; their names and checksums are in the provenance.
    progress : bool
        whether stderr is told what converting takes, and how far it is.

    Returns
    -------
    Bank
        for `simspec.verify(bank=...)`, `simspec rates`, and every study that takes a bank.

    Raises
    ------
    ValueError
        for arrays that are missing, unknown, of unequal numbers of contexts, without a finite largest logit in a row,
        or no laws; for maps out of range or with duplicates; for an empty shared vocabulary.

    Examples
    --------
    Two contexts; the draft's two tokens are the target's tokens 2 and 0:

    >>> import tempfile
    >>> p, q = [[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]], [[0.5, 0.5], [0.75, 0.25]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     arrays = {"p": p, "q": q, "draft_to_target": [2, 0]}
    ...     bank = pair_bank(arrays, f"{folder}/own.safetensors", storage="float32")
    ...     bank.shared.tolist(), bank.draft().round(4).tolist() == np.log([[1, 1], [1, 1 / 3]], dtype="f4").round(4).tolist()
    ([True, False, True], True)
    """
    if storage not in STORAGE:
        raise ValueError(f"storage: {storage!r}; expected 'float16' or 'float32'")
    check_out(out)
    plain = {key: value if isinstance(value, OnDisk) else np.asarray(value) for key, value in arrays.items()}
    inputs = _in_rows(usual_names(plain))
    first, second = _names(inputs)
    facts = {name: x[:] if isinstance(x, OnDisk) else x for name, x in inputs.items() if name not in PAIRS}
    entries = sum(math.prod(inputs[name].shape) for name in (first, second))
    check_memory("arrays", first, CONVERTING * min(entries, PART))
    target = _checked(inputs[first], first)
    draft = _checked(inputs[second], second)
    if first == "target":
        _refuse_laws(target, draft)
    if len(target) != len(draft):
        raise ValueError(f"{second}: {len(draft)} contexts where {first} has {len(target)}; expected the same")
    strings = (_strings(tokens, "tokens", target.shape[1]), _strings(draft_tokens, "draft_tokens", draft.shape[1]))
    table = _table(facts, (target.shape[1], draft.shape[1]), strings)
    same = np.array_equal(table, np.arange(target.shape[1]))
    title = name or Path(out).name.removesuffix(".safetensors")
    contexts = _contexts(facts, len(target), target.shape[1], title)
    models = {role: {"name": f"{title}, {role}"} for role in ("target", "draft")}
    if progress:
        print(_takes(target, draft, storage), file=sys.stderr, flush=True)
    with (
        TemporaryDirectory(dir=Path(out).absolute().parent, prefix=".rows-") as folder,
        progress_bars(progress) as advance,
    ):
        texts = {"texts": _checksums(files, advance("checksums", len(files)))} if files else {}
        target_rows, theirs = (
            _stored(rows, name, np.dtype(storage), Path(folder), advance(name, len(rows)))
            for rows, name in ((target, first), (draft, second))
        )
        written = advance("writing", 1)
        write_bank(
            out,
            name=title,
            evaluation=Part(target_rows, theirs, contexts),
            tokens=_spelled(strings[0], target.shape[1]),
            draft_vocab=None if same else (_spelled(strings[1], draft.shape[1]), table),
            draft_first=_first(facts.get("draft_first"), (target.shape[1], draft.shape[1])),
            provenance={"models": models, **texts, **(about or {})},
        )
        written(1)
        del target_rows, theirs  # which are read from files in the folder
    return open_bank(Path(out))


def capture_pair(
    pair: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    vocab: str | Path | None = None,
    draft_vocab: str | Path | None = None,
    name: str | None = None,
    storage: str = "float16",
    about: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Bank:
    """The same from files: an ``.npz`` or ``.safetensors`` with the arrays, or two ``.npy``, the target's logits and the draft's.

    Vocabularies are ``.json``, each token string to its id.  With `progress`, stderr is told beforehand what it takes, and then
    how far it is.

    Raises
    ------
    ValueError
        for files that are missing or malformed, and as `pair_bank` does.
    """
    check_out(out)
    files_of_pair = [pair] if isinstance(pair, (str, Path)) else list(pair)
    arrays = _arrays(files_of_pair)
    strings = [
        None if path is None else read_vocab(path, key)
        for key, path in (("vocab", vocab), ("draft_vocab", draft_vocab))
    ]
    return pair_bank(
        arrays,
        out,
        tokens=strings[0],
        draft_tokens=strings[1],
        name=name,
        storage=storage,
        about=about,
        files=[Path(path) for path in (*files_of_pair, vocab, draft_vocab) if path is not None],
        progress=progress,
    )


def _checksums(files: Sequence[Path], step: Callable[[int], None]) -> list[dict[str, str]]:
    """Name and SHA-256 of each file; `step` is told of each."""
    records = []
    for path in files:
        records.append({"file": path.name, "sha256": file_digest(path)})
        step(1)
    return records


def _takes(target: Stored, draft: Stored, storage: str) -> str:
    """What converting takes: contexts, the size of the file, the disk that is needed while it is made, memory."""
    entries = math.prod(target.shape) + math.prod(draft.shape)
    size = entries * np.dtype(storage).itemsize / 1e9
    in_memory = sum(x.nbytes for x in (target, draft) if not isinstance(x, OnDisk))
    memory = (in_memory + CONVERTING * min(entries, PART)) / 1e9
    return (
        f"{len(target):,} contexts: a file of {size:.2g} GB, {2 * size:.2g} GB of disk while it is made, "
        f"{memory:.2g} GB of memory"
    )


def _arrays(files: Sequence[str | Path]) -> Mapping[str, Stored]:
    """Arrays of one file, or of two with one array each: the target's and the draft's."""
    is_single = [Path(file).suffix == ".npy" for file in files]
    if len(files) == 1 and not is_single[0]:
        return arrays_on_disk(files[0], "pair")
    if len(files) != 2 or not all(is_single):
        raise ValueError(
            f"pair: {' '.join(map(repr, map(str, files)))}; expected one .npz or .safetensors file, or two .npy files: the "
            "logits of the target and those of the draft"
        )
    arrays: dict[str, Stored] = {}
    for name, file in zip(("target", "draft"), files, strict=True):
        (arrays[name],) = arrays_on_disk(file, "pair").values()
    return arrays


def _names(inputs: Mapping[str, Stored]) -> tuple[str, str]:
    unknown = sorted(set(inputs) - set(KNOWN))
    if unknown:
        raise ValueError(f"arrays: {', '.join(map(repr, unknown))}; expected some of {', '.join(KNOWN)}")
    pairs = [pair for pair in (("target", "draft"), ("p", "q")) if set(pair) & set(inputs)]
    if len(pairs) != 1 or not set(pairs[0]) <= set(inputs):
        raise ValueError(
            f"arrays: {', '.join(inputs) or 'none'}; expected target and draft (logits), or p and q (laws), of both models"
        )
    return pairs[0]


def _in_rows(inputs: Mapping[str, Stored]) -> dict[str, Stored]:
    """Arrays (documents, positions, V) as rows, with the document and the position of each where they are not given."""
    arrays = dict(inputs)
    for name in PAIRS:
        x = arrays.get(name)
        if x is None or x.ndim != 3:
            continue
        documents, positions = x.shape[:2]
        arrays[name] = x.flattened() if isinstance(x, OnDisk) else x.reshape(-1, x.shape[-1])
        arrays.setdefault("document", np.repeat(np.arange(documents), positions))
        arrays.setdefault("position", np.tile(np.arange(positions), documents))
    return arrays


def _checked(x: Stored, name: str) -> Stored:
    """Rows of real numbers; whole numbers in memory as floats."""
    if not isinstance(x, OnDisk):
        return check_logits(x, name)
    check_logits(np.empty((min(1, len(x)), *x.shape[1:]), x.dtype), name)
    return x


def _refuse_laws(target: Stored, draft: Stored) -> None:
    """Refuse laws under the names of logits, by the first rows: their softmax would be taken, which is nearly uniform."""
    firsts = [np.asarray(rows[:FIRST], dtype=np.float64) for rows in (target, draft)]
    if all((rows >= 0).all() and np.allclose(rows.sum(axis=-1), 1, atol=1e-3) for rows in firsts):
        raise ValueError("target, draft: the rows sum to 1, so they are laws; expected logits, or the names p and q")


def _stored(x: Stored, name: str, dtype: np.dtype[Any], folder: Path, step: Callable[[int], None]) -> Rows:
    """Rows as a bank stores them, a few at a time; what is stored goes to a file in a folder, and is read from there.

    `step` is told how many more rows are done.
    """
    count, vocab = x.shape
    at_once = max(1, PART // vocab)
    path = folder / name
    shifts = []
    errors = []
    with path.open("wb") as file:
        for at in range(0, count, at_once):
            rows = store_rows(_logits(np.asarray(x[at : at + at_once]), name, at), dtype)
            file.write(rows.stored.data)
            shifts.append(rows.shift)
            errors.append(rows.error)
            step(len(rows.error))
    stored = np.memmap(path, dtype, "r", shape=(count, vocab))
    return Rows(np.asarray(stored), np.concatenate(shifts), np.concatenate(errors))


def _logits(x: NDArray[Any], name: str, first: int = 0) -> NDArray[Any]:
    """Finite logits of given logits or laws; row `first` of all is the first of these."""
    x = check_logits(x, name)
    if np.isnan(x).any():
        row = first + int(np.argmax(np.isnan(x).any(axis=-1)))
        raise ValueError(f"{name}: row {row} holds nan; expected numbers")
    if name in ("p", "q"):
        refuse_logits(x, name, first)
        with np.errstate(divide="ignore"):
            x = np.log(check_law(x.astype(np.float64), name))
    largest = x.max(axis=-1, keepdims=True)
    if not np.isfinite(largest).all():
        row = int(np.argmin(np.isfinite(largest[:, 0])))
        raise ValueError(
            f"{name}: the largest logit of row {first + row} is {largest[row, 0]}; expected a finite number"
        )
    return np.where(np.isneginf(x), largest.astype(np.float64) - NEVER, x)


def _strings(tokens: Sequence[str] | None, name: str, size: int) -> list[str] | None:
    if tokens is None:
        return None
    is_padded = size % ROUND == 0 and len(tokens) < size
    fits = len(tokens) == size or is_padded
    if isinstance(tokens, str) or not fits or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"{name}: {len(tokens)} entries; expected a string for each of {size} tokens")
    return [*tokens, *[""] * (size - len(tokens))]


def _spelled(strings: list[str] | None, size: int) -> list[bytes]:
    """Bytes of each token; a token without a string is called by its id."""
    return [f"<{token}>".encode() for token in range(size)] if strings is None else token_bytes(strings)


def _table(
    inputs: Mapping[str, NDArray[Any]], sizes: tuple[int, int], strings: tuple[list[str] | None, list[str] | None]
) -> NDArray[np.int32]:
    """Target token of each draft token."""
    vocab, draft = sizes
    if "draft_to_target" in inputs:
        table = inputs["draft_to_target"]
        if "shared" in inputs:
            raise ValueError("shared: stands beside draft_to_target; expected one of them")
        if table.shape != (draft,):
            raise ValueError(f"draft_to_target: shape {table.shape}; expected a target token for each of {draft}")
        return check_map(table, vocab)
    if "shared" in inputs:
        if vocab != draft:
            raise ValueError(
                f"shared: the draft has {draft} tokens, the target {vocab}; expected draft_to_target instead"
            )
        return np.where(check_mask(inputs["shared"], vocab), np.arange(vocab), -1).astype(np.int32)
    if strings[0] is not None and strings[1] is not None:
        return check_map(draft_to_target(strings[0], strings[1]), vocab)
    if vocab != draft:
        raise ValueError(
            f"draft: {draft} tokens where the target has {vocab}; expected draft_to_target, or the strings of both vocabularies, "
            "padded or not: --vocab JSON and --draft-vocab JSON (of pair_bank tokens and draft_tokens)"
        )
    return np.arange(vocab, dtype=np.int32)


def _first(first: NDArray[Any] | None, sizes: tuple[int, int]) -> NDArray[np.int32] | None:
    """Target token with which the text of each draft token begins, or an error; None where it was not given."""
    if first is None:
        return None
    vocab, draft = sizes
    if first.shape != (draft,) or first.dtype.kind not in "iu":
        raise ValueError(
            f"draft_first: {first.dtype} of shape {first.shape}; expected a target token for each of {draft}"
        )
    outside = np.flatnonzero((first < -1) | (first >= vocab))
    if len(outside) or (first < 0).all():
        example = f"sends draft token {outside[0]} to {first[outside[0]]}" if len(outside) else "reads no draft token"
        raise ValueError(f"draft_first: {example}; expected target tokens below {vocab}, or -1 for some")
    return first.astype(np.int32)


def _contexts(inputs: Mapping[str, NDArray[Any]], count: int, vocab: int, corpus: str) -> Contexts:
    """Check the index arrays that were passed and return them, with defaults for the others."""
    facts = {key: inputs.get(key, np.full(count, otherwise, dtype=np.int32)) for key, otherwise in INDEX.items()}
    for key, values in facts.items():
        limit = 2**31 if key == "position" else vocab
        if values.shape != (count,) or values.dtype.kind not in "iu":
            raise ValueError(f"{key}: {values.dtype} of shape {values.shape}; expected an integer for each of {count}")
        bad = (values < INDEX[key]) | (values >= limit)
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(f"{key}: context {row} has {values[row]}; expected {INDEX[key]} to {limit - 1}")
    document = inputs.get("document", np.arange(count))
    if document.shape != (count,) or document.dtype.kind not in "iuUS":
        raise ValueError(
            f"document: {document.dtype} of shape {document.shape}; expected a number or name for each of {count}"
        )
    # documents may have names: they become numbers from 0, in sorted order
    numbers = np.unique(document, return_inverse=True)[1]
    index_arrays = {key: values.astype(np.int32) for key, values in facts.items()}
    return Contexts(**index_arrays, document=numbers.astype(np.int32), corpus=np.full(count, corpus))
