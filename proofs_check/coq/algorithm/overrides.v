(** Pivot-aware decoding: what its overrides cost, and when it keeps the target's utility. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless pad pivots.
Import ListNotations.
Open Scope R_scope.

Section Utility.

Variable V : nat.
Variable State : Type.
Variables target draft : State -> nat -> R.
Variable next : State -> nat -> State.
Variable utility : State -> R.
Variable flagged : nat -> State -> nat -> bool.
Hypothesis target_law : forall s, law V (target s).
Hypothesis draft_law : forall s, law V (draft s).

Notation value := (value V State target next utility).
Notation replaced_value := (replaced_value V State target draft next utility).
Notation override := (override State target draft flagged).
Notation step_loss := (step_loss V State target draft next utility flagged).

(** The rule in blocks of γ drafts, and sums along the path of the rule, with one draft a position and in blocks. *)
Definition one_a_position (n : nat) (s : State) : program State := pad V State target draft next flagged n s.
Definition blocks (gamma n left : nat) (s : State) : program State :=
  run V State target draft next in_blocks gamma flagged n left s.
Definition along_one (price : nat -> State -> R) (n : nat) (s : State) : R :=
  paid V State target draft next one_draft 1 flagged price n 1 s.
Definition along_blocks (gamma : nat) (price : nat -> State -> R) (n left : nat) (s : State) : R :=
  paid V State target draft next in_blocks gamma flagged price n left s.

Lemma one_is_run f : forall n s,
  expect (one_a_position n s) f = expect (run V State target draft next one_draft 1 flagged n 1 s) f.
Proof.
  induction n as [|m IH]; intros s; [easy|]. rewrite run_step. unfold one_a_position in *. cbn [pad].
  rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal. rewrite expect_bind. unfold one_draft.
  destruct (flagged m s x).
  - unfold verdict. rewrite expect_bind, expect_coin, expect_ret, expect_draw, IH. f_equal. f_equal.
    apply sum_ext. intros y _. now rewrite IH.
  - now rewrite expect_ret, IH.
Qed.

(** Target and pivot-aware decoding differ in expected utility by exactly what overrides lose along its path,
    Σ_x g(x) (U_r - U(x)) at each position, for any flags; one draft a position. *)
Theorem pad_utility_slack_sharp n s : value n s - expect (one_a_position n s) utility = along_one step_loss n s.
Proof. rewrite one_is_run. now apply loss_is. Qed.

(** The same in blocks of γ drafts, over the positions at which a draft is verified. *)
Theorem pad_utility_slack_sharp_block gamma n left s :
  value n s - expect (blocks gamma n left s) utility = along_blocks gamma step_loss n left s.
Proof. now apply loss_is. Qed.

(** One step before the target's text changes the utility by exactly Σ_x g(x) (U(x) - U_r): it is preserved if and only if that
    sum is not negative. *)
Theorem pad_utility_preserved_sharp m s :
  let step := x <- draw V (draft s) ;;
    (y <- (if flagged m s x then verdict V (target s) (draft s) x else ret x) ;; sample V State target next m (next s y)) in
  let gain := sum V (fun x => override m s x * (value m (next s x) - replaced_value m s)) in
  expect step utility - value (S m) s = gain /\ (value (S m) s <= expect step utility <-> 0 <= gain).
Proof.
  intros step gain. assert (E : expect step utility - value (S m) s = gain); [|split; [exact E | split; lra]].
  assert (M : expect step utility = step_mean V State target draft flagged m s
    (fun x => value m (next s x)) (fun x => value m (next s x))).
  { unfold step. rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal. rewrite expect_bind.
    destruct (flagged m s x); [|now rewrite expect_ret].
    unfold verdict. rewrite expect_bind, expect_coin, expect_ret, expect_draw. easy. }
  rewrite M, step_gain, value_step by easy. unfold gain. change (replaced_value m s)
    with (sum V (fun y => residual V (target s) (draft s) y * value m (next s y))). ring.
Qed.

(** In blocks of γ drafts, after which the target adds a token of its own: if every token worth less than its replacement is
    called a pivot, the expected utility is at least the target's at every context, however many drafts are left. *)
Theorem pad_utility_preserved_block gamma :
  (forall m s x, (x < V)%nat -> value m (next s x) < replaced_value m s -> flagged m s x = true) ->
  forall n left s, value n s <= expect (blocks gamma n left s) utility.
Proof.
  intros Recall n left s. assert (L : along_blocks gamma step_loss n left s <= 0).
  { apply (Rle_trans _ (along_blocks gamma (fun _ _ => 0 * 0) n left s)).
    - apply paid_le; [easy | easy |]. intros m t. rewrite Rmult_0_r. rewrite <- (sum_zero V). apply sum_le. intros x X.
      pose proof (override_range V State target draft flagged m t x X) as [O _].
      destruct (Rlt_le_dec (value m (next t x)) (replaced_value m t)) as [C|C].
      + unfold pivots.override. rewrite (Recall m t x X C). lra.
      + assert (0 <= override m t x * (value m (next t x) - replaced_value m t)) by (apply Rmult_le_pos; lra). lra.
    - unfold along_blocks. rewrite (paid_scale V State target draft next in_blocks gamma flagged 0). lra. }
  rewrite <- (pad_utility_slack_sharp_block gamma n left s) in L. lra.
Qed.

(** * Prices *)

Hypothesis utility_range : forall s, 0 <= utility s <= 1.

Lemma value_range n : forall s, 0 <= value n s <= 1.
Proof.
  induction n as [|m IH]; intros s; [unfold pivots.value, worth; cbn [sample]; rewrite expect_ret; apply utility_range|].
  rewrite value_step. destruct (target_law s) as [N One]. split.
  - apply sum_nonneg. intros x X. apply Rmult_le_pos; [now apply N | apply IH].
  - rewrite <- One. apply sum_le. intros x X. specialize (N x X). specialize (IH (next s x)). nra.
Qed.

Lemma residual_total s : sum V (residual V (target s) (draft s)) <= 1.
Proof.
  unfold residual, Rdiv. rewrite sum_scale_right.
  destruct (Req_dec (sum V (excess (target s) (draft s))) 0) as [Z|Z]; [rewrite Z; lra | right; now apply Rinv_r].
Qed.

Lemma replaced_range m s : 0 <= replaced_value m s <= 1.
Proof.
  unfold pivots.replaced_value, replacement_worth. split.
  - apply sum_nonneg. intros y Y. apply Rmult_le_pos; [apply residual_nonneg | apply (value_range m (next s y))].
  - eapply Rle_trans; [|apply (residual_total s)]. apply sum_le. intros y Y.
    pose proof (residual_nonneg V (target s) (draft s) y). pose proof (value_range m (next s y)) as W.
    unfold pivots.value in W. nra.
Qed.

(** By what speculative decoding accepts, and the rest, which is replaced. *)
Lemma value_split m s : value (S m) s = sum V (fun x => Rmin (target s x) (draft s x) * value m (next s x))
  + (1 - overlap V (target s) (draft s)) * replaced_value m s.
Proof.
  rewrite value_step, <- (step_value V _ _ (fun x => value m (next s x)) (target_law s) (draft_law s)).
  change (sum V (fun y => residual V (target s) (draft s) y * value m (next s y))) with (replaced_value m s).
  destruct (draft_law s) as [_ One]. replace (1 - overlap V (target s) (draft s))
    with (sum V (draft s) - overlap V (target s) (draft s)) by now rewrite One.
  unfold overlap. rewrite <- sum_minus, <- sum_scale_right, <- sum_plus. apply sum_ext. intros x X.
  rewrite <- (kept_mass V State target draft target_law draft_law s x X). ring.
Qed.

(** SD's acceptance rate at a context. *)
Definition rate (s : State) : R := overlap V (target s) (draft s).

Lemma replaced_over m s : replaced_value m s - value (S m) s <= rate s.
Proof.
  rewrite value_split. pose proof (replaced_range m s) as R.
  pose proof (overlap_range V State target draft target_law draft_law s) as A. fold (rate s) in *.
  assert (0 <= sum V (fun x => Rmin (target s x) (draft s x) * value m (next s x))).
  { apply sum_nonneg. intros x X. apply Rmult_le_pos; [|apply value_range].
    apply Rmin_glb; [apply (law_nonneg V (target s)) | apply (law_nonneg V (draft s))]; easy. }
  nra.
Qed.

Section Tolerance.

Variable epsilon : R.
Hypothesis epsilon_nonneg : 0 <= epsilon.

(** Overrides of tokens that are pivots, missed by the classifier; and of others, called rightly. Whether a token is one is
    judged against its replacement, or, as printed, against the target's expected utility at the context. *)
Definition pivot (printed : bool) (m : nat) (s : State) (x : nat) : bool :=
  if Rlt_dec (value m (next s x)) ((if printed then value (S m) s else replaced_value m s) - epsilon) then true else false.
Definition missed (printed : bool) (m : nat) (s : State) : R :=
  sum V (fun x => if pivot printed m s x then override m s x else 0).
Definition rightly (printed : bool) (m : nat) (s : State) : R :=
  sum V (fun x => if pivot printed m s x then 0 else override m s x).

Lemma priced (printed : bool) m s :
  step_loss m s <= (epsilon + (if printed then rate s else 0)) * rightly printed m s + missed printed m s.
Proof.
  set (c := epsilon + (if printed then rate s else 0)).
  unfold pivots.step_loss, rightly, missed. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros x X.
  pose proof (override_range V State target draft flagged m s x X) as [O _].
  pose proof (value_range m (next s x)) as U. pose proof (replaced_range m s) as R. pose proof (replaced_over m s) as P.
  unfold pivot. destruct (Rlt_dec (value m (next s x)) (_ - epsilon)) as [C|C].
  - assert (0 <= override m s x * (1 - (replaced_value m s - value m (next s x)))) by (apply Rmult_le_pos; lra). lra.
  - apply Rnot_lt_le in C. rewrite Rplus_0_r, (Rmult_comm c). apply Rmult_le_compat_l; [easy|].
    unfold c. destruct printed; lra.
Qed.

Lemma rightly_range printed m s : 0 <= rightly printed m s <= 1 - rate s.
Proof.
  split.
  - apply sum_nonneg. intros x X. pose proof (override_range V State target draft flagged m s x X) as [O _].
    destruct (pivot printed m s x); [lra | exact O].
  - eapply Rle_trans; [|apply (overrides_most V State target draft target_law draft_law flagged m s)]. apply sum_le. intros x X.
    pose proof (override_range V State target draft flagged m s x X) as [O _]. destruct (pivot printed m s x); [exact O | lra].
Qed.

Lemma rate_range s : 0 <= rate s <= 1.
Proof. now apply overlap_range. Qed.

Section Rule.

Variable kept_draft : nat -> nat.
Variable gamma : nat.

Notation paid := (paid V State target draft next kept_draft gamma flagged).

Lemma relative_price n left s : paid step_loss n left s
  <= epsilon * paid (rightly false) n left s + paid (missed false) n left s.
Proof.
  rewrite <- paid_scale, <- paid_plus. apply paid_le; [easy | easy |]. intros m t.
  pose proof (priced false m t) as P. simpl in P. lra.
Qed.

Lemma relative_most n left s : epsilon * paid (rightly false) n left s + paid (missed false) n left s
  <= epsilon * paid (fun _ _ => 1) n left s + paid (missed false) n left s.
Proof.
  apply Rplus_le_compat_r, Rmult_le_compat_l; [easy|]. apply paid_le; [easy | easy |]. intros m t.
  pose proof (rightly_range false m t). pose proof (rate_range t). lra.
Qed.

Lemma printed_price n left s : paid step_loss n left s
  <= paid (fun m s => (epsilon + rate s) * rightly true m s) n left s + paid (missed true) n left s.
Proof.
  rewrite <- paid_plus. apply paid_le; [easy | easy |]. intros m t. pose proof (priced true m t) as P. simpl in P. lra.
Qed.

Lemma printed_most n left s :
  paid (fun m s => (epsilon + rate s) * rightly true m s) n left s + paid (missed true) n left s
  <= paid (fun _ s => (epsilon + rate s) * (1 - rate s)) n left s + paid (missed true) n left s.
Proof.
  apply Rplus_le_compat_r. apply paid_le; [easy | easy |]. intros m t.
  pose proof (rightly_range true m t). pose proof (rate_range t). apply Rmult_le_compat_l; lra.
Qed.

Lemma none_missed printed n left s :
  (forall m t x, (x < V)%nat -> pivot printed m t x = true -> flagged m t x = true) -> paid (missed printed) n left s <= 0.
Proof.
  intros Recall. apply (Rle_trans _ (paid (fun _ _ => 0 * 0) n left s)); [|rewrite paid_scale; lra].
  apply paid_le; [easy | easy |]. intros m t. rewrite Rmult_0_r, <- (sum_zero V). apply sum_le. intros x X.
  destruct (pivot printed m t x) eqn:P; [|lra]. unfold pivots.override. rewrite (Recall m t x X P). lra.
Qed.

Lemma quarters n left s : paid (fun _ s => rate s * (1 - rate s)) n left s <= / 4 * paid (fun _ _ => 1) n left s.
Proof.
  rewrite <- paid_scale. apply paid_le; [easy | easy |]. intros _ t. pose proof (Rle_0_sqr (1 - 2 * rate t)) as S.
  unfold Rsqr in S. lra.
Qed.

Lemma positions n left s : paid (fun _ _ => 1) n left s <= INR n.
Proof. rewrite <- (Rmult_1_r (INR n)). apply paid_most; [easy | easy | lra | intros; lra]. Qed.

End Rule.

(** With pivots judged against the replacement, U(x) < U_r - ε: what is lost is at most ε N + M <= T ε + M, where along the
    rule's path N is the expected number of overrides called rightly and M that of overrides of missed pivots. *)
Theorem pad_utility_slack n s :
  let N := along_one (rightly false) n s in let M := along_one (missed false) n s in
  value n s - expect (one_a_position n s) utility <= epsilon * N + M /\ epsilon * N + M <= INR n * epsilon + M.
Proof.
  cbv zeta. rewrite pad_utility_slack_sharp. split; [apply relative_price|].
  eapply Rle_trans; [apply relative_most|]. apply Rplus_le_compat_r. rewrite Rmult_comm.
  apply Rmult_le_compat_r; [easy | apply positions].
Qed.

(** The same in blocks of γ drafts: at most ε N + M <= ε D + M, D the expected number of drafts verified. *)
Theorem pad_utility_slack_block gamma n left s :
  let N := along_blocks gamma (rightly false) n left s in let M := along_blocks gamma (missed false) n left s in
  let D := along_blocks gamma (fun _ _ => 1) n left s in
  value n s - expect (blocks gamma n left s) utility <= epsilon * N + M /\ epsilon * N + M <= epsilon * D + M.
Proof. cbv zeta. rewrite pad_utility_slack_sharp_block. split; [apply relative_price | apply relative_most]. Qed.

(** With pivots as printed, U(x) < U(s) - ε: what is lost is at most Σ_t E[(ε + α_t) n_t] + M, n_t the overrides called rightly
    and α SD's acceptance rate at the context, and that at most Σ_t E[(ε + α_t)(1 - α_t)] + M; at 100 % recall and ε = 0 it is at
    most Σ_t E[α_t (1 - α_t)] <= T/4. *)
Theorem pad_utility_slack_printed n s :
  let M := along_one (missed true) n s in
  let priced := along_one (fun m s => (epsilon + rate s) * rightly true m s) n s in
  value n s - expect (one_a_position n s) utility <= priced + M /\
  priced + M <= along_one (fun _ s => (epsilon + rate s) * (1 - rate s)) n s + M /\
  (epsilon = 0 -> (forall m t x, (x < V)%nat -> pivot true m t x = true -> flagged m t x = true) ->
    value n s - expect (one_a_position n s) utility <= along_one (fun _ s => rate s * (1 - rate s)) n s) /\
  along_one (fun _ s => rate s * (1 - rate s)) n s <= INR n / 4.
Proof.
  cbv zeta. rewrite pad_utility_slack_sharp. split; [apply printed_price|]. split; [apply printed_most|]. split.
  - intros Z Recall. eapply Rle_trans; [apply printed_price|]. eapply Rle_trans; [apply printed_most|].
    pose proof (none_missed one_draft 1 true n 1 s Recall) as M.
    apply (Rle_trans _ (along_one (fun _ s => (epsilon + rate s) * (1 - rate s)) n s)); [unfold along_one; lra|].
    apply paid_le; [easy | easy |]. intros m t. rewrite Z. lra.
  - pose proof (quarters one_draft 1 n 1 s) as Q. pose proof (positions one_draft 1 n 1 s) as P. unfold along_one. lra.
Qed.

(** The same in blocks of γ drafts, over the positions at which a draft is verified: at 100 % recall and ε = 0 at most
    Σ_t E[α_t (1 - α_t)], and that at most a quarter of the expected number of drafts verified. *)
Theorem pad_utility_slack_printed_block gamma n left s :
  let M := along_blocks gamma (missed true) n left s in
  let priced := along_blocks gamma (fun m s => (epsilon + rate s) * rightly true m s) n left s in
  value n s - expect (blocks gamma n left s) utility <= priced + M /\
  priced + M <= along_blocks gamma (fun _ s => (epsilon + rate s) * (1 - rate s)) n left s + M /\
  (epsilon = 0 -> (forall m t x, (x < V)%nat -> pivot true m t x = true -> flagged m t x = true) ->
    value n s - expect (blocks gamma n left s) utility <= along_blocks gamma (fun _ s => rate s * (1 - rate s)) n left s) /\
  along_blocks gamma (fun _ s => rate s * (1 - rate s)) n left s <= / 4 * along_blocks gamma (fun _ _ => 1) n left s.
Proof.
  cbv zeta. rewrite pad_utility_slack_sharp_block. split; [apply printed_price|]. split; [apply printed_most|]. split.
  - intros Z Recall. eapply Rle_trans; [apply printed_price|]. eapply Rle_trans; [apply printed_most|].
    pose proof (none_missed in_blocks gamma true n left s Recall) as M.
    apply (Rle_trans _ (along_blocks gamma (fun _ s => (epsilon + rate s) * (1 - rate s)) n left s)); [unfold along_blocks; lra|].
    apply paid_le; [easy | easy |]. intros m t. rewrite Z. lra.
  - apply quarters.
Qed.

End Tolerance.

End Utility.
