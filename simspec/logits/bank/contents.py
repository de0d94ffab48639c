"""What a bank must hold, checked once when it is opened: names, shapes, maps and metadata that everything else relies on.

Checksums tell that a file is as it was written; here it is told whether what was written makes sense.  Rows of logits
are not read: they are looked at when they are asked for (`simspec.logits.bank`).  A refusal names the file and the
part, what it holds, and what was expected.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import short
from simspec.files import parse_json
from simspec.logits.bank.checked import CheckedFile
from simspec.logits.bank.cut import PREFIX
from simspec.logits.bank.statistics import KINDS, OF_ANSWERS, OF_BANK, SPECTRA
from simspec.logits.bank.storage import draft_tensor

__all__ = ["check_contents", "check_map"]

_FLOATS = "f"
_INTEGERS = "iu"
_ROUNDING = 1e-9
"""How far sums of 64-bit numbers may lie outside their range."""


def check_contents(file: CheckedFile) -> None:
    """Refuse a bank whose parts are missing, of other types or shapes, or outside their ranges.

    Raises
    ------
    ValueError
        naming the file and the first part that cannot be used.

    Examples
    --------
    >>> from simspec.logits import open_bank
    >>> check_contents(open_bank("stories").file)
    """
    try:
        _check_metadata(file.metadata)
        vocab = _check_rows(file, "target", _shape(file, "target", _FLOATS, ("contexts", "V")))
        corpora = json.loads(file.metadata["corpora"])
        _check_index(file, "", file.shape("target")[0], vocab, len(corpora))
        if "tuning_target" in file:
            _check_rows(file, "tuning_target", _shape(file, "tuning_target", _FLOATS, ("contexts", vocab)))
            _check_index(file, "tuning_", file.shape("tuning_target")[0], vocab, len(corpora))
        _check_tokens(file, "vocab", vocab)
        if "draft" in file:
            _check_draft(file, vocab)
        _check_further(file, vocab)
        if "cut_tokens" in file:
            _check_cut(file, vocab, len(corpora))
        for prefix in (OF_BANK, OF_ANSWERS):
            if f"{prefix}_mean" in file:
                _check_statistics(file, vocab, prefix)
    except ValueError as fault:
        if str(fault).startswith("bank: "):  # of the file itself
            raise
        raise ValueError(f"bank: {file.path.name}: {fault}") from None


def check_map(table: NDArray[Any], vocab: int, name: str = "draft_to_target") -> NDArray[np.int32]:
    """A map from draft tokens to target tokens: each target token at most once, -1 for none, and one token shared.

    Raises
    ------
    ValueError
        naming the first draft token that is sent outside the vocabulary or where another one is sent.

    Examples
    --------
    >>> check_map(np.array([2, -1, 0]), vocab=3).tolist()
    [2, -1, 0]
    >>> check_map(np.array([2, 2, 0]), vocab=3)
    Traceback (most recent call last):
    ...
    ValueError: draft_to_target: sends draft tokens 0 and 1 to target token 2; expected each target token at most once
    """
    if table.ndim != 1 or table.dtype.kind not in _INTEGERS:
        raise ValueError(f"{name}: {table.dtype} of shape {table.shape}; expected one integer for each draft token")
    outside = np.flatnonzero((table < -1) | (table >= vocab))
    if len(outside):
        token = int(outside[0])
        raise ValueError(
            f"{name}: sends draft token {token} to {table[token]}; expected a target token below {vocab}, or -1"
        )
    shared = np.flatnonzero(table >= 0)
    if not len(shared):
        raise ValueError(
            f"{name}: sends no draft token to a target token; expected a shared vocabulary that is not empty"
        )
    order = shared[np.argsort(table[shared], kind="stable")]
    twice = np.flatnonzero(table[order][1:] == table[order][:-1])
    if len(twice):
        first_token, two = sorted(order[twice[0] : twice[0] + 2].tolist())
        raise ValueError(
            f"{name}: sends draft tokens {first_token} and {two} to target token {table[first_token]}; "
            "expected each target token at most once"
        )
    return table.astype(np.int32)


# --- metadata ---------------------------------------------------------------------------------------------------------


def _check_metadata(metadata: Mapping[str, str]) -> None:
    """Refuse metadata that `simspec capture` would not write; name the key, the value and what was expected."""
    for key in ("name", "corpora", "storage_tv", "provenance"):
        if key not in metadata:
            raise ValueError(f"{key}: missing in the metadata; expected what simspec capture writes")
    if not metadata["name"]:
        raise ValueError("name: ''; expected a name")
    corpora = _parsed(metadata, "corpora", list)
    if not all(isinstance(name, str) for name in corpora):
        raise ValueError(f"corpora: {short(corpora)}; expected a list of names")
    errors = _parsed(metadata, "storage_tv", dict)
    if "target" not in errors:
        raise ValueError(f"storage_tv: {short(errors)}; expected an entry 'target'")
    for name, entry in errors.items():
        if not isinstance(entry, dict) or not all(_is_tv(entry.get(key)) for key in ("max", "mean")):
            raise ValueError(f"storage_tv: {name!r} is {short(entry)}; expected 'max' and 'mean' between 0 and 1")
    _check_provenance(_parsed(metadata, "provenance", dict))


def _check_provenance(provenance: Mapping[str, Any]) -> None:
    models = provenance.get("models")
    if not isinstance(models, dict) or "target" not in models:
        raise ValueError(f"provenance: 'models' is {short(models)}; expected an entry 'target' with a name")
    for role, model in models.items():
        if not isinstance(model, dict) or not isinstance(model.get("name"), str):
            raise ValueError(f"provenance: model {role!r} is {short(model)}; expected an entry with a 'name'")
    texts = provenance.get("texts", [])
    if not isinstance(texts, list) or not all(isinstance(t, dict) and isinstance(t.get("file"), str) for t in texts):
        raise ValueError(f"provenance: 'texts' is {short(texts)}; expected a list of entries with a 'file'")
    documents = provenance.get("documents", {})
    if not isinstance(documents, dict) or not all(_is_counts(counts) for counts in documents.values()):
        raise ValueError(f"provenance: 'documents' is {short(documents)}; expected numbers of documents by corpus")


def _parsed(metadata: Mapping[str, str], key: str, kind: type) -> Any:
    try:
        value = parse_json(metadata[key])
    except ValueError:
        raise ValueError(f"{key}: {short(metadata[key])}; expected JSON") from None
    if not isinstance(value, kind):
        raise ValueError(f"{key}: {short(value)}; expected a JSON {'object' if kind is dict else 'list'}")
    return value


def _is_tv(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(type(n) is int and n >= 0 for n in value.values())


# --- tensors ----------------------------------------------------------------------------------------------------------


def _shape(file: CheckedFile, name: str, kinds: str, expected: tuple[int | str, ...]) -> tuple[int, ...]:
    """Shape of a tensor that must be there; sizes given by a word are free, but at least 1."""
    if name not in file:
        raise ValueError(f"{name}: missing; expected what simspec capture writes")
    shape = file.shape(name)
    dtype = file.dtype(name)
    fits = len(shape) == len(expected) and all(
        size >= 1 if isinstance(required, str) else size == required
        for size, required in zip(shape, expected, strict=True)
    )
    if dtype.kind not in kinds or not fits:
        kind = "numbers" if kinds == _FLOATS else "integers"
        hint = " with at least one of each" if any(isinstance(size, str) for size in expected) else ""
        required = ", ".join(map(str, expected)) + ("," if len(expected) == 1 else "")
        raise ValueError(f"{name}: {dtype} of shape {shape}; expected {kind} of shape ({required}){hint}")
    return shape


def _check_rows(file: CheckedFile, name: str, shape: tuple[int, ...]) -> int:
    """The shifts that belong to rows of logits; returns the number of tokens."""
    _shape(file, f"{name}_shift", _FLOATS, (shape[0],))
    shift = file.read(f"{name}_shift")
    if not np.isfinite(shift).all():
        row = int(np.argmin(np.isfinite(shift)))
        raise ValueError(f"{name}_shift: row {row} is {shift[row]}; expected finite numbers")
    return shape[1]


def _between(file: CheckedFile, name: str, minimum: int, maximum: int | None) -> None:
    values = file.read(name)
    bad = (values < minimum) | (values > maximum if maximum is not None else False)
    if bad.any():
        at = int(np.argmax(bad.ravel()))
        expected_range = f"at least {minimum}" if maximum is None else f"{minimum} to {maximum}"
        raise ValueError(f"{name}: entry {at} is {values.ravel()[at]}; expected {expected_range}")


def _check_index(file: CheckedFile, prefix: str, contexts: int, vocab: int, corpora: int) -> None:
    for field, minimum, maximum in (
        ("last", -1, vocab - 1), ("following", -1, vocab - 1), ("position", 0, None), ("document", 0, None),
        ("corpus", 0, corpora - 1),
    ):  # fmt: skip
        _shape(file, prefix + field, _INTEGERS, (contexts,))
        _between(file, prefix + field, minimum, maximum)


def _check_tokens(file: CheckedFile, name: str, vocab: int) -> None:
    (size,) = _shape_of_any(file, f"{name}_bytes")
    _shape(file, f"{name}_lengths", "u", (vocab,))
    total = int(file.read(f"{name}_lengths").sum(dtype=np.uint64))
    if total != size or file.dtype(f"{name}_bytes") != np.uint8:
        raise ValueError(f"{name}_lengths: sum to {total}; expected {size}, the bytes of {name}_bytes (uint8)")


def _shape_of_any(file: CheckedFile, name: str) -> tuple[int, ...]:
    if name not in file or len(file.shape(name)) != 1:
        raise ValueError(f"{name}: missing, or not one row of bytes; expected what simspec capture writes")
    return file.shape(name)


def _check_draft(file: CheckedFile, vocab: int) -> None:
    """Refuse rows of the draft, maps of its tokens, and their bytes that do not fit together."""
    contexts = file.shape("target")[0]
    size = _check_rows(file, "draft", _shape(file, "draft", _FLOATS, (contexts, "Vd")))
    if "tuning_target" in file and "tuning_draft" in file:
        tuned = _shape(file, "tuning_draft", _FLOATS, (file.shape("tuning_target")[0], size))
        _check_rows(file, "tuning_draft", tuned)
    if "draft_to_target" in file:
        _shape(file, "draft_to_target", _INTEGERS, (size,))
        check_map(file.read("draft_to_target"), vocab)
    if "draft_first" in file:
        _shape(file, "draft_first", _INTEGERS, (size,))
        _between(file, "draft_first", -1, vocab - 1)
        if (file.read("draft_first") < 0).all():
            raise ValueError("draft_first: reads no draft token; expected a target token for one at least")
    if "draft_to_target" not in file and size != vocab:
        raise ValueError(f"draft_to_target: missing, and the draft has {size} tokens; expected {vocab}, or a map")
    if "draft_vocab_bytes" in file or "draft_vocab_lengths" in file or size != vocab:
        _check_tokens(file, "draft_vocab", size)


def _check_further(file: CheckedFile, vocab: int) -> int:
    """Refuse drafts beyond the first without a name each, or over another vocabulary; returns the number of all drafts."""
    if "drafts" not in file.metadata:
        return int("draft" in file)
    names = _parsed(file.metadata, "drafts", list)
    if len(names) < 2 or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise ValueError(f"drafts: {short(names)}; expected two names at least, all different")
    models = json.loads(file.metadata["provenance"])["models"]
    for number in range(len(names)):
        tensor = draft_tensor(number)
        _check_rows(file, tensor, _shape(file, tensor, _FLOATS, (file.shape("target")[0], vocab)))
        if tensor not in models:
            raise ValueError(f"provenance: no model {tensor!r}; expected one for each of the drafts {short(names)}")
    return len(names)


def _check_cut(file: CheckedFile, vocab: int, corpora: int) -> None:
    """Refuse cut rows whose arrays do not belong together, and numbers that no laws have."""
    contexts, kept = _shape(file, "cut_tokens", _INTEGERS, ("contexts", "K"))
    drafts = _check_further(file, vocab)
    if not drafts:
        raise ValueError("cut_tokens: there is no draft; expected cut rows of a target and a draft")
    settings = _check_settings(file)
    _shape(file, "cut_logits", _FLOATS, (contexts, 1 + drafts, kept))
    _shape(file, "cut_overlap", _FLOATS, (contexts, drafts, settings))
    _shape(file, "cut_kl", _FLOATS, (contexts, drafts, 2))
    _shape(file, "cut_tv", _FLOATS, (contexts, drafts))
    for name in ("rest", "entropy", "error"):
        _shape(file, f"cut_{name}", _FLOATS, (contexts, 1 + drafts))
    _check_index(file, PREFIX, contexts, vocab, corpora)
    _shape(file, "cut_whole", _INTEGERS, (contexts,))
    _between(file, "cut_whole", -1, file.shape("target")[0] - 1)
    tokens = file.read("cut_tokens").astype(np.int64)
    if (np.diff(tokens, axis=-1) <= 0).any() or tokens.min() < 0 or tokens.max() >= vocab:
        raise ValueError(f"cut_tokens: expected rising tokens below {vocab} in each row")
    for name, maximum in (("rest", 1), ("overlap", 1), ("tv", 1), ("error", 1), ("entropy", np.inf), ("kl", np.inf)):
        values = file.read(f"cut_{name}")
        if not ((values >= -_ROUNDING) & (values <= maximum + _ROUNDING)).all():
            wrong = values[~((values >= -_ROUNDING) & (values <= maximum + _ROUNDING))][0]
            raise ValueError(f"cut_{name}: holds {wrong}; expected numbers from 0 to {maximum}")


def _check_settings(file: CheckedFile) -> int:
    """Number of the settings of stored acceptances: pairs of a temperature and a top-p."""
    settings = _parsed(file.metadata, "cut_settings", list) if "cut_settings" in file.metadata else []
    pairs = [pair for pair in settings if isinstance(pair, list) and len(pair) == 2]
    numbers = [x for pair in pairs for x in pair]
    if not pairs or len(pairs) < len(settings) or not all(type(x) in (int, float) for x in numbers):
        raise ValueError(f"cut_settings: {short(settings)}; expected pairs of a temperature and a top-p")
    if [1, 1] not in settings:
        raise ValueError(f"cut_settings: {short(settings)}; expected the pair 1, 1 among them")
    return len(settings)


def _check_statistics(file: CheckedFile, vocab: int, prefix: str) -> None:
    """Refuse statistics whose arrays have other shapes or types, or whose mean is no law."""
    _shape(file, f"{prefix}_mean", _FLOATS, (vocab,))
    (folds,) = _shape(file, f"{prefix}_contexts", _INTEGERS, ("folds",))
    _shape(file, f"{prefix}_counts", _INTEGERS, (folds, vocab))
    _shape(file, f"{prefix}_spectra", _FLOATS, (len(SPECTRA), folds + 1, 3))
    for kind in KINDS[:2]:
        rank = _shape(file, f"{prefix}_{kind}_vectors", _FLOATS, (vocab, "rank"))[1]
        _shape(file, f"{prefix}_{kind}_scales", _FLOATS, (rank,))
        _shape(file, f"{prefix}_{kind}_values", _FLOATS, (rank,))
        _shape(file, f"{prefix}_{kind}_diagonal", _FLOATS, (vocab,))
    _between(file, f"{prefix}_contexts", 1, None)
    mean = file.read(f"{prefix}_mean").astype(np.float64)
    if not (mean >= 0).all() or not 0 < mean.sum() < np.inf:
        raise ValueError(f"{prefix}_mean: sums to {mean.sum():.6g}, least mass {mean.min():.6g}; expected a law")
    if prefix == OF_BANK and "affinity_rows" in file:
        _check_affinity(file, vocab)


def _check_affinity(file: CheckedFile, vocab: int) -> None:
    count, width = _shape(file, "affinity_tokens", _INTEGERS, ("rows", "entries"))
    _shape(file, "affinity_rows", _INTEGERS, (count,))
    _shape(file, "affinity_value", _FLOATS, (count, width))
    _between(file, "affinity_rows", 0, vocab - 1)
    _between(file, "affinity_tokens", 0, vocab - 1)
    if len(np.unique(file.read("affinity_rows"))) != count:
        raise ValueError("affinity_rows: a row occurs twice; expected each token at most once")
    value = file.read("affinity_value").astype(np.float64)
    sums = value.sum(axis=-1)
    if not (value >= 0).all() or not (sums <= 1 + 1e-6).all():
        row = int(np.argmax(~((value >= 0).all(axis=-1) & (sums <= 1 + 1e-6))))
        raise ValueError(
            f"affinity_value: row {row} holds {value[row].min():.6g} and sums to {sums[row]:.6g}; expected masses"
        )
