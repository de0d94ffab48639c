(** C-SQS: step sizes and targets of the order of one over the root of a text's length. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws sqs thresholds.
Open Scope R_scope.

(** With η = c/√T and α = d/√T < 1: |1/T Σ α_n - α| <= C/√T and Σ α_n <= (C + d) √T, with C = max(d, (β₁)₊/c + (1 - α)/√T), α_n the
    mass that the n-th of T laws drops, from any start β₁, in both readings of a set that would be empty. *)
Theorem csqs_sqrt_rate V T c d k q start : (0 < V)%nat -> (0 < T)%nat -> 0 < c -> 0 <= d -> (forall n, law V (q n)) ->
  let root := sqrt (INR T) in let eta := c / root in let alpha := d / root in
  alpha < 1 ->
  let lost n := dropped V k (q n) (threshold V eta alpha k q start n) in
  let C := Rmax d (Rmax 0 start / c + (1 - alpha) / root) in
  Rabs (sum T lost / INR T - alpha) <= C / root /\ sum T lost <= (C + d) * root.
Proof.
  intros SomeToken L Pc Pd Q root eta alpha A1 lost C. assert (PT : 0 < INR T) by now apply lt_0_INR.
  assert (PR : 0 < root) by now apply sqrt_lt_R0. assert (RR : root * root = INR T) by (apply sqrt_sqrt; lra).
  assert (Pe : 0 < eta) by now apply Rdiv_lt_0_compat.
  assert (A0 : 0 <= alpha) by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
  assert (Ra : alpha * root = d) by (unfold alpha; field; lra).
  set (beta := threshold V eta alpha k q start).
  assert (Sum : sum T lost = alpha * INR T + (start - beta T) / eta).
  { pose proof (csqs_telescoping_corrected V eta alpha Pe k q start T Q) as E. fold beta in E. rewrite <- E. apply sum_ext. intros n _.
    unfold lost. now rewrite distance_is. }
  assert (Low : Rmin start (- eta * (1 - alpha)) <= beta T).
  { apply (csqs_threshold_range_any_start_corrected V eta alpha Pe ltac:(lra) q start Q T). }
  assert (Pos : 0 <= sum T lost) by (apply sum_nonneg; intros n _; now apply dropped_range).
  assert (Mean : sum T lost / INR T - alpha = (start - beta T) / (c * root)).
  { rewrite Sum, <- RR. unfold eta. field. lra. }
  assert (Up : (start - beta T) / (c * root) <= (Rmax 0 start / c + (1 - alpha) / root) / root).
  { replace ((Rmax 0 start / c + (1 - alpha) / root) / root) with ((Rmax 0 start + eta * (1 - alpha)) / (c * root)) by (unfold eta; field; lra).
    assert (I : 0 < / (c * root)) by (apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat).
    apply Rmult_le_compat_r; [lra|]. pose proof (Rmax_l 0 start). pose proof (Rmax_r 0 start).
    assert (0 <= eta * (1 - alpha)) by (apply Rmult_le_pos; lra).
    unfold Rmin in Low. destruct (Rle_dec start (- eta * (1 - alpha))); lra. }
  assert (I : 0 < / root) by now apply Rinv_0_lt_compat.
  assert (Mod : Rabs (sum T lost / INR T - alpha) <= C / root).
  { apply Rabs_le. split.
    - assert (0 <= sum T lost / INR T) by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
      assert (alpha <= C / root); [|lra]. apply Rmult_le_compat_r; [lra | apply Rmax_l].
    - rewrite Mean. eapply Rle_trans; [exact Up|]. apply Rmult_le_compat_r; [lra | apply Rmax_r]. }
  split; [exact Mod|]. pose proof (Rle_abs (sum T lost / INR T - alpha)) as B.
  assert (E : sum T lost / INR T <= alpha + C / root) by lra.
  apply (Rmult_le_compat_r (INR T)) in E; [|lra]. replace (sum T lost / INR T * INR T) with (sum T lost) in E by (field; lra).
  replace ((alpha + C / root) * INR T) with ((C + d) * root) in E; [exact E|]. rewrite <- RR. rewrite <- Ra. field. lra.
Qed.
