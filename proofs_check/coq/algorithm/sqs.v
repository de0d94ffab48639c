(** SQS: a draft law is cut to a set of tokens, and rounded to multiples of 1/ℓ. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

Section Sparse.

Variable V : nat.
Variable q : nat -> R.
Variable kept : nat -> bool.
Hypothesis draft_law : law V q.

Definition on_kept (x : nat) : R := if kept x then q x else 0.
Definition sparsified (x : nat) : R := on_kept x / sum V on_kept.

(** Cutting a law to any set of tokens that has mass moves it by the mass of the others, in total variation. *)
Theorem sqs_dropped_mass : 0 < sum V on_kept ->
  tv V q sparsified = sum V (fun x => if kept x then 0 else q x).
Proof.
  intros M. destruct draft_law as [N One].
  assert (S : sum V sparsified = sum V q).
  { unfold sparsified, Rdiv. rewrite sum_scale_right, One. apply Rinv_r. lra. }
  assert (M1 : sum V on_kept <= 1).
  { rewrite <- One. apply sum_le. intros x L. specialize (N x L). unfold on_kept. destruct (kept x); lra. }
  rewrite tv_positive by easy. apply sum_ext. intros x L. specialize (N x L).
  unfold sparsified, on_kept at 1. destruct (kept x).
  - apply Rmax_left. assert (q x * 1 <= q x * / sum V on_kept).
    { apply Rmult_le_compat_l; [easy|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    unfold Rdiv. lra.
  - unfold Rdiv. rewrite Rmult_0_l. rewrite Rmax_right; lra.
Qed.

End Sparse.
