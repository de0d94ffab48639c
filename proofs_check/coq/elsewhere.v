(** Names that are free at some places: quotients where the denominator is 0, and marks that may be 0 or 1. *)
From Simspec Require Export wider.

Ltac free_known := match goal with
  | H : forall _, _ |- _ => solve [apply H; first [lia | assumption] | apply H]
  | |- _ => assumption
  end.
(** What is known of all places, at those at hand. *)
Ltac at_places := repeat match goal with
  | H : forall k : Z, (?lo <= k <= ?hi)%Z -> _, R : (?lo <= ?k <= ?hi)%Z |- _ =>
      let T := type of (H k R) in lazymatch goal with _ : T |- _ => fail | _ => pose proof (H k R) end
  | H : forall k : Z, (1 <= k)%Z -> _, R : (1 <= ?k)%Z |- _ =>
      let T := type of (H k R) in lazymatch goal with _ : T |- _ => fail | _ => pose proof (H k R) end
  end.
Ltac decide_free :=
  unfold is_0, at_least_0, above_0, at_most_0, below_0, is_zero, not_below, delta, Rmax in *;
  repeat match goal with
  | |- context [Z.eq_dec ?a ?b] => destruct (Z.eq_dec a b)
  | |- context [Req_EM_T ?a ?b] => destruct (Req_EM_T a b)
  | |- context [Rle_lt_dec ?a ?b] => destruct (Rle_lt_dec a b)
  | |- context [Rlt_le_dec ?a ?b] => destruct (Rlt_le_dec a b)
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
  end;
  cbn [andb negb] in *;
  repeat match goal with
  | |- context [andb ?b _] => is_var b; destruct b
  | |- context [andb (?b ?j) _] => destruct (b j)
  | |- context [andb (?b ?j ?k) _] => destruct (b j k)
  end;
  unfold marked, whole_marked in *; cbn [andb negb] in *.
Ltac meets_free_mark := decide_free; first
  [ lra | lia | nra | marks; lra
  | at_places; marks; first [lra | nra]
  | apply Rle_ge; wide_not_negative | wide_not_negative ].
(** Where a product is 0, the goal with each factor for 0; and where a difference is, one side for the other. *)
Ltac zero_factors := repeat match goal with
  | H : ?a * ?b = 0 |- _ => destruct (Rmult_integral a b H); clear H
  end.
Ltac equal_sides := match goal with
  | E : ?a + ?c = 0 |- _ => let Q := fresh in assert (Q : a = - c) by lra; rewrite Q; first [ring | lra]
  end.
Ltac at_zero := zero_factors; first
  [ free_known | equal_sides
  | solve [zeros_in_goal; least_of_zero]
  | solve [vanish; at_tokens; zeros_in_goal; least_of_zero] ].
Ltac meets_elsewhere := cbv beta; first
  [ match goal with
    | |- Sum _ _ _ = 1 => apply Sum_over; [first [reflexivity | lra] | cbv beta; free_known]
    | |- over _ _ _ <= 1 => apply over_le_1; [first [wide_below | wide_not_negative] | wide_not_negative | free_known]
    | |- 0 <= over _ _ _ => apply over_nonneg; [wide_not_negative | wide_not_negative | free_known]
    | |- context [over ?n ?d ?other] => unfold over; let E := fresh "E" in destruct (Req_EM_T d 0) as [E | E];
        [ first [free_known | solve [zeros_in_goal; least_of_zero] | solve [at_zero]]
        | first [free_known | lra | solve [field; other_than_0]
                | solve [replace (n / d) with 1 by (field; other_than_0); first [ring | lra]]
                | solve [replace (n / d) with 0 by (field; other_than_0); first [ring | lra]]] ]
    end
  | solve [unfold over; at_places; meets_free_mark]
  | solve [meets_free_mark] ].
