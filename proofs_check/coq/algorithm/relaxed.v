(** Rules of one step that emit another law than the target's, or keep drafts by another test. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless ears rdk dobrushin.
Import ListNotations.
Open Scope R_scope.

Section Residuals.

Variable V : nat.
Variables p q a : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis a_range : forall x, (x < V)%nat -> 0 <= a x <= 1.

(** The mass that is kept of a draft, k = q a; what no residual avoids; and the residual in proportion to (p - k)₊. *)
Definition kept_mass : nat -> R := kept q a.
Definition unavoidable : R := sum V (fun x => Rmax 0 (kept_mass x - p x)).
Definition best_residual (x : nat) : R := Rmax 0 (p x - kept_mass x) / sum V (fun y => Rmax 0 (p y - kept_mass y)).

Definition refused : R := 1 - sum V kept_mass.

Lemma rule_with r y : (y < V)%nat -> output (rule V q a (fun _ => r)) y = kept_mass y + refused * r y.
Proof.
  intros L. rewrite rule_output by easy. unfold kept_mass, replaced, refused. f_equal. rewrite sum_scale_right. f_equal.
  rewrite (sum_ext V _ (fun x => q x - kept q a x)) by (intros; unfold kept; ring). rewrite sum_minus.
  destruct draft_law as [_ ->]. easy.
Qed.

Lemma kept_le x : (x < V)%nat -> kept_mass x <= q x.
Proof.
  intros L. unfold kept_mass, kept. rewrite <- (Rmult_1_r (q x)) at 2.
  apply Rmult_le_compat_l; [now apply (law_nonneg V) | now apply a_range].
Qed.

Lemma refused_nonneg : 0 <= refused.
Proof.
  unfold refused. destruct draft_law as [_ One]. assert (sum V kept_mass <= 1); [|lra]. rewrite <- One.
  apply sum_le. apply kept_le.
Qed.

Lemma missing_mass : sum V (fun y => Rmax 0 (p y - kept_mass y)) = refused + unavoidable.
Proof.
  unfold refused, unavoidable. destruct target_law as [_ One]. rewrite <- One, <- sum_minus, <- sum_plus. apply sum_ext.
  intros x _. unfold Rmax. destruct (Rle_dec 0 (p x - kept_mass x)), (Rle_dec 0 (kept_mass x - p x)); lra.
Qed.

Lemma unavoidable_nonneg : 0 <= unavoidable.
Proof. apply sum_nonneg. intros. apply Rmax_l. Qed.

(** For given kept mass k <= q, no residual law brings the total variation of the output below Σ (k - p)₊, and the residual in
    proportion to (p - k)₊ attains it. *)
Theorem relaxed_optimal_residual :
  (forall r, law V r -> unavoidable <= tv V (output (rule V q a (fun _ => r))) p) /\
  tv V (output (rule V q a (fun _ => best_residual))) p = unavoidable.
Proof.
  pose proof refused_nonneg as F. pose proof unavoidable_nonneg as G. pose proof missing_mass as M. split.
  - intros r R. rewrite tv_positive.
    + apply sum_le. intros x L. rewrite rule_with by easy.
      assert (0 <= refused * r x) by (apply Rmult_le_pos; [easy | now apply (law_nonneg V)]).
      unfold Rmax. destruct (Rle_dec 0 (kept_mass x - p x)), (Rle_dec 0 (kept_mass x + refused * r x - p x)); lra.
    + rewrite (sum_ext V _ (fun x => kept_mass x + refused * r x)) by (intros; now apply rule_with).
      rewrite sum_plus, sum_scale. destruct R as [_ ->], target_law as [_ ->]. unfold refused. ring.
  - set (E := sum V (fun y => Rmax 0 (p y - kept_mass y))) in *.
    assert (S : refused * sum V best_residual = refused).
    { destruct (Req_dec E 0) as [Z|N].
      - assert (refused = 0) as -> by lra. ring.
      - unfold best_residual, Rdiv. fold E. rewrite sum_scale_right. fold E. rewrite Rinv_r by easy. ring. }
    rewrite tv_positive.
    + unfold unavoidable. apply sum_ext. intros x L. rewrite rule_with by easy. unfold best_residual. fold E.
      destruct (Req_dec E 0) as [Z|N].
      * assert (refused = 0) as -> by lra. f_equal. ring.
      * assert (W : 0 < E) by lra. unfold Rmax at 1 3. destruct (Rle_dec 0 (kept_mass x - p x)) as [K|K].
        -- rewrite (Rmax_left 0 (p x - kept_mass x)) by lra. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r.
           destruct (Rle_dec 0 (kept_mass x - p x)); [ring | easy].
        -- rewrite (Rmax_right 0 (p x - kept_mass x)) by lra.
           assert (B : refused * ((p x - kept_mass x) / E) <= p x - kept_mass x).
           { apply (Rmult_le_reg_l E); [easy|].
             replace (E * (refused * ((p x - kept_mass x) / E))) with (refused * (p x - kept_mass x)) by (field; lra).
             apply Rmult_le_compat_r; lra. }
           destruct (Rle_dec 0 (kept_mass x + refused * ((p x - kept_mass x) / E) - p x)); lra.
    + rewrite (sum_ext V _ (fun x => kept_mass x + refused * best_residual x)) by (intros; now apply rule_with).
      rewrite sum_plus, sum_scale, S. destruct target_law as [_ ->]. unfold refused. ring.
Qed.

(** EARS without tolerance, β = 0, with the residual after a rejection: the emitted token has the law p. *)
Theorem ears_beta_zero_residual : forall y, (y < V)%nat -> output (ears V p q 0) y = p y.
Proof.
  intros y L. unfold ears. replace (tolerance V p 0) with 0 by (unfold tolerance; ring).
  rewrite (output_gain V p q target_law draft_law 0 y) by (lra || easy).
  assert (Z : forall x, gain p q 0 x = 0).
  { intros x. unfold gain. rewrite Rmult_0_l. apply Rmin_right, Rmax_l. }
  rewrite Z, (sum_ext V _ (fun _ => 0)), sum_zero by (intros; apply Z). ring.
Qed.

End Residuals.

(** The target that a static ensemble verifies against. *)
Definition ensemble (w : R) (p q : nat -> R) (x : nat) : R := w * p x + (1 - w) * q x.

(** A static ensemble emits w p + (1 - w) q and accepts with probability 1 - w TV(p, q). *)
Theorem relaxed_ensemble_law V w p q : 0 <= w <= 1 -> law V p -> law V q ->
  (forall y, (y < V)%nat -> output (step V (ensemble w p q) q) y = w * p y + (1 - w) * q y) /\
  expect (draw V q) (fun x => chance (coin (Rmin 1 (ensemble w p q x / q x))) (fun kept => kept)) = 1 - w * tv V p q.
Proof.
  intros W P Q. assert (E : law V (ensemble w p q)).
  { destruct P as [P0 P1], Q as [Q0 Q1]. split.
    - intros x L. assert (0 <= w * p x) by (apply Rmult_le_pos; [lra | auto]).
      assert (0 <= (1 - w) * q x) by (apply Rmult_le_pos; [lra | auto]). unfold ensemble. lra.
    - unfold ensemble. rewrite sum_plus, !sum_scale, P1, Q1. ring. }
  split; [intros y L; now apply (sd_lossless_step V (ensemble w p q) q E Q)|].
  rewrite sd_acceptance, overlap_tv by easy. f_equal. unfold tv. rewrite <- Rmult_assoc, (Rmult_comm w), Rmult_assoc.
  f_equal. rewrite <- sum_scale. apply sum_ext. intros x _. unfold ensemble.
  replace (q x - (w * p x + (1 - w) * q x)) with (- (w * (p x - q x))) by ring.
  rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq w) by lra. easy.
Qed.
