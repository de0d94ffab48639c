"""Pairs of laws from a user's files, arrays and banks, checked at the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simspec.laws import Array, check_law, check_mask, is_exact, normalise, softmax, unchecked
from simspec.laws.arrays import as_array
from simspec.laws.enclosures import encloses
from simspec.loading import load as load_place
from simspec.loading import place_of
from simspec.logits.names import refuse_logits, usual_names
from simspec.logits.npz import read_npz
from simspec.logits.plain import is_bank, read_safetensors
from simspec.methods.known import Known
from simspec.tools.kinds import bank_of_kind, source_name
from simspec.tools.rows_of_laws import RowsOfLaws, taken

if TYPE_CHECKING:
    from simspec.logits.bank import Bank

__all__ = ["Pairs", "Placed", "load", "names_bank", "placed", "read_arrays", "side"]

PART = 2**18
"""Entries of the laws that are measured at a time: arrays that stay in a processor's cache, and that malloc keeps."""
LARGE = 2**24
"""Entries of the target laws (128 MiB) of a bank or a file beyond which they are made as they are measured, not all at once.

All at once, the laws of a pair and what is computed of them take about 45 bytes an entry: 0.8 GB at most.
"""


class Pairs(NamedTuple):
    """Laws (n, V) of target and draft, the document of each row, where they come from, and what else is known of them.

    `position` is the place of each row in its document, None where it is not known.  `kind` is the kind of text that was read of
    a bank with both kinds (`simspec.tools.kinds`), None of any other source.  Laws of a large bank or file are `RowsOfLaws`.
    """

    p: Array
    q: Array
    document: Array
    source: str
    known: Known = Known()
    position: Array | None = None
    kind: str | None = None

    def parts(self) -> list[slice]:
        """Rows that are measured at a time: laws of `PART` entries (2 MiB an array), or one row where it has more.

        >>> laws = np.broadcast_to(0.5, (3, 2**18))
        >>> Pairs(laws, laws, np.arange(3), "by hand").parts()
        [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
        """
        rows, vocab = self.p.shape
        step = max(1, PART // vocab)
        return [slice(at, at + step) for at in range(0, rows, step)]

    def order(self) -> Array:
        """Numbers of the rows in the order of the text: by document, and by position where the source tells it.

        >>> laws = np.full((3, 2), 0.5)
        >>> Pairs(laws, laws, np.array([1, 0, 0]), "by hand", position=np.array([0, 1, 0])).order().tolist()
        [2, 1, 0]
        """
        place = np.arange(len(self.p)) if self.position is None else self.position
        return np.lexsort((place, self.document))

    def in_order(self) -> Pairs:
        """The same rows in the order of the text, with what is known of each row.

        >>> laws = np.array([[0.5, 0.5], [1.0, 0.0]])
        >>> Pairs(laws, laws, np.array([1, 0]), "by hand").in_order().p.tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        """
        order = self.order()
        position = None if self.position is None else self.position[order]
        known = self.known
        if known.text is not None:
            known = known._replace(text=[known.text[i] for i in order])
        if known.pivots is not None and known.pivots.ndim == 2:
            known = known._replace(pivots=known.pivots[order])
        if known.read is not None:
            read = known.read
            known = known._replace(read=lambda rows: read(order[rows]))
        document = np.asarray(self.document)[order]
        return Pairs(taken(self.p, order), taken(self.q, order), document, self.source, known, position, self.kind)


@dataclass(frozen=True)
class Placed:
    """What a place in code holds, with the place: code of a user is executed once, whoever reads its arrays.

    Attributes
    ----------
    content : mapping of arrays by name, or laws (p, q)
    place : ``FILE.py:NAME`` or ``module:NAME``
    """

    content: Mapping[str, Any] | tuple[Any, Any]
    place: str

    def __str__(self) -> str:
        return self.place


def placed(source: Any) -> Any:
    """What a place in code holds, as `Placed`; any other source as it is.

    Raises ValueError for a place at which there is no mapping and no tuple, and no function that returns one.

    >>> placed("wiki")
    'wiki'
    >>> placed("math:pi")
    Traceback (most recent call last):
    ...
    ValueError: pairs: 'math:pi' is a float; expected a tuple or Mapping, and there is none in math
    """
    if not isinstance(source, (str, Path)) or place_of(str(source)) is None:
        return source
    return Placed(load_place(str(source), "pairs", (tuple, Mapping), arguments=()), str(source))


def load(
    source: str | Path | Mapping[str, Any] | tuple[Any, Any] | Placed, temperature: float = 1, kind: str | None = None
) -> Pairs:
    """Pairs of laws from a file, a bank, a place in code, or arrays at hand.

    Parameters
    ----------
    source : path, name, mapping or two arrays
        an ``.npz`` or ``.safetensors`` file with arrays ``p`` and ``q`` (laws), or ``target`` and ``draft`` (logits), each
        (V,), (n, V) or (documents, positions, V),
        or one of the other names in `simspec.logits.names`,
        and optionally ``document`` (n,), equal for rows of one document, ``shared`` (V,), true for the tokens that
        both models have, and ``pivots`` (V,) or (n, V), true for tokens that change the answer, and
        ``first`` (V,), the target's token with which the text of each draft token begins; or a mapping of such arrays; or a
        bank's file, or a shipped bank's name; or laws (p, q), each (V,) or (n, V), as arrays of NumPy, PyTorch or JAX that
        NumPy can read, or of fractions; or ``FILE.py:NAME`` or ``module:NAME``, where NAME is a mapping or a tuple of such
        arrays, or a function that returns one.
        Integers, fractions and 16- or 32-bit numbers are taken to 64 bits, and laws are scaled to sum to one there.
    temperature : number >= 0, of both models; needs logits
    kind : "answers", "texts" or "all", the kind of text that is read of a bank; None for the target's own answers of a bank with
        both kinds, and for all contexts of any other source

    Raises ValueError for a file that is missing, cannot be read or is without these arrays, arrays of unequal shapes,
    laws that are none, laws under the names of logits and logits under those of laws, logits without a finite largest one
    in each row, a temperature other than 1 for laws, or a kind of text that the source does not have.
    """
    if kind is not None and not names_bank(source):
        raise ValueError(f"kind: {kind!r}; only a logit bank records the kind of its texts; leave it out")
    if isinstance(source, Mapping):
        return _named(source, temperature, "arrays at hand")
    if isinstance(source, tuple):
        return _at_hand(source, temperature)
    opened = placed(source)
    if isinstance(opened, Placed):
        return load(opened.content, temperature)._replace(source=opened.place)
    path = Path(str(source))
    if path.suffix == ".npz":
        # no number has less than a byte: arrays that are made at once are read at once
        return _named(read_npz(path, map_from=LARGE), temperature, path.name)
    if path.suffix == ".safetensors" and path.is_file() and not is_bank(path):
        return _named(read_safetensors(path, map_from=LARGE), temperature, path.name)
    if path.suffix == ".npy":
        raise ValueError(
            f"FILE: {str(source)!r} holds one array; expected two named arrays: np.savez('pairs.npz', p=p, "
            "q=q), or target=, draft= for logits; or a bank of two .npy files: simspec capture --pair TARGET.npy DRAFT.npy -o "
            "bank.safetensors"
        )
    from simspec.logits.bank import open_bank
    from simspec.studies.pairs import bank_knows, bank_laws

    bank, kind_read = bank_of_kind(open_bank(str(source)), kind)
    p, q = (
        _large(bank, temperature) if bank.contexts * bank.vocab > LARGE else bank_laws(bank, slice(None), temperature)
    )
    knowledge = bank_knows(bank, temperature)
    position = np.asarray(bank.index.position)
    return Pairs(p, q, np.asarray(bank.documents), source_name(bank, kind_read), knowledge, position, kind_read)


def names_bank(source: object) -> bool:
    """Whether a source is the name or the file of a bank, and neither arrays nor the name of what holds them.

    >>> names_bank("wiki"), names_bank("pairs.npz"), names_bank({"p": [[1]], "q": [[1]]})
    (True, False, False)
    """
    if not isinstance(source, (str, Path)) or place_of(str(source)) is not None:
        return False
    path = Path(source)
    return path.suffix not in (".npz", ".npy") and not (
        path.suffix == ".safetensors" and path.is_file() and not is_bank(path)
    )


def read_arrays(source: object, role: str) -> Mapping[str, Any] | None:
    """Arrays by name of a mapping, a file of arrays or a place in code; None for a bank, a pair of laws, and any other name.

    Parameters
    ----------
    source : mapping, path, `Placed`, or ``FILE.py:NAME`` of a mapping or an array of laws, which is taken as `q`
    role : what the arrays are, for messages

    Raises ValueError for a file that is missing or cannot be read, and for another object at the place.

    >>> read_arrays({"q": [0.5, 0.5]}, "draft"), read_arrays("wiki", "draft")
    ({'q': [0.5, 0.5]}, None)
    """
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Placed):
        return source.content if isinstance(source.content, Mapping) else None
    if place_of(str(source)):
        loaded = load_place(str(source), role, (np.ndarray, Mapping), arguments=())
        return loaded if isinstance(loaded, Mapping) else {"q": loaded}
    path = Path(str(source))
    if path.suffix == ".npz":
        return read_npz(path)
    if path.suffix == ".safetensors" and path.is_file() and not is_bank(path):
        return read_safetensors(path)
    return None


def side(arrays: Mapping[str, Any], names: tuple[str, str], temperature: float, source: str) -> Array:
    """Laws (n, V) of one of two models.

    Parameters
    ----------
    arrays : by name
    names : of the laws and of the logits, ``("q", "draft")``; the first that is there is read
    temperature : number >= 0; needs logits
    source : what the arrays are from, for messages

    Raises ValueError where neither name is there, and as `load` does.

    >>> side({"q": [[0.5, 0.5]]}, ("q", "draft"), 1, "by hand").tolist()
    [[0.5, 0.5]]
    """
    name = next((name for name in names if name in arrays), None)
    if name is None:
        content = ", ".join(sorted(map(str, arrays))) or "nothing"
        raise ValueError(f"{source}: holds {content}; expected {names[0]} (distributions) or {names[1]} (logits)")
    rows = _rows(as_array(arrays[name], name), name)
    if name == names[1]:
        _no_laws(rows, rows, source)
        return softmax(_finite(rows, name), temperature)
    if temperature != 1:
        raise ValueError(f"temperature: {temperature}; {source} holds distributions, not logits; expected 1")
    return _law(rows, name)


def _large(bank: Bank, temperature: float) -> tuple[Any, Any]:
    """The laws of `bank_laws`, bit for bit, made as they are asked for.

    What `bank_laws` checks of the temperature and the bank is checked here on one row.  A bank checks the rows that it reads:
    their largest logit is 0, so that a softmax always exists.
    """
    from simspec.studies.pairs import bank_laws, draft_laws

    bank_laws(bank, slice(0, 1), temperature)
    heat = float(temperature)
    is_one_vocabulary = np.array_equal(bank.draft_to_target, np.arange(bank.vocab))

    def target_laws(numbers: Array | slice) -> Array:
        return unchecked.softmax(bank.target(numbers).astype(np.float64), heat)

    def drafted_laws(numbers: Array | slice) -> Array:
        logits = bank.draft(numbers).astype(np.float64)
        if is_one_vocabulary:  # no token is dropped
            return unchecked.normalise(unchecked.softmax(logits, heat))
        return draft_laws(bank, logits, heat)

    numbers = np.arange(bank.contexts)
    return RowsOfLaws(target_laws, numbers, bank.vocab), RowsOfLaws(drafted_laws, numbers, bank.vocab)


def _named(arrays: Mapping[str, Any], temperature: float, source: str) -> Pairs:
    """Pairs of arrays by name."""
    arrays = usual_names(arrays)
    names = next((pair for pair in (("target", "draft"), ("p", "q")) if set(pair) <= set(arrays)), None)
    if names is None:
        raise ValueError(
            f"{source}: holds {', '.join(sorted(map(str, arrays))) or 'nothing'}; expected p and q, or target and draft"
        )
    law_arrays = [as_array(arrays[name], name) for name in names]
    first, second = (_rows(x, name) for x, name in zip(law_arrays, names, strict=True))
    axes = {max(2, x.ndim) for x in law_arrays}  # one law is a row of one
    if first.shape != second.shape or len(axes) > 1:
        raise ValueError(
            f"{names[1]}: shape {law_arrays[1].shape} where {names[0]} has {law_arrays[0].shape}; expected the same, or a bank "
            "for vocabularies that differ: simspec capture --pair FILE -o bank.safetensors --vocab JSON --draft-vocab JSON"
        )
    if names == ("p", "q"):
        if temperature != 1:
            raise ValueError(f"temperature: {temperature}; {source} holds distributions, not logits; expected 1")
        p = _made(first, "p", _law, _law)
        q = _made(second, "q", _law, _law)
    else:
        _no_laws(first, second, source)
        law_of_logits = partial(_softmax, temperature=temperature)
        p = _made(first, "target", law_of_logits, _finite)
        q = _made(second, "draft", law_of_logits, _finite)
    documents, positions = law_arrays[0].shape[:2] if law_arrays[0].ndim == 3 else (len(p), 1)
    document = np.asarray(arrays.get("document", np.arange(documents)))
    if positions > 1 and document.shape == (documents,):
        document = np.repeat(document, positions)
    document = document.ravel() if document.shape == (documents, positions) else document
    if document.shape != (len(p),):
        raise ValueError(f"document: shape {document.shape}; expected one entry for each of {len(p)} rows")
    shared = check_mask(arrays["shared"], p.shape[-1]) if "shared" in arrays else None
    pivots = np.asarray(arrays["pivots"]) if "pivots" in arrays else None
    if pivots is not None and pivots.shape == law_arrays[0].shape:
        pivots = pivots.reshape(-1, pivots.shape[-1]) if pivots.ndim == 3 else pivots
    if pivots is not None and (pivots.dtype != bool or pivots.shape not in (p.shape, p.shape[1:])):
        raise ValueError(
            f"pivots: {pivots.dtype}, shape {pivots.shape}; expected true or false for each token or entry"
        )
    read = _first(np.asarray(arrays["first"]), p.shape[-1]) if "first" in arrays else None
    position = np.tile(np.arange(positions), documents) if law_arrays[0].ndim == 3 else None
    return Pairs(p, q, document, source, Known(shared, pivots=pivots, first=read), position)


def _made(rows: Array, name: str, make_law: Callable[[Array, str], Array], check: Callable[[Array, str], Array]) -> Any:
    """Laws of rows: at once, or for more than `LARGE` entries as they are asked for, once all rows have been checked."""
    if rows.size <= LARGE:
        return make_law(np.array(rows) if isinstance(rows, np.memmap) else rows, name)
    count, vocab = rows.shape
    step = max(1, PART // vocab)
    for start in range(0, count, step):
        check(rows[start : start + step], name if start == 0 else f"{name}, rows counted from {start}")
    make_law(rows[:1], name)  # refuses a wrong temperature

    def laws(numbers: Array | slice) -> Array:
        # a copy: what is mapped from a file need not stand where a processor reads fast
        return make_law(np.array(rows[numbers]), name)

    return RowsOfLaws(laws, np.arange(count), vocab)


def _softmax(logits: Array, name: str, temperature: float) -> Array:
    """Laws of logits, or an error that names the array."""
    return softmax(_finite(logits, name), temperature)


def _no_laws(target: Array, draft: Array, name: str) -> None:
    """An error for laws under the names of logits: their softmax would be taken, and all but equal laws come of it."""
    if all(rows.min() >= 0 and np.allclose(rows.sum(axis=-1), 1, atol=1e-3) for rows in (target, draft)):
        raise ValueError(
            f"{name}: rows of target and draft sum to 1, so they are distributions; expected logits, or the "
            "names p and q"
        )


def _first(first_tokens: Array, vocab: int) -> Array:
    """The target's token with which the text of each draft token begins, or an error that names the array."""
    within = (
        first_tokens.dtype.kind in "iu"
        and first_tokens.shape == (vocab,)
        and ((first_tokens >= 0) & (first_tokens < vocab)).all()
    )
    if not within:
        raise ValueError(
            f"first: {first_tokens.dtype}, shape {first_tokens.shape}; expected a token from 0 to {vocab - 1} for each of {vocab}"
        )
    return first_tokens.astype(np.int64)


def _at_hand(source: tuple[Any, ...], temperature: float) -> Pairs:
    """Two arrays of laws; each row is a document."""
    if len(source) != 2:
        raise ValueError(f"source: {len(source)} objects; expected a file, a bank, or two arrays (p, q)")
    if temperature != 1:
        raise ValueError(f"temperature: {temperature}; the arrays are distributions, not logits; expected 1")
    p, q = (_law(_rows(as_array(x, name), name), name) for x, name in zip(source, "pq", strict=True))
    if p.shape != q.shape:
        raise ValueError(f"q: shape {q.shape} where p has {p.shape}; expected the same")
    return Pairs(p, q, np.arange(len(p)), "laws at hand")


def _rows(x: Array, name: str) -> Array:
    """Numbers (n, V) from an array (V,), (n, V) or (documents, positions, V); fractions as floats."""
    if x.dtype == object and is_exact(x) and not encloses(x):
        x = x.astype(np.float64)
    if x.dtype.kind not in "iuf":
        raise ValueError(f"{name}: dtype {x.dtype}; expected real numbers")
    if x.ndim not in (1, 2, 3) or x.size == 0:
        raise ValueError(
            f"{name}: shape {x.shape}; expected (V,), (n, V) or (documents, positions, V), with at least one "
            "row and one token"
        )
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    return np.atleast_2d(x) if x.ndim < 3 else x.reshape(-1, x.shape[-1])


def _finite(z: Array, name: str) -> Array:
    """Logits in 64 bits, or an error that names the array."""
    largest = z.max(axis=-1)
    if not np.isfinite(largest).all():
        row = int(np.argmin(np.isfinite(largest)))
        raise ValueError(f"{name}: the largest logit of row {row} is {largest[row]}; expected a finite number")
    return z.astype(np.float64)


def _law(p: Array, name: str) -> Array:
    """Laws in 64 bits: checked in their own precision, in which they need not sum to one exactly."""
    refuse_logits(p, name)
    p = check_law(p, name)
    return p if p.dtype == np.float64 else normalise(p.astype(np.float64))
