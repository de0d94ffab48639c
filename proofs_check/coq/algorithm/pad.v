(** Pivot-aware decoding: drafts that the classifier does not call pivots are kept, pivots are verified as in speculative
    decoding. A text is a walk through states; its utility is that of the state in which it ends. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

Section Pivots.

Variable V : nat.
Variable State : Type.
Variables target draft : State -> nat -> R.
Variable next : State -> nat -> State.
Variable utility : State -> R.
(** What is called a pivot, with so many positions to go after it. *)
Variable flagged : nat -> State -> nat -> bool.
Hypothesis target_law : forall s, law V (target s).
Hypothesis draft_law : forall s, law V (draft s).

Fixpoint sample (n : nat) (s : State) : program State :=
  match n with O => ret s | S m => x <- draw V (target s) ;; sample m (next s x) end.

Fixpoint pad (n : nat) (s : State) : program State :=
  match n with
  | O => ret s
  | S m =>
      x <- draw V (draft s) ;;
      (y <- (if flagged m s x then verdict V (target s) (draft s) x else ret x) ;; pad m (next s y))
  end.

(** The target's expected utility, and that of what replaces a rejected draft. *)
Definition worth (n : nat) (s : State) : R := expect (sample n s) utility.
Definition replacement_worth (n : nat) (s : State) : R :=
  sum V (fun y => residual V (target s) (draft s) y * worth n (next s y)).

Definition ratio (s : State) (x : nat) : R := Rmin 1 (target s x / draft s x).

Lemma ratio_range s x : (x < V)%nat -> 0 < draft s x -> 0 <= ratio s x <= 1.
Proof. intros L D. apply keep_range; [now apply (law_nonneg V) | easy]. Qed.

(** The value of one step, for a value of what comes after it. *)
Definition after_step (m : nat) (s : State) (g : State -> R) : R :=
  sum V (fun x => draft s x * (if flagged m s x
    then ratio s x * g (next s x) + (1 - ratio s x) * sum V (fun y => residual V (target s) (draft s) y * g (next s y))
    else g (next s x))).

Lemma pad_step m s : expect (pad (S m) s) utility = after_step m s (fun s => expect (pad m s) utility).
Proof.
  cbn [pad]. rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal. rewrite expect_bind.
  destruct (flagged m s x); [|now rewrite expect_ret]. unfold verdict.
  rewrite expect_bind, expect_coin, expect_ret, expect_draw. easy.
Qed.

Lemma after_step_le m s g h : (forall s, g s <= h s) -> after_step m s g <= after_step m s h.
Proof.
  intros H. apply sum_le. intros x L. destruct (Rle_lt_or_eq_dec 0 (draft s x)) as [D|<-]; [now apply (law_nonneg V) | | lra].
  apply Rmult_le_compat_l; [lra|]. destruct (flagged m s x); [|apply H]. pose proof (ratio_range s x L D).
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; [apply H|].
  apply sum_le. intros y _. apply Rmult_le_compat_l; [apply residual_nonneg | apply H].
Qed.

(** If every token that speculative decoding can reject, and that is worth less than what would replace it, is called a pivot,
    then at every context the expected utility of pivot-aware decoding is at least the target's, over texts of any length,
    for every vocabulary and every set of states. *)
Theorem pad_utility_preserved_corrected :
  (forall n s x, (x < V)%nat -> target s x < draft s x -> worth n (next s x) < replacement_worth n s -> flagged n s x = true) ->
  forall n s, worth n s <= expect (pad n s) utility.
Proof.
  intros Recall. induction n as [|n IH]; intros s; [apply Rle_refl|].
  rewrite pad_step. eapply Rle_trans; [|apply after_step_le, IH].
  assert (E : worth (S n) s = sum V (fun x => target s x * worth n (next s x)))
    by (unfold worth; cbn [sample]; now rewrite expect_bind, expect_draw).
  rewrite E, <- (step_value V _ _ (fun x => worth n (next s x)) (target_law s) (draft_law s)).
  apply sum_le. intros x L. fold (replacement_worth n s). fold (ratio s x).
  destruct (Rle_lt_or_eq_dec 0 (draft s x)) as [D|<-]; [now apply (law_nonneg V) | | lra].
  apply Rmult_le_compat_l; [lra|]. destruct (flagged n s x) eqn:F; [apply Rle_refl|].
  pose proof (ratio_range s x L D) as A. destruct (Rlt_le_dec (target s x) (draft s x)) as [T|T].
  - destruct (Rlt_le_dec (worth n (next s x)) (replacement_worth n s)) as [W|W].
    + rewrite (Recall n s x L T W) in F. easy.
    + assert (0 <= (1 - ratio s x) * (worth n (next s x) - replacement_worth n s)) by (apply Rmult_le_pos; lra). lra.
  - assert (ratio s x = 1) as ->; [|lra]. apply Rmin_left. apply (Rmult_le_reg_l (draft s x)); [easy|].
    unfold Rdiv. rewrite <- Rmult_assoc, (Rmult_comm (draft s x) (target s x)), Rmult_assoc, Rinv_r; lra.
Qed.

End Pivots.
