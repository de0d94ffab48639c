(** Pivot-aware decoding, one draft a position or in blocks: what it loses to the target's utility, exactly and at most. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless pad.
Import ListNotations.
Open Scope R_scope.

(** How many drafts of a block are left once one more is kept: one fewer; or as many as before, with one draft a position. *)
Definition in_blocks (left : nat) : nat := pred left.
Definition one_draft (left : nat) : nat := left.

Section Runs.

Variable V : nat.
Variable State : Type.
Variables target draft : State -> nat -> R.
Variable next : State -> nat -> State.
Variable utility : State -> R.
Variable kept_draft : nat -> nat.
Variable gamma : nat.
Hypothesis target_law : forall s, law V (target s).
Hypothesis draft_law : forall s, law V (draft s).

Section Flags.

Variable flagged : nat -> State -> nat -> bool.

(** n tokens more, with so many drafts left in the block; after the last of them the target adds a token of its own. *)
Fixpoint run (n left : nat) (s : State) : program State :=
  match n, left with
  | O, _ => ret s
  | S m, O => y <- draw V (target s) ;; run m gamma (next s y)
  | S m, S _ =>
      x <- draw V (draft s) ;;
      (kept <- (if flagged m s x then coin (Rmin 1 (target s x / draft s x)) else ret true) ;;
       if kept then run m (kept_draft left) (next s x)
       else (y <- draw V (residual V (target s) (draft s)) ;; run m gamma (next s y)))
  end.

(** A step's mean of a number g after a draft that is kept, and h after a replacement. *)
Definition step_mean (m : nat) (s : State) (g h : nat -> R) : R :=
  sum V (fun x => draft s x * (if flagged m s x
    then Rmin 1 (target s x / draft s x) * g x
      + (1 - Rmin 1 (target s x / draft s x)) * sum V (fun y => residual V (target s) (draft s) y * h y)
    else g x)).

(** The mean, along the rule's own path, of a number that each verified draft costs. *)
Fixpoint paid (price : nat -> State -> R) (n left : nat) (s : State) : R :=
  match n, left with
  | O, _ => 0
  | S m, O => sum V (fun y => target s y * paid price m gamma (next s y))
  | S m, S _ => price m s
      + step_mean m s (fun x => paid price m (kept_draft left) (next s x)) (fun y => paid price m gamma (next s y))
  end.

(** What is kept although speculative decoding would reject it. *)
Definition override (m : nat) (s : State) (x : nat) : R := if flagged m s x then 0 else Rmax 0 (draft s x - target s x).

Lemma run_step m left s f : expect (run (S m) (S left) s) f
  = step_mean m s (fun x => expect (run m (kept_draft (S left)) (next s x)) f) (fun y => expect (run m gamma (next s y)) f).
Proof.
  cbn [run]. rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal. rewrite expect_bind.
  destruct (flagged m s x).
  - rewrite expect_coin, expect_bind, expect_draw. easy.
  - now rewrite expect_ret.
Qed.

Lemma run_bonus m s f : expect (run (S m) 0 s) f = sum V (fun y => target s y * expect (run m gamma (next s y)) f).
Proof. cbn [run]. now rewrite expect_bind, expect_draw. Qed.

Lemma refused s x : (x < V)%nat -> draft s x * (1 - Rmin 1 (target s x / draft s x)) = Rmax 0 (draft s x - target s x).
Proof.
  intros L. pose proof (keep_mass (target s x) (draft s x)
    (law_nonneg V _ x (target_law s) L) (law_nonneg V _ x (draft_law s) L)) as K.
  rewrite Rmult_minus_distr_l, K. unfold Rmin, Rmax.
  destruct (Rle_dec (target s x) (draft s x)), (Rle_dec 0 (draft s x - target s x)); lra.
Qed.

Lemma kept_mass s x : (x < V)%nat -> draft s x * Rmin 1 (target s x / draft s x) = Rmin (target s x) (draft s x).
Proof. intros L. apply keep_mass; now apply (law_nonneg V). Qed.

(** By masses: what speculative decoding keeps, and of the rest what is overridden and what is replaced. *)
Lemma step_masses m s g h : step_mean m s g h
  = sum V (fun x => Rmin (target s x) (draft s x) * g x + Rmax 0 (draft s x - target s x)
      * (if flagged m s x then sum V (fun y => residual V (target s) (draft s) y * h y) else g x)).
Proof.
  apply sum_ext. intros x L. rewrite <- kept_mass, <- refused by easy. destruct (flagged m s x); ring.
Qed.

Lemma step_mean_le m s g h g' h' : (forall x, (x < V)%nat -> g x <= g' x) -> (forall x, (x < V)%nat -> h x <= h' x) ->
  step_mean m s g h <= step_mean m s g' h'.
Proof.
  intros G H. rewrite !step_masses. apply sum_le. intros x L. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply Rmin_glb; now apply (law_nonneg V) | now apply G].
  - apply Rmult_le_compat_l; [apply Rmax_l|]. destruct (flagged m s x); [|now apply G].
    apply sum_le. intros y Y. apply Rmult_le_compat_l; [apply residual_nonneg | now apply H].
Qed.

Lemma step_mean_plus m s g h g' h' :
  step_mean m s (fun x => g x + g' x) (fun x => h x + h' x) = step_mean m s g h + step_mean m s g' h'.
Proof.
  unfold step_mean. rewrite <- sum_plus. apply sum_ext. intros x _.
  rewrite (sum_ext V (fun y => residual V (target s) (draft s) y * (h y + h' y))
    (fun y => residual V (target s) (draft s) y * h y + residual V (target s) (draft s) y * h' y)) by (intros; ring).
  rewrite sum_plus. destruct (flagged m s x); ring.
Qed.

Lemma step_mean_scale m s c g h : step_mean m s (fun x => c * g x) (fun x => c * h x) = c * step_mean m s g h.
Proof.
  unfold step_mean. rewrite <- sum_scale. apply sum_ext. intros x _.
  rewrite (sum_ext V (fun y => residual V (target s) (draft s) y * (c * h y))
    (fun y => c * (residual V (target s) (draft s) y * h y))) by (intros; ring).
  rewrite sum_scale. destruct (flagged m s x); ring.
Qed.

Lemma step_mean_ext m s g h g' h' : (forall x, (x < V)%nat -> g x = g' x) -> (forall x, (x < V)%nat -> h x = h' x) ->
  step_mean m s g h = step_mean m s g' h'.
Proof.
  intros G H. apply sum_ext. intros x L. rewrite G by easy.
  rewrite (sum_ext V (fun y => residual V (target s) (draft s) y * h y) (fun y => residual V (target s) (draft s) y * h' y))
    by (intros; now rewrite H). easy.
Qed.

(** With the same numbers after both: the target's mean, and what overrides gain on what would replace them. *)
Lemma step_gain m s g : step_mean m s g g = sum V (fun x => target s x * g x)
  + sum V (fun x => override m s x * (g x - sum V (fun y => residual V (target s) (draft s) y * g y))).
Proof.
  rewrite <- (step_value V _ _ g (target_law s) (draft_law s)), <- sum_plus. apply sum_ext. intros x L.
  unfold override. pose proof (refused s x L) as R. destruct (flagged m s x); [ring|]. rewrite <- R. ring.
Qed.

Lemma override_range m s x : (x < V)%nat -> 0 <= override m s x <= Rmax 0 (draft s x - target s x).
Proof. intros _. unfold override. pose proof (Rmax_l 0 (draft s x - target s x)). destruct (flagged m s x); lra. Qed.

Lemma overrides_most m s : sum V (override m s) <= 1 - overlap V (target s) (draft s).
Proof.
  rewrite refused_is_excess by easy. rewrite <- (refused_is_excess V (target s) (draft s)) by easy.
  destruct (draft_law s) as [_ One]. rewrite <- One. unfold overlap. rewrite <- sum_minus. apply sum_le. intros x L.
  destruct (override_range m s x L) as [_ B]. eapply Rle_trans; [exact B|]. unfold Rmin, Rmax.
  destruct (Rle_dec (target s x) (draft s x)), (Rle_dec 0 (draft s x - target s x)); lra.
Qed.

Lemma overlap_range s : 0 <= overlap V (target s) (draft s) <= 1.
Proof.
  destruct (target_law s) as [N One]. split.
  - apply sum_nonneg. intros x L. apply Rmin_glb; now apply (law_nonneg V).
  - rewrite <- One. apply sum_le. intros x _. apply Rmin_l.
Qed.

(** The target's expected utility, here and after a replacement. *)
Definition value (n : nat) (s : State) : R := worth V State target next utility n s.
Definition replaced_value (n : nat) (s : State) : R := replacement_worth V State target draft next utility n s.

Lemma value_step m s : value (S m) s = sum V (fun x => target s x * value m (next s x)).
Proof. unfold value, worth. cbn [sample]. now rewrite expect_bind, expect_draw. Qed.

(** What the overrides of a step lose. *)
Definition step_loss (m : nat) (s : State) : R :=
  sum V (fun x => override m s x * (replaced_value m s - value m (next s x))).

Lemma loss_is : forall n left s, value n s - expect (run n left s) utility = paid step_loss n left s.
Proof.
  induction n as [|m IH]; intros [|left] s; try (unfold value, worth; simpl; lra).
  - rewrite run_bonus, value_step. cbn [paid]. rewrite <- sum_minus. apply sum_ext. intros y _. rewrite <- IH. ring.
  - rewrite run_step. cbn [paid]. set (U := fun x => value m (next s x)).
    set (g := fun x => expect (run m (kept_draft (S left)) (next s x)) utility).
    set (h := fun y => expect (run m gamma (next s y)) utility).
    rewrite (step_mean_ext m s (fun x => paid step_loss m (kept_draft (S left)) (next s x))
      (fun y => paid step_loss m gamma (next s y)) (fun x => U x + -1 * g x) (fun y => U y + -1 * h y)).
    + rewrite step_mean_plus, (step_mean_scale m s (-1)), step_gain, value_step. fold U.
      assert (E : step_loss m s = - sum V (fun x => override m s x
        * (U x - sum V (fun y => residual V (target s) (draft s) y * U y)))).
      { replace (- sum V _) with (-1 * sum V (fun x => override m s x
          * (U x - sum V (fun y => residual V (target s) (draft s) y * U y)))) by ring.
        rewrite <- sum_scale. apply sum_ext. intros x _. unfold replaced_value, replacement_worth, U, value. ring. }
      rewrite E. change (fun x => target s x * value m (next s x)) with (fun x => target s x * U x). ring.
    + intros x _. rewrite <- IH. unfold U, g. ring.
    + intros y _. rewrite <- IH. unfold U, h. ring.
Qed.

Lemma paid_le p p' : (forall m s, p m s <= p' m s) -> forall n left s, paid p n left s <= paid p' n left s.
Proof.
  intros H. induction n as [|m IH]; intros [|left] s; simpl; try lra.
  - apply sum_le. intros y L. apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply IH].
  - apply Rplus_le_compat; [apply H|]. apply step_mean_le; intros; apply IH.
Qed.

Lemma paid_plus p p' n : forall left s,
  paid (fun m s => p m s + p' m s) n left s = paid p n left s + paid p' n left s.
Proof.
  induction n as [|m IH]; intros [|left] s; simpl; try lra.
  - rewrite <- sum_plus. apply sum_ext. intros y _. rewrite IH. ring.
  - rewrite (step_mean_ext m s _ _ (fun x => paid p m (kept_draft (S left)) (next s x) + paid p' m (kept_draft (S left)) (next s x))
      (fun y => paid p m gamma (next s y) + paid p' m gamma (next s y))) by (intros; apply IH).
    rewrite step_mean_plus. ring.
Qed.

Lemma paid_scale c p n : forall left s, paid (fun m s => c * p m s) n left s = c * paid p n left s.
Proof.
  induction n as [|m IH]; intros [|left] s; simpl; try lra.
  - rewrite <- sum_scale. apply sum_ext. intros y _. rewrite IH. ring.
  - rewrite (step_mean_ext m s _ _ (fun x => c * paid p m (kept_draft (S left)) (next s x))
      (fun y => c * paid p m gamma (next s y))) by (intros; apply IH).
    rewrite step_mean_scale. ring.
Qed.

Lemma step_mean_one m s : step_mean m s (fun _ => 1) (fun _ => 1) = 1.
Proof.
  destruct (target_law s) as [_ One].
  assert (E : sum V (fun x => target s x * 1) = 1) by (transitivity (sum V (target s)); [apply sum_ext; intros; ring | exact One]).
  rewrite step_gain, E.
  assert (Z : sum V (fun x => override m s x * (1 - sum V (fun y => residual V (target s) (draft s) y * 1))) = 0); [|lra].
  rewrite (sum_ext V (fun y => residual V (target s) (draft s) y * 1) (residual V (target s) (draft s))) by (intros; ring).
  rewrite sum_scale_right.
  assert (RS : sum V (residual V (target s) (draft s))
    = sum V (excess (target s) (draft s)) * / sum V (excess (target s) (draft s)))
    by (unfold residual, Rdiv; now rewrite sum_scale_right).
  rewrite RS. destruct (Req_dec (sum V (excess (target s) (draft s))) 0) as [Z|N]; [|rewrite Rinv_r by easy; ring].
  pose proof (overrides_most m s) as M. rewrite (refused_is_excess V _ _ (target_law s) (draft_law s)), Z in M.
  assert (O : sum V (override m s) = 0); [|rewrite O; ring].
  apply Rle_antisym; [easy|]. apply sum_nonneg. intros y Y. now apply override_range.
Qed.

Lemma paid_most p c : 0 <= c -> (forall m s, p m s <= c) -> forall n left s, paid p n left s <= INR n * c.
Proof.
  intros C H. induction n as [|m IH]; intros [|left] s; try (simpl; lra); rewrite S_INR; cbn [paid].
  - destruct (target_law s) as [N One].
    apply (Rle_trans _ (sum V (fun y => target s y * (INR m * c)))); [|rewrite sum_scale_right, One; lra].
    apply sum_le. intros y L. apply Rmult_le_compat_l; [now apply N | apply IH].
  - specialize (H m s). apply (Rle_trans _ (c + INR m * c * 1)); [|lra]. apply Rplus_le_compat; [easy|].
    rewrite <- (step_mean_one m s), <- step_mean_scale. apply step_mean_le; intros; rewrite Rmult_1_r; apply IH.
Qed.

End Flags.

End Runs.
