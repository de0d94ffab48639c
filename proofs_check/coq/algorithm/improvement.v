(** Pivot-aware decoding: what fewer pivots change exactly, what bounded overrides cost, and the law of a replacement. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless pad pivots overrides recall.
Require frontier.
Import ListNotations.
Open Scope R_scope.

Section Improvement.

Variable V : nat.
Variable State : Type.
Variables target draft : State -> nat -> R.
Variable next : State -> nat -> State.
Variable utility : State -> R.
Hypothesis target_law : forall s, law V (target s).
Hypothesis draft_law : forall s, law V (draft s).

Notation value := (value V State target next utility).
Notation run := (run V State target draft next).
Notation step_mean := (step_mean V State target draft).

(** * Flags that are removed *)

Section Removed.

Variables flagged removed : nat -> State -> nat -> bool.

Notation after := (fewer State flagged removed).

Section Path.

Variable kept_draft : nat -> nat.
Variable gamma : nat.

(** The mean, along the path of the rule after, of a number that a verified draft costs, with so many drafts left. *)
Fixpoint paid_with (price : nat -> nat -> State -> R) (n left : nat) (s : State) : R :=
  match n, left with
  | O, _ => 0
  | S m, O => sum V (fun y => target s y * paid_with price m gamma (next s y))
  | S m, S _ => price m left s + step_mean after m s (fun x => paid_with price m (kept_draft left) (next s x))
      (fun y => paid_with price m gamma (next s y))
  end.

Definition own (n left : nat) (s : State) : R := expect (run kept_draft gamma flagged n left s) utility.

(** What a removed flag changes: the freed mass times the rule's own value after the token less that after its replacement. *)
Definition freed (m left : nat) (s : State) : R := sum V (fun x => if flagged m s x && removed m s x
  then Rmax 0 (draft s x - target s x) * (own m (kept_draft left) (next s x)
    - sum V (fun y => residual V (target s) (draft s) y * own m gamma (next s y))) else 0).

Lemma change_is : forall n left s,
  expect (run kept_draft gamma after n left s) utility - own n left s = paid_with freed n left s.
Proof.
  induction n as [|m IH]; intros [|left] s; try (unfold own; simpl; lra).
  - unfold own in *. rewrite !run_bonus. cbn [paid_with]. rewrite <- sum_minus. apply sum_ext. intros y _.
    rewrite <- IH. ring.
  - unfold own at 1. rewrite !run_step. cbn [paid_with].
    set (g := fun x => own m (kept_draft (S left)) (next s x)). set (h := fun y => own m gamma (next s y)).
    set (g' := fun x => expect (run kept_draft gamma after m (kept_draft (S left)) (next s x)) utility).
    set (h' := fun y => expect (run kept_draft gamma after m gamma (next s y)) utility).
    rewrite (step_mean_ext V State target draft after m s (fun x => paid_with freed m (kept_draft (S left)) (next s x))
      (fun y => paid_with freed m gamma (next s y)) (fun x => g' x + -1 * g x) (fun y => h' y + -1 * h y)).
    + rewrite step_mean_plus, (step_mean_scale V State target draft after m s (-1)).
      assert (E : freed m (S left) s = step_mean after m s g h - step_mean flagged m s g h).
      { rewrite !(step_masses V State target draft target_law draft_law), <- sum_minus. apply sum_ext. intros x _.
        unfold fewer. fold (g x). fold h. destruct (flagged m s x), (removed m s x); simpl; unfold g, h; ring. }
      rewrite E. change (fun x => expect (run kept_draft gamma flagged m (kept_draft (S left)) (next s x)) utility) with g.
      change (fun y => expect (run kept_draft gamma flagged m gamma (next s y)) utility) with h. ring.
    + intros x _. rewrite <- IH. unfold g', g. ring.
    + intros y _. rewrite <- IH. unfold h', h. ring.
Qed.

End Path.

(** Removing a set of flags changes the utility by exactly Σ_t E_new Σ (d - p)₊ (W(x) - Σ_y r(y) W(y)) over the tokens whose flags
    are removed, W the values of the rule before and the path of the rule after; one draft a position. *)
Theorem pad_better_classifier_sharp n s :
  expect (one_a_position V State target draft next after n s) utility
    - expect (one_a_position V State target draft next flagged n s) utility
  = paid_with one_draft 1 (freed one_draft 1) n 1 s.
Proof. rewrite !one_is_run. apply change_is. Qed.

(** The same in blocks of γ drafts, over the positions at which a draft is verified, where W depends on the drafts left. *)
Theorem pad_better_classifier_sharp_block gamma n left s :
  expect (blocks V State target draft next after gamma n left s) utility
    - expect (blocks V State target draft next flagged gamma n left s) utility
  = paid_with in_blocks gamma (freed in_blocks gamma) n left s.
Proof. apply change_is. Qed.

End Removed.

(** * Bounded overrides *)

Hypothesis utility_range : forall s, 0 <= utility s <= 1.

(** Where overrides have mass g at most at every context, with h positions to go the rule loses at most 1 - (1 - g)^h; one draft a
    position. *)
Theorem pad_envelope_positions flagged g : g <= 1 ->
  (forall m s, sum V (override State target draft flagged m s) <= g) ->
  forall h s, value h s - expect (one_a_position V State target draft next flagged h s) utility <= 1 - (1 - g) ^ h.
Proof.
  intros G1 Bounded h s. rewrite one_is_run.
  assert (Range : forall n left s, 0 <= expect (run one_draft 1 flagged n left s) utility).
  { induction n as [|m IH]; intros [|left] t; try (simpl; pose proof (utility_range t); lra).
    - rewrite run_bonus. apply sum_nonneg. intros y Y. apply Rmult_le_pos; [now apply (law_nonneg V) | apply IH].
    - rewrite run_step. rewrite (step_masses V State target draft target_law draft_law). apply sum_nonneg. intros x X.
      apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply Rmax_l; try apply IH.
      + apply Rmin_glb; [apply (law_nonneg V (target t)) | apply (law_nonneg V (draft t))]; easy.
      + destruct (flagged m t x); [|apply IH]. apply sum_nonneg. intros y Y.
        apply Rmult_le_pos; [apply residual_nonneg | apply IH]. }
  revert s. induction h as [|m IH]; intros s; [unfold pivots.value, worth; simpl; lra|].
  rewrite run_step, value_step. change (one_draft 1) with 1%nat.
  set (W := fun x => expect (run one_draft 1 flagged m 1 (next s x)) utility).
  set (U := fun x => value m (next s x)). set (c := 1 - (1 - g) ^ m) in *.
  rewrite (step_gain V State target draft target_law draft_law flagged m s W).
  set (O := sum V (override State target draft flagged m s)). set (r := residual V (target s) (draft s)).
  assert (O0 : 0 <= O) by (apply sum_nonneg; intros x X; now apply (override_range V)).
  pose proof (Bounded m s) as OG. fold O in OG.
  pose proof (overrides_most V State target draft target_law draft_law flagged m s) as OE. fold O in OE.
  rewrite (refused_is_excess V _ _ (target_law s) (draft_law s)) in OE. set (E := sum V (excess (target s) (draft s))) in *.
  assert (Er : forall y, (y < V)%nat -> E * r y = excess (target s) (draft s) y).
  { intros y Y. unfold r, residual. fold E. destruct (Req_dec E 0) as [Z|N]; [|field; exact N].
    rewrite Z, (sum_zero_terms V (excess (target s) (draft s))); [ring | intros; apply Rmax_l | exact Z | exact Y]. }
  assert (Rest : forall y, (y < V)%nat -> 0 <= target s y - O * r y).
  { intros y Y. pose proof (min_excess (target s) (draft s) y) as M. pose proof (residual_nonneg V (target s) (draft s) y) as R.
    fold r in R. assert (0 <= Rmin (target s y) (draft s y)).
    { apply Rmin_glb; [apply (law_nonneg V (target s)) | apply (law_nonneg V (draft s))]; easy. }
    assert (O * r y <= E * r y) by (apply Rmult_le_compat_r; lra). rewrite Er in * by easy. lra. }
  assert (Or : O * sum V r = O).
  { destruct (Req_dec E 0) as [Z|N]; [assert (O = 0) as -> by lra; ring|].
    assert (sum V r = 1) as ->; [|ring]. unfold r, residual, Rdiv. rewrite sum_scale_right. fold E. now apply Rinv_r. }
  destruct (target_law s) as [_ One].
  assert (A : sum V (fun x => target s x * U x) - (sum V (fun x => target s x * W x)
      + sum V (fun x => override State target draft flagged m s x * (W x - sum V (fun y => r y * W y))))
    <= sum V (fun y => (target s y - O * r y) * c + O * r y)).
  { rewrite (sum_ext V (fun x => override State target draft flagged m s x * (W x - sum V (fun y => r y * W y)))
      (fun x => override State target draft flagged m s x * W x
        - sum V (fun y => r y * W y) * override State target draft flagged m s x)) by (intros; ring).
    rewrite sum_minus, sum_scale. fold O.
    assert (P : 0 <= sum V (fun x => override State target draft flagged m s x * W x)).
    { apply sum_nonneg. intros x X. apply Rmult_le_pos; [now apply (override_range V) | apply Range]. }
    apply (Rle_trans _ (sum V (fun y => (target s y - O * r y) * (U y - W y) + O * r y * U y))).
    - rewrite (sum_ext V (fun y => (target s y - O * r y) * (U y - W y) + O * r y * U y)
        (fun y => target s y * U y - target s y * W y + O * (r y * W y))) by (intros; ring).
      rewrite sum_plus, sum_minus, sum_scale. lra.
    - apply sum_le. intros y Y. specialize (Rest y Y). pose proof (residual_nonneg V (target s) (draft s) y) as R. fold r in R.
      pose proof (IH (next s y)) as L. fold (U y) in L. fold (W y) in L.
      pose proof (value_range V State target next utility target_law utility_range m (next s y)) as B. fold (U y) in B.
      assert ((target s y - O * r y) * (U y - W y) <= (target s y - O * r y) * c) by now apply Rmult_le_compat_l.
      assert (0 <= O * r y) by now apply Rmult_le_pos. nra. }
  eapply Rle_trans; [exact A|]. rewrite sum_plus, sum_scale_right, sum_minus, sum_scale, One, Or.
  simpl. assert (0 <= (1 - g) ^ m) by (apply pow_le; lra). unfold c. nra.
Qed.

End Improvement.

(** The replacement of a rejected token has law norm((p - d)₊), which is the target's exactly when the draft, on the support of the
    target, is a multiple of it; for laws that differ. *)
Theorem pad_replacement_law_corrected V p d : law V p -> law V d -> ~ (forall y, (y < V)%nat -> d y = p y) ->
  law V (residual V p d) /\ (forall y, (y < V)%nat -> output (draw V (residual V p d)) y = residual V p d y) /\
  ((forall y, (y < V)%nat -> residual V p d y = p y) <-> frontier.proportional V p d).
Proof.
  intros P D Differ. set (E := sum V (excess p d)).
  assert (E0 : 0 < E).
  { destruct (Rle_lt_dec E 0) as [Z|N]; [exfalso | exact N]. apply Differ.
    assert (Z' : sum V (excess p d) = 0) by (apply Rle_antisym; [exact Z | apply sum_nonneg; intros; apply Rmax_l]).
    assert (B : forall y, (y < V)%nat -> p y <= d y).
    { intros y Y. pose proof (sum_zero_terms V _ (fun x _ => Rmax_l 0 _) Z' y Y) as A. simpl in A. unfold excess in A.
      pose proof (Rmax_r 0 (p y - d y)). lra. }
    intros y Y. assert (S : sum V (fun x => d x - p x) = 0) by (rewrite sum_minus; destruct P as [_ ->], D as [_ ->]; ring).
    pose proof (sum_zero_terms V (fun x => d x - p x) (fun x X => frontier.minus_nonneg _ _ (B x X)) S y Y) as A. simpl in A. lra. }
  split; [|split].
  - split; [intros; apply residual_nonneg|]. unfold residual, Rdiv. rewrite sum_scale_right. fold E. apply Rinv_r. lra.
  - apply output_expect. intros f. apply expect_draw.
  - assert (R : forall y, residual V p d y = excess p d y / E) by reflexivity. destruct P as [PN POne], D as [DN DOne]. split.
    + intros Same. exists (1 - E). intros y Y Pos. specialize (Same y Y). rewrite R in Same.
      assert (X : excess p d y = E * p y) by (rewrite <- Same; field; lra). unfold excess in X.
      assert (0 < E * p y) by now apply Rmult_lt_0_compat.
      unfold Rmax in X. destruct (Rle_dec 0 (p y - d y)); lra.
    + intros [c C]. assert (Z : forall y, (y < V)%nat -> excess p d y = Rmax 0 (1 - c) * p y).
      { intros y Y. unfold excess. destruct (PN y Y) as [Pos|Zero].
        - rewrite (C y Y Pos). destruct (Rle_lt_dec 0 (1 - c)) as [H|H].
          + rewrite (Rmax_right 0 (1 - c)), Rmax_right by (try nra; lra). ring.
          + rewrite (Rmax_left 0 (1 - c)), Rmax_left by (try nra; lra). ring.
        - rewrite <- Zero. specialize (DN y Y). rewrite Rmax_left by lra. ring. }
      assert (T : E = Rmax 0 (1 - c)) by (unfold E; rewrite (sum_ext V _ (fun y => Rmax 0 (1 - c) * p y)) by exact Z;
        rewrite sum_scale, POne; ring).
      intros y Y. rewrite R, Z, <- T by easy. field. lra.
Qed.
