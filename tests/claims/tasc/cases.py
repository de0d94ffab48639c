"""What several files of tasc.* tests use."""

from math import log

from simspec.claims.tasc.table1_columns import TABLE_1

HEADS = ("ΔH", "ratio")


def plain_entropy(p) -> float:
    return -sum(float(x) * log(x) for x in p if x)


def cell(task: str, column: str) -> dict[str, str]:
    first = 3 * HEADS.index(column)
    source, target, printed = TABLE_1[task][first : first + 3]
    return {"task": task, "column": column, "input": source, "output": target, "printed": printed}
