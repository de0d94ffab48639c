(** Pivot-aware decoding: its acceptance, its descriptions, flipped labels, and rules beside it. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless pad pivots overrides recall.
Require ears frontier.
Import ListNotations.
Open Scope R_scope.

(** * One context *)

Section Context.

Variable V : nat.
Variables p d : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V d.

(** A draft's coin u passes speculative decoding's test below min(1, p/d). *)
Definition passes (x : nat) (u : R) : bool := if Rlt_dec u (Rmin 1 (p x / d x)) then true else false.

(** “If not a pivot accept, otherwise follow speculative decoding”; and “run speculative decoding, query the classifier where it
    rejects”. *)
Definition classifier_first (flagged : nat -> bool) (x : nat) (u : R) : bool := if flagged x then passes x u else true.
Definition classifier_last (flagged : nat -> bool) (x : nat) (u : R) : bool := if passes x u then true else negb (flagged x).

(** How often a draft is kept. *)
Definition keep (flagged : nat -> bool) (x : nat) : R := if flagged x then Rmin 1 (p x / d x) else 1.
Definition step (flagged : nat -> bool) : program nat := ears.rule V d (keep flagged) (fun _ => residual V p d).

(** Both descriptions keep the same drafts for the same coins, and both are the method: of coins between 0 and 1 those below
    `keep` are accepted. *)
Theorem pad_two_descriptions flagged x u : 0 <= u < 1 ->
  classifier_first flagged x u = classifier_last flagged x u /\ (classifier_first flagged x u = true <-> u < keep flagged x).
Proof.
  intros U. unfold classifier_first, classifier_last, keep, passes.
  destruct (flagged x), (Rlt_dec u (Rmin 1 (p x / d x))); simpl; (split; [easy|]); split; intros; lra || easy.
Qed.

(** Flipping labels to pivot introduces no accept: what is accepted after the flip was accepted before, for every draft and coin. *)
Theorem pad_soundness_flip flagged flips x u :
  classifier_last (fun x => flagged x || flips x) x u = true -> classifier_last flagged x u = true.
Proof. unfold classifier_last. destruct (passes x u); [easy|]. now destruct (flagged x). Qed.

(** Two classifiers that agree on the drafts that speculative decoding may reject, d > p, keep the same drafts. *)
Theorem pad_labels_suffice_rule flagged flagged' x u : (x < V)%nat -> 0 < d x -> 0 <= u < 1 ->
  (p x < d x -> flagged x = flagged' x) -> classifier_last flagged x u = classifier_last flagged' x u.
Proof.
  intros L D U A. unfold classifier_last, passes. destruct (Rlt_dec u (Rmin 1 (p x / d x))) as [C|C]; [easy|].
  rewrite A; [easy|]. destruct (Rle_lt_dec (d x) (p x)) as [H|H]; [exfalso | exact H].
  apply C. rewrite Rmin_left; [lra|]. apply (Rmult_le_reg_r (d x)); [exact D|].
  replace (p x / d x * d x) with (p x) by (field; lra). lra.
Qed.

Lemma keep_range_of flagged x : (x < V)%nat -> 0 <= keep flagged x <= 1.
Proof.
  intros L. unfold keep. destruct (flagged x); [|lra]. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
  pose proof (law_nonneg V p x target_law L) as P. destruct (law_nonneg V d x draft_law L) as [Q|Q].
  - apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
  - rewrite <- Q. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

Definition free (flagged : nat -> bool) (x : nat) : R := if flagged x then 0 else Rmax 0 (d x - p x).

Lemma kept_free flagged x : (x < V)%nat -> ears.kept d (keep flagged) x = Rmin (p x) (d x) + free flagged x.
Proof.
  intros L. unfold ears.kept, keep, free.
  pose proof (keep_mass (p x) (d x) (law_nonneg V p x target_law L) (law_nonneg V d x draft_law L)) as K.
  destruct (flagged x); [rewrite K; ring|]. unfold Rmin, Rmax. destruct (Rle_dec (p x) (d x)), (Rle_dec 0 (d x - p x)); lra.
Qed.

Lemma acceptance_free flagged : ears.acceptance V d (keep flagged) = overlap V p d + sum V (free flagged).
Proof.
  unfold ears.acceptance, overlap. rewrite expect_draw, <- sum_plus. apply sum_ext. intros x L. now apply kept_free.
Qed.

(** A guardrail: overrides of tokens that the target finds unlikely are not made. *)
Definition guarded (flagged : nat -> bool) (limit : R) (x : nat) : bool := flagged x || if Rlt_dec (p x) limit then true else false.

(** At every context a draft is kept at least as often as by speculative decoding, with or without a guardrail on overrides. *)
Theorem pad_acceptance flagged limit :
  overlap V p d <= ears.acceptance V d (keep flagged) /\ overlap V p d <= ears.acceptance V d (keep (guarded flagged limit)).
Proof.
  assert (G : forall f, 0 <= sum V (free f)).
  { intros f. apply sum_nonneg. intros x _. unfold free. pose proof (Rmax_l 0 (d x - p x)). destruct (f x); lra. }
  rewrite !acceptance_free. pose proof (G flagged). pose proof (G (guarded flagged limit)). split; lra.
Qed.

(** What is gained on speculative decoding is Σ over tokens not flagged of (d - p)₊, the output is exactly so far from the target
    in total variation, and no rule accepts more at that distance. *)
Theorem pad_acceptance_sharp flagged :
  ears.acceptance V d (keep flagged) - overlap V p d = sum V (free flagged) /\
  tv V (output (step flagged)) p = sum V (free flagged) /\
  forall a replacement, (forall x, (x < V)%nat -> 0 <= a x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
    tv V (output (ears.rule V d a replacement)) p <= tv V (output (step flagged)) p ->
    ears.acceptance V d a <= ears.acceptance V d (keep flagged).
Proof.
  assert (E : ears.acceptance V d (keep flagged) - overlap V p d = sum V (free flagged)) by (rewrite acceptance_free; ring).
  assert (T : tv V (output (step flagged)) p = sum V (free flagged)).
  { unfold step. rewrite (frontier.ears_best_tradeoff_attained V p d target_law draft_law); [exact E | apply keep_range_of |].
    intros x L. rewrite kept_free by easy. unfold free. pose proof (Rmax_l 0 (d x - p x)). destruct (flagged x); lra. }
  split; [exact E|]. split; [exact T|]. intros a r A R D.
  pose proof (ears.ears_best_tradeoff V p d target_law draft_law a r A R). lra.
Qed.

(** With the guardrail on overrides alone and every token called a pivot the output has the target's law. *)
Theorem pad_guardrail_override limit :
  forall y, (y < V)%nat -> output (step (guarded (fun _ => true) limit)) y = p y.
Proof.
  destruct (pad_acceptance_sharp (guarded (fun _ => true) limit)) as [_ [T _]]. apply (frontier.tv_none V p).
  rewrite T. transitivity (sum V (fun _ => 0)); [now apply sum_ext | apply sum_zero].
Qed.

End Context.

(** * Texts *)

Section Texts.

Variable V : nat.
Variable State : Type.
Variables target draft : State -> nat -> R.
Variable next : State -> nat -> State.
Variable utility : State -> R.
Hypothesis target_law : forall s, law V (target s).
Hypothesis draft_law : forall s, law V (draft s).

Notation value := (value V State target next utility).
Notation replaced_value := (replaced_value V State target draft next utility).
Notation one_a_position := (one_a_position V State target draft next).
Notation blocks := (blocks V State target draft next).

(** Speculative decoding, as a walk through states. *)
Fixpoint speculative (n : nat) (s : State) : program State :=
  match n with O => ret s | S m => y <- lossless.step V (target s) (draft s) ;; speculative m (next s y) end.

(** Its expected utility is the target's at every context, so that it preserves utility within every ε >= 0, on every mixture of
    contexts. *)
Theorem pad_sd_preserves : (forall n s, expect (speculative n s) utility = value n s) /\
  forall n (contexts : program State) epsilon, 0 <= epsilon ->
    expect contexts (value n) - epsilon <= expect contexts (fun s => expect (speculative n s) utility).
Proof.
  assert (E : forall n s, expect (speculative n s) utility = value n s).
  { induction n as [|m IH]; intros s; [easy|]. cbn [speculative]. rewrite value_step, expect_bind, step_expect by easy.
    apply sum_ext. intros y _. now rewrite IH. }
  split; [exact E|]. intros n contexts epsilon P.
  rewrite (expect_ext contexts (fun s => expect (speculative n s) utility) (value n)) by (intros; apply E). lra.
Qed.

Section Flags.

Variable flagged : nat -> State -> nat -> bool.

Lemma equal_loss : (forall m s x, (x < V)%nat -> value m (next s x) <> replaced_value m s -> flagged m s x = true) ->
  forall m s, step_loss V State target draft next utility flagged m s = 0.
Proof.
  intros Equal m s. unfold step_loss. transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros x L.
  destruct (Req_dec (value m (next s x)) (replaced_value m s)) as [E|E]; [rewrite E; ring|].
  unfold override. rewrite (Equal m s x L E). ring.
Qed.

Lemma nothing_paid kept_draft gamma price : (forall m s, price m s = 0) -> forall n left s,
  paid V State target draft next kept_draft gamma flagged price n left s = 0.
Proof.
  intros Z n left s. apply Rle_antisym.
  - apply (Rle_trans _ (paid V State target draft next kept_draft gamma flagged (fun _ _ => 0 * 0) n left s)).
    + apply paid_le; [easy | easy |]. intros m t. rewrite Z. lra.
    + rewrite paid_scale. lra.
  - apply (Rle_trans _ (paid V State target draft next kept_draft gamma flagged (fun _ _ => 0 * 0) n left s)).
    + rewrite paid_scale. lra.
    + apply paid_le; [easy | easy |]. intros m t. rewrite Z. lra.
Qed.

(** If every token worth more or less than its replacement is called a pivot, the expected utility equals the target's at every
    context; one draft a position. *)
Theorem pad_utility_equal_corrected :
  (forall m s x, (x < V)%nat -> value m (next s x) <> replaced_value m s -> flagged m s x = true) ->
  forall n s, expect (one_a_position flagged n s) utility = value n s.
Proof.
  intros Equal n s. pose proof (pad_utility_slack_sharp V State target draft next utility flagged target_law draft_law n s) as E.
  unfold along_one in E. rewrite nothing_paid in E by now apply equal_loss. lra.
Qed.

(** The same in blocks of γ drafts, after which the target adds a token of its own. *)
Theorem pad_utility_equal_corrected_block gamma :
  (forall m s x, (x < V)%nat -> value m (next s x) <> replaced_value m s -> flagged m s x = true) ->
  forall n left s, expect (blocks flagged gamma n left s) utility = value n s.
Proof.
  intros Equal n left s.
  pose proof (pad_utility_slack_sharp_block V State target draft next utility flagged target_law draft_law gamma n left s) as E.
  unfold along_blocks in E. rewrite nothing_paid in E by now apply equal_loss. lra.
Qed.

(** With every token worth less than its replacement flagged, the target's expected utility of what has been written does not fall
    in expectation: E[U(s_{t+1}) | s_t] >= U(s_t) at every context; one draft a position. *)
Theorem pad_pathwise_corrected :
  (forall m s x, (x < V)%nat -> value m (next s x) < replaced_value m s -> flagged m s x = true) ->
  forall m s, value (S m) s <= expect (x <- draw V (draft s) ;;
    (if flagged m s x then verdict V (target s) (draft s) x else ret x)) (fun y => value m (next s y)).
Proof.
  intros Recall m s.
  assert (M : expect (x <- draw V (draft s) ;; (if flagged m s x then verdict V (target s) (draft s) x else ret x))
      (fun y => value m (next s y))
    = step_mean V State target draft flagged m s (fun x => value m (next s x)) (fun x => value m (next s x))).
  { rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal. destruct (flagged m s x); [|now rewrite expect_ret].
    unfold verdict. rewrite expect_bind, expect_coin, expect_ret, expect_draw. easy. }
  rewrite M, step_gain, <- value_step by easy.
  change (sum V (fun y => residual V (target s) (draft s) y * value m (next s y))) with (replaced_value m s).
  assert (G : 0 <= sum V (fun x => override State target draft flagged m s x * (value m (next s x) - replaced_value m s))); [|lra].
  apply sum_nonneg. intros x L. destruct (Rlt_le_dec (value m (next s x)) (replaced_value m s)) as [C|C].
  - unfold override. rewrite (Recall m s x L C). lra.
  - apply Rmult_le_pos; [|lra]. apply (override_range V State target draft flagged m s x L).
Qed.

(** At 100 % recall a token that is accepted against speculative decoding is not a pivot, and speculative decoding accepts pivots
    with probability exactly Σ min(p, d) over them. *)
Theorem pad_accepted_not_pivot_corrected m s (pivot : nat -> bool) :
  (forall x, (x < V)%nat -> pivot x = true -> flagged m s x = true) ->
  (forall x, (x < V)%nat -> 0 < override State target draft flagged m s x -> pivot x = false) /\
  expect (draw V (draft s)) (fun x => if pivot x then Rmin 1 (target s x / draft s x) else 0)
    = sum V (fun x => if pivot x then Rmin (target s x) (draft s x) else 0).
Proof.
  intros Recall. split.
  - intros x L O. destruct (pivot x) eqn:P; [|easy]. unfold override in O. rewrite (Recall x L P) in O. lra.
  - rewrite expect_draw. apply sum_ext. intros x L. destruct (pivot x); [|ring].
    now apply (kept_mass V State target draft).
Qed.

(** * Flipped labels *)

Section Flips.

Variable flips : nat -> State -> nat -> bool.

Definition flipped (m : nat) (s : State) (x : nat) : bool := flagged m s x || flips m s x.

Lemma flipped_step m s g h :
  (forall x, (x < V)%nat -> flagged m s x = false -> flips m s x = true ->
    g x <= sum V (fun y => residual V (target s) (draft s) y * h y)) ->
  step_mean V State target draft flagged m s g h <= step_mean V State target draft flipped m s g h.
Proof.
  intros H. rewrite !(step_masses V State target draft target_law draft_law). apply sum_le. intros x L.
  apply Rplus_le_compat_l, Rmult_le_compat_l; [apply Rmax_l|]. unfold flipped. specialize (H x L).
  destruct (flagged m s x), (flips m s x); simpl; try apply Rle_refl. now apply H.
Qed.

Notation run := (run V State target draft next).

Lemma flipped_runs kept_draft gamma : (forall left, (kept_draft left <= left)%nat) ->
  (forall m left s x, (S left <= gamma)%nat -> (x < V)%nat -> flagged m s x = false -> flips m s x = true ->
    expect (run kept_draft gamma flagged m (kept_draft (S left)) (next s x)) utility
    <= sum V (fun y => residual V (target s) (draft s) y * expect (run kept_draft gamma flagged m gamma (next s y)) utility)) ->
  forall n left s, (left <= gamma)%nat ->
    expect (run kept_draft gamma flagged n left s) utility <= expect (run kept_draft gamma flipped n left s) utility.
Proof.
  intros K Pays. induction n as [|m IH]; intros [|left] s L; try apply Rle_refl.
  - rewrite !run_bonus. apply sum_le. intros y Y. apply Rmult_le_compat_l; [now apply (law_nonneg V) | now apply IH].
  - rewrite !run_step. eapply Rle_trans; [apply flipped_step; intros x X F R; now apply Pays|].
    apply step_mean_le; [easy | easy | |]; intros x X; apply IH; [|lia]. specialize (K (S left)). lia.
Qed.

(** Flipping labels to pivot does not lower utility where after each flipped token the rule's own value is at most that after its
    replacement; one draft a position. *)
Theorem pad_flip_utility_corrected :
  let W m s := expect (one_a_position flagged m s) utility in
  (forall m s x, (x < V)%nat -> flagged m s x = false -> flips m s x = true ->
    W m (next s x) <= sum V (fun y => residual V (target s) (draft s) y * W m (next s y))) ->
  forall n s, W n s <= expect (one_a_position flipped n s) utility.
Proof.
  intros W Pays n s. unfold W. rewrite !one_is_run. apply flipped_runs; [easy | | lia].
  intros m left t x L X F R. replace left with 0%nat by lia. change (one_draft 1) with 1%nat.
  rewrite <- (one_is_run V State target draft next flagged utility m (next t x)).
  eapply Rle_trans; [apply (Pays m t x X F R)|]. right. apply sum_ext. intros y _. unfold W. now rewrite one_is_run.
Qed.

(** The same in blocks of γ drafts, where it holds however many drafts of the block are left. *)
Theorem pad_flip_utility_corrected_block gamma :
  let W m left s := expect (blocks flagged gamma m left s) utility in
  (forall m left s x, (left < gamma)%nat -> (x < V)%nat -> flagged m s x = false -> flips m s x = true ->
    W m left (next s x) <= sum V (fun y => residual V (target s) (draft s) y * W m gamma (next s y))) ->
  forall n left s, (left <= gamma)%nat -> W n left s <= expect (blocks flipped gamma n left s) utility.
Proof.
  intros W Pays n left s L. apply flipped_runs; [unfold in_blocks; lia | | exact L].
  intros m l t x B X F R. apply (Pays m l t x); [lia | easy | easy | easy].
Qed.

End Flips.

(** * A stricter rule *)

(** Accept exactly what is not called a pivot, and draw the replacement of a pivot from the target; so many drafts left. *)
Section Strict.

Variable kept_draft : nat -> nat.
Variable gamma : nat.

Fixpoint strict (n left : nat) (s : State) : program State :=
  match n, left with
  | O, _ => ret s
  | S m, O => y <- draw V (target s) ;; strict m gamma (next s y)
  | S m, S _ =>
      x <- draw V (draft s) ;;
      if flagged m s x then (y <- draw V (target s) ;; strict m gamma (next s y)) else strict m (kept_draft left) (next s x)
  end.

Lemma strict_keeps : (forall m s x, (x < V)%nat -> value m (next s x) < value (S m) s -> flagged m s x = true) ->
  forall n left s, value n s <= expect (strict n left s) utility.
Proof.
  intros Recall. induction n as [|m IH]; intros [|left] s; try apply Rle_refl.
  all: assert (B : value (S m) s <= expect (y <- draw V (target s) ;; strict m gamma (next s y)) utility)
    by (rewrite value_step, expect_bind, expect_draw; apply sum_le; intros y Y; apply Rmult_le_compat_l;
      [now apply (law_nonneg V) | apply IH]).
  - exact B.
  - cbn [strict]. rewrite expect_bind, expect_draw. destruct (draft_law s) as [N One].
    rewrite <- (Rmult_1_r (value (S m) s)), <- One, <- sum_scale. apply sum_le. intros x L. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [now apply N|]. destruct (flagged m s x) eqn:F; [exact B|].
    eapply Rle_trans; [|apply IH]. destruct (Rlt_le_dec (value m (next s x)) (value (S m) s)) as [C|C]; [|exact C].
    rewrite (Recall m s x L C) in F. easy.
Qed.

End Strict.

(** With pivots as printed, U(x) < U(s), utility is preserved at every context by the stricter rule: accept exactly what is not
    called a pivot, reject every pivot, draw the replacement from the target; one draft a position. *)
Theorem pad_strict_rule : (forall m s x, (x < V)%nat -> value m (next s x) < value (S m) s -> flagged m s x = true) ->
  forall n s, value n s <= expect (strict one_draft 1 n 1 s) utility.
Proof. intros Recall n s. now apply strict_keeps. Qed.

(** In blocks of γ drafts too, after which the target adds a token of its own. *)
Theorem pad_strict_rule_block gamma :
  (forall m s x, (x < V)%nat -> value m (next s x) < value (S m) s -> flagged m s x = true) ->
  forall n left s, value n s <= expect (strict in_blocks gamma n left s) utility.
Proof. intros Recall n left s. now apply strict_keeps. Qed.

End Flags.

End Texts.
