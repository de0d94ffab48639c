"""Tasks as texts: corpora of input -> output pairs, from files of the user's own or from Python's standard library.

`read_corpus` takes a file in any of the formats below; each has its own reader.  `standard_library` needs no file: the
sources that every Python brings are a task of low output variability (tagging) and one of high (docstrings).
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from simspec.files import existing, parse_json
from simspec.kernels import random as philox

__all__ = [
    "TASKS",
    "Corpus",
    "read_conllu",
    "read_corpus",
    "read_pairs",
    "read_slurp",
    "read_stories",
    "split",
    "standard_library",
    "words",
]

INPUTS = ("input", "question", "prompt", "instruction", "text", "sentence", "utterance", "source", "document")
OUTPUTS = ("output", "answer", "completion", "response", "target", "code", "summary", "labels", "label", "annotation")
TASKS = ("tagging", "docstrings")
_WORD = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*\s+")
_SLOT = re.compile(r"\[\s*(?P<name>[^\[\]:]+?)\s*:\s*(?P<fill>[^\[\]]*?)\s*\]")


class Corpus(NamedTuple):
    """A task: inputs and the outputs expected for them, pair by pair.

    Attributes
    ----------
    name : str
    inputs, outputs : tuple of str, equally many
    source : str
        where the pairs come from, for a report.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    source: str


def words(text: str) -> list[str]:
    """Words of a text: runs of letters, digits and underscores; every other mark stands alone; case is kept.

    >>> words("It's 3.5 %.")
    ['It', "'", 's', '3', '.', '5', '%', '.']
    """
    return _WORD.findall(text)


def split(corpus: Corpus, share: float = 0.2, seed: int = 0) -> tuple[Corpus, Corpus]:
    """Training and test part of a corpus: whole pairs, in their order, and no input on both sides.

    Pairs with equal inputs stay together, so that the test part holds `share` of the pairs up to the last such group.

    Parameters
    ----------
    corpus : Corpus
        with at least two different inputs.
    share : number in (0, 1)
        of the pairs that are held out.
    seed : int
        another seed holds out other pairs.

    Raises
    ------
    ValueError
        for a share outside (0, 1), or a corpus with fewer than two different inputs.

    Examples
    --------
    >>> train, test = split(Corpus("letters", ("a", "b", "c", "d"), ("A", "B", "C", "D"), "by hand"), 0.25)
    >>> len(train.inputs), len(test.inputs), set(train.inputs) & set(test.inputs)
    (3, 1, set())
    """
    if not 0 < share < 1:
        raise ValueError(f"share: {share}; expected a share of the pairs in (0, 1)")
    groups: dict[str, list[int]] = {}
    for number, text in enumerate(corpus.inputs):
        groups.setdefault(text, []).append(number)
    if len(groups) < 2:
        raise ValueError(f"corpus: {corpus.name!r} has {len(groups)} different inputs; expected two or more to split")
    members = list(groups.values())
    uniforms = philox.uniform(philox.make_key(seed, "split", len(members)), [0], range(len(members)))[0]
    test_size = max(1, round(share * len(corpus.inputs)))
    test_members: set[int] = set()
    for group in uniforms.argsort(kind="stable")[:-1]:
        if len(test_members) >= test_size:
            break
        test_members.update(members[group])
    rest = [n for n in range(len(corpus.inputs)) if n not in test_members]
    return _part(corpus, rest, "training part"), _part(corpus, sorted(test_members), "test part")


def _part(corpus: Corpus, numbers: list[int], part_label: str) -> Corpus:
    inputs, outputs = (tuple(texts[n] for n in numbers) for texts in (corpus.inputs, corpus.outputs))
    return Corpus(corpus.name, inputs, outputs, f"{corpus.source}, {part_label}")


# --- files ------------------------------------------------------------------------------------------------------------


def read_corpus(
    path: str | Path, input_field: str | None = None, output_field: str | None = None, name: str | None = None
) -> Corpus:
    """Corpus of a file, in the format that its name and its first record show.

    - ``.conllu``: sentences and their universal part-of-speech tags (`read_conllu`);
    - ``.json`` with a list of strings: first sentences and the rest (`read_stories`);
    - ``.jsonl`` with ``sentence``, ``intent`` and ``annotation``: intents and slots (`read_slurp`);
    - any other ``.jsonl`` or ``.json``, and text with a tab in each line: `read_pairs`, as with named fields.

    Raises
    ------
    ValueError
        naming the file and the line, where it is missing, empty or of none of these formats.
    """
    path = Path(path)
    content = _content(path)
    if input_field is None and output_field is None:
        if path.suffix == ".conllu":
            return read_conllu(path, name)
        first = next(_records(path, content), (1, ""))[1] if path.suffix in (".json", ".jsonl") else None
        if path.suffix == ".json" and isinstance(first, str):
            return read_stories(path, name)
        if isinstance(first, dict) and {"sentence", "intent", "annotation"} <= set(first):
            return read_slurp(path, name)
    return read_pairs(path, input_field, output_field, name)


def read_pairs(
    path: str | Path, input_field: str | None = None, output_field: str | None = None, name: str | None = None
) -> Corpus:
    """Pairs of a ``.jsonl`` file or ``.json`` list of records, or of a text with a tab in each line.

    Parameters
    ----------
    path : path
    input_field, output_field : str, optional
        fields of the records; by default the first of input, question, prompt, ... and of output, answer, completion,
        ... that the first record has.  A list of strings counts as one text, joined by commas.
    name : str, optional
        by default the name of the file without its ending.

    Raises
    ------
    ValueError
        naming the file and the line, for a file that is missing or empty, a line that is no record or has no tab, and
        a field that is missing or no text.
    """
    path = Path(path)
    content = _content(path)
    if path.suffix not in (".json", ".jsonl"):
        if input_field or output_field:
            raise ValueError(f"corpus: {path.name} is no .jsonl or .json file; fields can be named for those only")
        lines = [(n, line) for n, line in enumerate(content.split("\n"), 1) if line.strip()]
        return _corpus(path, name, (_tabbed(path, n, line) for n, line in lines))
    records = list(_records(path, content))
    if not records:
        raise ValueError(f"corpus: {path.name} holds no records; expected at least one")
    for n, record in records:
        if not isinstance(record, dict):
            raise ValueError(
                f"corpus: {path.name}, record {n} is a {type(record).__name__}; expected fields and values"
            )
    input_key = input_field or _detect(path, records[0][1], INPUTS, "input")
    two = output_field or _detect(path, records[0][1], tuple(f for f in OUTPUTS if f != input_key), "output")
    return _corpus(path, name, ((_field(path, n, r, input_key), _field(path, n, r, two)) for n, r in records))


def read_conllu(path: str | Path, name: str | None = None) -> Corpus:
    """Sentences of a CoNLL-U file -> their universal part-of-speech tags, both joined by spaces.

    Words of several tokens (ids such as 1-2) and empty nodes (1.1) are passed over, as the format asks for.

    Raises
    ------
    ValueError
        for a file that is missing or holds no sentence, and a line without ten fields.
    """
    path = Path(path)
    pairs: list[tuple[str, str]] = []
    forms: list[str] = []
    tags: list[str] = []
    for n, line in enumerate([*_content(path).split("\n"), ""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if forms:
                pairs.append((" ".join(forms), " ".join(tags)))
            forms = []
            tags = []
            continue
        fields = line.split("\t")
        if len(fields) != 10:
            raise ValueError(f"corpus: {path.name}, line {n} has {len(fields)} fields; expected the ten of CoNLL-U")
        if fields[0].isdigit():
            forms.append(fields[1])
            tags.append(fields[3])
    return _corpus(path, name, pairs)


def read_slurp(path: str | Path, name: str | None = None) -> Corpus:
    """Spoken commands of a SLURP ``.jsonl`` file -> ``intent: INTENT, slots: NAME = FILL, ...`` in their order.

    Raises
    ------
    ValueError
        naming the line, for a record without sentence, intent or annotation.
    """
    path = Path(path)
    pairs = []
    for n, record in _records(path, _content(path)):
        sentence, intent, marked = (_field(path, n, record, f) for f in ("sentence", "intent", "annotation"))
        slots = ", ".join(f"{m['name']} = {m['fill']}" for m in _SLOT.finditer(marked))
        pairs.append((sentence, f"intent: {intent}, slots: {slots or 'none'}"))
    return _corpus(path, name, pairs)


def read_stories(path: str | Path, name: str | None = None) -> Corpus:
    """Texts of a ``.json`` list of strings: first sentence -> the rest; texts of one sentence are passed over.

    Raises
    ------
    ValueError
        for a file that is missing, holds no list of strings, or no text of two sentences.
    """
    path = Path(path)
    pairs = []
    for n, text in _records(path, _content(path)):
        if not isinstance(text, str):
            raise ValueError(f"corpus: {path.name}, record {n} is a {type(text).__name__}; expected a string")
        end = _SENTENCE.search(text.strip())
        if end:
            pairs.append((text.strip()[: end.end()].strip(), text.strip()[end.end() :].strip()))
    return _corpus(path, name, pairs)


def _content(path: Path) -> str:
    existing(path, "corpus", ".jsonl, .json, .conllu, or text with tabs")
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a byte-order mark first
    except UnicodeDecodeError as error:
        raise ValueError(f"corpus: {path.name} cannot be read: {error}; expected UTF-8") from None


def _records(path: Path, content: str) -> Iterator[tuple[int, Any]]:
    """Records of JSON lines, or of a JSON list, with their line or place."""
    if path.suffix == ".json":
        try:
            listed = parse_json(content)
        except ValueError as error:
            raise ValueError(f"corpus: {path.name} cannot be read: {error}; expected a JSON list") from None
        if not isinstance(listed, list):
            raise ValueError(f"corpus: {path.name} holds a {type(listed).__name__}; expected a list")
        yield from enumerate(listed, 1)
        return
    for n, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                yield n, parse_json(line)
            except ValueError as error:
                raise ValueError(f"corpus: {path.name}, line {n}: {error}; expected one JSON record a line") from None


def _detect(path: Path, record: dict[str, Any], candidates: tuple[str, ...], side: str) -> str:
    for field in candidates:
        if field in record:
            return field
    raise ValueError(
        f"corpus: {path.name} has the fields {', '.join(map(str, record))}; name its {side} field, "
        f"for none is {', '.join(candidates)}"
    )


def _field(path: Path, number: int, record: Any, field: str) -> str:
    value = record.get(field) if isinstance(record, dict) else None
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return ", ".join(value)
    if not isinstance(value, str):
        there = ", ".join(map(str, record)) if isinstance(record, dict) else type(record).__name__
        raise ValueError(f"corpus: {path.name}, record {number}: no text in field {field!r} (there: {there})")
    return value


def _tabbed(path: Path, number: int, line: str) -> tuple[str, str]:
    input_text, tab, two = line.partition("\t")
    if not tab:
        raise ValueError(f"corpus: {path.name}, line {number} has no tab; expected input, tab, output")
    return input_text, two


def _corpus(path: Path, name: str | None, pairs: Iterable[tuple[str, str]]) -> Corpus:
    listed = list(pairs)
    if not listed:
        raise ValueError(f"corpus: {path.name} holds no pairs; expected at least one")
    inputs, outputs = zip(*listed, strict=True)
    return Corpus(name or path.stem, inputs, outputs, f"{path.resolve().parent.name}/{path.name}")


# --- the standard library ---------------------------------------------------------------------------------------------


def standard_library(task: str) -> Corpus:
    """A task that every Python brings: the sources of its own standard library.

    - ``"tagging"``: functions of at most 40 lines -> the types of their tokens (as `tokenize` names them, each operator
      by its own name): outputs of low variability.
    - ``"docstrings"``: the header of a function or class -> its docstring: outputs of high variability.

    Returns
    -------
    Corpus
        the same for the same version of Python; other versions have other sources.

    Raises
    ------
    ValueError
        for another task, or a Python whose standard library lies in an archive.

    Examples
    --------
    >>> tagging = standard_library("tagging")
    >>> tagging.outputs[0].split()[:3]
    ['NAME', 'NAME', 'LPAR']
    """
    if task not in TASKS:
        raise ValueError(f"task: {task!r}; expected {' or '.join(TASKS)}")
    from simspec.logits.corpora.library import pairs

    inputs, outputs = zip(*pairs()[task], strict=True)
    version = sysconfig.get_python_version()
    return Corpus(f"library-{task}", inputs, outputs, f"standard library of Python {version}: {task}")
