(** What names of the derivations are defined by, and that such names meet what derivations are given of them. *)
From Simspec Require Export prelude.

(** ** Definitions *)

(** A quotient, and another number where the denominator is 0. *)
Definition over (n d other : R) : R := if Req_EM_T d 0 then other else n / d.
(** 1 where a number is 0, and where it is 0 or more; 0 elsewhere. *)
Definition is_zero (e : R) : R := if Req_EM_T e 0 then 1 else 0.
Definition not_below (e : R) : R := if Rle_lt_dec 0 e then 1 else 0.
(** The same as a whole number, at most a mark that is 0 or 1. *)
Definition whole_mark (e top : R) : Z := if Rle_lt_dec 0 e then if Req_EM_T top 1 then 1%Z else 0%Z else 0%Z.
(** 1 at the first place where a function is largest, 0 at the others. *)
Definition at_largest (lo hi : Z) (f : Z -> R) (k : Z) : R := delta k (largest_at lo hi f).

(** Whether a number is in a relation to 0, and the mark of what holds: 1, and 0 of what does not. *)
Definition is_0 (e : R) : bool := if Req_EM_T e 0 then true else false.
Definition at_least_0 (e : R) : bool := if Rle_lt_dec 0 e then true else false.
Definition above_0 (e : R) : bool := if Rlt_le_dec 0 e then true else false.
Definition at_most_0 (e : R) : bool := if Rle_lt_dec e 0 then true else false.
Definition below_0 (e : R) : bool := if Rlt_le_dec e 0 then true else false.
Definition marked (b : bool) : R := if b then 1 else 0.
Definition whole_marked (b : bool) : Z := if b then 1%Z else 0%Z.
(** The largest of finitely many numbers. *)
Definition largest (lo hi : Z) (f : Z -> R) : R := f (largest_at lo hi f).

(** ** What they meet *)

Lemma Sum_over lo hi f d other : Sum lo hi f = d -> Sum lo hi other = 1 -> Sum lo hi (fun k => over (f k) d (other k)) = 1.
Proof.
  intros F O. destruct (Req_EM_T d 0) as [Z|N].
  - rewrite <- O. apply Sum_ext. intros k _. unfold over. destruct (Req_EM_T d 0); [reflexivity | contradiction].
  - transitivity (Sum lo hi (fun k => / d * f k)).
    + apply Sum_ext. intros k _. unfold over. destruct (Req_EM_T d 0); [contradiction | unfold Rdiv; ring].
    + rewrite Sum_scal, F. field. exact N.
Qed.

Lemma Sum_delta lo hi a : (lo <= a <= hi)%Z -> Sum lo hi (fun k => delta k a) = 1.
Proof.
  intros [low high]. revert hi high.
  enough (E : forall hi, (lo - 1 <= hi)%Z -> Sum lo hi (fun k => delta k a) = if Z_le_dec a hi then 1 else 0).
  { intros hi high. rewrite E by lia. destruct (Z_le_dec a hi); [reflexivity | lia]. }
  apply (Sum_ind (fun hi => Sum lo hi (fun k => delta k a) = if Z_le_dec a hi then 1 else 0)).
  - rewrite Sum_none by lia. destruct (Z_le_dec a (lo - 1)); [lia | reflexivity].
  - intros h H IH. rewrite Sum_last by lia. rewrite IH. unfold delta.
    destruct (Z_le_dec a h), (Z_le_dec a (h + 1)), (Z.eq_dec (h + 1) a); try lia; lra.
Qed.

Lemma Sum_at_largest lo hi f : (lo <= hi)%Z -> Sum lo hi (at_largest lo hi f) = 1.
Proof. intro H. apply (Sum_delta lo hi (largest_at lo hi f)), largest_range, H. Qed.

Lemma at_largest_most lo hi f k m : (lo <= m <= hi)%Z -> (f k - f m) * at_largest lo hi f k >= 0.
Proof.
  intro H. unfold at_largest, delta. destruct (Z.eq_dec k (largest_at lo hi f)) as [-> | _]; [|lra].
  pose proof (largest_most lo hi f m H). lra.
Qed.

(** A sum of numbers that are not negative is 0 where all are. *)
Lemma Sum_zero_terms lo hi f : (forall k, (lo <= k <= hi)%Z -> 0 <= f k) -> Sum lo hi f = 0 ->
  forall k, (lo <= k <= hi)%Z -> f k = 0.
Proof. intros P S k H. pose proof (Sum_term lo hi f k P H). pose proof (P k H). lra. Qed.

Lemma over_nonneg n d other : 0 <= n -> 0 <= d -> 0 <= other -> 0 <= over n d other.
Proof.
  intros N D O. unfold over. destruct (Req_EM_T d 0) as [E|E]; [exact O|].
  apply Rmult_le_pos; [exact N | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.
Lemma over_le_1 n d other : n <= d -> 0 <= d -> other <= 1 -> over n d other <= 1.
Proof.
  intros N D O. unfold over. destruct (Req_EM_T d 0) as [E|E]; [exact O|].
  apply (Rmult_le_reg_r d); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by exact E. lra.
Qed.
Lemma marked_nonneg b : 0 <= marked b.
Proof. unfold marked. destruct b; lra. Qed.
Lemma is_zero_nonneg e : 0 <= is_zero e.
Proof. unfold is_zero. destruct (Req_EM_T e 0); lra. Qed.
Lemma not_below_nonneg e : 0 <= not_below e.
Proof. unfold not_below. destruct (Rle_lt_dec 0 e); lra. Qed.
Lemma at_largest_nonneg lo hi f k : 0 <= at_largest lo hi f k.
Proof. apply delta_nonneg. Qed.
Lemma is_zero_positive e : 0 <= e -> 0 < is_zero e + e.
Proof. intro H. unfold is_zero. destruct (Req_EM_T e 0); lra. Qed.
Lemma mark_cases {u} : u ^ 2 = u -> u = 0 \/ u = 1.
Proof. intro H. assert (E : u * (u - 1) = 0) by lra. destruct (Rmult_integral u (u - 1) E); [left | right]; lra. Qed.
Lemma mark_cases_product {u} : (1 + -1 * u) * u = 0 -> u = 0 \/ u = 1.
Proof. intro H. apply mark_cases. lra. Qed.

(** ** Tactics *)

(** What is not negative: by signs, by what is given of all places, and differences of sums by their terms. *)
Ltac given := match goal with
  | H : forall _, _ |- _ => solve [apply H; lia | apply H | apply Rge_le, H; lia | apply Rge_le, H | apply Rlt_le, Rgt_lt, H; lia]
  end.
Ltac sign := first [lra | positive | given].
Ltac below := first [lra | apply Rmin_l | apply Rmin_r | apply Rmax_l | apply Rmax_r | given].
Ltac not_negative := first
  [ sign
  | apply over_nonneg; not_negative | apply marked_nonneg | apply sqrt_pos | apply is_zero_nonneg | apply not_below_nonneg | apply at_largest_nonneg | apply delta_nonneg
  | match goal with
    | |- 0 <= ?a * ?b => apply Rmult_le_pos; not_negative
    | |- 0 <= Sum _ _ _ => apply Sum_nonneg; intros; cbv beta; not_negative
    | |- 0 <= Rmax ?a _ => solve [apply Rle_trans with a; [not_negative | apply Rmax_l]]
    | |- 0 <= Rmin _ _ => apply Rmin_glb; not_negative
    | |- 0 <= Sum ?lo ?hi ?f + -1 * Sum ?lo ?hi ?g =>
        enough (Sum lo hi g <= Sum lo hi f) by lra; apply Sum_le; intros; cbv beta; below
    | |- 0 <= 1 + -1 * Sum ?lo ?hi ?g =>
        match goal with H : Sum lo hi ?f = 1 |- _ => enough (Sum lo hi g <= Sum lo hi f) by lra end;
        apply Sum_le; intros; cbv beta; below
    end ].

(** Of a sum that is 0, each term; of a product, a factor. *)
Ltac vanish := repeat match goal with
  | H : ?a * ?b = 0 |- _ => destruct (Rmult_integral a b H); clear H
  | H : 1 + -1 * ?a = 0 |- _ => assert (a = 1) by lra; clear H
  | H : Sum ?lo ?hi ?f = 0 |- _ =>
      assert (forall k, (lo <= k <= hi)%Z -> f k = 0) by (apply (Sum_zero_terms lo hi f); [intros; cbv beta; not_negative | exact H]);
      revert H
  end; intros; cbv beta in *.
Ltac at_tokens := repeat match goal with
  | N : forall k, (?lo <= k <= ?hi)%Z -> _ = 0, R : (?lo <= ?k <= ?hi)%Z |- _ =>
      let T := type of (N k R) in lazymatch goal with _ : T |- _ => fail | _ => pose proof (N k R) end
  end.
Ltac by_zeros := repeat match goal with
  | E : ?t = 0 |- context [?t] => rewrite E
  | E : ?t = 1 |- context [?t] => rewrite E
  end; first [ring | lra
  | match goal with |- context [Rmin ?a ?b] => first [rewrite (Rmin_right a b) by not_negative | rewrite (Rmin_left a b) by not_negative] end; first [ring | lra] ].
Ltac marks := repeat match goal with
  | H : ?u ^ 2 = ?u |- _ => apply mark_cases in H; destruct H as [H | H]; rewrite ?H in *
  | H : (1 + -1 * ?u) * ?u = 0 |- _ => apply mark_cases_product in H; destruct H as [H | H]; rewrite ?H in *
  end.
Ltac other_than_0 := repeat split; first [assumption | lra | let E := fresh in intro E; match goal with N : _ <> 0 |- _ => apply N; rewrite E; ring end].

(** Marks by what they stand for: each condition is decided, and what is left are statements on numbers. *)
Ltac is_not_0 := repeat match goal with
  | N : ?e <> 0 |- _ => let P := fresh in assert (P : 0 < e) by (let Q := fresh in assert (Q : 0 <= e) by not_negative; lra); clear N
  | N : ?e <> 0 |- _ => destruct (Rtotal_order e 0) as [? | [? | ?]]; [| exfalso; apply N; assumption |]; clear N
  end.
Ltac decide_conditions :=
  unfold is_0, at_least_0, above_0, at_most_0, below_0, is_zero, not_below, whole_mark, at_largest, delta, Rmax in *;
  repeat match goal with
  | |- context [Z.eq_dec ?a ?b] => destruct (Z.eq_dec a b)
  | |- context [Req_EM_T ?a ?b] => destruct (Req_EM_T a b)
  | |- context [Rle_lt_dec ?a ?b] => destruct (Rle_lt_dec a b)
  | |- context [Rlt_le_dec ?a ?b] => destruct (Rlt_le_dec a b)
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
  end;
  unfold marked, whole_marked in *; cbn [andb negb] in *;
  repeat match goal with |- context [if ?b then _ else _] => is_var b; destruct b | |- context [if ?b ?k then _ else _] => destruct (b k) end.
Ltac meets_mark := decide_conditions;
  first [lra | lia | marks; lra | is_not_0; first [lra | marks; lra] | vanish; at_tokens; by_zeros | not_negative | apply Rle_ge; not_negative | timeout 2 nra].

(** One marked token, and what an expression is there. *)
Ltac in_range := first [lia | assumption | match goal with H : forall _, _ |- _ => solve [apply H] end | apply largest_range; lia].
Ltac meets_token := unfold at_largest, delta in *;
  repeat match goal with |- context [Z.eq_dec ?a ?b] => destruct (Z.eq_dec a b) end; subst; first [lra | ring | congruence].

(** The largest of finitely many numbers is no less than any, and is one of them. *)
Ltac up_to_largest := match goal with
  | |- ?a <= largest ?lo ?hi ?f => match goal with R : (lo <= ?k <= hi)%Z |- _ =>
      apply Rle_trans with (f k); [cbv beta; solve [lra | up_to_largest] | exact (largest_most lo hi f k R)] end
  end.
Ltac one_of_sum := match goal with
  | |- ?e <= 1 => match goal with H : Sum ?lo ?hi ?f = 1 |- _ => match goal with R : (lo <= ?k <= hi)%Z |- _ =>
      apply Rle_trans with (Sum lo hi f); [| lra]; refine (Sum_term lo hi f k _ R); intros; cbv beta; not_negative end end
  end.
Ltac meets_largest := repeat match goal with
  | |- ?a >= ?b => apply Rle_ge
  | |- - largest ?lo ?hi ?f <= ?b => apply Ropp_le_cancel; rewrite Ropp_involutive
  end;
  first [up_to_largest
  | match goal with |- context [largest ?lo ?hi ?f] => unfold largest at 1;
      let R := fresh "R" in assert (R : (lo <= largest_at lo hi f <= hi)%Z) by (apply largest_range; lia);
      set (largest_at lo hi f) in *; cbv beta; first [lra | one_of_sum | not_negative] end].

(** What is given of a name that is defined: by lemmas on the definition, or by the cases of it. *)
Ltac meets_equation := match goal with
  | |- Sum _ _ _ = 1 => first [apply Sum_at_largest; lia | apply Sum_delta; in_range
      | apply Sum_over; [first [reflexivity | lra] | first [apply Sum_delta; lia | apply Sum_at_largest; lia]]]
  | |- context [over ?n ?d ?other] => unfold over; let E := fresh "E" in destruct (Req_EM_T d 0) as [E | E];
      [vanish; at_tokens; solve [by_zeros] | solve [lra | field; other_than_0]]
  | |- context [is_zero ?e] => unfold is_zero; let E := fresh "E" in destruct (Req_EM_T e 0) as [E | E]; first [ring | lra | rewrite E; ring | solve [by_zeros]]
  | |- context [not_below ?e] => unfold not_below; destruct (Rle_lt_dec 0 e); first [lra | marks; lra]
  | |- context [whole_mark ?e ?t] => unfold whole_mark; destruct (Rle_lt_dec 0 e), (Req_EM_T t 1); first [lra | marks; lra]
  | |- context [at_largest ?lo ?hi ?f ?k] => unfold at_largest, delta; destruct (Z.eq_dec k (largest_at lo hi f)); lra
  | |- sqrt ?e ^ 2 = _ => apply pow2_sqrt; not_negative
  end.
Ltac meets_inequality := match goal with
  | |- over _ _ _ <= 1 => apply over_le_1; [first [below | not_negative] | not_negative | lra]
  | |- context [at_largest ?lo ?hi ?f ?k] =>
      match goal with R : (lo <= ?m <= hi)%Z |- _ => pose proof (at_largest_most lo hi f k m R); cbv beta in *; lra end
  | |- context [Int_part ?r] => pose proof (base_Int_part r) as [? ?]; lra
  | |- context [is_zero ?e] => let P := fresh in assert (P : 0 <= e) by not_negative; pose proof (is_zero_positive e P); lra
  | |- context [not_below ?e] => unfold not_below; destruct (Rle_lt_dec 0 e);
      first [lra | marks; lra | match goal with |- context [Rmax ?a ?b] => destruct (Rle_lt_dec a b);
        [rewrite (Rmax_right a b) in * by lra | rewrite (Rmax_left a b) in * by lra] end; marks; lra]
  | |- context [whole_mark ?e ?t] => unfold whole_mark; destruct (Rle_lt_dec 0 e), (Req_EM_T t 1); first [lra | lia | marks; lra]
  end.
Ltac meets := cbv beta; first [reflexivity | lra | meets_equation | meets_inequality | not_negative | apply Rle_ge; not_negative
  | meets_token | meets_largest | meets_mark].
