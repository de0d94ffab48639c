(** Marks of two tokens that differ, or of none. *)
From Simspec Require Export defined.

Lemma Sum_delta_scaled lo hi a c : (lo <= a <= hi)%Z -> Sum lo hi (fun k => delta k a * c) = c.
Proof.
  intro R. transitivity (Sum lo hi (fun k => c * delta k a)); [apply Sum_ext; intros; ring|].
  rewrite Sum_scal, Sum_delta by exact R. ring.
Qed.
Ltac meets_pair := first
  [ rewrite !Sum_delta_scaled by in_range; reflexivity
  | unfold delta; repeat match goal with |- context [Z.eq_dec ?a ?b] => destruct (Z.eq_dec a b) end; subst; first [lra | ring | congruence] ].
