"""Printed figures, as the claims hold them: Coq is asked whether those that its own theorems use are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from proofs_check.tasc.eurlex_size import PRINTED as PRINTED_SIZES
from simspec.claims.ears import drop_unit
from simspec.claims.pad import table1
from simspec.claims.rdk import memory
from simspec.claims.tasc import settings, speedup_range, table1_columns, table5_gain, tables, trainable_share
from simspec.claims.tasc.parts import unit_of, value

__all__ = ["comparison", "figures", "values"]

METRICS = {"Intent": "intent accuracy", "Slot": "slot F1", "Joint": "joint accuracy"}
COLUMNS = {"ΔH": "Change", "ratio": "Ratio"}
TASKS = {"EurLex": "EUR-LEX", "Massive": "MASSIVE"}
FORMATS = {"Float32": "float32", "Float16": "float16"}


def _text(figure: str) -> str:
    return f'"{figure}"%string'


def _whole(number: int) -> str:
    return f"{number}%Z"


def _count(number: int | str) -> str:
    return f"{int(number)}%nat"


def _listed(members: Iterable[str]) -> str:
    return f"[{'; '.join(members)}]"


def _pairs(pairs: Iterable[tuple[Any, Any]], first: Callable[[Any], str], second: Callable[[Any], str]) -> str:
    return _listed(f"({first(a)}, {second(b)})" for a, b in pairs)


def _row(task: str, cells: tuple[str, ...]) -> str:
    source, target, change, before, after, ratio = map(_text, cells)
    return f"({_text(task)}, ({source}, {target}, {change}), ({before}, {after}, {ratio}))"


def _decimal(number: Fraction, places: int) -> str:
    """A number that has an end, with so many digits after the point, as it is printed.

    >>> _decimal(Fraction(2), 2), _decimal(Fraction(453, 10), 1)
    ('2.00', '45.3')
    """
    return f"{float(number):.{places}f}"


def _table_1() -> dict[str, str]:
    """Rows of TASC's Table 1, and its cells that are recomputed."""
    recomputed = (
        f"({_text(task)}, {COLUMNS[column]}, {_text(figure)})"
        for (task, column), figure in table1_columns.RECOMPUTED.items()
    )
    return {
        "table_1": _listed(_row(task, cells) for task, cells in table1_columns.TABLE_1.items()),
        "recomputed": _listed(recomputed),
    }


def _scores_and_times() -> dict[str, str]:
    """TASC's Tables 5, 7 and 8."""
    terms = {}
    for name, metric in METRICS.items():
        scores = [(added, row[metric]) for added, row in table5_gain.TABLE_5.items()]
        terms[f"table_5 {name}"] = _pairs(scores, _count, _text)
    for name, task in TASKS.items():
        terms[f"table_7 {name}"] = _pairs(tables.TABLE_7[task], _count, _text)
    for name, table in (("times_5", "Table 5"), ("times_8", "Table 8")):
        terms[name] = _pairs(tables.RUNTIMES[table], _count, _text)
    return terms


def _other_figures() -> dict[str, str]:
    """Sizes, counts and factors that stand in sentences, and the figures of PAD, EARS and RDK."""
    speed_ups = [(_decimal(100 * share, 1), _decimal(speed, 2)) for share, speed in table1.PRINTED.tolist()]
    accuracies = {f"accuracy_{name}": _text(figure) for name, figure in drop_unit.PRINTED.items()}
    return {
        "factors": _pairs(speedup_range.PRINTED.items(), _text, _text),
        "eurlex_first": _text(PRINTED_SIZES["first"]),
        "eurlex_second": _text(PRINTED_SIZES["second"]),
        "settings": _count(settings.RUNS["settings"]),
        "runs": _count(settings.RUNS["runs"]),
        "varied": _pairs(settings.FACTORS.items(), _text, _count),
        **{name: _whole(size) for name, size in trainable_share.QWEN_3B.items()},
        "speed_ups": _pairs(speed_ups, _text, _text),
        "target_cost": _text(_decimal(1 / table1.COST, 2)),
        **accuracies,
        "vocabularies": _pairs(memory.VOCABULARIES.items(), _text, _whole),
        **{f"bytes {name}": _whole(memory.SIZES[number]) for name, number in FORMATS.items()},
    }


def figures() -> dict[str, str]:
    """What the claims say that papers print, as terms of Coq, by the name in ``figures.v``.

    >>> figures()["times_8"]
    '[(0%nat, "1280"%string); (150%nat, "1220"%string); (500%nat, "1190"%string); (1000%nat, "1130"%string)]'
    """
    return {**_table_1(), **_scores_and_times(), **_other_figures()}


def values() -> dict[str, tuple[Fraction, Fraction]]:
    """Printed texts of TASC's tables, with the number that each is for the claims, and one in its last place.

    >>> [str(number) for number in values()["33.53K"]]
    ['33530', '10']
    """
    cells = [cell for row in table1_columns.TABLE_1.values() for cell in row]
    scores = [score for row in table5_gain.TABLE_5.values() for score in row.values()]
    times = [time for rows in tables.RUNTIMES.values() for _, time in rows]
    epochs = [score for rows in tables.TABLE_7.values() for _, score in rows]
    texts = [*cells, *table1_columns.RECOMPUTED.values(), *scores, *times, *epochs, *speedup_range.PRINTED.values()]
    return {text: (value(text), unit_of(text)) for text in [*texts, *PRINTED_SIZES.values()]}


def comparison(terms: Mapping[str, str], numbers: Mapping[str, tuple[Fraction, Fraction]]) -> str:
    """A Coq file that is accepted where ``figures.v`` has these figures, and reads these numbers.

    >>> print(comparison({"runs": "124%nat"}, {"0.5": (Fraction(1, 2), Fraction(1, 10))}), end="")
    Require Import QArith String List figures.
    Import ListNotations.
    Goal runs = 124%nat. reflexivity. Qed.
    Goal (value "0.5"%string == 1 # 2)%Q. reflexivity. Qed.
    Goal (unit_of "0.5"%string == 1 # 10)%Q. reflexivity. Qed.
    """
    lines = ["Require Import QArith String List figures.", "Import ListNotations."]
    lines += [f"Goal {name} = {term}. reflexivity. Qed." for name, term in terms.items()]
    for text, (number, unit) in numbers.items():
        lines.append(f"Goal (value {_text(text)} == {_fraction(number)})%Q. reflexivity. Qed.")
        lines.append(f"Goal (unit_of {_text(text)} == {_fraction(unit)})%Q. reflexivity. Qed.")
    return "\n".join(lines) + "\n"


def _fraction(number: Fraction) -> str:
    """A fraction in Coq.

    >>> _fraction(Fraction(-1, 2))
    '(-1) # 2'
    """
    numerator = f"({number.numerator})" if number < 0 else str(number.numerator)
    return f"{numerator} # {number.denominator}"
