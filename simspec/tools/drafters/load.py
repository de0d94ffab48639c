"""Several drafts on the same rows of a target: from files, banks, places in code, or arrays at hand.

All of them are compared on the target's laws as the source holds them.  What is not here: what is measured
(`simspec.tools.drafters.compute`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simspec.html.escaping import escaped
from simspec.laws import Array, tv
from simspec.loading import place_of
from simspec.tools.reading import Pairs, load, names_bank, read_arrays, side

__all__ = ["SAME_TARGET", "load_drafts", "named_drafts"]

SAME_TARGET = 0.01
"""Total variation up to which two records of a context are of one target: more than two computations in 16 bits differ by."""
OWN = "own"
"""Name of the draft of a source that has no name."""


def named_drafts(words: Sequence[str | Path], *, are_models: bool = False) -> dict[str, str]:
    """Drafts by name, from what a user types: ``NAME=FILE``, or a file, bank or place, which is named by its last part.

    Parameters
    ----------
    words : files, banks or places; or models, of which the name is the whole word
    are_models : whether they are models

    Raises ValueError for two drafts of one name, and for a draft that is listed twice.

    >>> named_drafts(["runs/small.npz", "large=runs/b.npz", "mine.py:unigram"])
    {'small': 'runs/small.npz', 'large': 'runs/b.npz', 'unigram': 'mine.py:unigram'}
    >>> named_drafts(["a/small.npz", "b/small.npz"])
    Traceback (most recent call last):
    ...
    ValueError: drafts: two are named 'small'; expected names that differ, such as small-2=b/small.npz
    """
    named: dict[str, str] = {}
    for word in map(str, words):
        head, equals, rest = word.partition("=")
        is_named = bool(equals and head and rest) and not Path(word).exists()  # a path may hold an equals sign
        name, source = (head, rest) if is_named else (word if are_models else _name_of(word), word)
        if source in named.values():
            raise ValueError(f"drafts: {escaped(source)!r} is listed twice; expected each draft once")
        if name in named:
            suggestion = escaped(f"{name}-2={source}")
            raise ValueError(
                f"drafts: two are named {escaped(name)!r}; expected names that differ, such as {suggestion}"
            )
        named[name] = source
    return named


def _name_of(source: str) -> str:
    """The last part of a path, without its ending, or the name of an object at a place."""
    place = place_of(source)
    if place is not None:
        return place.name
    return Path(source).name.removesuffix(".npz").removesuffix(".safetensors") or source


def load_drafts(
    source: Any,
    drafts: Mapping[str, Any] | Sequence[str | Path],
    temperature: float = 1,
    kind: str | None = None,
) -> dict[str, Pairs]:
    """Pairs of the target and each draft, by the draft's name, with the same target laws in all of them.

    Parameters
    ----------
    source : what `simspec.tools.reading.load` takes; its own draft, where it has one, is the first draft.  Or a target alone:
        a mapping or a file with `p` (laws) or `target` (logits), and without `q` and `draft`
    drafts : by name, or files to be named as `named_drafts` does: laws (n, V) as an array, or a mapping, file or place with `q`
        (laws) or `draft` (logits), or a bank with the same contexts
    temperature : number >= 0, of all models; needs logits
    kind : kind of text that is read of all banks, as `simspec.tools.reading.load` takes it; drafts are read like the source

    Raises
    ------
    ValueError
        for fewer than two drafts, two of one name, and a draft over other tokens, on another number of contexts, or
        beside another target; for a kind of text where the source is no bank.

    Examples
    --------
    >>> pairs = load_drafts({"p": [[0.5, 0.5]]}, {"sure": [[1, 0]], "even": [[0.5, 0.5]]})
    >>> [(name, pair.q.tolist()) for name, pair in pairs.items()]
    [('sure', [[1.0, 0.0]]), ('even', [[0.5, 0.5]])]
    """
    if isinstance(drafts, (str, Path)):
        drafts = [drafts]
    named = dict(drafts) if isinstance(drafts, Mapping) else named_drafts(drafts)
    target, has_draft = _target(source, temperature, kind)
    pairs: dict[str, Pairs] = {}
    if has_draft:
        is_bank_of_both = target.kind is not None and names_bank(source)  # its label names the kind too
        source_name = _name_of(str(source)) if is_bank_of_both else _own_name(target.source)
        if source_name in named:
            raise ValueError(
                f"drafts: {escaped(source_name)!r} is the name of the source's own draft, which is compared too; "
                f"leave it out, or name the other one: other={escaped(named[source_name])}"
            )
        pairs[source_name] = target
    for name, draft in named.items():
        pairs[name] = _pair(name, draft, target, temperature)
    if len(pairs) < 2:
        only = "".join(f"only {escaped(name)!r}" for name in pairs) or "none"
        raise ValueError(
            f"drafts: {only}; expected two or more to compare (`simspec rates FILE` measures one pair of models)"
        )
    return pairs


def _own_name(source: str) -> str:
    return OWN if source.endswith(" at hand") else _name_of(source)


def _target(source: Any, temperature: float, kind: str | None) -> tuple[Pairs, bool]:
    """The target's rows, and whether they came with a draft."""
    if kind is not None and not names_bank(source):
        raise ValueError(f"kind: {kind!r}; only a logit bank records the kind of its texts; leave it out")
    if isinstance(source, Pairs):
        return source, True
    arrays = None if isinstance(source, tuple) else read_arrays(source, "pairs")
    if arrays is None or {"q", "draft"} & set(arrays):
        return load(source, temperature, kind), True
    # the target stands in for the draft that is not there, so that documents and positions are read as those of a pair
    stand_in = {"p": "q", "target": "draft"}
    copies = {stand_in[name]: arrays[name] for name in stand_in if name in arrays}
    label = "arrays at hand" if isinstance(source, Mapping) else Path(str(source)).name
    return load({**arrays, **copies}, temperature)._replace(source=label), False


def _pair(name: str, draft: Any, target: Pairs, temperature: float) -> Pairs:
    """The target's rows with a draft, and what is known of that pair."""
    label = f"draft {escaped(name)!r}"
    if isinstance(draft, (str, Path)):
        arrays = read_arrays(draft, "draft")
        if arrays is None:
            pairs = load(draft, temperature, target.kind)
            _check_shape(label, pairs.q, target)
            _check_target(label, pairs.p, target)
            return target._replace(q=pairs.q, known=pairs.known)
    else:
        arrays = draft if isinstance(draft, Mapping) else {"q": draft}
    q = side(arrays, ("q", "draft"), temperature, label)
    _check_shape(label, q, target)
    if {"p", "target"} & set(arrays):
        _check_target(label, side(arrays, ("p", "target"), temperature, label), target)
    # tokens shared by target and draft, and tuning contexts, are those of another pair
    return target._replace(q=q, known=target.known._replace(shared=None, tuning=None, first=None))


def _check_shape(label: str, q: Array, target: Pairs) -> None:
    rows, vocab = target.p.shape
    if q.shape[-1] != vocab:
        raise ValueError(
            f"{label}: distributions over {q.shape[-1]} tokens where the target has {vocab}; expected the target's tokens. "
            "A bank of that pair maps them: simspec capture --target TARGET --draft DRAFT --text FILE -o BANK.safetensors"
        )
    if len(q) != rows:
        raise ValueError(
            f"{label}: {len(q)} contexts where the target has {rows}; expected the same contexts in the same order "
            "(for banks: captured with the same --text, --contexts and --seed)"
        )


def _check_target(label: str, p: Array, target: Pairs) -> None:
    distances = np.asarray(tv(p, target.p), dtype=np.float64)
    row = int(distances.argmax())
    if distances[row] > SAME_TARGET:
        raise ValueError(
            f"{label}: its target differs from that of {escaped(target.source)!r} by a total variation of "
            f"{distances[row]:.3g} at row {row}; expected the same target on the same contexts (for banks: captured with "
            "the same --target, --text, --contexts and --seed)"
        )
