(** Pivot-aware decoding: what it keeps of the target's utility with pivots as printed, and what calling fewer pivots does. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless pad pivots overrides.
Import ListNotations.
Open Scope R_scope.

(** x squared n times: x to the power of 2ⁿ. *)
Fixpoint squared (n : nat) (x : R) : R := match n with O => x | S m => Rsqr (squared m x) end.

Lemma squared_pow n x : squared n x = x ^ (2 ^ n).
Proof.
  induction n as [|n IH]; [simpl; ring|]. cbn [squared]. rewrite IH. unfold Rsqr. rewrite <- pow_add. f_equal. simpl. lia.
Qed.

Lemma squared_nonneg n x : 0 <= x -> 0 <= squared n x.
Proof. intros X. destruct n; [easy | apply Rle_0_sqr]. Qed.

Lemma squared_le n x y : 0 <= x <= y -> squared n x <= squared n y.
Proof.
  intros [X Y]. induction n as [|n IH]; [easy|]. apply Rsqr_incr_1; [easy | |]; apply squared_nonneg; lra.
Qed.

Lemma squared_inside n x : squared n (Rsqr x) = squared (S n) x.
Proof. induction n as [|n IH]; [easy|]. cbn [squared] in *. now rewrite IH. Qed.

Lemma squared_range n x : 0 <= x <= 1 -> 0 <= squared n x <= 1.
Proof.
  intros X. induction n as [|n IH]; [easy|]. cbn [squared]. split; [apply Rle_0_sqr|]. unfold Rsqr. nra.
Qed.

(** The square of a mean is at most the mean of squares. *)
Lemma mean_square V p g : law V p -> Rsqr (sum V (fun x => p x * g x)) <= sum V (fun x => p x * Rsqr (g x)).
Proof.
  intros [N One]. set (c := sum V (fun x => p x * g x)).
  assert (P : 0 <= sum V (fun x => p x * Rsqr (g x - c)))
    by (apply sum_nonneg; intros x L; apply Rmult_le_pos; [now apply N | apply Rle_0_sqr]).
  rewrite (sum_ext V _ (fun x => p x * Rsqr (g x) - 2 * c * (p x * g x) + c * c * p x)) in P by (intros; unfold Rsqr; ring).
  rewrite sum_plus, sum_minus, !sum_scale, One in P. fold c in P. unfold Rsqr at 1. lra.
Qed.

Section Kept.

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

Section Flags.

Variable flagged : nat -> State -> nat -> bool.

Lemma step_square m s g h :
  Rsqr (step_mean flagged m s g h) <= step_mean flagged m s (fun x => Rsqr (g x)) (fun y => Rsqr (h y)).
Proof.
  set (c := step_mean flagged m s g h).
  assert (Z : step_mean flagged m s (fun _ => 0 * 0) (fun _ => 0 * 0)
    <= step_mean flagged m s (fun x => Rsqr (g x - c)) (fun y => Rsqr (h y - c))).
  { apply step_mean_le; [easy | easy | |]; intros; rewrite Rmult_0_r; apply Rle_0_sqr. }
  rewrite step_mean_scale, Rmult_0_l in Z.
  rewrite (step_mean_ext V State target draft flagged m s (fun x => Rsqr (g x - c)) (fun y => Rsqr (h y - c))
    (fun x => Rsqr (g x) + (- (2 * c) * g x + c * c * 1)) (fun y => Rsqr (h y) + (- (2 * c) * h y + c * c * 1))) in Z
    by (intros; unfold Rsqr; ring).
  rewrite !step_mean_plus, !step_mean_scale, step_mean_one in Z by easy. fold c in Z. unfold Rsqr at 1. lra.
Qed.

Lemma step_squared k m s g h : (forall x, (x < V)%nat -> 0 <= g x) -> (forall x, (x < V)%nat -> 0 <= h x) ->
  squared k (step_mean flagged m s g h) <= step_mean flagged m s (fun x => squared k (g x)) (fun y => squared k (h y)).
Proof.
  intros G H. induction k as [|k IH]; [apply Rle_refl|]. cbn [squared]. eapply Rle_trans; [|apply step_square].
  assert (N : 0 <= step_mean flagged m s g h).
  { assert (Z : step_mean flagged m s (fun _ => 0 * 0) (fun _ => 0 * 0) <= step_mean flagged m s g h)
      by (apply step_mean_le; [easy | easy | |]; intros; rewrite Rmult_0_r; auto).
    rewrite step_mean_scale in Z. lra. }
  pose proof (squared_nonneg k _ N). apply Rsqr_incr_1; [exact IH | easy |]. eapply Rle_trans; [|exact IH]. easy.
Qed.

Lemma mean_squared k p g : law V p -> (forall x, (x < V)%nat -> 0 <= g x) ->
  squared k (sum V (fun x => p x * g x)) <= sum V (fun x => p x * squared k (g x)).
Proof.
  intros P G. induction k as [|k IH]; [apply Rle_refl|]. cbn [squared].
  eapply Rle_trans; [|now apply mean_square].
  assert (N : 0 <= sum V (fun x => p x * g x))
    by (apply sum_nonneg; intros x L; apply Rmult_le_pos; [now apply (law_nonneg V) | now apply G]).
  pose proof (squared_nonneg k _ N). apply Rsqr_incr_1; [exact IH | easy |]. eapply Rle_trans; [|exact IH]. easy.
Qed.

Hypothesis utility_range : forall s, 0 <= utility s <= 1.
Hypothesis recall : forall m s x, (x < V)%nat -> value m (next s x) < value (S m) s -> flagged m s x = true.

Notation U := (fun m s x => value m (next s x)).

Lemma range n s : 0 <= value n s <= 1.
Proof. now apply value_range. Qed.

(** A step whose overrides are worth the target's expected utility keeps its square. *)
Lemma step_keeps_square m s : Rsqr (value (S m) s) <= step_mean flagged m s (U m s) (U m s).
Proof.
  rewrite (step_masses V State target draft target_law draft_law).
  set (r := sum V (fun y => residual V (target s) (draft s) y * value m (next s y))).
  pose proof (value_split V State target draft next utility target_law draft_law m s) as Split.
  set (a := sum V (fun x => Rmin (target s x) (draft s x) * value m (next s x))) in Split.
  change (replaced_value V State target draft next utility m s) with r in Split.
  pose proof (range (S m) s) as R. set (u := value (S m) s) in *.
  pose proof (replaced_range V State target draft next utility target_law utility_range m s) as RR.
  change (replaced_value V State target draft next utility m s) with r in RR.
  set (alpha := overlap V (target s) (draft s)) in *.
  pose proof (overlap_range V State target draft target_law draft_law s) as A. fold alpha in A.
  assert (A0 : 0 <= a).
  { apply sum_nonneg. intros x L. apply Rmult_le_pos; [|apply range].
    apply Rmin_glb; [apply (law_nonneg V (target s)) | apply (law_nonneg V (draft s))]; easy. }
  assert (E : sum V (fun x => Rmax 0 (draft s x - target s x)) = 1 - alpha).
  { destruct (draft_law s) as [_ One]. replace (1 - alpha) with (sum V (draft s) - alpha) by now rewrite One.
    unfold alpha, overlap. rewrite <- sum_minus. apply sum_ext. intros x _. unfold Rmin, Rmax.
    destruct (Rle_dec (target s x) (draft s x)), (Rle_dec 0 (draft s x - target s x)); lra. }
  apply (Rle_trans _ (a + (1 - alpha) * Rmin r u)).
  - unfold Rsqr, Rmin. destruct (Rle_dec r u) as [C|C]; [rewrite <- Split; nra|].
    assert ((1 - alpha) * r <= 1 - alpha) by nra. assert (u - a <= 1 - alpha) by lra. nra.
  - rewrite <- E, <- sum_scale_right. unfold a. rewrite <- sum_plus. apply sum_le. intros x L.
    apply Rplus_le_compat_l, Rmult_le_compat_l; [apply Rmax_l|]. destruct (flagged m s x) eqn:F; [apply Rmin_l|].
    eapply Rle_trans; [apply Rmin_r|]. destruct (Rlt_le_dec (value m (next s x)) u) as [C|C]; [|easy].
    rewrite (recall m s x L C) in F. easy.
Qed.

Lemma kept_squares kept_draft gamma : forall n left s,
  squared n (value n s) <= expect (run kept_draft gamma flagged n left s) utility.
Proof.
  induction n as [|m IH]; intros [|left] s.
  1, 2: right; unfold pivots.value, worth; simpl; lra.
  - rewrite run_bonus. apply (Rle_trans _ (squared m (value (S m) s))).
    + cbn [squared]. pose proof (squared_range m _ (range (S m) s)) as Q. unfold Rsqr. nra.
    + rewrite value_step. eapply Rle_trans; [apply mean_squared; [easy | intros; apply range]|]. apply sum_le. intros y L.
      apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply IH].
  - rewrite run_step, <- squared_inside.
    apply (Rle_trans _ (squared m (step_mean flagged m s (U m s) (U m s)))).
    + apply squared_le. split; [apply Rle_0_sqr | apply step_keeps_square].
    + eapply Rle_trans; [apply step_squared; intros; apply range|]. apply step_mean_le; [easy | easy | |]; intros; apply IH.
Qed.

(** At 100 % recall on pivots as printed, U(x) < U(s), what is kept over n positions is at least the target's expected utility to
    the power of 2ⁿ, for utilities between 0 and 1; one draft a position. *)
Theorem pad_utility_kept n s : value n s ^ (2 ^ n)
  <= expect (one_a_position V State target draft next flagged n s) utility.
Proof. rewrite <- squared_pow, one_is_run. apply kept_squares. Qed.

(** The same in blocks of γ drafts, after which the target adds a token of its own, however many drafts are left. *)
Theorem pad_utility_kept_block gamma n left s : value n s ^ (2 ^ n)
  <= expect (blocks V State target draft next flagged gamma n left s) utility.
Proof. rewrite <- squared_pow. apply kept_squares. Qed.

End Flags.

(** * Fewer flags *)

(** How often a draft x is kept, and a draft at a context. *)
Definition keeps (flagged : nat -> State -> nat -> bool) (m : nat) (s : State) (x : nat) : R :=
  if flagged m s x then Rmin 1 (target s x / draft s x) else 1.
Definition accepts (flagged : nat -> State -> nat -> bool) (m : nat) (s : State) : R := expect (draw V (draft s)) (keeps flagged m s).

(** With every token called a pivot the rule keeps min(p, d) and emits p: it is speculative decoding, at each step and for whole
    texts. *)
Theorem pad_all_pivots_is_sd flagged : (forall m s x, flagged m s x = true) ->
  (forall m s x, (x < V)%nat -> draft s x * keeps flagged m s x = Rmin (target s x) (draft s x)) /\
  (forall m s y, (y < V)%nat ->
    output (x <- draw V (draft s) ;; if flagged m s x then verdict V (target s) (draft s) x else ret x) y = target s y) /\
  (forall n s f, expect (one_a_position V State target draft next flagged n s) f = expect (sample V State target next n s) f).
Proof.
  intros All. split; [|split].
  - intros m s x L. unfold keeps. rewrite All. now apply (kept_mass V State target draft).
  - intros m s y L. rewrite <- (sd_lossless_step V (target s) (draft s) (target_law s) (draft_law s) y L).
    unfold output, chance, step. rewrite !expect_bind. apply expect_ext. intros x. now rewrite All.
  - induction n as [|n IH]; intros s f; [easy|]. unfold one_a_position in *. cbn [pad sample].
    rewrite !expect_bind, !expect_draw. rewrite <- (step_value V _ _ _ (target_law s) (draft_law s)).
    apply sum_ext. intros x _. f_equal. rewrite All, expect_bind. unfold verdict.
    rewrite expect_bind, expect_coin, expect_ret, expect_draw, IH. f_equal. f_equal. apply sum_ext. intros y _. now rewrite IH.
Qed.

Section Fewer.

Variables flagged removed : nat -> State -> nat -> bool.

Definition fewer (m : nat) (s : State) (x : nat) : bool := flagged m s x && negb (removed m s x).

Lemma accepts_more m s : accepts flagged m s <= accepts fewer m s.
Proof.
  unfold accepts. rewrite !expect_draw. apply sum_le. intros x L. apply Rmult_le_compat_l; [now apply (law_nonneg V)|].
  unfold keeps, fewer. destruct (flagged m s x), (removed m s x); simpl; try apply Rle_refl. apply Rmin_l.
Qed.

Lemma fewer_step m s g h :
  (forall x, (x < V)%nat -> flagged m s x = true -> removed m s x = true ->
    sum V (fun y => residual V (target s) (draft s) y * h y) <= g x) ->
  step_mean flagged m s g h <= step_mean fewer m s g h.
Proof.
  intros H. rewrite !(step_masses V State target draft target_law draft_law). apply sum_le. intros x L.
  apply Rplus_le_compat_l, Rmult_le_compat_l; [apply Rmax_l|]. unfold fewer. specialize (H x L).
  destruct (flagged m s x), (removed m s x); simpl; try apply Rle_refl. now apply H.
Qed.

Lemma fewer_runs kept_draft gamma : (forall left, (kept_draft left <= left)%nat) ->
  (forall m left s x, (S left <= gamma)%nat -> (x < V)%nat -> flagged m s x = true -> removed m s x = true ->
    sum V (fun y => residual V (target s) (draft s) y * expect (run kept_draft gamma flagged m gamma (next s y)) utility)
    <= expect (run kept_draft gamma flagged m (kept_draft (S left)) (next s x)) utility) ->
  forall n left s, (left <= gamma)%nat ->
    expect (run kept_draft gamma flagged n left s) utility <= expect (run kept_draft gamma fewer n left s) utility.
Proof.
  intros K Pays. induction n as [|m IH]; intros [|left] s L; try apply Rle_refl.
  - rewrite !run_bonus. apply sum_le. intros y Y. apply Rmult_le_compat_l; [now apply (law_nonneg V) | now apply IH].
  - rewrite !run_step. eapply Rle_trans; [apply fewer_step; intros x X F R; now apply Pays|].
    apply step_mean_le; [easy | easy | |]; intros x X; apply IH; [|lia]. specialize (K (S left)). lia.
Qed.

(** Removing any set of flags lowers neither acceptance at any context nor utility where, after each token whose flag is removed,
    the rule's own value is at least that after its replacement; one draft a position. *)
Theorem pad_better_classifier_corrected :
  let W m s := expect (one_a_position V State target draft next flagged m s) utility in
  (forall m s x, (x < V)%nat -> flagged m s x = true -> removed m s x = true ->
    sum V (fun y => residual V (target s) (draft s) y * W m (next s y)) <= W m (next s x)) ->
  (forall m s, accepts flagged m s <= accepts fewer m s) /\
  forall n s, W n s <= expect (one_a_position V State target draft next fewer n s) utility.
Proof.
  intros W Pays. split; [apply accepts_more|]. intros n s. unfold W. rewrite !one_is_run. apply fewer_runs; [easy | | lia].
  intros m left t x L X F R. replace left with 0%nat by lia. change (one_draft 1) with 1%nat.
  rewrite <- (one_is_run V State target draft next flagged utility m (next t x)).
  eapply Rle_trans; [|apply (Pays m t x X F R)]. right. apply sum_ext. intros y _. unfold W. now rewrite one_is_run.
Qed.

(** The same in blocks of γ drafts, where it holds however many drafts of the block are left. *)
Theorem pad_better_classifier_corrected_block gamma :
  let W m left s := expect (blocks V State target draft next flagged gamma m left s) utility in
  (forall m left s x, (left < gamma)%nat -> (x < V)%nat -> flagged m s x = true -> removed m s x = true ->
    sum V (fun y => residual V (target s) (draft s) y * W m gamma (next s y)) <= W m left (next s x)) ->
  (forall m s, accepts flagged m s <= accepts fewer m s) /\
  forall n left s, (left <= gamma)%nat -> W n left s <= expect (blocks V State target draft next fewer gamma n left s) utility.
Proof.
  intros W Pays. split; [apply accepts_more|]. intros n left s L. apply fewer_runs; [unfold in_blocks; lia | | exact L].
  intros m l t x B X F R. apply (Pays m l t x); [lia | easy | easy | easy].
Qed.

End Fewer.

End Kept.
