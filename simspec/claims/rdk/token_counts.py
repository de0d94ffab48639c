"""Most tokens of a vocabulary are rare: three quarters of it account for less than 5 % of the occurrences.

`rdk.long-tail` and `rdk.frequent-quarter`, on the token counts of corpora, also by tokenizer: RDK, 3, 6.1 and Figure 1.  The
sentences are about vocabularies that have a tail (`_not_comparable`); what the small tokenizer of wiki-target shows is a control
and an own statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from simspec.claims.claim import Claim, Printed, Verdict
from simspec.claims.deciding.data import CONTROLS
from simspec.claims.deciding.evidence import BESIDE, all_of, compare, judge, line, measured
from simspec.claims.measured import (
    LEVEL,
    Data,
    Evidence,
    Found,
    Results,
    Study,
    empirical,
    figure,
    level_of,
    shared,
    student,
)
from simspec.claims.rdk.parts import OF_ANSWERS, banks, described_banks, model_of
from simspec.engine.study import Cell, Rows, Values
from simspec.logits.bank import ANSWERS, KIND_WORDS
from simspec.studies.rdk.token_counts import SHARES, token_counts
from simspec.studies.rdk.token_tables import token_tables

HEAD = 16_100
"""Tokens that carry 95 % of the mass in the paper, "16.1k from 128k" (RDK 6.1)."""


def _not_comparable(vocab: int) -> str:
    """Why the sentences cannot be about a vocabulary; "" where they can.

    The tail is what a vocabulary has beyond its head.  One that has no more tokens than the paper's head has no tail in the
    sense of the sentences, whatever the text: it was learnt so that all of its tokens are frequent.

    >>> _not_comparable(2048)
    'V = 2,048, and the 95 % of the paper are 16,100 tokens, so that there is no tail'
    >>> _not_comparable(49_152)
    ''
    """
    if vocab > HEAD:
        return ""
    return f"V = {vocab:,}, and the 95 % of the paper are {HEAD:,} tokens, so that there is no tail"


@shared
def _counts(data: Data) -> Study:
    return token_counts(banks(data), described_banks(data))


def _tail(results: Results, held_out: str, limit: float, uniform: float) -> Found:
    """Evidence that a length of the tail stays below `limit`; two readings that enclose the corpus's own figure."""
    for result in results:
        v = result.values
        beside = "" if result.cell["bank"] == "main" else BESIDE
        control = {
            "ranked by its own counts": float(v[f"pooled {held_out}"][0]),
            "mean target law": float(v[f"law {held_out}"][0]),
            "uniform law": uniform,
            "share of the vocabulary that occurs": float(v["seen"][0]),
            "occurrences": float(v["occurrences"][0]),
        }
        label = f"{beside}{result.cell['data']}: token counts, each fold ranked by the others"
        interval = student(v[held_out], LEVEL, 0, 1)
        source = "answers" if KIND_WORDS[ANSWERS] in result.cell["data"] else "corpus"
        yield measured(
            label,
            f"{source} of {model_of(result.cell['data'])}",
            int(v["occurrences"][0]),
            interval,
            control,
            below=None if beside else limit,
            not_comparable="" if beside else _not_comparable(result.cell["vocab"]),
        )


def _bracket(evidence: Sequence[Evidence]) -> Verdict:
    """Supported by the pessimistic figure, unsupported only when the optimistic one fails too."""
    deciding = [e for e in evidence if judge(e) is not None]
    if all_of(deciding) == "unsupported":
        control = deciding[0].control or {}
        fails = control["ranked by its own counts"] >= control["must stay below"]
        return "unsupported" if fails else "inconclusive"
    return all_of(deciding)


def _tail_plot(results: Results) -> dict[str, Any]:
    series = []
    for result in results:
        intervals = [student(column, LEVEL, 0, 1) for column in result.values["curve"].T]
        series.append(line(model_of(result.cell["data"]), (100 * share for share in SHARES), intervals))
    return figure(
        "Occurrences carried by the most frequent tokens",
        "share of the vocabulary, %",
        "share of the occurrences",
        series,
        x_log=True,
    )


_BOTH_WAYS = (
    "Token counts of the bank's statistics text. Ranking tokens by the counts that are summed is optimistic, ranking "
    "each document fold by the other folds is pessimistic (no ranking beats the true one, and a noisy one falls "
    "short): the corpus's own figure lies between. "
)
_COMPARABLE = (
    f" Only of vocabularies of more than {HEAD:,} tokens, as many as carry 95 % in the paper: a smaller one has no tail to speak "
    "of, and is not comparable."
)

LONG_TAIL = empirical(
    name="rdk.long-tail",
    statement="at most a quarter of the vocabulary carries 95 % of the occurrences (12.6 % in the paper)",
    reference="RDK, 6.1 and Figure 1",
    note="The same statement as rdk.frequent-quarter, read along the other axis. V counts tokens that never occur, "
    "which helps it. Some sixty thousand occurrences cannot rank the tail of a large vocabulary; the paper counts 100 "
    "million.",
    study=_counts,
    estimate=partial(_tail, held_out="carrying", limit=0.25, uniform=0.95),
    decide=_bracket,
    criterion=_BOTH_WAYS + "Supported when the share of the vocabulary that carries 95 % of a fold's occurrences, "
    "ranked by the other folds, is below 25 % (95 % t-interval over folds); unsupported when that interval lies "
    "above 25 % and the share ranked by its own counts does too; inconclusive otherwise."
    + _COMPARABLE
    + " "
    + OF_ANSWERS,
    plot=_tail_plot,
    printed=Printed(
        place="RDK 6.1",
        text="12.6% of the tokens (16.1k from 128k) support 95% of the probability mass",
        read="At most a quarter of the vocabulary does, on the texts that ship.",
    ),
)

QUARTER = empirical(
    name="rdk.frequent-quarter",
    statement="75 % of the vocabulary accounts for less than 5 % of the occurrences",
    reference="RDK, 3",
    note="The same statement as rdk.long-tail, read along the other axis.",
    study=_counts,
    estimate=partial(_tail, held_out="tail", limit=0.05, uniform=0.75),
    decide=_bracket,
    criterion=_BOTH_WAYS + "Supported when the share of a fold's occurrences on the 75 % of the vocabulary that "
    "the other folds rank last is below 5 % (95 % t-interval over folds); unsupported when that interval lies "
    "above 5 % and the share ranked by its own counts does too; inconclusive otherwise."
    + _COMPARABLE
    + " "
    + OF_ANSWERS,
    plot=_tail_plot,
    printed=Printed(
        place="RDK 3",
        text="75% of vocabulary tokens account for less than 5% of all token occurrences",
        read="Of the vocabulary and the texts that ship, by occurrences.",
    ),
)


# --- by tokenizer, on whole corpora -----------------------------------------------------------------------------------

TOKENIZERS = {
    "gpt2": "GPT-2's tokenizer, 50,257 tokens",
    "wiki": "the tokenizer of wiki-target, of 16,384 tokens",
}
"""Tokenizers whose counts are on record and that the sentences can be about (`_not_comparable`), the largest first."""
SMALL_TOKENIZERS = ("tinystories", "stories")
"""Tokenizers of 2,048 and of 512 tokens, that they cannot be about: what they show stands beside."""


def _recorded(tokenizer: str) -> Callable[[Data], Study]:
    """One study for both statements; beside the largest vocabulary stand the small ones."""
    beside = SMALL_TOKENIZERS if tokenizer == next(iter(TOKENIZERS)) else ()

    def tables(data: Data) -> Study:
        studies = {name: token_tables(name) for name in (tokenizer, *beside)}
        grid = tuple({**cell, "tokenizer": name} for name, study in studies.items() for cell in study.grid)

        def simulate(cell: Cell, rows: Rows, device: str) -> Values:
            return studies[cell["tokenizer"]].simulate(cell, rows, device)

        return replace(studies[tokenizer], grid=grid, simulate=simulate)

    return shared(tables)


_STUDIES = {tokenizer: _recorded(tokenizer) for tokenizer in TOKENIZERS}


def _each_corpus(results: Results, held_out: str, limit: float, uniform: float) -> Found:
    """A cell for each corpus, with both readings of the ranking; those of small tokenizers decide nothing."""
    level = level_of(sum(not _not_comparable(result.cell["vocab"]) for result in results))
    for result in results:
        v = result.values
        count = int(v["occurrences"][0])
        control = {
            "ranked by its own counts": float(v[f"pooled {held_out}"][0]),
            "uniform law": uniform,
            "share of the vocabulary that occurs": float(v["seen"][0]),
        }
        yield measured(
            f"{result.cell['data']}: token counts, each fold ranked by the others",
            f"tokenizer {result.cell['tokenizer']}",
            count,
            student(v[held_out], level, 0, 1),
            control,
            below=limit,
            not_comparable=_not_comparable(result.cell["vocab"]),
        )


def _all_corpora(evidence: Sequence[Evidence]) -> Verdict:
    """Supported in every corpus; unsupported where one fails in both readings."""
    return compare([_bracket([e]) for e in evidence if judge(e) is not None])


def _by_tokenizer(name: str, statement: str, reference: str, fails: str, **reading: Any) -> Claim:
    """One of the two statements for the tokenizer that ends its name; of a small pair's tokenizer it is an own statement."""
    tokenizer = name.split(".")[-1]
    is_control = tokenizer in CONTROLS
    note = (
        "Corpora: WikiText-2 (valid, test and a part of train), GSM8K and MedQuAD, counted once. How long the tail "
        "is hangs "
        "on the size of the vocabulary as much as on the language: large vocabularies have tokens that a corpus never uses, "
        "small ones were learnt to have none, so that those of 2,048 and 512 tokens only stand beside (rdk.long-tail.gpt2, "
        "rdk.frequent-quarter.gpt2). The paper counts 128,256 tokens on 100 million occurrences."
    )
    control_note = (
        " A control: what a small tokenizer shows is about itself, and neither speaks for nor against the paper."
    )
    return empirical(
        name=name,
        statement=f"{statement}, in each of three corpora of half a million tokens or more; {TOKENIZERS[tokenizer]}"
        if not is_control
        else f"Of {TOKENIZERS[tokenizer]}, in each of three corpora of half a million tokens or more: {statement}",
        reference=f"own statement, of a small tokenizer, beside {reference}"
        if is_control
        else f"{reference}, by tokenizer",
        note=note + (control_note if is_control else ""),
        study=_STUDIES[tokenizer],
        estimate=partial(_each_corpus, **reading),
        decide=_all_corpora,
        criterion=f"{_BOTH_WAYS.replace('the bank' + chr(39) + 's statistics text', 'each corpus')}Tokens that tie in a "
        f"ranking "
        f"count with their mean. Supported when in every corpus the figure, ranked by the other folds, is below {fails} "
        f"(t-intervals over eight folds that hold together at 95 %); unsupported when in one corpus that interval lies "
        f"above "
        f"it and the figure ranked by its own counts does too; inconclusive otherwise.",
    )


LONG_TAIL_BY = tuple(
    _by_tokenizer(
        *(name, "at most a quarter of the vocabulary carries 95 % of the occurrences"),
        *("RDK, 6.1 and Figure 1", "25 % of the vocabulary"),
        held_out="carrying",
        limit=0.25,
        uniform=0.95,
    )
    for name in ("rdk.long-tail.gpt2", "rdk.long-tail.wiki")
)
QUARTER_BY = tuple(
    _by_tokenizer(
        *(name, "75 % of the vocabulary accounts for less than 5 % of the occurrences"),
        *("RDK, 3", "5 % of the occurrences"),
        held_out="tail",
        limit=0.05,
        uniform=0.75,
    )
    for name in ("rdk.frequent-quarter.gpt2", "rdk.frequent-quarter.wiki")
)
