"""What a bank says of many places in texts: the target's law, a draft's, the token before; and these as an audit sees them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.audit.endpoint.categories import FLOOR, Judged, drafted_masses
from simspec.audit.endpoint.plan import DRAFT_TOP
from simspec.audit.endpoint.records import TopRow
from simspec.laws import Array

__all__ = ["TOP", "Judgements", "Rows", "categories", "judgements", "rows_of_bank", "yes_or_no"]

TOP = 5
"""Most likely tokens that are categories of their own, as `Plan.top` has it."""


class Rows(NamedTuple):
    """Laws at n places; the last of the V + 1 columns holds all tokens that are not columns of their own.

    Attributes
    ----------
    target, draft, other : (n, V + 1); `other` is the target with its weights rounded
    tokens : (n, V) ids of the columns
    previous : (n,) id of the token before
    repeated : (n,) its column, the last one where it has none
    documents : (n,) document of each place; places of one document follow each other
    """

    target: Array
    draft: Array
    other: Array
    tokens: NDArray[Any]
    previous: NDArray[Any]
    repeated: NDArray[np.int64]
    documents: NDArray[Any]

    @property
    def order(self) -> NDArray[np.int64]:
        """Columns of the `TOP` most likely tokens of the target, (n, TOP)."""
        return np.argsort(-self.target[:, :-1], axis=1, kind="stable")[:, :TOP]


def rows_of_bank(bank: Any) -> Rows:
    """All cut rows of a bank with two drafts, the coarser one as the draft, the finer one as other weights of the target."""
    cut = bank.cut
    target, draft = cut.laws()
    _, other_weights = bank.with_draft("quantised:4").cut.laws()
    tokens = cut.tokens()
    is_previous = tokens == cut.index.last[:, None]
    repeated = np.where(is_previous.any(axis=1), is_previous.argmax(axis=1), tokens.shape[1])
    return Rows(target, draft, other_weights, tokens, cut.index.last, repeated, cut.documents)


def categories(laws: Array, rows: Rows) -> Array:
    """Masses of the target's `TOP` most likely tokens, then of all others, (n, TOP + 1)."""
    listed = np.take_along_axis(laws, rows.order, axis=1)
    rest = laws.sum(axis=1) - listed.sum(axis=1)
    return np.concatenate([listed, np.maximum(rest, 0)[:, None]], axis=1)


class Judgements(NamedTuple):
    """What the audit sees at each place, by the category that is emitted.

    Attributes
    ----------
    tokens : by place and category
    masses : (n, TOP + 1); the reference's
    knows_draft : bool; whether the draft's masses are among what it sees
    """

    tokens: list[list[Judged]]
    masses: Array
    knows_draft: bool = False


def judgements(rows: Rows, knows_draft: bool = False) -> Judgements:
    """Each place beside the reference, once for each category."""
    draft_order = np.argsort(-rows.draft[:, :-1], axis=1, kind="stable")[:, :DRAFT_TOP] if knows_draft else ()
    masses = np.maximum(categories(rows.target, rows), FLOOR)
    masses /= masses.sum(axis=1, keepdims=True)
    ids = np.take_along_axis(rows.tokens, rows.order, axis=1)
    judged = []
    for place in range(len(masses)):
        is_repeated = ids[place] == rows.previous[place]
        listed = tuple(ids[place].tolist())
        drafted: tuple[float, ...] = ()
        if knows_draft:
            columns = draft_order[place]
            draft_row = top_row_of(rows.tokens[place, columns], rows.draft[place, columns])
            drafted = drafted_masses(top_row_of(ids[place], masses[place, :TOP]), draft_row)
        judged.append(
            [
                Judged(
                    masses=tuple(masses[place].tolist()),
                    category=category,
                    token=listed[category] if category < TOP else -1,
                    ids=listed,
                    previous=int(rows.previous[place]),
                    repeated=int(is_repeated.argmax()) if is_repeated.any() else TOP,
                    agreed=-1,
                    context=place,
                    is_ending=False,
                    has_company=True,
                    drafted=drafted,
                )
                for category in range(TOP + 1)
            ]
        )
    return Judgements(judged, masses, knows_draft)


def top_row_of(tokens: NDArray[Any], masses: Array) -> TopRow:
    """Tokens with the logarithms of their masses."""
    return tuple(zip(tokens.tolist(), np.log(np.maximum(masses, FLOOR)).tolist(), strict=True))


def yes_or_no(rows: Rows) -> Rows:
    """The places as questions with two possible answers: the target's two most likely tokens, others with no mass."""
    pair = rows.order[:, :2]

    def restricted(laws: Array) -> Array:
        answers = np.take_along_axis(laws, pair, axis=1)
        answers = answers / answers.sum(axis=1, keepdims=True)
        return np.concatenate([answers, np.zeros_like(answers)], axis=1)

    n = len(pair)
    return rows._replace(
        target=restricted(rows.target),
        draft=restricted(rows.draft),
        other=restricted(rows.other),
        tokens=np.tile(np.arange(3), (n, 1)),
        previous=np.full(n, 2),
        repeated=np.full(n, 2),  # the question's last token is no answer
    )
