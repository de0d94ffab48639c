(** SQS: how many drafts are rejected on the way to T tokens. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless sqs.
Import ListNotations.
Open Scope R_scope.

Section Rejections.

Variable V : nat.
Variables target sent : list nat -> nat -> R.
Variable stop : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis sent_law : forall text, law V (sent text).

(** What one call of the target emits, and whether a draft was rejected. *)
Fixpoint verified (text xs : list nat) : program (list nat * bool) :=
  match xs with
  | [] => y <- draw V (target text) ;; ret ([y], false)
  | x :: more =>
      kept <- coin (Rmin 1 (target text x / sent text x)) ;;
      if kept then (o <- verified (x :: text) more ;; ret (x :: fst o, snd o))
      else (y <- draw V (residual V (target text) (sent text)) ;; ret ([y], true))
  end.

(** A rejection counts where its correction is one of the n tokens wanted. *)
Definition counted (n : nat) (o : list nat * bool) : nat := if snd o && Nat.leb (length (fst o)) n then 1 else 0.

Fixpoint rejections (rounds gamma n : nat) (text : list nat) : program nat :=
  match rounds, n with
  | S more, S _ =>
      xs <- drafts V sent stop gamma text [] ;;
      (o <- verified text xs ;;
       (k <- rejections more gamma (n - length (fst o)) (extended n (fst o) text) ;; ret (counted n o + k)%nat))
  | _, _ => ret O
  end.

(** Along n tokens of the target's text, the mean of a number that depends on the text. *)
Fixpoint along (each : list nat -> R) (n : nat) (text : list nat) : R :=
  match n with
  | O => 0
  | S m => each text + sum V (fun x => target text x * along each m (x :: text))
  end.

Lemma along_le f g n : (forall text, f text <= g text) -> forall text, along f n text <= along g n text.
Proof.
  intros H. induction n as [|n IH]; intros text; simpl; [lra|]. apply Rplus_le_compat; [apply H|].
  apply sum_le. intros x L. apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply IH].
Qed.

Definition distance (text : list nat) : R := tv V (sent text) (target text).

Lemma distance_nonneg text : 0 <= distance text.
Proof. apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma refused_distance text :
  sum V (fun x => sent text x * (1 - Rmin 1 (target text x / sent text x))) = distance text.
Proof.
  unfold distance. destruct (target_law text) as [T1 T2], (sent_law text) as [S1 S2].
  rewrite tv_positive by (now rewrite T2). apply sum_ext. intros x L.
  pose proof (keep_mass (target text x) (sent text x) (T1 x L) (S1 x L)) as K.
  rewrite Rmult_minus_distr_l, K. unfold Rmin, Rmax.
  destruct (Rle_dec (target text x) (sent text x)), (Rle_dec 0 (sent text x - target text x)); lra.
Qed.

(** What a call costs, and what its text will, for a cost h of n tokens more that is at most the distances along them. *)
Section Owed.

Variable h : nat -> list nat -> R.
Hypothesis h_nothing : forall text, h 0 text = 0.
Hypothesis h_le : forall n text, h n text <= along distance n text.

Definition owed (n : nat) (text : list nat) (o : list nat * bool) : R :=
  INR (counted n o) + h (n - length (fst o)) (extended n (fst o) text).

Lemma owed_cons n text x o : owed (S n) text (x :: fst o, snd o) = owed n (x :: text) o.
Proof. unfold owed, counted, extended. simpl. now rewrite <- app_assoc. Qed.

Lemma owed_one n text y b : owed (S n) text ([y], b) = (if b then 1 else 0) + h n (y :: text).
Proof. unfold owed, counted, extended. simpl. rewrite firstn_nil, Nat.sub_0_r. destruct b; reflexivity. Qed.

Lemma owed_none text o : fst o <> [] -> owed 0 text o = 0.
Proof.
  destruct o as [[|y ys] b]; [easy|]. intros _. unfold owed, counted, extended. simpl.
  rewrite andb_false_r, h_nothing. simpl. lra.
Qed.

Lemma verified_emits xs : forall text o, In o (outcomes (verified text xs)) -> fst o <> [].
Proof.
  induction xs as [|x xs IH]; intros text o H; cbn [verified] in H.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - apply outcomes_bind in H as [[|] [_ H]]; apply outcomes_bind in H as [z [_ [<-|[]]]]; easy.
Qed.

Lemma residual_mass text : sum V (residual V (target text) (sent text)) <= 1.
Proof.
  unfold residual, Rdiv. rewrite sum_scale_right.
  destruct (Req_dec (sum V (excess (target text) (sent text))) 0) as [Z|Z]; [rewrite Z; lra | right; now apply Rinv_r].
Qed.

Lemma round_price gamma : forall n text made,
  expect (drafts V sent stop gamma text made) (fun xs => expect (verified text xs) (owed n text)) <= along distance n text.
Proof.
  induction gamma as [|g IH]; intros [|n] text made.
  1, 3: right; apply expect_zero; intros xs _; apply expect_zero; intros o H; apply owed_none; now apply verified_emits in H.
  all: assert (Bonus : expect (verified text []) (owed (S n) text) <= along distance (S n) text).
  1, 3: cbn [verified along]; rewrite expect_bind, expect_draw; pose proof (distance_nonneg text);
    apply (Rle_trans _ (sum V (fun y => target text y * along distance n (y :: text)))); [|lra];
    apply sum_le; intros y L; rewrite expect_ret, owed_one, Rplus_0_l;
    apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply h_le].
  all: cbn [drafts].
  - now rewrite expect_ret.
  - destruct (stop text made); [now rewrite expect_ret|]. rewrite expect_bind, expect_draw. cbn [along].
    set (w := fun x => along distance n (x :: text)). set (a := fun x => Rmin 1 (target text x / sent text x)).
    set (r := sum V (fun y => residual V (target text) (sent text) y * w y)).
    set (s := sum V (fun y => residual V (target text) (sent text) y * h n (y :: text))).
    assert (SR : s <= r)
      by (apply sum_le; intros y _; apply Rmult_le_compat_l; [apply residual_nonneg | apply h_le]).
    apply (Rle_trans _ (sum V (fun x => sent text x * (1 - a x) + sent text x * (a x * w x + (1 - a x) * r)))).
    2: { rewrite sum_plus. unfold a at 1. rewrite refused_distance. unfold a, r, w.
         rewrite (step_value V (target text) (sent text) _ (target_law text) (sent_law text)). lra. }
    apply sum_le. intros x L. rewrite expect_bind.
    rewrite (expect_ext _ _ (fun xs => a x * expect (verified (x :: text) xs) (owed n (x :: text))
      + (1 - a x) * (sum V (residual V (target text) (sent text)) + s))).
    2: { intros xs. rewrite expect_ret. cbn [verified]. rewrite expect_bind, expect_coin. fold (a x). f_equal; f_equal.
         - rewrite expect_bind. apply expect_ext. intros o. rewrite expect_ret. apply owed_cons.
         - rewrite expect_bind, expect_draw. unfold s. rewrite <- sum_plus. apply sum_ext.
           intros y _. rewrite expect_ret, owed_one. ring. }
    rewrite expect_plus, expect_scale, expect_const, (drafts_sure V sent stop sent_law).
    destruct (Rle_lt_or_eq_dec 0 (sent text x)) as [D|D]; [now apply (law_nonneg V) | |rewrite <- D; lra].
    assert (A : 0 <= a x <= 1) by (apply keep_range; [now apply (law_nonneg V) | easy]).
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|].
    pose proof (IH n (x :: text) (x :: made)) as I. pose proof (residual_mass text) as M.
    apply (Rmult_le_compat_l (a x)) in I; [|easy]. apply (Rmult_le_compat_l (1 - a x)) in M; [|lra].
    apply (Rmult_le_compat_l (1 - a x)) in SR; [|lra]. unfold w. lra.
Qed.

End Owed.

Lemma round_sure gamma : forall text made,
  expect (drafts V sent stop gamma text made) (fun xs => expect (verified text xs) (fun _ => 1)) = 1.
Proof.
  assert (Bonus : forall text, expect (verified text []) (fun _ => 1) = 1).
  { intros text. cbn [verified]. rewrite expect_bind, expect_draw. destruct (target_law text) as [_ T].
    transitivity (sum V (target text)); [|easy]. apply sum_ext. intros y _. rewrite expect_ret. ring. }
  induction gamma as [|g IH]; intros text made; cbn [drafts]; [rewrite expect_ret; apply Bonus|].
  destruct (stop text made); [rewrite expect_ret; apply Bonus|]. rewrite expect_bind, expect_draw.
  destruct (target_law text) as [_ T]. transitivity (sum V (fun y => target text y * 1)).
  2: { transitivity (sum V (target text)); [|easy]. apply sum_ext. intros y _. ring. }
  rewrite <- (step_value V _ _ (fun _ => 1) (target_law text) (sent_law text)). apply sum_ext. intros x _. f_equal.
  rewrite expect_bind. set (a := Rmin 1 (target text x / sent text x)).
  set (r := sum V (fun y => residual V (target text) (sent text) y * 1)).
  rewrite (expect_ext _ _ (fun xs => a * expect (verified (x :: text) xs) (fun _ => 1) + (1 - a) * r)).
  - rewrite expect_plus, expect_scale, expect_const, (drafts_sure V sent stop sent_law), IH. ring.
  - intros xs. rewrite expect_ret. cbn [verified]. rewrite expect_bind, expect_coin. fold a. f_equal; f_equal.
    + rewrite expect_bind. apply expect_ext. intros o. now rewrite expect_ret.
    + rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

Lemma rejections_sure gamma : forall rounds n text, expect (rejections rounds gamma n text) (fun _ => 1) = 1.
Proof.
  induction rounds as [|more IH]; intros [|n] text; try (cbn [rejections]; now rewrite expect_ret).
  cbn [rejections]. rewrite expect_bind. eapply eq_trans; [|apply (round_sure gamma text [])].
  apply expect_ext. intros xs.
  rewrite expect_bind. apply expect_ext. intros o. rewrite expect_bind.
  rewrite (expect_ext _ _ (fun _ => 1)); [apply IH | intros k; now rewrite expect_ret].
Qed.

Lemma along_nonneg n : forall text, 0 <= along distance n text.
Proof.
  induction n as [|n IH]; intros text; simpl; [lra|]. pose proof (distance_nonneg text).
  assert (0 <= sum V (fun x => target text x * along distance n (x :: text))); [|lra].
  apply sum_nonneg. intros x L. apply Rmult_le_pos; [now apply (law_nonneg V) | apply IH].
Qed.

Lemma rejections_price gamma : forall rounds n text,
  expect (rejections rounds gamma n text) INR <= along distance n text.
Proof.
  induction rounds as [|more IH]; intros [|n] text; try (cbn [rejections]; rewrite expect_ret; apply along_nonneg).
  eapply Rle_trans; [|apply (round_price (fun n text => expect (rejections more gamma n text) INR))].
  - cbn [rejections]. rewrite expect_bind. right. apply expect_ext. intros xs. rewrite expect_bind.
    apply expect_ext. intros o. rewrite expect_bind. unfold owed.
    rewrite (expect_ext _ _ (fun k => INR (counted (S n) o) + INR k)) by (intros; now rewrite expect_ret, plus_INR).
    rewrite expect_plus, (expect_const _ (INR (counted (S n) o))), rejections_sure. ring.
  - intros t. destruct more; cbn [rejections]; now rewrite expect_ret.
  - intros m t. apply IH.
Qed.

(** * What is sent is the draft law, cut to some tokens and rounded *)

Variable draft : list nat -> nat -> R.
Variable kept : list nat -> nat -> bool.
Variables K l : list nat -> nat.
Hypothesis draft_law : forall text, law V (draft text).
Hypothesis kept_some : forall text, 0 < sum V (on_kept (draft text) (kept text)).
(** Rounding K tokens to multiples of 1/ℓ moves a law by no more: `sqs_lattice`. *)
Hypothesis sent_near : forall text,
  tv V (sparsified V (draft text) (kept text)) (sent text) <= INR (K text) / (4 * INR (l text)).

Definition dropped (text : list nat) : R := sum V (fun x => if kept text x then 0 else draft text x).

(** The mean number of rejections on the way to T tokens, in batches of any length, is at most the mean along the target's
    texts of Σ TV(q, p) + α + K/(4ℓ), with α the mass dropped, for laws cut to any sets and rounded to within K/(4ℓ). *)
Theorem sqs_rejection_bound gamma T :
  expect (rejections T gamma T []) INR
  <= along (fun text => tv V (draft text) (target text) + (dropped text + INR (K text) / (4 * INR (l text)))) T [].
Proof.
  eapply Rle_trans; [apply rejections_price|]. apply along_le. intros text. unfold distance.
  pose proof (sqs_dropped_mass V (draft text) (kept text) (draft_law text) (kept_some text)) as D.
  fold (dropped text) in D. pose proof (sent_near text) as N.
  pose proof (tv_triangle V (sent text) (sparsified V (draft text) (kept text)) (target text)) as A.
  pose proof (tv_triangle V (sparsified V (draft text) (kept text)) (draft text) (target text)) as B.
  rewrite (tv_sym V (sparsified V (draft text) (kept text)) (draft text)) in B.
  rewrite (tv_sym V (sent text) (sparsified V (draft text) (kept text))) in A. lra.
Qed.

End Rejections.
