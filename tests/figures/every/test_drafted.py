"""What the title on drafted tokens says is in its stored rows, on the small pair and on SmolLM2 with both drafts."""

from __future__ import annotations

from simspec.figures import rows

WAYS = ("one context a call", "one context a level")
PAIRS = ("wiki, temperature 1", "wiki, temperature 0.5", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft")


def test_each_pair_has_a_panel_for_each_way_in_which_contexts_follow() -> None:
    assert sorted(rows("all.drafted").panels()) == sorted(f"{pair}, {way}" for pair in PAIRS for way in WAYS)


def test_most_of_many_drafted_tokens_are_accepted_on_a_tree_or_in_a_block() -> None:
    found = rows("all.drafted")
    for panel in found.panels():
        last = {name: found.of(panel, name)[-1].y for name in found.of(panel).series()}
        best = max(last, key=last.__getitem__)
        assert best.startswith("tree") or best == "block"
        assert last["block"] > last["token by token"] - 0.02


def test_one_drafted_token_is_accepted_as_by_speculative_decoding_and_the_better_draft_more() -> None:
    found = rows("all.drafted")
    first = {panel: found.of(panel, "token by token")[0].y for panel in found.panels()}
    for panel in found.panels():
        assert abs(found.of(panel, "one step, rejection")[0].y - first[panel]) < 1e-9
    assert all(first[f"{PAIRS[2]}, {way}"] < first[f"{PAIRS[3]}, {way}"] for way in WAYS)
