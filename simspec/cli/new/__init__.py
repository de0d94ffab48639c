"""`simspec new rule|claim|study|proof NAME`: a file of one's own that runs as it is; what is to be replaced is marked STUB.

In a clone, `simspec new claim PAPER.ID` begins a claim of the registry, with its proof and test at their paths
(`simspec.cli.new.clone`), and `simspec new paper KEY` a paper (`simspec.cli.new.paper`).
"""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path
from string import Template

from simspec.cli.new.first_proof import DERIVATION

__all__ = ["KINDS", "add_arguments", "run", "text_of"]

RULE = '''\
"""STUB: say what the rule does. This one accepts a draft with probability min(1, p/d) to some power."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from simspec import laws, methods
from simspec.claims import authoring, balls
from simspec.methods import parameters


def $name(exponent: Fraction | float = Fraction(9, 10)) -> methods.Method:
    """STUB: a function from the rule's numbers to the rule; a rule without numbers can be a `methods.Method` of this name."""

    def accept(p: laws.Array, d: laws.Array) -> laws.Array:
        """Accepted mass of each draft token, at most d, the distribution that drafts are drawn from.

        On fractions a power is a ball (a certified enclosure), and `balls.enclose` makes d one. On floats both are NumPy's.
        """
        chance = np.minimum(laws.ratio(p, d), 1)
        return balls.enclose(d) * balls.power(chance, parameters.number(exponent, like=p))

    method = dataclasses.replace(methods.SD, accept=accept)  # drafts, and draws after a rejection, as SD does
    return method.made_by($name, exponent)  # so that it prints, compares and pickles


def _instances(draw: authoring.Draw) -> authoring.Instance:
    """STUB: draw instances; everything that the statement allows must be possible here."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q, "exponent": draw.number(Fraction(1, 4), 1)}


def _tv(p: laws.Array, q: laws.Array, exponent: Fraction | float) -> laws.Array:
    return methods.tv($name(exponent), p, q)


def _gain(p: laws.Array, q: laws.Array, exponent: Fraction | float) -> laws.Array:
    return methods.acceptance_rate($name(exponent), p, q) - balls.enclose(laws.overlap(p, q))


${CONSTANT}_TV = authoring.bound(
    name="own.$id",
    statement="STUB, a first theorem: the total variation from the target is at most the gain over speculative decoding",
    reference="STUB: this file",
    instances=_instances,
    lhs=_tv,
    rhs=_gain,
)
'''

CLAIM = '''\
"""STUB: say where the statement is from."""

from __future__ import annotations

import numpy as np

from simspec.claims.claim import Instance
from simspec.claims.draw import Draw
from simspec.claims.authoring import bound, law


def _instances(draw: Draw) -> Instance:
    """STUB: draw instances; everything that the statement allows must be possible here."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


$CONSTANT = bound(
    name="own.$id",
    statement=r"STUB: write the statement as it is printed: $$\\sum_x \\min(p_x, q_x) \\le 1$$",
    reference="STUB: the paper and the number",
    instances=_instances,
    lhs=lambda p, q: np.minimum(p, q).sum(axis=-1),
    rhs=lambda: 1,
    tight=[{"p": law("1/2", "1/2"), "q": law("1/2", "1/2")}],
    note="STUB: say in a sentence or two why it holds or fails.",
)
'''

STUDY = '''\
"""STUB: write the question in one line."""

from __future__ import annotations

from typing import Any

from simspec.engine.study import Cell, Rows
from simspec.laws import overlap, softmax
from simspec.logits import Draws, gaussian
from simspec.studies import HalfWidth, Mean, Study, cross


def _simulate(cell: Cell, rows: Rows, device: str) -> dict[str, Any]:
    """STUB: return one float per row for each value; take random numbers only from the key and numbers of the rows."""
    z = gaussian(Draws(rows.key, rows.numbers), cell["vocab"], scale=2)
    return {"alpha": overlap(softmax(z), softmax(z, cell["temperature"]))}


$name = Study(
    name="own.$id",
    question="STUB: How does the acceptance rate depend on the drafter's temperature?",
    grid=cross(temperature=(0.5, 0.8, 1.25, 2.0), vocab=(100,)),
    simulate=_simulate,
    rows=64,
    measures={"alpha": Mean()},
    stop=HalfWidth("alpha", 0.02),
)
'''

PROOF = (
    '''\
"""STUB: write the idea of the proof in one line."""

from __future__ import annotations

import sympy as sp
from proofs_check.language import Derivation, Proof, le, total, x

from $name import $CONSTANT


'''
    + DERIVATION
)

KINDS = {
    "rule": (
        RULE,
        "$name.py",
        ("simspec verify $file --effort quick", "simspec rates --bank wiki --rule $file:$name --rule $file:$name:0.5"),
    ),
    "claim": (CLAIM, "$name.py", ("simspec verify $file:$CONSTANT",)),
    "study": (STUDY, "$name.py", ("simspec study run $file:$name",)),
    "proof": (PROOF, "${name}_proof.py", ("python -m proofs_check $file",)),
}
"""What can be begun: the text, the name of the file, and the commands that run it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    kinds = [*KINDS, "paper"]
    parser.add_argument("kind", choices=kinds, metavar="KIND", help=f"what to write: one of {', '.join(kinds)}")
    name_help = (
        "name in lower-case words with hyphens, such as my-rule; for a proof, the name of its claim; in "
        "a clone, an id such as rdk.my-claim, or the key of a paper"
    )
    parser.add_argument("name", metavar="NAME", help=name_help)
    where = "file to write, or the folder to write it to (default: NAME.py in the current folder)"
    parser.add_argument("--out", type=Path, metavar="PATH", help=where)
    title = "title of a paper for the bibliography (default: a stub)"
    parser.add_argument("--title", metavar="TEXT", help=title)
    claims = (
        "of a paper: names of its claims in its own order, such as my-claim; each gets a file (default: first-claim)"
    )
    parser.add_argument("--claims", nargs="+", metavar="CLAIM", help=claims)
    parser.add_argument("--heading", metavar="TEXT", help="of a paper: what it is called in the report (default: KEY)")
    work = "of a paper: the key of its entry in the bibliography, where it has one; no other entry is written"
    parser.add_argument("--work", metavar="ENTRY", help=work)


def run(args: argparse.Namespace) -> int:
    """The command itself; returns its exit status."""
    for option in ("title", "claims", "heading", "work"):
        if (value := getattr(args, option)) is not None and args.kind != "paper":
            raise ValueError(f"--{option}: {value!r}; only `simspec new paper KEY` takes this option")
    if args.kind == "paper" or (args.kind == "claim" and "." in args.name):
        return _in_clone(args)
    words = _words(args.name)
    _, file, commands = KINDS[args.kind]
    path = args.out if args.out is not None else Path()
    if path.suffix != ".py":
        path /= Template(file).substitute(words)
    if path.exists():
        raise ValueError(f"--out: {path} exists; expected a path that does not exist yet")
    if args.kind == "proof" and not path.with_name(f"{words['name']}.py").is_file():
        raise ValueError(
            f"NAME: no {words['name']}.py in {path.parent}; write the claim first: `simspec new claim {args.name}`"
        )
    from simspec.files import write_text

    write_text(text_of(args.kind, args.name), path)
    print(f"written: {path}")
    for command in commands:
        print(f"next: {Template(command).substitute(words, file=path)}")
    return 0


def _in_clone(args: argparse.Namespace) -> int:
    """Begin a claim of the registry, or a paper, in the clone that this package is of."""
    from simspec.cli.new import clone, paper

    if args.out is not None:
        raise ValueError(
            f"--out: {str(args.out)!r}; a {args.kind} of the registry has a fixed path in the clone: leave --out out"
        )
    if args.kind == "paper":
        claims = args.claims or paper.FIRST
        lines = paper.write_paper(args.name, args.title, clone.ROOT, claims, args.work, args.heading)
    else:
        lines = clone.write_stubs(args.name, clone.ROOT)
    print(*lines, sep="\n")
    return 0


def text_of(kind: str, name: str) -> str:
    """Text of a new file.

    >>> "MY_BOUND = bound(" in text_of("claim", "my-bound")
    True
    >>> text_of("claim", "my bound")
    Traceback (most recent call last):
    ...
    ValueError: NAME: 'my bound'; expected lower-case words with hyphens, such as my-rule
    """
    return Template(KINDS[kind][0]).substitute(_words(name))


def _words(name: str) -> dict[str, str]:
    """What stands for a name in the texts."""
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", name) or keyword.iskeyword(module):
        raise ValueError(f"NAME: {name!r}; expected lower-case words with hyphens, such as my-rule")
    return {"name": module, "CONSTANT": module.upper(), "id": name.replace("_", "-")}
