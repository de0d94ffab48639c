"""The form of a function, from the names of what it takes; and processes that samplers would end."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import pytest

from simspec.audit import audit, exact
from simspec.audit.exits import exits_raise
from simspec.audit.forms import check_form, form_of


def takes(names: str):
    """A function that takes these names."""
    return eval(f"lambda {names}: None")


@pytest.mark.parametrize(
    ("names", "form"),
    [
        ("p, q, n, rng", "sampler"),
        ("target, draft, batch_size, generator", "sampler"),
        ("p, q, drafts, coins", "uniforms"),
        ("p, q, draft_tokens, uniforms", "uniforms"),
        ("p, q, drafted, rng", "numpy"),
        ("p, q, drafts, generator", "torch"),
        ("q, p, n, rng", "swapped"),
        ("candidate_input_ids, candidate_logits, candidate_length, new_logits, is_done_candidate", "transformers"),
        ("draft_token_ids, num_draft_tokens, max_spec_len, cu_num_draft_tokens, draft_probs", "vllm"),
        ("draft_token_ids, draft_logprobs, target_logprobs", "flashspec"),
        ("draft_model, target_model, input_ids, gamma", "seqspecdecod"),
        ("p, q, n_drafts, generator", None),
        ("a, b, c, d", None),
        ("*given", None),
        ("p, q", None),
    ],
)
def test_forms_are_told_by_names(names, form) -> None:
    assert form_of(takes(names)) == form


@pytest.mark.parametrize("names", ["p, q, drafts, coins", "p, q, drafts, rng", "q, p, n, rng", "p, q, n", "p, q"])
def test_audit_refuses_another_form(names) -> None:
    with pytest.raises(ValueError, match=r"sampler: <lambda> takes \(.*\); expected \(p, q, n, rng\)"):
        audit(takes(names))


@pytest.mark.parametrize("names", ["p, q, n, rng", "p, q, drafts, rng", "p, q, drafts"])
def test_exact_mode_refuses_another_form(names) -> None:
    with pytest.raises(ValueError, match=r"takes \(.*\); expected \(p, q, drafts, uniforms\)"):
        exact(takes(names))


@pytest.mark.parametrize(
    "function", [takes("*given"), takes("a, b, c, d, e=0"), partial(takes("a, b, c, d, e"), 0), max]
)
def test_what_may_be_called_with_four_is_taken(function) -> None:
    check_form(function, "sampler")
    check_form(function, "uniforms")


def test_forms_that_names_do_not_tell_apart_are_taken() -> None:
    """A generator may be NumPy's or PyTorch's; engines' functions have forms with like names."""
    for names in ("p, q, drafts, generator", "p, q, drafts, rng"):
        for form in ("numpy", "one", "torch"):
            check_form(takes(names), form)
    check_form(takes("draft_token_ids, num_draft_tokens, target_probs"), "vllm-one-hot")
    with pytest.raises(ValueError, match="add --form vllm"):
        check_form(takes("draft_token_ids, num_draft_tokens, target_probs, x"), "sampler")


def test_processes_that_are_forked_within_end_as_always() -> None:
    """And after the audit the process does, too."""
    code = """
import os
from simspec.audit.exits import exits_raise
real = os._exit
with exits_raise(everywhere=True), exits_raise():
    if (child := os.fork()) == 0:
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    try:
        os._exit(0)
    except SystemExit as error:
        print(error, flush=True)
assert os._exit is real
os._exit(5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()) == (5, ["7", "os._exit(0)"])


def test_an_exit_in_python_is_a_verdict() -> None:
    def leaves(p, q, n, rng):
        os._exit(0)

    report = audit(leaves, calls=250)
    assert report.exit_status == 1 and "os._exit(0)" in report.words() and "would end the process" in report.words()
    with pytest.raises(SystemExit, match="os._exit"), exits_raise(everywhere=True):
        os._exit(0)


def test_other_threads_of_a_users_process_may_end_it() -> None:
    code = "import os\nfrom simspec.audit.exits import exits_raise\nwith exits_raise():\n    os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
