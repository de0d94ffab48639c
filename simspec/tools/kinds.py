"""Which kind of text tools read of a bank that holds both, and the sentence that says so.

Drafts are judged on what the target wrote itself when a model is served, so of a bank with both kinds its answers are read
unless another kind is asked for.  Of a bank with one kind every context is read, and nothing is said.  What is not here: which
contexts are of which kind (`simspec.logits.bank.Bank.of_kind`).
"""

from __future__ import annotations

from simspec.logits.bank import ANSWERS, KIND_WORDS, TEXTS, Bank, MissingPart

__all__ = ["ALL", "CHOICES", "bank_of_kind", "kind_facts", "kind_sentence", "source_name"]

ALL = "all"
"""Both kinds of text together."""
CHOICES = (ANSWERS, TEXTS, ALL)
"""Kinds that can be asked for."""
SENTENCES = {
    ANSWERS: "Drafts are judged on the target's own answers, as when it is served; --kind texts, in Python load(bank, "
    "kind='texts'), reads the corpus texts instead, --kind all both together.",
    TEXTS: "Drafts are judged on corpus texts, which the target did not write; --kind answers, in Python load(bank, "
    "kind='answers'), reads its own answers instead, on which drafts are judged when it is served.",
    ALL: "Drafts are judged on the target's own answers and corpus texts together; --kind answers, in Python load(bank, "
    "kind='answers'), reads the answers alone, on which drafts are judged when it is served.",
}


def bank_of_kind(bank: Bank, kind: str | None = None) -> tuple[Bank, str | None]:
    """The bank with the whole rows of the kind that is asked for, and that kind where the bank has whole rows of both.

    Parameters
    ----------
    bank : with contexts of either kind or of both
    kind : of `CHOICES`; None for the answers of a bank with both kinds, and for all contexts of another

    Raises ValueError for another kind, and `MissingPart` for a kind of which the bank has no whole row.

    >>> from simspec.logits import open_bank
    >>> bank_of_kind(open_bank("stories"))[1] is None
    True
    >>> answers, kind = bank_of_kind(open_bank("smollm2"))
    >>> answers.contexts, kind
    (39, 'answers')
    """
    if kind not in (None, *CHOICES):
        raise ValueError(f"kind: {kind!r}; expected {', '.join(CHOICES)}")
    has_both = len(bank.kinds) > 1 and all(_has_whole_rows(bank, name) for name in bank.kinds)
    kind_read = (kind or ANSWERS) if has_both else None
    wanted = kind_read if kind is None else kind
    return bank if wanted in (None, ALL) else bank.of_kind(wanted), kind_read


def kind_sentence(kind: str | None) -> str:
    """Which kind of text was read, and how to read another; nothing where the source has one kind.

    >>> kind_sentence("answers").partition(";")[0], kind_sentence(None)
    ("Drafts are judged on the target's own answers, as when it is served", '')
    """
    return "" if kind is None else SENTENCES[kind]


def kind_facts(kind: str | None) -> dict[str, str]:
    """The same for JSON: the kind, and the sentence.

    >>> kind_facts(None), list(kind_facts("texts"))
    ({}, ['kind', 'kind_sentence'])
    """
    return {} if kind is None else {"kind": kind, "kind_sentence": kind_sentence(kind)}


def source_name(bank: Bank, kind: str | None) -> str:
    """The bank's name, and which of its contexts are read where these are not all.

    Rules are measured on whole laws: contexts with cut rows alone are left out.

    >>> from simspec.logits import open_bank
    >>> source_name(open_bank("stories"), None), source_name(open_bank("smollm2"), "answers")
    ('stories', "smollm2, whole rows of the target's own answers")
    """
    rows = "" if bank.cut is None else ", whole rows"
    if kind is None:
        return f"{bank.name}{rows}"
    kinds = " and ".join(KIND_WORDS.values()) if kind == ALL else KIND_WORDS[kind]
    return f"{bank.name}{rows or ', contexts'} of {kinds}"


def _has_whole_rows(bank: Bank, kind: str) -> bool:
    """Whether the bank has whole rows of a kind."""
    try:
        bank.of_kind(kind)
    except MissingPart:
        return False
    return True
