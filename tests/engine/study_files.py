"""Studies as a user keeps them in a file, for the tests of the command line."""

COINS = """
import time
import numpy as np
from simspec.kernels import random as philox
from simspec.studies import HalfWidth, Mean, Share, Study, cross

def flip(cell, rows, device):
    time.sleep(cell.get("seconds", 0))
    if cell["bias"] > 1:
        raise RuntimeError("a coin cannot be like that")
    u = philox.uniform(rows.key, rows.numbers, [0, 1])
    return {"heads": u[:, 0] < cell["bias"], "sum": u.sum(axis=1), "both": u < cell["bias"]}

measures = {"heads": Share(), "sum": Mean(0, 2), "both": Share()}

def study(grid, **options):
    return Study("coins", "How often heads?", grid, flip, rows=100, measures=measures, **options)

coins = study(cross(bias=(0.25, 0.5)), stop=HalfWidth("heads", 0.05))
slow = study(cross(bias=(0.25, 0.5), seconds=(0.05,)))
broken = study(cross(bias=(0.5, 2)))
sure = study(({"bias": 1},))
named = study(cross(bias=(0.25,), corpus=("wiki [dev]", "wiki [test]", "[/nope]", "$\\\\frac $")))
bracketed = Study("bracketed", "?", ({"bias": 1},), flip, measures={"a[b]": Share()})
"""
