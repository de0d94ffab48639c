"""All attacks, in the order of the page."""

from __future__ import annotations

from proofs_check.rules.derivation import Derivation
from tests.proofs_check.attacks.again.groups import GROUPS
from tests.proofs_check.attacks.again.opaque import OPAQUE
from tests.proofs_check.attacks.again.strangers import STRANGERS
from tests.proofs_check.attacks.again.texts import TAKEN
from tests.proofs_check.attacks.arguments import ARGUMENTS
from tests.proofs_check.attacks.attack import Attack
from tests.proofs_check.attacks.claimed import CLAIMED
from tests.proofs_check.attacks.claims import CLAIMS
from tests.proofs_check.attacks.detail import DETAILS
from tests.proofs_check.attacks.disguise import DISGUISES
from tests.proofs_check.attacks.earlier import WAYS
from tests.proofs_check.attacks.files import FILES
from tests.proofs_check.attacks.formulas import FORMULAS
from tests.proofs_check.attacks.fresh.export import SCRIPTS
from tests.proofs_check.attacks.fresh.formulas import BEHIND
from tests.proofs_check.attacks.fresh.native import MEANING
from tests.proofs_check.attacks.fresh.own import FALSE_OWN
from tests.proofs_check.attacks.fresh.records import SAID
from tests.proofs_check.attacks.functions import FUNCTIONS
from tests.proofs_check.attacks.guarded.counted import COUNTS
from tests.proofs_check.attacks.guarded.named import NAMED
from tests.proofs_check.attacks.guarded.patched import PATCHED
from tests.proofs_check.attacks.guarded.places import PLACES
from tests.proofs_check.attacks.guarded.rare import RARE
from tests.proofs_check.attacks.instances import INSTANCES
from tests.proofs_check.attacks.meant.export import EXPORT
from tests.proofs_check.attacks.meant.formulas import CHANGED
from tests.proofs_check.attacks.meant.kept import KEPT
from tests.proofs_check.attacks.meant.native import NATIVE
from tests.proofs_check.attacks.running import RUNNING
from tests.proofs_check.attacks.word.bridge import BRIDGE
from tests.proofs_check.attacks.word.files import FILES as REACHING
from tests.proofs_check.attacks.word.own import OWN
from tests.proofs_check.attacks.word.records import RECORDS
from tests.proofs_check.attacks.word.statements import STATEMENTS
from tests.proofs_check.attacks.written import WRITTEN

__all__ = [
    "ALL",
    "EARLIER",
    "FRESH",
    "GUARDED",
    "HOLES",
    "HOSTILE",
    "LAST",
    "LATER",
    "MEANT",
    "MESSAGES",
    "NEWEST",
    "OPEN",
    "REFEREED",
    "RUNNING",
    "WORD",
]

EARLIER = [
    Attack(
        name,
        "earlier",
        " ".join(
            (way.__doc__ if name == way.__name__ and way.__doc__ else name.replace("_", " ")).split()
        ).removesuffix("."),
        lambda way=way: way(Derivation("an attack")),  # type: ignore[misc]
    )
    for name, way in WAYS.items()
]
"""What referees found, and what was found while their holes were closed."""
FRESH = [*FORMULAS, *ARGUMENTS, *CLAIMS, *DISGUISES, *DETAILS]
"""The campaign that followed, by one who knew the rules."""
REFEREED = [*WRITTEN, *FUNCTIONS, *INSTANCES, *CLAIMED, *FILES]
"""Those of a hostile referee, who had not written the rules; each has a twin that is accepted."""
LATER = [*GROUPS, *TAKEN]
"""A campaign after rules were added, by one who had written these and none of the others; each has a twin that is accepted."""
LAST = STRANGERS
"""One by somebody who had written none of the rules and none of the attacks before."""
NEWEST = OPAQUE
"""After a review: what SymPy evaluates and runs, and names that exempt; each has a twin that is accepted."""
WORD = [*OWN, *STATEMENTS, *REACHING, *BRIDGE, *RECORDS]
"""On the words `proved` and `derived`, by one who had written neither rules nor exporter; each names what refuses it."""
MEANT = [*NATIVE, *EXPORT, *CHANGED, *KEPT]
"""On what `proved` means, by one who had written none of all this: theorems by hand, scripts, formulas that were changed."""
HOSTILE = [*FALSE_OWN, *BEHIND, *SAID, *SCRIPTS, *MEANING]
"""By a referee who had written none of all this: what a hash, a record, a script and a statement on record leave out."""
GUARDED = [*PATCHED, *RARE, *PLACES, *COUNTS, *NAMED]
"""On what guards a check, on places and texts, and on counts, by one who had written none of all this."""
MESSAGES = [*WORD, *MEANT, *HOSTILE, *RUNNING, *GUARDED]
"""Those of which each says by which part of a message it is refused."""
ALL = [*EARLIER, *FRESH, *REFEREED, *LATER, *LAST, *NEWEST, *MESSAGES]
GUARDED_BEFORE = frozenset(
    """
guard_comparison guard_lists guard_method guard_method_code guard_of_the_guard_alone
rare_loaded_and_put_back rare_remembered rare_closure rare_default_of_a_solver
rare_another_solver rare_table_of_signs rare_table_of_signs_in_place
counted_rearranged counted_rearranged_order counted_sum_of_the_first typed_concluded
answered_another_process answered_another_text answered_another_coq
""".split()
)
"""Those of that campaign that were accepted when they were first made, and are refused now."""
SOUND_BEFORE = frozenset(
    """
condition_under_an_integral number_that_is_larger logarithm_of_a_product_below_zero logarithm_of_a_square_from_one_on
logarithm_of_a_sum power_of_zero two_sequences_of_one_another place_of_the_largest_before_it_is_known
term_of_what_may_be_negative mean_value_of_a_sum_to_a_real_number
""".split()
)
"""Those of the newest that were refused when they were first made, too."""
MEANT_BEFORE = frozenset(
    """
native_nested_comment native_text_that_opens_a_comment native_abandoned native_inner_module native_theorem_in_a_module
native_infix native_notation_of_a_number native_supposed_with_a_clock native_supposed_with_a_limit native_coercion
native_kind_of_a_name native_definition_by_a_proof native_definition_by_a_tactic native_statement_by_a_tactic
native_definition_with_a_clock native_definition_with_attributes native_definition_by_another_word
native_lemma_that_defines native_second_of_two native_module_of_another_name native_constructor native_another_scope
native_scope_of_a_sign native_file_that_is_loaded
export_end_of_a_sequence export_end_of_a_recursion export_one_member_beside_the_first export_root_beside_its_child
export_two_counters export_end_beside_a_quotient export_cited_in_a_case export_value_of_a_map_beyond_its_range
export_cube_root_of_nothing export_fourth_root_of_a_mass export_two_ranges export_two_laws_of_motion
export_a_member_that_a_map_finds
formula_attribute_of_a_methods_object formula_attribute_that_a_call_sets formula_array_that_a_call_changes
formula_list_that_a_function_changes formula_one_of_two_definitions formula_one_of_two_functions formula_function_for_a_class
kept_sum kept_axiom kept_power
""".split()
)
"""Those of the last campaign that were accepted when they were first made."""
HOSTILE_SOUND_BEFORE = frozenset(
    """
mine_array_that_equals_all mine_whole_number_that_equals_all mine_enclosure_of_all mine_no_number mine_without_end
behind_masked_entries script_a_place_that_a_number_hides script_power_of_nothing
""".split()
)
"""Those of the hostile referee that were refused when they were first made, too."""
RUNNING_BEFORE = frozenset("running_name running_code running_built_in running_loaded".split())
"""Those by code that runs in the middle of a check that were accepted when they were first made."""
OPEN: frozenset[str] = frozenset()
"""Those that are accepted, and must not be."""
HOLES = (
    frozenset(
        """
code_that_NumPy_unpacks_under_another_name_of_NumPy NumPy_passed_on,_so_that_nobody_sees_what_is_taken_of_it
a_library_in_C_that_NumPy_opens a_text_that_SymPy_evaluates the_same_by_its_registry_of_numbers SymPy_under_its_own_name
annotations_that_Python_evaluates a_class_that_is_made_by_a_list_of_its_bases code_of_this_package_that_runs_a_file
a_file_that_this_package_writes a_package_that_unpacks_code all_of_a_module
array_with_signs_of_its_own array_that_is_never_nothing function_of_imaginary_values class_with_a_borrowed_module
class_that_is_equal_to_a_name number_named_like_a_token statement_of_another_class name_without_a_hash
pattern_as_a_name bound_name_taken_from_a_sum sum_written_without_normal_form sum_up_to_a_summed_name
product_that_captures quotient_as_a_place real_place
delta_within_a_range sequence_of_products sequence_with_a_fixed_place
value_that_changes values_that_change end_that_changes cited_of_one_number cited_slope
cited_twice number_that_equals_all function_with_a_memory array_with_a_memory range_that_shrinks
instance_that_is_changed numbers_too_close_to_compare enclosure_that_is_wide definition_told_otherwise
giving_is_forgotten one_of_a_thousand token_with_a_range where_the_largest_is name_as_what_is_summed_over
sum_counted_backwards cited_of_nothing cited_in_every_case cited_beyond_its_range claim_with_other_instances
claim_with_other_sides proof_of_another_class enumerated_as_drawn enumerated_by_one_value
memory_reached_under_another_name a_private_method_by_its_name a_private_method_by_a_pattern
the_checker_by_a_relative_name help_from_a_file_that_nobody_reads help_from_a_test a_derivation_under_another_name
a_class_of_symbols a_class_made_by_a_call equality_with_everything no_arithmetic SymPys_memory
an_assumption_in_passing code_from_SymPy code_from_a_name_of_Pythons a_file_that_is_read another_process
a_thread_that_waits
delta_of_a_number_between token_of_one_map_in_a_thousand
token_of_a_map_beyond_its_range number_that_is_called_as_an_array name_of_a_bound_place
what_a_module_of_the_package_has_imported_which_imports_anything NumPy_of_a_module_of_the_package_that_has_it
SymPy_of_another_proof a_file_that_a_module_of_the_package_can_write
a_library_that_a_module_of_the_package_has_reached_through_it a_module_of_another_proof_passed_on
the_records_of_what_is_decided a_table_of_rules_changed_in_place a_counterexample_changed_in_place
claim_put_into_the_list assumption_that_is_added
file_what_is_given_forgotten_by_a_derivation_that_is_called_self
file_a_rule_replaced_in_a_derivation_that_is_called_self file_the_steps_that_a_reader_sees_replaced
file_the_same_by_a_constructor_that_takes_another_for_itself file_the_same_by_a_function_that_is_called_as_a_constructor
file_the_same_inside_of_a_class file_the_same_in_a_pack_of_names file_the_same_in_a_loop file_what_Coq_is_given_replaced
file_the_same_by_deletion
run_another_statement_for_coq run_a_contradiction_for_coq run_another_definition_for_coq run_steps_for_coq_taken_out
coq_nothing_said coq_an_axiom_in_Greek_letters coq_a_recursion_that_does_not_end coq_a_type_that_is_not_positive
coq_a_universe_in_itself coq_a_hierarchy_that_is_one
record_whole_without_an_answer record_theorem_of_another_claim record_theorem_of_nowhere record_decided_with_a_digest
own_sign_of_a_nothing_under_erf own_whole_part_of_nearly_one own_logarithm_of_nearly_one
claim_false_at_one_law claim_false_of_large_vocabularies claim_rare_instance claim_an_assumption_that_ends_sooner
coq_a_power_that_is_less_than_none coq_a_theorem_that_says_nothing coq_a_theorem_that_cannot_fail
record_whole_in_spite_of_its_steps record_whole_of_no_text record_whole_by_hand record_part_that_is_said_to_be_whole
record_proofs_that_a_caller_brings record_verdicts_that_a_caller_brings
""".split()
    )
    | ({a.name for a in NEWEST} - SOUND_BEFORE)
    | MEANT_BEFORE
    | RUNNING_BEFORE
    | GUARDED_BEFORE
    | ({a.name for a in HOSTILE if not a.beyond} - HOSTILE_SOUND_BEFORE)
)
"""Those of the campaigns since then that the checker accepted when they were first made."""
