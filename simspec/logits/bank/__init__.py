"""Banks: logits of real models on disk, with what is needed to use them as laws and to trust them.

A bank holds contexts x vocabulary logits of a target and, where there is one, of a draft.  Of each context it keeps
the last token, the true next token, the position, the document and the corpus, never the text.  Rows are stored in 16
bits with their maximum shifted to 0 (the shift is kept), and the bank states the total-variation error of that.
Temperature 1: `softmax(bank.target())` is the model's own law.  Some banks hold more contexts as cut rows (`Bank.cut`): their
likeliest tokens, and exact numbers of the whole laws.  What is not here: making banks
(`simspec.logits.capture`), the format (`simspec.logits.bank.storage`, `simspec.logits.bank.checked`), the statistics
(`simspec.logits.bank.statistics`).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.checks import check_memory, nearest_name, pip_of
from simspec.files import existing
from simspec.logits.bank.checked import CheckedFile
from simspec.logits.bank.contents import check_contents
from simspec.logits.bank.cut import PREFIX, CutRows
from simspec.logits.bank.statistics import OF_ANSWERS, OF_BANK, Statistics
from simspec.logits.bank.storage import VERSION, Contexts, draft_tensor
from simspec.logits.bank.vocabularies import on_target, shared_tokens

__all__ = ["ANSWERS", "SHIPPED", "TEXTS", "Bank", "MissingPart", "is_installed", "not_installed", "open_bank"]

_DATA = Path(__file__).parents[1] / "data"
# `X | Any` below marks what is None in some banks, without asking every caller to check.
SHIPPED = ("smollm2", "wiki", "stories", "gpt2")
"""Names of the banks that ship with the repository; a wheel has none, to keep it small."""


ANSWERS = "answers"
"""Contexts of what the target wrote itself: on these a draft is judged when a model is served."""
TEXTS = "texts"
"""Contexts of texts of a corpus, which the target did not write."""
KIND_WORDS = {ANSWERS: "the target's own answers", TEXTS: "corpus texts"}
"""How each kind is called."""


class MissingPart(ValueError):
    """What was asked for is not there: a bank's draft, tuning contexts or statistics, or the sources of Python itself.

    A claim that is measured on it is then undecided, not crashed.
    """


@dataclass(frozen=True, repr=False)
class Bank:
    """Logits of a target, and of a draft where there is one, over contexts of real text.

    Open one with :func:`open_bank`.  Arrays are copies; a row's blocks are verified when the row is read.

    Examples
    --------
    >>> bank = open_bank("gpt2")
    >>> bank.vocab, bank.contexts, bank.draft() is None
    (50257, 5, True)
    """

    file: CheckedFile
    draft_number: int = 0
    """which of the bank's drafts `draft` reads; see :meth:`with_draft`"""
    kind: str | None = None
    """the one kind of text whose contexts are read, `ANSWERS` or `TEXTS`; None for all contexts; see :meth:`of_kind`"""

    @property
    def name(self) -> str:
        """Name of the bank."""
        return self.file.metadata["name"]

    @property
    def vocab(self) -> int:
        """V, the size of the target's vocabulary."""
        return self.file.shape("target")[1]

    @property
    def contexts(self) -> int:
        """Number of evaluation contexts."""
        return self.file.shape("target")[0] if self.kind is None else len(self._rows)

    @cached_property
    def index(self) -> Contexts:
        """Last token, true next token, position, document and corpus of each evaluation context."""
        return self._index("", slice(None) if self.kind is None else self._rows)

    @cached_property
    def tuning_index(self) -> Contexts | Any:
        """The same for the tuning contexts, or None where there are none."""
        return self._index("tuning_") if "tuning_target" in self.file else None

    @property
    def documents(self) -> NDArray[np.int32]:
        """Document of each evaluation context, shape (contexts,): the unit for intervals."""
        return self.index.document

    @property
    def corpus(self) -> NDArray[np.str_]:
        """Name of the text file each evaluation context comes from, shape (contexts,)."""
        return self.index.corpus

    def target(self, rows: Any = slice(None), raw: bool = False) -> NDArray[np.float32]:
        """Target logits of the evaluation contexts `rows`, float32 (n, V), nats.

        Parameters
        ----------
        rows : any NumPy index of one axis
        raw : bool
            add the stored shift, which gives the model's own logits; otherwise each row's maximum is 0.

        Raises
        ------
        ValueError
            where a block fails its checksum.

        Examples
        --------
        >>> bank = open_bank("gpt2")
        >>> bank.target(0).max(), round(float(bank.target(0, raw=True).max()), 2)
        (np.float32(0.0), -135.91)
        """
        return self._logits("target", rows, raw)

    def draft(self, rows: Any = slice(None), raw: bool = False) -> NDArray[np.float32] | Any:
        """Draft logits of the same contexts in the draft's own vocabulary, (n, Vd); None where there is no draft."""
        return self._logits(draft_tensor(self.draft_number), rows, raw) if "draft" in self.file else None

    @property
    def drafts(self) -> tuple[str, ...]:
        """Names of the drafts where there are several over the same contexts; the first is the one that a bank opens with.

        >>> open_bank("stories").drafts
        ()
        """
        return tuple(json.loads(self.file.metadata.get("drafts", "[]")))

    def with_draft(self, name: str) -> Bank:
        """The bank with another of its drafts.

        Raises
        ------
        ValueError
            for a name that none of its drafts has.

        Examples
        --------
        >>> open_bank("stories").with_draft("quantised:3")
        Traceback (most recent call last):
        ...
        ValueError: draft: 'quantised:3'; bank 'stories' has no drafts to choose from: leave it out
        """
        if not self.drafts:
            raise ValueError(f"draft: {name!r}; bank {self.name!r} has no drafts to choose from: leave it out")
        if name not in self.drafts:
            listed = ", ".join(self.drafts)
            raise ValueError(f"draft: {name!r}; expected a draft of bank {self.name!r}: {listed}")
        return replace(self, draft_number=self.drafts.index(name))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of text that the whole and the cut contexts are of: `ANSWERS`, `TEXTS` or both, in this order.

        >>> open_bank("stories").kinds
        ('texts',)
        """
        prefixes = [""] if self.cut is None else ["", PREFIX]
        return tuple(kind for kind in (ANSWERS, TEXTS) if any(len(self._rows_of_kind(name, kind)) for name in prefixes))

    def of_kind(self, kind: str) -> Bank:
        """The bank with the contexts of one kind of text only, whole rows and cut rows; nothing is copied.

        Statistics are those of the same kind, where the bank has them; tuning contexts stay as they are.

        Parameters
        ----------
        kind : `ANSWERS` or `TEXTS`

        Raises
        ------
        ValueError
            for another kind.
        MissingPart
            where the bank has no whole row of that kind.

        Examples
        --------
        >>> open_bank("stories").of_kind("texts").contexts == open_bank("stories").contexts
        True
        >>> open_bank("stories").of_kind("answers")
        Traceback (most recent call last):
        ...
        simspec.logits.bank.MissingPart: kind: 'answers'; bank 'stories' has whole rows of corpus texts only; expected 'texts'
        """
        if kind not in KIND_WORDS:
            raise ValueError(f"kind: {kind!r}; expected {ANSWERS!r} or {TEXTS!r}")
        if not len(self._rows_of_kind("", kind)):
            other = TEXTS if kind == ANSWERS else ANSWERS
            there = f"bank {self.name!r} has whole rows of {KIND_WORDS[other]} only"
            raise MissingPart(f"kind: {kind!r}; {there}; expected {other!r}")
        return replace(self, kind=kind)

    @cached_property
    def cut(self) -> CutRows | Any:
        """Cut rows of more contexts, with exact numbers of their whole laws; None where the bank has none.

        >>> open_bank("stories").cut is None
        True
        """
        if "cut_tokens" not in self.file:
            return None
        if self.kind is None:
            return CutRows(self.file, self.draft_number)
        return CutRows(self.file, self.draft_number, self._rows_of_kind(PREFIX), self._rows)

    def tuning_target(self, rows: Any = slice(None), raw: bool = False) -> NDArray[np.float32] | Any:
        """Target logits of the tuning contexts (no document of the evaluation's): tune parameters on these only."""
        return self._logits("tuning_target", rows, raw) if "tuning_target" in self.file else None

    def tuning_draft(self, rows: Any = slice(None), raw: bool = False) -> NDArray[np.float32] | Any:
        """Draft logits of the tuning contexts, or None."""
        has_rows = "tuning_draft" in self.file and self.draft_number == 0
        return self._logits("tuning_draft", rows, raw) if has_rows else None

    @cached_property
    def draft_to_target(self) -> NDArray[np.int32] | Any:
        """Target token of each draft token, -1 for none, shape (Vd,); None where there is no draft."""
        if "draft" not in self.file:
            return None
        if "draft_to_target" in self.file:
            return self.file.read("draft_to_target")
        return np.arange(self.vocab, dtype=np.int32)

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """Which target tokens the draft has too, boolean (V,); all of them where there is no draft."""
        table = self.draft_to_target
        if table is None:
            return np.ones(self.vocab, dtype=bool)
        return shared_tokens(table, self.vocab)

    @cached_property
    def draft_first(self) -> NDArray[np.int32] | Any:
        """Target token with which the text of each draft token begins, -1 for none, shape (Vd,); None where it is not known.

        It is recorded of drafts with another tokenizer (:func:`simspec.logits.capture.reread.leading_tokens`).
        """
        return self.file.read("draft_first") if "draft_first" in self.file else None

    def draft_on_target(self, q: NDArray[Any]) -> NDArray[Any]:
        """Mass of draft laws on the target's vocabulary: unshared draft tokens dropped, nothing normalised.

        Normalised, it is TLI's draft (RDK Eq. 1).

        Parameters
        ----------
        q : array (..., Vd)
            laws, not logits, in the draft's vocabulary; any arithmetic.

        Returns
        -------
        array (..., V)

        Raises
        ------
        ValueError
            where the bank has no draft, or for another last axis.
        """
        table = self.draft_to_target
        q = np.asarray(q)
        if table is None:
            raise MissingPart(f"q: bank {self.name!r} has no draft; expected a bank with one")
        if q.shape[-1:] != table.shape:
            raise ValueError(f"q: shape {q.shape}; expected a last axis of {len(table)} draft tokens")
        return on_target(q, table, self.vocab)

    @cached_property
    def tokens(self) -> list[bytes]:
        """Bytes of each target token; special tokens by their name."""
        return self._tokens("vocab")

    @cached_property
    def draft_tokens(self) -> list[bytes] | Any:
        """Bytes of each draft token, or None where there is no draft."""
        if "draft" not in self.file:
            return None
        return self._tokens("draft_vocab") if "draft_vocab_bytes" in self.file else self.tokens

    @cached_property
    def statistics(self) -> Statistics | Any:
        """Statistics of other documents, or None where the bank has none.

        A bank may have two: of texts, and of answers that its target wrote.  Those of answers are read where its contexts are
        answers alone (:meth:`of_kind`), those of texts otherwise.
        """
        kinds = self.kinds if self.kind is None else (self.kind,)
        if self.has_answer_statistics and kinds == (ANSWERS,):
            return Statistics(self.file, has_affinity=False, prefix=OF_ANSWERS)
        return Statistics(self.file, self.draft_number == 0) if f"{OF_BANK}_mean" in self.file else None

    @property
    def has_answer_statistics(self) -> bool:
        """Whether the bank has statistics of answers that its target wrote, beside those of texts.

        >>> open_bank("stories").has_answer_statistics
        False
        """
        return f"{OF_ANSWERS}_mean" in self.file

    @property
    def provenance(self) -> dict[str, Any]:
        """Models, digests of their weights, texts, licence, date, versions and command; of several drafts the one in use."""
        provenance: dict[str, Any] = json.loads(self.file.metadata["provenance"])
        if not self.drafts:
            return provenance
        models = provenance["models"]
        models_in_use = {"target": models["target"], "draft": models[draft_tensor(self.draft_number)]}
        return {**provenance, "models": models_in_use}

    @property
    def storage_tv(self) -> dict[str, dict[str, float]]:
        """Largest and mean total-variation error that storage causes, per set of rows, against unrounded logits."""
        return json.loads(self.file.metadata["storage_tv"])

    @cached_property
    def _rows(self) -> NDArray[np.intp]:
        """Rows of the file that are read as evaluation contexts, where these are of one kind."""
        return self._rows_of_kind("")

    def _picked(self, rows: Any) -> NDArray[np.intp]:
        """Rows of the file that are some evaluation contexts of the one kind."""
        try:
            return self._rows[rows]
        except (IndexError, TypeError) as error:
            raise ValueError(f"rows: {error}; expected rows 0..{len(self._rows) - 1}, or a slice") from None

    def _rows_of_kind(self, prefix: str, kind: str | None = None) -> NDArray[np.intp]:
        """Rows of the file whose texts are of a kind, by default the one that is read.

        The provenance says whether answers were recorded.  Of such a bank a corpus that is no file of its evaluation texts is a
        kind of prompt.
        """
        provenance = json.loads(self.file.metadata["provenance"])
        names = json.loads(self.file.metadata["corpora"])
        files = {text["file"] for text in provenance.get("texts", []) if text.get("for") == "evaluation"}
        is_answer = np.array(["chat" in provenance and name not in files for name in names], dtype=bool)
        of_answers = is_answer[self.file.read(f"{prefix}corpus")]
        return np.flatnonzero(of_answers if (kind or self.kind) == ANSWERS else ~of_answers)

    def _logits(self, name: str, rows: Any, raw: bool) -> NDArray[np.float32]:
        """Whole rows of one model, checked: with their shifts where they are to be raw."""
        if self.kind is not None and not name.startswith("tuning_"):
            rows = self._picked(rows)
        try:
            stored = self.file.read(name, rows)
        except ValueError as error:
            if self.cut is None or not str(error).startswith("rows: "):
                raise
            raise ValueError(f"{error}; the rows of its {self.cut.contexts} cut contexts are in bank.cut") from None
        check_memory("rows", f"{stored.size // stored.shape[-1]} of {name!r}", stored.nbytes + 4 * stored.size)
        logits = stored.astype(np.float32)
        largest = logits.max(axis=-1, initial=-np.inf)
        if not (largest == 0).all():  # so it is in rows that were stored, and in none with NaN or +inf
            wrong = largest[largest != 0][0] if largest.ndim else largest
            raise ValueError(
                f"bank: {self.file.path.name}: {name} has a row whose largest logit is {wrong}; expected 0"
            )
        return logits + self.file.read(f"{name}_shift", rows)[..., None] if raw else logits

    def _index(self, prefix: str, rows: Any = slice(None)) -> Contexts:
        names = np.array(json.loads(self.file.metadata["corpora"]))
        fields = [self.file.read(prefix + field, rows) for field in ("last", "following", "position", "document")]
        return Contexts(fields[0], fields[1], fields[2], fields[3], names[self.file.read(f"{prefix}corpus", rows)])

    def _tokens(self, name: str) -> list[bytes]:
        data = self.file.read(f"{name}_bytes").tobytes()
        ends = np.cumsum(self.file.read(f"{name}_lengths"), dtype=np.int64).tolist()
        return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def facts(self) -> dict[str, str]:
        """Models, counts and the error of storage, in words: what the bank says of itself when it is shown."""
        draft = self.file.shape("draft")[1] if "draft" in self.file else None
        models = self.provenance.get("models", {})
        facts = {
            "target": f"{models.get('target', {}).get('name', '?')}, {self.vocab:,} tokens",
            "draft": "none" if draft is None else f"{models.get('draft', {}).get('name', '?')}, {draft:,} tokens",
            "contexts": f"{self.contexts:,} of {len(np.unique(self.documents)):,} documents",
            "corpora": _counted(self.corpus),
            "tuning contexts": f"{0 if self.tuning_index is None else len(self.tuning_index.last):,}",
            "statistics": "none" if self.statistics is None else repr(self.statistics)[11:-1],
            "storage error (TV)": "{max:.2g} at most, {mean:.2g} on average".format(**self.storage_tv["target"]),
        }
        if draft is not None:
            facts["shared tokens"] = f"{int(self.shared.sum()):,}"
        if self.has_answer_statistics and self.kind is None:
            facts["statistics of answers"] = repr(self.of_kind(ANSWERS).statistics)[11:-1]
        if self.kind is not None:
            facts["kind of text"] = f"{KIND_WORDS[self.kind]} only"
        if self.drafts:
            facts["drafts"] = f"{', '.join(self.drafts)}; this is {self.drafts[self.draft_number]}"
        return facts | ({} if self.cut is None else self._cut_facts())

    def _cut_facts(self) -> dict[str, str]:
        """What the bank says of its cut rows, and which rows are whole."""
        cut = self.cut
        documents = len(np.unique(cut.documents))
        whole = int((cut.whole >= 0).sum())
        return {
            "contexts": f"{self.contexts:,} of {len(np.unique(self.documents)):,} documents, whole rows",
            "cut contexts": f"{cut.contexts:,} of {documents:,} documents, of which {whole:,} have a whole row too",
            "cut rows": f"the {cut.kept:,} likeliest tokens, the rest as one mass; acceptance, entropies, KL, TV of whole rows",
            "cut corpora": _counted(cut.corpus),
        }

    def __repr__(self) -> str:
        lines = [f"  {key}: {value}" for key, value in self.facts().items()]
        return "\n".join([f"Bank {self.name!r}", *lines])


def _counted(names: NDArray[np.str_]) -> str:
    """Names with how often they occur, in words."""
    corpora, counts = np.unique(names, return_counts=True)
    return ", ".join(f"{name} {count}" for name, count in zip(corpora, counts, strict=True))


def _place(name: str) -> Path:
    return _DATA / f"{name}.safetensors"


def is_installed(name: str) -> bool:
    """Whether the file of a bank that ships is there.

    >>> is_installed("nothing")
    False
    """
    return _place(name).is_file()


def not_installed(name: str) -> str:
    """What to say where a bank that ships is not there: the package ``simspec-decoding-banks`` brings them.

    >>> not_installed("wiki").partition(";")[0]
    "bank: 'wiki' is not installed, for the package without banks is small"
    """
    folder = "simspec/logits/data"
    pip = pip_of(anywhere=not Path(folder, "pyproject.toml").is_file())
    how = f"in a clone of simspec, {pip} install ./{folder} brings the banks"
    return f"bank: {name!r} is not installed, for the package without banks is small; {how}"


def _expected(name: str) -> str:
    """What a bank is named by, with the shipped name that is most like another.

    >>> _expected("wikki")
    'the path of a bank, or one of smollm2, wiki, stories, gpt2; the nearest is wiki'
    """
    similar_name = nearest_name(name.lower(), SHIPPED)
    near = "" if similar_name is None else f"; the nearest is {similar_name}"
    return f"the path of a bank, or one of {', '.join(SHIPPED)}{near}"


def open_bank(path_or_name: str | os.PathLike[str]) -> Bank:
    """Open a bank: ``"smollm2"``, ``"wiki"``, ``"stories"`` or ``"gpt2"``, which ship with the package, or a file.

    Rows are read from the file, and verified, when they are asked for.

    Raises
    ------
    MissingPart
        for a bank that ships with the repository and is not installed, with the command that installs it.
    ValueError
        for a missing, truncated or altered file, one that is not a bank, or one whose content makes no sense (a map
        that sends two draft tokens to one target token, say); the message names the part and says what was expected,
        and of a name that no bank has, the nearest name.

    Examples
    --------
    >>> bank = open_bank("stories")
    >>> bank.vocab, bank.draft().shape[1]
    (2048, 512)
    """
    name = str(path_or_name)
    if name in SHIPPED and not is_installed(name):
        raise MissingPart(not_installed(name))
    path = _place(name) if name in SHIPPED else existing(Path(path_or_name), "bank", _expected(name))
    file = CheckedFile(path)
    version = file.metadata.get("simspec_bank")
    if version != VERSION:
        raise ValueError(
            f"bank: {path.name} has bank version {version!r}; this simspec reads {VERSION!r}: capture it anew"
        )
    check_contents(file)
    return Bank(file)
