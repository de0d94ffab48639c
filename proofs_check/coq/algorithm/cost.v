(** What a block of γ drafts saves: independent steps of acceptance α, and drafts that cost c of a call of the target. *)

Require Import Reals Lra Lia List Arith.
Require Import laws batches.
Import ListNotations.
Open Scope R_scope.

(** Tokens of a call over its cost, that of γ drafts and of the target's one call; the target alone has speed 1. *)
Definition block_speed (alpha : R) (gamma : nat) (cost : R) : R := expect (call alpha gamma) INR / (INR gamma * cost + 1).

(** Accepted drafts of a call: all tokens but the last. *)
Definition accepted_drafts (alpha : R) (gamma : nat) : R := expect (call alpha gamma) (fun n => INR (n - 1)).

(** 1 + α + … + α^γ. *)
Definition powers (alpha : R) (gamma : nat) : R := sum (S gamma) (fun i => alpha ^ i).

Lemma powers_next alpha gamma : powers alpha (S gamma) = powers alpha gamma + alpha ^ S gamma.
Proof. reflexivity. Qed.

Lemma speed_powers alpha gamma cost : 0 <= alpha <= 1 ->
  block_speed alpha gamma cost = powers alpha gamma / (INR gamma * cost + 1).
Proof. intros A. unfold block_speed. now destruct (sd_block_length_corrected alpha gamma A) as [-> _]. Qed.

Lemma price_positive gamma cost : 0 <= cost -> 0 < INR gamma * cost + 1.
Proof. intros C. pose proof (Rmult_le_pos _ _ (pos_INR gamma) C). lra. Qed.

Lemma pow_range alpha n : 0 <= alpha <= 1 -> 0 <= alpha ^ n <= 1.
Proof.
  intros A. induction n as [|n IH]; simpl; [lra|]. split; [apply Rmult_le_pos; lra|].
  rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.

Lemma pow_falls alpha n m : 0 <= alpha <= 1 -> (n <= m)%nat -> alpha ^ m <= alpha ^ n.
Proof.
  intros A L. induction L as [|m L IH]; [lra|]. simpl. pose proof (pow_range alpha m A). nra.
Qed.

(** The speed of independent steps of acceptance α < 1 is (1 - α^(γ + 1))/((1 - α)(γc + 1)). *)
Theorem cost_speedup alpha gamma cost : 0 <= alpha < 1 -> 0 <= cost ->
  block_speed alpha gamma cost = (1 - alpha ^ (gamma + 1)) / ((1 - alpha) * (INR gamma * cost + 1)).
Proof.
  intros A C. unfold block_speed. rewrite sd_block_length by exact A. pose proof (price_positive gamma cost C). field. lra.
Qed.

(** The speed is the mean number of accepted drafts and one, over the cost of the step; of α = 0.8, γ = 4 and c = 0.1 it is
    2.401. *)
Theorem cost_accepts_over_cost_corrected :
  (forall alpha gamma cost, 0 <= alpha <= 1 -> 0 <= cost ->
    block_speed alpha gamma cost = (accepted_drafts alpha gamma + 1) / (1 + INR gamma * cost)) /\
  Rabs (block_speed (8 / 10) 4 (1 / 10) - 2401 / 1000) <= 5 / 10000.
Proof.
  split.
  - intros alpha gamma cost A C. unfold block_speed. rewrite (Rplus_comm 1). f_equal. unfold accepted_drafts.
    rewrite <- (call_sure alpha gamma), <- expect_plus. apply expect_ext_in. intros n I.
    assert (L : (1 <= n)%nat).
    { clear - I. revert n I. induction gamma as [|g IH]; intros n I; cbn [call] in I; [now destruct I as [<-|[]]|].
      apply outcomes_bind in I as [[|] [_ I]]; [|now destruct I as [<-|[]]].
      apply outcomes_bind in I as [m [_ [<-|[]]]]. simpl. lia. }
    rewrite minus_INR by easy. simpl. ring.
  - rewrite speed_powers by lra. unfold powers. simpl. unfold Rabs. destruct Rcase_abs; lra.
Qed.

Lemma powers_rates alpha gamma : powers alpha gamma = 1 + sum gamma (fun i => alpha ^ S i).
Proof. induction gamma as [|g IH]; [unfold powers; simpl; ring|]. rewrite powers_next, IH. cbn [sum]. ring. Qed.

Lemma rates_most alpha gamma c : 0 <= alpha <= 1 -> alpha <= c -> sum gamma (fun i => alpha ^ S i) <= INR gamma * c.
Proof.
  intros A C. rewrite <- sum_constant. apply sum_le. intros i _. pose proof (pow_range alpha i A). simpl. nra.
Qed.

(** S(γ) - 1 = (Σ αⁱ - γc)/(γc + 1), i from 1 to γ: a block saves time exactly when c is below the mean of α, …, α^γ. *)
Theorem cost_every_gamma_corrected alpha gamma cost : 0 <= alpha <= 1 -> 0 <= cost -> (1 <= gamma)%nat ->
  let rates := sum gamma (fun i => alpha ^ S i) in
  block_speed alpha gamma cost - 1 = (rates - INR gamma * cost) / (INR gamma * cost + 1) /\
  (1 < block_speed alpha gamma cost <-> cost < rates / INR gamma).
Proof.
  intros A C G rates. pose proof (price_positive gamma cost C) as P. assert (0 < INR gamma) by (apply lt_0_INR; lia).
  assert (E : block_speed alpha gamma cost - 1 = (rates - INR gamma * cost) / (INR gamma * cost + 1)).
  { rewrite speed_powers, powers_rates by exact A. fold rates. field. lra. }
  split; [exact E|]. assert (D : (block_speed alpha gamma cost - 1) * (INR gamma * cost + 1) = rates - INR gamma * cost)
    by (rewrite E; field; lra).
  assert (Q : rates = rates / INR gamma * INR gamma) by (field; lra). split; intros L; nra.
Qed.

(** If α > c, some γ has S(γ) >= (1 + α)/(1 + c) > 1; if α <= c, no γ >= 1 has S(γ) > 1. *)
Theorem cost_some_gamma alpha cost : 0 <= alpha <= 1 -> 0 <= cost ->
  (cost < alpha -> exists gamma, (1 <= gamma)%nat /\ (1 + alpha) / (1 + cost) <= block_speed alpha gamma cost /\
    1 < (1 + alpha) / (1 + cost)) /\
  (alpha <= cost -> forall gamma, (1 <= gamma)%nat -> ~ 1 < block_speed alpha gamma cost).
Proof.
  intros A C. split.
  - intros L. exists 1%nat. split; [lia|]. split.
    + right. rewrite speed_powers by exact A. unfold powers. simpl. field. lra.
    + apply (Rmult_lt_reg_r (1 + cost)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - intros L gamma G F. apply (cost_every_gamma_corrected alpha gamma cost A C G) in F.
    pose proof (rates_most alpha gamma cost A L). assert (0 < INR gamma) by (apply lt_0_INR; lia).
    apply (Rmult_lt_compat_r (INR gamma)) in F; [|easy]. unfold Rdiv in F. rewrite Rmult_assoc, Rinv_l in F; lra.
Qed.

(** S(γ) <= min(1/(1 - α), (γ + 1)/(γc + 1)) for α < 1. *)
Theorem cost_ceiling alpha gamma cost : 0 <= alpha < 1 -> 0 <= cost ->
  block_speed alpha gamma cost <= Rmin (/ (1 - alpha)) ((INR gamma + 1) / (INR gamma * cost + 1)).
Proof.
  intros A C. pose proof (price_positive gamma cost C) as P. apply Rmin_glb.
  - rewrite cost_speedup by easy. pose proof (pow_range alpha (gamma + 1) ltac:(lra)).
    assert (1 <= INR gamma * cost + 1) by (pose proof (Rmult_le_pos _ _ (pos_INR gamma) C); lra).
    apply (Rmult_le_reg_r ((1 - alpha) * (INR gamma * cost + 1))); [apply Rmult_lt_0_compat; lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, <- Rmult_assoc, Rinv_l; nra.
  - rewrite speed_powers by lra. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    unfold powers. rewrite <- S_INR, <- (Rmult_1_r (INR (S gamma))), <- sum_constant. apply sum_le. intros i _.
    apply pow_range. lra.
Qed.

(** * One draft more *)

(** Its gain: α^(γ + 1)(γc + 1) - c(1 + α + … + α^γ). *)
Definition margin (alpha cost : R) (gamma : nat) : R := alpha ^ S gamma * (INR gamma * cost + 1) - cost * powers alpha gamma.

Lemma speed_rises alpha cost gamma : 0 <= alpha <= 1 -> 0 <= cost ->
  block_speed alpha (S gamma) cost - block_speed alpha gamma cost
    = margin alpha cost gamma / ((INR (S gamma) * cost + 1) * (INR gamma * cost + 1)).
Proof.
  intros A C. pose proof (price_positive gamma cost C). pose proof (price_positive (S gamma) cost C) as P.
  rewrite !speed_powers, powers_next by easy. unfold margin. rewrite S_INR in *. field. lra.
Qed.

Lemma rises_margin alpha cost gamma : 0 <= alpha <= 1 -> 0 <= cost ->
  (block_speed alpha gamma cost < block_speed alpha (S gamma) cost <-> 0 < margin alpha cost gamma).
Proof.
  intros A C. pose proof (speed_rises alpha cost gamma A C) as E. pose proof (price_positive gamma cost C) as P.
  pose proof (price_positive (S gamma) cost C) as P'.
  assert (D : 0 < (INR (S gamma) * cost + 1) * (INR gamma * cost + 1)) by now apply Rmult_lt_0_compat.
  assert (M : margin alpha cost gamma
    = (block_speed alpha (S gamma) cost - block_speed alpha gamma cost) * ((INR (S gamma) * cost + 1) * (INR gamma * cost + 1)))
    by (rewrite E; field; lra).
  rewrite M. split; intros L; [apply Rmult_lt_0_compat; lra|].
  assert (~ block_speed alpha (S gamma) cost - block_speed alpha gamma cost <= 0) by (intros N; nra). lra.
Qed.

(** One draft more pays exactly where its chance of acceptance exceeds its cost times the speed. *)
Theorem stop_marginal alpha cost gamma : 0 <= alpha <= 1 -> 0 <= cost ->
  (block_speed alpha gamma cost < block_speed alpha (S gamma) cost <->
    cost * block_speed alpha gamma cost < alpha ^ (gamma + 1)) /\
  block_speed alpha gamma cost = sum (S gamma) (fun i => alpha ^ i) / (INR gamma * cost + 1).
Proof.
  intros A C. split; [|now apply speed_powers]. rewrite rises_margin, speed_powers, Nat.add_1_r by easy.
  pose proof (price_positive gamma cost C) as P. unfold margin.
  assert (E : cost * powers alpha gamma = cost * (powers alpha gamma / (INR gamma * cost + 1)) * (INR gamma * cost + 1))
    by (field; lra).
  rewrite E. set (x := cost * (powers alpha gamma / (INR gamma * cost + 1))). split; intros L; nra.
Qed.

Lemma margin_falls alpha cost gamma : 0 <= alpha <= 1 -> 0 <= cost -> margin alpha cost (S gamma) <= margin alpha cost gamma.
Proof.
  intros A C. assert (E : margin alpha cost gamma - margin alpha cost (S gamma)
    = alpha ^ S gamma * ((1 - alpha) * (INR (S gamma) * cost + 1))).
  { unfold margin. rewrite powers_next, S_INR. simpl. ring. }
  pose proof (price_positive (S gamma) cost C). pose proof (pow_range alpha (S gamma) A).
  assert (0 <= alpha ^ S gamma * ((1 - alpha) * (INR (S gamma) * cost + 1)))
    by (apply Rmult_le_pos; [easy | apply Rmult_le_pos; lra]). lra.
Qed.

Lemma margin_rate alpha alpha' cost gamma : 0 <= alpha <= alpha' -> alpha' <= 1 -> 0 <= cost ->
  0 < margin alpha cost gamma -> 0 < margin alpha' cost gamma.
Proof.
  intros A A' C M. destruct (Req_dec alpha 0) as [->|N].
  { exfalso. unfold margin in M. rewrite (pow_i (S gamma)) in M by lia.
    assert (0 <= cost * powers 0 gamma); [|lra].
    apply Rmult_le_pos; [easy|]. apply sum_nonneg. intros i _. apply pow_range. lra. }
  set (k := S gamma) in *. assert (P : 0 < alpha ^ k) by (apply pow_lt; lra).
  assert (P' : 0 < alpha' ^ k) by (apply pow_lt; lra).
  assert (T : powers alpha' gamma * alpha ^ k <= powers alpha gamma * alpha' ^ k).
  { unfold powers. fold k. rewrite <- !sum_scale_right. apply sum_le. intros i L.
    replace k with (i + (k - i))%nat by lia. rewrite !pow_add.
    assert (alpha ^ (k - i) <= alpha' ^ (k - i)) by (apply pow_incr; lra).
    assert (0 <= alpha' ^ i * alpha ^ i) by (apply Rmult_le_pos; apply pow_le; lra). nra. }
  assert (F : alpha' ^ k * margin alpha cost gamma <= alpha ^ k * margin alpha' cost gamma).
  { unfold margin. fold k. assert (cost * (powers alpha' gamma * alpha ^ k) <= cost * (powers alpha gamma * alpha' ^ k))
      by (now apply Rmult_le_compat_l). nra. }
  assert (0 < alpha' ^ k * margin alpha cost gamma) by now apply Rmult_lt_0_compat.
  destruct (Rlt_le_dec 0 (margin alpha' cost gamma)) as [L|L]; [exact L|]. nra.
Qed.

Lemma powers_least alpha gamma : 0 <= alpha <= 1 -> INR gamma * alpha ^ S gamma <= powers alpha gamma.
Proof.
  intros A. apply (Rle_trans _ (INR (S gamma) * alpha ^ S gamma)).
  - rewrite S_INR. pose proof (pow_range alpha (S gamma) A). lra.
  - unfold powers. rewrite <- sum_constant. apply sum_le. intros i L. apply pow_falls; [easy | lia].
Qed.

Lemma margin_cost alpha cost cost' gamma : 0 <= alpha <= 1 -> 0 <= cost <= cost' ->
  margin alpha cost' gamma <= margin alpha cost gamma.
Proof.
  intros A C. pose proof (powers_least alpha gamma A) as L.
  assert (0 <= (cost' - cost) * (powers alpha gamma - INR gamma * alpha ^ S gamma)) by (apply Rmult_le_pos; lra).
  unfold margin. nra.
Qed.

(** How often a sequence rises among its first places. *)
Fixpoint rises (s : nat -> R) (most : nat) : nat :=
  match most with O => O | S m => rises s m + (if Rlt_dec (s m) (s (S m)) then 1 else 0) end.

(** The first of the largest among the places 0, …, n. *)
Definition is_best (s : nat -> R) (most best : nat) : Prop :=
  (best <= most)%nat /\ (forall gamma, (gamma <= most)%nat -> s gamma <= s best) /\
  (forall gamma, (gamma < best)%nat -> s gamma < s best).

Lemma rises_most s n : (rises s n <= n)%nat.
Proof. induction n as [|n IH]; simpl; [lia|]. destruct Rlt_dec; lia. Qed.

Lemma rises_first s n : (forall i, s (S i) <= s i -> s (S (S i)) <= s (S i)) ->
  (forall i, (i < rises s n)%nat -> s i < s (S i)) /\ (forall i, (rises s n <= i < n)%nat -> s (S i) <= s i).
Proof.
  intros U. induction n as [|n [Up Down]]; [split; simpl; intros; lia|]. simpl.
  pose proof (rises_most s n) as Most. destruct (Rlt_dec (s n) (s (S n))) as [L|L].
  - assert (E : rises s n = n).
    { destruct (Nat.eq_dec (rises s n) n) as [E|N]; [exact E|]. exfalso.
      assert (F : s n <= s (n - 1)%nat) by (replace n with (S (n - 1)) at 1 by lia; apply Down; lia).
      specialize (U (n - 1)%nat). replace (S (n - 1)) with n in U by lia. specialize (U F). lra. }
    rewrite E in *. split; intros i I; [|lia]. destruct (Nat.eq_dec i n) as [->|N]; [exact L | apply Up; lia].
  - rewrite Nat.add_0_r. split; [exact Up|]. intros i I. destruct (Nat.eq_dec i n) as [->|N]; [lra | apply Down; lia].
Qed.

Lemma rises_best s n : (forall i, s (S i) <= s i -> s (S (S i)) <= s (S i)) -> is_best s n (rises s n).
Proof.
  intros U. destruct (rises_first s n U) as [Up Down].
  assert (Before : forall i, (i < rises s n)%nat -> s i < s (rises s n)).
  { intros i L. remember (rises s n) as b. clear Heqb Down. induction b as [|b IH]; [lia|].
    destruct (Nat.eq_dec i b) as [->|N]; [apply Up; lia|].
    apply (Rlt_trans _ (s b)); [apply IH; [intros; apply Up; lia | lia] | apply Up; lia]. }
  assert (After : forall i, (rises s n <= i)%nat -> (i <= n)%nat -> s i <= s (rises s n)).
  { intros i L. induction L as [|i L IH]; intros M; [lra|]. apply (Rle_trans _ (s i)); [apply Down; lia | apply IH; lia]. }
  split; [apply rises_most|]. split; [|exact Before]. intros i L.
  destruct (Nat.le_gt_cases (rises s n) i); [now apply After | left; now apply Before].
Qed.

Lemma rises_le s s' n : (forall i, s i < s (S i) -> s' i < s' (S i)) -> (rises s n <= rises s' n)%nat.
Proof.
  intros H. induction n as [|n IH]; simpl; [lia|]. destruct (Rlt_dec (s n) (s (S n))) as [L|L]; [|lia].
  destruct (Rlt_dec (s' n) (s' (S n))) as [L'|L']; [lia | elim L'; now apply H].
Qed.

(** Where S(γ + 1) <= S(γ), so it is for every larger γ. Of the blocks of up to a number of drafts the shortest of the fastest
    has as many drafts as S rises; their number does not fall with α nor rise with c. *)
Theorem cost_unimodal alpha cost : 0 <= alpha <= 1 -> 0 <= cost ->
  let speeds a c gamma := block_speed a gamma c in
  (forall gamma, block_speed alpha (S gamma) cost <= block_speed alpha gamma cost ->
    forall later, (gamma <= later)%nat -> block_speed alpha (S later) cost <= block_speed alpha later cost) /\
  (forall most, is_best (speeds alpha cost) most (rises (speeds alpha cost) most)) /\
  (forall most alpha', alpha <= alpha' <= 1 -> (rises (speeds alpha cost) most <= rises (speeds alpha' cost) most)%nat) /\
  (forall most cost', cost <= cost' -> (rises (speeds alpha cost') most <= rises (speeds alpha cost) most)%nat).
Proof.
  intros A C speeds.
  assert (Next : forall gamma, block_speed alpha (S gamma) cost <= block_speed alpha gamma cost ->
    block_speed alpha (S (S gamma)) cost <= block_speed alpha (S gamma) cost).
  { intros gamma L. apply Rnot_lt_le. intros F. apply rises_margin in F; try easy.
    pose proof (margin_falls alpha cost gamma A C) as M.
    assert (F' : 0 < margin alpha cost gamma) by lra. apply rises_margin in F'; try easy. lra. }
  repeat split.
  - intros gamma L later G. induction G as [|later G IH]; [exact L | now apply Next].
  - apply (rises_best (speeds alpha cost) most Next).
  - apply (rises_best (speeds alpha cost) most Next).
  - apply (rises_best (speeds alpha cost) most Next).
  - intros most alpha' A'. apply rises_le. intros i. unfold speeds. rewrite !rises_margin by lra. apply margin_rate; lra.
  - intros most cost' C'. apply rises_le. intros i. unfold speeds. rewrite !rises_margin by lra.
    pose proof (margin_cost alpha cost cost' i A ltac:(lra)). lra.
Qed.
