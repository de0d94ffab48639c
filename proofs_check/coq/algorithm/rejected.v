(** SQS: the mean number of rejections, exactly, where no batch ends before all tokens are there. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless rejections.
Import ListNotations.
Open Scope R_scope.

Section Exact.

Variable V : nat.
Variables target sent : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis sent_law : forall text, law V (sent text).

Notation distance := (rejections.distance V target sent).
Notation along := (rejections.along V target).
Notation verified := (rejections.verified V target sent).
Notation drafts := (lossless.drafts V sent never).

Lemma refused_mass text :
  sum V (fun x => sent text x * (1 - Rmin 1 (target text x / sent text x)) * sum V (residual V (target text) (sent text)))
  = distance text.
Proof.
  rewrite sum_scale_right, (refused_distance V target sent target_law sent_law).
  destruct (Req_dec (sum V (excess (target text) (sent text))) 0) as [Z|N].
  - assert (D : distance text = 0); [|rewrite D; ring]. unfold rejections.distance. rewrite tv_sym, tv_positive; [exact Z|].
    destruct (target_law text), (sent_law text). congruence.
  - unfold residual, Rdiv. rewrite sum_scale_right. rewrite Rinv_r by easy. ring.
Qed.

Section Owed.

Variable h : nat -> list nat -> R.
Hypothesis h_nothing : forall text, h 0 text = 0.

Lemma nothing_owed xs text : expect (verified text xs) (owed h 0 text) = 0.
Proof.
  rewrite (expect_ext_in _ _ (fun _ => 0)); [rewrite expect_const; ring|].
  intros o H. apply owed_none; [easy|]. now apply verified_emits in H.
Qed.

Lemma round_exact gamma : forall n text made, (n <= gamma)%nat ->
  (forall k other, (k < n)%nat -> h k other = along distance k other) ->
  expect (drafts gamma text made) (fun xs => expect (verified text xs) (owed h n text)) = along distance n text.
Proof.
  induction gamma as [|g IH]; intros [|n] text made L H; try lia.
  1, 2: rewrite (expect_ext _ _ (fun _ => 0)) by (intros; apply nothing_owed); rewrite expect_const; cbn [rejections.along]; ring.
  cbn [lossless.drafts]. unfold never at 1. rewrite expect_bind, expect_draw. cbn [rejections.along].
  set (w := fun x => along distance n (x :: text)). set (a := fun x => Rmin 1 (target text x / sent text x)).
  set (rho := sum V (residual V (target text) (sent text))).
  set (r := sum V (fun y => residual V (target text) (sent text) y * w y)).
  transitivity (sum V (fun x => sent text x * (1 - a x) * rho) + sum V (fun x => sent text x * (a x * w x + (1 - a x) * r))).
  2: { unfold a at 1, rho. rewrite refused_mass. f_equal. unfold a, r.
       exact (step_value V (target text) (sent text) w (target_law text) (sent_law text)). }
  rewrite <- sum_plus. apply sum_ext. intros x X. rewrite expect_bind.
  rewrite (expect_ext _ _ (fun xs => a x * expect (verified (x :: text) xs) (owed h n (x :: text)) + (1 - a x) * (rho + r))).
  - rewrite expect_plus, expect_scale, expect_const, (drafts_sure V sent never sent_law).
    rewrite (IH n (x :: text) (x :: made)) by (lia || (intros; apply H; lia)). fold (w x). ring.
  - intros xs. rewrite expect_ret. cbn [rejections.verified]. rewrite expect_bind, expect_coin. fold (a x). f_equal; f_equal.
    + rewrite expect_bind. apply expect_ext. intros o. rewrite expect_ret. apply owed_cons.
    + rewrite expect_bind, expect_draw. unfold rho, r. rewrite <- sum_plus. apply sum_ext. intros y _.
      rewrite expect_ret, owed_one, H by lia. unfold w. ring.
Qed.

End Owed.

Lemma rejections_exact gamma : forall rounds n text, (n <= rounds)%nat -> (n <= gamma)%nat ->
  expect (rejections V target sent never rounds gamma n text) INR = along distance n text.
Proof.
  induction rounds as [|more IH]; intros [|n] text R G; try lia.
  1, 2: cbn [rejections]; rewrite expect_ret; easy.
  rewrite <- (round_exact (fun m other => expect (rejections V target sent never more gamma m other) INR)
    (fun other => ltac:(destruct more; cbn [rejections]; now rewrite expect_ret)) gamma (S n) text []).
  - cbn [rejections]. rewrite expect_bind. apply expect_ext. intros xs. rewrite expect_bind.
    apply expect_ext. intros o. rewrite expect_bind. unfold owed.
    rewrite (expect_ext _ _ (fun k => INR (counted (S n) o) + INR k)) by (intros; now rewrite expect_ret, plus_INR).
    rewrite expect_plus, (expect_const _ (INR (counted (S n) o))), rejections_sure by easy. ring.
  - easy.
  - intros k other K. apply IH; lia.
Qed.

(** The mean number of rejections on the way to T tokens is the mean along the target's texts of Σ TV(sent, p), where every batch
    may hold T drafts and nothing else ends one: for every pair of models, and every law that is sent. *)
Theorem sqs_rejection_count_sharp gamma T : (T <= gamma)%nat ->
  expect (rejections V target sent never T gamma T []) INR
  = along (fun text => tv V (sent text) (target text)) T [].
Proof. intros G. now apply rejections_exact. Qed.

End Exact.
