"""Why SmolLM2 and a small pair differ on a claim, computed from the cells that they judge differently.

A difference may come from the model, from the text, or from too few contexts.  SmolLM2 decides on its own answers.  The claim is
decided again on the texts of wiki, read by SmolLM2, which the small pair wiki reads too; and on as many contexts of wiki as
SmolLM2 has there, since what is fitted on few contexts is worse.  Of a cell that is judged differently

* nothing is told apart where either interval holds the other's estimate;
* it is the *model* where both read the same texts and the intervals exclude each other, also on as many contexts;
* it is the *number of contexts* where wiki on as many agrees with SmolLM2 and excludes wiki on all of its own;
* it is the *text* where SmolLM2's intervals on wiki's texts and on its own answers exclude each other, and the former does not
  exclude the small pair's;
* otherwise too few contexts are at hand.

The pair stories reads texts that no other model does: there it is the model where wiki, on SmolLM2's texts, is judged as stories
is; otherwise model and text stay together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.claims import registry
from simspec.claims.claim import Evidence
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.evidence import deciding_rows, judge
from simspec.engine.study import Result
from simspec.logits.bank import KIND_WORDS, Bank
from simspec.logits.bank.checked import write_checked
from simspec.logits.bank.cut import PREFIX
from simspec.studies.rdk.pruning_recorded import read_pruning
from simspec.studies.rdk.real_pruning import spread

__all__ = [
    "Difference",
    "differences",
    "explained",
    "of_files",
    "on_recorded_rows",
    "spread_evenly",
    "write_part",
]

_WORDS = {
    "open": "either interval holds the other's estimate, so that no difference is shown",
    "model": "it is the model: on the same texts the intervals exclude each other",
    "count": "it is the number of contexts: wiki on as many as SmolLM2 has agrees with it, and not with wiki on all",
    "text": "it is the text: SmolLM2 on wiki's texts agrees with the small pair, and differs from itself on its own answers",
    "few": "SmolLM2's contexts of wiki's texts are too few to part model and text",
    "as wiki": "it is the model: the pair wiki, on the texts of SmolLM2, is judged in the same way",
    "both": "model and text both differ, and no pair at hand parts them",
}
"""Reasons, and how each is said."""
_DESCRIBED = re.compile(
    rf"^.*?: (?P<contexts>[\d,]+) (?P<statistics>statistics )?contexts( of ({'|'.join(KIND_WORDS.values())}))?, [\d,]+ documents"
    r"(, whole rows|, exact numbers beside cut rows)?[:;,] "
)
"""How the words for a bank's data begin."""


class Difference(NamedTuple):
    """A cell that SmolLM2 and a small pair judge differently.

    Attributes
    ----------
    cell : what is measured, without the data
    draft : SmolLM2's
    main, small : rows of SmolLM2, on its own answers, and of the small pair
    files : row of SmolLM2 on wiki's texts; None where these lack the cell
    fewer : row of the pair wiki on as many contexts as SmolLM2 has of wiki's texts; None where that needs no look
    reason : one of "open", "model", "count", "text", "few", "as wiki", "both"
    """

    cell: str
    draft: str
    main: Evidence
    small: Evidence
    files: Evidence | None
    fewer: Evidence | None
    reason: str


def _cell(row: Evidence) -> str:
    """What a row measures, without its data and what tuning chose, shares of a vocabulary to one digit.

    >>> row = Evidence("a / b: 52 contexts, 52 documents, whole rows: kept 4.98 % by frequency, x", "a / b", 9, 0.5, None, None)
    >>> _cell(row)
    'kept 5 % by frequency, x'
    """
    text = _DESCRIBED.sub("", row.data)
    text = re.sub(r" \(exact: [^)]*\)", "", text)
    return re.sub(r"kept ([\d.]+) %", lambda match: f"kept {float(match[1]):.1g} %", text)


def _draft(row: Evidence) -> str:
    """The draft of a bank with several, which stands after the models' names.

    >>> _draft(Evidence("", "S / S, quantised:4", 9, 0.5, None, None)), _draft(Evidence("", "a / b", 9, 0.5, None, None))
    ('quantised:4', '')
    """
    return (row.model or "").partition(", ")[2]


def _rows(record: Mapping[str, Any]) -> dict[tuple[str, str], Evidence]:
    """Deciding rows by cell and draft."""
    return {(_cell(row), _draft(row)): row for row in deciding_rows(record)}


def _holds(row: Evidence, other: Evidence) -> bool:
    """Whether an interval holds another's estimate."""
    low, high = row.interval or (row.estimate, row.estimate)
    return bool(low <= other.estimate <= high)


def _exclude(row: Evidence | None, other: Evidence | None) -> bool:
    """Whether two intervals have no value in common."""
    if row is None or other is None or row.interval is None or other.interval is None:
        return False
    return bool(row.interval[0] > other.interval[1] or other.interval[0] > row.interval[1])


def differences(pair: str, runs: Mapping[str, Mapping[str, Any]]) -> list[Difference]:
    """The cells of one claim that SmolLM2 and a small pair judge differently.

    Parameters
    ----------
    pair : "wiki" or "stories"
    runs : the claim's records, by "shipped" (decided on SmolLM2's answers), "wiki", "stories"; by "files": SmolLM2 on wiki's
        texts; and by "fewer": wiki on as many contexts as SmolLM2 has of wiki's texts
    """
    main, files = (_rows(runs[name]) for name in ("shipped", "files"))
    small, on_wiki, on_fewer = (
        {cell: row for (cell, _), row in _rows(runs[name]).items()} for name in (pair, "wiki", "fewer")
    )
    differing_cells = []
    for (cell, draft), row in main.items():
        if cell not in small or judge(row) == judge(small[cell]):
            continue
        same = files.get((cell, draft))
        wiki = on_wiki.get(cell)
        fewer = on_fewer.get(cell) if same is not None and wiki is not None and same.n < wiki.n / 2 else None
        difference = Difference(cell=cell, draft=draft, main=row, small=small[cell], files=same, fewer=fewer, reason="")
        differing_cells.append(difference._replace(reason=_reason(pair, difference, wiki)))
    return differing_cells


def _reason(pair: str, cells: Difference, wiki: Evidence | None) -> str:
    """Why a cell is judged differently: a key of `_WORDS`."""
    if _holds(cells.main, cells.small) or _holds(cells.small, cells.main):
        return "open"
    if _exclude(cells.fewer, wiki) and not _exclude(cells.files, cells.fewer):
        return "count"
    is_model = _exclude(cells.files, wiki) and (cells.fewer is None or _exclude(cells.files, cells.fewer))
    if pair != "wiki":
        return "as wiki" if is_model and wiki is not None and judge(wiki) == judge(cells.small) else "both"
    if is_model:
        return "model"
    return "text" if _exclude(cells.files, cells.main) and not _exclude(cells.files, wiki) else "few"


def explained(runs: Mapping[str, Mapping[str, Any]], pairs: Sequence[str]) -> Iterator[str]:
    """A line for each small pair whose verdict differs: how many cells are judged differently, why, and one of them.

    Parameters
    ----------
    runs : the claim's records, as `differences` takes them
    pairs : the small pairs
    """
    for pair in pairs:
        if runs[pair]["verdict"] == runs["shipped"]["verdict"]:
            continue
        cells = differences(pair, runs)
        if not cells:
            yield f"- {pair}: no cell that is measured on both is judged differently: one of them has cells that the other lacks"
            continue
        counts = Counter(cell.reason for cell in cells)
        reasons = "; ".join(f"{_WORDS[reason]} ({count} of {len(cells)})" for reason, count in counts.most_common())
        # the reason that says most comes first: what is open says least
        example = max(cells, key=lambda cell: (cell.reason != "open", counts[cell.reason]))
        count = "1 cell is" if len(cells) == 1 else f"{len(cells)} cells are"
        yield f"- {pair}: {count} judged differently: {reasons}. {_example(pair, example)}"


def _example(pair: str, cell: Difference) -> str:
    """One cell in numbers: SmolLM2 on its answers and on wiki's texts, and the small pair."""
    draft = f" ({cell.draft})" if cell.draft else ""
    values = {
        f"SmolLM2{draft} on its answers": cell.main,
        "on wiki's texts": cell.files,
        pair: cell.small,
        "wiki on as many contexts": cell.fewer,
    }
    numbers = "; ".join(f"{name} {_interval(row)}" for name, row in values.items() if row is not None)
    return f"For “{cell.cell}”: {numbers}"


def _interval(row: Evidence) -> str:
    low, high = row.interval or (row.estimate, row.estimate)
    return f"{row.estimate:.4g} [{low:.4g}, {high:.4g}], n = {row.n:,}"


# --- the rows of pruned drafters that ship ---------------------------------------------------------------------------------


def on_recorded_rows(name: str, bank: Bank, drafts: Mapping[str, str], is_kept: Callable[..., Any]) -> dict[str, Any]:
    """A claim's record on some contexts of a bank whose rows of pruned drafters ship: computing them anew takes minutes.

    Parameters
    ----------
    name : a claim that is decided on `simspec.studies.rdk.pruning_recorded`
    bank : Bank
    drafts : {name in the rows that ship: name of the draft}, "" for a bank's only one; all of them decide here
    is_kept : of the corpora of contexts, which are kept
    """
    finding = registry()[name].finding
    assert finding is not None
    rows = np.flatnonzero(is_kept(bank.corpus))
    results = []
    for result in read_pruning():
        label = result.cell["bank"]
        if label in drafts:
            of_draft = bank.with_draft(drafts[label]) if drafts[label] else bank
            cell = {**result.cell, "data": Data.describe(of_draft, rows), "bank": "main", "rows": len(rows)}
            results.append(Result(cell, {value: column[rows] for value, column in result.values.items()}))
    evidence = list(finding.estimate(results))
    return {"verdict": finding.decide(evidence), "evidence": [row._asdict() for row in evidence], "message": None}


# --- parts of a bank --------------------------------------------------------------------------------------------------


def of_files(corpus: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Contexts of texts in files, whose names have a folder.

    >>> of_files(np.array(["chat", "gsm8k/test.jsonl"])).tolist()
    [False, True]
    """
    return np.char.find(corpus, "/") >= 0


def spread_evenly(count: int) -> Callable[[NDArray[np.str_]], NDArray[np.bool_]]:
    """So many contexts, evenly spaced.

    >>> spread_evenly(2)(np.array(["a", "a", "b"])).tolist()
    [True, False, True]
    """

    def is_kept(corpus: NDArray[np.str_]) -> NDArray[np.bool_]:
        mask = np.zeros(len(corpus), dtype=bool)
        mask[spread(len(corpus), count)] = True
        return mask

    return is_kept


def write_part(bank: Bank, is_kept: Callable[[NDArray[np.str_]], NDArray[np.bool_]], path: Path) -> None:
    """Write a bank with some of another's contexts, whole rows and cut rows, and all of its statistics.

    Parameters
    ----------
    bank : Bank
    is_kept : of the corpora of contexts, which are kept; at least one whole row
    path : Path
    """
    rows = np.flatnonzero(is_kept(bank.corpus))
    tensors: dict[str, NDArray[Any]] = {}
    fields = {"target", "target_shift", "last", "following", "position", "document", "corpus"}
    for name in bank.file.names:
        if name in fields or re.fullmatch(r"draft(_\d+)?(_shift)?", name):
            tensors[name] = bank.file.read(name, rows)
        elif not name.startswith(PREFIX):
            tensors[name] = bank.file.read(name)
    if bank.cut is not None:
        cut = np.flatnonzero(is_kept(bank.cut.corpus))
        tensors |= {name: bank.file.read(name, cut) for name in bank.file.names if name.startswith(PREFIX)}
        places = np.full(bank.contexts + 1, -1)
        places[rows] = np.arange(len(rows))
        where = tensors[f"{PREFIX}whole"]
        # a cut row without a whole one points at -1, the last place, which stays -1
        tensors[f"{PREFIX}whole"] = places[where].astype(where.dtype)
    write_checked(path, tensors, {**bank.file.metadata})
