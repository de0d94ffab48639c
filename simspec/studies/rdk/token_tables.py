"""Token counts of whole corpora by fold of documents, recorded once for several tokenizers: how long the tails are.

`data/token_tables.npz` holds counts and no text: of each tokenizer and corpus how many tokens have which counts in the folds, so
that which token is which is not in it.  The files that were counted are in it by name and hash (`provenance`);
``python -m simspec.studies.rdk.token_tables --help`` counts again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.files import parse_json, write_file
from simspec.logits.corpora.documents import read_documents
from simspec.logits.npz import packed, read_npz
from simspec.studies.rdk.token_counts import carrying, tail_mass

__all__ = [
    "FOLDS",
    "Table",
    "compressed",
    "fold_counts",
    "levelled",
    "main",
    "provenance",
    "read_tables",
    "token_tables",
]

FOLDS = 8
_DATA = Path(__file__).with_name("data") / "token_tables.npz"


class Table(NamedTuple):
    """Counts of one corpus under one tokenizer.

    Attributes
    ----------
    tokenizer, corpus : names
    counts : (FOLDS, V); tokens in no particular order
    """

    tokenizer: str
    corpus: str
    counts: NDArray[np.int64]


def fold_counts(documents: Iterable[Sequence[int]], vocab: int, folds: int = FOLDS) -> NDArray[np.int64]:
    """Occurrences of each token in each fold, (folds, vocab): the documents are dealt out one by one.

    >>> fold_counts([[0, 0, 1], [1], [0]], 3, 2).tolist()
    [[3, 1, 0], [0, 1, 0]]
    """
    counts = np.zeros((folds, vocab), dtype=np.int64)
    for number, tokens in enumerate(documents):
        counts[number % folds] += np.bincount(np.asarray(tokens, dtype=np.int64), minlength=vocab)
    return counts


def compressed(counts: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Different columns of counts, (folds, K), and how many tokens have each, (K,).

    >>> [part.tolist() for part in compressed(np.array([[3, 0, 0], [1, 2, 2]]))]
    [[[0, 3], [2, 1]], [2, 1]]
    """
    vectors, types = np.unique(counts, axis=1, return_counts=True)
    return vectors.astype(np.uint32), types.astype(np.uint32)


def levelled(counts: NDArray[Any], ranking: NDArray[Any]) -> NDArray[np.float64]:
    """Counts in which tokens that tie in the ranking have their mean: the expectation over all orders among them.

    >>> levelled(np.array([4, 1, 0]), np.array([7, 2, 2])).tolist()
    [4.0, 0.5, 0.5]
    """
    _, place, size = np.unique(ranking, return_inverse=True, return_counts=True)
    return np.asarray((np.bincount(place, counts) / size)[place], dtype=np.float64)


@cache
def read_tables(path: Path = _DATA) -> tuple[Table, ...]:
    """The recorded tables.

    >>> sorted({table.tokenizer for table in read_tables()})
    ['gpt2', 'stories', 'tinystories', 'wiki']
    """
    arrays = read_npz(path, is_dense=True)
    names = [name.removesuffix("/types") for name in arrays if name.endswith("/types")]
    tables = []
    for name in sorted(names):
        tokenizer, corpus = name.split("/")
        counts = np.repeat(arrays[f"{name}/vectors"].astype(np.int64), arrays[f"{name}/types"], axis=1)
        tables.append(Table(tokenizer, corpus, counts))
    return tuple(tables)


def provenance(path: Path = _DATA) -> Any:
    """What the tables were counted from: number of folds, tokenizers and corpora with the hashes of their files.

    >>> sorted(provenance()["corpora"])
    ['gsm8k', 'medquad', 'wikitext2']
    """
    return parse_json(read_npz(path, is_dense=True)["told"].tobytes().decode())


def _simulate(tables: dict[str, Table], rows: Rows, corpus: str) -> Values:
    counts = tables[corpus].counts
    pooled = counts.sum(axis=0)
    pairs = [(counts[i], pooled - counts[i]) for i in rows.numbers]
    values = {
        "carrying": np.array([carrying(levelled(*pair), pair[1]) for pair in pairs]),
        "tail": np.array([tail_mass(levelled(*pair), pair[1]) for pair in pairs]),
    }
    constants = {
        "pooled carrying": carrying(pooled, pooled),
        "pooled tail": tail_mass(pooled, pooled),
        "seen": float((pooled > 0).mean()),
        "occurrences": float(pooled.sum()),
    }
    return values | {name: np.array([value] * len(pairs)) for name, value in constants.items()}


def token_tables(tokenizer: str) -> Study:
    """Length of the tail of one tokenizer's vocabulary in each corpus, one row a fold, ranked by the other folds."""
    tables = {table.corpus: table for table in read_tables() if table.tokenizer == tokenizer}

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return _simulate(tables, rows, cell["corpus"])

    return Study(
        name=f"token-tables-{tokenizer}",
        question="How many tokens of the vocabulary make up a given share of a corpus?",
        grid=tuple(
            {
                "data": f"{tokenizer}: {corpus}, {int(table.counts.sum()):,} tokens",
                **{"corpus": corpus, "rows": FOLDS, "vocab": table.counts.shape[1]},
            }
            for corpus, table in tables.items()
        ),
        simulate=simulate,
        summary="shares of the vocabulary and of the occurrences, each fold ranked by the others",
        rows=FOLDS,
    )


# --- recording --------------------------------------------------------------------------------------------------------


def _hashes(paths: Sequence[Path]) -> dict[str, str]:
    from simspec.logits.capture.models import file_digest  # only who counts again needs what captures

    return {path.name: file_digest(path) for path in paths}


def _tokenizer(paths: Sequence[Path]) -> Any:
    """From ``tokenizer.json``, or from a vocabulary and its merges."""
    tokenizers = needs("counting tokens", "tokenizers", extra="capture")[0]
    if len(paths) == 1:
        return tokenizers.Tokenizer.from_file(str(paths[0]))
    return tokenizers.ByteLevelBPETokenizer(*map(str, paths))


def main(argv: Sequence[str] | None = None) -> int:
    """Count tokens: each tokenizer and each corpus is NAME=FILE[,FILE]; two files of a tokenizer are vocabulary and merges."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--tokenizer", action="append", required=True)
    parser.add_argument("--corpus", action="append", required=True)
    parser.add_argument("--out", type=Path, default=_DATA)
    args = parser.parse_args(argv)
    provenance: dict[str, Any] = {"folds": FOLDS, "tokenizers": {}, "corpora": {}}
    arrays: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    for corpus, _, files in (text.partition("=") for text in args.corpus):
        paths = [Path(file) for file in files.split(",")]
        texts[corpus] = [document.text for path in paths for document in read_documents(path)]
        provenance["corpora"][corpus] = {"documents": len(texts[corpus]), "sha256": _hashes(paths)}
    for name, _, files in (text.partition("=") for text in args.tokenizer):
        paths = [Path(file) for file in files.split(",")]
        tokenizer = _tokenizer(paths)
        provenance["tokenizers"][name] = {"vocab": tokenizer.get_vocab_size(), "sha256": _hashes(paths)}
        for corpus, documents in texts.items():
            ids = (tokenizer.encode(text, add_special_tokens=False).ids for text in documents)
            vectors, types = compressed(fold_counts(ids, tokenizer.get_vocab_size()))
            arrays |= {f"{name}/{corpus}/vectors": vectors, f"{name}/{corpus}/types": types}
    arrays["told"] = np.frombuffer(json.dumps(provenance).encode(), dtype=np.uint8)
    write_file(args.out, packed(arrays, is_dense=True))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
